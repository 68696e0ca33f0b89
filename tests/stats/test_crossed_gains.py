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
    """Gains that raters see in segments: an effect of the rater, one of the segment, and noise, all of equal size."""
    generator = np.random.default_rng(seed)
    raters = generator.standard_normal((n_raters, 1))
    segments = generator.standard_normal(n_segments)
    return raters + segments + generator.standard_normal((n_raters, n_segments))


def test_components_are_the_mean_squares_of_the_crossed_layout() -> None:
    gains = gains_of(4, 15)
    rater, segment = np.indices(gains.shape)
    cells = pd.DataFrame({"rater": rater.ravel(), "segment": segment.ravel(), "gain": gains.ravel()})
    table = anova_lm(ols("gain ~ C(rater) + C(segment)", cells).fit())
    expected = table["mean_sq"] / gains.size

    components = CrossedGains.of(gains).components

    assert components.runs == pytest.approx((expected["C(rater)"],))
    assert components.segments == pytest.approx(expected["C(segment)"])
    assert components.pairs == pytest.approx((expected["Residual"],))


def test_the_degrees_of_freedom_count_the_excess_of_raters_over_noise() -> None:
    """By the formula: of the raters' variance a quarter of the interaction's share is taken for noise."""
    components = CrossedGains.of(gains_of(3, 20)).components
    (raters,) = components.runs
    segments = components.segments
    (noise,) = components.pairs
    total = max(raters + segments - noise, raters, segments)
    excess = max(0.0, raters - noise / 4)
    inverse = excess**2 / 2 + segments**2 / 19 + noise**2 / 38
    assert components.total == total
    assert components.df == pytest.approx(total**2 / inverse)


def test_these_raters_are_the_paired_t_test_on_their_means() -> None:
    gains = gains_of(3, 12)
    expected = ttest_1samp(gains.mean(axis=0), 0.0)
    interval = expected.confidence_interval(0.95)
    result = CrossedGains.of(gains).these_raters("two-sided", 0.95)
    assert result.p_value == pytest.approx(expected.pvalue)
    assert result.low == pytest.approx(interval.low)
    assert result.high == pytest.approx(interval.high)


def test_raters_who_all_agree_add_no_luck() -> None:
    """Three copies of one rater: nothing but segments varies, so both questions have the same variance."""
    copies = np.tile(gains_of(1, 30), (3, 1))
    components = CrossedGains.of(copies).components
    assert components.runs == pytest.approx((0.0,), abs=1e-15)
    assert components.total == pytest.approx(components.segments)


def test_one_rater_is_refused_two_are_provisional_three_are_not() -> None:
    single, two, three = (CrossedGains.of(gains_of(n, 20)).other_raters("two-sided", 0.95) for n in (1, 2, 3))
    assert single.note == ONE_RATER
    assert np.isnan(single.p_value)
    assert two.note == PROVISIONAL
    assert 0 < two.p_value <= 1
    assert three.note == ""
    assert 0 < three.p_value <= 1

    on_one_segment = CrossedGains.of(gains_of(3, 1)).other_raters("two-sided", 0.95)
    assert on_one_segment.note == ONE_UNIT


def test_documents_of_equal_size_are_segments_of_their_means() -> None:
    gains = gains_of(4, 24)
    on_documents = CrossedGains.of(gains, np.repeat(np.arange(8), 3).tolist())
    on_means = CrossedGains.of(gains.reshape(4, 8, 3).mean(axis=2))
    np.testing.assert_allclose(on_documents.values, on_means.values)
    assert on_documents.df_units == pytest.approx(7)
    p_value = on_documents.other_raters("two-sided", 0.95).p_value
    assert p_value == pytest.approx(on_means.other_raters("two-sided", 0.95).p_value)


def test_documents_of_unequal_size_keep_the_mean_gain_and_are_worth_fewer() -> None:
    """Four documents with 40, 30, 20 and 10% of the segments."""
    gains = gains_of(3, 20)
    documents = ["a"] * 8 + ["b"] * 6 + ["c"] * 4 + ["d"] * 2
    crossed = CrossedGains.of(gains, documents)
    assert crossed.difference == pytest.approx(gains.mean())
    assert crossed.df_units == pytest.approx(1 / (0.4**2 + 0.3**2 + 0.2**2 + 0.1**2) - 1)


def test_a_document_of_more_than_half_the_segments_cannot_answer() -> None:
    crossed = CrossedGains.of(gains_of(8, 18), ["a"] * 10 + ["b"] * 8)
    assert crossed.other_raters("two-sided", 0.95).note == TOO_LARGE
    assert np.isnan(crossed.these_raters("two-sided", 0.95).p_value)


def test_the_level_is_about_kept_where_raters_shift_and_lost_where_they_are_taken_as_given() -> None:
    """A thousand draws without a true difference, raters' shifts twice the noise of a rater's mean."""
    generator = np.random.default_rng(11)
    n_of_other_raters = 0
    n_of_these_raters = 0
    for _ in range(1_000):
        gains = 0.3 * generator.standard_normal((4, 1)) + generator.standard_normal((4, 50))
        crossed = CrossedGains.of(gains)
        n_of_other_raters += crossed.other_raters("two-sided", 0.95).p_value <= 0.05
        n_of_these_raters += crossed.these_raters("two-sided", 0.95).p_value <= 0.05
    assert 0.02 <= n_of_other_raters / 1_000 <= 0.09
    assert n_of_these_raters / 1_000 > 0.25


def test_the_parts_of_the_variance_are_never_negative_and_add_up_to_it() -> None:
    generator = np.random.default_rng(4)
    for _ in range(200):
        n_raters = generator.integers(2, 6)
        n_segments = generator.integers(2, 9)
        noise = generator.normal(size=(n_raters, n_segments))
        shifts = generator.normal(size=(n_raters, 1)) * generator.integers(0, 3)
        components = CrossedGains.of(noise + shifts).components
        assert min(components.parts) >= -1e-12
        assert sum(components.parts) == pytest.approx(components.total)


def test_what_raters_alone_differ_in_is_their_own_part() -> None:
    shifts = np.array([1.0, 2.0, 6.0])
    gains = np.tile(shifts[:, np.newaxis], 5)
    components = CrossedGains.of(gains).components
    assert components.parts == pytest.approx((shifts.var(ddof=1) / 3, 0, 0))
