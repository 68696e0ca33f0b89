"""Distribution of the observed difference by number of runs (Clark et al. 2011, Figure 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mteval.base.arrays import FloatArray
from mteval.base.words import counted
from mteval.figures.colors import FAINT, PALETTE
from mteval.figures.style import SHARES, new_figure, plain
from mteval.values.notation import Notation, chance, percent
from mteval.values.run_words import RUN, RunWord

ROW_HEIGHT = 68
TALLEST = 0.92  # rows that the highest bar may reach up, so that none covers the row above
MOST_ROWS = 8
RIGHT = PALETTE[0]  # the side of zero on which all runs together are
WRONG = PALETTE[1]
CURVE_POINTS = 161
DIGITS = 5  # of heights

# Columns of numbers at the right of the rows, where they have room on a phone
CURVES_END = 0.68
THESE_END = 0.83
NEW: Mapping[str, Any] = {"x": 1, "xref": "paper", "xanchor": "right", "align": "right", "showarrow": False}
THESE: Mapping[str, Any] = {**NEW, "x": THESE_END}


def difference_ridges(
    frequencies: pd.DataFrame, outlook: pd.DataFrame, quantity: str, notation: Notation, runs: RunWord = RUN
) -> go.Figure:
    """Draw one row per number of runs on a common scale; the wrong side of zero has another colour.

    Parameters
    ----------
    frequencies
        Columns ``k, left, right, share``, bins shared by all k; a k without rows has only a curve.
    outlook
        Columns ``k, expected, standard_deviation, wrong_sign``: for new runs, drawn as a normal curve; and
        ``pool_wrong_sign``: the share of the bars in the wrong order.
    quantity, notation
        Axis title and number format.
    runs
        Word for a run.
    """
    rows = _at_most_eight(outlook)
    names = [counted(row["k"], runs.noun) for row in rows]
    bases = [-index for index in range(len(rows))]  # the first row on top: the axis counts from the bottom
    expected = float(outlook["expected"].iloc[0])
    extent = _extent(frequencies, outlook)
    highest_share = float(frequencies["share"].max())
    scale = TALLEST / highest_share

    figure = new_figure(120 + ROW_HEIGHT * len(rows), margin={"t": 54, "r": 12}, barmode="overlay")
    numbers = [
        {"text": "wrong<br>(these)", "y": 1, "yref": "paper", "yanchor": "bottom", **THESE},
        {"text": "wrong<br>(new)", "y": 1, "yref": "paper", "yanchor": "bottom", **NEW},
    ]
    for row, name, base in zip(rows, names, bases, strict=True):
        bins = frequencies[frequencies["k"] == row["k"]]
        agrees = _agrees(bins, expected)
        for color, side in ((RIGHT, bins[agrees]), (WRONG, bins[~agrees])):
            if side["share"].sum() > 0:
                figure.add_trace(_row_of_bars(side, base, scale, color, name, notation))
        figure.add_trace(_curve(row, _width(frequencies), base, scale, extent))
        numbers.append({"text": plain(percent(row["pool_wrong_sign"])), "y": base, "yanchor": "bottom", **THESE})
        numbers.append({"text": plain(chance(row["wrong_sign"])), "y": base, "yanchor": "bottom", **NEW})

    figure.update_layout(annotations=numbers)  # at once: each one added alone would validate those before it
    _mark_expected(figure, expected, notation, runs)
    figure.update_xaxes(title_text=plain(notation.axis(quantity)), range=extent, domain=[0, CURVES_END], showgrid=False)
    highest_of_one_run = float(frequencies.loc[frequencies["k"] == 1, "share"].max())
    top = TALLEST * highest_of_one_run / highest_share
    top = max(top, 0.5) + 0.15
    figure.update_yaxes(tickvals=bases, ticktext=names, range=[-len(rows) + 0.8, top], showgrid=False)
    return figure


def difference_slider(
    frequencies: pd.DataFrame, outlook: pd.DataFrame, quantity: str, notation: Notation, runs: RunWord = RUN
) -> go.Figure:
    """Draw one number of runs at a time, with a slider and a play button."""
    rows = outlook.to_dict("records")
    extent = _extent(frequencies, outlook)
    frames = []
    for row in rows:
        annotations = [_expected_label(float(row["expected"]), notation, runs), _caption(row, notation, runs)]
        traces = _bars_and_curve(_bins_of(frequencies, row["k"]), row, extent, notation)
        frames.append(go.Frame(name=str(row["k"]), data=traces, layout={"annotations": annotations}))
    figure = new_figure(430, margin={"t": 34, "b": 12}, sliders=[_slider(rows)], updatemenus=[_play_button()])
    figure.add_traces(frames[0].data)
    figure.frames = frames
    _mark_expected(figure, float(rows[0]["expected"]), notation, runs)
    figure.add_annotation(_caption(rows[0], notation, runs))
    return _with_axes(figure, frequencies, extent, notation.axis(quantity))


def difference_pair(
    frequencies: pd.DataFrame,
    outlook: pd.DataFrame,
    ks: tuple[int, int],
    quantity: str,
    notation: Notation,
    runs: RunWord,
) -> go.Figure:
    """Draw two numbers of runs side by side on the same axes."""
    frequencies = frequencies[frequencies["k"].isin(ks)]
    outlook = outlook[outlook["k"].isin(ks)]
    extent = _extent(frequencies, outlook)
    figure = make_subplots(cols=2, shared_yaxes=True, horizontal_spacing=0.05, figure=new_figure(430, margin={"t": 72}))
    for column, k in enumerate(ks, start=1):
        row = outlook[outlook["k"] == k].to_dict("records")[0]
        traces = _bars_and_curve(_bins_of(frequencies, k), row, extent, notation)
        figure.add_traces(traces, rows=1, cols=column)
        figure.add_vline(x=row["expected"], line={"width": 1.5, "dash": "dash", "color": FAINT}, col=column)
        figure.add_vline(x=0, line={"width": 1.5, "color": FAINT}, col=column)
        x_axis = "x" if column == 1 else f"x{column}"
        figure.add_annotation(
            x=0.5,
            xref=f"{x_axis} domain",
            y=1,
            yref="paper",
            yanchor="bottom",
            showarrow=False,
            text=f"<b>{counted(k, runs.noun)} each</b><br>{_wrong_order(row, runs)}",
        )
    return _with_axes(figure, frequencies, extent, notation.axis(quantity))


def _with_axes(figure: go.Figure, frequencies: pd.DataFrame, extent: tuple[float, float], title: str) -> go.Figure:
    """Set the axes of differences and shares, and return the figure."""
    figure.update_xaxes(title_text=plain(title), range=extent, showgrid=False)
    figure.update_yaxes(tickformat=SHARES, showgrid=False, range=[0, float(frequencies["share"].max()) * 1.12])
    figure.layout.yaxis.title.text = "Share of experiments"
    return figure.update_layout(bargap=0, barmode="overlay")


def _at_most_eight(outlook: pd.DataFrame) -> list[Mapping[Any, Any]]:
    """Return at most eight rows, including the first and the last, at about equal factors of runs."""
    rows: list[Mapping[Any, Any]] = [*outlook.to_dict("records")]
    if len(rows) <= MOST_ROWS:
        return rows
    ks = np.array([row["k"] for row in rows])
    nearest = set()
    for k in np.geomspace(1, ks[-1], MOST_ROWS):
        nearest.add(int(np.argmin(np.abs(np.log(ks / k)))))
    return [rows[index] for index in sorted(nearest)]


def _extent(frequencies: pd.DataFrame, outlook: pd.DataFrame) -> tuple[float, float]:
    """Return the ends of the axis of differences: all bins, three standard deviations, and zero."""
    reach = float(np.nan_to_num(3 * outlook["standard_deviation"].max(), posinf=0.0))
    expected = float(outlook["expected"].iloc[0])
    low = min(float(frequencies["left"].min()), expected - reach, 0.0)
    high = max(float(frequencies["right"].max()), expected + reach, 0.0)
    return low, high


def _bins_of(frequencies: pd.DataFrame, k: int) -> pd.DataFrame:
    """Return the bins of one number of runs; all empty if it has only a curve."""
    bins = frequencies[frequencies["k"] == k]
    if len(bins):
        return bins
    bins_of_first = frequencies[frequencies["k"] == frequencies["k"].iloc[0]]
    empty_bins: pd.DataFrame = bins_of_first.assign(share=0.0)
    return empty_bins


def _width(bins: pd.DataFrame) -> float:
    """Return the width of a bin; all have the same."""
    return float((bins["right"] - bins["left"]).iloc[0])


def _agrees(bins: pd.DataFrame, expected: float) -> pd.Series:
    """Return whether the middle of each bin is on the same side of zero as the expected difference."""
    return (bins["left"] + bins["right"]) * expected >= 0


def _row_of_bars(bins: pd.DataFrame, base: float, scale: float, color: str, name: str, notation: Notation) -> go.Bar:
    """Return bars of one side of zero that stand on the row's baseline; a click on one means its difference."""
    on_this_side = plain(percent(bins["share"].sum()))
    width = _width(bins)
    bins = bins[bins["share"] > 0]
    middles = _middles(bins)
    bars = []
    for middle, share in zip(middles, bins["share"], strict=True):
        bars.append([plain(f"{percent(share)} near {notation.difference(middle)}"), middle])
    return go.Bar(
        x=middles,
        y=_in_few_digits(bins["share"] * scale),
        base=base,
        width=width,
        marker={"color": color, "opacity": 0.75, "line": {"width": 0}},
        customdata=bars,
        hovertemplate=f"{name}: %{{customdata[0]}}; {on_this_side} on this side of zero<extra></extra>",
    )


