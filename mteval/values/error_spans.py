"""Where a metric says that errors stand in an output, and how severe it takes them for."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from msgspec import Struct

from mteval.base.bounded_input import Finite, Name, Place
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
