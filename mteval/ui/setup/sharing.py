"""Sharing an experiment: its links, the history of its last states, and changes made in another window."""

import time
from collections.abc import Mapping

import streamlit as st

from mteval.base.errors import MtevalError
from mteval.base.words import listed
from mteval.library.started import KEY
from mteval.render.html import tag
from mteval.report.kept_experiment import line_from, when
from mteval.ui.elements import SURVIVES, quiet, say, show
from mteval.ui.session.visitor import asker
from mteval.ui.setup import entry
from mteval.ui.setup.notes import SHARED

DAY = 24 * 3600.0
EXPIRY: Mapping[str, float | None] = {"never": None, "in a day": DAY, "in a week": 7 * DAY, "in 30 days": 30 * DAY}


def share() -> None:
    """Show the links of the experiment, and who changed it when; ``page.js`` writes the rest of the address."""
    here = entry.entry_here()
    if here is None:
        return
    quiet(here.listed.name)
    with st.popover("Share", icon=":material/link:", type="tertiary", key="share"):
        _link("Read-only link to all pages, starting with this view.", here.listed.reader, here.listed.reader_until)
        if not here.may_edit:
            return
        st.toggle("Readers see my error notes", key=SHARED, **SURVIVES)
        with st.expander("Link that allows changes"):
            _link(
                "Anyone who has it can change and delete the experiment.", here.listed.editor, here.listed.editor_until
            )
        with st.expander("Replace a link"):
            _replacing()
    if here.may_edit:
        menu = st.popover("History", icon=":material/history:", type="tertiary", key="history", on_change="rerun")
        if menu.open:
            with menu:
                _history(here)


def _link(text: str, secret: str, until: float | None) -> None:
    expires = "" if until is None else f" It expires on {when(until)}."
    link = tag("code", f"?{KEY}={secret}", class_="mt-share", data_name=KEY, data_link=secret)
    show(tag("p", text + expires), tag("p", link))


def _replacing() -> None:
    """Let the visitor replace a link by another, which may expire."""
    kind = st.segmented_control(
        "Link", ["Read-only", "Allows changes"], default="Read-only", key="share-kind", required=True, **SURVIVES
    )
    expiry = st.selectbox("New link expires", list(EXPIRY), key="share-expiry", **SURVIVES)
    say("warning", "The old link stops working, also for those who came by it.")
    st.button("Replace link", key="share-replace", on_click=_replace, args=(kind == "Read-only", expiry))


def _replace(is_reader: bool, expiry: str) -> None:
    seconds = EXPIRY[expiry]
    entry.replace_link(is_reader, None if seconds is None else time.time() + seconds)


def _history(here: entry.Entry) -> None:
    """Show the last states, and a way back to each."""
    try:
        states = entry.library().states(here.listed.uid)
    except MtevalError as error:
        say("warning", str(error))
        return
    you = asker()
    for state in states:
        other = "another browser" if state.who.startswith("browser ") else state.who or "command line"
        who = "you" if state.who in (you.visitor, you.name) else other
        with st.container(horizontal=True, vertical_alignment="center"):
            quiet(f"{when(state.at)} · {who} · {line_from(state.card)}")
            if state.number == here.number:
                quiet("present")
            else:
                st.button("Restore", key=f"undo-{state.number}", on_click=entry.undo, args=(state.number,))
    quiet("Restoring adds a state; nothing is lost.")


def conflict_notice() -> None:
    """Show what this window and another one changed differently, and let the visitor choose."""
    conflict = entry.conflict_here()
    if conflict is None:
        return
    say("warning", f"Changed in another window: {listed(conflict.names)}. Your values are not saved until you choose.")
    with st.container(horizontal=True):
        st.button("Keep mine", key="conflict-ours", on_click=entry.settle, args=(True,))
        st.button("Use the other window's", key="conflict-theirs", on_click=entry.settle, args=(False,))
