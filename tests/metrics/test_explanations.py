"""What an opened segment shows adds up to the numbers that it is shown beside."""

from collections import Counter

import numpy as np
import pytest

from mteval.metrics import METRICS
from mteval.metrics.edits.distance_kernels import Rules
from mteval.metrics.edits.ter import nearest_path
from mteval.metrics.explanation import EditPath, Explains, NgramMatches
from mteval.metrics.ngram.unigrams import matched_ngrams
from mteval.values.model import TestSet
from mteval.values.settings import CONVENTIONS

SACREBLEU, TERCOM = Rules(False, 20, 50), Rules(True, 20, 50)
EVERY = 8  # of the example's segments
LONGEST = 2000  # characters; beyond the beam, tercom's search takes many seconds for a thousand words


def words(text):
    return tuple(text.split())


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("key", ["bleu", "ter"])
def test_explanations_equal_statistics_on_real_segments(key, convention, example):
    references = tuple((text,) for text in example["references"])
    scorer = METRICS[key].configure(convention, {}).prepare(TestSet("example", references))
    segments = list(range(0, len(references), EVERY))
    for run in ("baseline.opt0", "sys1.opt2"):
        texts = [example[run][segment] for segment in segments]
        expected = scorer.statistics(segments, texts)
        explained = [scorer.explain(segment, text) for segment, text in zip(segments, texts, strict=True)]
        np.testing.assert_array_equal([counted(explanation) for explanation in explained], expected)


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("key", ["bleu", "ter"])
def test_explanations_equal_statistics_on_garbled_segments_with_several_references(key, convention, texts):
    scorer = METRICS[key].configure(convention, {}).prepare(texts.test_set)
    pairs = [
        (segment, text)
        for segment, text in zip(texts.segment_ids, texts.hypotheses, strict=True)
        if len(text) < LONGEST
    ]
    expected = scorer.statistics(*zip(*pairs, strict=True))
    scale = scorer.references.scale if key == "ter" else 1
    for row, (segment, text) in zip(expected, pairs, strict=True):
        explanation = scorer.explain(segment, text)
        if isinstance(explanation, EditPath):
            assert explanation.edits * scale == row[0]
        else:
            assert counted(explanation)[2:6] == row[2:6].tolist()


def counted(explanation):
    """An explanation as statistics of a segment with one reference."""
    if isinstance(explanation, EditPath):
        return [explanation.edits, len(explanation.reference)]
    lengths = [len(matched) for matched in explanation.is_matched]
    return [len(explanation.tokens), len(explanation.references[0]), *explanation.counts, *lengths]


@pytest.mark.parametrize("rules", [SACREBLEU, TERCOM])
@pytest.mark.parametrize("kind", ["example", "texts"])
def test_steps_turn_the_shifted_words_into_the_reference(rules, kind, request):
    given = request.getfixturevalue(kind)
    if kind == "example":
        pairs = list(zip(given["sys1.opt0"][:300], given["references"][:300], strict=True))
    else:
        pairs = [(text, references[0]) for text, references in given.pairs if len(text) < LONGEST]
    for hypothesis, reference in pairs:
        path = nearest_path(words(hypothesis), (words(reference),), rules)
        rebuilt = []
        for step in path.steps:
            if step.kind == "match":
                assert path.words[step.hypothesis] == path.reference[step.reference]
            if step.reference is not None:
                rebuilt.append(path.reference[step.reference])
        assert tuple(rebuilt) == path.reference
        used = [step.hypothesis for step in path.steps if step.hypothesis is not None]
        assert sorted(used) == list(range(len(path.words)))
        assert (used == sorted(used)) or path.shifts


def test_a_moved_span_is_one_shift_and_no_other_edit():
    path = nearest_path(words("d e f a b c"), (words("a b c d e f"),), SACREBLEU)
    assert path.counts == {"match": 6, "substitution": 0, "insertion": 0, "deletion": 0, "shift": 1}
    assert path.shifts in [((0, 1, 2),), ((3, 4, 5),)]
    assert [step.hypothesis for step in path.steps] == [3, 4, 5, 0, 1, 2]


