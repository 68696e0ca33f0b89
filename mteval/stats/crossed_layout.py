"""Variance of a difference in the two-way crossed layout of runs and units: every run translates every unit.

The score of a run on a unit is a mean plus effects of the run, of the unit, and of their interaction. The variance of a
difference is the variance over runs plus that over units, minus the interaction, which both contain. The same holds for
a single table of gains, e.g. of paired runs or raters.

References
----------
Searle, Casella and McCulloch (1992), Variance Components, chapter 4.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from mteval.base.arrays import FloatArray, IntArray
from mteval.stats.base import Alternative, Law, PairedResult, StudentLaw, at_least, result_by, student_result
from mteval.stats.resampling.streams import sum_by_unit
from mteval.stats.runs import beyond_noise, satterthwaite, variance
from mteval.stats.tail import StrictLaw
from mteval.stats.units import df_of_units, most_df, pseudo_values, uneven_note, uneven_refusal

FAMILY_DF = 2.0  # degrees of freedom of a family's mean spread
FEWEST_SYSTEMS = 3  # of a family, the baseline included

PROVISIONAL = "Provisional: only two raters. Three or more are needed."
ONE_RATER = "Only one rater judged both systems. Three are needed."
ONE_UNIT = "All raters share fewer than two segments or documents. At least two are needed."


@dataclass(frozen=True)
class Components:
    """Variance components of a difference of mean scores, in squared score points.

    Parameters
    ----------
    runs
        ``s_k^2 / n_k`` of each system whose training luck counts, on the segments at hand.
    segments
        Test-set luck: variance of the mean over units, with the runs at hand.
    pairs
        Interaction of runs and units of each of these systems, which the other two contain.
    shape
        Number of runs per entry of ``runs``, then the number of units.
    df_units
        Degrees of freedom over units; by default the number of units minus one.
    df_runs
        Degrees of freedom per entry of ``runs``; by default the number of runs minus one.
    """

    runs: tuple[float, ...]
    segments: float
    pairs: tuple[float, ...]
    shape: tuple[int, ...]
    df_units: float | None = None
    df_runs: tuple[float, ...] | None = None

    @property
    def total(self) -> float:
        """``runs + segments - pairs``, but at least ``runs`` and at least ``segments``."""
        runs = sum(self.runs)
        both = runs + self.segments - sum(self.pairs)
        return max(both, runs, self.segments)

    @property
    def parts(self) -> tuple[float, float, float]:
        """Parts of the total due to runs alone, to units alone, and to their interaction; none is negative."""
        interaction = sum(self.pairs)
        runs = max(sum(self.runs) - interaction, 0.0)
        units = max(self.segments - interaction, 0.0)
        return runs, units, self.total - (runs + units)

    @cached_property
    def df(self) -> float:
        """Satterthwaite degrees of freedom of the total; NaN if nothing varies.

        With few runs, only their variation beyond output noise counts (``runs.beyond_noise``). Few units limit them
        (``units.most_df``).
        """
        df_between = self._df_between_runs
        df_units = self._df_over_units
        df_runs = self.df_runs or df_between
        df_pairs = tuple(df * df_units for df in df_between)
        runs_beyond_noise = beyond_noise(self.runs, self.pairs, df_between)
        df = satterthwaite(
            (*runs_beyond_noise, self.segments, *self.pairs),
            (*df_runs, df_units, *df_pairs),
            self.total,
        )
        n_units = self.shape[-1]
        return float(np.minimum(df, most_df(n_units)))

    @property
    def _df_between_runs(self) -> tuple[int, ...]:
        """Degrees of freedom of the variance over runs of each entry of ``runs``, as it was measured."""
        return tuple(n - 1 for n in self.shape[:-1])

    @property
    def _df_over_units(self) -> float:
        """Degrees of freedom over units."""
        if self.df_units is None:
            return self.shape[-1] - 1
        return self.df_units

    @property
    def standard_error(self) -> float:
        """Standard error of the difference."""
        return float(np.sqrt(self.total))

    @property
    def spreads(self) -> tuple[float, ...]:
        """Standard deviation over runs of each entry of ``runs``."""
        n_runs = self.shape[:-1]
        return tuple(
            float(np.sqrt(variance_of_mean * n)) for variance_of_mean, n in zip(self.runs, n_runs, strict=True)
        )

    def p_value(self, difference: float) -> float:
        """Return the two-sided p-value of the two-way test; the total must be positive."""
        return self._student.p_value(difference)

    def reach(self, level: float) -> float:
        """Return half the width of the interval of all differences not rejected at a level."""
        return self._student.reach(level)

    @cached_property
    def _student(self) -> StudentLaw:
        return StudentLaw(self.standard_error, self.df, self.shape[:-1])

    @property
    def strict(self) -> StrictLaw:
        """The law that holds every level."""
        return StrictLaw(
            self.runs, self.pairs, self._df_between_runs, self.segments, self._df_over_units, self.standard_error
        )

    def in_family(self, spread: float) -> StudentLaw:
        """Return the law for a family of tests, in which systems with a small spread over runs borrow from the others.

        A small variance over runs may be luck, and the smallest p-value of a family finds it. Each is drawn towards the
        square of the family's mean standard deviation ``spread``, but never reduced.
        """
        runs = []
        df_runs = []
        for own, n in zip(self.runs, self.shape[:-1], strict=True):
            variance_of_mean, df = drawn_up(own, n, spread)
            runs.append(variance_of_mean)
            df_runs.append(df)
        drawn_parts = replace(self, runs=tuple(runs), df_runs=tuple(df_runs))
        return StudentLaw(drawn_parts.standard_error, drawn_parts.df)


def drawn_up(own: float, n_runs: int, spread: float) -> tuple[float, float]:
    """Return the variance of a mean over runs drawn towards that of a family, and its degrees of freedom.

    Parameters
    ----------
    own
        The system's own variance of the mean; it is never reduced.
    spread
        The family's mean standard deviation over runs.
    """
    df = n_runs - 1
    of_family = spread**2 / n_runs
    drawn = (FAMILY_DF * of_family + df * own) / (FAMILY_DF + df)
    if drawn > own:
        return drawn, float(np.sqrt(df * (df + 2)))
    return own, df


def is_calibrated(confidence: float) -> bool:
    """Return whether the laws of families are calibrated for one minus this confidence."""
    return 1 - confidence > 0.05 - 1e-9  # of families, see docs/calibration.md


def family_laws(
    laws: Sequence[Law | None], sides: Sequence[tuple[Hashable, ...]], confidence: float
) -> list[Law | None]:
    """Return the law of each two-way test in a family of at least three systems, the baseline included.

    Calibrated for a level of 5%: None at lower levels, in smaller families, and for other tests.

    Parameters
    ----------
    laws
        Of each test by itself.
    sides
        What the entries of ``Components.runs`` of each test belong to: two systems, or one pair of systems for paired
        runs, or one system against a fixed baseline. The family's spread is the mean over them.
    """
    spreads_of: dict[Hashable, list[float]] = {}
    has_baseline_without_entry = False
    for law, names in zip(laws, sides, strict=True):
        if not isinstance(law, Components):
            continue  # refused, so its systems have no spread
        for name, spread in zip(names, law.spreads, strict=True):
            spreads_of.setdefault(name, []).append(spread)
        if len(names) == 1:
            has_baseline_without_entry = True
    n_systems = len(spreads_of)
    if has_baseline_without_entry:
        n_systems += 1
    if n_systems < FEWEST_SYSTEMS or not is_calibrated(confidence):
        return [None] * len(laws)

    # A system may be part of several tests; it weighs the same as others
    mean_spread = float(np.mean([np.mean(spreads) for spreads in spreads_of.values()]))
    laws_in_family: list[Law | None] = []
    for law in laws:
        if isinstance(law, Components):
            laws_in_family.append(law.in_family(mean_spread))
        else:
            laws_in_family.append(None)
    return laws_in_family


def crossed_result(
    parts: Components,
    difference: float,
    alternative: Alternative,
    confidence: float,
    note: str = "",
    is_strict: bool = False,
) -> PairedResult:
    """Test a difference with its variance components, as ``student_result``."""
    law = parts.strict if is_strict else parts
    return result_by(law, difference, alternative, confidence, note, parts.df)


def components_of(baseline: FloatArray, system: FloatArray, df_units: float | None = None) -> Components:
    """Return variance components from contributions ``(runs, units)``, at least two runs and two units each."""
    gains = system.mean(axis=0) - baseline.mean(axis=0)
    return _components((baseline, system), gains, df_units)


def components_against_fixed(baseline: FloatArray, system: FloatArray, df_units: float | None = None) -> Components:
    """Return the components without the baseline's training luck; the baseline may have one run.

    Parameters are those of ``components_of``.
    """
    gains = system.mean(axis=0) - baseline.mean(axis=0)
    return _components((system,), gains, df_units)


def components_of_candidate(history: FloatArray, candidate: FloatArray, df_units: float | None = None) -> Components:
    """Return them for one run ``(1, units)`` against a baseline's history ``(runs, units)``.

    The candidate's runs are assumed to vary as those of the history, so the difference varies ``1 + 1 / n`` times as
    much as one run does.
    """
    # The variance of the history's mean is one nth of that of a single run
    parts = components_against_fixed(candidate, history, df_units)
    factor = len(history) + 1
    runs = tuple(run * factor for run in parts.runs)
    pairs = tuple(pair * factor for pair in parts.pairs)
    return replace(parts, runs=runs, pairs=pairs)


def two_sided(parts: Components) -> Components:
    """Return those of a candidate with entries for the history and for the candidate's only run."""
    (run,) = parts.runs
    (pair,) = parts.pairs
    n, n_units = parts.shape
    share = 1 / (n + 1)  # of the variance, due to the history
    runs = (share * run, (1 - share) * run)
    pairs = (share * pair, (1 - share) * pair)
    return replace(parts, runs=runs, pairs=pairs, shape=(n, 1, n_units))


