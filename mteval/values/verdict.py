"""The verdict on a system and what it rests on: coverage and spreads."""

from dataclasses import dataclass
from enum import Enum
from typing import Literal

from mteval.values.notation import DASH, Notation
from mteval.values.run_words import RUN, RunWord
from mteval.values.settings import Design

Answer = Literal["ruled out", "open", "refused"]
Role = Literal["good", "bad", "apart", "open", "unsaid"]
MANY_SYSTEMS = 4  # with the baseline: from here on one figure and one ranking take the place of a block for each


PROVISIONAL = "provisional"  # what verdicts from two runs of a system are
Correction = Literal["looks", "systems"]


def corrections_of(p_value: float, p_looked: float, p_adjusted: float) -> tuple[Correction, ...]:
    """What a p-value was adjusted for, of that which changed it: planned looks, then the number of systems."""
    before_systems = p_value if p_looked != p_looked else p_looked
    changed: tuple[tuple[Correction, bool], ...] = (
        ("looks", before_systems != p_value),
        ("systems", p_adjusted != before_systems),
    )
    return tuple(name for name, is_changed in changed if is_changed and p_adjusted == p_adjusted)


class Conclusion(Enum):
    """The one verdict on a system: a word, a shape that says the same, and the role of its colour.

    Green (``good``) is for better alone; a metric without a better direction says only that systems are ``apart``.
    """

    BETTER = ("better", "▲", "good")
    WORSE = ("worse", "▼", "bad")
    HIGHER = ("higher", "△", "apart")
    LOWER = ("lower", "▽", "apart")
    NOT_SHOWN = ("no clear difference", "○", "open")
    CANNOT_BE_SAID = ("no verdict", "◇", "unsaid")

    def __init__(self, word: str, shape: str, role: Role) -> None:
        self.word = word
        self.shape = shape
        self.role: Role = role

    @property
    def is_shown(self) -> bool:
        """Whether a difference is shown, one way or the other."""
        return self.role in ("good", "bad", "apart")


def answer_at(p_adjusted: float, level: float) -> Answer:
    """Whether a p-value rules luck out at the level; NaN belongs to a question that could not be answered."""
    if p_adjusted != p_adjusted:
        return "refused"
    return "ruled out" if p_adjusted <= level else "open"


def concluded(answer: Answer, difference: float, improvement: float, notation: Notation) -> Conclusion:
    """The word for a difference, from the answer to the question about all luck."""
    if answer == "refused":
        return Conclusion.CANNOT_BE_SAID
    if answer == "open":
        return Conclusion.NOT_SHOWN
    if not notation.has_direction:
        return Conclusion.HIGHER if difference > 0 else Conclusion.LOWER
    return Conclusion.BETTER if improvement > 0 else Conclusion.WORSE


