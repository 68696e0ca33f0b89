"""The segment that is open, and the ways from one to the next: buttons, keys, its number.

A browser sends with every request what its widgets say, and it may not have heard of the last step yet. The place is
therefore kept beside the widgets, and steps count from it. Keys are counted in the browser, so that those pressed while
the page is being drawn are not lost.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from mteval.base.arrays import IntArray
from mteval.render.html import tag
from mteval.ui.parts.choices import IN_ADDRESS
from mteval.ui.parts.tables import show
from mteval.ui.segments.compared_runs import SegmentData

OPEN = "seg-open"  # the widget: counts from 1, stands in the address
AT, STEPS, ASKED, SOUGHT = "segments-at", "segments-steps", "segments-asked", "segments-sought"
KEYS, COUNTED = "segments-keys", "segments-keys-counted"
JS = """
const steps = { n: ['table', 1], p: ['table', -1], d: ['corpus', 1], u: ['corpus', -1] };
const counts = new WeakMap();
export default function ({ parentElement, setStateValue }) {
  const count = counts.get(parentElement) ?? { id: `${Date.now()}-${Math.random()}`, table: 0, corpus: 0 };
  counts.set(parentElement, count);
  const press = (event) => {
    const step = steps[event.key.toLowerCase()];
    const box = parentElement.host ?? parentElement;
    if (!box.isConnected || box.offsetParent === null) return;  // another view is open
    if (!step || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    const at = event.composedPath()[0];
    if (at.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(at.tagName)) return;
    count[step[0]] += step[1];
    setStateValue('moved', { ...count });
  };
  document.addEventListener('keydown', press);
  return () => document.removeEventListener('keydown', press);
}
"""


def open_one(data: SegmentData, segments: IntArray) -> int:
    """The segment that is open (zero-based); where none is, the first of the table is opened.

    So it is after a search, unless the one that is open is among those found.
    """
    steps, asked = st.session_state.pop(STEPS, None), st.session_state.pop(ASKED, None)
    is_sought = st.session_state.pop(SOUGHT, False)
    at = st.session_state.get(AT)
    if steps is not None and at is not None:  # what else came with the steps is older than the last of them
        at = moved(segments, at, steps, data.test_set.documents or data.test_set.n_segments * ("",))
    else:
        at = asked if asked is not None else (st.session_state.get(OPEN) or 0) - 1
    if not 0 <= at < data.test_set.n_segments or (is_sought and len(segments) and at not in segments):
        at = int(segments[0]) if len(segments) else 0
    st.session_state[AT] = at
    if st.session_state.get(OPEN) != at + 1:
        st.session_state[OPEN] = at + 1
    return at


def moved(segments: IntArray, at: int, steps: tuple[int, int], documents: Sequence[str]) -> int:
    """The segment so many steps on, first in the table, then in its document; neither goes beyond its ends.

    From a segment that is not in the table, the first step ahead leads to the table's first.
    """
    in_table, in_corpus = steps
    if in_table and len(segments):
        rows = np.flatnonzero(segments == at)
        row = (int(rows[0]) if len(rows) else -1) + in_table
        if len(rows) or row >= 0:
            at = int(segments[min(max(row, 0), len(segments) - 1)])
    first, last = _document_around(documents, at)
    return min(max(at + in_corpus, first), last)


def _document_around(documents: Sequence[str], at: int) -> tuple[int, int]:
    """The first and the last segment of the stretch of a document that a segment stands in."""
    first = last = at
    while first > 0 and documents[first - 1] == documents[at]:
        first -= 1
    while last + 1 < len(documents) and documents[last + 1] == documents[at]:
        last += 1
    return first, last


def opened_segment_number() -> int:
    """The open segment, zero-based, once ``open_one`` was called."""
    return int(st.session_state[AT])


def open_what_is_found() -> None:
    """Go to the first of the table unless the open one is in it. A callback of what searches."""
    st.session_state[SOUGHT] = True


def ask_for(segment: int) -> None:
    """Open a segment. A callback."""
    st.session_state[ASKED] = segment


def step_buttons(data: SegmentData, segments: IntArray) -> None:
    """Next and previous, in the table's order and in the document."""
    n_segments, opened = data.test_set.n_segments, opened_segment_number()
    documents = data.test_set.documents
    first, last = (0, n_segments - 1) if documents is None else _document_around(documents, opened)
    whole = "test set" if documents is None else "document"
    row = int(np.flatnonzero(segments == opened)[0]) if opened in segments else -1
    before, after, number, up, down = st.columns([1.5, 1.4, 1.2, 2.6, 2.4], vertical_alignment="bottom")
    _step(before, "Previous", (-1, 0), row > 0, "P", ":material/arrow_back:")
    _step(after, "Next", (1, 0), row < len(segments) - 1, "N", ":material/arrow_forward:")
    # without a value of its own the first segment, too, stands in the address
    number.number_input("Segment", 1, n_segments, value=None, step=1, key=OPEN, **IN_ADDRESS)
    _step(up, f"Previous in the {whole}", (0, -1), opened > first, "U", ":material/arrow_upward:")
    _step(down, f"Next in the {whole}", (0, 1), opened < last, "D", ":material/arrow_downward:")
    where = f"{row + 1:,} of {len(segments):,} in the table" if row >= 0 else "not among those in the table"
    document = "" if documents is None else f" · {documents[opened]}"
    show(tag("p", f"{where}{document}", class_="mt-quiet mt-where"))


def listen_for_keys() -> None:
    """Let the keys on the buttons step; drawn last, as it takes a line that shows nothing."""
    _keys()(key=KEYS, default={"moved": None}, on_moved_change=_take_keys, height=1)


def _step(column: Any, label: str, steps: tuple[int, int], is_possible: bool, key: str, icon: str) -> None:
    column.button(
        f"{label} :gray[{key}]",
        key=f"step-{key}",
        icon=icon,
        help=f"Key {key}: {'in the order of the table' if steps[0] else 'as they stand in the files'}",
        disabled=not is_possible,
        on_click=_add,
        args=steps,
        width="stretch",
    )


def _add(in_table: int, in_corpus: int) -> None:
    """Remember steps for the run that follows. A callback."""
    table, corpus = st.session_state.get(STEPS) or (0, 0)
    st.session_state[STEPS] = (table + in_table, corpus + in_corpus)


@st.cache_resource(show_spinner=False)
def _keys() -> Any:
    """Registered once a server."""
    return st.components.v2.component("mteval_segment_keys", js=JS)


def _take_keys() -> None:
    """Add what was pressed since the last time; the browser counts from nothing whenever the page is opened."""
    count = (st.session_state.get(KEYS) or {}).get("moved")
    if count is None:
        return
    page, table, corpus = count["id"], int(count["table"]), int(count["corpus"])
    known = st.session_state.get(COUNTED, {})
    known_table, known_corpus = known.get(page, (0, 0))
    st.session_state[COUNTED] = {page: (table, corpus)}
    _add(table - known_table, corpus - known_corpus)
