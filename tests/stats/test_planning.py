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
    signs = (-1, 1)
    n_runs = (design.n_baseline, design.n_system)
    sides = []
    for sign, n, run_variance, pair_variance in zip(signs, n_runs, sources.runs, sources.pairs, strict=True):
        noise = generator.normal(0, np.sqrt(pair_variance), (n, design.n_segments))
        runs = generator.normal(0, np.sqrt(run_variance), (n, 1))
        sides.append(segments + sign * (halves + difference / 2) + runs + noise)
    return sides


def as_sums(scores: np.ndarray) -> np.ndarray:
    """The statistics of a metric whose score is a mean: the score of each segment, and 1."""
    return np.stack([scores, np.ones_like(scores)], axis=2)


def mean_of_sums(sums: np.ndarray) -> np.ndarray:
    """The score that belongs to ``as_sums``."""
    return sums[..., 0] / sums[..., 1]


def standard_error(share: float, n: int) -> float:
    """The standard error of a share of so many simulations."""
    return np.sqrt(share * (1 - share) / n)


@pytest.mark.parametrize(
    ("design", "target"),
    [(Design(2, 2, 100), 3.6), (Design(3, 3, 100), 2.8), (Design(8, 8, 200), 1.7), (Design(12, 6, 60), 3.0)],
)
def test_power_agrees_with_simulation_of_the_two_way_procedure(design: Design, target: float):
    n_simulations = 1_500
    generator = np.random.default_rng(7)
    how = How(1, seeds_for(0, ""), "two-sided", 0.95)
    n_found = 0
    for _ in range(n_simulations):
        baseline, system = experiment(generator, SOURCES, design, target)
        result = two_way(as_sums(baseline), as_sums(system), mean_of_sums, how)
        n_found += result.p_value <= 0.05 and result.statistic > 0

    expected = power(SOURCES, design, target, 0.05)
    assert 0.5 < expected < 0.95
    error = standard_error(expected, n_simulations)
    assert n_found / n_simulations == pytest.approx(expected, abs=3 * error)


@pytest.mark.parametrize(
    ("design", "test"),
    [(Design(3, 3, 100), "two-way-paired"), (Design(1, 3, 100), "two-way-fixed")],
)
def test_power_of_declared_runs_agrees_with_simulation_of_their_procedure(design: Design, test: str):
    """Paired runs share their shift but for a part of its own; a fixed baseline is one and the same output."""
    n_simulations = 1_500
    target = 2.8
    generator = np.random.default_rng(8)
    how = How(1, seeds_for(0, ""), "two-sided", 0.95)
    sources = Sources((0.3,), 60.0, (40.0,))
    n_found = 0
    for _ in range(n_simulations):
        segments = generator.normal(0, np.sqrt(sources.segments), design.n_segments)
        cells = generator.normal(0, np.sqrt(sources.pairs[0]), (design.n_system, design.n_segments))
        runs = generator.normal(0, np.sqrt(sources.runs[0]), (design.n_system, 1))
        gains = target + runs + segments + cells
        baseline = generator.normal(50, 3, (design.n_baseline, 1)) + generator.normal(0, 10, design.n_segments)
        system = baseline + gains
        result = PROCEDURES[test].function(as_sums(baseline), as_sums(system), mean_of_sums, how)
        n_found += result.p_value <= 0.05 and result.statistic > 0

    expected = power(sources, design, target, 0.05)
    assert 0.5 < expected < 0.95
    error = standard_error(expected, n_simulations)
    assert n_found / n_simulations == pytest.approx(expected, abs=3 * error)


def test_where_only_segments_matter_it_is_the_power_of_the_paired_t_test():
    sources = Sources((0, 0), 25.0, (0, 0))
    for n in (10, 100):
        expected = TTestPower().power(1.5 / 5, n, 0.025, alternative="larger")
        assert power(sources, Design(3, 3, n), 1.5, 0.05) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize(("n_baseline", "n_system"), [(2, 3), (3, 3), (5, 5), (20, 4)])
def test_where_only_runs_matter_it_is_the_power_of_welchs_test(n_baseline: int, n_system: int):
    n_simulations = 20_000
    generator = np.random.default_rng(4)
    baseline = generator.normal(0, 0.6, (n_simulations, n_baseline))
    system = generator.normal(1.5, 0.9, (n_simulations, n_system))
    welch = stats.ttest_ind(system, baseline, axis=1, equal_var=False, alternative="greater")
    share = np.mean(welch.pvalue <= 0.025)

    sources = Sources((0.6**2, 0.9**2), 0, (0, 0))
    power_by_formula = power(sources, Design(n_baseline, n_system, 100), 1.5, 0.05)

    assert power_by_formula == pytest.approx(share, abs=3 * standard_error(share, n_simulations) + 1e-3)


def test_without_a_difference_it_is_found_in_either_direction_as_often_as_half_the_level():
    assert power(SOURCES, Design(5, 5, 100), 0.0, 0.05) == pytest.approx(0.025, abs=0.003)


def test_the_sources_are_found_again_from_many_experiments():
    design = Design(4, 6, 80)
    n_experiments = 400
    generator = np.random.default_rng(1)
    estimates = []
    for _ in range(n_experiments):
        baseline, system = experiment(generator, SOURCES, design, 1.0)
        estimates.append(Sources.estimated(components_of(baseline, system)))

    for name in ("runs", "segments", "pairs"):
        values = np.array([getattr(estimate, name) for estimate in estimates])
        error = values.std(axis=0) / np.sqrt(n_experiments)
        bias = values.mean(axis=0) - getattr(SOURCES, name)
        assert np.abs(bias).max() < 4 * error.max() + 0.02  # estimates are cut off at 0


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
    assert power(SOURCES, Design(n, n, 300), 1.6, 0.05) >= 0.8
    assert power(SOURCES, Design(n - 1, n - 1, 300), 1.6, 0.05) < 0.8


def test_where_the_test_set_is_too_small_no_number_of_runs_suffices():
    limit = np.sqrt(60 / 300)  # the error that remains with endless runs
    assert runs_needed(SOURCES, 300, 2.7 * limit, 0.05, 0.8) is None
    assert runs_needed(SOURCES, 300, 2.9 * limit, 0.05, 0.8) is not None


def test_the_segments_needed_suffice_and_too_few_runs_are_found_out():
    n = segments_needed(SOURCES, (5, 5), 1.8, 0.05, 0.8)
    assert n is not None
    assert power(SOURCES, Design(5, 5, n), 1.8, 0.05) >= 0.8
    assert power(SOURCES, Design(5, 5, n - 1), 1.8, 0.05) < 0.8
    assert segments_needed(SOURCES, (5, 5), 0.8, 0.05, 0.8) is None


def test_two_runs_find_no_difference_at_a_level_that_their_p_cannot_reach():
    sources = Sources.typed((0.4, 0.4), 0.6, 94)
    level = 0.05 / 11
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
    sources = Sources((0.0, 0.0), 1.0, (0.5, 0.3), are_samples=True)
    n_samples = 4
    n_segments = 60
    df = n_segments - 1
    error = (1.0 / n_segments + (0.5 + 0.3) / (n_samples * n_segments)) ** 0.5
    expected = stats.nct.sf(stats.t.isf(0.025, df), df, 0.4 / error)
    assert power(sources, Design(n_samples, n_samples, n_segments), 0.4, 0.05) == pytest.approx(expected, abs=2e-3)
    assert runs_needed(sources, 1_000, 0.4, 0.05, 0.8) == 1, "one sample may be enough"
