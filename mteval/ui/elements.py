"""Elements of pages: HTML, messages, choices, figures with their numbers, downloads, whole sections.

A name in a label, heading or tab stays text, although Streamlit reads these as Markdown. Choices survive a change of
page, a rerun, and changing options.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from mimetypes import guess_type
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NoReturn, TypeVar

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from mteval.answers.section import Column, Note, Section, Table
from mteval.base.errors import MtevalError
from mteval.base.safe_paths import safe_part
from mteval.base.words import visible
from mteval.figures.style import points_in_words
from mteval.render.frames import frame_csv
from mteval.render.html import Markup, card, cards, is_card, join, note_markup, section_table, tag, words_of
from mteval.ui.kept_files import loader_of
from mteval.values.notation import DASH, rounded

T = TypeVar("T")
Severity = Literal["error", "warning", "note", "good"]
Figure = Callable[[], go.Figure]

PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
BREAKS = re.compile(r"[\r\n\u2028\u2029]+")
# Streamlit recognizes addresses, icons and emoji after it removes the escapes. An invisible character breaks them up.
LOOKED_FOR = re.compile(r"(?<=:)(?=\S)|(?<=@)|(?<=www)(?=\.)", re.IGNORECASE)
UNSEEN = "\N{WORD JOINER}"

SYMBOLS: dict[Severity, str] = {"error": "✕", "warning": "!", "note": "i", "good": "✓"}
WORDS: dict[Severity, str] = {"error": "Problem", "warning": "Warning", "note": "Note", "good": "Good"}
LEFT = "messages-left"  # key of the session

SURVIVES: dict[str, Any] = {"persist_state": "session"}
IN_ADDRESS: dict[str, Any] = {"bind": "query-params", **SURVIVES}

MOST_NUMBERS = 500  # of a figure that are listed
MOST_ROWS = 50  # of a table that is not a grid
MOST_NOTES = 2  # that stay open below a section


@dataclass(frozen=True)
class Pick:
    """What a click on a point of a figure, or on a row of a table, does.

    Parameters
    ----------
    call
        A callback, given what belongs to the point, or the first column's value.
    what, shows
        What is clicked, and what that shows, for the line that says so; no line if ``what`` is empty.
    """

    call: Callable[[Any], None]
    what: str
    shows: str = "its segments"


def click_hint(what: str, shows: str = "its segments") -> None:
    """Say that something can be clicked: the one sentence for that on all pages."""
    quiet(f"Click {what} to see {shows}.")


def as_label(text: str) -> str:
    """Escape a name for a label: never a link, image, icon, colour or formula."""
    text = BREAKS.sub(" ", visible(text))
    text = LOOKED_FOR.sub(UNSEEN, text)
    return PUNCTUATION.sub(r"\\\1", text)


def show(*parts: str) -> None:
    """Put HTML on the page."""
    if parts:
        st.html(join(parts))


def quiet(text: str) -> None:
    """Put a line in grey on the page."""
    show(tag("p", text, class_="mt-quiet"))


def download(label: str, name: str, content: pd.DataFrame | Callable[[], str | bytes], **how: Any) -> None:
    """Show a button that saves a frame as CSV, or the result of a function that is called when it is pressed.

    Parameters
    ----------
    name
        Of the file; what kind of file it is follows from it.
    how
        Other arguments of ``download_button``.
    """
    write: Callable[[], str | bytes]
    if isinstance(content, pd.DataFrame):
        write = partial(frame_csv, content)
    else:
        write = content
    how = {"icon": ":material/download:", "key": f"download-{name}", "mime": guess_type(name)[0], **how}
    st.download_button(label, write, safe_part(name), on_click="ignore", **how)


WORTH_KEEPING = 512  # characters of a script; a shorter one is sent


@st.cache_resource(show_spinner=False)
def component(path: Path, *before: Path) -> Any:
    """Register a component once per server: a script, with the style and HTML beside it, after other scripts."""
    scripts = (*before, path)
    parts: dict[str, Any] = {}
    for kind in ("js", "css", "html"):
        files = [script.with_suffix(f".{kind}") for script in scripts]
        text = "".join(file.read_text(encoding="utf-8") for file in files if file.is_file())
        if text:
            parts[kind] = text
    loader = loader_of(scripts)
    if loader is not None and len(parts["js"]) > WORTH_KEEPING:
        parts["js"] = loader
        parts.pop("css", None)  # it comes with the script
    return st.components.v2.component(f"mteval_{path.stem}", **parts)


@contextmanager
def errors_left() -> Iterator[None]:
    """In a callback: end the block at an error, and leave its message for the page."""
    try:
        yield
    except MtevalError as error:
        leave("error", str(error))


@contextmanager
def errors_end_the_page() -> Iterator[None]:
    """End the page with the message if there is an error within."""
    try:
        yield
    except MtevalError as error:
        end("error", str(error))


def message(severity: Severity, text: str, where: str | None = None) -> Markup:
    """Return a message with its severity as symbol, colour and word; ``where`` is set off before it."""
    symbol = tag("span", SYMBOLS[severity], class_="mt-symbol", role="img", aria_label=WORDS[severity])
    words = text
    if where:
        words = join([tag("code", where), text], " ")
    return tag("div", symbol, tag("div", words), class_=f"mt-message mt-{severity}")


def say(severity: Severity, text: str, where: str | None = None) -> None:
    """Put a message on the page."""
    show(message(severity, text, where))


def end(severity: Severity, text: str) -> NoReturn:
    """Put a message on the page, and end the page."""
    say(severity, text)
    st.stop()


def leave(severity: Severity, text: str) -> None:
    """In a callback, which runs before the page is drawn: keep a message for the page."""
    st.session_state.setdefault(LEFT, []).append((severity, text))


def show_left() -> None:
    """Show messages left by callbacks, once."""
    for severity, text in st.session_state.pop(LEFT, []):
        say(severity, text)


def choose(
    label: str,
    options: Sequence[T] | Mapping[T, str],
    key: str,
    *,
    default: T | None = None,
    where: Any = st,
    in_address: bool = True,
    **how: Any,
) -> T:
    """Choose one option: the last choice if it still exists, else the default, else the first.

    Parameters
    ----------
    options
        A mapping gives the label of each.
    where
        Container for the widget.
    in_address
        Whether to keep the choice in the page's address, so that a link restores it.
    how
        Other arguments of ``selectbox``.
    """
    values = list(options)
    index = 0
    if default is not None:
        index = values.index(default)
    keep_among(values, key, values[index])
    kept = _kept(key, in_address)
    how["format_func"] = _visible_names(options, how.get("format_func", str))
    value: T = where.selectbox(label, values, index=index, key=key, **kept, **how)
    return value


def width_for(names: Collection[str]) -> int:
    """Return the width of a select box in pixels in which the longest of some names is readable, within limits."""
    longest = max(len(name) for name in names)
    return min(max(150, 60 + 9 * longest), 420)


def choose_some(
    label: str,
    options: Sequence[T] | Mapping[T, str],
    key: str,
    *,
    default: Sequence[T] = (),
    where: Any = st,
    in_address: bool = True,
    **how: Any,
) -> list[T]:
    """Choose some options; the default if one of the last choices no longer exists."""
    keep_among(options, key, list(default))
    kept = _kept(key, in_address)
    how["format_func"] = _visible_names(options, how.get("format_func", str))
    values: list[T] = where.multiselect(label, list(options), default=list(default), key=key, **kept, **how)
    return values


def _kept(key: str, in_address: bool) -> dict[str, Any]:
    """Return the arguments that keep a choice, and note whether it is in the address."""
    if not in_address:
        return SURVIVES
    keys_in_address().add(key)
    return IN_ADDRESS


def _visible_names(options: Collection[T], otherwise: Callable[[T], object]) -> Callable[[T], str]:
    """Return what names an option: its label if there are labels; hidden characters are made visible."""
    name_of = otherwise
    if isinstance(options, Mapping):
        name_of = options.__getitem__

    def visible_name(option: T) -> str:
        return visible(str(name_of(option)))

    return visible_name


def keep_among(options: Collection[Any], key: str, otherwise: Any) -> None:
    """Reset a widget whose value is no longer among its options.

    Set the value instead of deleting it: otherwise the browser still shows the old choice.
    """
    value = st.session_state.get(key)
    if value is None:
        return
    values = value if isinstance(value, list) else [value]
    if any(value not in options for value in values):
        st.session_state[key] = otherwise


def is_drawn(panel: Any, usual: Mapping[str, object]) -> bool:
    """Return whether to draw the widgets of a panel: it is open, or one of them may have an unusual value.

    The browser gets what is drawn. Nothing is lost: widgets that are not drawn have their usual values, which are
    not in the page's address either.

    Parameters
    ----------
    panel
        A popover or an expander that reruns the page when it opens.
    usual
        The default value of each widget, by key.
    """
    if panel.open:
        return True
    return any(key in st.query_params or st.session_state.get(key, value) != value for key, value in usual.items())


def keys_in_address() -> set[str]:
    """Return the keys of the choices kept in the page's address."""
    keys: set[str] = st.session_state.setdefault("keys-in-address", set())
    return keys


