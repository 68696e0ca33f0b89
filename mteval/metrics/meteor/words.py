"""METEOR's words: normalization, stems, synonyms, and the properties of each distinct word.

The tokenizer descends from that of the Europarl corpus. Its letters are those of the Latin and Cyrillic blocks. Its
digits and white space are ASCII, and so is the lower-case letter that shows that a sentence goes on after a dot. Its
rules were inferred from METEOR's output. WordNet's synonym sets are read as METEOR reads them: raw offsets, not
separated by part of speech.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from pathlib import Path
from threading import Lock

import numpy as np

from mteval.base.errors import InputError, MissingDependencyError, shortened
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


_COMMAS = _rules(
    ("([^0-9]),([^0-9])", r"\1 , \2"),
    ("([0-9]),([^0-9])", r"\1 , \2"),
    ("([^0-9]),([0-9])", r"\1 , \2"),
)
# Where two commas are at most one character apart, the rules overlap, and leave some commas as they are. Elsewhere they
# amount to one rule, which is faster: a space on both sides of each comma that is not between two digits.
_CLOSE_COMMAS = re.compile(",.?,", re.DOTALL)
_COMMAS_APART = _rules((",(?:(?<![0-9],)|(?![0-9]))", " , "))
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
    """Split a line at space, tab, line feed, form feed and carriage return."""
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
        if self.level != "none":
            text = text.lower()
        return _split(text)

    def _tokenized(self, text: str) -> str:
        """Return a line with a space on both sides of each word and mark."""
        text = f" {text} "
        if not text.isascii():
            text = _WIDE_SPACE.sub(" ", text).translate(_QUOTES)
        text = _SPECIAL.sub(r" \1 ", text)
        if ".." in text:
            text = _DOTS.sub(r" \g<0> ", text)
        if "," in text:
            commas = _COMMAS_APART
            if _CLOSE_COMMAS.search(text):
                commas = _COMMAS
            text = _replaced(commas, text)
        if "-" in text:
            text = _HYPHEN.sub(r"\1 \2", text.replace("--", "-"))
        # Two apostrophes are a quotation mark
        text = text.replace("`", "'").replace("''", ' " ')
        if "'" in text:
            text = _replaced(_APOSTROPHES.get(self.language, _OTHER_APOSTROPHES), text)
        if "." not in text:
            return text
        # Whether a word keeps its final dot depends on the word after it
        words = _split(text)
        for index, word in enumerate(words):
            if word[-1] == ".":
                following = ""
                if index + 1 < len(words):
                    following = words[index + 1]
                words[index] = self._with_dot_split(word, following)
        return " ".join(words)

    def _with_dot_split(self, word: str, following: str) -> str:
        """Split off the final dot, unless the word is an abbreviation or the sentence goes on in lower case.

        Acronyms lose all dots. Some abbreviations keep theirs before a number only.
        """
        body = word[:-1]
        if "." in body and _HAS_LETTER.search(body):
            return word.replace(".", "")
        if not body.strip("."):  # only dots
            return word
        only_before_number = self.prefixes.get(body)  # None if the word is no abbreviation
        if only_before_number is False:
            return word
        first = following[:1]
        if "a" <= first <= "z":  # the sentence goes on; an empty text is before "a"
            return word
        if only_before_number and "0" <= first <= "9":
            return word
        return f"{body} ."


def read_prefixes(text: str) -> dict[str, bool]:
    """Return the words of a non-breaking prefix file; True for those that keep their dot only before a number."""
    only_before_number = {}
    for line in text.splitlines():
        line = line.strip()
        if line and not line.startswith("#"):
            word, mark, _ = line.partition("#NUMERIC_ONLY#")
            only_before_number[word.strip()] = bool(mark)
    return only_before_number


def stemmer_of(language: str) -> Callable[[str], str]:
    """Return the function from a word to its stem.

    Release 2 of ``snowballstemmer`` gives METEOR 1.5's stems for all English words and for es, it, nl, se, no, ru, ro,
    tr. For fr, de, pt, da, hu, fi its rules are newer, so some stems differ. Release 3 differs for English. Each
    language's module is imported directly: the package's entry point would prefer ``PyStemmer`` of any release.
    PyStemmer's release 2.2 has the same rules in C and is fifty times as fast. It is used where it is installed, except
    for Dutch: there it stems words with letters of another alphabet differently.

    Raises
    ------
    MissingDependencyError
        If the package is missing or of another release.
    """
    installed = ""
    with suppress(PackageNotFoundError):
        installed = version("snowballstemmer")
    if not installed.startswith("2."):
        problem = "METEOR's stem module needs snowballstemmer 2"
        if installed:
            problem = f"{problem}; found {installed}, which stems differently"
        raise MissingDependencyError(f"{problem}. {how_to_install('meteor')}")
    name = LANGUAGES[language]
    module = import_module(f"snowballstemmer.{name}_stemmer")
    stemmer = getattr(module, f"{name.capitalize()}Stemmer")()
    stem: Callable[[str], str] = stemmer.stemWord
    with suppress(PackageNotFoundError):
        if name != "dutch" and version("PyStemmer").startswith("2.2."):
            compiled = import_module("Stemmer").Stemmer(name, 0).stemWord

            def compiled_stem(word: str) -> str:
                if word.isprintable():
                    return str(compiled(word))
                return stem(word)  # PyStemmer raises an error for half a surrogate pair

            return compiled_stem
    return stem


# WordNet's detachment rules for nouns, verbs and adjectives, whatever the part of speech; the first hit wins. A rule of
# two parts of speech is tried once.
_SUFFIXES = (
    ("s", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
    ("es", "e"),
    ("es", ""),
    ("ed", "e"),
    ("ed", ""),
    ("ing", "e"),
    ("ing", ""),
    ("er", ""),
    ("est", ""),
    ("er", "e"),
    ("est", "e"),
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
        synset_lines = synsets.split("\n")
        sets_of_word = dict(zip(synset_lines[::2], synset_lines[1::2], strict=False))
        exception_lines = exceptions.split("\n")
        bases_of_form: dict[str, list[str]] = {}
        for base, forms in zip(exception_lines[::2], exception_lines[1::2], strict=False):
            for form in forms.split():
                bases_of_form.setdefault(form, []).append(base)
        return cls(sets_of_word, bases_of_form)

    def sets_of(self, word: str) -> frozenset[int]:
        """Return the numbers of the sets of a word and of its base forms."""
        sets: set[int] = set()
        for form in (word, *self._bases(word)):
            numbers = self.synsets.get(form, "").split()
            sets.update(int(number) for number in numbers)
        return frozenset(sets)

    def _bases(self, word: str) -> Sequence[str]:
        """Return the base forms of a word: those of an irregular form, or what a detachment rule leaves."""
        if word in self.exceptions:
            return self.exceptions[word]
        if len(word) <= 2 or word.endswith("ss"):
            return ()
        for suffix, ending in _SUFFIXES:
            if word.endswith(suffix):
                base = word.removesuffix(suffix) + ending
                if base in self.synsets:
                    return (base,)
        return ()


@lru_cache(maxsize=1)
def english_synonyms() -> Synonyms:
    """Return METEOR's synonyms."""
    return Synonyms.of(
        synsets=read_packaged("synonym/english.synsets"),
        exceptions=read_packaged("synonym/english.exceptions"),
    )


