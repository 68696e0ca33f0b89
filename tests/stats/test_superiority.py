import numpy as np
import pytest
from scipy import stats

from mteval.stats.replication import probability_of_superiority


def test_it_is_the_mann_whitney_share_with_ties_counting_half():
    baseline, system = np.array([1.0, 2.0, 2.0, 5.0]), np.array([2.0, 3.0, 6.0])
    found = probability_of_superiority(baseline, system, 0.95)
    assert found.value == pytest.approx(stats.mannwhitneyu(system, baseline).statistic / 12)
    assert found.low < found.value < found.high


def test_swapping_the_systems_mirrors_it():
    baseline, system = np.random.default_rng(0).normal(size=(2, 6))
    forth, back = (probability_of_superiority(*pair, 0.9) for pair in ((baseline, system), (system, baseline)))
    np.testing.assert_allclose([back.value, back.low, back.high], 1 - np.array([forth.value, forth.high, forth.low]))


def test_complete_separation_keeps_an_open_side_and_one_run_has_no_interval():
    separate = probability_of_superiority(np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0]), 0.95)
    assert (separate.value, separate.high) == (1.0, 1.0)
    assert 0.3 < separate.low < 0.5
    single = probability_of_superiority(np.array([1.0]), np.array([2.0, 3.0]), 0.95)
    assert np.isnan([single.low, single.high]).all()


@pytest.mark.parametrize(("runs", "shift"), [((3, 3), 0.0), ((5, 5), 1.0), ((3, 10), 0.5), ((20, 20), 1.5)])
def test_the_interval_covers_the_truth_as_often_as_it_says(runs: tuple[int, int], shift: float):
    generator, truth = np.random.default_rng(1), stats.norm.cdf(shift / np.sqrt(2))
    found = [
        probability_of_superiority(generator.normal(size=runs[0]), generator.normal(shift, size=runs[1]), 0.95)
        for _ in range(600)
    ]
    assert np.mean([one.low <= truth <= one.high for one in found]) >= 0.93
