"""Two-way random-effects test over runs and units of the test set (``stats.crossed_layout``).

With a fixed baseline, only the system's training luck counts. With paired runs, e.g. of the same seed, only the
variance of their differences counts.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from mteval.base.arrays import FloatArray, IntArray, StatArray
from mteval.stats import crossed_layout
from mteval.stats.base import (
    ONE_UNIT,
    TOLERANCE,
    UNDEFINED,
    Alternative,
    HasScore,
    How,
    PairedResult,
    Score,
    no_variance,
    one_sided,
)
from mteval.stats.crossed_layout import (
    Components,
    DrawnLayouts,
    components_against_fixed,
    components_of,
    crossed_result,
)
from mteval.stats.procedures.spec import ComponentsOf, ProcedureSpec, Refusal
from mteval.stats.resampling.draws import Draws, IndexArray, p_values_of_runs
from mteval.stats.runs import copies_or_single_run, copies_or_single_runs, run_scores
from mteval.stats.units import df_of_units, few_note, uneven_note, uneven_refusal, unit_values
from mteval.values.settings import Design

PROVISIONAL = "Provisional: only two {runs}. Three or more are recommended."
SHORTEST_HISTORY = 3
SHORT_HISTORY = f"A candidate {{run}} needs a baseline with at least {SHORTEST_HISTORY} {{runs}}."


def _no_refusal_of_values(baseline: FloatArray, system: FloatArray) -> str:
    return ""


def two_way(
    baseline: StatArray,
    system: StatArray,
    score: Score,
    how: How,
    refusal: Refusal = copies_or_single_runs,
    components: ComponentsOf = components_of,
    refusal_of_values: Callable[[FloatArray, FloatArray], str] = _no_refusal_of_values,
    is_strict: bool = False,
) -> PairedResult:
    """Test the difference of expected scores over new runs and new segments, with an interval.

    Assumes independent runs and units, and a nearly linear score. The variance is at least that of runs and that of
    segments alone. Documents of unequal size enter as delete-one pseudo-values.

    Parameters
    ----------
    refusal, refusal_of_values
        Checks of runs and of unit values.
    components
        Variance components, which depend on how runs were declared.
    is_strict
        Use ``StrictLaw``, which holds every level, instead of Student's t with the correction of ``stats.tail``.

    Returns
    -------
    ``statistic`` is the difference of the mean run scores; the interval is always two-sided. Refused (p = NaN, with a
    note) if a system has fewer than two runs or only copies of one run, or if one unit has most of the test set.
    Provisional with two runs.
    """
    baseline_side = _Side(baseline, score, how.unit_sizes)
    system_side = _Side(system, score, how.unit_sizes)
    return _result(baseline_side, system_side, how, refusal, components, refusal_of_values, is_strict)


@dataclass(frozen=True)
class _Side:
    """One system of a two-way test, with what all its tests share.

    Parameters
    ----------
    statistics
        Shape ``(runs, units, d)``.
    sizes
        As in ``How.unit_sizes``.
    """

    statistics: StatArray
    score: Score
    sizes: IntArray | None

    @cached_property
    def mean(self) -> np.float64:
        """Return the mean run score."""
        return np.float64(run_scores(self.statistics, self.score).mean())

    @cached_property
    def values(self) -> FloatArray:
        """Return the values of the units, shape ``(runs, units)``."""
        return unit_values(self.statistics, self.score, self.sizes)


def _result(
    baseline: _Side,
    system: _Side,
    how: How,
    refusal: Refusal,
    components: ComponentsOf,
    refusal_of_values: Callable[[FloatArray, FloatArray], str],
    is_strict: bool,
) -> PairedResult:
    """Return the result of ``two_way`` for two systems."""
    difference = float(system.mean - baseline.mean)
    if np.isnan(difference):
        return PairedResult(difference, note=UNDEFINED)
    if baseline.statistics.shape[1] < 2:
        return PairedResult(difference, note=ONE_UNIT)
    refused = uneven_refusal(how.unit_sizes) or refusal(baseline.statistics, system.statistics)
    if refused:
        return PairedResult(difference, note=refused)
    refused = refusal_of_values(baseline.values, system.values)
    if refused:
        return PairedResult(difference, note=refused)

    parts = components(baseline.values, system.values, df_of_units(how.unit_sizes, baseline.values.shape[1]))
    notes = [uneven_note(how.unit_sizes), few_note(how.unit_sizes)]
    if min(parts.shape[:-1]) == 2:
        notes.insert(0, PROVISIONAL)
    return crossed_result(parts, difference, how.alternative, how.confidence, " ".join(filter(None, notes)), is_strict)


@dataclass(frozen=True)
class TwoWayPairs:
    """``two_way`` between any two of several systems; the unit values of a system serve all its pairs."""

    sides: Sequence[_Side]
    how: How
    is_strict: bool = False

    @classmethod
    def of(cls, systems: Sequence[StatArray], scorer: HasScore, how: How, is_strict: bool = False) -> "TwoWayPairs":
        """Take each system's statistics, ``(runs, units, d)``."""
        return cls([_Side(system, scorer.score, how.unit_sizes) for system in systems], how, is_strict)

    def results(self, baselines: Iterable[int], system: int) -> Iterator[PairedResult]:
        """Yield the results of ``two_way`` against several baselines."""
        for baseline in baselines:
            yield _result(
                self.sides[baseline],
                self.sides[system],
                self.how,
                copies_or_single_runs,
                components_of,
                _no_refusal_of_values,
                self.is_strict,
            )


