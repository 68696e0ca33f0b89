"""How the observed difference would vary if an experiment had k runs of each system (Clark et al. 2011, Figure 2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from scipy import special

from mteval.base.arrays import FloatArray
from mteval.stats.procedures.run_tests import all_divisions
from mteval.stats.replication.differences_kernels import draw
from mteval.stats.resampling.streams import Chunk, seeds_of, stream_of
from mteval.stats.runs import variance

MOST_COMBINATIONS = 50_000
SLOTS = 1 << 17  # for the keys of so many combinations
NEVER_REPEATING = (
    500 * MOST_COMBINATIONS**2
)  # of more than these a sample repeats one less than once in a thousand times


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
    sampled = _sampled(baseline, system, {k: n for k, n in numbers.items() if n > MOST_COMBINATIONS}, seeds)
    return [
        Differences(k, sampled[k] if k in sampled else _all_differences(baseline, system, k), number, k not in sampled)
        for k, number in numbers.items()
    ]


def _all_differences(baseline: FloatArray, system: FloatArray, k: int) -> FloatArray:
    means = [scores[all_divisions(len(scores), k)].mean(axis=1) for scores in (baseline, system)]
    return np.asarray(np.subtract.outer(means[1], means[0])).ravel()


def _sampled(
    baseline: FloatArray, system: FloatArray, numbers: Mapping[int, int], seeds: np.random.SeedSequence
) -> dict[int, FloatArray]:
    """Combinations drawn without replacement, for each k that has so many of them.

    The first k runs of a random order are a random combination of k, so one order serves all k. A combination that
    comes again is known by the sum of random 64-bit numbers of its runs and is left out.
    """
    if not numbers:
        return {}
    ks = sorted(numbers, key=lambda k: numbers[k])
    n_repeating = sum(number < NEVER_REPEATING for number in numbers.values())
    values = np.empty((len(ks), MOST_COMBINATIONS))
    place_of = np.full(max(ks) + 1, -1)
    place_of[ks] = np.arange(len(ks))
    labels = np.random.SFC64(seeds_of(seeds, Chunk(1, 0, 1))).random_raw(len(baseline) + len(system))
    stream = stream_of(seeds, Chunk(0, 0, MOST_COMBINATIONS))
    draw(stream, baseline, system, labels, place_of, np.zeros((n_repeating, SLOTS), dtype=np.uint64), values)
    return dict(zip(ks, values, strict=True))


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
    reach = float(special.ndtri(0.975)) * deviation
    if not expected or not deviation > 0:
        return Outlook(deviation, expected - reach, expected + reach, np.nan, np.nan)
    size = abs(expected) / deviation
    return Outlook(
        deviation, expected - reach, expected + reach, float(special.ndtr(-size)), float(special.ndtr(size / 2))
    )
