"""The experiments drawn so far, one block each, coloured by what would have been concluded."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from mteval.figures.style import FAINT, PALETTE, new_figure, plain
from mteval.notation import Notation

COLORS = {"better": PALETTE[0], "open": FAINT, "worse": PALETTE[1]}
N_BINS = 36


def luck_histogram(
    drawn: pd.DataFrame,
    extent: tuple[float, float],
    expected: float,
    quantity: str,
    notation: Notation,
) -> go.Figure:
    """A histogram that grows: the differences drawn so far, stacked by conclusion, the latest one marked.

    Parameters
    ----------
    drawn
        Columns ``difference, conclusion``, in the order drawn.
    extent
        Lowest and highest difference that can be drawn, so that the axis stays where it is.
    expected
        Difference of the averages of all runs, marked by a line.
    quantity, notation
        What the axis shows, and how it is written.
    """
    edges = _edges(min(extent[0], 0.0), max(extent[1], 0.0))
    counts = {key: _counts(drawn, key, edges) for key in COLORS}
    tallest = max(5.0, float(np.sum(list(counts.values()), axis=0).max()) * 1.15)
    figure = new_figure(height=340)
    for key, values in counts.items():
        figure.add_trace(_bars(key, values, edges, notation))
    figure.add_vline(x=0, line={"color": FAINT, "width": 1.5})
    figure.add_vline(x=expected, line={"color": FAINT, "width": 1.5, "dash": "dash"})
    figure.add_annotation(x=expected, y=1, yref="paper", yanchor="bottom", text="all runs", showarrow=False)
    if len(drawn):
        latest = float(drawn["difference"].iloc[-1])
        figure.add_trace(
            go.Scatter(
                x=[latest], y=[tallest * 0.04], mode="markers", hoverinfo="skip", showlegend=False,
                marker={"symbol": "triangle-down", "size": 14, "color": PALETTE[5], "line": {"width": 1}},
            )
        )  # fmt: skip
    room = 0.02 * (edges[-1] - edges[0])
    figure.update_xaxes(
        title_text=plain(notation.axis(quantity)),
        range=[edges[0] - room, edges[-1] + room],
        showgrid=False,
        ticklabelstandoff=8,
    )
    figure.update_yaxes(title_text="experiments", range=[0, tallest], dtick=_whole_step(tallest))
    figure.update_layout(
        barmode="stack", bargap=0.04, showlegend=True, margin={"t": 34},
        legend={"orientation": "h", "x": 0, "y": -0.28, "yanchor": "top", "font": {"size": 14}},
    )  # fmt: skip
    return figure


def _edges(low: float, high: float) -> npt.NDArray[np.float64]:
    """Equal bins over the range, zero being an edge, so that no bin has both signs; one where nothing can differ."""
    step = (high - low) / N_BINS or 1.0
    first, last = np.floor(low / step), np.ceil(high / step)
    return np.arange(first, max(last, first + 1) + 1) * step


def _counts(drawn: pd.DataFrame, conclusion: str, edges: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    values = drawn.loc[drawn["conclusion"] == conclusion, "difference"].to_numpy(dtype=float)
    return np.histogram(values, edges)[0]


def _bars(
    conclusion: str, counts: Sequence[Any] | npt.NDArray[np.int64], edges: npt.NDArray[np.float64], notation: Notation
) -> go.Bar:
    name = notation.conclusions[conclusion]
    middles = (edges[:-1] + edges[1:]) / 2
    return go.Bar(
        x=middles,
        y=counts,
        width=np.diff(edges) * 0.96,
        name=name,
        marker={"color": COLORS[conclusion]},
        customdata=[notation.difference(middle) for middle in middles],
        hovertemplate=f"{name}: %{{y}} near %{{customdata}}<extra></extra>",
    )


def _whole_step(tallest: float) -> int:
    step = max(1.0, tallest / 5)
    power = 10.0 ** np.floor(np.log10(step))
    return int(next(factor * power for factor in (1, 2, 5, 10) if factor * power >= step * (1 - 1e-9)))
