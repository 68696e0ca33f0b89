"""Distribution of the observed difference by number of runs (Clark et al. 2011, Figure 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mteval.base.words import counted
from mteval.figures.colors import PALETTE
from mteval.figures.style import FAINT, SHARES, new_figure, plain
from mteval.values.notation import Notation, chance, percent
from mteval.values.run_words import RUN, RunWord

ROW_HEIGHT = 68
TALLEST = 1.25  # rows that the highest peak may reach up
MOST_ROWS = 8
RIGHT, WRONG = PALETTE[0], PALETTE[1]
CURVE_POINTS = 161
NEW: Mapping[str, Any] = {"x": 1, "xref": "paper", "xanchor": "right", "align": "right", "showarrow": False}
CURVES_END, THESE_END = 0.68, 0.83  # the numbers beside them have room on a phone
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
    rows = _picked(outlook)
    names = [counted(row["k"], runs.noun) for row in rows]
    scale = TALLEST / float(frequencies["share"].max())
    figure = new_figure(120 + ROW_HEIGHT * len(rows), margin={"t": 54, "r": 12})
    expected = float(outlook["expected"].iloc[0])
    low, high = _extent(frequencies, outlook)
    for level, row in enumerate(rows):
        for color, part in _sides(frequencies[frequencies["k"] == row["k"]], expected):
            figure.add_trace(_area(part, -level, scale, color, names[level]))
        figure.add_trace(_curve(row, _width(frequencies), -level, scale, (low, high)))
        for place, text in ((THESE, percent(row["pool_wrong_sign"])), (NEW, chance(row["wrong_sign"]))):
            figure.add_annotation(text=plain(text), y=-level, yanchor="bottom", **place)
    top = TALLEST * float(frequencies.loc[frequencies["k"] == 1, "share"].max()) / float(frequencies["share"].max())
    top = max(top, 0.5) + 0.15
    _mark_expected(figure, expected, notation, runs)
    for place, text in ((THESE, "wrong<br>(these)"), (NEW, "wrong<br>(new)")):
        figure.add_annotation(text=text, y=1, yref="paper", yanchor="bottom", **place)
    figure.update_xaxes(
        title_text=plain(notation.axis(quantity)), range=[low, high], domain=[0, CURVES_END], showgrid=False
    )
    places = [-level for level in range(len(rows))]
    figure.update_yaxes(tickvals=places, ticktext=names, range=[-len(rows) + 0.8, top], showgrid=False)
    return figure


def difference_slider(
    frequencies: pd.DataFrame, outlook: pd.DataFrame, quantity: str, notation: Notation, runs: RunWord = RUN
) -> go.Figure:
    """Draw one number of runs at a time, with a slider and a play button."""
    rows = outlook.to_dict("records")
    extent = _extent(frequencies, outlook)
    frames = []
    for row in rows:
        words = [_expected_label(float(row["expected"]), notation, runs), _caption(row, notation, runs)]
        bars = _single(_bins_of(frequencies, row["k"]), row, extent, notation)
        frames.append(go.Frame(name=str(row["k"]), data=bars, layout={"annotations": words}))
    figure = new_figure(430, margin={"t": 34, "b": 12}, sliders=[_slider(rows)], updatemenus=[_play_button()])
    figure.add_traces(frames[0].data)
    figure.frames = frames
    _mark_expected(figure, float(rows[0]["expected"]), notation, runs)
    figure.add_annotation(_caption(rows[0], notation, runs))
    return _dressed(figure, frequencies, extent, notation.axis(quantity))


def difference_pair(
    frequencies: pd.DataFrame,
    outlook: pd.DataFrame,
    ks: tuple[int, int],
    quantity: str,
    notation: Notation,
    runs: RunWord,
) -> go.Figure:
    """Draw two numbers of runs side by side on the same axes."""
    frequencies, outlook = (frame[frame["k"].isin(ks)] for frame in (frequencies, outlook))
    extent = _extent(frequencies, outlook)
    drawn_on = new_figure(430, margin={"t": 72})
    figure = make_subplots(cols=2, shared_yaxes=True, horizontal_spacing=0.05, figure=drawn_on)
    for column, k in enumerate(ks, start=1):
        row = outlook[outlook["k"] == k].to_dict("records")[0]
        figure.add_traces(_single(_bins_of(frequencies, k), row, extent, notation), rows=1, cols=column)
        figure.add_vline(x=row["expected"], line={"width": 1.5, "dash": "dash", "color": FAINT}, col=column)
        figure.add_vline(x=0, line={"width": 1.5, "color": FAINT}, col=column)
        figure.add_annotation(
            x=0.5, xref=f"x{column if column > 1 else ''} domain", y=1, yref="paper", yanchor="bottom", showarrow=False,
            text=f"<b>{counted(k, runs.noun)} each</b><br>{_wrong_order(row, runs)}",
        )  # fmt: skip
    return _dressed(figure, frequencies, extent, notation.axis(quantity))


def _dressed(figure: go.Figure, frequencies: pd.DataFrame, extent: tuple[float, float], title: str) -> go.Figure:
    """Set the axes of differences and shares, and return the figure."""
    figure.update_xaxes(title_text=plain(title), range=extent, showgrid=False)
    figure.update_yaxes(tickformat=SHARES, showgrid=False, range=[0, float(frequencies["share"].max()) * 1.12])
    figure.layout.yaxis.title.text = "Share of experiments"
    return figure.update_layout(bargap=0, barmode="overlay")


def _picked(outlook: pd.DataFrame) -> list[Mapping[Any, Any]]:
    """Return at most eight rows, including the first and the last."""
    rows: list[Mapping[Any, Any]] = [*outlook.to_dict("records")]
    if len(rows) <= MOST_ROWS:
        return rows
    wanted = np.geomspace(1, rows[-1]["k"], MOST_ROWS)
    picked = {int(np.argmin([abs(np.log(row["k"] / k)) for row in rows])) for k in wanted}
    return [rows[index] for index in sorted(picked)]


def _extent(frequencies: pd.DataFrame, outlook: pd.DataFrame) -> tuple[float, float]:
    reach = float(np.nan_to_num(3 * outlook["standard_deviation"].max(), posinf=0.0))
    expected = float(outlook["expected"].iloc[0])
    low = min(float(frequencies["left"].min()), expected - reach, 0.0)
    return low, max(float(frequencies["right"].max()), expected + reach, 0.0)


def _bins_of(frequencies: pd.DataFrame, k: int) -> pd.DataFrame:
    """Return the bins of one number of runs; all empty if it has only a curve."""
    bins = frequencies[frequencies["k"] == k]
    return bins if len(bins) else frequencies[frequencies["k"] == frequencies["k"].iloc[0]].assign(share=0.0)


def _width(bins: pd.DataFrame) -> float:
    return float((bins["right"] - bins["left"]).iloc[0])


def _sides(bins: pd.DataFrame, expected: float) -> list[tuple[str, pd.DataFrame]]:
    """Return the bins on either side of zero with their colours."""
    agrees = (bins["left"] + bins["right"]) * expected >= 0
    return [(color, part) for color, part in ((RIGHT, bins[agrees]), (WRONG, bins[~agrees])) if part["share"].sum() > 0]


def _area(bins: pd.DataFrame, base: float, scale: float, color: str, name: str) -> go.Scatter:
    """Return a filled outline of steps that starts and ends on the row's baseline."""
    x = np.repeat(np.append(bins["left"].to_numpy(), bins["right"].iloc[-1]), 2)
    y = np.concatenate([[0.0], np.repeat(bins["share"].to_numpy(), 2), [0.0]]) * scale + base
    return go.Scatter(
        x=x, y=y, mode="lines", line={"color": color, "width": 1}, fill="toself", fillcolor=color, opacity=0.7,
        hoveron="fills", hoverinfo="text",
        text=f"{name}: {plain(percent(bins['share'].sum()))} on this side of zero",
    )  # fmt: skip


