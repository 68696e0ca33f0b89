"""Experiments to which runs are added until a planned look finds a difference: p at each look, by simulation."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from mteval.stats.base import FloatArray
from mteval.stats.planning import Sources, total_and_df

N_DRAWS = 4_000  # errors of power below 0.01
SEED = 19_790_901


@dataclass(frozen=True)
class LookPower:
    """What a plan of looks finds.

    Parameters
    ----------
    found
        Probability that the difference has been found, in its direction, by each look.
    mean_runs
        Runs of each system that are made on average, where one stops at the first look that finds a difference.
    """

    found: tuple[float, ...]
    mean_runs: float


def look_power(
    sources: Sources, n_segments: int, target: float, looks: Sequence[int], levels: Sequence[float]
) -> LookPower:
    """Power of a plan where the true difference is ``target``; both systems get runs alike.

    Parameters
    ----------
    looks, levels
        Numbers of runs of each system, rising, and the two-sided level of each.
    """
    t, df = look_statistics(sources, n_segments, looks, N_DRAWS, np.random.default_rng(SEED), abs(target))
    small = p_values(t, df) <= np.asarray(levels)[:, np.newaxis]
    is_stopped = np.logical_or.accumulate(small)
    first = np.diff(is_stopped, axis=0, prepend=False) & is_stopped
    found = np.cumsum((first & (t > 0)).mean(axis=1))
    made = np.where(is_stopped.any(axis=0), np.asarray(looks)[first.argmax(axis=0)], looks[-1])
    return LookPower(tuple(found.tolist()), float(made.mean()))


def p_values(t: FloatArray, df: FloatArray) -> FloatArray:
    """Two-sided, same shape."""
    return np.asarray(2 * special.stdtr(df, -np.abs(t)))


def look_statistics(
    sources: Sources, n_segments: int, looks: Sequence[int], n: int, generator: np.random.Generator, target: float = 0.0
) -> tuple[FloatArray, FloatArray]:
    """The two-way procedure's t and its degrees of freedom at each look of so many experiments, shape ``(looks, n)``.

    Runs and test set are those of the looks before, with new runs added. Scores are normal; the mean squares of
    segments and of single outputs, which rest on many segments, are drawn as multiples of chi-squares, those of
    segments once for all looks.
    """
    noise = np.asarray(sources.pairs) / n_segments
    deviations = np.sqrt(np.asarray(sources.runs) + noise)
    scores = deviations[:, np.newaxis, np.newaxis] * generator.standard_normal((2, max(looks), n))
    own = sources.segments / n_segments
    shift = target + np.sqrt(own) * generator.standard_normal(n)
    last = n_segments - 1
    of_segments, of_outputs = generator.chisquare(last, (2, n)) / last
    found = [
        _at_look(scores[:, :runs], shift, own * of_segments + noise.sum() / runs * of_outputs, noise, last, generator)
        for runs in looks
    ]
    t, df = (np.array(values) for values in zip(*found, strict=True))
    return t, df


def _at_look(
    scores: FloatArray,
    shift: FloatArray,
    segments: FloatArray,
    noise: FloatArray,
    last: int,
    generator: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """``scores`` has shape ``(2, runs, n)``."""
    n_runs, n = scores.shape[1:]
    first = n_runs - 1
    df = np.array([first, first, last, first * last, first * last], dtype=np.float64)
    variances = scores.var(axis=1, ddof=1) / n_runs
    pairs = noise[:, np.newaxis] / n_runs * generator.chisquare(first * last, (2, n)) / (first * last)
    total, met_df = total_and_df(np.column_stack([*variances, segments, *pairs]), df, last + 1)
    means = scores.mean(axis=1)
    difference = shift + means[1] - means[0]
    return np.divide(difference, np.sqrt(total), out=np.zeros(n), where=total > 0), met_df
