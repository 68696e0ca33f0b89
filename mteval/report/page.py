"""A report as one HTML file."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import plotly.graph_objects as go

from mteval.analysis.overview import overview
from mteval.analysis.results import Results
from mteval.answers.borrowed import borrowed_note, borrowed_section
from mteval.answers.claims import TITLE, claim_sections
from mteval.answers.equality import halvings_section
from mteval.answers.judgements import SOURCES as PEOPLE_SOURCES
from mteval.answers.methods import SOURCES, cited
from mteval.answers.procedures import simultaneous_section
from mteval.answers.samples import sample_sentences, samples_table
from mteval.answers.scores import MARKED
from mteval.answers.section import Section
from mteval.answers.verdict import against_sentence, forest_help, ranking_sentences, strip_help
from mteval.base.words import counted
from mteval.render.html import Chapter, Markup, html_page, in_words, section_parts, table_of, tag
from mteval.report.cards import verdict_cards
from mteval.report.figures import (
    claims_shown,
    colors_of,
    forest_figure,
    histogram_figure,
    prospect_sections,
    shows_histogram,
    shows_runs,
    strip_figure,
)
from mteval.report.people import people_section
from mteval.report.score_tables import column_terms, cross_table, overview_caption, overview_table, ranking_table
from mteval.report.texts import methods_text, own_runs_sentences
from mteval.values.run_words import Wording

_QUESTION = (
    "Is a system really better than the baseline, once luck with the test set and luck with training are both accounted"
    " for?"
)


def html_report(results: Results) -> str:
    """Answers, table, figures, methods, settings, versions; systems are shown by their keys."""
    sections = [
        Chapter(f"{spec.name}{', the primary metric' if metric == results.metrics[0] else ''}", parts)
        for metric, spec in results.evaluation.metrics.items()
        if (parts := [*_answers(results, metric), *_figures(results, metric)])
    ]
    table = Chapter(f"All metrics on {results.test_set.name}", [*_tables(results), _columns()])
    first, *others = sections
    further = [*_samples(results), *_claims(results), *_people(results), *_others(results)]
    everything = [
        *(_in_words(section, results.said) for section in (first, table, *others, *further)),
        *_about(results),
    ]
    return html_page(f"{_title(results)} on {results.test_set.name}", _QUESTION, everything)


def _in_words(section: Chapter, said: Wording) -> Chapter:
    """A section in the user's word for a run; figures are so already."""
    parts = [part if isinstance(part, go.Figure) else in_words(part, said) for part in section.parts]
    return Chapter(said(section.title), parts)


def _title(results: Results) -> str:
    baseline, *others = (system.key for system in results.experiment.systems)
    if results.has_many_systems:
        return f"{counted(len(others), 'system')} against {baseline}"
    return f"{', '.join(others)} against {baseline}" if others else baseline


def _answers(results: Results, metric: str) -> Iterator[str | go.Figure]:
    """A card a system, or of many one figure, with the ranking by the primary metric."""
    verdicts, confidence = results.verdicts(metric), results.settings.confidence
    if verdicts and not results.has_many_systems:
        yield verdict_cards(verdicts, confidence)
    elif verdicts:
        yield against_sentence(verdicts)
        yield forest_figure(results, metric)
        yield tag("p", forest_help(verdicts, confidence), class_="mt-quiet")
        yield tag("details", tag("summary", "Each system in words"), verdict_cards(verdicts, confidence))
    yield from section_parts(Section("beside", "", parts=tuple(_beside(results, metric))))
    ranking = results.ranking
    if ranking is not None and ranking.metric == metric:
        spec = results.spec(metric)
        yield ranking_table(ranking, verdicts, spec.notation, f"Ranks and verdicts by {spec.name}")
        yield tag("p", ranking_sentences(ranking), class_="mt-quiet")


