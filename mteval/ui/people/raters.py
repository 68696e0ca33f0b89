"""Would other raters say so? Raters as the third luck, beside the test set and training."""

import pandas as pd
import streamlit as st

from mteval.analysis.people.rater_agreement import rater_agreement_frame
from mteval.analysis.people.raters import RAW, STANDARDISED, raters_frame, usual_baseline
from mteval.analysis.work import Work
from mteval.export.prose.human_answers import NO_RATERS, RATER_AGREEMENT, RATERS_EXPLAINED
from mteval.export.raters import SHORT, rater_agreement_cells, rater_cells, rater_extent
from mteval.reporting.human_figures import raters_figure
from mteval.ui.parts import messages
from mteval.ui.parts.charts import chart
from mteval.ui.parts.choices import choose
from mteval.ui.parts.markup import show, tag
from mteval.ui.people.plan import Plan
from mteval.ui.people.tables import save_csv, show_cells

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
        _show(*answered)


def _show(raters: pd.DataFrame, agreement: pd.DataFrame) -> None:
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
