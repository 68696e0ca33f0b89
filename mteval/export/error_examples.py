"""Marked errors as examples for a talk: one HTML file that opens without a network."""

from collections.abc import Sequence
from dataclasses import dataclass

from mteval.export.html import Section, html_page
from mteval.export.marked_text import Span, marked_text
from mteval.export.markup import Markup, tag


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
    return html_page(title, lead, [Section(example.title, [example_block(example)]) for example in examples])
