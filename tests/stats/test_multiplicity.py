from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from scipy.stats import norm
from statsmodels.stats.multicomp import pairwise_tukeyhsd
from statsmodels.stats.multitest import multipletests

from mteval.stats.multiplicity import (
    benjamini_hochberg,
    bonferroni,
    holm,
    holm_within,
    max_t,
    max_t_reach,
    max_t_step_down,
    scheffe,
    tukey,
)

NAN = float("nan")
# Worked by hand: sorted 0.01, 0.02, 0.03, 0.04 times 4, 3, 2, 1, never falling; times 4; times 4/1, 4/2, 4/3, 4/4.
P_VALUES = [0.02, NAN, 0.01, 0.04, 0.03]


@pytest.mark.parametrize(
    ("adjust", "expected"),
    [
        (holm, [0.06, NAN, 0.04, 0.06, 0.06]),
        (bonferroni, [0.08, NAN, 0.04, 0.16, 0.12]),
        (benjamini_hochberg, [0.04, NAN, 0.04, 0.04, 0.04]),
    ],
)
def test_undefined_p_values_leave_the_family_and_stay_undefined(adjust, expected: list[float]):
    np.testing.assert_allclose(adjust(P_VALUES), expected, rtol=1e-12)


def test_tests_of_several_families_are_adjusted_as_by_statsmodels_one_family_at_a_time():
    p_values = np.random.default_rng(2).beta(0.5, 2, 30)
    families = ["bleu", "ter", "bleu"] * 10
    adjusted = holm_within(families, p_values)
    for family in set(families):
        is_of_family = np.array(families) == family
        _, expected, *_ = multipletests(p_values[is_of_family], method="holm")
        np.testing.assert_allclose(adjusted[is_of_family], expected)


@pytest.mark.parametrize(
    ("adjust", "method"), [(holm, "holm"), (bonferroni, "bonferroni"), (benjamini_hochberg, "fdr_bh")]
)
def test_families_of_many_p_values_are_adjusted_as_by_statsmodels(adjust, method: str):
    p_values = np.round(np.random.default_rng(5).beta(0.5, 2, 40), 2)
    _, expected, *_ = multipletests(p_values, method=method)
    np.testing.assert_allclose(adjust(p_values), expected)


@pytest.mark.parametrize("adjust", [holm, bonferroni, benjamini_hochberg])
def test_a_family_of_one_is_left_alone_and_none_exceeds_one(adjust):
    np.testing.assert_array_equal(adjust([0.2]), [0.2])
    np.testing.assert_array_equal(adjust([0.9, 0.8]) <= 1, [True, True])
    assert np.isnan(adjust([NAN])).all()
    assert adjust([]).shape == (0,)


def test_max_t_of_one_comparison_is_its_own_p_value():
    null = np.random.default_rng(0).normal(size=(1, 999))
    p_value = (np.count_nonzero(np.abs(null) >= 1.7) + 1) / 1_000
    assert max_t([-1.7], null)[0] == p_value


def test_max_t_of_independent_comparisons_is_sidaks_and_of_copies_changes_nothing():
    generator = np.random.default_rng(1)
    null = generator.normal(size=(1, 40_000)) * np.array([[0.01]])
    copies = max_t([0.022, 0.022, 0.022], np.repeat(null, 3, axis=0))
    np.testing.assert_allclose(copies, max_t([0.022], null)[0])
    independent = generator.normal(size=(3, 40_000)) * np.array([[1.0], [50.0], [0.02]])
    single = 2 * norm.sf(2.2)
    np.testing.assert_allclose(max_t([2.2, -110, 0.044], independent), 1 - (1 - single) ** 3, atol=0.01)


def test_max_t_leaves_identical_systems_at_one():
    null = np.stack([np.zeros(99), np.linspace(-1, 1, 99)])
    for adjust in (max_t, max_t_step_down):
        np.testing.assert_allclose(adjust([0.0, 5.0], null), [1.0, 0.01])


def test_each_step_of_max_t_leaves_out_the_more_extreme_tests():
    generator = np.random.default_rng(5)
    # comparisons x draws, each comparison on a scale of its own
    nulls = generator.multivariate_normal(np.zeros(4), 0.5 + 0.5 * np.eye(4), 999).T * [[1], [9], [0.1], [2]]
    differences = [3.0, 18.0, 0.15, -1.0]
    spreads = np.sqrt((nulls**2).mean(axis=1))
    assert (np.diff(np.abs(differences) / spreads) < 0).all(), "the first is the most extreme, the last the least"

    expected = []
    largest = 0.0
    for first in range(4):  # those before it are left out
        p_value = max_t(differences[first:], nulls[first:])[0]
        largest = max(largest, p_value)
        expected.append(largest)
    np.testing.assert_allclose(max_t_step_down(differences, nulls), expected)


def test_tukeys_procedure_of_welchs_t_is_that_of_games_and_howell_in_statsmodels() -> None:
    generator = np.random.default_rng(4)
    scores = [
        generator.normal(0, 1, 5),
        generator.normal(1, 2, 4),
        generator.normal(1.5, 0.5, 7),
        generator.normal(0, 1, 3),
    ]
    labels = np.repeat(np.arange(4), [len(scores_of_system) for scores_of_system in scores])
    expected = pairwise_tukeyhsd(np.concatenate(scores), labels, use_var="unequal")

    tests = [stats.ttest_ind(second, first, equal_var=False) for first, second in combinations(scores, 2)]
    adjusted = tukey([test.statistic for test in tests], [test.df for test in tests], 4)

    np.testing.assert_allclose(adjusted, expected.pvalues, atol=1e-6)


