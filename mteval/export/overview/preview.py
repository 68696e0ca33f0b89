"""The table for the paper as it will look, in HTML: the same rows, columns and texts as in its source."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from mteval.export.columns import COLUMNS, FORMS, MARKED, Cell, Layout, cell
from mteval.export.markup import Markup, scrolling, tag
from mteval.export.overview.by_system import by_system
from mteval.notation import DASH


def latex_preview(overview: pd.DataFrame, columns: Sequence[str], layout: Layout = "booktabs") -> Markup:
    """A table of the rows of an overview; ``columns`` are keys as for ``latex_table``."""
    if layout == "systems":
        return _systems(overview)
    names = [tag("th", name, scope="col", class_="mt-name") for name in ("Metric", "System")]
    headings = [tag("th", COLUMNS[key].heading(layout).html, scope="col") for key in columns]
    blocks = [_block(list(rows.itertuples()), columns, layout) for _, rows in overview.groupby("metric", sort=False)]
    head = tag("thead", tag("tr", *names, *headings))
    return scrolling(tag("table", head, *blocks, class_="mt-table mt-paper"))


def _systems(overview: pd.DataFrame) -> Markup:
    """A row a system, a column a metric."""
    table = by_system(overview)
    heads = [tag("th", name, scope="col", class_="mt-name") for name in ("System", "Ranks")[: 1 + table.has_ranks]]
    heads += [tag("th", one.notation.heading(one.metric_name), scope="col") for one in table.metrics]
    bodies = []
    for rows in table.groups:
        words = [(row.system, row.ranks)[: 1 + table.has_ranks] for row in rows]
        lines = [
            tag("tr", *(tag("td", word, class_="mt-name") for word in said), *map(_average, row.cells))
            for said, row in zip(words, rows, strict=True)
        ]
        bodies.append(tag("tbody", *lines))
    written = tag("table", tag("thead", tag("tr", *heads)), *bodies, class_="mt-table mt-paper mt-crossed")
    return scrolling(written)


def _average(row: Any) -> Markup:
    """A cell; a dash where a metric has no score of the system."""
    return tag("td", DASH) if row is None else tag("td", *_shown(cell(COLUMNS[MARKED], row, FORMS["systems"])))


def _block(rows: Sequence[Any], columns: Sequence[str], layout: Layout) -> Markup:
    name = rows[0].notation.heading(rows[0].metric_name)
    metric = tag("th", name, scope="rowgroup", rowspan=str(len(rows)))
    lines = []
    for index, row in enumerate(rows):
        cells = [tag("td", *_shown(cell(COLUMNS[key], row, FORMS[layout]))) for key in columns]
        lines.append(tag("tr", *([metric] if index == 0 else []), tag("td", row.system, class_="mt-name"), *cells))
    return tag("tbody", *lines)


def _shown(written: Cell) -> list[str]:
    """The text, bold where it is the best, and the mark."""
    text = tag("b", written.text) if written.is_best else written.text
    return [text, *([tag("sup", written.mark)] if written.mark else [])]
