"""How the observed difference would vary if an experiment had k runs of each system (Clark et al. 2011, Figure 2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from mteval.stats.base import FloatArray
from mteval.stats.resampling import Chunk, seeds_of
from mteval.stats.run_tests import all_divisions
from mteval.stats.runs import variance

MOST_COMBINATIONS = 50_000
ORDERS_A_CHUNK = 10_000


@dataclass(frozen=True)
class Differences:
    """Differences between mean scores of k runs, ``system - baseline``.

    Parameters
    ----------
    values
        One for each combination of k runs of either system.
    n_combinations
        How many combinations there are.
    is_exact
        Whether ``values`` has all of them, or as many as were drawn without replacement.
    """

    k: int
    values: FloatArray
    n_combinations: int
    is_exact: bool


def differences_by_k(
    baseline: FloatArray, system: FloatArray, ks: Sequence[int], seeds: np.random.SeedSequence
) -> list[Differences]:
    """All ``C(n_A, k) * C(n_B, k)`` combinations where they are at most 50,000, else as many without replacement.

    Parameters
    ----------
    baseline, system
        Scores of the runs, shapes ``(n_A,)`` and ``(n_B,)``.
    ks
        Numbers of runs, from 1 to the smaller of ``n_A`` and ``n_B``.

    Raises
    ------
    ValueError
        If a number of runs is outside that range.
    """
    most = min(len(baseline), len(system))
    if not all(1 <= k <= most for k in ks):
        raise ValueError(f"Numbers of runs {list(ks)}; expected 1 to {most}.")
    numbers = {k: comb(len(baseline), k) * comb(len(system), k) for k in ks}
    sampled = _sampled(baseline, system, [k for k in ks if numbers[k] > MOST_COMBINATIONS], seeds)
    return [
        Differences(k, sampled[k] if k in sampled else _all_differences(baseline, system, k), number, k not in sampled)
        for k, number in numbers.items()
    ]


def _all_differences(baseline: FloatArray, system: FloatArray, k: int) -> FloatArray:
    means = [scores[all_divisions(len(scores), k)].mean(axis=1) for scores in (baseline, system)]
    return np.asarray(np.subtract.outer(means[1], means[0])).ravel()


def _sampled(
    baseline: FloatArray, system: FloatArray, ks: Sequence[int], seeds: np.random.SeedSequence
) -> dict[int, FloatArray]:
    """Combinations drawn without replacement.

    The first k runs of a random order are a random combination of k, so one order serves all k. A combination that
    comes again is known by the sum of random 64-bit numbers of its runs and is left out.
    """
    keys: dict[int, npt.NDArray[np.uint64]] = {k: np.zeros(0, dtype=np.uint64) for k in ks}
    values: dict[int, FloatArray] = {k: np.zeros(0) for k in ks}
    index = 0
    while any(len(found) < MOST_COMBINATIONS for found in values.values()):
        generator = np.random.Generator(np.random.SFC64(seeds_of(seeds, Chunk(index, 0, ORDERS_A_CHUNK))))
        if index == 0:
            labels = [generator.integers(1 << 64, size=len(one), dtype=np.uint64) for one in (baseline, system)]
        index += 1
        orders = [_first_of_random_orders(generator, len(one), max(ks)) for one in (baseline, system)]
        sums = [scores[order].cumsum(axis=1) for scores, order in zip((baseline, system), orders, strict=True)]
        names = [label[order].cumsum(axis=1) for label, order in zip(labels, orders, strict=True)]
        for k in ks:
            differences = (sums[1][:, k - 1] - sums[0][:, k - 1]) / k
            joined = np.concatenate([keys[k], names[0][:, k - 1] + names[1][:, k - 1]])
            _, first = np.unique(joined, return_index=True)
            first.sort()
            keys[k] = joined[first][:MOST_COMBINATIONS]
            values[k] = np.concatenate([values[k], differences])[first][:MOST_COMBINATIONS]
    return values


def _first_of_random_orders(generator: np.random.Generator, n_runs: int, k: int) -> npt.NDArray[np.int64]:
    return generator.random((ORDERS_A_CHUNK, n_runs), dtype=np.float32).argsort(axis=1)[:, :k]


def pool_variance(baseline: FloatArray, system: FloatArray, k: int) -> float:
    """Variance over all combinations of k runs: ``s_A^2/k (1 - k/n_A) + s_B^2/k (1 - k/n_B)``.

    The combinations share runs, so it falls faster than that of fresh runs and is 0 where they take all of them.
    """
    return sum(variance(scores) / k * (1 - k / len(scores)) for scores in (baseline, system))


def fresh_variance(baseline: FloatArray, system: FloatArray, k: int) -> float:
    """Variance of the difference if k new runs were made of each system: ``s_A^2/k + s_B^2/k``."""
    return sum(variance(scores) / k for scores in (baseline, system))


@dataclass(frozen=True)
class Outlook:
    """What k runs a system would show, the expected difference being the one of all runs.

    Parameters
    ----------
    standard_deviation, low, high
        Of the observed difference, and its 95% range.
    wrong_sign
        Probability that it points away from the expected one. NaN where that is zero.
    at_least_half
        Probability that it has the right sign and at least half the expected size. NaN where that is zero.
    """

    standard_deviation: float
    low: float
    high: float
    wrong_sign: float
    at_least_half: float


def pool_outlook(differences: FloatArray, expected: float) -> Outlook:
    """By counting combinations of the runs at hand."""
    low, high = np.quantile(differences, (0.025, 0.975))
    relative = differences / expected if expected else np.full(len(differences), np.nan)
    shares = (float((relative < 0).mean()), float((relative >= 0.5).mean())) if expected else (np.nan, np.nan)
    return Outlook(float(differences.std()), float(low), float(high), *shares)


def fresh_outlook(expected: float, deviation: float) -> Outlook:
    """By the normal curve, for new runs whose difference has the given standard deviation."""
    reach = float(ndtri(0.975)) * deviation
    if not expected or not deviation > 0:
        return Outlook(deviation, expected - reach, expected + reach, np.nan, np.nan)
    size = abs(expected) / deviation
    return Outlook(deviation, expected - reach, expected + reach, float(ndtr(-size)), float(ndtr(size / 2)))
