"""Classical tests: over run scores with the test set taken as given, and over segments with the runs taken as given.

The sign and the rank test need a metric that averages segment scores, unlike BLEU and TER. Student's t uses each
segment's contribution to the corpus score.
"""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain, combinations
from math import comb

import numpy as np
from scipy import special

from mteval.base.arrays import FloatArray, StatArray
from mteval.stats.base import TOLERANCE, UNDEFINED, Alternative, How, PairedResult, Score, sided, student_result
from mteval.stats.interval import difference_over_units
from mteval.stats.procedures.randomization import p_value
from mteval.stats.procedures.spec import ProcedureSpec
from mteval.stats.resampling.draws import Draws, IndexArray, p_values_of_runs
from mteval.stats.resampling.streams import Chunk, chunks_of, seeds_of
from mteval.stats.runs import copies_or_single_runs, run_scores, welch
from mteval.values.notation import p_value as written_p

MOST_DIVISIONS = 200_000  # that are all enumerated: up to ten runs against ten
CHUNK = 10_000  # random divisions of a work item
DRAWS_AT_ONCE = 16  # of runs, tested by one product of matrices


def welch_test(baseline: StatArray, system: StatArray, score: Score, how: How) -> PairedResult:
    """Welch's t-test of the mean run scores, with an interval.

    Assumes independent runs with nearly normal scores; variances may differ. Refused (p = NaN, with a note) if a system
    has fewer than two runs or only copies of one.
    """
    difference, variance, df = welch(run_scores(baseline, score), run_scores(system, score))
    refusal = _refusal(baseline, system, difference)
    if refusal:
        return PairedResult(difference, note=refusal)
    return student_result(difference, variance, df, how.alternative, how.confidence)


def run_permutation(baseline: StatArray, system: StatArray, score: Score, how: How) -> PairedResult:
    """Permute whole runs between the systems; the statistic is the difference of the mean run scores.

    Assumes exchangeable runs under the null hypothesis. Exact if all divisions can be enumerated, else ``n_resamples``
    random ones. A note gives the smallest possible p if it is above 0.05. Refused (p = NaN, with a note) if a system
    has fewer than two runs or only copies of one. No interval.
    """
    baseline_scores = run_scores(baseline, score)
    system_scores = run_scores(system, score)
    difference = float(system_scores.mean() - baseline_scores.mean())
    refusal = _refusal(baseline, system, difference)
    if refusal:
        return PairedResult(difference, note=refusal)

    scores = np.concatenate([baseline_scores, system_scores])
    n_system = len(system_scores)
    to_p, divisions = _divisions(len(scores), n_system, how)
    null = np.concatenate([_differences(scores, part) for part in divisions])
    smallest = smallest_p_value(len(baseline_scores), n_system, how.alternative)
    note = ""
    if smallest > 0.05:
        note = f"With so few {{runs}}, p cannot be below {written_p(smallest)}."
    return PairedResult(difference, p_value=to_p(difference, null, how.alternative), null=null, note=note)


def _refusal(baseline: StatArray, system: StatArray, difference: float) -> str:
    """Return why a test over run scores has no answer; empty if it has one."""
    reason = copies_or_single_runs(baseline, system)
    if not reason and np.isnan(difference):
        reason = UNDEFINED
    return reason


def smallest_p_value(n_baseline: int, n_system: int, alternative: Alternative) -> float:
    """Return the smallest possible p of a permutation of that many runs.

    One of ``C(n_A + n_B, n_A)`` divisions is the observed one; its mirror image counts too for two-sided tests with
    equal numbers of runs.
    """
    n_extreme = 1
    if alternative == "two-sided" and n_baseline == n_system:
        n_extreme = 2
    return n_extreme / comb(n_baseline + n_system, n_baseline)


def exact_p_value(observed: float, null: FloatArray, alternative: Alternative) -> float:
    """Return the share of all divisions, including the observed one, that are at least as extreme."""
    # ``p_value`` counts the observed division once more than the null distribution has it: (c + 1) / (R + 1)
    n_extreme = (len(null) + 1) * p_value(observed, null, alternative) - 1
    return n_extreme / len(null)