def _curve(row: Mapping[Any, Any], width: float, base: float, scale: float, extent: tuple[float, float]) -> go.Scatter:
    """Return the curve of new runs above the row's baseline, as shares of bins of a width."""
    x, places = _along(extent)
    y = _in_few_digits(_normal(x, row) * width * scale + base)
    line = {"color": FAINT, "width": 1.5}
    return go.Scatter(**places, y=y, mode="lines", line=line, hoverinfo="skip", connectgaps=False)


def _along(extent: tuple[float, float]) -> tuple[FloatArray, dict[str, float]]:
    """Return the x values of a curve's points, and the arguments of a trace that stand for them."""
    low, high = extent
    return np.linspace(low, high, CURVE_POINTS), {"x0": low, "dx": (high - low) / (CURVE_POINTS - 1)}


def _in_few_digits(heights: pd.Series | FloatArray) -> list[float]:
    """Return heights to far less than a pixel; as a list, since arrays are sent with all their bits."""
    rounded: list[float] = np.asarray(heights, dtype=float).round(DIGITS).tolist()
    return rounded


def _middles(bins: pd.DataFrame) -> list[float]:
    """Return the middles of bins, without the last bits of their sums."""
    middles: list[float] = ((bins["left"] + bins["right"]) / 2).round(9).tolist()
    return middles


