"""The session's experiment in the library: opened by its address, and saved after every change."""

import json
from collections.abc import Collection, Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakValueDictionary

import streamlit as st

from mteval.analysis.results import Results, reported_test_set
from mteval.base.errors import DataError, MtevalError
from mteval.library import ChangedElsewhereError, Described, Library, Listed, configured_library
from mteval.library.started import KEY, LINK, TICKET, redeemed
from mteval.metrics import METRICS, catalog
from mteval.metrics.base import MetricSpec
from mteval.readers.workspace import Workspace
from mteval.report.kept_experiment import Made, Opened, content_of, opened, opened_again, usual_name
from mteval.report.merging import Merged, keeping, merged
from mteval.ui.elements import errors_left
from mteval.ui.session import evaluation
from mteval.ui.session.memory import of_session
from mteval.ui.session.visitor import asker, value_of, visitor
from mteval.ui.setup import workspace as session
from mteval.ui.setup.address import all_bookmarks, restored
from mteval.ui.setup.settings_form import SEEN, widget_values
from mteval.values.asker import Asker
from mteval.values.service import is_demo
from mteval.values.settings import Settings

# Keys in the session
DO_NOT_KEEP = "do-not-keep"
_HERE = "library-entry"
_DEAD_END = "library-dead-end"
_PROBLEM = "library-problem"
_CONFLICT = "library-conflict"
_TO_SHOW = "library-to-show"

MOST_RECENT = 1_000  # experiments that are listed
MOST_MERGES = 20  # while other windows save
NOBODY = Asker()


@dataclass(frozen=True, eq=False)
class State:
    """The saved state of a session."""

    workspace: Workspace
    made: Made
    results: Results | None

    def has_files_of(self, state: "State") -> bool:
        """Return whether the files are the same."""
        return self.workspace.documents == state.workspace.documents

    def has_numbers_of(self, state: "State") -> bool:
        """Return whether the numbers are the same. Results of declared languages, for example, are new, not these."""
        if self.results is None or state.results is None:
            return self.results is state.results
        return self.results.evaluation is state.results.evaluation

    def is_same(self, state: "State") -> bool:
        """Return whether there is nothing new to save."""
        has_same_unread = self.workspace.unread == state.workspace.unread
        return self.made == state.made and self.has_numbers_of(state) and self.has_files_of(state) and has_same_unread

    @property
    def usual_name(self) -> str:
        """The name that an experiment with these files gets if nobody names it."""
        return usual_name(self.workspace.experiment(self.made.baseline), len(self.workspace.documents))


@dataclass(frozen=True, eq=False)
class Entry:
    """The session's experiment as the library has it.

    Parameters
    ----------
    may_edit
        Whether this visitor may change it.
    state
        As it was opened or saved here last.
    number
        Of that state in the library.
    lacking
        Metrics that scored it and are not available now: models that are no longer named, packages that are gone.
    read
        As a session that opens it reads it, for those that do so while this one exists; None if that is not known.
    """

    listed: Listed
    may_edit: bool
    state: State
    number: int
    lacking: tuple[str, ...] = ()
    read: Opened | None = None

    def is_kept_from(self, now: State) -> bool:
        """Return whether saved results must stay although they cannot be shown now."""
        return bool(self.lacking) and now.results is None and self.state.has_files_of(now)


def entry_here() -> Entry | None:
    """Return the session's experiment in the library; None if it is not saved."""
    entry: Entry | None = st.session_state.get(_HERE)
    return entry


def name_here() -> str:
    """Return the name of what is loaded; empty if nothing is."""
    entry = entry_here()
    if entry is not None:
        return entry.listed.name
    loaded = session.workspace()
    if not loaded.documents:
        return ""
    return usual_name(session.loaded_experiment(), len(loaded.documents))


def library() -> Library:
    """Return the server's library."""
    return configured_library()


def problem() -> str:
    """Return why the experiment is not saved or could not be opened; empty if all is well."""
    return str(st.session_state.get(_PROBLEM, ""))


def is_dead_end() -> bool:
    """Return whether the address names an experiment that does not exist."""
    return _DEAD_END in st.session_state


@dataclass
class NumbersKeeper:
    """Saves results that arrive while nobody looks; runs in any thread."""

    entry: Entry | None = None
    asker: Asker = NOBODY

    def keep(self, results: Results) -> None:
        """Save results if they belong to what this session saved."""
        if self.entry is None or not self.entry.may_edit:
            return
        state = self.entry.state
        experiment = state.workspace.experiment(state.made.baseline)
        if experiment is not None and experiment.digest == results.experiment.digest:
            with suppress(MtevalError):  # an open session reports it
                content = content_of(state.workspace, state.made, results, with_files=False)
                library().complete(self.entry.listed.uid, content, self.asker)


