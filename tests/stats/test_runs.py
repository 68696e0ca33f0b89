import numpy as np
import pytest
from scipy.stats import ttest_ind

from mteval.stats.runs import median_run, satterthwaite, summarize_runs, welch

BASELINE = np.array([18.538889, 18.464451, 18.577084])  # MultEval's BLEU of its example's runs
SYSTEM = np.array([18.986909, 18.474014, 18.979487])


def test_runs_are_summarised_as_multeval_prints_them():
    summary = summarize_runs(SYSTEM)
    assert (summary.n_runs, summary.median_run) == (3, 2)
    assert summary.mean == pytest.approx(18.813470, abs=1e-6)
    assert summary.s_opt == pytest.approx(0.294001, abs=1e-6)
    assert (summary.minimum, summary.maximum) == (18.474014, 18.986909)


def test_one_run_has_no_spread_rather_than_none_at_all():
    summary = summarize_runs([20.0])
    assert np.isnan(summary.s_opt)
    assert (summary.mean, summary.median_run) == (20.0, 0)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [([3.0, 1.0, 2.0], 2), ([4.0, 1.0, 3.0, 2.0], 2), ([2.0, 1.0, 2.0], 0), ([5.0, 5.0], 0), ([1.0, 9.0], 1)],
)
def test_the_median_run_is_the_upper_middle_one_and_the_earliest_of_equals(scores: list[float], expected: int):
    assert median_run(np.array(scores)) == expected


def test_welch_has_scipys_degrees_of_freedom_and_error():
    (difference, variance, df), scipys = welch(BASELINE, SYSTEM), ttest_ind(SYSTEM, BASELINE, equal_var=False)
    assert df == pytest.approx(scipys.df)
    assert difference / np.sqrt(variance) == pytest.approx(scipys.statistic)


def test_welch_is_undefined_for_one_run():
    assert np.isnan(welch(BASELINE[:1], SYSTEM)[1])


def test_degrees_of_freedom_of_one_term_are_its_own_and_of_none_undefined():
    assert satterthwaite([3.0, 0.0], [7, 2]) == pytest.approx(7)
    assert np.isnan(satterthwaite([0.0, 0.0], [7, 2]))
