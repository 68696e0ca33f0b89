"""HTML from trusted parts and untrusted text.

File names, system names and segments are somebody else's: as Markdown they would be links, images, emoji and formulas.
They reach a page through widgets that take plain text, or through here, where every string that is not ``Markup`` is
escaped, and characters that turn round what stands beside them are seen.

Small tables as HTML: read by people, by screen readers and by whatever copies them.

A report as one HTML file that opens without a network: tables, figures with plotly.js inside, light and dark.

The user's word for a run in HTML that says run.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import markupsafe
import plotly.graph_objects as go
import plotly.io as pio
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from mteval.answers.section import Cell, Column, Note, Section, Table
from mteval.base.characters import visible
from mteval.render.text import Cells
from mteval.values.run_words import RUN, Wording

__all__ = ["BLOCKS", "Markup", "escape", "join", "scrolling", "tag"]

BLOCKS = Path(__file__).with_name("blocks.css")  # the look of tables and answers, on pages and in reports


def escape(text: str) -> Markup:
    """Text as HTML; markup as it is."""
    return text if isinstance(text, Markup) else markupsafe.escape(visible(text))


def tag(name: str, *children: str, **attributes: str) -> Markup:
    """An element. Attribute names lose a trailing underscore (``class_``) and turn other underscores into hyphens."""
    written = "".join(f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"' for key, value in attributes.items())
    return Markup(f"<{name}{written}>{join(children)}</{name}>")


def scrolling(table: Markup) -> Markup:
    """A table that may be wider than the page: it is moved with the mouse, a finger or, once it has the focus, keys."""
    return tag("div", table, class_="mt-scroll", tabindex="0")


def join(parts: Iterable[str], separator: str = "") -> Markup:
    """Parts one after the other, those that are text escaped."""
    return escape(separator).join(map(escape, parts))


NO_HELP: Mapping[str, str] = {}


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    n_words: int = 1,
    caption: str = "",
    help_texts: Mapping[str, str] = NO_HELP,
    n_wrapped: int = 1,
) -> Markup:
    """A table whose first ``n_words`` columns are words, to the left, and the others numbers, to the right.

    Parameters
    ----------
    help_texts
        What a header means, shown when it is pointed at, by header.
    n_wrapped
        So many of the first columns may wrap, so that long names leave room for the numbers.
    """
    heads = [_head(text, column < n_words, help_texts.get(text)) for column, text in enumerate(header)]
    lines = [tag("tr", *_cells(row, n_words, n_wrapped)) for row in rows]
    parts = [tag("caption", caption)] if caption else []
    parts += [tag("thead", tag("tr", *heads)), tag("tbody", *lines)]
    return scrolling(tag("table", *parts, class_="mt-table"))


def cells_table(cells: Cells, caption: str) -> Markup:
    """A table as it is also written as text, its heads with a capital, but for symbols as p."""
    head = [text if len(text.partition(" ")[0]) == 1 else text[:1].upper() + text[1:] for text in cells.head]
    return table(head, cells.rows, n_words=cells.n_words, caption=caption, n_wrapped=cells.n_words)


def _head(text: str, is_word: bool, help_text: str | None) -> Markup:
    attributes = {"scope": "col"}
    if is_word:
        attributes["class_"] = "mt-name"
    if help_text is not None:
        attributes["title"] = help_text
    return tag("th", text, **attributes)


def _cells(row: Sequence[str], n_words: int, n_wrapped: int) -> Iterator[Markup]:
    looks = ["mt-name mt-wrap" if column < n_wrapped else "mt-name" for column in range(n_words)]
    yield from (tag("td", cell, class_=look) for cell, look in zip(row, looks, strict=False))
    yield from (tag("td", cell) for cell in row[n_words:])


def section_parts(section: Section, *, has_title: bool = True) -> Iterator[Markup | go.Figure]:
    """What a page or a report shows of a section, and of those below it: markup and figures.

    Parameters
    ----------
    has_title
        Whether its title stands above it; those of the sections below it always do.
    """
    if section.title and has_title and not section.is_detail:
        yield tag("h3", section.title)
    if section.verdict is not None:
        yield verdict_markup(section.verdict)
    yield from (tag("p", text) for text in section.lead)
    if section.figure is not None:
        yield section.figure()
        yield from (tag("p", text, class_="mt-quiet") for text in [section.legend] if text)
    if section.table is not None:
        yield section_table(section.table)
    yield from (note_markup(note) for note in section.notes)
    for part in section.parts:
        if part.is_detail and part.figure is None:
            yield tag("details", tag("summary", part.title), *map(escape, section_parts(part)))
        else:
            yield from section_parts(part)


def section_table(shown: Table) -> Markup:
    """A table with what its columns mean where they are pointed at."""
    heads = [_head(column.name, column.is_word, column.help or None) for column in shown.columns]
    rows = [tag("tr", *map(_cell, shown.columns, cells)) for cells in shown.cells]
    groups = shown.frame[shown.groups].tolist() if shown.groups else [0] * len(rows)
    bodies = [
        tag("tbody", *(rows[place] for place, one in enumerate(groups) if one == group))
        for group in dict.fromkeys(groups)
    ]
    caption = [tag("caption", shown.caption)] if shown.caption and not shown.is_folded else []
    table = scrolling(tag("table", *caption, tag("thead", tag("tr", *heads)), *bodies, class_="mt-table"))
    return tag("details", tag("summary", shown.caption), table) if shown.is_folded else table


def verdict_markup(cell: Cell) -> Markup:
    """The verdict in a word, after its shape."""
    return tag("p", *_shape(cell), tag("b", cell.text), class_="mt-word")


def _shape(cell: Cell) -> list[str]:
    shape = tag("span", cell.shape, class_=f"mt-shape mt-role-{cell.role}", aria_hidden="true")
    return [shape, " "] if cell.shape else []


def _cell(column: Column, cell: Cell) -> Markup:
    shape = _shape(cell)
    text = tag("span", cell.text, title=cell.help, class_="mt-help") if cell.help else cell.text
    text = tag("b", text) if cell.is_best else text
    mark = [tag("sup", cell.mark)] if cell.mark else []
    below = [" ", tag("span", cell.below, class_="mt-below")] if cell.below else []
    looks = {"word": "mt-name mt-wrap", "text": "mt-name mt-wrap", "verdict": "mt-name"}
    look = {"class_": looks[column.kind]} if column.is_word else {}
    look |= {"dir": "auto"} if column.kind == "text" else {}  # somebody's text is written in its own direction
    return tag("td", *shape, text, *mark, *below, **look)


def note_markup(note: Note) -> Markup:
    """A note: quiet, or in a frame where it warns."""
    return tag("p", note.said, class_="mt-warning" if note.level == "warning" else "mt-quiet")


_STYLE = Path(__file__).with_name("page.css")
FIGURES_SCRIPT = Path(__file__).with_name("page.js")
# Whatever text got into the file, nothing is loaded from anywhere.
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:; font-src data:"
)


@dataclass(frozen=True)
class Chapter:
    """A heading of a report and what stands under it: markup, text (escaped) and figures."""

    title: str
    parts: Sequence[str | go.Figure]


def html_page(title: str, lead: str, sections: Sequence[Chapter]) -> str:
    """The whole file."""
    written = _Body()
    body = [tag("h1", title), tag("p", lead), _contents(sections)]
    for number, section in enumerate(sections):
        body.append(tag("h2", section.title, id=f"section-{number}"))
        body += [written.part(part) for part in section.parts]
    head = [
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        tag("title", title),
        raw("style", BLOCKS.read_text(encoding="utf-8") + _STYLE.read_text(encoding="utf-8")),
    ]
    scripts = [raw("script", get_plotlyjs()), raw("script", FIGURES_SCRIPT.read_text(encoding="utf-8"))]
    document = tag("html", tag("head", *head), tag("body", *body, *(scripts if written.n_figures else [])), lang="en")
    return f"<!DOCTYPE html>\n{document}\n"


def styled(*parts: Markup) -> Markup:
    """Blocks of a report with their look, to stand in a page of others, as a notebook."""
    return tag("div", raw("style", BLOCKS.read_text(encoding="utf-8")), *parts)


class _Body:
    """Writes parts; figures are numbered."""

    def __init__(self) -> None:
        self.n_figures = 0

    def part(self, part: str | go.Figure) -> Markup:
        """HTML of one part; text that is no markup is a paragraph."""
        if isinstance(part, Markup):
            return part
        if isinstance(part, str):
            return tag("p", part)
        self.n_figures += 1
        name = f"figure-{self.n_figures}"
        height = f"min-height:{part.layout.height or 400}px"
        data = Markup(f'<script type="application/json" id="{name}">{figure_json(part)}</script>')
        return join((tag("div", class_="mt-figure", data_figure=name, style=height), data))


def table_of(pairs: Mapping[str, str], caption: str = "", class_: str = "mt-name") -> Markup:
    """Two columns: names and values."""
    rows = [tag("tr", tag("th", name, scope="row"), tag("td", value, class_=class_)) for name, value in pairs.items()]
    parts = [tag("caption", caption)] if caption else []
    return scrolling(tag("table", *parts, tag("tbody", *rows), class_="mt-table"))


def _contents(sections: Sequence[Chapter]) -> Markup:
    links = [tag("li", tag("a", section.title, href=f"#section-{number}")) for number, section in enumerate(sections)]
    return tag("nav", tag("ul", *links))


def figure_json(figure: go.Figure) -> str:
    """A figure for a page whose script gives it its colours."""
    plain: dict[str, Any] = figure.to_dict()  # another figure would check all of its values once more
    plain["layout"]["template"] = pio.templates["none"].to_plotly_json()
    return safe_json(str(pio.to_json(plain, validate=False)))


def safe_json(text: str) -> str:
    """JSON in which no text can end the script element."""
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def raw(name: str, content: str) -> Markup:
    """An element whose content is ours and not escaped."""
    return Markup(f"<{name}>{content}</{name}>")


_TAG = re.compile(r"(<[^>]*>)")
_SHOWN = re.compile(r'(?P<start> (?:title|aria-label)=")(?P<text>[^"]*)')  # attributes that people read or hear


def in_words(part: str, said: Wording) -> str:
    """Markup with its text and what is shown where it is pointed at in the user's word; plain text as ``said``."""
    if said.runs == RUN or not isinstance(part, Markup):
        return said(part)
    written = Wording(said.runs, tuple(str(escape(name)) for name in said.names))
    return Markup("".join(_worded(piece, written) for piece in _TAG.split(part)))


def _worded(piece: str, said: Wording) -> str:
    """A tag, or the text between two."""
    if piece.startswith("<"):
        return _SHOWN.sub(lambda found: found["start"] + said(found["text"]), piece)
    return said(piece)