def _normal(x: FloatArray, row: Mapping[Any, Any]) -> FloatArray:
    """Return the density of the difference of new runs; NaN if its standard deviation is unknown."""
    deviation = float(row["standard_deviation"])
    if not deviation > 0:
        return np.full(len(x), np.nan)
    z = (x - row["expected"]) / deviation
    return np.asarray(np.exp(-0.5 * z**2) / (deviation * np.sqrt(2 * np.pi)))


def _bars_and_curve(
    bins: pd.DataFrame, row: Mapping[Any, Any], extent: tuple[float, float], notation: Notation
) -> list[Any]:
    """Return bars and curve of one number of runs; frames need the same traces for every number."""
    agrees = _agrees(bins, row["expected"])
    middles = _middles(bins)
    width = _width(bins)
    words = []
    for middle, share in zip(middles, bins["share"], strict=True):
        words.append([f"{notation.difference(middle)}: {plain(percent(share))}", middle])
    traces = []
    for color, is_on_side in ((RIGHT, agrees), (WRONG, ~agrees)):
        bars = go.Bar(
            x=middles,
            y=_in_few_digits(bins["share"].where(is_on_side, 0.0)),
            width=width,
            marker={"color": color, "opacity": 0.75},
            customdata=words,
            hovertemplate="%{customdata[0]}<extra></extra>",
        )
        traces.append(bars)
    x, places = _along(extent)
    y = _in_few_digits(_normal(x, row) * width)
    curve = go.Scatter(**places, y=y, mode="lines", line={"color": FAINT}, hoverinfo="skip")
    return [*traces, curve]


