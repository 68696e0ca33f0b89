"""The alternative annotator test by its definition, written out with SciPy, and a simulation with known answer."""

import numpy as np
import pytest
from scipy.stats import false_discovery_control, ttest_1samp

from mteval.stats.alternative_annotator import against_raters, benjamini_yekutieli, nearness


def distance(value: float, others: np.ndarray) -> float:
    """The root of the mean squared difference from what others say."""
    return float(np.sqrt(np.mean((value - others) ** 2)))


def by_hand(judge: np.ndarray, raters: np.ndarray, epsilon: float) -> list[tuple[float, float, float]]:
    """Calderon et al.: shares of outputs on which judge and rater are at least as near, and the t-test's p."""
    rows = []
    for left_out, rater in enumerate(raters):
        remaining = np.delete(raters, left_out, axis=0)
        judge_is_near = []
        rater_is_near = []
        for place, rating in enumerate(rater):
            others = remaining[:, place]
            others = others[~np.isnan(others)]
            if np.isnan(rating) or not len(others):
                continue
            of_judge = distance(judge[place], others)
            of_rater = distance(rating, others)
            judge_is_near.append(of_judge <= of_rater)
            rater_is_near.append(of_rater <= of_judge)
        gaps = np.array(rater_is_near, float) - np.array(judge_is_near, float)
        p_value = ttest_1samp(gaps, epsilon, alternative="less").pvalue
        rows.append((np.mean(judge_is_near), np.mean(rater_is_near), p_value))
    return rows


def people(n: int = 60, noise: tuple[float, ...] = (1, 1, 1, 1), seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """What is true of each output, and what raters with so much noise say, in whole points."""
    generator = np.random.default_rng(seed)
    truth = 3 * generator.normal(size=n)
    return truth, np.round(truth + np.array(noise)[:, np.newaxis] * generator.normal(size=(len(noise), n)))


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.2])
def test_shares_and_p_values_are_those_of_the_paper(epsilon: float) -> None:
    truth, raters = people()
    raters[0, :10] = np.nan
    raters[2, 5:20] = np.nan
    judge = np.round(truth)

    rows, _ = against_raters(judge, raters, np.arange(60), epsilon, 0.9, is_categorical=False)

    answers = [(row.judge, row.rater, row.p_value) for row in rows if row is not None]
    assert answers == [pytest.approx(expected) for expected in by_hand(judge, raters, epsilon)]


def test_an_interval_lies_above_the_margin_exactly_when_p_is_below_the_level() -> None:
    generator = np.random.default_rng(3)
    seen = set()
    for seed in range(60):
        truth, raters = people(seed=seed)
        judge = np.round(truth + generator.uniform(0, 2.5) * generator.normal(size=60))
        for units in (np.arange(60), np.arange(60) // 4):
            rows, _ = against_raters(judge, raters, units, 0.15, 0.9, is_categorical=False)
            for row in rows:
                assert row is not None
                assert (row.low > -0.15) == (row.p_value < 0.05)
                seen.add(row.p_value < 0.05)
    assert seen == {True, False}


def test_a_rater_with_too_few_outputs_is_not_compared() -> None:
    truth, raters = people()
    raters[1, 29:] = np.nan
    rows, nearer = against_raters(truth, raters, np.arange(60), 0.2, 0.9, is_categorical=False)
    assert [row is None for row in rows] == [False, True, False, False]
    assert np.isnan(nearer[1]).all()


def test_categories_are_near_if_they_are_the_same() -> None:
    others = np.array([[1.0, 2, np.nan], [1, 1, 3]])
    np.testing.assert_allclose(nearness(np.array([1.0, 1, 2]), others, is_categorical=True), [1, 0.5, 0])


def test_benjamini_and_yekutieli_is_scipys() -> None:
    p_values = np.array([0.001, 0.04, 0.03, np.nan, 0.8, 0.012])
    is_known = ~np.isnan(p_values)
    adjusted = benjamini_yekutieli(p_values)
    np.testing.assert_allclose(adjusted[is_known], false_discovery_control(p_values[is_known], method="by"))
    assert np.isnan(adjusted[3])


@pytest.mark.parametrize(("unit", "cluster", "most"), [("output", 1, 0.08), ("document", 6, 0.09)])
def test_a_judge_at_the_margin_wins_as_rarely_as_the_level_says(unit: str, cluster: int, most: float) -> None:
    """One that is a rater by another name, tested without a margin, wins in about 5%; in documents as units, too."""
    generator = np.random.default_rng(11)
    n_documents = 60 // cluster
    n_wins = 0
    for _ in range(300):
        quality = np.repeat(generator.normal(size=n_documents), cluster)  # documents make raters alike
        ratings = np.tile(3 * quality, (4, 1))
        if cluster > 1:
            ratings = ratings + np.repeat(2 * generator.normal(size=(4, n_documents)), cluster, axis=1)
        ratings = ratings + generator.normal(size=(4, 60))
        judge, *raters = ratings
        rows, _ = against_raters(judge, np.array(raters), np.arange(60) // cluster, 0.0, 0.9, is_categorical=False)
        assert rows[0] is not None
        n_wins += rows[0].p_value <= 0.05
    assert 0.02 <= n_wins / 300 <= most, unit