def two_way_p_values(
    baseline: StatArray, system: StatArray, score: Score, draws: Draws, how: How, is_strict: bool = False
) -> FloatArray:
    """Return the ``two_way`` p-value of each draw from pools ``(runs, units, d)``, shape ``(draws,)``."""
    if uneven_refusal(how.unit_sizes):
        return np.full(len(draws), np.nan)

    # One pool of the baseline's runs, then the system's; only once if both are drawn from the same runs
    if system is baseline:
        pools = [baseline]
        first_of_system = 0
    else:
        pools = [baseline, system]
        first_of_system = len(baseline)
    values = []
    for pool in pools:
        for run in how.checked(pool):
            values.append(unit_values(run[np.newaxis], score, how.unit_sizes))
    layouts = DrawnLayouts(np.concatenate(values), df_of_units(how.unit_sizes, baseline.shape[1]))
    scores = np.concatenate([run_scores(pool, score) for pool in pools])

    def test(places: IndexArray) -> list[float]:
        of_baseline = draws.baseline[places]
        of_system = first_of_system + draws.system[places]
        differences = scores[of_system].mean(axis=1) - scores[of_baseline].mean(axis=1)
        components = layouts.components(of_baseline, of_system)
        return [
            _p_value(parts, difference, how.alternative, is_strict)
            for difference, parts in zip(differences.tolist(), components, strict=True)
        ]

    return p_values_of_runs(test, baseline, system, draws, how, 250)  # between two checks for cancellation


def _p_value(parts: Components, difference: float, alternative: Alternative, is_strict: bool) -> float:
    if parts.total == 0:
        return no_variance(difference).p_value
    law = parts.strict if is_strict else parts
    return one_sided(law.p_value(difference), difference, alternative)


TWO_WAY = ProcedureSpec(
    key="two-way",
    name="Two-way analysis of {runs} and {units}",
    luck="both",
    summary=(
        "Tests the difference of mean {run} scores against the variance between {runs} and between {units}"
        " (Student's t), and gives an interval. Below 5%, p is"
        " corrected for the number of {runs}. With few {runs}, only variation beyond output noise counts towards the"
        " degrees of freedom. Assumes independent {runs} and {units} and a nearly linear score. p is at least that of"
        " approximate randomization on the same units. Satterthwaite (1946); Searle et al. (1992)."
    ),
    function=two_way,
    gives_answer=True,
    shows_equal=("segment", "document"),
    min_runs=2,
    components=components_of,
    refusal=copies_or_single_runs,
    on_draws=two_way_p_values,
    on_pairs=TwoWayPairs.of,
)


ALIKE_PAIRS = (
    "Every pair of {runs} has the same difference everywhere, as copies would. Such pairs do not show how much {runs}"
    " differ."
)


