"""Systems as rows and metrics as columns, in HTML: one number of Clark et al.'s Table 1 for all of them at once."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import pandas as pd

from mteval.export.columns import COLUMNS, SCREEN, Column, cell
from mteval.export.markup import Markup, tag
from mteval.export.prose.verdicts import PROVISIONAL
from mteval.notation import DASH, Notation


def ordered(overview: pd.DataFrame, metric: str) -> list[str]:
    """The systems from best to worst average by a metric, those without last; from high to low without direction."""
    rows = overview[overview["metric"] == metric]
    others = [system for system in dict.fromkeys(overview["system"]) if system not in set(rows["system"])]
    if rows.empty:
        return others
    is_rising = rows["notation"].iloc[0].direction == "↓"
    by_mean = rows.sort_values("mean", ascending=is_rising, kind="stable", na_position="last")
    return [*by_mean["system"], *others]


def cross_table(overview: pd.DataFrame, column: str, sorted_by: str, caption: str) -> Markup:
    """The table of an overview with one of its ``COLUMNS``; lines where groups of the ranking by that metric part.

    Parameters
    ----------
    sorted_by
        The metric by whose averages the systems stand from best to worst.
    """
    metrics = {str(row["metric"]): row for row in overview.to_dict("records")}
    cells = {(row.metric, row.system): row for row in overview.itertuples()}
    head = [tag("th", "System", scope="col", class_="mt-name")]
    head += [_heading(row["notation"], row["metric_name"], key == sorted_by) for key, row in metrics.items()]
    bodies: list[Markup] = []
    for systems in grouped(overview, sorted_by):
        lines = [_line(system, [cells.get((key, system)) for key in metrics], COLUMNS[column]) for system in systems]
        bodies.append(tag("tbody", *lines))
    parts = [tag("caption", caption), tag("thead", tag("tr", *head)), *bodies]
    return tag("div", tag("table", *parts, class_="mt-table mt-crossed"), class_="mt-scroll")


def grouped(overview: pd.DataFrame, metric: str) -> list[list[str]]:
    """The systems in order, parted where the groups of the ranking by the metric are; in one where it has none."""
    rows = overview[overview["metric"] == metric]
    groups = dict(zip(rows["system"], rows["group"].fillna(0), strict=True))
    return [list(systems) for _, systems in groupby(ordered(overview, metric), key=lambda one: groups.get(one, 0))]


def _heading(notation: Notation, name: str, is_sorted: bool) -> Markup:
    order = {"aria_sort": "ascending" if notation.direction == "↓" else "descending"} if is_sorted else {}
    return tag("th", notation.heading(name), scope="col", **order)


def _line(system: str, rows: Sequence[Any], column: Column) -> Markup:
    """A system with its cell of each metric; None where a metric has no score of it."""
    cells = [tag("td", DASH) if row is None else _cell(row, column) for row in rows]
    return tag("tr", tag("th", system, scope="row", title=system), *cells)


def _cell(row: Any, column: Column) -> Markup:
    written = cell(column, row, SCREEN)
    text = tag("span", written.text, class_="mt-best") if written.is_best else written.text
    mark = [tag("span", written.mark, class_="mt-mark")] if written.mark or column.key == "average" else []
    return tag("td", text, *mark, title=_in_words(row))


def _in_words(row: Any) -> str:
    """Everything that is known of a system by a metric, for whoever points at its cell."""
    notation = row.notation
    text = f"{row.system}: {notation.number(row.mean)} {row.metric_name}"
    if not row.conclusion:
        return text
    said = f"{row.conclusion}, {PROVISIONAL}" if row.is_provisional else row.conclusion
    return f"{text}; difference from the baseline {notation.difference(row.difference)}, {said}"
