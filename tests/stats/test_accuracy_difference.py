"""The interval of a difference of accuracies of which few items differ; oracles are exact intervals and coverage."""

import numpy as np
import pytest
from scipy import stats

import mteval
from mteval.stats.interval import accuracy_difference_interval


def test_without_losses_it_is_near_the_exact_interval_of_the_wins() -> None:
    gains = np.zeros(100)
    gains[:4] = 1
    low, high = accuracy_difference_interval(gains, 0.95)
    exact = stats.binomtest(4, 100).proportion_ci(0.95, "exact")
    assert -0.01 < low <= 0.0
    assert high == pytest.approx(exact.high, abs=0.004)


def test_it_turns_with_the_sign_and_contains_zero_and_the_difference() -> None:
    gains = np.array([1.0] * 3 + [-1.0] + [0.0] * 30)
    low, high = accuracy_difference_interval(gains, 0.95)
    assert low <= 0 <= gains.mean() <= high
    assert accuracy_difference_interval(-gains, 0.95) == pytest.approx((-high, -low))


@pytest.mark.parametrize(("n_items", "accuracy", "difference"), [(20, 0.9, 0.05), (50, 0.95, 0.03), (200, 0.98, 0.01)])
def test_with_few_differing_items_it_covers_the_truth_where_student_does_not_always(
    n_items: int, accuracy: float, difference: float
) -> None:
    generator = np.random.default_rng(n_items)
    n_covered = 0
    n_simulated = 500
    for _ in range(n_simulated):
        # One uniform number per item and for both systems: few items differ
        common = generator.random(n_items)
        own = np.where(generator.random(n_items) < 0.02, generator.random(n_items), common)
        gains = (own < accuracy + difference).astype(float) - (common < accuracy)
        low, high = accuracy_difference_interval(gains, 0.95)
        n_covered += low - 1e-9 <= difference <= high + 1e-9
    assert n_covered / n_simulated >= 0.93


def test_a_verdict_on_few_differing_answers_has_an_interval() -> None:
    right = [1.0] * 40 + [0.0] * 10
    better = [1.0] * 43 + [0.0] * 7
    comparison = mteval.compare_scores({"old": [right], "new": [better]}, "accuracy")
    (verdict,) = comparison.results.verdicts()
    assert verdict.low_test_set <= 0 < verdict.difference < verdict.high_test_set < 0.25
