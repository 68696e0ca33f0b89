"""Clark et al.'s Table 1 as an HTML table: read by people, by screen readers and by whatever copies it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd

from mteval.counts import counted
from mteval.export.columns import COLUMNS, MARKS, MARKS_HELP, SCREEN, Column, cell, metric_heading
from mteval.export.markup import Markup, join, scrolling, tag
from mteval.export.prose.coverage import ByMetric, coverage_text


def overview_table(overview: pd.DataFrame, colors: Mapping[str, str], caption: str) -> Markup:
    """The table of an overview (see ``mteval.analysis.overview``): a block of rows for each metric."""
    columns = [column for column in COLUMNS.values() if not column.is_optional or overview[column.field].notna().any()]
    rows: Iterator[Any] = overview.itertuples()  # a row of a frame has no static types
    blocks = [_block(list(block), colors, columns) for _, block in groupby(rows, key=lambda row: row.metric)]
    table = tag("table", tag("caption", caption), _head(columns), *blocks, class_="mt-table mt-overview")
    return scrolling(table)


def overview_caption(coverage: ByMetric, test_set: str, n_systems: int, *, has_looks: bool = False) -> str:
    """What the numbers rest on, and what bold and the marks mean; marks are set where systems are compared."""
    caption = f"{coverage_text(coverage, test_set)} Best average in bold."
    if n_systems < 2:
        return caption
    return f"{caption} {MARKS_HELP}{' ‡ is after the planned looks as well.' if has_looks else ''}"


def column_terms() -> Markup:
    """What each column means, as a list of terms."""
    terms = [(column.name, column.help) for column in COLUMNS.values()] + [(MARKS, MARKS_HELP)]
    items = [join((tag("dt", name), tag("dd", text))) for name, text in terms]
    return tag("dl", *items, class_="mt-terms")


def _head(columns: Sequence[Column]) -> Markup:
    cells = [tag("th", name, scope="col", class_="mt-name") for name in ("Metric", "System", "Scores of the runs")]
    cells += [tag("th", column.screen, scope="col", title=column.help) for column in columns]
    return tag("thead", tag("tr", *cells))


def _block(rows: Sequence[Any], colors: Mapping[str, str], columns: Sequence[Column]) -> Markup:
    """The rows of one metric; their strips share a scale."""
    scores = np.array([score for row in rows for score in row.run_scores], dtype=float)
    low, high = (float(np.nanmin(scores)), float(np.nanmax(scores))) if np.isfinite(scores).any() else (0.0, 1.0)
    name = metric_heading(rows[0].notation, rows[0].metric_name)
    metric = tag("th", name, scope="rowgroup", rowspan=str(len(rows)))
    lines = [_line(row, colors[row.system], (low, high), columns) for row in rows]
    return tag("tbody", *(tag("tr", *([metric] if index == 0 else []), *line) for index, line in enumerate(lines)))


def _line(row: Any, color: str, scale: tuple[float, float], columns: Sequence[Column]) -> Iterator[Markup]:
    yield tag("td", row.system, class_="mt-name", title=row.system)
    yield tag("td", _strip(row, color, scale), class_="mt-name")
    for column in columns:
        written = cell(column, row, SCREEN)
        text = tag("span", written.text, class_="mt-best") if written.is_best else written.text
        yield tag("td", text, *([tag("span", written.mark, class_="mt-mark")] if written.mark else []))


def _strip(row: Any, color: str, scale: tuple[float, float]) -> Markup:
    """Dots for the runs and a bar for the average on a line from the lowest to the highest score of the metric."""
    low, high = scale
    finite = [score for score in row.run_scores if np.isfinite(score)]

    def at(score: float) -> str:
        share = (score - low) / (high - low) if high > low else 0.5
        return f"left:{4 + 92 * share:.1f}%;background:{color}"

    dots = [tag("i", style=at(score)) for score in finite]
    average = [tag("b", style=at(row.mean))] if np.isfinite(row.mean) else []
    words = f"{counted(len(finite), 'run')} from {row.notation.range(min(finite), max(finite))}" if finite else "none"
    return tag("span", *dots, *average, class_="mt-strip", role="img", aria_label=words, title=words)
