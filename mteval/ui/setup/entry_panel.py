"""What can be done with the experiment that is kept: a name, a note, pin, export, delete; and its link for others.

The experiments that were kept: the last ones to be opened in a click, all of them in a table that compares them.

The folder that the dashboard was started to look at: runs that training adds to it are offered.
"""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from mteval.analysis.replication.planning import plan_from, usual_wish
from mteval.analysis.results import Results
from mteval.answers.changes import changes, changes_section
from mteval.answers.planner import plan_sentences
from mteval.answers.replication import Subject
from mteval.base.errors import MtevalError
from mteval.base.words import agreeing, counted, listed
from mteval.library import Listed
from mteval.library.shelf import LINK, watched
from mteval.readers.disk import FolderGrowth
from mteval.readers.workspace import Workspace
from mteval.render.bundle import zipped
from mteval.render.html import tag
from mteval.report.kept_experiment import Opened, exported, line_from, opened, when
from mteval.ui.parts import messages
from mteval.ui.parts.choices import SURVIVES
from mteval.ui.parts.section import show_section
from mteval.ui.parts.tables import as_label, show
from mteval.ui.session.memory import made_once, of_session
from mteval.ui.setup import entry
from mteval.ui.setup.workspace import generation, loaded_experiment, reading, run_word, take, workspace
from mteval.values.model import Experiment
from mteval.values.service import is_demo

READ_ONLY = "This link is for reading: what you change here stays in this window, and nothing that is kept changes."
NOWHERE = "This link leads to no experiment on this server: it was deleted, or kept by another one. Try the sample."
LACKING = (
    "It was scored by {}, and here is no such metric now: a model is named no longer, or a package is gone. Its numbers"
    " and settings are kept until it is scored anew or its files change; name the model again and open it once more to"
    " see them."
)


def keep_switch() -> None:
    """What is kept of the files that are dropped, and the switch against it."""
    if is_demo():
        show(tag("p", "Nothing is kept here: a reload of the page forgets the files.", class_="mt-quiet"))
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.toggle("Do not keep", key=entry.DO_NOT_KEEP, on_change=_stop_keeping, **SURVIVES)
        text = (
            "The files are forgotten when the page is reloaded."
            if st.session_state.get(entry.DO_NOT_KEEP)
            else "Files, settings and numbers are kept on the machine that serves this page, so that a reload or a link"
            " finds them again, until you delete them."
        )
        show(tag("p", text, class_="mt-quiet"))


def _stop_keeping() -> None:
    """In a callback: what is loaded stays on the page; what is kept of it stays as it is among the recent ones."""
    if st.session_state[entry.DO_NOT_KEEP]:
        entry.leave()


def notices() -> None:
    """What there is to say of the address and of keeping, on every page."""
    if entry.problem():
        messages.say("warning", entry.problem())
    elif entry.is_dead_end():
        messages.say("warning", NOWHERE)
    here = entry.entry_here()
    if here is not None and not here.may_edit:
        messages.say("note", READ_ONLY)
    if here is not None and here.lacking:
        messages.say("warning", LACKING.format(listed([f"'{key}'" for key in here.lacking])))


def entry_panel() -> None:
    """The panel, where the experiment is kept."""
    here = entry.entry_here()
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
                st.button("Delete it", on_click=entry.delete, args=((here.listed.uid,),), key="entry-delete")


def _labels(here: entry.Entry) -> None:
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
        entry.label(**{what: value})


def share() -> None:
    """The link for those who may read, where the experiment is kept; ``page.js`` writes the rest of the address."""
    here = entry.entry_here()
    if here is None:
        return
    with st.popover("Share", icon=":material/link:", type="tertiary", key="share"):
        text = "Whoever opens this link sees all pages, this one as it is here, and changes nothing that is kept."
        reader = here.listed.reader
        link = tag("code", f"?{LINK}={reader}", class_="mt-share", data_name=LINK, data_link=reader)
        show(tag("p", text), tag("p", link))


def _exported() -> bytes:
    here = entry.entry_here()
    return b"" if here is None else zipped(exported(here.state.workspace, here.state.made))


MOST_RECENT = 6
COMPARED = "library-compared"


