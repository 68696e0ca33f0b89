"""The annotators of a campaign: how far each is, whether they read, what they made of a metric's errors, who agrees."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from mteval.analysis.people.controls import controls_frame, prefilled_frame
from mteval.analysis.people.judgements import ASPECT_NAMES
from mteval.analysis.people.results import agreement_frame
from mteval.annotations import Campaign, Listed, Task
from mteval.notation import DASH, fixed
from mteval.ui.parts.markup import show, tag
from mteval.ui.parts.tables import table

KIND_NAMES = {"training": "Training as expected", "check": "Attention checks passed"}


def progress_table(campaign: Campaign, listed: Listed, tasks: Sequence[Task]) -> None:
    """Done and left of each annotator, and what they made of items with known answers."""
    frame = controls_frame(campaign, tasks)
    kinds = [kind for kind in KIND_NAMES if kind in set(frame["kind"])]
    passed = {
        (row["annotator"], row["kind"]): f"{row['n_passed']} of {row['n_done']}" for row in frame.to_dict("records")
    }
    rows = [
        (name, f"{done} of {total}", str(total - done), *(passed.get((name, kind), DASH) for kind in kinds))
        for name, (done, total) in listed.progress.items()
    ]
    head = ("Annotator", "Done", "Left", *(KIND_NAMES[kind] for kind in kinds))
    show(table(head, rows, n_words=1, caption="Progress of each annotator"))
    if "check" in kinds:
        show(tag("p", CHECKS[campaign.way], class_="mt-quiet"))


_MARKED = "an error is marked that overlaps with the words which do not belong there"
CHECKS = {
    "rating": "A check is passed where its output is rated lower in adequacy than without the words that do not belong"
    " there.",
    "errors": f"A check is passed where {_MARKED}.",
    "esa": f"A check is passed where {_MARKED}.",
    "preference": "A check is passed where the output without the words that do not belong there is preferred.",
}


def prefilled_table(tasks: Sequence[Task]) -> None:
    """What annotators made of the errors that a metric had marked."""
    frame = prefilled_frame(tasks)
    if frame.empty:
        return
    st.subheader("What people made of the metric's errors", anchor=False)
    counts = ("n_found", "n_kept", "n_changed", "n_rejected", "n_added")
    rows = [
        (row["annotator"], row["origin"], *(str(row[count]) for count in counts)) for row in frame.to_dict("records")
    ]
    head = ("Annotator", "Metric", "Found", "Kept", "Other severity", "Taken back", "Added by the annotator")
    show(table(head, rows, n_words=2, caption="Errors in the outputs that each annotator is done with."))


def agreement_table(campaign: Campaign, raw: pd.DataFrame) -> None:
    """Krippendorff's alpha, raw and standardised; nothing where nobody shares an output."""
    frame = agreement_frame(campaign, raw)
    if not frame["n_units"].any():
        return
    st.subheader("Agreement", anchor=False)
    rows = [
        (
            ASPECT_NAMES[row["aspect"]], str(row["n_annotators"]), str(row["n_units"]), fixed(row["alpha_raw"], 2),
            fixed(row["alpha_standardised"], 2),
        )
        for row in frame.to_dict("records")
    ]  # fmt: skip
    show(
        table(
            ("What", "Annotators", "Judged by several", "Alpha, raw", "Alpha, standardised"),
            rows,
            n_words=1,
            caption="Krippendorff's alpha over what at least two annotators judged: 1 is perfect, 0 is chance."
            " Standardised, each annotator's severity and use of the scale are taken out.",
        )
    )
