"""Lines are compared by their distinct words, or by pairs of characters if a script sets no spaces."""

from itertools import pairwise

import numpy as np
import pytest

from mteval.readers.assembly.alignment import WordLines, similarities

LINES = ("The cat sat on the CAT .", "", " \t\u3000", "猫が" * 20, "x" * 45 + " y", "İstanbul ΣΑΣ", "half \ud800 pair")
OTHER_LINES = ("a cat sat", ".", "猫が座った" * 5, "xxx", "y", "i\u0307stanbul σας the", "pair \ud800")


def words_of(line: str) -> set[str]:
    words = line.lower().split()
    if len(line) > 20 * len(words):
        return {"".join(pair) for pair in pairwise("".join(words))}
    return set(words)


def similarity(line: str, other: str) -> float:
    words = words_of(line)
    other_words = words_of(other)
    n_both = len(words) + len(other_words)
    overlap = 2 * len(words & other_words) / n_both if n_both else 1.0
    shorter, longer = sorted((len(line), len(other)))
    return overlap + 0.5 * (shorter + 1) / (longer + 1)


def test_similarity_is_that_of_sets_of_words() -> None:
    lines = WordLines.of(LINES)
    others = WordLines.of(OTHER_LINES)
    assert lines.is_filled.tolist() == [bool(line.split()) for line in LINES]
    places, other_places = np.indices((len(LINES), len(OTHER_LINES))).reshape(2, -1)
    expected = [similarity(line, other) for line in LINES for other in OTHER_LINES]
    assert similarities(lines, others, places, other_places).tolist() == pytest.approx(expected, abs=1e-15)
