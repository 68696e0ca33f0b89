"""The test of Pitman and Morgan beside SciPy's correlation, and its level where spreads are equal."""

import numpy as np
import pytest
from scipy.stats import pearsonr

from mteval.stats.runs import equal_spread_p_value


@pytest.mark.parametrize("n_runs", [3, 4, 10, 50])
def test_it_is_the_test_of_the_correlation_of_sums_and_differences(n_runs: int) -> None:
    draw = np.random.default_rng(n_runs)
    one, other = draw.normal(size=n_runs), 1.5 * draw.normal(size=n_runs)
    assert equal_spread_p_value(one, other) == pytest.approx(pearsonr(one + other, one - other).pvalue)
    assert equal_spread_p_value(one, other) == pytest.approx(equal_spread_p_value(other, one)), "two-sided"


def test_equal_spreads_of_scores_that_depend_on_one_another_are_found_different_as_often_as_the_level_says() -> None:
    draw = np.random.default_rng(5)
    shared = draw.normal(size=(2000, 4))
    one, other = (shared + draw.normal(size=shared.shape) for _ in range(2))
    p_values = np.array([equal_spread_p_value(*pair) for pair in zip(one, other + 7, strict=True)])
    assert 0.035 < np.mean(p_values <= 0.05) < 0.065


def test_a_spread_ten_times_as_large_is_found() -> None:
    draw = np.random.default_rng(1)
    assert equal_spread_p_value(draw.normal(size=8), 10 * draw.normal(size=8)) < 0.001


def test_two_runs_and_runs_that_do_not_vary_tell_nothing() -> None:
    assert np.isnan(equal_spread_p_value([1.0, 2.0], [1.0, 5.0]))
    assert np.isnan(equal_spread_p_value([1.0, 1.0, 1.0], [2.0, 2.0, 2.0]))


def test_one_spread_of_nothing_beside_any_other_is_told_apart_by_the_correlation_alone() -> None:
    assert equal_spread_p_value([1.0, 1.0, 1.0], [1.0, 2.0, 5.0]) == 0.0
