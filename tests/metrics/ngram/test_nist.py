"""NIST against a plain reading of mteval-v13a, against NLTK where the two agree, and against its own closed forms."""

import math
from collections import Counter

import numpy as np
import pytest
from nltk.translate.nist_score import corpus_nist

from mteval.metrics import METRICS
from mteval.values.model import TestSet

ORDER = 5


def ngrams(words, order):
    """Return the n-grams of one order, in the order of the text."""
    return [tuple(words[start : start + order]) for start in range(len(words) - order + 1)]


def ngrams_of_all_orders(words):
    """Return the n-grams of orders 1 to 5."""
    grams = []
    for order in range(1, ORDER + 1):
        grams += ngrams(words, order)
    return grams


class PlainNist:
    """mteval-v13a's ``compute_ngram_info``, ``score_segment`` and ``nist_score``, said in Python's own terms.

    One thing apart: a word ``0`` is false in Perl, so that there all words stand in for the count of the n-gram ``0``.
    """

    def __init__(self, references):
        self.references = references
        counts = Counter()
        n_words = 0
        for references_of_segment in references:
            for words in references_of_segment:
                counts.update(ngrams_of_all_orders(words))
                n_words += len(words)

        # Information: how much rarer the n-gram is than its first words, for a word how much rarer than all words.
        self.info = {}
        for gram, count in counts.items():
            count_of_first_words = counts[gram[:-1]] or n_words
            self.info[gram] = math.log2(count_of_first_words / count)

    def statistics(self, segment, words):
        """Return the information of the matches and the number of n-grams by order, and the mean reference length."""
        references = self.references[segment]
        limits = Counter()
        for reference in references:
            limits |= Counter(ngrams_of_all_orders(reference))

        gains = []
        totals = []
        for order in range(1, ORDER + 1):
            occurrences = Counter(ngrams(words, order))
            matches = occurrences & limits
            gains.append(math.fsum(self.info[gram] * count for gram, count in matches.items()))
            totals.append(occurrences.total())
        return gains, totals, np.mean([len(reference) for reference in references])


def plain_of(test_set):
    """Return the plain reading of the references of a test set, split at spaces."""
    words_of_references = []
    for references in test_set.references:
        words_of_references.append([reference.split() for reference in references])
    return PlainNist(words_of_references)


def plain_score(gains, totals, reference_length):
    """``nist_score`` with ``nist_length_penalty``."""
    ratio = 1
    if reference_length:
        ratio = totals[0] / reference_length
    if ratio >= 1:
        penalty = 1
    elif ratio <= 0:
        penalty = 0
    else:
        beta = -math.log(0.5) / math.log(1.5) / math.log(1.5)
        penalty = math.exp(-beta * math.log(ratio) ** 2)
    information = sum(gain / max(total, 1) for gain, total in zip(gains, totals, strict=True))
    return information * penalty


def scorer_of(test_set, **options):
    """Return NIST for the references of a test set."""
    return METRICS["nist"].configure("sacrebleu", options).prepare(test_set)


def score_of(hypotheses, references, **options):
    """Return the corpus score of one hypothesis a segment."""
    scorer = scorer_of(TestSet("words", references), **options)
    statistics = scorer.statistics(range(len(hypotheses)), hypotheses)
    return float(scorer.score(statistics.sum(axis=0)))


def test_statistics_and_scores_equal_mteval_v13a(texts):
    scorer = scorer_of(texts.test_set, tokenize="none")
    plain = plain_of(texts.test_set)

    statistics = scorer.statistics(texts.segment_ids, texts.hypotheses)
    scores = scorer.segment_score(statistics)

    total = np.zeros(2 * ORDER + 1)
    for row, score, segment, text in zip(statistics, scores, texts.segment_ids, texts.hypotheses, strict=True):
        gains, totals, length = plain.statistics(segment, text.split())
        np.testing.assert_allclose(row[:ORDER], gains, rtol=1e-12, atol=1e-12)
        assert row[ORDER : 2 * ORDER].tolist() == totals
        assert row[-1] / scorer.references.scale == pytest.approx(length, rel=1e-15)
        assert score == pytest.approx(plain_score(gains, totals, length), rel=1e-12, abs=1e-12)
        total += [*gains, *totals, length]

    expected = plain_score(total[:ORDER], total[ORDER : 2 * ORDER], total[-1])
    assert scorer.score(statistics.sum(axis=0)) == pytest.approx(expected, rel=1e-12)
    assert (statistics[:, :ORDER] > 0).any(axis=0).all(), "matches of all orders are tried"


