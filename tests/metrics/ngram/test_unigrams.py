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


def scorer_of(key, test_set, **options):
    """Return a metric for the references of a test set."""
    return METRICS[key].configure("sacrebleu", options).prepare(test_set)


def percent_of(key, hypothesis, *references, **options):
    """Return the score of one hypothesis."""
    scorer = scorer_of(key, TestSet("words", (references,)), **options)
    return float(scorer.score(scorer.statistics([0], [hypothesis]).sum(axis=0)))


def n_shared(text, reference):
    """Return how many words two texts share, each as often as it is in both."""
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
    # Papineni et al. 2002
    references = ("The cat is on the mat .", "There is a cat on the mat .")
    hypothesis = "the the the the the the the"

    assert percent_of("unigram-p", hypothesis, *references) == pytest.approx(100 / 7)
    assert percent_of("unigram-p", hypothesis, *references, lowercase=True) == pytest.approx(200 / 7)


def test_merging_references_does_not_raise_recall_or_f():
    # the slides' problem with maximising recall: over all references together candidate 1 would win
    references = ("I always do .", "I invariably do .", "I perpetually do .")
    candidate_1 = "I always invariably perpetually do ."
    candidate_2 = "I always do ."

    assert percent_of("unigram-r", candidate_1, *references) == 100
    assert percent_of("unigram-r", candidate_2, *references) == 100
    assert percent_of("unigram-f", candidate_1, *references) == pytest.approx(100 * 2 * 4 / (6 + 4))
    assert percent_of("unigram-f", candidate_2, *references) == 100


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("tokenize", ["13a", "none", "char"])
def test_precision_equals_sacrebleus_first_order(texts, tokenize, lowercase):
    scorer = scorer_of("unigram-p", texts.test_set, tokenize=tokenize, lowercase=lowercase)

    statistics = scorer.statistics(texts.segment_ids, texts.hypotheses)

    peer = sacrebleu.BLEU(force=True, tokenize=tokenize, lowercase=lowercase)
    peer_statistics = []
    for text, references in texts.pairs:
        peer_statistics += peer._extract_corpus_statistics([text], [[reference] for reference in references])
    matches_and_totals_of_first_order = np.array(peer_statistics)[:, [2, 6]]
    np.testing.assert_array_equal(statistics, matches_and_totals_of_first_order)


def test_recall_uses_the_best_covered_reference(texts):
    """Of equally covered references the longest; one without words is covered least."""
    scorer = scorer_of("unigram-r", texts.test_set, tokenize="none")

    rows = scorer.statistics(texts.segment_ids, texts.hypotheses).tolist()

    for row, (text, references) in zip(rows, texts.pairs, strict=True):
        candidates = []
        for reference in references:
            n_matches = n_shared(text, reference)
            n_words = len(reference.split())
            recall = -1.0
            if n_words:
                recall = n_matches / n_words
            candidates.append((recall, n_words, n_matches))
        _, n_words, n_matches = max(candidates)
        assert row == [n_matches, n_words]


def test_f_uses_the_reference_that_maximizes_it(texts):
    scorer = scorer_of("unigram-f", texts.test_set, tokenize="none")

    statistics = scorer.statistics(texts.segment_ids, texts.hypotheses)
    scores = scorer.segment_score(statistics)
    submetrics = scorer.submetrics(statistics)

    for score, (precision, recall), (text, references) in zip(scores, submetrics, texts.pairs, strict=True):
        possible_scores = []
        for reference in references:
            n_words = len(text.split()) + len(reference.split())
            if n_words:
                possible_scores.append(200 * n_shared(text, reference) / n_words)
        if possible_scores:
            assert score == pytest.approx(max(possible_scores), rel=1e-14)
        else:
            assert np.isnan(score)
        if score > 0:
            assert score == pytest.approx(2 * precision * recall / (precision + recall), rel=1e-14)


def test_undefined_shares_are_nan_and_empty_hypothesis_has_precision_0():
    assert percent_of("unigram-p", "", "a b") == 0
    assert np.isnan(percent_of("unigram-r", "a b", ""))
    assert percent_of("unigram-f", "a b", "") == 0
    assert np.isnan(percent_of("unigram-f", "", ""))


def test_corpus_score_is_a_ratio_of_sums():
    scorer = scorer_of("unigram-p", TestSet("two", (("a",), ("a b c",))))

    statistics = scorer.statistics([0, 1], ["x", "a b c"])

    assert scorer.segment_score(statistics).tolist() == [0, 100]
    assert scorer.score(statistics.sum(axis=0)) == 75


def test_explained_words_equal_counted_words(texts):
    scorer = scorer_of("unigram-p", texts.test_set)

    explanations = map(scorer.explain, texts.segment_ids, texts.hypotheses)

    matches = scorer.statistics(texts.segment_ids, texts.hypotheses)[:, 0]
    assert [explanation.counts for explanation in explanations] == [(n_matches,) for n_matches in matches]