def components_of_samples(baseline: FloatArray, system: FloatArray, df_units: float | None = None) -> Components:
    """Return the components from samples of two models; the variance of a single sample is part of that over units.

    Parameters are those of ``components_of``, with samples in place of runs.
    """
    gains = system.mean(axis=0) - baseline.mean(axis=0)
    over_units = _components((), gains, df_units)
    runs = []
    pairs = []
    for samples in (baseline, system):
        if len(samples) > 1:
            of_samples = _components((samples,), samples[0], df_units)
            runs.append(of_samples.runs[0])
            pairs.append(of_samples.pairs[0])
        else:
            runs.append(0.0)
            pairs.append(0.0)
    shape = (len(baseline), len(system), baseline.shape[1])
    return replace(over_units, runs=tuple(runs), pairs=tuple(pairs), shape=shape)


def components_of_gains(gains: FloatArray, df_units: float | None = None) -> Components:
    """Return them from gains ``(runs, units)`` of paired runs or raters, at least two of each."""
    return _components((gains,), gains.mean(axis=0), df_units)


def _components(sides: Sequence[FloatArray], gains: FloatArray, df_units: float | None) -> Components:
    """Return components from the systems whose training luck counts and the mean gain per unit ``(units,)``."""
    return Components(
        runs=tuple(variance(side.mean(axis=1)) / len(side) for side in sides),
        segments=float(gains.var(ddof=1)) / len(gains),
        pairs=tuple(pair_variance(side) for side in sides),
        shape=(*map(len, sides), len(gains)),
        df_units=df_units,
    )


