"""Tests on the scores of whole runs: could another training run explain the difference?

The test set at hand is taken as given: none of these knows that other sentences could have been chosen.

Classical tests on segments: the systems are compared one by one, averaged over runs, which are taken as given.

For a metric whose corpus score is no mean of segment scores (BLEU, TER) the sign and the rank test would answer another
question than the corpus score asks; Student's t takes what each segment contributes to it.
"""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain, combinations
from math import comb

import numpy as np
from scipy import special

from mteval.base.arrays import FloatArray, StatArray
from mteval.base.words import counted
from mteval.stats.base import (
    TOLERANCE,
    UNDEFINED,
    Alternative,
    How,
    PairedResult,
    Score,
    sided,
    student_p_value,
    student_result,
)
from mteval.stats.interval import difference_over_units
from mteval.stats.procedures.randomization import p_value
from mteval.stats.procedures.spec import ProcedureSpec
from mteval.stats.resampling.draws import Draws, IndexArray, p_values_of_runs
from mteval.stats.resampling.streams import Chunk, chunks_of, seeds_of
from mteval.stats.runs import copies_or_single_runs, run_scores, welch
from mteval.values.notation import p_value as written_p

DIVISIONS_A_CHUNK = 10_000
DRAWS_AT_ONCE = 16
MOST_ENUMERATED = 200_000  # divisions: up to ten runs against ten


def welch_test(baseline: StatArray, system: StatArray, score: Score, how: How) -> PairedResult:
    """Welch's t-test of the mean run scores, with an interval.

    Assumes independent runs with nearly normal scores; their variances may differ. Refused, with a note and p = NaN,
    where a system has fewer than two runs or only copies of one.
    """
    difference, variance, df = welch(run_scores(baseline, score), run_scores(system, score))
    refusal = copies_or_single_runs(baseline, system) or (UNDEFINED if np.isnan(difference) else "")
    if refusal:
        return PairedResult(difference, note=refusal)
    return student_result(difference, variance, df, how.alternative, how.confidence)


def run_permutation(baseline: StatArray, system: StatArray, score: Score, how: How) -> PairedResult:
    """Permute whole runs between the systems; the statistic is the difference of the mean run scores.

    Assumes that under the null hypothesis the runs of both systems come from one distribution. Exact where all
    divisions of the runs can be enumerated, sampled ``n_resamples`` times otherwise. The note states the smallest p
    that so many runs can reach where that is above 0.05. Refused, with a note and p = NaN, where a system has fewer
    than two runs or only copies of one. Makes no interval.
    """
    baseline_scores, system_scores = run_scores(baseline, score), run_scores(system, score)
    difference = float(system_scores.mean() - baseline_scores.mean())
    refusal = copies_or_single_runs(baseline, system) or (UNDEFINED if np.isnan(difference) else "")
    if refusal:
        return PairedResult(difference, note=refusal)
    scores, n_system = np.concatenate([baseline_scores, system_scores]), len(system_scores)
    to_p, divisions = _divisions(len(scores), n_system, how)
    null = np.concatenate([_differences(scores, part) for part in divisions])
    smallest = smallest_p_value(len(baseline_scores), n_system, how.alternative)
    note = f"So few {{runs}} cannot reach a p-value below {written_p(smallest)}." if smallest > 0.05 else ""
    return PairedResult(difference, p_value=to_p(difference, null, how.alternative), null=null, note=note)


def smallest_p_value(n_baseline: int, n_system: int, alternative: Alternative) -> float:
    """Smallest p that the permutation of so many whole runs can reach.

    Of all ``C(n_A + n_B, n_A)`` divisions one is the observed; two-sided and with equal numbers its mirror image counts
    too.
    """
    n_extreme = 2 if alternative == "two-sided" and n_baseline == n_system else 1
    return n_extreme / comb(n_baseline + n_system, n_baseline)


def exact_p_value(observed: float, null: FloatArray, alternative: Alternative) -> float:
    """Share of all divisions, the observed one among them, that are at least as extreme."""
    return ((len(null) + 1) * p_value(observed, null, alternative) - 1) / len(null)


