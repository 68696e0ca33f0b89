from itertools import combinations

import numpy as np
import pytest

from mteval.stats.replication import fresh_median_within, median_weights, median_within
from mteval.stats.runs import median_run

SCORES = np.random.default_rng(2).normal(30, 1, 9)


@pytest.mark.parametrize("k", range(1, 10))
def test_weights_are_those_of_all_combinations(k: int):
    counts = np.zeros(9)
    chosen = list(combinations(range(9), k))
    for runs in chosen:
        counts[runs[median_run(SCORES[list(runs)])]] += 1
    np.testing.assert_allclose(median_weights(SCORES, k), counts / len(chosen), atol=1e-15)


def test_the_share_within_reach_is_counted_on_the_set_where_the_run_is_read():
    other = SCORES + np.random.default_rng(3).normal(0, 1, 9)
    for read in (None, other):
        values = SCORES if read is None else read
        medians = [values[runs[median_run(SCORES[runs])]] for runs in map(list, combinations(range(9), 3))]
        share = np.mean(np.abs(np.array(medians) - values.mean()) <= 0.6)
        assert median_within(SCORES, 3, 0.6, read) == pytest.approx(share)


@pytest.mark.parametrize("k", [1, 2, 5, 8])
def test_fresh_runs_agree_with_simulation(k: int):
    n_draws = 20_000
    drawn = np.sort(np.random.default_rng(k).normal(0, 2, (n_draws, k)), axis=1)[:, k // 2]
    share = np.mean(np.abs(drawn) <= 1.1)
    assert fresh_median_within(2, k, 1.1) == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / n_draws))


def test_runs_that_never_vary_are_always_representative():
    assert fresh_median_within(0, 3, 0.1) == 1
    assert median_within(np.full(4, 3.0), 2, 0.1) == 1
