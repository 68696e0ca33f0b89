"""Texts as numbers: their code points, and their words with one number per distinct word."""

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np

from mteval.base.arrays import BoolArray, Int32Array, IntArray
from mteval.base.word_kernels import number_words

LAST_SPACE = 0x3000  # the highest code point that is white space


def starts_of(lengths: Iterable[int] | IntArray) -> IntArray:
    """Return the running total of lengths, starting at zero; shape ``(lengths + 1,)``."""
    if not isinstance(lengths, np.ndarray):
        lengths = np.fromiter(lengths, dtype=np.int64)
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


@cache
def python_spaces() -> BoolArray:
    """Return whether ``str.split`` splits at each code point up to the last space."""
    return np.array([chr(code).isspace() for code in range(LAST_SPACE + 1)])


def code_points(texts: Sequence[str]) -> tuple[Int32Array, IntArray]:
    """Return the code points of all texts in turn, and where each text starts, as ``starts_of``."""
    return _codes_of("".join(texts)), starts_of(map(len, texts))


def _codes_of(text: str) -> Int32Array:
    """Return the code points of a text."""
    return np.array([text]).view(np.int32)[: len(text)]  # NumPy stores text as code points


def distinct_words(texts: Sequence[str], spaces: BoolArray) -> tuple[Int32Array, IntArray, list[str]]:
    """Split texts at the code points marked in ``spaces``, and number their words.

    Returns
    -------
    The numbers of all words; where those of each text start, as ``starts_of``; and the words by number.
    """
    joined = "".join(texts)
    # With the numbers, where in the joined texts each distinct word stands
    numbers, word_starts, spans = number_words(_codes_of(joined), starts_of(map(len, texts)), spaces)
    bounds = zip(spans[:, 0].tolist(), spans[:, 1].tolist(), strict=True)
    return numbers, word_starts, [joined[first:end] for first, end in bounds]
