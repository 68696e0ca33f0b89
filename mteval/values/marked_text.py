"""Texts with marked spans, as they are shown: whoever marked them, and for whatever question."""

from collections.abc import Sequence
from dataclasses import dataclass

MISSING_WORD = "missing word"  # marked whitespace


@dataclass(frozen=True)
class Span:
    """Characters of a text, with their tooltip."""

    start: int
    end: int
    severity: str
    title: str


@dataclass(frozen=True)
class Example:
    """One output with what was marked in it.

    Parameters
    ----------
    title
        Its system, segment and document.
    texts
        Label and text of the source and the references.
    output
        The judged text; empty if it is not loaded.
    comments
        Each error in words, with what annotators said about it.
    """

    title: str
    texts: Sequence[tuple[str, str]]
    output: str
    spans: Sequence[Span]
    comments: Sequence[str]
