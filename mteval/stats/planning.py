"""How many runs, and how large a test set? Power of the two-way procedure for designs that were not run yet.

Experiments to which runs are added until a planned look finds a difference: p at each look, by simulation.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np
from scipy import optimize, special

from mteval.base.arrays import FloatArray
from mteval.stats.crossed_layout import Components
from mteval.stats.runs import beyond_noise
from mteval.stats.units import most_df

FEWEST_RUNS = 2  # with one, the procedure cannot answer
MOST_RUNS = 10_000
MOST_SEGMENTS = 10_000_000
LEAST_DF = 0.5  # of a test set of hardly more than one document
MANY = 10**12  # of runs or segments: as good as infinitely many
N_POINTS = 2_000  # errors below 0.001
KEPT_QUANTILES = 256  # columns of 16 KB
FEW_DF = 500  # from here on the cube-root approximation is right to six digits
LARGEST_DF = 1e7  # beyond it Student's t is the normal distribution to all digits that matter


@dataclass(frozen=True)
class Sources:
    """Where the variance of a difference comes from, for one run and one segment, in squared points of the score.

    The model is the two-way crossed one: a run shifts the score of all segments, a segment shifts the difference of the
    systems in all runs, and each output has a deviation of its own.

    Parameters
    ----------
    runs
        Of the shift of a whole run, for baseline and system; one entry where the baseline is fixed or runs are paired:
        of the system, or of the gain of a pair.
    segments
        Of the systems' difference over segments.
    pairs
        Of the deviation of single outputs, for the same.
    evenness
        How many units of equal size one unit counts as in degrees of freedom: 1 of segments, less of documents, whose
        sizes differ.
    """

    runs: tuple[float, ...]
    segments: float
    pairs: tuple[float, ...]
    evenness: float = 1.0

    @classmethod
    def estimated(cls, components: Components) -> "Sources":
        """From the components of a difference: the mean squares less what they contain of each other, at least 0."""
        *counts, n_segments = components.shape
        evenness = 1.0 if components.df_units is None else (components.df_units + 1) / n_segments
        pairs = tuple(pair * n * n_segments for pair, n in zip(components.pairs, counts, strict=True))
        runs = tuple(
            max(0.0, mean_square * n - pair / n_segments)
            for mean_square, n, pair in zip(components.runs, counts, pairs, strict=True)
        )
        segments = max(0.0, (components.segments - sum(components.pairs)) * n_segments)
        return cls(runs, segments, pairs, evenness)

    @classmethod
    def typed(cls, s_runs: tuple[float, float], s_test_set: float, n_segments: int) -> "Sources":
        """From numbers that papers give.

        Parameters
        ----------
        s_runs
            Standard deviations of the run scores.
        s_test_set, n_segments
            Standard error of the difference that comes from the choice of so many segments.
        """
        return cls((s_runs[0] ** 2, s_runs[1] ** 2), s_test_set**2 * n_segments, (0.0, 0.0))

    def with_run_variance(self, factor: float) -> "Sources":
        """The same where runs vary ``factor`` times as much."""
        return replace(self, runs=tuple(run * factor for run in self.runs))

    def components(self, n_baseline: int, n_system: int, n_segments: int) -> Components:
        """What the two-way procedure would find on average in such an experiment.

        A fixed baseline has no runs that count, and of pairs there are as many as runs of the system.
        """
        counts = (n_baseline, n_system)[-len(self.runs) :]
        pairs = tuple(pair / (n * n_segments) for pair, n in zip(self.pairs, counts, strict=True))
        runs = tuple(run / n + pair for run, n, pair in zip(self.runs, counts, pairs, strict=True))
        segments = self.segments / n_segments + sum(pairs)
        return Components(runs, segments, pairs, (*counts, n_segments), self.df_of(n_segments))

    def df_of(self, n_segments: int) -> float:
        """Degrees of freedom over so many segments, or units of such unequal sizes."""
        return max(LEAST_DF, self.evenness * n_segments - 1)


@dataclass(frozen=True)
class Design:
    """Numbers of runs and of segments."""

    n_baseline: int
    n_system: int
    n_segments: int


def power(sources: Sources, design: Design, target: float, level: float) -> float:
    """Probability that a true difference of ``target`` is found, in its direction, two-sidedly at ``level``.

    That of the two-way procedure with normal shifts: the difference is measured by mean squares that are multiples of
    independent chi-squares, over which the probability is averaged. With one mean square this is the noncentral t
    distribution; with the procedure's three or five, Satterthwaite's degrees of freedom and the lower limit of the
    total, it is the mixture that a single noncentral t overstates by several hundredths at two or three runs.

    More segments can lower it where runs are few: they take away the part of the variance that is well known, and with
    what is left, known from a degree of freedom or two, Student's t asks for a multiple of the error.
    """
    error, needed = _error_and_needed(sources, design, level)
    if error == 0:
        return 1.0 if target else 0.0
    return _power(abs(target), error, needed)


def detectable(sources: Sources, design: Design, level: float, wanted_power: float) -> float:
    """Smallest true difference that is found with the wanted power, in points of the score."""
    error, needed = _error_and_needed(sources, design, level)
    if error == 0:
        return 0.0
    highest = 8 * error
    while _power(highest, error, needed) < wanted_power:
        highest *= 2
    return float(optimize.brentq(lambda target: _power(target, error, needed) - wanted_power, 0.0, highest))


def runs_needed(sources: Sources, n_segments: int, target: float, level: float, wanted_power: float) -> int | None:
    """Fewest runs a system, at least two; None where no number of runs suffices on so many segments."""

    def suffices(n: int) -> bool:
        return power(sources, Design(n, n, n_segments), target, level) >= wanted_power

    return _fewest(suffices, FEWEST_RUNS, MOST_RUNS) if suffices(MANY) else None


def segments_needed(
    sources: Sources, n_runs: tuple[int, int], target: float, level: float, wanted_power: float
) -> int | None:
    """Fewest segments; None where no test set is large enough for so many runs.

    With two or three runs, a test set that is much larger may have less power again: see ``power``.
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
    """By what factors the true variance may lie below and above an estimate with ``df`` degrees of freedom.

    The chi-square interval of a normal sample: 0.27 and 39.5 for three runs at 95%.
    """
    tail = (1 - confidence) / 2
    return df / float(special.chdtri(df, tail)), df / float(special.chdtri(df, 1 - tail))