def _mark_expected(figure: go.Figure, expected: float, notation: Notation, runs: RunWord) -> None:
    """Draw lines at the difference of all runs, with its label, and at zero."""
    figure.add_vline(x=expected, line={"width": 1.5, "dash": "dash", "color": FAINT})
    figure.add_vline(x=0, line={"width": 1.5, "color": FAINT})
    figure.add_annotation(_expected_label(expected, notation, runs))


def _expected_label(expected: float, notation: Notation, runs: RunWord) -> dict[str, Any]:
    return {
        "x": expected,
        "y": 1,
        "yref": "paper",
        "yanchor": "bottom",
        "showarrow": False,
        "text": f"all {runs.nouns} {notation.difference(expected)}",
    }


def _caption(row: Mapping[Any, Any], notation: Notation, runs: RunWord) -> dict[str, Any]:
    """Return the annotation in the upper left corner."""
    number = f"<b>{counted(row['k'], runs.noun)} each</b>"
    deviation = f"SD {notation.number(row['standard_deviation'])}"
    return {
        "x": 0.01,
        "xref": "paper",
        "xanchor": "left",
        "y": 0.98,
        "yref": "paper",
        "yanchor": "top",
        "align": "left",
        "showarrow": False,
        "font": {"size": 16},
        "text": f"{number}<br>{deviation}<br>{_wrong_order(row, runs)}",
    }


def _wrong_order(row: Mapping[Any, Any], runs: RunWord) -> str:
    """Return both shares in the wrong order: of the bars, if there are any, and of the curve."""
    of_new_runs = f"{plain(chance(row['wrong_sign']))} of new {runs.nouns}"
    if isnan(row["pool_wrong_sign"]):
        return f"wrong order: {of_new_runs}"
    return f"wrong order: {plain(percent(row['pool_wrong_sign']))} of these, {of_new_runs}"


def _slider(rows: Sequence[Mapping[Any, Any]]) -> dict[str, Any]:
    """Return a slider with one step per frame."""
    at_once = {"mode": "immediate", "frame": {"duration": 0, "redraw": True}, "transition": {"duration": 0}}
    steps = []
    for row in rows:
        k = str(row["k"])
        steps.append({"label": k, "method": "animate", "args": [[k], at_once]})
    return {
        "steps": steps,
        "x": 0.12,
        "len": 0.86,
        "y": 0,
        "pad": {"t": 62},
        "currentvalue": {"visible": False},
    }


def _play_button() -> dict[str, Any]:
    """Return a button that shows all frames."""
    slowly = {"frame": {"duration": 900, "redraw": True}, "transition": {"duration": 250}, "fromcurrent": True}
    return {
        "type": "buttons",
        "showactive": False,
        "x": 0,
        "xanchor": "left",
        "y": 0,
        "yanchor": "top",
        "pad": {"t": 64},
        "bgcolor": "rgba(128,128,128,0.15)",
        "borderwidth": 0,
        "buttons": [{"label": "▶ Play", "method": "animate", "args": [None, slowly]}],
    }
