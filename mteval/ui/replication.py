"""How many runs? Tabs of the Replication page: the runs they are about, choices and the sections that answer."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import TypeVar

import pandas as pd
import streamlit as st

from mteval.analysis.replication import draws, planning
from mteval.analysis.replication.planning import Plan, Replication, Wish, plan_from, replication, usual_wish
from mteval.analysis.replication.pool import (
    Pool,
    pool_of,
    variation_of,
    verdict_of,
    verdicts_by_people_of,
)
from mteval.analysis.replication.variation import Variation
from mteval.analysis.results import Results
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
from mteval.ui.elements import (
    SURVIVES,
    Pick,
    as_label,
    choose,
    download,
    errors_end_the_page,
    say,
    show_section,
    show_tabs,
)
from mteval.ui.page import (
    choose_test_set,
    offer_second_system,
    require_settings,
    show_warnings_elsewhere,
    wait_for_scores,
)
from mteval.ui.segments.link import on_difference
from mteval.ui.session.memory import deciding, drawn, key_of, made_once, of_session, statistics
from mteval.ui.session.progress import ask, background, begin_beside, made_beside
from mteval.ui.setup.workspace import loaded_experiment, sample
from mteval.values.model import Experiment, TestSet
from mteval.values.notation import level
from mteval.values.settings import Design, Settings
from mteval.values.verdict import Verdict

# Keys of widgets
VIEW = "replication-view"
RUNS_KEY = "planner-runs"
METRIC_KEY = "replication-metric"
POWER_KEY = "planner-power"

PLANNER = "Planner"  # a tab
MANY = 100  # draws at once
T = TypeVar("T")


@dataclass(frozen=True)
class ChosenRuns:
    """The runs that the page is about, and where they come from.

    Parameters
    ----------
    results
        Scores of what is loaded; None for the experiment that ships with the project, nothing being loaded.
    """

    experiment: Experiment
    pool: Pool
    subject: Subject
    results: Results | None

    @property
    def is_sample(self) -> bool:
        """Whether it is the experiment that ships with the project."""
        return self.results is None

    @property
    def on_difference(self) -> Pick | None:
        """What a click on a bar of differences does; None for what is not loaded, which Segments cannot show."""
        if self.results is None:
            return None
        return on_difference(self.results, self.subject.spec.key, *self.subject.keys)

    @property
    def settings(self) -> Settings:
        """The settings."""
        return self.subject.settings

    @property
    def n_compared(self) -> int:
        """How many systems are compared with the baseline on the test set."""
        return len(self.pool.scored.test_set.systems) - 1

    def beside(self, place: str, make: Callable[..., T], *further: object) -> T | None:
        """Return what a function computes from the runs beside the page; None until it is ready."""
        return made_beside(place, make, self.pool, *further, self.settings, workers=self.settings.workers)

    def begin(self, place: str, make: Callable[..., object], *further: object) -> bool:
        """Start what ``beside`` will be asked for, and return whether nothing is left to compute."""
        return begin_beside(place, make, self.pool, *further, self.settings)

    def verdict(self) -> Verdict | None:
        """Return the verdict on all runs; None until it is ready."""
        return self.beside("standing", _verdict, self.experiment)

    @property
    def known_verdict(self) -> Verdict | None:
        """The verdict, if it was computed already."""
        key = key_of(_verdict, (self.pool, self.experiment, self.settings))
        verdict: Verdict | None = background().values.get(key)
        return verdict

    def by_people(self) -> tuple[Verdict, ...] | None:
        """Return the verdicts by human scores on the same system; None until they are ready."""
        if not any(given.is_of_people for given in self.experiment.given):
            return ()
        return self.beside("people-standing", verdicts_by_people_of, self.experiment)

    def spread(self, most: int) -> Replication | None:
        """Return what up to ``most`` runs would show; None until it is ready."""
        return self.beside("spread", _spread, most)

    def odds(self, k: int, procedure: str) -> pd.DataFrame | None:
        """Return the conclusions of all combinations of k runs; None until they are ready."""
        return self.beside("luck", draws.odds, k, (procedure,))

    @property
    def wish(self) -> Wish:
        """The difference and power to plan for, from the planner's widgets or their defaults."""
        usual = usual_wish(self.subject.notation, self.settings, self.n_compared)
        target = st.session_state.get(self.target_key, usual.target)
        power = st.session_state.get(POWER_KEY, usual.power)
        return Wish(float(target), float(power), usual.level)

    @property
    def target_key(self) -> str:
        """The key of the field with the difference to find."""
        return f"planner-target-{self.subject.notation.step:g}"

    @property
    def plan(self) -> Plan | None:
        """The plan for that difference; None if the variance between runs is unknown."""
        try:
            return made_once(_plan, self.pool, self.wish)
        except MtevalError:
            return None


