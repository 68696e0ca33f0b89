"""Null distributions of procedures, and the matrix of all pairs of systems (Graham et al. 2014, Figures 5, 6 and 8)."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from mteval.base.arrays import FloatArray
from mteval.figures.colors import SERIES
from mteval.figures.style import in_lines, legend, name_rows, named, new_figure, padded_range, plain, short, told
from mteval.values.notation import Notation, fixed, p_value

TALLEST = 0.55  # of a row, for the outline of a distribution; its name is above it
MARKED = 0.6  # of a row, up to the mark
ABOVE_ROWS: Mapping[str, Any] = {
    "xref": "paper",
    "xanchor": "left",
    "yanchor": "bottom",
    "showarrow": False,
    "align": "left",
    "font": {"size": 12},
}
LONGEST_LINE = 52  # characters of a name, on a phone
REACH = 4.2  # standard errors of a drawn t distribution
NULL_COLOR = SERIES[0]
DRAWS_COLOR = SERIES[1]
OBSERVED_COLOR = SERIES[5]

# Of the matrix of pairs
Row = Mapping[Hashable, Any]  # of a frame
LEVELS = (0.05, 0.01, 0.001)
COLORS = ("rgba(128,128,128,0.10)", "#A9D3EC", "#4FA3D1", "#0B5E8A")  # not at any level, then at each
TEXT_COLORS = (None, "#123", "#012", "#FFF")  # the page's own where a cell lets it through
UNKNOWN = "rgba(217,130,0,0.28)"
MANY = 8  # systems
MOST_WITH_NUMBERS = 16  # systems; with more, the cells are too small for numbers

CLICKED = 40  # pixels of a cell of the matrix that a click can hit


def null_distributions(tests: pd.DataFrame, metric_name: str, notation: Notation) -> go.Figure:
    """Draw one row per procedure: its null distribution with the observed difference marked.

    A procedure without a null distribution shows its bootstrap replicates with zero marked.

    Parameters
    ----------
    tests
        Columns ``name, statistic, null, draws, standard_error, df, is_absolute``, from top to bottom;
        ``null`` and ``draws`` are arrays or None. Each row needs one of them, or a standard error. ``is_absolute``
        marks a null distribution of absolute differences.
    metric_name, notation
        Metric of the differences, and their number format.
    """
    figure = new_figure(70 + 94 * len(tests), showlegend=True, legend=legend(1.0), margin={"t": 40})
    rows = tests.to_dict("records")
    bases = range(len(rows) - 1, -1, -1)  # the first procedure on top: the axis counts from the bottom
    drawn = [0.0]  # all values, for the extent of the axis
    for base, row in zip(bases, rows, strict=True):
        x, height, is_null = _shape(row)
        statistic = float(row["statistic"])
        marked = statistic if is_null else 0.0
        figure.add_trace(_area(base, row["name"], x, height, is_null))
        figure.add_trace(_mark(base, marked, is_null, notation))
        drawn += [statistic, float(x.min()), float(x.max())]
    figure.add_vline(x=0, line={"width": 1, "dash": "dot", "color": "rgba(128,128,128,0.7)"}, layer="below")
    # The legend, whose symbols are not those of the traces
    figure.add_trace(named("null distribution", {"color": NULL_COLOR, "size": 11, "symbol": "square"}))
    figure.add_trace(named("observed difference", {"color": OBSERVED_COLOR, "size": 11, "symbol": "diamond"}))
    figure.add_trace(named("replicates (zero marked)", {"color": DRAWS_COLOR, "size": 11, "symbol": "square"}))
    extent = padded_range(min(drawn), max(drawn), 0.04)
    figure.update_xaxes(title_text=plain(notation.axis(f"Difference in {metric_name}")), range=extent)
    figure.update_yaxes(showticklabels=False, range=[-0.12, len(rows) + 0.02], showgrid=False)
    # Names above their rows, since beside them they would take half of a phone's width
    names = []
    for base, row in zip(bases, rows, strict=True):
        name = {"text": in_lines(row["name"], LONGEST_LINE), "x": 0, "y": base + MARKED, **ABOVE_ROWS}
        names.append(go.layout.Annotation(name))
    figure.update_layout(annotations=names)
    return figure


def _shape(row: Mapping[Any, Any]) -> tuple[FloatArray, FloatArray, bool]:
    """Return x and heights (up to 1) of the outline, and whether it is a null distribution."""
    if row["null"] is not None:
        null = row["null"]
        if row["is_absolute"] and row["statistic"] < 0:
            # Absolute differences are drawn on the side of the observed one, so that all rows share an axis
            null = -null
        x, height = _histogram(null)
        return x, height, True
    if row["draws"] is not None:
        x, height = _histogram(row["draws"])
        return x, height, False
    x = np.linspace(-REACH, REACH, 161)
    density = (1 + x**2 / row["df"]) ** (-(row["df"] + 1) / 2)  # Student's t up to a factor
    return x * row["standard_error"], density, True


def _histogram(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the outline of a histogram as steps; draws without a score (NaN) are left out."""
    values = values[~np.isnan(values)]
    if len(values) == 0:
        return np.zeros(2), np.zeros(2)
    low = float(np.min(values))
    high = float(np.max(values))
    if high - low < 1e-9:
        low -= 0.01
        high += 0.01
    counts, edges = np.histogram(values, bins=90, range=(low, high))
    return np.repeat(edges, 2)[1:-1], np.repeat(counts / counts.max(), 2)


