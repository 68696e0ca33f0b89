"""People in a report: which systems they tell apart, and whether tests, metrics and other raters say the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

import pandas as pd
import plotly.graph_objects as go

from mteval.analysis.evaluation import versions
from mteval.analysis.people.beside import MEASURES
from mteval.analysis.people.claims import SIDES
from mteval.analysis.people.gold import GOLD_TESTS
from mteval.analysis.people.human_evaluation import QUESTIONS, HumanEvaluation
from mteval.counts import listed
from mteval.errors import MissingDependencyError, MtevalError
from mteval.export.html import Section
from mteval.export.json import to_json
from mteval.export.markup import Markup, tag
from mteval.export.people import (
    UNITS,
    accuracy_cells,
    accuracy_extent,
    against_cells,
    against_extent,
    agreement_cells,
    measure_cells,
    shares_cells,
    unanswered_lines,
)
from mteval.export.prose.human_answers import (
    EVERY_MEASURE,
    MEANINGS,
    NO_RATERS,
    RATER_AGREEMENT,
    RATERS_EXPLAINED,
    SHARES_EXPLAINED,
    SHORT_MEASURES,
    TESTS_EXPLAINED,
    agreement_sentence,
    alone_sentence,
    gold_extent,
    resolution_sentence,
    told_apart,
)
from mteval.export.prose.people import (
    RATERS_METHODS,
    STANDARDISED,
    agreement_methods,
    judged_extent,
    people_methods,
    tests_methods,
)
from mteval.export.raters import SHORT, rater_agreement_cells, rater_cells, rater_extent
from mteval.export.small_tables import cells_table
from mteval.reporting.human_figures import accuracy_figure, agreement_figure, gold_figure, raters_figure

TITLE = "People"
Parts = Iterator[str | go.Figure]


def people_section(people: HumanEvaluation) -> Section:
    """Every question that the judgements answer; of the others what stands in the way."""
    parts: list[str | go.Figure] = [judged_extent(people.given)]
    for title, answered in _answers(people):
        parts.append(tag("h3", title))
        parts += _or_reason(people, answered)
    return Section(TITLE, parts)


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
