"""HTML from trusted parts and untrusted text.

File names, system names and segments are untrusted: every string that is not ``Markup`` is escaped, and bidirectional
control characters are made visible. A report is one file that opens offline, in light and dark.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import markupsafe
from markupsafe import Markup

from mteval import figures
from mteval.answers.section import Cell, Column, Note, Section, Table
from mteval.base.words import visible
from mteval.values.marked_text import MISSING_WORD, Example, Span

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["BLOCKS", "TABLES_SCRIPT", "Markup", "escape", "join", "scrolling", "tag"]

BLOCKS = Path(__file__).with_name("blocks.css")  # the look of tables and answers, on pages and in reports


def escape(text: str) -> Markup:
    """Return text escaped; markup is unchanged."""
    return text if isinstance(text, Markup) else markupsafe.escape(visible(text))


def tag(name: str, *children: str, **attributes: str | None) -> Markup:
    """Return an element, without attributes that are None.

    Attribute names lose a trailing underscore (``class_``); others become hyphens.
    """
    given = ((key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items() if value is not None)
    written = "".join(f' {key}="{escape(value)}"' for key, value in given)
    return Markup(f"<{name}{written}>{join(children)}</{name}>")


def scrolling(table: Markup) -> Markup:
    """Return a table that scrolls if it is wider than the page."""
    return tag("div", table, class_="mt-scroll", tabindex="0")


def join(parts: Iterable[str], separator: str = "") -> Markup:
    """Return parts joined, with text escaped."""
    return escape(separator).join(map(escape, parts))


SHORT = 12  # brackets of at most so many characters are kept on one line in headings


def _head(column: Column, is_paper: bool, sticks: bool) -> Markup:
    """Return a heading; in papers as TeX sets it."""
    (start, _, rest), name = column.name.partition(" ("), column.name
    if is_paper:
        name = _set(column.tex or column.name)
    elif rest[:1].isalpha() and len(rest) <= SHORT:  # break the line before the brackets, not within
        name = join((f"{start} ", tag("span", f"({rest}", class_="mt-whole")))
    classes = ["mt-name"] * column.is_word + ["mt-stick"] * sticks
    return tag("th", name, scope="col", class_=" ".join(classes) or None, title=column.help or None)


def section_parts(section: Section, *, has_title: bool = True) -> Iterator[Markup | go.Figure]:
    """Yield the markup and figures of a section and those below it.

    Parameters
    ----------
    has_title
        Whether to show its title; those of the sections below are always shown.
    """
    if is_card(section):
        yield card(section)
        return
    if section.title and has_title and not section.is_detail:
        yield tag("h3", section.title)
    yield from words_of(section)
    if section.figure is not None and figures.can_draw():
        yield section.figure()
        yield from (tag("p", text, class_="mt-quiet") for text in [section.legend] if text)
    if section.table is not None:
        yield section_table(section.table)
    yield from (note_markup(note) for note in section.notes)
    for are_cards, parts in groupby(section.parts, key=is_card):
        if are_cards:
            yield cards(*parts)
            continue
        for part in parts:
            if part.is_detail and not any(inner.figure for inner in part.all):
                yield folded(part.title, *map(escape, section_parts(part)))
            else:
                yield from section_parts(part)


def is_card(section: Section) -> bool:
    """Return whether a section is shown as a card."""
    return section.verdict is not None and section.figure is None and section.table is None


def cards(*sections: Section) -> Markup:
    """Return cards side by side."""
    return tag("div", *map(card, sections), class_="mt-verdicts")


def card(section: Section) -> Markup:
    """Return a section with a verdict as a card, or as one line if it has no title."""
    verdict = section.verdict or Cell("")
    word = (shape_of(verdict), tag("b", verdict.text))
    if not section.title:
        line = tag("p", *word, " · ", " ".join(section.lead), class_="mt-verdict-line")
        return join((line, *map(note_markup, section.notes)))
    parts = [tag("h4", section.title), tag("p", *word, class_="mt-word")]
    parts += [tag("p", text, class_="mt-gain") for text in section.lead]
    parts += [terms(section, "mt-questions")] if section.terms else []
    parts += [note_markup(note) for note in section.notes]
    parts += [folded(part.title, *map(escape, section_parts(part))) for part in section.parts]
    return tag("section", *parts, class_=f"mt-verdict mt-edge-{verdict.role}")


def folded(title: str, *parts: Markup) -> Markup:
    """Return parts that open at a click on their title."""
    return tag("details", tag("summary", title), *parts)


def shape_of(verdict: Cell) -> Markup:
    """Return the verdict's shape in its colour."""
    return tag("span", verdict.shape, class_=f"mt-shape mt-role-{verdict.role}", aria_hidden="true")