@deciding.register
def _(pool: Pool) -> Hashable:
    return deciding(pool.scored), pool.baseline, pool.system, pool.unit, pool.design


def _verdict(pool: Pool, experiment: Experiment, settings: Settings, work: Work) -> Verdict:
    """Return the verdict on all runs."""
    spec = catalog(experiment.given)[pool.scored.metric.key]
    return verdict_of(pool, experiment, settings, spec, work)


def _plan(pool: Pool, wish: Wish) -> Plan:
    """Return the plan for a wish."""
    return plan_from(pool, variation_of(pool), wish)


def _spread(pool: Pool, most: int, settings: Settings, work: Work) -> Replication:
    """Return what up to ``most`` runs would show."""
    return replication(pool, settings, most)


def choose_pool() -> ChosenRuns:
    """Choose metric, test set and system; the page ends if there is no pool (yet)."""
    settings = require_settings()
    loaded = loaded_experiment()
    experiment = loaded
    if experiment is None:
        experiment = sample().experiment()
    if experiment is None:
        raise MtevalError("The sample experiment is damaged. Restore the folder sample_data.")
    results = None
    if loaded is not None:
        results = wait_for_scores(loaded, settings)
    with st.container(horizontal=True, vertical_alignment="bottom", key="replication-choice"):
        metrics = {metric.key: metric for metric in resolve(settings, experiment.given)}
        names = {key: metric.name for key, metric in metrics.items()}
        metric = metrics[choose("Metric", names, METRIC_KEY, width=160)]
        test_set = choose_test_set(experiment)
        systems = [system.key for system in test_set.systems if system.key != experiment.baseline]
        if not systems:
            say("note", one_system(settings.runs))
            offer_second_system()
            st.stop()
        system = systems[0]
        if len(systems) > 1:
            system = choose("System", systems, "replication-system", width=240)
    scored = scored_on(test_set, metric, settings)
    if scored is None:
        st.stop()
    # Other test sets say more about the runs, as soon as they are scored
    elsewhere = []
    for other in experiment.test_sets:
        if other is not test_set and other.role != "dev":
            scored_elsewhere = scored_on(other, metric, settings)
            if scored_elsewhere is not None:
                elsewhere.append(scored_elsewhere)
    with errors_end_the_page():
        pool = pool_of(scored, experiment.baseline, system, settings, elsewhere)
    order = tuple(system.key for system in experiment.systems)
    subject = Subject(pool, catalog(experiment.given)[metric.key], settings, order=order)
    if results is not None:
        results = results.on(test_set)
    return ChosenRuns(experiment, pool, subject, results)


def scored_on(test_set: TestSet, metric: Metric, settings: Settings) -> Scored | None:
    """Return statistics of one metric on one test set, computed beside the page unless known."""
    known = statistics()  # threads cannot read the session
    test_set_alone = Experiment((test_set,), test_set.systems[0].key)

    def score(work: Work) -> Scored:
        return known.scored(test_set_alone, (metric,), work)[0]

    key = key_of(scored_on, (test_set, metric))
    return ask(f"scores on {test_set.name}", key, score, settings.workers)


