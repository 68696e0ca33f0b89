"""What is said of a system on several test sets or language pairs at once.

Tables, figures and sentences are made from these values, as from those of ``verdict``.
"""

from dataclasses import dataclass

from mteval.values.notation import Notation
from mteval.values.run_words import RUN, RunWord
from mteval.values.verdict import Answer, Conclusion, Correction, concluded, corrections_of

THESE_RUNS, THESE_TEST_SETS, LIKE_THESE = "these runs", "these test sets", "test sets like these"


@dataclass(frozen=True)
class Finding:
    """The answer to one question about the mean difference.

    Parameters
    ----------
    answer
        Whether that luck is ruled out as its explanation, cannot be ruled out, or the data cannot answer.
    p_value, p_adjusted
        Before any adjustment, and after the planned looks and Holm over the systems; NaN where refused. The answer
        uses the second.
    low, high
        Interval of the raw difference, not adjusted for the number of systems; NaN where refused.
    note
        What the procedure remarks.
    p_looked
        After the planned looks alone; NaN where the question knows no looks.
    """

    question: str
    answer: Answer
    low: float
    high: float
    p_value: float
    p_adjusted: float
    note: str
    p_looked: float = float("nan")

    @property
    def corrections(self) -> tuple[Correction, ...]:
        """What p was adjusted for, of that which changed it."""
        return corrections_of(self.p_value, self.p_looked, self.p_adjusted)


@dataclass(frozen=True)
class OnOne:
    """One test set by itself.

    Parameters
    ----------
    n_units, unit
        How many segments or documents the numbers rest on.
    n_runs
        Of baseline and system.
    low_test_set, high_test_set
        Interval for other segments, these runs taken as given.
    low, high
        Interval for new runs as well; NaN where the runs cannot say.
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
    """What can be said of one system against the baseline by one metric on several test sets, each counting alike.

    Parameters
    ----------
    difference, improvement
        Mean over test sets, ``system - baseline``, and the same positive where the system is better.
    these_runs
        Could the choice of segments explain it, runs and test sets taken as given?
    these_test_sets
        Could new segments and re-run training explain it, the test sets taken as given? The verdict.
    like_these
        Could the choice of test sets explain it as well? From three test sets on.
    tau, i_squared
        How much true differences vary from test set to test set, as a standard deviation in points, and which share of
        the observed variation that is; NaN where it cannot be known.
    n_groups
        1 where the same runs translated all test sets, else the number of groups of test sets with runs of their own.
    runs
        What a run is called.
    notes
        What was left out.
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
    notes: tuple[str, ...] = ()

    @property
    def findings(self) -> tuple[Finding, Finding, Finding]:
        """The three answers, each about more luck than the one before."""
        return self.these_runs, self.these_test_sets, self.like_these

    @property
    def n_test_sets(self) -> int:
        """How many there are."""
        return len(self.rows)

    @property
    def n_runs(self) -> int:
        """The smallest number of runs of either system on any of the test sets."""
        return min(min(row.n_runs) for row in self.rows)

    @property
    def is_provisional(self) -> bool:
        """Two runs a system give an answer, but not one to build on."""
        return self.these_test_sets.answer != "refused" and self.n_runs == 2

    @property
    def conclusion(self) -> Conclusion:
        """What is said of the system on these test sets."""
        return concluded(self.these_test_sets.answer, self.difference, self.improvement, self.notation)
