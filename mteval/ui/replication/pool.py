"""What the replication page is about: the runs of two systems by one metric on one test set; what follows from them.

Where nothing is loaded it is the experiment that ships with the project, so that the page can be tried without a file.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import pandas as pd
import streamlit as st

from mteval.analysis.replication.draws import lucky_draws, no_trials, odds, published, trials
from mteval.analysis.replication.planning import Plan, Replication, Wish, plan_from, replication, usual_wish
from mteval.analysis.replication.pool import ApartRun, Pool, pool_of, runs_apart, variation_of, verdict_of
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
from mteval.ui.page import choose_test_set, settings_of_session
from mteval.ui.parts import messages
from mteval.ui.parts.choices import choose
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

    def beside(self, place: str, make: Callable[..., T], *of: object) -> T | None:
        """What a function makes of the runs, of other values and the settings; None until it is there."""
        return made_beside(place, make, self.pool, *of, self.settings, workers=self.settings.workers)

    def standing(self) -> Standing | None:
        """What all runs say; None until it is there."""
        return self.beside("standing", _standing, self.experiment)

    @property
    def known_verdict(self) -> Verdict | None:
        """The verdict on the system, as far as it was asked for and is there."""
        found: Standing | None = background().values.get(key_of(_standing, (self.pool, self.experiment, self.settings)))
        return None if found is None else found.verdict

    def spread(self, most: int) -> Replication | None:
        """What numbers of runs up to ``most`` would show; None until it is there."""
        return self.beside("spread", _spread, most)

    def odds(self, k: int, procedure: str) -> pd.DataFrame | None:
        """What all combinations of k runs would have concluded; None until it is there."""
        return self.beside("luck", odds, k, (procedure,))

    def published(
        self, numbers: Sequence[int], n_draws: int, procedures: Sequence[str]
    ) -> tuple[pd.DataFrame, pd.DataFrame] | None:
        """What draws of so many runs would have published, and every draw; None until it is there."""
        return self.beside("published", published, tuple(numbers), n_draws, tuple(procedures))

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
        return made_once(_plan, self.pool, self.wish)


@deciding.register
def _(pool: Pool) -> Hashable:
    return deciding(pool.scored), pool.baseline, pool.system, pool.unit, pool.design


@dataclass(frozen=True)
class Standing:
    """What all runs say."""

    verdict: Verdict
    apart: tuple[ApartRun, ...]


def _standing(pool: Pool, experiment: Experiment, settings: Settings, work: Work) -> Standing:
    """The verdict on all runs, and those that stand apart."""
    spec = catalog(experiment.given)[pool.scored.metric.key]
    return Standing(verdict_of(pool, experiment, settings, spec, work), runs_apart(pool, settings, work))


def _spread(pool: Pool, most: int, settings: Settings, work: Work) -> Replication:
    """What numbers of runs up to ``most`` would show."""
    return replication(pool, settings, most)


def _plan(pool: Pool, wish: Wish) -> Plan | None:
    try:
        return plan_from(pool, variation_of(pool), wish)
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
            messages.say("note", one_system(settings.runs))
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
    memory: dict[Hashable, Series] = of_session("luck-series", dict)
    return memory.setdefault(deciding((chosen.pool, chosen.settings, k, procedure)), Series())


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
