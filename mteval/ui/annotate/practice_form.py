"""What annotators of a new campaign are told, and the texts with known answers that they practise on."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from mteval.annotations import Control, Typology
from mteval.annotations.campaigns import Way
from mteval.counts import listed
from mteval.errors import SettingsError
from mteval.readers.formats.mqm import marked_span
from mteval.ui.annotate.error_marks import severities_of
from mteval.ui.parts.choices import SURVIVES

COLUMNS = {  # and what they hold
    **dict.fromkeys(("source", "better", "output", "category", "severity"), "object"),
    **dict.fromkeys(("lowest", "highest"), "float64"),
    "explanation": "object",
}
SHOWN = 60
OWN: Mapping[Way, tuple[str, ...]] = {  # besides what all ways have: source, output and explanation
    "rating": ("lowest", "highest"),
    "errors": ("category", "severity"),
    "esa": ("severity", "lowest", "highest"),
    "preference": ("better",),
}
ALWAYS = ("source", "output", "explanation")
OUTPUT: Mapping[Way, str] = {
    "rating": "Output",
    "errors": "Output, the error between <v> and </v>",
    "esa": "Output, the error between <v> and </v>",
    "preference": "Worse output",
}


def guidance(way: Way) -> tuple[str, Callable[[], Iterator[Control]]]:
    """What annotators are told, and a function that gives the texts on which they practise.

    The latter raises SettingsError where a text cannot be used.
    """
    with st.expander("Instructions and practice", icon=":material/school:"):
        told = st.text_area("Instructions that annotators see", key="campaign-told", max_chars=20_000, **SURVIVES)
        st.markdown("Texts for practice, read first; the answer is shown once an annotator has given theirs.")
        edited = st.data_editor(
            pd.DataFrame([dict.fromkeys(COLUMNS)]).astype(COLUMNS),  # a row to begin with
            num_rows="dynamic",
            hide_index=True,
            key=f"campaign-practice-{way}",
            column_config=_columns(way),
        )
    rows = edited.astype(object).where(edited.notna(), None).to_dict("records")
    return told, lambda: (_practice(row) for row in rows if row["output"] or row["better"])


def _columns(way: Way) -> dict[str, Any]:
    column = st.column_config
    every = {
        "source": column.TextColumn("Source", width="medium"),
        "better": column.TextColumn("Better output", width="large"),
        "output": column.TextColumn(OUTPUT[way], required=True, width="large"),
        "category": column.TextColumn("Category", help="As it is called under “Categories and weights”."),
        "severity": column.SelectboxColumn("Severity", options=severities_of(way)),
        "lowest": column.NumberColumn("Lowest score", min_value=0, max_value=100),
        "highest": column.NumberColumn("Highest score", min_value=0, max_value=100),
        "explanation": column.TextColumn("Explanation", width="medium"),
    }
    return {name: one if name in (*ALWAYS, *OWN[way]) else None for name, one in every.items()}


def _practice(row: dict[Any, Any]) -> Control:
    """A text for practice from a row of the table; of two outputs the better one is the one without a defect."""
    text, span = marked_span(str(row["output"] or ""))
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
        row["better"] or "",
        row["category"] or "",
    )


def refuse_unusable(way: Way, typology: Typology, practice: Iterable[Control]) -> None:
    """Raise SettingsError where two outputs are compared and there is one, or a category is none of the campaign."""
    for one in practice:
        what = f"The text for practice “{one.hypothesis[:SHOWN]}”"
        if way == "preference" and not one.intact.strip():
            raise SettingsError(f"{what} has no better output beside it; write one.")
        if one.category not in ("", *typology.names):
            raise SettingsError(
                f"{what} has the category “{one.category[:SHOWN]}”, which is none of the campaign; expected one of"
                f" {listed(typology.names)}."
            )
