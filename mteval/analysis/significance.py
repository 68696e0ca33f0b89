"""Run every procedure on the systems of one or more metrics, and form simultaneous intervals.

Bootstrap procedures compute the replicates of each system once for all its pairs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field, replace
from itertools import product
from typing import Literal

import numpy as np
import pandas as pd

from mteval.analysis.comparison import Case, Comparison, OfPair, Outcome, Question, ask, how_of
from mteval.analysis.corrections import NONE, Simultaneous, adjusted, simultaneous
from mteval.analysis.scoring import Progress, Scored, Work, frame_of, units_of
from mteval.analysis.two_answers import questions
from mteval.base.arrays import FloatArray
from mteval.base.errors import DataError, SettingsError
from mteval.stats import PROCEDURES
from mteval.stats.base import Alternative, Estimate
from mteval.stats.procedures.registry import usual
from mteval.stats.replication import probability_of_superiority
from mteval.stats.resampling.bootstrap import replicate_scores
from mteval.stats.resampling.streams import seeds_for
from mteval.stats.runs import copies_or_single_runs
from mteval.values.settings import Design, Settings
from mteval.values.verdict import Verdict


@dataclass(frozen=True)
class SharedReplicates:
    """Asks about pairs of systems, computing the bootstrap replicates of each system once.

    Results equal those of the procedure itself. Cases must be on one test set.
    """

    settings: Settings
    work: Work
    _known: dict[tuple[str, Question, str], tuple[float, FloatArray]] = field(default_factory=dict)

    def ask(self, case: Case) -> Outcome:
        """Run a procedure on a case, as ``mteval.analysis.comparison.ask``.

        Raises
        ------
        CancelledError
            If the work was cancelled.
        """
        spec = case.question.spec
        if spec.from_replicates is None or not case.scored.is_complete:
            return ask(case, self.settings, self.work)
        self.work.engine.check()
        (observed, draws), (less, subtracted) = (self._replicates(case, key) for key in (case.system, case.baseline))
        how = how_of(spec, self.settings, self.work, case.alternative)
        result = spec.from_replicates(observed - less, draws - subtracted, how)
        return Outcome(case, result.in_words(self.settings.runs))

    def _replicates(self, case: Case, system: str) -> tuple[float, FloatArray]:
        """Return the score averaged over runs unit by unit, and its replicates, shape ``(n_resamples,)``."""
        scored, question = case.scored, case.question
        key = (scored.metric.key, question, system)
        if key not in self._known:
            statistics = units_of(scored, system, question.unit, scored.present(system))
            n_runs, score = len(statistics), scored.scorer.score
            sums = statistics.sum(axis=0, keepdims=True)
            seeds = seeds_for(self.settings.seed, question.procedure)
            n_shuffles, spread = self.settings.n_shuffles, self.work.engine.map
            (replicates,) = replicate_scores([sums], lambda totals: score(totals / n_runs), n_shuffles, seeds, spread)
            self._known[key] = float(score(sums.sum(axis=1).astype(np.float64) / n_runs)[0]), replicates
        return self._known[key]


@dataclass(frozen=True)
class OneOfMany(OfPair):
    """A difference and its procedure."""

    procedure: str
    unit: str
    difference: float


@dataclass(frozen=True)
class TogetherRow(Simultaneous, OneOfMany):
    """A system's difference from the baseline with its simultaneous interval, for the luck that decides."""

    def on(self, verdict: Verdict) -> Verdict:
        """Return the verdict with this interval, if there is one."""
        low, high = self.low_simultaneous, self.high_simultaneous
        return replace(verdict, simultaneous=self.simultaneous, low_simultaneous=low, high_simultaneous=high)


def together_rows(scored: Scored, baseline: str, settings: Settings, work: Work) -> tuple[TogetherRow, ...]:
    """Return simultaneous intervals by the procedure for both kinds of luck, for test-set luck if it has no answer.

    Empty for a single comparison, or if no comparison has an interval.
    """
    systems = [key for key in scored.statistics if key != baseline]
    if len(systems) < 2 or baseline not in scored.statistics:
        return ()
    settings = settings.for_family(len(systems))
    for question in reversed(questions(scored, settings)):
        outcomes = [ask(Case(scored, baseline, system, question), settings, work) for system in systems]
        if any(outcome.result.p_value == outcome.result.p_value for outcome in outcomes):
            break
    found = simultaneous(outcomes, settings.confidence)
    if not any(one.simultaneous for one in found):
        return ()
    pairs = zip(outcomes, found, strict=True)
    return tuple(TogetherRow(*outcome.case.key[:-1], outcome.case.difference, *astuple(one)) for outcome, one in pairs)