def _power(target: float, error: float, needed: FloatArray) -> float:
    return float(special.ndtr((target - needed) / error).mean())


@lru_cache(maxsize=1)  # asked for the same design twice in a row, for power and for what can be detected
def _error_and_needed(sources: Sources, design: Design, level: float) -> tuple[float, FloatArray]:
    """Standard error of the difference, and how large it must come out for each set of mean squares met with."""
    expected = sources.components(design.n_baseline, design.n_system, design.n_segments)
    if expected.total == 0:
        return 0.0, np.zeros(1)
    last = sources.df_of(design.n_segments)
    first = [n - 1 for n in expected.shape[:-1]]
    df = np.array([*first, last, *(own * last for own in first)], dtype=np.float64)
    chi_squares = np.column_stack([_quantiles(place, len(df), float(one)) for place, one in enumerate(df)])
    met = chi_squares * np.array([*expected.runs, expected.segments, *expected.pairs])
    total, met_df = total_and_df(met, df, design.n_segments)
    return float(np.sqrt(expected.total)), np.asarray(special.stdtrit(met_df, 1 - level / 2) * np.sqrt(total))


def total_and_df(terms: FloatArray, df: FloatArray, n_units: int) -> tuple[FloatArray, FloatArray]:
    """Variance and degrees of freedom that the two-way procedure finds in many experiments, shape ``(n,)`` each.

    Parameters
    ----------
    terms
        Mean squares as in ``Components``: runs, segments, pairs; shape ``(n, 5)`` of two systems whose runs count,
        ``(n, 3)`` of one or of gains.
    df
        Of each, shape ``(5,)`` or ``(3,)``.
    n_units
        Of the test set: few of them bound the degrees of freedom.
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


@lru_cache(maxsize=KEPT_QUANTILES)
def _quantiles(place: int, n_dimensions: int, df: float) -> FloatArray:
    """Evenly spread values of one of several independent chi-squares over its degrees of freedom, shape ``(points,)``.

    Designs share most of theirs.
    """
    if df < FEW_DF:
        return np.asarray(special.chdtri(df, _even_points(n_dimensions)[:, place]) / df)
    normals = special.ndtri(_even_points(n_dimensions)[:, place])
    cube_root = 1 - 2 / (9 * df) + normals * np.sqrt(2 / (9 * df))
    return np.asarray(cube_root**3)  # Wilson and Hilferty 1931


@cache
def _even_points(n_dimensions: int) -> FloatArray:
    """Points that fill the unit cube more evenly than chance would: multiples of the generalised golden ratio.

    Roberts 2018, "The unreasonable effectiveness of quasirandom sequences".
    """
    ratio = 1.0
    for _ in range(60):
        ratio = (1 + ratio) ** (1 / (n_dimensions + 1))
    steps = ratio ** -np.arange(1, n_dimensions + 1)
    return np.asarray((0.5 + np.arange(1, N_POINTS + 1)[:, np.newaxis] * steps) % 1)


def _fewest(suffices: Callable[[int], bool], lowest: int, highest: int) -> int | None:
    """Smallest number that suffices, all larger ones sufficing too; None beyond the highest."""
    if not suffices(highest):
        return None
    return lowest + bisect_left(range(lowest, highest), True, key=suffices)


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
