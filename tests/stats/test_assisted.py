"""Metric-assisted means: ppi-python's and glide-py's answers, a closed form for what is saved, and coverage."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm, t, ttest_1samp

from mteval.stats.assisted import assisted_mean
from tests.stats.record_people_oracles import CASES, HUMAN, METRIC, N_JUDGED, N, balanced


def recorded(name: str) -> dict[str, Any]:
    """What a package answered."""
    return json.loads(Path(__file__).with_name(f"recorded_{name}.json").read_text(encoding="utf-8"))


RECORDED = {"ppi": recorded("ppi"), "glide": recorded("glide")}


@pytest.mark.parametrize("case", CASES)
def test_means_and_standard_errors_equal_glides_where_all_weights_agree(case: str) -> None:
    """Glide divides by the variance over all units, and uses the normal distribution instead of Student's t."""
    expected = RECORDED["glide"]["cases"][case]
    human, metrics, units = balanced(*CASES[case])

    assisted = assisted_mean(human, metrics, np.arange(len(human)), units)

    assert assisted.mean == pytest.approx(expected["mean"], rel=0, abs=1e-9)
    assert abs(assisted.mean - assisted.plain) > 0.1
    n_units = len(np.unique(units[: len(human)]))
    error = (assisted.high - assisted.low) / 2 / t.ppf(0.975, n_units - 1)
    assert error == pytest.approx(expected["error"], rel=0, abs=1e-9)
    assert error == pytest.approx((expected["high"] - expected["low"]) / 2 / norm.ppf(0.975), rel=0, abs=1e-9)
    assert assisted.saved > 0.05


@pytest.mark.parametrize("oracle", RECORDED)
def test_one_metric_gives_the_mean_and_interval_of_ppi(oracle: str) -> None:
    """Cross-fitting, Student's t and n - 1 change the last digits only."""
    expected = RECORDED[oracle]
    expected_width = expected["high"] - expected["low"]
    judged = np.array(HUMAN[:N_JUDGED])
    width_without_metric = np.ptp(ttest_1samp(judged, 0).confidence_interval())

    assisted = assisted_mean(judged, np.array([METRIC]), np.arange(N_JUDGED), np.arange(N))

    assert assisted.mean == pytest.approx(expected["mean"], abs=0.02 * expected_width)
    assert assisted.high - assisted.low == pytest.approx(expected_width, rel=0.035)
    assert assisted.plain == pytest.approx(judged.mean())
    assert assisted.high - assisted.low < 0.9 * width_without_metric


def test_a_useless_metric_changes_nothing() -> None:
    generator = np.random.default_rng(1)
    judged = generator.normal(size=60)
    expected = ttest_1samp(judged, 0)
    interval = expected.confidence_interval()

    assisted = assisted_mean(judged, np.zeros((1, 200)), np.arange(60), np.arange(200))

    assert assisted.mean == judged.mean()
    assert assisted.p_value == pytest.approx(expected.pvalue)
    assert assisted.saved == 0
    assert assisted.low == pytest.approx(interval.low)
    assert assisted.high == pytest.approx(interval.high)


def test_what_is_saved_is_the_explained_variance_of_the_segments_that_are_not_judged() -> None:
    """With correlation r and a share f judged, the error variance falls by (1 - f) r squared."""
    n = 20_000
    share = 0.25
    correlation = 0.6
    generator = np.random.default_rng(2)
    human = generator.normal(size=n)
    metric = correlation * human + np.sqrt(1 - correlation**2) * generator.normal(size=n)
    places = np.arange(int(share * n))

    assisted = assisted_mean(human[places], np.array([metric]), places, np.arange(n))

    assert assisted.saved == pytest.approx((1 - share) * correlation**2, abs=0.02)


@pytest.mark.parametrize("documents", [False, True])
def test_intervals_cover_the_mean_of_all_texts_and_are_unbiased(documents: bool) -> None:
    n_simulations = 300
    n_segments = 240
    units = np.arange(n_segments)
    if documents:
        units = units // 6
    n_units = units.max() + 1
    generator = np.random.default_rng(3)
    is_covered = []
    means = []
    shares_saved = []
    for _ in range(n_simulations):
        human = np.zeros(n_segments)
        if documents:
            human += generator.normal(size=n_units)[units]
        human += generator.normal(size=n_segments)
        metrics = np.array([human + generator.normal(size=n_segments), generator.normal(size=n_segments)])
        judged_units = generator.permutation(n_units)[: n_units // 3]
        places = np.flatnonzero(np.isin(units, judged_units))
        assisted = assisted_mean(human[places], metrics, places, units)
        is_covered.append(assisted.low <= 0 <= assisted.high)
        means.append(assisted.mean)
        shares_saved.append(assisted.saved)
    assert np.mean(is_covered) > 0.92
    assert abs(np.mean(means)) < 3 * np.std(means) / np.sqrt(n_simulations)
    assert np.mean(shares_saved) > 0.2


def test_p_is_below_the_level_exactly_when_the_interval_excludes_zero() -> None:
    for seed in range(40):
        generator = np.random.default_rng(seed)
        human = 0.3 + generator.normal(size=100)
        metric = human + generator.normal(size=100)
        assisted = assisted_mean(human[:40], np.array([metric]), np.arange(40), np.arange(100))
        excludes_zero = assisted.low > 0 or assisted.high < 0
        assert (assisted.p_value < 0.05) == excludes_zero