Side = Literal["two-sided", "better", "worse"]
SIDES: tuple[Side, ...] = ("two-sided", "better", "worse")


def unit_of(scored: Scored, settings: Settings) -> str:
    """Return the unit of the test set under the settings: ``document`` or ``segment``."""
    return questions(scored, settings)[1].unit


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
    asked = [question_on(procedure, unit) for procedure in procedures]
    if unit == "document":
        on_segments = [question_on(question.procedure, "segment") for question in asked if question.spec.gives_answer]
        asked += [question for question in on_segments if question.unit == "segment"]
    return tuple(asked)


def usual_on(scored: Scored, design: Design) -> tuple[str, ...]:
    """Return the usual procedures; with one run per system without the exchange of outputs, which is that of units."""
    are_single = all(len(runs) == 1 for runs in scored.statistics.values())
    return tuple(key for key in usual(design) if not (are_single and PROCEDURES[key].pairs_outputs))


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
            text = f"System '{baseline}' has no output on test set '{scored_metrics[0].test_set.name}'."
            raise DataError(f"{text} Choose one of {', '.join(systems)}.")
        return cls(tuple(scored_metrics), baseline, tuple(system for system in systems if system != baseline))

    def __len__(self) -> int:
        return len(self.scored_metrics) * len(self.systems)


def raw_alternative(scored: Scored, side: Side) -> Alternative:
    """Translate a side into an alternative for the raw difference; for TER, lower is better."""
    if side == "two-sided":
        return side
    return "greater" if (side == "better") == scored.metric.higher_is_better else "less"


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
    each = product(family.scored_metrics, family.systems, asked)
    cases = [Case(one, family.baseline, system, question, raw_alternative(one, side)) for one, system, question in each]
    outcomes, shared = [], SharedReplicates(settings, work)
    for index, case in enumerate(cases):
        task = f"{case.question.spec.name}: {case.system} by {case.scored.metric.name}"
        work.report(Progress(task, index, len(cases)))
        outcomes.append(shared.ask(case))
    return tuple(outcomes)


def family_frame(outcomes: Sequence[Outcome], correction: str, settings: Settings) -> pd.DataFrame:
    """Return one row per test with the columns of ``Comparison`` and ``Simultaneous``, ``n_higher`` and ``n_lower``.

    The family of a p-value contains all tests by the same question. One-sided tests have no simultaneous intervals.
    """
    p_adjusted, together = np.full(len(outcomes), np.nan), [NONE] * len(outcomes)
    by_question: dict[Question, list[int]] = defaultdict(list)
    for place, outcome in enumerate(outcomes):
        by_question[outcome.case.question].append(place)
    for places in by_question.values():
        family = [outcomes[place] for place in places]
        p_adjusted[places] = adjusted(family, correction, settings.confidence)
        if family[0].case.alternative == "two-sided":
            for place, found in zip(places, simultaneous(family, settings.confidence), strict=True):
                together[place] = found
    rows = (outcome.comparison(settings) for outcome in outcomes)
    compared = [row.decided(p, settings) for row, p in zip(rows, p_adjusted.tolist(), strict=True)]
    counts = {name: [getattr(outcome.result, name) for outcome in outcomes] for name in ("n_higher", "n_lower")}
    of_units = pd.DataFrame(counts, dtype="Int64")
    return pd.concat([frame_of(compared, Comparison), frame_of(together, Simultaneous), of_units], axis=1)


def superiority(case: Case, confidence: float) -> Estimate:
    """Return the probability that a run of the system beats one of the baseline, with its interval.

    NaN if a system has a single run, or only copies of one.
    """
    sign = 1 if case.scored.metric.higher_is_better else -1
    scores = [sign * one for one in case.scores]
    if copies_or_single_runs(*case.statistics) or not np.isfinite(np.concatenate(scores)).all():
        return Estimate(float("nan"))
    return probability_of_superiority(scores[0], scores[1], confidence)
