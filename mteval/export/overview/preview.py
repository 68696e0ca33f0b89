"""The table for the paper as it will look, in HTML: the same rows, columns and texts as in its source."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from mteval.export.columns import COLUMNS, FORMS, Cell, Layout, cell
from mteval.export.markup import Markup, scrolling, tag


def latex_preview(overview: pd.DataFrame, columns: Sequence[str], layout: Layout = "booktabs") -> Markup:
    """A table of the rows of an overview; ``columns`` are keys as for ``latex_table``."""
    names = [tag("th", name, scope="col", class_="mt-name") for name in ("Metric", "System")]
    headings = [tag("th", COLUMNS[key].heading(layout).html, scope="col") for key in columns]
    blocks = [_block(list(rows.itertuples()), columns, layout) for _, rows in overview.groupby("metric", sort=False)]
    head = tag("thead", tag("tr", *names, *headings))
    return scrolling(tag("table", head, *blocks, class_="mt-table mt-paper"))


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