def show_verdict(choice: ChosenRuns) -> None:
    """Show the verdict on all runs."""
    verdict = choice.verdict()
    if verdict is None:
        return
    show_section(verdict_line(verdict, choice.settings.confidence))
    if not choice.is_sample:
        show_warnings_elsewhere(verdict.findings)
    undeclared = answers.undeclared_sentence(choice.subject)
    if undeclared:
        say("note", undeclared)


def _offer_planner(choice: ChosenRuns) -> None:
    """Say what a clear answer would take, with a button that opens the planner."""
    plan = choice.plan
    if plan is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="convince"):
        sentence = planner.convince_sentence(choice.subject, plan)
        st.html(tag("p", sentence, class_="mt-quiet"), width="content")
        st.button(
            "Open planner",
            icon=":material/calculate:",
            on_click=st.session_state.update,
            args=({VIEW: PLANNER, RUNS_KEY: plan.n_runs},),
            key="to-planner",
        )


def show_answers(choice: ChosenRuns) -> None:
    """Show the tabs; if other runs cannot be predicted, why, and the planner alone."""
    subject = choice.subject
    refusal = copies_or_single_runs(*choice.pool.statistics)
    if refusal:
        request = "Type the spread of {runs} that you expect."
        if min(choice.pool.sizes) > 1:  # the verdict gives the reason for single runs
            request = f"{refusal} {request}"
        say("note", subject.filled(request))
        _planner_tab(choice)
        return
    tabs = {
        subject.filled("Number of {runs}"): _spread_tab,
        PLANNER: _planner_tab,
        "Try your luck": _luck_tab,
    }
    show_tabs(tabs, VIEW, choice)


def _spread_tab(choice: ChosenRuns) -> None:
    """Show what a clear answer would take, and differences by number of runs, one number at a time if wanted."""
    _offer_planner(choice)
    most = min(choice.pool.sizes)
    spread = choice.spread(most)
    if spread is None:
        return
    one_by_one = False
    if most >= answers.FEWEST_FOR_BARS:
        views = {False: "All", True: "Play"}
        one_by_one = st.segmented_control(
            "View", views, default=False, format_func=views.__getitem__, required=True, key="spread-view", **SURVIVES
        )
    section = answers.spread_section(choice.subject, spread, one_by_one=one_by_one)
    _show_differences(choice, replace(section, key=f"spread-{one_by_one}"))
    download("Download numbers (CSV)", "differences-by-number-of-runs.csv", spread.outlook)


def _show_differences(choice: ChosenRuns, section: Section) -> None:
    """Show a section whose figure has bars of differences, which can be clicked, and then its table."""
    if section.figure is None:
        show_section(section, has_title=False)
        return
    of_figure = replace(section, table=None, notes=())
    show_section(of_figure, has_title=False, draw=drawn, on_pick=choice.on_difference)
    show_section(replace(section, lead=(), figure=None), has_title=False)


@dataclass(frozen=True)
class _Basis:
    """What a plan is made from.

    Parameters
    ----------
    sources
        Variances by source.
    variation
        Of the runs that the sources come from; None for typed numbers.
    n_units, unit
        Size of the test set, and what is counted.
    """

    sources: Sources
    variation: Variation | None
    n_units: int
    unit: str
    design: Design


