"""People in a report: judgements that came with the files of an experiment, beside what its metrics say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

import pandas as pd
import plotly.graph_objects as go

from mteval.analysis.evaluation import versions
from mteval.analysis.people.human_evaluation import (
    QUESTIONS,
    HumanChoices,
    HumanEvaluation,
    metrics_beside_people,
    scored_beside_people,
)
from mteval.analysis.people.judgements import is_of_people, judgement_frame, judgements_of_scores, usual_scales
from mteval.analysis.people.meta import MEASURES
from mteval.analysis.people.raters import usual_baseline
from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored, score_experiment
from mteval.analysis.work import Work
from mteval.answers.agreement import agreement_figure
from mteval.answers.errors import Example
from mteval.answers.people import TITLES, sections_of
from mteval.answers.section import Section
from mteval.base.errors import MtevalError
from mteval.metrics import resolve
from mteval.metrics.base import Metric
from mteval.readers.assembly.judgements import gathered, judgement_files
from mteval.readers.disk import Loaded
from mteval.render.html import Chapter, example_block, html_page
from mteval.render.json import to_json
from mteval.values.judgements import Judgement
from mteval.values.model import Experiment, TestSet
from mteval.values.settings import Settings


def people_sections(people: HumanEvaluation) -> list[Section]:
    """Every question that the judgements answer; of the others what stands in the way."""
    return [section for question in QUESTIONS for section in _or_reason(people, question)]


def _or_reason(people: HumanEvaluation, question: str) -> list[Section]:
    try:
        return list(sections_of(people, question))
    except MtevalError as error:
        return [Section(question, TITLES[question], (str(error),))]


def people_figures(people: HumanEvaluation) -> dict[str, go.Figure]:
    """Those of the sections by name, agreement by every measure among them."""
    figures: dict[str, go.Figure] = {}
    for section in people_sections(people):
        figures |= {one.key: one.figure() for one in section.all if one.figure is not None}
        if section.key == "metrics" and section.parts:
            found, names = people.agreement.frame, people.names
            figures |= {measure: agreement_figure(found, measure, names) for measure in MEASURES}
    return figures


def people_frames(people: HumanEvaluation) -> dict[str, pd.DataFrame]:
    """Every table by name, of the questions that have an answer."""
    frames: dict[str, pd.DataFrame] = {}
    for question in QUESTIONS:
        with suppress(MtevalError):
            frames |= people.frames([question])
    return frames


def people_json(people: HumanEvaluation) -> str:
    """All of them with what was asked, as ``mteval people --json`` writes them."""
    return to_json(people_frames(people), {"versions": dict(versions()), **people.deciding})


def examples_page(title: str, lead: str, examples: Sequence[Example]) -> str:
    """Marked errors as examples for a talk: one HTML file that opens without a network; what was loaded is escaped."""
    return html_page(title, lead, [Chapter(example.title, [example_block(example)]) for example in examples])


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
    """The results with what people said of their test set, where anybody did.

    Parameters
    ----------
    loaded
        The files of the experiment, judgements among them; without any, scores that people gave take their place.
    chosen
        What is asked; the usual where nothing was chosen, or where nobody judged on the scales that were.
    lower
        Scales on which lower values are better.
    score
        Gives the statistics of metrics, as ``score_experiment`` does.

    Raises
    ------
    MtevalError
        Where the judgements do not fit the test set.
    """
    test_set = results.test_set
    files = judgement_files(loaded.slots, loaded.documents).get(test_set.name) or dict(_of_scores(results))
    if not files:
        return results
    frame = judgement_frame(gathered(files, lower_is_better=lower, documents=test_set.documents).judgements)
    fits = chosen is not None and set(chosen.scales) <= set(frame["scale"])
    choices = chosen if chosen is not None and fits else usual_choices(frame)
    settings = replace(results.settings, n_shuffles=min(results.settings.n_shuffles, MOST_SHUFFLES))
    people = human_evaluation(frame, results.experiment, test_set, settings, choices, work, score)
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
    """Judgements of a test set, with the columns ``JUDGED``, beside the metrics of the settings."""
    names = metrics_beside_people(experiment, settings)

    def scorer() -> Sequence[Scored]:
        metrics = [metric for metric in resolve(settings, experiment.given) if metric.key in names]
        here = Experiment((test_set,), experiment.baseline, experiment.given)
        return scored_beside_people(score(here, metrics, work), test_set.name)

    return HumanEvaluation(frame, choices, test_set, scorer, settings, work)


def usual_choices(frame: pd.DataFrame) -> HumanChoices:
    """What is asked of judgements where nobody chose anything else."""
    first, second = usual_scales(frame)
    return HumanChoices((first, second) if second else (first,), baseline=usual_baseline(frame, first))


def _of_scores(results: Results) -> Iterable[tuple[str, tuple[Judgement, ...]]]:
    """The first scores on the test set that people gave."""
    for given in results.experiment.given:
        judged = judgements_of_scores(given, results.test_set.name) if is_of_people(given) else ()
        if judged:
            return [(given.name, judged)]
    return []
