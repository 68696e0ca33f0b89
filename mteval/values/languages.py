"""Declared language pairs, e.g. ``en-liv``, and pretraining languages of learned metrics."""

import re
from dataclasses import dataclass
from typing import Literal

from mteval.base.errors import SettingsError

Training = Literal["xlm-r", "multilingual bert", "multilingual bert uncased", "english"]
PAIR = re.compile(r"([a-z]{2,3})(?:_[a-z]{2,4})?-([a-z]{2,3})(?:_[a-z]{2,4})?", re.IGNORECASE)


@dataclass(frozen=True)
class LearnedMetric:
    """A learned metric whose pretraining languages are known.

    Parameters
    ----------
    name
        Name on screen.
    training
        Model with those pretraining languages, or English only.
    reads_source
        Whether it also reads source sentences.
    """

    name: str
    training: Training
    reads_source: bool


def language_pair(text: str) -> str:
    """Normalise a pair: codes in lower case, regions unchanged, e.g. ``en-zh_CN``.

    Parameters
    ----------
    text
        Two ISO 639 codes joined by a hyphen, source first; each may have a region.

    Raises
    ------
    SettingsError
        If it is not such a pair.
    """
    pair = text.strip()
    if PAIR.fullmatch(pair) is None:
        expected = "the codes of both, source first, joined by a hyphen, e.g. en-de"
        raise SettingsError(f"The languages are '{text}'; expected {expected}.")
    normalised = []
    for part in pair.split("-"):
        code, separator, region = part.partition("_")
        normalised.append(code.lower() + separator + region)
    return "-".join(normalised)


def codes_of(pair: str) -> tuple[str, ...]:
    """Return the codes of a pair without regions, source first; none if no pair is declared."""
    return tuple(part.partition("_")[0] for part in pair.split("-") if part)
