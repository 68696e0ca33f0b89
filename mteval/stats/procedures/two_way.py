"""Could another training run together with another choice of sentences explain the difference?

Runs and units of the test set are crossed (``stats.crossed_layout``): every run translates every segment.
"""

import numpy as np

from mteval.stats.base import ONE_UNIT, UNDEFINED, FloatArray, How, PairedResult, Score, StatArray
from mteval.stats.crossed_layout import components_of
from mteval.stats.drawn_layouts import DrawnLayouts
from mteval.stats.procedures.spec import ProcedureSpec
from mteval.stats.resampling.draws import Draws, IndexArray, p_values_of_runs
from mteval.stats.runs import copies_or_single_runs, run_scores
from mteval.stats.student import student_p_value, student_result
from mteval.stats.units import df_of_units, few_remark, uneven_refusal, uneven_remark, unit_values

PROVISIONAL = "Provisional: two runs say little about how much runs differ; three or more are needed."
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
    difference = float(run_scores(system, score).mean() - run_scores(baseline, score).mean())
    refusal = refusal_of_units(baseline, difference, how) or copies_or_single_runs(baseline, system)
    if refusal:
        return PairedResult(difference, note=refusal)
    one, other = (unit_values(statistics, score, how.unit_sizes) for statistics in (baseline, system))
    components = components_of(one, other, df_of_units(how.unit_sizes))
    note = note_on(min(len(baseline), len(system)), how)
    return student_result(difference, components.total, components.df, how.alternative, how.confidence, note)


def two_way_p_values(baseline: StatArray, system: StatArray, score: Score, draws: Draws, how: How) -> FloatArray:
    """P-value of each draw by ``two_way``, shape ``(draws,)``; pools have shape ``(runs, units, d)``."""
    if uneven_refusal(how.unit_sizes):
        return np.full(len(draws), np.nan)
    pools = (baseline,) if system is baseline else (baseline, system)
    values = [unit_values(run[np.newaxis], score, how.unit_sizes) for pool in pools for run in how.checked(pool)]
    layouts = DrawnLayouts(np.concatenate(values), df_of_units(how.unit_sizes))
    scores, start = np.concatenate([run_scores(pool, score) for pool in pools]), len(baseline) * (len(pools) - 1)

    def test(chosen: IndexArray) -> list[float]:
        sides = draws.baseline[chosen], start + draws.system[chosen]
        differences = scores[sides[1]].mean(axis=1) - scores[sides[0]].mean(axis=1)
        return [
            student_p_value(difference, parts.total, parts.df, how.alternative)
            for difference, parts in zip(differences.tolist(), layouts.components(*sides), strict=True)
        ]

    return p_values_of_runs(test, baseline, system, draws, how, DRAWS_AT_ONCE)


def refusal_of_units(baseline: StatArray, difference: float, how: How) -> str:
    """Why the units of the test set allow no answer; empty where they do."""
    if np.isnan(difference):
        return UNDEFINED
    return ONE_UNIT if baseline.shape[1] < 2 else uneven_refusal(how.unit_sizes)


def note_on(n_runs: int, how: How) -> str:
    """What to remember of an answer from so few runs, and from units of such sizes."""
    remarks = (PROVISIONAL if n_runs == 2 else "", uneven_remark(how.unit_sizes), few_remark(how.unit_sizes))
    return " ".join(filter(None, remarks))


TWO_WAY = ProcedureSpec(
    key="two-way",
    name="Two-way analysis of runs and segments",
    short_name="two-way",
    luck="both",
    summary=(
        "Adds up the variance over runs and over segments and compares the difference of the mean run scores with"
        " it by Student's t, with an interval; its degrees of freedom count for few runs only what these differ beyond"
        " the noise of single outputs. Assumes independent runs and segments and a score that is nearly linear in a"
        " segment's statistics. Satterthwaite 1946; Searle et al. 1992."
    ),
    function=two_way,
    gives_answer=True,
    shows_equal=("segment", "document"),
    min_runs=2,
    components=components_of,
    refusal=copies_or_single_runs,
    on_draws=two_way_p_values,
)