def recent_experiments() -> None:
    """What this visitor kept before, and what goes next; nothing where nothing was kept."""
    try:
        kept = entry.mine()
        due = entry.library().due()
    except MtevalError as error:
        messages.say("warning", str(error))
        return
    here = entry.entry_here()
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
                on_click=entry.open_link,
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
        st.button("Open", key="library-open", disabled=len(uids) != 1, on_click=entry.open_link, args=uids[:1])
        are_two = len(uids) == 2
        st.button("Compare two", key="library-compare", disabled=not are_two, on_click=_compare, args=(uids,))
        with st.popover("Delete …", disabled=not uids):
            messages.say("warning", f"{counted(len(uids), 'experiment')} will be gone, with files and numbers.")
            st.button("Delete", key="library-delete", on_click=entry.delete, args=(uids,))
    compared = st.session_state.get(COMPARED, ())
    if len(compared) == 2:
        _show_changes(*compared)


def _compare(uids: tuple[str, ...]) -> None:
    st.session_state[COMPARED] = uids


def _show_changes(*uids: str) -> None:
    try:
        before, after = sorted(map(entry.library().entry, uids), key=lambda one: one.created)
        # by the time of its last use, too: it is another one when it was opened and changed
        found = changes(*(made_once(_content, one.uid, one.used) for one in (before, after)))
    except MtevalError as error:
        messages.say("warning", str(error))
        return
    names = [f"{one.name}, {when(one.created)}" for one in (before, after)]
    section = changes_section(found, before.name, after.name)
    lead = tuple(f"From {names[0]} to {names[1]}: {text}" for text in section.lead)
    show_section(replace(section, lead=lead))


def _content(uid: str, used: float) -> Opened:
    return opened(entry.library().content(uid))


SECONDS = 5  # between two looks
GROWTH, TRIED = "watched-folder", "watched-files-tried"


def new_runs() -> None:
    """The notice, where this experiment's folder is looked at."""
    place, here = watched(), entry.entry_here()
    if place is not None and here is not None and here.may_edit and here.link == place.link:
        of_session(GROWTH, lambda: FolderGrowth(place.folder))
        _look()


@st.fragment(run_every=SECONDS)
def _look() -> None:
    known = {document.name for document in workspace().documents} | of_session(TRIED, set[str])
    growth: FolderGrowth = st.session_state[GROWTH].look(known)
    st.session_state[GROWTH] = growth
    if growth.whole:
        after = made_once(_grown, generation(), growth.whole)
        now = loaded_experiment()
        messages.say("note", " ".join(_said(growth, now, after.experiment(None if now is None else now.baseline))))
        st.button("Add them", icon=":material/add:", key="add-new-runs", on_click=_add, args=(after, growth.whole))
    elif growth.growing:
        verb = agreeing(len(growth.growing), "is", "are")
        messages.say("note", f"{counted(len(growth.growing), 'file')} in the watched folder {verb} still growing.")


def _grown(loaded: int, names: tuple[str, ...]) -> Workspace:
    """What would be loaded with the files in the folder; ``loaded`` is the generation of what is."""
    growth: FolderGrowth = st.session_state[GROWTH]
    return workspace().add(growth.read(), read=reading().unpack)


def _add(after: Workspace, names: tuple[str, ...]) -> None:
    """In a callback: what cannot be read is said once, and not offered again."""
    of_session(TRIED, set[str]).update(names)
    take(after)


def _said(growth: FolderGrowth, now: Experiment | None, after: Experiment | None) -> list[str]:
    """Which files came, which runs they are, and how that compares with the plan."""
    said = [f"{counted(len(growth.whole), 'file')} came into the watched folder."]
    if growth.growing:
        said.append(f"{len(growth.growing):,} more {agreeing(len(growth.growing), 'is', 'are')} still growing.")
    if after is None:
        return said
    before = {} if now is None else {one.key: len(one.runs) for one in now.systems}
    for system in after.systems:
        had, has = before.get(system.key, 0), len(system.runs)
        if had != has:
            said.append(f"{system.key} has {counted(has, run_word().noun)} with them, {had:,} without.")
    here = entry.entry_here()
    results = None if here is None else here.state.results
    return said + ([] if results is None else _planned(results))


def _planned(results: Results) -> list[str]:
    """How many runs of each system the runs so far say that it takes, for each system that was compared."""
    spec, said = results.spec(results.settings.primary_metric), list[str]()
    wish = usual_wish(spec.notation, results.settings, len(results.systems) - 1)
    for prospect in results.evaluation.prospects:
        if prospect.test_set == results.test_set.name:
            found = plan_from(prospect, prospect.variation, wish)
            needed = plan_sentences(Subject(prospect, spec, results.settings), found)[0]
            said.append(f"{prospect.system}: {needed}")
    return said