def words_of(section: Section) -> Iterator[Markup]:
    """Yield verdict, lead and terms."""
    if section.verdict is not None:
        yield tag("p", shape_of(section.verdict), tag("b", section.verdict.text), class_="mt-word")
    yield from (tag("p", text) for text in section.lead)
    if section.terms:
        yield terms(section)


def terms(section: Section, look: str = "mt-terms") -> Markup:
    """Return names and their texts as a list."""
    pairs = [tag("div", tag("dt", name), tag("dd", text)) for name, text in section.terms]
    return tag("dl", *pairs, class_=look)


def section_table(shown: Table) -> Markup:
    """Return a table with tooltips on its headings."""
    once = bool(shown.groups) and shown.columns[0].key == shown.groups
    heads = [_head(column, shown.look == "paper", place == once) for place, column in enumerate(shown.columns)]
    blocks = shown.blocks
    sticks = [place == once for place in range(len(heads))]  # what a row is about stays where a table scrolls
    is_marked = [any(row[place].mark for rows in blocks for row in rows) for place in range(len(heads))]
    bodies = []
    for rows in blocks:
        lines = [[*map(_cell, shown.columns, row, is_marked, sticks)][once:] for row in rows]
        if once:
            lines[0].insert(0, tag("th", rows[0][0].text, scope="rowgroup", rowspan=str(len(rows))))
        bodies.append(tag("tbody", *(tag("tr", *cells) for cells in lines)))
    caption = [tag("caption", shown.caption)] if shown.caption and not shown.is_folded else []
    look = f"mt-table mt-{shown.look}" if shown.look else "mt-table"
    table = scrolling(tag("table", *caption, tag("thead", tag("tr", *heads)), *bodies, class_=look))
    if len(heads) >= 8 and shown.look != "paper":  # that one may want to hide some of
        table = join((_chooser(shown.columns), table))
    return folded(shown.caption or "The same in numbers", table) if shown.is_folded else table


def _chooser(columns: Sequence[Column]) -> Markup:
    """Return boxes that hide columns, for the script of tables."""
    numbers = [(place, column.name) for place, column in enumerate(columns) if not column.is_word]
    box = '<input type="checkbox" checked data-column="{}">'
    boxes = (tag("label", Markup(box.format(place)), " ", name) for place, name in numbers)
    return tag("details", tag("summary", "Columns"), *boxes, class_="mt-columns")


_TEX = (
    (re.compile(r"\\overline\{s\}"), "s\N{COMBINING MACRON}"), (re.compile(r"_\{\\text\{(.*?)\}\}"), r"<sub>\1</sub>"),
    (re.compile(r"\\Delta"), "Δ"), (re.compile(r"\$([np])"), r"<i>\1</i>"), (re.compile(r"\$"), ""),
)  # fmt: skip


def _set(text: str) -> Markup:
    """Return a heading as TeX sets it."""
    for pattern, markup in _TEX:
        text = pattern.sub(markup, text)
    return Markup(text)


def _cell(column: Column, cell: Cell, is_marked: bool, sticks: bool) -> Markup:
    """Return a cell; if any cell of its column has a mark, there is room for one, so that digits align."""
    shape = [shape_of(cell), " "] if cell.shape else []
    text = tag("span", cell.text, title=cell.help, class_="mt-help") if cell.help and column.is_word else cell.text
    text = _strip(cell) if cell.dots else tag("b", text) if cell.is_best else text
    mark = [tag("span", cell.mark, class_="mt-mark")] if is_marked else []
    below = [" ", tag("span", cell.below, class_="mt-below")] if cell.below else []
    looks = {"word": "mt-name mt-wrap", "text": "mt-name mt-wrap", "verdict": "mt-name"}
    classes = " ".join([looks.get(column.kind, "")] * column.is_word + ["mt-stick"] * sticks)
    direction = "auto" if column.kind == "text" else None  # somebody's text is written in its own direction
    title = None if column.is_word else cell.help or None
    return tag("td", *shape, text, *mark, *below, class_=classes or None, dir=direction, title=title)


def _strip(cell: Cell) -> Markup:
    """Return dots and a bar on a line, with their values as text."""
    *dots, bar = (f"left:{4 + 92 * place:.1f}%;background:{cell.color}" for place in cell.dots)
    drawn = [*(tag("i", style=style) for style in dots), tag("b", style=bar)]
    return tag("span", *drawn, class_="mt-strip", role="img", aria_label=cell.text, title=cell.text)


