"""How often the median of k runs is near the mean of its system."""

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from mteval.figures.style import FAINT, SHARES, new_figure, plain, short
from mteval.notation import percent


def median_curves(median: pd.DataFrame, colors: Mapping[str, str], wanted: float) -> go.Figure:
    """One line a system for fresh runs, filled dots for the runs at hand, open ones for a second test set.

    Parameters
    ----------
    median
        Columns ``system, k, within, pool_within, elsewhere_within``; NaN draws no dot.
    colors
        From system to colour.
    wanted
        Share that counts as representative, drawn as a line.
    """
    figure = new_figure(height=380)
    figure.add_hline(y=wanted, line={"color": FAINT, "width": 1.5, "dash": "dash"})
    for system, rows in median.groupby("system", sort=False):
        color, name = colors[str(system)], short(str(system))
        for column, what, mode, symbol in (
            ("within", "fresh runs", "lines", "circle"),
            ("pool_within", "these runs", "markers", "circle"),
            ("elsewhere_within", "read on the other test set", "markers", "circle-open"),
        ):
            if rows[column].notna().any():
                figure.add_trace(
                    go.Scatter(
                        x=rows["k"], y=rows[column], mode=mode, name=f"{name}, {what}", line={"color": color},
                        marker={"symbol": symbol, "size": 9, "color": color},
                        customdata=[plain(percent(share)) for share in rows[column]],
                        hovertemplate=f"{name}, median of %{{x}}, {what}: %{{customdata}}<extra></extra>",
                    )
                )  # fmt: skip
    lowest = float(median[["within", "pool_within", "elsewhere_within"]].min().min())
    figure.update_layout(
        showlegend=True,
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": 14}},
    )
    most = int(median["k"].max())
    figure.update_xaxes(
        title_text="runs that the median is chosen from", range=[0.5, most + 0.5], tick0=1, dtick=max(1, -(-most // 15))
    )
    figure.update_yaxes(
        title_text="within half the difference", tickformat=SHARES, range=[min(0.5, lowest) - 0.05, 1.02]
    )
    return figure
