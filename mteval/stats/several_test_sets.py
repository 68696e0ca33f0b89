"""One claim over several test sets or language pairs: the mean difference and its variance.

Each test set has the same weight. Segments are nested in test sets; runs are crossed with all test sets that they
translated. A run has the same luck on all of these, so p-values of single test sets are not independent.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy  # loads its optimizer, which few questions need, when that is first used

from mteval.base.arrays import FloatArray, IntArray
from mteval.stats.base import (
    ONE_SCORE_PER_RUN,
    ONE_UNIT,
    UNDEFINED,
    Alternative,
    PairedResult,
    StudentLaw,
    result_by,
    student_result,
)
from mteval.stats.crossed_layout import Components, components_of, drawn_up
from mteval.stats.procedures.two_way import PROVISIONAL
from mteval.stats.runs import beyond_noise, copies_or_single_runs, satterthwaite, variance
from mteval.stats.units import df_of_units, most_df, uneven_note, uneven_refusal

FEWEST_TEST_SETS = 3  # for a claim about other test sets: two hardly show how much test sets differ
# Most degrees of freedom of a claim about other test sets, per degree of freedom of the test sets: see docs/claims.md.
MOST_DF = 2.0
MOST_DF_OF_THREE = 1.5  # the same with three test sets
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
    is_of_runs
        Whether each run has one score of the whole test set, so that test-set luck is unknown.
    """

    baseline: FloatArray
    system: FloatArray
    difference: float
    group: Hashable
    sizes: IntArray | None = None
    is_of_runs: bool = False

    @property
    def components(self) -> Components:
        """Variance components of this test set's own difference; of scores of runs, between these alone."""
        if not self.is_of_runs:
            return components_of(*self.sides, self.df_units)
        runs = tuple(variance(side[:, 0]) / len(side) for side in self.sides)
        n_baseline, n_system = map(len, self.sides)
        return Components(runs, 0.0, (0.0, 0.0), (n_baseline, n_system, 1))

    @property
    def of_segments(self) -> float:
        """Variance of the difference due to units, with the runs taken as given; 0 if it is unknown."""
        if self.is_of_runs:
            return 0.0
        gains = self.system.mean(axis=0) - self.baseline.mean(axis=0)  # shape ``(units,)``
        return variance(gains) / len(gains)

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
    group, side
        Of test sets, and 0 for the baseline or 1 for the system.
    df_drawn
        Degrees of freedom of ``runs`` if it was drawn towards the variance of a family; None otherwise.
    """

    runs: float
    pairs: tuple[float, ...]
    crossed: float
    df: float
    df_pairs: tuple[float, ...]
    group: Hashable = ""
    side: int = 0
    df_drawn: float | None = None

    @property
    def spread(self) -> float:
        """Standard deviation over runs of their means, weighted as in the claim."""
        return float(np.sqrt(self.runs * (self.df + 1)))

    def in_family(self, spread: float) -> "RunLuck":
        """Return it for a family of tests, as ``Components.in_family``."""
        runs, df = drawn_up(self.runs, round(self.df) + 1, spread)
        return replace(self, runs=runs, df_drawn=df)

    def common(self, n_test_sets: int) -> float:
        """Return the share of common run shifts that does not show in the variance between test sets.

        0 if each group has one test set, 1 if all test sets are in one group.
        """
        if n_test_sets <= 1:
            return 1.0
        in_group = len(self.pairs)
        return 1 - (n_test_sets - in_group) / (in_group * (n_test_sets - 1))


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
        return tuple(part.components for part in self.parts)

    @property
    def is_of_runs(self) -> bool:
        """Whether test-set luck is unknown on all test sets, since each run has one score."""
        return all(part.is_of_runs for part in self.parts)

    @cached_property
    def segments(self) -> FloatArray:
        """Variance of the claim's difference due to the units of each test set, with the runs taken as given.

        Shape ``(test sets,)``.
        """
        return np.array([self.weight**2 * part.of_segments for part in self.parts])

    @cached_property
    def run_luck(self) -> tuple[RunLuck, ...]:
        """Training luck of each system in each group."""
        places_of_group: dict[Hashable, list[int]] = {}
        for place, part in enumerate(self.parts):
            places_of_group.setdefault(part.group, []).append(place)
        luck = []
        for group, places in places_of_group.items():
            for side in (0, 1):
                luck.append(replace(self._luck(side, places), group=group, side=side))
        return tuple(luck)

    @property
    def is_copy(self) -> bool:
        """Whether the system's runs equal the baseline's on all test sets."""
        return all(np.array_equal(part.baseline, part.system) for part in self.parts)

    def _luck(self, side: int, places: Sequence[int]) -> RunLuck:
        """Return the training luck of the baseline (side 0) or the system (1) on the test sets of one group."""
        pairs = tuple(self.weight**2 * self.alone[place].pairs[side] for place in places)
        df = len(self.parts[places[0]].sides[side]) - 1
        df_pairs = tuple(df * self.parts[place].df_units for place in places)
        if len(places) == 1:
            runs = self.weight**2 * self.alone[places[0]].runs[side]
            return RunLuck(runs, pairs, runs, df, df_pairs)

        # Runs are crossed with test sets as they are with units: means of shape ``(runs, test sets of the group)``
        baseline = np.column_stack([self.parts[place].baseline.mean(axis=1) for place in places])
        system = np.column_stack([self.parts[place].system.mean(axis=1) for place in places])
        over_test_sets = components_of(baseline, system)
        share = (self.weight * len(places)) ** 2
        runs = share * over_test_sets.runs[side]
        crossed = share * over_test_sets.pairs[side]
        return RunLuck(runs, pairs, crossed, df, df_pairs)

    @cached_property
    def between(self) -> float:
        """Variance of the mean over test sets, from the variation between them."""
        return float(np.var([part.difference for part in self.parts], ddof=1)) / len(self.parts)

    def these_runs(self, alternative: Alternative, confidence: float) -> PairedResult:
        """Test the mean difference over new segments, with runs and test sets taken as given.

        Refused with a note for scores of runs.
        """
        refusal = self._undefined
        if self.is_of_runs:
            refusal = refusal or ONE_SCORE_PER_RUN
        if refusal:
            return PairedResult(self.difference, note=refusal)
        df = satterthwaite(self.segments, [part.df_units for part in self.parts])
        return student_result(self.difference, float(self.segments.sum()), df, alternative, confidence)

    def these_test_sets(self, alternative: Alternative, confidence: float) -> PairedResult:
        """Test the mean difference over new segments and new runs, with the test sets taken as given.

        Refused (p = NaN, with a note) if a system has fewer than two runs in a group, or only copies of one run.
        Provisional with two runs. For scores of runs it is Welch's test, with its terms of each group, and the test
        sets' segments are taken as given too.
        """
        refusal = self._undefined or self._runs_refused
        if refusal:
            return PairedResult(self.difference, note=refusal)
        if self.is_of_runs:
            runs_only = np.array([of_side.runs for of_side in self.run_luck])
            df_of_runs = satterthwaite(runs_only, [of_side.df for of_side in self.run_luck])
            total = float(runs_only.sum())
            return student_result(self.difference, total, df_of_runs, alternative, confidence, self._note)

        law = self._law(self.run_luck, alternative, confidence)
        return result_by(law, self.difference, alternative, confidence, self._note, law.df)

    def p_in_family(self, spreads: Mapping[Hashable, float]) -> float:
        """Return the two-sided p of ``these_test_sets`` by the law of a family of claims; NaN if there is none.

        There is none for scores of runs, or if the test is refused.

        Parameters
        ----------
        spreads
            The mean standard deviation over runs of all systems, by group.
        """
        result = self.these_test_sets("two-sided", 0.95)
        if self.is_of_runs:
            return float("nan")
        if np.isnan(result.p_value) or result.standard_error == 0:
            return result.p_value
        return self._in_family(self._law(self._drawn(spreads), "two-sided", 0.95))

    def p_like_these_in_family(self, spreads: Mapping[Hashable, float]) -> float:
        """Return the same of ``like_these``; parameters as of ``p_in_family``."""
        result = self.like_these("two-sided", 0.95)
        if self.is_of_runs:
            return float("nan")
        if np.isnan(result.p_value) or result.standard_error == 0:
            return result.p_value
        drawn = self._drawn(spreads)
        narrower = self._law(drawn, "two-sided", 0.95)
        return self._in_family(self._law_like_these(drawn, narrower.standard_error, narrower.df))

    def _drawn(self, spreads: Mapping[Hashable, float]) -> tuple[RunLuck, ...]:
        """Return the training luck with variances drawn towards those of all systems."""
        return tuple(of_side.in_family(spreads[of_side.group]) for of_side in self.run_luck)

    def _in_family(self, law: StudentLaw) -> float:
        """Return the two-sided p of a family's law: it is calibrated for plain t, without the correction for runs."""
        return replace(law, n_runs=()).p_value(self.difference)

    def _law(self, luck: Sequence[RunLuck], alternative: Alternative, confidence: float) -> StudentLaw:
        """Return the law of the difference over new segments and new runs."""
        # Runs and units both contain their interaction, which is subtracted once (method.md, "The two-way procedure")
        runs = sum(of_side.runs for of_side in luck)
        segments = self.segments.sum()
        pairs = sum(sum(of_side.pairs) for of_side in luck)
        total = max(runs + segments - pairs, runs, segments)

        # Satterthwaite's terms: runs beyond output noise, units of each test set, and their interaction
        terms = []
        df = []
        for of_side in luck:
            terms.append(float(beyond_noise(of_side.runs, sum(of_side.pairs), of_side.df)))
            df.append(of_side.df if of_side.df_drawn is None else of_side.df_drawn)
        terms += self.segments.tolist()
        df += [part.df_units for part in self.parts]
        for of_side in luck:
            terms += of_side.pairs
            df += of_side.df_pairs

        most = sum(most_df(part.baseline.shape[1]) for part in self.parts)
        units = self.these_runs(alternative, confidence).df  # more would make p smaller than without training luck
        df_total = float(np.fmin(min(satterthwaite(terms, df, total), most), units))
        return StudentLaw(float(np.sqrt(total)), df_total, self._fewest_runs)

    def like_these(self, alternative: Alternative, confidence: float) -> PairedResult:
        """Test the mean difference over new test sets like these, new segments and new runs.

        Refused as ``these_test_sets``, and with fewer than three test sets. Has at least that test's variance and at
        most its degrees of freedom, which are also limited to ``MOST_DF`` per degree of freedom of the test sets.
        """
        n_test_sets = len(self.parts)
        narrower = self.these_test_sets(alternative, confidence)
        if np.isnan(narrower.p_value):
            return narrower
        if n_test_sets < FEWEST_TEST_SETS:
            return PairedResult(self.difference, note=FEW_TEST_SETS)

        law = self._law_like_these(self.run_luck, narrower.standard_error, narrower.df)
        return result_by(law, self.difference, alternative, confidence, self._note, law.df)

    def _law_like_these(self, luck: Sequence[RunLuck], narrower_error: float, narrower_df: float) -> StudentLaw:
        """Return the law of the difference over new test sets, segments and runs.

        Parameters
        ----------
        narrower_error, narrower_df
            Standard error and degrees of freedom over new segments and new runs.
        """
        n_test_sets = len(self.parts)
        # The variance between test sets contains the units, the interaction of runs with test sets, and the shifts of
        # runs that not all test sets share; only the common shifts come on top
        between = max(self.between, float(self.segments.sum()))
        runs = sum(of_side.runs for of_side in luck)
        common_runs = sum(of_side.common(n_test_sets) * (of_side.runs - of_side.crossed) for of_side in luck)
        total = max(between + common_runs, between, runs, narrower_error**2)

        terms = [between]
        df = [float(n_test_sets - 1)]
        for of_side in luck:
            share = of_side.common(n_test_sets)

            if share > 0:
                terms.append(share * float(beyond_noise(of_side.runs, of_side.crossed, of_side.df)))
                df.append(of_side.df if of_side.df_drawn is None else of_side.df_drawn)
                terms.append(share * of_side.crossed)
                df.append(of_side.df * max(1, len(of_side.pairs) - 1))
        df_per_df = MOST_DF_OF_THREE if n_test_sets == FEWEST_TEST_SETS else MOST_DF
        most = df_per_df * (n_test_sets - 1)
        df_total = min(satterthwaite(terms, df, total), narrower_df, most)
        return StudentLaw(float(np.sqrt(total)), df_total, self._fewest_runs)

    @cached_property
    def heterogeneity(self) -> tuple[float, float]:
        """Variation of true differences beyond luck with segments and with runs on single test sets; NaN if unknown.

        Standard deviation of true differences, in score points (Paule and Mandel), and share of the variation of
        observed ones that luck does not explain (I squared).
        """
        variances = self._variances
        differences = np.array([part.difference for part in self.parts])
        if self._undefined or self.is_of_runs or len(self.parts) < 2 or not (variances > 0).all():
            return float("nan"), float("nan")
        tau = float(np.sqrt(_paule_mandel(differences, variances)))
        q = _weighted_squares(0.0, differences, variances)
        if not q:
            return tau, 0.0
        i_squared = max(0.0, 1 - (len(self.parts) - 1) / q)
        return tau, i_squared

    @property
    def _variances(self) -> FloatArray:
        """Variance of each test set's difference due to its own luck, in squared score points."""
        segments = self.segments / self.weight**2
        if self._runs_refused:
            return segments
        if len({part.group for part in self.parts}) > 1:
            return np.array([components.total for components in self.alone])
        if len(self.parts) == 1:
            return np.asarray(segments)
        # A run's shift that is the same on all test sets adds nothing to the variance between them
        excess = sum(max(0.0, of_side.crossed - sum(of_side.pairs)) for of_side in self.run_luck)
        return np.asarray(segments + excess / self.weight)

    @property
    def _undefined(self) -> str:
        """Why there is no answer at all; empty if there is one."""
        if np.isnan(self.difference):
            return UNDEFINED
        if any(part.baseline.shape[1] < 2 for part in self.parts) and not self.is_of_runs:
            return ONE_UNIT
        for part in self.parts:
            refusal = uneven_refusal(part.sizes)
            if refusal:
                return refusal
        return ""

    @property
    def _runs_refused(self) -> str:
        """Why the runs cannot show training luck; empty if they can."""
        for part in self.parts:
            refusal = copies_or_single_runs(part.baseline, part.system)
            if refusal:
                return refusal
        return ""

    @property
    def _fewest_runs(self) -> tuple[int, int]:
        """Fewest runs of baseline and system in any group: tails of more groups are no heavier."""
        baseline = min(len(part.baseline) for part in self.parts)
        system = min(len(part.system) for part in self.parts)
        return baseline, system

    @property
    def _note(self) -> str:
        """Notes on few runs and on uneven documents."""
        notes = []
        if min(of_side.df for of_side in self.run_luck) == 1:
            notes.append(PROVISIONAL)
        notes += dict.fromkeys(uneven_note(part.sizes) for part in self.parts)
        return " ".join(filter(None, notes))


def _weighted_squares(tau_squared: float, differences: FloatArray, variances: FloatArray) -> float:
    """Return Cochran's Q with the variance between test sets in the weights."""
    weights = 1 / (variances + tau_squared)
    return float(weights @ np.square(differences - np.average(differences, weights=weights)))


def _paule_mandel(differences: FloatArray, variances: FloatArray) -> float:
    """Return the variance between test sets for which Q equals its expectation; 0 if Q is smaller without any."""
    expected = len(differences) - 1

    def excess(tau_squared: float) -> float:
        return _weighted_squares(tau_squared, differences, variances) - expected

    if excess(0.0) <= 0:
        return 0.0
    highest = float(np.ptp(differences) ** 2) * len(differences)
    return float(scipy.optimize.brentq(excess, 0.0, highest))
