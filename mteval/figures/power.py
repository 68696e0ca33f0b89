"""What an experiment that is planned would find: power and smallest detectable difference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from mteval.counts import counted
from mteval.figures.style import FAINT, PALETTE, SHARES, new_figure, plain
from mteval.notation import Notation, percent


def power_curves(power: pd.DataFrame, wanted: float, unit: str) -> go.Figure:
    """Power at the target against runs a system, one curve a size of the test set; the wanted power as a line.

    Parameters
    ----------
    power
        Columns ``n_runs, n_units, power, detectable``.
    unit
        What the test set is counted in: ``segment``.
    """
    figure = _curves(power, "power", unit, percent)
    figure.add_hline(y=wanted, line={"color": FAINT, "width": 1.5, "dash": "dash"})
    figure.update_yaxes(title_text="power", tickformat=SHARES, range=[0, 1.03])
    return figure


def detectable_curves(power: pd.DataFrame, target: float, unit: str, metric_name: str, notation: Notation) -> go.Figure:
    """Smallest detectable difference against runs a system, one curve a size of the test set; the target as a line."""
    figure = _curves(power, "detectable", unit, notation.number)
    figure.add_hline(y=target, line={"color": FAINT, "width": 1.5, "dash": "dash"})
    highest = float(power.loc[power["n_runs"] > power["n_runs"].min(), "detectable"].max())
    figure.update_yaxes(
        title_text=plain(notation.axis(f"detectable difference in {metric_name}")),
        range=[0, max(highest, target) * 1.15],
    )
    return figure


def _curves(power: pd.DataFrame, column: str, unit: str, write: Callable[[float], str]) -> go.Figure:
    figure = new_figure(height=360)
    for color, (_, rows) in zip(PALETTE, power.groupby("n_units", sort=True), strict=False):
        name = counted(int(rows["n_units"].iloc[0]), unit)
        figure.add_trace(_curve(name, rows, column, color, write))
    numbers = sorted(power["n_runs"].unique())
    figure.update_layout(
        showlegend=True,
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": 14}},
    )
    figure.update_xaxes(
        title_text="runs of each system", type="log", tickvals=[n for n in numbers if n in (2, 3, 5, 10, 20, 50)],
        ticktext=[str(n) for n in numbers if n in (2, 3, 5, 10, 20, 50)],
    )  # fmt: skip
    return figure


def _curve(name: str, rows: Any, column: str, color: str, write: Callable[[float], str]) -> go.Scatter:
    return go.Scatter(
        x=rows["n_runs"],
        y=rows[column],
        mode="lines+markers",
        name=name,
        line={"color": color, "width": 2.5},
        marker={"size": 7},
        customdata=[
            f"{counted(n_runs, 'run')}, {name}: {plain(write(value))}"
            for n_runs, value in zip(rows["n_runs"].tolist(), rows[column], strict=True)
        ],
        hovertemplate="%{customdata}<extra></extra>",
    )