@pytest.mark.parametrize("run", ["baseline.opt0", "sys1.opt2"])
def test_corpus_scores_of_one_reference_equal_nltks(example, run):
    lines = range(0, len(example["references"]), 6)
    references = [example["references"][line] for line in lines]
    hypotheses = [example[run][line] for line in lines]
    score = score_of(hypotheses, tuple((reference,) for reference in references), tokenize="none")

    words_of_references = [[reference.split()] for reference in references]
    words_of_hypotheses = [hypothesis.split() for hypothesis in hypotheses]
    assert score == pytest.approx(corpus_nist(words_of_references, words_of_hypotheses), rel=1e-12)


def test_difference_from_nltk_with_several_references():
    # https://www.nltk.org/api/nltk.translate.nist_score.html gives 3.3709…
    hypothesis = "It is a guide to action which ensures that the military always obeys the commands of the party"
    references = (
        "It is a guide to action that ensures that the military will forever heed Party commands",
        "It is the guiding principle which guarantees the military forces always being under the command of the Party",
        "It is the practical guide for the army always to heed the directions of the party",
    )
    words_of_references = [reference.split() for reference in references]
    words = hypothesis.split()
    assert corpus_nist([words_of_references], [words]) == pytest.approx(3.3709, abs=1e-4)

    plain = PlainNist([words_of_references])
    expected = plain_score(*plain.statistics(0, words))

    assert expected > 3.3709
    assert score_of([hypothesis], (references,)) == pytest.approx(expected, rel=1e-12)


def test_the_information_of_a_word_is_the_logarithm_of_its_rarity():
    # eight words, a four times: 1 bit; b twice: 2 bits; each of c and d once: 3 bits; all pairs unknown to each other
    references = (("a",), ("a",), ("a",), ("a",), ("b",), ("b",), ("c",), ("d",))
    scorer = scorer_of(TestSet("bits", references))

    assert scorer.statistics([0, 4, 6, 0], ["a", "b", "c", "b"])[:, 0].tolist() == [1, 2, 3, 0]


def test_a_predictable_word_has_no_information():
    # of two words in each of two segments, y follows x always: 1 bit for x, 1 for y, none for the pair
    scorer = scorer_of(TestSet("pairs", (("x y",), ("x y",))))

    statistics = scorer.statistics([0], ["x y"])[0]

    assert statistics[:2].tolist() == [2, 0]
    assert scorer.score(statistics) == 1


def test_penalty_is_a_half_at_two_thirds_of_the_mean_length():
    # references of 4 and of 8 words: 6 in the mean
    scorer = scorer_of(TestSet("mean", (("a b c d", "e f g h i j k l"),)))
    hypotheses = ["a b c d", "a b c d e f", "a b c d e f g h", ""]

    submetrics = scorer.submetrics(scorer.statistics([0] * len(hypotheses), hypotheses))

    penalties = submetrics[:, -1]
    np.testing.assert_allclose(penalties, [0.5, 1, 1, 0], atol=1e-12)


def test_a_reference_of_zeros_is_counted_like_any_other():
    # Perl takes the word 0 for false; mteval-v13a would compare "0 a" with all 4 words and give it 2 bits
    scorer = scorer_of(TestSet("zeros", (("0 a",), ("0 b",))))

    assert scorer.statistics([0], ["0 a"])[0, 1] == 1


def test_text_without_match_and_empty_text_score_0():
    assert score_of(["x y", ""], (("a b",), ("c d",))) == 0
    assert score_of([""], (("",),)) == 0


def test_case_matters_unless_lowercased():
    assert score_of(["The Cat"], (("the cat",),)) == 0
    assert score_of(["The Cat"], (("the cat",),), lowercase=True) == 1


def test_explained_ngrams_are_those_whose_information_counts(texts):
    plain = plain_of(texts.test_set)
    scorer = scorer_of(texts.test_set, tokenize="none")
    # without segment 0, which is very long
    pairs = [(segment, text) for segment, text in zip(texts.segment_ids, texts.hypotheses, strict=True) if segment]

    statistics = scorer.statistics(*zip(*pairs, strict=True))

    for row, (segment, text) in zip(statistics, pairs, strict=True):
        explanation = scorer.explain(segment, text)
        gains = []
        for order in range(1, ORDER + 1):
            matches = explanation.matched(order)
            gains.append(math.fsum(plain.info[gram] * count for gram, count in matches.items()))
        np.testing.assert_allclose(row[:ORDER], gains, rtol=1e-12, atol=1e-12)
