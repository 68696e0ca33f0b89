"""The session's experiment in the library: opened by its address, and saved after every change."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from mteval.analysis.results import Results
from mteval.base.errors import DataError, MtevalError
from mteval.library import ChangedElsewhereError, Library, Listed, configured_library
from mteval.library.started import KEY, LINK, TICKET, redeemed
from mteval.metrics import catalog
from mteval.readers.workspace import Workspace
from mteval.report.kept_experiment import Made, Opened, content_of, opened, usual_name
from mteval.report.merging import Merged, keeping, merged
from mteval.ui.elements import errors_left
from mteval.ui.session import evaluation
from mteval.ui.session.memory import of_session
from mteval.ui.session.visitor import asker, value_of, visitor
from mteval.ui.setup import workspace as session
from mteval.ui.setup.address import all_bookmarks, restored, widget_values
from mteval.ui.setup.settings_form import SEEN
from mteval.values.asker import Asker
from mteval.values.service import is_demo
from mteval.values.settings import Settings

DO_NOT_KEEP = "do-not-keep"
_HERE, _DEAD_END, _PROBLEM = "library-entry", "library-dead-end", "library-problem"
_CONFLICT, _TO_SHOW = "library-conflict", "library-to-show"
NOBODY = Asker()


@dataclass(frozen=True, eq=False)
class State:
    """The saved state of a session."""

    workspace: Workspace
    made: Made
    results: Results | None

    def has_files_of(self, other: "State") -> bool:
        """Return whether the files are the same."""
        return self.workspace.documents == other.workspace.documents

    def is_same(self, other: "State") -> bool:
        """Return whether there is nothing new to save."""
        return self.made == other.made and self.results is other.results and self.has_files_of(other)


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
        Metrics by which it was scored and that are not here now: models named no longer, packages that are gone.
    """

    listed: Listed
    may_edit: bool
    state: State
    number: int
    lacking: tuple[str, ...] = ()

    def is_kept_from(self, now: State) -> bool:
        """Return whether saved results must stay although they cannot be shown now."""
        return bool(self.lacking) and now.results is None and self.state.has_files_of(now)


def entry_here() -> Entry | None:
    """Return the session's experiment in the library; None if it is not saved."""
    entry: Entry | None = st.session_state.get(_HERE)
    return entry


def name_here() -> str:
    """Return the name of what is loaded; empty if nothing is."""
    here, loaded = entry_here(), session.workspace()
    if here is not None:
        return here.listed.name
    return usual_name(session.loaded_experiment(), len(loaded.documents)) if loaded.documents else ""


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
    return () if is_demo() else library().listed(visitor(), most=1_000)


def arrive() -> None:
    """Open what the address names before anything is drawn, and write its name into every page's address.

    The secret of a link leaves the address at once: this browser, or without cookies this session, is let in.
    """
    if (waiting := st.session_state.pop(_TO_SHOW, None)) is not None:
        _show(waiting, {})
    key = redeemed(st.query_params.pop(TICKET)) if TICKET in st.query_params else None
    key = st.query_params.pop(KEY, None) or key
    uid, here = st.query_params.get(LINK), entry_here()
    known = "" if here is None else here.listed.uid
    if key is not None:
        open_link(key, spared=st.query_params.to_dict())
    elif uid is None and here is not None:
        st.query_params[LINK] = known
    elif uid is not None and uid not in (known, st.session_state.get(_DEAD_END, "")):
        open_link(uid, spared=st.query_params.to_dict())


def open_link(word: str, spared: Mapping[str, Any] | None = None) -> None:
    """Open an experiment as it was left.

    Parameters
    ----------
    word
        Its name in the address, or the secret of a link.
    spared
        Settings that the address says otherwise.
    """
    for key in (_DEAD_END, _PROBLEM, _CONFLICT):
        st.session_state.pop(key, None)
    try:
        if (reached := library().reached(word, asker()) or library().redeem(word, asker())) is None:
            st.session_state[_DEAD_END] = word
            return
        uid = reached.listed.uid
        kept, number = _read(uid)
        if reached.may_edit:
            library().touch(uid, asker())
        elif not kept.made.shares_notes:
            kept = replace(kept, made=replace(kept.made, notes=()))
    except MtevalError as error:
        st.session_state[_PROBLEM] = st.session_state[_DEAD_END] = str(error)
        return
    _show(kept, spared or {})
    chosen = () if kept.settings is None else kept.settings.metrics
    known = catalog(() if kept.experiment is None else kept.experiment.given)
    lacking = tuple(key for key in chosen if key not in known)
    state = State(kept.workspace, kept.made, kept.results)
    _stand_at(Entry(library().entry(uid), reached.may_edit, state, number, lacking))
    if reached.may_edit:
        evaluation.adopt(uid)


