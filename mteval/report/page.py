"""A report as one HTML file: a list of sections, including human judgements."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import pandas as pd

from mteval import figures
from mteval.analysis.evaluation import versions
from mteval.analysis.people.human_evaluation import (
    HumanChoices,
    HumanEvaluation,
    metrics_beside_people,
    scored_beside_people,
)
from mteval.analysis.people.judgements import is_of_people, judgement_frame, judgements_of_scores, usual_scales
from mteval.analysis.people.meta import MEASURES
from mteval.analysis.people.raters import usual_baseline
from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored, Work, score_experiment
from mteval.answers import runs, scores
from mteval.answers.claims import TITLE, claim_sections
from mteval.answers.gold import judged_extent
from mteval.answers.judge_answers import judges_section
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
from mteval.metrics import resolve
from mteval.metrics.base import Metric
from mteval.readers.assembly.judgements import gathered, judgement_files
from mteval.readers.disk import Loaded
from mteval.render.frames import to_json
from mteval.render.html import example_block, html_page, section_parts
from mteval.values.claim import Claim
from mteval.values.judgements import Judgement
from mteval.values.marked_text import Example
from mteval.values.model import Experiment, TestSet
from mteval.values.settings import Settings

if TYPE_CHECKING:
    import plotly.graph_objects as go


def people_section(people: HumanEvaluation) -> Section:
    """Return all of them as one."""
    return Section("people", "People", (judged_extent(people.given),), parts=tuple(people_sections(people)))


def people_sections(people: HumanEvaluation) -> Iterator[Section]:
    """Yield the answer to every question about people, or why there is none."""
    for question in people.questions:
        try:
            yield from list(sections_of(people, question))
        except MtevalError as error:
            yield Section(question, TITLES[question], (str(error),))


def people_figures(people: HumanEvaluation) -> dict[str, go.Figure]:
    """Return their figures by name, agreement by every measure among them."""
    drawn: dict[str, go.Figure] = {}
    for section in people_sections(people):
        drawn |= {one.key: one.figure() for one in section.all if one.figure is not None}
        if section.key == "metrics" and section.parts:
            found, names = people.agreement.frame, people.names
            drawn |= {measure: agreement_figure(found, measure, names) for measure in MEASURES}
    return drawn


def people_frames(people: HumanEvaluation) -> dict[str, pd.DataFrame]:
    """Return every table by name, of the questions that can be answered."""
    frames: dict[str, pd.DataFrame] = {}
    for question in people.questions:
        with suppress(MtevalError):
            frames |= people.frames([question])
    return frames


def people_json(people: HumanEvaluation) -> str:
    """Return all of them with the settings, as ``mteval people --json`` writes them."""
    return to_json(people_frames(people), {"versions": dict(versions()), **people.deciding})


def examples_page(title: str, lead: str, examples: Sequence[Example]) -> str:
    """Return marked errors as examples for a talk: one HTML file that opens offline."""
    return html_page(title, lead, [(example.title, [example_block(example)]) for example in examples])


Score = Callable[[Experiment, Sequence[Metric], Work], Sequence[Scored]]
MOST_SHUFFLES = 1_000  # of each test of all pairs of systems by every metric


def judged_results(
    results: Results,
    loaded: Loaded,
    work: Work,
    chosen: HumanChoices | None = None,
    lower: Collection[str] = (),
    score: Score = score_experiment,
) -> Results:
    """Return the results with human judgements of their test set, if there are any.

    Parameters
    ----------
    loaded
        The files of the experiment, including judgements; without any, scores by people are used.
    chosen
        Options; the defaults if None, or if nobody judged on the chosen scales.
    lower
        Scales on which lower values are better.
    score
        Returns the statistics of metrics, such as ``score_experiment``.

    Raises
    ------
    MtevalError
        If the judgements do not fit the test set.
    """
    test_set = results.test_set
    if not (files := judgement_files(loaded.slots, loaded.documents).get(test_set.name) or dict(_of_scores(results))):
        return results
    frame = judgement_frame(gathered(files, lower_is_better=lower, documents=test_set.documents).judgements)
    if chosen is None or not set(chosen.scales) <= set(frame["scale"]):
        first, second = usual_scales(frame)
        chosen = HumanChoices((first, second) if second else (first,), baseline=usual_baseline(frame, first))
    settings = replace(results.settings, n_shuffles=min(results.settings.n_shuffles, MOST_SHUFFLES))
    people = human_evaluation(frame, results.experiment, test_set, settings, chosen, work, score)
    return replace(results, people=people)


def human_evaluation(
    frame: pd.DataFrame,
    experiment: Experiment,
    test_set: TestSet,
    settings: Settings,
    choices: HumanChoices,
    work: Work,
    score: Score = score_experiment,
) -> HumanEvaluation:
    """Return judgements of a test set, with the columns ``JUDGED``, beside the metrics of the settings."""
    names = metrics_beside_people(experiment, settings)

    def scorer() -> Sequence[Scored]:
        metrics = [metric for metric in resolve(settings, experiment.given) if metric.key in names]
        here = Experiment((test_set,), test_set.systems[0].key, experiment.given)  # it may lack the baseline
        return scored_beside_people(score(here, metrics, work), test_set.name)

    return HumanEvaluation(frame, choices, test_set, scorer, settings, work)


def _of_scores(results: Results) -> Iterable[tuple[str, tuple[Judgement, ...]]]:
    """Return the first scores by people on the test set."""
    by_people = [given for given in results.experiment.given if is_of_people(given)]
    found = ((given.name, judgements_of_scores(given, results.test_set.name)) for given in by_people)
    return islice(((name, judged) for name, judged in found if judged), 1)


_QUESTION = "Is a system really better than the baseline, or did it get lucky with the test set or the training?"


Further = Sequence[Callable[[], Section]]  # sections made when they are wanted


def html_report(results: Results, further: Further = ()) -> str:
    """Return verdicts, tables, figures, further sections, methods, settings and versions as one file."""
    baseline, *others = (system.key for system in results.experiment.systems)
    who = counted(len(others), "system") if results.has_many_systems else ", ".join(others)
    title = f"{who} vs {baseline}" if others else baseline
    chapters = ((section.title, section_parts(section, has_title=False)) for section in sections(results, further))
    return html_page(f"{title} on {results.test_set.name}", _QUESTION, chapters)


def sections(results: Results, further: Further = ()) -> list[Section]:
    """Return the sections of a report, in order."""
    first, *others = (metric_section(results, metric) for metric in results.metrics)
    tables = (*scores.scores_sections(results), scores.columns_section(results))
    claims, people = claim_sections(claims_shown(results), results.settings.confidence), results.people
    everything = [
        plan_section(results),
        joint_section(results),
        first,
        Section("all-metrics", f"All metrics on {results.test_set.name}", parts=tables),
        judges_section(results),
        runs.spreads_section(results),
        *others,
        runs.samples_section(results),
        words_section(results),
        Section("claims", TITLE, parts=tuple(claims)) if claims else None,
        None if people is None else people_section(people),
        *(section() for section in further),
        *(
            Section(f"on-{one.name}", f"{one.name} ({one.role})", table=scores.scores_of(results.on(one)))
            for one in results.experiment.test_sets
            if one.name != results.test_set.name
        ),
        methods_section(results),
        settings_section(results),
    ]
    return [one for one in everything if one is not None]


def metric_section(results: Results, metric: str) -> Section:
    """Return everything by one metric: verdicts, checks, the runs, and what other runs would show."""
    is_primary = metric == results.metrics[0]
    parts = [verdict_section(results, metric), *(_beside(results, metric) if is_primary else ())]
    if runs.shows_runs(results):
        histogram = runs.histogram_section(results, metric)
        parts += [runs.runs_section(results, metric), *([] if histogram is None else [histogram])]
        parts += prospect_sections(results, metric)
    title = f"{results.spec(metric).name}{' (primary metric)' if is_primary else ''}"
    return Section(metric, title, parts=tuple(parts))


def _beside(results: Results, metric: str) -> Iterator[Section]:
    """Yield simultaneous intervals and the split-half check."""
    frame, halves = results.rows(results.evaluation.simultaneous, metric), halves_sentences(results)
    if not frame.empty:
        yield simultaneous_section(frame, results.spec(metric).notation, results.settings.confidence)
    if halves:
        yield replace(halvings_section(halves, results.run_word), title="Split-half check", is_detail=True)


def claims_shown(results: Results) -> list[Claim]:
    """Return claims over several test sets by the primary metric; of many systems, those with a difference."""
    primary = [claim for claim in results.evaluation.claims if claim.metric == results.metrics[0]]
    return [claim for claim in primary if claim.conclusion.is_shown or not results.has_many_systems]


def figures_of(results: Results) -> dict[str, Callable[[], go.Figure]]:
    """Return functions that draw the figures of metrics, words and claims, by name."""
    shown = [*(metric_section(results, metric) for metric in results.metrics), words_section(results)]
    sections = [inner for one in shown if one is not None for inner in one.all]
    names = Names()  # a metric, its figure and a system may together make the name of another figure
    found = {names.free(one.key): one.figure for one in sections if one.figure is not None}
    draw = partial(figures.forest.claim_forest, confidence=results.settings.confidence)
    for claim in claims_shown(results):
        several = f"-{claim.system}" if len(results.systems) > 2 else ""
        found[names.free(f"{claim.metric}-claim{several}")] = partial(draw, claim)
    return found


def report_figures(results: Results) -> dict[str, go.Figure]:
    """Return all figures by name."""
    drawn = {name: draw() for name, draw in figures_of(results).items()}
    return drawn if results.people is None else {**drawn, **people_figures(results.people)}


def settings_section(results: Results) -> Section:
    """Return settings, signatures and versions."""
    settings = {name: _shown(value) for name, value in results.evaluation.settings.deciding.items()}
    about = {"": settings, "Signatures": results.signatures, "Versions": results.evaluation.versions}
    parts = (Section(title.lower() or "settings", title, terms=tuple(terms.items())) for title, terms in about.items())
    return Section("about", "Settings and versions", parts=tuple(parts))


def _shown(value: Any) -> str:
    """Return a setting in words."""
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, Mapping):
        changed = [f"{metric} {name}: {one}" for metric, options in value.items() for name, one in options.items()]
        return ", ".join(changed) or "defaults of the convention"
    return str(value)
