"""How many runs? Tabs of the Replication page: the runs they are about, choices and the sections that answer."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TypeVar

import pandas as pd
import streamlit as st

from mteval.analysis.replication import draws, planning
from mteval.analysis.replication.planning import Plan, Replication, Wish, plan_from, replication, usual_wish
from mteval.analysis.replication.pool import Pool, Variation, pool_of, variation_of, verdict_of
from mteval.analysis.scoring import Scored, Work
from mteval.answers import planner
from mteval.answers import replication as answers
from mteval.answers.replication import PUBLISHED_DRAWS, Subject, conclusions_section, draws_section, published_section
from mteval.answers.section import Section
from mteval.answers.verdict import one_system, verdict_line
from mteval.base.errors import MtevalError
from mteval.base.parallel import Engine
from mteval.metrics import catalog, resolve
from mteval.metrics.base import Metric
from mteval.render.html import tag
from mteval.stats.planning import Sources
from mteval.stats.procedures.registry import answering, on_draws
from mteval.stats.procedures.spec import ProcedureSpec
from mteval.stats.runs import copies_or_single_runs
from mteval.ui import elements
from mteval.ui.elements import SURVIVES, as_label, choose, download, end, say, show_section, show_tabs
from mteval.ui.page import choose_test_set, require_settings
from mteval.ui.session.memory import deciding, key_of, made_once, of_session, statistics
from mteval.ui.session.progress import ask, background, made_beside
from mteval.ui.setup.workspace import loaded_experiment, sample
from mteval.values.model import Experiment, TestSet
from mteval.values.notation import level
from mteval.values.settings import Design, Settings
from mteval.values.verdict import Verdict

VIEW, PLANNER, RUNS_KEY = "replication-view", "Planner", "planner-runs"
MANY = 100  # draws at once


def show_verdict(chosen: Chosen) -> None:
    """Show the verdict on all runs, and what a clear answer would take."""
    if (found := chosen.verdict()) is None:
        return
    show_section(verdict_line(found, chosen.settings.confidence))
    if undeclared := answers.undeclared_sentence(chosen.about):
        say("note", undeclared)
    if (planned := chosen.plan) is None:
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
    """Show differences by number of runs, one number at a time if wanted."""
    largest, is_single = min(chosen.pool.sizes), False
    if (found := chosen.spread(largest)) is None:
        return
    if largest >= answers.FEWEST_FOR_BARS:
        views = {False: "All", True: "Play"}
        is_single = st.segmented_control(
            "View", views, default=False, format_func=views.__getitem__, required=True, key="spread-view", **SURVIVES
        )
    section = answers.spread_section(chosen.about, found, one_by_one=is_single)
    show_section(replace(section, key=f"spread-{is_single}"), has_title=False)
    download("Download numbers (CSV)", "differences-by-number-of-runs.csv", found.outlook)


def _luck_tab(chosen: Chosen) -> None:
    """Draw one experiment after the other and show what each would have published, then many at once."""
    pool, about = chosen.pool, chosen.about
    with st.container(horizontal=True, vertical_alignment="bottom", key="luck-choice"):
        k = choose(about.filled("{Runs} per system"), draws.numbers_to_draw(pool.sizes), "luck-runs", width=180)
        tests = {key: about.procedures[key] for key in procedures_for(k)}
        procedure = choose("Test", tests, "luck-procedure", default=answering("test-set", pool.unit).key, width=380)
    series = series_of(chosen, k, procedure)
    with st.container(horizontal=True, key="luck-buttons"):
        draw_buttons(series)
    draw_what_is_wanted(series, chosen, k, procedure)
    test = procedure, k, draws.extent_of(pool, k)
    show_section(draws_section(about, series.frame, test, chosen.odds(k, procedure), chosen.known_verdict))
    numbers = tuple(draws.usual_numbers(pool.sizes))
    if (computed := chosen.beside("published", draws.published, numbers, PUBLISHED_DRAWS, tuple(on_draws()))) is None:
        return
    frame, made = computed
    show_section(published_section(about, frame, PUBLISHED_DRAWS))
    show_section(conclusions_section(about, frame))
    joined = {key: made[key].map("+".join) for key in ("baseline_runs", "system_runs")}
    download("Download draws (CSV)", "draws.csv", made.assign(**joined))


def draw_buttons(series: Series) -> None:
    """Show the draw buttons with their keys, on the page and in a talk."""
    st.button(
        "Draw", icon=":material/casino:", type="primary", on_click=series.add, args=(1,), key="luck-draw", shortcut="D"
    )
    st.button(f"Draw {MANY}", on_click=series.add, args=(MANY,), key="luck-draw-many", shortcut="H")
    st.button("Start over", icon=":material/restart_alt:", on_click=series.start_over, key="luck-restart", shortcut="S")


# What a plan is made from: variances, uncertainty factors of those between runs, the test set's size, its unit, design
_Basis = tuple[Sources, tuple[float, float], int, str, Design]


def _planner_tab(chosen: Chosen) -> None:
    """Show the plan, power curves and table, the price of unequal numbers of runs, and the sources of variance."""
    try:
        variation = variation_of(chosen.pool)
    except MtevalError:
        variation = None
    sources, factors, n_units, unit, design = _choose_basis(chosen, variation)
    about, planned, (wish, n_runs) = chosen.about, chosen.settings.look_plan, _choose_wish(chosen, design)
    found = made_once(planning.plan, sources, factors, n_units, n_runs, wish, design, unit)
    numbers, sizes = planning.numbers_planned(sources), planning.planned_sizes(n_units)
    power = made_once(planning.power_frame, sources, numbers, sizes, wish)
    looks = None
    if planned is not None:
        looks = made_once(planning.plan_of_looks, sources, n_units, wish, planned, chosen.n_compared)
    show_section(planner.plan_section(about, found, power, looks), has_title=False)
    details = [replace(planner.detectable_section(about, found, power), is_detail=True)]
    if design == "independent":
        splits = made_once(planning.splits_frame, sources, 2 * n_runs, n_units, wish)
        details.append(planner.splits_section(about, found, splits))
    if variation is not None:
        parts = (planner.uncertainty_section(about, chosen.pool, variation),)
        details.append(replace(planner.variance_section(about, variation), parts=parts, is_detail=True))
    show_section(Section("plan-details", "", parts=tuple(details)))


def _choose_basis(chosen: Chosen, variation: Variation | None) -> _Basis:
    """Choose these runs or typed numbers; typed ones only if these runs cannot tell."""
    if variation is not None:
        names = {False: chosen.about.filled("These {runs}"), True: "Typed numbers"}
        is_typed = st.segmented_control(
            "Plan from", names, default=False, format_func=names.__getitem__, required=True, key="planner-basis",
            **SURVIVES,
        )  # fmt: skip
        if not is_typed:
            pool = chosen.pool
            return variation.sources, variation.run_factors, pool.n_units, pool.unit, variation.design
    return _typed(chosen)


def _typed(chosen: Chosen) -> _Basis:
    """Type numbers, which start at those of these runs."""
    about, pool = chosen.about, chosen.pool
    asked = ("SD between {runs}, baseline", "SD between {runs}, system", "SD of the difference, test set")
    place = "-".join((about.spec.key, pool.scored.test_set.name, *about.keys))
    *columns, last = st.columns(4)
    starts = planning.typed_of(pool, about.notation)
    values = [
        column.number_input(
            about.filled(label), 0.0, None, value, step=about.notation.step / 2, format="%g",
            key=f"planner-typed-{number}-{place}", **SURVIVES,
        )
        for number, (column, label, value) in enumerate(zip(columns, asked, starts, strict=True))
    ]  # fmt: skip
    label, key, usual = f"{pool.unit.capitalize()}s", f"planner-units-{place}", max(2, pool.n_units)
    n_units = int(last.number_input(label, 2, 10_000_000, usual, step=100, key=key, **SURVIVES))
    baseline, system, difference = map(float, values)
    return Sources.typed((baseline, system), difference, n_units), (1.0, 1.0), n_units, pool.unit, "independent"


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


METRIC_KEY, POWER_KEY = "replication-metric", "planner-power"
T = TypeVar("T")


@dataclass(frozen=True)
class Chosen:
    """The runs that the page is about, and where they come from.

    Parameters
    ----------
    is_sample
        Whether it is the experiment that ships with the project, nothing being loaded.
    """

    experiment: Experiment
    pool: Pool
    about: Subject
    is_sample: bool

    @property
    def settings(self) -> Settings:
        """The settings."""
        return self.about.settings

    @property
    def n_compared(self) -> int:
        """How many systems are compared with the baseline on the test set."""
        return len(self.pool.scored.test_set.systems) - 1

    def beside(self, place: str, make: Callable[..., T], *of: object) -> T | None:
        """Return what a function computes from the runs beside the page; None until it is ready."""
        return made_beside(place, make, self.pool, *of, self.settings, workers=self.settings.workers)

    def verdict(self) -> Verdict | None:
        """Return the verdict on all runs; None until it is ready."""
        return self.beside("standing", _verdict, self.experiment)

    @property
    def known_verdict(self) -> Verdict | None:
        """The verdict, if it was computed already."""
        found: Verdict | None = background().values.get(key_of(_verdict, (self.pool, self.experiment, self.settings)))
        return found

    def spread(self, most: int) -> Replication | None:
        """Return what up to ``most`` runs would show; None until it is ready."""
        return self.beside("spread", _spread, most)

    def odds(self, k: int, procedure: str) -> pd.DataFrame | None:
        """Return the conclusions of all combinations of k runs; None until they are ready."""
        return self.beside("luck", draws.odds, k, (procedure,))

    @property
    def wish(self) -> Wish:
        """The difference and power to plan for, from the planner's widgets or their defaults."""
        usual, state = usual_wish(self.about.notation, self.settings, self.n_compared), st.session_state
        target, power = state.get(self.target_key, usual.target), state.get(POWER_KEY, usual.power)
        return Wish(float(target), float(power), usual.level)

    @property
    def target_key(self) -> str:
        """The key of the field with the difference to find."""
        return f"planner-target-{self.about.notation.step:g}"

    @property
    def plan(self) -> Plan | None:
        """The plan for that difference; None if the variance between runs is unknown."""
        with suppress(MtevalError):
            return made_once(_plan, self.pool, self.wish)
        return None


