"""What a new campaign asks of whom: the size of the sample, the annotators, what they are told and practise on."""

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import streamlit as st

from mteval.analysis.results import Results
from mteval.annotations import AnnotationStore, Control, Plan
from mteval.annotations.campaigns import Way
from mteval.model import TestSet
from mteval.readers.formats.mqm import marked_span
from mteval.ui.annotate.error_marks import severities_of
from mteval.ui.annotate.links import campaigns_of_visitor
from mteval.ui.parts.choices import SURVIVES
from mteval.ui.parts.markup import show, tag

LABELS = ("Random", "Most improved", "Most declined")
USUAL_SIZES = (30, 10, 10)
MOST_CHECKS = 1_000
COLUMNS = {  # and what they hold
    **dict.fromkeys(("source", "output", "severity"), "object"),
    **dict.fromkeys(("lowest", "highest"), "float64"),
    "explanation": "object",
}


def chosen_plan(results: Results, chosen_on: TestSet, metric: str, read_on: TestSet) -> Plan:
    """How many segments of which kind are read, in which pieces, and how many checks stand among them."""
    by_document = read_on.documents is not None and st.toggle(
        "Documents as wholes",
        False,
        key="campaign-documents",
        **SURVIVES,
        help="Documents are drawn until they hold that many segments, and each is read from its first to its last.",
    )
    labels = LABELS[:1] if by_document else LABELS
    sizes = [
        int(column.number_input(label, 0, 10_000, size, key=f"campaign-size-{number}", **SURVIVES))
        for number, (column, label, size) in enumerate(zip(st.columns(3), labels, USUAL_SIZES, strict=False))
    ]
    shared = _shared()
    checks = st.number_input(
        "Attention checks",
        0,
        MOST_CHECKS,
        0,
        key="campaign-checks",
        **SURVIVES,
        help="So many outputs that each annotator reads stand among the others once more, with words of another"
        " segment in their middle. Results say what share was noticed; the checks take no part in averages.",
    )
    seed = results.settings.seed
    words = (
        "The random segments are drawn first and speak for the test set. Those that changed most show what a metric"
        " rewards and punishes; they say nothing about averages."
    )
    show(tag("p", f"{'' if by_document else f'{words} '}Seed {seed}.", class_="mt-quiet"))
    improvements, declines = (*sizes[1:], 0, 0)[:2]
    return Plan(
        chosen_on.name, metric, sizes[0], improvements, declines, shared, seed,
        by_document=by_document, checks=int(checks),
    )  # fmt: skip


def _shared() -> int | None:
    """The number of segments that everybody reads; None for all."""
    if st.toggle("Everybody reads every segment", True, key="campaign-all", **SURVIVES):
        return None
    shared = st.number_input(
        "Segments that everybody reads",
        0,
        10_000,
        10,
        key="campaign-shared",
        **SURVIVES,
        help="Agreement is measured on these; the others are dealt out, one annotator each.",
    )
    return int(shared)


def chosen_annotators(store: AnnotationStore) -> list[str]:
    """Names of those who read."""
    known = sorted({name for listed in campaigns_of_visitor(store) for name in listed.progress})
    chosen = st.multiselect(
        "Annotators",
        known,
        default=known[:1],
        accept_new_options=True,
        placeholder="Type a name and press Enter",
        key="campaign-annotators",
        **SURVIVES,
    )
    return [name.strip()[:200] for name in chosen]


def guidance(way: Way) -> tuple[str, Callable[[], Iterator[Control]]]:
    """What annotators are told, and a function that gives the texts on which they practise.

    The latter raises SettingsError where a text cannot be used.
    """
    with st.expander("Instructions and practice", icon=":material/school:"):
        told = st.text_area("Instructions that annotators see", key="campaign-told", max_chars=20_000, **SURVIVES)
        if way == "preference":
            return told, lambda: iter(())
        st.markdown("Texts for practice, read first; the answer is shown once an annotator has given theirs.")
        edited = st.data_editor(
            pd.DataFrame([dict.fromkeys(COLUMNS)]).astype(COLUMNS),  # a row to begin with
            num_rows="dynamic",
            hide_index=True,
            key=f"campaign-practice-{way}",
            column_config=_columns(way),
        )
    rows = edited.astype(object).where(edited.notna(), None).to_dict("records")
    return told, lambda: (_practice(row) for row in rows if row["output"])


def _columns(way: Way) -> dict[str, Any]:
    column = st.column_config
    scores = way != "errors"
    marks = way != "rating"
    return {
        "source": column.TextColumn("Source", width="medium"),
        "output": column.TextColumn(
            "Output, the error between <v> and </v>" if marks else "Output", required=True, width="large"
        ),
        "severity": column.SelectboxColumn("Severity", options=severities_of(way)) if marks else None,
        "lowest": column.NumberColumn("Lowest score", min_value=0, max_value=100) if scores else None,
        "highest": column.NumberColumn("Highest score", min_value=0, max_value=100) if scores else None,
        "explanation": column.TextColumn("Explanation", width="medium"),
    }


def _practice(row: dict[Any, Any]) -> Control:
    """A text for practice from a row of the table."""
    text, span = marked_span(str(row["output"]))
    start, end = span or (0, 0)
    return Control(
        "training",
        row["source"] or "",
        text,
        start,
        end,
        row["severity"] or "",
        float(0 if row["lowest"] is None else row["lowest"]),
        float(100 if row["highest"] is None else row["highest"]),
        row["explanation"] or "",
    )
