"""Two-way random-effects test over runs and units of the test set (``stats.crossed_layout``).

With a fixed baseline, only the system's training luck counts. With paired runs, e.g. of the same seed, only the
variance of their differences counts.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from mteval.base.arrays import FloatArray, StatArray
from mteval.stats import crossed_layout
from mteval.stats.base import (
    ONE_UNIT,
    TOLERANCE,
    UNDEFINED,
    Alternative,
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


def two_way(
    baseline: StatArray,
    system: StatArray,
    score: Score,
    how: How,
    refusal: Refusal = copies_or_single_runs,
    components: ComponentsOf = components_of,
    refusal_of_values: Callable[[FloatArray, FloatArray], str] = lambda baseline, system: "",
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
    difference = float(run_scores(system, score).mean() - run_scores(baseline, score).mean())
    undefined = UNDEFINED if np.isnan(difference) else ONE_UNIT if baseline.shape[1] < 2 else ""
    if refused := undefined or uneven_refusal(how.unit_sizes) or refusal(baseline, system):
        return PairedResult(difference, note=refused)
    one, other = (unit_values(statistics, score, how.unit_sizes) for statistics in (baseline, system))
    if refusal_of_values(one, other):
        return PairedResult(difference, note=refusal_of_values(one, other))
    parts = components(one, other, df_of_units(how.unit_sizes, one.shape[1]))
    notes = (PROVISIONAL if min(parts.shape[:-1]) == 2 else "", uneven_note(how.unit_sizes), few_note(how.unit_sizes))
    return crossed_result(parts, difference, how.alternative, how.confidence, " ".join(filter(None, notes)), is_strict)


def two_way_p_values(
    baseline: StatArray, system: StatArray, score: Score, draws: Draws, how: How, is_strict: bool = False
) -> FloatArray:
    """Return the ``two_way`` p-value of each draw from pools ``(runs, units, d)``, shape ``(draws,)``."""
    if uneven_refusal(how.unit_sizes):
        return np.full(len(draws), np.nan)
    pools = (baseline,) if system is baseline else (baseline, system)
    values = [unit_values(run[np.newaxis], score, how.unit_sizes) for pool in pools for run in how.checked(pool)]
    layouts = DrawnLayouts(np.concatenate(values), df_of_units(how.unit_sizes, baseline.shape[1]))
    scores, start = np.concatenate([run_scores(pool, score) for pool in pools]), len(baseline) * (len(pools) - 1)

    def test(chosen: IndexArray) -> list[float]:
        sides = draws.baseline[chosen], start + draws.system[chosen]
        differences = scores[sides[1]].mean(axis=1) - scores[sides[0]].mean(axis=1)
        return [
            _p_value(parts, difference, how.alternative, is_strict)
            for difference, parts in zip(differences.tolist(), layouts.components(*sides), strict=True)
        ]

    return p_values_of_runs(test, baseline, system, draws, how, 250)  # between two checks for cancellation


def _p_value(parts: Components, difference: float, alternative: Alternative, is_strict: bool) -> float:
    if parts.total == 0:
        return no_variance(difference).p_value
    return one_sided((parts.strict if is_strict else parts).p_value(difference), difference, alternative)


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
)


ALIKE_PAIRS = (
    "Every pair of {runs} has the same difference everywhere, as copies would. Such pairs do not show how much {runs}"
    " differ."
)


def _components_of_candidate(baseline: FloatArray, system: FloatArray, df_units: float | None = None) -> Components:
    of = crossed_layout.components_of_candidate if len(system) == 1 else components_of
    return of(baseline, system, df_units)


def _refusal_of_candidate(baseline: StatArray, system: StatArray) -> str:
    if len(system) > 1:
        return copies_or_single_runs(baseline, system)
    return SHORT_HISTORY if len(baseline) < SHORTEST_HISTORY else copies_or_single_run("baseline", baseline)


def _refusal_of_gains(baseline: FloatArray, system: FloatArray) -> str:
    gains, rounding = system - baseline, TOLERANCE * max(1.0, float(np.abs(baseline).max()))
    return ALIKE_PAIRS if gains.any() and np.ptp(gains, axis=0).max() <= rounding else ""


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
    return copies_or_single_run("system", system) if len(system) < 2 else ""


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
