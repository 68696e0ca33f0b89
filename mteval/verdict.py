"""What is said of one system against the baseline: the value that tables, marks and sentences are made from."""

from dataclasses import dataclass
from typing import Literal

from mteval.notation import Notation

Answer = Literal["ruled out", "open", "refused"]


@dataclass(frozen=True)
class Verdict:
    """What can be said of one system against the baseline by one metric on one test set.

    Parameters
    ----------
    improvement
        Difference of the mean run scores, positive where the system is better.
    test_set_luck, both
        Whether that kind of luck is ruled out as an explanation, cannot be ruled out, or the data cannot answer.
    p_test_set, p_both
        The p-values, before and (``…_adjusted``) after Holm over the systems; NaN where refused. The answers use the
        adjusted ones.
    low, high
        Interval of the raw difference, both kinds of luck included; NaN where refused.
    unit, unit_both
        What the answer to either question took as one unit of the test set; outputs are units of the first alone.
    n_runs
        Smallest number of runs of the two systems.
    note_test_set, note_both
        What the procedures remark.
    notation
        How the metric's numbers are written, and whether one direction is better; a length ratio only goes up or down.
    """

    test_set: str
    metric: str
    metric_name: str
    baseline: str
    system: str
    difference: float
    improvement: float
    n_runs: int
    unit: str
    test_set_luck: Answer
    p_test_set: float
    p_test_set_adjusted: float
    note_test_set: str
    both: Answer
    p_both: float
    p_both_adjusted: float
    low: float
    high: float
    note_both: str
    notation: Notation
    unit_both: str = "segment"

    @property
    def is_provisional(self) -> bool:
        """Two runs a system give an answer, but not one to build on (Clark et al. 2011, section 5)."""
        return self.both != "refused" and self.n_runs == 2

    @property
    def mark(self) -> str:
        """Double dagger where both kinds of luck are ruled out, dagger where only the test set's is, else nothing."""
        if self.both == "ruled out" and self.test_set_luck == "ruled out":
            return "‡"
        return "†" if self.test_set_luck == "ruled out" else ""