def choose_tab(names: Sequence[str], key: str, default: str | None = None) -> Sequence[Any]:
    """Show tabs, of which only the open one is drawn; it is kept in the address and across pages."""
    keep_among(names, key, names[0])
    key_of_last = f"{key} as it was left"
    last = st.session_state.get(key_of_last)
    if key not in st.session_state and last in names:
        st.session_state[key] = last
    tabs = st.tabs(list(names), key=key, default=default, on_change="rerun", bind="query-params")
    open_names = [name for name, tab in zip(names, tabs, strict=True) if tab.open]
    st.session_state[key_of_last] = open_names[0] if open_names else None
    return tabs


def show_tabs(views: Mapping[str, Callable[[T], None]], key: str, subject: T, default: str | None = None) -> None:
    """Show tabs, if there are any; a function draws the open one from what the page is about."""
    if not views:
        return
    tabs = choose_tab(list(views), key, default)
    for tab, view in zip(tabs, views.values(), strict=True):
        if tab.open:
            with tab:
                view(subject)


NO_PICKS: Mapping[str, Pick] = MappingProxyType({})


def show_section(
    section: Section,
    *,
    has_title: bool = True,
    draw: Callable[[Figure], go.Figure] = lambda figure: figure(),
    on_pick: Pick | None = None,
    picks: Mapping[str, Pick] = NO_PICKS,
    **how: Any,
) -> None:
    """Show a section: heading, answer, figure, table, notes; details are folded.

    Parameters
    ----------
    has_title
        Whether to show its title; those of the sections below are always shown.
    draw
        Draws its figures.
    on_pick
        For a click on a row of its table, which becomes a grid, or on a point of its figure.
    picks
        For clicks on points of figures, by key of the section; also of those below it.
    how
        Other arguments of ``grid``.
    """
    if is_card(section):
        show(card(section))
        return
    if section.title and has_title:
        st.subheader(as_label(section.title), anchor=False)
    show(*words_of(section))
    pick = on_pick or picks.get(section.key)
    has_what_is_clicked = True
    if section.figure is not None:
        figure = draw(section.figure)
        has_what_is_clicked = _has_points(figure)
        _show_figure(section.key, figure, pick)
        if section.legend:
            quiet(section.legend)
    if pick is not None and pick.what and has_what_is_clicked:
        click_hint(pick.what, pick.shows)
    if section.table is not None:
        _show_table(f"{section.key}-table", section.table, on_pick, **how)
    show_notes(section.notes)
    # Cards that follow each other are beside each other
    for are_cards, parts in groupby(section.parts, key=is_card):
        if are_cards:
            show(cards(*parts))
            continue
        for part in parts:
            if part.is_detail:
                with st.expander(as_label(part.title)):
                    show_section(part, has_title=False, draw=draw, picks=picks)
            else:
                show_section(part, draw=draw, picks=picks)


