"""Saved experiments: name, note, pin, links, history, conflicts of windows; recent ones; a watched folder."""

import time
from collections.abc import Mapping, Sequence
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
from mteval.library import Listed
from mteval.library.started import KEY, watched
from mteval.readers.disk import FolderGrowth
from mteval.readers.workspace import Workspace
from mteval.render.bundle import zipped
from mteval.render.html import tag
from mteval.report.kept_experiment import Opened, exported, line_from, opened, when
from mteval.ui.elements import SURVIVES, as_label, download, quiet, say, selected_rows, show, show_section
from mteval.ui.session.fragments import fragment
from mteval.ui.session.memory import made_once, of_session
from mteval.ui.session.visitor import asker, visitor
from mteval.ui.setup import entry
from mteval.ui.setup import workspace as session
from mteval.ui.setup.reading import read_at_once
from mteval.values.model import Experiment
from mteval.values.service import is_demo

NOWHERE = (
    "No experiment at this link: it was deleted, it is on another server, or only the browser that saved it may open"
    " it."
)
LACKING = (
    "This experiment was scored with {}, which is not available here. Its results stay until you rescore it or change"
    " its files. Make the metric available and reopen the experiment to see them."
)
MOST_RECENT = 6
MOST_ROWS = 100  # on a page of the table
DAY = 24 * 3600.0
EXPIRY: Mapping[str, float | None] = {"never": None, "in a day": DAY, "in a week": 7 * DAY, "in 30 days": 30 * DAY}

# Keys in the session
COMPARED = "library-compared"
GROWTH = "watched-folder"
TRIED = "watched-files-tried"


def keep_switch() -> None:
    """Show what is saved, and the switch against it."""
    if is_demo():
        quiet("Nothing is saved here: reloading the page discards the files.")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.toggle("Don't save", key=entry.DO_NOT_KEEP, on_change=_stop_keeping, **SURVIVES)
        if st.session_state.get(entry.DO_NOT_KEEP):
            quiet("Reloading the page discards the files.")
        else:
            quiet("Saved on this server until you delete it.")


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
    conflict = entry.conflict_here()
    if conflict is not None:
        changed = f"Changed in another window: {listed(conflict.names)}."
        say("warning", f"{changed} Your values are not saved until you choose.")
        with st.container(horizontal=True):
            st.button("Keep mine", key="conflict-ours", on_click=entry.settle, args=(True,))
            st.button("Use the other window's", key="conflict-theirs", on_click=entry.settle, args=(False,))
    current = entry.entry_here()
    if current is None:
        return
    if not current.may_edit:
        say("note", "This link is read-only: your changes stay in this window.")
    if current.lacking:
        metrics = listed([f"'{metric}'" for metric in current.lacking])
        say("warning", LACKING.format(metrics))


def entry_menu() -> None:
    """Show the menu of what is loaded: name, note, pin, export, start over, delete."""
    current = entry.entry_here()
    may_edit = current is not None and current.may_edit
    with st.popover(as_label(entry.name_here()), icon=":material/more_horiz:", type="tertiary", key="entry-menu"):
        keep_switch()
        if current is not None and may_edit:
            _label_fields(current)
        if current is not None:
            _export_button(current)
        if current is None:
            quiet("Start over: this removes all files, edits and results.")
        else:
            quiet("Start over: this experiment stays under Recent experiments.")
        st.button("Start over", icon=":material/restart_alt:", on_click=session.start_over, key="start-over")
        if current is not None and may_edit:
            quiet("Delete: files, settings, results and both links are lost.")
            st.button(
                "Delete experiment",
                icon=":material/delete:",
                on_click=entry.delete,
                args=((current.listed.uid,),),
                key="entry-delete",
            )


def _export_button(current: entry.Entry) -> None:
    """Show the button that downloads an experiment; the archive is made when it is pressed."""

    def archive() -> bytes:
        return zipped(exported(current.state.workspace, current.state.made))

    download(
        "Export experiment",
        f"{current.listed.name}.zip",
        archive,
        disabled=session.workspace().experiment() is None,
        help="experiment.toml with its files: drop it here again, or use “mteval run”.",
    )


