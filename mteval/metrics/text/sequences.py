"""Texts as flat arrays of numbers: code points, words and tokens, one sequence a text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from mteval.arrays import BoolArray, Int32Array, IntArray
from mteval.metrics.text.sequences_kernels import expanded, without

# What MultEval splits at: Guava's BREAKING_WHITESPACE, which leaves out the no-break spaces U+00A0, U+2007 and U+202F.
_BREAKING = "\t\n\v\f\r \x85\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a\u2028\u2029\u205f\u3000"
_LAST_SPACE = 0x3000


@dataclass(frozen=True)
class Sequences:
    """n sequences of numbers, one after the other.

    Parameters
    ----------
    items
        All numbers, int32.
    starts
        Where each sequence begins in ``items``, and the end of the last, shape ``(n + 1,)``.
    """

    items: Int32Array
    starts: IntArray

    @property
    def lengths(self) -> IntArray:
        """Number of items of each sequence, shape ``(n,)``."""
        return np.diff(self.starts)

    @classmethod
    def of_code_points(cls, texts: Sequence[str]) -> "Sequences":
        """The code points of each text."""
        joined = "".join(texts)
        items = np.array([joined]).view(np.int32)  # NumPy keeps a text as its code points
        return cls(items[: len(joined)], starts_of(map(len, texts)))

    def without(self, unwanted: BoolArray) -> "Sequences":
        """Leave out the items ``i`` with ``unwanted[i]``; those beyond the end of ``unwanted`` stay."""
        return Sequences(*without(self.items, self.starts, unwanted))

    def expanded(self, parts: "Sequences") -> "Sequences":
        """Put sequence ``i`` of ``parts`` in the place of each item ``i``."""
        return Sequences(*expanded(self.items, self.starts, parts.items, parts.starts))


def starts_of(lengths: Iterable[int]) -> IntArray:
    """Running total of lengths, zero first."""
    return np.cumsum(np.fromiter((0, *lengths), dtype=np.int64), dtype=np.int64)


@cache
def python_spaces() -> BoolArray:
    """For each code point up to the last space, whether ``str.split`` splits at it."""
    return np.array([chr(code).isspace() for code in range(_LAST_SPACE + 1)])


@cache
def breaking_spaces() -> BoolArray:
    """For each code point up to the last space, whether MultEval splits at it."""
    return np.array([chr(code) in _BREAKING for code in range(_LAST_SPACE + 1)])
