"""HTML from trusted parts and untrusted text.

File names, system names and segments are untrusted: every string that is not ``Markup`` is escaped, and bidirectional
control characters are made visible. A report is one file that opens offline, in light and dark.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import markupsafe
from markupsafe import Markup

from mteval import figures
from mteval.answers.section import Cell, Column, Note, Section, Table
from mteval.base.words import visible
from mteval.values.marked_text import MISSING_WORD, Example, Span
from mteval.values.verdict import Conclusion

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["BLOCKS", "TABLES_SCRIPT", "Markup", "escape", "join", "scrolling", "tag"]

BLOCKS = Path(__file__).with_name("blocks.css")  # the look of tables and answers, on pages and in reports
PAGE_STYLE = Path(__file__).with_name("page.css")
FIGURES_SCRIPT = Path(__file__).with_name("page.js")
TABLES_SCRIPT = Path(__file__).with_name("tables.js")  # on pages, too

# Whatever text got into the file, nothing is loaded from anywhere
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:; font-src data:"
)

# In words of more than a dozen characters; "p_run" and "test-set" stay whole
BREAK_IN_NAME = re.compile(r"(?<=[^\W_][_-])(?=[^\W_])")
SHAPE = re.compile(rf" +([{''.join(conclusion.shape for conclusion in Conclusion)}]) ")  # before the word it stands for
LONG_WORD = re.compile(r"[\w-]{13,}")
SHORT = 12  # brackets of at most so many characters are kept on one line in headings
STRONGEST_TINT = 45  # percent of the colour of a verdict behind text, which stays readable in light and dark
MANY_COLUMNS = 8  # the reader of so many may want to hide some
LOOK_OF_KIND = {"word": "mt-name mt-wrap", "text": "mt-name mt-wrap", "verdict": "mt-name"}

# Patterns of TeX in headings, and what is shown
TEX = (
    (re.compile(r"\\overline\{s\}"), "s\N{COMBINING MACRON}"),
    (re.compile(r"_\{\\text\{(.*?)\}\}"), r"<sub>\1</sub>"),
    (re.compile(r"\\Delta"), "Δ"),
    (re.compile(r"\$([np])"), r"<i>\1</i>"),
    (re.compile(r"\$"), ""),
)

SEVERITIES = ("neutral", "minor", "major", "critical")  # from mild to severe, as the marks' colours
GAP = "\N{OPEN BOX}"  # shown for marked whitespace, where a word is missing


def escape(text: str) -> Markup:
    """Return text escaped; markup is unchanged."""
    if isinstance(text, Markup):
        return text
    return markupsafe.escape(visible(text))


def breakable(name: str) -> Markup:
    """Return a name that may be broken after ``_`` and ``-``, so that no line ends inside a word."""
    if isinstance(name, Markup):
        return name
    return Markup(LONG_WORD.sub(lambda word: BREAK_IN_NAME.sub("<wbr>", word.group()), escape(name)))


def tag(name: str, *children: str, **attributes: str | None) -> Markup:
    """Return an element, without attributes that are None.

    Attribute names lose a trailing underscore (``class_``); others become hyphens.
    """
    opening = name
    for attribute, value in attributes.items():
        if value is not None:
            opening += f' {attribute.rstrip("_").replace("_", "-")}="{escape(value)}"'
    return Markup(f"<{opening}>{join(children)}</{name}>")


def scrolling(table: Markup) -> Markup:
    """Return a table that scrolls if it is wider than the page."""
    return tag("div", table, class_="mt-scroll", tabindex="0")


def join(parts: Iterable[str], separator: str = "") -> Markup:
    """Return parts joined, with text escaped."""
    return escape(separator).join(map(escape, parts))


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
        if section.legend:
            yield tag("p", section.legend, class_="mt-quiet")
    if section.table is not None:
        yield section_table(section.table)
    for note in section.notes:
        yield note_markup(note)
    for are_cards, parts in groupby(section.parts, key=is_card):
        if are_cards:
            yield cards(*parts)
            continue
        for part in parts:
            has_figure = any(inner.figure for inner in part.all)
            if part.is_detail and not has_figure:
                yield _folded_section(part)
            else:
                yield from section_parts(part)


def is_card(section: Section) -> bool:
    """Return whether a section is shown as a card."""
    return section.verdict is not None and section.figure is None and section.table is None


def cards(*sections: Section) -> Markup:
    """Return cards side by side."""
    return tag("div", *(card(section) for section in sections), class_="mt-verdicts")


def card(section: Section) -> Markup:
    """Return a section with a verdict as a card, or as one line if it has no title."""
    verdict = section.verdict or Cell("")
    shape = shape_of(verdict)
    word = tag("b", verdict.text)
    notes = [note_markup(note) for note in section.notes]
    if not section.title:
        line = tag("p", shape, word, " · ", " ".join(section.lead), class_="mt-verdict-line")
        return join([line, *notes])
    parts = [tag("h4", breakable(section.title)), tag("p", shape, word, class_="mt-word")]
    parts += [tag("p", text, class_="mt-gain") for text in section.lead]
    if section.terms:
        parts.append(terms(section, "mt-questions"))
    parts += notes
    parts += [_folded_section(part) for part in section.parts]
    return tag("section", *parts, class_=f"mt-verdict mt-edge-{verdict.role}")


def _folded_section(section: Section) -> Markup:
    """Return a section without figures that opens at a click on its title."""
    return folded(section.title, *(escape(part) for part in section_parts(section)))


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
    for text in section.lead:
        yield tag("p", text)
    if section.terms:
        yield terms(section)


def terms(section: Section, look: str = "mt-terms") -> Markup:
    """Return names and their texts as a list."""
    pairs = [tag("div", tag("dt", name), tag("dd", text)) for name, text in section.terms]
    return tag("dl", *pairs, class_=look)


def section_table(shown: Table, *, opens: bool = False) -> Markup:
    """Return a table with tooltips on its headings.

    Parameters
    ----------
    opens
        Whether cells are buttons that open what they are about; a script listens to them.
    """
    is_paper = shown.look == "paper"
    is_grouped = bool(shown.groups) and shown.columns[0].key == shown.groups
    # What a row is about stays in place where a table scrolls: the first column, or the second beside groups
    sticking = 1 if is_grouped else 0
    heads = []
    for place, column in enumerate(shown.columns):
        heads.append(_head(column, is_paper, sticks=place == sticking))

    blocks = shown.blocks
    bodies = []
    have_marks = [any(row[place].mark for rows in blocks for row in rows) for place in range(len(heads))]
    for rows in blocks:
        lines = []
        for row in rows:
            cells = []
            for place, (column, cell) in enumerate(zip(shown.columns, row, strict=True)):
                cells.append(_cell(column, cell, have_marks[place], sticks=place == sticking, opens=opens))
            lines.append(cells)
        if is_grouped:  # one heading beside all rows takes the place of their first cells
            lines = [cells[1:] for cells in lines]
            lines[0].insert(0, tag("th", breakable(rows[0][0].text), scope="rowgroup", rowspan=str(len(rows))))
        bodies.append(tag("tbody", *(tag("tr", *cells) for cells in lines)))

    parts = [tag("thead", tag("tr", *heads)), *bodies]
    if shown.caption and not shown.is_folded:
        parts.insert(0, tag("caption", breakable(_with_shapes_at_words(shown.caption))))
    look = f"mt-table mt-{shown.look}" if shown.look else "mt-table"
    table = scrolling(tag("table", *parts, class_=look))
    if len(heads) >= MANY_COLUMNS and not is_paper:
        table = join((_chooser(shown.columns), table))
    if shown.is_folded:
        return folded(shown.caption or "The same in numbers", table)
    return table


def _with_shapes_at_words(caption: str) -> str:
    """Keep each shape that a caption explains on the line of its word, and apart from the word before."""
    return SHAPE.sub("\N{EN SPACE}\\1\N{NO-BREAK SPACE}", caption)


def _head(column: Column, is_paper: bool, sticks: bool) -> Markup:
    """Return a heading; in papers as TeX sets it."""
    name: str = breakable(column.name)
    start, _, bracket = column.name.partition(" (")
    if is_paper:
        name = _set(column.tex or column.name)
    elif bracket[:1].isalpha() and len(bracket) <= SHORT:  # break the line before the brackets, not within
        name = join((breakable(start), " ", tag("span", f"({bracket}", class_="mt-whole")))
    classes = []
    if column.is_word:
        classes.append("mt-name")
    if sticks:
        classes.append("mt-stick")
    return tag("th", name, scope="col", class_=" ".join(classes) or None, title=column.help or None)


def _set(text: str) -> Markup:
    """Return a heading as TeX sets it."""
    for pattern, markup in TEX:
        text = pattern.sub(markup, text)
    return Markup(text)


def _chooser(columns: Sequence[Column]) -> Markup:
    """Return boxes that hide columns, for the script of tables."""
    box = '<input type="checkbox" checked data-column="{}">'
    labels = []
    for place, column in enumerate(columns):
        if not column.is_word:
            labels.append(tag("label", Markup(box.format(place)), " ", column.name))
    return tag("details", tag("summary", "Columns"), *labels, class_="mt-columns")


def _cell(column: Column, cell: Cell, is_marked: bool, sticks: bool, *, opens: bool = False) -> Markup:
    """Return a cell; if any cell of its column has a mark, there is room for one, so that digits align."""
    text: str = cell.text
    if column.kind == "word":
        text = breakable(text)
    title = None
    if column.is_word and cell.help:
        text = tag("span", text, title=cell.help, class_="mt-help")
    elif cell.help:
        title = cell.help
    if cell.dots:
        text = _strip(cell)
    elif cell.is_best:
        text = tag("b", text)

    if opens and cell.opens:
        title_of_button = cell.help or None  # read out with the number
        text = tag(
            "button", text, type="button", class_="mt-open", data_opens=json.dumps(cell.opens), title=title_of_button
        )

    parts = [text]
    if cell.shape:
        parts = [shape_of(cell), " ", text]
    if is_marked:
        parts.append(tag("span", cell.mark, class_="mt-mark"))
    if cell.below:
        parts += [" ", tag("span", cell.below, class_="mt-below")]

    classes = []
    if column.is_word:
        classes.append(LOOK_OF_KIND[column.kind])
    if sticks:
        classes.append("mt-stick")
    style = None
    if cell.tint > 0:
        classes.append(f"mt-tint-{cell.role}")
        style = f"--mt-tint:{round(STRONGEST_TINT * cell.tint)}%"
    direction = "auto" if column.kind == "text" else None  # somebody's text is written in its own direction
    return tag("td", *parts, class_=" ".join(classes) or None, style=style, dir=direction, title=title)


def _strip(cell: Cell) -> Markup:
    """Return dots and a bar on a line, with their values as text."""
    *dots, bar = [f"left:{4 + 92 * place:.1f}%;background:{cell.color}" for place in cell.dots]
    drawn = [tag("i", style=style) for style in dots]
    drawn.append(tag("b", style=bar))
    return tag("span", *drawn, class_="mt-strip", role="img", aria_label=cell.text, title=cell.text)


def note_markup(note: Note) -> Markup:
    """Return a note: grey, or in a frame for a warning."""
    look = "mt-warning" if note.level == "warning" else "mt-quiet"
    return tag("p", note.said, class_=look)


def marked_text(text: str, spans: Sequence[Span]) -> Markup:
    """Return the text with marks in the colour of the most severe error; the rest is escaped."""
    edges = {0, len(text)}
    for span in spans:
        edges |= {min(span.start, len(text)), min(span.end, len(text))}
    pieces = []
    for start, end in pairwise(sorted(edges)):
        covering = [span for span in spans if span.start <= start and end <= span.end]
        if covering:
            pieces.append(_marked_piece(text, start, end, covering))
        else:
            pieces.append(escape(text[start:end]))
    return join(pieces)


def _marked_piece(text: str, start: int, end: int, spans: Sequence[Span]) -> Markup:
    """Return a part of a text that all these spans cover."""
    severities = {span.severity.strip().lower() for span in spans}
    worst = SEVERITIES[0]  # of other severities, too
    for severity in SEVERITIES:
        if severity in severities:
            worst = severity
    title = "; ".join(dict.fromkeys(span.title for span in spans))
    piece = text[start:end]
    is_gap = all(text[span.start : span.end].isspace() for span in spans)
    if is_gap:
        title = f"{MISSING_WORD}: {title}"
        piece = GAP
    return tag("mark", piece, class_=f"mt-marked mt-severity-{worst}", title=title)


def example_block(example: Example) -> Markup:
    """Return the texts of an example with its errors marked, and what annotators said."""
    output = marked_text(example.output, example.spans) or "not loaded"
    parts = []
    for label, text in [*example.texts, ("Output", output)]:
        parts += [tag("dt", label), tag("dd", text, dir="auto")]
    parts.append(tag("dt", "Marked"))
    parts += [tag("dd", text) for text in example.comments]
    return tag("dl", *parts, class_="mt-example")


def html_page(title: str, lead: str, chapters: Iterable[tuple[str, Iterable[Markup | go.Figure]]]) -> str:
    """Return a file with markup and figures under headings, and links to the headings at the top."""
    links: list[Markup] = []
    body: list[Markup] = []
    n_figures = 0
    for place, (heading, parts) in enumerate(chapters):
        links.append(tag("li", tag("a", heading, href=f"#section-{place}")))
        body.append(tag("h2", heading, id=f"section-{place}"))
        for part in parts:
            if isinstance(part, Markup):
                body.append(part)
            else:
                n_figures += 1
                body.append(figure_block(part, f"figure-{n_figures}"))
    scripts = [raw("script", path.read_text(encoding="utf-8")) for path in (FIGURES_SCRIPT, TABLES_SCRIPT)]
    if n_figures:
        scripts.insert(0, raw("script", figures.style.script()))
    top = [tag("h1", title), tag("p", lead), tag("nav", tag("ul", *links))]
    fits_phones = Markup('<meta name="viewport" content="width=device-width, initial-scale=1">')
    return document(title, (BLOCKS, PAGE_STYLE), tag("body", *top, *body, *scripts), fits_phones)


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