def _label_fields(current: entry.Entry) -> None:
    """Show the fields for name, note, tags and pin."""
    saved = current.listed
    uid = saved.uid
    values = {"name": saved.name, "note": saved.note, "tags": " ".join(saved.tags), "pin": saved.is_pinned}
    for field, value in values.items():
        st.session_state.setdefault(f"entry-{field}-{uid}", value)
    st.text_input("Name", key=f"entry-name-{uid}", on_change=_label, args=("name", uid), max_chars=200, width=240)
    st.text_input("Note", key=f"entry-note-{uid}", on_change=_label, args=("note", uid), max_chars=2000, width=360)
    st.text_input("Tags", key=f"entry-tags-{uid}", on_change=_label, args=("tags", uid), max_chars=200, width=180)
    st.toggle(
        "Pin",
        key=f"entry-pin-{uid}",
        on_change=_label,
        args=("pin", uid),
        help="It is never evicted when you save experiments, and last when others do.",
    )


def _label(field: str, uid: str) -> None:
    """In a callback: save a changed field; a name cannot be empty."""
    value = st.session_state[f"entry-{field}-{uid}"]
    if field == "name" and not value.strip():
        return
    entry.label(**{field: value})


def recent_experiments() -> None:
    """Show what this visitor saved, and what will be evicted."""
    try:
        owner = visitor()
        library = entry.library()
        experiments: Sequence[Listed] = ()
        if not is_demo():
            experiments = library.listed(owner, most=MOST_RECENT + 1)  # one of them may be loaded
        due = library.due(owner)
    except MtevalError as error:
        say("warning", str(error))
        return
    current = entry.entry_here()
    if current is not None:
        experiments = [experiment for experiment in experiments if experiment.uid != current.listed.uid]
    if not experiments:
        return

    st.subheader("Recent experiments", anchor=False)
    for experiment in experiments[:MOST_RECENT]:
        _recent_experiment(experiment)
    if due:
        _warn_of_eviction(due)
    label = f"Compare or delete experiments ({library.count(owner):,})"
    panel = st.expander(label, icon=":material/inventory_2:", key="library-all", on_change="rerun")
    if panel.open:
        with panel:
            _all_experiments(owner)
    compared = st.session_state.get(COMPARED, ())
    if len(compared) == 2:
        _show_changes(*compared)