def _beside(results: Results, metric: str) -> Iterator[Section]:
    """Of the primary metric: intervals that hold together for all systems, and the verdict on halves of one's runs."""
    evaluation, runs, spec = results.evaluation, results.run_word, results.spec(metric)
    confidence, baseline = results.settings.confidence, results.experiment.baseline
    frame = results.rows(evaluation.simultaneous, metric)
    if not frame.empty:
        yield simultaneous_section(frame, spec.notation, confidence)
    frame = results.rows(evaluation.sensitivity, metric)
    if not frame.empty:
        found = borrowed_section(frame, spec, baseline, 1 - confidence, borrowed_note(runs), runs=runs)
        yield replace(found, title="Run variances that borrow", is_detail=True)
    sentences = own_runs_sentences(results) if metric == results.metrics[0] else []
    if sentences:
        yield replace(halvings_section(sentences, runs), title="Halves of these runs", is_detail=True)


def _figures(results: Results, metric: str) -> Iterator[str | go.Figure]:
    """The runs, where they show more than the forest."""
    if not shows_runs(results):
        return
    yield strip_figure(results, metric)
    yield tag("p", strip_help(max(results.run_counts), results.run_word), class_="mt-quiet")
    if shows_histogram(results):
        yield histogram_figure(results, metric)
    for section in prospect_sections(results, metric):
        yield from section_parts(section)


def _tables(results: Results) -> Iterator[Markup]:
    """Table 1; of many systems first the averages by all metrics at once."""
    if not results.has_many_systems:
        yield table_markup(results)
        return
    yield cross_table(overview(results), MARKED, results.metrics[0], _table_caption(results))
    yield tag("details", tag("summary", "Every number by every metric"), table_markup(results))


def table_markup(results: Results) -> Markup:
    return overview_table(overview(results), colors_of(results), _table_caption(results))


def _table_caption(results: Results) -> str:
    test_set = results.test_set
    has_looks = bool(results.settings.looks)
    return overview_caption(results.coverage(), test_set.name, len(test_set.systems), has_looks=has_looks)


def _columns() -> Markup:
    return tag("details", tag("summary", "What the columns mean"), column_terms())


def _samples(results: Results) -> Iterator[Chapter]:
    """Sampling luck by every metric, where runs hold several samples."""
    parts: list[str | go.Figure] = []
    for metric in results.metrics:
        rows, spec = results.sampled(metric), results.spec(metric)
        if rows:
            parts.append(samples_table(rows, spec.name, spec.notation, results.settings.confidence))
    if parts:
        primary, spec = results.sampled(results.metrics[0]), results.spec(results.metrics[0])
        yield Chapter("Samples of each run", [*parts, *sample_sentences(primary, spec.name, spec.notation)])


def _claims(results: Results) -> Iterator[Chapter]:
    """All test sets together, where there are several."""
    claims = claims_shown(results)
    if claims:
        sections = claim_sections(claims, results.settings.confidence)
        yield Chapter(TITLE, [part for section in sections for part in section_parts(section)])


def _people(results: Results) -> Iterator[Chapter]:
    """What people said, where judgements were loaded."""
    if results.people is not None:
        yield people_section(results.people)


def _others(results: Results) -> Iterator[Chapter]:
    """The other test sets, each with its table."""
    for test_set in results.experiment.test_sets:
        if test_set.name != results.test_set.name:
            yield Chapter(f"{test_set.name} ({test_set.role})", [table_markup(results.on(test_set))])


def _about(results: Results) -> Iterator[Chapter]:
    evaluation = results.evaluation
    of_people = () if results.people is None else PEOPLE_SOURCES
    sources = (*(cited(*item) for item in results.sources.items()), *SOURCES, *of_people)
    yield Chapter("Methods", [methods_text(results), tag("ul", *(tag("li", text) for text in sources))])
    settings = {name: _shown(value) for name, value in evaluation.settings.deciding.items()}
    parts = [table_of(settings), table_of(results.signatures, "Signatures", "mt-signature")]
    yield Chapter("Settings and versions", [*parts, table_of(evaluation.versions, "Versions")])


def _shown(value: Any) -> str:
    """A setting in words."""
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, Mapping):
        changed = [f"{metric} {name}: {one}" for metric, options in value.items() for name, one in options.items()]
        return ", ".join(changed) or "as in the convention"
    return str(value)
