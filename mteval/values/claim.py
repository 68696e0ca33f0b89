"""Claims about a system over several test sets or language pairs."""

from collections.abc import Iterable
from dataclasses import dataclass

from mteval.values.model import TestSet
from mteval.values.notation import Notation
from mteval.values.run_words import RUN, RunWord
from mteval.values.verdict import Answer, Conclusion, Correction, concluded, corrections_of

# Questions, from least to most luck
THESE_RUNS = "these runs"
THESE_TEST_SETS = "these test sets"
LIKE_THESE = "test sets like these"


def claimed_test_sets(test_sets: Iterable[TestSet]) -> tuple[TestSet, ...]:
    """Return the default test sets of a claim: all but the tuning sets."""
    return tuple(test_set for test_set in test_sets if test_set.role != "dev")


@dataclass(frozen=True)
class Finding:
    """Answer to one question about the mean difference.

    Parameters
    ----------
    answer
        Whether that luck is ruled out, open, or cannot be tested.
    p_value, p_adjusted
        Raw, and adjusted for interim analyses and by Holm over the systems; NaN if refused. The answer uses the
        adjusted one.
    low, high
        Interval of the raw difference, not adjusted for the number of systems; NaN if refused.
    note
        Note of the procedure.
    p_looked
        Adjusted for interim analyses only; NaN if there are none.
    p_family
        By the law of the family of claims, which Holm adjusts; NaN if p itself is adjusted.
    """

    question: str
    answer: Answer
    low: float
    high: float
    p_value: float
    p_adjusted: float
    note: str
    p_looked: float = float("nan")
    p_family: float = float("nan")

    @property
    def corrections(self) -> tuple[Correction, ...]:
        """Adjustments that changed p."""
        return corrections_of(self.p_value, self.p_looked, self.p_adjusted)


@dataclass(frozen=True)
class OnOne:
    """One test set of a claim.

    Parameters
    ----------
    n_units, unit
        Number of segments or documents.
    n_runs
        Runs of baseline and system.
    low_test_set, high_test_set
        Interval over new segments, with the runs taken as given.
    low, high
        Interval over new runs as well; NaN if the runs do not allow one.
    """

    test_set: str
    unit: str
    n_units: int
    n_runs: tuple[int, int]
    difference: float
    low_test_set: float
    high_test_set: float
    low: float
    high: float


@dataclass(frozen=True)
class Claim:
    """One system against the baseline by one metric on several test sets with equal weights.

    Parameters
    ----------
    difference, improvement
        Mean over test sets of ``system - baseline``; the improvement is positive if the system is better.
    these_runs
        Test over new segments, with runs and test sets taken as given.
    these_test_sets
        Test over new segments and runs, with the test sets taken as given. The verdict.
    like_these
        Test over new test sets as well; needs three test sets.
    tau, i_squared
        Standard deviation of true differences between test sets, in score points, and its share of the observed
        variation; NaN if unknown.
    n_groups
        1 if the same runs translated all test sets, else the number of groups with their own runs.
    runs
        Word for a run.
    is_of_runs
        Whether each run has one score of a whole test set, so that the verdict is about training luck alone.
    notes
        Notes on what was ignored.
    """

    metric: str
    metric_name: str
    notation: Notation
    baseline: str
    system: str
    rows: tuple[OnOne, ...]
    difference: float
    improvement: float
    these_runs: Finding
    these_test_sets: Finding
    like_these: Finding
    tau: float
    i_squared: float
    n_groups: int
    runs: RunWord = RUN
    is_of_runs: bool = False
    notes: tuple[str, ...] = ()

    @property
    def findings(self) -> tuple[Finding, Finding, Finding]:
        """The three answers, from least to most luck."""
        return self.these_runs, self.these_test_sets, self.like_these

    @property
    def n_test_sets(self) -> int:
        """Number of test sets."""
        return len(self.rows)

    @property
    def n_runs(self) -> int:
        """Smallest number of runs per system on any test set."""
        return min(min(row.n_runs) for row in self.rows)

    @property
    def is_provisional(self) -> bool:
        """Whether the verdict rests on two runs per system."""
        return self.these_test_sets.answer != "refused" and self.n_runs == 2

    @property
    def deciding(self) -> Finding:
        """The answer behind the verdict: on these test sets and other runs; with one run, on these runs."""
        is_single = self.these_test_sets.answer == "refused" and self.n_runs < 2
        if is_single:
            return self.these_runs
        return self.these_test_sets

    @property
    def conclusion(self) -> Conclusion:
        """The verdict on these test sets."""
        return concluded(self.deciding.answer, self.difference, self.improvement, self.notation)