def _curve(row: Mapping[Any, Any], width: float, base: float, scale: float, extent: tuple[float, float]) -> go.Scatter:
    x, line = np.linspace(*extent, CURVE_POINTS), {"color": FAINT, "width": 1.5}
    y = _normal(x, row) * width * scale + base
    return go.Scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip", connectgaps=False)


def _normal(x: np.ndarray[Any, Any], row: Mapping[Any, Any]) -> np.ndarray[Any, Any]:
    deviation = float(row["standard_deviation"])
    if not deviation > 0:
        return np.full(len(x), np.nan)
    return np.asarray(np.exp(-0.5 * ((x - row["expected"]) / deviation) ** 2) / (deviation * np.sqrt(2 * np.pi)))


def _single(
    bins: pd.DataFrame, row: Mapping[Any, Any], extent: tuple[float, float], notation: Notation
) -> Sequence[Any]:
    """Return bars and curve of one number of runs; frames need the same traces for every number."""
    agrees = (bins["left"] + bins["right"]) * row["expected"] >= 0
    middle, width = (bins["left"] + bins["right"]) / 2, _width(bins)
    points = zip(middle, bins["share"], strict=True)
    texts = [f"{notation.difference(x)}: {plain(percent(share))}" for x, share in points]
    bars = [
        go.Bar(
            x=middle, y=bins["share"].where(side, 0.0), width=width, marker={"color": color, "opacity": 0.75},
            customdata=texts, hovertemplate="%{customdata}<extra></extra>",
        )
        for color, side in ((RIGHT, agrees), (WRONG, ~agrees))
    ]  # fmt: skip
    x = np.linspace(*extent, CURVE_POINTS)
    return [*bars, go.Scatter(x=x, y=_normal(x, row) * width, mode="lines", line={"color": FAINT}, hoverinfo="skip")]


