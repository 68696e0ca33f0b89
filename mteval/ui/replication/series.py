"""The draws of a session: one experiment after the other, from a series that has no end."""

from dataclasses import dataclass, field

import pandas as pd
import streamlit as st

from mteval.analysis.replication.combinations import lucky_draws
from mteval.analysis.replication.draws import no_trials, trials
from mteval.analysis.work import Work
from mteval.parallel import Engine
from mteval.stats.procedures.registry import on_draws
from mteval.stats.procedures.spec import ProcedureSpec
from mteval.ui.replication.pool import Chosen
from mteval.ui.session.memory import of_session

MANY = 100


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
