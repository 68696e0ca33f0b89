"""People in a report: which systems they tell apart, and whether tests, metrics and other raters say the same.

Judgements that came with the files of an experiment, beside what its metrics say.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

import pandas as pd
import plotly.graph_objects as go

from mteval.analysis.evaluation import versions
from mteval.analysis.people.claims import SIDES
from mteval.analysis.people.gold import GOLD_TESTS
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
from mteval.answers.judgements import (
    RATERS_METHODS,
    STANDARDISED,
    agreement_methods,
    judged_extent,
    people_methods,
    tests_methods,
)
from mteval.answers.people import (
    EVERY_MEASURE,
    MEANINGS,
    NO_RATERS,
    RATER_AGREEMENT,
    RATERS_EXPLAINED,
    SHARES_EXPLAINED,
    SHORT_MEASURES,
    TESTS_EXPLAINED,
    UNITS,
    accuracy_cells,
    accuracy_extent,
    against_cells,
    against_extent,
    agreement_cells,
    agreement_sentence,
    alone_sentence,
    gold_extent,
    measure_cells,
    resolution_sentence,
    shares_cells,
    told_apart,
    unanswered_lines,
)
from mteval.answers.raters import SHORT, rater_agreement_cells, rater_cells, rater_extent
from mteval.base.errors import MissingDependencyError, MtevalError
from mteval.base.words import listed
from mteval.metrics import resolve
from mteval.metrics.base import Metric
from mteval.readers.assembly.judgements import gathered, judgement_files
from mteval.readers.disk import Loaded
from mteval.render.html import Chapter, Markup, cells_table, tag
from mteval.render.json import to_json
from mteval.report.figures import accuracy_figure, agreement_figure, gold_figure, raters_figure
from mteval.values.judgements import Judgement
from mteval.values.model import Experiment, TestSet
from mteval.values.settings import Settings

TITLE = "People"
Parts = Iterator[str | go.Figure]


def people_section(people: HumanEvaluation) -> Chapter:
    """Every question that the judgements answer; of the others what stands in the way."""
    parts: list[str | go.Figure] = [judged_extent(people.given)]
    for title, answered in _answers(people):
        parts.append(tag("h3", title))
        parts += _or_reason(people, answered)
    return Chapter(TITLE, parts)


def _answers(people: HumanEvaluation) -> Iterator[tuple[str, Callable[[HumanEvaluation], Parts]]]:
    yield "Which systems people tell apart", _gold
    if people.scored:
        yield "How often tests conclude what people do", _tests
        yield "Which metric agrees with people", _metrics
    yield "Would other raters say so?", _raters


def _or_reason(people: HumanEvaluation, answered: Callable[[HumanEvaluation], Parts]) -> list[str | go.Figure]:
    try:
        return list(answered(people))
    except MtevalError as error:
        return [str(error)]


def _quiet(text: str) -> Markup:
    return tag("p", text, class_="mt-quiet")


def _gold(people: HumanEvaluation) -> Parts:
    gold, level = people.gold, people.choices.levels[0]
    conclusions = gold.conclusions(level)
    yield told_apart(conclusions, level)
    yield gold_figure(gold, level)
    for text in (
        *gold_extent(gold.first, gold.second, GOLD_TESTS[gold.test], gold.unit),
        alone_sentence(conclusions, gold.systems),
    ):
        if text:
            yield _quiet(text)


def _tests(people: HumanEvaluation) -> Parts:
    level, names = people.choices.levels[0], people.names
    accuracy = people.accuracy_at(level)
    yield _quiet(TESTS_EXPLAINED)
    yield accuracy_figure(accuracy, names)
    yield cells_table(accuracy_cells(accuracy, names, GOLD_TESTS), accuracy_extent(accuracy))
    yield from unanswered_lines(accuracy, names, GOLD_TESTS)
    yield from filter(None, [resolution_sentence(level, people.settings.n_shuffles)])
    if not people.against.empty:
        yield cells_table(against_cells(people.against, names, GOLD_TESTS), against_extent(people.against))
    try:
        if not people.shares.empty:
            yield cells_table(shares_cells(people.shares, names), SHARES_EXPLAINED)
    except MissingDependencyError as error:
        yield _quiet(str(error))


def _metrics(people: HumanEvaluation) -> Parts:
    agreement, names = people.agreement, people.names
    first = next(iter(MEASURES))
    yield MEANINGS[first]
    yield agreement_figure(agreement.frame, first, names)
    yield cells_table(measure_cells(agreement.frame, SHORT_MEASURES, names), EVERY_MEASURE)
    yield _quiet(agreement_sentence(people.settings.n_bootstrap, agreement.n_units, agreement.unit))
    yield tag("details", tag("summary", "Each measure with intervals"), *_each_measure(people))


def _each_measure(people: HumanEvaluation) -> Iterator[Markup]:
    for measure, rows in people.agreement.frame.groupby("measure", sort=False):
        yield cells_table(agreement_cells(rows, people.names), MEASURES[str(measure)])
        yield _quiet(MEANINGS[str(measure)])


def _raters(people: HumanEvaluation) -> Parts:
    if people.n_annotators < 2:
        yield NO_RATERS
        return
    raters = people.raters
    yield _quiet(RATERS_EXPLAINED)
    shown = raters_figure(raters)
    if shown is not None:
        yield shown[0]
        yield _quiet(shown[1])
    for _, rows in raters.groupby(["form", "unit"], sort=False):
        if rows["p_value"].notna().any():
            yield cells_table(rater_cells(rows, SHORT), rater_extent(rows))
        yield from (_quiet(note) for note in dict.fromkeys(note for note in rows["note"] if note))
    yield cells_table(rater_agreement_cells(people.rater_agreement), RATER_AGREEMENT)


def people_sentences(people: HumanEvaluation) -> Iterator[str]:
    """What was done with the judgements, for the methods section; nothing is computed for it."""
    choices, settings, question = people.choices, people.settings, people.question
    yield people_methods(
        judged_extent(people.given), [scale for scale in people.scales if scale is not None],
        STANDARDISED[choices.standardise], GOLD_TESTS[question.procedure], UNITS.get(question.unit, question.unit),
    )  # fmt: skip
    if people.scored:
        tests, unit = [GOLD_TESTS[procedure] for procedure in choices.procedures], UNITS[people.unit]
        yield tests_methods(tests, listed(SIDES[choices.sides]), settings.n_shuffles, unit)
        yield agreement_methods(settings.n_bootstrap, unit, settings.confidence)
    if people.n_annotators > 1:
        yield RATERS_METHODS


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
