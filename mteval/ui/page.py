"""What every page begins with: its look, its heading, and what it needs before it can show anything."""

from pathlib import Path
from typing import Any

import streamlit as st

from mteval.analysis.overview import reported_test_set
from mteval.analysis.results import Results
from mteval.library.configuration import LINK
from mteval.render.html import BLOCKS, tag
from mteval.ui.parts import messages
from mteval.ui.parts.choices import choose
from mteval.ui.parts.tables import show
from mteval.ui.session import evaluation
from mteval.ui.setup.entry import entry_here
from mteval.ui.setup.files import sample_button
from mteval.ui.setup.sidebar import TARGET, is_first, settings_of_session, start_button
from mteval.ui.setup.words import run_word
from mteval.ui.setup.workspace import loaded_experiment
from mteval.values.model import Experiment, TestSet

STYLE = Path(__file__).with_name("style.css")
SCRIPT = Path(__file__).with_name("page.js")
ICON = Path(__file__).with_name("icon.svg")  # of the tab; Streamlit would fetch one of its own names from a font host


def dress() -> None:
    """The style sheet and the script; and the page that a button asked for, before the one it is on begins."""
    with st.container(key="page-script"):
        _script()()
    st.html("".join(f"<style>{style.read_text(encoding='utf-8')}</style>" for style in (BLOCKS, STYLE)))
    target = st.session_state.pop(TARGET, None)
    if target is not None:
        go_to(target)


@st.cache_resource(show_spinner=False)
def _script() -> Any:
    """Registered once a server."""
    return st.components.v2.component("mteval_page", js=SCRIPT.read_text(encoding="utf-8"))


def heading(title: str, question: str) -> None:
    """The page's title and the question that it answers, a template with the fields of ``RunWord.filled``."""
    st.title(title, anchor=False)
    show(tag("p", run_word().filled(question), class_="mt-lead"))


def require_experiment() -> Experiment:
    """What is loaded; where nothing is, the page ends with the way to load it."""
    experiment = loaded_experiment()
    if experiment is None:
        told = f"Nothing is loaded yet. Load the {run_word().nouns} of two systems and their references first."
        messages.say("note", told)
        with st.container(horizontal=True):
            is_going = st.button("Go to Load", icon=":material/upload_file:", type="primary")
            sample_button()
        if is_going:
            go_to("pages/load.py")
        st.stop()
    return experiment


def require_results() -> Results:
    """What was computed, on the test set that the page is about; else the page ends as in ``require_evaluation``."""
    results = require_evaluation()
    return results.on(choose_test_set(results.experiment))


def require_evaluation() -> Results:
    """What was computed, on whichever test set; where nothing was, the page ends with the button that starts it."""
    experiment = require_experiment()
    settings = settings_of_session()
    if settings is None:
        messages.say("warning", "The settings in the sidebar cannot be used as they are; see the message there.")
        if is_first(experiment, settings):
            start_button(experiment, settings, width="content")
        st.stop()
    results = evaluation.current(experiment, settings)
    if results is None and evaluation.is_working():
        messages.say(
            "note", "The numbers appear here as soon as they are there; the sidebar shows how far the work is."
        )
        st.skeleton(height=320)
        st.stop()
    if results is None:
        messages.say(
            "note",
            "Nothing is scored yet. Check the settings in the sidebar, the primary metric above all: it is to be chosen"
            " before the numbers are seen.",
        )
        start_button(experiment, settings, width="content")
        st.stop()
    if evaluation.is_outdated(results, experiment, settings):
        messages.say("warning", _outdated())
    return results


def _outdated() -> str:
    if evaluation.is_working():
        return "These numbers are for earlier settings; the new ones are being computed."
    return "These numbers are for earlier settings. Press “Score and compare” in the sidebar to bring them up to date."


def choose_test_set(experiment: Experiment) -> TestSet:
    """The test set that the page is about; the choice is offered where there are several."""
    names = [test_set.name for test_set in experiment.test_sets]
    if len(names) == 1:
        return experiment.test_sets[0]
    first = reported_test_set(experiment).name
    return experiment.test_set(choose("Test set", names, "test-set", default=first, width=240))


def go_to(page: str) -> None:
    """Show another page of the same experiment. Settings in the address belong to widgets, which write them again."""
    here = entry_here()
    st.switch_page(page, query_params={} if here is None else {LINK: here.link})
