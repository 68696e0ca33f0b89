"""What every answer is made of: sections with a lead, a table of typed columns, a figure and notes.

A section knows nothing of the forms that it is shown in. Pages, the command line, reports, LaTeX, notebooks and JSON
render the same value, so that a number, a heading and a warning are the same wherever they are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from mteval.values.notation import DASH, Notation, chance, fixed, p_value, percent

if TYPE_CHECKING:
    import plotly.graph_objects as go

Kind = Literal["word", "count", "number", "difference", "range", "interval", "p", "share", "chance", "text", "verdict"]
WORDS = ("word", "text", "verdict")  # kinds that are set to the left
Row = Mapping[Any, Any]
Level = Literal["info", "warning"]


@dataclass(frozen=True)
class Cell:
    """A cell as people read it.

    Parameters
    ----------
    text
        What it says.
    is_best
        Whether it is printed in bold.
    mark
        What stands after it, raised.
    below
        A second line in a form that has room for it; after the text elsewhere.
    shape, role
        Of a verdict: the shape before it, and the role of its colour.
    help
        What it means, shown where it is pointed at.
    dots, color
        Drawn in place of the text where a form can: where dots stand between the left end (0) and the right one (1),
        the last of them as a bar.
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

    @property
    def plain(self) -> str:
        """All of it as text."""
        return f"{self.shape} {self.text}{self.mark} {self.below}".strip()


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Parameters
    ----------
    key
        Its name for machines: the column of the frame that it shows.
    name
        Its heading.
    kind
        What its values are, which says how they are written, where they are set and how JSON has them.
    help
        What it means, in a sentence.
    fields
        The columns of the frame that it shows where they are not ``key``: of an interval or a range, both ends.
    digits
        Of shares and of numbers that belong to no metric.
    is_adjusted
        Of a p-value: whether it is adjusted for several comparisons.
    write
        Writes the cell of a row where the kind does not say how.
    short
        The heading in tables of text; ``name`` where empty.
    tex
        The heading in papers, in TeX; ``name`` where empty.
    meaning
        What it means, for the caption of a table in a paper, in TeX.
    is_optional
        Whether it is left out where nobody asked for it: on pages of tables without a value in it, in papers always.
    is_wide
        Whether tables of text, which have less room, leave it out.
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
    is_optional: bool = False
    is_wide: bool = False

    @property
    def is_word(self) -> bool:
        """Whether it is set to the left."""
        return self.kind in WORDS

    @property
    def read(self) -> tuple[str, ...]:
        """The columns of the frame that it shows."""
        return self.fields or (self.key,)

    def cell(self, row: Row) -> Cell:
        """What it says of a row; ``row["notation"]`` is how numbers of the row's metric are written."""
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


def p_column(key: str, name: str = "", *, is_adjusted: bool = False, help: str = "", short: str = "") -> Column:
    """A column of p-values, whose heading says whether they are adjusted."""
    heading = name or ("p (adjusted)" if is_adjusted else "p")
    return Column(key, heading, "p", help, is_adjusted=is_adjusted, short=short)


def columns(kind: Kind = "word", **names: str) -> tuple[Column, ...]:
    """Columns of one kind, each a key with its heading."""
    return tuple(Column(key, name, kind) for key, name in names.items())


def headed(key: str, heading: str, kind: Kind = "number", **how: Any) -> Column:
    """A column whose heading begins with a capital but in tables of text; symbols as p and r stay small.

    Parameters
    ----------
    how
        Whatever else ``Column`` takes.
    """
    is_symbol = len(heading.partition(" ")[0]) == 1
    return Column(key, heading if is_symbol else heading[:1].upper() + heading[1:], kind, short=heading, **how)