def test_scheffes_procedure_of_the_best_contrast_is_the_analysis_of_variance() -> None:
    """The largest t of all contrasts, that of the groups' deviations from the grand mean, has the p-value of F."""
    generator = np.random.default_rng(4)
    scores = [generator.normal(mean, 1, size) for mean, size in ((0, 5), (1, 4), (1.5, 7), (0, 3))]
    everything = np.concatenate(scores)
    sizes = np.array([len(scores_of_system) for scores_of_system in scores])
    means = np.array([scores_of_system.mean() for scores_of_system in scores])
    df = len(everything) - len(scores)
    residuals = everything - np.repeat(means, sizes)
    mean_square = (residuals**2).sum() / df

    weights = sizes * (means - everything.mean())
    t = weights @ means / np.sqrt(mean_square * (weights**2 / sizes).sum())

    assert scheffe([t], [df], 4)[0] == pytest.approx(stats.f_oneway(*scores).pvalue)


def test_scheffes_procedure_of_pairs_is_that_of_scikit_posthocs() -> None:
    """Recorded from ``posthoc_scheffe`` of scikit-posthocs 0.17.1, which takes one variance for all systems."""
    recorded = [
        0.9999980245949986,
        0.1230184356609207,
        0.9817183190995474,
        0.15605430630067332,
        0.9858500113140877,
        0.11521993031195375,
    ]
    generator = np.random.default_rng(4)
    scores = [
        generator.normal(0, 1, 5),
        generator.normal(1, 2, 4),
        generator.normal(1.5, 0.5, 7),
        generator.normal(0, 1, 3),
    ]
    df = sum(len(scores_of_system) - 1 for scores_of_system in scores)
    mean_square = sum(((scores_of_system - scores_of_system.mean()) ** 2).sum() for scores_of_system in scores) / df

    t = []
    for first, second in combinations(scores, 2):
        error = np.sqrt(mean_square * (1 / len(first) + 1 / len(second)))
        t.append((second.mean() - first.mean()) / error)

    np.testing.assert_allclose(scheffe(t, [df] * len(t), len(scores)), recorded)


def test_scheffes_procedure_never_gives_pairs_less_than_tukeys() -> None:
    t = np.linspace(0, 6, 25)
    df = np.full(25, 8.5)
    for n_systems in (3, 5, 12):
        assert (scheffe(t, df, n_systems) >= tukey(t, df, n_systems) - 1e-9).all()


def test_scheffes_procedure_of_two_systems_adjusts_nothing() -> None:
    adjusted = scheffe([1.3, np.nan, 1.3], [7.5, 7.5, np.inf], 2)
    expected = [2 * stats.t.sf(1.3, 7.5), np.nan, 2 * norm.sf(1.3)]
    assert adjusted == pytest.approx(expected, nan_ok=True)


def test_tukeys_procedure_of_two_systems_adjusts_nothing() -> None:
    assert tukey([1.3, np.nan], [7.5, 7.5], 2) == pytest.approx([2 * stats.t.sf(1.3, 7.5), np.nan], nan_ok=True)


def test_simultaneous_intervals_leave_out_zero_exactly_where_max_t_is_below_the_level() -> None:
    nulls = np.random.default_rng(5).normal(size=(3, 999)) * np.array([[1.0], [5.0], [0.2]])
    reach = max_t_reach([0.0] * 3, nulls, [1.0] * 3, 0.05)
    assert (max_t(0.999 * reach, nulls) > 0.05).all()
    assert (max_t(1.001 * reach, nulls) <= 0.05).all()
    for shift in (0.5, 0.99, 1.01, 3.0):  # with the difference in their spread
        differences = shift * reach
        half_widths = max_t_reach(differences, nulls, [0.6] * 3, 0.05)
        excludes_zero = np.abs(differences) > half_widths
        assert (excludes_zero == (max_t(differences, nulls) <= 0.05)).all()
    assert np.isnan(max_t_reach([0.0] * 3, nulls[:, :18], [1.0] * 3, 0.05)).all()
    with_copy = np.concatenate([nulls, np.zeros((1, 999))])  # a system with the baseline's own outputs
    assert max_t_reach([0.0] * 4, with_copy, [1.0] * 3 + [np.nan], 0.05).tolist() == [*reach.tolist(), 0.0]
    assert max_t([0.0] * 4, with_copy)[3] == 1


def test_simultaneous_intervals_hold_together_as_often_as_they_say() -> None:
    """Four comparisons with one baseline, whose luck they share; the draws spread as the differences do."""
    n_simulations = 400
    generator = np.random.default_rng(6)
    n_covered = 0
    for _ in range(n_simulations):
        nulls = generator.normal(size=(4, 499)) + generator.normal(size=499)
        differences = generator.normal(size=4) + generator.normal()
        half_widths = max_t_reach(differences, nulls, [1.0] * 4, 0.1)
        n_covered += (np.abs(differences) <= half_widths).all()
    assert n_covered / n_simulations == pytest.approx(0.9, abs=0.045)
