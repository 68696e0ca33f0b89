"""A text with the errors that were marked in it, as HTML.

Marked errors as examples for a talk: one HTML file that opens without a network.

Marked errors as examples: the output with everything that annotators marked in it, and what they said.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pandas as pd

from mteval.base.words import counted, counted_part
from mteval.render.html import Chapter, Markup, escape, html_page, join, tag
from mteval.values.model import TestSet

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


@dataclass(frozen=True)
class Example:
    """One output with what was marked in it.

    Parameters
    ----------
    title
        Where it is from.
    texts
        Label and text of the source and the references.
    output
        The judged text; empty where it is not loaded.
    said
        What annotators said, a line an error.
    """

    title: str
    texts: Sequence[tuple[str, str]]
    output: str
    spans: Sequence[Span]
    said: Sequence[str]


def example_block(example: Example) -> Markup:
    """Its texts with the errors marked, and what was said."""
    rows = [*example.texts, ("Output", marked_text(example.output, example.spans) or "not loaded")]
    cells = [part for label, text in rows for part in (tag("dt", label), tag("dd", text, dir="auto"))]
    return tag("dl", *cells, tag("dt", "Marked"), *(tag("dd", one) for one in example.said), class_="mt-example")


def examples_page(title: str, lead: str, examples: Sequence[Example]) -> str:
    """The file; everything that was loaded is escaped."""
    return html_page(title, lead, [Chapter(example.title, [example_block(example)]) for example in examples])


Row = Mapping[Hashable, Any]  # of a frame


def examples(chosen: pd.DataFrame, every: pd.DataFrame, test_set: TestSet | None, most: int) -> list[Example]:
    """An example for each output with an error that was chosen, in their order, at most so many.

    Parameters
    ----------
    chosen, every
        With the columns ``MARKED``; all errors of an output are shown, whichever of them was chosen.
    """
    outputs = list(dict.fromkeys(zip(chosen["system"], chosen["segment"], strict=True)))[:most]
    return [example(every, system, segment, test_set) for system, segment in outputs]


def example(every: pd.DataFrame, system: str, segment: str, test_set: TestSet | None) -> Example:
    """One output with all that was marked in it."""
    rows = every[(every["system"] == system) & (every["segment"] == segment)].sort_values(["side", "start", "end"])
    first = rows.iloc[0]
    spans = [
        Span(row["start"], row["end"], row["severity"], _kind(row))
        for row in rows.to_dict("records")
        if row["side"] == "hypothesis" and row["end"]
    ]
    texts = [] if test_set is None or first["place"] < 0 else list(_texts(test_set, int(first["place"])))
    where = f"{system}, segment {segment}" + (f", {first['document']}" if first["document"] else "")
    return Example(where, texts, first["output"] or "", spans, [_said(row) for row in rows.to_dict("records")])


def _texts(test_set: TestSet, place: int) -> Iterator[tuple[str, str]]:
    if test_set.source is not None:
        yield "Source", test_set.source[place]
    for text in test_set.references[place]:
        if text:
            yield "Reference", text


def _kind(row: Row) -> str:
    category = f"{row['category']}, " if row["category"] else ""
    return f"{category}{row['severity']} ({row['annotator']})"


def _said(row: Row) -> str:
    place = f"characters {row['start'] + 1:,} to {row['end']:,}" if row["end"] else "the whole output"
    words = f"“{row['words']}”" if row["words"] else place
    parts = [f"{words}: {_kind(row)}"]
    if row["origin"]:
        parts[0] += f", found by {row['origin']}"
    if row["side"] == "source":
        parts[0] += ", in the source"
    if row["n_raters"] > 1:
        others = row["n_raters"] - 1
        parts.append(f"{counted_part(row['n_agree'], others, 'other annotator')} marked something there")
    if row["n_runs"] > 1:
        parts.append(f"the words stand there in {counted_part(row['n_same'], row['n_runs'], 'run')}")
    elif row["n_runs"]:
        parts.append(f"{counted(1, 'run')} loaded")
    return "; ".join(parts)