def note_markup(note: Note) -> Markup:
    """Return a note: grey, or in a frame for a warning."""
    return tag("p", note.said, class_="mt-warning" if note.level == "warning" else "mt-quiet")


SEVERITIES = ("neutral", "minor", "major", "critical")  # from mild to severe, as the marks' colours


GAP = "\N{OPEN BOX}"  # shown for marked whitespace, where a word is missing


def marked_text(text: str, spans: Sequence[Span]) -> Markup:
    """Return the text with marks in the colour of the most severe error; the rest is escaped."""
    pieces = []
    edges = {0, len(text), *(min(edge, len(text)) for span in spans for edge in (span.start, span.end))}
    for start, end in pairwise(sorted(edges)):
        if not (here := [span for span in spans if span.start <= start and end <= span.end]):
            pieces.append(escape(text[start:end]))
            continue
        said = [span.severity.strip().lower() for span in here]
        worst = max(SEVERITIES, key=lambda one: one in said and SEVERITIES.index(one))  # others are neutral
        title, look = "; ".join(dict.fromkeys(span.title for span in here)), f"mt-marked mt-severity-{worst}"
        is_gap = all(text[span.start : span.end].isspace() for span in here)
        title = f"{MISSING_WORD}: {title}" if is_gap else title
        pieces.append(tag("mark", GAP if is_gap else text[start:end], class_=look, title=title))
    return join(pieces)


def example_block(example: Example) -> Markup:
    """Return the texts of an example with its errors marked, and what annotators said."""
    rows = [*example.texts, ("Output", marked_text(example.output, example.spans) or "not loaded")]
    cells = [part for label, text in rows for part in (tag("dt", label), tag("dd", text, dir="auto"))]
    return tag("dl", *cells, tag("dt", "Marked"), *(tag("dd", one) for one in example.said), class_="mt-example")


_STYLE = Path(__file__).with_name("page.css")
FIGURES_SCRIPT = Path(__file__).with_name("page.js")
TABLES_SCRIPT = Path(__file__).with_name("tables.js")  # on pages, too
# Whatever text got into the file, nothing is loaded from anywhere.
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:; font-src data:"
)


def html_page(title: str, lead: str, chapters: Iterable[tuple[str, Iterable[Markup | go.Figure]]]) -> str:
    """Return a file with markup and figures under headings, and links to the headings at the top."""
    links, body, numbers = [], list[Markup](), count(1)
    for place, (heading, parts) in enumerate(chapters):
        links.append(tag("li", tag("a", heading, href=f"#section-{place}")))
        body.append(tag("h2", heading, id=f"section-{place}"))
        body += [part if isinstance(part, Markup) else figure_block(part, f"figure-{next(numbers)}") for part in parts]
    scripts = [raw("script", figures.style.script())] if next(numbers) > 1 else []
    scripts += [raw("script", script.read_text(encoding="utf-8")) for script in (FIGURES_SCRIPT, TABLES_SCRIPT)]
    top = (tag("h1", title), tag("p", lead), tag("nav", tag("ul", *links)))
    fits_phones = Markup('<meta name="viewport" content="width=device-width, initial-scale=1">')
    return document(title, (BLOCKS, _STYLE), tag("body", *top, *body, *scripts), fits_phones)


def document(title: str, styles: Iterable[Path], body: Markup, *meta: Markup) -> str:
    """Return a file that loads nothing over the network."""
    policy = Markup(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">')
    style = raw("style", "".join(path.read_text(encoding="utf-8") for path in styles))
    head = tag("head", Markup('<meta charset="utf-8">'), policy, *meta, tag("title", title), style)
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def figure_block(figure: go.Figure, name: str, sized: str = "min-height") -> Markup:
    """Return the placeholder of a figure, and its JSON."""
    height = f"{sized}:{figure.layout.height or 400}px"
    data = Markup(f'<script type="application/json" id="{name}">{figure_json(figure)}</script>')
    return join((tag("div", class_="mt-figure", data_figure=name, style=height), data))


def styled(*parts: Markup) -> Markup:
    """Return blocks with their style sheet, e.g. for a notebook."""
    return tag("div", raw("style", BLOCKS.read_text(encoding="utf-8")), *parts)


def figure_json(figure: go.Figure) -> str:
    """Return a figure as JSON; the page's script sets its colours."""
    return safe_json(figures.style.as_json(figure))


def safe_json(text: str) -> str:
    """Return JSON in which no text can end the script element."""
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def raw(name: str, content: str) -> Markup:
    """Return an element with trusted content."""
    return Markup(f"<{name}>{content}</{name}>")
