"""The two-way analysis where the runs of the two systems are not independent samples of both.

Against a fixed system only the other one's luck with training counts. Where runs are paired, as by their seed, what two
runs of a pair have in common is no luck of the difference.
"""

import numpy as np

from mteval.stats.base import TOLERANCE, FloatArray, How, PairedResult, Score, StatArray
from mteval.stats.crossed_layout import Components, components_against_fixed, components_of_gains
from mteval.stats.procedures.spec import ProcedureSpec
from mteval.stats.procedures.two_way import note_on, refusal_of_units
from mteval.stats.runs import copies_or_single_run, run_scores
from mteval.stats.student import student_result
from mteval.stats.units import df_of_units, unit_values

ALIKE_PAIRS = (
    "In all pairs of runs the system differs from the baseline by the same in every unit of the test set, as with"
    " copies: they do not show how much runs differ."
)


def two_way_fixed(baseline: StatArray, system: StatArray, score: Score, how: How) -> PairedResult:
    """Test the difference from a baseline that will never be trained or run again: its outputs are taken as they are.

    Several outputs of it are averaged. Otherwise as ``two_way``, about the luck of the system alone: refused, with a
    note and p = NaN, where it has fewer than two runs or only copies of one run.
    """
    difference = float(run_scores(system, score).mean() - run_scores(baseline, score).mean())
    refusal = refusal_of_units(baseline, difference, how) or _refusal_of_system(baseline, system)
    if refusal:
        return PairedResult(difference, note=refusal)
    one, other = (unit_values(statistics, score, how.unit_sizes) for statistics in (baseline, system))
    parts = components_against_fixed(one, other, df_of_units(how.unit_sizes))
    note = note_on(len(system), how)
    return student_result(difference, parts.total, parts.df, how.alternative, how.confidence, note)


def two_way_paired(baseline: StatArray, system: StatArray, score: Score, how: How) -> PairedResult:
    """Test the difference where run i of both systems shares its seed, its order of data or its initialisation.

    The variance over runs is that of the gains of the pairs. Otherwise as ``two_way``. Refused, with a note and p =
    NaN, for different numbers of runs, for fewer than two pairs, and where all pairs differ alike.
    """
    difference = float(run_scores(system, score).mean() - run_scores(baseline, score).mean())
    refusal = refusal_of_units(baseline, difference, how) or _refusal_of_pairs(baseline, system)
    if refusal:
        return PairedResult(difference, note=refusal)
    one, other = (unit_values(statistics, score, how.unit_sizes) for statistics in (baseline, system))
    gains = other - one
    rounding = TOLERANCE * max(1.0, float(np.abs(one).max()))
    if gains.any() and np.ptp(gains, axis=0).max() <= rounding:
        return PairedResult(difference, note=ALIKE_PAIRS)
    parts = _components_of_pairs(one, other, df_of_units(how.unit_sizes))
    note = note_on(len(gains), how)
    return student_result(difference, parts.total, parts.df, how.alternative, how.confidence, note)


def _refusal_of_system(baseline: StatArray, system: StatArray) -> str:
    return copies_or_single_run("system", system)


def _components_of_pairs(baseline: FloatArray, system: FloatArray, df_units: float | None = None) -> Components:
    return components_of_gains(system - baseline, df_units)


def _refusal_of_pairs(baseline: StatArray, system: StatArray) -> str:
    if len(baseline) != len(system):
        return (
            f"Runs were declared as paired, but the baseline has {len(baseline)} and the system {len(system)}; give"
            " every run its partner, or declare the runs as independent."
        )
    return copies_or_single_run("system", system) if len(system) < 2 else ""


TWO_WAY_FIXED = ProcedureSpec(
    key="two-way-fixed",
    name="Two-way analysis against a fixed system",
    short_name="two-way, fixed baseline",
    luck="both",
    summary=(
        "As the two-way analysis, the baseline being taken as it is: one output that will never be made again, as of"
        " an API or of a publication. The baseline's own luck with training is left out. Assumes independent runs of"
        " the system and independent segments."
    ),
    function=two_way_fixed,
    gives_answer=True,
    shows_equal=("segment", "document"),
    min_runs=2,
    design="fixed",
    components=components_against_fixed,
    refusal=_refusal_of_system,
)
TWO_WAY_PAIRED = ProcedureSpec(
    key="two-way-paired",
    name="Two-way analysis of paired runs",
    short_name="two-way, paired runs",
    luck="both",
    summary=(
        "As the two-way analysis, runs of the same name being compared in pairs: the variance over runs is that of"
        " their differences. Right where the runs of a pair share what makes runs differ, as data order or"
        " initialisation; where they do not, it has half the degrees of freedom for nothing."
    ),
    function=two_way_paired,
    gives_answer=True,
    shows_equal=("segment", "document"),
    min_runs=2,
    design="paired",
    components=_components_of_pairs,
    refusal=_refusal_of_pairs,
)
