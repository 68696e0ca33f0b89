import numpy as np
import pytest
from scipy import stats

from mteval.stats.replication import probability_of_superiority


def test_it_is_the_mann_whitney_share_with_ties_counting_half():
    """Of the twelve pairs of runs."""
    baseline = np.array([1.0, 2.0, 2.0, 5.0])
    system = np.array([2.0, 3.0, 6.0])
    superiority = probability_of_superiority(baseline, system, 0.95)
    assert superiority.value == pytest.approx(stats.mannwhitneyu(system, baseline).statistic / 12)
    assert superiority.low < superiority.value < superiority.high


def test_swapping_the_systems_mirrors_it():
    baseline, system = np.random.default_rng(0).normal(size=(2, 6))
    forth = probability_of_superiority(baseline, system, 0.9)
    back = probability_of_superiority(system, baseline, 0.9)
    np.testing.assert_allclose(back.value, 1 - forth.value)
    np.testing.assert_allclose(back.low, 1 - forth.high)
    np.testing.assert_allclose(back.high, 1 - forth.low)


def test_complete_separation_keeps_an_open_side_and_one_run_has_no_interval():
    separate = probability_of_superiority(np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0]), 0.95)
    assert (separate.value, separate.high) == (1.0, 1.0)
    assert 0.3 < separate.low < 0.5
    single = probability_of_superiority(np.array([1.0]), np.array([2.0, 3.0]), 0.95)
    assert np.isnan([single.low, single.high]).all()


@pytest.mark.parametrize(("runs", "shift"), [((3, 3), 0.0), ((5, 5), 1.0), ((3, 10), 0.5), ((20, 20), 1.5)])
def test_the_interval_covers_the_truth_as_often_as_it_says(runs: tuple[int, int], shift: float):
    """The difference of two normal draws has the variance 2, so the truth is the normal share below shift / √2."""
    generator = np.random.default_rng(1)
    truth = stats.norm.cdf(shift / np.sqrt(2))
    n_baseline, n_system = runs
    n_covered = 0
    for _ in range(600):
        baseline = generator.normal(size=n_baseline)
        system = generator.normal(shift, size=n_system)
        superiority = probability_of_superiority(baseline, system, 0.95)
        n_covered += superiority.low <= truth <= superiority.high
    assert n_covered / 600 >= 0.93