@deciding.register
def _(pool: Pool) -> Hashable:
    return deciding(pool.scored), pool.baseline, pool.system, pool.unit, pool.design


def _verdict(pool: Pool, experiment: Experiment, settings: Settings, work: Work) -> Verdict:
    """Return the verdict on all runs."""
    return verdict_of(pool, experiment, settings, catalog(experiment.given)[pool.scored.metric.key], work)


def _plan(pool: Pool, wish: Wish) -> Plan:
    """Return the plan for a wish."""
    return plan_from(pool, variation_of(pool), wish)


def _spread(pool: Pool, most: int, settings: Settings, work: Work) -> Replication:
    """Return what up to ``most`` runs would show."""
    return replication(pool, settings, most)


def choose_pool() -> Chosen:
    """Choose metric, test set and system; the page ends if there is no pool (yet)."""
    settings, loaded = require_settings(), loaded_experiment()
    if (experiment := loaded or sample().experiment()) is None:
        raise MtevalError("The sample experiment is damaged. Restore the folder sample_data.")
    with st.container(horizontal=True, vertical_alignment="bottom", key="replication-choice"):
        metrics = {metric.key: metric for metric in resolve(settings, experiment.given)}
        names = {key: metric.name for key, metric in metrics.items()}
        metric = metrics[choose("Metric", names, METRIC_KEY, width=160)]
        test_set = choose_test_set(experiment)
        if not (others := [system.key for system in test_set.systems if system.key != experiment.baseline]):
            end("note", one_system(settings.runs))
        system = others[0] if len(others) == 1 else choose("System", others, "replication-system", width=240)
    if (scored := scored_on(test_set, metric, settings)) is None:
        st.stop()
    with elements.errors_end_the_page():
        pool = pool_of(scored, experiment.baseline, system, settings)
    order = tuple(system.key for system in experiment.systems)
    about = Subject(pool, catalog(experiment.given)[metric.key], settings, order=order)
    return Chosen(experiment, pool, about, loaded is None)


