"""What all pages share: style, heading, sidebar, and what they need before they can show results."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import streamlit as st

from mteval.analysis.findings import expected_use
from mteval.analysis.judged import metrics_of_tables
from mteval.analysis.results import Results, reported_test_set
from mteval.answers.experiments import files_in_words
from mteval.answers.findings import elsewhere_sentence
from mteval.base.errors import MtevalError
from mteval.base.words import listed
from mteval.library.started import LINK
from mteval.metrics import METRICS, catalog
from mteval.render.html import TABLES_SCRIPT, tag
from mteval.ui.elements import as_label, choose, component, end, message, say, show
from mteval.ui.kept_files import address_of_style, style_of_pages
from mteval.ui.session import evaluation
from mteval.ui.session.fragments import end_fragments
from mteval.ui.session.memory import remembered
from mteval.ui.session.progress import show_progress
from mteval.ui.setup.address import settings_that_stay
from mteval.ui.setup.entry import entry_here, keep_loaded
from mteval.ui.setup.entry_panel import share
from mteval.ui.setup.files import languages, sample_button, trainings
from mteval.ui.setup.settings_form import PRIMARY, decide_by, recap, settings_form, write_address_again
from mteval.ui.setup.workspace import (
    ARRIVED,
    add_scores,
    is_reference_open,
    is_unambiguous,
    loaded_experiment,
    run_word,
    workspace,
)
from mteval.values.findings import Finding
from mteval.values.given import GivenMetric
from mteval.values.model import Experiment, TestSet
from mteval.values.settings import Settings

OF_TABLES = "judgements"  # origin of metrics made of tables of judgements
TARGET = "go-to"  # key of the page to switch to
HEAD = "page-head"  # key of the container for the heading, above what all pages share
SCORES = "pages/scores.py"

# Pages that show the choice of the primary metric, and what was found in the files; the load page is empty
PRIMARY_USED = ("", "scores", "significance", "report")
RECAP_USED = ("", "scores")

SCRIPT = Path(__file__).with_name("page.js")
ICON = Path(__file__).with_name("icon.svg")  # of the tab; Streamlit would fetch its own icons from a font host


def dress(name: str) -> None:
    """Add what all pages have: style, script, and the experiment's name in the tab; go where a button asked to go.

    The server puts the style into the page, unless it is Streamlit's own.
    """
    title = f"{name} · mteval" if name else "mteval"
    st.set_page_config(page_title=title)
    st.session_state.pop(HEAD, None)
    style = address_of_style()
    with st.container(key="page-script"):
        component(SCRIPT, TABLES_SCRIPT)(data={"style": style})
    if style is None:
        st.html(f"<style>{style_of_pages().decode()}</style>")
    target = st.session_state.pop(TARGET, None)
    if target is not None:
        go_to(target)


def shared(page: str) -> None:
    """Draw the sidebar and the elements below every heading, update the evaluation, and save changes.

    Files that have just come, about which nothing is open, are scored, and their scores are shown.

    Parameters
    ----------
    page
        Its path in the address; empty for the load page.
    """
    write_address_again()
    st.session_state[HEAD] = st.container()
    recap_place = st.container(key="recap")
    metric_place = st.container(key="primary-metric")
    status_place = st.container(key="scoring")

    experiment = loaded_experiment()
    has_come = st.session_state.get(ARRIVED, False)
    if experiment is not None:
        with recap_place:
            recap_place = recap(experiment)
    settings = None  # if they contradict each other
    with st.sidebar, st.container(key="settings"), settings_that_stay():
        try:
            settings = settings_form(experiment, metric_place, recap_place)
        except MtevalError as error:
            status_place.html(message("error", str(error)))
    if experiment is not None and page in RECAP_USED:
        with recap_place:
            languages(experiment)
            trainings(experiment)
    st.session_state["settings"] = settings

    experiment = loaded_experiment()  # with the baseline of the form
    shows_scores = False
    with status_place:
        for problem in METRICS.problems:
            say("warning", problem)
        if experiment is not None:
            is_open = settings is not None and page != "annotate" and _propose_people(experiment, settings)
            shows_scores = _scoring(experiment, settings, page, has_come) and not is_open
    keep_loaded(settings)
    with st.sidebar:
        share()
    _hide_unused(page, has_experiment=experiment is not None)

    if page or shows_scores:
        st.session_state.pop(ARRIVED, None)
    if shows_scores:
        go_to(SCORES)


def _hide_unused(page: str, *, has_experiment: bool) -> None:
    """Hide the containers that this page does not use; their widgets keep their values."""
    unused = []
    if page == "annotate":
        unused.append("settings")
    if page not in PRIMARY_USED:
        unused.append("primary-metric")
    if not has_experiment or page not in RECAP_USED:
        unused.append("recap")
    selectors = ", ".join(f".st-key-{key}" for key in unused)
    st.html(f"<style>{selectors} {{ display: none }}</style>")


def _scoring(experiment: Experiment, settings: Settings | None, page: str, has_come: bool) -> bool:
    """Start what needs no click; show progress, or the button for what needs one. Return whether to show the scores."""
    is_settled = (bool(page) or has_come) and is_unambiguous(experiment)
    waiting: Sequence[str] = ()
    if settings is not None:
        waiting = evaluation.refresh(experiment, settings, is_settled)
    results = evaluation.current(experiment, settings)
    is_working = evaluation.is_working()
    if is_working:
        show_progress(evaluation.PLACE)
    elif settings is None and is_reference_open(experiment):
        pass  # there is one question to answer first, on the load page
    elif settings is None or results is None or evaluation.is_outdated(results, experiment, settings):
        notice = evaluation.notice()
        if notice is not None:
            say(*notice)
        if settings is not None and waiting:
            _show_expected_use(experiment, replace(settings, metrics=tuple(waiting)))
        label = "Score and compare" if len(experiment.systems) > 1 else "Score"
        if results is not None and waiting:
            specs = catalog(experiment.given)
            label = f"Score {listed([specs[metric].name for metric in waiting])}"
        start = evaluation.request if page else request_scores
        st.button(
            label,
            type="primary",
            icon=":material/play_arrow:",
            disabled=settings is None,
            on_click=start,
            key="start",
        )
    # On the load page, files that raise no question lead on to their scores; one system alone may get a second there
    is_led_on = not page and len(experiment.systems) > 1
    return is_settled and is_led_on and (is_working or results is not None)


def _propose_people(experiment: Experiment, settings: Settings) -> bool:
    """Propose that human scores decide, before any number is shown; return whether the question is open."""
    if not _is_proposing(experiment, settings):
        return False
    proposed = evaluation.proposed_primary(experiment, settings)
    names = catalog(experiment.given)
    metric = names[settings.primary_metric].name
    tables: tuple[GivenMetric, ...] = ()
    if proposed is None:
        tables = _metrics_of_tables(experiment)
        human = tables[0].name
    else:
        human = names[proposed].name
    with st.container(border=True, key="proposal"):
        st.markdown(f"**Who decides?** {as_label(human)} has people's judgements. Choose before you see results.")
        with st.container(horizontal=True):
            st.button(
                f"Decide by {as_label(human)}",
                type="primary",
                icon=":material/groups:",
                on_click=_decide_by,
                args=(proposed, experiment, tables),
                key="decide-by-people",
            )
            st.button(
                f"Decide by {as_label(metric)}",
                on_click=_decide_by,
                args=(settings.primary_metric, experiment, tables),
                key="decide-by-metric",
            )
    return True


def _is_proposing(experiment: Experiment, settings: Settings) -> bool:
    """Return whether human scores, or tables of judgements, are proposed and the question is open."""
    if PRIMARY in st.query_params:
        return False
    if evaluation.proposed_primary(experiment, settings) is not None:
        return True
    is_open = evaluation.may_propose(experiment)
    return is_open and bool(workspace().judgements) and len(_metrics_of_tables(experiment)) > 0


def _metrics_of_tables(experiment: Experiment) -> tuple[GivenMetric, ...]:
    """Return the metrics that the loaded tables of judgements make."""
    judgements = workspace().judgements
    files = tuple((test_set, *of_test_set) for test_set, of_test_set in judgements.items())
    return remembered(("judged", experiment.digest, files), lambda: metrics_of_tables(experiment, judgements))


def _decide_by(metric: str | None, experiment: Experiment, tables: Sequence[GivenMetric]) -> None:
    """In a button's callback: make a metric the planned primary one.

    Parameters
    ----------
    metric
        None for the first metric made of tables of judgements.
    tables
        Metrics made of tables of judgements, which are added in either case.
    """
    if tables:
        add_scores(OF_TABLES, tables)
        experiment = loaded_experiment() or experiment
    if metric is None:
        metric = next(given.key for given in experiment.given if given.name == tables[0].name)
    decide_by(metric, experiment)
    evaluation.answer_proposal(experiment, metric)


def _show_expected_use(experiment: Experiment, settings: Settings) -> None:
    """Show what scoring would take, e.g. calls of a paid service."""
    with suppress(MtevalError):  # which the button will show
        for line in expected_use(experiment, settings):
            say("note", line)


def request_scores() -> None:
    """In a button's callback: start scoring and show the scores page.

    The page changes in the run that follows. A button that is drawn after work has begun may be another by then.
    """
    evaluation.request()
    st.session_state[TARGET] = SCORES


def settings_of_session() -> Settings | None:
    """Return the settings in the sidebar; None if they contradict each other."""
    settings: Settings | None = st.session_state.get("settings")
    return settings


def require_settings() -> Settings:
    """Return the settings in the sidebar; if they contradict each other, the page ends."""
    settings = settings_of_session()
    if settings is None and is_reference_open(loaded_experiment()):
        send_to_load("No file is recognised as the reference, so nothing can be scored.", "Add a reference")
    if settings is None:
        end("warning", "Fix the settings in the sidebar first.")
    return settings


def show_warnings_elsewhere(findings: Iterable[Finding]) -> None:
    """Show in one line which warnings Scores has, where they can be acted on, and a button that leads there."""
    sentence = elsewhere_sentence(findings)
    if not sentence:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="warnings-elsewhere"):
        st.html(message("warning", sentence), width="content")
        st.button("Show warnings", key="show-warnings", on_click=st.session_state.update, args=({TARGET: SCORES},))


def heading(title: str, question: str) -> None:
    """Show the page's title and question, a template with the fields of ``RunWord.filled``."""
    place = st.session_state.get(HEAD)
    if place is None:
        place = st.container()
    with place:
        st.title(title, anchor=False)
        show(tag("p", run_word().filled(question), class_="mt-lead"))