def _area(base: int, name: str, x: FloatArray, height: FloatArray, is_null: bool) -> go.Scatter:
    """Return a filled outline that starts and ends on the row's baseline."""
    color = NULL_COLOR if is_null else DRAWS_COLOR
    closed_x = np.concatenate([x[:1], x, x[-1:]])
    closed_y = np.concatenate([[0.0], TALLEST * height, [0.0]]) + base
    # Of ``#RRGGBB``
    red, green, blue = (int(color[start : start + 2], 16) for start in (1, 3, 5))
    return go.Scatter(
        x=closed_x,
        y=closed_y,
        mode="lines",
        fill="toself",
        line={"color": color, "width": 1},
        showlegend=False,
        fillcolor=f"rgba({red},{green},{blue},0.28)",
        hoverinfo="skip",
        name=plain(name),
    )


def _mark(base: int, x: float, is_null: bool, notation: Notation) -> go.Scatter:
    """Return a line across the row with a diamond to hover over."""
    if is_null:
        text = f"observed difference: {notation.difference(x)}"
        line = {"color": OBSERVED_COLOR, "width": 2.5, "dash": "solid"}
    else:
        text = "zero"
        line = {"color": DRAWS_COLOR, "width": 2.5, "dash": "dot"}
    return go.Scatter(
        x=[x, x],
        y=[base, MARKED + base],
        mode="lines+markers",
        line=line,
        marker={"symbol": "diamond", "size": [0, 9]},
        hovertemplate=f"{text}<extra></extra>",
        showlegend=False,
    )


def both_p_values(row: Row) -> str:
    """Return both p-values of a pair as text."""
    return f"p {p_value(row['p_value'])}, p (adjusted) {p_value(row['p_adjusted'])}"


def pair_matrix(
    pairs: pd.DataFrame,
    systems: Sequence[str],
    notation: Notation,
    hover_text: Callable[[Row], str] = both_p_values,
) -> go.Figure:
    """Draw one cell per pair, coloured by the level of its adjusted p-value; rows and columns from best to worst.

    Parameters
    ----------
    pairs
        Columns ``better, worse, improvement, p_value, p_adjusted, note``, one row per pair.
    systems
        From best to worst.
    notation
        Number format of the differences.
    hover_text
        Of a pair, after its difference.
    """
    ranks = {system: index for index, system in enumerate(systems)}
    if len(systems) > MANY:  # names that lean to the right would leave their numbers no room
        right_margin = 10
        angle = -90
        size = 11
    else:
        right_margin = 90
        angle = -40
        size = 13
    height = max(260, 130 + 46 * len(systems))
    figure = new_figure(height, showlegend=True, legend=legend(-0.02), margin={"t": 110, "r": right_margin})
    figure.add_trace(_cells(pairs, ranks, notation, hover_text))
    figure.add_trace(_places_to_click(pairs, ranks, notation, hover_text))
    if len(systems) <= MOST_WITH_NUMBERS:
        figure.update_layout(annotations=list(_numbers(pairs, ranks)))
    figure.add_traces(_legend(bool(pairs["p_adjusted"].isna().any())))
    name_rows(figure, [short(system) for system in systems], 0.5)
    rows = figure.layout.yaxis
    figure.update_xaxes(
        tickvals=rows.tickvals,
        ticktext=rows.ticktext,
        tickangle=angle,
        side="top",
        range=rows.range[::-1],
        showgrid=False,
        ticklabeloverflow="allow",
        tickfont={"size": size},
    )
    return figure