def scored_on(test_set: TestSet, metric: Metric, settings: Settings) -> Scored | None:
    """Return statistics of one metric on one test set, computed beside the page unless known."""
    known, alone = statistics(), Experiment((test_set,), test_set.systems[0].key)
    key = key_of(scored_on, (test_set, metric))
    place = f"scores on {test_set.name}"
    return ask(place, key, lambda work: known.scored(alone, (metric,), work)[0], settings.workers)


@dataclass
class Series:
    """The draws of one session for one pool, number of runs and procedure.

    Parameters
    ----------
    n_wanted
        So many draws should there be; the next run of the page makes what is missing.
    first
        Number of the first draw in the endless series; starting over goes on in it, so that luck does not repeat.
    """

    n_wanted: int = 0
    first: int = 0
    drawn: list[pd.DataFrame] = field(default_factory=list)

    def add(self, count: int) -> None:
        """Ask for more draws."""
        self.n_wanted += count

    def start_over(self) -> None:
        """Discard the draws."""
        self.first, self.n_wanted = self.first + self.n_wanted, 0
        self.drawn.clear()

    @property
    def frame(self) -> pd.DataFrame:
        """All draws in order."""
        return pd.concat(self.drawn, ignore_index=True) if self.drawn else draws.no_trials()


def series_of(chosen: Chosen, k: int, procedure: str) -> Series:
    """Return the series of this choice; other series are kept."""
    memory: dict[Hashable, Series] = of_session("luck-series", dict)
    return memory.setdefault(deciding((chosen.pool, chosen.settings, k, procedure)), Series())


def draw_what_is_wanted(series: Series, chosen: Chosen, k: int, procedure: str) -> None:
    """Make the draws that buttons asked for."""
    n_drawn = sum(map(len, series.drawn))
    if n_drawn >= series.n_wanted:
        return
    numbers = range(series.first + n_drawn, series.first + series.n_wanted)
    with st.spinner(f"Drawing {len(numbers)}…", show_time=False):
        drawn = draws.lucky_draws(chosen.pool, k, numbers, chosen.settings)
        work = Work(Engine(chosen.settings.workers))
        series.drawn.append(draws.trials(chosen.pool, drawn, (procedure,), chosen.settings, work))


def procedures_for(k: int) -> dict[str, ProcedureSpec]:
    """Return the procedures that work with k runs per system, by key."""
    return {key: spec for key, spec in on_draws().items() if spec.min_runs <= k}
