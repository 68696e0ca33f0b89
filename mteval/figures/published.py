"""Clark et al.'s Table 2 as a picture: the p-values that other draws of runs would have given, by procedure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from mteval.counts import all_counted, counted
from mteval.figures.style import FAINT, PALETTE, new_figure, plain
from mteval.notation import as_typed, p_value

ROW_HEIGHT = 26
SMALLEST = 1e-4  # smaller p-values stand at this end of the axis


def p_value_ranges(published: pd.DataFrame, names: Mapping[str, str], level: float) -> go.Figure:
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
    """
    colors = {key: PALETTE[index % len(PALETTE)] for index, key in enumerate(names)}
    figure = new_figure(height=60)
    ticks: list[tuple[float, str]] = []
    y = 0.0
    for title, rows in _cases(published):
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


def _cases(published: pd.DataFrame) -> Iterator[tuple[str, Sequence[Mapping[Any, Any]]]]:
    """Blocks of rows with their titles; those that no procedure answers are left out."""
    answered = published[published["p_median"].notna()]
    for (n, baseline, system), rows in answered.groupby(["n", "baseline_run", "system_run"], sort=False):
        yield _title(str(n), str(baseline), str(system), int(rows["n_draws"].iloc[0])), rows.to_dict("records")


def _title(n: str, baseline: str, system: str, n_draws: int) -> str:
    """What a block is about; single runs are told by their place among all."""
    each = f"{n} run{'' if n == '1' else 's'} each"
    if baseline == "random":
        return f"{each}, {counted(n_draws, 'random draw')}"
    if baseline == "all":
        return f"{each}, {all_counted(n_draws, 'combination')}"
    return "one run each, the only ones" if baseline == "only" else f"one run each: {baseline} against {system}"


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
