"""Classical tests on segments: the systems are compared one by one, averaged over runs, which are taken as given.

For a metric whose corpus score is no mean of segment scores (BLEU, TER) the sign and the rank test would answer another
question than the corpus score asks; Student's t takes what each segment contributes to it.
"""

import numpy as np
from scipy import special

from mteval.base.arrays import FloatArray, StatArray
from mteval.base.words import counted
from mteval.stats.base import TOLERANCE, UNDEFINED, How, PairedResult, Score
from mteval.stats.interval import difference_over_units
from mteval.stats.procedures.spec import ProcedureSpec


def sign_test(baseline: StatArray, system: StatArray, score: Score, how: How) -> PairedResult:
    """Is the system better on more than half of the segments? Exact binomial; those without a difference are left out.

    Assumes independent segments. Says nothing of how large the differences are. Makes no interval.
    """
    gains = _gains(baseline, system, score)
    difference = float(gains.mean())
    if np.isnan(difference):
        return PairedResult(difference, note=UNDEFINED)
    n_better = int(np.count_nonzero(gains > TOLERANCE))
    n_worse = int(np.count_nonzero(gains < -TOLERANCE))
    n = n_better + n_worse
    greater = float(special.bdtrc(n_better - 1, n, 0.5)) if n_better else 1.0
    less = float(special.bdtr(n_better, n, 0.5))
    p = {"greater": greater, "less": less, "two-sided": min(1.0, 2 * min(greater, less))}[how.alternative]
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
