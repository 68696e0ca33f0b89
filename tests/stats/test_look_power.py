"""Power of planned looks: against the planner's power of one look, and against the procedure on drawn outputs."""

import numpy as np
import pytest

from mteval.stats.base import How
from mteval.stats.planning import Design, Sources, look_power, look_statistics, p_values, power
from mteval.stats.procedures.two_way import two_way

SOURCES = Sources((0.5, 0.3), 40.0, (60.0, 60.0))


@pytest.mark.parametrize("n_runs", [3, 5, 10])
def test_one_look_has_the_power_of_the_planner(n_runs: int) -> None:
    of_look = look_power(SOURCES, 100, 2.0, (n_runs,), (0.05,))
    expected = power(SOURCES, Design(n_runs, n_runs, 100), 2.0, 0.05)
    assert of_look.detected[0] == pytest.approx(expected, abs=0.025)
    assert of_look.mean_runs == n_runs


def test_one_look_has_the_power_of_the_planner_with_documents_of_unequal_size() -> None:
    sources = Sources((0.05, 0.05), 40.0, (6.0, 6.0), evenness=0.25)
    of_look = look_power(sources, 16, 5.0, (4,), (0.05,))
    expected = power(sources, Design(4, 4, 16), 5.0, 0.05)
    assert of_look.detected[0] == pytest.approx(expected, abs=0.025)


def test_looks_add_up_and_stop_early_where_the_difference_is_large() -> None:
    looks = (3, 5, 10)
    levels = (0.02, 0.02, 0.02)
    small = look_power(SOURCES, 100, 0.5, looks, levels)
    large = look_power(SOURCES, 100, 6.0, looks, levels)
    assert list(small.detected) == sorted(small.detected)
    assert small.detected[-1] < 0.2 < 0.9 < large.detected[-1]
    assert large.mean_runs < 5 < small.mean_runs <= 10


def test_without_luck_there_is_nothing_to_find_but_a_difference() -> None:
    without_luck = Sources((0.0, 0.0), 0.0, (0.0, 0.0))
    assert look_power(without_luck, 100, 0.0, (3, 5), (0.02, 0.02)).detected == (0.0, 0.0)


def test_p_at_the_looks_is_distributed_as_the_procedure_s_on_outputs() -> None:
    """Quantiles of p at three and six runs, and how often either is small, against six hundred drawn experiments."""
    generator = np.random.default_rng(5)
    looks = (3, 6)
    n_units = 40
    sources = Sources((0.02, 0.005), 0.3, (1.0, 1.0))
    how = How(1, np.random.SeedSequence(1), "two-sided", 0.95)
    drawn = np.empty((2, 600))  # p, looks x experiments
    for place in range(600):
        # Axes: systems, runs, units; then the sum and the number of each
        shifts = np.sqrt(sources.runs)[:, np.newaxis, np.newaxis] * generator.standard_normal((2, 6, 1))
        outputs = shifts + generator.standard_normal((2, 6, n_units))
        outputs[1] += np.sqrt(sources.segments) * generator.standard_normal(n_units)
        outputs = np.stack([outputs, np.ones_like(outputs)], axis=3)
        for look, runs in enumerate(looks):
            result = two_way(outputs[0, :runs], outputs[1, :runs], lambda sums: sums[..., 0] / sums[..., 1], how)
            drawn[look, place] = result.p_value

    simulated = p_values(*look_statistics(sources, n_units, looks, 20_000, np.random.default_rng(6)), looks)
    for quantile in (0.1, 0.5, 0.9):
        expected = np.quantile(drawn, quantile, axis=1)
        np.testing.assert_allclose(np.quantile(simulated, quantile, axis=1), expected, atol=0.06)
    share_drawn = (drawn.min(axis=0) <= 0.1).mean()
    share_simulated = (simulated.min(axis=0) <= 0.1).mean()
    assert share_simulated == pytest.approx(share_drawn, abs=0.04)
