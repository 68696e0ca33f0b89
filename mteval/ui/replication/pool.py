"""What the replication page is about: the runs of two systems by one metric on one test set; what follows from them.

Where nothing is loaded it is the experiment that ships with the project, so that the page can be tried without a file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Concatenate, ParamSpec, TypeVar

import pandas as pd
import streamlit as st

from mteval.analysis.replication.differences import Replication, replication
from mteval.analysis.replication.draws import lucky_draws, no_trials, odds, published, trials
from mteval.analysis.replication.planning import Plan, Wish, plan_from, usual_wish
from mteval.analysis.replication.pool import ApartRun, Pool, pool_of, runs_apart, verdict_of
from mteval.analysis.replication.variation import variation_of
from mteval.analysis.scoring import Scored
from mteval.analysis.work import Work
from mteval.answers.replication import Subject
from mteval.base.errors import MtevalError
from mteval.base.parallel import Engine
from mteval.metrics import catalog, resolve
from mteval.metrics.base import Metric
from mteval.stats.procedures.registry import on_draws
from mteval.stats.procedures.spec import ProcedureSpec
from mteval.ui.answers import ONE_SYSTEM
from mteval.ui.page import choose_test_set
from mteval.ui.parts import messages
from mteval.ui.parts.choices import choose
from mteval.ui.session.evaluation import evaluation_key
from mteval.ui.session.memory import of_session, remembered, statistics
from mteval.ui.session.progress import ask, background
from mteval.ui.setup.sidebar import settings_of_session
from mteval.ui.setup.workspace import loaded_experiment, sample
from mteval.values.model import Experiment, TestSet
from mteval.values.settings import Settings
from mteval.values.verdict import Verdict

METRIC_KEY, POWER_KEY = "replication-metric", "planner-power"
P = ParamSpec("P")
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
        """What was chosen beforehand."""
        return self.about.settings

    @property
    def test_set(self) -> TestSet:
        """The one that the runs are compared on."""
        return self.pool.scored.test_set

    @property
    def n_compared(self) -> int:
        """How many systems are compared with the baseline on the test set."""
        return len(self.test_set.systems) - 1

    @property
    def key(self) -> str:
        """All that decides the runs and what is computed from them."""
        parts = (self.test_set.name, self.pool.scored.metric, *self.about.keys)
        return f"{evaluation_key(self.experiment, self.settings)} {parts!r}"

    def _key_of(self, function: Callable[..., Any], *choices: object, **named: object) -> str:
        return f"{function.__name__} {choices!r} {named!r} {self.key}"

    def ask(
        self, place: str, function: Callable[Concatenate[Chosen, Work, P], T], *choices: P.args, **named: P.kwargs
    ) -> T | None:
        """What a function makes of these runs, computed beside the page; None until it is there."""
        key = self._key_of(function, *choices, **named)
        return ask(place, key, lambda work: function(self, work, *choices, **named), self.settings.workers)

    def remembered(self, function: Callable[Concatenate[Chosen, P], T], *choices: P.args, **named: P.kwargs) -> T:
        """The same where it takes no time."""
        return remembered(self._key_of(function, *choices, **named), lambda: function(self, *choices, **named))

    @property
    def known_verdict(self) -> Verdict | None:
        """The verdict on the system; None until it is there."""
        found: Standing | None = background().values.get(self._key_of(standing))
        return None if found is None else found.verdict

    @property
    def wish(self) -> Wish:
        """What should be found: as chosen in the planner, or as it starts there."""
        usual = usual_wish(self.about.notation, self.settings, self.n_compared)
        target = st.session_state.get(self.target_key, usual.target)
        return Wish(float(target), float(st.session_state.get(POWER_KEY, usual.power)), usual.level)

    @property
    def target_key(self) -> str:
        """Of the field with the difference to be found."""
        return f"planner-target-{self.about.notation.step:g}"

    @property
    def plan(self) -> Plan | None:
        """What it takes to find the difference that matters; None where the runs do not show how much runs vary."""
        return self.remembered(_plan, self.wish)


@dataclass(frozen=True)
class Standing:
    """What all runs say."""

    verdict: Verdict
    apart: tuple[ApartRun, ...]


def standing(chosen: Chosen, work: Work) -> Standing:
    """The verdict on all runs, and those that stand apart."""
    pool, settings = chosen.pool, chosen.settings
    verdict = verdict_of(pool, chosen.experiment, settings, chosen.about.spec, work)
    return Standing(verdict, runs_apart(pool, settings, work))


def spread(chosen: Chosen, work: Work, most: int) -> Replication:
    """What numbers of runs up to ``most`` would show."""
    return replication(chosen.pool, chosen.settings, most)


def published_by(
    chosen: Chosen, work: Work, numbers: tuple[int, ...], n_draws: int, procedures: tuple[str, ...]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What draws of so many runs would have published, and every draw."""
    return published(chosen.pool, numbers, n_draws, procedures, chosen.settings, work)