def require_experiment() -> Experiment:
    """Return the loaded experiment; without one, the page ends with how to load it."""
    experiment = loaded_experiment()
    if experiment is None:
        loaded = workspace()
        if loaded.documents:
            files = files_in_words(loaded.slots)
            send_to_load(f"Loaded: {files}. This page needs outputs and references.")
        send_to_load("Nothing is loaded. Load outputs and their references first.", has_sample=True)
    return experiment


def send_to_load(reason: str, remedy: str = "Go to Load", *, has_sample: bool = False) -> NoReturn:
    """End the page with the way to the load page, and to the sample if that helps."""
    say("note", reason)
    with st.container(horizontal=True):
        _load_button(remedy)
        if has_sample:
            sample_button()
    st.stop()


def offer_second_system() -> None:
    """Show the button that leads to where a second system can be loaded."""
    _load_button("Add a second system")


def _load_button(label: str) -> None:
    st.button(
        label,
        icon=":material/upload_file:",
        type="primary",
        key="go-to-load",
        on_click=st.session_state.update,
        args=({TARGET: "pages/load.py"},),
    )


def lead_on_with_one_system() -> None:
    """Show what one system alone allows, and the button that shows its scores."""
    say("note", "One system: nothing is compared. Drop a second one here at any time.")
    st.button(
        "Show scores",
        icon=":material/leaderboard:",
        type="primary",
        key="show-scores",
        on_click=st.session_state.update,
        args=({TARGET: SCORES},),
    )


