from collections import Counter
from math import factorial, prod

import numpy as np
import pytest
from scipy.stats import chisquare

from mteval.stats.resampling import bootstrap
from mteval.stats.resampling.bootstrap import draw_counts, replicate_scores, s_sel
from mteval.stats.resampling.streams import Chunk, seeds_for, stream_of

SEEDS = seeds_for(2, "bootstrap")


def _ratio(sums: np.ndarray) -> np.ndarray:
    return 100 * sums[..., 0] / sums[..., 1]


def _replicates(statistics: np.ndarray, n_resamples: int = 1_200) -> np.ndarray:
    return replicate_scores([statistics], _ratio, n_resamples, SEEDS, map)


def _counts_of(n_runs: int, n_units: int, largest: int = 30, d: int = 2) -> np.ndarray:
    return np.random.default_rng(n_units).integers(1, largest, (n_runs, n_units, d))


def test_every_replicate_of_three_units_has_its_multinomial_probability():
    n = 54_000
    drawn = Counter(map(tuple, draw_counts(stream_of(SEEDS, Chunk(0, 0, n)), n, 3).astype(int).tolist()))
    possible = [(a, b, 3 - a - b) for a in range(4) for b in range(4 - a)]
    expected = [n * factorial(3) / prod(map(factorial, counts)) / 27 for counts in possible]
    assert set(drawn) == set(possible)
    assert chisquare([drawn[counts] for counts in possible], expected).pvalue > 0.001


@pytest.mark.parametrize("n_units", [1, 2, 40, 41])
def test_a_replicate_has_as_many_units_as_the_test_set_all_equally_likely(n_units: int):
    counts = draw_counts(stream_of(SEEDS, Chunk(0, 0, 1)), 2_000, n_units)
    assert (counts.sum(axis=1) == n_units).all()
    if n_units > 1:
        assert chisquare(counts.sum(axis=0)).pvalue > 0.001


@pytest.mark.parametrize("largest", [30, 10**6, 10**8])
def test_scores_are_those_of_the_units_drawn(largest: int):
    statistics = _counts_of(3, 25, largest)
    counts = draw_counts(stream_of(SEEDS, Chunk(0, 0, 500)), 500, 25)
    replicates = _replicates(statistics, 600)
    for replicate in (0, 17, 499):
        units = np.repeat(np.arange(25), counts[replicate].astype(int))
        np.testing.assert_array_equal(replicates[:, replicate], _ratio(statistics[:, units].sum(axis=1)))


def test_replicates_of_many_units_are_drawn_and_summed_in_parts(monkeypatch: pytest.MonkeyPatch):
    systems = [_counts_of(2, 700), _counts_of(1, 700, 10**5), _counts_of(3, 700) / 7]
    whole = [_replicates(one, 600) for one in systems]
    monkeypatch.setattr(bootstrap, "COUNTS_AT_ONCE", 700 * 130)
    monkeypatch.setattr(bootstrap, "UNITS_A_TILE", 64)
    found = replicate_scores(systems, _ratio, 600, SEEDS, map)
    np.testing.assert_array_equal(found[:3], np.concatenate(whole[:2]))
    np.testing.assert_allclose(found[3:], whole[2], rtol=1e-13)


def test_runs_see_the_same_replicates_however_many_there_are():
    statistics = _counts_of(1_100, 12)
    together = _replicates(statistics, 50)
    assert together.shape == (1_100, 50)
    for run in (0, 511, 512, 1_099):
        np.testing.assert_array_equal(together[run], _replicates(statistics[run : run + 1], 50)[0])


def test_more_replicates_go_on_where_fewer_stopped():
    statistics = _counts_of(2, 30)
    np.testing.assert_array_equal(_replicates(statistics, 1_100)[:, :700], _replicates(statistics, 700))


def test_the_spread_of_a_mean_is_its_standard_error():
    values = np.random.default_rng(4).normal(50, 10, (2, 200))
    statistics = np.stack([values / 100, np.ones_like(values)], axis=2)
    closed_form = (values.std(axis=1) / np.sqrt(200)).mean()
    assert s_sel(_replicates(statistics, 20_000)) == pytest.approx(closed_form, rel=0.02)


def test_s_sel_is_the_mean_over_runs_of_the_deviations_with_k_minus_one():
    assert s_sel(np.array([[1.0, 3.0], [0.0, 6.0]])) == pytest.approx((np.sqrt(2) + np.sqrt(18)) / 2)


@pytest.mark.real_data
@pytest.mark.parametrize(("metric", "recorded"), [("bleu", 0.257319), ("ter", 0.362017), ("length", 0.364517)])
def test_s_sel_of_the_example_agrees_with_multeval(example, metric: str, recorded: float):
    case = example[metric]
    replicates = replicate_scores([case.baseline], case.score, 4_000, SEEDS, map)
    assert s_sel(replicates) == pytest.approx(recorded, rel=0.07)  # recorded from 1,000: +-2.2% is one standard error
