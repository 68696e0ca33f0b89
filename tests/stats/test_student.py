import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.weightstats import ttost_ind

from mteval.stats.base import student_result
from mteval.stats.interval import equivalence
from mteval.stats.runs import welch


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_p_value_and_interval_are_students(alternative):
    result = student_result(1.2, 0.36, 4.5, alternative, 0.9)
    expected = {"two-sided": 2 * stats.t.sf(2, 4.5), "greater": stats.t.sf(2, 4.5), "less": stats.t.cdf(2, 4.5)}
    assert result.p_value == pytest.approx(expected[alternative])
    np.testing.assert_allclose((result.low, result.high), stats.t.interval(0.9, 4.5, 1.2, 0.6))
    assert (result.standard_error, result.df) == (pytest.approx(0.6), 4.5)


def test_where_nothing_varies_equal_systems_have_p_one_and_others_are_refused():
    assert student_result(0.0, 0.0, float("nan"), "two-sided", 0.95).p_value == 1.0
    refused = student_result(0.5, 0.0, float("nan"), "two-sided", 0.95)
    assert np.isnan(refused.p_value)
    assert "do not vary" in refused.note


@pytest.mark.parametrize("margin", [0.05, 0.4, 1.5])
def test_equivalence_is_statsmodels_two_one_sided_tests(margin: float):
    generator = np.random.default_rng(4)
    baseline, system = generator.normal(20, 0.3, 6), generator.normal(20.1, 0.5, 4)
    result = student_result(*welch(baseline, system), "two-sided", 0.95)
    expected = ttost_ind(system, baseline, -margin, margin, usevar="unequal")[0]
    assert equivalence(result, margin, 0.05).p_value == pytest.approx(expected)
