"""What all runs at hand say, above what smaller experiments would have shown; and what would convince.

The draws of a session: one experiment after the other, from a series that has no end.

Clark et al.'s Table 2 on the page: what p-value would have been published with other runs?
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import get_args

import pandas as pd
import streamlit as st

from mteval.analysis.replication.draws import (
    ALL,
    RANDOM,
    lucky_draws,
    no_trials,
    numbers_to_draw,
    published,
    trials,
    usual_numbers,
)
from mteval.analysis.replication.planning import Plan, plan_from
from mteval.analysis.replication.pool import ApartRun, runs_apart, variation_of, verdict_of
from mteval.analysis.work import Work
from mteval.answers.draws import published_cells
from mteval.answers.replication import (
    apart_sentence,
    convince_sentence,
    procedures_sentence,
    truth_sentence,
    undeclared_sentence,
)
from mteval.base.errors import MtevalError
from mteval.base.parallel import Engine
from mteval.base.words import counted
from mteval.figures.luck import p_value_ranges
from mteval.figures.style import in_words
from mteval.render.html import Markup, table, tag
from mteval.report.cards import verdict_line
from mteval.stats.procedures.registry import on_draws
from mteval.stats.procedures.spec import Luck, ProcedureSpec
from mteval.ui.parts import messages
from mteval.ui.parts.choices import choose_some
from mteval.ui.parts.tables import chart
from mteval.ui.replication.planner import RUNS_KEY, wish_of_session
from mteval.ui.replication.pool import Chosen
from mteval.ui.session.memory import of_session, remembered
from mteval.ui.session.progress import ask, background
from mteval.ui.setup.words import tell
from mteval.values.notation import level, p_value, percent
from mteval.values.run_words import Wording
from mteval.values.verdict import Verdict

VIEW, PLANNER = "replication-view", "Planner"


@dataclass(frozen=True)
class _Standing:
    """What all runs say."""

    verdict: Verdict
    apart: tuple[ApartRun, ...]


def known_verdict(chosen: Chosen) -> Verdict | None:
    """The verdict on the system that the page is about; None until it is there."""
    found: _Standing | None = background().values.get(_key(chosen))
    return None if found is None else found.verdict


def show_verdict(chosen: Chosen) -> None:
    """The two answers on all runs, the runs that stand apart, and what it would take to convince."""
    found = _standing(chosen)
    if found is None:
        return
    confidence = chosen.settings.confidence
    tell(verdict_line(found.verdict, confidence))
    for one in found.apart:
        messages.say("note", chosen.said(apart_sentence(one, chosen.metric_name, confidence, chosen.notation)))
    not_declared = undeclared_sentence(chosen.pool.design)
    if not_declared:
        messages.say("note", chosen.said(not_declared))
    _what_would_convince(chosen)


def begin_verdict(chosen: Chosen) -> None:
    """Have the verdict computed; its progress is on the page until it is there."""
    _standing(chosen)


def _standing(chosen: Chosen) -> _Standing | None:
    pool, settings = chosen.pool, chosen.settings

    def compute(work: Work) -> _Standing:
        verdict = verdict_of(pool, chosen.experiment, settings, chosen.spec, work)
        return _Standing(verdict, runs_apart(pool, settings, work))

    return ask("standing", _key(chosen), compute, settings.workers)


def _key(chosen: Chosen) -> str:
    return f"standing {chosen.key}"


def _what_would_convince(chosen: Chosen) -> None:
    """A sentence, and the way to the planner with these numbers; nothing where the runs cannot show how they vary."""
    planned = plan_for(chosen)
    if planned is None:
        return
    said = convince_sentence(planned, chosen.metric_name, chosen.pool.unit, chosen.notation)
    with st.container(horizontal=True, vertical_alignment="center", key="convince"):
        tell(tag("p", chosen.said(said), class_="mt-quiet"))
        st.button(
            "Plan it", icon=":material/calculate:", on_click=_to_planner, args=(planned.n_runs,), key="to-planner"
        )


def plan_for(chosen: Chosen) -> Plan | None:
    """What it takes to find the difference that matters; None where the runs do not show how much runs vary."""
    pool, wish = chosen.pool, wish_of_session(chosen)

    def make() -> Plan | None:
        try:
            return plan_from(pool, variation_of(pool), wish)
        except MtevalError:
            return None

    return remembered(("convince", chosen.key, wish), make)


def _to_planner(n_runs: int) -> None:
    st.session_state[VIEW] = PLANNER
    st.session_state[RUNS_KEY] = n_runs


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


SEVERAL = (RANDOM, ALL)
ONE_COMBINATION = (
    "With one run of each system there is one combination of runs, so no other p-value could have been published from"
    " these. Load more runs of each system."
)


def published_tab(chosen: Chosen) -> None:
    """The draws' p-values as picture and table, with the share of conclusions."""
    pool, settings = chosen.pool, chosen.settings
    specs, offered = on_draws(), numbers_to_draw(pool.sizes)
    if not offered:
        messages.say("note", chosen.said(ONE_COMBINATION))
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        numbers = choose_some(
            chosen.said("Runs of each system in a draw"),
            offered,
            f"published-numbers-{pool.sizes}",
            default=usual_numbers(pool.sizes),
            width=340,
        )
        n_draws = int(
            st.number_input(
                "Draws", 10, 10_000, 250, step=50, key="published-draws", persist_state="session", width=140
            )
        )
    numbers = sorted(numbers)
    computed = ask(
        "published",
        f"published {numbers} {n_draws} {chosen.key}",
        lambda work: published(pool, numbers, n_draws, tuple(specs), settings, work),
        settings.workers,
    )
    if computed is None:
        return
    frame, trials = computed
    alpha, names = 1 - settings.confidence, {key: spec.short_name_on(pool.unit) for key, spec in specs.items()}
    chart(in_words(p_value_ranges(frame, names, alpha), chosen.said), "published")
    tell(tag("p", chosen.said(_legend(settings.n_shuffles, pool.unit)), class_="mt-quiet"))
    tell(_ranges(frame, names, chosen.said))
    tell(_conclusions(frame, alpha, names, chosen))
    tell(tag("p", chosen.said(truth_sentence(known_verdict(chosen))), class_="mt-quiet"))
    st.download_button(
        "Every draw as CSV", lambda: _csv(trials), "mteval-draws.csv", "text/csv", on_click="ignore",
        icon=":material/download:", key="download-draws",
    )  # fmt: skip


