import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from mteval.stats.base import How
from mteval.stats.crossed_layout import components_of
from mteval.stats.planning import Design, Sources, detectable, power, runs_needed, segments_needed, variance_factors
from mteval.stats.procedures.registry import PROCEDURES
from mteval.stats.procedures.two_way import two_way
from mteval.stats.resampling.streams import seeds_for
from mteval.stats.tail import nominal_level

SOURCES = Sources(runs=(0.3, 0.5), segments=60.0, pairs=(40.0, 30.0))


def experiment(generator: np.random.Generator, sources: Sources, design: Design, difference: float) -> list[np.ndarray]:
    """Segment scores ``(runs, segments)`` of both systems under the two-way model."""
    segments = generator.normal(50, 10, design.n_segments)
    halves = generator.normal(0, np.sqrt(sources.segments), design.n_segments) / 2
    made = []
    for sign, n, run, pair in zip((-1, 1), (design.n_baseline, design.n_system), sources.runs, sources.pairs):  # noqa: B905
        noise = generator.normal(0, np.sqrt(pair), (n, design.n_segments))
        made.append(segments + sign * (halves + difference / 2) + generator.normal(0, np.sqrt(run), (n, 1)) + noise)
    return made


@pytest.mark.parametrize(
    ("design", "target"),
    [(Design(2, 2, 100), 3.6), (Design(3, 3, 100), 2.8), (Design(8, 8, 200), 1.7), (Design(12, 6, 60), 3.0)],
)
def test_power_agrees_with_simulation_of_the_two_way_procedure(design: Design, target: float):
    n_simulations = 1_500
    generator = np.random.default_rng(7)
    found = 0
    for _ in range(n_simulations):
        arrays = [np.stack([s, np.ones_like(s)], 2) for s in experiment(generator, SOURCES, design, target)]
        how = How(1, seeds_for(0, ""), "two-sided", 0.95)
        result = two_way(*arrays, lambda sums: sums[..., 0] / sums[..., 1], how)
        found += result.p_value <= 0.05 and result.statistic > 0
    expected = power(SOURCES, design, target, 0.05)
    assert 0.5 < expected < 0.95
    assert found / n_simulations == pytest.approx(expected, abs=3 * np.sqrt(expected * (1 - expected) / n_simulations))


@pytest.mark.parametrize(
    ("design", "test"),
    [(Design(3, 3, 100), "two-way-paired"), (Design(1, 3, 100), "two-way-fixed")],
)
def test_power_of_declared_runs_agrees_with_simulation_of_their_procedure(design: Design, test: str):
    """Paired runs share their shift but for a part of its own; a fixed baseline is one and the same output."""
    n_simulations, generator, target = 1_500, np.random.default_rng(8), 2.8
    how = How(1, seeds_for(0, ""), "two-sided", 0.95)
    own = Sources((0.3,), 60.0, (40.0,))
    found = 0
    for _ in range(n_simulations):
        segments = generator.normal(0, np.sqrt(own.segments), design.n_segments)
        cells = generator.normal(0, np.sqrt(own.pairs[0]), (design.n_system, design.n_segments))
        gains = target + generator.normal(0, np.sqrt(own.runs[0]), (design.n_system, 1)) + segments + cells
        base = generator.normal(50, 3, (design.n_baseline, 1)) + generator.normal(0, 10, design.n_segments)
        arrays = [np.stack([s, np.ones_like(s)], 2) for s in (base, base + gains)]
        result = PROCEDURES[test].function(*arrays, lambda sums: sums[..., 0] / sums[..., 1], how)
        found += result.p_value <= 0.05 and result.statistic > 0
    expected = power(own, design, target, 0.05)
    assert 0.5 < expected < 0.95
    assert found / n_simulations == pytest.approx(expected, abs=3 * np.sqrt(expected * (1 - expected) / n_simulations))


def test_where_only_segments_matter_it_is_the_power_of_the_paired_t_test():
    sources = Sources((0, 0), 25.0, (0, 0))
    for n in (10, 100):
        expected = TTestPower().power(1.5 / 5, n, 0.025, alternative="larger")
        assert power(sources, Design(3, 3, n), 1.5, 0.05) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize(("n_baseline", "n_system"), [(2, 3), (3, 3), (5, 5), (20, 4)])
def test_where_only_runs_matter_it_is_the_power_of_welchs_test(n_baseline: int, n_system: int):
    n_simulations, generator = 20_000, np.random.default_rng(4)
    one = generator.normal(0, 0.6, (n_simulations, n_baseline))
    other = generator.normal(1.5, 0.9, (n_simulations, n_system))
    welch = stats.ttest_ind(other, one, axis=1, equal_var=False, alternative="greater")
    share = np.mean(welch.pvalue <= 0.025)
    found = power(Sources((0.36, 0.81), 0, (0, 0)), Design(n_baseline, n_system, 100), 1.5, 0.05)
    assert found == pytest.approx(share, abs=3 * np.sqrt(share * (1 - share) / n_simulations) + 1e-3)


def test_without_a_difference_it_is_found_in_either_direction_as_often_as_half_the_level():
    assert power(SOURCES, Design(5, 5, 100), 0.0, 0.05) == pytest.approx(0.025, abs=0.003)


