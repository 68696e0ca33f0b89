"""Saved experiments: name, note, pin, links, history, conflicts of windows; recent ones; a watched folder."""

import time
from collections.abc import Mapping
from dataclasses import replace

import pandas as pd
import streamlit as st

from mteval.analysis.replication.planning import plan_from, usual_wish
from mteval.analysis.results import Results
from mteval.answers.experiments import changes_section
from mteval.answers.planner import plan_sentences
from mteval.answers.replication import Subject
from mteval.base.errors import MtevalError
from mteval.base.words import counted, listed
from mteval.library.started import KEY, watched
from mteval.readers.disk import FolderGrowth
from mteval.readers.workspace import Workspace
from mteval.render.bundle import zipped
from mteval.render.html import tag
from mteval.report.kept_experiment import Opened, exported, line_from, opened, when
from mteval.ui.elements import SURVIVES, as_label, download, quiet, say, selected_rows, show, show_section
from mteval.ui.session.memory import made_once, of_session
from mteval.ui.session.visitor import asker, visitor
from mteval.ui.setup import entry
from mteval.ui.setup import workspace as session
from mteval.ui.setup.reading import read_at_once
from mteval.values.model import Experiment
from mteval.values.service import is_demo

NOWHERE = "No experiment at this link: it was deleted, or it is on another server."
LACKING = (
    "This experiment was scored with {}, which is not available here. Its results stay until you rescore it or change"
    " its files. Make the metric available and reopen the experiment to see them."
)


def keep_switch() -> None:
    """Show what is saved, and the switch against it."""
    if is_demo():
        quiet("Nothing is saved here: reloading the page discards the files.")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.toggle("Don't save", key=entry.DO_NOT_KEEP, on_change=_stop_keeping, **SURVIVES)
        lost, kept = "Reloading the page discards the files.", "Saved on this server until you delete it."
        quiet(lost if st.session_state.get(entry.DO_NOT_KEEP) else kept)


def _stop_keeping() -> None:
    """In a callback: stop saving; what is saved so far stays."""
    if st.session_state[entry.DO_NOT_KEEP]:
        entry.leave()


def notices() -> None:
    """Show notices about the address and saving, on every page.

    Among them is what this window and another one changed differently; the visitor chooses.
    """
    if entry.problem():
        say("warning", entry.problem())
    elif entry.is_dead_end():
        say("warning", NOWHERE)
    if (conflict := entry.conflict_here()) is not None:
        changed = f"Changed in another window: {listed(conflict.names)}."
        say("warning", f"{changed} Your values are not saved until you choose.")
        with st.container(horizontal=True):
            st.button("Keep mine", key="conflict-ours", on_click=entry.settle, args=(True,))
            st.button("Use the other window's", key="conflict-theirs", on_click=entry.settle, args=(False,))
    here = entry.entry_here()
    if here is not None and not here.may_edit:
        say("note", "This link is read-only: your changes stay in this window.")
    if here is not None and here.lacking:
        say("warning", LACKING.format(listed([f"'{key}'" for key in here.lacking])))


def entry_menu() -> None:
    """Show the menu of what is loaded: name, note, pin, export, start over, delete."""
    here = entry.entry_here()
    with st.popover(as_label(entry.name_here()), icon=":material/more_horiz:", type="tertiary", key="entry-menu"):
        keep_switch()
        if here is not None and here.may_edit:
            _labels(here)
        if here is not None:
            download(
                "Export experiment", f"{here.listed.name}.zip",
                lambda: zipped(exported(here.state.workspace, here.state.made)),
                disabled=session.workspace().experiment() is None,
                help="experiment.toml with its files: drop it here again, or use “mteval run”.",
            )  # fmt: skip
        kept, lost = "this experiment stays under Recent experiments", "this removes all files, edits and results"
        quiet(f"Start over: {lost if here is None else kept}.")
        st.button("Start over", icon=":material/restart_alt:", on_click=session.start_over, key="start-over")
        if here is not None and here.may_edit:
            quiet("Delete: files, settings, results and both links are lost.")
            delete, uids = entry.delete, ((here.listed.uid,),)
            st.button("Delete experiment", icon=":material/delete:", on_click=delete, args=uids, key="entry-delete")


