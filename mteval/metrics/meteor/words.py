"""METEOR's words: normalization, stems, synonyms, and the properties of each distinct word.

The tokenizer descends from the Europarl corpus's. Its letters are those of the Latin and Cyrillic blocks; its digits,
white space and lower case are ASCII. Its rules were inferred from METEOR's output. WordNet's synonym sets are read as
METEOR reads them: raw offsets, not separated by part of speech.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from itertools import chain, count
from threading import Lock

import numpy as np

from mteval.base.errors import MissingDependencyError
from mteval.base.installing import how_to_install
from mteval.metrics.meteor.data import LANGUAGES, Level, read_packaged
from mteval.metrics.meteor.matches_kernels import Words
from mteval.metrics.text.ngrams import Sequences, starts_of

_LETTER = "A-Za-zÀ-ÖØ-öø-žЀ-ԧᴀ-ᵿꙀ-ꙮ꙾-ꚗ"
_WIDE_SPACE = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": " - "})
_SPECIAL = re.compile(rf"([^{_LETTER}0-9 \t\n\v\f\r.'`,-])")
_DOTS = re.compile(r"\.{2,}")


def _rules(*pairs: tuple[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Compile patterns, with their replacements."""
    return tuple((re.compile(pattern), replacement) for pattern, replacement in pairs)


def _replaced(rules: Iterable[tuple[re.Pattern[str], str]], text: str) -> str:
    """Apply some rules one after the other."""
    for pattern, replacement in rules:
        text = pattern.sub(replacement, text)
    return text


_COMMAS = _rules(*((pattern, r"\1 , \2") for pattern in ("([^0-9]),([^0-9])", "([0-9]),([^0-9])", "([^0-9]),([0-9])")))
_CLOSE_COMMAS = re.compile(",.?,", re.DOTALL)  # the rules overlap there, and leave some of them
_APART = _rules((",(?:(?<![0-9],)|(?![0-9]))", " , "))  # the three rules at once
_HYPHEN = re.compile(rf"([{_LETTER}0-9.])-([{_LETTER}0-9])")
_HAS_LETTER = re.compile(f"[{_LETTER}]")
_PUNCTUATION = re.compile(f"[^{_LETTER}0-9 ]")

_APOSTROPHES = {
    "en": _rules(
        (f"([^{_LETTER}])'([^{_LETTER}])", r"\1 ' \2"),
        (f"([^{_LETTER}0-9])'([{_LETTER}])", r"\1 ' \2"),
        (f"([{_LETTER}])'([^{_LETTER}])", r"\1 ' \2"),
        (f"([{_LETTER}])'([{_LETTER}])", r"\1 '\2"),
        ("([0-9])'(s)", r"\1 '\2"),
    ),
    "fr": _rules(
        (f"([^{_LETTER}])'([^{_LETTER}])", r"\1 ' \2"),
        (f"([^{_LETTER}])'([{_LETTER}])", r"\1 ' \2"),
        (f"([{_LETTER}])'([^{_LETTER}])", r"\1 ' \2"),
        (f"([{_LETTER}])'([{_LETTER}])", r"\1' \2"),
    ),
}
_OTHER_APOSTROPHES = _rules(("'", " ' "))


def _split(text: str) -> list[str]:
    for mark in "\t\n\f\r":
        text = text.replace(mark, " ")
    return [word for word in text.split(" ") if word]