def _recent_experiment(experiment: Listed) -> None:
    """Show the button that opens an experiment, and what it has."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            as_label(experiment.name),
            key=f"open-{experiment.uid}",
            type="tertiary",
            icon=":material/folder_open:",
            on_click=entry.open_link,
            args=(experiment.uid,),
        )
        pinned = "pinned · " if experiment.is_pinned else ""
        quiet(f"{pinned}{line_from(experiment.card)} · {when(experiment.used)}")


def _warn_of_eviction(due: Sequence[Listed]) -> None:
    """Name the experiments that the library would evict next."""
    names = [experiment.name for experiment in due[:MOST_RECENT]]
    if len(due) > MOST_RECENT:
        names.append(f"{len(due) - MOST_RECENT:,} more")
    text = f"The library is nearly full: {listed(names)} may be evicted when experiments are saved."
    say("warning", f"{text} Pin or export what you want to keep.")


def _all_experiments(owner: str) -> None:
    """Show experiments by page, searched and by tag."""
    library = entry.library()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        search = st.text_input("Search", key="library-search", placeholder="part of a name or note", width=280)
        tags = library.tags(owner)
        wanted_tag = None
        if tags:
            wanted_tag = st.selectbox("Tag", tags, index=None, key="library-tag", placeholder="any", width=200)
    # Widgets without a value give None; to the library, an empty text matches everything
    criteria = {"search": search or "", "tag": wanted_tag or ""}
    n_matching = library.count(owner, **criteria)
    n_pages = max(1, -(-n_matching // MOST_ROWS))  # rounded up
    page = 1
    if n_pages > 1:
        page = st.pagination(n_pages, key="library-page")
    experiments = library.listed(owner, **criteria, most=MOST_ROWS, start=MOST_ROWS * (page - 1))
    if not experiments:
        quiet("None found.")
        return

    rows = []
    for experiment in experiments:
        row = {
            "Name": experiment.name,
            "Contents": line_from(experiment.card),
            "Note": experiment.note,
            "Tags": " ".join(experiment.tags),
            "Pinned": experiment.is_pinned,
            "Last used": when(experiment.used),
        }
        rows.append(row)
    event = st.dataframe(
        pd.DataFrame(rows),
        key="library-table",
        hide_index=True,
        on_select="rerun",
        selection_mode="multi-row",
        height=min(38 + 35 * len(rows), 420),
    )
    uids = tuple(experiments[row].uid for row in selected_rows(event, len(experiments)))
    with st.container(horizontal=True):
        st.button("Open", key="library-open", disabled=len(uids) != 1, on_click=entry.open_link, args=uids[:1])
        st.button(
            "Compare",
            key="library-compare",
            disabled=len(uids) != 2,
            on_click=st.session_state.update,
            args=({COMPARED: uids},),
        )
        with st.popover("Delete…", disabled=not uids):
            say("warning", f"This deletes {counted(len(uids), 'experiment')} with files and results.")
            st.button("Delete", key="library-delete", on_click=entry.delete, args=(uids,))


def _show_changes(*uids: str) -> None:
    """Show what differs between two experiments, the older one first."""
    try:
        experiments = [entry.library().entry(uid) for uid in uids]
        before, after = sorted(experiments, key=lambda experiment: experiment.created)
        content_before = made_once(_content, before.uid, before.used)
        content_after = made_once(_content, after.uid, after.used)
        section = changes_section(content_before, content_after, (before.name, after.name))
    except MtevalError as error:
        say("warning", str(error))
        return
    from_to = f"From {before.name}, {when(before.created)} to {after.name}, {when(after.created)}"
    lead = tuple(f"{from_to}: {text}" for text in section.lead)
    show_section(replace(section, lead=lead))


def _content(uid: str, used: float) -> Opened:
    """Return an experiment as it was when last used; ``used`` only tells ``made_once`` that it may have changed."""
    return opened(entry.library().content(uid))


def new_runs() -> None:
    """Show new files if this experiment's folder is watched."""
    place = watched()
    current = entry.entry_here()
    if place is None or current is None:
        return
    if current.may_edit and current.listed.uid == place.uid:
        of_session(GROWTH, lambda: FolderGrowth(place.folder))
        _look_for_files()


@fragment(run_every=5)  # seconds
def _look_for_files() -> None:
    """Show complete new files, with a button that adds them, and how many are still being written."""
    loaded = {document.name for document in session.workspace().documents}
    known = loaded | of_session(TRIED, set[str])
    growth: FolderGrowth = st.session_state[GROWTH].look(known)
    st.session_state[GROWTH] = growth
    if growth.whole:
        with_files = made_once(_with_new_files, session.generation(), growth.whole)
        before = session.loaded_experiment()
        baseline = None if before is None else before.baseline
        after = with_files.experiment(baseline)
        say("note", " ".join(_new_files_sentences(growth, before, after)))
        if st.button("Add them", icon=":material/add:", key="add-new-runs"):
            of_session(TRIED, set[str]).update(growth.whole)  # unreadable ones are not offered again
            session.take(with_files, has_come=True)
            st.rerun()  # a callback would draw this fragment alone, and nothing would be saved
    elif growth.growing:
        say("note", f"{counted(len(growth.growing), 'file')} in the watched folder still being written.")


def _with_new_files(generation: int, names: tuple[str, ...]) -> Workspace:
    """Return what would be loaded with the new files.

    Parameters
    ----------
    generation, names
        Of what is loaded, and of the new files: what the result depends on.
    """
    growth: FolderGrowth = st.session_state[GROWTH]
    files = growth.read()
    read = read_at_once(lambda client: session.reading().unpack(files, client=client))
    return session.workspace().add(files, read=lambda _: read)


