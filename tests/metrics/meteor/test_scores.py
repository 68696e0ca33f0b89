"""Scores from statistics: sums, perfect and empty segments, several references, fractions."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from mteval.metrics.meteor import Meteor
from mteval.metrics.meteor.data import FIELDS
from mteval.values.model import TestSet
from tests.extras import needs_meteor

pytestmark = needs_meteor

EXACT = Meteor(modules=("exact",))
CHUNKS = FIELDS.index("chunks")


def scorer_of(*references, metric=EXACT):
    """The metric for references given for each segment."""
    return metric.prepare(TestSet("made up", references))


def by_hand(precision, recall, chunks, matches):
    """METEOR for task rank in English, from its parts."""
    alpha, beta, gamma = 0.85, 0.2, 0.6
    mean = 1 / ((1 - alpha) / precision + alpha / recall)
    return 100 * mean * (1 - gamma * (chunks / matches) ** beta)


def test_hand_computed_score():
    # function words: "the", "on"; matches: the cat / mat, in two chunks
    scorer = scorer_of(("the cat sat on the mat",))
    statistics = scorer.statistics([0], ["the cat mat slept"])[0]

    assert dict(zip(FIELDS, statistics.tolist(), strict=True)) == {
        **dict.fromkeys(FIELDS, 0),
        **{"hypothesis_length": 4, "reference_length": 6},
        **{"hypothesis_function_words": 1, "reference_function_words": 3},
        **{"exact_hypothesis_content": 2, "exact_reference_content": 2},
        **{"exact_hypothesis_function": 1, "exact_reference_function": 1},
        **{"chunks": 2, "hypothesis_matches": 3, "reference_matches": 3},
    }
    # a content word counts 0.75, a function word 0.25
    content = 0.75
    function = 0.25
    precision = (2 * content + function) / (3 * content + function)
    recall = (2 * content + function) / (3 * content + 3 * function)
    assert scorer.score(statistics) == pytest.approx(by_hand(precision, recall, 2, 3), abs=1e-12)
    np.testing.assert_allclose(scorer.submetrics(statistics)[:2], [precision, recall], rtol=1e-12)


def test_a_perfect_segment_scores_100_and_adds_no_chunk():
    scorer = scorer_of(("the cat sat",), ("a dog",))
    statistics = scorer.statistics([0, 1], ["the cat sat", "dog"])

    assert statistics[:, CHUNKS].tolist() == [0, 1]
    assert scorer.segment_score(statistics[0]) == pytest.approx(100, abs=1e-12)
    assert scorer.submetrics(statistics[0])[2] == 0


def test_segments_without_words_or_without_matches_score_0_and_have_no_penalty():
    scorer = scorer_of(("the cat sat",), ("",))
    statistics = scorer.statistics([0, 0, 1, 1], ["", "dogs bark", "", "dogs bark"])

    assert scorer.segment_score(statistics).tolist() == [0, 0, 0, 0]
    assert scorer.score(statistics.sum(axis=0)) == 0
    assert np.isnan(scorer.submetrics(statistics)[:, 2]).all()


def test_a_penalty_above_1_scores_0():
    metric = Meteor(modules=("exact",), parameters=(0.5, 1.0, 3.0, 0.5))
    scorer = scorer_of(("a b c d",), metric=metric)
    assert scorer.segment_score(scorer.statistics([0], ["d c b a"]))[0] == 0


def test_the_best_reference_counts_and_ties_go_to_the_first():
    scorer = scorer_of(("a dog", "the cat sat", "x"), ("one",), ("dogs bark", "bark dogs"))
    hypotheses = ["the cat sat", "one", "dogs", "y"]
    segments = [0, 1, 2, 0]
    statistics = scorer.statistics(segments, hypotheses)
    explanations = map(scorer.explain, segments, hypotheses)

    assert [explanation.reference for explanation in explanations] == [1, 0, 0, 0]
    assert statistics[:, FIELDS.index("reference_length")].tolist() == [3, 1, 2, 2]
    assert scorer.explain(0, "the cat sat").reference_words == ("the", "cat", "sat")


def test_means_over_runs_are_scored_as_their_sums():
    scorer = scorer_of(("the cat sat on the mat",), ("dogs bark at night",))
    total = scorer.statistics([0, 1], ["the cat on mat", "dogs at night bark"]).sum(axis=0)

    assert scorer.score(total / 3) == pytest.approx(float(scorer.score(total)), abs=1e-12)
    assert scorer.score(np.stack([total, total / 7])).shape == (2,)


def test_task_util_counts_utf16_characters_but_words_in_chunks():
    scorer = scorer_of(("the 😍 cat",), metric=Meteor(task="util", modules=("exact",)))
    (row,) = scorer.statistics([0], ["the 😍 sat"]).tolist()

    statistics = dict(zip(FIELDS, row, strict=True))
    assert statistics["hypothesis_length"] == 3 + 2 + 3
    assert statistics["hypothesis_function_words"] == 3
    assert statistics["exact_reference_content"] == 2
    assert statistics["reference_matches"] == 2


def test_function_words_ignore_case():
    scorer = scorer_of(("The cat",))
    assert scorer.statistics([0], ["THE cat"])[0][FIELDS.index("hypothesis_function_words")] == 1


def test_threads_and_other_processes_give_the_same_statistics():
    references = tuple((f"the {word} cats were sitting on {word} mats",) for word in "abcdefghij")
    scorer = scorer_of(*references, metric=Meteor())
    hypotheses = [f"a cat sits on the mat {word}" for word in "jihgfedcba"]
    expected = scorer.statistics(range(10), hypotheses)

    copy = pickle.loads(pickle.dumps(scorer))
    np.testing.assert_array_equal(copy.statistics(range(10), hypotheses), expected)

    fresh_scorer = scorer_of(*references, metric=Meteor())
    with ThreadPoolExecutor(8) as pool:
        for statistics in pool.map(lambda _: fresh_scorer.statistics(range(10), hypotheses), range(16)):
            np.testing.assert_array_equal(statistics, expected)
