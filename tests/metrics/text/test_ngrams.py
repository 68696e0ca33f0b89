"""Clipped matches against counters of tuples."""

from collections import Counter
from itertools import chain

import numpy as np
import pytest

from mteval.metrics.text import ngrams as module
from mteval.metrics.text.ngrams import Sequences, TokenizedReferences, by_word, clipped_matches, ngram_counts, starts_of
from mteval.metrics.text.text_kernels import UNKNOWN


def sequences_of(lists):
    """Lists of numbers one after the other."""
    numbers = list(chain.from_iterable(lists))
    return Sequences(np.array(numbers, dtype=np.int32), starts_of(map(len, lists)))


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

    references_of_segments = []
    for _ in range(20):
        n_references = rng.integers(1, 4)
        references_of_segments.append([draw(alphabet, 30) for _ in range(n_references)])
    segments = rng.integers(0, len(references_of_segments), size=200)
    hypotheses = [draw([*alphabet, UNKNOWN], 30) for _ in segments]

    matches = clipped_matches(
        sequences_of(hypotheses),
        segments,
        sequences_of(list(chain.from_iterable(references_of_segments))),
        starts_of(map(len, references_of_segments)),
        order,
    )

    expected = []
    for hypothesis, segment in zip(hypotheses, segments, strict=True):
        expected.append(expected_matches(hypothesis, references_of_segments[segment], order))
    np.testing.assert_array_equal(matches, expected)


def test_ngram_counts_are_never_negative():
    counts = ngram_counts(np.array([0, 1, 5]), 3)

    np.testing.assert_array_equal(counts, [[0, 0, 0], [1, 0, 0], [5, 4, 3]])


@pytest.mark.parametrize("at_once", [1, 3])
def test_references_read_some_at_a_time_have_the_same_numbers(monkeypatch, at_once):
    references = [("a b, a", "c"), ("",), ("b d a", "e, a"), ("c",)]

    def tokenized(texts):
        return by_word(texts, lambda words: [word.replace(",", " ,").split() for word in words])

    read_together = TokenizedReferences.of(references, tokenized)
    monkeypatch.setattr(module, "TEXTS_AT_ONCE", at_once)
    read_in_parts = TokenizedReferences.of(references, tokenized)

    assert read_in_parts.vocabulary == read_together.vocabulary
    np.testing.assert_array_equal(read_in_parts.tokens.items, read_together.tokens.items)
    np.testing.assert_array_equal(read_in_parts.tokens.starts, read_together.tokens.starts)
    assert read_in_parts.of_segment(0) == (("a", "b", ",", "a"), ("c",))
    assert read_in_parts.of_segment(1) == ((),)
    assert read_in_parts.of_segment(2) == (("b", "d", "a"), ("e", ",", "a"))
    assert read_in_parts.of_segment(3) == (("c",),)
