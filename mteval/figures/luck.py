"""Simulated experiments: differences by conclusion, and p-values by procedure (Clark et al. 2011, Table 2)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from mteval.base.words import all_counted, counted
from mteval.figures.colors import FAINT, PALETTE, ROLE_COLORS, SERIES
from mteval.figures.style import in_lines, legend, new_figure, plain
from mteval.values.notation import Notation, as_typed, p_value, rounded_up
from mteval.values.run_words import RUN, RunWord
from mteval.values.verdict import conclusions_by_key

LONGEST_NAME = 24
SMALLEST = 1e-4  # smaller p-values are drawn at this end of the axis
N_BINS = 36  # or one more: zero is an edge


def luck_histogram(
    drawn: pd.DataFrame,
    extent: tuple[float, float],
    expected: float,
    quantity: str,
    notation: Notation,
    word: RunWord = RUN,
) -> go.Figure:
    """Draw a histogram of the differences drawn so far, stacked by conclusion, with the latest one marked.

    Parameters
    ----------
    drawn
        Columns ``difference, conclusion``, in the order drawn.
    extent
        Lowest and highest possible difference, which keeps the axis fixed.
    expected
        Difference of the means of all runs, marked by a line.
    quantity, notation
        Axis title and number format.
    word
        Word for a run.
    """
    edges = _edges(min(extent[0], 0.0), max(extent[1], 0.0))
    conclusions = conclusions_by_key(notation)
    counts = {}
    for key in conclusions:
        differences = drawn.loc[drawn["conclusion"] == key, "difference"]
        counts[key] = np.histogram(differences, edges)[0]
    highest_bar = float(np.sum(list(counts.values()), axis=0).max())
    top = max(5.0, highest_bar * 1.15)  # of the axis

    figure = new_figure(340, barmode="stack", bargap=0.04, showlegend=True, margin={"t": 34})
    figure.update_layout(legend={**legend(-0.28, 14), "traceorder": "normal"})
    middles = (edges[:-1] + edges[1:]) / 2
    for key, values in counts.items():
        conclusion = conclusions[key]
        marker: dict[str, Any] = {"color": ROLE_COLORS[conclusion.role]}
        if key == "worse":  # hatched, for readers who cannot tell the colours apart
            marker["pattern"] = {"shape": "/", "fillmode": "overlay", "solidity": 0.2, "size": 6}
        figure.add_bar(
            x=middles,
            y=values,
            width=np.diff(edges) * 0.96,
            name=f"{conclusion.shape} {conclusion.word}",
            marker=marker,
            customdata=[[notation.difference(middle), middle] for middle in middles.tolist()],
            hovertemplate=f"{conclusion.word}: %{{y}} near %{{customdata[0]}}<extra></extra>",
        )
    figure.add_vline(x=0, line={"color": FAINT, "width": 1.5})
    figure.add_vline(x=expected, line={"color": FAINT, "width": 1.5, "dash": "dash"})
    figure.add_annotation(x=expected, y=1, yref="paper", yanchor="bottom", text=f"all {word.nouns}", showarrow=False)
    if len(drawn):
        figure.add_scatter(
            x=drawn["difference"].iloc[-1:].tolist(),
            y=[top * 0.04],
            mode="markers",
            hoverinfo="skip",
            showlegend=False,
            marker={"symbol": "triangle-down", "size": 14, "color": PALETTE[5], "line": {"width": 1}},
        )
    room = 0.02 * (edges[-1] - edges[0])
    axis = [edges[0] - room, edges[-1] + room]
    figure.update_xaxes(title_text=plain(notation.axis(quantity)), range=axis, showgrid=False, ticklabelstandoff=8)
    figure.update_yaxes(title_text="Experiments", range=[0, top], dtick=int(rounded_up(max(1.0, top / 5))))
    return figure


def _edges(low: float, high: float) -> npt.NDArray[np.float64]:
    """Return edges of equal bins with zero as an edge, so that no bin mixes signs."""
    step = 1.0
    if high > low:
        step = (high - low) / N_BINS
    first = np.floor(low / step)
    last = max(np.ceil(high / step), first + 1)
    return np.arange(first, last + 1) * step


def p_value_ranges(published: pd.DataFrame, names: Mapping[str, str], level: float, word: RunWord = RUN) -> go.Figure:
    """Draw the middle 95% of p as a bar and its median as a dot: one block per case, one row per procedure, log axis.

    Parameters
    ----------
    published
        Columns ``n, baseline_run, system_run, procedure, p_low, p_median, p_high, n_draws``; rows with NaN
        are skipped.
    names
        Maps a procedure to its name on the axis.
    level
        Significance level, drawn as a vertical line.
    word
        Word for a run.
    """
    colors = {key: SERIES[index % len(SERIES)] for index, key in enumerate(names)}
    figure = new_figure(height=60)
    ticks: list[tuple[float, str]] = []
    y = 0.0
    at_left: Mapping[str, Any] = {"x": 0, "xref": "paper", "xanchor": "left", "yanchor": "middle", "showarrow": False}
    for title, rows in _cases(published, word):
        figure.add_annotation(y=y, text=f"<b>{title}</b>", **at_left)
        first = y
        y += 1
        for row in rows:
            name = names[row["procedure"]]
            figure.add_trace(_bar(row, y, colors[row["procedure"]], f"{title}, {name}"))
            ticks.append((y, in_lines(name, LONGEST_NAME)))
            y += 1
        # Beside the rows only, so that it crosses no title
        level_line = {"color": FAINT, "width": 1.5, "dash": "dash"}
        figure.add_shape(type="line", x0=level, x1=level, y0=first + 0.5, y1=y - 0.5, line=level_line)
        y += 0.3
    figure.update_layout(height=round(80 + 32 * y))  # room for names of two lines, which leave room on a phone
    figure.update_xaxes(
        type="log",
        range=[np.log10(SMALLEST) - 0.1, 0.05],
        tickvals=[1e-4, 1e-3, 1e-2, level, 1],
        title_text="p",
        ticktext=["≤ 0.0001", "0.001", "0.01", as_typed(round(level, 8)), "1"],
    )
    figure.update_yaxes(
        tickvals=[height for height, _ in ticks],
        ticktext=[name for _, name in ticks],
        range=[y - 0.3, -0.7],
        showgrid=False,
        tickfont={"size": 12},
    )
    return figure


def _cases(published: pd.DataFrame, word: RunWord) -> Iterator[tuple[str, Sequence[Mapping[Any, Any]]]]:
    """Yield blocks of rows with their titles; skip rows without a p-value."""
    answered = published[published["p_median"].notna()]
    for (n, baseline, system), rows in answered.groupby(["n", "baseline_run", "system_run"], sort=False):
        n_runs = f"{counted(int(str(n)), word.noun)} each"
        one_run = f"one {word.noun} each"
        n_draws = int(rows["n_draws"].iloc[0])
        if baseline == "random":
            title = f"{n_runs}, {counted(n_draws, 'random draw')}"
        elif baseline == "all":
            title = f"{n_runs}, {all_counted(n_draws, 'combination')}"
        elif baseline == "only":
            title = one_run
        else:  # e.g. high vs low
            title = f"{one_run}: {baseline} vs {system}"
        yield title, rows.to_dict("records")


def _bar(row: Mapping[Any, Any], y: float, color: str, name: str) -> go.Scatter:
    """Return a bar from the low to the high p with a dot at the median."""
    places = []
    texts = []
    for column in ("p_low", "p_median", "p_high"):
        places.append(max(float(row[column]), SMALLEST))
        texts.append(plain(p_value(row[column])))
    low, median, high = texts
    width = 0  # a single p-value is only a dot
    if places[0] < places[-1]:
        width = 7
    return go.Scatter(
        x=places,
        y=[y] * 3,
        mode="lines+markers",
        opacity=0.85,
        line={"color": color, "width": width},
        marker={"color": color, "size": [0, 13, 0], "opacity": 1},
        hovertemplate=f"{name}: p {low} to {high} (middle 95%), median {median}<extra></extra>",
    )