def require_results() -> Results:
    """Return the results on the chosen test set; the page ends as in ``require_evaluation``."""
    results = require_evaluation()
    return results.on(choose_test_set(results.experiment))


def require_evaluation() -> Results:
    """Return the results; without any, the page ends below progress or the button that computes them."""
    experiment = require_experiment()
    settings = require_settings()
    results = wait_for_scores(experiment, settings)
    if evaluation.is_outdated(results, experiment, settings) and not evaluation.is_working():
        say("warning", "These results use earlier settings or metrics.")
    return results


def wait_for_scores(experiment: Experiment, settings: Settings) -> Results:
    """Return results; the page ends while none are there, or while the question of the primary metric is open."""
    results = evaluation.current(experiment, settings)
    if _is_proposing(experiment, settings):
        st.stop()  # until the user answers the question above
    if results is None:
        if evaluation.is_working():
            st.skeleton(height=320)
        else:
            say("note", "Not scored yet. Choose the primary metric before you look at results.")
        st.stop()
    evaluation.note_shown(experiment)
    return results


def choose_test_set(experiment: Experiment) -> TestSet:
    """Choose the test set of the page, if there are several."""
    names = [test_set.name for test_set in experiment.test_sets]
    if len(names) == 1:
        return experiment.test_sets[0]
    reported = reported_test_set(experiment).name
    name = choose("Test set", names, "test-set", default=reported, width=240)
    return experiment.test_set(name)


def choose_metric(results: Results, key: str, label: str = "Metric", **how: Any) -> str:
    """Choose one of the metrics of the evaluation."""
    names = {metric: results.spec(metric).name for metric in results.metrics}
    metric: str = choose(label, names, key, **how)
    return metric


def go_to(page: str) -> None:
    """Show another page of the same experiment. Widgets write settings into the address again."""
    entry = entry_here()
    link = {}
    if entry is not None:
        link[LINK] = entry.listed.uid
    end_fragments()
    st.switch_page(page, query_params=link)