def _read(uid: str) -> tuple[Opened, int]:
    """Return an experiment with the number of its state."""
    while True:
        number = library().entry(uid).number
        kept = opened(library().content(uid))
        if library().entry(uid).number == number:
            return kept, number


def _stand_at(entry: Entry) -> None:
    """Make this the session's experiment."""
    st.session_state[_HERE] = entry
    st.session_state.pop(_PROBLEM, None)
    st.query_params[LINK] = entry.listed.uid


def _show(kept: Opened, spared: Mapping[str, Any]) -> None:
    """Restore saved values in the session."""
    session.take(kept.workspace, has_come=kept.results is None)
    given = () if kept.experiment is None else kept.experiment.given
    values: dict[str, object] = {session.BASELINE: kept.made.baseline, SEEN: {one.key for one in given}}
    known = catalog(given)
    if kept.made.settings is not None and set(kept.made.settings.metrics) <= set(known):
        values |= widget_values(kept.made.settings, known)
    st.session_state.update({key: value for key, value in values.items() if key not in spared and value is not None})
    session.take_notes(kept.made)
    marked = restored(kept.made.bookmarks, kept.experiment, spared)
    st.session_state.update(marked)
    st.query_params.update({key: value for key, value in marked.items() if key in spared})  # initial values of fields
    if kept.results is not None:
        first = kept.made.first_primary or kept.results.settings.primary_metric
        evaluation.restore(kept.results, first, kept.made.seen)


def leave() -> None:
    """Keep showing the experiment, but no longer save it."""
    st.session_state.pop(_HERE, None)
    st.session_state.pop(_CONFLICT, None)
    st.query_params.pop(LINK, None)


def keep_loaded(settings: Settings | None) -> None:
    """Save what is loaded, once per run; without a change nothing is written."""
    _keep_state(settings)
    keeper, here = of_session("library-keeper", NumbersKeeper), entry_here()
    keeper.entry, keeper.asker = here, asker()
    memory = evaluation.evaluations()
    memory.keep, memory.link = keeper.keep, here.listed.uid if here is not None and here.may_edit else ""


def _keep_state(settings: Settings | None) -> None:
    loaded, here = session.workspace(), entry_here()
    before = () if here is None else here.state.workspace.documents
    if before and not set(map(id, before)) & set(map(id, loaded.documents)):  # all files were replaced or removed
        leave()
        session.forget_notes()
        here = None
    if is_demo() or (here is None and (not loaded.documents or st.session_state.get(DO_NOT_KEEP))):
        return
    now = _state(settings)
    try:
        if here is None or (not here.may_edit and not here.state.has_files_of(now)):
            name = usual_name(session.loaded_experiment(), len(loaded.documents))
            listed = library().add(content_of(loaded, now.made, now.results), name, asker())
            _stand_at(Entry(listed, True, now, listed.number))
        elif here.may_edit and not here.state.is_same(now) and not here.is_kept_from(now):
            _change(here, now)
    except MtevalError as error:
        st.session_state[_PROBLEM] = f"This experiment is not saved. {error}"
        if isinstance(error, DataError):
            leave()


def _state(settings: Settings | None) -> State:
    experiment, loaded = session.loaded_experiment(), session.workspace()
    made = Made(loaded.edits, settings, None, notes=session.notes(), shares_notes=bool(value_of(session.SHARED)))
    if experiment is None:
        return State(loaded, made, None)
    results = evaluation.current(experiment, settings)
    if results is not None and results.experiment.digest != experiment.digest:
        results = None
    systems = {system.key for system in experiment.systems}
    seen = tuple(card for card in evaluation.evaluations().seen if set(card.systems) == systems)
    first, bookmarks = evaluation.first_primary(experiment), all_bookmarks(experiment)
    made = replace(made, baseline=experiment.baseline, first_primary=first, seen=seen, bookmarks=bookmarks)
    return State(loaded, made, results)


