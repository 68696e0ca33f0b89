"""Forest plots: differences from the baseline with their intervals, per system or per test set of a claim."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from math import isnan
from typing import Any

import plotly.graph_objects as go

from mteval.base.words import counted_part
from mteval.figures import style
from mteval.figures.colors import PALETTE
from mteval.figures.style import FAINT, ROLE_COLORS, plain
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
LOOKS = ((8, 0.4), (2, 1.0))  # width and opacity of the interval with less luck, and of the one with more
WHOLE = "Mean"
_Ends = tuple[float, float]


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
    known = sorted((one for one in verdicts if not isnan(one.difference)), key=lambda one: -one.improvement)
    n_better = sum(one.improvement > 0 for one in known)
    names = [one.system for one in known]
    names.insert(n_better, verdicts[0].baseline)
    rows = {name: row for row, name in enumerate(names)}
    traces: list[dict[str, Any]] = []
    for one in known:
        what, color = f"{plain(one.system)}, {level(confidence)} CI", ROLE_COLORS[one.conclusion.role]
        of_luck = [(f"{what}, test-set luck", one.ends_test_set), (f"{what}, both", one.ends_both)]
        traces += _bars(of_luck, rows[one.system], color, one.notation)
    for conclusion in Conclusion:
        alike = [one for one in known if one.conclusion is conclusion]
        points = [one.difference for one in alike], [rows[one.system] for one in alike], map(_in_words, alike)
        traces.append(_points(*points, marker=_mark(conclusion, 11), name=conclusion.word, showlegend=bool(alike)))
    said = [f"{plain(verdicts[0].baseline)} (baseline)"]
    traces.append(_points([0.0], [n_better], said, marker={**SQUARE, "color": FAINT}, name="baseline"))
    ends = [end for one in known for end in (one.difference, *one.ends_test_set, *one.ends_both)]
    figure = _dressed(verdicts[0], [*rows], ends, traces)
    if ranking is not None:
        _add_ranks(figure, ranking, rows)
    return figure


def claim_forest(claim: Claim, confidence: float) -> go.Figure:
    """Draw one row per test set with both intervals, then the mean, then the mean for test sets like these if known.

    Single test sets are squares, since they get no verdict here; the mean has the mark of its verdict.
    """
    known = [row for row in claim.rows if not isnan(row.difference)]
    names = [row.test_set for row in known]
    of_mean = [(one.low, one.high) for one in claim.findings]
    lines = [(row.test_set, PALETTE[0], [(row.low_test_set, row.high_test_set), (row.low, row.high)]) for row in known]
    lines.append((WHOLE, ROLE_COLORS[claim.conclusion.role], of_mean[:2]))
    if not isnan(of_mean[2][0]):
        lines.append((LIKE_THESE, lines[-1][1], of_mean[1:]))
    traces: list[dict[str, Any]] = []
    for place, (name, color, ends) in enumerate(lines):
        words = f"{plain(name)}, {level(confidence)} CI"
        traces += _bars(((words, one) for one in ends), place, color, claim.notation)
    differences = [row.difference for row in known]
    told = [f"{plain(row.test_set)}: {claim.notation.difference(row.difference)}" for row in known]
    square = {**SQUARE, "color": PALETTE[0]}
    traces.append(_points(differences, range(len(names)), told, marker=square, name="one test set"))
    places, said = range(len(names), len(lines)), claim.conclusion.word
    of_whole = [f"{WHOLE}: {claim.notation.difference(claim.difference)}, {said}"] * len(places)
    mark = _mark(claim.conclusion, 12)
    traces.append(_points([claim.difference] * len(places), places, of_whole, marker=mark, name=f"mean: {said}"))
    drawn = [*differences, *chain.from_iterable(chain.from_iterable(ends for _, _, ends in lines)), *of_mean[2]]
    figure = _dressed(claim, [*names, WHOLE, LIKE_THESE.capitalize()][: len(lines)], drawn, traces, len(names) + 2)
    figure.add_hline(y=len(names) - 0.5, line={"color": ROLE_COLORS["open"], "width": 1, "dash": "dot"})
    return figure


def _bars(named: Iterable[tuple[str, _Ends]], row: int, color: str, notation: Notation) -> Iterator[dict[str, Any]]:
    """Yield intervals as lines in one row, the one with less luck first; skip NaN."""
    for (words, (low, high)), (width, opacity) in zip(named, LOOKS, strict=True):
        if not isnan(low):
            yield {
                "type": "scatter", "x": [low, high], "y": [row, row], "mode": "lines", "opacity": opacity,
                "line": {"color": color, "width": width}, "showlegend": False,
                "hovertemplate": f"{words}: {notation.interval(low, high)}<extra></extra>",
            }  # fmt: skip


def _points(x: Sequence[float], rows: Sequence[int], words: Iterable[str], **look: Any) -> dict[str, Any]:
    return {"type": "scatter", "x": x, "y": list(rows), "mode": "markers", **look, **style.told(words)}


def _mark(conclusion: Conclusion, size: int) -> dict[str, Any]:
    color = ROLE_COLORS[conclusion.role]
    return {"symbol": SYMBOLS[conclusion], "size": size, "color": color, "line": {"width": 2, "color": color}}


def _in_words(verdict: Verdict) -> str:
    """Return a system's difference, verdict, deciding p-value and coverage as hover text."""
    said = f"{plain(verdict.system)}: {verdict.notation.difference(verdict.difference)}, {verdict.conclusion.word}"
    if verdict.is_of_test_set:
        said += f", {p_equals(verdict.p_test_set_adjusted)} (test set)"
    elif verdict.both != "refused":
        said += f", {p_equals(verdict.p_both_adjusted)}{' (adjusted)' if verdict.corrections else ''}"
    covered = verdict.coverage
    return said if covered is None else f"{said}, {counted_part(covered.n_segments, covered.of_segments, 'segment')}"