def test_the_sources_are_found_again_from_many_experiments():
    design = Design(4, 6, 80)
    generator = np.random.default_rng(1)
    found = [Sources.estimated(components_of(*experiment(generator, SOURCES, design, 1.0))) for _ in range(400)]
    for name in ("runs", "segments", "pairs"):
        values = np.array([getattr(one, name) for one in found])
        error = values.std(axis=0) / 20
        assert np.abs(values.mean(axis=0) - getattr(SOURCES, name)).max() < 4 * error.max() + 0.02  # cut off at 0


def test_expected_components_give_the_sources_back():
    again = Sources.estimated(SOURCES.components(3, 7, 50))
    assert again.runs == pytest.approx(SOURCES.runs)
    assert again.pairs == pytest.approx(SOURCES.pairs)
    assert again.segments == pytest.approx(SOURCES.segments)


def test_typed_numbers_mean_what_they_say():
    components = Sources.typed((0.4, 0.6), 0.5, 200).components(4, 4, 200)
    assert components.runs == pytest.approx((0.04, 0.09))
    assert components.segments == pytest.approx(0.25)
    assert components.total == pytest.approx(0.04 + 0.09 + 0.25)


def test_the_detectable_difference_has_the_wanted_power():
    for design in (Design(2, 2, 50), Design(3, 9, 300), Design(40, 40, 3_000)):
        difference = detectable(SOURCES, design, 0.05, 0.8)
        assert power(SOURCES, design, difference, 0.05) == pytest.approx(0.8, abs=1e-6)


def test_the_runs_needed_suffice_and_one_less_does_not():
    n = runs_needed(SOURCES, 300, 1.6, 0.05, 0.8)
    assert n is not None
    assert n > 2
    assert power(SOURCES, Design(n, n, 300), 1.6, 0.05) >= 0.8 > power(SOURCES, Design(n - 1, n - 1, 300), 1.6, 0.05)


def test_where_the_test_set_is_too_small_no_number_of_runs_suffices():
    limit = np.sqrt(60 / 300)  # the error that remains with endless runs
    assert runs_needed(SOURCES, 300, 2.7 * limit, 0.05, 0.8) is None
    assert runs_needed(SOURCES, 300, 2.9 * limit, 0.05, 0.8) is not None


def test_the_segments_needed_suffice_and_too_few_runs_are_found_out():
    n = segments_needed(SOURCES, (5, 5), 1.8, 0.05, 0.8)
    assert n is not None
    assert power(SOURCES, Design(5, 5, n), 1.8, 0.05) >= 0.8 > power(SOURCES, Design(5, 5, n - 1), 1.8, 0.05)
    assert segments_needed(SOURCES, (5, 5), 0.8, 0.05, 0.8) is None


def test_two_runs_find_no_difference_at_a_level_that_their_p_cannot_reach():
    sources, level = Sources.typed((0.4, 0.4), 0.6, 94), 0.05 / 11
    assert nominal_level(level, (2, 2)) == 0
    assert power(sources, Design(2, 2, 94), 100, level) == 0
    assert detectable(sources, Design(2, 2, 94), level, 0.8) == math.inf
    assert runs_needed(sources, 94, 100, level, 0.8) == 3
    assert segments_needed(sources, (2, 2), 100, level, 0.8) is None


def test_five_documents_find_no_difference_since_their_exchange_cannot_reach_the_level():
    assert power(SOURCES, Design(30, 30, 5), 1_000, 0.05) == 0
    assert detectable(SOURCES, Design(30, 30, 5), 0.05, 0.8) == math.inf
    assert power(SOURCES, Design(30, 30, 6), 1_000, 0.05) > 0.99
    assert segments_needed(SOURCES, (30, 30), 1_000, 0.05, 0.8) == 6


def test_where_nothing_varies_every_difference_is_found():
    nothing = Sources((0, 0), 0, (0, 0))
    assert power(nothing, Design(3, 3, 10), 0.1, 0.05) == 1
    assert power(nothing, Design(3, 3, 10), 0.0, 0.05) == 0
    assert detectable(nothing, Design(3, 3, 10), 0.05, 0.8) == 0


def test_three_runs_leave_the_variance_uncertain_by_a_factor_of_0_3_to_39():
    assert variance_factors(2, 0.95) == pytest.approx((0.2711, 39.498), rel=1e-4)
    for df in (2, 9, 400):
        low, high = variance_factors(df, 0.9)
        assert stats.chi2.cdf(df / low, df) == pytest.approx(0.95)
        assert stats.chi2.cdf(df / high, df) == pytest.approx(0.05)


def test_power_of_released_models_is_that_of_a_t_test_over_segments() -> None:
    sources, n_samples, n = Sources((0.0, 0.0), 1.0, (0.5, 0.3), are_samples=True), 4, 60
    error = (1.0 / n + 0.8 / (n_samples * n)) ** 0.5
    expected = stats.nct.sf(stats.t.isf(0.025, n - 1), n - 1, 0.4 / error)
    assert power(sources, Design(n_samples, n_samples, n), 0.4, 0.05) == pytest.approx(expected, abs=2e-3)
    assert runs_needed(sources, 1_000, 0.4, 0.05, 0.8) == 1, "one sample may be enough"