def _legend(n_shuffles: int, unit: str) -> str:
    """What the picture shows and what its rows measure, from what the procedures say of themselves."""
    specs = [(spec, spec.short_name_on(unit)) for spec in on_draws().values()]
    by_luck = {luck: [name for spec, name in specs if spec.luck == luck] for luck in get_args(Luck)}
    said = procedures_sentence(by_luck, [name for spec, name in specs if spec.reproduces])
    return f"Dot: median p of the draws; bar: their middle 95%. {counted(n_shuffles, 'shuffle')}. {said}"


def _ranges(frame: pd.DataFrame, names: Mapping[str, str], said: Wording) -> Markup:
    header = (said("Runs each"), "Baseline", "System", *(names[key] for key in frame["procedure"].unique()))
    caption = said("p-values: single runs, then the middle 95% over the draws.")
    return table(header, list(published_cells(frame)), n_words=3, caption=caption)


def _conclusions(frame: pd.DataFrame, alpha: float, names: Mapping[str, str], chosen: Chosen) -> Markup:
    notation = chosen.notation
    rows = [
        (
            f"{row['n']} each", names[row["procedure"]], f"{row['n_draws']:,}",
            *(percent(row[key]) for key in notation.conclusions), p_value(row["p_median"]),
        )
        for row in frame[frame["baseline_run"].isin(SEVERAL)].to_dict("records")
    ]  # fmt: skip
    caption = (
        f"What the draws would have concluded at the {level(alpha)} level, each as the one comparison of its paper."
    )
    header = (chosen.said("Runs"), "Procedure", "draws", *notation.conclusions.values(), "median p")
    return table(header, rows, n_words=2, caption=caption)


def _csv(trials: pd.DataFrame) -> str:
    joined = {key: trials[key].map("+".join) for key in ("baseline_runs", "system_runs")}
    return str(trials.assign(**joined).to_csv(index=False))