def _dressed(
    about: Verdict | Claim,
    names: Sequence[str],
    ends: Iterable[float],
    traces: Sequence[dict[str, Any]],
    n_rows: int | None = None,
) -> go.Figure:
    """Return a figure with axes, a line at zero and the better direction; ``ends`` are all values drawn."""
    figure = style.new_figure(
        130 + ROW_HEIGHT * (n_rows or len(names)), showlegend=True, legend=style.legend(1), margin={"t": 38}
    ).add_traces(traces)
    known = [0.0, *(end for end in ends if not isnan(end))]
    way = {"↑": "<br>right is better", "↓": "<br>left is better", "": ""}[about.notation.direction]
    title = plain(about.notation.axis(f"Difference in {about.metric_name}")) + way
    figure.add_vline(x=0, line={"color": FAINT, "width": 1.5})
    figure.update_xaxes(title_text=title, range=style.padded_range(min(known), max(known)), nticks=6, tickangle=0)
    shown = [style.short(name) for name in names]
    style.name_rows(figure, shown)
    figure.update_yaxes(showticklabels=False, range=[len(names) - 0.5, -0.8])
    for row, name in enumerate(shown):
        figure.add_annotation(
            text=name, x=0, xref="paper", xanchor="left", y=row, yanchor="bottom", yshift=4,
            showarrow=False, font={"size": 13},
        )  # fmt: skip
    return figure


def _add_ranks(figure: go.Figure, ranking: Ranking, rows: Mapping[str, int]) -> None:
    """Add rank ranges in a column on the right, and lines between groups."""
    beside = {"xref": "paper", "x": 1, "xanchor": "left", "xshift": 8, "showarrow": False, "font": {"size": 13}}
    drawn = [row for row in ranking.rows if row.system in rows]
    figure.add_annotation(y=1, yref="paper", yanchor="bottom", text="Ranks", **beside)
    for row in drawn:
        figure.add_annotation(y=rows[row.system], text=row.ranks, **beside)
    for above, below in pairwise(drawn):
        if above.group != below.group:
            at = 0.66 * rows[above.system] + 0.34 * rows[below.system]  # above the name of the row below
            figure.add_hline(y=at, line={"color": FAINT, "width": 1, "dash": "dot"})
    figure.update_layout(margin={"r": 64})