def _divisions(
    n_runs: int, n_system: int, how: How
) -> tuple[Callable[[float, FloatArray, Alternative], float], Iterable[IndexArray]]:
    """Every division of the runs or, of too many, random ones in parts, with what makes a p-value of them."""
    if comb(n_runs, n_system) <= MOST_ENUMERATED:
        return exact_p_value, [all_divisions(n_runs, n_system)]
    random = partial(random_divisions, how.seeds, n_runs=n_runs, n_system=n_system)
    return p_value, how.map_chunks(random, chunks_of(how.n_resamples, DIVISIONS_A_CHUNK))


def all_divisions(n_runs: int, n_system: int) -> IndexArray:
    """Every choice of the runs that stand for the system, shape ``(divisions, n_system)``."""
    runs = chain.from_iterable(combinations(range(n_runs), n_system))
    return np.fromiter(runs, dtype=np.int64, count=comb(n_runs, n_system) * n_system).reshape(-1, n_system)


def random_divisions(seeds: np.random.SeedSequence, chunk: Chunk, n_runs: int, n_system: int) -> IndexArray:
    """Random choices of the runs that stand for the system, shape ``(len(chunk), n_system)``."""
    generator = np.random.Generator(np.random.SFC64(seeds_of(seeds, chunk)))
    return generator.random((len(chunk), n_runs)).argsort(axis=1)[:, :n_system]


def _differences(scores: FloatArray, divisions: IndexArray) -> FloatArray:
    """Difference of the means in each division, shape ``(divisions,)``, from scores ``(runs,)``."""
    n_runs, n_system = len(scores), divisions.shape[1]
    chosen = scores[divisions].sum(axis=1)
    return np.asarray(chosen / n_system - (scores.sum() - chosen) / (n_runs - n_system))


def welch_p_values(baseline: StatArray, system: StatArray, score: Score, draws: Draws, how: How) -> FloatArray:
    """P-value of each draw by ``welch_test``, shape ``(draws,)``; pools have shape ``(runs, units, d)``."""
    scores = run_scores(baseline, score), run_scores(system, score)

    def test(chosen: IndexArray) -> list[float]:
        (draw,) = chosen
        pieces = welch(scores[0][draws.baseline[draw]], scores[1][draws.system[draw]])
        return [student_p_value(*pieces, how.alternative)]

    return p_values_of_runs(test, baseline, system, draws, how)


def run_permutation_p_values(
    baseline: StatArray, system: StatArray, score: Score, draws: Draws, how: How
) -> FloatArray:
    """P-value of each draw by ``run_permutation``, shape ``(draws,)``; all draws divide their runs in the same ways."""
    n = draws.n_runs
    to_p, parts = _divisions(2 * n, n, how)
    divisions = np.concatenate(list(parts))
    is_chosen = np.zeros((len(divisions), 2 * n))
    np.put_along_axis(is_chosen, divisions, 1.0, axis=1)
    drawn = (run_scores(baseline, score)[draws.baseline], run_scores(system, score)[draws.system])
    scores = np.concatenate(drawn, axis=1)

    def test(chosen: IndexArray) -> list[float]:
        nulls = (2 * is_chosen - 1) @ scores[chosen].T / n  # the mean of those chosen less the mean of the others
        observed = scores[chosen, n:].mean(axis=1) - scores[chosen, :n].mean(axis=1)
        return [
            to_p(float(difference), null, how.alternative) for difference, null in zip(observed, nulls.T, strict=True)
        ]

    return p_values_of_runs(test, baseline, system, draws, how, DRAWS_AT_ONCE)


RUN_PERMUTATION = ProcedureSpec(
    key="run-permutation",
    name="Permutation of whole {runs}",
    short_name="permutation of {runs}",
    luck="runs",
    summary=(
        "Divides the {runs} of both systems in every possible way. Assumes that {runs} can be exchanged; takes the test"
        " set as given. Three {runs} a system cannot go below p = 0.10, four can reach 0.03."
    ),
    function=run_permutation,
    units=("run",),
    resamples="divisions",
    null="signed",
    min_runs=2,
    on_draws=run_permutation_p_values,
)
WELCH = ProcedureSpec(
    key="welch",
    name="Welch's t-test over {runs}",
    short_name="Welch over {runs}",
    luck="runs",
    summary=(
        "Compares the mean {run} scores with how much {runs} differ, with an interval. Assumes independent {runs} with"
        " nearly normal scores; takes the test set as given. Welch 1947."
    ),
    function=welch_test,
    units=("run",),
    min_runs=2,
    on_draws=welch_p_values,
)


