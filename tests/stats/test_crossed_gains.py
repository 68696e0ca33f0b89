"""Raters crossed with segments, against statsmodels' analysis of variance, closed forms and simulation."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from mteval.stats.crossed_layout import ONE_RATER, ONE_UNIT, PROVISIONAL, CrossedGains
from mteval.stats.units import TOO_LARGE


def gains_of(n_raters: int, n_segments: int, seed: int = 3) -> np.ndarray:
    generator = np.random.default_rng(seed)
    raters, segments = generator.standard_normal((n_raters, 1)), generator.standard_normal(n_segments)
    return raters + segments + generator.standard_normal((n_raters, n_segments))


def test_components_are_the_mean_squares_of_the_crossed_layout() -> None:
    gains = gains_of(4, 15)
    cells = [(r, s, gains[r, s]) for r in range(4) for s in range(15)]
    table = anova_lm(
        ols("gain ~ C(rater) + C(segment)", pd.DataFrame(cells, columns=["rater", "segment", "gain"])).fit()
    )
    parts, squares = CrossedGains.of(gains).components, table["mean_sq"] / gains.size
    assert parts.runs == pytest.approx((squares["C(rater)"],))
    assert parts.segments == pytest.approx(squares["C(segment)"])
    assert parts.pairs == pytest.approx((squares["Residual"],))


def test_the_degrees_of_freedom_count_the_excess_of_raters_over_noise() -> None:
    """By the formula: of the raters' variance a quarter of the interaction's share is taken for noise."""
    parts = CrossedGains.of(gains_of(3, 20)).components
    (x,), s, (e,) = parts.runs, parts.segments, parts.pairs
    total = max(x + s - e, x, s)
    excess = max(0.0, x - e / 4)
    assert parts.total == total
    assert parts.df == pytest.approx(total**2 / (excess**2 / 2 + s**2 / 19 + e**2 / 38))


def test_these_raters_are_the_paired_t_test_on_their_means() -> None:
    gains = gains_of(3, 12)
    expected = ttest_1samp(gains.mean(axis=0), 0.0)
    result = CrossedGains.of(gains).these_raters("two-sided", 0.95)
    assert result.p_value == pytest.approx(expected.pvalue)
    assert (result.low, result.high) == pytest.approx(tuple(expected.confidence_interval(0.95)))


def test_raters_who_all_agree_add_no_luck() -> None:
    """Three copies of one rater: nothing but segments varies, so both questions have the same variance."""
    gains = np.tile(gains_of(1, 30), (3, 1))
    parts = CrossedGains.of(gains).components
    assert parts.runs == pytest.approx((0.0,), abs=1e-15)
    assert parts.total == pytest.approx(parts.segments)


def test_one_rater_is_refused_two_are_provisional_three_are_not() -> None:
    answers = [CrossedGains.of(gains_of(n, 20)).other_raters("two-sided", 0.95) for n in (1, 2, 3)]
    assert [answer.note for answer in answers] == [ONE_RATER, PROVISIONAL, ""]
    assert np.isnan(answers[0].p_value)
    assert all(0 < answer.p_value <= 1 for answer in answers[1:])
    assert CrossedGains.of(gains_of(3, 1)).other_raters("two-sided", 0.95).note == ONE_UNIT


def test_documents_of_equal_size_are_segments_of_their_means() -> None:
    gains = gains_of(4, 24)
    by_document = CrossedGains.of(gains, np.repeat(np.arange(8), 3).tolist())
    plain = CrossedGains.of(gains.reshape(4, 8, 3).mean(axis=2))
    np.testing.assert_allclose(by_document.values, plain.values)
    assert by_document.df_units == pytest.approx(7)
    one, other = (found.other_raters("two-sided", 0.95) for found in (by_document, plain))
    assert one.p_value == pytest.approx(other.p_value)


def test_documents_of_unequal_size_keep_the_mean_gain_and_are_worth_fewer() -> None:
    gains = gains_of(3, 20)
    crossed = CrossedGains.of(gains, ["a"] * 8 + ["b"] * 6 + ["c"] * 4 + ["d"] * 2)
    assert crossed.difference == pytest.approx(gains.mean())
    assert crossed.df_units == pytest.approx(1 / (0.4**2 + 0.3**2 + 0.2**2 + 0.1**2) - 1)


def test_a_document_of_more_than_half_the_segments_cannot_answer() -> None:
    crossed = CrossedGains.of(gains_of(8, 18), ["a"] * 10 + ["b"] * 8)
    assert crossed.other_raters("two-sided", 0.95).note == TOO_LARGE
    assert np.isnan(crossed.these_raters("two-sided", 0.95).p_value)


def test_the_level_is_about_kept_where_raters_shift_and_lost_where_they_are_taken_as_given() -> None:
    """A thousand draws without a true difference, raters' shifts twice the noise of a rater's mean."""
    generator = np.random.default_rng(11)
    rejected = np.zeros(2)
    for _ in range(1_000):
        gains = 0.3 * generator.standard_normal((4, 1)) + generator.standard_normal((4, 50))
        crossed = CrossedGains.of(gains)
        found = crossed.other_raters("two-sided", 0.95), crossed.these_raters("two-sided", 0.95)
        rejected += [one.p_value <= 0.05 for one in found]
    assert 0.02 <= rejected[0] / 1_000 <= 0.09
    assert rejected[1] / 1_000 > 0.25


def test_the_parts_of_the_variance_are_never_negative_and_add_up_to_it() -> None:
    generator = np.random.default_rng(4)
    for _ in range(200):
        shape = generator.integers(2, 6), generator.integers(2, 9)
        gains = generator.normal(size=shape) + generator.normal(size=(shape[0], 1)) * generator.integers(0, 3)
        components = CrossedGains.of(gains).components
        assert min(components.parts) >= -1e-12
        assert sum(components.parts) == pytest.approx(components.total)


def test_what_raters_alone_differ_in_is_their_own_part() -> None:
    shifts = np.array([1.0, 2.0, 6.0])
    components = CrossedGains.of(np.tile(shifts[:, np.newaxis], 5)).components
    assert components.parts == pytest.approx((shifts.var(ddof=1) / 3, 0, 0))
