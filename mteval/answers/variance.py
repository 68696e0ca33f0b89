"""Where the variance comes from."""

from typing import Literal

Source = Literal["runs", "test set", "both"]


def larger_source(runs: float, test_set: float) -> Source:
    """Which of two variances of a difference is more than twice the other; ``both`` where neither is."""
    if runs > 2 * test_set:
        return "runs"
    return "test set" if test_set > 2 * runs else "both"
