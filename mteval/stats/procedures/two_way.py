"""Could another training run together with another choice of sentences explain the difference?

Runs and segments are crossed: every run translates every segment. A system's score of one run on one segment is taken
as a mean, plus what is peculiar to the run, to the segment, and to the pair. The variance of the difference of two
systems is then that over runs plus that over segments, less that of the pairs, which both of them contain.
"""

from dataclasses import dataclass

import numpy as np

from mteval.stats.base import ONE_UNIT, UNDEFINED, FloatArray, How, PairedResult, Score, StatArray
from mteval.stats.linearize import contributions
from mteval.stats.procedures.spec import ProcedureSpec
from mteval.stats.resampling.draws import Draws, IndexArray, p_values_of_runs
from mteval.stats.runs import beyond_noise, copies_or_single_runs, run_scores, satterthwaite, variance
from mteval.stats.student import student_result

PROVISIONAL = "Provisional: two runs say little about how much runs differ; three or more are needed."


def two_way(baseline: StatArray, system: StatArray, score: Score, how: How) -> PairedResult:
    """Test the difference of expected scores over new runs and new segments, with an interval.

    Assumes independent runs and units, and a test set large enough for the score to be nearly linear in them. The
    variance is never taken to be less than that of runs or of segments alone. Draws nothing.

    Returns
    -------
    ``statistic`` is the difference of the mean run scores; ``low`` and ``high`` bound it two-sidedly at ``confidence``,
    whatever the alternative. Refused, with a note and p = NaN, where a system has fewer than two runs or only copies of
    one run; with two runs the note says that the answer is provisional.
    """
    difference = float(run_scores(system, score).mean() - run_scores(baseline, score).mean())
    refusal = _refusal(baseline, system, difference)
    if refusal:
        return PairedResult(difference, note=refusal)
    components = components_of(contributions(baseline, score), contributions(system, score))
    note = PROVISIONAL if min(len(baseline), len(system)) == 2 else ""
    return student_result(difference, components.total, components.df, how.alternative, how.confidence, note)


def two_way_p_values(baseline: StatArray, system: StatArray, score: Score, draws: Draws, how: How) -> FloatArray:
    """P-value of each draw by ``two_way``, shape ``(draws,)``; pools have shape ``(runs, units, d)``."""
    parts = [
        np.concatenate([contributions(run[np.newaxis], score) for run in how.checked(pool)])
        for pool in (baseline, system)
    ]

    def test(chosen: IndexArray) -> list[float]:
        (draw,) = chosen
        drawn = parts[0][draws.baseline[draw]], parts[1][draws.system[draw]]
        components, difference = components_of(*drawn), float(drawn[1].mean() - drawn[0].mean())
        result = student_result(difference, components.total, components.df, how.alternative, how.confidence)
        return [result.p_value]

    return p_values_of_runs(test, baseline, system, draws, how)


@dataclass(frozen=True)
class Components:
    """Variance of a difference of mean scores, by where it comes from, in squared points of the score.

    Parameters
    ----------
    runs
        ``(s_A^2 / n_A, s_B^2 / n_B)``: luck with training, each run seen on the segments at hand.
    segments
        Luck with the test set: variance of the mean over segments, each seen in the runs at hand.
    pairs
        Of the mean over runs and segments, for each system: what both of the others contain.
    shape
        ``(n_A, n_B, segments)``.
    """

    runs: tuple[float, float]
    segments: float
    pairs: tuple[float, float]
    shape: tuple[int, int, int]

    @property
    def total(self) -> float:
        """``runs + segments - pairs``, at least either of the first two."""
        runs = self.runs[0] + self.runs[1]
        return max(runs + self.segments - sum(self.pairs), runs, self.segments)

    @property
    def df(self) -> float:
        """Degrees of freedom of the total by Satterthwaite; NaN where nothing varies.

        Only what runs differ beyond the noise of their outputs counts for few runs.
        """
        n_a, n_b, n_segments = self.shape
        last = n_segments - 1
        return satterthwaite(
            (*beyond_noise(self.runs, self.pairs), self.segments, *self.pairs),
            (n_a - 1, n_b - 1, last, (n_a - 1) * last, (n_b - 1) * last),
            self.total,
        )


def components_of(baseline: FloatArray, system: FloatArray) -> Components:
    """Components of variance from contributions of shape ``(runs, segments)``, two or more of either.

    The usual mean squares of the two-way crossed layout with random rows and columns (Searle, Casella and McCulloch
    1992, chapter 4).
    """
    variances = [variance(scores.mean(axis=1)) / len(scores) for scores in (baseline, system)]
    gains = system.mean(axis=0) - baseline.mean(axis=0)
    return Components(
        runs=(variances[0], variances[1]),
        segments=float(gains.var(ddof=1)) / len(gains),
        pairs=(_pair_variance(baseline), _pair_variance(system)),
        shape=(len(baseline), len(system), len(gains)),
    )


def _pair_variance(contributions: FloatArray) -> float:
    """Interaction mean square over the number of cells."""
    n_runs, n_segments = contributions.shape
    rest = contributions - contributions.mean(axis=1, keepdims=True) - contributions.mean(axis=0)
    rest += contributions.mean()
    mean_square = float(np.square(rest).sum()) / ((n_runs - 1) * (n_segments - 1))
    return float(mean_square / (n_runs * n_segments))


def _refusal(baseline: StatArray, system: StatArray, difference: float) -> str:
    """Why there can be no answer; empty where there can."""
    if np.isnan(difference):
        return UNDEFINED
    if baseline.shape[1] < 2:
        return ONE_UNIT
    return copies_or_single_runs(baseline, system)


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
    shows_equal=True,
    min_runs=2,
    on_draws=two_way_p_values,
)
