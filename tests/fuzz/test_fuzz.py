"""Files that chance changed, a few of them; ``python -m tests.fuzz`` tries as many as are wanted."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.mutations import FILES
from tests.fuzz.targets import CASES, InputFile, run_case


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32 - 1))
def test_no_error_but_ours_comes_of_a_file(seed: int) -> None:
    run_case(seed)


@pytest.mark.parametrize(("target", "name"), CASES, ids=[f"{target.__name__} {name}" for target, name in CASES])
def test_the_files_that_are_changed_can_be_read(target: object, name: str) -> None:
    target(InputFile(name, FILES[name]))  # type: ignore[operator]