def _planner_tab(choice: ChosenRuns) -> None:
    """Show the plan, power curves and table, the price of unequal numbers of runs, and the sources of variance."""
    subject = choice.subject
    variation: Variation | None
    try:
        variation = variation_of(choice.pool)
    except MtevalError:
        variation = None
    basis = _choose_basis(choice, variation)
    wish, n_runs = _choose_wish(choice, basis.design)

    sources = basis.sources
    n_units = basis.n_units
    bounds = None if basis.variation is None else basis.variation.bounds
    plan = made_once(planning.plan, sources, bounds, n_units, n_runs, wish, basis.design, basis.unit)
    if basis.variation is not None:
        plan = planning.with_deviations(plan, basis.variation)
    numbers = planning.numbers_planned(sources)
    sizes = planning.planned_sizes(n_units)
    power = made_once(planning.power_frame, sources, numbers, sizes, wish)
    looks = None
    look_plan = choice.settings.look_plan
    if look_plan is not None:
        looks = made_once(planning.plan_of_looks, sources, n_units, wish, look_plan, choice.n_compared)
    show_section(planner.plan_section(subject, plan, power, looks), has_title=False)

    details = [replace(planner.detectable_section(subject, plan, power), is_detail=True)]
    if basis.design == "independent":
        splits = made_once(planning.splits_frame, sources, 2 * n_runs, n_units, wish)
        details.append(planner.splits_section(subject, plan, splits))
    if variation is not None:
        uncertainty = planner.uncertainty_section(subject, choice.pool, variation)
        variance = planner.variance_section(subject, variation)
        details.append(replace(variance, parts=(uncertainty,), is_detail=True))
    show_section(Section("plan-details", "", parts=tuple(details)))


def _choose_basis(choice: ChosenRuns, variation: Variation | None) -> _Basis:
    """Choose these runs or typed numbers; typed ones only if these runs cannot tell."""
    if variation is None:
        return _type_basis(choice)
    names = {False: choice.subject.filled("These {runs}"), True: "Typed numbers"}
    is_typed = st.segmented_control(
        "Plan from",
        names,
        default=False,
        format_func=names.__getitem__,
        required=True,
        key="planner-basis",
        **SURVIVES,
    )
    if is_typed:
        return _type_basis(choice)
    pool = choice.pool
    return _Basis(variation.planned, variation, pool.n_units, pool.unit, variation.design)


def _type_basis(choice: ChosenRuns) -> _Basis:
    """Type numbers, which start at those of these runs."""
    subject = choice.subject
    pool = choice.pool
    place = "-".join((subject.spec.key, pool.scored.test_set.name, *subject.keys))
    columns = st.columns(4)
    labels = ("SD between {runs}, baseline", "SD between {runs}, system", "SD of the difference, test set")
    starts = planning.initial_deviations(pool, subject.notation)
    typed = []
    for number, (column, label, start) in enumerate(zip(columns[:3], labels, starts, strict=True)):
        value = column.number_input(
            subject.filled(label),
            0.0,
            None,
            start,
            step=subject.notation.step / 2,
            format="%g",
            key=f"planner-typed-{number}-{place}",
            **SURVIVES,
        )
        typed.append(float(value))
    baseline, system, difference = typed
    n_units = int(
        columns[3].number_input(
            f"{pool.unit.capitalize()}s",
            2,
            10_000_000,
            max(2, pool.n_units),
            step=100,
            key=f"planner-units-{place}",
            **SURVIVES,
        )
    )
    sources = Sources.typed((baseline, system), difference, n_units)
    return _Basis(sources, None, n_units, pool.unit, "independent")


def _choose_wish(choice: ChosenRuns, design: Design) -> tuple[Wish, int]:
    """Choose difference and power, and the number of runs per system."""
    subject = choice.subject
    step = subject.notation.step
    usual = usual_wish(subject.notation, choice.settings, choice.n_compared)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(
            f"Difference to find ({as_label(subject.metric)})",
            step / 1_000,
            None,
            usual.target,
            step=step,
            format="%g",
            key=choice.target_key,
            width=220,
            **SURVIVES,
            help="The smallest true difference that would matter to you, not the observed one.",
        )
        st.select_slider(
            "Power", (0.5, 0.7, 0.8, 0.9, 0.95), usual.power, format_func=level, key=POWER_KEY, width=220, **SURVIVES
        )
        planned_runs = planner.planned_runs(design, subject.runs)
        label = planned_runs[0].upper() + planned_runs[1:]
        fewest = 1 if design == "released" else 2
        n_runs = st.number_input(label, fewest, 1_000, 5, key=RUNS_KEY, width=180, **SURVIVES)
    return choice.wish, int(n_runs)


