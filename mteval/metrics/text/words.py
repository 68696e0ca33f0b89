"""Words as numbers: each distinct white-space word of many texts gets one, so that it is looked at once only.

The texts are read as code points by a compiled hash table that compares whole words, so equal numbers mean equal words.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mteval.arrays import BoolArray, IntArray
from mteval.metrics.text.sequences import Sequences, python_spaces, starts_of
from mteval.metrics.text.words_kernels import number_words


@dataclass(frozen=True)
class Words:
    """The words of n texts.

    Parameters
    ----------
    numbers
        For each text the numbers of its words, in order.
    tokens
        The tokens of word 0, then those of word 1, and so on.
    token_starts
        Where the tokens of each word begin in ``tokens``, and the end of the last.
    """

    numbers: Sequences
    tokens: Sequence[str]
    token_starts: IntArray

    def in_numbers(self, of_tokens: Sequence[int]) -> Sequences:
        """The texts as numbers of tokens, given that of each of ``tokens``."""
        return self.numbers.expanded(Sequences(np.array(of_tokens, dtype=np.int32), self.token_starts))


Tokenize = Callable[[Sequence[str]], Words]


def by_word(
    texts: Sequence[str], split: Callable[[str], Sequence[str]], is_token: Callable[[str], bool] = lambda word: False
) -> Words:
    """Split texts at white space and each distinct word into its tokens; a word that is one already is not touched."""
    numbers, distinct = _distinct_words(texts, python_spaces())
    tokens: list[str] = []
    lengths = [1] * len(distinct)
    done = 0
    for place in [place for place, whole in enumerate(map(is_token, distinct)) if not whole]:
        parts = split(distinct[place])
        tokens += distinct[done:place]
        tokens += parts
        lengths[place] = len(parts)
        done = place + 1
    tokens += distinct[done:]
    return Words(numbers, tokens, starts_of(lengths))


def by_text(texts: Sequence[str], cut: Callable[[str], str], spaces: BoolArray) -> Words:
    """Cut each text and split it at the code points marked in ``spaces``: each word is a token."""
    numbers, distinct = _distinct_words(tuple(map(cut, texts)), spaces)
    return Words(numbers, distinct, np.arange(len(distinct) + 1))


def _distinct_words(texts: Sequence[str], spaces: BoolArray) -> tuple[Sequences, list[str]]:
    """The numbers of the words of each text, and the words by number."""
    codes = Sequences.of_code_points(texts)
    numbers, starts, spans = number_words(codes.items, codes.starts, spaces)
    joined = "".join(texts)
    bounds = zip(spans[:, 0].tolist(), spans[:, 1].tolist(), strict=True)
    return Sequences(numbers, starts), [joined[first:end] for first, end in bounds]
