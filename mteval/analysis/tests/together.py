"""Intervals of the verdict's differences that hold together for all systems compared with the baseline."""

from __future__ import annotations

from dataclasses import astuple, dataclass

from mteval.analysis.comparison import Case, ask
from mteval.analysis.scoring import Scored
from mteval.analysis.tests.simultaneous import Simultaneous, simultaneous
from mteval.analysis.two_answers import questions
from mteval.analysis.work import Work
from mteval.settings import Settings


@dataclass(frozen=True)
class TogetherRow:
    """A system's difference from the baseline as one of all that are compared with it, luck of both kinds counted.

    Parameters
    ----------
    simultaneous, low_simultaneous, high_simultaneous, p_simultaneous
        As in ``Simultaneous``.
    """

    test_set: str
    metric: str
    baseline: str
    system: str
    procedure: str
    unit: str
    difference: float
    simultaneous: str
    low_simultaneous: float
    high_simultaneous: float
    p_simultaneous: float


def together_rows(scored: Scored, baseline: str, settings: Settings, work: Work) -> tuple[TogetherRow, ...]:
    """One a system by the procedure of the second answer; none where one system is compared, or none is answered."""
    question, systems = questions(scored, settings)[1], [key for key in scored.statistics if key != baseline]
    if len(systems) < 2 or baseline not in scored.statistics:
        return ()
    outcomes = [ask(Case(scored, baseline, system, question), settings, work) for system in systems]
    found = simultaneous(outcomes, settings.confidence)
    if not any(one.simultaneous for one in found):
        return ()
    return tuple(_row(outcome.case, one) for outcome, one in zip(outcomes, found, strict=True))


def _row(case: Case, found: Simultaneous) -> TogetherRow:
    asked = case.asked
    return TogetherRow(
        asked.test_set, asked.metric, asked.baseline, asked.system, asked.procedure, asked.unit, case.difference,
        *astuple(found),
    )  # fmt: skip
