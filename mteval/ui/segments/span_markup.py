"""HTML of outputs with the errors that a metric marks: severity by colour and by the form of the line, and in words."""

from collections.abc import Iterator
from itertools import pairwise

from mteval.analysis.error_spans import severities
from mteval.counts import counted
from mteval.error_spans import SEVERITIES, ErrorSpan, Spans
from mteval.notation import fixed
from mteval.ui.parts.markup import Markup, escape, join, tag

OTHER = "other"  # look of severities that are not among the usual ones
MOST_TOLD = 12  # errors of one output in words
UNKNOWN = tag("p", "No errors were marked here, nor that there are none.", class_="mt-quiet")


def text_with_errors(text: str, spans: Spans | None) -> Markup:
    """An output with its errors marked; where they overlap, by the severest."""
    return join(_pieces(text, spans or ()))


def _pieces(text: str, spans: Spans) -> Iterator[Markup]:
    edges = sorted({0, len(text), *(edge for span in spans for edge in (span.start, span.end))})
    for start, end in pairwise(edges):
        here = [span for span in spans if span.start <= start and end <= span.end]
        piece = text[start:end]
        if not here:
            yield escape(piece)
        else:
            titles = "; ".join(map(_about, here))
            yield tag("mark", piece, class_=f"mt-error mt-{look(max(here, key=_weight).severity)}", title=titles)


def look(severity: str) -> str:
    """The class of a severity."""
    return severity if severity in SEVERITIES else OTHER


def _weight(span: ErrorSpan) -> int:
    return SEVERITIES.index(span.severity) if span.severity in SEVERITIES else -1


def _about(span: ErrorSpan) -> str:
    confidence = "" if span.confidence is None else f"confidence {fixed(span.confidence, 2)}"
    return ", ".join(filter(None, (span.severity, span.category, confidence)))


def output_with_errors(text: str, spans: Spans | None) -> Markup:
    """The same with the errors in words below it."""
    if spans is None:
        return join((escape(text), UNKNOWN))
    return join((tag("p", text_with_errors(text, spans)), tag("p", _in_words(text, spans), class_="mt-quiet")))


def _in_words(text: str, spans: Spans) -> str:
    """``2 errors: “my food” (minor, confidence 0.42), “the” (major)``."""
    if not spans:
        return "no errors marked"
    told = [f"“{text[span.start : span.end]}” ({_about(span)})" for span in spans[:MOST_TOLD]]
    more = [f"{len(spans) - MOST_TOLD:,} more"] if len(spans) > MOST_TOLD else []
    return f"{counted(len(spans), 'error')}: {', '.join([*told, *more])}"


def error_legend(*outputs: Spans | None) -> Markup:
    """How each severity looks that is in these outputs."""
    samples = [tag("mark", name, class_=f"mt-error mt-{look(name)}") for name in severities(outputs)]
    return tag("p", join(samples, " "), class_="mt-quiet mt-legend") if samples else Markup("")
