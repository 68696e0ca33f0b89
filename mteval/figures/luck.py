"""The experiments drawn so far, one block each, coloured by what would have been concluded.

Clark et al.'s Table 2 as a picture: the p-values that other draws of runs would have given, by procedure.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from mteval.base.words import all_counted, counted
from mteval.figures.style import FAINT, PALETTE, new_figure, plain
from mteval.values.notation import Notation, as_typed, p_value
from mteval.values.run_words import RUN, RunWord

COLORS = {"better": PALETTE[0], "open": FAINT, "worse": PALETTE[1]}
N_BINS = 36


def luck_histogram(
    drawn: pd.DataFrame,
    extent: tuple[float, float],
    expected: float,
    quantity: str,
    notation: Notation,
    runs: RunWord = RUN,
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
    runs
        What a run is called.
    """
    edges = _edges(min(extent[0], 0.0), max(extent[1], 0.0))
    counts = {key: _counts(drawn, key, edges) for key in COLORS}
    tallest = max(5.0, float(np.sum(list(counts.values()), axis=0).max()) * 1.15)
    figure = new_figure(height=340)
    for key, values in counts.items():
        figure.add_trace(_bars(key, values, edges, notation))
    figure.add_vline(x=0, line={"color": FAINT, "width": 1.5})
    figure.add_vline(x=expected, line={"color": FAINT, "width": 1.5, "dash": "dash"})
    figure.add_annotation(x=expected, y=1, yref="paper", yanchor="bottom", text=f"all {runs.nouns}", showarrow=False)
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


ROW_HEIGHT = 26
SMALLEST = 1e-4  # smaller p-values stand at this end of the axis


def p_value_ranges(published: pd.DataFrame, names: Mapping[str, str], level: float, runs: RunWord = RUN) -> go.Figure:
    """The middle 95% of p as a bar with the median as a dot, one block a case, one row a procedure, on a log axis.

    Parameters
    ----------
    published
        Columns ``n, baseline_run, system_run, procedure, p_low, p_median, p_high, n_draws``; NaN draws nothing and
        leaves out the row.
    names
        From procedure to its name on the axis.
    level
        Where a vertical line stands: smaller p-values are called significant.
    runs
        What a run is called.
    """
    colors = {key: PALETTE[index % len(PALETTE)] for index, key in enumerate(names)}
    figure = new_figure(height=60)
    ticks: list[tuple[float, str]] = []
    y = 0.0
    for title, rows in _cases(published, runs):
        figure.add_annotation(
            x=0, xref="paper", xanchor="left", y=y, yanchor="middle", text=f"<b>{title}</b>", showarrow=False
        )
        y += 1
        for row in rows:
            figure.add_trace(_bar(row, y, colors[row["procedure"]], f"{title}, {names[row['procedure']]}"))
            ticks.append((y, names[row["procedure"]]))
            y += 1
        y += 0.3
    figure.add_vline(x=level, line={"color": FAINT, "width": 1.5, "dash": "dash"})
    figure.update_layout(height=round(80 + ROW_HEIGHT * y))
    ticks_at = [1e-4, 1e-3, 1e-2, level, 0.1, 1]
    figure.update_xaxes(
        type="log", range=[np.log10(SMALLEST) - 0.1, 0.05], tickvals=ticks_at, title_text="p-value",
        ticktext=["≤ 0.0001", "0.001", "0.01", as_typed(round(level, 8)), "0.1", "1"],
    )  # fmt: skip
    figure.update_yaxes(
        tickvals=[height for height, _ in ticks], ticktext=[name for _, name in ticks], range=[y - 0.3, -0.7],
        showgrid=False,
    )  # fmt: skip
    return figure


def _cases(published: pd.DataFrame, runs: RunWord) -> Iterator[tuple[str, Sequence[Mapping[Any, Any]]]]:
    """Blocks of rows with their titles; those that no procedure answers are left out."""
    answered = published[published["p_median"].notna()]
    for (n, baseline, system), rows in answered.groupby(["n", "baseline_run", "system_run"], sort=False):
        yield (
            _title(int(str(n)), str(baseline), str(system), int(rows["n_draws"].iloc[0]), runs),
            rows.to_dict("records"),
        )


def _title(n: int, baseline: str, system: str, n_draws: int, runs: RunWord) -> str:
    """What a block is about; single runs are told by their place among all."""
    each = f"{counted(n, runs.noun)} each"
    if baseline == "random":
        return f"{each}, {counted(n_draws, 'random draw')}"
    if baseline == "all":
        return f"{each}, {all_counted(n_draws, 'combination')}"
    only = f"one {runs.noun} each"
    return f"{only}, the only ones" if baseline == "only" else f"{only}: {baseline} against {system}"


def _bar(row: Mapping[Any, Any], y: float, color: str, name: str) -> go.Scatter:
    low, middle, high = (max(float(row[key]), SMALLEST) for key in ("p_low", "p_median", "p_high"))
    low_p, middle_p, high_p = (plain(p_value(row[key], 4)) for key in ("p_low", "p_median", "p_high"))
    return go.Scatter(
        x=[low, middle, high],
        y=[y] * 3,
        mode="lines+markers",
        line={"color": color, "width": 7 if low < high else 0},
        marker={"color": color, "size": [0, 13, 0], "opacity": 1},
        opacity=0.85,
        hovertemplate=f"{name}: {low_p} to {high_p}, median {middle_p}<extra></extra>",
    )
