"""How many runs? Tabs of the Replication page: choices and the sections that answer."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from mteval.analysis.replication import planning
from mteval.analysis.replication.draws import extent_of, numbers_to_draw, published, usual_numbers
from mteval.analysis.replication.pool import Variation, variation_of
from mteval.answers import planner
from mteval.answers import replication as answers
from mteval.answers.draws import PUBLISHED_DRAWS, conclusions_section, draws_section, published_section
from mteval.answers.section import Section
from mteval.answers.verdict import verdict_line
from mteval.base.errors import MtevalError
from mteval.render.html import tag
from mteval.stats.planning import Sources
from mteval.stats.procedures.registry import answering, on_draws
from mteval.stats.runs import copies_or_single_runs
from mteval.ui.elements import SURVIVES, as_label, choose, download, say, show_section, show_tabs
from mteval.ui.pool import POWER_KEY, Chosen, Series, draw_what_is_wanted, procedures_for, series_of
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


def show_answers(chosen: Chosen) -> None:
    """Show the tabs; where other runs cannot be predicted, why, and the planner alone."""
    about, refusal = chosen.about, copies_or_single_runs(*chosen.pool.statistics)
    if refusal:
        is_said = min(chosen.pool.sizes) < 2  # by the verdict
        say("note", about.filled(f"{'' if is_said else refusal} Type the spread of {{runs}} that you expect.".lstrip()))
        _planner_tab(chosen)
        return
    tabs = {"Number of {runs}": _spread_tab, PLANNER: _planner_tab, "Try your luck": _luck_tab}
    show_tabs({about.filled(name): view for name, view in tabs.items()}, VIEW, chosen)


def _spread_tab(chosen: Chosen) -> None:
    """Show differences by number of runs."""
    found = chosen.spread(min(chosen.pool.sizes))
    if found is None:
        return
    show_section(answers.spread_section(chosen.about, found), has_title=False)
    download("Download numbers (CSV)", "differences-by-number-of-runs.csv", found.outlook)


def _luck_tab(chosen: Chosen) -> None:
    """Draw one experiment after the other and show what each would have published, then many at once."""
    pool, about = chosen.pool, chosen.about
    with st.container(horizontal=True, vertical_alignment="bottom", key="luck-choice"):
        k = choose(about.filled("{Runs} per system"), numbers_to_draw(pool.sizes), "luck-runs", width=180)
        tests = {key: about.procedures[key] for key in procedures_for(k)}
        usual = answering("test-set", pool.unit).key
        procedure = choose("Test", tests, "luck-procedure", default=usual, width=380)
    series = series_of(chosen, k, procedure)
    with st.container(horizontal=True, key="luck-buttons"):
        draw_buttons(series)
    draw_what_is_wanted(series, chosen, k, procedure)
    test = procedure, k, extent_of(pool, k)
    show_section(draws_section(about, series.frame, test, chosen.odds(k, procedure), chosen.known_verdict))
    numbers = tuple(usual_numbers(pool.sizes))
    computed = chosen.beside("published", published, numbers, PUBLISHED_DRAWS, tuple(on_draws()))
    if computed is None:
        return
    frame, trials = computed
    show_section(published_section(about, frame, PUBLISHED_DRAWS))
    show_section(conclusions_section(about, frame))
    joined = {key: trials[key].map("+".join) for key in ("baseline_runs", "system_runs")}
    download("Download draws (CSV)", "draws.csv", trials.assign(**joined))


def draw_buttons(series: Series) -> None:
    """Show the draw buttons with their keys, on the page and in a talk."""
    st.button(
        "Draw", icon=":material/casino:", type="primary", on_click=series.add, args=(1,), key="luck-draw", shortcut="D"
    )
    st.button(f"Draw {MANY}", on_click=series.add, args=(MANY,), key="luck-draw-many", shortcut="H")
    st.button("Start over", icon=":material/restart_alt:", on_click=series.start_over, key="luck-restart", shortcut="S")


@dataclass(frozen=True)
class _Basis:
    """The basis of a plan: variances, uncertainty factors of those between runs, and the test set's size."""

    sources: Sources
    factors: tuple[float, float]
    n_units: int
    unit: str
    design: Design = "independent"


def _planner_tab(chosen: Chosen) -> None:
    """Show the plan, power curves and table, and the sources of variance."""
    try:
        variation = variation_of(chosen.pool)
    except MtevalError:
        variation = None
    basis = _choose_basis(chosen, variation)
    about, sources, (wish, n_runs) = chosen.about, basis.sources, _choose_wish(chosen, basis.design)
    found = planning.plan(sources, basis.factors, basis.n_units, n_runs, wish, basis.design, basis.unit)
    sizes = planning.planned_sizes(basis.n_units)
    power = planning.power_frame(sources, planning.numbers_planned(sources), sizes, wish)
    planned = chosen.settings.look_plan
    looks = None
    if planned is not None:
        looks = made_once(planning.plan_of_looks, sources, basis.n_units, wish, planned, chosen.n_compared)
    show_section(planner.plan_section(about, found, power, looks), has_title=False)
    if variation is not None:
        parts = (planner.uncertainty_section(about, chosen.pool, variation),)
        detail = replace(planner.variance_section(about, variation), parts=parts, is_detail=True)
        show_section(Section("plan-details", "", parts=(detail,)))


def _choose_basis(chosen: Chosen, variation: Variation | None) -> _Basis:
    """Choose these runs or typed numbers; typed ones only if these runs cannot tell."""
    if variation is not None:
        names = {False: chosen.about.filled("These {runs}"), True: "Typed numbers"}
        is_typed = st.segmented_control(
            "Plan from", names, default=False, format_func=names.__getitem__, required=True, key="planner-basis",
            **SURVIVES,
        )  # fmt: skip
        if not is_typed:
            pool, factors = chosen.pool, variation.run_factors
            return _Basis(variation.sources, factors, pool.n_units, pool.unit, variation.design)
    return _typed(chosen)


def _typed(chosen: Chosen) -> _Basis:
    """Type numbers, which start at those of these runs."""
    about, pool = chosen.about, chosen.pool
    asked = ("SD between {runs}, baseline", "SD between {runs}, system", "SD of the difference, test set")
    place = "-".join((about.spec.key, chosen.test_set.name, *about.keys))
    *columns, last = st.columns(4)
    starts = planning.typed_of(pool, about.notation)
    values = [
        column.number_input(
            about.filled(label), 0.0, None, value, step=about.notation.step / 2, format="%g",
            key=f"planner-typed-{number}-{place}", **SURVIVES,
        )
        for number, (column, label, value) in enumerate(zip(columns, asked, starts, strict=True))
    ]  # fmt: skip
    label = f"{pool.unit.capitalize()}s"
    n_units = last.number_input(
        label, 2, 10_000_000, max(2, pool.n_units), step=100, key=f"planner-units-{place}", **SURVIVES
    )
    baseline, system, difference = map(float, values)
    sources = Sources.typed((baseline, system), difference, int(n_units))
    return _Basis(sources, (1.0, 1.0), int(n_units), pool.unit)


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