def pair_variance(values: FloatArray) -> float:
    """Return the interaction mean square of values ``(runs, units)`` divided by the number of cells."""
    n_runs, n_units = values.shape
    # What the effects of the run and of the unit do not explain
    residuals = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0)
    residuals += values.mean()
    mean_square = np.square(residuals).sum() / ((n_runs - 1) * (n_units - 1))
    return float(mean_square / (n_runs * n_units))


@dataclass(frozen=True)
class DrawnLayouts:
    """A pool of runs from which many crossed layouts are drawn.

    Mean squares of a draw are sums of products of pairs of runs, which are computed once for the pool.

    Parameters
    ----------
    values
        Unit values per run, shape ``(runs, units)``, at least two units. A draw with NaN has a total of NaN.
    df_units
        Degrees of freedom over units.
    """

    values: FloatArray
    df_units: float | None = None

    def components(self, baseline: IntArray, system: IntArray) -> Iterator[Components]:
        """Yield the components of each draw, from indices into the pool, shape ``(draws, n)``, n at least 2."""
        n_units = self.values.shape[1]
        # Weights of the runs in the means, and sums of products of these means with each run; ``(draws, runs)``
        baseline_weights = self._weights(baseline)
        system_weights = self._weights(system)
        baseline_products = baseline_weights @ self._products
        system_products = system_weights @ self._products

        # Squares of the mean gain and of both means, summed over units; shape ``(draws,)``
        gains = np.sum((system_weights - baseline_weights) * (system_products - baseline_products), axis=1)
        baseline_squares = np.sum(baseline_weights * baseline_products, axis=1)
        system_squares = np.sum(system_weights * system_products, axis=1)
        columns = (
            self._runs(baseline),
            self._runs(system),
            gains / ((n_units - 1) * n_units),
            self._pairs(baseline, baseline_squares),
            self._pairs(system, system_squares),
        )
        shape = (baseline.shape[1], system.shape[1], n_units)
        for baseline_runs, system_runs, segments, *pairs in np.column_stack(columns).tolist():
            yield Components((baseline_runs, system_runs), segments, tuple(pairs), shape, self.df_units)

    @cached_property
    def _means(self) -> FloatArray:
        """Means of the runs, shape ``(runs,)``."""
        return np.asarray(self.values.mean(axis=1))

    @cached_property
    def _products(self) -> FloatArray:
        """Sums over units of products of centred values of two runs, shape ``(runs, runs)``."""
        means = self._means[:, np.newaxis]
        centred = np.where(np.isfinite(means), self.values - means, 0.0)
        centred -= centred.mean(axis=0)  # common to all runs, so no mean square contains it; keeps precision
        return np.asarray(centred @ centred.T)

    def _weights(self, drawn: IntArray) -> FloatArray:
        """Return the weight of each run in the mean of each draw, shape ``(draws, runs)``."""
        weights = np.zeros((len(drawn), len(self.values)))
        np.put_along_axis(weights, drawn, 1 / drawn.shape[1], axis=1)
        return weights

    def _runs(self, drawn: IntArray) -> FloatArray:
        """Return the variance over runs of the mean of each draw, shape ``(draws,)``."""
        return np.asarray(self._means[drawn].var(axis=1, ddof=1) / drawn.shape[1])

    def _pairs(self, drawn: IntArray, squares: FloatArray) -> FloatArray:
        """Return interaction mean squares per cell; ``squares`` are the squares of the means over runs."""
        n_runs = drawn.shape[1]
        n_units = self.values.shape[1]
        residuals = self._products.diagonal()[drawn].sum(axis=1) - n_runs * squares
        residuals = np.maximum(0.0, residuals)
        return np.asarray(residuals / ((n_runs - 1) * (n_units - 1) * n_runs * n_units))


