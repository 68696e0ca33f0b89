"""What all pages share: their look and heading, the sidebar, and what they need before they can show anything.

The sidebar has what is loaded, the button that starts the work, and the settings.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from mteval.analysis.results import Results, reported_test_set
from mteval.answers.loaded import size_in_words
from mteval.base.errors import MtevalError
from mteval.library.shelf import LINK
from mteval.metrics import METRICS
from mteval.render.html import BLOCKS, tag
from mteval.ui.parts import messages
from mteval.ui.parts.choices import choose
from mteval.ui.parts.tables import show
from mteval.ui.session import evaluation
from mteval.ui.setup.address import settings_that_stay
from mteval.ui.setup.entry import entry_here, keep_loaded
from mteval.ui.setup.entry_panel import share
from mteval.ui.setup.files import sample_button
from mteval.ui.setup.settings_form import settings_form, write_address_again
from mteval.ui.setup.workspace import loaded_experiment, run_word
from mteval.values.model import Experiment, TestSet
from mteval.values.settings import Settings

TARGET = "go-to"  # key of the page that a button asked for


def sidebar(is_loading: bool) -> None:
    """Draw it, let the evaluation follow the settings, and keep what has changed.

    Work that starts from the load page leads to the scores.
    """
    write_address_again()
    with st.sidebar:
        action = st.container()
        settings = None  # where they cannot be used; where that is not about a metric, a message is above them
        with settings_that_stay():
            try:
                settings = settings_form(loaded_experiment())
            except MtevalError as error:
                with action:
                    messages.say("error", str(error))
        st.session_state["settings"] = settings
        experiment = loaded_experiment()
        with action:
            for problem in METRICS.problems:
                messages.say("warning", problem)
            if experiment is None:
                show(tag("p", "Nothing loaded yet.", class_="mt-quiet"))
            else:
                _experiment(experiment, settings, request_scores if is_loading else evaluation.request)
            keep_loaded(settings)
            share()


def settings_of_session() -> Settings | None:
    """What the sidebar says; None where its values cannot go together."""
    settings: Settings | None = st.session_state.get("settings")
    return settings


def request_scores() -> None:
    """In a button's callback: start the work and show the scores page.

    The page changes in the run that follows. A button that is drawn after work has begun may be another by then.
    """
    evaluation.request()
    st.session_state[TARGET] = "pages/scores.py"


def _experiment(experiment: Experiment, settings: Settings | None, on_click: Callable[[], None]) -> None:
    show(tag("p", size_in_words(experiment, run_word()), class_="mt-quiet"))
    if settings is not None:
        evaluation.refresh(experiment, settings)
    if evaluation.is_working():
        evaluation.progress()
        return
    if not is_first(experiment, settings):
        start_button(experiment, settings, on_click=on_click)
    notice = evaluation.notice()
    if notice is not None:
        messages.say(*notice)


def is_first(experiment: Experiment, settings: Settings | None) -> bool:
    """Whether there are no numbers yet, nor on their way: the button is on the page then, and later in the sidebar."""
    return evaluation.current(experiment, settings) is None and not evaluation.is_working()


def start_button(
    experiment: Experiment,
    settings: Settings | None,
    width: Literal["stretch", "content"] = "stretch",
    on_click: Callable[[], None] = evaluation.request,
) -> None:
    """The button that starts the work; it rests where there is nothing to do, or the settings do not allow it."""
    results = evaluation.current(experiment, settings)
    is_fresh = (
        results is not None and settings is not None and not evaluation.is_outdated(results, experiment, settings)
    )
    st.button(
        "Up to date" if is_fresh else "Score and compare",
        type="secondary" if is_fresh else "primary",
        icon=":material/check:" if is_fresh else ":material/play_arrow:",
        disabled=is_fresh or settings is None,
        help=None if settings is not None else "Not with the metric and the options in the sidebar; it says why.",
        on_click=on_click,
        key="start",
        width=width,
    )


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
        is_coming = "; the new ones are being computed."
        is_to_come = ". Press “Score and compare” in the sidebar to bring them up to date."
        told = is_coming if evaluation.is_working() else is_to_come
        messages.say("warning", f"These numbers are for earlier settings{told}")
    return results


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
