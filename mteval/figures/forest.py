"""Forest plots: differences from the baseline with their intervals, per system or per test set of a claim."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import isnan
from typing import Any, NamedTuple

import plotly.graph_objects as go

from mteval.base.words import counted_part
from mteval.figures import style
from mteval.figures.colors import FAINT, PALETTE, ROLE_COLORS
from mteval.figures.style import plain
from mteval.values.claim import LIKE_THESE, Claim
from mteval.values.notation import Notation, level, p_equals
from mteval.values.verdict import Conclusion, Ranking, Verdict

ROW_HEIGHT = 38  # a name above its intervals, which so have the whole width of a phone
SYMBOLS: Mapping[Conclusion, str] = {
    Conclusion.BETTER: "triangle-up",
    Conclusion.WORSE: "triangle-down",
    Conclusion.HIGHER: "triangle-up-open",
    Conclusion.LOWER: "triangle-down-open",
    Conclusion.NOT_SHOWN: "circle-open",
    Conclusion.CANNOT_BE_SAID: "diamond-open",
}
SQUARE: Mapping[str, Any] = {"symbol": "square", "size": 9}  # what has no verdict of its own
THICK = (8, 0.4)  # width and opacity of the interval with less luck
THIN = (2, 1.0)  # of the one with more
MEAN = "Mean"


def forest(verdicts: Sequence[Verdict], ranking: Ranking | None, confidence: float) -> go.Figure:
    """Draw one row per system: the difference, a thick bar (test-set luck) and a thin bar (both).

    Parameters
    ----------
    verdicts
        By one metric on one test set, at least one, in any order. NaN differences are not drawn.
    ranking
        By the same metric: ranks on the right, dotted lines between groups.
    confidence
        Level of the intervals, for their labels.
    """
    known = [verdict for verdict in verdicts if not isnan(verdict.difference)]
    known.sort(key=lambda verdict: -verdict.improvement)
    n_better = sum(verdict.improvement > 0 for verdict in known)
    baseline = verdicts[0].baseline
    names = [verdict.system for verdict in known]
    names.insert(n_better, baseline)  # between better and worse systems
    row_of = {name: row for row, name in enumerate(names)}

    traces = []
    for verdict in known:
        label = f"{plain(verdict.system)}, {level(confidence)} CI"
        color = ROLE_COLORS[verdict.conclusion.role]
        row = row_of[verdict.system]
        traces += _bar(verdict.ends_test_set, row, color, THICK, f"{label}, test-set luck", verdict.notation)
        traces += _bar(verdict.ends_both, row, color, THIN, f"{label}, both", verdict.notation)
    # One trace per conclusion, which the legend names
    for conclusion in Conclusion:
        alike = [verdict for verdict in known if verdict.conclusion is conclusion]
        points = _points(
            [verdict.difference for verdict in alike],
            [row_of[verdict.system] for verdict in alike],
            [_in_words(verdict) for verdict in alike],
            [verdict.system for verdict in alike],
            marker=_mark(conclusion, 11),
            name=conclusion.word,
            showlegend=len(alike) > 0,
        )
        traces.append(points)
    baseline_text = f"{plain(baseline)} (baseline)"
    square = {**SQUARE, "color": FAINT}
    traces.append(_points([0.0], [n_better], [baseline_text], [baseline], marker=square, name="baseline"))

    ends = []
    for verdict in known:
        ends += [verdict.difference, *verdict.ends_test_set, *verdict.ends_both]
    figure = _with_rows(verdicts[0], names, ends, traces, len(names))
    if ranking is not None:
        _add_ranks(figure, ranking, row_of)
    return figure


class _Luck(NamedTuple):
    """The interval that some luck gives a difference, and the luck's name."""

    name: str
    ends: tuple[float, float]


class _Row(NamedTuple):
    """A row of the forest of a claim: its intervals with less and with more luck."""

    name: str
    color: str
    less_luck: _Luck
    more_luck: _Luck