@dataclass(frozen=True)
class Table:
    """A table: what its rows hold, and how they are shown.

    Parameters
    ----------
    columns
        From left to right.
    frame
        One row a line; with a column ``notation`` where columns are in the units of several metrics.
    caption
        What stands above it.
    groups
        The column of the frame that parts the rows into blocks with a line between them; empty for one block. Where it
        is the first column of the table, it stands once a block.
    look
        What forms with styles call a table of its kind.
    notation
        How numbers are written where the frame has no column for it.
    is_folded
        Whether pages and reports fold it away below its caption, since a figure shows the same.
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
        """The rows of the frame, each with how its numbers are written."""
        written = {} if self.notation is None else {"notation": self.notation}
        return [{str(key): value for key, value in row.items()} | written for row in self.frame.to_dict("records")]

    @property
    def cells(self) -> Iterator[tuple[Cell, ...]]:
        """A tuple a row, a cell a column."""
        for row in self.rows:
            yield tuple(column.cell(row) for column in self.columns)

    @property
    def values(self) -> pd.DataFrame:
        """What the columns show, for machines."""
        fields = dict.fromkeys(field for column in self.columns for field in column.read)
        return self.frame[[field for field in fields if field in self.frame]]

    @property
    def head(self) -> list[str]:
        """What stands over the columns in a table of text."""
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
        """How many of the first columns are words."""
        return sum(1 for _ in takewhile(lambda column: column.is_word, self.columns))

    @property
    def shown(self) -> Table:
        """The same without columns that say nothing of any row, other than words."""
        blank = [
            column
            for column in self.columns
            if not column.is_word and self.frame[list(column.read)].isna().all(axis=None)
        ]
        return replace(self, columns=tuple(column for column in self.columns if column not in blank))


@dataclass(frozen=True)
class Note:
    """What is to be known beside an answer.

    Parameters
    ----------
    text
        In a sentence or two.
    level
        A warning is about something that may make the answer wrong.
    about
        Names of the systems, metrics or procedures that it concerns; empty for all.
    is_wide
        Whether forms of text leave it out, as what explains a figure.
    """

    text: str
    level: Level = "info"
    about: tuple[str, ...] = ()
    is_wide: bool = False

    @property
    def said(self) -> str:
        """The text after the names that it concerns."""
        return f"{', '.join(self.about)}: {self.text}" if self.about else self.text


@dataclass(frozen=True)
class Section:
    """One answer.

    Parameters
    ----------
    key
        Its name for machines.
    title
        The heading.
    lead
        One or two sentences: the answer.
    terms
        Names with what is said of each: questions and answers, words and what they mean.
    table
        The numbers behind it.
    figure
        Makes the picture when it is wanted.
    legend
        How to read the picture; shown with it, and left out where it is.
    notes
        What else is to be known; what explains the table stands here, too.
    is_detail
        Whether pages and reports fold it away below the answer before it.
    parts
        Sections below it.
    verdict
        The answer in a word with its shape and colour, above the lead; forms of text leave it out where the lead has
        it.
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
        """Leave out of the lead what says nothing."""
        object.__setattr__(self, "lead", tuple(filter(None, self.lead)))

    @property
    def brief(self) -> Section:
        """The same without what forms of text have no room for."""
        table = self.table
        if table is not None:
            table = replace(table, columns=tuple(column for column in table.columns if not column.is_wide))
        return replace(self, table=table, notes=tuple(note for note in self.notes if not note.is_wide))

    @property
    def words(self) -> tuple[str, ...]:
        """What forms of text say before the table: title, verdict, lead and terms."""
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
    """The texts that say something, as notes."""
    return tuple(Note(text, level, is_wide=is_wide) for text in texts if text)


def notes_by(texts: Sequence[tuple[str, str]], level: Level = "info") -> tuple[Note, ...]:
    """Each text once, with all the names that it was said of.

    Parameters
    ----------
    texts
        Name and text; empty texts are left out.
    """
    about: dict[str, list[str]] = {}
    for name, text in texts:
        if text and name not in about.setdefault(text, []):
            about[text].append(name)
    return tuple(Note(text, level, tuple(names)) for text, names in about.items())
