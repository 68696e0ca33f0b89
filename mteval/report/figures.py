"""The figures of a report and of the pages that show the same, and what other runs would show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import plotly.graph_objects as go

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
from mteval.answers.planner import plan_section
from mteval.answers.replication import Subject, spread_section
from mteval.answers.section import Section
from mteval.answers.variance import variance_section
from mteval.base.store import kept_beside
from mteval.figures.forest import claim_forest, forest
from mteval.figures.runs import run_histogram, run_strip
from mteval.figures.style import in_words, system_colors
from mteval.report.people import people_figures
from mteval.values.claim import Claim


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
    return in_words(run_strip(scores, summary, colors_of(results), spec.name, spec.notation), results.said)


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
    return in_words(run_histogram(scores, chosen, colors_of(results), spec.name, spec.notation), results.said)


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
    of_people = {} if results.people is None else people_figures(results.people)
    return figures | {f"people-{name}": figure for name, figure in of_people.items()}


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
