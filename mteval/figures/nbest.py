"""N-best lists: what their length is worth, and where in them the best hypothesis stands."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from mteval.counts import counted
from mteval.figures.style import PALETTE, new_figure, plain
from mteval.notation import Notation, percent

HEIGHT = 320
MOST_BARS = 25


def depth_curve(depths: pd.DataFrame, metric_name: str, notation: Notation) -> go.Figure:
    """Corpus score of the best hypothesis among the first k of each list, over k.

    Parameters
    ----------
    depths
        Columns ``depth, score``, for one metric; the depth 1 is the decoder's own choice.
    metric_name, notation
        What the scores are by, and how they are written.
    """
    figure = new_figure(HEIGHT)
    figure.add_trace(
        go.Scatter(
            x=depths["depth"],
            y=depths["score"],
            mode="lines+markers",
            line={"color": PALETTE[0], "width": 2},
            marker={"size": 8},
            customdata=[notation.number(score) for score in depths["score"]],
            hovertemplate="best of the first %{x}: %{customdata}<extra></extra>",
        )
    )
    ticks = depths["depth"].tolist()
    figure.update_xaxes(
        title_text="hypotheses of each list", type="log", tickvals=ticks, ticktext=[str(k) for k in ticks]
    )
    figure.update_yaxes(title_text=plain(notation.axis(metric_name)))
    return figure


def place_histogram(places: pd.Series) -> go.Figure:
    """In how many lists the best hypothesis stands at which place; the decoder's choice is apart from the others.

    Parameters
    ----------
    places
        Place of the best hypothesis of each list, 1 for the decoder's choice.
    """
    starts = place_bins(int(places.max()))
    bins = np.searchsorted(starts, places.to_numpy(), side="right") - 1
    counts = np.bincount(bins, minlength=len(starts))
    ends = [*(start - 1 for start in starts[1:]), int(places.max())]
    names = [str(low) if low == high else f"{low}–{high}" for low, high in zip(starts, ends, strict=True)]
    figure = new_figure(HEIGHT)
    figure.add_trace(
        go.Bar(
            x=names,
            y=counts,
            marker={"color": [PALETTE[1], *[PALETTE[0]] * (len(names) - 1)]},
            customdata=[
                f"{counted(count, 'list')}, {plain(percent(count / len(places), 0))}" for count in counts.tolist()
            ],
            hovertemplate="place %{x}: %{customdata}<extra></extra>",
        )
    )
    figure.update_xaxes(title_text="place of the best hypothesis in the list", type="category")
    figure.update_yaxes(title_text="lists")
    return figure


def place_bins(longest: int) -> list[int]:
    """First place of each bar: one place a bar where there are few, else growing ranges after the first."""
    if longest <= MOST_BARS:
        return list(range(1, longest + 1))
    edges = np.unique(np.geomspace(2, longest + 1, MOST_BARS - 1).astype(int))
    return [1, *(int(edge) for edge in edges[:-1])]
