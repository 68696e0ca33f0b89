"""Provided scores and judgements as CSV tables, one row per segment, run by run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence

import pandas as pd

from mteval.render.frames import frame_csv
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.judgements import spans_in_json

COLUMNS = ("system", "run", "score")
ScoredOn = tuple[str, str]  # key of the metric, name of the test set


def given_tables(metrics: Iterable[GivenMetric]) -> dict[ScoredOn, str]:
    """Return one table per metric and test set: one row per segment, run by run."""
    tables = {}
    for metric, test_set in _metrics_on_test_sets(metrics):
        tables[metric.key, test_set] = frame_csv(_frame(metric, test_set))
    return tables


def score_table(metrics: Iterable[GivenMetric]) -> str:
    """Return the scores of all metrics in one table, which names the metric of each row.

    It names test sets if there are several. One test set can have different names where the scores are made and where
    they are read, e.g. if the files were named in different ways.
    """
    metrics_on_test_sets = _metrics_on_test_sets(metrics)
    has_test_sets = len({test_set for _, test_set in metrics_on_test_sets}) > 1
    frames: list[pd.DataFrame] = []
    for metric, test_set in metrics_on_test_sets:
        frame = _frame(metric, test_set)
        frame.insert(0, "metric", metric.name)
        if has_test_sets:
            frame.insert(0, "test_set", test_set)
        frames.append(frame)
    table = pd.concat(frames, ignore_index=True)
    return frame_csv(table.fillna(""))  # a column of spans that only one metric has


def _metrics_on_test_sets(metrics: Iterable[GivenMetric]) -> list[tuple[GivenMetric, str]]:
    """Return each metric with each test set on which it has scores."""
    pairs: dict[tuple[GivenMetric, str], None] = {}  # an ordered set
    for metric in metrics:
        for scores in metric.scores:
            pairs[metric, scores.test_set] = None
    return list(pairs)


def _frame(metric: GivenMetric, test_set: str) -> pd.DataFrame:
    """Return scores with all their digits (empty if there is none), judgements, deviations and spans."""
    runs = [scores for scores in metric.scores if scores.test_set == test_set]
    optional_columns = []
    for name, cells_of in _OPTIONAL_COLUMNS.items():
        if any(cells_of(scores) for scores in runs):
            optional_columns.append(name)

    rows = []
    for scores in runs:
        columns: list[Sequence[str]] = [_numbers(scores.values)]
        for name in optional_columns:
            cells = _OPTIONAL_COLUMNS[name](scores)
            if not cells:  # only other runs have this column
                cells = ("",) * len(scores.values)
            columns.append(cells)
        for row in zip(*columns, strict=True):
            rows.append((scores.system, scores.run, *row))
    return pd.DataFrame(rows, columns=[*COLUMNS, *optional_columns], dtype=object)


def _numbers(values: Iterable[float | None]) -> list[str]:
    """Return numbers with all their digits; empty cells for None."""
    cells = []
    for value in values:
        cells.append("" if value is None else repr(value))
    return cells


def _judgements(scores: GivenScores) -> Sequence[str]:
    """Return the number of judgements behind each score."""
    if scores.judgements is None:
        return ()
    return [str(number) for number in scores.judgements]


def _deviations(scores: GivenScores) -> Sequence[str]:
    """Return the standard deviation of each score over its judgements."""
    if scores.deviations is None:
        return ()
    return _numbers(scores.deviations)


def _spans(scores: GivenScores) -> Sequence[str]:
    """Return the marked errors of each output as JSON."""
    if scores.spans is None:
        return ()
    cells = []
    for spans in scores.spans:
        cells.append("" if spans is None else json.dumps(spans_in_json(spans)))
    return cells


# Cells of a run by column; no cells if the run has no such values
_OPTIONAL_COLUMNS: Mapping[str, Callable[[GivenScores], Sequence[str]]] = {
    "judgements": _judgements,
    "deviation": _deviations,
    "spans": _spans,
}
