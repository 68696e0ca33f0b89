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

SYSTEMS = 5
SEGMENTS = 14


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
    """How often each segment was drawn in so many replicates."""
    draws = np.random.default_rng(5).integers(0, SEGMENTS, (n, SEGMENTS))
    return np.array([np.bincount(row, minlength=SEGMENTS) for row in draws]).astype(float)


def test_system_measures_are_scipys() -> None:
    generator = np.random.default_rng(1)
    human = generator.integers(0, 6, 9).astype(float)
    metric = generator.normal(size=9)
    assert pearson(human, metric) == pytest.approx(pearsonr(human, metric).statistic)
    assert kendall(human, metric) == pytest.approx(kendalltau(human, metric).statistic)

    is_alike = []
    for first, second in combinations(range(9), 2):
        is_alike.append(np.sign(human[first] - human[second]) == np.sign(metric[first] - metric[second]))
    assert pairwise_accuracy(human, metric) == pytest.approx(np.mean(is_alike))


def test_replicates_are_measured_as_if_they_were_written_out(scores: tuple[np.ndarray, np.ndarray]) -> None:
    human, metric = scores
    counts = counts_of(4)

    correlations = segment_pearson(human, metric, counts)
    taus = Concordance.of(human, metric, np.arange(SEGMENTS)).tau_b(counts)
    accuracies = RankedPairs.of(human, metric).calibrated_on(counts)

    for replicate, counts_of_segments in enumerate(counts):
        people = repeated(human, counts_of_segments)
        ours = repeated(metric, counts_of_segments)
        accuracy, _ = RankedPairs.of(people, ours).calibrated()
        assert correlations[replicate] == pytest.approx(pearsonr(people.ravel(), ours.ravel()).statistic)
        assert taus[replicate] == pytest.approx(kendalltau(people.ravel(), ours.ravel()).statistic)
        assert accuracies[replicate] == pytest.approx(accuracy)


def test_kendall_by_documents_is_the_same_number(scores: tuple[np.ndarray, np.ndarray]) -> None:
    human, metric = scores
    documents = np.arange(SEGMENTS) // 4
    each_once = np.ones((1, documents.max() + 1))
    (tau,) = Concordance.of(human, metric, documents).tau_b(each_once)
    assert tau == pytest.approx(kendalltau(human.ravel(), metric.ravel()).statistic)


def accuracy_at(human: np.ndarray, metric: np.ndarray, threshold: float) -> float:
    """The definition: of each segment the share of pairs ordered alike or tied by both, averaged over segments."""
    shares = []
    for people, ours in zip(human.T, metric.T, strict=True):
        is_right = []
        for first, second in combinations(range(len(human)), 2):
            difference_of_people = people[first] - people[second]
            difference = ours[first] - ours[second]
            if abs(difference) <= threshold:
                is_right.append(difference_of_people == 0)
            else:
                is_right.append(np.sign(difference_of_people) == np.sign(difference))
        shares.append(np.mean(is_right))
    return float(np.mean(shares))


def test_the_calibrated_threshold_is_the_best_of_all(scores: tuple[np.ndarray, np.ndarray]) -> None:
    """Only where the threshold passes a difference of the metric can the accuracy change."""
    human, metric = scores
    differences = {0.0}
    for segment in metric.T:
        differences |= {abs(first - second) for first, second in combinations(segment, 2)}

    accuracy, threshold = RankedPairs.of(human, metric).calibrated()

    assert accuracy == pytest.approx(accuracy_at(human, metric, threshold))
    assert accuracy == pytest.approx(max(accuracy_at(human, metric, difference) for difference in differences))


def test_outputs_without_a_score_leave_the_others_of_their_segment(scores: tuple[np.ndarray, np.ndarray]) -> None:
    human, metric = scores
    human = human[:, :1]
    metric = metric[:, :1]
    without_first = human.copy()
    without_first[0] = np.nan
    expected = RankedPairs.of(human[1:], metric[1:]).calibrated()
    assert RankedPairs.of(without_first, metric).calibrated() == expected


def test_a_single_system_has_no_pairs() -> None:
    assert np.isnan(RankedPairs.of(np.zeros((1, 3)), np.zeros((1, 3))).calibrated()).all()


def test_exchange_p_values_come_near_those_of_all_exchanges() -> None:
    """Within four standard errors of a share of 20,000 shuffles."""
    scores = np.random.default_rng(4).normal(size=(3, 9))
    all_signs = np.array(list(product((-1, 1), repeat=9)))

    sampled = exchange_p_values(scores[:, :, np.newaxis], lambda sums: sums[..., 0], 20_000, seeds_for(1, "x"))

    for p, (first, second) in zip(sampled, combinations(range(3), 2), strict=True):
        gains = scores[first] - scores[second]
        exact = np.mean(all_signs @ gains >= gains.sum() - 1e-9)
        assert p == pytest.approx(exact, abs=4 * np.sqrt(0.25 / 20_000))


