"""Where a metric says that errors stand in an output, and how severe it takes them for."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from mteval.base.bounded_input import Table

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


def spans_from_json(entry: Table, name: str) -> Spans:
    """The spans in a list of objects; further keys of these, such as the text that is marked, are not needed.

    Raises
    ------
    InputError
        Where it is no such list, or a span ends before it begins.
    """
    return tuple(map(_span, entry.tables(name)))


def _span(entry: Table) -> ErrorSpan:
    start, end = entry.place("start"), entry.place("end")
    if end < start:
        entry.refuse("end", str(end), f"a whole number from {start}, where the span starts")
    confidence = entry.number("confidence") if entry.is_given("confidence") else None
    category = entry.name("category") if entry.is_given("category") else ""
    return ErrorSpan(start, end, entry.name("severity").strip().lower(), category, confidence)