@dataclass(frozen=True)
class Normalizer:
    """Converts a line to METEOR's words.

    Parameters
    ----------
    level
        ``none``, ``lowercase``, ``tokenize`` (and lowercase), or ``no-punctuation`` (also without punctuation).
    language
        Language code; matters from ``tokenize`` on.
    prefixes
        Words that keep their final dot; True for those that keep it only before a number.
    """

    level: Level
    language: str = "en"
    prefixes: Mapping[str, bool] = field(default_factory=dict)

    def words(self, text: str) -> list[str]:
        """Return the words of a line, split at space, tab, line feed, form feed and carriage return only."""
        if self.level not in ("none", "lowercase"):
            text = self._tokenized(text)
        if self.level == "no-punctuation":
            text = _PUNCTUATION.sub(" ", text)
        return _split(text if self.level == "none" else text.lower())

    def _tokenized(self, text: str) -> str:
        text = f" {text} "
        if not text.isascii():
            text = _WIDE_SPACE.sub(" ", text).translate(_QUOTES)
        text = _SPECIAL.sub(r" \1 ", text)
        if ".." in text:
            text = _DOTS.sub(r" \g<0> ", text)
        if "," in text:
            text = _replaced(_COMMAS if _CLOSE_COMMAS.search(text) else _APART, text)
        if "-" in text:
            text = _HYPHEN.sub(r"\1 \2", text.replace("--", "-"))
        text = text.replace("`", "'").replace("''", ' " ')
        if "'" in text:
            text = _replaced(_APOSTROPHES.get(self.language, _OTHER_APOSTROPHES), text)
        if "." not in text:
            return text
        words = _split(text)
        for index, word in enumerate(words):
            if word[-1] == ".":
                words[index] = self._without_final_dot(word, words[index + 1] if index + 1 < len(words) else "")
        return " ".join(words)

    def _without_final_dot(self, word: str, following: str) -> str:
        """Split off the final dot unless the word is an abbreviation; acronyms lose all dots."""
        stem = word[:-1]
        if "." in stem and _HAS_LETTER.search(stem):
            return word.replace(".", "")
        first = following[:1]
        before_number = self.prefixes.get(stem)  # True: keeps its dot only there
        is_kept = before_number is False or "a" <= first <= "z" or (before_number and "0" <= first <= "9")
        return word if is_kept or not stem.strip(".") else f"{stem} ."


def read_prefixes(text: str) -> dict[str, bool]:
    """Return the words of a non-breaking prefix file; True for those that keep their dot only before a number."""
    lines = [line.strip() for line in text.splitlines()]
    words = [line.partition("#NUMERIC_ONLY#") for line in lines if line and not line.startswith("#")]
    return {word.strip(): bool(mark) for word, mark, _ in words}


def stemmer_of(language: str) -> Callable[[str], str]:
    """Return the function from a word to its stem.

    Release 2 of ``snowballstemmer`` gives METEOR 1.5's stems for all English words and for es, it, nl, se, no, ru, ro,
    tr. For fr, de, pt, da, hu, fi its rules are newer, so some stems differ. Release 3 differs for English. Each
    language's module is imported directly: the package's entry point would prefer ``PyStemmer`` of any release. Its
    release 2.2 has the same rules in C and is fifty times as fast. It is used where it is installed, except for Dutch:
    there it stems words with letters of another alphabet differently.

    Raises
    ------
    MissingDependencyError
        If the package is missing or of another release.
    """
    installed = ""
    with suppress(PackageNotFoundError):
        installed = version("snowballstemmer")
    if not installed.startswith("2."):
        found = f"; found {installed}, which stems differently" if installed else ""
        raise MissingDependencyError(f"METEOR's stem module needs snowballstemmer 2{found}. {how_to_install('meteor')}")
    name = LANGUAGES[language]
    module = import_module(f"snowballstemmer.{name}_stemmer")
    stem: Callable[[str], str] = getattr(module, f"{name.capitalize()}Stemmer")().stemWord
    with suppress(PackageNotFoundError):
        if name != "dutch" and version("PyStemmer").startswith("2.2."):
            compiled = import_module("Stemmer").Stemmer(name, 0).stemWord
            # PyStemmer raises an error for half a surrogate pair
            return lambda word: compiled(word) if word.isprintable() else stem(word)
    return stem


