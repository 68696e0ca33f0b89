"""How often do tests of metrics conclude what people do? (Graham et al. 2014, Tables 1 and 2)"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st

from mteval.analysis.people.claims import PAPER, SIDES, accuracy_frame, against_frame, claims_frame
from mteval.analysis.people.gold import GOLD_TESTS, Gold
from mteval.analysis.people.shares import shares_frame
from mteval.analysis.tests.significance import question_on, unit_of
from mteval.analysis.work import Work
from mteval.errors import MissingDependencyError
from mteval.export.people import (
    accuracy_cells,
    accuracy_extent,
    against_cells,
    against_extent,
    shares_cells,
    unanswered_lines,
)
from mteval.export.prose.human_answers import SHARES_EXPLAINED, TESTS_EXPLAINED, resolution_sentence
from mteval.reporting.human_figures import accuracy_figure
from mteval.stats.procedures.registry import usual
from mteval.ui.parts import messages
from mteval.ui.parts.charts import chart
from mteval.ui.parts.choices import choose, choose_some
from mteval.ui.parts.markup import show, tag
from mteval.ui.people.plan import Plan
from mteval.ui.people.tables import choose_level, save_csv, show_cells

SIDE_NAMES = {"one": "one-sided", "two": "two-sided", "both": "both"}
RESAMPLES = (1_000, 200, 10_000)


@dataclass(frozen=True)
class Concluded:
    """Claims of all tests, how often people share them, tests against each other, and shares of people."""

    claims: pd.DataFrame
    accuracy: pd.DataFrame
    against: pd.DataFrame
    shares: pd.DataFrame
    remark: str


def claims_tab(plan: Plan) -> None:
    """The table of the paper for the metrics at hand."""
    if not plan.has_metrics:
        messages.say(
            "note", "Load the outputs that were judged, or scores of them, to weigh tests of metrics by people."
        )
        return
    gold = plan.gold()
    if gold is None:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        procedures = choose_some("Tests", usual(), "people-tests", default=PAPER, format_func=GOLD_TESTS.__getitem__)
        sides = choose("Sides", list(SIDES), "people-sides", format_func=SIDE_NAMES.__getitem__, width=140)
        n_resamples = choose("Resamples", RESAMPLES, "people-resamples", format_func="{:,}".format, width=130)
        level = choose_level("people-level")
    if not procedures:
        messages.say("note", "Choose at least one test.")
        return
    choice = (tuple(procedures), sides, n_resamples, level)
    concluded = plan.asked("tests", choice, _computation(plan, gold, procedures, sides, n_resamples, level))
    if concluded is not None:
        _show(plan, concluded, resolution_sentence(level, n_resamples))


def _computation(
    plan: Plan, gold: Gold, procedures: Sequence[str], sides: str, n_resamples: int, level: float
) -> Callable[[Work], Concluded]:
    scorer, settings = plan.scorer(), replace(plan.settings, n_shuffles=n_resamples, n_bootstrap=n_resamples)

    def compute(work: Work) -> Concluded:
        scored = scorer(work)
        asked = [question_on(procedure, unit_of(scored[0], settings)) for procedure in procedures]
        claims = claims_frame(scored, asked, settings, work, SIDES[sides])
        accuracy = accuracy_frame(claims, gold, [level], settings.confidence)
        try:
            shares, remark = shares_frame(claims, gold, scored), ""
        except MissingDependencyError as error:
            shares, remark = pd.DataFrame(), str(error)
        return Concluded(claims, accuracy, against_frame(claims, gold, level), shares, remark)

    return compute


def _show(plan: Plan, concluded: Concluded, out_of_reach: str) -> None:
    names, accuracy = plan.names, concluded.accuracy
    show(tag("p", TESTS_EXPLAINED, class_="mt-quiet"))
    chart(accuracy_figure(accuracy, names), "people-accuracy")
    show_cells(accuracy_cells(accuracy, names, GOLD_TESTS), accuracy_extent(accuracy))
    for line in [*unanswered_lines(accuracy, names, GOLD_TESTS), *filter(None, [out_of_reach])]:
        messages.say("note", line)
    against = concluded.against
    if not against.empty:
        show_cells(against_cells(against, names, GOLD_TESTS), against_extent(against))
    if not concluded.shares.empty:
        show_cells(shares_cells(concluded.shares, names), SHARES_EXPLAINED)
    if concluded.remark:
        show(tag("p", concluded.remark))
    with st.container(horizontal=True):
        save_csv("Accuracy as CSV", accuracy, "accuracy-of-tests")
        save_csv("Tests against each other as CSV", against, "tests-against-each-other")
        save_csv("All claims as CSV", concluded.claims, "claims-of-tests")
