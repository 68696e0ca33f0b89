"""A report as one HTML file: a list of sections, including human judgements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from mteval import figures
from mteval.analysis.evaluation import versions
from mteval.analysis.people.human_evaluation import HumanEvaluation
from mteval.analysis.people.meta import MEASURES
from mteval.analysis.results import Results
from mteval.answers import runs, scores
from mteval.answers.claims import TITLE, claim_sections
from mteval.answers.gold import judged_extent
from mteval.answers.grid import grid_section
from mteval.answers.judge_answers import understood_section
from mteval.answers.ledger import ledger_section
from mteval.answers.methods import halves_sentences, methods_section, plan_section
from mteval.answers.people import TITLES, agreement_figure, sections_of
from mteval.answers.planner import prospect_sections
from mteval.answers.procedures import simultaneous_section
from mteval.answers.ranking import joint_section, verdict_section
from mteval.answers.section import Section
from mteval.answers.sensitivity import halvings_section
from mteval.answers.words import words_section
from mteval.base.errors import MtevalError
from mteval.base.words import Names, counted
from mteval.render.frames import to_json
from mteval.render.html import example_block, html_page, section_parts
from mteval.values.claim import Claim
from mteval.values.ledger import Ledger
from mteval.values.marked_text import Example

if TYPE_CHECKING:
    import plotly.graph_objects as go

Further = Sequence[Callable[[], Section]]  # sections made when they are wanted

_QUESTION = "Is a system really better than the baseline, or did it get lucky with the test set or the training?"


def people_section(people: HumanEvaluation) -> Section:
    """Return all answers about people as one section."""
    return Section("people", "People", (judged_extent(people.given),), parts=tuple(people_sections(people)))


def people_sections(people: HumanEvaluation) -> Iterator[Section]:
    """Yield the answer to every question about people, or why there is none."""
    for question in people.questions:
        try:
            answered = list(sections_of(people, question))  # if its last section fails, none is shown
        except MtevalError as error:
            answered = [Section(question, TITLES[question], (str(error),))]
        yield from answered


def people_figures(people: HumanEvaluation) -> dict[str, go.Figure]:
    """Return the figures about people by name, among them agreement by every measure."""
    drawn: dict[str, go.Figure] = {}
    for section in people_sections(people):
        for part in section.all:
            if part.figure is not None:
                drawn[part.key] = part.figure()
        # The section shows agreement by one measure; without parts it says why there is none
        if section.key == "metrics" and section.parts:
            for measure in MEASURES:
                drawn[measure] = agreement_figure(people.agreement.frame, measure, people.names)
    return drawn


def people_json(people: HumanEvaluation, files: Ledger | None = None) -> str:
    """Return all tables about people with the settings, as ``mteval people --json`` writes them.

    Parameters
    ----------
    files
        The files behind them, if they are the caller's.
    """
    header = {"versions": dict(versions()), **people.deciding}
    if files is not None:
        header["files"] = files.form()
    return to_json(people.answered_frames(), header)


def examples_page(title: str, lead: str, examples: Sequence[Example]) -> str:
    """Return marked errors as examples for a talk: one HTML file that opens offline."""
    return html_page(title, lead, [(example.title, [example_block(example)]) for example in examples])


def html_report(results: Results, further: Further = ()) -> str:
    """Return verdicts, tables, figures, further sections, methods, settings and versions as one file."""
    baseline, *compared = (system.key for system in results.experiment.systems)
    if not compared:
        title = baseline
    elif results.has_many_systems:
        title = f"{counted(len(compared), 'system')} vs {baseline}"
    else:
        title = f"{', '.join(compared)} vs {baseline}"
    chapters = ((section.title, section_parts(section, has_title=False)) for section in sections(results, further))
    return html_page(f"{title} on {results.test_set.name}", _QUESTION, chapters)


def sections(results: Results, further: Further = ()) -> list[Section]:
    """Return the sections of a report, in order."""
    primary, *further_metrics = (metric_section(results, metric) for metric in results.metrics)
    tables = (*scores.scores_sections(results), scores.columns_section(results))
    all_metrics = Section("all-metrics", f"All metrics on {results.test_set.name}", parts=tables)
    everything: list[Section | None] = [
        plan_section(results),
        joint_section(results),
        _grids_section(results),
        primary,
        all_metrics,
        understood_section(results),
        runs.spreads_section(results),
        *further_metrics,
        runs.samples_section(results),
        words_section(results),
        _claims_section(results),
    ]
    if results.people is not None:
        everything.append(people_section(results.people))
    everything += [make_section() for make_section in further]
    everything += _other_test_sets(results)
    everything.append(methods_section(results))
    if results.experiment.ledger.entries:
        everything.append(ledger_section(results.experiment.ledger))
    everything.append(settings_section(results))
    return [section for section in everything if section is not None]


def _claims_section(results: Results) -> Section | None:
    """Return the claims over several test sets; None without any."""
    parts = claim_sections(claims_shown(results), results.settings.confidence)
    if not parts:
        return None
    return Section("claims", TITLE, parts=tuple(parts))


def _grids_section(results: Results) -> Section | None:
    """Return the scores on all test sets by each metric, the primary one first; None for one test set."""
    grids = [grid_section(results, metric) for metric in results.metrics]
    parts = tuple(grid for grid in grids if grid is not None)
    if not parts:
        return None
    return Section("grids", "All test sets", parts=parts)


def _other_test_sets(results: Results) -> Iterator[Section]:
    """Yield the scores on each other test set."""
    for test_set in results.experiment.test_sets:
        if test_set.name != results.test_set.name:
            table = scores.scores_of(results.on(test_set))
            yield Section(f"on-{test_set.name}", f"{test_set.name} ({test_set.role})", table=table)


def metric_section(results: Results, metric: str) -> Section:
    """Return everything by one metric: verdicts, checks, the runs, and what other runs would show."""
    title = results.spec(metric).name
    parts = [verdict_section(results, metric)]
    if metric == results.metrics[0]:
        title += " (primary metric)"
        parts += _checks(results, metric)
    if runs.shows_runs(results):
        parts.append(runs.runs_section(results, metric))
        histogram = runs.histogram_section(results, metric)
        if histogram is not None:
            parts.append(histogram)
        parts += prospect_sections(results, metric)
    return Section(metric, title, parts=tuple(parts))


def _checks(results: Results, metric: str) -> Iterator[Section]:
    """Yield simultaneous intervals and the split-half check."""
    intervals = results.rows(results.evaluation.simultaneous, metric)
    if not intervals.empty:
        yield simultaneous_section(intervals, results.spec(metric).notation, results.settings.confidence)
    sentences = halves_sentences(results)
    if sentences:
        yield replace(halvings_section(sentences, results.run_word), title="Split-half check", is_detail=True)


def claims_shown(results: Results) -> list[Claim]:
    """Return claims over several test sets by the primary metric; of many systems, those with a difference."""
    primary = [claim for claim in results.evaluation.claims if claim.metric == results.metrics[0]]
    return [claim for claim in primary if claim.conclusion.is_shown or not results.has_many_systems]


def figures_of(results: Results) -> dict[str, Callable[[], go.Figure]]:
    """Return functions that draw the figures of metrics, words and claims, by name."""
    shown = [metric_section(results, metric) for metric in results.metrics]
    words = words_section(results)
    if words is not None:
        shown.append(words)
    names = Names()  # a metric, its figure and a system may together make the name of another figure
    draw_by_name: dict[str, Callable[[], go.Figure]] = {}
    for section in shown:
        for part in section.all:
            if part.figure is not None:
                draw_by_name[names.free(part.key)] = part.figure
    for claim in claims_shown(results):
        name = f"{claim.metric}-claim"
        if len(results.systems) > 2:
            name += f"-{claim.system}"
        draw = partial(figures.forest.claim_forest, claim, confidence=results.settings.confidence)
        draw_by_name[names.free(name)] = draw
    return draw_by_name


def report_figures(results: Results) -> dict[str, go.Figure]:
    """Return all figures by name."""
    drawn = {name: draw() for name, draw in figures_of(results).items()}
    if results.people is not None:
        drawn.update(people_figures(results.people))
    return drawn


def settings_section(results: Results) -> Section:
    """Return settings, signatures and versions."""
    settings = {name: _in_words(value) for name, value in results.evaluation.settings.deciding.items()}
    parts = (
        Section("settings", "", terms=tuple(settings.items())),
        Section("signatures", "Signatures", terms=tuple(results.signatures.items())),
        Section("versions", "Versions", terms=tuple(results.evaluation.versions.items())),
    )
    return Section("about", "Settings and versions", parts=parts)


def _in_words(setting: Any) -> str:
    """Return a setting in words."""
    if isinstance(setting, tuple):
        return ", ".join(map(str, setting)) or "none"
    if isinstance(setting, Mapping):
        changed = []
        for metric, options in setting.items():
            changed += [f"{metric} {name}: {value}" for name, value in options.items()]
        return ", ".join(changed) or "defaults of the convention"
    return str(setting)
