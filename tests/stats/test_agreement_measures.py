"""Measures of agreement, against SciPy, enumeration and replicates that are written out."""

from itertools import combinations, permutations, product

import numpy as np
import pytest
from scipy.stats import bootstrap, kendalltau, mannwhitneyu, pearsonr, t

from mteval.stats.agreement.correlations import Concordance, kendall, pearson, segment_pearson
from mteval.stats.agreement.intervals import bca_interval, corrected_pearson_interval, corrected_share_interval
from mteval.stats.agreement.ranked_pairs import RankedPairs
from mteval.stats.agreement.system_pairs import (
    exchange_p_values,
    normal_p_values,
    pairwise_accuracy,
    soft_pairwise_accuracy,
)
from mteval.stats.rank_sum import rank_sum
from mteval.stats.resampling.streams import seeds_for

SYSTEMS, SEGMENTS = 5, 14


@pytest.fixture(scope="module")
def scores() -> tuple[np.ndarray, np.ndarray]:
    """Of people, with ties, and of a metric; shape ``(systems, segments)``."""
    generator = np.random.default_rng(8)
    human = generator.integers(-4, 1, (SYSTEMS, SEGMENTS)).astype(float)
    return human, np.round(human + generator.normal(0, 2, human.shape), 1)


def repeated(scores: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """A replicate written out: each segment as often as it was drawn."""
    return np.repeat(scores, counts.astype(int), axis=1)


def counts_of(n: int) -> np.ndarray:
    draws = np.random.default_rng(5).integers(0, SEGMENTS, (n, SEGMENTS))
    return np.array([np.bincount(row, minlength=SEGMENTS) for row in draws]).astype(float)


def test_system_measures_are_scipys() -> None:
    generator = np.random.default_rng(1)
    human, metric = generator.integers(0, 6, 9).astype(float), generator.normal(size=9)
    assert pearson(human, metric) == pytest.approx(pearsonr(human, metric).statistic)
    assert kendall(human, metric) == pytest.approx(kendalltau(human, metric).statistic)
    pairs = list(combinations(range(9), 2))
    alike = [np.sign(human[i] - human[j]) == np.sign(metric[i] - metric[j]) for i, j in pairs]
    assert pairwise_accuracy(human, metric) == pytest.approx(np.mean(alike))


def test_replicates_are_measured_as_if_they_were_written_out(scores: tuple[np.ndarray, np.ndarray]) -> None:
    human, metric = scores
    counts = counts_of(4)
    concordance = Concordance.of(human, metric, np.arange(SEGMENTS))
    found = {
        "pearson": segment_pearson(human, metric, counts),
        "kendall": concordance.tau_b(counts),
        "accuracy": RankedPairs.of(human, metric).calibrated_on(counts),
    }
    for row, counted in enumerate(counts):
        one, other = repeated(human, counted), repeated(metric, counted)
        assert found["pearson"][row] == pytest.approx(pearsonr(one.ravel(), other.ravel()).statistic)
        assert found["kendall"][row] == pytest.approx(kendalltau(one.ravel(), other.ravel()).statistic)
        assert found["accuracy"][row] == pytest.approx(RankedPairs.of(one, other).calibrated()[0])


def test_kendall_by_documents_is_the_same_number(scores: tuple[np.ndarray, np.ndarray]) -> None:
    human, metric = scores
    units = np.arange(SEGMENTS) // 4
    whole = Concordance.of(human, metric, units).tau_b(np.ones((1, units.max() + 1)))
    assert whole[0] == pytest.approx(kendalltau(human.ravel(), metric.ravel()).statistic)


def accuracy_at(human: np.ndarray, metric: np.ndarray, threshold: float) -> float:
    """The definition: of each segment the share of pairs ordered alike or tied by both, averaged over segments."""
    shares = []
    for segment in range(human.shape[1]):
        right = []
        for i, j in combinations(range(len(human)), 2):
            people, ours = human[i, segment] - human[j, segment], metric[i, segment] - metric[j, segment]
            is_tied = abs(ours) <= threshold
            right.append(people == 0 if is_tied else np.sign(people) == np.sign(ours))
        shares.append(np.mean(right))
    return float(np.mean(shares))


def test_the_calibrated_threshold_is_the_best_of_all(scores: tuple[np.ndarray, np.ndarray]) -> None:
    human, metric = scores
    accuracy, threshold = RankedPairs.of(human, metric).calibrated()
    assert accuracy == pytest.approx(accuracy_at(human, metric, threshold))
    differences = {abs(a - b) for segment in metric.T for a, b in combinations(segment, 2)} | {0.0}
    assert accuracy == pytest.approx(max(accuracy_at(human, metric, one) for one in differences))


def test_outputs_without_a_score_leave_the_others_of_their_segment(scores: tuple[np.ndarray, np.ndarray]) -> None:
    human, metric = (one[:, :1].copy() for one in scores)
    fewer = human.copy()
    fewer[0] = np.nan
    assert RankedPairs.of(fewer, metric).calibrated() == RankedPairs.of(human[1:], metric[1:]).calibrated()


def test_a_single_system_has_no_pairs() -> None:
    assert np.isnan(RankedPairs.of(np.zeros((1, 3)), np.zeros((1, 3))).calibrated()).all()


def test_exchange_p_values_come_near_those_of_all_exchanges() -> None:
    generator = np.random.default_rng(4)
    scores = generator.normal(size=(3, 9))
    sampled = exchange_p_values(scores[:, :, np.newaxis], lambda sums: sums[..., 0], 20_000, seeds_for(1, "x"))
    signs = np.array(list(product((-1, 1), repeat=9)))
    for p, (i, j) in zip(sampled, combinations(range(3), 2), strict=True):
        gains = scores[i] - scores[j]
        exact = np.mean(signs @ gains >= gains.sum() - 1e-9)
        assert p == pytest.approx(exact, abs=4 * np.sqrt(0.25 / 20_000))


def test_corpus_scores_are_exchanged_by_their_sums() -> None:
    """A ratio of sums, as BLEU is one: by enumeration of all exchanges."""
    generator = np.random.default_rng(6)
    statistics = np.stack([generator.integers(1, 9, (2, 8)), generator.integers(5, 12, (2, 8))], axis=-1).astype(float)

    def ratio(sums: np.ndarray) -> np.ndarray:
        return sums[..., 0] / sums[..., 1]

    (sampled,) = exchange_p_values(statistics, ratio, 20_000, seeds_for(2, "x"))
    observed = ratio(statistics[0].sum(axis=0)) - ratio(statistics[1].sum(axis=0))
    reached = []
    for stays in product((True, False), repeat=8):
        kept = np.array(stays)[:, np.newaxis]
        one, other = (np.where(kept, statistics[a], statistics[1 - a]).sum(axis=0) for a in (0, 1))
        reached.append(ratio(one) - ratio(other) >= observed - 1e-9)
    assert sampled == pytest.approx(np.mean(reached), abs=4 * np.sqrt(0.25 / 20_000))


def test_many_segments_have_the_p_values_of_the_normal_distribution() -> None:
    scores = np.random.default_rng(9).normal(size=(3, 900)) + np.array([[0.0], [0.03], [0.05]])
    sampled = exchange_p_values(scores[:, :, np.newaxis], lambda sums: sums[..., 0], 10_000, seeds_for(3, "x"))
    (normal,) = normal_p_values(scores, np.ones((1, 900)))
    np.testing.assert_allclose(normal, sampled, atol=0.02)


def test_soft_accuracy_is_one_less_the_mean_distance() -> None:
    assert soft_pairwise_accuracy(np.array([0.1, 0.9]), np.array([0.3, 0.5])) == pytest.approx(1 - 0.3)


def test_the_rank_sum_is_scipys_and_has_no_answer_without_judgements() -> None:
    generator = np.random.default_rng(7)
    one, other = generator.integers(0, 9, 30).astype(float), generator.integers(0, 8, 25).astype(float)
    greater, less = rank_sum(one, other)
    assert greater == pytest.approx(mannwhitneyu(one, other, alternative="greater").pvalue)
    assert less == pytest.approx(mannwhitneyu(one, other, alternative="less").pvalue)
    assert np.isnan(rank_sum(one, np.array([]))).all()
    assert rank_sum(np.ones(3), np.ones(4)) == (1.0, 1.0)


def test_correlation_of_systems_has_fiellers_interval_from_products_of_different_units() -> None:
    generator = np.random.default_rng(4)
    truth = np.array([np.arange(6.0), [0, 2, 1, 3, 5, 4]])
    human, metric = truth[..., np.newaxis] + generator.normal(0, 3, (2, 6, 40))

    def moments(*chosen: int) -> tuple[float, float]:
        """Covariance, and the root of the variances, over all pairs of different units."""
        people, ours = (values[:, chosen] - values[:, chosen].mean(axis=0) for values in (human, metric))
        c, a, b = (
            sum(one[:, i] @ other[:, j] for i, j in permutations(range(len(chosen)), 2))
            for one, other in ((people, ours), (people, people), (ours, ours))
        )
        n = len(chosen) * (len(chosen) - 1)
        return c / n, np.sqrt(a * b) / n

    whole, units = np.array(moments(*range(40))), set(range(40))
    without = np.array([moments(*(units - {unit})) for unit in range(40)])
    low, high = corrected_pearson_interval(human, metric, 0.95, 39)
    assert low < whole[0] / whole[1] < high
    for end in {low, high} - {1.0}:
        parts = without @ [1, -end]
        error = np.sqrt(((parts - parts.mean()) ** 2).sum() * 39 / 40)
        assert abs(whole @ [1, -end]) / error == pytest.approx(t.ppf(0.975, 39))
    noise = generator.normal(size=(2, 6, 40))  # of equal systems
    assert corrected_pearson_interval(*noise, 0.95, 39) == (-1, 1), "systems cannot be told from noise"


def test_bca_interval_is_scipys_and_shares_are_mirrored_above() -> None:
    sample = np.random.default_rng(3).exponential(size=30)
    found = bootstrap((sample,), np.mean, n_resamples=999, method="BCa", rng=np.random.default_rng(1))
    without = np.array([np.delete(sample, place).mean() for place in range(30)])
    interval = bca_interval(sample.mean(), found.bootstrap_distribution, without, 0.95)
    assert interval == pytest.approx((found.confidence_interval.low, found.confidence_interval.high), rel=1e-3)
    draws = np.linspace(0.6, 0.85, 1001)  # of an observed 0.9
    assert corrected_share_interval(0.9, draws, 0.95) == (pytest.approx(0.60625), 1.0)
    assert corrected_share_interval(0.8, draws, 0.95)[1] == pytest.approx(1.6 - 0.60025)
