"""Sections: every answer as a lead, a table of typed columns, a figure and notes.

Pages, the command line, reports, LaTeX, notebooks and JSON render the same sections, so that numbers, headings and
warnings agree everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, takewhile
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from mteval.values.notation import DASH, Notation, chance, fixed, p_value, percent
from mteval.values.verdict import Conclusion

if TYPE_CHECKING:
    import plotly.graph_objects as go

Kind = Literal["word", "count", "number", "difference", "range", "interval", "p", "share", "chance", "text", "verdict"]
Row = Mapping[Any, Any]
Level = Literal["info", "warning"]


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Parameters
    ----------
    text
        Its content.
    is_best
        Whether it is bold.
    mark
        A superscript after it.
    below
        A second line, or after the text in forms without lines.
    shape, role
        Of a verdict: the shape before it, and the role of its colour.
    help
        Tooltip.
    tint
        How strongly its background has the colour of its role, from 0 to 1.
    dots, color
        Drawn instead of the text if a form can: positions of dots from 0 (left) to 1 (right), the last one a bar.
    opens
        What a click opens where sentences can be shown: system and test set; empty for nothing.
    """

    text: str
    is_best: bool = False
    mark: str = ""
    below: str = ""
    shape: str = ""
    role: str = ""
    help: str = ""
    tint: float = 0.0
    dots: tuple[float, ...] = ()
    color: str = ""
    opens: tuple[str, ...] = ()

    @classmethod
    def of(cls, conclusion: Conclusion, text: str = "", below: str = "", help: str = "") -> Cell:
        """Return a conclusion in a word, or another text, with its shape and colour."""
        return cls(text or conclusion.word, below=below, shape=conclusion.shape, role=conclusion.role, help=help)

    @property
    def plain(self) -> str:
        """The whole cell as text."""
        return f"{self.shape} {self.text}{self.mark} {self.below}".strip(" ")  # names keep line separators


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Parameters
    ----------
    key
        The column of the frame that it shows.
    name
        Its heading.
    kind
        The kind of its values, which decides how they are written and aligned.
    help
        Its meaning, for a tooltip.
    fields
        The columns of the frame that it shows instead of ``key``, e.g. both ends of an interval.
    digits
        Decimals of shares and of numbers without a metric.
    is_adjusted
        Whether a p-value is adjusted for several comparisons.
    write
        Writes the cell of a row, instead of the kind.
    short
        The heading in tables of text; ``name`` by default.
    tex
        The heading in papers, in TeX; ``name`` by default.
    meaning
        Its meaning, for the caption of a table in a paper, in TeX.
    is_omitted_if_empty
        Whether pages omit it if no row has a value.
    is_usual_in_papers
        Whether a table for a paper has it if no columns are chosen.
    is_wide
        Whether tables of text omit it.
    """

    key: str
    name: str
    kind: Kind = "word"
    help: str = ""
    fields: tuple[str, ...] = ()
    digits: int | None = None
    is_adjusted: bool = False
    write: Callable[[Row], str | Cell] | None = None
    short: str = ""
    tex: str = ""
    meaning: str = ""
    is_omitted_if_empty: bool = False
    is_usual_in_papers: bool = True
    is_wide: bool = False

    @property
    def is_word(self) -> bool:
        """Whether it is left-aligned."""
        return self.kind in ("word", "text", "verdict")

    @property
    def read(self) -> tuple[str, ...]:
        """The columns of the frame that it shows."""
        return self.fields or (self.key,)

    def cell(self, row: Row) -> Cell:
        """Return the cell of a row; ``row["notation"]`` is how numbers of the row's metric are written."""
        written = self._text(row) if self.write is None else self.write(row)
        return written if isinstance(written, Cell) else Cell(written)

    def _text(self, row: Row) -> str:
        """Write the values of a row by their kind; a dash if the first is missing."""
        values = [row[field] for field in self.read]
        value = values[0]
        is_missing = value is None or value != value  # NaN
        if is_missing:
            return DASH
        match self.kind:
            case "count":
                return f"{int(value):,}"  # a column with a dash in it holds floats
            case "p":
                return p_value(value)
            case "share":
                return percent(value, self._digits_or(1))
            case "chance":
                return " to ".join(map(chance, values))
            case "number" | "difference" | "interval" | "range":
                return self._in_notation(values, row.get("notation"))
        return str(value)

    def _digits_or(self, usual: int) -> int:
        """Return the number of digits after the point."""
        if self.digits is None:
            return usual
        return self.digits

    def _in_notation(self, values: Sequence[float], notation: Notation | None) -> str:
        """Write one number, or the two ends of an interval or range, as numbers of a metric are written."""
        if self.kind == "number" and (notation is None or self.digits is not None):
            return fixed(values[0], self._digits_or(2))
        assert notation is not None
        match self.kind:
            case "number":
                return notation.number(values[0])
            case "difference":
                return notation.difference(values[0])
            case "interval":
                return notation.interval(values[0], values[1])
        return notation.range(values[0], values[1])


def p_column(key: str, name: str = "", *, is_adjusted: bool = False, help: str = "") -> Column:
    """Return a column of p-values; by default, its heading says whether they are adjusted."""
    if not name:
        name = "p (adjusted)" if is_adjusted else "p"
    return Column(key, name, "p", help, is_adjusted=is_adjusted)


def headed(key: str, heading: str, kind: Kind = "number", **how: Any) -> Column:
    """Return a column whose heading is capitalised except in tables of text and for symbols such as p.

    Parameters
    ----------
    how
        Other arguments of ``Column``.
    """
    name = heading
    first_word = heading.partition(" ")[0]
    is_symbol = len(first_word) == 1 or first_word == "χ²"
    if not is_symbol:
        name = heading[:1].upper() + heading[1:]
    return Column(key, name, kind, short=heading, **how)


