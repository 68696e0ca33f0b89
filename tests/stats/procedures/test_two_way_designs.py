"""Paired runs and a fixed baseline, against closed forms and by simulation."""

import numpy as np
import pytest
from scipy import stats

from mteval.stats.base import How
from mteval.stats.crossed_layout import components_of, components_of_gains
from mteval.stats.procedures.registry import PROCEDURES
from mteval.stats.procedures.two_way import ALIKE_PAIRS, PROVISIONAL, two_way
from mteval.stats.resampling.streams import seeds_for

HOW = How(1, seeds_for(1, ""), "two-sided", 0.95)
N = 40
two_way_paired = PROCEDURES["two-way-paired"].function
two_way_fixed = PROCEDURES["two-way-fixed"].function


def mean(sums: np.ndarray) -> np.ndarray:
    """The score of a metric whose statistics are segment scores."""
    return sums[..., 0] / N


def constant(scores: list[float]) -> np.ndarray:
    """Runs that score the same on all segments."""
    return np.repeat(np.array(scores)[:, np.newaxis], N, axis=1)[..., np.newaxis]


def system(generator: np.random.Generator, n_runs: int, shifts: np.ndarray | float = 0.0) -> np.ndarray:
    """Runs whose segment scores are noise, and a shift of each run."""
    scores = generator.normal(size=(n_runs, N)) + np.reshape(shifts, (-1, 1))
    return scores[..., np.newaxis]


def test_where_segments_do_not_matter_pairs_are_students_paired_t_over_runs() -> None:
    scores_of_baseline = [1.0, 2.5, 3.0, 5.0]
    scores_of_system = [1.5, 2.6, 4.0, 5.2]
    result = two_way_paired(constant(scores_of_baseline), constant(scores_of_system), mean, HOW)
    assert result.p_value == pytest.approx(stats.ttest_rel(scores_of_system, scores_of_baseline).pvalue)
    assert result.df == pytest.approx(3)


def test_where_segments_do_not_matter_a_fixed_baseline_is_a_constant() -> None:
    scores = [1.5, 2.6, 4.0, 5.2]
    result = two_way_fixed(constant([2.0]), constant(scores), mean, HOW)
    assert result.p_value == pytest.approx(stats.ttest_1samp(scores, 2.0).pvalue)
    assert result.df == pytest.approx(3)


def test_pairs_with_nothing_in_common_have_the_variance_of_independent_runs_on_average() -> None:
    generator = np.random.default_rng(3)
    of_pairs = 0.0
    of_independent_runs = 0.0
    for _ in range(300):
        baseline = generator.normal(size=(4, N)) + generator.normal(size=(4, 1))
        system = generator.normal(size=(4, N)) + generator.normal(size=(4, 1))
        of_pairs += components_of_gains(system - baseline).total
        of_independent_runs += components_of(baseline, system).total
    assert of_pairs == pytest.approx(of_independent_runs, rel=0.06)


def test_what_pairs_have_in_common_is_no_luck_of_their_difference() -> None:
    generator = np.random.default_rng(5)
    shifts = 3 * generator.normal(size=5)
    baseline = system(generator, 5, shifts)
    candidate = system(generator, 5, shifts)
    paired = two_way_paired(baseline, candidate, mean, HOW)
    independent = two_way(baseline, candidate, mean, HOW)
    assert paired.standard_error < independent.standard_error / 4


def test_of_a_fixed_baseline_only_the_systems_runs_count() -> None:
    """Mean squares of five runs and N segments, written out, with Satterthwaite's degrees of freedom."""
    generator = np.random.default_rng(6)
    baseline = system(generator, 1)
    runs = system(generator, 5, generator.normal(size=5))
    scores = runs[..., 0]
    gains = scores.mean(axis=0) - baseline[0, :, 0]
    residuals = scores - scores.mean(axis=1, keepdims=True) - scores.mean(axis=0) + scores.mean()
    runs_share = scores.mean(axis=1).var(ddof=1) / 5
    segments_share = gains.var(ddof=1) / N
    noise_share = (residuals**2).sum() / (4 * (N - 1)) / (5 * N)
    total = max(runs_share + segments_share - noise_share, runs_share, segments_share)
    excess = max(0, runs_share - noise_share / 4)
    inverse = excess**2 / 4 + segments_share**2 / (N - 1) + noise_share**2 / (4 * (N - 1))

    result = two_way_fixed(baseline, runs, mean, HOW)

    assert result.standard_error == pytest.approx(np.sqrt(total))
    assert result.df == pytest.approx(total**2 / inverse)


def test_levels_are_kept_where_the_declaration_is_true() -> None:
    """Five runs, shifts of seeds that runs of a pair share; an output of a baseline that stays as it is."""
    generator = np.random.default_rng(8)
    n_paired = 0
    n_fixed = 0
    for _ in range(800):
        shifts = generator.normal(size=5)
        paired = two_way_paired(system(generator, 5, shifts), system(generator, 5, shifts), mean, HOW)
        n_paired += paired.p_value <= 0.05
        baseline = system(generator, 1)
        fixed = two_way_fixed(baseline, system(generator, 5, 0.5 * generator.normal(size=5)), mean, HOW)
        n_fixed += fixed.p_value <= 0.05
    assert 0.01 <= n_paired / 800 <= 0.075
    assert 0.01 <= n_fixed / 800 <= 0.075


def test_what_cannot_be_answered_is_refused() -> None:
    generator = np.random.default_rng(9)
    three = system(generator, 3)
    two = system(generator, 2)
    single = system(generator, 1)
    copies = np.repeat(single, 3, axis=0)
    for result, words in (
        (two_way_paired(three, two, mean, HOW), "the baseline has 3 and the system 2"),
        (two_way_paired(single, single, mean, HOW), "one {run}"),
        (two_way_paired(three, three + 1.0, mean, HOW), ALIKE_PAIRS),
        (two_way_fixed(three, single, mean, HOW), "The system has only one {run}"),
        (two_way_fixed(single, copies, mean, HOW), "All 3 {runs} of the system have the same scores"),
    ):
        assert np.isnan(result.p_value)
        assert words in result.note
    assert two_way_fixed(single, two, mean, HOW).note == PROVISIONAL
