"""All pairs of systems as a matrix (Graham et al. 2014, Figure 8): is the row better than the column?"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from mteval.figures.style import legend, name_rows, named, new_figure, plain, short
from mteval.values.notation import Notation, fixed, p_value

Row = Mapping[Hashable, Any]  # of a frame
LEVELS = (0.05, 0.01, 0.001)
COLORS = ("rgba(128,128,128,0.10)", "#A9D3EC", "#4FA3D1", "#0B5E8A")  # not at any level, then at each
TEXT_COLORS = (None, "#123", "#012", "#FFF")  # the page's own where a cell lets it through
UNKNOWN = "rgba(217,130,0,0.28)"
CELL = 46
MANY = 8  # systems
MOST_WRITTEN = 16  # systems: with more the cells are too small for numbers


def both_p_values(row: Row) -> str:
    """What is said of a pair that has an answer, beside its difference."""
    return f"p {p_value(row['p_value'], 4)}, adjusted {p_value(row['p_adjusted'], 4)}"


def pair_matrix(
    pairs: pd.DataFrame, systems: Sequence[str], notation: Notation, said: Callable[[Row], str] = both_p_values
) -> go.Figure:
    """A cell a pair, coloured by the level that its adjusted p-value reaches; rows and columns from best to worst.

    Parameters
    ----------
    pairs
        Columns ``better, worse, improvement, p_value, p_adjusted, note``, one row a pair.
    systems
        From best to worst; drawn from top and from left.
    notation
        How the metric's differences are written.
    said
        What is said of a pair beside its difference.
    """
    ranks = {system: index for index, system in enumerate(systems)}
    are_many = len(systems) > MANY  # names that lean to the right would leave their numbers no room
    figure = new_figure(
        max(260, 130 + CELL * len(systems)),
        showlegend=True,
        legend=legend(-0.02),
        margin={"t": 110, "r": 10 if are_many else 90},
    ).add_trace(_cells(pairs, ranks, notation, said))
    if len(systems) <= MOST_WRITTEN:
        figure.update_layout(annotations=list(_numbers(pairs, ranks)))
    figure.add_traces(_legend(bool(pairs["p_adjusted"].isna().any())))
    name_rows(figure, [short(system) for system in systems], 0.5)
    rows = figure.layout.yaxis
    figure.update_xaxes(
        tickvals=rows.tickvals, ticktext=rows.ticktext, tickangle=-90 if are_many else -40, side="top",
        range=rows.range[::-1], showgrid=False, ticklabeloverflow="allow",
    )  # fmt: skip
    return figure


def level_reached(p_adjusted: float) -> int:
    """How many of ``LEVELS`` a p-value reaches, 0 to 3."""
    return sum(p_adjusted <= level for level in LEVELS)


def _cells(pairs: pd.DataFrame, ranks: dict[str, int], notation: Notation, said: Callable[[Row], str]) -> go.Heatmap:
    n = len(ranks)
    z, words = np.full((n, n), np.nan), np.full((n, n), "", dtype=object)
    for row in pairs.to_dict("records"):
        at = ranks[row["better"]], ranks[row["worse"]]
        unknown = np.isnan(row["p_adjusted"])
        z[at] = -1 if unknown else level_reached(row["p_adjusted"])
        answer = row["note"] if unknown else said(row)
        improvement = notation.difference(row["improvement"])
        words[at] = f"{plain(row['better'])} over {plain(row['worse'])}: {improvement}<br>{plain(answer)}"
    bands = (UNKNOWN, *COLORS)
    scale = [(edge / len(bands), color) for index, color in enumerate(bands) for edge in (index, index + 1)]
    return go.Heatmap(
        z=z, customdata=words, hovertemplate="%{customdata}<extra></extra>", hoverongaps=False, showscale=False,
        zmin=-1.5, zmax=3.5, colorscale=scale, xgap=2, ygap=2,
    )  # fmt: skip


def _numbers(pairs: pd.DataFrame, ranks: dict[str, int]) -> Iterator[dict[str, object]]:
    for row in pairs.to_dict("records"):
        p = row["p_adjusted"]
        color = TEXT_COLORS[0 if np.isnan(p) else level_reached(p)]
        text = "<.001" if p < 0.001 else fixed(p, 3).lstrip("0") if p < 0.9995 else fixed(p, 0)
        yield {
            "x": ranks[row["worse"]], "y": ranks[row["better"]], "text": plain(text), "showarrow": False,
            "font": {"size": 10 if len(ranks) > MANY else 12, "color": color},
        }  # fmt: skip


def _legend(has_unknown: bool) -> list[go.Scatter]:
    names = ("row not shown better", *(f"p ≤ {level:g}" for level in LEVELS), "no answer")
    entries = dict(zip(names, (*COLORS, UNKNOWN), strict=True))
    edge = {"size": 13, "symbol": "square", "line": {"width": 1, "color": "rgba(128,128,128,0.6)"}}
    return [named(name, {"color": color, **edge}) for name, color in entries.items() if has_unknown or color != UNKNOWN]
