from itertools import product

import numpy as np
import pytest
from scipy import stats

from mteval.stats.base import Alternative, How, PairedResult
from mteval.stats.procedures.classical import paired_t_test, sign_test, wilcoxon_test
from mteval.stats.resampling.streams import seeds_for

ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


def _mean(sums: np.ndarray) -> np.ndarray:
    return sums[..., 0] / sums[..., 1]


def _run(procedure, baseline: np.ndarray, system: np.ndarray, alternative: Alternative = "two-sided") -> PairedResult:
    return procedure(
        *(np.stack([scores, np.ones_like(scores)], axis=2) for scores in (baseline, system)),
        _mean,
        How(1, seeds_for(0, ""), alternative, confidence=0.9),
    )


def _scores(n_units: int = 30) -> tuple[np.ndarray, np.ndarray]:
    """Two runs against three, with some segments that do not differ."""
    generator = np.random.default_rng(2)
    baseline, system = generator.normal(50, 5, (2, n_units)), generator.normal(51, 5, (3, n_units))
    system[:, :3] = baseline[:, :3].mean(axis=0)
    return baseline, system


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_the_sign_test_is_the_binomial_one(alternative: Alternative):
    baseline, system = _scores()
    gains = np.round(system.mean(axis=0) - baseline.mean(axis=0), 9)
    n_better, n_worse = int((gains > 0).sum()), int((gains < 0).sum())
    result = _run(sign_test, baseline, system, alternative)
    expected = stats.binomtest(n_better, n_better + n_worse, 0.5, alternative)
    assert n_better + n_worse == 27
    assert result.p_value == pytest.approx(expected.pvalue)
    assert (result.n_higher, result.n_lower) == (n_better, n_worse)
    assert result.statistic == pytest.approx(system.mean() - baseline.mean())


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_wilcoxons_test_agrees_with_all_signs_enumerated(alternative: Alternative):
    baseline, system = _scores(11)
    gains = np.round(system.mean(axis=0) - baseline.mean(axis=0), 9)
    gains = gains[gains != 0]
    ranks = stats.rankdata(np.abs(gains))
    sums = np.array([np.dot(signs, ranks) for signs in product([-1, 1], repeat=len(gains))])
    observed = np.sign(gains) @ ranks
    expected = {
        "two-sided": np.mean(np.abs(sums) >= abs(observed)),
        "greater": np.mean(sums >= observed),
        "less": np.mean(sums <= observed),
    }
    assert _run(wilcoxon_test, baseline, system, alternative).p_value == pytest.approx(expected[alternative])


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_the_paired_t_test_is_scipys(alternative: Alternative):
    baseline, system = _scores()
    expected = stats.ttest_rel(system.mean(axis=0), baseline.mean(axis=0), alternative=alternative)
    result = _run(paired_t_test, baseline, system, alternative)
    assert result.p_value == pytest.approx(expected.pvalue, rel=1e-6)
    two_sided = stats.ttest_rel(system.mean(axis=0), baseline.mean(axis=0)).confidence_interval(0.9)
    np.testing.assert_allclose((result.low, result.high), two_sided, rtol=1e-6)


def test_the_paired_t_test_is_refused_for_one_unit():
    result = _run(paired_t_test, np.array([[1.0]]), np.array([[2.0]]))
    assert np.isnan(result.p_value)
    assert "one unit" in result.note
