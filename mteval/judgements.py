"""What people, or models in their place, said of single outputs."""

from dataclasses import dataclass, replace
from typing import Literal

from mteval.utf16 import characters, starts

Side = Literal["hypothesis", "source"]
MQM = "mqm"  # the scale of minus the weights of marked errors
OMISSION = "omission"  # the kind of an error that has no place, where its file says no other


@dataclass(frozen=True)
class RatedError:
    """An error that an annotator marked.

    Parameters
    ----------
    side, start, end
        The text that it stands in, and its characters there; both 0 for an error without a place.
    score
        What the file itself says that it weighs; None where it does not.
    origin
        Metric that found it and that the annotator let stand; empty where the annotator found it.
    in_units
        The places are UTF-16 units, from a file without the text that could say which characters they are.
    """

    category: str
    severity: str
    side: Side = "hypothesis"
    start: int = 0
    end: int = 0
    score: float | None = None
    origin: str = ""
    in_units: bool = False


@dataclass(frozen=True)
class Judgement:
    """What one annotator said of one output on one scale.

    Parameters
    ----------
    segment
        Number of the segment in its test set, from 1, or its name where the file has names.
    scale
        ``adequacy``, ``fluency``, ``score``, ``mqm`` or whatever else was asked.
    value
        Better when higher.
    document
        Id of the document that the segment stands in; None where the file does not say.
    order
        Place in the sequence in which the annotator worked; None where the file does not say.
    errors
        The errors that were marked.
    hypothesis
        The text that was judged, where the file holds it.
    """

    annotator: str
    system: str
    segment: str
    scale: str
    value: float
    document: str | None = None
    order: float | None = None
    errors: tuple[RatedError, ...] = ()
    hypothesis: str | None = None


def in_characters(errors: tuple[RatedError, ...], hypothesis: str) -> tuple[RatedError, ...]:
    """The errors of an output with their places in its characters; those that have them already stay as they are."""
    if not any(error.in_units for error in errors):
        return errors
    counted = starts(hypothesis)
    return tuple(_located(error, counted) if error.in_units else error for error in errors)


def _located(error: RatedError, counted: tuple[int, ...]) -> RatedError:
    start, end = characters(counted, error.start, error.end - 1)
    return replace(error, start=start, end=end, in_units=False) if start < end else replace(error, start=0, end=0)
