"""What is filtered, as files: a table with texts, and MultEval's rank file."""

from collections.abc import Callable

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mteval.analysis.segments.ranking import rank_table
from mteval.export.multeval.segments import rank_lines
from mteval.export.tables import frame_csv
from mteval.metrics.base import IntArray
from mteval.ui.segments.compared_runs import SegmentData


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
