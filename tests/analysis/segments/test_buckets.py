"""Buckets hold the segments that they name, and their intervals are those of a plain bootstrap."""

from dataclasses import replace
from itertools import chain

import numpy as np
import pytest

from mteval.analysis.scoring import Work, score_experiment
from mteval.analysis.segments.table import by_label, by_length, by_parts, rarity
from mteval.analysis.words.questions import by_segments
from mteval.metrics import resolve
from mteval.metrics.imported import Imported
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.notation import Notation
from mteval.values.settings import Settings


def members(partition):
    """The places of the segments in each bucket, by its name."""
    return {name: np.flatnonzero(partition.places == index).tolist() for index, name in enumerate(partition.names)}


def test_lengths_fall_into_fixed_ranges_without_empty_ones():
    buckets = members(by_length(np.array([3, 12.5, 9.5, 70, 60])))
    assert buckets == {"0–9 words": [0, 2], "10–19 words": [1], "60 words or more": [3, 4]}


def test_parts_are_of_equal_size_and_keep_equal_values_together():
    hundred = members(by_parts(np.arange(100.0)))
    assert [len(places) for places in hundred.values()] == [20] * 5

    with_ties = members(by_parts(np.array([1.0, 1, 1, 1, 1, 1, 1, 2, 3, np.nan])))
    assert sorted(chain.from_iterable(with_ties.values())) == list(range(9))
    assert with_ties["up to 1"] == list(range(7))

    assert members(by_parts(np.array([np.nan, np.nan]))) == {}
    assert members(by_parts(np.array([4.0, 4.0]), "bits")) == {"up to 4 bits": [0, 1]}


def test_labels_keep_their_order_and_many_numbers_form_parts():
    thirty = range(30)
    assert members(by_label(("news", "chat", "news"))) == {"news": [0, 2], "chat": [1]}
    assert len(by_label([str(number) for number in thirty]).names) == 5
    assert len(by_label([str(number % 3) for number in thirty]).names) == 3
    assert len(by_label([f"d{number}" for number in thirty]).names) == 30
    assert (by_label(["", *map(str, range(29))]).places == -1).sum() == 1


def test_a_rare_word_has_more_bits_than_a_common_one():
    """Of the eight words of the references, five are "the", one is "cat" and two are "dog"."""
    test_set = TestSet("t", (("the the the",), ("The cat",), ("",), ("the", "dog dog")))
    bits_of_the = np.log2(8 / 5)
    bits_of_cat = np.log2(8 / 1)
    bits_of_dog = np.log2(8 / 2)

    common, mixed, empty, last = rarity(test_set)

    assert common == pytest.approx(bits_of_the)
    assert mixed == pytest.approx((bits_of_the + bits_of_cat) / 2)
    assert np.isnan(empty)
    assert last == pytest.approx((bits_of_the + 2 * bits_of_dog) / 3)


@pytest.fixture(scope="module")
def scored():
    """Two runs of a system that garbles 40% of the words, three of one that garbles 20%, by TER."""
    generator = np.random.default_rng(5)
    vocabulary = np.array(list("abcdefgh"))
    references = [vocabulary[generator.integers(0, 8, 10)] for _ in range(60)]

    def garbled(share):
        return tuple(" ".join(np.where(generator.random(10) < share, "x", words)) for words in references)

    runs = [Run("old", str(run), garbled(0.4)) for run in range(2)]
    runs += [Run("new", str(run), garbled(0.2)) for run in range(3)]
    test_set = TestSet("t", tuple((" ".join(words),) for words in references), tuple(runs))
    (by_ter,) = score_experiment(Experiment((test_set,), "old"), resolve(Settings(metrics=("ter",))), Work())
    return by_ter


def test_a_bucket_has_the_difference_of_mean_run_scores_on_its_segments(scored):
    """All references have ten words, so that a rate is ten times the edits and the corpus score their mean."""
    partition = by_label(["left"] * 25 + ["right"] * 34 + ["single"])
    settings = Settings(metrics=("ter",), n_shuffles=500)

    buckets = by_segments(scored, ("old", "new"), partition, "label", Notation("↓"), settings, Work())

    frame = buckets.frame.set_index("group")
    assert frame["size"].tolist() == [25, 34, 1]
    rates = {key: 10 * array[..., 0] for key, array in scored.statistics.items()}  # runs x segments
    for name, inside in (("left", slice(0, 25)), ("right", slice(25, 59))):
        old = rates["old"][:, inside]
        new = rates["new"][:, inside]
        assert frame.loc[name, "difference"] == pytest.approx(new.mean() - old.mean())
        assert frame.loc[name, "improvement"] == pytest.approx(old.mean() - new.mean())
        # Without run luck, the two-way interval is that of a plain bootstrap or wider
        low, high = _plain_interval(new.mean(axis=0) - old.mean(axis=0))
        assert frame.loc[name, "low"] < low + 0.7
        assert frame.loc[name, "high"] > high - 0.7
    assert np.isnan(frame.loc["single", "low"])
    assert frame["p_run_adjusted"].iloc[:2].tolist() >= frame["p_run"].iloc[:2].tolist()


def test_documents_are_the_units_of_buckets_where_known(scored):
    documents = tuple(f"d{place // 5}" for place in range(60))
    known = replace(scored, test_set=replace(scored.test_set, documents=documents))
    partition = by_label(["x", "y"] * 30)
    settings = Settings(metrics=("ter",), n_shuffles=500)

    buckets = by_segments(known, ("old", "new"), partition, "label", Notation("↓"), settings, Work())

    assert {row.verdict.unit_both for row in buckets.rows} == {"document"}


def test_segments_without_a_score_of_a_run_are_in_no_bucket():
    """All runs have scores of the second segment, of x, and of the fourth and fifth, of y; z has no such segment."""
    scores = (
        GivenScores("t", "a", "0", (1, 2, None, 4, 5, None)),
        GivenScores("t", "a", "1", (1, 2, 3, 4, 5, 6)),
        GivenScores("t", "b", "0", (None, 4, 5, 7, 9, 9)),
        GivenScores("t", "b", "1", (5, 6, 7, 8, 9, 9)),
    )
    given = GivenMetric("human", "Human", scores)
    runs = tuple(Run(system, str(run), ("same",) * 6) for system in ("a", "b") for run in range(2))
    experiment = Experiment((TestSet("t", (("r",),) * 6, runs),), "a", (given,))
    (scored,) = score_experiment(experiment, [Imported(given)], Work())
    partition = by_label(["x", "x", "x", "y", "y", "z"])

    buckets = by_segments(scored, ("a", "b"), partition, "label", Notation("↑"), Settings(n_shuffles=100), Work())

    assert buckets.n_left_out == 3
    frame = buckets.frame.set_index("group")
    assert frame["size"].to_dict() == {"x": 1, "y": 2}
    assert frame.loc["x", "difference"] == pytest.approx((4 + 6) / 2 - 2)
    assert frame.loc["y", "difference"] == pytest.approx((7 + 8 + 9 + 9) / 4 - 4.5)


def test_segments_without_a_label_are_in_no_bucket():
    assert members(by_label(("news", "", "chat", " "))) == {"news": [0], "chat": [2]}


def _plain_interval(rates):
    """The 95% interval of a mean by the plain bootstrap of segments."""
    generator = np.random.default_rng(1)
    means = [generator.choice(rates, len(rates)).mean() for _ in range(4000)]
    return np.quantile(means, [0.025, 0.975])
