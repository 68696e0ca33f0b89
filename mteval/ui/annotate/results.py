"""What people said in a campaign, summed up, and beside what metrics say; the way to make it a metric of its own."""

from collections.abc import Sequence
from math import isnan

import pandas as pd
import streamlit as st

from mteval.analysis.people.judgements import (
    ASPECT_NAMES,
    ASPECT_NOTATION,
    ASPECTS,
    human_metrics,
    judgements,
    random_stratum,
)
from mteval.analysis.people.results import metric_pairs
from mteval.analysis.results import Results
from mteval.analysis.scoring import score_experiment
from mteval.analysis.summary import scores_frame
from mteval.analysis.two_answers import TwoAnswers, two_answers
from mteval.analysis.work import Work
from mteval.annotations import AnnotationStore, Campaign, Task
from mteval.answers.campaigns import (
    beside_metrics_section,
    campaign_sections,
    human_answers_section,
    progress_section,
)
from mteval.figures.people import difference_scatter
from mteval.figures.style import system_colors
from mteval.metrics import catalog
from mteval.metrics.imported import Imported
from mteval.ui.annotate.store import campaigns_of_visitor, choose_campaign, describe
from mteval.ui.page import settings_of_session
from mteval.ui.parts import messages
from mteval.ui.parts.choices import choose
from mteval.ui.parts.section import show_section
from mteval.ui.parts.tables import chart
from mteval.ui.session import evaluation
from mteval.ui.session.evaluation import evaluation_key
from mteval.ui.session.memory import remembered, scored_on
from mteval.ui.setup.workspace import add_scores, loaded_experiment, remove_scores, workspace
from mteval.values.given import GivenMetric
from mteval.values.settings import Settings

RANDOM, ALL = "Random sample", "All that was read"
BESIDE = "People and metrics"


def results(store: AnnotationStore) -> None:
    """Everything that can be said of a campaign; the names of a blind one stay hidden until its end."""
    listed = choose_campaign(campaigns_of_visitor(store))
    campaign, tasks = store.campaign(listed.uid), store.tasks(listed.uid)
    describe(campaign)
    show_section(progress_section(campaign, listed, tasks))
    if campaign.way == "preference" and not listed.is_done:
        messages.say("note", "The names of the systems stay hidden until everybody is done, or the campaign is closed.")
        st.button(
            "Close the campaign and show the names",
            on_click=store.close_campaign,
            args=(listed.uid,),
            key="close-campaign-early",
        )
        return
    settings = settings_of_session() or Settings()
    judged = judgements(campaign, tasks)
    if judged.empty:
        messages.say("note", "Nothing is done yet, so there is nothing to sum up.")
        return
    judged, pair = _choose_stratum(judged), _pair(campaign)
    for section in campaign_sections(campaign, tasks, judged, pair, settings):
        show_section(section)
    if pair is not None:
        _beside_metrics(campaign, judged, tasks, pair, settings)


def _choose_stratum(judged: pd.DataFrame) -> pd.DataFrame:
    """The random stratum where there is one; the others were picked for what they are."""
    drawn = random_stratum(judged)
    if drawn.empty:
        messages.say(
            "warning",
            "No segment was drawn at random: all were picked for how much they changed, so averages say nothing about"
            " the test set.",
        )
        return judged
    if len(drawn) == len(judged):
        return judged
    chosen = st.segmented_control(
        "Segments", [RANDOM, ALL], default=RANDOM, key="result-stratum", required=True, persist_state="session"
    )
    if chosen == RANDOM:
        return drawn
    messages.say(
        "warning",
        "Segments picked for how much they changed are among these; averages over them favour no system fairly.",
    )
    return judged


def _pair(campaign: Campaign) -> tuple[int, int] | None:
    """The two outputs whose difference is looked at: the second minus the first."""
    names = [f"{output.system} {output.run}" for output in campaign.outputs]
    if len(names) < 2:
        return None
    if len(names) == 2:
        return 0, 1
    outputs = list(range(len(names)))
    with st.container(horizontal=True):
        first = choose("From", outputs, "result-first", in_address=False, format_func=names.__getitem__, width=260)
        second = choose(
            "To", outputs, "result-second", default=1, in_address=False, format_func=names.__getitem__, width=260
        )
    return (first, second) if first != second else None