def _divisions(
    n_runs: int, n_system: int, how: How
) -> tuple[Callable[[float, FloatArray, Alternative], float], Iterable[IndexArray]]:
    """Return the p-value function, and all divisions of the runs or chunks of random ones.

    Among all divisions is the observed one; among random ones it must be counted besides.
    """
    if comb(n_runs, n_system) <= MOST_DIVISIONS:
        return exact_p_value, [all_divisions(n_runs, n_system)]
    random = partial(random_divisions, how.seeds, n_runs=n_runs, n_system=n_system)
    return p_value, how.map_chunks(random, chunks_of(how.n_resamples, CHUNK))


def all_divisions(n_runs: int, n_system: int) -> IndexArray:
    """Return every choice of ``n_system`` runs, shape ``(divisions, n_system)``."""
    runs = chain.from_iterable(combinations(range(n_runs), n_system))
    return np.fromiter(runs, dtype=np.int64, count=comb(n_runs, n_system) * n_system).reshape(-1, n_system)


def random_divisions(seeds: np.random.SeedSequence, chunk: Chunk, n_runs: int, n_system: int) -> IndexArray:
    """Return random choices of ``n_system`` runs, shape ``(len(chunk), n_system)``."""
    generator = np.random.Generator(np.random.SFC64(seeds_of(seeds, chunk)))
    # The order of random numbers is a random order of the runs
    return generator.random((len(chunk), n_runs)).argsort(axis=1)[:, :n_system]


def _differences(scores: FloatArray, divisions: IndexArray) -> FloatArray:
    """Return the difference of means per division, shape ``(divisions,)``, from scores ``(runs,)``."""
    n_system = divisions.shape[1]
    n_baseline = len(scores) - n_system
    system_sums = scores[divisions].sum(axis=1)
    return np.asarray(system_sums / n_system - (scores.sum() - system_sums) / n_baseline)


def welch_p_values(baseline: StatArray, system: StatArray, score: Score, draws: Draws, how: How) -> FloatArray:
    """Return the ``welch_test`` p-value of each draw from pools ``(runs, units, d)``, shape ``(draws,)``."""
    baseline_scores = run_scores(baseline, score)
    system_scores = run_scores(system, score)

    def test(places: IndexArray) -> list[float]:
        (draw,) = places
        difference, variance, df = welch(baseline_scores[draws.baseline[draw]], system_scores[draws.system[draw]])
        return [student_result(difference, variance, df, how.alternative, how.confidence).p_value]

    return p_values_of_runs(test, baseline, system, draws, how)


def run_permutation_p_values(
    baseline: StatArray, system: StatArray, score: Score, draws: Draws, how: How
) -> FloatArray:
    """Return the ``run_permutation`` p-value of each draw, shape ``(draws,)``; all draws share the divisions."""
    n = draws.n_runs
    to_p, parts = _divisions(2 * n, n, how)
    divisions = np.concatenate(list(parts))
    is_system = np.zeros((len(divisions), 2 * n))  # whether a division gives each run to the system
    np.put_along_axis(is_system, divisions, 1.0, axis=1)
    # Scores of the drawn runs, the baseline's first, shape ``(draws, 2 n)``
    baseline_scores = run_scores(baseline, score)[draws.baseline]
    system_scores = run_scores(system, score)[draws.system]
    scores = np.concatenate([baseline_scores, system_scores], axis=1)

    def test(places: IndexArray) -> list[float]:
        # Mean of the runs that a division gives to the system, less that of the others; shape ``(divisions, draws)``.
        # Both have n runs, so each run counts 1 / n or -1 / n.
        nulls = (2 * is_system - 1) @ scores[places].T / n
        observed = scores[places, n:].mean(axis=1) - scores[places, :n].mean(axis=1)
        p_values = []
        for difference, null in zip(observed, nulls.T, strict=True):
            p_values.append(to_p(float(difference), null, how.alternative))
        return p_values

    return p_values_of_runs(test, baseline, system, draws, how, DRAWS_AT_ONCE)


