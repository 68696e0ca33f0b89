"""Would other raters say so? Raters as the third luck, beside the test set and training."""

import pandas as pd
import streamlit as st

from mteval.analysis.people.rater_agreement import rater_agreement_frame
from mteval.analysis.people.raters import RAW, STANDARDISED, raters_frame
from mteval.analysis.work import Work
from mteval.export.raters import SHORT, rater_agreement_cells, rater_cells, rater_extent
from mteval.ui.parts import messages
from mteval.ui.parts.choices import choose
from mteval.ui.parts.markup import show, tag
from mteval.ui.people.plan import Plan
from mteval.ui.people.tables import save_csv, show_cells
from mteval.verdict import MANY_SYSTEMS

ALL_PAIRS = "all pairs"
NO_RATERS = (
    "These judgements do not say who gave them, or one annotator gave them all: nobody can tell what other raters would"
    " say. It takes two who judged the same outputs for a provisional answer, three for one."
)
EXPLAINED = (
    "Asked of outputs that several raters all judged: could luck with the raters explain the difference? “p segments”"
    " takes these raters as given, “p raters too” takes them as drawn from others like them; the raters' share is of"
    " the variance. “Yes” says that luck with segments and raters does not explain the difference, “open” that this"
    " cannot be ruled out. Three raters or more give an answer, two a provisional one, one none. Raw and standardised"
    " judgements are answered side by side; p-values are adjusted by Holm over the pairs of systems shown."
)
Answered = tuple[pd.DataFrame, pd.DataFrame]  # of pairs of systems, and of pairs of raters


def raters_tab(plan: Plan) -> None:
    """The third question for pairs of systems, and how far raters agree."""
    frame, scale, settings = plan.people.frame, plan.scales[0], plan.settings
    rows = frame[frame["scale"] == scale]
    if rows["annotator"].nunique() < 2:
        messages.say("note", NO_RATERS)
        return
    means = rows.groupby("system")["value"].mean().sort_values(ascending=False)
    best = str(means.index[0])
    usual = ALL_PAIRS if len(means) <= MANY_SYSTEMS else best
    systems = [ALL_PAIRS, *map(str, means.index)]
    against = choose("Compare with", systems, "people-against", default=usual, width=260)
    units = ("segment", "document") if rows["document"].notna().all() else ("segment",)

    def compute(work: Work) -> Answered:
        baseline = None if against == ALL_PAIRS else against
        return raters_frame(frame, scale, settings, baseline, units), rater_agreement_frame(frame, scale)

    answered = plan.asked("raters", against, compute)
    if answered is not None:
        _show(*answered)


def _show(raters: pd.DataFrame, agreement: pd.DataFrame) -> None:
    show(tag("p", EXPLAINED, class_="mt-quiet"))
    if raters["p_value"].isna().all():
        notes = " ".join(dict.fromkeys(note for note in raters["note"] if note))
        messages.say("note", f"No answer for any pair. {notes}")
    for form in (RAW, STANDARDISED):
        for _, rows in raters[raters["form"] == form].groupby("unit", sort=False):
            if rows["p_value"].notna().any():
                ordered = rows.sort_values("difference", ascending=False, kind="stable")
                show_cells(rater_cells(ordered, SHORT), rater_extent(rows))
            for note in dict.fromkeys(note for note in rows["note"] if note):
                show(tag("p", note, class_="mt-quiet"))
    caption = "Krippendorff's alpha on the outputs that raters share: 1 is perfect, 0 is chance"
    show_cells(rater_agreement_cells(agreement), caption)
    with st.container(horizontal=True):
        save_csv("Answers as CSV", raters, "raters")
        save_csv("Agreement of raters as CSV", agreement, "agreement-of-raters")
