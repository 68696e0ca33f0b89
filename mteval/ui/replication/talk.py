"""Present: the talk of the experiment that is loaded, a slide at a time, by keys or buttons."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from mteval.analysis.replication.differences import replication
from mteval.analysis.replication.draws import no_trials, numbers_to_draw, published, usual_numbers
from mteval.analysis.replication.pool import variance_frame
from mteval.analysis.work import Work, means_of_computation
from mteval.base.errors import MissingDependencyError
from mteval.figures.style import magnified, system_colors
from mteval.metrics import resolve
from mteval.render.images import images, require_browser
from mteval.render.talk import STYLE, Slide
from mteval.report import talk as slides
from mteval.report import talk as subject
from mteval.report.talk import PUBLISHED_DRAWS, Subject, recorded_talk, variation_if_known
from mteval.stats.procedures.registry import answering
from mteval.ui.parts.tables import as_label, numbers_unseen, show
from mteval.ui.replication.planner import wish_of_session
from mteval.ui.replication.pool import METRIC_KEY, Chosen
from mteval.ui.replication.spread import odds_of
from mteval.ui.replication.verdict import (
    MANY,
    Series,
    begin_verdict,
    draw_what_is_wanted,
    known_verdict,
    plan_for,
    procedures_for,
    series_of,
)
from mteval.ui.session.memory import remembered
from mteval.ui.session.progress import ask

PAGE_STYLE = Path(__file__).with_name("talk.css")
PRESENTING, PLACE, RUNS, TEST = "presenting", "talk-place", "talk-runs", "talk-test"
PLOT = {"displayModeBar": False}
LARGER = 1.5  # on screens of 1920 x 1080, as the style sheet has it
T = TypeVar("T")


def present_button() -> None:
    """The way into the talk."""
    st.button(
        "Present", icon=":material/slideshow:", on_click=_begin, key="present",
        help="A talk about the luck in this experiment, in large type: arrow keys, Esc leaves.",
    )  # fmt: skip


def is_presenting() -> bool:
    """Whether the talk has the screen to itself."""
    return bool(st.session_state.get(PRESENTING, False))


def _begin() -> None:
    st.session_state[PRESENTING], st.session_state[PLACE] = True, 0


def _leave() -> None:
    st.session_state[PRESENTING] = False


def talk(chosen: Chosen) -> None:
    """The slide and the bar below it."""
    st.html("".join(f"<style>{path.read_text(encoding='utf-8')}</style>" for path in (STYLE, PAGE_STYLE)))
    about = _subject(chosen)
    outline = about.outline()
    place = min(int(st.session_state.get(PLACE, 0)), len(outline) - 1)
    k, procedure = _draws_chosen(chosen)
    bar = st.container(horizontal=True, vertical_alignment="center", key="talk-bar")
    with bar:  # before the slide, so that its keys work while that is drawn
        _way(outline, place)
        if outline[place] == subject.DRAWS and numbers_to_draw(chosen.pool.sizes):
            _draw_buttons(series_of(chosen, k, procedure))
        _choices(chosen, k, procedure)
        st.button("Leave", on_click=_leave, key="talk-leave", shortcut="Esc")
    with st.container(key="talk"):
        above, below = st.container(), st.container()  # how far work is stands below what is there already
        with below:
            begin_verdict(chosen)
            slide = _slide(outline[place], chosen, about, k, procedure)
        if slide is not None:
            with above:
                _show(slide)
            with bar:
                _files(chosen, about, slide, k, procedure)


def _subject(chosen: Chosen) -> Subject:
    colors = system_colors([system.key for system in chosen.experiment.systems])
    return Subject(chosen.pool, chosen.spec, chosen.settings, colors)


def _draws_chosen(chosen: Chosen) -> tuple[int, str]:
    """Runs a draw and test, as chosen by keys; what these runs do not allow is changed to what they do."""
    numbers = numbers_to_draw(chosen.pool.sizes) or [1]
    k = min(int(st.session_state.get(RUNS, 1)), numbers[-1])
    procedures = procedures_for(k)
    test = st.session_state.get(TEST)
    return k, test if test in procedures else answering("test-set", chosen.pool.unit).key


def _slide(key: str, chosen: Chosen, about: Subject, k: int, procedure: str) -> Slide | None:
    """The slide; None, and progress on the page, until its numbers are there."""
    builders: Mapping[str, Callable[[], Slide | None]] = {
        subject.WHO: lambda: slides.who(about),
        subject.RUNS: lambda: slides.runs_as_they_fell(about),
        subject.DRAWS: lambda: _draws(chosen, about, k, procedure),
        subject.NUMBERS: lambda: _spread(chosen, about, slides.by_number),
        subject.PAIR: lambda: _spread(chosen, about, slides.one_and_several),
        subject.PUBLISHED: lambda: _published(chosen, about),
        subject.VARIANCE: lambda: _variance(chosen, about),
        subject.VERDICT: lambda: _verdict(chosen, about),
    }
    return builders[key]()


def _draws(chosen: Chosen, about: Subject, k: int, procedure: str) -> Slide:
    if not numbers_to_draw(chosen.pool.sizes):
        return slides.draws(about, k, procedure, no_trials(), None, None)
    series = series_of(chosen, k, procedure)
    draw_what_is_wanted(series, chosen, k, procedure)
    odds = odds_of(chosen, k, procedure)
    return slides.draws(about, k, procedure, series.frame, odds, known_verdict(chosen))


def _spread(chosen: Chosen, about: Subject, build: Callable[..., Slide]) -> Slide | None:
    most = min(chosen.pool.sizes)
    found = ask("spread", f"spread {most} {chosen.key}", lambda work: replication(chosen.pool, chosen.settings, most))
    return None if found is None else build(about, found)


def _published(chosen: Chosen, about: Subject) -> Slide | None:
    numbers = (1, *usual_numbers(chosen.pool.sizes))

    def compute(work: Work) -> pd.DataFrame:
        return published(chosen.pool, numbers, PUBLISHED_DRAWS, about.testers(), chosen.settings, work)[0]

    found = ask("published", f"talk {numbers} {chosen.key}", compute, chosen.settings.workers)
    return None if found is None else slides.published_p(about, found)


def _variance(chosen: Chosen, about: Subject) -> Slide | None:
    variation = remembered(("variation", chosen.key), lambda: variation_if_known(about))
    return None if variation is None else slides.variance_sources(about, variance_frame(chosen.pool, variation))


def _verdict(chosen: Chosen, about: Subject) -> Slide | None:
    verdict = known_verdict(chosen)
    return None if verdict is None else slides.conclusion(about, verdict, plan_for(chosen))


def _show(slide: Slide) -> None:
    show(slide.head)
    if slide.figure is None:
        show(slide.aside)
    elif slide.beside:
        left, right = st.columns([3, 2.2], vertical_alignment="center")
        with left:
            _show_figure(slide.key, slide.figure)
        with right:
            show(slide.aside)
    else:
        _show_figure(slide.key, slide.figure)
    show(slide.foot)


def _show_figure(key: str, figure: go.Figure) -> None:
    """In two sizes, of which the style sheet shows the one that suits the screen."""
    for size, drawn in (("small", figure), ("large", magnified(figure, LARGER))):
        st.plotly_chart(drawn, config=PLOT, key=f"{size}-{key}", width="content")
    show(numbers_unseen(figure))


def _way(outline: Sequence[str], place: int) -> None:
    """Everything that a key does has a button as well."""
    last = len(outline) - 1
    st.button("Back", on_click=_go, args=(place - 1,), key="talk-back", shortcut="Left", disabled=place == 0)
    st.button("Next", on_click=_go, args=(place + 1,), key="talk-next", shortcut="Right", disabled=place == last)


def _go(place: int) -> None:
    st.session_state[PLACE] = place


def _draw_buttons(series: Series) -> None:
    st.button("Draw", type="primary", on_click=series.add, args=(1,), key="luck-draw", shortcut="D")
    st.button(f"Draw {MANY}", on_click=series.add, args=(MANY,), key="luck-draw-many", shortcut="H")
    st.button("Start over", on_click=series.start_over, key="luck-restart", shortcut="S")


def _choices(chosen: Chosen, k: int, procedure: str) -> None:
    """Runs a draw, metric and test, each going on to the next when pressed; none where there is no other."""
    specs = procedures_for(k)
    metrics = {one.key: one.name for one in resolve(chosen.settings, chosen.experiment.given)}
    runs = {number: f"{number} run{'' if number == 1 else 's'}" for number in numbers_to_draw(chosen.pool.sizes)}
    tests = {key: spec.short_name_on(chosen.pool.unit) for key, spec in specs.items()}
    _cycle(RUNS, runs, k, "N")
    _cycle(METRIC_KEY, metrics, chosen.pool.scored.metric.key, "M")
    _cycle(TEST, tests if runs else {}, procedure, "T")


def _cycle(key: str, options: Mapping[T, str], now: T, shortcut: str) -> None:
    """A button with the name of what is chosen; pressing it chooses the next."""
    values = list(options)
    if len(values) < 2:
        return
    following = values[(values.index(now) + 1) % len(values)]
    st.button(as_label(options[now]), on_click=_choose, args=(key, following), key=f"next-{key}", shortcut=shortcut)


def _choose(key: str, value: object) -> None:
    st.session_state[key] = value


def _files(chosen: Chosen, about: Subject, slide: Slide, k: int, procedure: str) -> None:
    """The slide's figure for print, and the whole talk."""
    figure, wish = slide.figure, wish_of_session(chosen)
    if figure is not None and _can_draw_images():
        for form in ("png", "svg"):
            st.download_button(
                form.upper(), lambda form=form: _image(slide, form), f"mteval-{slide.key}.{form}",  # type: ignore[misc]
                on_click="ignore", key=f"download-talk-{form}",
            )  # fmt: skip
    st.download_button(
        "Talk as HTML",
        lambda: recorded_talk(
            about, chosen.experiment, k, procedure, wish, means_of_computation(chosen.settings.workers)
        ),
        "mteval-talk.html", "text/html", on_click="ignore", key="download-talk",
    )  # fmt: skip


def _image(slide: Slide, form: str) -> bytes:
    (drawn,) = images({slide.key: slide.figure}, (form,), slides.WIDTH).values()
    return drawn


def _can_draw_images() -> bool:
    try:
        require_browser()
    except MissingDependencyError:
        return False
    return True
