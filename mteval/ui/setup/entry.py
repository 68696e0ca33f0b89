"""The session's experiment in the library: opened by its address, and saved after every change."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from mteval.analysis.results import Results
from mteval.base.errors import DataError, MtevalError
from mteval.library import Library, Listed, configured_library
from mteval.library.shelf import LINK, TICKET, redeemed
from mteval.metrics import catalog
from mteval.readers.workspace import Workspace
from mteval.report.kept_experiment import Made, Opened, content_of, opened, usual_name
from mteval.ui.session import evaluation
from mteval.ui.session.memory import of_session
from mteval.ui.session.visitor import visitor
from mteval.ui.setup.address import all_bookmarks, restored, widget_values
from mteval.ui.setup.settings_form import SEEN
from mteval.ui.setup.workspace import BASELINE, loaded_experiment, start_over, take, workspace
from mteval.values.service import is_demo
from mteval.values.settings import Settings

DO_NOT_KEEP = "do-not-keep"
_HERE, _DEAD_END, _PROBLEM = "library-entry", "library-dead-end", "library-problem"


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
        Whether it was reached by the link of those who may change it.
    lacking
        Metrics by which it was scored and that are not here now: models named no longer, packages that are gone.
    """

    listed: Listed
    may_edit: bool
    state: State
    lacking: tuple[str, ...] = ()

    @property
    def link(self) -> str:
        """The link for this session's address."""
        return self.listed.uid if self.may_edit else self.listed.reader

    def is_kept_from(self, now: State) -> bool:
        """Return whether saved results must stay although they cannot be shown now."""
        return bool(self.lacking) and now.results is None and self.state.has_files_of(now)


def entry_here() -> Entry | None:
    """Return the session's experiment in the library; None if it is not saved."""
    entry: Entry | None = st.session_state.get(_HERE)
    return entry


def name_here() -> str:
    """Return the name of what is loaded; empty if nothing is."""
    here, loaded = entry_here(), workspace()
    if here is not None:
        return here.listed.name
    return usual_name(loaded_experiment(), len(loaded.documents)) if loaded.documents else ""


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

    def keep(self, results: Results) -> None:
        """Save results if they belong to what this session saved."""
        if self.entry is None or not self.entry.may_edit:
            return
        state = self.entry.state
        experiment = state.workspace.experiment(state.made.baseline)
        if experiment is not None and experiment.digest == results.experiment.digest:
            with suppress(MtevalError):  # an open session reports it
                library().complete(self.entry.link, content_of(state.workspace, state.made, results, with_files=False))


def mine() -> tuple[Listed, ...]:
    """Return what this visitor saved, most recently used first."""
    return () if is_demo() else library().listed(visitor())


def arrive() -> None:
    """Open what the address names before anything is drawn, and write it into every page's address."""
    if TICKET in st.query_params:
        link = redeemed(st.query_params.pop(TICKET))
        if link is not None:
            st.query_params[LINK] = link
    link, here = st.query_params.get(LINK), entry_here()
    if link is None and here is not None:
        st.query_params[LINK] = here.link
    elif link is not None:
        links = () if here is None else (here.listed.uid, here.listed.reader)
        if link not in (*links, st.session_state.get(_DEAD_END, "")):
            open_link(link, spared=st.query_params.to_dict())


def open_link(link: str, spared: Mapping[str, Any] | None = None) -> None:
    """Open the experiment behind a link, as it was left.

    Parameters
    ----------
    spared
        Settings that the address says otherwise.
    """
    st.session_state.pop(_DEAD_END, None)
    st.session_state.pop(_PROBLEM, None)
    try:
        listed = library().reached_by(link)
        if listed is None:
            st.session_state[_DEAD_END] = link
            return
        kept = opened(library().content(listed.uid))
        if link == listed.uid:
            library().touch(listed.uid, visitor())
    except MtevalError as error:
        st.session_state[_PROBLEM] = st.session_state[_DEAD_END] = str(error)
        return
    _show(kept, spared or {})
    chosen = () if kept.settings is None else kept.settings.metrics
    known = catalog(() if kept.experiment is None else kept.experiment.given)
    lacking = tuple(key for key in chosen if key not in known)
    _stand_at(Entry(listed, link == listed.uid, State(kept.workspace, kept.made, kept.results), lacking))
    evaluation.adopt(link)


def _stand_at(entry: Entry) -> None:
    """Make this the session's experiment."""
    st.session_state[_HERE] = entry
    st.session_state.pop(_PROBLEM, None)
    st.query_params[LINK] = entry.link