def _mark_expected(figure: go.Figure, expected: float, notation: Notation, runs: RunWord) -> None:
    figure.add_vline(x=expected, line={"width": 1.5, "dash": "dash", "color": FAINT})
    figure.add_vline(x=0, line={"width": 1.5, "color": FAINT})
    figure.add_annotation(_expected_label(expected, notation, runs))


def _expected_label(expected: float, notation: Notation, runs: RunWord) -> dict[str, Any]:
    return {
        "x": expected, "y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False,
        "text": f"all {runs.nouns} {notation.difference(expected)}",
    }  # fmt: skip


def _caption(row: Mapping[Any, Any], notation: Notation, runs: RunWord) -> dict[str, Any]:
    text = f"<b>{counted(row['k'], runs.noun)} each</b><br>SD {notation.number(row['standard_deviation'])}"
    return {
        "x": 0.01, "xref": "paper", "xanchor": "left", "y": 0.98, "yref": "paper", "yanchor": "top", "align": "left",
        "showarrow": False, "font": {"size": 16}, "text": f"{text}<br>{_wrong_order(row, runs)}",
    }  # fmt: skip


def _wrong_order(row: Mapping[Any, Any], runs: RunWord) -> str:
    """Return both shares in the wrong order: of the bars, if there are any, and of the curve."""
    new, these = (f"{plain(chance(row['wrong_sign']))} of new {runs.nouns}", row["pool_wrong_sign"])
    return "wrong order: " + (new if these != these else f"{plain(percent(these))} of these, {new}")


def _slider(rows: Sequence[Mapping[Any, Any]]) -> dict[str, Any]:
    still = {"mode": "immediate", "frame": {"duration": 0, "redraw": True}, "transition": {"duration": 0}}
    return {
        "steps": [{"label": str(row["k"]), "method": "animate", "args": [[str(row["k"])], still]} for row in rows],
        "x": 0.12, "len": 0.86, "y": 0, "pad": {"t": 62}, "currentvalue": {"visible": False},
    }  # fmt: skip


def _play_button() -> dict[str, Any]:
    moving = {"frame": {"duration": 900, "redraw": True}, "transition": {"duration": 250}, "fromcurrent": True}
    return {
        "type": "buttons", "showactive": False, "x": 0, "xanchor": "left", "y": 0, "yanchor": "top", "pad": {"t": 64},
        "bgcolor": "rgba(128,128,128,0.15)", "borderwidth": 0,
        "buttons": [{"label": "▶ Play", "method": "animate", "args": [None, moving]}],
    }  # fmt: skip
