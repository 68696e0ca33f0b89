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

SACREBLEU = Rules(False, 20, 50)
TERCOM = Rules(True, 20, 50)
EVERY = 8  # of the example's segments
LONGEST = 2000  # characters; beyond the beam, tercom's search takes many seconds for a thousand words


def words(text):
    return tuple(text.split())


def short_pairs_of(texts):
    """Segment and text of each garbled hypothesis that is short enough for tercom's search."""
    pairs = zip(texts.segment_ids, texts.hypotheses, strict=True)
    return [(segment, text) for segment, text in pairs if len(text) < LONGEST]


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("key", ["bleu", "ter"])
def test_explanations_equal_statistics_on_real_segments(key, convention, example):
    references = tuple((text,) for text in example["references"])
    scorer = METRICS[key].configure(convention, {}).prepare(TestSet("example", references))
    segments = list(range(0, len(references), EVERY))
    for run in ("baseline.opt0", "sys1.opt2"):
        texts = [example[run][segment] for segment in segments]

        explanations = map(scorer.explain, segments, texts)

        statistics = scorer.statistics(segments, texts)
        np.testing.assert_array_equal(list(map(counted, explanations)), statistics)


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("key", ["bleu", "ter"])
def test_explanations_equal_statistics_on_garbled_segments_with_several_references(key, convention, texts):
    scorer = METRICS[key].configure(convention, {}).prepare(texts.test_set)
    pairs = short_pairs_of(texts)

    statistics = scorer.statistics(*zip(*pairs, strict=True))

    for row, (segment, text) in zip(statistics, pairs, strict=True):
        explanation = scorer.explain(segment, text)
        if isinstance(explanation, EditPath):
            assert explanation.edits * scorer.references.scale == row[0]
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
    pairs = []
    if kind == "example":
        example = request.getfixturevalue("example")
        pairs += zip(example["sys1.opt0"][:300], example["references"][:300], strict=True)
    else:
        test_set = request.getfixturevalue("texts").test_set
        for segment, text in short_pairs_of(request.getfixturevalue("texts")):
            pairs.append((text, test_set.references[segment][0]))

    for hypothesis, reference in pairs:
        path = nearest_path(words(hypothesis), (words(reference),), rules)

        rebuilt_reference = []
        used_places = []
        for step in path.steps:
            if step.kind == "match":
                assert path.words[step.hypothesis] == path.reference[step.reference]
            if step.reference is not None:
                rebuilt_reference.append(path.reference[step.reference])
            if step.hypothesis is not None:
                used_places.append(step.hypothesis)
        assert tuple(rebuilt_reference) == path.reference
        assert sorted(used_places) == list(range(len(path.words)))
        if used_places != sorted(used_places):
            assert path.shifts


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

    without_sat = matched_ngrams(words("the cat on the mat"), references, order=4)
    with_a = matched_ngrams(words("the cat sat on a mat"), references, order=4)

    assert with_a.beyond(without_sat) == (
        (words("the cat sat on"), 1),
        (words("the cat sat"), 1),
        (words("cat sat on"), 1),
        (words("cat sat"), 1),
        (words("sat on"), 1),
        (words("sat"), 1),
    )
    assert dict(without_sat.beyond(with_a)) == {
        words("on the mat"): 1,
        words("on the"): 1,
        words("the mat"): 1,
        ("the",): 1,
    }


def test_metrics_without_explanations_do_not_claim_them():
    test_set = TestSet("t", (("a b",),))
    bleu = METRICS["bleu"].configure("multeval", {}).prepare(test_set)
    length = METRICS["length"].configure("multeval", {}).prepare(test_set)

    assert isinstance(bleu.explain(0, "a c"), NgramMatches)
    assert isinstance(bleu, Explains)
    assert not isinstance(length, Explains)


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("key", ["ter", "wer"])
def test_edits_by_kind_equal_the_paths_and_sum_to_the_total(key, convention, texts):
    scorer = METRICS[key].configure(convention, {}).prepare(texts.test_set)
    segments, hypotheses = zip(*short_pairs_of(texts), strict=True)

    counts = scorer.edit_counts(segments, hypotheses)

    edits = scorer.statistics(segments, hypotheses)[:, 0] // scorer.references.scale
    np.testing.assert_array_equal(counts.sum(axis=1), edits)
    counts_of_paths = []
    for path in map(scorer.explain, segments, hypotheses):
        counts_of_paths.append([path.counts[kind] for kind in scorer.edit_kinds])
    np.testing.assert_array_equal(counts, counts_of_paths)


def test_edits_by_kind_of_hand_counted_segments():
    references = (("a b c d",), ("a b c d",), ("a b c d",), ("c d a b x",), ("",), ("a b",))
    hypotheses = ("a b d", "a b c c d", "a x c d", "a b c d x", "a b c", "")
    scorer = METRICS["ter"].configure("sacrebleu", {}).prepare(TestSet("hand", references))

    assert scorer.edit_kinds == ("substitution", "insertion", "deletion", "shift")
    assert scorer.edit_counts(range(6), hypotheses).tolist() == [
        [0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 3, 0, 0], [0, 0, 2, 0],
    ]  # fmt: skip