def _change(here: Entry, now: State) -> None:
    """Save a change; what another window has saved in between is merged with it."""
    if (conflict := conflict_here()) is not None:
        now = replace(now, made=keeping(now.made, here.state.made, conflict.conflicts))
        if here.state.is_same(now):
            return
    with_files, with_numbers = not here.state.has_files_of(now), here.state.results is not now.results
    content = content_of(now.workspace, now.made, now.results, with_files=with_files, with_numbers=with_numbers)
    who, keeper = asker(), of_session("library-keeper", NumbersKeeper)
    keeper.entry = replace(here, state=now)  # this run may end right after saving, if the visitor leaves
    try:
        number = library().change(here.listed.uid, content, who, here.number)
    except ChangedElsewhereError:
        _merge(here, now)
        return
    st.session_state[_HERE] = replace(here, state=now, number=number, lacking=())
    if with_files and here.listed.name == _usual_name(here.state):
        label(name=_usual_name(now))
    st.session_state.pop(_PROBLEM, None)


def _usual_name(state: State) -> str:
    return usual_name(state.workspace.experiment(state.made.baseline), len(state.workspace.documents))


def _merge(here: Entry, now: State) -> None:
    """Save a change together with those of another window, and show both."""
    uid = here.listed.uid
    for _ in range(20):  # to save while others save
        theirs, number = _read(uid)
        both = merged(*((one.workspace, one.made) for one in (here.state, now, theirs)))
        saved = replace(theirs, workspace=both.workspace, made=both.theirs, experiment=both.experiment, results=None)
        results = next((one for one in (theirs.results, now.results) if both.is_of(one)), None)
        with suppress(ChangedElsewhereError):
            number = library().change(uid, content_of(both.workspace, both.theirs, results), asker(), number)
            break
    else:
        raise MtevalError("Other windows are changing this experiment. Your change is saved with your next one.")
    saved = replace(saved, results=results)
    state = State(both.workspace, both.theirs, results)
    st.session_state[_HERE] = replace(here, state=state, number=number, listed=library().entry(uid), lacking=())
    if both.conflicts:
        st.session_state[_CONFLICT] = both
    st.session_state[_TO_SHOW] = replace(saved, made=both.ours)
    st.rerun()


def conflict_here() -> Merged | None:
    """Return what this window and another one changed differently; None without a conflict."""
    conflict: Merged | None = st.session_state.get(_CONFLICT)
    return conflict


def settle(is_ours: bool) -> None:
    """In a callback: end a conflict, with the values of this window or of the other one."""
    here = entry_here()
    st.session_state.pop(_CONFLICT, None)
    if here is not None and not is_ours:
        made, files = here.state.made, here.state.workspace
        _show(Opened(files, made, files.experiment(made.baseline), here.state.results), {})


def undo(number: int) -> None:
    """In a callback: return to an earlier state."""
    here = entry_here()
    if here is not None and here.may_edit:
        with errors_left():
            library().undo(here.listed.uid, number, asker())
            open_link(here.listed.uid)


def label(**what: Any) -> None:
    """In a callback: rename, annotate, tag or pin the session's experiment, as ``Library.label`` does."""
    here = entry_here()
    if here is not None and here.may_edit:
        with errors_left():
            library().label(here.listed.uid, asker(), **what)
            st.session_state[_HERE] = replace(here, listed=library().entry(here.listed.uid))


def replace_link(is_reader: bool, until: float | None) -> None:
    """In a callback: replace a link of the session's experiment."""
    here = entry_here()
    if here is not None and here.may_edit:
        with errors_left():
            listed = library().replace_link(here.listed.uid, asker(), is_reader=is_reader, until=until)
            st.session_state[_HERE] = replace(here, listed=listed)


def delete(uids: Collection[str]) -> None:
    """In a callback: delete experiments; a session that shows one starts over."""
    here = entry_here()
    with errors_left():
        library().remove(uids, asker())
        if here is not None and here.listed.uid in uids:
            leave()
            session.start_over()