def _beside_metrics(
    campaign: Campaign, judged: pd.DataFrame, tasks: Sequence[Task], pair: tuple[int, int], settings: Settings
) -> None:
    """People and metrics side by side, where the annotated outputs are loaded and scored."""
    experiment = loaded_experiment()
    results = None if experiment is None else evaluation.current(experiment, settings)
    scored = (
        []
        if results is None
        else [by for test_set in results.experiment.test_sets for by in scored_on(results.on(test_set))]
    )
    pairs = metric_pairs(campaign, judged, scored, pair)
    if results is None or pairs.empty:
        st.subheader(BESIDE, anchor=False)
        missing = "The outputs that were annotated are not among those loaded now."
        unscored = "Load the files of this campaign and score them to see the metrics beside the people."
        messages.say("note", unscored if results is None else missing)
        return
    systems = campaign.outputs[pair[0]].system, campaign.outputs[pair[1]].system
    specs = catalog(results.experiment.given)
    show_section(beside_metrics_section(pairs, specs, systems))
    aspects, metrics = list(ASPECTS[campaign.way]), list(dict.fromkeys(pairs["metric"]))
    with st.container(horizontal=True):
        aspect = aspects[0]
        if len(aspects) > 1:
            named = ASPECT_NAMES.__getitem__
            aspect = choose("People", aspects, "scatter-aspect", in_address=False, format_func=named, width=240)
        metric = choose(
            "Metric", metrics, "scatter-metric", in_address=False, format_func=lambda key: specs[key].name, width=240
        )
    better = f"{systems[1]} better than {systems[0]}"
    figure = difference_scatter(
        pairs[(pairs["aspect"] == aspect) & (pairs["metric"] == metric)],
        f"{ASPECT_NAMES[aspect]}: {better}",
        f"{specs[metric].name}: {better}",
        system_colors(systems)[systems[1]],
        (ASPECT_NOTATION, specs[metric].notation),
    )
    chart(figure, "human-scatter")
    _human_answers(campaign, tasks, results)


def _human_answers(campaign: Campaign, tasks: Sequence[Task], results: Results) -> None:
    """Could luck explain the difference that people saw? From the random sample alone."""
    metrics = human_metrics(campaign, tasks, results.experiment)
    if not metrics:
        messages.say("note", "No segment of the random sample is done, and the others say nothing about averages.")
        return
    answers, means = _answers(metrics, results)
    show_section(human_answers_section(metrics, answers, means, results.experiment.baseline, results.settings))
    origin = campaign.uid[:12]
    is_used = workspace().has_scores(origin)
    with st.container(horizontal=True):
        st.button(
            "Use what was said until now" if is_used else "Use as a metric",
            icon=":material/refresh:" if is_used else ":material/add_chart:",
            on_click=add_scores,
            args=(origin, metrics),
            key="use-as-metric",
        )
        if is_used:
            st.button(
                "Remove the metric",
                icon=":material/delete:",
                on_click=remove_scores,
                args=(origin,),
                key="remove-metric",
                type="tertiary",
            )
    if is_used:
        messages.say(
            "note",
            "What was said when the button was pressed is a metric like any other, in tables, tests and segments, once"
            " the systems are scored again. What is said later does not change it: press again.",
        )


def _answers(metrics: Sequence[GivenMetric], results: Results) -> tuple[tuple[TwoAnswers, ...], pd.DataFrame]:
    """The answers that there are, and averages; the last ones are kept, since a page is drawn again at every click."""
    settings, experiment = results.settings, results.experiment
    key = ("people", evaluation_key(experiment, settings), *(metric.digest for metric in metrics))

    def compute() -> tuple[tuple[TwoAnswers, ...], pd.DataFrame]:
        scored = score_experiment(experiment, [Imported(metric) for metric in metrics], Work())
        answers = two_answers(experiment, scored, settings, Work())
        given = tuple(pair for pair in answers if not isnan(pair.both.difference))
        return given, scores_frame(scored).dropna(subset="score")

    return remembered(key, compute)
