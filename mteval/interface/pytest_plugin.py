"""The pytest fixture ``mteval_gate``, an entry point of the package."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from mteval.interface.claims import Gate
    from mteval.interface.results import Comparison


@pytest.fixture
def mteval_gate(record_property: Callable[[str, object], None]) -> Callable[..., Gate]:
    """Return ``mteval.gate`` as a check: the test fails if the candidate does, and is skipped without a verdict.

    Takes the arguments of ``mteval.gate`` and returns its answer.
    """

    def check(comparisons: Comparison | Mapping[str, Comparison], **how: Any) -> Gate:
        from mteval.interface.claims import gate  # here, so that pytest starts fast

        found = gate(comparisons, **how)
        record_property("mteval", found.outcome)
        if found.outcome == "fail":
            pytest.fail(str(found), pytrace=False)
        if found.outcome == "no verdict":
            pytest.skip(str(found))
        return found

    return check
