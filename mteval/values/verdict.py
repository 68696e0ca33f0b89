"""The verdict on a system, with its coverage and standard deviations."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from math import isnan
from typing import Literal

from mteval.values.findings import Finding
from mteval.values.notation import DASH, Notation, ordinal
from mteval.values.run_words import RUN, RunWord
from mteval.values.settings import Decision, Design

Answer = Literal["ruled out", "open", "refused"]
Role = Literal["good", "bad", "apart", "open", "unsaid"]
MANY_SYSTEMS = 4  # including the baseline: from here on, one figure and one ranking replace a block per system

PROVISIONAL = "provisional"  # verdicts from two runs per system
SAMPLE_NOUN = "these two models"  # verdicts on systems that are not trained again
OTHER_SHUFFLES = "Other shuffles could move p"  # begins the note on a p that they could move across the level
Correction = Literal["looks", "systems", "metrics"]  # the last one for metrics and systems together


def corrections_of(p_value: float, p_looked: float, p_adjusted: float) -> tuple[Correction, ...]:
    """Return the adjustments that changed p: interim analyses, then the number of systems."""
    if isnan(p_adjusted):
        return ()
    # Without interim analyses there is no p for them.
    p_before_systems = p_value if isnan(p_looked) else p_looked
    corrections: list[Correction] = []
    if p_before_systems != p_value:
        corrections.append("looks")
    if p_adjusted != p_before_systems:
        corrections.append("systems")
    return tuple(corrections)


class Conclusion(Enum):
    """Verdict on a system: its word, shape and colour role.

    Only better is green (``good``); for metrics without a better direction, systems are only ``apart``.
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
        """Whether there is a clear difference."""
        return self.role in ("good", "bad", "apart")

    def contradicts(self, other: "Conclusion") -> bool:
        """Return whether one says better, and the other worse."""
        return {self, other} == {Conclusion.BETTER, Conclusion.WORSE}


def conclusions_by_key(notation: Notation) -> Mapping[str, Conclusion]:
    """Return the conclusions of an experiment by the keys of ``Notation.conclusions``."""
    if notation.has_direction:
        return {"better": Conclusion.BETTER, "open": Conclusion.NOT_SHOWN, "worse": Conclusion.WORSE}
    return {"better": Conclusion.HIGHER, "open": Conclusion.NOT_SHOWN, "worse": Conclusion.LOWER}


def answer_at(p_adjusted: float, level: float) -> Answer:
    """Return whether a p-value rules out luck at the level; NaN means refused."""
    if isnan(p_adjusted):
        return "refused"
    return "ruled out" if p_adjusted <= level else "open"


def concluded(answer: Answer, difference: float, improvement: float, notation: Notation) -> Conclusion:
    """Return the conclusion from the answer that decides."""
    if answer == "refused":
        return Conclusion.CANNOT_BE_SAID
    if answer == "open":
        return Conclusion.NOT_SHOWN
    if not notation.has_direction:
        return Conclusion.HIGHER if difference > 0 else Conclusion.LOWER
    return Conclusion.BETTER if improvement > 0 else Conclusion.WORSE