def mine() -> tuple[Listed, ...]:
    """Return what this visitor used most recently in the library."""
    if is_demo():
        return ()
    return library().listed(visitor(), most=MOST_RECENT)


def arrive() -> None:
    """Open what the address names before anything is drawn, and write its name into every page's address.

    The secret of a link leaves the address at once: this browser, or without cookies this session, is let in.
    """
    to_show = st.session_state.pop(_TO_SHOW, None)
    if to_show is not None:
        _show(to_show, {})

    secret_of_ticket = None
    if TICKET in st.query_params:
        secret_of_ticket = redeemed(st.query_params.pop(TICKET))
    secret = st.query_params.pop(KEY, None)
    if not secret:
        secret = secret_of_ticket

    uid = st.query_params.get(LINK)
    entry = entry_here()
    if secret is not None:
        open_link(secret, spared=st.query_params.to_dict())
    elif uid is None:
        if entry is not None:
            st.query_params[LINK] = entry.listed.uid
    else:
        open_uid = "" if entry is None else entry.listed.uid
        dead_end = st.session_state.get(_DEAD_END, "")
        if uid not in (open_uid, dead_end):
            open_link(uid, spared=st.query_params.to_dict())


def open_link(word: str, spared: Mapping[str, Any] | None = None) -> None:
    """Open an experiment as it was left.

    Parameters
    ----------
    word
        Its name in the address, or the secret of a link.
    spared
        Settings in the address, which win over the saved ones.
    """
    for key in (_DEAD_END, _PROBLEM, _CONFLICT):
        st.session_state.pop(key, None)
    try:
        reached = library().reached(word, asker())
        if reached is None:
            reached = library().redeem(word, asker())
        if reached is None:
            st.session_state[_DEAD_END] = word
            return
        uid = reached.listed.uid
        saved, number = _read(uid)
        read = saved
        if reached.may_edit:
            library().touch(uid, asker())
        elif not saved.made.shares_notes:
            saved = replace(saved, made=replace(saved.made, notes=()))
    except MtevalError as error:
        st.session_state[_PROBLEM] = str(error)
        st.session_state[_DEAD_END] = str(error)
        return
    _show(saved, spared or {})
    state = State(saved.workspace, saved.made, saved.results)
    listed = library().entry(uid)
    _make_current(Entry(listed, reached.may_edit, state, number, _lacking_metrics(saved), read))
    if reached.may_edit:
        evaluation.adopt(uid)


def _read(uid: str) -> tuple[Opened, int]:
    """Return an experiment with the number of its state."""
    # Another window may save between the two queries. Then both are repeated.
    while True:
        number = library().entry(uid).number
        saved = _opened(library().described(uid))
        if library().entry(uid).number == number:
            return saved, number


def _opened(described: Described) -> Opened:
    """Return a saved experiment. After a reload, for example, a session of this server has it already."""
    key = _what_is_read(described)
    read = _read_here().get(key)
    if read is not None:
        saved = opened_again(read, described.made)
    else:
        saved = opened(library().loaded(described))
        if described.numbers and saved.results is None:  # damaged, or of earlier definitions
            return saved
    _read_here()[key] = saved
    return saved


def _saved_here(uid: str, number: int, state: State) -> Opened | None:
    """Return what this session has saved as another one would read it; None if a window has changed it meanwhile."""
    with suppress(MtevalError):  # somebody has removed it
        described = library().described(uid)
        is_described = library().entry(uid).number == number
        has_results = state.results is not None
        if is_described and has_results == bool(described.numbers):
            saved = _without_arrival(state)
            _read_here()[_what_is_read(described)] = saved
            return saved
    return None


def _without_arrival(state: State) -> Opened:
    """Return a state as another session reads it, without the messages about the files added last."""
    workspace = state.workspace
    if workspace.rejected or workspace.described is not None:
        workspace = replace(workspace, rejected=(), described=None)
    experiment = workspace.experiment(state.made.baseline)
    if experiment is None or state.results is None:
        return Opened(workspace, state.made, experiment, None)
    results = Results(experiment, state.results.evaluation, reported_test_set(experiment))
    return Opened(workspace, state.made, experiment, results)


def _what_is_read(described: Described) -> Hashable:
    """Return all that decides what is made of a saved experiment, except for what the user adds to it."""
    choices = json.dumps([described.made.get(name) for name in ("edits", "baseline", "unread")])
    return described.files, described.numbers, choices, frozenset(METRICS)