def _labels(here: entry.Entry) -> None:
    """Show name, note and pin."""
    uid, one = here.listed.uid, here.listed
    values = {"name": one.name, "note": one.note, "tags": " ".join(one.tags), "pin": one.is_pinned}
    for key, value in values.items():
        st.session_state.setdefault(f"entry-{key}-{uid}", value)
    st.text_input("Name", key=f"entry-name-{uid}", on_change=_label, args=("name", uid), max_chars=200, width=240)
    st.text_input("Note", key=f"entry-note-{uid}", on_change=_label, args=("note", uid), max_chars=2000, width=360)
    st.text_input("Tags", key=f"entry-tags-{uid}", on_change=_label, args=("tags", uid), max_chars=200, width=180)
    text = "Never evicted for your own experiments, and last for those of others."
    st.toggle("Pin", key=f"entry-pin-{uid}", on_change=_label, args=("pin", uid), help=text)


def _label(what: str, uid: str) -> None:
    value = st.session_state[f"entry-{what}-{uid}"]
    if what != "name" or value.strip():
        entry.label(**{what: value})


MOST_RECENT = 6
MOST_ROWS = 100  # on a page of the table
COMPARED = "library-compared"


def recent_experiments() -> None:
    """Show what this visitor saved, and what will be evicted."""
    try:
        owner, shelf = visitor(), entry.library()
        kept = () if is_demo() else shelf.listed(owner, most=MOST_RECENT + 1)
        due = shelf.due(owner)
    except MtevalError as error:
        say("warning", str(error))
        return
    here = entry.entry_here()
    if not (others := [one for one in kept if here is None or one.uid != here.listed.uid]):
        return
    st.subheader("Recent experiments", anchor=False)
    for one in others[:MOST_RECENT]:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                as_label(one.name), key=f"open-{one.uid}", type="tertiary", icon=":material/folder_open:",
                on_click=entry.open_link, args=(one.uid,),
            )  # fmt: skip
            pinned = "pinned · " if one.is_pinned else ""
            quiet(f"{pinned}{line_from(one.card)} · {when(one.used)}")
    if due:
        more = [f"{len(due) - MOST_RECENT:,} more"] if len(due) > MOST_RECENT else []
        names = listed([*(one.name for one in due[:MOST_RECENT]), *more])
        text = f"The library is nearly full: {names} may be evicted when experiments are saved."
        say("warning", f"{text} Pin or export what you want to keep.")
    label, icon = f"Compare or delete experiments ({shelf.count(owner):,})", ":material/inventory_2:"
    whole = st.expander(label, icon=icon, key="library-all", on_change="rerun")
    if whole.open:
        with whole:
            _all(owner)
    compared = st.session_state.get(COMPARED, ())
    if len(compared) == 2:
        _show_changes(*compared)


