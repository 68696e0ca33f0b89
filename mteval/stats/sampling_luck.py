"""Several decodings of one trained model: how much the score moves with the sample, and the best and worst of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mteval.base.arrays import FloatArray, StatArray
from mteval.stats.base import MapChunks, Score
from mteval.stats.resampling.bootstrap import replicate_scores
from mteval.stats.runs import run_scores, variance


@dataclass(frozen=True)
class Estimate:
    """A score with its interval for another choice of the test set, these samples taken as given."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class SamplingLuck:
    """What the samples of a system's runs say.

    Parameters
    ----------
    n_samples
        Of each run, in their order.
    s_sample, df
        Standard deviation of the scores of the samples of one trained model, and its degrees of freedom; NaN where no
        run has two.
    s_training
        Of the runs' means beyond what sampling brings to these; 0 where sampling explains all, NaN for one run.
    mean, best, worst
        Averages over runs of the mean, the best and the worst score of a run's samples. Best and worst depend on how
        many samples there are.
    """

    n_samples: tuple[int, ...]
    s_sample: float
    df: int
    s_training: float
    mean: Estimate
    best: Estimate
    worst: Estimate


def sampling_luck(
    samples: Sequence[StatArray],
    score: Score,
    *,
    higher_is_better: bool,
    confidence: float,
    n_resamples: int,
    seeds: np.random.SeedSequence,
    map_chunks: MapChunks,
) -> SamplingLuck:
    """Sampling luck, by one-way analysis of variance of sample scores within runs.

    Parameters
    ----------
    samples
        For each run shape ``(samples, units, d)``.

    Returns
    -------
    Intervals are percentiles of bootstrap replicates of the units, on which best and worst are chosen anew, moved so
    that their mean is the observed value: chosen anew, the best of a replicate is too good on average.
    """
    scores = [run_scores(run, score) for run in samples]
    ends = np.cumsum([len(run) for run in samples])[:-1]
    drawn = replicate_scores(
        np.concatenate(list(samples)), score, n_resamples=n_resamples, seeds=seeds, map_chunks=map_chunks
    )
    replicates = np.split(drawn, ends)

    def estimate(choose: Callable[..., FloatArray]) -> Estimate:
        value = float(np.mean([choose(run, axis=0) for run in scores]))
        spread = np.mean([choose(run, axis=0) for run in replicates], axis=0)
        low, high = np.quantile(spread, [(1 - confidence) / 2, (1 + confidence) / 2]) - spread.mean() + value
        return Estimate(value, float(low), float(high))

    df = sum(len(run) - 1 for run in scores)
    squares = sum(float(np.square(run - run.mean()).sum()) for run in scores)
    s_sample = float(np.sqrt(squares / df)) if df else float("nan")
    between = variance(np.array([run.mean() for run in scores]))  # what averages of so many samples vary is in it
    noise = s_sample**2 * float(np.mean([1 / len(run) for run in scores]))
    ends_of = (np.max, np.min) if higher_is_better else (np.min, np.max)
    return SamplingLuck(
        n_samples=tuple(len(run) for run in samples),
        s_sample=s_sample,
        df=df,
        s_training=between if np.isnan(between) else float(np.sqrt(max(0.0, between - noise))),
        mean=estimate(np.mean),
        best=estimate(ends_of[0]),
        worst=estimate(ends_of[1]),
    )
