"""Error categories and their weights: MQM as WMT uses it, editable for each campaign.

Annotators mark words, in any script: every character except space belongs to one.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from mteval.base.bounded_input import Finite, Name
from mteval.base.errors import SettingsError
from mteval.base.words import counted
from mteval.values.judgements import wmt_weight

Severity = Literal["neutral", "minor", "major", "critical"]
SEVERITIES: tuple[Severity, ...] = ("neutral", "minor", "major", "critical")
OMISSION = "Accuracy/Omission"


@dataclass(frozen=True)
class Category:
    """An error category with the weight of each severity. A neutral error weighs nothing.

    Parameters
    ----------
    name
        E.g. ``Accuracy/Mistranslation``; the part before the slash is the group.
    """

    name: Name
    minor: Finite = 1.0
    major: Finite = 5.0
    critical: Finite = 25.0

    def weight(self, severity: str) -> float:
        """Return the weight of an error."""
        weights = {"minor": self.minor, "major": self.major, "critical": self.critical}
        return weights.get(severity, 0.0)


@dataclass(frozen=True)
class Typology:
    """The categories that annotators choose from.

    Raises
    ------
    SettingsError
        If there is none, a name is empty or appears twice, or a weight is not a number from 0.
    """

    categories: tuple[Category, ...]

    def __post_init__(self) -> None:
        names = [category.name for category in self.categories]
        if not names or not all(name.strip() for name in names):
            raise SettingsError("The typology needs at least one category, each with a name.")
        for name, n_times in Counter(names).items():
            if n_times > 1:
                raise SettingsError(f"Category '{name}' appears {counted(n_times, 'time')}. Keep one.")
        for category in self.categories:
            weights = (category.minor, category.major, category.critical)
            if not all(0 <= weight < float("inf") for weight in weights):
                raise SettingsError(f"Category '{category.name}' has an invalid weight. Use numbers from 0.")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the categories, in order."""
        return tuple(category.name for category in self.categories)

    def weight(self, category: str, severity: str) -> float:
        """Return the weight of an error. Unknown categories, e.g. in WMT's files, have WMT's weights."""
        for known in self.categories:
            if known.name == category:
                return known.weight(severity)
        return wmt_weight(category, severity)

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the categories for JSON."""
        return [vars(category) for category in self.categories]

    @classmethod
    def from_rows(cls, rows: Iterable[dict[str, Any]]) -> "Typology":
        """Restore the typology from ``to_rows``.

        Raises
        ------
        SettingsError
            If the rows are not valid categories.
        """
        try:
            return cls(tuple(Category(**row) for row in rows))
        except TypeError as error:
            raise SettingsError("The typology is not a list of categories with weights. Export it again.") from error


def weighed_as_wmt(name: str) -> Category:
    """Return a category with WMT's weights. The weight of critical errors is MQM's, 25."""
    return Category(
        name,
        minor=wmt_weight(name, "minor"),
        major=wmt_weight(name, "major"),
        critical=wmt_weight(name, "critical"),
    )


# WMT's categories (Freitag et al. 2021, table 4): each group with the categories in it
_GROUPS = {
    "Accuracy": ("Addition", "Omission", "Mistranslation", "Untranslated text"),
    "Fluency": ("Character encoding", "Grammar", "Inconsistency", "Punctuation", "Register", "Spelling"),
    "Locale convention": (
        "Address format",
        "Currency format",
        "Date format",
        "Name format",
        "Telephone format",
        "Time format",
    ),
    "Style": ("Awkward",),
    "Terminology": ("Inappropriate for context", "Inconsistent use"),
}
_UNGROUPED = ("Non-translation!", "Source error", "Other")


def _default_typology() -> Typology:
    """Return WMT's categories and weights."""
    categories = []
    for group, kinds in _GROUPS.items():
        categories += [weighed_as_wmt(f"{group}/{kind}") for kind in kinds]
    categories += [weighed_as_wmt(name) for name in _UNGROUPED]
    return Typology(tuple(categories))


DEFAULT_TYPOLOGY = _default_typology()
# The most frequent in WMT's ratings of 2023, Chinese to English
MQM_TOP = (
    "Accuracy/Mistranslation",
    "Style/Awkward",
    "Fluency/Grammar",
    "Fluency/Punctuation",
    "Fluency/Spelling",
    "Accuracy/Omission",
    "Terminology/Inappropriate for context",
    "Accuracy/Addition",
)
ESA_SEVERITIES: tuple[Severity, ...] = ("minor", "major")  # ESA has no categories


# Scripts without spaces between words: characters are marked one by one.
UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x9FFF),  # ideographs, kana
    (0xAC00, 0xD7A3),  # Hangul has spaces, but particles join its words
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
JOINING = "'’-_\u200c\u200d"  # within words


def word_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Return start and end of every word, punctuation mark and symbol, in order and without overlap."""
    spans: list[tuple[int, int]] = []
    previous = ""
    for index, character in enumerate(text):
        kind = _kind(character, previous)
        joins_previous = kind == "mark" and bool(spans) and spans[-1][1] == index
        continues_word = kind == "word" and previous == "word"
        if joins_previous or continues_word:
            start, _ = spans[-1]
            spans[-1] = (start, index + 1)
        elif kind != "space":
            spans.append((index, index + 1))
        if kind != "mark":
            previous = kind
        elif not joins_previous:  # a mark that joins nothing stands alone
            previous = "single"
    return tuple(spans)


def _kind(character: str, previous: str) -> str:
    """Return ``word`` (joins words), ``mark`` (joins anything), ``single`` or ``space``."""
    if character.isspace():
        return "space"
    category = unicodedata.category(character)
    if category.startswith("M"):
        return "mark"
    if character in JOINING and previous == "word" and category != "Cf":
        return "mark"
    if any(low <= ord(character) <= high for low, high in UNSPACED):
        return "single"
    if category[0] in "LN" or category == "Cf":
        return "word"
    return "single"
