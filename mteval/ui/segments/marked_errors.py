"""What is filtered, as files: a table with texts, and MultEval's rank file.

How many errors metrics mark in the outputs of each system, and all of them as files.
"""

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mteval.analysis.error_spans import marked_frame, marks_errors
from mteval.analysis.scoring import Scored
from mteval.analysis.segments.runs import rank_table
from mteval.base.arrays import IntArray
from mteval.base.words import counted
from mteval.render.csv import frame_csv
from mteval.render.html import tag
from mteval.render.json import to_json
from mteval.report.multeval_files import rank_lines
from mteval.ui.parts.choices import choose
from mteval.ui.parts.tables import show
from mteval.ui.segments.compared_runs import SegmentData
from mteval.values.notation import level, rounded


def downloads(data: SegmentData, metric: str, segments: IntArray) -> None:
    """Two buttons; the files are written when asked for."""
    left, right, _ = st.columns([1.2, 1.4, 3])
    for half, label, name, mime, write in (
        (left, "Save as CSV", "segments.csv", "text/csv", lambda: segments_csv(data, segments)),
        (right, "Save as rank file", f"sortedby.{metric}", "text/plain", lambda: rank_file(data, metric, segments)),
    ):
        save_button(half, label, name, mime, write, is_disabled=len(segments) == 0)


def save_button(
    place: DeltaGenerator, label: str, name: str, mime: str, write: Callable[[], str], *, is_disabled: bool = False
) -> None:
    """A button that saves a file, which is written when asked for."""
    place.download_button(
        label,
        data=write,
        file_name=name,
        mime=mime,
        on_click="ignore",
        icon=":material/download:",
        key=f"download-{label}",
        width="stretch",
        disabled=is_disabled,
    )


def segments_csv(data: SegmentData, segments: IntArray) -> str:
    """The rows of the table in their order with all numbers, and the texts; segments count from 1."""
    table = data.table.iloc[segments]
    texts = {
        "source": data.test_set.source,
        "baseline_output": data.baseline.hypotheses,
        "system_output": data.system.hypotheses,
    }
    columns = {name: [column[segment] for segment in segments] for name, column in texts.items() if column is not None}
    most = max(map(len, data.test_set.references))
    for number in range(most):
        columns[f"reference{number + 1}"] = [
            references[number] if number < len(references) else ""
            for references in (data.test_set.references[segment] for segment in segments)
        ]
    table = table.assign(segment=table["segment"] + 1).reset_index(drop=True)
    return frame_csv(pd.concat([table, pd.DataFrame(columns)], axis=1))


def rank_file(data: SegmentData, metric: str, segments: IntArray) -> str:
    """The segments in the table's order as MultEval writes them; its names of metrics, segments count from 0."""
    shown = data.differences[data.differences["segment"].isin(segments)]
    order = pd.Series(range(len(segments)), index=segments)
    ranked = rank_table(shown, metric)
    ranked = ranked.iloc[ranked["segment"].map(order).argsort(kind="stable")]
    labels = {key: key for key in data.metrics}
    notations = {key: data.results.spec(key).notation for key in data.metrics}
    texts = data.baseline.hypotheses, data.system.hypotheses, data.test_set.references
    lines = rank_lines(ranked, labels, notations, *texts)
    return "".join(f"{line}\n" for line in lines)


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
