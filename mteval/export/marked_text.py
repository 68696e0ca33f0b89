"""A text with the errors that were marked in it, as HTML."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from mteval.export.markup import Markup, escape, join, tag

SEVERITIES = ("neutral", "minor", "major", "critical")  # from mild to severe, as the marks' colours


@dataclass(frozen=True)
class Span:
    """Characters of a text, with what is said of them where they are pointed at."""

    start: int
    end: int
    severity: str
    title: str


def marked_text(text: str, spans: Sequence[Span]) -> Markup:
    """The text, its marked characters set off by the colour of the severest error there; all else escaped."""
    return join(_pieces(text, spans))


def _pieces(text: str, spans: Sequence[Span]) -> Iterator[Markup]:
    edges = {0, len(text), *(min(edge, len(text)) for span in spans for edge in (span.start, span.end))}
    for start, end in pairwise(sorted(edges)):
        here = [span for span in spans if span.start <= start and end <= span.end]
        if not here:
            yield escape(text[start:end])
            continue
        worst = max(here, key=lambda span: _rank(span.severity))
        title = "; ".join(dict.fromkeys(span.title for span in here))
        look = f"mt-marked mt-severity-{_shown(worst.severity)}"
        yield tag("mark", text[start:end], class_=look, title=title)


def _rank(severity: str) -> int:
    return SEVERITIES.index(_shown(severity))


def _shown(severity: str) -> str:
    """The severity as a colour is known by; one that is not among them is shown as neutral."""
    plain = severity.strip().lower()
    return plain if plain in SEVERITIES else SEVERITIES[0]
