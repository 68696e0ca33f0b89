"""Exact intervals and McNemar's test, against the paper's own numbers, SciPy and statsmodels."""

import numpy as np
import pytest
from scipy.stats import binomtest, chi2_contingency
from statsmodels.stats.contingency_tables import mcnemar as reference_mcnemar

from mteval.stats.proportions import chi_square, clopper_pearson, mcnemar

# Graham et al. (2014), Tables 1 and 2: right conclusions, pairs, and the printed bounds
PUBLISHED = [
    (53, 66, 68.7, 89.1),
    (54, 66, 70.4, 90.2),
    (52, 66, 67.0, 87.9),
    (51, 66, 65.3, 86.7),
    (48, 66, 60.4, 83.0),
    (50, 66, 63.6, 85.5),
    (34, 55, 47.7, 74.6),
    (32, 55, 44.1, 71.3),
    (31, 55, 42.3, 69.7),
    (33, 55, 45.9, 73.0),
    (30, 55, 40.6, 68.0),
]


@pytest.mark.parametrize(("correct", "n_pairs", "low", "high"), PUBLISHED)
def test_intervals_are_those_that_the_paper_prints(correct: int, n_pairs: int, low: float, high: float) -> None:
    interval = clopper_pearson(correct, n_pairs, 0.95)
    assert [round(100 * bound, 1) for bound in interval] == [low, high]


@pytest.mark.parametrize(("successes", "trials"), [(0, 5), (5, 5), (1, 1), (7, 40)])
def test_intervals_are_scipys_at_the_edges_too(successes: int, trials: int) -> None:
    expected = binomtest(successes, trials).proportion_ci(0.9, method="exact")
    assert clopper_pearson(successes, trials, 0.9) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_without_trials_there_is_no_interval() -> None:
    assert np.isnan(clopper_pearson(0, 0, 0.95)).all()


def test_two_tests_on_the_same_pairs_are_compared_as_statsmodels_does() -> None:
    generator = np.random.default_rng(2)
    for share in (0.5, 0.7, 0.95):
        first = generator.random(66) < share
        second = generator.random(66) < 0.6
        both = np.sum(first & second)
        first_alone = np.sum(first & ~second)
        second_alone = np.sum(~first & second)
        neither = np.sum(~first & ~second)
        expected = reference_mcnemar([[both, first_alone], [second_alone, neither]], exact=True)

        only_first, only_second, p_value = mcnemar(first, second)

        assert (only_first, only_second) == (first_alone, second_alone)
        assert p_value == pytest.approx(expected.pvalue)


def test_tests_that_are_never_apart_do_not_differ() -> None:
    same = np.array([True, False, True])
    assert mcnemar(same, same) == (0, 0, 1.0)


# Graham et al. (2014), right conclusions at 5% of BLEU, NIST, METEOR and TER by each test: "differences in accuracy for
# metrics are not significant (Chi-square test)"
SPANISH_TO_ENGLISH = np.array([53, 54, 52, 52])
ENGLISH_TO_SPANISH = np.array([34, 32, 31, 32])


@pytest.mark.parametrize(
    ("correct", "n_pairs"),
    [
        (SPANISH_TO_ENGLISH, np.full(4, 66)),
        (ENGLISH_TO_SPANISH, np.full(4, 55)),
        (np.array([53, 34]), np.array([66, 55])),
        (np.array([9, 1, 0]), np.array([10, 12, 3])),
    ],
)
def test_accuracies_are_compared_by_scipys_chi_square(correct: np.ndarray, n_pairs: np.ndarray) -> None:
    expected = chi2_contingency([correct, n_pairs - correct], correction=False)

    statistic, df, p_value = chi_square(correct, n_pairs)

    assert statistic == pytest.approx(expected.statistic)
    assert df == expected.dof
    assert p_value == pytest.approx(expected.pvalue)


def test_the_papers_metrics_do_not_differ_in_accuracy() -> None:
    assert chi_square(SPANISH_TO_ENGLISH, np.full(4, 66))[2] == pytest.approx(0.967, abs=0.001)
    assert chi_square(ENGLISH_TO_SPANISH, np.full(4, 55))[2] == pytest.approx(0.949, abs=0.001)


@pytest.mark.parametrize("correct", [0, 5])
def test_accuracies_without_a_failure_or_success_do_not_differ(correct: int) -> None:
    assert chi_square(np.array([correct, correct]), np.array([5, 5])) == (0.0, 1, 1.0)