def level_reached(p_adjusted: float) -> int:
    """Return how many of ``LEVELS`` a p-value reaches, 0 to 3; 0 for NaN."""
    return sum(p_adjusted <= level for level in LEVELS)


def _cells(
    pairs: pd.DataFrame, ranks: dict[str, int], notation: Notation, hover_text: Callable[[Row], str]
) -> go.Heatmap:
    """Return the coloured cells: -1 without a p-value, otherwise the level reached."""
    n = len(ranks)
    # Shape ``(better, worse)``: levels as numbers, and hover texts
    levels_reached = np.full((n, n), np.nan)
    words = np.full((n, n), "", dtype=object)
    for row in pairs.to_dict("records"):
        cell = (ranks[row["better"]], ranks[row["worse"]])
        levels_reached[cell] = -1 if np.isnan(row["p_adjusted"]) else level_reached(row["p_adjusted"])
        words[cell] = _in_words(row, notation, hover_text)
    # A colour scale of steps: each colour from its lower to its upper edge
    colors = (UNKNOWN, *COLORS)
    scale = []
    for index, color in enumerate(colors):
        scale.append((index / len(colors), color))
        scale.append(((index + 1) / len(colors), color))
    return go.Heatmap(
        z=levels_reached,
        customdata=words,
        hovertemplate="%{customdata}<extra></extra>",
        hoverongaps=False,
        showscale=False,
        # Five unit bands around -1 … 3
        zmin=-1.5,
        zmax=3.5,
        colorscale=scale,
        xgap=2,
        ygap=2,
    )


def _in_words(pair: Row, notation: Notation, hover_text: Callable[[Row], str]) -> str:
    """Return the hover text of a pair; the reason if it has no p-value."""
    answer = pair["note"] if np.isnan(pair["p_adjusted"]) else hover_text(pair)
    improvement = notation.difference(pair["improvement"])
    return f"{plain(pair['better'])} vs {plain(pair['worse'])}: {improvement}<br>{plain(answer)}"


def _places_to_click(
    pairs: pd.DataFrame, ranks: dict[str, int], notation: Notation, hover_text: Callable[[Row], str]
) -> dict[str, Any]:
    """Return an invisible mark per cell, since Plotly selects no cells of a heatmap; clicks are about two systems."""
    rows = pairs.to_dict("records")
    words = [_in_words(row, notation, hover_text) for row in rows]
    invisible = {"marker": {"opacity": 0}}
    return {
        "type": "scatter",
        "x": [ranks[row["worse"]] for row in rows],
        "y": [ranks[row["better"]] for row in rows],
        "mode": "markers",
        "marker": {"symbol": "square", "size": CLICKED, "opacity": 0},
        "selected": invisible,
        "unselected": invisible,
        "showlegend": False,
        **told(words, [(row["better"], row["worse"]) for row in rows]),
    }


def _numbers(pairs: pd.DataFrame, ranks: dict[str, int]) -> Iterator[dict[str, object]]:
    """Yield the p-value of each cell as an annotation."""
    size = 10 if len(ranks) > MANY else 12
    for row in pairs.to_dict("records"):
        p = row["p_adjusted"]
        text = fixed(p, 3).removeprefix("0")
        if p < 0.001:
            text = "<.001"
        yield {
            "x": ranks[row["worse"]],
            "y": ranks[row["better"]],
            "text": plain(text),
            "showarrow": False,
            "font": {"size": size, "color": TEXT_COLORS[level_reached(p)]},
        }


def _legend(has_unknown: bool) -> list[go.Scatter]:
    """Return one entry per colour."""
    names = [f"p > {LEVELS[0]:g}", *(f"p ≤ {level:g}" for level in LEVELS)]
    colors = list(COLORS)
    if has_unknown:
        names.append("no p-value")
        colors.append(UNKNOWN)
    entries = []
    for name, color in zip(names, colors, strict=True):
        line = {"width": 1, "color": "rgba(128,128,128,0.6)"}
        entries.append(named(name, {"color": color, "size": 13, "symbol": "square", "line": line}))
    return entries
