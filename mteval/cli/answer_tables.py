"""An answer as tables and sentences, in the formats for people and papers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from mteval.render.latex import latex_table as tex
from mteval.render.markdown import markdown_table as markdown
from mteval.render.text import aligned
from mteval.values.run_words import Wording


@dataclass(frozen=True)
class Table:
    """A table with what stands before and after it; ``n_words`` columns are words."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    n_words: int
    notes: Sequence[str] = ()

    def in_words(self, said: Wording) -> Table:
        """The same in the user's word for a run."""
        rows = [[said(cell) for cell in row] for row in self.rows]
        head, notes = ([said(text) for text in texts] for texts in (self.head, self.notes))
        return Table(said(self.title), head, rows, self.n_words, notes)

    def lines(self, how: str) -> Iterator[str]:
        """In one of the formats for people and papers."""
        if how == "latex":
            yield f"% {self.title}"
            yield from tex(self.head, self.rows, self.n_words)
            yield from (f"% {note}" for note in self.notes)
            return
        form = markdown if how == "markdown" else aligned
        gap = [""] if how == "markdown" else []
        yield from (
            self.title,
            *gap,
            *form(self.head, self.rows, self.n_words),
            *(gap if self.notes else ()),
            *self.notes,
        )


@dataclass(frozen=True)
class Answer:
    """The rows of an answer, and how they are shown: tables, then sentences about all of them."""

    frame: pd.DataFrame
    tables: Sequence[Table]
    sentences: Sequence[str] = ()

    def in_words(self, said: Wording) -> Answer:
        """The same in the user's word for a run; the rows are for machines."""
        return Answer(self.frame, [table.in_words(said) for table in self.tables], [*map(said, self.sentences)])

    def lines(self, how: str) -> Iterator[str]:
        """In one of the formats for people and papers."""
        for table in self.tables:
            yield from table.lines(how)
            yield ""
        yield from (f"% {sentence}" if how == "latex" else sentence for sentence in self.sentences)
