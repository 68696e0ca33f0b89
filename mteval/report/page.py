"""A report as one HTML file: a list of sections, rendered one after another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import plotly.graph_objects as go

from mteval.analysis.replication.planning import (
    RUNS_PLANNED,
    plan_from,
    plan_of_looks,
    planned_sizes,
    power_frame,
    replication,
    usual_wish,
)
from mteval.analysis.replication.pool import Prospect
from mteval.analysis.results import Results
from mteval.answers import runs, scores
from mteval.answers.borrowed import borrowed_note, borrowed_section
from mteval.answers.claims import TITLE, claim_sections
from mteval.answers.equality import halvings_section
from mteval.answers.gold import judged_extent
from mteval.answers.methods import halves_sentences, methods_section
from mteval.answers.planner import plan_section
from mteval.answers.procedures import simultaneous_section
from mteval.answers.ranking import verdict_section
from mteval.answers.replication import Subject, spread_section
from mteval.answers.section import Section
from mteval.answers.variance import variance_section
from mteval.base.store import kept_beside
from mteval.base.words import counted
from mteval.figures.forest import claim_forest
from mteval.render.html import html_page
from mteval.report.people import people_figures, people_sections
from mteval.values.claim import Claim

_QUESTION = (
    "Is a system really better than the baseline, once luck with the test set and luck with training are both accounted"
    " for?"
)


def html_report(results: Results) -> str:
    """Answers, table, figures, methods, settings, versions; systems are shown by their keys."""
    baseline, *others = (system.key for system in results.experiment.systems)
    who = counted(len(others), "system") if results.has_many_systems else ", ".join(others)
    title = f"{who} against {baseline}" if others else baseline
    return html_page(f"{title} on {results.test_set.name}", _QUESTION, sections(results))


def sections(results: Results) -> list[Section]:
    """What a report says, in order."""
    first, *others = (metric_section(results, metric) for metric in results.metrics)
    tables = (*scores.scores_sections(results), scores.columns_section(results))
    everything = [
        first,
        Section("all-metrics", f"All metrics on {results.test_set.name}", parts=tables),
        runs.spreads_section(results),
        *others,
        runs.samples_section(results),
        *_claims(results),
        *_people(results),
        *other_test_sets(results),
        methods_section(results),
        settings_section(results),
    ]
    return [one for one in everything if one is not None]


def metric_section(results: Results, metric: str) -> Section:
    """Everything by one metric: verdicts, what stands beside them, the runs, and what others would show."""
    is_primary = metric == results.metrics[0]
    parts = [verdict_section(results, metric), *(_beside(results, metric) if is_primary else ())]
    if runs.shows_runs(results):
        histogram = runs.histogram_section(results, metric)
        parts += [runs.runs_section(results, metric), *([] if histogram is None else [histogram])]
        parts += prospect_sections(results, metric)
    title = f"{results.spec(metric).name}{', the primary metric' if is_primary else ''}"
    return Section(metric, title, parts=tuple(parts))


def _beside(results: Results, metric: str) -> Iterator[Section]:
    """Intervals that hold together for all systems, variances that borrow, the verdict on halves of one's runs."""
    evaluation, word, spec = results.evaluation, results.run_word, results.spec(metric)
    confidence, baseline = results.settings.confidence, results.experiment.baseline
    frame = results.rows(evaluation.simultaneous, metric)
    if not frame.empty:
        yield simultaneous_section(frame, spec.notation, confidence)
    frame = results.rows(evaluation.sensitivity, metric)
    if not frame.empty:
        found = borrowed_section(frame, spec, baseline, 1 - confidence, borrowed_note(word), runs=word)
        yield replace(found, title=word.filled("{Run} variances that borrow"), is_detail=True)
    halves = halves_sentences(results)
    if halves:
        yield replace(halvings_section(halves, word), title=word.filled("Halves of these {runs}"), is_detail=True)


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
    yield plan_section(about, plan_from(prospect, variation, wish), power, looks)


def claims_shown(results: Results) -> list[Claim]:
    """Over several test sets by the primary metric; of many systems those that are shown to differ."""
    primary = [claim for claim in results.evaluation.claims if claim.metric == results.metrics[0]]
    return [claim for claim in primary if claim.conclusion.is_shown or not results.has_many_systems]


def _claims(results: Results) -> Iterator[Section]:
    """All test sets together, where there are several."""
    claims = claims_shown(results)
    if claims:
        parts = tuple(claim_sections(claims, results.settings.confidence))
        yield Section("claims", TITLE, parts=parts)


def _people(results: Results) -> Iterator[Section]:
    """What people said, where judgements were loaded."""
    if results.people is not None:
        parts = tuple(people_sections(results.people))
        yield Section("people", "People", (judged_extent(results.people.given),), parts=parts)


def other_test_sets(results: Results) -> Iterator[Section]:
    """The other test sets, each with its table."""
    for test_set in results.experiment.test_sets:
        if test_set.name != results.test_set.name:
            shown = scores.scores_of(results.on(test_set))
            yield Section(f"on-{test_set.name}", f"{test_set.name} ({test_set.role})", table=shown)


def figures_of(results: Results) -> dict[str, Callable[[], go.Figure]]:
    """What draws each figure of the metrics and of the claims, by name."""
    sections = [inner for metric in results.metrics for inner in metric_section(results, metric).all]
    figures = {one.key: one.figure for one in sections if one.figure is not None}
    for claim in claims_shown(results):
        several = f"-{claim.system}" if len(results.systems) > 2 else ""
        figures[f"{claim.metric}-claim{several}"] = partial(claim_forest, claim, results.settings.confidence)
    return figures


def report_figures(results: Results) -> dict[str, go.Figure]:
    """All figures by name; of those about people the ones that their judgements have an answer for."""
    figures = {name: draw() for name, draw in figures_of(results).items()}
    return figures if results.people is None else {**figures, **people_figures(results.people)}


def settings_section(results: Results) -> Section:
    """What decides the numbers."""
    evaluation = results.evaluation
    parts = {
        "settings": ("", {name: _shown(value) for name, value in evaluation.settings.deciding.items()}),
        "signatures": ("Signatures", results.signatures),
        "versions": ("Versions", evaluation.versions),
    }
    return Section(
        "about",
        "Settings and versions",
        parts=tuple(Section(key, title, terms=tuple(pairs.items())) for key, (title, pairs) in parts.items()),
    )


def _shown(value: Any) -> str:
    """A setting in words."""
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, Mapping):
        changed = [f"{metric} {name}: {one}" for metric, options in value.items() for name, one in options.items()]
        return ", ".join(changed) or "as in the convention"
    return str(value)