@dataclass(frozen=True)
class Coverage:
    """Coverage of one system by one metric on one test set.

    Parameters
    ----------
    n_segments, n_documents
        Segments scored in every run of the system, and their documents (0 if unknown).
    of_segments, of_documents
        Those in the test set.
    n_given
        Number of imported scores; 0 for a computed metric.
    n_judgements
        Number of human judgements averaged in imported scores; 0 if unknown.
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
        """Whether all segments are covered."""
        return self.n_segments == self.of_segments


def _warn_of_old_name(old: str) -> None:
    """Warn that a field was read by its old name."""
    from mteval.values.renamed import warn_of_old_name  # rarely needed

    warn_of_old_name(old, depth=2)


@dataclass(frozen=True)
class Verdict:
    """Verdict on one system against the baseline by one metric on one test set.

    Parameters
    ----------
    improvement
        Difference of the mean run scores, positive if the system is better.
    test_set_luck, both
        Whether that kind of luck is ruled out, open, or cannot be tested.
    p_test_set, p_run
        p-values, raw and (``…_adjusted``) adjusted by Holm over the systems; NaN if refused. Answers use the adjusted
        ones.
    low, high
        Interval of the raw difference for both kinds of luck; NaN if refused. Not adjusted for the number of systems,
        as the next one.
    low_test_set, high_test_set
        Interval with the runs taken as given; NaN if units of the test set do not vary.
    p_looked
        ``p_run`` adjusted for interim analyses only; equal to it or NaN without any.
    low_simultaneous, high_simultaneous, simultaneous
        Simultaneous interval for the luck that decides, and its method; NaN and empty if there is none.
    is_ended_at_zero
        Whether Holm's verdict ends this interval at zero.
    coverage
        Segments and documents scored in all runs of both systems.
    findings, is_identical
        What is odd about the data of the two systems, and whether their outputs are identical (``with_findings``).
    runs
        Word for a run.
    unit, unit_both
        Unit of the test set in each of the two tests; ``run`` in the second if it covers training luck alone.
    n_runs
        Smallest number of runs per system; that of the system if the baseline is fixed.
    note_test_set, note_both
        Notes of the procedures, without that of ``is_provisional``.
    design
        Declared design of the runs. If ``released``, the answer about the test set is that about both.
    decision
        How metrics decide together.
    notation
        Number format and better direction of the metric.
    reach, reach_in_errors, more_runs, reach_of_more
        As in ``TwoAnswers``: what so many runs can show at the level, and what more could.
    error, df
        As in ``TwoAnswers``: standard error of the difference, and its degrees of freedom.
    is_of_people
        Whether the metric is human scores.
    has_family_law
        Whether p_run was adjusted by the law of a family (``stats.crossed_layout.family_laws``).
    share_of_pairs
        Of pairs of systems with such a difference: the share in which people prefer the better-scored one. NaN if
        nothing is known about the metric.
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
    p_run: float
    p_run_adjusted: float
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
    is_ended_at_zero: bool = False
    coverage: Coverage | None = None
    findings: tuple[Finding, ...] = ()
    is_identical: bool = False
    runs: RunWord = RUN
    decision: Decision = "primary"
    reach: float = float("nan")
    reach_in_errors: float = float("nan")
    more_runs: int = 0
    reach_of_more: float = float("nan")
    error: float = float("nan")
    df: float = float("nan")
    is_of_people: bool = False
    has_family_law: bool = False
    share_of_pairs: float = float("nan")

    @property
    def p_both(self) -> float:
        """Old name of ``p_run``."""
        _warn_of_old_name("p_both")
        return self.p_run

    @property
    def p_both_adjusted(self) -> float:
        """Old name of ``p_run_adjusted``."""
        _warn_of_old_name("p_both_adjusted")
        return self.p_run_adjusted

    def with_findings(self, findings: Iterable[Finding]) -> "Verdict":
        """Return a copy with those of the findings that concern it."""
        systems = (self.baseline, self.system)
        concerning = tuple(finding for finding in findings if finding.concerns(self.test_set, self.metric, *systems))
        have_equal_outputs = any(
            finding.code == "identical-systems" and set(systems) <= set(finding.systems) for finding in concerning
        )
        # People may judge equal outputs differently.
        is_identical = have_equal_outputs and self.difference == 0
        return replace(self, findings=concerning, is_identical=is_identical)

    def contradicts(self, other: "Verdict") -> bool:
        """Whether one of two verdicts on a system says better, and the other worse."""
        return self.conclusion.contradicts(other.conclusion)

    @property
    def corrections(self) -> tuple[Correction, ...]:
        """Adjustments that changed the p-value for both kinds of luck."""
        corrections: list[Correction] = []
        for correction in corrections_of(self.p_run, self.p_looked, self.p_run_adjusted):
            corrections.append(self.family if correction == "systems" else correction)
        return tuple(corrections)

    @property
    def family(self) -> Correction:
        """What the adjustment for several comparisons covers."""
        return "metrics" if self.decision == "any" else "systems"

    @property
    def has_adjusted_p(self) -> bool:
        """Whether adjusting changed one of its p-values."""
        has_changed_test_set = not isnan(self.p_test_set_adjusted) and self.p_test_set_adjusted != self.p_test_set
        has_changed_both = not isnan(self.p_run_adjusted) and self.p_run_adjusted != self.p_run
        return has_changed_test_set or has_changed_both

    @property
    def is_of_test_set(self) -> bool:
        """Whether test-set luck alone decides, because a single run leaves training luck unknown."""
        return self.both == "refused" and self.n_runs < 2

    @property
    def is_of_runs(self) -> bool:
        """Whether training luck alone decides, because one score per run leaves test-set luck unknown."""
        return self.both != "refused" and self.unit_both == "run"

    @property
    def needs_more_shuffles(self) -> bool:
        """Whether other shuffles could move one of its p-values across the level."""
        return any(OTHER_SHUFFLES in note for note in (self.note_test_set, self.note_both))

    @property
    def conclusion(self) -> Conclusion:
        """The verdict, from the answer about both kinds of luck; with a single run, from that about the test set."""
        answer = self.test_set_luck if self.is_of_test_set else self.both
        return concluded(answer, self.difference, self.improvement, self.notation)

    @property
    def is_simultaneous(self) -> bool:
        """Whether the deciding interval is adjusted for the number of systems, as its p is."""
        return bool(self.simultaneous) and self.family == "systems"

    @property
    def ends_test_set(self) -> tuple[float, float]:
        """The interval for test-set luck; simultaneous if it decides."""
        if self.is_simultaneous and self.is_of_test_set:
            return self._simultaneous
        return self.low_test_set, self.high_test_set

    @property
    def ends_both(self) -> tuple[float, float]:
        """The interval for both kinds of luck, simultaneous if there is one."""
        if self.is_simultaneous and not self.is_of_test_set:
            return self._simultaneous
        return self.low, self.high

    @property
    def _simultaneous(self) -> tuple[float, float]:
        return self.low_simultaneous, self.high_simultaneous

    @property
    def is_provisional(self) -> bool:
        """Whether the verdict rests on two runs per system (Clark et al. 2011, section 5)."""
        return self.both != "refused" and self.n_runs == 2 and not self.is_released

    @property
    def is_released(self) -> bool:
        """Whether it is about these two models, without new training runs."""
        return self.design == "released"

    @property
    def mark(self) -> str:
        """``‡`` if both kinds of luck are ruled out, ``†`` if only test-set luck is, else empty."""
        if self.test_set_luck != "ruled out":
            return ""
        if self.both == "ruled out" and not self.is_released:
            return "‡"
        return "†"


