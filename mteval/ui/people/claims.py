"""What the tabs share: tables as they are written, files with all digits, the level of a test.

How often do tests of metrics conclude what people do? (Graham et al. 2014, Tables 1 and 2)

Which systems do people tell apart? The matrix of all pairs (Graham et al. 2014, Figure 7).

Which metric agrees with people? The measures of the WMT metrics task, with intervals and clusters.

Would other raters say so? Raters as the third luck, beside the test set and training.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st

from mteval.analysis.people.agreement import rater_agreement_frame, shares_frame
from mteval.analysis.people.claims import LEVELS, PAPER, SIDES, accuracy_frame, against_frame, claims_frame
from mteval.analysis.people.gold import GOLD_TESTS, JUDGED_UNITS, Gold
from mteval.analysis.people.judgements import HumanScores
from mteval.analysis.people.meta import MEASURES, Agreement, agreement_with_people
from mteval.analysis.people.raters import RAW, STANDARDISED, raters_frame, usual_baseline
from mteval.analysis.significance import question_on, unit_of
from mteval.analysis.work import Work
from mteval.answers.people import (
    EVERY_MEASURE,
    MEANINGS,
    NO_RATERS,
    RATER_AGREEMENT,
    RATERS_EXPLAINED,
    SHARES_EXPLAINED,
    SHORT_MEASURES,
    TESTS_EXPLAINED,
    accuracy_cells,
    accuracy_extent,
    against_cells,
    against_extent,
    agreement_cells,
    agreement_sentence,
    alone_sentence,
    gold_extent,
    measure_cells,
    resolution_sentence,
    shares_cells,
    told_apart,
    unanswered_lines,
)
from mteval.answers.raters import SHORT, rater_agreement_cells, rater_cells, rater_extent
from mteval.base.characters import visible
from mteval.base.errors import MissingDependencyError
from mteval.base.words import counted
from mteval.render.csv import frame_csv
from mteval.render.html import cells_table, tag
from mteval.render.text import Cells
from mteval.report.figures import accuracy_figure, agreement_figure, gold_figure, raters_figure
from mteval.stats.procedures.registry import usual
from mteval.ui.parts import messages
from mteval.ui.parts.choices import choose, choose_some
from mteval.ui.parts.tables import chart, show
from mteval.ui.people.plan import Plan
from mteval.values.notation import level


def choose_level(key: str) -> float:
    """The level at which systems are told apart, one of the paper's."""
    return choose("Level", LEVELS, key, format_func=level, width=120)


def show_cells(cells: Cells, caption: str) -> None:
    """A table on the page."""
    show(cells_table(cells, caption))


def save_csv(label: str, frame: pd.DataFrame, name: str) -> None:
    """A button that saves a table with all digits."""
    st.download_button(
        label, data=lambda: frame_csv(frame), file_name=f"mteval-{name}.csv", mime="text/csv", on_click="ignore",
        icon=":material/download:", key=f"people-save-{name}",
    )  # fmt: skip


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


def gold_tab(plan: Plan) -> None:
    """The matrix, what it says in words, and its numbers."""
    gold = plan.gold()
    if gold is None:
        return
    level = choose_level("people-gold-level")
    cells = gold.cells(level)
    left, right = st.columns([7, 3])
    with st.expander("Words for the paper", icon=":material/notes:"):
        st.code(visible(plan.methods), language=None, wrap_lines=True)
    with left:
        chart(gold_figure(gold, level), "people-gold")
    with right:
        _words(plan, gold, level)
        save_csv("Pairs as CSV", cells, "human-gold")


def _words(plan: Plan, gold: Gold, level: float) -> None:
    conclusions = gold.conclusions(level)
    quiet = [*gold_extent(gold.first, gold.second, GOLD_TESTS[gold.test], gold.unit)]
    if gold.unit == JUDGED_UNITS[0] and plan.people.frame["document"].notna().all():
        quiet.append("Judgements of one document are not independent; documents as units take them as one.")
    quiet.append(alone_sentence(conclusions, gold.systems))
    show(tag("p", told_apart(conclusions, level)), *(tag("p", text, class_="mt-quiet") for text in quiet if text))