def _components_of_candidate(baseline: FloatArray, system: FloatArray, df_units: float | None = None) -> Components:
    if len(system) == 1:
        return crossed_layout.components_of_candidate(baseline, system, df_units)
    return components_of(baseline, system, df_units)


def _refusal_of_candidate(baseline: StatArray, system: StatArray) -> str:
    if len(system) > 1:
        return copies_or_single_runs(baseline, system)
    if len(baseline) < SHORTEST_HISTORY:
        return SHORT_HISTORY
    return copies_or_single_run("baseline", baseline)


def _refusal_of_gains(baseline: FloatArray, system: FloatArray) -> str:
    gains = system - baseline  # of each pair of runs, shape ``(runs, units)``
    rounding = TOLERANCE * max(1.0, float(np.abs(baseline).max()))
    are_alike = np.ptp(gains, axis=0).max() <= rounding
    return ALIKE_PAIRS if gains.any() and are_alike else ""


def _refusal_of_system(baseline: StatArray, system: StatArray) -> str:
    return copies_or_single_run("system", system)


def _components_of_pairs(baseline: FloatArray, system: FloatArray, df_units: float | None = None) -> Components:
    return crossed_layout.components_of_gains(system - baseline, df_units)


def _refusal_of_pairs(baseline: StatArray, system: StatArray) -> str:
    if len(baseline) != len(system):
        return (
            f"The {{runs}} are declared as paired, but the baseline has {len(baseline)} and the system {len(system)}."
            " Give every {run} a partner, or declare the {runs} as independent."
        )
    if len(system) < 2:
        return copies_or_single_run("system", system)
    return ""


def _declared(
    design: Design, name: str, summary: str, refusal: Refusal, components: ComponentsOf, **further: Any
) -> ProcedureSpec:
    """Return the two-way procedure for runs declared so."""
    return replace(
        TWO_WAY,
        key=f"two-way-{design}",
        name=name,
        summary=summary,
        function=partial(two_way, refusal=refusal, components=components, **further),
        design=design,
        components=components,
        refusal=refusal,
        on_draws=None,
        on_pairs=None,
    )


def _strict(spec: ProcedureSpec) -> ProcedureSpec:
    """Return the strict form of a two-way procedure."""
    function: Callable[..., PairedResult] = spec.function
    return replace(
        spec,
        key=f"{spec.key}-strict",
        name=f"{spec.name}, strict",
        summary=(
            f"{spec.summary} Strict: p is averaged over what the {{runs}} leave open about the variance, so that it"
            " holds every level, with less power. For gates, and for claims fixed beforehand."
        ),
        function=partial(function, is_strict=True),
        is_strict=True,
        on_draws=partial(two_way_p_values, is_strict=True) if spec.on_draws else None,
        on_pairs=partial(TwoWayPairs.of, is_strict=True) if spec.on_pairs else None,
    )


_BY_DESIGN = (
    TWO_WAY,
    _declared(
        "fixed",
        "Two-way analysis with a fixed baseline",
        "Two-way analysis that takes the baseline's output as fixed, e.g. from an API or a publication. Ignores the"
        " baseline's own {luck}. Assumes independent {runs} of the system and independent {units}.",
        _refusal_of_system,
        components_against_fixed,
    ),
    _declared(
        "paired",
        "Two-way analysis of paired {runs}",
        "Two-way analysis of the differences between paired {runs} (same name in both systems). Use it if paired {runs}"
        " share what makes {runs} differ, e.g. data order or initialisation. Otherwise it loses half the degrees of"
        " freedom for nothing.",
        _refusal_of_pairs,
        _components_of_pairs,
        refusal_of_values=_refusal_of_gains,
    ),
    _declared(
        "candidate",
        "Two-way analysis of a candidate {run}",
        "Two-way analysis of a system's single {run} against the baseline's {runs}, e.g. for release checks. Assumes"
        " that the system's {runs} would vary as the baseline's do. A system with several {runs} is tested as usual.",
        _refusal_of_candidate,
        _components_of_candidate,
    ),
)
TWO_WAYS = (*_BY_DESIGN, *map(_strict, _BY_DESIGN))
