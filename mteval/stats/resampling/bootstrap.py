"""Bootstrap replicates of a test set, and sampling luck of several decodings per trained model.

A replicate draws as many units as the test set has, with replacement. The counts of units form a matrix, so the sums of
all runs on many replicates are one matrix product.

References
----------
Koehn (2004); Clark et al. (2011), section 4.1.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from mteval.base.arrays import ByteArray, FloatArray, StatArray
from mteval.stats.base import Estimate, MapChunks, Score
from mteval.stats.resampling.streams import BitArray, Chunk, chunks_of, stream_of
from mteval.stats.runs import variance
from mteval.stats.stats_kernels import count

COUNTS_AT_ONCE = 1 << 25
UNITS_A_TILE = 4_096  # of counts
UNITS_AT_ONCE = 1 << 14  # of other numbers
EXACT_FLOAT32 = 2**24


def replicate_scores(
    systems: Sequence[StatArray], score: Score, n_resamples: int, seeds: np.random.SeedSequence, map_chunks: MapChunks
) -> FloatArray:
    """Return corpus scores of each run on replicates of the test set; all runs share the replicates.

    Parameters
    ----------
    systems
        Runs of systems with the same units, shape ``(runs, units, d)`` each.
    score
        Maps sums to corpus scores.

    Returns
    -------
    Shape ``(runs, n_resamples)``, one system after the other, in score points. Sums are exact for counts.
    """
    n_units, d = systems[0].shape[1:]
    blocks = list(_blocks(systems))

    def scores(chunk: Chunk) -> FloatArray:
        # Counts are kept for all blocks if memory allows, otherwise drawn anew for each
        kept = None
        if len(chunk) * n_units <= COUNTS_AT_ONCE:
            kept = list(_drawn(seeds, chunk, n_units))
        scores_of_systems = []
        for block in blocks:
            drawn = _drawn(seeds, chunk, n_units) if kept is None else kept
            sums = np.concatenate([_summed(counts, block) for counts in drawn])
            sums = sums.reshape(len(chunk), -1, d)  # replicates, runs of all systems, d
            for of_system in np.split(sums, np.cumsum(block.n_runs)[:-1], axis=1):
                scores_of_systems.append(score(of_system).T)
        return np.concatenate(scores_of_systems)

    return np.concatenate(list(map_chunks(scores, chunks_of(n_resamples, 500))), axis=1)


def s_sel(replicates: FloatArray) -> float:
    """Return the mean over runs of the standard deviation over replicates (Clark et al. 2011, section 4.1).

    Parameters
    ----------
    replicates
        Shape ``(runs, k)``, from ``replicate_scores``.
    """
    return float(replicates.std(axis=1, ddof=1).mean())


def draw_counts(stream: BitArray, n_replicates: int, n_units: int) -> ByteArray:
    """Return counts of units per replicate, shape ``(n_replicates, n_units)``; each row sums to ``n_units``.

    A unit is drawn by 32 random bits, so relative errors of probabilities are below ``n_units / 2**32``. A count above
    255 has a probability below 1e-500.

    Parameters
    ----------
    stream
        From ``stream_of``; advanced past the words used.
    """
    counts = np.zeros((n_replicates, n_units), dtype=np.uint8)
    count(stream, counts)
    return counts


def _drawn(seeds: np.random.SeedSequence, chunk: Chunk, n_units: int) -> Iterator[ByteArray]:
    """Yield the counts of a chunk's replicates, as many at a time as memory allows."""
    stream = stream_of(seeds, chunk)
    at_once = max(1, COUNTS_AT_ONCE // max(1, n_units))
    for start in range(0, len(chunk), at_once):
        yield draw_counts(stream, min(at_once, len(chunk) - start), n_units)


class _Block(NamedTuple):
    """Runs whose sums are one matrix product.

    Parameters
    ----------
    numbers
        Shape ``(units, runs * d)``.
    n_runs
        Of each system in the block.
    largest
        The largest absolute number if all are counts, otherwise NaN.
    """

    numbers: npt.NDArray[np.floating]
    n_runs: Sequence[int]
    largest: float

    @classmethod
    def of(cls, systems: Sequence[StatArray], dtype: type[np.floating]) -> "_Block":
        """Join the runs of some systems, shape ``(runs, units, d)`` each; float32 is for counts."""
        n_units, d = systems[0].shape[1:]
        n_runs = [len(runs) for runs in systems]
        numbers = np.empty((n_units, sum(n_runs), d), dtype=dtype)
        np.concatenate([runs.transpose(1, 0, 2) for runs in systems], axis=1, out=numbers, casting="unsafe")
        largest = float("nan")
        if dtype is np.float32:
            largest = float(_largest(numbers))
        return cls(numbers.reshape(n_units, -1), n_runs, largest)


def _blocks(systems: Sequence[StatArray]) -> Iterator[_Block]:
    """Yield all runs in their order. Counts may share a block with those of other systems.

    Other numbers may not: the last bit of a column's sums may depend on the width of the block.
    """
    runs_a_block = max(1, 1_024 // systems[0].shape[2])  # of the product; this and the next three limit memory
    waiting = list[StatArray]()
    for statistics in systems:
        is_exact = statistics.dtype.kind == "i" and _largest(statistics) < EXACT_FLOAT32
        for start in range(0, len(statistics), runs_a_block):
            runs = statistics[start : start + runs_a_block]
            if waiting and (not is_exact or sum(map(len, waiting)) + len(runs) > runs_a_block):
                yield _Block.of(waiting, np.float32)
                waiting = []
            if is_exact:
                waiting.append(runs)
            else:
                yield _Block.of([runs], np.float64)
    if waiting:
        yield _Block.of(waiting, np.float32)


def _largest(statistics: StatArray) -> int:
    return max(int(statistics.max(initial=0)), -int(statistics.min(initial=0)))  # without an array of absolute values


def _summed(counts: ByteArray, block: _Block) -> FloatArray:
    """Return the sums of all columns, shape ``(replicates, columns)``, tile by tile of the units.

    Float32 is used where it is exact. Other numbers of few units are summed at once, in the order of one product.
    """
    are_counts = not np.isnan(block.largest)
    sums = np.zeros((len(counts), block.numbers.shape[1]))
    size = UNITS_A_TILE if are_counts else UNITS_AT_ONCE
    for start in range(0, counts.shape[1], size):
        tile = counts[:, start : start + size]
        # False for other numbers, whose largest is NaN
        is_exact = int(tile.sum(axis=1).max()) * block.largest < EXACT_FLOAT32
        drawn: npt.NDArray[np.floating] = tile.astype(np.float32 if is_exact else np.float64)
        sums += drawn @ block.numbers[start : start + size]
    return sums


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
    noise = s_sample**2 * float(np.mean([1 / len(run) for run in scores]))
    return SamplingLuck(
        n_samples=tuple(len(run) for run in scores),
        s_sample=s_sample,
        df=df,
        s_training=_beyond_sampling(between, noise, len(scores) - 1, df, confidence),
        mean=estimate(np.mean),
        best=estimate(np.max if higher_is_better else np.min),
        worst=estimate(np.min if higher_is_better else np.max),
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
