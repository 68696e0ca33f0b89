"""Error categories and their weights: MQM as WMT uses it, editable for each campaign.

Annotators mark words, in any script: every character except space belongs to one.
"""

import unicodedata
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
        return {"minor": self.minor, "major": self.major, "critical": self.critical}.get(severity, 0.0)


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
        if twice := [name for name in names if names.count(name) > 1]:
            raise SettingsError(f"Category '{twice[0]}' appears {counted(names.count(twice[0]), 'time')}. Keep one.")
        for category in self.categories:
            if not all(0 <= weight < float("inf") for weight in (category.minor, category.major, category.critical)):
                raise SettingsError(f"Category '{category.name}' has an invalid weight. Use numbers from 0.")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the categories, in order."""
        return tuple(category.name for category in self.categories)

    def weight(self, category: str, severity: str) -> float:
        """Return the weight of an error. Unknown categories, e.g. in WMT's files, have WMT's weights."""
        known = next((one for one in self.categories if one.name == category), None)
        return wmt_weight(category, severity) if known is None else known.weight(severity)

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
    return Category(name, *(wmt_weight(name, severity) for severity in SEVERITIES[1:]))


_PARTS = {  # WMT's categories (Freitag et al. 2021, table 4)
    "Accuracy": ("Addition", "Omission", "Mistranslation", "Untranslated text"),
    "Fluency": ("Character encoding", "Grammar", "Inconsistency", "Punctuation", "Register", "Spelling"),
    "Locale convention": tuple(map("{} format".format, ("Address", "Currency", "Date", "Name", "Telephone", "Time"))),
    "Style": ("Awkward",),
    "Terminology": ("Inappropriate for context", "Inconsistent use"),
}
_NAMES = (*(f"{part}/{kind}" for part, kinds in _PARTS.items() for kind in kinds), "Non-translation!", "Source error")
DEFAULT_TYPOLOGY = Typology(tuple(map(weighed_as_wmt, (*_NAMES, "Other"))))
MQM_TOP = (  # the most frequent in WMT's ratings of 2023, Chinese to English
    "Accuracy/Mistranslation", "Style/Awkward", "Fluency/Grammar", "Fluency/Punctuation", "Fluency/Spelling",
    "Accuracy/Omission", "Terminology/Inappropriate for context", "Accuracy/Addition",
)  # fmt: skip
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
        if kind == "mark" and spans and spans[-1][1] == index:
            spans[-1] = (spans[-1][0], index + 1)
            continue
        if kind == "word" and previous == "word":
            spans[-1] = (spans[-1][0], index + 1)
        elif kind != "space":
            spans.append((index, index + 1))
        previous = "single" if kind == "mark" else kind
    return tuple(spans)


def _kind(character: str, previous: str) -> str:
    """Return ``word`` (joins words), ``mark`` (joins anything), ``single`` or ``space``."""
    if character.isspace():
        return "space"
    category = unicodedata.category(character)
    if category.startswith("M") or (character in JOINING and previous == "word" and category != "Cf"):
        return "mark"
    if any(low <= ord(character) <= high for low, high in UNSPACED):
        return "single"
    return "word" if category[0] in "LN" or category == "Cf" else "single"
