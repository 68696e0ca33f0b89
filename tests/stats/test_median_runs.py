from itertools import combinations

import numpy as np
import pytest

from mteval.stats.replication import fresh_median_within, median_weights, median_within
from mteval.stats.runs import median_run

SCORES = np.random.default_rng(2).normal(30, 1, 9)


@pytest.mark.parametrize("k", range(1, 10))
def test_weights_are_those_of_all_combinations(k: int):
    medians = median_runs(k)
    shares = np.bincount(medians, minlength=9) / len(medians)
    np.testing.assert_allclose(median_weights(SCORES, k), shares, atol=1e-15)


def median_runs(k: int) -> list[int]:
    """The median run of each combination of k runs."""
    medians = []
    for runs in combinations(range(9), k):
        place = median_run(SCORES[list(runs)])
        medians.append(runs[place])
    return medians


def test_the_share_within_reach_is_counted_on_the_set_where_the_run_is_read():
    of_medians = SCORES[median_runs(3)]
    share = np.mean(np.abs(of_medians - SCORES.mean()) <= 0.6)
    assert median_within(SCORES, 3, 0.6, None) == pytest.approx(share)

    scores_elsewhere = SCORES + np.random.default_rng(3).normal(0, 1, 9)
    of_medians = scores_elsewhere[median_runs(3)]
    share = np.mean(np.abs(of_medians - scores_elsewhere.mean()) <= 0.6)
    assert median_within(SCORES, 3, 0.6, scores_elsewhere) == pytest.approx(share)


@pytest.mark.parametrize("k", [1, 2, 5, 8])
def test_fresh_runs_agree_with_simulation(k: int):
    n_draws = 20_000
    draws = np.random.default_rng(k).normal(0, 2, (n_draws, k))
    medians = np.sort(draws, axis=1)[:, k // 2]
    share = np.mean(np.abs(medians) <= 1.1)
    error = np.sqrt(share * (1 - share) / n_draws)
    assert fresh_median_within(2, k, 1.1) == pytest.approx(share, abs=4 * error)


def test_runs_that_never_vary_are_always_representative():
    assert fresh_median_within(0, 3, 0.1) == 1
    assert median_within(np.full(4, 3.0), 2, 0.1) == 1
