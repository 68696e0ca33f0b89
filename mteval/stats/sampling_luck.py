"""Sampling luck of a system: how much several samples (decodings) of one trained model differ.

References
----------
Williams (1962), "A confidence interval for variance components".
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from mteval.base.arrays import FloatArray
from mteval.stats.base import Estimate
from mteval.stats.runs import variance


@dataclass(frozen=True)
class SamplingLuck:
    """Sampling luck of a system.

    Parameters
    ----------
    n_samples
        Number of samples of each run.
    s_sample, df
        Standard deviation over samples of one trained model, and its degrees of freedom; NaN if no run has two samples.
    s_training
        Standard deviation over runs beyond sampling, with its interval; 0 if sampling explains all, NaN for one run
        or one sample per run.
    mean, best, worst
        Means over runs of the mean, best and worst sample score. Best and worst depend on the number of samples.
    """

    n_samples: tuple[int, ...]
    s_sample: float
    df: int
    s_training: Estimate
    mean: Estimate
    best: Estimate
    worst: Estimate


def sampling_luck(
    scores: Sequence[FloatArray], replicates: Sequence[FloatArray], confidence: float, higher_is_better: bool
) -> SamplingLuck:
    """Estimate sampling luck by one-way analysis of variance of sample scores within runs.

    Parameters
    ----------
    scores, replicates
        Per run: sample scores ``(samples,)``, and scores on shared replicates of the test set ``(samples,
        n_resamples)``.

    Returns
    -------
    Intervals of mean, best and worst are percentiles of bootstrap replicates, with best and worst chosen again in each.
    They are shifted to the observed value, since the best of a replicate is too good on average. The interval of
    ``s_training`` is that of Williams (1962).
    """

    def estimate(choose: Callable[..., FloatArray]) -> Estimate:
        value = float(np.mean([choose(run, axis=0) for run in scores]))
        resampled = np.mean([choose(run, axis=0) for run in replicates], axis=0)
        quantiles = np.quantile(resampled, [(1 - confidence) / 2, (1 + confidence) / 2])
        low, high = quantiles - resampled.mean() + value
        return Estimate(value, float(low), float(high))

    # One-way analysis of variance: within runs, and between the means of runs, which contain some of it
    df = sum(len(run) - 1 for run in scores)
    squares = sum(float(np.square(run - run.mean()).sum()) for run in scores)
    s_sample = float("nan")
    if df:
        s_sample = float(np.sqrt(squares / df))
    between = variance(np.array([run.mean() for run in scores]))
    # The mean of a run over n samples has 1 / n of their variance
    noise = s_sample**2 * float(np.mean([1 / len(run) for run in scores]))
    if higher_is_better:
        best = estimate(np.max)
        worst = estimate(np.min)
    else:
        best = estimate(np.min)
        worst = estimate(np.max)
    return SamplingLuck(
        n_samples=tuple(len(run) for run in scores),
        s_sample=s_sample,
        df=df,
        s_training=_beyond_sampling(between, noise, len(scores) - 1, df, confidence),
        mean=estimate(np.mean),
        best=best,
        worst=worst,
    )


def _beyond_sampling(between: float, noise: float, df_runs: int, df_samples: int, confidence: float) -> Estimate:
    """Return the standard deviation over runs beyond sampling, with the interval of Williams (1962).

    Parameters
    ----------
    between, noise
        Variance of the means of runs, and the part of it that sampling explains.
    df_runs, df_samples
        Their degrees of freedom.
    """
    if np.isnan(between):
        return Estimate(float("nan"))
    if not df_samples:  # one sample per run: nothing tells sampling from training
        return Estimate(float("nan"))

    def limit(probability: float) -> float:
        """Return one end of the interval: the low one for a small probability, the high one for a large one."""
        explained = noise * special.fdtri(df_runs, df_samples, 1 - probability)
        beyond = df_runs * (between - explained) / special.chdtri(df_runs, probability)
        return float(np.sqrt(max(0.0, beyond)))

    tail = (1 - confidence) / 2
    value = float(np.sqrt(max(0.0, between - noise)))
    return Estimate(value, limit(tail), limit(1 - tail))
