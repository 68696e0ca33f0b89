"""The words that the translation edit rate compares, as sacreBLEU and as MultEval find them."""

import re
from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from mteval.arrays import BoolArray
from mteval.metrics.text.sequences import python_spaces
from mteval.metrics.text.words import Tokenize, by_text, by_word

_JAVA_SPACES = " \t\n\v\f\r"  # what \s means in Java's patterns
_TRIMMED = "".join(map(chr, range(0x21)))  # what Java's String.trim strips
_PUNCTUATION = re.compile(r"[.,?:;!\"()]")


def sacrebleu_words(normalized: bool, no_punct: bool, asian_support: bool, case_sensitive: bool) -> Tokenize:
    """sacreBLEU's own tokenizer; the normalization looks across spaces, the rest can be done once a distinct word."""
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer  # here, since not every command needs sacreBLEU

    cut = partial(_cut, TercomTokenizer(normalized, no_punct, asian_support, case_sensitive))
    if normalized:
        return partial(by_text, cut=cut, spaces=python_spaces())
    return partial(by_word, split=partial(_split, cut))


def tercom_words(no_punct: bool, case_sensitive: bool) -> Tokenize:
    """Words between Java's white space, as MultEval hands them to tercom.

    Where punctuation is removed from the start of a line, tercom finds an empty word there; this is not copied.
    """
    return partial(by_text, cut=partial(_prepare, no_punct, case_sensitive), spaces=_java_spaces())


def _cut(tokenizer: Any, text: str) -> str:
    """The text with single spaces between words; past the tokenizer's cache, which would keep all texts in memory."""
    uncached: Any = type(tokenizer).__call__
    return str(uncached.__wrapped__(tokenizer, text.rstrip()))


def _split(cut: partial[str], word: str) -> Sequence[str]:
    return cut(word).split()


def _prepare(no_punct: bool, case_sensitive: bool, text: str) -> str:
    text = text.strip(_TRIMMED)
    if not case_sensitive:
        text = text.lower()
    return _PUNCTUATION.sub("", text) if no_punct else text


@cache
def _java_spaces() -> BoolArray:
    """For each code point up to the space, whether tercom splits at it."""
    return np.array([chr(code) in _JAVA_SPACES for code in range(0x21)])