@st.cache_resource(show_spinner=False)
def _read_here() -> WeakValueDictionary[Hashable, Opened]:
    """Return the experiments that sessions of this server have saved or read, as long as they exist."""
    return WeakValueDictionary()


def _lacking_metrics(saved: Opened) -> tuple[str, ...]:
    """Return the metrics of its settings that are not available now."""
    known = _known_metrics(saved)
    if saved.settings is None:
        return ()
    return tuple(metric for metric in saved.settings.metrics if metric not in known)


def _known_metrics(saved: Opened) -> Mapping[str, MetricSpec]:
    if saved.experiment is None:
        return catalog(())
    return catalog(saved.experiment.given)


def _make_current(entry: Entry) -> None:
    """Make this the session's experiment."""
    st.session_state[_HERE] = entry
    st.session_state.pop(_PROBLEM, None)
    st.query_params[LINK] = entry.listed.uid


def _show(saved: Opened, spared: Mapping[str, Any]) -> None:
    """Restore saved values in the session."""
    session.take(saved.workspace, has_come=saved.results is None)
    imported: set[str] = set()
    if saved.experiment is not None:
        imported = {metric.key for metric in saved.experiment.given}
    values: dict[str, object] = {session.BASELINE: saved.made.baseline, SEEN: imported}
    known = _known_metrics(saved)
    settings = saved.settings
    if settings is not None and set(settings.metrics) <= set(known):
        values |= widget_values(settings, known)
    st.session_state.update({key: value for key, value in values.items() if key not in spared and value is not None})

    session.take_notes(saved.made)
    bookmarks = restored(saved.made.bookmarks, saved.experiment, spared)
    st.session_state.update(bookmarks)
    # Fields take their initial values from the address
    st.query_params.update({key: value for key, value in bookmarks.items() if key in spared})

    if saved.results is not None:
        first_primary = saved.made.first_primary
        if not first_primary:
            first_primary = saved.results.settings.primary_metric
        evaluation.restore(saved.results, first_primary, saved.made.seen)


def leave() -> None:
    """Keep showing the experiment, but no longer save it."""
    st.session_state.pop(_HERE, None)
    st.session_state.pop(_CONFLICT, None)
    st.query_params.pop(LINK, None)


def keep_loaded(settings: Settings | None) -> None:
    """Save what is loaded, once per run; without a change nothing is written."""
    _keep_state(settings)
    entry = entry_here()
    link = ""
    if entry is not None and entry.may_edit:
        link = entry.listed.uid
    keeper = of_session("library-keeper", NumbersKeeper)
    keeper.asker = asker()
    keeper.entry = entry
    evaluations = evaluation.evaluations()
    evaluations.keep = keeper.keep
    evaluations.link = link


def _keep_state(settings: Settings | None) -> None:
    """Save a new experiment, or a change of the session's own."""
    loaded = session.workspace()
    entry = entry_here()
    if entry is not None and _has_replaced_all_files(entry, loaded):
        leave()
        session.forget_notes()
        entry = None
    if is_demo():
        return
    if entry is None and (not loaded.documents or st.session_state.get(DO_NOT_KEEP)):
        return
    now = _state(settings)
    try:
        if entry is None or (not entry.may_edit and not entry.state.has_files_of(now)):
            name = usual_name(session.loaded_experiment(), len(loaded.documents))
            listed = library().add(content_of(loaded, now.made, now.results), name, asker())
            read = _saved_here(listed.uid, listed.number, now)
            _make_current(Entry(listed, True, now, listed.number, read=read))
        elif entry.may_edit and not entry.state.is_same(now) and not entry.is_kept_from(now):
            _change(entry, now)
    except MtevalError as error:
        st.session_state[_PROBLEM] = f"This experiment is not saved. {error}"
        if isinstance(error, DataError):
            leave()


def _has_replaced_all_files(entry: Entry, loaded: Workspace) -> bool:
    """Return whether it had files, none of which is loaded now."""
    saved_files = {id(document) for document in entry.state.workspace.documents}
    loaded_files = {id(document) for document in loaded.documents}
    return bool(saved_files) and saved_files.isdisjoint(loaded_files)


def _state(settings: Settings | None) -> State:
    """Return what there is to save now."""
    experiment = session.loaded_experiment()
    loaded = session.workspace()
    shares_notes = bool(value_of(session.SHARED))
    made = Made(loaded.edits, settings, None, notes=session.notes(), shares_notes=shares_notes)
    if experiment is None:
        return State(loaded, made, None)
    results = evaluation.current(experiment, settings)
    if results is not None and results.experiment.digest != experiment.digest:
        results = None
    systems = {system.key for system in experiment.systems}
    made = replace(
        made,
        baseline=experiment.baseline,
        first_primary=evaluation.first_primary(experiment),
        seen=tuple(card for card in evaluation.evaluations().seen if set(card.systems) == systems),
        bookmarks=all_bookmarks(experiment),
    )
    return State(loaded, made, results)


