"""Error spans marked by metrics, judgements by people (or models), and MQM weights (Freitag et al. 2021)."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from msgspec import Struct

from mteval.base.bounded_input import Finite, Name, Place
from mteval.base.errors import InputError
from mteval.base.words import characters, compose_names, starts

SEVERITIES = ("minor", "major", "critical")  # used by models, mildest first
CAMPAIGN_FORMATS = "mteval-annotations-"  # followed by a version, the format of a campaign file


def is_campaign(content: bytes) -> bool:
    """Return whether a file begins as an annotation campaign that mteval wrote, of whichever version."""
    return re.match(rb'\s*\{\s*"format":\s*"' + CAMPAIGN_FORMATS.encode(), content) is not None


@dataclass(frozen=True)
class ErrorSpan:
    """One error in a hypothesis.

    Parameters
    ----------
    start, end
        Characters in the hypothesis, from 0, end exclusive.
    severity
        In lower case: one of ``SEVERITIES``, or another word.
    category
        Error category; empty if unknown.
    confidence
        Confidence of the model, 0 to 1; None if unknown.
    """

    start: int
    end: int
    severity: str
    category: str = ""
    confidence: float | None = None


Spans = tuple[ErrorSpan, ...]  # of one output of one segment; they may overlap


def within(spans: Spans, text: str) -> Spans:
    """Limit spans to the text, and strip whitespace from their ends."""
    limited = []
    for span in spans:
        start = max(0, span.start)
        end = min(len(text), span.end)
        piece = text[start:end]
        if not piece.isspace():  # marked whitespace stays: a word is missing there
            start += len(piece) - len(piece.lstrip())
            end -= len(piece) - len(piece.rstrip())
        if start < end:
            limited.append(replace(span, start=start, end=end))
    return tuple(limited)


def spans_in_json(spans: Spans) -> list[dict[str, Any]]:
    """Return a list of objects as in COMET's package, without unknown values."""
    objects = []
    for span in spans:
        objects.append({name: value for name, value in asdict(span).items() if value not in ("", None)})
    return objects


class SpanForm(Struct):
    """A span as an object of a file (as of ``spans_in_json``); other keys, e.g. the marked text, are ignored."""

    start: Place
    end: Place
    severity: Name
    category: Name | None = None
    confidence: Finite | None = None


def spans_of(forms: Sequence[SpanForm], file: str | None, key: str) -> Spans:
    """Return the spans of a list of objects at a key of a file.

    Raises
    ------
    InputError
        If a span ends before it starts.
    """
    spans = []
    for number, form in enumerate(forms, start=1):
        if form.end < form.start:
            expected = f"expected a whole number from {form.start}, where the span starts"
            raise InputError(f"'{key}[{number}].end' is {form.end}; {expected}.", file)
        severity = form.severity.strip().lower()
        spans.append(ErrorSpan(form.start, form.end, severity, form.category or "", form.confidence))
    return tuple(spans)


Side = Literal["hypothesis", "source"]
MQM = "mqm"  # scale: minus the weights of marked errors
HUMAN = "human"  # scale of WMT25's scores, published without annotators
OMISSION = "omission"  # default category of an error without a position


@dataclass(frozen=True)
class RatedError:
    """An error marked by an annotator.

    Parameters
    ----------
    side, start, end
        Text and character range of the error; both 0 for an error without a position.
    score
        Weight given in the file; None if there is none.
    origin
        Metric that found it; empty if the annotator did.
    in_units
        Whether positions are UTF-16 units, from a file without the text.
    comment
        What the annotator says about it.
    """

    category: str
    severity: str
    side: Side = "hypothesis"
    start: int = 0
    end: int = 0
    score: float | None = None
    origin: str = ""
    in_units: bool = False
    comment: str = ""


