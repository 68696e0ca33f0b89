"""Every procedure on the systems of one or more metrics, so that they can be read side by side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from mteval.analysis.comparison import Case, Outcome, Question, ask, comparisons_frame
from mteval.analysis.rows import frame_of
from mteval.analysis.scoring import Scored
from mteval.analysis.tests.corrections import adjusted
from mteval.analysis.tests.replicates import SharedReplicates, can_share
from mteval.analysis.tests.simultaneous import NONE, Simultaneous, simultaneous
from mteval.analysis.two_answers import questions
from mteval.analysis.work import Progress, Work
from mteval.errors import DataError, SettingsError
from mteval.settings import Settings
from mteval.stats import PROCEDURES
from mteval.stats.base import Alternative
from mteval.stats.procedures.registry import usual
from mteval.stats.replication.superiority import Superiority, probability_of_superiority
from mteval.stats.runs import copies_or_single_runs

Side = Literal["two-sided", "better", "worse"]
SIDES: tuple[Side, ...] = ("two-sided", "better", "worse")


def unit_of(scored: Scored, settings: Settings) -> str:
    """What the settings take as one unit of the test set: ``document`` or ``segment``."""
    return questions(scored, settings)[1].unit


def question_on(procedure: str, unit: str) -> Question:
    """A procedure on units of the test set; those on runs have none, and outputs are exchanged singly or by document.

    Raises
    ------
    SettingsError
        On an unknown procedure.
    """
    if procedure not in PROCEDURES:
        raise SettingsError(f"There is no procedure '{procedure}'; there are: {', '.join(PROCEDURES)}.")
    return Question(procedure, PROCEDURES[procedure].unit_for(unit))


def all_questions(unit: str, procedures: Sequence[str] = usual()) -> tuple[Question, ...]:
    """Procedures in the order of the registry; with documents also the two answers as sentences would give them."""
    asked = [question_on(procedure, unit) for procedure in procedures]
    if unit == "document":
        on_segments = [question_on(question.procedure, "segment") for question in asked if question.spec.gives_answer]
        asked += [question for question in on_segments if question.unit == "segment"]
    return tuple(asked)


@dataclass(frozen=True)
class Family:
    """All comparisons of some systems with one, by some metrics: what p-values are adjusted for.

    Parameters
    ----------
    scored_metrics
        One a metric, on one test set.
    baseline, systems
        The one and the others.
    """

    scored_metrics: tuple[Scored, ...]
    baseline: str
    systems: tuple[str, ...]

    @classmethod
    def of(cls, scored_metrics: Sequence[Scored], baseline: str) -> Family:
        """All other systems of the test set against one.

        Raises
        ------
        DataError
            Where the system has no output on the test set.
        """
        systems = list(scored_metrics[0].statistics)
        if baseline not in systems:
            raise DataError(
                f"System '{baseline}' has no output on test set '{scored_metrics[0].test_set.name}'; choose one of"
                f" {', '.join(systems)}."
            )
        return cls(tuple(scored_metrics), baseline, tuple(system for system in systems if system != baseline))

    def __len__(self) -> int:
        return len(self.scored_metrics) * len(self.systems)


def raw_alternative(scored: Scored, side: Side) -> Alternative:
    """What a side means for the raw difference: of TER the better score is the lower one."""
    if side == "two-sided":
        return side
    return "greater" if (side == "better") == scored.metric.higher_is_better else "less"


def ask_family(
    family: Family, asked: Sequence[Question], settings: Settings, work: Work, side: Side = "two-sided"
) -> tuple[Outcome, ...]:
    """Ask every question about every member: does it differ from the baseline, is it better, is it worse?

    Shuffles are as many as the size of the family asks for.

    Raises
    ------
    CancelledError
        When the work was told to stop.
    """
    settings = settings.for_family(len(family))
    cases = [
        Case(scored, family.baseline, system, question, raw_alternative(scored, side))
        for scored in family.scored_metrics
        for system in family.systems
        for question in asked
    ]
    shared = {
        (scored.metric.key, question): SharedReplicates(scored, question, settings, work)
        for scored in family.scored_metrics
        for question in asked
        if can_share(scored, question)
    }
    outcomes = []
    for index, case in enumerate(cases):
        metric = case.scored.metric
        work.report(Progress(f"{case.question.spec.name}: {case.system} by {metric.name}", index, len(cases)))
        replicates = shared.get((metric.key, case.question))
        outcomes.append(ask(case, settings, work) if replicates is None else replicates.ask(case))
    return tuple(outcomes)


def family_frame(outcomes: Sequence[Outcome], correction: str, settings: Settings) -> pd.DataFrame:
    """One row a test with the columns ``COMPARISONS`` and those of ``Simultaneous``.

    The family of a p-value are all tests by the same question. One-sided tests have no simultaneous intervals.
    """
    p_adjusted, together = np.full(len(outcomes), np.nan), [NONE] * len(outcomes)
    for places in _by_question(outcomes):
        family = [outcomes[place] for place in places]
        p_adjusted[places] = adjusted(family, correction)
        if family[0].case.alternative == "two-sided":
            for place, found in zip(places, simultaneous(family, settings.confidence), strict=True):
                together[place] = found
    compared = comparisons_frame(
        outcome.comparison(settings.seed, p) for outcome, p in zip(outcomes, p_adjusted.tolist(), strict=True)
    )
    return pd.concat([compared, frame_of(together, Simultaneous)], axis=1)


def _by_question(outcomes: Sequence[Outcome]) -> Iterator[list[int]]:
    places: dict[Question, list[int]] = defaultdict(list)
    for place, outcome in enumerate(outcomes):
        places[outcome.case.question].append(place)
    yield from places.values()


def superiority(case: Case, confidence: float) -> Superiority:
    """Probability that a run of the system is better than one of the baseline on this test set, with its interval.

    Unknown where a system has one run, or copies of one.
    """
    scored, sign = case.scored, 1 if case.scored.metric.higher_is_better else -1
    scores = [sign * scored.scores_on(key, case.present) for key in (case.baseline, case.system)]
    copies = copies_or_single_runs(*(scored.statistics_on(key, case.present) for key in (case.baseline, case.system)))
    if copies or not np.isfinite(np.concatenate(scores)).all():
        return Superiority(float("nan"), float("nan"), float("nan"))
    return probability_of_superiority(scores[0], scores[1], confidence)
