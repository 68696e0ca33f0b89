"""Informative samples: subset2evaluate's order, unbiased by enumeration of a small population, known probabilities."""

import json
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

from mteval.stats.informative import allocated, draw_informative, informativeness, probabilities, strata_of
from tests.stats.record_people_oracles import SCORES

RECORDED = json.loads(Path(__file__).with_name("recorded_subset2evaluate.json").read_text(encoding="utf-8"))


def test_segments_are_ordered_as_by_subset2evaluate() -> None:
    information = informativeness(np.array(list(SCORES.values())))
    assert np.argsort(-information, kind="stable").tolist() == RECORDED["order"]


@pytest.mark.parametrize("n", [4, 5, 6])
def test_weighted_means_are_unbiased_over_all_samples(n: int) -> None:
    """Over all samples of eight segments in two strata, the plain mean is biased and the weighted one is not."""
    information = np.array([1.0, 9, 2, 8, 1, 9, 1.5, 7])
    values = np.array([3.0, -8, 1, -5, 4, -9, 2, -6])  # the informative segments are the hard ones
    chances, strata, counts = probabilities(information, n, n_strata=2)
    assert counts.sum() == n
    choices = [combinations(np.flatnonzero(strata == place), count) for place, count in enumerate(counts)]
    plain, weighted, times = [], [], np.zeros(8)
    for sample in product(*choices):
        drawn = np.concatenate(sample).astype(int)
        weights = 1 / chances[drawn]
        plain.append(values[drawn].mean())
        weighted.append(weights @ values[drawn] / weights.sum())
        times[drawn] += 1
    np.testing.assert_allclose(times / len(plain), chances)
    assert np.mean(weighted) == pytest.approx(values.mean())
    assert np.mean(plain) < values.mean() - 0.5


def test_informative_strata_get_more() -> None:
    assert allocated(np.array([1.0, 2, 5]), np.array([10, 10, 10]), 16).tolist() == [2, 4, 10]
    assert allocated(np.zeros(3), np.array([4, 4, 4]), 6).tolist() == [2, 2, 2]
    assert strata_of(np.arange(10.0)).tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]


def test_a_sample_has_each_segment_once_and_as_many_as_were_wanted() -> None:
    information = np.arange(50.0) ** 2
    drawn, chances = draw_informative(information, 20, np.random.default_rng(1))
    assert len(set(drawn.tolist())) == 20
    assert chances.sum() == pytest.approx(20)
    every, ones = draw_informative(information, 50, np.random.default_rng(1))
    assert (len(every), set(ones)) == (50, {1.0})


def test_without_information_the_sample_is_a_plain_random_one() -> None:
    _, chances = draw_informative(np.zeros(50), 20, np.random.default_rng(1))
    np.testing.assert_allclose(chances, 0.4)