def odds_of(chosen: Chosen, work: Work, k: int, procedure: str) -> pd.DataFrame:
    """What all combinations of k runs would have concluded."""
    return odds(chosen.pool, k, (procedure,), chosen.settings, work)


def _plan(chosen: Chosen, wish: Wish) -> Plan | None:
    try:
        return plan_from(chosen.pool, variation_of(chosen.pool), wish)
    except MtevalError:
        return None


def choose_pool() -> Chosen:
    """Offer metric, test set and system; the page ends here where there is no pool (yet)."""
    settings = settings_of_session()
    if settings is None:
        messages.say("warning", "The settings in the sidebar cannot be used as they are; see the message there.")
        st.stop()
    loaded = loaded_experiment()
    experiment = loaded or sample().experiment()
    if experiment is None:
        raise MtevalError("The sample experiment is damaged; restore the folder sample_data.")
    with st.container(horizontal=True, vertical_alignment="bottom", key="replication-choice"):
        metrics = {metric.key: metric for metric in resolve(settings, experiment.given)}
        names = {key: metric.name for key, metric in metrics.items()}
        metric = metrics[choose("Metric", list(names), METRIC_KEY, format_func=names.__getitem__, width=160)]
        test_set = choose_test_set(experiment)
        others = [system.key for system in test_set.systems if system.key != experiment.baseline]
        if not others:
            messages.say("note", settings.runs.said(ONE_SYSTEM))
            st.stop()
        system = others[0] if len(others) == 1 else choose("System", others, "replication-system", width=240)
    scored = scored_on(test_set, metric, settings)
    if scored is None:
        st.stop()
    try:
        pool = pool_of(scored, experiment.baseline, system, settings)
    except MtevalError as error:
        messages.say("error", str(error))
        st.stop()
    order = tuple(system.key for system in experiment.systems)
    about = Subject(pool, catalog(experiment.given)[metric.key], settings, order=order)
    return Chosen(experiment, pool, about, loaded is None)


def scored_on(test_set: TestSet, metric: Metric, settings: Settings) -> Scored | None:
    """Statistics of one metric on one test set: those that the session has, else computed beside the page."""
    known = statistics()
    alone = Experiment((test_set,), test_set.systems[0].key)

    def score(work: Work) -> Scored:
        return known.scored(alone, (metric,), work)[0]

    return ask(f"scores on {test_set.name}", f"{alone.digest} {metric!r}", score, settings.workers)


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
        """Draw more."""
        self.n_wanted += count

    def start_over(self) -> None:
        """Forget the draws."""
        self.first += self.n_wanted
        self.n_wanted = 0
        self.drawn.clear()

    @property
    def frame(self) -> pd.DataFrame:
        """All draws in order."""
        return pd.concat(self.drawn, ignore_index=True) if self.drawn else no_trials()


def series_of(chosen: Chosen, k: int, procedure: str) -> Series:
    """The series of this choice; those of others are kept as well."""
    memory: dict[str, Series] = of_session("luck-series", dict)
    return memory.setdefault(f"{k} {procedure} {chosen.key}", Series())


def draw_what_is_wanted(series: Series, chosen: Chosen, k: int, procedure: str) -> None:
    """Make the draws that buttons asked for."""
    n_drawn = sum(map(len, series.drawn))
    if n_drawn >= series.n_wanted:
        return
    numbers = range(series.first + n_drawn, series.first + series.n_wanted)
    with st.spinner(f"Drawing {len(numbers)}", show_time=False):
        draws = lucky_draws(chosen.pool, k, numbers, chosen.settings)
        work = Work(Engine(chosen.settings.workers))
        series.drawn.append(trials(chosen.pool, draws, (procedure,), chosen.settings, work))


def procedures_for(k: int) -> dict[str, ProcedureSpec]:
    """Those that can judge k runs of each system, by key."""
    return {key: spec for key, spec in on_draws().items() if spec.min_runs <= k}
