"""Clark et al.'s Table 1 as an HTML table: read by people, by screen readers and by whatever copies it.

Systems as rows and metrics as columns, in HTML: one number of Clark et al.'s Table 1 for all of them at once.

All systems from best to worst as an HTML table: ranks, verdicts and intervals; lines between groups.

The verdicts by every metric as an HTML table: systems as rows, metrics as columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd

from mteval.answers.scores import (
    COLUMNS,
    MARKED,
    MARKS,
    MARKS_HELP,
    SCREEN,
    ByMetric,
    Column,
    cell,
    coverage_text,
    metric_heading,
)
from mteval.answers.verdict import PROVISIONAL, word
from mteval.base.words import counted
from mteval.render.html import Markup, join, scrolling, tag
from mteval.report.paper_table import SystemRow, by_system
from mteval.values.notation import DASH, Notation, p_value
from mteval.values.verdict import Conclusion, Ranked, Ranking, Verdict


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
    bodies = [tag("tbody", *(_cross_table_line(row, COLUMNS[column]) for row in rows)) for rows in table.groups]
    parts = [tag("caption", caption), tag("thead", tag("tr", *head)), *bodies]
    return scrolling(tag("table", *parts, class_="mt-table mt-crossed"))


def _heading(notation: Notation, name: str, is_sorted: bool) -> Markup:
    order = {"aria_sort": "ascending" if notation.direction == "↓" else "descending"} if is_sorted else {}
    return tag("th", metric_heading(notation, name), scope="col", **order)


def _cross_table_line(row: SystemRow, column: Column) -> Markup:
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


_HEAD = ("Ranks", "System", "Verdict", "Average", "Difference", "Interval, test-set luck", "Interval, both kinds")


def shape_of(verdict: Verdict) -> Markup:
    """The verdict's shape in its colour; words stand beside it."""
    conclusion = verdict.conclusion
    return tag("span", conclusion.shape, class_=f"mt-shape mt-role-{conclusion.role}", aria_hidden="true")


def ranking_table(ranking: Ranking, verdicts: Sequence[Verdict], notation: Notation, caption: str) -> Markup:
    """A row a system; what was not compared with the baseline has dashes."""
    by_system = {verdict.system: verdict for verdict in verdicts}
    baselines = {verdict.baseline for verdict in verdicts}
    head = [tag("th", name, scope="col", **_class(name)) for name in _HEAD]
    bodies = [
        tag("tbody", *(_ranking_line(row, by_system, notation, row.system in baselines) for row in rows))
        for _, rows in groupby(ranking.rows, key=lambda row: row.group)
    ]
    parts = [tag("caption", caption), tag("thead", tag("tr", *head)), *bodies]
    return scrolling(tag("table", *parts, class_="mt-table mt-ranking"))


def _ranking_line(row: Ranked, verdicts: Mapping[str, Verdict], notation: Notation, is_baseline: bool) -> Markup:
    verdict = verdicts.get(row.system)
    ranks = tag("td", row.ranks, class_="mt-name")
    name = tag("th", row.system, scope="row", title=row.system)
    average = tag("td", notation.number(row.mean))
    if verdict is None:
        said = tag("td", "baseline" if is_baseline else DASH, class_="mt-name")
        return tag("tr", ranks, name, said, average, *(tag("td", DASH) for _ in _HEAD[4:]))
    said = tag("td", shape_of(verdict), " ", word(verdict), class_="mt-name")
    intervals = ((verdict.low_test_set, verdict.high_test_set), (verdict.low, verdict.high))
    cells = [notation.difference(verdict.difference), *(notation.interval(*ends) for ends in intervals)]
    return tag("tr", ranks, name, said, average, *(tag("td", cell) for cell in cells))


def _class(name: str) -> dict[str, str]:
    return {"class_": "mt-name"} if name in _HEAD[:3] else {}


MARK_OF_TWO_RUNS = "*"


def verdicts_table(verdicts: Sequence[Verdict]) -> Markup:
    """The shape of the verdict with the difference, and both adjusted p-values below; from best to worst by the first.

    Parameters
    ----------
    verdicts
        Of one or more systems and metrics against one baseline, on one test set.
    """
    metrics = list(dict.fromkeys(one.metric for one in verdicts))
    best_first = sorted(verdicts, key=lambda one: (metrics.index(one.metric), -one.improvement))
    systems = list(dict.fromkeys(one.system for one in best_first))
    found = {(one.system, one.metric): one for one in verdicts}
    headings = {one.metric: metric_heading(one.notation, one.metric_name) for one in verdicts}
    head = [tag("th", "System", scope="col", class_="mt-name")]
    head += [tag("th", headings[metric], scope="col") for metric in metrics]
    rows = [
        tag(
            "tr",
            tag("th", system, scope="row", title=system),
            *(_verdicts_cell(found.get((system, one))) for one in metrics),
        )
        for system in systems
    ]
    caption = tag("caption", *_caption(verdicts))
    table = tag("table", caption, tag("thead", tag("tr", *head)), tag("tbody", *rows), class_="mt-table mt-crossed")
    return scrolling(table)


def _caption(verdicts: Sequence[Verdict]) -> list[str]:
    """What shapes and numbers are, with the shapes that are there."""
    seen = {one.conclusion: tag("span", shape_of(one), " ", one.conclusion.word, class_="mt-key") for one in verdicts}
    shapes = [seen[one] for one in Conclusion if one in seen]
    looked = ", the second after the planned looks" if any("looks" in one.corrections for one in verdicts) else ""
    words = (
        f"Against {verdicts[0].baseline}: difference of the averages, then p for test-set luck and p for test-set and"
        f" {verdicts[0].runs.luck} together, both after Holm{looked}. "
    )
    provisional = f" {MARK_OF_TWO_RUNS} {PROVISIONAL}" if any(one.is_provisional for one in verdicts) else ""
    return [words, tag("span", join(shapes, " "), provisional, class_="mt-keys")]


def _verdicts_cell(verdict: Verdict | None) -> Markup:
    if verdict is None:
        return tag("td", DASH)
    mark = MARK_OF_TWO_RUNS if verdict.is_provisional else ""
    difference = verdict.notation.difference(verdict.difference) + mark
    p_values = (verdict.p_test_set_adjusted, verdict.p_both_adjusted)
    below = tag("span", " · ".join(map(p_value, p_values)), class_="mt-below")
    words = f"{verdict.system} by {verdict.metric_name}: {word(verdict)}"
    return tag("td", shape_of(verdict), difference, below, title=words)
