from itertools import combinations
from statistics import NormalDist

import numpy as np
import pytest

from mteval.stats.replication import MOST_COMBINATIONS, differences_by_k, fresh_outlook, fresh_variance, pool_outlook
from mteval.stats.resampling.streams import seeds_for

SEEDS = seeds_for(1, "replication")


def scores(n_baseline: int, n_system: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores of so many runs of the baseline and of the system."""
    generator = np.random.default_rng(5)
    baseline = generator.normal(30, 0.5, n_baseline)
    system = generator.normal(30.6, 0.8, n_system)
    return baseline, system


def hypergeometric(baseline: np.ndarray, system: np.ndarray, k: int) -> float:
    """Variance over all combinations of k runs: they share runs, so it is 0 where they take all of them."""
    return sum(np.var(runs, ddof=1) / k * (1 - k / len(runs)) for runs in (baseline, system))


def test_few_combinations_are_all_there():
    baseline, system = scores(6, 5)
    for differences in differences_by_k(baseline, system, range(1, 6), SEEDS):
        expected = []
        for baseline_runs in combinations(baseline, differences.k):
            for system_runs in combinations(system, differences.k):
                expected.append(np.mean(system_runs) - np.mean(baseline_runs))
        assert differences.is_exact
        assert differences.n_combinations == len(expected)
        np.testing.assert_allclose(np.sort(differences.values), np.sort(expected))


def test_the_spread_over_all_combinations_is_the_hypergeometric_one():
    baseline, system = scores(8, 9)
    for differences in differences_by_k(baseline, system, range(1, 9), SEEDS):
        assert differences.is_exact == (differences.n_combinations <= MOST_COMBINATIONS)
        tolerance = 5 * np.sqrt(2 / MOST_COMBINATIONS)
        if differences.is_exact:
            tolerance = 1e-10
        expected = hypergeometric(baseline, system, differences.k)
        assert differences.values.var() == pytest.approx(expected, rel=tolerance, abs=1e-20)


def test_drawn_combinations_have_the_hypergeometric_spread_and_mean():
    baseline, system = scores(30, 25)
    for differences in differences_by_k(baseline, system, (3, 10, 24, 25), SEEDS):
        if differences.k != 25:
            assert not differences.is_exact
        variance = hypergeometric(baseline, system, differences.k)
        n_values = len(differences.values)
        assert n_values == min(MOST_COMBINATIONS, differences.n_combinations)
        assert differences.values.var() == pytest.approx(variance, rel=5 * np.sqrt(2 / n_values))
        error = np.sqrt(variance / n_values)
        assert differences.values.mean() == pytest.approx(system.mean() - baseline.mean(), abs=5 * error)


def test_no_combination_is_drawn_twice():
    # Sums over the runs of a combination tell which they are.
    baseline = 2.0 ** np.arange(19)
    system = 2.0 ** (19 + np.arange(19))
    (differences,) = differences_by_k(baseline, system, (2,), SEEDS)  # 29,241 combinations: all
    assert differences.is_exact

    baseline = 2.0 ** np.arange(23)
    system = 2.0 ** (23 + np.arange(23))
    (differences,) = differences_by_k(baseline, system, (2,), SEEDS)  # 64,009, of which most are drawn
    assert not differences.is_exact
    assert len(np.unique(differences.values)) == MOST_COMBINATIONS


def test_the_wrong_sign_and_half_the_difference_are_counted():
    outlook = pool_outlook(np.array([-1.0, 0.0, 1.0, 2.0, 3.0]), 2.0)
    assert outlook.wrong_sign == 0.2
    assert outlook.at_least_half == 0.6
    assert pool_outlook(np.array([1.0, 0.0, -1.0, -2.0, -3.0]), -2.0).wrong_sign == 0.2
    assert np.isnan(pool_outlook(np.array([1.0, -1.0]), 0.0).wrong_sign)


def test_fresh_runs_follow_the_normal_curve():
    baseline, system = scores(12, 12)
    for k in (1, 4):
        deviation = np.sqrt(fresh_variance(baseline, system, k))
        assert deviation == pytest.approx(np.sqrt((baseline.var(ddof=1) + system.var(ddof=1)) / k))
        curve = NormalDist(-0.8, deviation)
        outlook = fresh_outlook(-0.8, deviation)
        assert outlook.low == pytest.approx(curve.inv_cdf(0.025))
        assert outlook.high == pytest.approx(curve.inv_cdf(0.975))
        assert outlook.wrong_sign == pytest.approx(1 - curve.cdf(0))
        assert outlook.at_least_half == pytest.approx(curve.cdf(-0.4))
    assert np.isnan(fresh_outlook(0.5, 0.0).wrong_sign)
