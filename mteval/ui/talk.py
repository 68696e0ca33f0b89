"""Present the loaded experiment as a talk, one slide at a time, by keys or buttons."""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

import plotly.graph_objects as go
import streamlit as st

from mteval.analysis.replication.draws import numbers_to_draw, published, usual_numbers
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
from mteval.ui.replication import METRIC_KEY, Chosen, draw_buttons, draw_what_is_wanted, procedures_for, series_of

PAGE_STYLE = Path(__file__).with_name("talk.css")
PRESENTING, PLACE, RUNS, TEST = "presenting", "talk-place", "talk-runs", "talk-test"
LARGER = 1.5  # on screens of 1920 x 1080, as the style sheet has it
T = TypeVar("T")


def present_button() -> None:
    """Show the button that starts the talk."""
    st.button(
        "Present", icon=":material/slideshow:", key="present",
        on_click=st.session_state.update, args=({PRESENTING: True, PLACE: 0},),
        help="Slides about this experiment: arrow keys move, Esc leaves.",
    )  # fmt: skip


def is_presenting() -> bool:
    """Return whether the talk fills the screen."""
    return bool(st.session_state.get(PRESENTING, False))


def present(chosen: Chosen) -> None:
    """Show the slide and the bar below it."""
    st.html("".join(f"<style>{path.read_text(encoding='utf-8')}</style>" for path in (STYLE, PAGE_STYLE)))
    given = _talk(chosen)
    outline = given.outline
    place, choose = min(int(st.session_state.get(PLACE, 0)), len(outline) - 1), st.session_state.update
    bar = st.container(horizontal=True, vertical_alignment="center", key="talk-bar")
    with bar:  # before the slide, so that keys work while it is drawn
        for name, to, key in (("Back", place - 1, "Left"), ("Next", place + 1, "Right")):  # every key has a button
            st.button(
                name, on_click=choose, args=({PLACE: to},), key=f"talk-{name.lower()}", shortcut=key,
                disabled=not 0 <= to < len(outline),
            )  # fmt: skip
        if outline[place] == talk.DRAWS:
            draw_buttons(series_of(chosen, given.k, given.procedure))
        _choices(chosen, given, is_drawing=outline[place] == talk.DRAWS)
        st.button("Leave", on_click=choose, args=({PRESENTING: False},), key="talk-leave", shortcut="Esc")
    with st.container(key="talk"):
        above, below = st.container(), st.container()  # progress goes below the slide
        with below:
            chosen.verdict()
            slide = _slide(outline[place], chosen, given)
        if slide is not None:
            with above:
                _show(slide)
            with bar:
                _files(chosen, given, slide)


def _talk(chosen: Chosen) -> Talk:
    """Return the talk with runs per draw and test as chosen by keys, within what these runs allow."""
    numbers = numbers_to_draw(chosen.pool.sizes) or [1]
    k = min(int(st.session_state.get(RUNS, 1)), numbers[-1])
    test = st.session_state.get(TEST)
    procedure = test if test in procedures_for(k) else answering("test-set", chosen.pool.unit).key
    return Talk(chosen.about, chosen.pool, k, procedure)


def _slide(key: str, chosen: Chosen, given: Talk) -> Slide | None:
    """Return the slide; None, with progress on the page, until its numbers are ready."""
    if key == talk.WHO:
        return talk.who(given)
    if key == talk.RUNS:
        return talk.runs_as_they_fell(given)
    if key == talk.DRAWS:
        series = series_of(chosen, given.k, given.procedure)
        draw_what_is_wanted(series, chosen, given.k, given.procedure)
        return talk.drawing(given, series.frame, chosen.odds(given.k, given.procedure), chosen.known_verdict)
    if key in (talk.NUMBERS, talk.PAIR):
        found = chosen.spread(min(chosen.pool.sizes))
        build = talk.by_number if key == talk.NUMBERS else talk.one_and_several
        return None if found is None else build(given, found)
    if key == talk.PUBLISHED:
        numbers = (1, *usual_numbers(chosen.pool.sizes))
        computed = chosen.beside("published", published, numbers, PUBLISHED_DRAWS, tuple(given.testers))
        return None if computed is None else talk.published_p(given, computed[0])
    if key == talk.VARIANCE:
        variation = talk.variation_if_known(chosen.pool)
        return None if variation is None else talk.variance_sources(given, variation)
    verdict = chosen.known_verdict
    return None if verdict is None else talk.conclusion(given, verdict, chosen.plan)


def _show(slide: Slide) -> None:
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


def _choices(chosen: Chosen, given: Talk, is_drawing: bool) -> None:
    """Show buttons that cycle through metrics and, where runs are drawn, runs per draw and tests."""
    metrics = {one.key: one.name for one in resolve(chosen.settings, chosen.experiment.given)}
    runs = {n: counted(n, chosen.about.runs.noun) for n in numbers_to_draw(chosen.pool.sizes)}
    tests = {key: chosen.about.procedures[key] for key in procedures_for(given.k)}
    _cycle(METRIC_KEY, metrics, chosen.about.spec.key, "M")
    if is_drawing:
        _cycle(RUNS, runs, given.k, "N")
        _cycle(TEST, tests, given.procedure, "T", "Test")  # the slide names it


def _cycle(key: str, options: Mapping[T, str], now: T, shortcut: str, label: str = "") -> None:
    """Show a button with the current choice, or a label; pressing it chooses the next."""
    values = list(options)
    if len(values) < 2:
        return
    choose, wanted = st.session_state.update, ({key: values[(values.index(now) + 1) % len(values)]},)
    st.button(label or as_label(options[now]), on_click=choose, args=wanted, key=f"next-{key}", shortcut=shortcut)


def _files(chosen: Chosen, given: Talk, slide: Slide) -> None:
    """Show downloads of the slide's figure and of the whole talk."""
    key, figure = slide.section.key, slide.figure
    with suppress(MissingDependencyError):  # no pictures without a browser
        require_browser()
        for form in () if figure is None else ("png", "svg"):
            drawn = partial(images, {key: figure}, (form,), talk.WIDTH)
            download(form.upper(), f"mteval-{key}.{form}", lambda drawn=drawn: next(iter(drawn().values())), icon=None)  # type: ignore[misc]
    work = means_of_computation(chosen.settings.workers)
    whole = partial(talk.recorded_talk, given, chosen.experiment, chosen.wish, work)
    download("Download talk (HTML)", "mteval-talk.html", whole, icon=None)