def _luck_tab(choice: ChosenRuns) -> None:
    """Draw one experiment after the other and show what each would have published, then many at once."""
    pool = choice.pool
    subject = choice.subject
    with st.container(horizontal=True, vertical_alignment="bottom", key="luck-choice"):
        numbers = draws.numbers_to_draw(pool.sizes)
        k = choose(subject.filled("{Runs} per system"), numbers, "luck-runs", width=180)
        tests = {key: subject.procedures[key] for key in procedures_for(k)}
        usual_test = answering("test-set", pool.unit).key
        procedure = choose("Test", tests, "luck-procedure", default=usual_test, width=380)
    series = series_of(choice, k, procedure)
    with st.container(horizontal=True, key="luck-buttons"):
        draw_buttons(series)
    draw_what_is_wanted(series, choice, k, procedure)
    test = (procedure, k, draws.extent_of(pool, k))
    _show_differences(
        choice, draws_section(subject, series.frame, test, choice.odds(k, procedure), choice.known_verdict)
    )

    usual_numbers = tuple(draws.usual_numbers(pool.sizes))
    published_and_trials = choice.beside(
        "published", draws.published, usual_numbers, PUBLISHED_DRAWS, tuple(on_draws())
    )
    if published_and_trials is None:
        return
    published, trials = published_and_trials
    show_section(published_section(subject, published, PUBLISHED_DRAWS))
    show_section(conclusions_section(subject, published))
    trials = trials.assign(
        baseline_runs=trials["baseline_runs"].map("+".join),
        system_runs=trials["system_runs"].map("+".join),
    )
    download("Download draws (CSV)", "draws.csv", trials)


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
        self.first += self.n_wanted
        self.n_wanted = 0
        self.drawn.clear()

    @property
    def frame(self) -> pd.DataFrame:
        """All draws in order."""
        if not self.drawn:
            return draws.no_trials()
        return pd.concat(self.drawn, ignore_index=True)


def series_of(choice: ChosenRuns, k: int, procedure: str) -> Series:
    """Return the series of this choice; other series are kept."""
    series_by_choice: dict[Hashable, Series] = of_session("luck-series", dict)
    key = deciding((choice.pool, choice.settings, k, procedure))
    return series_by_choice.setdefault(key, Series())


def draw_buttons(series: Series) -> None:
    """Show the draw buttons with their keys, on the page and in a talk."""
    st.button(
        "Draw", icon=":material/casino:", type="primary", on_click=series.add, args=(1,), key="luck-draw", shortcut="D"
    )
    st.button(f"Draw {MANY}", on_click=series.add, args=(MANY,), key="luck-draw-many", shortcut="H")
    st.button("Start over", icon=":material/restart_alt:", on_click=series.start_over, key="luck-restart", shortcut="S")


def draw_what_is_wanted(series: Series, choice: ChosenRuns, k: int, procedure: str) -> None:
    """Make the draws that buttons asked for."""
    n_drawn = sum(map(len, series.drawn))
    if n_drawn >= series.n_wanted:
        return
    numbers = range(series.first + n_drawn, series.first + series.n_wanted)
    with st.spinner(f"Drawing {len(numbers)}…", show_time=False):
        drawn = draws.lucky_draws(choice.pool, k, numbers, choice.settings)
        work = Work(Engine(choice.settings.workers))
        series.drawn.append(draws.trials(choice.pool, drawn, (procedure,), choice.settings, work))


def procedures_for(k: int) -> dict[str, ProcedureSpec]:
    """Return the procedures that work with k runs per system, by key."""
    return {key: spec for key, spec in on_draws().items() if spec.min_runs <= k}
