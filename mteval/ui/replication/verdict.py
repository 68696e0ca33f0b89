"""What all runs at hand say, above what smaller experiments would have shown; and what would convince."""

from dataclasses import dataclass

import streamlit as st

from mteval.analysis.replication.all_runs import ApartRun, runs_apart, verdict_of
from mteval.analysis.replication.planning import Plan, plan_from
from mteval.analysis.replication.variation import variation_of
from mteval.analysis.work import Work
from mteval.errors import MtevalError
from mteval.export.prose.replication import apart_sentence, convince_sentence, undeclared_sentence
from mteval.reporting.answers import verdict_line
from mteval.ui.parts import messages
from mteval.ui.parts.markup import tag
from mteval.ui.replication.planner import RUNS_KEY, wish_of_session
from mteval.ui.replication.pool import Chosen
from mteval.ui.session.memory import remembered
from mteval.ui.session.progress import ask, background
from mteval.ui.setup.words import tell
from mteval.verdict import Verdict

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
