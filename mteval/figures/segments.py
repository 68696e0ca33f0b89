"""Buckets of segments with their differences, and n-best lists: score by depth, rank of the best hypothesis."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from mteval.base.words import counted
from mteval.figures.colors import BETTER, PALETTE, SERIES, WORSE
from mteval.figures.style import name_rows, new_figure, plain, short, told
from mteval.values.notation import Notation, as_typed, percent

OTHER = PALETTE[0]  # a difference without a better direction
OPEN = "#8a939b"

HEIGHT = 320
MOST_BARS = 25


def group_intervals(frame: pd.DataFrame, title: str) -> go.Figure:
    """Draw the difference per group as a dot on its interval, coloured by its verdict.

    Parameters
    ----------
    frame
        Columns ``name, group, difference, low, high, role, text``, from top to bottom; NaN is not drawn. ``group`` is
        what a click means, ``text`` what is written beside the dot.
    title
        Of the axis.
    """
    figure = new_figure(height=max(150, 80 + 30 * len(frame)))
    color_of_role = {"good": BETTER, "bad": WORSE, "apart": OTHER}
    symbol_of_role = {"good": "triangle-up", "bad": "triangle-down"}
    for row, group in enumerate(frame.to_dict("records")):
        role = str(group["role"])
        color = color_of_role.get(role, OPEN)
        symbol = symbol_of_role.get(role, "circle")
        # Three points of one line; only the middle one has a dot
        figure.add_scatter(
            x=[group["low"], group["difference"], group["high"]],
            y=[row, row, row],
            mode="lines+markers",
            hovertemplate=f"{plain(str(group['text']))}<extra></extra>",
            line={"color": color, "width": 3},
            marker={"color": color, "size": [0, 11, 0], "symbol": symbol},
            customdata=[str(group["group"])] * 3,
        )
    figure.add_vline(x=0, line={"width": 1, "color": OPEN, "dash": "dot"})
    figure.update_xaxes(title_text=plain(title))
    name_rows(figure, [short(str(name)) for name in frame["name"]])
    return figure


def score_histogram(bins: pd.DataFrame, title: str) -> go.Figure:
    """Draw how many segments have which score.

    Parameters
    ----------
    bins
        Columns ``low, high, count``; a click on a bar means its bounds.
    title
        Of the axis.
    """
    figure = new_figure(HEIGHT)
    ends = [(as_typed(low), as_typed(high)) for low, high in zip(bins["low"], bins["high"], strict=True)]
    words = []
    for (low, high), count in zip(ends, bins["count"], strict=True):
        words.append(f"{low} to {high}: {counted(int(count), 'segment')}")
    figure.add_bar(
        x=(bins["low"] + bins["high"]) / 2,
        y=bins["count"],
        width=bins["high"] - bins["low"],
        marker={"color": PALETTE[0], "line": {"width": 1}},
        **told(words, zip(bins["low"].tolist(), bins["high"].tolist(), strict=True)),
    )
    figure.update_xaxes(title_text=plain(title), showgrid=False)
    figure.update_yaxes(title_text="Segments", rangemode="tozero")
    return figure


def depth_curve(depths: pd.DataFrame, metric_name: str, notation: Notation) -> go.Figure:
    """Draw the corpus score of the best hypothesis among the first k of each list, against k.

    Parameters
    ----------
    depths
        Columns ``depth, score``, for one metric; depth 1 is the decoder's choice.
    metric_name, notation
        Axis title and number format.
    """
    figure = new_figure(HEIGHT)
    figure.add_scatter(
        x=depths["depth"],
        y=depths["score"],
        mode="lines+markers",
        marker={"size": 8},
        line={"color": PALETTE[0], "width": 2},
        customdata=[notation.number(score) for score in depths["score"]],
        hovertemplate="best of first %{x}: %{customdata}<extra></extra>",
    )
    ticks = depths["depth"].tolist()
    figure.update_xaxes(title_text="Hypotheses per list", type="log", tickvals=ticks, ticktext=[str(k) for k in ticks])
    figure.update_yaxes(title_text=plain(notation.axis(metric_name)))
    return figure


def place_histogram(places: pd.Series) -> go.Figure:
    """Draw how many lists have their best hypothesis at each rank; rank 1 has its own colour.

    Parameters
    ----------
    places
        Rank of the best hypothesis of each list; 1 is the decoder's choice.
    """
    last = int(places.max())
    firsts = place_bins(last)
    lasts = [*(first - 1 for first in firsts[1:]), last]
    counts = np.histogram(places, [*firsts, np.inf])[0]
    names = []
    for first_rank, last_rank in zip(firsts, lasts, strict=True):
        name = f"{first_rank}–{last_rank}"
        if first_rank == last_rank:
            name = str(first_rank)
        names.append(name)
    words = []
    for count in counts.tolist():
        words.append(f"{counted(count, 'list')}, {plain(percent(count / len(places), 0))}")
    colors = [SERIES[2]] + [SERIES[0]] * (len(names) - 1)
    figure = new_figure(HEIGHT)
    figure.add_bar(
        x=names,
        y=counts,
        marker={"color": colors},
        customdata=words,
        hovertemplate="rank %{x}: %{customdata}<extra></extra>",
    )
    figure.update_xaxes(title_text="Rank of the best hypothesis", type="category")
    figure.update_yaxes(title_text="Lists")
    return figure


def place_bins(longest: int) -> list[int]:
    """Return the first rank of each bar: one rank per bar if there are few, else growing ranges."""
    if longest <= MOST_BARS:
        return list(range(1, longest + 1))
    edges = np.unique(np.geomspace(2, longest + 1, MOST_BARS - 1).astype(int))
    return [1, *(int(edge) for edge in edges[:-1])]
