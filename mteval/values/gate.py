"""A gate: what a candidate must show against the baseline, and whether it passes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Literal

from mteval.base.errors import SettingsError
from mteval.values.findings import Finding
from mteval.values.ledger import NO_FILES, Ledger
from mteval.values.notation import Notation, percent
from mteval.values.settings import Settings
from mteval.values.verdict import Conclusion, Verdict

Outcome = Literal["pass", "fail", "no verdict"]
EXIT_STATUS: Mapping[Outcome, int] = {"pass": 0, "fail": 1, "no verdict": 3}
OTHERS = "*"  # key of the margin of metrics without one of their own
_SHARE = re.compile(r"people:([0-9]+(?:\.[0-9]+)?)%")


@dataclass(frozen=True)
class ShareOfPairs:
    """A margin in place of points: the difference at which people prefer the better system in this share of pairs."""

    share: float

    def __str__(self) -> str:
        return f"people:{percent(self.share, 0)}"


Margin = float | ShareOfPairs


def margin_from(word: str) -> Margin:
    """Return a margin from ``0.3`` (points) or ``people:60%``.

    Raises
    ------
    ValueError
        If it is neither.
    """
    match = _SHARE.fullmatch(word)
    if match is not None:
        return ShareOfPairs(float(match[1]) / 100)
    points = float(word)
    if not 0 <= points < inf:
        raise ValueError(f"{word} is not a number of points")
    return points


@dataclass(frozen=True)
class GateRule:
    """What a candidate must show, chosen before looking at results.

    Parameters
    ----------
    worse_by, better_by
        Margins by metric key; ``OTHERS`` for all others. The candidate must be worse by less than
        ``worse_by``, or better by more than ``better_by``. Without any margin it must be better.
    is_any
        Whether one metric suffices (Holm); otherwise all must hold (intersection-union; Berger 1982).
    is_each
        Whether every test set must hold; otherwise their mean decides.

    Raises
    ------
    SettingsError
        If a margin is negative, or a metric has two.
    """

    worse_by: Mapping[str, Margin] = field(default_factory=dict)
    better_by: Mapping[str, Margin] = field(default_factory=dict)
    is_any: bool = False
    is_each: bool = False

    def __post_init__(self) -> None:
        for key in self.worse_by:
            if key in self.better_by:
                subject = "All metrics have" if key == OTHERS else f"Metric '{key}' has"
                raise SettingsError(f"{subject} two margins. Use --worse-by or --better-by.")
        for margin in (*self.worse_by.values(), *self.better_by.values()):
            if isinstance(margin, ShareOfPairs):
                continue
            if not 0 <= margin < float("inf"):
                raise SettingsError(f"A margin is {margin:g}. Give 0 or more points.")

    def wanted(self, metric: str, known: Sequence[str]) -> tuple[int, Margin]:
        """Return the improvement that a candidate must exceed: its sign and its size.

        Raises
        ------
        SettingsError
            If the metric has no margin but others have, or a margin names none of the ``known`` metrics.
        """
        margins: dict[str, tuple[int, Margin]] = {}
        margins.update({key: (-1, margin) for key, margin in self.worse_by.items()})
        margins.update({key: (1, margin) for key, margin in self.better_by.items()})
        for key in margins:
            if key not in (OTHERS, *known):
                raise SettingsError(f"A margin is for '{key}', which is not compared. Compared: {', '.join(known)}.")
        if not margins:
            return 1, 0.0
        if metric in margins:
            return margins[metric]
        if OTHERS in margins:
            return margins[OTHERS]
        raise SettingsError(f"{metric} has no margin. Add --worse-by {metric}=X or --better-by {metric}=X.")


@dataclass(frozen=True)
class Remedy:
    """What would settle an open answer if the difference stayed as it is.

    Parameters
    ----------
    spread
        Largest standard deviation over runs, in score points; NaN if unknown.
    candidate_runs, runs_each
        Further runs of the candidate alone or of each system; 0 if that does not help.
    times
        Factor of the size of the test set; NaN if that does not help.
    needs_both
        Whether only further runs and a larger test set together help; otherwise each does by itself.
    """

    spread: float = float("nan")
    candidate_runs: int = 0
    runs_each: int = 0
    times: float = float("nan")
    needs_both: bool = False


@dataclass(frozen=True)
class GateRow:
    """The answer by one metric, on one test set or on their mean.

    Parameters
    ----------
    n_runs
        Of baseline and candidate.
    n_units, unit
        Number of segments or documents; ``unit`` if a mean has both, which the note counts.
    low, high
        Interval of the raw difference at twice the level, so that each end is one-sided at the level. An end is at the
        bound where only the exchange of the units cannot exclude it.
    bound, margin
        The improvement that the candidate must exceed, and its size as it was given.
    p_pass, p_fail
        One-sided p-values of exceeding the bound, and of falling short of it; NaN if refused. On one test set each is
        the larger of two: both kinds of luck, and the exchange of the units. Adjusted by Holm where one of several
        answers suffices.
    p_value
        ``p_pass`` before adjustment.
    note
        Notes of the procedure, or why there is no answer.
    share_of_pairs
        As in ``Verdict``; NaN on the mean of several test sets.
    """

    test_set: str
    metric: str
    metric_name: str
    notation: Notation
    baseline: str
    candidate: str
    n_runs: tuple[int, int]
    n_units: int
    unit: str
    difference: float
    improvement: float
    low: float
    high: float
    bound: float
    p_value: float
    p_pass: float
    p_fail: float
    outcome: Outcome
    remedy: Remedy
    note: str = ""
    margin: Margin = 0.0
    share_of_pairs: float = float("nan")


@dataclass(frozen=True)
class Gate:
    """Whether a candidate passes.

    Parameters
    ----------
    findings
        What is odd about the data.
    ignored
        Names of the metrics without a better direction.
    files
        What became of every input file.
    by_people
        Verdicts on the candidate by human scores that are not among the metrics. They decide nothing.
    """

    rows: tuple[GateRow, ...]
    rule: GateRule
    settings: Settings
    findings: tuple[Finding, ...] = ()
    ignored: tuple[str, ...] = ()
    files: Ledger = NO_FILES
    by_people: tuple[Verdict, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """``pass``, ``fail`` or ``no verdict``, by all rows or any."""
        outcomes = {row.outcome for row in self.rows}
        if self.rule.is_any:
            passes = "pass" in outcomes
            fails = outcomes == {"fail"}
        else:
            passes = outcomes == {"pass"}
            fails = "fail" in outcomes
        if passes:
            return "pass"
        if fails:
            return "fail"
        return "no verdict"

    def contradicts(self, human: Verdict) -> bool:
        """Whether the candidate passes although people say it is worse, or is shown worse although they say better."""
        if human.conclusion is Conclusion.WORSE:
            return self.passed
        is_shown_worse = any(row.outcome == "fail" and row.bound <= 0 for row in self.rows)
        return human.conclusion is Conclusion.BETTER and is_shown_worse

    @property
    def passed(self) -> bool:
        """Whether the candidate passes."""
        return self.outcome == "pass"

    @property
    def status(self) -> int:
        """Exit status of the command: 0, 1 or 3."""
        return EXIT_STATUS[self.outcome]
