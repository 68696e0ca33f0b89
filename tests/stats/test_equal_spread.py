"""The test of Pitman and Morgan beside SciPy's correlation, and its level where spreads are equal."""

import numpy as np
import pytest
from scipy.stats import pearsonr

from mteval.stats.runs import equal_spread_p_value


@pytest.mark.parametrize("n_runs", [3, 4, 10, 50])
def test_it_is_the_test_of_the_correlation_of_sums_and_differences(n_runs: int) -> None:
    generator = np.random.default_rng(n_runs)
    narrow = generator.normal(size=n_runs)
    wide = 1.5 * generator.normal(size=n_runs)
    p_value = equal_spread_p_value(narrow, wide)
    assert p_value == pytest.approx(pearsonr(narrow + wide, narrow - wide).pvalue)
    assert p_value == pytest.approx(equal_spread_p_value(wide, narrow)), "two-sided"


def test_equal_spreads_of_scores_that_depend_on_one_another_are_found_different_as_often_as_the_level_says() -> None:
    generator = np.random.default_rng(5)
    shared = generator.normal(size=(2000, 4))
    on_dev = shared + generator.normal(size=shared.shape)
    on_test = shared + generator.normal(size=shared.shape) + 7
    p_values = np.array([equal_spread_p_value(dev, test) for dev, test in zip(on_dev, on_test, strict=True)])
    assert 0.035 < np.mean(p_values <= 0.05) < 0.065


def test_a_spread_ten_times_as_large_is_found() -> None:
    generator = np.random.default_rng(1)
    narrow = generator.normal(size=8)
    wide = 10 * generator.normal(size=8)
    assert equal_spread_p_value(narrow, wide) < 0.001


def test_two_runs_and_runs_that_do_not_vary_tell_nothing() -> None:
    assert np.isnan(equal_spread_p_value([1.0, 2.0], [1.0, 5.0]))
    assert np.isnan(equal_spread_p_value([1.0, 1.0, 1.0], [2.0, 2.0, 2.0]))


def test_one_spread_of_nothing_beside_any_other_is_told_apart_by_the_correlation_alone() -> None:
    assert equal_spread_p_value([1.0, 1.0, 1.0], [1.0, 2.0, 5.0]) == 0.0
