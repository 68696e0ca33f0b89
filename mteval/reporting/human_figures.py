"""The figures of what people said, on their page, in reports and for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial

import pandas as pd
import plotly.graph_objects as go

from mteval.analysis.people.beside import MEASURES
from mteval.analysis.people.gold import GOLD_TESTS, Gold
from mteval.analysis.people.human_evaluation import HumanEvaluation
from mteval.analysis.people.raters import RAW, rater_variance
from mteval.counts import counted
from mteval.errors import MtevalError
from mteval.export.people import percent
from mteval.export.prose.human_answers import rater_bars_sentence
from mteval.figures.estimates import Estimate, estimates
from mteval.figures.human import gold_matrix, rater_bars
from mteval.notation import fixed

Names = Mapping[str, str]
Shown = tuple[go.Figure, str]
MOST_DIFFERENCES = 12  # of which a figure shows where their variance comes from


def gold_figure(gold: Gold, level: float) -> go.Figure:
    """Which systems people tell apart, all pairs as a matrix."""
    return gold_matrix(gold.cells(level), gold.systems)


def accuracy_figure(accuracy: pd.DataFrame, names: Names) -> go.Figure:
    """How often tests conclude what people do at one level, a row a metric, a series a test."""
    return estimates(list(_accuracies(accuracy, names)), "Pairs concluded as people do, %")


def _accuracies(accuracy: pd.DataFrame, names: Names) -> Iterator[Estimate]:
    has_sides = accuracy["side"].nunique() > 1
    for row in accuracy[accuracy["n_pairs"] > 0].to_dict("records"):
        name, test = names[row["metric"]], GOLD_TESTS[row["procedure"]] + (f", {row['side']}" if has_sides else "")
        share, low, high = (100 * float(row[column]) for column in ("accuracy", "low", "high"))
        said = f"{name}, {test}: {row['correct']} of {counted(row['n_pairs'], 'pair')}, {percent(row['accuracy'])}%"
        yield Estimate(name, test, share, low, high, said)


def agreement_figure(frame: pd.DataFrame, measure: str, names: Names) -> go.Figure:
    """How metrics agree with people by one measure."""
    rows = frame[frame["measure"] == measure]
    return estimates(list(_agreements(rows, names)), MEASURES[measure])


def _agreements(rows: pd.DataFrame, names: Names) -> Iterator[Estimate]:
    for row in rows.to_dict("records"):
        name = names[row["metric"]]
        interval = f"{fixed(row['low'], 3)} to {fixed(row['high'], 3)}"
        said = f"{name}: {fixed(row['value'], 3)}, {interval}, cluster {row['rank']}"
        yield Estimate(name, "", row["value"], row["low"], row["high"], said)


def raters_figure(raters: pd.DataFrame) -> Shown | None:
    """Where the variance of the largest differences comes from, of raw judgements on segments, and what that says; None
    without answers.
    """
    rows = raters[(raters["form"] == RAW) & (raters["unit"] == "segment") & raters["p_value"].notna()]
    largest = rows.sort_values("difference", ascending=False, kind="stable").head(MOST_DIFFERENCES)
    variance = rater_variance(largest)
    if variance.empty:
        return None
    return rater_bars(variance, str(raters["scale"].iloc[0])), rater_bars_sentence(largest["one"].tolist())


def human_figures(people: HumanEvaluation) -> dict[str, Callable[[], go.Figure | None]]:
    """What draws each figure, by name; it gives None where the judgements have no answer."""
    level = people.choices.levels[0]
    figures: dict[str, Callable[[], go.Figure | None]] = {"gold": lambda: gold_figure(people.gold, level)}
    if people.scored:
        figures["tests"] = lambda: accuracy_figure(people.accuracy_at(level), people.names)
        figures |= {measure: partial(_agreement, people, measure) for measure in MEASURES}
    return {**figures, "raters": lambda: (raters_figure(people.raters) or (None,))[0]}


def _agreement(people: HumanEvaluation, measure: str) -> go.Figure:
    return agreement_figure(people.agreement.frame, measure, people.names)


def drawn_of_people(people: HumanEvaluation) -> dict[str, go.Figure]:
    """Those that a report shows, where the judgements have an answer."""
    figures: dict[str, go.Figure] = {}
    for name, draw in human_figures(people).items():
        with suppress(MtevalError):
            figure = draw()
            figures |= {} if figure is None else {f"people-{name}": figure}
    return figures
