"""Add the human judgements of a test set to the results of an experiment."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from mteval.analysis.people.human_evaluation import (
    HumanChoices,
    HumanEvaluation,
    metrics_beside_people,
    scored_beside_people,
)
from mteval.analysis.people.judgements import (
    finished,
    judgement_frame,
    judgements_of_campaign,
    judgements_of_scores,
    metrics_of_judgements,
    usual_scales,
)
from mteval.analysis.people.raters import usual_baseline
from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored, Work, score_experiment
from mteval.base.errors import DataError
from mteval.base.words import counted, counted_part
from mteval.metrics import resolve
from mteval.metrics.base import Metric
from mteval.readers.assembly.judgements import Judged, gathered, judgement_files, read_judgements
from mteval.readers.disk import Loaded
from mteval.readers.documents import InputFile, Problem
from mteval.readers.formats.text import decode
from mteval.values.given import GivenMetric
from mteval.values.judgements import Judgement, is_campaign
from mteval.values.model import Experiment, TestSet
from mteval.values.settings import Settings

Score = Callable[[Experiment, Sequence[Metric], Work], Sequence[Scored]]

MOST_SHUFFLES = 1_000  # of each test of all pairs of systems by every metric


def read_people(
    files: Iterable[InputFile],
    *,
    scales: Sequence[str] = (),
    lower_is_better: Collection[str] = (),
    documents: Sequence[str] | None = None,
) -> Judged:
    """Read judgements as ``read_judgements``, also from annotation campaigns that mteval exported."""
    others = []
    judgements_of = {}
    notes = []
    for file in files:
        if is_campaign(file.content):
            judgements_of[file.name], note = _judgements_of_campaign_file(file)
            notes.append(Problem(note, file.name, None, "note"))
        else:
            others.append(file)
    if notes and not others and not any(judgements_of.values()):
        raise DataError(f"Nobody has answered yet. {' '.join(note.text for note in notes)}")
    judged = read_judgements(
        others, scales=scales, lower_is_better=lower_is_better, documents=documents, known=judgements_of
    )
    return replace(judged, notes=(*notes, *judged.notes))


def _judgements_of_campaign_file(file: InputFile) -> tuple[Sequence[Judgement], str]:
    """Return the finished judgements of a campaign, and what the file is."""
    from mteval.annotations import from_json  # rarely needed

    campaign, tasks = from_json(decode(file.content, file.name), file.name)
    asked = [task for task in tasks if not task.is_automatic]
    n_done = sum(task.is_complete for task in asked)
    note = f"Annotation campaign '{campaign.name}', {counted_part(n_done, len(asked), 'judgement')} done."
    done = finished(tasks)
    n_picked = sum(task.stratum in ("improvement", "decline") for task in done)
    if n_picked:
        note += f" {counted(n_picked, 'judgement')} are of segments picked for their change, so averages are biased."
    return judgements_of_campaign(campaign, tasks), note


def judged_results(
    results: Results,
    loaded: Loaded,
    work: Work,
    chosen: HumanChoices | None = None,
    lower_is_better: Collection[str] = (),
    score: Score = score_experiment,
) -> Results:
    """Return the results with human judgements of their test set, if there are any.

    Parameters
    ----------
    loaded
        The files of the experiment, including judgements; without any, scores by people are used.
    chosen
        Options; the defaults if None, or if any chosen scale was not judged.
    lower_is_better
        Scales on which lower values are better.
    score
        Returns the statistics of metrics, such as ``score_experiment``.

    Raises
    ------
    MtevalError
        If the judgements do not fit the test set.
    """
    test_set = results.test_set
    files = judgement_files(loaded.slots, loaded.documents).get(test_set.name)
    if not files:
        files = _judgements_of_scores(results)
    if not files:
        return results
    judgements = gathered(files, lower_is_better=lower_is_better, documents=test_set.documents).judgements
    frame = judgement_frame(judgements)
    choices = chosen
    if choices is None or not set(choices.scales) <= set(frame["scale"]):
        choices = _usual_choices(frame)
    settings = replace(results.settings, n_shuffles=min(results.settings.n_shuffles, MOST_SHUFFLES))
    people = human_evaluation(frame, results.experiment, test_set, settings, choices, work, score)
    return replace(results, people=people)


def metrics_of_tables(
    experiment: Experiment, files: Mapping[str, Mapping[str, Sequence[Judgement]]]
) -> tuple[GivenMetric, ...]:
    """Return the metrics that tables of judgements make, one per scale; none if people's scores are there already.

    Parameters
    ----------
    files
        Judgements by test set and file.
    """
    if any(given.is_of_people for given in experiment.given):
        return ()
    judged_on = {}
    for test_set in experiment.test_sets:
        of_test_set = files.get(test_set.name)
        if of_test_set:
            judged_on[test_set.name] = gathered(of_test_set, documents=test_set.documents).judgements
    return metrics_of_judgements(judged_on, experiment)


def with_judged_scores(loaded: Loaded) -> Loaded:
    """Return an experiment in which tables of judgements are metrics as well."""
    experiment = loaded.experiment
    metrics = metrics_of_tables(experiment, judgement_files(loaded.slots, loaded.documents))
    return replace(loaded, experiment=replace(experiment, given=(*experiment.given, *metrics)))


def _usual_choices(frame: pd.DataFrame) -> HumanChoices:
    """Return the default options for judgements."""
    first, second = usual_scales(frame)
    scales = (first, second) if second else (first,)
    return HumanChoices(scales, baseline=usual_baseline(frame, first))


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
    keys = metrics_beside_people(experiment, settings)

    def scorer() -> Sequence[Scored]:
        metrics = [metric for metric in resolve(settings, experiment.given) if metric.key in keys]
        # The test set alone, with its own first system, since it may lack the baseline
        judged = Experiment((test_set,), test_set.systems[0].key, experiment.given)
        return scored_beside_people(score(judged, metrics, work), test_set.name)

    return HumanEvaluation(frame, choices, test_set, scorer, settings, work)


def _judgements_of_scores(results: Results) -> dict[str, tuple[Judgement, ...]]:
    """Return the first scores by people on the test set as judgements, by name; empty if there are none."""
    for given in results.experiment.given:
        if given.is_of_people:
            judgements = judgements_of_scores(given, results.test_set.name)
            if judgements:
                return {given.name: judgements}
    return {}
