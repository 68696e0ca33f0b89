"""How many errors metrics mark in the outputs of each system, and all of them as files."""

from typing import Any

import pandas as pd
import streamlit as st

from mteval.analysis.error_spans import marked_frame, marks_errors
from mteval.analysis.scoring import Scored
from mteval.counts import counted
from mteval.export.json import to_json
from mteval.export.tables import frame_csv
from mteval.notation import level, rounded
from mteval.ui.parts.choices import choose
from mteval.ui.parts.markup import show, tag
from mteval.ui.segments.compared_runs import SegmentData
from mteval.ui.segments.export import save_button

VIEW = "Marked errors"
DIGITS = 3  # of errors in one output
TITLES = {
    "system": "System", "severity": "Severity", "runs": "Runs", "segments": "Segments", "errors": "Errors",
    "per_segment": "In one output", "low": "Low", "high": "High",
}  # fmt: skip
RATES = ("per_segment", "low", "high")


def _in_json(marked: pd.DataFrame) -> str:
    """All errors as one object."""
    return to_json({"errors": marked}, {})


def marking(data: SegmentData) -> list[Scored]:
    """The metrics that mark errors in these outputs."""
    return [by for by in data.scored if marks_errors(by)]


def marked_errors(data: SegmentData) -> None:
    """The counts by system, with intervals, and the errors themselves as files."""
    by_name = {by.metric.name: by for by in marking(data)}
    by = by_name[choose("Errors marked by", list(by_name), "seg-marking", width=280)]
    counts = data.results.evaluation.errors
    frame = counts[(counts["test_set"] == data.test_set.name) & (counts["metric"] == by.metric.key)]
    show(tag("p", _about(data, by, frame), class_="mt-quiet"))
    _table(frame)
    _downloads(by)


def _about(data: SegmentData, by: Scored, frame: pd.DataFrame) -> str:
    units = counted(int(frame["units"].iloc[0]), str(frame["unit"].iloc[0]))
    interval = level(data.results.settings.confidence)
    return (
        f"Errors that {by.metric.name} marks, in all runs of each system and in one output on average, with {interval}"
        f" bootstrap intervals over the {units}, these runs taken as given. They are what a model takes for errors."
    )


def _table(frame: pd.DataFrame) -> None:
    numbers: dict[str, Any] = {
        name: st.column_config.NumberColumn(title, format=f"%.{DIGITS}f" if name in RATES else "%d")
        for name, title in TITLES.items()
    }
    numbers |= {name: st.column_config.TextColumn(TITLES[name]) for name in ("system", "severity")}
    shown = frame[list(TITLES)].assign(**{name: rounded(frame[name], DIGITS) for name in RATES})
    st.dataframe(shown, hide_index=True, column_config=numbers, key="marked-errors", placeholder="–")


def _downloads(by: Scored) -> None:
    """Two buttons; the files are written when asked for."""
    left, right, _ = st.columns([1.4, 1.4, 3])

    for half, label, name, mime, write in (
        (left, "Save errors as CSV", "errors.csv", "text/csv", lambda: frame_csv(marked_frame(by))),
        (
            right,
            "Save errors as JSON",
            "errors.json",
            "application/json",
            lambda: to_json({"errors": marked_frame(by)}, {}),
        ),
    ):
        save_button(half, label, name, mime, write)
