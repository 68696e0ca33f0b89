"""Sections: every answer as a lead, a table of typed columns, a figure and notes.

Pages, the command line, reports, LaTeX, notebooks and JSON render the same sections, so that numbers, headings and
warnings agree everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile
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
    dots, color
        Drawn instead of the text if a form can: positions of dots from 0 (left) to 1 (right), the last one a bar.
    """

    text: str
    is_best: bool = False
    mark: str = ""
    below: str = ""
    shape: str = ""
    role: str = ""
    help: str = ""
    dots: tuple[float, ...] = ()
    color: str = ""

    @classmethod
    def of(cls, conclusion: Conclusion, text: str = "", below: str = "", help: str = "") -> Cell:
        """Return a conclusion in a word, or another text, with its shape and colour."""
        return cls(text or conclusion.word, below=below, shape=conclusion.shape, role=conclusion.role, help=help)

    @property
    def plain(self) -> str:
        """The whole cell as text."""
        return f"{self.shape} {self.text}{self.mark} {self.below}".strip()


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
        return self.kind in ("word", "text", "verdict")  # kinds that are left-aligned

    @property
    def read(self) -> tuple[str, ...]:
        """The columns of the frame that it shows."""
        return self.fields or (self.key,)

    def cell(self, row: Row) -> Cell:
        """Return the cell of a row; ``row["notation"]`` is how numbers of the row's metric are written."""
        written = self._written(row) if self.write is None else self.write(row)
        return written if isinstance(written, Cell) else Cell(written)

    def _written(self, row: Row) -> str:
        values = [row[field] for field in self.read]
        value, notation = values[0], row.get("notation")
        if value is None or value != value:
            return DASH
        match self.kind:
            case "count":
                return f"{int(value):,}"  # a column with a dash in it holds floats
            case "p":
                return p_value(value)
            case "share":
                return percent(value, 1 if self.digits is None else self.digits)
            case "chance":
                return " to ".join(map(chance, values))
            case "number" if notation is None or self.digits is not None:
                return fixed(value, 2 if self.digits is None else self.digits)
            case "number" | "difference":
                assert isinstance(notation, Notation)
                return getattr(notation, self.kind)(value)  # type: ignore[no-any-return]
            case "interval" | "range":
                assert isinstance(notation, Notation)
                return getattr(notation, self.kind)(*values)  # type: ignore[no-any-return]
        return value if isinstance(value, str) else str(value)


def p_column(key: str, name: str = "", *, is_adjusted: bool = False, help: str = "") -> Column:
    """Return a column of p-values; its heading says whether they are adjusted."""
    return Column(key, name or ("p (adjusted)" if is_adjusted else "p"), "p", help, is_adjusted=is_adjusted)


def columns(kind: Kind = "word", **names: str) -> tuple[Column, ...]:
    """Return columns of one kind, from keys and headings."""
    return tuple(Column(key, name, kind) for key, name in names.items())


def headed(key: str, heading: str, kind: Kind = "number", **how: Any) -> Column:
    """Return a column whose heading is capitalised except in tables of text and for symbols such as p.

    Parameters
    ----------
    how
        Other arguments of ``Column``.
    """
    is_symbol = len(heading.partition(" ")[0]) == 1
    return Column(key, heading if is_symbol else heading[:1].upper() + heading[1:], kind, short=heading, **how)


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
        written = {} if self.notation is None else {"notation": self.notation}
        return [{str(key): value for key, value in row.items()} | written for row in self.frame.to_dict("records")]

    @property
    def cells(self) -> Iterator[tuple[Cell, ...]]:
        """One tuple of cells per row."""
        for row in self.rows:
            yield tuple(column.cell(row) for column in self.columns)

    @property
    def values(self) -> pd.DataFrame:
        """The values behind the columns."""
        fields = dict.fromkeys(field for column in self.columns for field in column.read)
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
        return [[cells for _, cells in block] for _, block in groupby(pairs, key=lambda pair: pair[0])]

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
        kept = (one for one in self.columns if one.is_word or self.frame[list(one.read)].notna().any(axis=None))
        return replace(self, columns=tuple(kept))


@dataclass(frozen=True)
class Note:
    """A note or warning beside an answer.

    Parameters
    ----------
    text
        One or two sentences.
    level
        A warning may invalidate the answer.
    about
        Names of the systems, metrics or procedures it is about; empty for all.
    is_wide
        Whether forms of text omit it.
    """

    text: str
    level: Level = "info"
    about: tuple[str, ...] = ()
    is_wide: bool = False

    @property
    def said(self) -> str:
        """The text after the names it is about."""
        return f"{', '.join(self.about)}: {self.text}" if self.about else self.text


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
        if (table := self.table) is not None:
            table = replace(table, columns=tuple(column for column in table.columns if not column.is_wide))
        return replace(self, table=table, notes=tuple(note for note in self.notes if not note.is_wide))

    @property
    def words(self) -> tuple[str, ...]:
        """Title, verdict, lead and terms, for forms of text."""
        verdict = self.verdict.plain if self.verdict and self.verdict.text not in " ".join(self.lead) else ""
        terms = (f"{name}: {text}" for name, text in self.terms)
        return tuple(filter(None, (self.title, verdict, *self.lead, *terms)))

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
    about: dict[str, list[str]] = {}
    for name, text in texts:
        if text and name not in about.setdefault(text, []):
            about[text].append(name)
    return tuple(Note(text, about=tuple(names)) for text, names in about.items())
