"""The folder that the dashboard was started to look at: runs that training adds to it are offered."""

import streamlit as st

from mteval.analysis.replication.planning import plan_from
from mteval.analysis.replication.wish import usual_wish
from mteval.analysis.results import Results
from mteval.counts import agreeing, counted
from mteval.export.prose.replication import plan_sentences
from mteval.library.configuration import watched
from mteval.model import Experiment
from mteval.readers.folder_growth import FolderGrowth
from mteval.readers.workspace import Workspace
from mteval.ui.parts import messages
from mteval.ui.session.memory import of_session, remembered
from mteval.ui.setup.entry import entry_here
from mteval.ui.setup.words import run_word
from mteval.ui.setup.workspace import generation, loaded_experiment, reading, take, workspace

SECONDS = 5  # between two looks
GROWTH, TRIED = "watched-folder", "watched-files-tried"


def new_runs() -> None:
    """The notice, where this experiment's folder is looked at."""
    place, here = watched(), entry_here()
    if place is not None and here is not None and here.may_edit and here.link == place.link:
        of_session(GROWTH, lambda: FolderGrowth(place.folder))
        _look()


@st.fragment(run_every=SECONDS)
def _look() -> None:
    known = {document.name for document in workspace().documents} | of_session(TRIED, set[str])
    growth: FolderGrowth = st.session_state[GROWTH].look(known)
    st.session_state[GROWTH] = growth
    if growth.whole:
        key = (GROWTH, growth.whole, generation())
        after = remembered(key, lambda: workspace().add(growth.read(), read=reading().unpack))
        messages.say("note", " ".join(_said(growth, after.experiment(_baseline()))))
        st.button("Add them", icon=":material/add:", key="add-new-runs", on_click=_add, args=(after, growth.whole))
    elif growth.growing:
        verb = agreeing(len(growth.growing), "is", "are")
        messages.say("note", f"{counted(len(growth.growing), 'file')} in the watched folder {verb} still growing.")


def _add(after: Workspace, names: tuple[str, ...]) -> None:
    """In a callback: what cannot be read is said once, and not offered again."""
    of_session(TRIED, set[str]).update(names)
    take(after)


def _baseline() -> str | None:
    experiment = loaded_experiment()
    return None if experiment is None else experiment.baseline


def _said(growth: FolderGrowth, after: Experiment | None) -> list[str]:
    """Which files came, which runs they are, and how that compares with the plan."""
    said = [f"{counted(len(growth.whole), 'file')} came into the watched folder."]
    if growth.growing:
        said.append(f"{len(growth.growing):,} more {agreeing(len(growth.growing), 'is', 'are')} still growing.")
    if after is None:
        return said
    before = {} if (now := loaded_experiment()) is None else {one.key: len(one.runs) for one in now.systems}
    for system in after.systems:
        had, has = before.get(system.key, 0), len(system.runs)
        if had != has:
            said.append(f"{system.key} has {counted(has, run_word().noun)} with them, {had:,} without.")
    here = entry_here()
    results = None if here is None else here.state.results
    return said + ([] if results is None else _planned(results))


def _planned(results: Results) -> list[str]:
    """How many runs of each system the runs so far say that it takes, for each system that was compared."""
    spec, said = results.spec(results.settings.primary_metric), list[str]()
    wish = usual_wish(spec.notation, results.settings, len(results.systems) - 1)
    for prospect in results.evaluation.prospects:
        if prospect.test_set == results.test_set.name:
            found = plan_from(prospect, prospect.variation, wish)
            needed = plan_sentences(found, spec.name, prospect.unit, spec.notation)[0]
            said.append(f"{prospect.system}: {results.run_word.said(needed)}")
    return said