@dataclass(frozen=True)
class Judgement:
    """Judgement of one output by one annotator on one scale.

    Parameters
    ----------
    segment
        One-based number of the segment in its test set, or its name if the file has names.
    scale
        ``adequacy``, ``fluency``, ``score``, ``mqm`` or another scale.
    value
        Higher is better.
    document
        Document ID of the segment; None if unknown.
    order
        Position in the annotator's sequence; None if unknown.
    errors
        Marked errors.
    hypothesis
        Judged text, if the file has it.
    run
        The system's run; empty if unknown.
    probability
        Of the segment to be drawn for judgement; None if all segments had the same.
    is_automatic
        Whether no annotator gave it: a tie between outputs with the same text, or the judgement of another output with
        this text.
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
    run: str = ""
    probability: float | None = None
    is_automatic: bool = False

    def __post_init__(self) -> None:
        compose_names(self, "system", "run")


def in_characters(errors: tuple[RatedError, ...], hypothesis: str) -> tuple[RatedError, ...]:
    """Convert positions of errors from UTF-16 units to characters where needed."""
    if not any(error.in_units for error in errors):
        return errors
    unit_starts = starts(hypothesis)
    converted = []
    for error in errors:
        if error.in_units:
            error = _in_characters(error, unit_starts)
        converted.append(error)
    return tuple(converted)


def _in_characters(error: RatedError, unit_starts: tuple[int, ...]) -> RatedError:
    """Convert the positions of one error; it loses them if there is no such character."""
    # ``characters`` expects the last unit; the error has the one after it
    start, end = characters(unit_starts, error.start, error.end - 1)
    if start >= end:
        return replace(error, start=0, end=0, in_units=False)
    return replace(error, start=start, end=end, in_units=False)


NO_ERROR = "no-error"
WEIGHTLESS = frozenset({NO_ERROR, "source error", "source issue", "creative reinterpretation"})
NON_TRANSLATION = "non-translation!"
WEIGHTS = {"critical": 25.0, "major": 5.0, "minor": 1.0, "neutral": 0.0, NO_ERROR: 0.0}
_WEIGHT_OF_MAJOR_NON_TRANSLATION = 25.0
_WEIGHT_OF_MINOR_PUNCTUATION = 0.1
# Names used in WMT campaigns since 2020
KNOWN = frozenset(
    (
        "accuracy/addition",
        "accuracy/omission",
        "accuracy/mistranslation",
        "accuracy/untranslated text",
        "accuracy/source language fragment",
        "accuracy/creative reinterpretation",
        "accuracy/gender mismatch",
        "fluency/character encoding",
        "fluency/grammar",
        "fluency/inconsistency",
        "fluency/punctuation",
        "fluency/register",
        "fluency/spelling",
        "locale convention/address format",
        "locale convention/currency format",
        "locale convention/date format",
        "locale convention/name format",
        "locale convention/telephone format",
        "locale convention/time format",
        "style/awkward",
        "style/unnatural or awkward",
        "style/bad sentence structure",
        "style/archaic or obscure word choice",
        "terminology/inappropriate for context",
        "terminology/inconsistent",
        "terminology/inconsistent use",
        "source error",
        "source issue",
        "other",
        NON_TRANSLATION,
        NO_ERROR,
    )
)


def wmt_weight(category: str, severity: str) -> float:
    """Return the WMT weight of an error, ignoring case; an unknown severity has weight 0, as in WMT.

    Source errors and creative reinterpretation have weight 0 at any severity.
    """
    kind = category.strip().lower()
    degree = severity.strip().lower()
    if kind in WEIGHTLESS or kind.rpartition("/")[2] in WEIGHTLESS:
        return 0.0
    if degree == "major" and kind == NON_TRANSLATION:
        return _WEIGHT_OF_MAJOR_NON_TRANSLATION
    if degree == "minor" and kind == "fluency/punctuation":
        return _WEIGHT_OF_MINOR_PUNCTUATION
    return WEIGHTS.get(degree, 0.0)


def weight_of(error: RatedError) -> float:
    """Return the weight given in the file, else WMT's weight."""
    if error.score is None:
        return wmt_weight(error.category, error.severity)
    return error.score


def unknown_names(errors: Iterable[RatedError]) -> Counter[tuple[str, str]]:
    """Count categories and severities unknown to WMT, among errors without their own weight.

    These have the weight of their severity until the user sets one.
    """
    counts = Counter[tuple[str, str]]()
    for error in errors:
        is_known = error.category.strip().lower() in KNOWN and error.severity.strip().lower() in WEIGHTS
        if error.score is None and not is_known:
            counts[error.category, error.severity] += 1
    return counts
