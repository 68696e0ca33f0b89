"""Unigram precision, recall and F against the slides' worked examples, sacreBLEU and plain Python."""

from collections import Counter

import numpy as np
import pytest
import sacrebleu

from mteval.metrics import METRICS
from mteval.values.model import TestSet

# Sokolov 2015, SMT evaluation: the worked example, printed as 50, 43, 46 and 100, 86, 92 percent.
REFERENCE = "Israeli officials are responsible for airport security"
SYSTEM_A = "Israeli officials responsibility of airport safety"
SYSTEM_B = "airport security Israeli officials are responsible"


def percent_of(key, hypothesis, *references, **options):
    scorer = METRICS[key].configure("sacrebleu", options).prepare(TestSet("words", (references,)))
    return float(scorer.score(scorer.statistics([0], [hypothesis]).sum(axis=0)))


def shared(text, reference):
    return (Counter(text.split()) & Counter(reference.split())).total()


@pytest.mark.parametrize(
    ("system", "key", "exact", "printed"),
    [
        (SYSTEM_A, "unigram-p", 3 / 6, 50),
        (SYSTEM_A, "unigram-r", 3 / 7, 43),
        (SYSTEM_A, "unigram-f", 6 / 13, 46),
        (SYSTEM_B, "unigram-p", 6 / 6, 100),
        (SYSTEM_B, "unigram-r", 6 / 7, 86),
        (SYSTEM_B, "unigram-f", 12 / 13, 92),
    ],
)
def test_scores_equal_the_worked_example(system, key, exact, printed):
    score = percent_of(key, system, REFERENCE)
    assert score == pytest.approx(100 * exact)
    assert round(score) == printed


def test_bleu_of_the_worked_example():
    # exp(1 - 7/6) * (6/6 * 4/5 * 2/4 * 1/3) ** (1/4); the slides print the brevity penalty as 6/7 and BLEU as 52%
    by_hand = 100 * np.exp(1 - 7 / 6) * (4 / 5 * 2 / 4 * 1 / 3) ** 0.25
    assert round(by_hand, 2) == 51.15
    assert percent_of("bleu", SYSTEM_B, REFERENCE) == pytest.approx(by_hand)
    assert percent_of("bleu", SYSTEM_A, REFERENCE, smooth_method="none") == 0
    assert percent_of("bleu", SYSTEM_A, REFERENCE) > 0, "sacreBLEU smooths unless told not to"


def test_words_are_clipped_at_their_count_in_one_reference():
    references = ("The cat is on the mat .", "There is a cat on the mat .")  # Papineni et al. 2002
    assert percent_of("unigram-p", "the the the the the the the", *references) == pytest.approx(100 / 7)
    assert percent_of("unigram-p", "the the the the the the the", *references, lowercase=True) == pytest.approx(200 / 7)


def test_merging_references_does_not_raise_recall_or_f():
    # the slides' problem with maximising recall: over all references together candidate 1 would win
    references = ("I always do .", "I invariably do .", "I perpetually do .")
    everything, plain = "I always invariably perpetually do .", "I always do ."
    assert percent_of("unigram-r", everything, *references) == percent_of("unigram-r", plain, *references) == 100
    assert percent_of("unigram-f", everything, *references) == pytest.approx(100 * 2 * 4 / (6 + 4))
    assert percent_of("unigram-f", plain, *references) == 100


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("tokenize", ["13a", "none", "char"])
def test_precision_equals_sacrebleus_first_order(texts, tokenize, lowercase):
    options = {"tokenize": tokenize, "lowercase": lowercase}
    scorer = METRICS["unigram-p"].configure("sacrebleu", options).prepare(texts.test_set)
    peer = sacrebleu.BLEU(force=True, **options)
    theirs = [peer._extract_corpus_statistics([text], [[ref] for ref in refs])[0] for text, refs in texts.pairs]
    expected = np.array(theirs)[:, [2, 6]]  # matches and totals of the first order
    np.testing.assert_array_equal(scorer.statistics(texts.segment_ids, texts.hypotheses), expected)


def test_recall_uses_the_best_covered_reference(texts):
    scorer = METRICS["unigram-r"].configure("sacrebleu", {"tokenize": "none"}).prepare(texts.test_set)
    rows = scorer.statistics(texts.segment_ids, texts.hypotheses).tolist()
    for row, (text, references) in zip(rows, texts.pairs, strict=True):
        choices = [(shared(text, reference), len(reference.split())) for reference in references]
        assert row == list(max(choices, key=lambda pair: (pair[0] / pair[1] if pair[1] else -1, pair[1])))


def test_f_uses_the_reference_that_maximizes_it(texts):
    scorer = METRICS["unigram-f"].configure("sacrebleu", {"tokenize": "none"}).prepare(texts.test_set)
    statistics = scorer.statistics(texts.segment_ids, texts.hypotheses)
    scores, parts = scorer.segment_score(statistics), scorer.submetrics(statistics)
    for score, (precision, recall), (text, references) in zip(scores, parts, texts.pairs, strict=True):
        sums = [len(text.split()) + len(reference.split()) for reference in references]
        if not any(sums):
            assert np.isnan(score)
            continue
        every = [200 * shared(text, reference) / both for reference, both in zip(references, sums, strict=True) if both]
        assert score == pytest.approx(max(every), rel=1e-14)
        if score > 0:
            assert score == pytest.approx(2 * precision * recall / (precision + recall), rel=1e-14)


def test_undefined_shares_are_nan_and_empty_hypothesis_has_precision_0():
    assert percent_of("unigram-p", "", "a b") == 0
    assert np.isnan(percent_of("unigram-r", "a b", ""))
    assert percent_of("unigram-f", "a b", "") == 0
    assert np.isnan(percent_of("unigram-f", "", ""))


def test_corpus_score_is_a_ratio_of_sums():
    scorer = METRICS["unigram-p"].configure("sacrebleu", {}).prepare(TestSet("two", (("a",), ("a b c",))))
    statistics = scorer.statistics([0, 1], ["x", "a b c"])
    assert scorer.segment_score(statistics).tolist() == [0, 100]
    assert scorer.score(statistics.sum(axis=0)) == 75


def test_explained_words_equal_counted_words(texts):
    scorer = METRICS["unigram-p"].configure("sacrebleu", {}).prepare(texts.test_set)
    statistics = scorer.statistics(texts.segment_ids, texts.hypotheses)
    explained = [
        scorer.explain(segment, text) for segment, text in zip(texts.segment_ids, texts.hypotheses, strict=True)
    ]
    assert [explanation.counts for explanation in explained] == [(count,) for count in statistics[:, 0]]
