"""Tabs of the Replication page: choices and the sections that answer."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

import streamlit as st

from mteval.analysis.replication import planning
from mteval.analysis.replication.draws import extent_of, numbers_to_draw, published, usual_numbers
from mteval.analysis.replication.pool import Pool, pool_of, variation_of
from mteval.answers import planner
from mteval.answers import replication as answers
from mteval.answers.draws import NO_DRAWS, ONE_COMBINATION, conclusions_section, draws_section, published_section
from mteval.answers.verdict import verdict_line
from mteval.base.errors import MtevalError
from mteval.render.html import tag
from mteval.stats.planning import Sources
from mteval.stats.procedures.registry import answering, on_draws
from mteval.stats.runs import copies_or_single_runs
from mteval.ui.elements import SURVIVES, as_label, choose, choose_some, download, end, say, show_section
from mteval.ui.pool import POWER_KEY, Chosen, Series, draw_what_is_wanted, procedures_for, scored_on, series_of
from mteval.ui.session.memory import made_once
from mteval.values.notation import level
from mteval.values.settings import Design

VIEW, PLANNER, RUNS_KEY = "replication-view", "Planner", "planner-runs"
MANY = 100  # draws at once


def show_verdict(chosen: Chosen) -> None:
    """Show the verdict on all runs, and what a clear answer would take."""
    found = chosen.verdict()
    if found is None:
        return
    show_section(verdict_line(found, chosen.settings.confidence))
    undeclared = answers.undeclared_sentence(chosen.about)
    if undeclared:
        say("note", undeclared)
    planned = chosen.plan
    if planned is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="convince"):
        st.html(tag("p", planner.convince_sentence(chosen.about, planned), class_="mt-quiet"), width="content")
        there, go = {VIEW: PLANNER, RUNS_KEY: planned.n_runs}, st.session_state.update
        st.button("Open planner", icon=":material/calculate:", on_click=go, args=(there,), key="to-planner")


def spread_tab(chosen: Chosen) -> None:
    """Show differences by number of runs, one number at a time if wanted."""
    pool, about = chosen.pool, chosen.about
    refusal = copies_or_single_runs(*pool.statistics)
    if refusal:
        end("warning", about.filled(f"{refusal} Other {{runs}} cannot be predicted."))
    largest = min(pool.sizes)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label = about.filled("{Runs} per system, up to")
        most = int(st.slider(label, 1, largest, largest, key=f"spread-most-{largest}", width=320, **SURVIVES))
        view = st.segmented_control(
            "View", ("All", "One at a time"), default="All", required=True, key="spread-view", **SURVIVES
        )
    found = chosen.spread(most)
    if found is None:
        return
    show_section(replace(answers.spread_section(about, found, one_by_one=view != "All"), key=f"spread-{view}"))
    download("Download numbers (CSV)", "differences-by-number-of-runs.csv", found.outlook)


def published_tab(chosen: Chosen) -> None:
    """Show the draws' p-values and the share of each conclusion."""
    about, sizes = chosen.about, chosen.pool.sizes
    offered = numbers_to_draw(sizes)
    if not offered:
        end("note", about.filled(ONE_COMBINATION))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        numbers = choose_some(
            about.filled("{Runs} per system"), offered, f"published-numbers-{sizes}",
            default=usual_numbers(sizes), width=340,
        )  # fmt: skip
        n_draws = int(st.number_input("Draws", 10, 10_000, 250, step=50, key="published-draws", width=140, **SURVIVES))
    computed = chosen.beside("published", published, tuple(sorted(numbers)), n_draws, tuple(on_draws()))
    if computed is None:
        return
    frame, trials = computed
    show_section(published_section(about, frame, n_draws))
    show_section(conclusions_section(about, frame, chosen.known_verdict))
    joined = {key: trials[key].map("+".join) for key in ("baseline_runs", "system_runs")}
    download("Download draws (CSV)", "draws.csv", trials.assign(**joined))


def luck_tab(chosen: Chosen) -> None:
    """Draw one experiment after the other and show what each would have concluded."""
    pool, about = chosen.pool, chosen.about
    if not numbers_to_draw(pool.sizes):
        end("note", about.filled(NO_DRAWS))
    with st.container(horizontal=True, vertical_alignment="bottom", key="luck-choice"):
        k = choose(about.filled("{Runs} per system"), numbers_to_draw(pool.sizes), "luck-runs", width=180)
        tests = {key: about.procedures[key] for key in procedures_for(k)}
        procedure = choose("Test", tests, "luck-procedure", default=answering("test-set", pool.unit).key, width=260)
    series = series_of(chosen, k, procedure)
    with st.container(horizontal=True, key="luck-buttons"):
        draw_buttons(series)
    draw_what_is_wanted(series, chosen, k, procedure)
    odds, extent = chosen.odds(k, procedure), extent_of(pool, k)
    show_section(draws_section(about, series.frame, extent, odds, chosen.known_verdict))


def draw_buttons(series: Series) -> None:
    """Show the draw buttons with their keys, on the page and in a talk."""
    st.button(
        "Draw", icon=":material/casino:", type="primary", on_click=series.add, args=(1,), key="luck-draw", shortcut="D"
    )
    st.button(f"Draw {MANY}", on_click=series.add, args=(MANY,), key="luck-draw-many", shortcut="H")
    st.button("Start over", icon=":material/restart_alt:", on_click=series.start_over, key="luck-restart", shortcut="S")


