"""Systems as rows and metrics as columns, in HTML: one number of Clark et al.'s Table 1 for all of them at once."""

from __future__ import annotations

from typing import Any

import pandas as pd

from mteval.export.columns import COLUMNS, MARKED, SCREEN, Column, cell, metric_heading
from mteval.export.markup import Markup, scrolling, tag
from mteval.export.overview.by_system import SystemRow, by_system
from mteval.export.prose.verdicts import PROVISIONAL
from mteval.notation import DASH, Notation


def cross_table(overview: pd.DataFrame, column: str, sorted_by: str, caption: str) -> Markup:
    """The table of an overview with one of its ``COLUMNS``; lines where groups of the ranking by that metric part.

    Parameters
    ----------
    sorted_by
        The metric by whose averages the systems stand from best to worst.
    """
    table = by_system(overview, sorted_by)
    head = [tag("th", "System", scope="col", class_="mt-name")]
    head += [_heading(one.notation, one.metric_name, one.metric == sorted_by) for one in table.metrics]
    bodies = [tag("tbody", *(_line(row, COLUMNS[column]) for row in rows)) for rows in table.groups]
    parts = [tag("caption", caption), tag("thead", tag("tr", *head)), *bodies]
    return scrolling(tag("table", *parts, class_="mt-table mt-crossed"))


def _heading(notation: Notation, name: str, is_sorted: bool) -> Markup:
    order = {"aria_sort": "ascending" if notation.direction == "↓" else "descending"} if is_sorted else {}
    return tag("th", metric_heading(notation, name), scope="col", **order)


def _line(row: SystemRow, column: Column) -> Markup:
    """A system with its cell of each metric."""
    cells = [tag("td", DASH) if one is None else _cell(one, column) for one in row.cells]
    return tag("tr", tag("th", row.system, scope="row", title=row.system), *cells)


def _cell(row: Any, column: Column) -> Markup:
    written = cell(column, row, SCREEN)
    text = tag("span", written.text, class_="mt-best") if written.is_best else written.text
    mark = [tag("span", written.mark, class_="mt-mark")] if written.mark or column.key == MARKED else []
    return tag("td", text, *mark, title=_in_words(row))


def _in_words(row: Any) -> str:
    """Everything that is known of a system by a metric, for whoever points at its cell."""
    notation = row.notation
    text = f"{row.system}: {notation.number(row.mean)} {row.metric_name}"
    if not row.conclusion:
        return text
    said = f"{row.conclusion}, {PROVISIONAL}" if row.is_provisional else row.conclusion
    return f"{text}; difference from the baseline {notation.difference(row.difference)}, {said}"
