"""The figures of a report and of the pages that show the same, and what other runs would show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

import pandas as pd
import plotly.graph_objects as go

from mteval.analysis.people.gold import GOLD_TESTS, Gold
from mteval.analysis.people.human_evaluation import HumanEvaluation
from mteval.analysis.people.meta import MEASURES
from mteval.analysis.people.raters import RAW, rater_variance
from mteval.analysis.replication.differences import replication
from mteval.analysis.replication.planning import (
    RUNS_PLANNED,
    Prospect,
    plan_from,
    plan_of_looks,
    planned_sizes,
    power_frame,
    usual_wish,
)
from mteval.analysis.results import Results
from mteval.answers.people import percent, rater_bars_sentence
from mteval.answers.planner import plan_section
from mteval.answers.replication import Subject, spread_section
from mteval.answers.section import Section
from mteval.answers.variance import variance_section
from mteval.base.errors import MtevalError
from mteval.base.store import kept_beside
from mteval.base.words import counted
from mteval.figures.forest import claim_forest, forest
from mteval.figures.people import Estimate, estimates, gold_matrix, rater_bars
from mteval.figures.runs import run_histogram, run_strip
from mteval.figures.style import system_colors
from mteval.values.claim import Claim
from mteval.values.notation import fixed

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


@kept_beside  # the page of a report and its files show the same ones
def prospect_sections(results: Results, metric: str) -> list[Section]:
    """What other runs would show and what it would take: of each system the difference, its variance and the power."""
    here = (results.test_set.name, metric)
    prospects = [one for one in results.evaluation.prospects if (one.test_set, one.metric) == here]
    order = tuple(system.key for system in results.experiment.systems)
    n_compared = len(results.systems) - 1
    found: list[Section] = []
    for prospect in prospects:
        about = Subject(prospect, results.spec(metric), results.settings, order=order)
        for section in _prospect(about, prospect, n_compared):
            one = replace(section, key=f"{metric}-{section.key}")
            if n_compared > 1:  # which system is said where there are several
                one = replace(one, key=f"{one.key}-{prospect.system}", title=f"{prospect.system}: {one.title}")
            found.append(one)
    return found


def _prospect(about: Subject, prospect: Prospect, n_compared: int) -> Iterator[Section]:
    settings, variation, n_units = about.settings, prospect.variation, prospect.n_units
    yield spread_section(about, replication(prospect, settings, min(prospect.sizes)))
    yield variance_section(about, variation)
    wish = usual_wish(about.notation, settings, n_compared)
    power = power_frame(variation.sources, RUNS_PLANNED, planned_sizes(n_units), wish)
    looks = None
    if settings.look_plan is not None:
        looks = plan_of_looks(variation.sources, n_units, wish, settings.look_plan, n_compared)
    yield plan_section(about, plan_from(prospect, variation, wish), power, prospect.unit, looks)


Draw = Callable[[], go.Figure]
FEWEST_IN_HISTOGRAM = 5  # runs


def strip_figure(results: Results, metric: str) -> go.Figure:
    """Every run's score by one metric, with both kinds of spread."""
    order = [system.key for system in results.experiment.systems]
    summary = results.rows(results.evaluation.summary, metric)
    summary = summary.sort_values("system", key=lambda column: column.map(order.index))
    scores, spec = results.rows(results.evaluation.scores, metric), results.spec(metric)
    return run_strip(scores, summary, colors_of(results), spec.name, spec.notation, results.run_word)


@kept_beside  # the page of a report and its files show the same ones
def forest_figure(results: Results, metric: str) -> go.Figure:
    """How far each system is from the baseline by one metric, with both kinds of luck; ranks by the primary one."""
    ranking = results.ranking
    return forest(
        results.verdicts(metric),
        ranking if ranking is not None and ranking.metric == metric else None,
        results.settings.confidence,
    )


def histogram_figure(results: Results, metric: str, systems: Sequence[str] | None = None) -> go.Figure:
    """Clark et al.'s Figure 1: run scores of the systems, of all where none is named."""
    chosen = results.systems if systems is None else systems
    scores, spec = results.rows(results.evaluation.scores, metric), results.spec(metric)
    return run_histogram(scores, chosen, colors_of(results), spec.name, spec.notation, results.run_word)


def shows_runs(results: Results) -> bool:
    """Whether the runs show what the forest does not; many systems with one run each show no more."""
    return not results.has_many_systems or max(results.run_counts) > 1


def shows_histogram(results: Results) -> bool:
    """Whether a system has so many runs that their counts have a shape."""
    return max(results.run_counts) >= FEWEST_IN_HISTOGRAM


def claims_shown(results: Results) -> list[Claim]:
    """Over several test sets by the primary metric; of many systems those that are shown to differ."""
    primary = [claim for claim in results.evaluation.claims if claim.metric == results.metrics[0]]
    return [claim for claim in primary if claim.conclusion.is_shown or not results.has_many_systems]


def report_figures(results: Results) -> dict[str, go.Figure]:
    """All figures by name; of those about people the ones that their judgements have an answer for."""
    figures = {name: draw() for name, draw in figures_to_draw(results).items()}
    return figures if results.people is None else {**figures, **drawn_of_people(results.people)}


def figures_to_draw(results: Results) -> dict[str, Draw]:
    """What draws each figure, by name; for each metric: of many systems the forest, the runs, their histogram, other
    runs."""
    figures: dict[str, Draw] = {}
    for metric in results.metrics:
        if results.has_many_systems and results.verdicts(metric):
            figures[f"{metric}-forest"] = partial(forest_figure, results, metric)
        if shows_runs(results):
            figures[f"{metric}-runs"] = partial(strip_figure, results, metric)
        if shows_histogram(results):
            figures[f"{metric}-histogram"] = partial(histogram_figure, results, metric)
        figures |= {one.key: one.figure for one in prospect_sections(results, metric) if one.figure is not None}
    for claim in claims_shown(results):
        several = f"-{claim.system}" if len(results.systems) > 2 else ""
        figures[f"{claim.metric}-claim{several}"] = partial(claim_forest, claim, results.settings.confidence)
    return figures


def colors_of(results: Results) -> dict[str, str]:
    """The colour of each system."""
    return dict(system_colors([system.key for system in results.experiment.systems]))
