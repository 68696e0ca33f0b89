"""The runs that the Replication page is about: two systems, one metric, one test set.

Without loaded files this is the sample experiment, so that the page can be tried.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

import pandas as pd
import streamlit as st

from mteval.analysis.replication.draws import lucky_draws, no_trials, odds, trials
from mteval.analysis.replication.planning import Plan, Replication, Wish, plan_from, replication, usual_wish
from mteval.analysis.replication.pool import Pool, pool_of, variation_of, verdict_of
from mteval.analysis.scoring import Scored
from mteval.analysis.work import Work
from mteval.answers.replication import Subject
from mteval.answers.verdict import one_system
from mteval.base.errors import MtevalError
from mteval.base.parallel import Engine
from mteval.metrics import catalog, resolve
from mteval.metrics.base import Metric
from mteval.stats.procedures.registry import on_draws
from mteval.stats.procedures.spec import ProcedureSpec
from mteval.ui.elements import choose, end, errors_end_the_page
from mteval.ui.page import choose_test_set, require_settings
from mteval.ui.session.memory import deciding, key_of, made_once, of_session, statistics
from mteval.ui.session.progress import ask, background, made_beside
from mteval.ui.setup.workspace import loaded_experiment, sample
from mteval.values.model import Experiment, TestSet
from mteval.values.settings import Settings
from mteval.values.verdict import Verdict

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
    def test_set(self) -> TestSet:
        """The test set of the comparison."""
        return self.pool.scored.test_set

    @property
    def n_compared(self) -> int:
        """How many systems are compared with the baseline on the test set."""
        return len(self.test_set.systems) - 1

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
        return self.beside("luck", odds, k, (procedure,))

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
            return plan_from(self.pool, made_once(variation_of, self.pool), self.wish)
        return None


@deciding.register
def _(pool: Pool) -> Hashable:
    return deciding(pool.scored), pool.baseline, pool.system, pool.unit, pool.design


def _verdict(pool: Pool, experiment: Experiment, settings: Settings, work: Work) -> Verdict:
    """Return the verdict on all runs."""
    return verdict_of(pool, experiment, settings, catalog(experiment.given)[pool.scored.metric.key], work)


def _spread(pool: Pool, most: int, settings: Settings, work: Work) -> Replication:
    """Return what up to ``most`` runs would show."""
    return replication(pool, settings, most)


def choose_pool() -> Chosen:
    """Choose metric, test set and system; the page ends if there is no pool (yet)."""
    settings = require_settings()
    loaded = loaded_experiment()
    experiment = loaded or sample().experiment()
    if experiment is None:
        raise MtevalError("The sample experiment is damaged. Restore the folder sample_data.")
    with st.container(horizontal=True, vertical_alignment="bottom", key="replication-choice"):
        metrics = {metric.key: metric for metric in resolve(settings, experiment.given)}
        names = {key: metric.name for key, metric in metrics.items()}
        metric = metrics[choose("Metric", names, METRIC_KEY, width=160)]
        test_set = choose_test_set(experiment)
        others = [system.key for system in test_set.systems if system.key != experiment.baseline]
        if not others:
            end("note", one_system(settings.runs))
        system = others[0] if len(others) == 1 else choose("System", others, "replication-system", width=240)
    scored = scored_on(test_set, metric, settings)
    if scored is None:
        st.stop()
    with errors_end_the_page():
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
        self.first += self.n_wanted
        self.n_wanted = 0
        self.drawn.clear()

    @property
    def frame(self) -> pd.DataFrame:
        """All draws in order."""
        return pd.concat(self.drawn, ignore_index=True) if self.drawn else no_trials()


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
        draws = lucky_draws(chosen.pool, k, numbers, chosen.settings)
        work = Work(Engine(chosen.settings.workers))
        series.drawn.append(trials(chosen.pool, draws, (procedure,), chosen.settings, work))


def procedures_for(k: int) -> dict[str, ProcedureSpec]:
    """Return the procedures that work with k runs per system, by key."""
    return {key: spec for key, spec in on_draws().items() if spec.min_runs <= k}