def sign_test(baseline: StatArray, system: StatArray, score: Score, how: How) -> PairedResult:
    """Is the system better on more than half of the segments? Exact binomial; those without a difference are left out.

    Assumes independent segments. Says nothing of how large the differences are. Makes no interval.
    """
    gains = _gains(baseline, system, score)
    difference = float(gains.mean())
    if np.isnan(difference):
        return PairedResult(difference, note=UNDEFINED)
    n_better, n_worse = (int(np.count_nonzero(sign * gains > TOLERANCE)) for sign in (1, -1))
    greater = float(special.bdtrc(n_better - 1, n_better + n_worse, 0.5)) if n_better else 1.0
    p = sided(greater, float(special.bdtr(n_better, n_better + n_worse, 0.5)), how.alternative)
    return PairedResult(difference, p_value=p, note=f"Better on {counted(n_better, 'unit')}, worse on {n_worse}.")


def wilcoxon_test(baseline: StatArray, system: StatArray, score: Score, how: How) -> PairedResult:
    """Wilcoxon's signed-rank test (SciPy's), segments without a difference left out.

    Assumes independent segments whose differences are distributed symmetrically. Makes no interval.
    """
    from scipy.stats import wilcoxon  # here, because it takes most of a second to import

    gains = _gains(baseline, system, score)
    difference = float(gains.mean())
    if np.isnan(difference):
        return PairedResult(difference, note=UNDEFINED)
    different = np.round(gains[np.abs(gains) > TOLERANCE], 9)  # so that rounding does not break ties of ranks
    p = float(wilcoxon(different, alternative=how.alternative).pvalue) if len(different) else 1.0
    return PairedResult(difference, p_value=p)


def paired_t_test(baseline: StatArray, system: StatArray, score: Score, how: How) -> PairedResult:
    """Student's t for paired segments or documents, with an interval of the difference.

    Assumes independent units, and enough of them for their mean difference to be nearly normal.
    """
    return difference_over_units(baseline, system, score, how.confidence, how.unit_sizes, how.alternative)


def _gains(baseline: StatArray, system: StatArray, score: Score) -> FloatArray:
    """Differences of unit scores averaged over runs, shape ``(units,)``."""
    averages = [score(runs.astype(np.float64)).mean(axis=0) for runs in (baseline, system)]
    return np.asarray(averages[1] - averages[0])


SIGN = ProcedureSpec(
    key="sign",
    name="Sign test",
    short_name="sign test",
    luck="test-set",
    summary=(
        "Counts the segments on which either system is better, averaged over {runs}. Assumes independent segments;"
        " blind to how large differences are. Only for metrics that are means of segment scores."
    ),
    function=sign_test,
    needs_segment_mean=True,
)
WILCOXON = ProcedureSpec(
    key="wilcoxon",
    name="Wilcoxon signed-rank test",
    short_name="signed ranks",
    luck="test-set",
    summary=(
        "Compares the ranks of segment differences, averaged over {runs}. Assumes independent segments with"
        " symmetric differences. Only for metrics that are means of segment scores. Wilcoxon 1945."
    ),
    function=wilcoxon_test,
    needs_segment_mean=True,
)
PAIRED_T = ProcedureSpec(
    key="paired-t",
    name="Paired t-test",
    short_name="paired t",
    luck="test-set",
    summary=(
        "Student's t on what segments contribute to the difference, averaged over {runs}, with an interval. Assumes"
        " independent segments, enough of them for a normal mean and a score that is nearly linear in them; documents"
        " of unequal size by the jackknife. Tukey 1958; Efron 1982."
    ),
    function=paired_t_test,
    shows_equal=("document",),
)
