"""What all runs at hand say, and whether it hangs on one of them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import special

from mteval.analysis.comparison import how_of
from mteval.analysis.replication.pool import Pool
from mteval.analysis.two_answers import questions, two_answers
from mteval.analysis.verdict import verdict_on
from mteval.analysis.work import Work
from mteval.metrics.base import FloatArray, MetricSpec
from mteval.model import Experiment
from mteval.settings import Settings
from mteval.stats import PROCEDURES
from mteval.stats.base import PairedResult
from mteval.verdict import Verdict

FEWEST = 3  # runs of a system of which one can stand apart from the others
LEVEL = 0.05  # over all runs of both systems


def verdict_of(pool: Pool, experiment: Experiment, settings: Settings, spec: MetricSpec, work: Work) -> Verdict:
    """The verdict on the system, corrected for the others that are compared with the baseline on the test set."""
    all_answers = two_answers(experiment, (pool.scored,), settings, work)
    answers = next(one for one in all_answers if one.both.asked.system == pool.system)
    return verdict_on(answers, answers.n_runs, settings, spec)


@dataclass(frozen=True)
class ApartRun:
    """A run that scores unlike the other runs of its system.

    Parameters
    ----------
    score, others
        Its score, and the average of the others.
    without
        The second answer where it is left out: luck with both, not corrected for other systems.
    """

    system: str
    run: str
    score: float
    others: float
    without: PairedResult


def runs_apart(pool: Pool, settings: Settings, work: Work) -> tuple[ApartRun, ...]:
    """Runs whose score is not one that the others lead to expect, by Grubbs' test; Bonferroni over all runs.

    Nothing is left out anywhere because of it: a run that went badly may go badly again.
    """
    return tuple(
        ApartRun(
            (pool.baseline, pool.system)[side],
            pool.run_keys(side)[run],
            float(pool.scores[side][run]),
            float(np.delete(pool.scores[side], run).mean()),
            _without(pool, side, run, settings, work),
        )
        for side, run in _places_apart(pool)
    )


def _places_apart(pool: Pool) -> Iterator[tuple[int, int]]:
    """Side and place of each such run."""
    for side, scores in enumerate(pool.scores):
        if len(scores) >= FEWEST:
            yield from ((side, int(run)) for run in np.flatnonzero(_p_values(scores) <= LEVEL / sum(pool.sizes)))


def _p_values(scores: FloatArray) -> FloatArray:
    """How unlike the others each run is, by the t statistic of a new observation, shape ``(runs,)``."""
    n = len(scores)
    others = np.array([np.delete(scores, run) for run in range(n)])
    spread = others.std(axis=1, ddof=1) * np.sqrt(1 + 1 / (n - 1))
    gaps = np.abs(scores - others.mean(axis=1))
    t = np.divide(gaps, spread, out=np.where(gaps > 0, np.inf, 0.0), where=spread > 0)
    return np.asarray(2 * special.stdtr(n - 2, -t))


def _without(pool: Pool, side: int, run: int, settings: Settings, work: Work) -> PairedResult:
    spec = PROCEDURES[questions(pool.scored, settings)[1].procedure]
    left_out: list[list[int]] = [[], []]
    left_out[side] = [run]
    if spec.pairs_runs:
        left_out[1 - side] = [pool.run_keys(1 - side).index(pool.run_keys(side)[run])]
    baseline, system = (np.delete(units, runs, axis=0) for units, runs in zip(pool.units, left_out, strict=True))
    how = how_of(spec, settings, work, "two-sided", pool.unit_sizes)
    return spec.function(baseline, system, pool.scored.scorer.score, how)
