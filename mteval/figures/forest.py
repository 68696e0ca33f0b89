"""The forest plot: how far each system is from the baseline, from best to worst, with both kinds of luck.

The forest plot of one claim: a row a test set, and the mean with what it holds for.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import isnan
from typing import Any

import plotly.graph_objects as go

from mteval.base.words import counted_part
from mteval.figures.style import FAINT, PALETTE, ROLE_COLORS, new_figure, padded_range, plain, short
from mteval.values.claim import LIKE_THESE, Claim
from mteval.values.notation import Notation, level, p_equals
from mteval.values.verdict import Conclusion, Ranking, Verdict

ROW_HEIGHT = 27
SYMBOLS: Mapping[Conclusion, str] = {
    Conclusion.BETTER: "triangle-up",
    Conclusion.WORSE: "triangle-down",
    Conclusion.HIGHER: "triangle-up-open",
    Conclusion.LOWER: "triangle-down-open",
    Conclusion.NOT_SHOWN: "circle-open",
    Conclusion.CANNOT_BE_SAID: "diamond-open",
}
THICK, THIN = 8, 2


def forest(verdicts: Sequence[Verdict], ranking: Ranking | None, confidence: float) -> go.Figure:
    """A row a system: the difference, a thick bar for luck with the test set, a thin one for both kinds of luck.

    Parameters
    ----------
    verdicts
        By one metric on one test set, one or more, in any order; those without a difference are not drawn.
    ranking
        By the same metric: its ranks stand on the right, its lines between groups are dotted.
    confidence
        Of the intervals.
    """
    known = sorted((one for one in verdicts if not isnan(one.difference)), key=lambda one: -one.improvement)
    n_better = sum(one.improvement > 0 for one in known)
    names = [one.system for one in known]
    names.insert(n_better, verdicts[0].baseline)
    rows = {name: row for row, name in enumerate(names)}
    figure = new_figure(height=130 + ROW_HEIGHT * len(names))
    traces = [trace for verdict in known for trace in _bars(verdict, rows[verdict.system], confidence)]
    for conclusion in Conclusion:
        traces.append(_points([one for one in known if one.conclusion is conclusion], conclusion, rows))
    figure.add_traces([*traces, _baseline(verdicts[0].baseline, n_better)])
    ends = [end for one in known for end in (one.difference, one.low, one.high, one.low_test_set, one.high_test_set)]
    dress(figure, verdicts[0].notation, verdicts[0].metric_name, [*rows], ends)
    if ranking is not None:
        _add_ranks(figure, ranking, rows)
    return figure


def _bars(verdict: Verdict, row: int, confidence: float) -> Iterator[dict[str, Any]]:
    notation, color = verdict.notation, ROLE_COLORS[verdict.conclusion.role]
    ends = ((verdict.low_test_set, verdict.high_test_set, THICK, 0.4), (verdict.low, verdict.high, THIN, 1.0))
    for (low, high, width, opacity), luck in zip(ends, ("test-set luck", "both kinds of luck"), strict=True):
        if not isnan(low):
            words = f"{plain(verdict.system)}, {level(confidence)} interval, {luck}: {notation.interval(low, high)}"
            yield bar((low, high), row, {"color": color, "width": width}, opacity, words)


def bar(ends: tuple[float, float], row: int, line: Mapping[str, Any], opacity: float, words: str) -> dict[str, Any]:
    """An interval as a line in a row, with words that are shown where it is pointed at."""
    return {
        "type": "scatter", "x": list(ends), "y": [row, row], "mode": "lines", "line": dict(line), "opacity": opacity,
        "hovertemplate": f"{words}<extra></extra>", "showlegend": False,
    }  # fmt: skip


def _points(verdicts: Sequence[Verdict], conclusion: Conclusion, rows: Mapping[str, int]) -> dict[str, Any]:
    """The systems of one verdict; without any it is not in the legend either."""
    color = ROLE_COLORS[conclusion.role]
    return {
        "type": "scatter",
        "x": [one.difference for one in verdicts],
        "y": [rows[one.system] for one in verdicts],
        "mode": "markers",
        "marker": {"symbol": SYMBOLS[conclusion], "size": 11, "color": color, "line": {"width": 2, "color": color}},
        "name": conclusion.word,
        "showlegend": bool(verdicts),
        "customdata": [_in_words(one) for one in verdicts],
        "hovertemplate": "%{customdata}<extra></extra>",
    }


def _in_words(verdict: Verdict) -> str:
    """A system with its difference, its verdict, the p that decides, and what was compared."""
    said = f"{plain(verdict.system)}: {verdict.notation.difference(verdict.difference)}, {verdict.conclusion.word}"
    if verdict.both != "refused":
        said += f", {p_equals(verdict.p_both_adjusted)}{' (adjusted)' if verdict.corrections else ''}"
    covered = verdict.coverage
    return said if covered is None else f"{said}, {counted_part(covered.n_segments, covered.of_segments, 'segment')}"


def _baseline(name: str, row: int) -> dict[str, Any]:
    return {"type": "scatter",
        "x": [0.0], "y": [row], "mode": "markers", "marker": {"symbol": "square", "size": 9, "color": FAINT},
        "name": "baseline", "hovertemplate": f"{plain(name)}, the baseline<extra></extra>",
    }  # fmt: skip


def dress(figure: go.Figure, notation: Notation, metric_name: str, names: Sequence[str], ends: Iterable[float]) -> None:
    """Axes, the line at zero, and which way is better; ``ends`` are the values drawn, NaN among them."""
    known = [0.0, *(end for end in ends if not isnan(end))]
    way = {"↑": "<br>better to the right", "↓": "<br>better to the left", "": ""}[notation.direction]
    title = plain(notation.axis(f"Difference in {metric_name}")) + way
    figure.add_vline(x=0, line={"color": FAINT, "width": 1.5})
    figure.update_xaxes(title_text=title, range=padded_range(min(known), max(known)), nticks=6)
    figure.update_yaxes(
        tickvals=list(range(len(names))),
        ticktext=[short(name) for name in names],
        range=[len(names) - 0.4, -0.6],
        showgrid=False,
    )
    figure.update_layout(
        showlegend=True,
        legend={"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "font": {"size": 13}},
        margin={"t": 38},
    )


def _add_ranks(figure: go.Figure, ranking: Ranking, rows: Mapping[str, int]) -> None:
    """The ranges of ranks in a column on the right, and lines between groups."""
    beside = {"xref": "paper", "x": 1, "xanchor": "left", "xshift": 8, "showarrow": False, "font": {"size": 13}}
    drawn = [row for row in ranking.rows if row.system in rows]
    figure.add_annotation(y=1, yref="paper", yanchor="bottom", text="ranks", **beside)
    for row in drawn:
        figure.add_annotation(y=rows[row.system], text=row.ranks, **beside)
    for above, below in pairwise(drawn):
        if above.group != below.group:
            at = (rows[above.system] + rows[below.system]) / 2
            figure.add_hline(y=at, line={"color": FAINT, "width": 1, "dash": "dot"})
    figure.update_layout(margin={"r": 64})


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
        figure.add_traces(list(_claim_bars(claim, row.test_set, place, ends, (PALETTE[0], level(confidence)))))
    of_mean = [(one.low, one.high) for one in claim.findings]
    figure.add_traces(list(_claim_bars(claim, WHOLE, whole, of_mean[:2], (color, level(confidence)))))
    if not isnan(of_mean[2][0]):
        figure.add_traces(list(_claim_bars(claim, LIKE_THESE, whole + 1, of_mean[1:], (color, level(confidence)))))
    places = [whole] if isnan(of_mean[2][0]) else [whole, whole + 1]
    figure.add_traces([_claim_points(claim, names, [row.difference for row in known]), _mean(claim, places, color)])
    drawn = [end for row in known for end in (row.low_test_set, row.high_test_set, row.low, row.high, row.difference)]
    labels = [*names, WHOLE, LIKE_THESE.capitalize()][: places[-1] + 1]
    dress(figure, claim.notation, claim.metric_name, labels, [*drawn, *(end for pair in of_mean for end in pair)])
    figure.add_hline(y=whole - 0.5, line={"color": ROLE_COLORS["open"], "width": 1, "dash": "dot"})
    return figure


def _claim_bars(
    claim: Claim, name: str, row: int, ends: Sequence[_Ends], look: tuple[str, str]
) -> Iterator[dict[str, Any]]:
    """The interval with less luck is thick, the one with more is thin; NaN is not drawn."""
    color, confidence = look
    for (low, high), width, opacity in zip(ends, (THICK, THIN), (0.4, 1.0), strict=True):
        if not isnan(low):
            words = f"{plain(name)}, {confidence} interval: {claim.notation.interval(low, high)}"
            yield bar((low, high), row, {"color": color, "width": width}, opacity, words)


def _claim_points(claim: Claim, names: Sequence[str], differences: Sequence[float]) -> dict[str, Any]:
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
