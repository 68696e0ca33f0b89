"""Warnings about assumptions have their stated false-alarm rate, and find what they are for."""

import numpy as np
import pytest
from scipy.stats import spearmanr, ttest_ind

from mteval.stats.assumptions import informative_sizes, run_apart


@pytest.mark.parametrize("n_runs", [3, 5, 10])
def test_a_run_stands_apart_as_often_as_the_level_says(n_runs: int) -> None:
    generator = np.random.default_rng(n_runs)
    draws = generator.normal(size=(4_000, n_runs))
    p_values = np.array([run_apart(scores).p_value for scores in draws])
    assert np.mean(p_values <= 0.05) == pytest.approx(0.05, abs=0.012)


def test_grubbs_test_is_student_s_test_of_one_run_against_the_others_times_their_number() -> None:
    scores = [20.0, 20.2, 19.9, 20.1, 17.0]
    warning = run_apart(scores)
    assert warning.places == (4,)
    assert warning.p_value == pytest.approx(5 * ttest_ind(scores[4:], scores[:4]).pvalue)
    assert run_apart([20.0, 20.1]).p_value == 1
    assert run_apart([20.0] * 3).p_value == 1


def test_gains_that_grow_with_documents_are_found() -> None:
    """In 2,000 draws of gains that do not depend on sizes, and in 200 of gains that do."""
    generator = np.random.default_rng(4)
    sizes = generator.integers(2, 60, size=(2_000, 20))
    gains = generator.normal(size=sizes.shape)
    growing_gains = gains[:200] + sizes[:200] / 15

    independent = np.array([informative_sizes(*draw).p_value for draw in zip(gains, sizes, strict=True)])
    informed = np.array([informative_sizes(*draw).p_value for draw in zip(growing_gains, sizes[:200], strict=True)])

    assert np.mean(independent <= 0.05) == pytest.approx(0.05, abs=0.015)
    assert np.mean(informed <= 0.05) > 0.8
    assert informative_sizes([1.0, 2.0, 3.0], [1, 2, 3]).p_value == 1


def test_dependence_on_sizes_is_tested_as_by_scipy() -> None:
    generator = np.random.default_rng(5)
    for n_documents in (6, 20, 200):
        sizes = generator.integers(2, 12, n_documents)  # with ties
        gains = np.round(generator.normal(size=n_documents) + sizes / 20, 1)
        expected = spearmanr(gains, sizes)
        found = informative_sizes(gains, sizes)
        assert found.value == pytest.approx(expected.statistic, abs=1e-14)
        assert found.p_value == pytest.approx(expected.pvalue, rel=1e-12)
    assert informative_sizes(np.arange(8.0), np.arange(8)).p_value == 0
    assert informative_sizes([0.0, 1.0, 2.0, 3.0, 4.0, np.nan], np.arange(6)).p_value == 1
