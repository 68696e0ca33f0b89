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

    def check(comparisons: Comparison | Mapping[str, Comparison], **options: Any) -> Gate:
        from mteval.interface.claims import gate  # here, so that pytest starts fast

        answer = gate(comparisons, **options)
        record_property("mteval", answer.outcome)
        if answer.outcome == "fail":
            pytest.fail(str(answer), pytrace=False)
        if answer.outcome == "no verdict":
            pytest.skip(str(answer))
        return answer

    return check