def test_edits_are_counted_by_type():
    path = nearest_path(words("a x c e"), (words("a b c d e f"), words("q q q q q q q q")), TERCOM)
    assert path.reference == words("a b c d e f")
    assert path.counts == {"match": 3, "substitution": 1, "insertion": 0, "deletion": 2, "shift": 0}
    assert [step.kind for step in path.steps] == ["match", "substitution", "match", "deletion", "match", "deletion"]
    assert nearest_path((), (words("a b"),), TERCOM).counts["deletion"] == 2
    assert nearest_path(words("a b"), ((),), TERCOM).counts["insertion"] == 2


def test_ngrams_are_clipped_at_their_count_in_one_reference():
    matches = matched_ngrams(words("the the the cat"), (words("the cat the"), words("a cat")), order=4)
    assert matches.counts == (3, 1, 0, 0)
    assert matches.is_matched[0] == (True, True, False, True)
    assert matches.is_matched[1] == (False, False, True)
    assert matches.longest_at() == (1, 1, 2, 2)
    assert matches.matched(1) == Counter({("the",): 2, ("cat",): 1})


def test_ngrams_that_only_one_hypothesis_matches_come_longest_first():
    references = (words("the cat sat on the mat"),)
    left = matched_ngrams(words("the cat on the mat"), references, order=4)
    right = matched_ngrams(words("the cat sat on a mat"), references, order=4)
    assert right.beyond(left) == (
        (words("the cat sat on"), 1),
        (words("the cat sat"), 1),
        (words("cat sat on"), 1),
        (words("cat sat"), 1),
        (words("sat on"), 1),
        (words("sat"), 1),
    )
    assert dict(left.beyond(right)) == {words("on the mat"): 1, words("on the"): 1, words("the mat"): 1, ("the",): 1}


def test_metrics_without_explanations_do_not_claim_them():
    test_set = TestSet("t", (("a b",),))
    kinds = {key: METRICS[key].configure("multeval", {}).prepare(test_set) for key in ("bleu", "ter", "length")}
    assert isinstance(kinds["bleu"].explain(0, "a c"), NgramMatches)
    assert isinstance(kinds["bleu"], Explains)
    assert not isinstance(kinds["length"], Explains)


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("key", ["ter", "wer"])
def test_edits_by_kind_equal_the_paths_and_sum_to_the_total(key, convention, texts):
    scorer = METRICS[key].configure(convention, {}).prepare(texts.test_set)
    every = zip(texts.segment_ids, texts.hypotheses, strict=True)
    pairs = [(segment, text) for segment, text in every if len(text) < LONGEST]
    counts = scorer.edit_counts(*zip(*pairs, strict=True))
    edits = scorer.statistics(*zip(*pairs, strict=True))[:, 0] // scorer.references.scale
    np.testing.assert_array_equal(counts.sum(axis=1), edits)
    paths = [scorer.explain(segment, text).counts for segment, text in pairs]
    np.testing.assert_array_equal(counts, [[path[kind] for kind in scorer.edit_kinds] for path in paths])


def test_edits_by_kind_of_hand_counted_segments():
    references = (("a b c d",), ("a b c d",), ("a b c d",), ("c d a b x",), ("",), ("a b",))
    hypotheses = ("a b d", "a b c c d", "a x c d", "a b c d x", "a b c", "")
    scorer = METRICS["ter"].configure("sacrebleu", {}).prepare(TestSet("hand", references))
    assert scorer.edit_kinds == ("substitution", "insertion", "deletion", "shift")
    assert scorer.edit_counts(range(6), hypotheses).tolist() == [
        [0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 3, 0, 0], [0, 0, 2, 0],
    ]  # fmt: skip
