"""One claim over several test sets or language pairs: the mean difference and its variance.

Each test set has the same weight. Segments are nested in test sets; runs are crossed with all test sets that they
translated. A run has the same luck on all of these, so p-values of single test sets are not independent.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy  # loads its optimizer, which few questions need, when that is first used

from mteval.base.arrays import FloatArray, IntArray
from mteval.stats.base import ONE_UNIT, UNDEFINED, Alternative, PairedResult, student_result
from mteval.stats.crossed_layout import Components, components_of
from mteval.stats.procedures.two_way import PROVISIONAL
from mteval.stats.runs import beyond_noise, copies_or_single_runs, satterthwaite, variance
from mteval.stats.units import df_of_units, most_df, uneven_note, uneven_refusal

FEWEST_TEST_SETS = 3  # for a claim about other test sets: two hardly show how much test sets differ
MOST_DF = 2.0  # of a claim about other test sets, per degree of freedom of the test sets: see docs/claims.md
FEW_TEST_SETS = "Generalizing to other test sets needs at least three test sets."


@dataclass(frozen=True)
class OnTestSet:
    """Unit values of two systems on one test set.

    Parameters
    ----------
    baseline, system
        Unit values (``stats.units``), shape ``(runs, units)``, with runs in the same order on all test sets of a group.
    difference
        Difference of the mean run scores, ``system - baseline``.
    group
        Equal for test sets translated by the same runs.
    sizes
        Segments per unit; None if each unit is a segment.
    """

    baseline: FloatArray
    system: FloatArray
    difference: float
    group: Hashable
    sizes: IntArray | None = None

    @property
    def df_units(self) -> float:
        """Degrees of freedom over units."""
        return df_of_units(self.sizes, self.baseline.shape[1])

    @property
    def sides(self) -> tuple[FloatArray, FloatArray]:
        """Contributions of baseline and system."""
        return self.baseline, self.system


@dataclass(frozen=True)
class RunLuck:
    """Training luck of one system on the test sets of one group, as variances of the claim's difference.

    Parameters
    ----------
    runs
        Variance of the runs' means over the group's test sets, divided by the number of runs; contains the next two.
    pairs
        Interaction of runs with units, one term per test set.
    crossed
        Interaction of runs with test sets; contains ``pairs``. Equal to ``runs`` if the group has one test set.
    df, df_pairs
        Degrees of freedom of ``runs`` (number of runs minus one) and of each of ``pairs``.
    """

    runs: float
    pairs: tuple[float, ...]
    crossed: float
    df: float
    df_pairs: tuple[float, ...]

    def common(self, n_test_sets: int) -> float:
        """Return the share of common run shifts that does not show in the variance between test sets.

        0 if each group has one test set, 1 if all test sets are in one group.
        """
        own = len(self.pairs)  # test sets of the group
        return 1 - (n_test_sets - own) / (own * (n_test_sets - 1)) if n_test_sets > 1 else 1.0


@dataclass(frozen=True)
class SeveralTestSets:
    """Two systems on several test sets with equal weights."""

    parts: tuple[OnTestSet, ...]

    @property
    def difference(self) -> float:
        """Mean over test sets of the difference of the mean run scores."""
        return float(np.mean([part.difference for part in self.parts]))

    @property
    def weight(self) -> float:
        """Weight of one test set."""
        return 1 / len(self.parts)

    @cached_property
    def alone(self) -> tuple[Components, ...]:
        """Variance components of each test set's own difference."""
        return tuple(components_of(*part.sides, part.df_units) for part in self.parts)

    @cached_property
    def segments(self) -> FloatArray:
        """Variance of the claim's difference due to the units of each test set, with the runs taken as given."""
        gains = [part.system.mean(axis=0) - part.baseline.mean(axis=0) for part in self.parts]
        return np.array([self.weight**2 * variance(gain) / len(gain) for gain in gains])

    @cached_property
    def run_luck(self) -> tuple[RunLuck, ...]:
        """Training luck of each system in each group."""
        places: dict[Hashable, list[int]] = {}
        for place, part in enumerate(self.parts):
            places.setdefault(part.group, []).append(place)
        return tuple(self._luck(side, chosen) for chosen in places.values() for side in range(2))

    def _luck(self, side: int, places: Sequence[int]) -> RunLuck:
        """Return the training luck of one system on the test sets of one group."""
        sides = [self.parts[place].sides for place in places]
        pairs = tuple(self.weight**2 * self.alone[place].pairs[side] for place in places)
        df = len(sides[0][side]) - 1
        df_pairs = tuple(df * self.parts[place].df_units for place in places)
        if len(places) == 1:
            runs = self.weight**2 * self.alone[places[0]].runs[side]
            return RunLuck(runs, pairs, runs, df, df_pairs)
        by_test_set = [np.column_stack([values[one].mean(axis=1) for values in sides]) for one in range(2)]
        found, share = components_of(by_test_set[0], by_test_set[1]), (self.weight * len(places)) ** 2
        return RunLuck(share * found.runs[side], pairs, share * found.pairs[side], df, df_pairs)

    @cached_property
    def between(self) -> float:
        """Variance of the mean over test sets, from the variation between them."""
        return float(np.var([part.difference for part in self.parts], ddof=1)) / len(self.parts)

    def these_runs(self, alternative: Alternative, confidence: float) -> PairedResult:
        """Test the mean difference over new segments, with runs and test sets taken as given."""
        if self._undefined:
            return PairedResult(self.difference, note=self._undefined)
        df = satterthwaite(self.segments, [part.df_units for part in self.parts])
        return student_result(self.difference, float(self.segments.sum()), df, alternative, confidence)

    def these_test_sets(self, alternative: Alternative, confidence: float) -> PairedResult:
        """Test the mean difference over new segments and new runs, with the test sets taken as given.

        Refused (p = NaN, with a note) if a system has fewer than two runs in a group, or only copies of one run.
        Provisional with two runs.
        """
        if refusal := self._undefined or self._runs_refused:
            return PairedResult(self.difference, note=refusal)
        luck, segments = self.run_luck, self.segments
        runs = sum(one.runs for one in luck)
        pairs = sum(sum(one.pairs) for one in luck)
        total = max(runs + segments.sum() - pairs, runs, segments.sum())
        terms = [*(float(beyond_noise(one.runs, sum(one.pairs), one.df)) for one in luck), *segments]
        df = [*(one.df for one in luck), *(part.df_units for part in self.parts)]
        for one in luck:
            terms += one.pairs
            df += one.df_pairs
        most = sum(most_df(part.baseline.shape[1]) for part in self.parts)
        units = self.these_runs(alternative, confidence).df  # more would make p smaller than without training luck
        df_total = float(np.fmin(min(satterthwaite(terms, df, total), most), units))
        return student_result(self.difference, total, df_total, alternative, confidence, self._note, self._fewest_runs)

    def like_these(self, alternative: Alternative, confidence: float) -> PairedResult:
        """Test the mean difference over new test sets like these, new segments and new runs.

        Refused as ``these_test_sets``, and with fewer than three test sets. Has at least that test's variance and at
        most its degrees of freedom, which are also limited to ``MOST_DF`` per degree of freedom of the test sets.
        """
        n, narrower = len(self.parts), self.these_test_sets(alternative, confidence)
        if np.isnan(narrower.p_value):
            return narrower
        if n < FEWEST_TEST_SETS:
            return PairedResult(self.difference, note=FEW_TEST_SETS)
        luck = [(one, one.common(n)) for one in self.run_luck]
        between = max(self.between, float(self.segments.sum()))
        runs = sum(one.runs for one, _ in luck)
        total = max(between + sum(share * (one.runs - one.crossed) for one, share in luck), between, runs)
        total = max(total, narrower.standard_error**2)
        terms, df = [between], [float(n - 1)]
        for one, share in luck:
            if share > 0:
                terms += [share * float(beyond_noise(one.runs, one.crossed, one.df)), share * one.crossed]
                df += [one.df, one.df * max(1, len(one.pairs) - 1)]
        most = (1.5 if n == FEWEST_TEST_SETS else MOST_DF) * (n - 1)  # the same for three test sets
        df_total = min(satterthwaite(terms, df, total), narrower.df, most)
        return student_result(self.difference, total, df_total, alternative, confidence, self._note, self._fewest_runs)

    @cached_property
    def heterogeneity(self) -> tuple[float, float]:
        """Variation of true differences beyond luck with segments and with runs on single test sets; NaN if unknown.

        Standard deviation of true differences, in score points (Paule and Mandel), and share of the variation of
        observed ones that luck does not explain (I squared).
        """
        variances = self._variances
        differences = np.array([part.difference for part in self.parts])
        if self._undefined or len(self.parts) < 2 or not (variances > 0).all():
            return float("nan"), float("nan")
        last = len(self.parts) - 1
        q = _weighted_squares(0.0, differences, variances)
        return float(np.sqrt(_paule_mandel(differences, variances))), max(0.0, 1 - last / q) if q else 0.0

    @property
    def _variances(self) -> FloatArray:
        """Variance of each test set's difference due to its own luck, in squared score points."""
        segments = self.segments / self.weight**2
        if self._runs_refused:
            return segments
        if len({part.group for part in self.parts}) > 1:
            return np.array([one.total for one in self.alone])
        excess = sum(max(0.0, one.crossed - sum(one.pairs)) for one in self.run_luck)
        return np.asarray(segments + (excess / self.weight if len(self.parts) > 1 else 0.0))

    @property
    def _undefined(self) -> str:
        if np.isnan(self.difference):
            return UNDEFINED
        if any(part.baseline.shape[1] < 2 for part in self.parts):
            return ONE_UNIT
        return next(filter(None, (uneven_refusal(part.sizes) for part in self.parts)), "")

    @property
    def _runs_refused(self) -> str:
        """Why the runs cannot show training luck; empty if they can."""
        return next(filter(None, (copies_or_single_runs(*part.sides) for part in self.parts)), "")

    @property
    def _fewest_runs(self) -> tuple[int, int]:
        """Fewest runs of baseline and system in any group: tails of more groups are no heavier."""
        counts = [tuple(map(len, part.sides)) for part in self.parts]
        return min(one for one, _ in counts), min(other for _, other in counts)

    @property
    def _note(self) -> str:
        notes = dict.fromkeys(uneven_note(part.sizes) for part in self.parts)
        is_provisional = min(one.df for one in self.run_luck) == 1
        return " ".join(filter(None, (PROVISIONAL if is_provisional else "", *notes)))


def _weighted_squares(tau_squared: float, differences: FloatArray, variances: FloatArray) -> float:
    """Return Cochran's Q with the variance between test sets in the weights."""
    weights = 1 / (variances + tau_squared)
    return float(weights @ np.square(differences - np.average(differences, weights=weights)))


def _paule_mandel(differences: FloatArray, variances: FloatArray) -> float:
    """Return the variance between test sets for which Q equals its expectation; 0 if Q is smaller without any."""
    last = len(differences) - 1
    if _weighted_squares(0.0, differences, variances) <= last:
        return 0.0
    highest = float(np.ptp(differences) ** 2) * len(differences)
    return float(
        scipy.optimize.brentq(lambda value: _weighted_squares(value, differences, variances) - last, 0.0, highest)
    )