RUN_PERMUTATION = ProcedureSpec(
    key="run-permutation",
    name="Permutation of whole {runs}",
    luck="runs",
    summary=(
        "Permutes whole {runs} between the systems. Assumes exchangeable {runs}; takes the test set as given. The"
        " smallest possible p is 0.100 with three {runs} per system and 0.029 with four."
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
    luck="runs",
    summary=(
        "Tests the difference of mean {run} scores against the variance between {runs}, and gives an interval. Assumes"
        " independent {runs} with nearly normal scores; takes the test set as given. Welch (1947)."
    ),
    function=welch_test,
    units=("run",),
    min_runs=2,
    on_draws=welch_p_values,
)


def sign_test(baseline: StatArray, system: StatArray, score: Score, how: How) -> PairedResult:
    """Exact binomial test of whether the system scores higher on more than half of the segments; ties are skipped.

    Assumes independent segments. Ignores the size of differences. No interval.
    """
    gains = _gains(baseline, system, score)
    difference = float(gains.mean())
    if np.isnan(difference):
        return PairedResult(difference, note=UNDEFINED)
    n_higher = int(np.count_nonzero(gains > TOLERANCE))
    n_lower = int(np.count_nonzero(-gains > TOLERANCE))
    n = n_higher + n_lower
    greater = 1.0  # p of at least so many; if there are none, SciPy would return NaN
    if n_higher:
        greater = float(special.bdtrc(n_higher - 1, n, 0.5))
    less = float(special.bdtr(n_higher, n, 0.5))
    p = sided(greater, less, how.alternative)
    return PairedResult(difference, p_value=p, n_higher=n_higher, n_lower=n_lower)


def wilcoxon_test(baseline: StatArray, system: StatArray, score: Score, how: How) -> PairedResult:
    """Wilcoxon's signed-rank test (SciPy's); ties are skipped.

    Assumes independent {units} with symmetric differences. No interval.
    """
    from scipy.stats import wilcoxon  # here, because it takes most of a second to import

    gains = _gains(baseline, system, score)
    difference = float(gains.mean())
    if np.isnan(difference):
        return PairedResult(difference, note=UNDEFINED)
    different = np.round(gains[np.abs(gains) > TOLERANCE], 9)  # so that rounding does not break ties of ranks
    p = 1.0
    if len(different):
        p = float(wilcoxon(different, alternative=how.alternative).pvalue)
    return PairedResult(difference, p_value=p)


def paired_t_test(baseline: StatArray, system: StatArray, score: Score, how: How) -> PairedResult:
    """Student's t for paired segments or documents, with an interval.

    Assumes independent units with a nearly normal mean difference.
    """
    return difference_over_units(baseline, system, score, how.confidence, how.unit_sizes, how.alternative)


def _gains(baseline: StatArray, system: StatArray, score: Score) -> FloatArray:
    """Return differences of unit scores averaged over runs, shape ``(units,)``."""
    baseline_means = score(baseline.astype(np.float64)).mean(axis=0)
    system_means = score(system.astype(np.float64)).mean(axis=0)
    return np.asarray(system_means - baseline_means)


SIGN = ProcedureSpec(
    key="sign",
    name="Sign test",
    summary=(
        "Counts the {units} on which each system is better, averaged over {runs}. Ignores the size of differences."
        " Assumes independent {units}. Only for metrics that average segment scores."
    ),
    function=sign_test,
    needs_segment_mean=True,
)
WILCOXON = ProcedureSpec(
    key="wilcoxon",
    name="Wilcoxon signed-rank test",
    summary=(
        "Compares the ranks of {unit} differences, averaged over {runs}. Assumes independent {units} with symmetric"
        " differences. Only for metrics that average segment scores. Wilcoxon (1945)."
    ),
    function=wilcoxon_test,
    needs_segment_mean=True,
)
PAIRED_T = ProcedureSpec(
    key="paired-t",
    name="Paired t-test",
    summary=(
        "Student's t on each {unit}'s contribution to the difference, averaged over {runs}; gives an interval. Assumes"
        " independent {units}, a nearly normal mean and a nearly linear score. Documents enter as jackknife"
        " pseudo-values. Tukey (1958); Efron (1982)."
    ),
    function=paired_t_test,
    shows_equal=("document",),
)