def test_corpus_scores_are_exchanged_by_their_sums() -> None:
    """A ratio of sums, as BLEU is one: by enumeration of all exchanges."""
    generator = np.random.default_rng(6)
    parts = generator.integers(1, 9, (2, 8))
    wholes = generator.integers(5, 12, (2, 8))
    statistics = np.stack([parts, wholes], axis=-1).astype(float)  # systems x segments x (part, whole)

    def ratio(sums: np.ndarray) -> np.ndarray:
        return sums[..., 0] / sums[..., 1]

    def difference(first: np.ndarray, second: np.ndarray) -> float:
        """Of the scores of two outputs of the whole test set."""
        return ratio(first.sum(axis=0)) - ratio(second.sum(axis=0))

    observed = difference(*statistics)
    is_reached = []
    for stays in product((True, False), repeat=8):
        is_kept = np.array(stays)[:, np.newaxis]
        first = np.where(is_kept, statistics[0], statistics[1])
        second = np.where(is_kept, statistics[1], statistics[0])
        is_reached.append(difference(first, second) >= observed - 1e-9)

    (sampled,) = exchange_p_values(statistics, ratio, 20_000, seeds_for(2, "x"))

    assert sampled == pytest.approx(np.mean(is_reached), abs=4 * np.sqrt(0.25 / 20_000))


def test_many_segments_have_the_p_values_of_the_normal_distribution() -> None:
    scores = np.random.default_rng(9).normal(size=(3, 900)) + np.array([[0.0], [0.03], [0.05]])
    sampled = exchange_p_values(scores[:, :, np.newaxis], lambda sums: sums[..., 0], 10_000, seeds_for(3, "x"))
    (normal,) = normal_p_values(scores, np.ones((1, 900)))
    np.testing.assert_allclose(normal, sampled, atol=0.02)


def test_soft_accuracy_is_one_less_the_mean_distance() -> None:
    assert soft_pairwise_accuracy(np.array([0.1, 0.9]), np.array([0.3, 0.5])) == pytest.approx(1 - 0.3)


def test_the_rank_sum_is_scipys_and_has_no_answer_without_judgements() -> None:
    generator = np.random.default_rng(7)
    first = generator.integers(0, 9, 30).astype(float)
    second = generator.integers(0, 8, 25).astype(float)
    greater, less = rank_sum(first, second)
    assert greater == pytest.approx(mannwhitneyu(first, second, alternative="greater").pvalue)
    assert less == pytest.approx(mannwhitneyu(first, second, alternative="less").pvalue)
    assert np.isnan(rank_sum(first, np.array([]))).all()
    assert rank_sum(np.ones(3), np.ones(4)) == (1.0, 1.0)


def products_of_different_units(first: np.ndarray, second: np.ndarray) -> float:
    """The sum over all ordered pairs of different units, of arrays with the axes systems x units."""
    return sum(first[:, i] @ second[:, j] for i, j in permutations(range(first.shape[1]), 2))


def moments(human: np.ndarray, metric: np.ndarray) -> np.ndarray:
    """Covariance of systems, and the root of the product of their variances, over all pairs of different units."""
    people = human - human.mean(axis=0)
    ours = metric - metric.mean(axis=0)
    n_units = human.shape[1]
    n_pairs = n_units * (n_units - 1)
    covariance = products_of_different_units(people, ours)
    variances = products_of_different_units(people, people) * products_of_different_units(ours, ours)
    return np.array([covariance / n_pairs, np.sqrt(variances) / n_pairs])


def test_correlation_of_systems_has_fiellers_interval_from_products_of_different_units() -> None:
    """At its ends, the jackknife's t of covariance - end x root of variances is Student's quantile."""
    generator = np.random.default_rng(4)
    truth = np.array([np.arange(6.0), [0, 2, 1, 3, 5, 4]])
    human, metric = truth[..., np.newaxis] + generator.normal(0, 3, (2, 6, 40))
    covariance, root = moments(human, metric)
    without_a_unit = []
    for unit in range(40):
        without_a_unit.append(moments(np.delete(human, unit, axis=1), np.delete(metric, unit, axis=1)))

    low, high = corrected_pearson_interval(human, metric, 0.95, 39)

    assert low < covariance / root < high
    for end in {low, high} - {1.0}:
        parts = np.array(without_a_unit) @ [1, -end]
        error = np.sqrt(((parts - parts.mean()) ** 2).sum() * 39 / 40)
        assert abs(covariance - end * root) / error == pytest.approx(t.ppf(0.975, 39))
    noise = generator.normal(size=(2, 6, 40))  # of equal systems
    assert corrected_pearson_interval(*noise, 0.95, 39) == (-1, 1), "systems cannot be told from noise"


def test_bca_interval_is_scipys_and_shares_are_mirrored_above() -> None:
    """Of draws evenly spaced from 0.6 to 0.85 the quantile of 2.5% is 0.60625; that of 0.1%, mirrored, is 0.60025."""
    sample = np.random.default_rng(3).exponential(size=30)
    resampled = bootstrap((sample,), np.mean, n_resamples=999, method="BCa", rng=np.random.default_rng(1))
    without_one = np.array([np.delete(sample, place).mean() for place in range(30)])

    low, high = bca_interval(sample.mean(), resampled.bootstrap_distribution, without_one, 0.95)

    assert low == pytest.approx(resampled.confidence_interval.low, rel=1e-3)
    assert high == pytest.approx(resampled.confidence_interval.high, rel=1e-3)

    draws = np.linspace(0.6, 0.85, 1001)
    assert corrected_share_interval(0.9, draws, 0.95) == (pytest.approx(0.60625), 1.0)
    assert corrected_share_interval(0.8, draws, 0.95)[1] == pytest.approx(1.6 - 0.60025)
