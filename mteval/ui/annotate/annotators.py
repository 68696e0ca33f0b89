"""The annotators of a campaign: how far each is, whether they read, what they made of a metric's errors, who agrees."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from mteval.analysis.people.controls import controls_frame, prefilled_frame
from mteval.analysis.people.judgements import ASPECT_NAMES
from mteval.analysis.people.results import agreement_frame
from mteval.annotations import Campaign, Listed, Task
from mteval.annotations.campaigns import Way
from mteval.notation import DASH, fixed, percent
from mteval.ui.parts.markup import show, tag
from mteval.ui.parts.tables import table

KIND_NAMES = {"training": "Training as expected", "check": "Attention checks passed"}


def progress_table(campaign: Campaign, listed: Listed, tasks: Sequence[Task]) -> None:
    """Done and left of each annotator, and what they made of items with known answers."""
    frame = controls_frame(campaign, tasks)
    kinds = [kind for kind in KIND_NAMES if kind in set(frame["kind"])]
    counts = frame.to_dict("records")
    passed = {(row["annotator"], row["kind"]): _share(row["n_passed"], row["n_done"]) for row in counts}
    rows = [
        (name, f"{done} of {total}", str(total - done), *(passed.get((name, kind), DASH) for kind in kinds))
        for name, (done, total) in listed.progress.items()
    ]
    head = ("Annotator", "Done", "Left", *(KIND_NAMES[kind] for kind in kinds))
    show(table(head, rows, n_words=1, caption="Progress of each annotator"))
    if "check" in kinds:
        show(tag("p", f"A check is passed where {CHECKS[campaign.way]}.", class_="mt-quiet"))


def _share(n_passed: int, n_done: int) -> str:
    """How many were passed, and what share that is."""
    return f"{n_passed} of {n_done}" + (f" ({percent(n_passed / n_done, 0)})" if n_done else "")


_MARKED = (
    "the words that do not belong there are marked: of these words and those in the same marks at least half are both,"
    " and of the other words at most half as large a share is marked"
)
_LOWER = "lower than the same output without these words; it counts once both are rated, the latter above 0"
CHECKS: Mapping[Way, str] = {
    "rating": f"its output, in which words do not belong, is rated in adequacy {_LOWER}",
    "errors": _MARKED,
    "esa": f"{_MARKED}; and the score is {_LOWER}",
    "preference": "the output without the words that do not belong there is preferred",
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
