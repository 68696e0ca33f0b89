"""What can be done with the experiment that is kept: a name, a note, pin, export, delete; and its link for others."""

import streamlit as st

from mteval.counts import listed
from mteval.export.bundle import zipped
from mteval.library.configuration import LINK
from mteval.reporting.library.experiment import exported
from mteval.ui.parts import messages
from mteval.ui.parts.choices import SURVIVES
from mteval.ui.parts.markup import show, tag
from mteval.ui.setup.entry import (
    DO_NOT_KEEP,
    Entry,
    delete,
    entry_here,
    is_dead_end,
    keeps_nothing,
    label,
    leave,
    problem,
)
from mteval.ui.setup.workspace import workspace

READ_ONLY = "This link is for reading: what you change here stays in this window, and nothing that is kept changes."
NOWHERE = "This link leads to no experiment on this server: it was deleted, or kept by another one. Try the sample."
LACKING = (
    "It was scored by {}, and here is no such metric now: a model is named no longer, or a package is gone. Its numbers"
    " and settings are kept until it is scored anew or its files change; name the model again and open it once more to"
    " see them."
)


def keep_switch() -> None:
    """What is kept of the files that are dropped, and the switch against it."""
    if keeps_nothing():
        show(tag("p", "Nothing is kept here: a reload of the page forgets the files.", class_="mt-quiet"))
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.toggle("Do not keep", key=DO_NOT_KEEP, on_change=_stop_keeping, **SURVIVES)
        text = (
            "The files are forgotten when the page is reloaded."
            if st.session_state.get(DO_NOT_KEEP)
            else "Files, settings and numbers are kept on the machine that serves this page, so that a reload or a link"
            " finds them again, until you delete them."
        )
        show(tag("p", text, class_="mt-quiet"))


def _stop_keeping() -> None:
    """In a callback: what is loaded stays on the page; what is kept of it stays as it is among the recent ones."""
    if st.session_state[DO_NOT_KEEP]:
        leave()


def notices() -> None:
    """What there is to say of the address and of keeping, on every page."""
    if problem():
        messages.say("warning", problem())
    elif is_dead_end():
        messages.say("warning", NOWHERE)
    here = entry_here()
    if here is not None and not here.may_edit:
        messages.say("note", READ_ONLY)
    if here is not None and here.lacking:
        messages.say("warning", LACKING.format(listed([f"'{key}'" for key in here.lacking])))


def entry_panel() -> None:
    """The panel, where the experiment is kept."""
    here = entry_here()
    if here is None:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if here.may_edit:
            _labels(here)
        st.download_button(
            "Export", data=_exported, file_name="mteval-experiment.zip", mime="application/zip", on_click="ignore",
            icon=":material/download:", key="entry-export", disabled=workspace().experiment() is None,
            help="experiment.toml with its files, for “mteval run”, or to be dropped here again",
        )  # fmt: skip
        if here.may_edit:
            with st.popover("Delete …", icon=":material/delete:", type="tertiary"):
                messages.say("warning", "Files, settings and numbers will be gone, and both links with them.")
                st.button("Delete it", on_click=delete, args=((here.listed.uid,),), key="entry-delete")


def _labels(here: Entry) -> None:
    """Name, note and pin."""
    uid, values = here.listed.uid, {"name": here.listed.name, "note": here.listed.note, "pin": here.listed.is_pinned}
    for key, value in values.items():
        st.session_state.setdefault(f"entry-{key}-{uid}", value)
    st.text_input("Name", key=f"entry-name-{uid}", on_change=_label, args=("name", uid), max_chars=200, width=240)
    st.text_input("Note", key=f"entry-note-{uid}", on_change=_label, args=("note", uid), max_chars=2000, width=360)
    st.toggle(
        "Pin", key=f"entry-pin-{uid}", on_change=_label, args=("pin", uid), help="It never makes room for others."
    )


def _label(what: str, uid: str) -> None:
    value = st.session_state[f"entry-{what}-{uid}"]
    if what != "name" or value.strip():
        label(**{what: value})


def share() -> None:
    """The link for those who may read, where the experiment is kept; ``page.js`` writes the rest of the address."""
    here = entry_here()
    if here is None:
        return
    with st.popover("Share", icon=":material/link:", type="tertiary", key="share"):
        text = "Whoever opens this link sees all pages, this one as it is here, and changes nothing that is kept."
        reader = here.listed.reader
        link = tag("code", f"?{LINK}={reader}", class_="mt-share", data_name=LINK, data_link=reader)
        show(tag("p", text), tag("p", link))


def _exported() -> bytes:
    here = entry_here()
    return b"" if here is None else zipped(exported(here.state.workspace, here.state.made))