def _all(owner: str) -> None:
    """Show experiments by page, searched and by tag."""
    shelf = entry.library()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        search = st.text_input("Search", key="library-search", placeholder="part of a name or note", width=280)
        tags = shelf.tags(owner)
        tag = st.selectbox("Tag", tags, index=None, key="library-tag", placeholder="any", width=200) if tags else None
    chosen: dict[str, str] = {"search": search or "", "tag": tag or ""}
    n_pages = max(1, -(-shelf.count(owner, **chosen) // MOST_ROWS))
    page = st.pagination(n_pages, key="library-page") if n_pages > 1 else 1
    if not (kept := shelf.listed(owner, **chosen, most=MOST_ROWS, start=MOST_ROWS * (page - 1))):
        quiet("None found.")
        return
    rows = [
        (one.name, line_from(one.card), one.note, " ".join(one.tags), one.is_pinned, when(one.used)) for one in kept
    ]
    chosen = st.dataframe(
        pd.DataFrame(rows, columns=["Name", "Contents", "Note", "Tags", "Pinned", "Last used"]), key="library-table",
        hide_index=True, on_select="rerun", selection_mode="multi-row", height=min(38 + 35 * len(rows), 420),
    )  # fmt: skip
    with st.container(horizontal=True):
        uids = tuple(kept[row].uid for row in selected_rows(chosen, len(kept)))
        st.button("Open", key="library-open", disabled=len(uids) != 1, on_click=entry.open_link, args=uids[:1])
        compare, pair = st.session_state.update, ({COMPARED: uids},)
        st.button("Compare", key="library-compare", disabled=len(uids) != 2, on_click=compare, args=pair)
        with st.popover("Delete…", disabled=not uids):
            say("warning", f"This deletes {counted(len(uids), 'experiment')} with files and results.")
            st.button("Delete", key="library-delete", on_click=entry.delete, args=(uids,))


def _show_changes(*uids: str) -> None:
    try:
        before, after = sorted(map(entry.library().entry, uids), key=lambda one: one.created)
        # keyed by last use, too: it may have changed since
        kept, keeps = (made_once(_content, one.uid, one.used) for one in (before, after))
        section = changes_section(kept, keeps, (before.name, after.name))
    except MtevalError as error:
        say("warning", str(error))
        return
    names = [f"{one.name}, {when(one.created)}" for one in (before, after)]
    show_section(replace(section, lead=tuple(f"From {names[0]} to {names[1]}: {text}" for text in section.lead)))


def _content(uid: str, used: float) -> Opened:
    return opened(entry.library().content(uid))


GROWTH, TRIED = "watched-folder", "watched-files-tried"


def new_runs() -> None:
    """Show new files if this experiment's folder is watched."""
    place, here = watched(), entry.entry_here()
    if place is not None and here is not None and here.may_edit and here.listed.uid == place.uid:
        of_session(GROWTH, lambda: FolderGrowth(place.folder))
        _look()


@st.fragment(run_every=5)  # between polls
def _look() -> None:
    known = {document.name for document in session.workspace().documents} | of_session(TRIED, set[str])
    growth: FolderGrowth = st.session_state[GROWTH].look(known)
    st.session_state[GROWTH] = growth
    if growth.whole:
        after = made_once(_grown, session.generation(), growth.whole)
        now = session.loaded_experiment()
        say("note", " ".join(_said(growth, now, after.experiment(None if now is None else now.baseline))))
        if st.button("Add them", icon=":material/add:", key="add-new-runs"):
            of_session(TRIED, set[str]).update(growth.whole)  # unreadable ones are not offered again
            session.take(after, has_come=True)
            st.rerun()  # a callback would draw this fragment alone, and nothing would be saved
    elif growth.growing:
        say("note", f"{counted(len(growth.growing), 'file')} in the watched folder still being written.")


def _grown(loaded: int, names: tuple[str, ...]) -> Workspace:
    """Return what would be loaded with the new files; ``loaded`` is the generation of what is."""
    growth: FolderGrowth = st.session_state[GROWTH]
    files = growth.read()
    read = read_at_once(lambda client: session.reading().unpack(files, client=client))
    return session.workspace().add(files, read=lambda _: read)


def _said(growth: FolderGrowth, now: Experiment | None, after: Experiment | None) -> list[str]:
    """Describe the new files, their runs, and how that compares with the plan."""
    said = [f"{counted(len(growth.whole), 'new file')} in the watched folder."]
    if growth.growing:
        said.append(f"{len(growth.growing):,} more still being written.")
    if after is None:
        return said
    before = {} if now is None else {one.key: len(one.runs) for one in now.systems}
    for system in after.systems:
        had, has = before.get(system.key, 0), len(system.runs)
        if had != has:
            said.append(f"With them {system.key} has {counted(has, session.run_word().noun)} instead of {had:,}.")
    here = entry.entry_here()
    results = None if here is None else here.state.results
    return said + ([] if results is None else _planned(results))


def _planned(results: Results) -> list[str]:
    """Return how many runs each system needs, judging by the runs so far."""
    spec, said = results.spec(results.settings.primary_metric), list[str]()
    wish = usual_wish(spec.notation, results.settings, len(results.systems) - 1)
    for prospect in results.evaluation.prospects:
        if prospect.test_set == results.test_set.name:
            found = plan_from(prospect, prospect.variation, wish)
            needed = plan_sentences(Subject(prospect, spec, results.settings), found)[0]
            said.append(f"{prospect.system}: {needed}")
    return said


DAY = 24 * 3600.0
EXPIRY: Mapping[str, float | None] = {"never": None, "in a day": DAY, "in a week": 7 * DAY, "in 30 days": 30 * DAY}


def share() -> None:
    """Show the links of the experiment, and who changed it when; ``page.js`` writes the rest of the address."""
    if (here := entry.entry_here()) is None:
        return
    quiet(here.listed.name)
    with st.popover("Share", icon=":material/link:", type="tertiary", key="share"):
        _link("Read-only link to all pages, starting with this view.", here.listed.reader, here.listed.reader_until)
        if not here.may_edit:
            return
        st.toggle("Readers see my error notes", key=session.SHARED, **SURVIVES)
        with st.expander("Link that allows changes"):
            text = "Anyone who has it can change and delete the experiment."
            _link(text, here.listed.editor, here.listed.editor_until)
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