@dataclass(frozen=True)
class Coverage:
    """What the numbers of one system by one metric on one test set rest on.

    Parameters
    ----------
    n_segments, n_documents
        Those that every run of the system has a score of, and the documents that these are of; no documents where the
        test set names none.
    of_segments, of_documents
        Those of the test set.
    n_given
        Scores that came with the runs, on whatever segments; 0 for a metric that is computed here.
    n_judgements
        Judgements of people that the given scores are means of; 0 where that is not known.
    """

    test_set: str
    metric: str
    system: str
    n_segments: int
    of_segments: int
    n_documents: int
    of_documents: int
    n_given: int
    n_judgements: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether no segment is left out."""
        return self.n_segments == self.of_segments


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
        Interval of the raw difference, both kinds of luck included; NaN where refused. Like the next, it is not
        adjusted for the number of systems; ``low_simultaneous`` and ``high_simultaneous`` are.
    low_test_set, high_test_set
        Interval of the raw difference, these runs taken as given; NaN where units of the test set do not vary.
    p_looked
        ``p_both`` after the planned looks alone; the same where runs were not added after looking, or NaN.
    low_simultaneous, high_simultaneous, simultaneous
        Interval of both kinds of luck that is adjusted for the number of systems, and by what; NaN and empty where
        there is none.
    coverage
        The segments and documents that the two were compared on: those that no run of either lacks.
    warnings
        What is to be known of the data before the verdict is believed.
    runs
        What a run is called.
    unit, unit_both
        What the answer to either question took as one unit of the test set; outputs are units of the first alone.
    n_runs
        Smallest number of runs of the two systems; of the system alone where the baseline is fixed.
    note_test_set, note_both
        What the procedures remark, but for what ``is_provisional`` says.
    design
        How the runs of the two were declared to belong together.
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
    design: Design = "independent"
    low_test_set: float = float("nan")
    high_test_set: float = float("nan")
    p_looked: float = float("nan")
    low_simultaneous: float = float("nan")
    high_simultaneous: float = float("nan")
    simultaneous: str = ""
    coverage: Coverage | None = None
    warnings: tuple[str, ...] = ()
    runs: RunWord = RUN

    @property
    def corrections(self) -> tuple[Correction, ...]:
        """What p of both kinds of luck was adjusted for, of that which changed it."""
        return corrections_of(self.p_both, self.p_looked, self.p_both_adjusted)

    @property
    def conclusion(self) -> Conclusion:
        """What the answer to the second question says: the verdict."""
        return concluded(self.both, self.difference, self.improvement, self.notation)

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


def rank_range(first: float, last: float) -> str:
    """``3`` or ``2–5``; a dash where there are none (NaN)."""
    if first != first:
        return DASH
    return f"{first:.0f}" if first == last else f"{first:.0f}–{last:.0f}"


@dataclass(frozen=True)
class Ranked:
    """The place of one system among all.

    Parameters
    ----------
    mean
        Of its run scores.
    first, last
        Its range of ranks: 1 more than the systems shown better than it, and the number of systems less those that it
        is shown better than.
    group
        From 1. Every system of a group is shown better than every system of the groups after it.
    """

    system: str
    mean: float
    first: int
    last: int
    group: int

    @property
    def ranks(self) -> str:
        """``3`` or ``2–5``."""
        return rank_range(self.first, self.last)


@dataclass(frozen=True)
class Ranking:
    """All systems by one metric on one test set, from best to worst.

    Parameters
    ----------
    procedure, unit
        The test of all pairs: its name, and what it took as one unit of the test set.
    correction
        The name of the correction for the number of pairs.
    is_both
        Whether the test is about both kinds of luck, as the verdict is; else no pair has an answer to that, and it is
        about luck with the test set alone.
    level
        Adjusted p-values up to it show a difference.
    was_fixed
        Whether the baseline was declared as fixed, as which it is not taken among pairs.
    """

    test_set: str
    metric: str
    procedure: str
    unit: str
    correction: str
    is_both: bool
    level: float
    rows: tuple[Ranked, ...]
    was_fixed: bool = False

    @property
    def n_groups(self) -> int:
        """The number of groups."""
        return self.rows[-1].group


@dataclass(frozen=True)
class Spreads:
    """Of one system by one metric on one test set, in points of the score.

    Parameters
    ----------
    unit
        Of the test set: ``segment`` or ``document``.
    s_dev, s_test
        Spread of the run scores on the tuning set and on the test set; NaN where one is unknown.
    p_larger
        Of the hypothesis that both are equal, for the same runs on both sets, adjusted by Holm for all that were tested
        (``n_tested``); NaN where it cannot be tested.
    error_test_set, error_runs
        Standard errors of the difference from the baseline: from the choice of the units, these runs taken as given,
        and from which runs were made, this test set taken as given. NaN where one is unknown.
    is_open
        Whether both kinds of luck together cannot be ruled out as the explanation of the difference.
    """

    metric: str
    metric_name: str
    notation: Notation
    baseline: str
    system: str
    unit: str
    s_dev: float
    s_test: float
    p_larger: float
    n_tested: int
    n_runs: int
    error_test_set: float
    error_runs: float
    is_open: bool
