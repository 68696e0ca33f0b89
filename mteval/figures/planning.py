"""Planning: power and detectable differences, sources of variance, and how representative the median run is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil

import pandas as pd
import plotly.graph_objects as go

from mteval.base.words import counted
from mteval.figures.colors import FAINT, PALETTE, SERIES
from mteval.figures.style import SHARES, in_lines, legend, new_figure, plain, short, told
from mteval.values.notation import Notation, percent
from mteval.values.run_words import RUN, RunWord

SMALLEST_LABELLED = 0.07  # a narrower part has no room for its label
PIXELS_PER_CHARACTER = 8  # of a label beside a bar, at most
COLORS = (PALETTE[0], PALETTE[5], PALETTE[3])  # of the sources of variance


def median_curves(median: pd.DataFrame, colors: Mapping[str, str], wanted: float, runs: RunWord = RUN) -> go.Figure:
    """Draw one line per system for new runs, filled dots for the runs at hand, open dots for a second test set.

    Parameters
    ----------
    median
        Columns ``system, k, within, pool_within, elsewhere_within``; NaN is not drawn.
    colors
        Maps a system to its colour.
    wanted
        Share considered representative, drawn as a line.
    runs
        Word for a run.
    """
    figure = new_figure(380, showlegend=True, legend=legend(1.02, 14))
    figure.add_hline(y=wanted, line={"color": FAINT, "width": 1.5, "dash": "dash"})
    # Columns of shares, with their name in the legend and how they are drawn
    kinds = (
        ("within", f"new {runs.nouns}", "lines", "circle"),
        ("pool_within", f"these {runs.nouns}", "markers", "circle"),
        ("elsewhere_within", "other test set", "markers", "circle-open"),
    )
    for system, rows in median.groupby("system", sort=False):
        color = colors[str(system)]
        name = short(str(system))
        for column, kind, mode, symbol in kinds:
            if rows[column].isna().all():
                continue
            figure.add_scatter(
                x=rows["k"],
                y=rows[column],
                mode=mode,
                name=f"{name}, {kind}",
                line={"color": color},
                marker={"symbol": symbol, "size": 9, "color": color},
                customdata=[plain(percent(share)) for share in rows[column]],
                hovertemplate=f"{name}, median of %{{x}}, {kind}: %{{customdata}}<extra></extra>",
            )
    most = int(median["k"].max())
    step = max(1, ceil(most / 15))  # at most 15 ticks
    title = runs.filled("{Runs} to choose the median from")
    figure.update_xaxes(title_text=title, range=[0.5, most + 0.5], tick0=1, dtick=step)
    lowest = float(median[["within", "pool_within", "elsewhere_within"]].min().min())
    heights = [min(0.5, lowest) - 0.05, 1.02]
    figure.update_yaxes(title_text="Median within half the difference", tickformat=SHARES, range=heights)
    return figure


def power_curves(power: pd.DataFrame, wanted: float, unit: str, planned: str, runs: RunWord = RUN) -> go.Figure:
    """Draw power at the target difference against runs per system, one curve per test-set size.

    Parameters
    ----------
    power
        Columns ``n_runs, n_units, power, detectable``.
    unit
        Unit of the test set: ``segment`` or ``document``.
    planned, runs
        Axis title, and the word for a run.
    """
    figure = _curves(power, "power", unit, percent, planned, runs)
    figure.add_hline(y=wanted, line={"color": FAINT, "width": 1.5, "dash": "dash"})
    figure.update_yaxes(title_text="Power", tickformat=SHARES, range=[0, 1.03])
    return figure


def detectable_curves(
    power: pd.DataFrame, target: float, unit: str, metric: str, notation: Notation, planned: str, runs: RunWord = RUN
) -> go.Figure:
    """Draw the smallest detectable difference against runs per system, one curve per test-set size."""
    figure = _curves(power, "detectable", unit, notation.number, planned, runs)
    figure.add_hline(y=target, line={"color": FAINT, "width": 1.5, "dash": "dash"})
    # The fewest runs often detect only huge differences, which would flatten the curves
    has_more_runs = power["n_runs"] > power["n_runs"].min()
    highest = float(power.loc[has_more_runs, "detectable"].max())
    title = plain(notation.axis(f"Detectable difference in {metric}"))
    figure.update_yaxes(title_text=title, range=[0, max(highest, target) * 1.15])
    return figure


def _curves(
    power: pd.DataFrame, column: str, unit: str, write: Callable[[float], str], planned: str, runs: RunWord
) -> go.Figure:
    """Draw a column against runs per system, one curve per test-set size."""
    figure = new_figure(360, showlegend=True, legend=legend(1.02, 14))
    for color, (_, rows) in zip(SERIES, power.groupby("n_units", sort=True), strict=False):
        name = counted(int(rows["n_units"].iloc[0]), unit)
        words = []
        for n_runs, value in zip(rows["n_runs"].tolist(), rows[column], strict=True):
            words.append(f"{counted(n_runs, runs.noun)}, {name}: {plain(write(value))}")
        figure.add_scatter(
            x=rows["n_runs"],
            y=rows[column],
            mode="lines+markers",
            name=name,
            line={"color": color, "width": 2.5},
            marker={"size": 7},
            **told(words),
        )
    ticks = [n for n in sorted(power["n_runs"].unique()) if n in (2, 3, 5, 10, 20, 50)]
    figure.update_xaxes(title_text=planned, type="log", tickvals=ticks, ticktext=[str(n) for n in ticks])
    return figure


def variance_bars(variance: pd.DataFrame, metric_name: str, notation: Notation) -> go.Figure:
    """Draw one bar per score or difference: shares of variance by source, standard deviation at the end.

    Parameters
    ----------
    variance
        Columns ``what, source, variance, share``, from top to bottom; the same sources in the same order for each.
    metric_name, notation
        Metric of the standard deviations, and their number format.
    """
    labels = list(variance["what"].unique())
    deviations = []
    for label in labels:
        deviation = float(variance.loc[variance["what"] == label, "variance"].sum()) ** 0.5
        deviations.append(f"s = {notation.number(deviation)} {plain(metric_name)}")
    longest = max(map(len, deviations), default=0)
    figure = new_figure(
        110 + 58 * len(labels),
        barmode="stack",
        bargap=0.35,
        showlegend=True,
        margin={"r": max(110, 16 + PIXELS_PER_CHARACTER * longest)},  # room for the standard deviations
        uniformtext={"minsize": 10, "mode": "hide"},
        legend={**legend(1.02, 14), "traceorder": "normal"},
    )
    for color, (source, parts) in zip(COLORS, variance.groupby("source", sort=False), strict=True):
        shares = parts["share"].to_numpy(dtype=float)
        texts = []
        for share in shares:
            text = ""
            if share >= SMALLEST_LABELLED:
                text = percent(share, 0)
            texts.append(text)
        figure.add_bar(
            x=shares,
            y=list(range(len(shares))),
            orientation="h",
            name=str(source),
            marker={"color": color},
            text=texts,
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            textfont={"color": "#111111", "size": 14},
            customdata=[plain(percent(share)) for share in shares],
            hovertemplate=f"{source}: %{{customdata}}<extra></extra>",
        )
    for row, text in enumerate(deviations):
        figure.add_annotation(
            x=1,
            xref="x",
            xanchor="left",
            xshift=8,
            y=row,
            showarrow=False,
            text=text,
        )
    figure.update_xaxes(title_text="Share of variance", tickformat=SHARES, range=[0, 1])
    names = [in_lines(label, 20) for label in labels]  # characters on one line, so that the bars have room on a phone
    figure.update_yaxes(tickvals=list(range(len(labels))), ticktext=names, autorange="reversed", showgrid=False)
    return figure