def metrics_tab(plan: Plan) -> None:
    """One measure with intervals, and all measures as a table."""
    if not plan.has_metrics:
        messages.say(
            "note", "Load the outputs that were judged, or scores of them, to see which metric agrees with people."
        )
        return
    measure = choose("Measure", list(MEASURES), "people-measure", format_func=MEASURES.__getitem__, width=320)
    scorer, frame, scale, settings = plan.scorer(), plan.frame, plan.scales[0], plan.settings

    def compute(work: Work) -> Agreement:
        scored = scorer(work)
        human = HumanScores.of(frame, scale, scored[0].test_set)
        return agreement_with_people(scored, human, unit_of(scored[0], settings), settings, work)

    agreement = plan.asked("metrics", "", compute)
    if agreement is not None:
        _metrics_show(plan, agreement, measure)


def _metrics_show(plan: Plan, agreement: Agreement, measure: str) -> None:
    rows = agreement.frame[agreement.frame["measure"] == measure]
    show(tag("p", MEANINGS[measure]))
    chart(agreement_figure(agreement.frame, measure, plan.names), "people-agreement")
    systems, segments = counted(len(agreement.systems), "system"), counted(agreement.n_segments, "segment")
    show_cells(agreement_cells(rows, plan.names), f"{MEASURES[measure]} on {systems} and {segments}")
    rests_on = agreement_sentence(plan.settings.n_bootstrap, agreement.n_units, agreement.unit)
    show(tag("p", rests_on, class_="mt-quiet"))
    show_cells(measure_cells(agreement.frame, SHORT_MEASURES, plan.names), EVERY_MEASURE)
    with st.container(horizontal=True):
        save_csv("Agreement as CSV", agreement.frame, "agreement-with-people")
        save_csv("Pairs of metrics as CSV", agreement.pairs, "pairs-of-metrics")


ALL_PAIRS = "all pairs"
Answered = tuple[pd.DataFrame, pd.DataFrame]  # of pairs of systems, and of pairs of raters


def raters_tab(plan: Plan) -> None:
    """The third question for pairs of systems, and how far raters agree."""
    frame, scale, settings = plan.people.frame, plan.scales[0], plan.settings
    rows = frame[frame["scale"] == scale]
    if rows["annotator"].nunique() < 2:
        messages.say("note", NO_RATERS)
        return
    means = rows.groupby("system")["value"].mean().sort_values(ascending=False)
    systems, usual = [ALL_PAIRS, *map(str, means.index)], usual_baseline(frame, scale) or ALL_PAIRS
    against = choose("Compare with", systems, "people-against", default=usual, width=260)
    units = ("segment", "document") if rows["document"].notna().all() else ("segment",)

    def compute(work: Work) -> Answered:
        baseline = None if against == ALL_PAIRS else against
        return raters_frame(frame, scale, settings, baseline, units), rater_agreement_frame(frame, scale)

    answered = plan.asked("raters", against, compute)
    if answered is not None:
        _raters_show(*answered)


def _raters_show(raters: pd.DataFrame, agreement: pd.DataFrame) -> None:
    show(tag("p", RATERS_EXPLAINED, class_="mt-quiet"))
    if raters["p_value"].isna().all():
        notes = " ".join(dict.fromkeys(note for note in raters["note"] if note))
        messages.say("note", f"No answer for any pair. {notes}")
    shown = raters_figure(raters)
    if shown is not None:
        chart(shown[0], "people-raters")
        show(tag("p", shown[1], class_="mt-quiet"))
    for form in (RAW, STANDARDISED):
        for _, rows in raters[raters["form"] == form].groupby("unit", sort=False):
            if rows["p_value"].notna().any():
                ordered = rows.sort_values("difference", ascending=False, kind="stable")
                show_cells(rater_cells(ordered, SHORT), rater_extent(rows))
            for note in dict.fromkeys(note for note in rows["note"] if note):
                show(tag("p", note, class_="mt-quiet"))
    show_cells(rater_agreement_cells(agreement), RATER_AGREEMENT)
    with st.container(horizontal=True):
        save_csv("Answers as CSV", raters, "raters")
        save_csv("Agreement of raters as CSV", agreement, "agreement-of-raters")
