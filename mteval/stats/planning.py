"""Power of the two-way procedure for planned designs, and of plans with interim analyses (by simulation)."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np
import scipy  # loads its optimizer, which few questions need, when that is first used
from scipy import special

from mteval.base.arrays import FloatArray
from mteval.stats.crossed_layout import Components
from mteval.stats.runs import beyond_noise
from mteval.stats.tail import nominal_level, printed_p_values
from mteval.stats.units import most_df

FEWEST_RUNS = 2  # the procedure needs two
MOST_SEGMENTS = 10_000_000
MANY = 10**12  # runs or segments: practically infinite
LARGEST_DF = 1e7  # beyond, Student's t is practically normal


@dataclass(frozen=True)
class Sources:
    """Variance of a difference by source, for one run and one segment, in squared score points.

    Two-way crossed model: a run shifts the scores of all segments, a segment shifts the difference in all runs, and
    each output has its own deviation.

    Parameters
    ----------
    runs
        Of run shifts, for baseline and system; one entry for a fixed baseline (the system) or paired runs (the gain).
    segments
        Of the difference over segments.
    pairs
        Of single outputs, with the same entries as ``runs``.
    evenness
        Degrees of freedom per unit: 1 for segments, less for documents of unequal size.
    are_samples
        Whether runs are samples of two models that will not be trained again. They shift no segments together, and the
        test is over segments alone (Miller 2024, "Adding error bars to evals").
    """

    runs: tuple[float, ...]
    segments: float
    pairs: tuple[float, ...]
    evenness: float = 1.0
    are_samples: bool = False

    @classmethod
    def estimated(cls, components: Components, *, are_samples: bool = False) -> "Sources":
        """Estimate from variance components: mean squares minus what they contain of each other, at least 0."""
        *counts, n_segments = components.shape
        evenness = 1.0 if components.df_units is None else (components.df_units + 1) / n_segments
        pairs = tuple(pair * n * n_segments for pair, n in zip(components.pairs, counts, strict=True))
        runs = tuple(
            0.0 if are_samples else max(0.0, mean_square * n - pair / n_segments)
            for mean_square, n, pair in zip(components.runs, counts, pairs, strict=True)
        )
        segments = max(0.0, (components.segments - sum(components.pairs)) * n_segments)
        return cls(runs, segments, pairs, evenness, are_samples)

    @classmethod
    def typed(cls, s_runs: tuple[float, float], s_test_set: float, n_segments: int) -> "Sources":
        """Make from numbers given in papers.

        Parameters
        ----------
        s_runs
            Standard deviations of the run scores.
        s_test_set, n_segments
            Standard error of the difference due to the choice of that many segments.
        """
        return cls((s_runs[0] ** 2, s_runs[1] ** 2), s_test_set**2 * n_segments, (0.0, 0.0))

    def with_run_variance(self, factor: float) -> "Sources":
        """Return a copy whose run variances are multiplied by a factor."""
        return replace(self, runs=tuple(run * factor for run in self.runs))

    def components(self, n_baseline: int, n_system: int, n_segments: int) -> Components:
        """Return the expected variance components of such an experiment.

        ``n_baseline`` is ignored for a fixed baseline and for paired runs.
        """
        counts = (n_baseline, n_system)[-len(self.runs) :]
        pairs = tuple(pair / (n * n_segments) for pair, n in zip(self.pairs, counts, strict=True))
        runs = tuple(run / n + pair for run, n, pair in zip(self.runs, counts, pairs, strict=True))
        segments = self.segments / n_segments + sum(pairs)
        return Components(runs, segments, pairs, (*counts, n_segments), self.df_of(n_segments))

    def df_of(self, n_segments: int) -> float:
        """Return the degrees of freedom over that many segments or units."""
        return max(0.5, self.evenness * n_segments - 1)  # for a test set of barely more than one document


@dataclass(frozen=True)
class Design:
    """Numbers of runs and of segments."""

    n_baseline: int
    n_system: int
    n_segments: int


def power(sources: Sources, design: Design, target: float, level: float) -> float:
    """Return the power of the two-way procedure: a true difference detected in its direction, two-sided at ``level``.

    Assumes normal effects. The mean squares are multiples of independent chi-squares, over which power is averaged. A
    single noncentral t would overstate power by several hundredths at two or three runs.

    With few runs, more segments can lower power: they remove the well-known part of the variance and leave a part with
    only one or two degrees of freedom.
    """
    error, needed = _error_and_needed(sources, design, level)
    if error == 0:
        return 1.0 if target else 0.0
    return _power(abs(target), error, needed)


def detectable(sources: Sources, design: Design, level: float, wanted_power: float) -> float:
    """Return the smallest true difference detected with the wanted power, in score points; infinite if none is."""
    error, needed = _error_and_needed(sources, design, level)
    if error == 0:
        return 0.0
    if np.isinf(needed).any():
        return float("inf")
    highest = 8 * error
    while _power(highest, error, needed) < wanted_power:
        highest *= 2
    return float(scipy.optimize.brentq(lambda target: _power(target, error, needed) - wanted_power, 0.0, highest))


def runs_needed(sources: Sources, n_segments: int, target: float, level: float, wanted_power: float) -> int | None:
    """Return the fewest runs per system (at least two); None if no number suffices."""

    def suffices(n: int) -> bool:
        return power(sources, Design(n, n, n_segments), target, level) >= wanted_power

    return _fewest(suffices, 1 if sources.are_samples else FEWEST_RUNS, 10_000) if suffices(MANY) else None


def segments_needed(
    sources: Sources, n_runs: tuple[int, int], target: float, level: float, wanted_power: float
) -> int | None:
    """Return the fewest segments; None if no test set is large enough.

    With two or three runs, a much larger test set may have less power again: see ``power``.
    """

    def suffices(n: int) -> bool:
        return power(sources, Design(*n_runs, n), target, level) >= wanted_power

    size = 2
    while not suffices(size):
        if size == MOST_SEGMENTS:
            return None
        size = min(2 * size, MOST_SEGMENTS)
    return _fewest(suffices, max(2, size // 2), size)


def variance_factors(df: float, confidence: float) -> tuple[float, float]:
    """Return the factors from a variance estimate to the limits of its confidence interval.

    Chi-square interval of a normal sample: 0.27 and 39.5 for three runs at 95%.
    """
    tail = (1 - confidence) / 2
    return df / float(special.chdtri(df, tail)), df / float(special.chdtri(df, 1 - tail))


def _power(target: float, error: float, needed: FloatArray) -> float:
    return float(special.ndtr((target - needed) / error).mean())


@lru_cache(maxsize=1)  # power and detectable difference ask for the same design in a row
def _error_and_needed(sources: Sources, design: Design, level: float) -> tuple[float, FloatArray]:
    """Return the standard error of the difference, and the critical difference per set of mean squares."""
    expected = sources.components(design.n_baseline, design.n_system, design.n_segments)
    if expected.total == 0:
        return 0.0, np.zeros(1)
    last = sources.df_of(design.n_segments)
    if 2.0 ** (1 - design.n_segments) > level:  # p is never below that of exchanging the units
        return float(np.sqrt(expected.total)), np.full(1, np.inf)
    if sources.are_samples:
        spread = np.sqrt(expected.total * _quantiles(0, 1, last))
        most = min(last, most_df(design.n_segments))
        return float(np.sqrt(expected.total)), np.asarray(-special.stdtrit(most, level / 2) * spread)
    first = [n - 1 for n in expected.shape[:-1]]
    df = np.array([*first, last, *(own * last for own in first)], dtype=np.float64)
    chi_squares = np.column_stack([_quantiles(place, len(df), float(one)) for place, one in enumerate(df)])
    met = chi_squares * np.array([*expected.runs, expected.segments, *expected.pairs])
    total, met_df = total_and_df(met, df, design.n_segments)
    nominal = nominal_level(level, expected.shape[:-1])
    never = np.full_like(met_df, np.inf)  # is the level reached with so few runs
    critical = -special.stdtrit(met_df, nominal / 2) if nominal else never
    return float(np.sqrt(expected.total)), np.asarray(critical * np.sqrt(total))


def total_and_df(terms: FloatArray, df: FloatArray, n_units: int) -> tuple[FloatArray, FloatArray]:
    """Return variance and degrees of freedom of the two-way procedure in many experiments, shape ``(n,)`` each.

    Parameters
    ----------
    terms
        Mean squares as in ``Components`` (runs, segments, pairs): shape ``(n, 5)`` for two systems, ``(n, 3)`` for one
        or for gains.
    df
        Of each term, shape ``(5,)`` or ``(3,)``.
    n_units
        Number of units; few of them limit the degrees of freedom.
    """
    n_sides = terms.shape[1] // 2
    of_runs, of_pairs = terms[:, :n_sides], terms[:, n_sides + 1 :]
    runs, segments, pairs = of_runs.sum(axis=1), terms[:, n_sides], of_pairs.sum(axis=1)
    total = np.maximum(runs + segments - pairs, np.maximum(runs, segments))
    counted = terms.copy()
    counted[:, :n_sides] = beyond_noise(of_runs, of_pairs, df[:n_sides])
    spread = (counted**2 / df).sum(axis=1)
    met_df = np.divide(total**2, spread, out=np.full_like(total, LARGEST_DF), where=spread > 0)
    return total, np.minimum(met_df, min(LARGEST_DF, most_df(n_units)))


@lru_cache(maxsize=256)  # columns of 16 KB
def _quantiles(place: int, n_dimensions: int, df: float) -> FloatArray:
    """Return quasi-random values of one of several chi-squares over its degrees of freedom, shape ``(points,)``."""
    if df < 500:  # beyond, the cube-root approximation has six correct digits
        return np.asarray(special.chdtri(df, _even_points(n_dimensions)[:, place]) / df)
    normals = special.ndtri(_even_points(n_dimensions)[:, place])
    cube_root = 1 - 2 / (9 * df) + normals * np.sqrt(2 / (9 * df))
    return np.asarray(cube_root**3)  # Wilson and Hilferty 1931


@cache
def _even_points(n_dimensions: int) -> FloatArray:
    """Return quasi-random points in the unit cube: multiples of the generalised golden ratio.

    References
    ----------
    Roberts (2018), "The unreasonable effectiveness of quasirandom sequences".
    """
    ratio = 1.0
    for _ in range(60):
        ratio = (1 + ratio) ** (1 / (n_dimensions + 1))
    steps = ratio ** -np.arange(1, n_dimensions + 1)
    return np.asarray((0.5 + np.arange(1, 2_001)[:, np.newaxis] * steps) % 1)  # errors below 0.001


def _fewest(suffices: Callable[[int], bool], lowest: int, highest: int) -> int | None:
    """Return the smallest number that suffices, assuming monotonicity; None beyond the highest."""
    if not suffices(highest):
        return None
    return lowest + bisect_left(range(lowest, highest), True, key=suffices)


N_DRAWS = 4_000  # errors of power below 0.01


@dataclass(frozen=True)
class LookPower:
    """Power of a plan with interim analyses.

    Parameters
    ----------
    found
        Probability of detection in the right direction by each interim analysis.
    mean_runs
        Mean number of runs per system, stopping at the first analysis that detects a difference.
    """

    found: tuple[float, ...]
    mean_runs: float


def look_power(
    sources: Sources, n_segments: int, target: float, looks: Sequence[int], levels: Sequence[float]
) -> LookPower:
    """Return the power of a plan for a true difference of ``target``; both systems get the same number of runs.

    Parameters
    ----------
    looks, levels
        Increasing numbers of runs per system, and the two-sided level of each analysis.
    """
    t, df = look_statistics(sources, n_segments, looks, N_DRAWS, np.random.default_rng(19_790_901), abs(target))
    small = p_values(t, df, looks) <= np.asarray(levels)[:, np.newaxis]
    is_stopped = np.logical_or.accumulate(small)
    first = np.diff(is_stopped, axis=0, prepend=False) & is_stopped
    found = np.cumsum((first & (t > 0)).mean(axis=1))
    made = np.where(is_stopped.any(axis=0), np.asarray(looks)[first.argmax(axis=0)], looks[-1])
    return LookPower(tuple(found.tolist()), float(made.mean()))


def p_values(t: FloatArray, df: FloatArray, looks: Sequence[int]) -> FloatArray:
    """Return two-sided p-values as printed, from ``look_statistics``, same shape."""
    plain = 2 * special.stdtr(df, -np.abs(t))
    return np.stack([printed_p_values(one, (n, n)) for one, n in zip(plain, looks, strict=True)])


def look_statistics(
    sources: Sources, n_segments: int, looks: Sequence[int], n: int, generator: np.random.Generator, target: float = 0.0
) -> tuple[FloatArray, FloatArray]:
    """Simulate the two-way procedure's t and degrees of freedom per interim analysis, shape ``(looks, n)``.

    Each analysis adds runs to those before. Scores are normal. Mean squares of segments and single outputs are drawn as
    multiples of chi-squares, those of segments once for all analyses.
    """
    noise = np.asarray(sources.pairs) / n_segments
    deviations = np.sqrt(np.asarray(sources.runs) + noise)
    scores = deviations[:, np.newaxis, np.newaxis] * generator.standard_normal((2, max(looks), n))
    own = sources.segments / n_segments
    shift = target + np.sqrt(own) * generator.standard_normal(n)
    last = n_segments - 1
    of_segments, of_outputs = generator.chisquare(last, (2, n)) / last
    t, met_df = np.zeros((2, len(looks), n))
    for place, n_runs in enumerate(looks):
        first, known = n_runs - 1, scores[:, :n_runs]
        df = np.array([first, first, last, first * last, first * last], dtype=np.float64)
        segments = own * of_segments + noise.sum() / n_runs * of_outputs
        pairs = noise[:, np.newaxis] / n_runs * generator.chisquare(first * last, (2, n)) / (first * last)
        terms = np.column_stack([*(known.var(axis=1, ddof=1) / n_runs), segments, *pairs])
        total, met_df[place] = total_and_df(terms, df, n_segments)
        means = known.mean(axis=1)
        np.divide(shift + means[1] - means[0], np.sqrt(total), out=t[place], where=total > 0)
    return t, met_df
