"""Power of the two-way procedure for planned designs, and of plans with interim analyses (by simulation)."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
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
MOST_RUNS = 10_000  # that are planned
N_DRAWS = 4_000  # errors of power below 0.01
SEED = 19_790_901  # of these draws
N_POINTS = 2_000  # quasi-random, over which power is averaged: errors below 0.001


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
        evenness = 1.0
        if components.df_units is not None:
            evenness = (components.df_units + 1) / n_segments
        runs = []
        pairs = []
        for variance_of_mean, pair_of_means, n in zip(components.runs, components.pairs, counts, strict=True):
            pair = pair_of_means * n * n_segments
            pairs.append(pair)
            if are_samples:
                runs.append(0.0)
            else:
                runs.append(max(0.0, variance_of_mean * n - pair / n_segments))
        segments = max(0.0, (components.segments - sum(components.pairs)) * n_segments)
        return cls(tuple(runs), segments, tuple(pairs), evenness, are_samples)

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

    def components(self, n_baseline: int, n_system: int, n_segments: int) -> Components:
        """Return the expected variance components of such an experiment.

        ``n_baseline`` is ignored for a fixed baseline and for paired runs.
        """
        # With one entry, only the runs of the system (or its paired runs) count
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
    error, critical_differences = _error_and_critical(sources, design, level)
    if error == 0:
        return 1.0 if target else 0.0
    return _power(abs(target), error, critical_differences)


def detectable(sources: Sources, design: Design, level: float, wanted_power: float) -> float:
    """Return the smallest true difference detected with the wanted power, in score points; infinite if none is."""
    error, critical_differences = _error_and_critical(sources, design, level)
    if error == 0:
        return 0.0
    if np.isinf(critical_differences).any():
        return float("inf")
    highest = 8 * error
    while _power(highest, error, critical_differences) < wanted_power:
        highest *= 2

    # The range is halved until no number lies between its ends. SciPy's optimizer needs a fifth of the steps, but
    # loading it takes as long as all else that a command does with two outputs
    lowest = 0.0
    while lowest < (middle := (lowest + highest) / 2) < highest:
        if _power(middle, error, critical_differences) < wanted_power:
            lowest = middle
        else:
            highest = middle
    return highest


def runs_needed(sources: Sources, n_segments: int, target: float, level: float, wanted_power: float) -> int | None:
    """Return the fewest runs per system (at least two); None beyond ``MOST_RUNS``."""

    def suffices(n: int) -> bool:
        return power(sources, Design(n, n, n_segments), target, level) >= wanted_power

    fewest = 1 if sources.are_samples else FEWEST_RUNS
    return _fewest(suffices, fewest, MOST_RUNS)


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


def _power(target: float, error: float, critical_differences: FloatArray) -> float:
    """Return the probability that the estimate exceeds the critical difference, averaged over these."""
    return float(special.ndtr((target - critical_differences) / error).mean())


@lru_cache(maxsize=1)  # power and detectable difference ask for the same design in a row
def _error_and_critical(sources: Sources, design: Design, level: float) -> tuple[float, FloatArray]:
    """Return the standard error of the difference, and the critical difference per set of mean squares."""
    expected = sources.components(design.n_baseline, design.n_system, design.n_segments)
    error = float(np.sqrt(expected.total))
    if expected.total == 0:
        return 0.0, np.zeros(1)
    if 2.0 ** (1 - design.n_segments) > level:  # p is never below that of exchanging the units
        return error, np.full(1, np.inf)
    df_segments = sources.df_of(design.n_segments)
    if sources.are_samples:
        spread = np.sqrt(expected.total * _quantiles(0, 1, df_segments))
        most = min(df_segments, most_df(design.n_segments))
        return error, np.asarray(-special.stdtrit(most, level / 2) * spread)

    # Mean squares of runs, segments and pairs that an experiment may have, shape ``(points, terms)``
    df_runs = [n - 1 for n in expected.shape[:-1]]
    df_pairs = [df * df_segments for df in df_runs]
    df = np.array([*df_runs, df_segments, *df_pairs], dtype=np.float64)
    chi_squares = [_quantiles(place, len(df), float(df_of_term)) for place, df_of_term in enumerate(df)]
    terms = np.column_stack(chi_squares) * np.array([*expected.runs, expected.segments, *expected.pairs])
    total, total_df = total_and_df(terms, df, design.n_segments)

    nominal = nominal_level(level, expected.shape[:-1])
    if nominal:
        critical = -special.stdtrit(total_df, nominal / 2)
    else:  # so few runs never reach the level
        critical = np.full_like(total_df, np.inf)
    return error, np.asarray(critical * np.sqrt(total))


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
    n_sides = terms.shape[1] // 2  # a column of runs and one of pairs per side, and one of segments
    terms_of_runs = terms[:, :n_sides]
    terms_of_pairs = terms[:, n_sides + 1 :]
    runs = terms_of_runs.sum(axis=1)
    segments = terms[:, n_sides]
    pairs = terms_of_pairs.sum(axis=1)
    total = np.maximum(runs + segments - pairs, np.maximum(runs, segments))

    # Satterthwaite's degrees of freedom, in which runs count beyond output noise
    counted = terms.copy()
    counted[:, :n_sides] = beyond_noise(terms_of_runs, terms_of_pairs, df[:n_sides])
    spread = (counted**2 / df).sum(axis=1)
    total_df = np.divide(total**2, spread, out=np.full_like(total, LARGEST_DF), where=spread > 0)
    return total, np.minimum(total_df, min(LARGEST_DF, most_df(n_units)))


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
    # The fixed point of this step has ``ratio ** (n_dimensions + 1) == 1 + ratio``; 60 steps reach it
    ratio = 1.0
    for _ in range(60):
        ratio = (1 + ratio) ** (1 / (n_dimensions + 1))
    steps = ratio ** -np.arange(1, n_dimensions + 1)
    return np.asarray((0.5 + np.arange(1, N_POINTS + 1)[:, np.newaxis] * steps) % 1)


def _fewest(suffices: Callable[[int], bool], lowest: int, highest: int) -> int | None:
    """Return the smallest number that suffices, assuming monotonicity; None beyond the highest."""
    if not suffices(highest):
        return None
    return lowest + bisect_left(range(lowest, highest), True, key=suffices)


@dataclass(frozen=True)
class LookPower:
    """Power of a plan with interim analyses.

    Parameters
    ----------
    detected
        Probability of detection in the right direction by each interim analysis.
    mean_runs
        Mean number of runs per system, stopping at the first analysis that detects a difference.
    """

    detected: tuple[float, ...]
    mean_runs: float


def look_power(
    sources: Sources, n_segments: int, target: float, looks: Sequence[int], levels: Sequence[float]
) -> LookPower:
    """Return the power of a plan for a true difference of ``target``; both systems get the same number of runs.

    Parameters
    ----------
    sources
        Of independent runs of both systems, i.e. with two entries in ``runs`` and ``pairs``.
    looks, levels
        Increasing numbers of runs per system, and the two-sided level of each analysis.
    """
    # Shape ``(looks, draws)``
    t, df = look_statistics(sources, n_segments, looks, N_DRAWS, np.random.default_rng(SEED), abs(target))
    is_significant = p_values(t, df, looks) <= np.asarray(levels)[:, np.newaxis]
    is_stopped = np.logical_or.accumulate(is_significant)  # by this look or an earlier one
    stops_here = np.diff(is_stopped, axis=0, prepend=False) & is_stopped
    detected = np.cumsum((stops_here & (t > 0)).mean(axis=1))
    runs_at_stop = np.asarray(looks)[stops_here.argmax(axis=0)]
    runs_made = np.where(is_stopped.any(axis=0), runs_at_stop, looks[-1])
    return LookPower(tuple(detected.tolist()), float(runs_made.mean()))


def p_values(t: FloatArray, df: FloatArray, looks: Sequence[int]) -> FloatArray:
    """Return two-sided p-values as printed, from ``look_statistics``, same shape."""
    plain = 2 * special.stdtr(df, -np.abs(t))
    return np.stack([printed_p_values(of_look, (n, n)) for of_look, n in zip(plain, looks, strict=True)])


def look_statistics(
    sources: Sources,
    n_segments: int,
    looks: Sequence[int],
    n_experiments: int,
    generator: np.random.Generator,
    target: float = 0.0,
) -> tuple[FloatArray, FloatArray]:
    """Simulate the two-way procedure's t and degrees of freedom per interim analysis, shape ``(looks, n_experiments)``.

    Each analysis adds runs to those before. Runs of both systems are independent (two entries per source). Scores are
    normal. Mean squares of segments and single outputs are drawn as multiples of chi-squares, those of segments once
    for all analyses.
    """
    # Scores of all runs, shape ``(2, runs, n_experiments)``; segments shift only the difference
    noise = np.asarray(sources.pairs) / n_segments
    deviations = np.sqrt(np.asarray(sources.runs) + noise)
    scores = deviations[:, np.newaxis, np.newaxis] * generator.standard_normal((2, max(looks), n_experiments))
    segment_variance = sources.segments / n_segments
    shift = target + np.sqrt(segment_variance) * generator.standard_normal(n_experiments)
    df_segments = sources.df_of(n_segments)
    chi_of_segments, chi_of_outputs = generator.chisquare(df_segments, (2, n_experiments)) / df_segments

    t = np.zeros((len(looks), n_experiments))
    total_df = np.zeros((len(looks), n_experiments))
    for look, n_runs in enumerate(looks):
        known = scores[:, :n_runs]
        df_runs = n_runs - 1
        df_pairs = df_runs * df_segments
        df = np.array([df_runs, df_runs, df_segments, df_pairs, df_pairs], dtype=np.float64)
        runs = known.var(axis=1, ddof=1) / n_runs
        segments = segment_variance * chi_of_segments + noise.sum() / n_runs * chi_of_outputs
        pairs = noise[:, np.newaxis] / n_runs * generator.chisquare(df_pairs, (2, n_experiments)) / df_pairs
        total, total_df[look] = total_and_df(np.column_stack([*runs, segments, *pairs]), df, n_segments)
        baseline, system = known.mean(axis=1)
        np.divide(shift + system - baseline, np.sqrt(total), out=t[look], where=total > 0)
    return t, total_df
