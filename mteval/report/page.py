"""A report as one HTML file: a list of sections, rendered one after another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from mteval.analysis.results import Results
from mteval.answers import procedures, runs, scores
from mteval.answers.gold import judged_extent
from mteval.answers.methods import halves_sentences, methods_section
from mteval.answers.ranking import verdict_section
from mteval.answers.section import Column, Section, Table, noted
from mteval.base.words import counted
from mteval.figures.forest import claim_forest
from mteval.render.html import Chapter, html_page
from mteval.report.cards import TITLE, claim_parts
from mteval.report.figures import prospects_shown
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
    return html_page(f"{title} on {results.test_set.name}", _QUESTION, chapters(results))


def chapters(results: Results) -> list[Section | Chapter]:
    """What a report says, in order."""
    first, *others = (metric_section(results, metric) for metric in results.metrics)
    everything: list[Section | Chapter | None] = [
        first,
        Section(
            "all-metrics",
            f"All metrics on {results.test_set.name}",
            parts=(*scores.scores_sections(results), scores.columns_section(results)),
        ),
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


def sections(results: Results) -> list[Section]:
    """The same without what is not made of sections."""
    return [one for one in chapters(results) if isinstance(one, Section)]


def metric_section(results: Results, metric: str) -> Section:
    """Everything by one metric: verdicts, what stands beside them, the runs, and what others would show."""
    is_primary = metric == results.metrics[0]
    parts = [verdict_section(results, metric), *(_beside(results, metric) if is_primary else ())]
    if runs.shows_runs(results):
        histogram = runs.histogram_section(results, metric)
        parts += [runs.runs_section(results, metric), *([] if histogram is None else [histogram])]
        parts += [
            Section(name, "", figure=partial(_figure_of, show), notes=noted(show()[1]))
            for name, show in prospects_shown(results, metric).items()
        ]
    title = f"{results.spec(metric).name}{', the primary metric' if is_primary else ''}"
    return Section(metric, title, parts=tuple(parts))


def _figure_of(show: Any) -> go.Figure:
    return show()[0]


def _beside(results: Results, metric: str) -> Iterator[Section]:
    """Intervals that hold together for all systems, variances that borrow, the verdict on halves of one's runs."""
    evaluation, confidence, notation = results.evaluation, results.settings.confidence, results.spec(metric).notation
    frame = results.rows(evaluation.simultaneous, metric)
    if not frame.empty:
        said = procedures.simultaneous_sentence(frame, confidence)
        shown = _of_cells(procedures.TOGETHER_COLUMNS, procedures.together_cells(frame, notation))
        yield Section("together", "Intervals that hold together", table=shown, notes=noted(said), is_detail=True)
    frame = results.rows(evaluation.sensitivity, metric)
    if not frame.empty:
        said = procedures.borrowed_sentence(frame, 1 - confidence)
        shown = _of_cells(procedures.BORROWED_COLUMNS, procedures.borrowed_cells(frame, notation))
        notes = noted(procedures.BORROWED_NOTE)
        yield Section("borrowed", "Run variances that borrow", (said,), shown, notes=notes, is_detail=True)
    halves = halves_sentences(results)
    if halves:
        notes = noted(procedures.HALVINGS_NOTE)
        yield Section("halves", "Halves of these runs", tuple(halves), notes=notes, is_detail=True)


def _of_cells(names: Sequence[str], rows: Iterable[tuple[str, ...]]) -> Table:
    columns = tuple(
        Column(name, name, "number" if place else "word", write=lambda row, name=name: str(row[name]))  # type: ignore[misc]
        for place, name in enumerate(names)
    )
    return Table(columns, pd.DataFrame(rows, columns=list(names)))


def claims_shown(results: Results) -> list[Claim]:
    """Over several test sets by the primary metric; of many systems those that are shown to differ."""
    primary = [claim for claim in results.evaluation.claims if claim.metric == results.metrics[0]]
    return [claim for claim in primary if claim.conclusion.is_shown or not results.has_many_systems]


def _claims(results: Results) -> Iterator[Chapter]:
    """All test sets together, where there are several."""
    claims = claims_shown(results)
    if claims:
        yield Chapter(TITLE, list(claim_parts(claims, results.settings.confidence)))


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
