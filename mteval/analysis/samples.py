"""Samples of one trained model, as of a decoder at a temperature: sampling luck, and the best and worst of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mteval.analysis.scoring import Scored
from mteval.analysis.two_answers import questions
from mteval.analysis.units import summed
from mteval.analysis.work import Work
from mteval.settings import Settings
from mteval.stats.base import StatArray
from mteval.stats.resampling.streams import seeds_for
from mteval.stats.sampling_luck import sampling_luck


@dataclass(frozen=True)
class SampledRow:
    """The samples of a system's runs by one metric on one test set, in points of the score.

    Parameters
    ----------
    n_runs, n_samples
        Trained models, and samples of all of them together.
    fewest, most
        Samples of one run.
    mean, best, worst
        Over the samples of a run, averaged over runs, each with its interval for another choice of the test set, these
        samples taken as given.
    s_sample
        Standard deviation of the score of one sample within its run, from ``df`` degrees of freedom: sampling luck.
    s_training
        Spread of runs beyond what sampling brings to their averages; NaN for one trained model, of which training luck
        cannot be known.
    """

    test_set: str
    metric: str
    system: str
    n_runs: int
    n_samples: int
    fewest: int
    most: int
    mean: float
    mean_low: float
    mean_high: float
    best: float
    best_low: float
    best_high: float
    worst: float
    worst_low: float
    worst_high: float
    s_sample: float
    df: int
    s_training: float


def sampled_rows(scored_metrics: Sequence[Scored], settings: Settings, work: Work) -> Iterator[SampledRow]:
    """One a test set, metric and system of whose runs there are several samples."""
    for scored in scored_metrics:
        for system, runs in scored.samples.items():
            yield _row(scored, system, runs, settings, work)


def _row(scored: Scored, system: str, runs: Sequence[StatArray], settings: Settings, work: Work) -> SampledRow:
    unit = questions(scored, settings)[1].unit
    present = np.ones(scored.test_set.n_segments, dtype=bool)
    found = sampling_luck(
        [summed(scored.test_set, samples, unit, present) for samples in runs],
        scored.scorer.score,
        higher_is_better=scored.metric.higher_is_better,
        confidence=settings.confidence,
        n_resamples=settings.n_bootstrap,
        seeds=seeds_for(settings.seed, "bootstrap"),
        map_chunks=work.engine.map,
    )
    counts = found.n_samples
    return SampledRow(
        scored.test_set.name, scored.metric.key, system, len(counts), sum(counts), min(counts), max(counts),
        found.mean.value, found.mean.low, found.mean.high, found.best.value, found.best.low, found.best.high,
        found.worst.value, found.worst.low, found.worst.high, found.s_sample, found.df, found.s_training,
    )  # fmt: skip