def _show(kept: Opened, spared: Mapping[str, Any]) -> None:
    """Restore saved values in the session."""
    take(kept.workspace, has_come=kept.results is None)
    given = () if kept.experiment is None else kept.experiment.given
    values: dict[str, object] = {BASELINE: kept.made.baseline, SEEN: {one.key for one in given}}
    known = catalog(given)
    if kept.made.settings is not None and set(kept.made.settings.metrics) <= set(known):
        values |= widget_values(kept.made.settings, known)
    st.session_state.update({key: value for key, value in values.items() if key not in spared and value is not None})
    marked = restored(kept.made.bookmarks, kept.experiment, spared)
    st.session_state.update(marked)
    st.query_params.update(
        {key: value for key, value in marked.items() if key in spared}
    )  # initial values of the fields
    if kept.results is not None:
        first = kept.made.first_primary or kept.results.settings.primary_metric
        evaluation.restore(kept.results, first, kept.made.seen)


def leave() -> None:
    """Keep showing the experiment, but no longer save it."""
    st.session_state.pop(_HERE, None)
    if LINK in st.query_params:
        del st.query_params[LINK]


def keep_loaded(settings: Settings | None) -> None:
    """Save what is loaded, once per run; without a change nothing is written."""
    _keep_state(settings)
    keeper, here = of_session("library-keeper", NumbersKeeper), entry_here()
    keeper.entry = here
    memory = evaluation.evaluations()
    memory.keep, memory.link = keeper.keep, here.link if here is not None and here.may_edit else ""


def _keep_state(settings: Settings | None) -> None:
    loaded, here = workspace(), entry_here()
    before = () if here is None else here.state.workspace.documents
    if before and not set(map(id, before)) & set(map(id, loaded.documents)):  # all files were replaced or removed
        leave()
        here = None
    if is_demo() or (here is None and (not loaded.documents or st.session_state.get(DO_NOT_KEEP))):
        return
    now = _state(settings)
    try:
        if here is None or (not here.may_edit and not here.state.has_files_of(now)):
            name = usual_name(loaded_experiment(), len(loaded.documents))
            _stand_at(Entry(library().add(content_of(loaded, now.made, now.results), name, visitor()), True, now))
        elif here.may_edit and not here.state.is_same(now) and not here.is_kept_from(now):
            _change(here, now)
    except MtevalError as error:
        st.session_state[_PROBLEM] = f"This experiment is not saved. {error}"
        if isinstance(error, DataError):
            leave()


def _state(settings: Settings | None) -> State:
    experiment, loaded = loaded_experiment(), workspace()
    if experiment is None:
        return State(loaded, Made(loaded.edits, settings, None, None, (), ()), None)
    results = evaluation.current(experiment, settings)
    if results is not None and results.experiment.digest != experiment.digest:
        results = None
    systems = {system.key for system in experiment.systems}
    seen = tuple(card for card in evaluation.evaluations().seen if set(card.systems) == systems)
    first, bookmarks = evaluation.first_primary(experiment), all_bookmarks(experiment)
    return State(loaded, Made(loaded.edits, settings, experiment.baseline, first, seen, bookmarks), results)


def _change(here: Entry, now: State) -> None:
    with_files, with_numbers = not here.state.has_files_of(now), here.state.results is not now.results
    content = content_of(now.workspace, now.made, now.results, with_files=with_files, with_numbers=with_numbers)
    library().change(here.listed.uid, content)
    before = _usual_name(here.state)
    st.session_state[_HERE] = replace(here, state=now, lacking=())
    if with_files and here.listed.name == before:
        label(name=_usual_name(now))
    st.session_state.pop(_PROBLEM, None)


def _usual_name(state: State) -> str:
    return usual_name(state.workspace.experiment(state.made.baseline), len(state.workspace.documents))


def label(**what: Any) -> None:
    """In a callback: rename, annotate or pin the session's experiment, as ``Library.label`` does."""
    here = entry_here()
    if here is not None and here.may_edit:
        library().label(here.listed.uid, **what)
        st.session_state[_HERE] = replace(here, listed=library().entry(here.listed.uid))


def delete(uids: Collection[str]) -> None:
    """In a callback: delete experiments; a session that shows one starts over."""
    here = entry_here()
    if here is not None and here.listed.uid in uids:
        leave()
        start_over()
    library().remove(*uids)
