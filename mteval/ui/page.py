"""What all pages share: style, heading, sidebar, and what they need before they can show results."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NoReturn

import streamlit as st

from mteval.analysis.results import Results, reported_test_set
from mteval.answers.experiments import size_in_words
from mteval.base.errors import MtevalError
from mteval.library.started import LINK
from mteval.metrics import METRICS
from mteval.render.html import BLOCKS, TABLES_SCRIPT, tag
from mteval.ui.elements import choose, component, end, quiet, say, show
from mteval.ui.session import evaluation
from mteval.ui.session.progress import show_progress
from mteval.ui.setup.address import settings_that_stay
from mteval.ui.setup.entry import entry_here, keep_loaded
from mteval.ui.setup.files import sample_button
from mteval.ui.setup.settings_form import settings_form, write_address_again
from mteval.ui.setup.sharing import share
from mteval.ui.setup.workspace import loaded_experiment, run_word
from mteval.values.model import Experiment, TestSet
from mteval.values.settings import Settings

TARGET = "go-to"  # key of the page to switch to


def sidebar(is_loading: bool) -> None:
    """Draw the sidebar, update the evaluation, and save changes.

    Work that starts from the load page leads to the scores.
    """
    write_address_again()
    with st.sidebar:
        action = st.container()
        settings = None  # if they cannot be used; the reason is above or below the metrics
        with settings_that_stay():
            try:
                settings = settings_form(loaded_experiment())
            except MtevalError as error:
                with action:
                    say("error", str(error))
        st.session_state["settings"] = settings
        experiment = loaded_experiment()
        with action:
            for problem in METRICS.problems:
                say("warning", problem)
            if experiment is None:
                quiet("Nothing loaded.")
            else:
                _experiment(experiment, settings, request_scores if is_loading else evaluation.request)
            keep_loaded(settings)
            share()


def settings_of_session() -> Settings | None:
    """Return the settings in the sidebar; None if they contradict each other."""
    settings: Settings | None = st.session_state.get("settings")
    return settings


def require_settings() -> Settings:
    """Return the settings in the sidebar; if they contradict each other, the page ends."""
    settings = settings_of_session()
    if settings is None:
        end("warning", "Fix the settings in the sidebar first.")
    return settings


def request_scores() -> None:
    """In a button's callback: start scoring and show the scores page.

    The page changes in the run that follows. A button that is drawn after work has begun may be another by then.
    """
    evaluation.request()
    st.session_state[TARGET] = "pages/scores.py"


def _experiment(experiment: Experiment, settings: Settings | None, on_click: Callable[[], None]) -> None:
    quiet(size_in_words(experiment, run_word()))
    if settings is not None:
        evaluation.refresh(experiment, settings)
    if evaluation.is_working():
        show_progress(evaluation.PLACE)
        return
    if not is_first(experiment, settings):
        start_button(experiment, settings, on_click=on_click)
    notice = evaluation.notice()
    if notice is not None:
        say(*notice)


def is_first(experiment: Experiment, settings: Settings | None) -> bool:
    """Return whether there are no results yet and none are coming; the start button is then on the page."""
    return evaluation.current(experiment, settings) is None and not evaluation.is_working()


def start_button(
    experiment: Experiment,
    settings: Settings | None,
    width: Literal["stretch", "content"] = "stretch",
    on_click: Callable[[], None] = evaluation.request,
) -> None:
    """Show the button that starts scoring; disabled if results are up to date or settings are invalid."""
    results = evaluation.current(experiment, settings)
    is_fresh = (
        results is not None and settings is not None and not evaluation.is_outdated(results, experiment, settings)
    )
    st.button(
        "Up to date" if is_fresh else "Score and compare", type="secondary" if is_fresh else "primary",
        icon=f":material/{'check' if is_fresh else 'play_arrow'}:", disabled=is_fresh or settings is None,
        help=None if settings is not None else "Fix the settings in the sidebar first.",
        on_click=on_click, key="start", width=width,
    )  # fmt: skip


STYLE = Path(__file__).with_name("style.css")
SCRIPT = Path(__file__).with_name("page.js")
ICON = Path(__file__).with_name("icon.svg")  # of the tab; Streamlit would fetch its own icons from a font host


def dress() -> None:
    """Add style sheet and script, and go to the page that a button asked for."""
    with st.container(key="page-script"):
        component(SCRIPT, TABLES_SCRIPT)()
    st.html("".join(f"<style>{style.read_text(encoding='utf-8')}</style>" for style in (BLOCKS, STYLE)))
    target = st.session_state.pop(TARGET, None)
    if target is not None:
        go_to(target)


def heading(title: str, question: str) -> None:
    """Show the page's title and question, a template with the fields of ``RunWord.filled``."""
    st.title(title, anchor=False)
    show(tag("p", run_word().filled(question), class_="mt-lead"))


def require_experiment() -> Experiment:
    """Return the loaded experiment; without one, the page ends with how to load it."""
    experiment = loaded_experiment()
    if experiment is None:
        send_to_load("Nothing is loaded. Load outputs of two systems and their references first.", has_sample=True)
    return experiment


def send_to_load(why: str, *, has_sample: bool = False) -> NoReturn:
    """End the page with the way to the load page, and to the sample if that helps."""
    say("note", why)
    with st.container(horizontal=True):
        is_going = st.button("Go to Load", icon=":material/upload_file:", type="primary", key="go-to-load")
        if has_sample:
            sample_button()
    if is_going:
        go_to("pages/load.py")
    st.stop()


def require_results() -> Results:
    """Return the results on the chosen test set; the page ends as in ``require_evaluation``."""
    results = require_evaluation()
    return results.on(choose_test_set(results.experiment))


def require_evaluation() -> Results:
    """Return the results; without any, the page ends with the button that computes them."""
    experiment = require_experiment()
    settings = settings_of_session()
    if settings is None:
        say("warning", "Fix the settings in the sidebar first.")
        if is_first(experiment, settings):
            start_button(experiment, settings, width="content")
        st.stop()
    results = evaluation.current(experiment, settings)
    if results is None and evaluation.is_working():
        say("note", "Scoring… (progress in the sidebar)")
        st.skeleton(height=320)
        st.stop()
    if results is None:
        say("note", "Not scored yet. Choose the primary metric before you look at results.")
        start_button(experiment, settings, width="content")
        st.stop()
    if evaluation.is_outdated(results, experiment, settings):
        remedy = "Updating…" if evaluation.is_working() else "Press “Score and compare” to update them."
        say("warning", f"These results use earlier settings. {remedy}")
    return results


def choose_test_set(experiment: Experiment) -> TestSet:
    """Choose the test set of the page, if there are several."""
    names = [test_set.name for test_set in experiment.test_sets]
    if len(names) == 1:
        return experiment.test_sets[0]
    first = reported_test_set(experiment).name
    return experiment.test_set(choose("Test set", names, "test-set", default=first, width=240))


def choose_metric(results: Results, key: str, label: str = "Metric", **how: Any) -> str:
    """Choose one of the metrics of the evaluation."""
    chosen: str = choose(label, {metric: results.spec(metric).name for metric in results.metrics}, key, **how)
    return chosen


def go_to(page: str) -> None:
    """Show another page of the same experiment. Widgets write settings into the address again."""
    here = entry_here()
    st.switch_page(page, query_params={} if here is None else {LINK: here.listed.uid})