def _has_points(figure: go.Figure) -> bool:
    """Return whether a figure has points that a click is about: those with data behind them, and bars of a height."""
    for trace in figure.data:
        if trace.customdata is None or len(trace.customdata) == 0:
            continue
        if trace.type != "bar":
            return True
        heights = trace.x if trace.orientation == "h" else trace.y
        if any(heights):
            return True
    return False


def _show_figure(key: str, figure: go.Figure, on_pick: Pick | None) -> None:
    """Show a figure, whose points may be clicked."""
    if on_pick is None:
        chart(figure, key)
        return

    def picked() -> None:
        points = st.session_state[key]["selection"]["points"]
        if points and "customdata" in points[0]:
            on_pick.call(points[0]["customdata"])

    chart(figure, key, on_select=picked, selection_mode="points")


def _show_table(key: str, table: Table, on_pick: Pick | None, **how: Any) -> None:
    """Show a table as HTML if it is short; as a grid if it is long or its rows may be clicked."""
    if on_pick is not None:
        grid(table, key, on_pick=on_pick, **how)
    elif len(table.frame) > MOST_ROWS:
        written_grid(table, key)
    else:
        show(section_table(table, opens=True))


def show_notes(notes: Iterable[Note]) -> None:
    """Show notes. Warnings stay open; more than ``MOST_NOTES`` others are folded together."""
    quiet_notes = []
    for note in notes:
        if note.level == "warning":
            say("warning", note.said)
        else:
            quiet_notes.append(note_markup(note))
    if len(quiet_notes) > MOST_NOTES:
        show(tag("details", tag("summary", "Notes"), *quiet_notes, class_="mt-numbers"))
    else:
        show(*quiet_notes)


def chart(figure: go.Figure, key: str, **how: Any) -> None:
    """Show a figure and, folded below it, its numbers. The key T opens and closes those of a page.

    Parameters
    ----------
    how
        Other arguments of ``plotly_chart``.
    """
    st.plotly_chart(figure, config={"displayModeBar": False}, key=key, **how)
    summary = tag("summary", "Numbers ", tag("kbd", "T"))
    numbers = tag("div", numbers_of(figure, "mt-list"), tabindex="0")  # scrolls by keys
    show(tag("details", summary, numbers, class_="mt-numbers"))