def _new_files_sentences(growth: FolderGrowth, before: Experiment | None, after: Experiment | None) -> list[str]:
    """Describe the new files, their runs, and how that compares with the plan."""
    sentences = [f"{counted(len(growth.whole), 'new file')} in the watched folder."]
    if growth.growing:
        sentences.append(f"{len(growth.growing):,} more still being written.")
    if after is None:
        return sentences
    runs_before: dict[str, int] = {}
    if before is not None:
        runs_before = {system.key: len(system.runs) for system in before.systems}
    for system in after.systems:
        n_before = runs_before.get(system.key, 0)
        n_after = len(system.runs)
        if n_before != n_after:
            runs = counted(n_after, session.run_word().noun)
            sentences.append(f"With them {system.key} has {runs} instead of {n_before:,}.")
    current = entry.entry_here()
    if current is not None and current.state.results is not None:
        sentences.extend(_plan_sentences(current.state.results))
    return sentences


def _plan_sentences(results: Results) -> list[str]:
    """Return how many runs each system needs, judging by the runs so far."""
    spec = results.spec(results.settings.primary_metric)
    wish = usual_wish(spec.notation, results.settings, len(results.systems) - 1)
    sentences = []
    for prospect in results.evaluation.prospects:
        if prospect.test_set == results.test_set.name:
            plan = plan_from(prospect, prospect.variation, wish)
            needed = plan_sentences(Subject(prospect, spec, results.settings), plan)[0]
            sentences.append(f"{prospect.system}: {needed}")
    return sentences


def share() -> None:
    """Show the links of the experiment, and who changed it when; ``page.js`` writes the rest of the address."""
    current = entry.entry_here()
    if current is None:
        return
    saved = current.listed
    quiet(saved.name)
    # A popover that reruns the page when it closes would swallow the click on a link to another page that closes it
    with st.popover("Share", icon=":material/link:", type="tertiary", key="share"):
        _show_link("Read-only link to all pages, starting with this view.", saved.reader, saved.reader_until)
        if not current.may_edit:
            return
        st.toggle("Readers see my error notes", key=session.SHARED, **SURVIVES)
        editing = st.expander("Link that allows changes", key="share-edit", on_change="rerun")
        if editing.open:
            with editing:
                text = "Anyone who has it can change and delete the experiment."
                _show_link(text, saved.editor, saved.editor_until)
        replacing = st.expander("Replace a link", key="share-new", on_change="rerun")
        if replacing.open:
            with replacing:
                _replacing()
    menu = st.expander("History", icon=":material/history:", key="history", on_change="rerun")
    if menu.open:
        with menu:
            _history(current)


def _show_link(text: str, secret: str, until: float | None) -> None:
    """Show what a link is for, when it expires, and its end."""
    expires = ""
    if until is not None:
        expires = f" It expires on {when(until)}."
    link = tag("code", f"?{KEY}={secret}", class_="mt-share", data_name=KEY, data_link=secret)
    show(tag("p", text + expires), tag("p", link))


def _replacing() -> None:
    """Let the visitor replace a link by another, which may expire."""
    kind = st.segmented_control(
        "Link", ["Read-only", "Allows changes"], default="Read-only", key="share-kind", required=True, **SURVIVES
    )
    expiry = st.selectbox("New link expires", list(EXPIRY), key="share-expiry", **SURVIVES)
    say("warning", "The old link stops working, also for people who have opened it.")
    st.button("Replace link", key="share-replace", on_click=_replace, args=(kind == "Read-only", expiry))


def _replace(is_reader: bool, expiry: str) -> None:
    """In a callback: replace a link by one that expires as chosen."""
    seconds = EXPIRY[expiry]
    until = None if seconds is None else time.time() + seconds
    entry.replace_link(is_reader, until)


def _history(current: entry.Entry) -> None:
    """Show the last states, and a way back to each."""
    try:
        states = entry.library().states(current.listed.uid)
    except MtevalError as error:
        say("warning", str(error))
        return
    for state in states:
        with st.container(horizontal=True, vertical_alignment="center"):
            quiet(f"{when(state.at)} · {_author(state.who)} · {line_from(state.card)}")
            if state.number == current.number:
                quiet("present")
            else:
                st.button("Restore", key=f"undo-{state.number}", on_click=entry.undo, args=(state.number,))
    quiet("Restoring adds a state; nothing is lost.")


def _author(who: str) -> str:
    """Return who made a change, as the visitor knows them; changes without a name come from the command line."""
    you = asker()
    if who in (you.visitor, you.name):
        return "you"
    if who.startswith("browser "):
        return "another browser"
    if not who:
        return "command line"
    return who
