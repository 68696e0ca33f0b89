"""Clipped matches against counters of tuples."""

from collections import Counter

import numpy as np
import pytest

from mteval.metrics.text import ngrams as module
from mteval.metrics.text.ngrams import Sequences, TokenizedReferences, by_word, clipped_matches, ngram_counts, starts_of
from mteval.metrics.text.text_kernels import UNKNOWN


def sequences_of(lists):
    """Lists of numbers one after the other."""
    return Sequences(
        np.array([number for numbers in lists for number in numbers], dtype=np.int32), starts_of(map(len, lists))
    )


def ngrams(items, n):
    """How often each n-gram stands in the items."""
    return Counter(tuple(items[start : start + n]) for start in range(len(items) - n + 1))


def expected_matches(hypothesis, references, order):
    """By the definition: each n-gram counted at most as often as in the reference that has most of it."""
    matches = []
    for n in range(1, order + 1):
        limits = Counter()
        for reference in references:
            limits |= ngrams(reference, n)
        matches.append((ngrams(hypothesis, n) & limits).total())
    return matches


@pytest.mark.parametrize("order", [1, 2, 4, 7])
@pytest.mark.parametrize("alphabet", [[0], [0, 1], [0, 1, 2, 5, 2**31 - 1], list(range(50))], ids=len)
def test_matches_equal_the_definition(alphabet, order):
    rng = np.random.default_rng(order)

    def draw(symbols, longest):
        return [int(number) for number in rng.choice(symbols, size=rng.integers(0, longest))]

    groups = [[draw(alphabet, 30) for _ in range(rng.integers(1, 4))] for _ in range(20)]
    of_hypotheses = rng.integers(0, len(groups), size=200)
    hypotheses = [draw([*alphabet, UNKNOWN], 30) for _ in of_hypotheses]
    ours = clipped_matches(
        sequences_of(hypotheses),
        of_hypotheses,
        sequences_of([reference for group in groups for reference in group]),
        starts_of(map(len, groups)),
        order,
    )
    expected = [
        expected_matches(hypothesis, groups[group], order)
        for hypothesis, group in zip(hypotheses, of_hypotheses, strict=True)
    ]
    np.testing.assert_array_equal(ours, expected)


def test_ngram_counts_are_never_negative():
    np.testing.assert_array_equal(ngram_counts(np.array([0, 1, 5]), 3), [[0, 0, 0], [1, 0, 0], [5, 4, 3]])


@pytest.mark.parametrize("at_once", [1, 3])
def test_references_read_some_at_a_time_have_the_same_numbers(monkeypatch, at_once):
    references = [("a b, a", "c"), ("",), ("b d a", "e, a"), ("c",)]

    def tokenized(texts):
        return by_word(texts, lambda word: word.replace(",", " ,").split())

    whole = TokenizedReferences.of(references, tokenized)
    monkeypatch.setattr(module, "TEXTS_AT_ONCE", at_once)
    parts = TokenizedReferences.of(references, tokenized)
    assert parts.vocabulary == whole.vocabulary
    np.testing.assert_array_equal(parts.tokens.items, whole.tokens.items)
    np.testing.assert_array_equal(parts.tokens.starts, whole.tokens.starts)
    assert [parts.of_segment(segment) for segment in range(4)] == [
        (("a", "b", ",", "a"), ("c",)), ((),), (("b", "d", "a"), ("e", ",", "a")), (("c",),)
    ]  # fmt: skip
