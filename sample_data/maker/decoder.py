"""Candidates for each segment, and the choice among them under given weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from maker.bleu import IntArray
from maker.lattice import Lattice, Option, Order, lattice
from maker.pieces import Sentence, detokenize
from maker.stream import Stream

Choice = TypeVar("Choice", Option, Order)

POOL = 80  # different candidates a segment


@dataclass(frozen=True)
class Pool:
    """The candidates of all segments of a test set.

    Parameters
    ----------
    texts
        Per segment its candidates, ``POOL`` of them.
    features
        Shape ``(segments, POOL, features)``, whole thousandths.
    """

    texts: tuple[tuple[str, ...], ...]
    features: IntArray


def pool(seed: int, test_set: str, sentences: Sequence[Sentence]) -> Pool:
    """Candidates of every sentence of a test set."""
    rows = [_candidates(Stream(seed, test_set, "candidates", index), item) for index, item in enumerate(sentences)]
    texts = tuple(tuple(text for text, _ in row) for row in rows)
    return Pool(texts, np.array([[features for _, features in row] for row in rows], dtype=np.int64))


def model_scores(features: IntArray, weights: IntArray) -> IntArray:
    """Scores of the candidates, shape ``(segments, POOL)``; exact, since all numbers are integers."""
    scores: IntArray = (features * weights).sum(axis=2)
    return scores


def best(features: IntArray, weights: IntArray) -> IntArray:
    """Index of the best candidate of each segment, the first of equals."""
    chosen: IntArray = model_scores(features, weights).argmax(axis=1)
    return chosen


def _candidates(stream: Stream, sentence: Sentence) -> list[tuple[str, tuple[int, ...]]]:
    choices = lattice(stream, sentence)
    found: dict[str, tuple[int, ...]] = {}
    while len(found) < POOL:
        text, features = _sample(stream, choices, rate=stream.uniform(0.15, 0.55))
        found.setdefault(text, features)
    return list(found.items())


def _sample(stream: Stream, choices: Lattice, rate: float) -> tuple[str, tuple[int, ...]]:
    """One candidate that errs at about this rate."""
    words: list[str] = []
    parts: list[tuple[int, ...]] = []
    for orders, chunks in zip(choices.orders, choices.slots, strict=True):
        order = _choose(stream, orders, 2 * rate)
        parts.append(order.features)
        for index in order.chunks:
            options = [_choose(stream, slot, rate) for slot in chunks[index]]
            words += [word for option in options for word in option.text.split()]
            parts += [option.features for option in options]
    return detokenize(words), tuple(map(sum, zip(*parts, strict=True)))


def _choose(stream: Stream, options: Sequence[Choice], rate: float) -> Choice:
    """The first option, or with the given probability one of the others."""
    return stream.pick(options[1:]) if len(options) > 1 and stream.chance(rate) else options[0]
