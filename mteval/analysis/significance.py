"""Run every procedure on the systems of one or more metrics, and form simultaneous intervals.

Bootstrap procedures compute the replicates of all systems at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Literal

import numpy as np
import pandas as pd

from mteval.analysis.comparison import Case, Comparison, Outcome, Question, ask, how_of
from mteval.analysis.corrections import NO_INTERVAL, Simultaneous, adjusted, simultaneous
from mteval.analysis.scoring import Progress, Scored, Work, frame_of, units_of
from mteval.analysis.two_answers import questions
from mteval.base.arrays import FloatArray, StatArray
from mteval.base.errors import DataError, SettingsError
from mteval.stats import PROCEDURES
from mteval.stats.base import Alternative, Estimate
from mteval.stats.procedures.randomization import AR_SEGMENT
from mteval.stats.procedures.registry import usual
from mteval.stats.resampling.bootstrap import replicate_scores
from mteval.stats.resampling.streams import seeds_for
from mteval.stats.runs import copies_or_single_runs
from mteval.values.settings import Design, Settings

Side = Literal["two-sided", "better", "worse"]
SIDES: tuple[Side, ...] = ("two-sided", "better", "worse")


@dataclass(frozen=True)
class SharedReplicates:
    """Asks about pairs of systems, computing the bootstrap replicates of all systems at once.

    Results equal those of the procedure itself. Cases must be on one test set.
    """

    settings: Settings
    work: Work
    # Filled while asking
    _known: dict[tuple[str, Question, str], tuple[float, FloatArray]] = field(default_factory=dict)

    def ask(self, case: Case, known: Outcome | None = None) -> Outcome:
        """Run a procedure on a case, as ``mteval.analysis.comparison.ask``.

        Raises
        ------
        CancelledError
            If the work was cancelled.
        """
        spec = case.question.spec
        has_one_unit = case.units[0].shape[1] == 1  # the procedure says that it needs more
        if spec.from_replicates is None or has_one_unit or not case.scored.is_complete:
            return ask(case, self.settings, self.work, known)
        self.work.engine.check()
        system_score, system_draws = self._replicates(case, case.system)
        baseline_score, baseline_draws = self._replicates(case, case.baseline)
        how = how_of(spec, self.settings, self.work, case.alternative)
        result = spec.from_replicates(system_score - baseline_score, system_draws - baseline_draws, how)
        return Outcome(case, result.in_words(self.settings.runs))

    def _replicates(self, case: Case, system: str) -> tuple[float, FloatArray]:
        """Return the score averaged over runs unit by unit, and its replicates, shape ``(n_resamples,)``."""
        scored = case.scored
        key = (scored.metric.key, case.question, system)
        if key not in self._known:
            for known_system, score_and_replicates in self._replicates_of_all(scored, case.question):
                self._known[scored.metric.key, case.question, known_system] = score_and_replicates
        return self._known[key]

    def _replicates_of_all(self, scored: Scored, question: Question) -> Iterator[tuple[str, tuple[float, FloatArray]]]:
        """Yield each system with its score and replicates.

        Replicates are drawn once for all systems with equal numbers of runs, and summed in one matrix product.
        """
        present = scored.present()
        seeds = seeds_for(self.settings.seed, question.procedure)
        systems_by_n_runs: dict[int, list[str]] = defaultdict(list)
        for system, statistics in scored.statistics.items():
            systems_by_n_runs[len(statistics)].append(system)

        for n_runs, systems in systems_by_n_runs.items():

            def score_of_mean(totals: StatArray, n_runs: int = n_runs) -> FloatArray:
                return scored.scorer.score(totals / n_runs)

            sums = []  # over runs, shape ``(1, units, d)`` each
            for system in systems:
                sums.append(units_of(scored, system, question.unit, present).sum(axis=0, keepdims=True))
            n_resamples = self.settings.n_shuffles
            replicates = replicate_scores(sums, score_of_mean, n_resamples, seeds, self.work.engine.map)
            for system, sums_of_system, replicates_of_system in zip(systems, sums, replicates, strict=True):
                observed = float(score_of_mean(sums_of_system.sum(axis=1).astype(np.float64))[0])
                yield system, (observed, replicates_of_system)


def unit_of(scored: Scored, settings: Settings) -> str:
    """Return the unit of the test set under the settings: ``document`` or ``segment``."""
    _, both = questions(scored, settings)
    return both.unit


def question_on(procedure: str, unit: str) -> Question:
    """Return a question about a procedure, with the unit that suits it.

    Raises
    ------
    SettingsError
        If the procedure is unknown.
    """
    if procedure not in PROCEDURES:
        raise SettingsError(f"Unknown procedure '{procedure}'. Choose one of: {', '.join(PROCEDURES)}.")
    return Question(procedure, PROCEDURES[procedure].unit_for(unit))


def all_questions(unit: str, procedures: Sequence[str] = usual()) -> tuple[Question, ...]:
    """Return questions in the order of the registry; with documents, also both answers on segments."""
    all_asked = [question_on(procedure, unit) for procedure in procedures]
    if unit != "document":
        return tuple(all_asked)
    on_segments = []
    for question in all_asked:
        if question.spec.gives_answer:
            on_segment = question_on(question.procedure, "segment")
            if on_segment.unit == "segment":
                on_segments.append(on_segment)
    return (*all_asked, *on_segments)


def usual_on(scored: Scored, design: Design) -> tuple[str, ...]:
    """Return the usual procedures; without the exchange of outputs if each system has one run.

    With one run, exchanging outputs is the same as exchanging units.
    """
    procedures = usual(design)
    are_single = all(len(runs) == 1 for runs in scored.statistics.values())
    if are_single:
        return tuple(procedure for procedure in procedures if not PROCEDURES[procedure].pairs_outputs)
    return tuple(procedures)


@dataclass(frozen=True)
class Family:
    """All comparisons of some systems with one baseline, by some metrics; p-values are adjusted over it.

    Parameters
    ----------
    scored_metrics
        One per metric, on one test set.
    """

    scored_metrics: tuple[Scored, ...]
    baseline: str
    systems: tuple[str, ...]

    @classmethod
    def of(cls, scored_metrics: Sequence[Scored], baseline: str) -> Family:
        """Compare all other systems of the test set with a baseline.

        Raises
        ------
        DataError
            If the baseline has no output on the test set.
        """
        systems = list(scored_metrics[0].statistics)
        if baseline not in systems:
            raise DataError(
                f"System '{baseline}' has no output on test set '{scored_metrics[0].test_set.name}'."
                f" Choose one of {', '.join(systems)}."
            )
        compared = tuple(system for system in systems if system != baseline)
        return cls(tuple(scored_metrics), baseline, compared)

    def __len__(self) -> int:
        """Return the number of comparisons by one procedure."""
        return len(self.scored_metrics) * len(self.systems)


def raw_alternative(scored: Scored, side: Side) -> Alternative:
    """Translate a side into an alternative for the raw difference; for TER, lower is better."""
    if side == "two-sided":
        return side
    is_for_higher = (side == "better") == scored.metric.higher_is_better
    return "greater" if is_for_higher else "less"


def ask_family(
    family: Family, asked: Sequence[Question], settings: Settings, work: Work, side: Side = "two-sided"
) -> tuple[Outcome, ...]:
    """Run every procedure on every member of a family.

    The number of shuffles grows with the family.

    Raises
    ------
    CancelledError
        If the work was cancelled.
    """
    settings = settings.for_family(len(family))
    cases = []
    for scored, system, question in product(family.scored_metrics, family.systems, asked):
        cases.append(Case(scored, family.baseline, system, question, raw_alternative(scored, side)))

    replicates = SharedReplicates(settings, work)
    outcomes: list[Outcome] = []
    exchange: Outcome | None = None  # the last one, which tests of both kinds of luck on the same units need
    for index, case in enumerate(cases):
        task = f"{case.question.spec.name}: {case.system} by {case.scored.metric.name}"
        work.report(Progress(task, index, len(cases)))
        outcome = replicates.ask(case, exchange)
        outcomes.append(outcome)
        if case.question.procedure == AR_SEGMENT.key:
            exchange = outcome
    return tuple(outcomes)


def family_frame(outcomes: Sequence[Outcome], correction: str, settings: Settings) -> pd.DataFrame:
    """Return one row per test with the columns of ``Comparison`` and ``Simultaneous``, ``n_higher`` and ``n_lower``.

    The family of a p-value contains all tests by the same question. One-sided tests have no simultaneous intervals.
    """
    places_by_question: dict[Question, list[int]] = defaultdict(list)
    for place, outcome in enumerate(outcomes):
        places_by_question[outcome.case.question].append(place)

    p_adjusted = np.full(len(outcomes), np.nan)
    intervals = [NO_INTERVAL] * len(outcomes)
    for places in places_by_question.values():
        family = [outcomes[place] for place in places]
        p_adjusted[places] = adjusted(family, correction, settings.confidence)
        if family[0].case.alternative == "two-sided":
            for place, interval in zip(places, simultaneous(family, settings.confidence), strict=True):
                intervals[place] = interval

    rows = []
    for outcome, p in zip(outcomes, p_adjusted.tolist(), strict=True):
        rows.append(outcome.comparison(settings).decided(p, settings))
    counts = {
        "n_higher": [outcome.result.n_higher for outcome in outcomes],
        "n_lower": [outcome.result.n_lower for outcome in outcomes],
    }
    frames = [frame_of(rows, Comparison), frame_of(intervals, Simultaneous), pd.DataFrame(counts, dtype="Int64")]
    return pd.concat(frames, axis=1)


def superiority(case: Case, confidence: float) -> Estimate:
    """Return the probability that a run of the system beats one of the baseline, with its interval.

    NaN if a system has a single run, or only copies of one.
    """
    sign = 1 if case.scored.metric.higher_is_better else -1
    baseline, system = (sign * scores for scores in case.scores)
    is_defined = np.isfinite(np.concatenate([baseline, system])).all()
    if copies_or_single_runs(*case.statistics) or not is_defined:
        return Estimate(float("nan"))
    from mteval.stats.replication import probability_of_superiority  # few commands ask for it

    return probability_of_superiority(baseline, system, confidence)
