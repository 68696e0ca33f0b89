import numpy as np
import pytest

from mteval.stats.units import contributions, gradient


def _geometric(sums: np.ndarray) -> np.ndarray:
    """As BLEU: a geometric mean of two precisions with a brevity penalty; column 4 is the reference length."""
    matches, attempts = sums[..., 0:2], sums[..., 2:4]
    brevity = np.exp(np.minimum(0, 1 - sums[..., 4] / attempts[..., 0]))
    return 100 * np.sqrt(np.prod(matches / attempts, axis=-1)) * brevity


def test_the_gradient_is_the_analytic_one():
    sums = np.array([[700.0, 300.0, 1_500.0, 1_300.0, 1_600.0], [7e6, 3e6, 15e6, 13e6, 14e6]])
    scores = _geometric(sums)
    expected = scores[:, np.newaxis] * np.stack(
        [
            0.5 / sums[:, 0],
            0.5 / sums[:, 1],
            -0.5 / sums[:, 2] + np.array([1, 0]) * sums[:, 4] / sums[:, 2] ** 2,
            -0.5 / sums[:, 3],
            np.array([-1, 0]) / sums[:, 2],
        ],
        axis=1,
    )
    np.testing.assert_allclose(gradient(sums, sums, _geometric), expected, rtol=1e-7, atol=1e-16)


def test_a_statistic_that_no_segment_has_gets_no_slope_and_makes_no_score_undefined():
    def smoothed(sums: np.ndarray) -> np.ndarray:
        return 100 * np.sqrt(np.where(sums[..., 0] == 0, 0.5, sums[..., 0]) * np.log(sums[..., 1]))

    sums = np.array([[0.0, 50.0]])
    slopes = gradient(sums, sums, smoothed)
    assert slopes[0, 0] == 0
    assert slopes[0, 1] == pytest.approx(100 * 0.5 * np.sqrt(0.5 / np.log(50)) / 50)


def test_steps_follow_the_magnitude_where_the_sum_cancels():
    sums, magnitudes = np.array([[1e-9, 10.0]]), np.array([[200.0, 10.0]])
    slopes = gradient(sums, magnitudes, lambda s: 3 * s[..., 0] + s[..., 1])
    np.testing.assert_allclose(slopes, [[3, 1]], rtol=1e-8)


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_for_a_mean_the_contributions_are_the_segment_scores(dtype: type):
    values = np.random.default_rng(1).integers(0, 100, (3, 40)).astype(dtype)
    statistics = np.stack([values, np.ones_like(values)], axis=2)
    np.testing.assert_allclose(contributions(statistics, lambda s: s[..., 0] / s[..., 1]), values, atol=1e-6)


def test_for_a_ratio_they_are_the_residuals_over_the_mean_denominator():
    edits, words = np.random.default_rng(2).integers(1, 30, (2, 1, 60))
    statistics = np.stack([edits, words], axis=2)
    ratio = edits.sum() / words.sum()
    expected = 100 * (ratio + (edits - ratio * words) / words.mean())
    np.testing.assert_allclose(contributions(statistics, lambda s: 100 * s[..., 0] / s[..., 1]), expected, atol=1e-6)


@pytest.mark.real_data
def test_their_mean_is_the_score_and_their_spread_the_bootstrap_error(example):
    case = example["bleu"]
    found = contributions(case.baseline, case.score)
    np.testing.assert_allclose(found.mean(axis=1), case.score(case.baseline.sum(axis=1)), rtol=1e-12)
    standard_errors = found.std(axis=1) / np.sqrt(found.shape[1])
    np.testing.assert_allclose(standard_errors.mean(), 0.2573, rtol=0.06)  # MultEval's s_sel from 1,000 replicates