def numbers_of(figure: go.Figure, look: str = "mt-unseen") -> Markup:
    """Return the numbers of a figure as a list, by default for screen readers only."""
    points = points_in_words(figure)
    texts = list(points[:MOST_NUMBERS])
    if len(points) > MOST_NUMBERS:
        texts.append(f"and {len(points) - MOST_NUMBERS:,} more")
    return tag("ul", *(tag("li", text) for text in texts), class_=look)


def grid(
    shown: Table, key: str, *, on_pick: Pick | Literal["rerun"] | None = None, sized: Iterable[str] = (), **how: Any
) -> list[int]:
    """Show a sortable table for many rows, and return the selected rows.

    Parameters
    ----------
    shown
        Its numbers stay numbers, rounded as they are written elsewhere: the grid would round them in another way, and
        write ``-0.0``.
    on_pick
        For a click on a row; ``rerun`` only reruns the page.
    sized
        Keys of columns that are wide.
    how
        Other arguments of ``dataframe``, which win over those that follow from the table.
    """

    def picked() -> None:
        rows = selected_rows(st.session_state[key], len(shown.frame))
        if rows and isinstance(on_pick, Pick):
            on_pick.call(shown.frame[shown.columns[0].key].iloc[rows[0]])

    config = {}
    for column in shown.columns:
        width = "large" if column.key in sized else None
        config[column.key] = column_config(column, width)
    config[shown.columns[0].key]["pinned"] = True
    arguments: dict[str, Any] = {"column_config": config, "key": key, "hide_index": True}
    if on_pick is not None:
        arguments["on_select"] = picked if isinstance(on_pick, Pick) else on_pick
        arguments["selection_mode"] = "single-row"
    event = st.dataframe(grid_frame(shown), **{**arguments, **how})
    if on_pick == "rerun":
        return selected_rows(event, len(shown.frame))
    return []


def selected_rows(state: Mapping[str, Any], n_rows: int) -> list[int]:
    """Return the selected rows of a table, without any that it does not have: browsers can send any number."""
    return [row for row in state["selection"]["rows"] if row < n_rows]


def editor(frame: pd.DataFrame, key: str, **how: Any) -> pd.DataFrame:
    """Show a table for editing, and return it as it was edited.

    Edits of rows or columns that it does not have are forgotten, and the page is drawn again.

    Parameters
    ----------
    how
        Other arguments of ``data_editor``.
    """
    try:
        edited: pd.DataFrame = st.data_editor(frame, key=key, **how)
    except (IndexError, KeyError):  # of pandas
        if not any(st.session_state[key].values()):
            raise
        del st.session_state[key]
        st.rerun()
    return edited


def written_grid(shown: Table, key: str) -> None:
    """Show a table of very many rows, to sort and search; its numbers are those written elsewhere."""
    heads = [column.short or column.name for column in shown.columns]
    rows = [[cell.plain for cell in cells] for cells in shown.cells]
    frame = pd.DataFrame(rows, columns=heads)
    config = {}
    for head, column in zip(heads, shown.columns, strict=True):
        arguments: dict[str, Any] = {"help": column.help or None, "pinned": column.key == shown.columns[0].key}
        # Read back as numbers, so that the grid sorts them; empty cells may be among them
        texts = frame[head].replace(DASH, "")
        plain_texts = texts.str.replace("\N{MINUS SIGN}", "-").str.replace(",", "")
        numbers = pd.to_numeric(plain_texts, errors="coerce")
        are_numbers = (numbers.notna() | (texts == "")).all()
        if column.is_word or column.kind == "p" or not are_numbers:
            config[head] = st.column_config.TextColumn(head, **arguments)
        else:
            n_decimals = texts.str.partition(".")[2].str.len().max()
            config[head] = st.column_config.NumberColumn(head, format=f"%.{n_decimals}f", **arguments)
            frame[head] = numbers
    show(tag("p", shown.caption, class_="mt-quiet"))
    st.dataframe(frame, column_config=config, key=key, hide_index=True)


def grid_frame(shown: Table) -> pd.DataFrame:
    """Return the columns of a table as a grid shows them."""
    frame = shown.frame[[column.key for column in shown.columns]]
    written: dict[str, Any] = {}
    for column in shown.columns:
        if column.kind == "p":  # a bound if it is tiny, which sorts as text, too
            written[column.key] = [column.cell(row).text for row in shown.rows]
        elif column.digits is not None:
            written[column.key] = rounded(shown.frame[column.key], column.digits)
    return frame.assign(**written)


def column_config(column: Column, width: Any = None) -> Any:
    """Return how a grid shows a column."""
    head = column.short or column.name
    help = column.help or None
    if column.is_word or column.kind == "p":
        return st.column_config.TextColumn(head, help=help, width=width)
    n_decimals = column.digits or 0
    return st.column_config.NumberColumn(head, help=help, width=width, format=f"%.{n_decimals}f")
