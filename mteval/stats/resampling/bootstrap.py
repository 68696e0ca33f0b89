"""Bootstrap replicates of a test set, and sampling luck of several decodings per trained model.

A replicate draws as many units as the test set has, with replacement. The counts of units form a matrix, so the sums of
all runs on many replicates are one matrix product.

References
----------
Koehn (2004); Clark et al. (2011), section 4.1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from mteval.base.arrays import FloatArray, StatArray
from mteval.stats.base import Estimate, MapChunks, Score
from mteval.stats.resampling.streams import BitArray, Chunk, chunks_of, stream_of
from mteval.stats.runs import variance
from mteval.stats.stats_kernels import count

REPLICATES_A_CHUNK = 500
COLUMNS_A_BLOCK = 1_024  # of the product; limits memory
EXACT_FLOAT32 = 2**24


def replicate_scores(
    statistics: StatArray, score: Score, n_resamples: int, seeds: np.random.SeedSequence, map_chunks: MapChunks
) -> FloatArray:
    """Return corpus scores of each run on replicates of the test set; all runs share the replicates.

    Parameters
    ----------
    statistics
        Shape ``(runs, units, d)``. Pass the runs of two systems together to compare them on the same replicates.
    score
        Maps sums to corpus scores.

    Returns
    -------
    Shape ``(runs, n_resamples)``, in score points. Sums are exact for counts.
    """
    runs_a_block = max(1, COLUMNS_A_BLOCK // statistics.shape[2])
    blocks = [_columns(statistics[start : start + runs_a_block]) for start in range(0, len(statistics), runs_a_block)]
    n_units, d = statistics.shape[1:]

    def scores(chunk: Chunk) -> FloatArray:
        counts = draw_counts(stream_of(seeds, chunk), len(chunk), n_units)
        sums = ((counts.astype(block.dtype, copy=False) @ block).astype(np.float64) for block in blocks)
        return np.concatenate([score(block.reshape(len(chunk), -1, d)).T for block in sums])

    return np.concatenate(list(map_chunks(scores, chunks_of(n_resamples, REPLICATES_A_CHUNK))), axis=1)


def s_sel(replicates: FloatArray) -> float:
    """Return the mean over runs of the standard deviation over replicates (Clark et al. 2011, section 4.1).

    Parameters
    ----------
    replicates
        Shape ``(runs, k)``, from ``replicate_scores``.
    """
    return float(replicates.std(axis=1, ddof=1).mean())


def draw_counts(stream: BitArray, n_replicates: int, n_units: int) -> npt.NDArray[np.float32]:
    """Return counts of units per replicate, shape ``(n_replicates, n_units)``; each row sums to ``n_units``.

    A unit is drawn by 32 random bits, so relative errors of probabilities are below ``n_units / 2**32``.
    """
    counts = np.zeros((n_replicates, n_units), dtype=np.float32)
    count(stream, counts)
    return counts


def _columns(statistics: StatArray) -> npt.NDArray[np.floating]:
    """Return a matrix ``(units, runs * d)``, in float32 only if all sums are exact in it."""
    n_runs, n_units, d = statistics.shape
    largest = max(int(statistics.max()), -int(statistics.min()))  # without an array of absolute values
    is_exact = np.issubdtype(statistics.dtype, np.integer) and n_units * largest < EXACT_FLOAT32
    numbers = statistics.astype(np.float32 if is_exact else np.float64)  # before the copy: half the bytes
    return np.ascontiguousarray(numbers.transpose(1, 0, 2)).reshape(n_units, n_runs * d)


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
        Standard deviation over runs beyond sampling, with its interval; 0 if sampling explains all, NaN for one run.
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
    Intervals are percentiles of bootstrap replicates, with best and worst chosen again in each. They are shifted to the
    observed value, since the best of a replicate is too good on average.
    """

    def estimate(choose: Callable[..., FloatArray]) -> Estimate:
        value = float(np.mean([choose(run, axis=0) for run in scores]))
        spread = np.mean([choose(run, axis=0) for run in replicates], axis=0)
        low, high = np.quantile(spread, [(1 - confidence) / 2, (1 + confidence) / 2]) - spread.mean() + value
        return Estimate(value, float(low), float(high))

    df = sum(len(run) - 1 for run in scores)
    squares = sum(float(np.square(run - run.mean()).sum()) for run in scores)
    s_sample = float(np.sqrt(squares / df)) if df else float("nan")
    between = variance(np.array([run.mean() for run in scores]))  # includes the variance of means of samples
    noise = s_sample**2 * float(np.mean([1 / len(run) for run in scores]))
    s_training = _beyond_sampling(between, noise, len(scores) - 1, df, confidence)
    best, worst = (np.max, np.min) if higher_is_better else (np.min, np.max)
    n_samples = tuple(len(run) for run in scores)
    return SamplingLuck(n_samples, s_sample, df, s_training, estimate(np.mean), estimate(best), estimate(worst))


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
    value, tail = float(np.sqrt(max(0.0, between - noise))), (1 - confidence) / 2
    if not df_samples:  # one sample per run: nothing tells sampling from training
        return Estimate(float("nan"))
    low, high = (
        float(np.sqrt(max(0.0, df_runs * (between - noise * special.fdtri(df_runs, df_samples, 1 - side))
                          / special.chdtri(df_runs, side))))
        for side in (tail, 1 - tail)
    )  # fmt: skip
    return Estimate(value, low, high)
