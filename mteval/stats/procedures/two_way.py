"""Could another training run together with another choice of sentences explain the difference?

Runs and units of the test set are crossed (``stats.crossed_layout``): every run translates every segment.

The two-way analysis where the runs of the two systems are not independent samples of both.

Against a fixed system only the other one's luck with training counts. Where runs are paired, as by their seed, what two
runs of a pair have in common is no luck of the difference.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from mteval.base.arrays import FloatArray, StatArray
from mteval.stats import crossed_layout
from mteval.stats.base import ONE_UNIT, TOLERANCE, UNDEFINED, How, PairedResult, Score, student_p_value, student_result
from mteval.stats.crossed_layout import Components, DrawnLayouts, components_against_fixed, components_of
from mteval.stats.procedures.spec import ComponentsOf, ProcedureSpec, Refusal
from mteval.stats.resampling.draws import Draws, IndexArray, p_values_of_runs
from mteval.stats.runs import copies_or_single_run, copies_or_single_runs, run_scores
from mteval.stats.units import df_of_units, few_remark, uneven_refusal, uneven_remark, unit_values

PROVISIONAL = "Provisional: two {runs} say little about how much {runs} differ; three or more are needed."
DRAWS_AT_ONCE = 250  # so that work can be stopped between them


def two_way(baseline: StatArray, system: StatArray, score: Score, how: How) -> PairedResult:
    """Test the difference of expected scores over new runs and new segments, with an interval.

    Assumes independent runs and units, and a test set large enough for the score to be nearly linear in them. The
    variance is never taken to be less than that of runs or of segments alone. Units of unequal size, as documents, are
    represented by delete-one pseudo-values. Draws nothing.

    Returns
    -------
    ``statistic`` is the difference of the mean run scores; ``low`` and ``high`` bound it two-sidedly at ``confidence``,
    whatever the alternative. Refused, with a note and p = NaN, where a system has fewer than two runs or only copies of
    one run, or where one unit holds most of the test set; with two runs the note says that the answer is provisional.
    """
    return _analysed(baseline, system, score, how, copies_or_single_runs, components_of)


def _analysed(
    baseline: StatArray,
    system: StatArray,
    score: Score,
    how: How,
    refusal: Refusal,
    components: ComponentsOf,
    refusal_of_values: Callable[[FloatArray, FloatArray], str] = lambda baseline, system: "",
) -> PairedResult:
    """From why runs or their unit values cannot answer, and the components."""
    difference = float(run_scores(system, score).mean() - run_scores(baseline, score).mean())
    undefined = UNDEFINED if np.isnan(difference) else ONE_UNIT if baseline.shape[1] < 2 else ""
    refused = undefined or uneven_refusal(how.unit_sizes) or refusal(baseline, system)
    if refused:
        return PairedResult(difference, note=refused)
    one, other = (unit_values(statistics, score, how.unit_sizes) for statistics in (baseline, system))
    if refusal_of_values(one, other):
        return PairedResult(difference, note=refusal_of_values(one, other))
    parts = components(one, other, df_of_units(how.unit_sizes, one.shape[1]))
    remarks = (
        PROVISIONAL if min(parts.shape[:-1]) == 2 else "",
        uneven_remark(how.unit_sizes),
        few_remark(how.unit_sizes),
    )
    note = " ".join(filter(None, remarks))
    return student_result(difference, parts.total, parts.df, how.alternative, how.confidence, note)


def two_way_p_values(baseline: StatArray, system: StatArray, score: Score, draws: Draws, how: How) -> FloatArray:
    """P-value of each draw by ``two_way``, shape ``(draws,)``; pools have shape ``(runs, units, d)``."""
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
            student_p_value(difference, parts.total, parts.df, how.alternative)
            for difference, parts in zip(differences.tolist(), layouts.components(*sides), strict=True)
        ]

    return p_values_of_runs(test, baseline, system, draws, how, DRAWS_AT_ONCE)


TWO_WAY = ProcedureSpec(
    key="two-way",
    name="Two-way analysis of {runs} and segments",
    short_name="two-way",
    luck="both",
    summary=(
        "Adds up the variance over {runs} and over segments and compares the difference of the mean {run} scores with"
        " it by Student's t, with an interval; its degrees of freedom count for few {runs} only what these differ"
        " beyond the noise of single outputs. Assumes independent {runs} and segments and a score that is nearly linear"
        " in a segment's statistics. Satterthwaite 1946; Searle et al. 1992."
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
    "In all pairs of {runs} the system differs from the baseline by the same in every unit of the test set, as with"
    " copies: they do not show how much {runs} differ."
)


def two_way_fixed(baseline: StatArray, system: StatArray, score: Score, how: How) -> PairedResult:
    """Test the difference from a baseline that will never be trained or run again: its outputs are taken as they are.

    Several outputs of it are averaged. Otherwise as ``two_way``, about the luck of the system alone: refused, with a
    note and p = NaN, where it has fewer than two runs or only copies of one run.
    """
    return _analysed(baseline, system, score, how, _refusal_of_system, components_against_fixed)


def two_way_paired(baseline: StatArray, system: StatArray, score: Score, how: How) -> PairedResult:
    """Test the difference where run i of both systems shares its seed, its order of data or its initialisation.

    The variance over runs is that of the gains of the pairs. Otherwise as ``two_way``. Refused, with a note and p =
    NaN, for different numbers of runs, for fewer than two pairs, and where all pairs differ alike.
    """
    return _analysed(baseline, system, score, how, _refusal_of_pairs, _components_of_pairs, _refusal_of_gains)


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
            f"{{Runs}} were declared as paired, but the baseline has {len(baseline)} and the system {len(system)}; give"
            " every {run} its partner, or declare the {runs} as independent."
        )
    return copies_or_single_run("system", system) if len(system) < 2 else ""


TWO_WAY_FIXED = replace(
    TWO_WAY,
    key="two-way-fixed",
    name="Two-way analysis against a fixed system",
    short_name="two-way, fixed baseline",
    summary=(
        "As the two-way analysis, the baseline being taken as it is: one output that will never be made again, as of"
        " an API or of a publication. The baseline's own luck with training is left out. Assumes independent {runs} of"
        " the system and independent segments."
    ),
    function=two_way_fixed,
    design="fixed",
    components=components_against_fixed,
    refusal=_refusal_of_system,
    on_draws=None,
)
TWO_WAY_PAIRED = replace(
    TWO_WAY,
    key="two-way-paired",
    name="Two-way analysis of paired {runs}",
    short_name="two-way, paired {runs}",
    summary=(
        "As the two-way analysis, {runs} of the same name being compared in pairs: the variance over {runs} is that of"
        " their differences. Right where the {runs} of a pair share what makes {runs} differ, as data order or"
        " initialisation; where they do not, it has half the degrees of freedom for nothing."
    ),
    function=two_way_paired,
    design="paired",
    components=_components_of_pairs,
    refusal=_refusal_of_pairs,
    on_draws=None,
)