@dataclass(frozen=True)
class CrossedGains:
    """Gain of one system over another per rater and unit of the test set.

    Parameters
    ----------
    values
        Shape ``(raters, units)``. Repeated judgements by one rater are averaged beforehand.
    difference
        The mean gain.
    sizes
        Segments per unit, shape ``(units,)``; None if each unit is a segment.
    """

    values: FloatArray
    difference: float
    sizes: IntArray | None = None

    @classmethod
    def of(cls, gains: FloatArray, units: Sequence[object] | None = None) -> "CrossedGains":
        """Make them from gains ``(raters, segments)`` without NaN.

        Parameters
        ----------
        units
            Unit of each segment, e.g. its document. Units of unequal size enter as delete-one pseudo-values of the
            raters' mean gains, with ``1 / sum(share^2) - 1`` degrees of freedom.
        """
        if gains.size == 0:
            return cls(gains, float("nan"))
        if units is None:
            return cls(gains, float(gains.mean()))
        names, unit_of_segment = np.unique(np.array(units, dtype=object), return_inverse=True)
        # Gains and their number by unit, shape ``(raters, units, 2)``
        sums = sum_by_unit(np.stack([gains, np.ones_like(gains)], axis=-1), unit_of_segment)
        values = sums[..., 0] / gains.shape[1]
        if len(names) > 1:
            values = pseudo_values(sums, lambda sums: np.asarray(sums[..., 0] / sums[..., 1]))
        return cls(values, float(gains.mean()), sums[0, :, 1].astype(np.int64))

    @property
    def refusal(self) -> str:
        """Why the test over raters is refused; empty if it is not."""
        if self.values.size == 0:
            return "No segment was judged for both systems."
        if len(self.values) < 2:
            return ONE_RATER
        if self.values.shape[1] < 2:
            return ONE_UNIT
        return uneven_refusal(self.sizes)

    @property
    def df_units(self) -> float:
        """Degrees of freedom over units."""
        return df_of_units(self.sizes, self.values.shape[1])

    @cached_property
    def components(self) -> Components:
        """Variance components of the mean gain; needs two raters and two units."""
        return components_of_gains(self.values, self.df_units)

    def other_raters(self, alternative: Alternative, confidence: float) -> PairedResult:
        """Test whether other raters on other segments would agree; p is not below that of ``these_raters``.

        Refused (p = NaN, with a note) for one rater or one unit; provisional for two raters.
        """
        if self.refusal:
            return PairedResult(self.difference, note=self.refusal)
        notes = [uneven_note(self.sizes)]
        if len(self.values) == 2:
            notes.insert(0, PROVISIONAL)
        note = " ".join(filter(None, notes))
        others = crossed_result(self.components, self.difference, alternative, confidence, note)
        return at_least(others, self.these_raters(alternative, confidence))

    def these_raters(self, alternative: Alternative, confidence: float) -> PairedResult:
        """Test whether these raters would agree on other segments; one rater is enough."""
        if self.refusal not in ("", ONE_RATER):
            return PairedResult(self.difference, note=self.refusal)
        n_units = self.values.shape[1]
        if n_units < 2:  # of one rater, since otherwise it is the refusal
            return PairedResult(self.difference, note=ONE_UNIT)
        gains = self.values.mean(axis=0)
        variance_of_mean = float(gains.var(ddof=1)) / n_units
        note = uneven_note(self.sizes)
        return student_result(self.difference, variance_of_mean, self.df_units, alternative, confidence, note)
