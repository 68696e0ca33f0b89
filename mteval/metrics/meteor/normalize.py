"""METEOR's four levels of normalisation, and its words.

The tokenizer is a relative of the one that came with the Europarl corpus. Its letters are those of the Latin and
Cyrillic blocks; its digits, white space and lower case are ASCII. What it does was learnt from METEOR's output.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Level = Literal["none", "lowercase", "tokenize", "no-punctuation"]
LEVELS: tuple[Level, ...] = ("none", "lowercase", "tokenize", "no-punctuation")
TOKENIZED_LANGUAGES = ("en", "cz", "fr", "es", "de", "ru")

_LETTER = "A-Za-zÀ-ÖØ-öø-žЀ-ԧᴀ-ᵿꙀ-ꙮ꙾-ꚗ"
_BREAKS = re.compile(r"[ \t\n\f\r]+")
_WIDE_SPACE = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": " - "})
_SPECIAL = re.compile(rf"([^{_LETTER}0-9 \t\n\v\f\r.'`,-])")
_DOTS = re.compile(r"\.{2,}")
_COMMAS = tuple(
    (re.compile(pattern), r"\1 , \2") for pattern in ("([^0-9]),([^0-9])", "([0-9]),([^0-9])", "([^0-9]),([0-9])")
)
_HYPHEN = re.compile(rf"([{_LETTER}0-9.])-([{_LETTER}0-9])")
_HAS_LETTER = re.compile(f"[{_LETTER}]")
_PUNCTUATION = re.compile(f"[^{_LETTER}0-9 ]")

_APOSTROPHES_ENGLISH = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (f"([^{_LETTER}])'([^{_LETTER}])", r"\1 ' \2"),
        (f"([^{_LETTER}0-9])'([{_LETTER}])", r"\1 ' \2"),
        (f"([{_LETTER}])'([^{_LETTER}])", r"\1 ' \2"),
        (f"([{_LETTER}])'([{_LETTER}])", r"\1 '\2"),
        ("([0-9])'(s)", r"\1 '\2"),
    )
)
_APOSTROPHES_FRENCH = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (f"([^{_LETTER}])'([^{_LETTER}])", r"\1 ' \2"),
        (f"([^{_LETTER}])'([{_LETTER}])", r"\1 ' \2"),
        (f"([{_LETTER}])'([^{_LETTER}])", r"\1 ' \2"),
        (f"([{_LETTER}])'([{_LETTER}])", r"\1' \2"),
    )
)
_APOSTROPHES_OTHER = ((re.compile("'"), " ' "),)
_APOSTROPHES = {"en": _APOSTROPHES_ENGLISH, "fr": _APOSTROPHES_FRENCH}


@dataclass(frozen=True)
class Normalizer:
    """From a line to METEOR's words.

    Parameters
    ----------
    level
        ``none``, ``lowercase``, ``tokenize`` (and lowercase), ``no-punctuation`` (the same, and without punctuation).
    language
        Code of the language; matters from ``tokenize`` on.
    prefixes
        Words that keep their final dot, with True for those that keep it before a number only.
    """

    level: Level
    language: str = "en"
    prefixes: Mapping[str, bool] = field(default_factory=dict)

    def words(self, text: str) -> list[str]:
        """The words of a line; they are separated by space, tab, line feed, form feed and carriage return only."""
        if self.level == "lowercase":
            text = text.lower()
        elif self.level != "none":
            text = self._tokenized(text)
            if self.level == "no-punctuation":
                text = _PUNCTUATION.sub(" ", text)
            text = text.lower()
        return [word for word in _BREAKS.split(text) if word]

    def _tokenized(self, text: str) -> str:
        text = _WIDE_SPACE.sub(" ", f" {text} ").translate(_QUOTES)
        text = _SPECIAL.sub(r" \1 ", text)
        text = _DOTS.sub(r" \g<0> ", text)
        for pattern, replacement in _COMMAS:
            text = pattern.sub(replacement, text)
        text = _HYPHEN.sub(r"\1 \2", text.replace("--", "-"))
        text = text.replace("`", "'").replace("''", ' " ')
        for pattern, replacement in _APOSTROPHES.get(self.language, _APOSTROPHES_OTHER):
            text = pattern.sub(replacement, text)
        words = [word for word in _BREAKS.split(text) if word]
        return " ".join(map(self._without_final_dot, words, [*words[1:], ""]))

    def _without_final_dot(self, word: str, following: str) -> str:
        """Split the final dot off, unless the word is an abbreviation; acronyms lose all their dots."""
        stem = word[:-1]
        if not word.endswith(".") or not stem.strip("."):
            return word
        if "." in stem and _HAS_LETTER.search(stem):
            return word.replace(".", "")
        first = following[:1]
        before_number_only = self.prefixes.get(stem)
        if before_number_only is False or "a" <= first <= "z" or (before_number_only and "0" <= first <= "9"):
            return word
        return f"{stem} ."


def read_prefixes(text: str) -> dict[str, bool]:
    """The words of a non-breaking prefix file; True for those marked as keeping their dot before a number only."""
    lines = [line.strip() for line in text.splitlines()]
    words = [line.partition("#NUMERIC_ONLY#") for line in lines if line and not line.startswith("#")]
    return {word.strip(): bool(mark) for word, mark, _ in words}