# WordNet's detachment rules for nouns, verbs and adjectives, whatever the part of speech; the first hit wins. A rule of
# two parts of speech is tried once.
_SUFFIXES = (
    *(("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man")),
    *(("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    *(("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
)


@dataclass(frozen=True)
class Synonyms:
    """Synonym sets of words.

    Parameters
    ----------
    synsets
        For each word, the numbers of its sets, separated by spaces.
    exceptions
        For each irregular form, its base forms.
    """

    synsets: Mapping[str, str]
    exceptions: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, synsets: str, exceptions: str) -> "Synonyms":
        """Read the two files; lines come in pairs: word and sets, base form and irregular forms."""
        lines = synsets.split("\n")
        irregular: dict[str, list[str]] = {}
        pairs = exceptions.split("\n")
        for base, forms in zip(pairs[::2], pairs[1::2], strict=False):
            for form in forms.split():
                irregular.setdefault(form, []).append(base)
        return cls(dict(zip(lines[::2], lines[1::2], strict=False)), irregular)

    def sets_of(self, word: str) -> frozenset[int]:
        """Return the numbers of the sets of a word and of its base forms."""
        numbers = (self.synsets.get(form, "").split() for form in (word, *self._bases(word)))
        return frozenset(int(number) for several in numbers for number in several)

    def _bases(self, word: str) -> Sequence[str]:
        if word in self.exceptions:
            return self.exceptions[word]
        if len(word) <= 2 or word.endswith("ss"):
            return ()
        for suffix, ending in _SUFFIXES:
            if word.endswith(suffix) and (base := word.removesuffix(suffix) + ending) in self.synsets:
                return (base,)
        return ()


@lru_cache(maxsize=1)
def english_synonyms() -> Synonyms:
    """Return METEOR's synonyms."""
    return Synonyms.of(*(read_packaged(f"synonym/english.{kind}") for kind in ("synsets", "exceptions")))


_learning = Lock()


@dataclass(frozen=True)
class Lexicon:
    """Numbers words, looks up their properties and keeps them; safe to share between threads.

    Parameters
    ----------
    function_words
        In lower case.
    stem_language
        Code of the language whose stems match, or None.
    synonyms
        None if synonyms do not match.
    phrase_words
        Numbers of words in the paraphrase index.
    counts_characters
        Whether lengths and matches count UTF-16 characters instead of words.
    """

    function_words: frozenset[str]
    stem_language: str | None = None
    synonyms: Synonyms | None = None
    phrase_words: Mapping[str, int] = field(default_factory=dict)
    counts_characters: bool = False
    _numbers: dict[str, int] = field(default_factory=dict, compare=False, repr=False)
    _tables: list[Words] = field(default_factory=list, compare=False, repr=False)  # one at most

    def sequences(self, texts: Sequence[Sequence[str]]) -> tuple[Sequences, Words]:
        """Return the numbers of the words of some texts, and the properties of all known words by number.

        Raises
        ------
        MissingDependencyError
            If stems match and their package is missing.
        """
        if not self._tables or not self._numbers.keys() >= set().union(*texts):
            with _learning:
                self._learn(sorted(set().union(*texts) - self._numbers.keys()))
        number = map(self._numbers.__getitem__, chain.from_iterable(texts))
        starts = starts_of(map(len, texts))
        return Sequences(np.fromiter(number, dtype=np.int32, count=int(starts[-1])), starts), self._tables[0]

    def _learn(self, new: Sequence[str]) -> None:
        """Look up new words. A stemmer serves one thread only, so each call makes its own."""
        stem = str if self.stem_language is None else stemmer_of(self.stem_language)
        synsets = [sorted(self.synonyms.sets_of(word)) if self.synonyms else [] for word in new]
        units = [len(word.encode("utf-16-le", "surrogatepass")) // 2 if self.counts_characters else 1 for word in new]
        bits = [sum({1 << number % 64 for number in numbers}) for numbers in synsets]
        table = Words(
            codes=np.array([java_hash(word) for word in new], dtype=np.int32),
            stem_codes=np.array([java_hash(stem(word)) for word in new], dtype=np.int32),
            synsets=np.array([number for numbers in synsets for number in numbers], dtype=np.int32),
            synset_starts=starts_of(map(len, synsets)),
            synset_bits=np.array(bits, dtype=np.uint64),
            is_function_word=np.array([word.lower() in self.function_words for word in new], dtype=np.bool_),
            units=np.array(units, dtype=np.int64),
            phrase_words=np.array([self.phrase_words.get(word, -1) for word in new], dtype=np.int32),
        )
        if self._tables:
            (known,) = self._tables
            starts = np.concatenate([known.synset_starts, known.synset_starts[-1] + table.synset_starts[1:]])
            joined = {name: np.concatenate([getattr(known, name), getattr(table, name)]) for name in Words._fields}
            table = Words(**joined)._replace(synset_starts=starts)
        self._tables[:] = [table]  # first, so that every number has its row
        self._numbers.update(zip(new, count(len(self._numbers)), strict=False))


def java_hash(word: str) -> int:
    """Return Java's 32-bit hash code of a string, -2**31 to 2**31 - 1."""
    code = 0
    for unit in memoryview(word.encode("utf-16-le", "surrogatepass")).cast("H"):
        code = 31 * code + unit & 0xFFFFFFFF
    return code - (code >> 31 << 32)