def synonyms_of_files(synsets: Path, exceptions: Path) -> Synonyms:
    """Return a user's synonyms.

    Raises
    ------
    InputError
        If a file cannot be read, or a word has no numbers of sets.
    """
    texts = []
    for file in (synsets, exceptions):
        try:
            texts.append(file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"METEOR cannot read this file: {reason}.", str(file)) from error
    for number, line in enumerate(texts[0].split("\n")[1::2], start=1):
        if not all(part.isdecimal() for part in line.split()):
            message = f"The line is {shortened(line)!r}. Expected the numbers of the synonym sets of the word above."
            raise InputError(message, str(synsets), 2 * number)
    return Synonyms.of(*texts)


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
    # At most one table: the class is frozen, but the content of its list may be replaced
    _tables: list[Words] = field(default_factory=list, compare=False, repr=False)

    def sequences(self, texts: Sequence[Sequence[str]]) -> tuple[Sequences, Words]:
        """Return the numbers of the words of some texts, and the properties of all known words by number.

        Raises
        ------
        MissingDependencyError
            If stems match and their package is missing.
        """
        distinct: set[str] = set().union(*texts)
        if not self._tables or not self._numbers.keys() >= distinct:
            with _learning:  # another thread may have learned some of them meanwhile
                self._learn(sorted(distinct - self._numbers.keys()))
        starts = starts_of(map(len, texts))
        numbers = map(self._numbers.__getitem__, chain.from_iterable(texts))
        items = np.fromiter(numbers, dtype=np.int32, count=int(starts[-1]))
        return Sequences(items, starts), self._tables[0]

    def _learn(self, new: Sequence[str]) -> None:
        """Look up new words. A stemmer serves one thread only, so each call makes its own."""
        stem: Callable[[str], str] = str  # without stems, each word is its own
        if self.stem_language is not None:
            stem = stemmer_of(self.stem_language)
        synsets: list[list[int]] = [[] for _ in new]
        if self.synonyms:
            synsets = [sorted(self.synonyms.sets_of(word)) for word in new]
        units = [1] * len(new)
        if self.counts_characters:
            units = [len(word.encode("utf-16-le", "surrogatepass")) // 2 for word in new]
        # For each word, the bits of its sets' numbers modulo 64. Words without a common bit share no set, so that most
        # pairs of words need no search.
        bits = []
        for numbers in synsets:
            bits_of_word = 0
            for number in numbers:
                bits_of_word |= 1 << number % 64
            bits.append(bits_of_word)
        # One row per word, except that ``synsets`` has the numbers of all words one after another
        table = Words(
            codes=np.array([java_hash(word) for word in new], dtype=np.int32),
            stem_codes=np.array([java_hash(stem(word)) for word in new], dtype=np.int32),
            synsets=np.array(list(chain.from_iterable(synsets)), dtype=np.int32),
            synset_starts=starts_of(map(len, synsets)),
            synset_bits=np.array(bits, dtype=np.uint64),
            is_function_word=np.array([word.lower() in self.function_words for word in new], dtype=np.bool_),
            units=np.array(units, dtype=np.int64),
            phrase_words=np.array([self.phrase_words.get(word, -1) for word in new], dtype=np.int32),
        )
        if self._tables:
            (known,) = self._tables
            columns = {name: np.concatenate([getattr(known, name), getattr(table, name)]) for name in Words._fields}
            # Sets of the new words start behind those of the known ones
            new_starts = known.synset_starts[-1] + table.synset_starts[1:]
            columns["synset_starts"] = np.concatenate([known.synset_starts, new_starts])
            table = Words(**columns)
        self._tables[:] = [table]  # first, since other threads look up the rows of all numbers that they find
        first_number = len(self._numbers)
        self._numbers.update({word: number for number, word in enumerate(new, start=first_number)})


def java_hash(word: str) -> int:
    """Return Java's 32-bit hash code of a string, -2**31 to 2**31 - 1."""
    # s[0] * 31**(n - 1) + … + s[n - 1] over UTF-16 units, modulo 2**32 (java.lang.String.hashCode)
    code = 0
    for unit in memoryview(word.encode("utf-16-le", "surrogatepass")).cast("H"):
        code = (31 * code + unit) & 0xFFFFFFFF
    # From unsigned to signed
    return code - (code >> 31 << 32)
