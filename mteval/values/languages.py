"""From which language into which a test set is translated, as its user declares it: ``en-liv``; what encoders saw."""

import re
from dataclasses import dataclass
from typing import Literal

from mteval.base.errors import SettingsError

Training = Literal["xlm-r", "multilingual bert", "multilingual bert uncased", "english"]
PAIR = re.compile(r"([a-z]{2,3})(?:_[a-z]{2,4})?-([a-z]{2,3})(?:_[a-z]{2,4})?", re.IGNORECASE)


@dataclass(frozen=True)
class LearnedMetric:
    """A metric that a model computes of which it is known on what languages it was pretrained.

    Parameters
    ----------
    name
        On screen.
    training
        The model whose languages those are, or English alone.
    reads_source
        Whether it reads source sentences too, beside outputs and references.
    """

    name: str
    training: Training
    reads_source: bool


def language_pair(text: str) -> str:
    """The pair in the form in which it is kept: codes in lower case, ``en-zh_CN`` with the region as it was written.

    Parameters
    ----------
    text
        Two codes of ISO 639 with a hyphen between them, the source's first; each may have a region.

    Raises
    ------
    SettingsError
        Where it is nothing like that.
    """
    pair = text.strip()
    if PAIR.fullmatch(pair) is None:
        raise SettingsError(
            f"The language pair is '{text}'; expected two ISO 639 codes, source first, joined by a hyphen, e.g. en-de."
        )
    return "-".join(
        "_".join((code.lower(), *region)) for code, *region in (part.split("_") for part in pair.split("-"))
    )


def codes_of(pair: str) -> tuple[str, str]:
    """The codes of a declared pair without regions, the source's first."""
    source, target = (part.partition("_")[0] for part in pair.split("-"))
    return source, target
