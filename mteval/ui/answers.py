"""The verdict on each system by the primary metric, and why there may be none."""

from itertools import chain

import streamlit as st

from mteval.analysis.results import Results
from mteval.answers.planner import unplanned_sentence
from mteval.answers.verdict import against_sentence, forest_help, ranking_sentences
from mteval.metrics import catalog
from mteval.render.html import tag
from mteval.report.cards import verdict_cards
from mteval.report.figures import forest_figure
from mteval.report.kept_changes import runs_seen_before
from mteval.report.kept_experiment import card_from, card_of
from mteval.report.score_tables import ranking_table
from mteval.ui.parts import messages
from mteval.ui.parts.tables import chart
from mteval.ui.session.evaluation import evaluation_key, evaluations, first_primary
from mteval.ui.session.memory import remembered
from mteval.ui.setup.entry import mine
from mteval.ui.setup.words import said, tell

ONE_SYSTEM = "There is one system, so there is nothing to compare it with. Load the runs of a second one."


def answers(results: Results, metric: str) -> None:
    """The verdicts by the primary metric, and a warning where it was chosen afterwards."""
    if not results.verdicts(metric):
        messages.say("note", said(_nothing_answered(results, metric)))
    elif results.has_many_systems:
        _forest(results, metric)
        _ranking(results, metric)
    else:
        tell(verdict_cards(results.verdicts(metric), results.settings.confidence))
    _unplanned_looks(results)
    first = first_primary(results.experiment)
    if first is not None and first != metric:
        name = catalog(results.experiment.given)[first].name
        messages.say(
            "warning",
            f"The numbers of this experiment were first seen with {name} as the primary metric. A metric chosen"
            " afterwards is no longer a test of what was expected beforehand; say so where you report it.",
        )


def _unplanned_looks(results: Results) -> None:
    """Whether these systems were scored before with fewer runs, where no looks were planned."""
    if results.settings.looks:
        return
    kept = (card_from(one.card) for one in mine())
    seen = runs_seen_before(card_of(results.experiment, results), chain(evaluations().seen, kept))
    if seen:
        messages.say("warning", unplanned_sentence(seen, results.settings.runs))


def _forest(results: Results, metric: str) -> None:
    """One figure of all systems, in place of a card for each."""
    verdicts = results.verdicts(metric)
    key = ("forest", metric, results.test_set.name, evaluation_key(results.experiment, results.settings))
    tell(tag("p", against_sentence(verdicts)))
    figure = remembered(key, lambda: forest_figure(results, metric))
    chart(figure, "forest")
    tell(tag("p", forest_help(verdicts, results.settings.confidence), class_="mt-quiet"))


def _ranking(results: Results, metric: str) -> None:
    """The same in numbers, with what the ranks rest on."""
    ranking = results.ranking
    if ranking is None or ranking.metric != metric:
        return
    with st.expander("The ranking in numbers", icon=":material/format_list_numbered:"):
        notation = results.spec(metric).notation
        caption = f"Ranks and verdicts by {results.spec(metric).name}"
        tell(tag("p", ranking_sentences(ranking), class_="mt-quiet"))
        tell(ranking_table(ranking, results.verdicts(metric), notation, caption))


def _nothing_answered(results: Results, metric: str) -> str:
    """Why no system is compared by a metric: there is none, or its scores were given for too few."""
    if len(results.systems) > 1 and results.experiment.baseline in results.systems:
        name = results.spec(metric).name
        return f"{name} has scores of the baseline or of the other systems only, so nothing is compared by it."
    return nothing_to_compare(results)


def nothing_to_compare(results: Results) -> str:
    """Why no system is compared."""
    baseline = results.experiment.baseline
    if baseline not in results.systems:
        return f"The baseline {baseline} has no output on {results.test_set.name}, so nothing is compared."
    return said(ONE_SYSTEM)