def _change(entry: Entry, now: State) -> None:
    """Save a change; what another window has saved in between is merged with it."""
    conflict = conflict_here()
    if conflict is not None:
        # The saved values stay where the visitor has not chosen yet
        now = replace(now, made=keeping(now.made, entry.state.made, conflict.conflicts))
        if entry.state.is_same(now):
            return
    with_files = not entry.state.has_files_of(now)
    with_numbers = not entry.state.has_numbers_of(now)
    content = content_of(now.workspace, now.made, now.results, with_files=with_files, with_numbers=with_numbers)
    keeper = of_session("library-keeper", NumbersKeeper)
    keeper.entry = replace(entry, state=now)  # this run may end right after saving, if the visitor leaves
    try:
        number = library().change(entry.listed.uid, content, asker(), entry.number)
    except ChangedElsewhereError:
        _merge(entry, now)
        return
    read = entry.read
    if with_files or with_numbers:
        read = _saved_here(entry.listed.uid, number, now)
    st.session_state[_HERE] = replace(entry, state=now, number=number, lacking=(), read=read)
    if with_files and entry.listed.name == entry.state.usual_name:
        label(name=now.usual_name)
    st.session_state.pop(_PROBLEM, None)


def _merge(entry: Entry, now: State) -> None:
    """Save a change together with those of another window, and show both."""
    uid = entry.listed.uid
    base = (entry.state.workspace, entry.state.made)
    ours = (now.workspace, now.made)
    for _ in range(MOST_MERGES):
        theirs, number = _read(uid)
        both = merged(base, ours, (theirs.workspace, theirs.made))
        results = None
        if both.is_of(theirs.results):
            results = theirs.results
        elif both.is_of(now.results):
            results = now.results
        content = content_of(both.workspace, both.theirs, results)
        try:
            number = library().change(uid, content, asker(), number)
        except ChangedElsewhereError:
            continue
        break
    else:
        raise MtevalError("Other windows are changing this experiment. Your change is saved with your next one.")
    state = State(both.workspace, both.theirs, results)
    listed = library().entry(uid)
    st.session_state[_HERE] = replace(entry, state=state, number=number, listed=listed, lacking=(), read=None)
    if both.conflicts:
        st.session_state[_CONFLICT] = both
    st.session_state[_TO_SHOW] = Opened(both.workspace, both.ours, both.experiment, results)
    st.rerun()


def conflict_here() -> Merged | None:
    """Return what this window and another one changed differently; None without a conflict."""
    conflict: Merged | None = st.session_state.get(_CONFLICT)
    return conflict


def settle(is_ours: bool) -> None:
    """In a callback: end a conflict, with the values of this window or of the other one."""
    entry = entry_here()
    st.session_state.pop(_CONFLICT, None)
    if entry is None or is_ours:
        return
    state = entry.state
    experiment = state.workspace.experiment(state.made.baseline)
    _show(Opened(state.workspace, state.made, experiment, state.results), {})


def undo(number: int) -> None:
    """In a callback: return to an earlier state."""
    entry = entry_here()
    if entry is None or not entry.may_edit:
        return
    with errors_left():
        library().undo(entry.listed.uid, number, asker())
        open_link(entry.listed.uid)


def label(**labels: Any) -> None:
    """In a callback: rename, annotate, tag or pin the session's experiment, as ``Library.label`` does."""
    entry = entry_here()
    if entry is None or not entry.may_edit:
        return
    with errors_left():
        library().label(entry.listed.uid, asker(), **labels)
        st.session_state[_HERE] = replace(entry, listed=library().entry(entry.listed.uid))


def replace_link(is_reader: bool, until: float | None) -> None:
    """In a callback: replace a link of the session's experiment."""
    entry = entry_here()
    if entry is None or not entry.may_edit:
        return
    with errors_left():
        listed = library().replace_link(entry.listed.uid, asker(), is_reader=is_reader, until=until)
        st.session_state[_HERE] = replace(entry, listed=listed)


def delete(uids: Collection[str]) -> None:
    """In a callback: delete experiments; a session that shows one starts over."""
    entry = entry_here()
    with errors_left():
        library().remove(uids, asker())
        if entry is not None and entry.listed.uid in uids:
            leave()
            session.start_over()