def claim_forest(claim: Claim, confidence: float) -> go.Figure:
    """Draw one row per test set with both intervals, then the mean, then the mean for test sets like these if known.

    Single test sets are squares, since they get no verdict here; the mean has the mark of its verdict.
    """
    known = [on_one for on_one in claim.rows if not isnan(on_one.difference)]
    names = [on_one.test_set for on_one in known]
    these_runs, these_test_sets, like_these = [
        _Luck(finding.question, (finding.low, finding.high)) for finding in claim.findings
    ]
    is_like_these_known = not isnan(like_these.ends[0])
    color_of_mean = ROLE_COLORS[claim.conclusion.role]

    rows = []
    for on_one in known:
        test_set_luck = _Luck("test-set luck", (on_one.low_test_set, on_one.high_test_set))
        both = _Luck("both", (on_one.low, on_one.high))
        rows.append(_Row(on_one.test_set, PALETTE[0], test_set_luck, both))
    rows.append(_Row(MEAN, color_of_mean, these_runs, these_test_sets))
    if is_like_these_known:
        rows.append(_Row(LIKE_THESE, color_of_mean, these_test_sets, like_these))
    traces = []
    for index, row in enumerate(rows):
        label = f"{plain(row.name)}, {level(confidence)} CI"
        for luck, look in ((row.less_luck, THICK), (row.more_luck, THIN)):
            traces += _bar(luck.ends, index, row.color, look, f"{label}, {luck.name}", claim.notation)

    differences = [on_one.difference for on_one in known]
    words = [f"{plain(on_one.test_set)}: {claim.notation.difference(on_one.difference)}" for on_one in known]
    square = {**SQUARE, "color": PALETTE[0]}
    traces.append(_points(differences, range(len(names)), words, names, marker=square, name="one test set"))
    rows_of_mean = range(len(names), len(rows))
    word = claim.conclusion.word
    mean_text = f"{MEAN}: {claim.notation.difference(claim.difference)}, {word}"
    traces.append(
        _points(
            [claim.difference] * len(rows_of_mean),
            rows_of_mean,
            [mean_text] * len(rows_of_mean),
            marker=_mark(claim.conclusion, 12),
            name=f"mean: {word}",
        )
    )

    ends = list(differences)
    for row in rows:
        ends += [*row.less_luck.ends, *row.more_luck.ends]
    names_of_rows = [*names, MEAN]
    if is_like_these_known:
        names_of_rows.append(LIKE_THESE.capitalize())
    # The height is the same whether or not the last row is known
    figure = _with_rows(claim, names_of_rows, ends, traces, len(names) + 2)
    figure.add_hline(y=len(names) - 0.5, line={"color": ROLE_COLORS["open"], "width": 1, "dash": "dot"})
    return figure


def _bar(
    ends: tuple[float, float], row: int, color: str, look: tuple[int, float], label: str, notation: Notation
) -> list[dict[str, Any]]:
    """Return the trace of an interval as a line in a row; none for NaN."""
    low, high = ends
    width, opacity = look
    if isnan(low):
        return []
    trace = {
        "type": "scatter",
        "x": [low, high],
        "y": [row, row],
        "mode": "lines",
        "opacity": opacity,
        "line": {"color": color, "width": width},
        "showlegend": False,
        "hovertemplate": f"{label}: {notation.interval(low, high)}<extra></extra>",
    }
    return [trace]


def _points(
    x: Sequence[float], rows: Sequence[int], words: Iterable[str], names: Sequence[str] | None = None, **look: Any
) -> dict[str, Any]:
    """Return a trace of marks with their hover texts, and with the systems or test sets that clicks are about."""
    subjects = None
    if names is not None:
        subjects = [(name,) for name in names]
    return {"type": "scatter", "x": x, "y": list(rows), "mode": "markers", **look, **style.told(words, subjects)}


def _mark(conclusion: Conclusion, size: int) -> dict[str, Any]:
    """Return the look of the mark of a conclusion."""
    color = ROLE_COLORS[conclusion.role]
    return {"symbol": SYMBOLS[conclusion], "size": size, "color": color, "line": {"width": 2, "color": color}}


