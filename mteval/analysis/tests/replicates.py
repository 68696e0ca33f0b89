"""Bootstrap tests of many pairs: the scores of each system on the replicates are computed once for all its pairs."""

import time
from dataclasses import dataclass, field

import numpy as np

from mteval.analysis.comparison import Case, Outcome, Question, how_of
from mteval.analysis.scoring import Scored
from mteval.analysis.units import units_of
from mteval.analysis.work import Work
from mteval.settings import Settings
from mteval.stats.base import FloatArray
from mteval.stats.resampling.bootstrap import replicate_scores
from mteval.stats.resampling.streams import seeds_for


def can_share(scored: Scored, question: Question) -> bool:
    """Whether replicates can serve all pairs: the procedure needs nothing else, and no pair leaves out segments."""
    return question.spec.from_replicates is not None and bool(scored.present(*scored.statistics).all())


@dataclass(frozen=True)
class SharedReplicates:
    """One bootstrap procedure on pairs of the systems of one metric; the results are those of the procedure itself."""

    scored: Scored
    question: Question
    settings: Settings
    work: Work
    _known: dict[str, tuple[float, FloatArray]] = field(default_factory=dict)

    def ask(self, case: Case) -> Outcome:
        """As ``mteval.analysis.comparison.ask``; the time is what this pair still cost.

        Raises
        ------
        CancelledError
            When the work was told to stop.
        """
        self.work.engine.check()
        start = time.perf_counter()
        spec = self.question.spec
        if spec.from_replicates is None:
            raise ValueError(f"{spec.key} needs more than replicates of the test set.")
        (observed, draws), (less, subtracted) = self._replicates(case.system), self._replicates(case.baseline)
        how = how_of(spec, self.settings, self.work, case.alternative)
        result = spec.from_replicates(observed - less, draws - subtracted, how)
        return Outcome(case, result, time.perf_counter() - start)

    def _replicates(self, system: str) -> tuple[float, FloatArray]:
        """Score of the runs averaged unit by unit, and its replicates, shape ``(n_resamples,)``."""
        if system not in self._known:
            statistics = units_of(self.scored, system, self.question.unit, self.scored.present(system))
            n_runs, score = len(statistics), self.scored.scorer.score
            sums = statistics.sum(axis=0, keepdims=True)
            (replicates,) = replicate_scores(
                sums,
                lambda totals: score(totals / n_runs),
                n_resamples=self.settings.n_shuffles,
                seeds=seeds_for(self.settings.seed, self.question.procedure),
                map_chunks=self.work.engine.map,
            )
            observed = float(score(sums.sum(axis=1).astype(np.float64) / n_runs)[0])
            self._known[system] = observed, replicates
        return self._known[system]
