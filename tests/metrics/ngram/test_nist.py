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
    return [tuple(words[start : start + order]) for start in range(len(words) - order + 1)]


class PlainNist:
    """mteval-v13a's ``compute_ngram_info``, ``score_segment`` and ``nist_score``, said in Python's own terms.

    One thing apart: a word ``0`` is false in Perl, so that there all words stand in for the count of the n-gram ``0``.
    """

    def __init__(self, references):
        self.references = references
        counts = Counter(
            gram for ours in references for words in ours for n in range(1, 6) for gram in ngrams(words, n)
        )
        n_words = sum(len(words) for ours in references for words in ours)
        self.info = {gram: math.log2((counts[gram[:-1]] or n_words) / count) for gram, count in counts.items()}

    def statistics(self, segment, words):
        limits = Counter()
        for reference in self.references[segment]:
            limits |= Counter(gram for n in range(1, 6) for gram in ngrams(reference, n))
        gains, totals = [], []
        for n in range(1, 6):
            occurrences = Counter(ngrams(words, n))
            gains.append(
                math.fsum(
                    self.info[gram] * min(count, limits[gram]) for gram, count in occurrences.items() if limits[gram]
                )
            )
            totals.append(occurrences.total())
        return gains, totals, np.mean([len(reference) for reference in self.references[segment]])


def plain_score(gains, totals, reference_length):
    """``nist_score`` with ``nist_length_penalty``."""
    ratio = totals[0] / reference_length if reference_length else 1
    beta = -math.log(0.5) / math.log(1.5) / math.log(1.5)
    penalty = 1 if ratio >= 1 else 0 if ratio <= 0 else math.exp(-beta * math.log(ratio) ** 2)
    return sum(gain / max(total, 1) for gain, total in zip(gains, totals, strict=True)) * penalty


def score_of(hypotheses, references, **options):
    scorer = METRICS["nist"].configure("sacrebleu", options).prepare(TestSet("words", references))
    return float(scorer.score(scorer.statistics(range(len(hypotheses)), hypotheses).sum(axis=0)))


def test_statistics_and_scores_equal_mteval_v13a(texts):
    scorer = METRICS["nist"].configure("sacrebleu", {"tokenize": "none"}).prepare(texts.test_set)
    plain = PlainNist([[reference.split() for reference in ours] for ours in texts.test_set.references])
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
    theirs = corpus_nist([[text.split()] for text in references], [text.split() for text in hypotheses])
    ours = score_of(hypotheses, tuple((text,) for text in references), tokenize="none")
    assert ours == pytest.approx(theirs, rel=1e-12)


def test_difference_from_nltk_with_several_references():
    # https://www.nltk.org/api/nltk.translate.nist_score.html gives 3.3709…
    hypothesis = "It is a guide to action which ensures that the military always obeys the commands of the party"
    references = (
        "It is a guide to action that ensures that the military will forever heed Party commands",
        "It is the guiding principle which guarantees the military forces always being under the command of the Party",
        "It is the practical guide for the army always to heed the directions of the party",
    )
    assert corpus_nist([[reference.split() for reference in references]], [hypothesis.split()]) == pytest.approx(
        3.3709, abs=1e-4
    )
    plain = PlainNist([[reference.split() for reference in references]])
    expected = plain_score(*plain.statistics(0, hypothesis.split()))
    assert expected > 3.3709
    assert score_of([hypothesis], (references,)) == pytest.approx(expected, rel=1e-12)


def test_the_information_of_a_word_is_the_logarithm_of_its_rarity():
    # eight words, a four times: 1 bit; b twice: 2 bits; each of c and d once: 3 bits; all pairs unknown to each other
    references = (("a",), ("a",), ("a",), ("a",), ("b",), ("b",), ("c",), ("d",))
    scorer = METRICS["nist"].configure("sacrebleu", {}).prepare(TestSet("bits", references))
    assert scorer.statistics([0, 4, 6, 0], ["a", "b", "c", "b"])[:, 0].tolist() == [1, 2, 3, 0]


def test_a_predictable_word_has_no_information():
    # of two words in each of two segments, y follows x always: 1 bit for x, 1 for y, none for the pair
    scorer = METRICS["nist"].configure("sacrebleu", {}).prepare(TestSet("pairs", (("x y",), ("x y",))))
    assert scorer.statistics([0], ["x y"])[0, :2].tolist() == [2, 0]
    assert scorer.score(scorer.statistics([0], ["x y"])[0]) == 1


def test_penalty_is_a_half_at_two_thirds_of_the_mean_length():
    scorer = METRICS["nist"].configure("sacrebleu", {}).prepare(TestSet("mean", (("a b c d", "e f g h i j k l"),)))
    parts = scorer.submetrics(scorer.statistics([0, 0, 0, 0], ["a b c d", "a b c d e f", "a b c d e f g h", ""]))
    np.testing.assert_allclose(parts[:, -1], [0.5, 1, 1, 0], atol=1e-12)


def test_a_reference_of_zeros_is_counted_like_any_other():
    # Perl takes the word 0 for false; mteval-v13a would compare "0 a" with all 4 words and give it 2 bits
    scorer = METRICS["nist"].configure("sacrebleu", {}).prepare(TestSet("zeros", (("0 a",), ("0 b",))))
    assert scorer.statistics([0], ["0 a"])[0, 1] == 1


def test_text_without_match_and_empty_text_score_0():
    assert score_of(["x y", ""], (("a b",), ("c d",))) == 0
    assert score_of([""], (("",),)) == 0


def test_case_matters_unless_lowercased():
    assert score_of(["The Cat"], (("the cat",),)) == 0
    assert score_of(["The Cat"], (("the cat",),), lowercase=True) == 1


def test_explained_ngrams_are_those_whose_information_counts(texts):
    plain = PlainNist([[reference.split() for reference in ours] for ours in texts.test_set.references])
    scorer = METRICS["nist"].configure("sacrebleu", {"tokenize": "none"}).prepare(texts.test_set)
    pairs = [(segment, text) for segment, text in zip(texts.segment_ids, texts.hypotheses, strict=True) if segment]
    for row, (segment, text) in zip(scorer.statistics(*zip(*pairs, strict=True)), pairs, strict=True):
        matches = scorer.explain(segment, text)
        gains = [math.fsum(plain.info[g] * n for g, n in matches.matched(order).items()) for order in range(1, 6)]
        np.testing.assert_allclose(row[:ORDER], gains, rtol=1e-12, atol=1e-12)