def _in_words(verdict: Verdict) -> str:
    """Return a system's difference, verdict, deciding p-value and coverage as hover text."""
    difference = verdict.notation.difference(verdict.difference)
    text = f"{plain(verdict.system)}: {difference}, {verdict.conclusion.word}"
    if verdict.is_of_test_set:
        label = "adjusted " if verdict.p_test_set_adjusted != verdict.p_test_set else ""
        text += f", {label}{p_equals(verdict.p_test_set_adjusted)} (test set)"
    elif verdict.both != "refused":
        label = "adjusted " if verdict.corrections else ""
        text += f", {label}{p_equals(verdict.p_run_adjusted)}"
    coverage = verdict.coverage
    if coverage is not None:
        text += f", {counted_part(coverage.n_segments, coverage.of_segments, 'segment')}"
    return text


def _with_rows(
    subject: Verdict | Claim,
    names: Sequence[str],
    ends: Sequence[float],
    traces: Sequence[dict[str, Any]],
    n_rows: int,
) -> go.Figure:
    """Return a figure with axes, a line at zero and the better direction.

    ``ends`` are all values drawn, ``n_rows`` determines the height.
    """
    figure = style.new_figure(130 + ROW_HEIGHT * n_rows, showlegend=True, legend=style.legend(1), margin={"t": 38})
    figure.add_traces(traces)
    known = [0.0, *(end for end in ends if not isnan(end))]
    title = plain(subject.notation.axis(f"Difference in {subject.metric_name}"))
    if subject.notation.direction == "↑":
        title += "<br>right is better"
    elif subject.notation.direction == "↓":
        title += "<br>left is better"
    # The line at zero is beside the intervals only, so that it crosses no name
    zero = {"type": "line", "x0": 0, "x1": 0, "line": {"color": FAINT, "width": 1.5}}
    figure.layout.shapes = [{**zero, "y0": row - 0.05, "y1": row + 0.45} for row in range(len(names))]
    figure.update_xaxes(title_text=title, range=style.padded_range(min(known), max(known)), nticks=6, tickangle=0)
    short_names = [style.short(name) for name in names]
    style.name_rows(figure, short_names)
    # Names are above their intervals, not beside the axis
    figure.update_yaxes(showticklabels=False, range=[len(names) - 0.5, -0.8])
    above_row = {"x": 0, "xref": "paper", "xanchor": "left", "yanchor": "bottom", "yshift": 4}
    look = {"showarrow": False, "font": {"size": 13}}
    figure.layout.annotations = [{"text": name, "y": row, **above_row, **look} for row, name in enumerate(short_names)]
    return figure


def _add_ranks(figure: go.Figure, ranking: Ranking, rows: Mapping[str, int]) -> None:
    """Add rank ranges in a column on the right, and lines between groups."""
    column = {"xref": "paper", "x": 1, "xanchor": "left", "xshift": 8, "showarrow": False, "font": {"size": 13}}
    drawn = [ranked for ranked in ranking.rows if ranked.system in rows]
    ranks = [{"y": 1, "yref": "paper", "yanchor": "bottom", "text": "Ranks", **column}]
    for ranked in drawn:
        ranks.append({"y": rows[ranked.system], "text": ranked.ranks, **column})
    line = {"type": "line", "x0": 0, "x1": 1, "xref": "x domain", "line": {"color": FAINT, "width": 1, "dash": "dot"}}
    lines = []
    for above, below in pairwise(drawn):
        if above.group != below.group:
            height = 0.66 * rows[above.system] + 0.34 * rows[below.system]  # above the name of the row below
            lines.append({"y0": height, "y1": height, "yref": "y", **line})
    # All at once: Plotly checks those that are there again when one is added
    figure.layout.annotations = [*figure.layout.annotations, *ranks]
    figure.layout.shapes = [*figure.layout.shapes, *lines]
    figure.update_layout(margin={"r": 64})
