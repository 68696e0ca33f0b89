"""Present the loaded experiment as a talk, one slide at a time, by keys or buttons."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TypeVar

import plotly.graph_objects as go
import streamlit as st

from mteval.analysis.replication import draws
from mteval.analysis.replication.draws import numbers_in_talk, numbers_to_draw
from mteval.analysis.scoring import means_of_computation
from mteval.answers.replication import PUBLISHED_DRAWS
from mteval.base.errors import MissingDependencyError
from mteval.base.words import counted
from mteval.figures.images import images, require_browser
from mteval.figures.style import magnified
from mteval.metrics import resolve
from mteval.render.talk import STYLE, Slide
from mteval.report import talk
from mteval.report.talk import Talk
from mteval.stats.procedures.registry import answering
from mteval.ui.elements import as_label, download, numbers_of, show
from mteval.ui.replication import METRIC_KEY, ChosenRuns, draw_buttons, draw_what_is_wanted, procedures_for, series_of

PAGE_STYLE = Path(__file__).with_name("talk.css")
LARGER = 1.5  # on screens of 1920 x 1080, as the style sheet has it
T = TypeVar("T")

# Keys in the session
PRESENTING = "presenting"
PLACE = "talk-place"
RUNS = "talk-runs"
TEST = "talk-test"


def present_button() -> None:
    """Show the button that starts the talk."""
    st.button(
        "Present",
        icon=":material/slideshow:",
        key="present",
        on_click=st.session_state.update,
        args=({PRESENTING: True, PLACE: 0},),
        help="Slides about this experiment: arrow keys move, Esc leaves.",
    )


def is_presenting() -> bool:
    """Return whether the talk fills the screen."""
    return bool(st.session_state.get(PRESENTING, False))


def present(choice: ChosenRuns) -> None:
    """Show the slide and the bar below it."""
    styles = [f"<style>{path.read_text(encoding='utf-8')}</style>" for path in (STYLE, PAGE_STYLE)]
    st.html("".join(styles))
    experiment_talk = _talk(choice)
    outline = experiment_talk.outline
    place = min(int(st.session_state.get(PLACE, 0)), len(outline) - 1)
    is_drawing = outline[place] == talk.DRAWS

    # The bar comes before the slide, so that keys work while it is drawn. Every key has a button.
    bar = st.container(horizontal=True, vertical_alignment="center", key="talk-bar")
    with bar:
        _move_button("Back", place - 1, len(outline), "Left")
        _move_button("Next", place + 1, len(outline), "Right")
        if is_drawing:
            draw_buttons(series_of(choice, experiment_talk.k, experiment_talk.procedure))
        _choice_buttons(choice, experiment_talk, is_drawing)
        st.button(
            "Leave",
            on_click=st.session_state.update,
            args=({PRESENTING: False},),
            key="talk-leave",
            shortcut="Esc",
        )
    with st.container(key="talk"):
        above = st.container()
        below = st.container()  # progress goes below the slide
        with below:
            choice.verdict()
            slide = _slide(outline[place], choice, experiment_talk)
        with above:
            if slide is None:
                show(talk.waiting(experiment_talk, outline[place]).head)
            else:
                _show(slide)
    _prepare(choice, experiment_talk)
    if slide is None:
        return
    with bar:
        _downloads(choice, experiment_talk, slide)


def _prepare(choice: ChosenRuns, experiment_talk: Talk) -> None:
    """Start what later slides need while this one is shown, one computation after the other."""
    if not experiment_talk.can_draw:
        return
    if choice.begin("luck", draws.odds, experiment_talk.k, (experiment_talk.procedure,)):
        choice.begin("published", draws.published, *_of_published(choice, experiment_talk))


def _of_published(choice: ChosenRuns, experiment_talk: Talk) -> tuple[object, ...]:
    """Return which published p-values are computed: numbers of runs, of draws, and the tests."""
    return numbers_in_talk(choice.pool.sizes), PUBLISHED_DRAWS, tuple(experiment_talk.testers)


def _move_button(name: str, place: int, n_slides: int, shortcut: str) -> None:
    """Show a button that goes to another slide, if there is one at this place."""
    st.button(
        name,
        on_click=st.session_state.update,
        args=({PLACE: place},),
        key=f"talk-{name.lower()}",
        shortcut=shortcut,
        disabled=not 0 <= place < n_slides,
    )


def _talk(choice: ChosenRuns) -> Talk:
    """Return the talk with runs per draw and test as chosen by keys, within what these runs allow."""
    numbers = numbers_to_draw(choice.pool.sizes)
    most = numbers[-1] if numbers else 1
    k = min(int(st.session_state.get(RUNS, 1)), most)
    procedure = st.session_state.get(TEST)
    if procedure not in procedures_for(k):
        procedure = answering("test-set", choice.pool.unit).key
    return Talk(choice.subject, choice.pool, k, procedure)


def _slide(key: str, choice: ChosenRuns, experiment_talk: Talk) -> Slide | None:
    """Return the slide; None, with progress on the page, until its numbers are ready."""
    if key == talk.WHO:
        return talk.who(experiment_talk)
    if key == talk.RUNS:
        return talk.runs_as_they_fell(experiment_talk)
    if key == talk.DRAWS:
        return _slide_of_draws(choice, experiment_talk)
    if key == talk.NUMBERS or key == talk.PAIR:
        spread = choice.spread(min(choice.pool.sizes))
        if spread is None:
            return None
        if key == talk.NUMBERS:
            return talk.by_number(experiment_talk, spread)
        return talk.one_and_several(experiment_talk, spread)
    if key == talk.PUBLISHED:
        published_and_trials = choice.beside("published", draws.published, *_of_published(choice, experiment_talk))
        if published_and_trials is None:
            return None
        return talk.published_p(experiment_talk, published_and_trials[0])
    if key == talk.VARIANCE:
        variation = talk.variation_if_known(choice.pool)
        if variation is None:
            return None
        return talk.variance_sources(experiment_talk, variation)
    verdict = choice.known_verdict
    by_people = choice.by_people()
    if verdict is None or by_people is None:
        return None
    return talk.conclusion(experiment_talk, verdict, choice.plan, by_people)


def _slide_of_draws(choice: ChosenRuns, experiment_talk: Talk) -> Slide:
    k = experiment_talk.k
    procedure = experiment_talk.procedure
    series = series_of(choice, k, procedure)
    draw_what_is_wanted(series, choice, k, procedure)
    return talk.drawing(experiment_talk, series.frame, choice.odds(k, procedure), choice.known_verdict)


def _show(slide: Slide) -> None:
    """Show a slide; its text is beside the figure if there is room, below it otherwise."""
    show(slide.head)
    if slide.figure is None:
        show(slide.aside)
    elif slide.beside:
        left, right = st.columns([3, 2.2], vertical_alignment="center")
        with left:
            _show_figure(slide.section.key, slide.figure)
        with right:
            show(slide.aside)
    else:
        _show_figure(slide.section.key, slide.figure)
    show(slide.foot)


def _show_figure(key: str, figure: go.Figure) -> None:
    """Show a figure in two sizes; the style sheet shows the one that suits the screen."""
    for size, drawn in (("small", figure), ("large", magnified(figure, LARGER))):
        st.plotly_chart(drawn, config={"displayModeBar": False}, key=f"{size}-{key}", width="content")
    show(numbers_of(figure))


def _choice_buttons(choice: ChosenRuns, experiment_talk: Talk, is_drawing: bool) -> None:
    """Show buttons that cycle through metrics and, where runs are drawn, runs per draw and tests."""
    subject = choice.subject
    metrics = {metric.key: metric.name for metric in resolve(choice.settings, choice.experiment.given)}
    _cycle_button(METRIC_KEY, metrics, subject.spec.key, "M")
    if is_drawing:
        runs = {n: counted(n, subject.runs.noun) for n in numbers_to_draw(choice.pool.sizes)}
        _cycle_button(RUNS, runs, experiment_talk.k, "N")
        tests = {key: subject.procedures[key] for key in procedures_for(experiment_talk.k)}
        _cycle_button(TEST, tests, experiment_talk.procedure, "T", "Test")  # the slide names it


def _cycle_button(key: str, options: Mapping[T, str], current: T, shortcut: str, label: str = "") -> None:
    """Show a button with the current choice, or a label; pressing it chooses the next."""
    values = list(options)
    if len(values) < 2:
        return
    following = values[(values.index(current) + 1) % len(values)]
    if not label:
        label = as_label(options[current])
    st.button(label, on_click=st.session_state.update, args=({key: following},), key=f"next-{key}", shortcut=shortcut)


def _downloads(choice: ChosenRuns, experiment_talk: Talk, slide: Slide) -> None:
    """Show downloads of the slide's figure and of the whole talk; pictures need a browser on the server."""
    key = slide.section.key
    if slide.figure is not None and _has_browser():
        for form in ("png", "svg"):
            picture = partial(_picture, key, slide.figure, form)
            download(form.upper(), f"mteval-{key}.{form}", picture, icon=None)
    work = means_of_computation(choice.settings.workers)
    recorded = partial(talk.recorded_talk, experiment_talk, choice.experiment, choice.wish, work)
    download("Download talk (HTML)", "mteval-talk.html", recorded, icon=None)


def _has_browser() -> bool:
    try:
        require_browser()
    except MissingDependencyError:
        return False
    return True


def _picture(key: str, figure: go.Figure, form: str) -> bytes:
    """Return a figure as a file of this form."""
    (picture,) = images({key: figure}, (form,), talk.WIDTH).values()
    return picture