def rank_range(first: float, last: float) -> str:
    """Return ``3`` or ``2–5``; a dash for NaN."""
    if isnan(first):
        return DASH
    if first == last:
        return f"{first:.0f}"
    return f"{first:.0f}–{last:.0f}"


@dataclass(frozen=True)
class Ranked:
    """Rank of one system.

    Parameters
    ----------
    mean
        Mean run score.
    first, last
        Simultaneous rank interval: the best and worst rank consistent with the tests of all pairs.
    group
        From 1. Every system of a group is better than every system of later groups.
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

    def overlaps(self, other: "Ranked") -> bool:
        """Return whether both could have the same rank."""
        return self.first <= other.last and other.first <= self.last

    @property
    def possible(self) -> str:
        """``is 3rd`` or ``could be 2nd to 5th``."""
        first = ordinal(self.first)
        if self.first == self.last:
            return f"is {first}"
        return f"could be {first} to {ordinal(self.last)}"


@dataclass(frozen=True)
class RankedPair:
    """Two ranked systems, tested with all other pairs.

    Parameters
    ----------
    improvement
        Of the first over the second, on the segments of both.
    p_adjusted
        Adjusted for all pairs; NaN without an answer.
    is_shown
        Whether the tests together show that the first is better; other pairs may imply it.
    """

    better: str
    worse: str
    improvement: float
    p_adjusted: float
    is_shown: bool


@dataclass(frozen=True)
class Ranking:
    """Ranking of all systems by one metric on one test set, from best to worst.

    Parameters
    ----------
    procedure, unit
        Name of the test of all pairs, and its unit of the test set.
    correction
        Name of the correction for the number of pairs.
    is_both
        Whether the test covers both kinds of luck, as the verdict does, or test-set luck only.
    level
        Significance level of adjusted p-values.
    was_fixed
        Whether the baseline was declared as fixed, which pairs ignore.
    pairs
        All pairs, the one with the better score first.
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
    pairs: tuple[RankedPair, ...] = ()

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return self.rows[-1].group

    @property
    def could_be_best(self) -> tuple[str, ...]:
        """Systems whose range of ranks begins at the first."""
        return tuple(ranked.system for ranked in self.rows if ranked.first == 1)

    def tied_with(self, system: str) -> tuple[str, ...]:
        """Return the systems without a clear difference from one, in the order of the ranking."""
        apart = {system}
        for pair in self.pairs:
            if pair.is_shown and system in (pair.better, pair.worse):
                apart |= {pair.better, pair.worse}
        return tuple(ranked.system for ranked in self.rows if ranked.system not in apart)

    def with_names(self, names: Mapping[str, str]) -> "Ranking":
        """Return the same with displayed names instead of keys; systems without one keep theirs."""
        rows = [replace(row, system=names.get(row.system, row.system)) for row in self.rows]
        pairs = []
        for pair in self.pairs:
            better = names.get(pair.better, pair.better)
            worse = names.get(pair.worse, pair.worse)
            pairs.append(replace(pair, better=better, worse=worse))
        return replace(self, rows=tuple(rows), pairs=tuple(pairs))


@dataclass(frozen=True)
class Spreads:
    """Standard deviations and errors of one system by one metric on one test set, in score points.

    Parameters
    ----------
    unit
        Unit of the test set: ``segment`` or ``document``.
    s_dev, s_opt
        Standard deviation of run scores on the tuning set and on the test set; NaN if unknown.
    p_larger
        p-value of equal variances of the same runs on both sets, adjusted by Holm over ``n_tested`` tests; NaN if it
        cannot be tested.
    error_test_set, error_runs
        Standard errors of the difference from the baseline due to the units and due to the runs. NaN if unknown.
    is_open
        Whether luck cannot be ruled out.
    """

    metric: str
    metric_name: str
    notation: Notation
    baseline: str
    system: str
    unit: str
    s_dev: float
    s_opt: float
    p_larger: float
    n_tested: int
    n_runs: int
    error_test_set: float
    error_runs: float
    is_open: bool
