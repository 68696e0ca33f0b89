"""The alternative annotator test by its definition, written out with SciPy, and a simulation with known answer."""

import numpy as np
import pytest
from scipy.stats import false_discovery_control, ttest_1samp

from mteval.stats.alternative_annotator import against_raters, benjamini_yekutieli, nearness


def by_hand(judge: np.ndarray, raters: np.ndarray, epsilon: float) -> list[tuple[float, float, float]]:
    """Calderon et al.: shares of outputs on which judge and rater are at least as near, and the t-test's p."""
    found = []
    for left_out in range(len(raters)):
        ours, theirs = [], []
        for place in range(raters.shape[1]):
            others = [r[place] for n, r in enumerate(raters) if n != left_out and r[place] == r[place]]
            if not others or raters[left_out, place] != raters[left_out, place]:
                continue
            far = [np.sqrt(np.mean([(x - y) ** 2 for y in others])) for x in (judge[place], raters[left_out, place])]
            ours.append(far[0] <= far[1])
            theirs.append(far[1] <= far[0])
        gaps = np.array(theirs, float) - np.array(ours, float)
        found.append((np.mean(ours), np.mean(theirs), ttest_1samp(gaps, epsilon, alternative="less").pvalue))
    return found


def people(n: int = 60, noise: tuple[float, ...] = (1, 1, 1, 1), seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """What is true of each output, and what raters with so much noise say, in whole points."""
    generator = np.random.default_rng(seed)
    truth = 3 * generator.normal(size=n)
    return truth, np.round(truth + np.array(noise)[:, np.newaxis] * generator.normal(size=(len(noise), n)))


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.2])
def test_shares_and_p_values_are_those_of_the_paper(epsilon: float) -> None:
    truth, raters = people()
    raters[0, :10] = raters[2, 5:20] = np.nan
    judge = np.round(truth)
    found, _ = against_raters(judge, raters, np.arange(60), epsilon, 0.9, is_categorical=False)
    assert [(one.judge, one.rater, one.p_value) for one in found if one is not None] == [
        pytest.approx(row) for row in by_hand(judge, raters, epsilon)
    ]


def test_an_interval_lies_above_the_margin_exactly_when_p_is_below_the_level() -> None:
    generator, seen = np.random.default_rng(3), set()
    for seed in range(60):
        truth, raters = people(seed=seed)
        judge = np.round(truth + generator.uniform(0, 2.5) * generator.normal(size=60))
        for units in (np.arange(60), np.arange(60) // 4):
            for one in against_raters(judge, raters, units, 0.15, 0.9, is_categorical=False)[0]:
                assert one is not None
                assert (one.low > -0.15) == (one.p_value < 0.05)
                seen.add(one.p_value < 0.05)
    assert seen == {True, False}


def test_a_rater_with_too_few_outputs_is_not_compared() -> None:
    truth, raters = people()
    raters[1, 29:] = np.nan
    found, nearer = against_raters(truth, raters, np.arange(60), 0.2, 0.9, is_categorical=False)
    assert [one is None for one in found] == [False, True, False, False]
    assert np.isnan(nearer[1]).all()


def test_categories_are_near_if_they_are_the_same() -> None:
    others = np.array([[1.0, 2, np.nan], [1, 1, 3]])
    np.testing.assert_allclose(nearness(np.array([1.0, 1, 2]), others, is_categorical=True), [1, 0.5, 0])


def test_benjamini_and_yekutieli_is_scipys() -> None:
    p_values = np.array([0.001, 0.04, 0.03, np.nan, 0.8, 0.012])
    known = ~np.isnan(p_values)
    np.testing.assert_allclose(
        benjamini_yekutieli(p_values)[known], false_discovery_control(p_values[known], method="by")
    )
    assert np.isnan(benjamini_yekutieli(p_values)[3])


@pytest.mark.parametrize(("unit", "cluster", "most"), [("output", 1, 0.08), ("document", 6, 0.09)])
def test_a_judge_at_the_margin_wins_as_rarely_as_the_level_says(unit: str, cluster: int, most: float) -> None:
    """One that is a rater by another name, tested without a margin, wins in about 5%; in documents as units, too."""
    generator, wins = np.random.default_rng(11), []
    for _ in range(300):
        quality = np.repeat(generator.normal(size=60 // cluster), cluster)  # documents make raters alike
        shared = np.repeat(2 * generator.normal(size=(4, 60 // cluster)), cluster, axis=1) if cluster > 1 else 0
        said = 3 * quality + shared + generator.normal(size=(4, 60))
        units = np.arange(60) // cluster
        first, *_ = against_raters(said[0], said[1:], units, 0.0, 0.9, is_categorical=False)[0]
        assert first is not None
        wins.append(first.p_value <= 0.05)
    assert 0.02 <= np.mean(wins) <= most, unit