def variance_tab(chosen: Chosen) -> None:
    """Show the sources of variance, and how well they are known."""
    try:
        variation = variation_of(chosen.pool)
    except MtevalError as error:
        end("note", str(error))
    show_section(planner.variance_section(chosen.about, variation))
    show_section(planner.uncertainty_section(chosen.about, chosen.pool, variation))


NOWHERE = "none"


def median_tab(chosen: Chosen) -> None:
    """Show how near the median run is to the mean, and how many runs that takes."""
    pool, about = chosen.pool, chosen.about
    refusal = answers.median_refusal(about, copies_or_single_runs(*pool.statistics))
    if refusal:
        end("note", refusal)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        wanted = st.select_slider(
            "Required share near the mean", (0.8, 0.9, 0.95, 0.99), 0.95,
            format_func=level, key="median-share", width=320, **SURVIVES,
        )  # fmt: skip
        elsewhere = _choose_elsewhere(chosen)
    show_section(answers.median_section(about, planning.median_convergence(pool, min(pool.sizes), elsewhere), wanted))


def _choose_elsewhere(chosen: Chosen) -> Pool | None:
    """Choose another test set with the same runs to read the median run on."""
    pool = chosen.pool
    keys = [pool.run_keys(side) for side in (0, 1)]
    others = {
        other.name: other
        for other in chosen.experiment.test_sets
        if other.name != chosen.test_set.name
        and [tuple(run.key for run in other.runs_of(key)) for key in chosen.about.keys] == keys
    }
    if not others:
        return None
    other = others.get(choose("Read the median on", [NOWHERE, *others], "median-elsewhere", width=260))
    scored = None if other is None else scored_on(other, pool.scored.metric, chosen.settings)
    with suppress(MtevalError):
        return None if scored is None else pool_of(scored, *chosen.about.keys, chosen.settings)
    return None


@dataclass(frozen=True)
class _Basis:
    """The basis of a plan: variances, uncertainty factors of those between runs, and the test set's size."""

    sources: Sources
    factors: tuple[float, float]
    n_units: int
    unit: str
    design: Design = "independent"


def planner_tab(chosen: Chosen) -> None:
    """Show the plan, power curves and table, and the price of unequal numbers of runs."""
    basis = _choose_basis(chosen)
    if basis is None:
        return
    about, sources, (wish, n_runs) = chosen.about, basis.sources, _choose_wish(chosen, basis.design)
    found = planning.plan(sources, basis.factors, basis.n_units, n_runs, wish, basis.design, basis.unit)
    sizes = planning.planned_sizes(basis.n_units)
    power = planning.power_frame(sources, planning.numbers_planned(sources), sizes, wish)
    planned = chosen.settings.look_plan
    looks = None
    if planned is not None:
        looks = made_once(planning.plan_of_looks, sources, basis.n_units, wish, planned, chosen.n_compared)
    show_section(planner.plan_section(about, found, power, looks), has_title=False)
    show_section(planner.detectable_section(about, found, power))
    if basis.design == "independent":
        splits = planning.splits_frame(sources, 2 * n_runs, basis.n_units, wish)
        show_section(planner.splits_section(about, found, splits))


def _choose_basis(chosen: Chosen) -> _Basis | None:
    names = {"These runs": chosen.about.filled("These {runs}"), "Typed numbers": "Typed numbers"}
    source = st.segmented_control(
        "Plan from", names, default="These runs", format_func=names.__getitem__, required=True, key="planner-basis",
        **SURVIVES,
    )  # fmt: skip
    if source == "Typed numbers":
        return _typed(chosen)
    try:
        variation = variation_of(chosen.pool)
    except MtevalError as error:
        say("note", f"{error} Type numbers instead.")
        return None
    return _Basis(variation.sources, variation.run_factors, chosen.pool.n_units, chosen.pool.unit, variation.design)


def _typed(chosen: Chosen) -> _Basis:
    step, n_segments = chosen.about.notation.step, chosen.test_set.n_segments
    asked = ("SD between {runs}, baseline", "SD between {runs}, system", "SD of the difference, test set")
    *columns, last = st.columns(4)
    values = [
        column.number_input(
            chosen.about.filled(label), 0.0, None, 4 * step, step=step / 2, format="%g",
            key=f"planner-typed-{number}-{step:g}", **SURVIVES,
        )
        for number, (column, label) in enumerate(zip(columns, asked, strict=True))
    ]  # fmt: skip
    n_units = last.number_input(
        "Segments", 2, 10_000_000, n_segments, step=100, key=f"planner-segments-{n_segments}", **SURVIVES
    )
    baseline, system, difference = map(float, values)
    return _Basis(Sources.typed((baseline, system), difference, int(n_units)), (1.0, 1.0), int(n_units), "segment")


def _choose_wish(chosen: Chosen, design: Design) -> tuple[planning.Wish, int]:
    about = chosen.about
    step, usual = about.notation.step, planning.usual_wish(about.notation, chosen.settings, chosen.n_compared)
    planned = planner.planned_runs(design, about.runs)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(
            f"Difference to find ({as_label(about.metric)})", step / 1_000, None, usual.target, step=step,
            format="%g", key=chosen.target_key, width=220, **SURVIVES,
            help="The smallest true difference that would matter to you, not the observed one.",
        )  # fmt: skip
        st.select_slider(
            "Power", (0.5, 0.7, 0.8, 0.9, 0.95), usual.power, format_func=level, key=POWER_KEY, width=220, **SURVIVES
        )
        least, label = (1 if design == "released" else 2), planned[0].upper() + planned[1:]
        n_runs = st.number_input(label, least, 1_000, 5, key=RUNS_KEY, width=180, **SURVIVES)
    return chosen.wish, int(n_runs)
