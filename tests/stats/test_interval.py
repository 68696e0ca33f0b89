"""The interval for another choice of the test set, against SciPy's paired t and against the bootstrap."""

from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.stats import binomtest

from mteval.stats.base import PairedResult
from mteval.stats.interval import accuracy_interval, difference_over_units


def mean(sums: np.ndarray) -> np.ndarray:
    """Of segment scores: their sum, their number."""
    return sums[..., 0] / sums[..., 1]


def interval_over_units(*case: Any) -> tuple[float, float]:
    """The ends of the interval of a difference."""
    result: PairedResult = difference_over_units(*case)
    return result.low, result.high


def segments(scores: np.ndarray) -> np.ndarray:
    """The statistics of segment scores: each score, and one as its number."""
    return np.stack([scores, np.ones_like(scores)], axis=-1)


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_of_a_mean_it_is_the_paired_t_interval_of_scipy_over_runs_averaged(confidence: float) -> None:
    generator = np.random.default_rng(3)
    baseline = generator.normal(50, 9, (3, 80))
    system = generator.normal(51, 9, (2, 80))

    result = difference_over_units(segments(baseline), segments(system), mean, confidence)

    baseline_mean = baseline.mean(axis=0)
    system_mean = system.mean(axis=0)
    expected = stats.ttest_rel(system_mean, baseline_mean).confidence_interval(confidence)
    assert result.low == pytest.approx(expected.low)
    assert result.high == pytest.approx(expected.high)
    assert result.standard_error == pytest.approx(stats.sem(system_mean - baseline_mean))


@pytest.mark.parametrize("metric", ["bleu", "ter"])
def test_of_a_ratio_it_is_as_wide_as_a_plain_bootstrap_of_segments(example, metric: str) -> None:
    case = example[metric]
    generator = np.random.default_rng(5)
    n_segments = case.baseline.shape[1]

    def mean_score(runs: np.ndarray, drawn_segments: np.ndarray) -> float:
        sums = runs[:, drawn_segments].sum(axis=1).astype(float)
        return case.score(sums).mean()

    draws = []
    for _ in range(1_000):
        drawn_segments = generator.integers(0, n_segments, n_segments)
        draws.append(mean_score(case.system, drawn_segments) - mean_score(case.baseline, drawn_segments))
    low, high = interval_over_units(case.baseline, case.system, case.score, 0.95)
    assert high - low == pytest.approx(2 * 1.96 * np.std(draws), rel=0.08)
    assert (low + high) / 2 == pytest.approx(np.mean(draws), abs=0.03)


def test_one_run_of_each_is_enough_and_one_unit_is_not() -> None:
    scores = np.random.default_rng(1).normal(50, 9, (2, 1, 30))
    low, high = interval_over_units(segments(scores[0]), segments(scores[1]), mean, 0.95)
    assert low < high

    of_one_unit = interval_over_units(segments(scores[0])[:, :1], segments(scores[1])[:, :1], mean, 0.95)
    assert np.isnan(of_one_unit).all()


def test_copies_and_undefined_scores_have_no_interval() -> None:
    scores = segments(np.random.default_rng(1).normal(50, 9, (1, 30)))
    assert np.isnan(interval_over_units(scores, scores, mean, 0.95)).all()
    assert np.isnan(interval_over_units(scores, scores, lambda sums: sums[..., 0] * np.nan, 0.95)).all()


def test_the_interval_of_one_run_s_accuracy_is_clopper_and_pearson_s() -> None:
    for n_right in (0, 3, 17, 20):
        answers = np.array([1.0] * n_right + [0.0] * (20 - n_right))
        error = float(np.std(answers, ddof=1)) / np.sqrt(20)
        expected = binomtest(n_right, 20).proportion_ci(0.95, "exact")
        assert accuracy_interval(n_right / 20, error, 20, 0.95) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize(("n_items", "n_runs"), [(20, 1), (20, 5), (50, 3), (300, 1)])
@pytest.mark.parametrize("accuracy", [0.5, 0.95])
def test_intervals_of_few_items_hold_their_accuracy(n_items: int, n_runs: int, accuracy: float) -> None:
    """Items differ in difficulty (Beta), and runs answer them independently."""
    generator = np.random.default_rng(n_items + n_runs)
    holds = []
    for _ in range(500):
        difficulty = generator.beta(2 * accuracy, 2 * (1 - accuracy), n_items)
        answers = (generator.random((n_runs, n_items)) < difficulty).mean(axis=0)
        error = float(answers.std(ddof=1)) / np.sqrt(n_items)
        low, high = accuracy_interval(float(answers.mean()), error, n_items, 0.95)
        holds.append(low <= accuracy <= high)
    assert np.mean(holds) >= 0.92
