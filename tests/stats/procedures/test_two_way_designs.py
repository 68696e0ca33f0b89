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
two_way_paired, two_way_fixed = (PROCEDURES[f"two-way-{design}"].function for design in ("paired", "fixed"))


def mean(sums: np.ndarray) -> np.ndarray:
    return sums[..., 0] / N


def system(generator: np.random.Generator, n_runs: int, shifts: np.ndarray | float = 0.0) -> np.ndarray:
    scores = generator.normal(size=(n_runs, N)) + np.reshape(shifts, (-1, 1))
    return scores[..., np.newaxis]


def test_where_segments_do_not_matter_pairs_are_students_paired_t_over_runs() -> None:
    one, other = (
        np.repeat(np.array(scores)[:, np.newaxis], N, axis=1) for scores in ([1.0, 2.5, 3.0, 5.0], [1.5, 2.6, 4.0, 5.2])
    )
    result = two_way_paired(one[..., np.newaxis], other[..., np.newaxis], mean, HOW)
    expected = stats.ttest_rel(other[:, 0], one[:, 0])
    assert (result.p_value, result.df) == (pytest.approx(expected.pvalue), pytest.approx(3))


def test_where_segments_do_not_matter_a_fixed_baseline_is_a_constant() -> None:
    runs = np.repeat(np.array([1.5, 2.6, 4.0, 5.2])[:, np.newaxis], N, axis=1)[..., np.newaxis]
    result = two_way_fixed(np.full((1, N, 1), 2.0), runs, mean, HOW)
    expected = stats.ttest_1samp(runs[:, 0, 0], 2.0)
    assert (result.p_value, result.df) == (pytest.approx(expected.pvalue), pytest.approx(3))


def test_pairs_with_nothing_in_common_have_the_variance_of_independent_runs_on_average() -> None:
    generator = np.random.default_rng(3)
    totals = np.zeros(2)
    for _ in range(300):
        one, other = (generator.normal(size=(4, N)) + generator.normal(size=(4, 1)) for _ in range(2))
        totals += components_of_gains(other - one).total, components_of(one, other).total
    assert totals[0] == pytest.approx(totals[1], rel=0.06)


def test_what_pairs_have_in_common_is_no_luck_of_their_difference() -> None:
    generator = np.random.default_rng(5)
    seeds = 3 * generator.normal(size=5)
    one, other = system(generator, 5, seeds), system(generator, 5, seeds)
    assert two_way_paired(one, other, mean, HOW).standard_error < two_way(one, other, mean, HOW).standard_error / 4


def test_of_a_fixed_baseline_only_the_systems_runs_count() -> None:
    generator = np.random.default_rng(6)
    baseline, runs = system(generator, 1), system(generator, 5, generator.normal(size=5))
    result = two_way_fixed(baseline, runs, mean, HOW)
    scores = runs[..., 0]
    pair = (scores - scores.mean(axis=1, keepdims=True) - scores.mean(axis=0) + scores.mean()).var(ddof=0) * 5 * N
    e = pair / (4 * (N - 1)) / (5 * N)
    x, s = scores.mean(axis=1).var(ddof=1) / 5, (scores.mean(axis=0) - baseline[0, :, 0]).var(ddof=1) / N
    total = max(x + s - e, x, s)
    assert result.standard_error == pytest.approx(np.sqrt(total))
    r = max(0, x - e / 4)
    assert result.df == pytest.approx(total**2 / (r**2 / 4 + s**2 / (N - 1) + e**2 / (4 * (N - 1))))


def test_levels_are_kept_where_the_declaration_is_true() -> None:
    """Five runs, shifts of seeds that runs of a pair share; an output of a baseline that stays as it is."""
    generator, rejections = np.random.default_rng(8), np.zeros(2)
    for _ in range(800):
        seeds = generator.normal(size=5)
        paired = two_way_paired(system(generator, 5, seeds), system(generator, 5, seeds), mean, HOW)
        fixed = two_way_fixed(system(generator, 1), system(generator, 5, 0.5 * generator.normal(size=5)), mean, HOW)
        rejections += [paired.p_value <= 0.05, fixed.p_value <= 0.05]
    assert (rejections / 800 <= 0.075).all()
    assert (rejections / 800 >= 0.01).all()


def test_what_cannot_be_answered_is_refused() -> None:
    generator = np.random.default_rng(9)
    three, two, one = (system(generator, n) for n in (3, 2, 1))
    for result, words in (
        (two_way_paired(three, two, mean, HOW), "the baseline has 3 and the system 2"),
        (two_way_paired(one, one, mean, HOW), "one {run}"),
        (two_way_paired(three, three + 1.0, mean, HOW), ALIKE_PAIRS),
        (two_way_fixed(three, one, mean, HOW), "The system has only one {run}"),
        (two_way_fixed(one, np.repeat(one, 3, axis=0), mean, HOW), "All 3 {runs} of the system have the same scores"),
    ):
        assert np.isnan(result.p_value)
        assert words in result.note
    assert two_way_fixed(one, two, mean, HOW).note == PROVISIONAL