@dataclass(frozen=True)
class Table:
    """A table and how it is shown.

    Parameters
    ----------
    columns
        From left to right.
    frame
        The rows; with a column ``notation`` if they are in the units of several metrics.
    caption
        The caption above it.
    groups
        The column of the frame that splits the rows into blocks with lines between them; empty for one block. If it is
        the first column of the table, it appears once per block.
    look
        Style class.
    notation
        How numbers are written if the frame has no column for it.
    is_folded
        Whether pages and reports fold it below its caption, since a figure shows the same.
    """

    columns: tuple[Column, ...]
    frame: pd.DataFrame
    caption: str = ""
    groups: str = ""
    look: str = ""
    is_folded: bool = False
    notation: Notation | None = None

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of the frame, with the notation of their numbers."""
        rows = []
        for record in self.frame.to_dict("records"):
            row = {str(key): value for key, value in record.items()}
            if self.notation is not None:
                row["notation"] = self.notation
            rows.append(row)
        return rows

    @property
    def cells(self) -> Iterator[tuple[Cell, ...]]:
        """One tuple of cells per row."""
        for row in self.rows:
            yield tuple(column.cell(row) for column in self.columns)

    @property
    def values(self) -> pd.DataFrame:
        """The values behind the columns."""
        fields = dict.fromkeys(chain.from_iterable(column.read for column in self.columns))
        return self.frame[[field for field in fields if field in self.frame]]

    @property
    def head(self) -> list[str]:
        """The headings in a table of text."""
        return [column.short or column.name for column in self.columns]

    @property
    def blocks(self) -> list[list[tuple[Cell, ...]]]:
        """The cells of each block of rows."""
        if not self.groups:
            return [list(self.cells)]
        pairs = zip(self.frame[self.groups], self.cells, strict=True)
        blocks = []
        for _, pairs_of_block in groupby(pairs, key=itemgetter(0)):
            blocks.append([cells for _, cells in pairs_of_block])
        return blocks

    @property
    def texts(self) -> list[list[str]]:
        """The cells as text."""
        return [[cell.plain for cell in row] for row in self.cells]

    @property
    def n_words(self) -> int:
        """Number of leading columns that hold words."""
        return sum(1 for _ in takewhile(lambda column: column.is_word, self.columns))

    @property
    def shown(self) -> Table:
        """The same without empty columns of numbers."""
        shown = []
        for column in self.columns:
            if column.is_word or self.frame[list(column.read)].notna().any(axis=None):
                shown.append(column)
        return replace(self, columns=tuple(shown))


@dataclass(frozen=True)
class Note:
    """A note or warning beside an answer.

    Parameters
    ----------
    text
        One or two sentences.
    level
        A warning may invalidate the answer.
    subjects
        Names of the systems, metrics or procedures it applies to; empty for all.
    is_wide
        Whether forms of text omit it.
    """

    text: str
    level: Level = "info"
    subjects: tuple[str, ...] = ()
    is_wide: bool = False

    @property
    def said(self) -> str:
        """The text after the names it applies to."""
        if not self.subjects:
            return self.text
        return f"{', '.join(self.subjects)}: {self.text}"


@dataclass(frozen=True)
class Section:
    """One answer.

    Parameters
    ----------
    key
        Its name for programs.
    title
        The heading.
    lead
        The answer in one or two sentences; empty ones are removed.
    terms
        Pairs of names and texts: questions and answers, words and meanings.
    table
        The numbers behind it.
    figure
        Draws the figure when it is needed.
    legend
        How to read the figure; omitted without it.
    notes
        Notes and warnings.
    is_detail
        Whether pages and reports fold it.
    parts
        Sections below it.
    verdict
        The answer in a word, with shape and colour.
    """

    key: str
    title: str
    lead: tuple[str, ...] = ()
    table: Table | None = None
    figure: Callable[[], go.Figure] | None = None
    legend: str = ""
    notes: tuple[Note, ...] = ()
    is_detail: bool = False
    parts: tuple[Section, ...] = ()
    verdict: Cell | None = None
    terms: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        """Remove empty sentences from the lead."""
        object.__setattr__(self, "lead", tuple(filter(None, self.lead)))

    @property
    def brief(self) -> Section:
        """The same without what forms of text omit."""
        table = self.table
        if table is not None:
            table = replace(table, columns=tuple(column for column in table.columns if not column.is_wide))
        notes = tuple(note for note in self.notes if not note.is_wide)
        return replace(self, table=table, notes=notes)

    @property
    def words(self) -> tuple[str, ...]:
        """Title, verdict, lead and terms, for forms of text."""
        words = [self.title]
        if self.verdict is not None and self.verdict.text not in " ".join(self.lead):
            words.append(self.verdict.plain)
        words += self.lead
        words += [f"{name}: {text}" for name, text in self.terms]
        return tuple(text for text in words if text)

    @property
    def all(self) -> Iterator[Section]:
        """This section and those below it."""
        yield self
        for part in self.parts:
            yield from part.all


def noted(*texts: str, level: Level = "info", is_wide: bool = False) -> tuple[Note, ...]:
    """Return the non-empty texts as notes."""
    return tuple(Note(text, level, is_wide=is_wide) for text in texts if text)


def notes_by(texts: Sequence[tuple[str, str]]) -> tuple[Note, ...]:
    """Return each text once, with all the names it is about.

    Parameters
    ----------
    texts
        Name and text; empty texts are ignored.
    """
    names_of: dict[str, dict[str, None]] = {}  # of each text, once and in order
    for name, text in texts:
        if text:
            names_of.setdefault(text, {})[name] = None
    return tuple(Note(text, subjects=tuple(names)) for text, names in names_of.items())
