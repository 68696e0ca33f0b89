"""Where a metric says that errors stand in an output, and how severe it takes them for.

What people, or models in their place, said of single outputs; what an error weighs in MQM (Freitag et al. 2021).
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from msgspec import Struct

from mteval.base.bounded_input import Finite, Name, Place
from mteval.base.characters import characters, starts
from mteval.base.errors import InputError

SEVERITIES = ("minor", "major", "critical")  # those that models have been trained on, the least first


@dataclass(frozen=True)
class ErrorSpan:
    """One error in a hypothesis.

    Parameters
    ----------
    start, end
        Its characters in the hypothesis, counted from 0, the last not included.
    severity
        As whatever marked it calls it, in lower case: one of ``SEVERITIES``, or another word.
    category
        What kind of error it is; empty where nothing is said of it.
    confidence
        How sure the model is of it, 0 to 1; None where it does not say.
    """

    start: int
    end: int
    severity: str
    category: str = ""
    confidence: float | None = None


Spans = tuple[ErrorSpan, ...]  # of one output of one segment; they may overlap


def within(spans: Spans, text: str) -> Spans:
    """The spans cut to the text, without space at their ends; what marks nothing but space is left out."""
    return tuple(_cut(spans, text))


def _cut(spans: Spans, text: str) -> Iterator[ErrorSpan]:
    for span in spans:
        start, end = max(0, span.start), min(len(text), span.end)
        piece = text[start:end]
        start += len(piece) - len(piece.lstrip())
        end -= len(piece) - len(piece.rstrip())
        if start < end:
            yield ErrorSpan(start, end, span.severity, span.category, span.confidence)


def spans_in_json(spans: Spans) -> list[dict[str, Any]]:
    """A list of objects, as COMET's package has them; what is not said of an error is left out."""
    return [{name: value for name, value in asdict(span).items() if value not in ("", None)} for span in spans]


class SpanForm(Struct):
    """One of these objects; further keys of it, such as the text that is marked, are not needed."""

    start: Place
    end: Place
    severity: Name
    category: Name | None = None
    confidence: Finite | None = None


def spans_of(forms: Iterable[SpanForm], file: str | None, key: str) -> Spans:
    """The spans of a list of objects, which stands at a key of a file.

    Raises
    ------
    InputError
        Where a span ends before it begins.
    """
    return tuple(_span(form, file, f"{key}[{number}].end") for number, form in enumerate(forms, start=1))


def _span(form: SpanForm, file: str | None, key: str) -> ErrorSpan:
    if form.end < form.start:
        raise InputError(
            f"'{key}' is {form.end}; expected a whole number from {form.start}, where the span starts.", file
        )
    return ErrorSpan(form.start, form.end, form.severity.strip().lower(), form.category or "", form.confidence)


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


NO_ERROR = "no-error"
WEIGHTLESS = frozenset({NO_ERROR, "source error", "source issue", "creative reinterpretation"})
PUNCTUATION = "fluency/punctuation"
NON_TRANSLATION = "non-translation!"
WEIGHTS = {"critical": 25.0, "major": 5.0, "minor": 1.0, "neutral": 0.0, NO_ERROR: 0.0}
_MAJOR_NON_TRANSLATION, _MINOR_PUNCTUATION = 25.0, 0.1
_KINDS = {  # the names that WMT's campaigns have used since 2020
    "accuracy": (
        "addition", "omission", "mistranslation", "untranslated text", "source language fragment",
        "creative reinterpretation", "gender mismatch",
    ),
    "fluency": ("character encoding", "grammar", "inconsistency", "punctuation", "register", "spelling"),
    "locale convention": tuple(
        f"{what} format" for what in ("address", "currency", "date", "name", "telephone", "time")
    ),
    "style": ("awkward", "unnatural or awkward", "bad sentence structure", "archaic or obscure word choice"),
    "terminology": ("inappropriate for context", "inconsistent", "inconsistent use"),
}  # fmt: skip
KNOWN = frozenset(f"{part}/{kind}" for part, kinds in _KINDS.items() for kind in kinds) | {
    NON_TRANSLATION, "source error", "source issue", "other", NO_ERROR,
}  # fmt: skip


def wmt_weight(category: str, severity: str) -> float:
    """What an error weighs, whatever the case of its names; one of an unknown severity weighs nothing, as in WMT.

    Errors of the source, and a translator's licence, weigh nothing however severe they are.
    """
    kind, degree = category.strip().lower(), severity.strip().lower()
    if kind in WEIGHTLESS or kind.rpartition("/")[2] in WEIGHTLESS:
        return 0.0
    if degree == "major" and kind == NON_TRANSLATION:
        return _MAJOR_NON_TRANSLATION
    if degree == "minor" and kind == PUNCTUATION:
        return _MINOR_PUNCTUATION
    return WEIGHTS.get(degree, 0.0)


def weight_of(error: RatedError) -> float:
    """The score that the error's file gives it, else WMT's weight."""
    return wmt_weight(error.category, error.severity) if error.score is None else error.score


def unknown_names(errors: Iterable[RatedError]) -> Counter[tuple[str, str]]:
    """How often each category and severity stands that WMT has not, among errors without a score of their own.

    Somebody who knows the campaign has to say what these weigh; until then they have the weight of their severity.
    """
    return Counter(
        (error.category, error.severity)
        for error in errors
        if error.score is None
        and not (error.category.strip().lower() in KNOWN and error.severity.strip().lower() in WEIGHTS)
    )
