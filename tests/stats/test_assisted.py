"""Metric-assisted means: ppi-python's and glide-py's answers, a closed form for what is saved, and coverage."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm, t, ttest_1samp

from mteval.stats.assisted import assisted_mean
from tests.stats.record_people_oracles import CASES, HUMAN, METRIC, N_JUDGED, N, balanced

RECORDED = {
    name: json.loads(Path(__file__).with_name(f"recorded_{name}.json").read_text(encoding="utf-8"))
    for name in ("ppi", "glide")
}


@pytest.mark.parametrize("case", CASES)
def test_means_and_standard_errors_equal_glides_where_all_weights_agree(case: str) -> None:
    """Glide divides by the variance over all units, and uses the normal distribution instead of Student's t."""
    expected, (human, metrics, units) = RECORDED["glide"]["cases"][case], balanced(*CASES[case])
    found = assisted_mean(human, metrics, np.arange(len(human)), units)
    assert found.mean == pytest.approx(expected["mean"], rel=0, abs=1e-9)
    assert abs(found.mean - found.plain) > 0.1
    n_units = len(np.unique(units[: len(human)]))
    error = (found.high - found.low) / 2 / t.ppf(0.975, n_units - 1)
    assert error == pytest.approx(expected["error"], rel=0, abs=1e-9)
    assert error == pytest.approx((expected["high"] - expected["low"]) / 2 / norm.ppf(0.975), rel=0, abs=1e-9)
    assert found.saved > 0.05


@pytest.mark.parametrize("oracle", RECORDED)
def test_one_metric_gives_the_mean_and_interval_of_ppi(oracle: str) -> None:
    """Cross-fitting, Student's t and n - 1 change the last digits only."""
    recorded = RECORDED[oracle]
    found = assisted_mean(np.array(HUMAN[:N_JUDGED]), np.array([METRIC]), np.arange(N_JUDGED), np.arange(N))
    width = recorded["high"] - recorded["low"]
    assert found.mean == pytest.approx(recorded["mean"], abs=0.02 * width)
    assert found.high - found.low == pytest.approx(width, rel=0.035)
    plain = np.array(HUMAN[:N_JUDGED])
    assert found.plain == pytest.approx(plain.mean())
    assert found.high - found.low < 0.9 * np.ptp(ttest_1samp(plain, 0).confidence_interval())


def test_a_useless_metric_changes_nothing() -> None:
    generator = np.random.default_rng(1)
    judged = generator.normal(size=60)
    found = assisted_mean(judged, np.zeros((1, 200)), np.arange(60), np.arange(200))
    expected = ttest_1samp(judged, 0)
    interval = expected.confidence_interval()
    assert (found.mean, found.p_value, found.saved) == (judged.mean(), pytest.approx(expected.pvalue), 0)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))


def test_what_is_saved_is_the_explained_variance_of_the_segments_that_are_not_judged() -> None:
    """With correlation r and a share f judged, the error variance falls by (1 - f) r squared."""
    generator, n, f, r = np.random.default_rng(2), 20_000, 0.25, 0.6
    human = generator.normal(size=n)
    metric = r * human + np.sqrt(1 - r**2) * generator.normal(size=n)
    places = np.arange(int(f * n))
    found = assisted_mean(human[places], np.array([metric]), places, np.arange(n))
    assert found.saved == pytest.approx((1 - f) * r**2, abs=0.02)


@pytest.mark.parametrize("documents", [False, True])
def test_intervals_cover_the_mean_of_all_texts_and_are_unbiased(documents: bool) -> None:
    generator, covered, errors, narrower = np.random.default_rng(3), [], [], []
    for _ in range(300):
        units = np.arange(240) // 6 if documents else np.arange(240)
        shift = generator.normal(size=units.max() + 1)[units] if documents else 0
        human = shift + generator.normal(size=240)
        metrics = np.array([human + generator.normal(size=240), generator.normal(size=240)])
        judged_units = generator.permutation(units.max() + 1)[: (units.max() + 1) // 3]
        places = np.flatnonzero(np.isin(units, judged_units))
        found = assisted_mean(human[places], metrics, places, units)
        covered.append(found.low <= 0 <= found.high)
        errors.append(found.mean)
        narrower.append(found.saved)
    assert np.mean(covered) > 0.92
    assert abs(np.mean(errors)) < 3 * np.std(errors) / np.sqrt(300)
    assert np.mean(narrower) > 0.2


def test_p_is_below_the_level_exactly_when_the_interval_excludes_zero() -> None:
    for seed in range(40):
        generator = np.random.default_rng(seed)
        human = 0.3 + generator.normal(size=100)
        found = assisted_mean(human[:40], np.array([human + generator.normal(size=100)]), np.arange(40), np.arange(100))
        assert (found.p_value < 0.05) == (found.low > 0 or found.high < 0)
