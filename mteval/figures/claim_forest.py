"""The forest plot of one claim: a row a test set, and the mean with what it holds for."""

from collections.abc import Iterator, Sequence
from math import isnan
from typing import Any

import plotly.graph_objects as go

from mteval.claim import LIKE_THESE, Claim
from mteval.figures.forest import ROW_HEIGHT, SYMBOLS, THICK, THIN, bar, dress
from mteval.figures.style import PALETTE, ROLE_COLORS, new_figure, plain
from mteval.notation import level

WHOLE = "Mean"
_Ends = tuple[float, float]


def claim_forest(claim: Claim, confidence: float) -> go.Figure:
    """A row a test set with both intervals, then the mean, then the mean for test sets like these where it is known.

    Test sets by themselves are squares, since no verdict is given on them here; the mean has the verdict's mark.
    """
    known = [row for row in claim.rows if not isnan(row.difference)]
    names = [row.test_set for row in known]
    figure = new_figure(height=130 + ROW_HEIGHT * (len(names) + 2))
    color, whole = ROLE_COLORS[claim.conclusion.role], len(names)
    for place, row in enumerate(known):
        ends = ((row.low_test_set, row.high_test_set), (row.low, row.high))
        figure.add_traces(list(_bars(claim, row.test_set, place, ends, (PALETTE[0], level(confidence)))))
    of_mean = [(one.low, one.high) for one in claim.findings]
    figure.add_traces(list(_bars(claim, WHOLE, whole, of_mean[:2], (color, level(confidence)))))
    if not isnan(of_mean[2][0]):
        figure.add_traces(list(_bars(claim, LIKE_THESE, whole + 1, of_mean[1:], (color, level(confidence)))))
    places = [whole] if isnan(of_mean[2][0]) else [whole, whole + 1]
    figure.add_traces([_points(claim, names, [row.difference for row in known]), _mean(claim, places, color)])
    drawn = [end for row in known for end in (row.low_test_set, row.high_test_set, row.low, row.high, row.difference)]
    labels = [*names, WHOLE, LIKE_THESE.capitalize()][: places[-1] + 1]
    dress(figure, claim.notation, claim.metric_name, labels, [*drawn, *(end for pair in of_mean for end in pair)])
    figure.add_hline(y=whole - 0.5, line={"color": ROLE_COLORS["open"], "width": 1, "dash": "dot"})
    return figure


def _bars(claim: Claim, name: str, row: int, ends: Sequence[_Ends], look: tuple[str, str]) -> Iterator[dict[str, Any]]:
    """The interval with less luck is thick, the one with more is thin; NaN is not drawn."""
    color, confidence = look
    for (low, high), width, opacity in zip(ends, (THICK, THIN), (0.4, 1.0), strict=True):
        if not isnan(low):
            words = f"{plain(name)}, {confidence} interval: {claim.notation.interval(low, high)}"
            yield bar((low, high), row, {"color": color, "width": width}, opacity, words)


def _points(claim: Claim, names: Sequence[str], differences: Sequence[float]) -> dict[str, Any]:
    words = [f"{plain(name)}: {claim.notation.difference(one)}" for name, one in zip(names, differences, strict=True)]
    return {
        "type": "scatter", "x": list(differences), "y": list(range(len(names))), "mode": "markers",
        "marker": {"symbol": "square", "size": 9, "color": PALETTE[0]}, "name": "one test set",
        "customdata": words, "hovertemplate": "%{customdata}<extra></extra>",
    }  # fmt: skip


def _mean(claim: Claim, places: Sequence[int], color: str) -> dict[str, Any]:
    words = f"{WHOLE}: {claim.notation.difference(claim.difference)}, {claim.conclusion.word}"
    marker = {"symbol": SYMBOLS[claim.conclusion], "size": 12, "color": color, "line": {"width": 2, "color": color}}
    return {
        "type": "scatter", "x": [claim.difference] * len(places), "y": list(places), "mode": "markers",
        "marker": marker, "name": f"mean: {claim.conclusion.word}", "hovertemplate": f"{words}<extra></extra>",
    }  # fmt: skip
