"""The experiments that were kept: the last ones to be opened in a click, all of them in a table that compares them."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from mteval.counts import agreeing, counted, listed
from mteval.errors import MtevalError
from mteval.export.small_tables import table
from mteval.library import Listed
from mteval.reporting.library.card import line_from, when
from mteval.reporting.library.change_tables import change_tables, summary
from mteval.reporting.library.changes import changes
from mteval.reporting.library.experiment import Opened, opened
from mteval.ui.parts import messages
from mteval.ui.parts.labels import as_label
from mteval.ui.parts.markup import show, tag
from mteval.ui.session.memory import remembered
from mteval.ui.setup.entry import delete, entry_here, library, mine, open_link

MOST_RECENT = 6
COMPARED = "library-compared"


def recent_experiments() -> None:
    """What this visitor kept before, and what goes next; nothing where nothing was kept."""
    try:
        kept = mine()
        due = library().due()
    except MtevalError as error:
        messages.say("warning", str(error))
        return
    here = entry_here()
    others = [one for one in kept if here is None or one.uid != here.listed.uid]
    if not others:
        return
    st.subheader("Recent experiments", anchor=False)
    for one in others[:MOST_RECENT]:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                as_label(one.name),
                key=f"open-{one.uid}",
                type="tertiary",
                icon=":material/folder_open:",
                on_click=open_link,
                args=(one.uid,),
            )
            pinned = "pinned · " if one.is_pinned else ""
            show(tag("p", f"{pinned}{line_from(one.card)} · {when(one.used)}", class_="mt-quiet"))
    going = [one for one in due if one in kept]
    if going:
        names = listed([one.name for one in going])
        text = f"The library is full: {names} {agreeing(len(going), 'goes', 'go')} when the next experiment is kept."
        messages.say("warning", f"{text} Pin what is to stay, or export it.")
    with st.expander(f"{counted(len(kept), 'experiment')}: compare, delete", icon=":material/inventory_2:"):
        _all(kept)


def _all(kept: Sequence[Listed]) -> None:
    rows = [
        {
            "Name": one.name, "What": line_from(one.card), "Note": one.note,
            "Pinned": one.is_pinned, "Last used": when(one.used),
        }
        for one in kept
    ]  # fmt: skip
    chosen = st.dataframe(
        pd.DataFrame(rows), key="library-table", hide_index=True, on_select="rerun", selection_mode="multi-row",
        height=min(38 + 35 * len(rows), 420),
    )  # fmt: skip
    selected = [kept[row] for row in chosen["selection"]["rows"] if row < len(kept)]
    with st.container(horizontal=True):
        uids = tuple(one.uid for one in selected)
        st.button("Open", key="library-open", disabled=len(uids) != 1, on_click=open_link, args=uids[:1])
        are_two = len(uids) == 2
        st.button("Compare two", key="library-compare", disabled=not are_two, on_click=_compare, args=(uids,))
        with st.popover("Delete …", disabled=not uids):
            messages.say("warning", f"{counted(len(uids), 'experiment')} will be gone, with files and numbers.")
            st.button("Delete", key="library-delete", on_click=delete, args=(uids,))
    compared = st.session_state.get(COMPARED, ())
    if len(compared) == 2:
        _show_changes(*compared)


def _compare(uids: tuple[str, ...]) -> None:
    st.session_state[COMPARED] = uids


def _show_changes(*uids: str) -> None:
    try:
        before, after = sorted(map(library().entry, uids), key=lambda one: one.created)
        found = changes(_opened(before), _opened(after))
    except MtevalError as error:
        messages.say("warning", str(error))
        return
    names = [f"{one.name}, {when(one.created)}" for one in (before, after)]
    show(tag("p", f"From {names[0]} to {names[1]}: {summary(found)}"))
    for one in change_tables(found, before.name, after.name):
        show(table(one.header, one.rows, n_words=one.n_words, caption=one.caption))


def _opened(listed: Listed) -> Opened:
    key = ("opened", listed.uid, listed.used)
    return remembered(key, lambda: opened(library().content(listed.uid)))
