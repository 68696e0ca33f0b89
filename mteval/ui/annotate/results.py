"""Results of a campaign, beside metrics, and as a metric of its own."""

from collections.abc import Sequence
from math import isnan

import pandas as pd
import streamlit as st

from mteval.analysis.people import judgements
from mteval.analysis.people.results import metric_pairs
from mteval.analysis.results import Results
from mteval.analysis.scoring import score_experiment
from mteval.analysis.summary import scores_frame
from mteval.analysis.two_answers import TwoAnswers, two_answers
from mteval.analysis.work import Work
from mteval.annotations import AnnotationStore, Campaign, Task
from mteval.answers import campaigns
from mteval.figures.colors import system_colors
from mteval.figures.people import difference_scatter
from mteval.metrics import catalog
from mteval.metrics.imported import Imported
from mteval.ui.annotate.store import campaigns_of_visitor, choose_campaign, close_campaign, describe
from mteval.ui.elements import chart, choose, end, say, show_section
from mteval.ui.page import settings_of_session
from mteval.ui.session import evaluation
from mteval.ui.session.memory import made_once, scored_on
from mteval.ui.setup.workspace import add_scores, loaded_experiment, remove_scores, workspace
from mteval.values.given import GivenMetric
from mteval.values.settings import Settings

RANDOM, ALL = "Random sample", "All segments"
BESIDE = "People and metrics"


def results(store: AnnotationStore) -> None:
    """Show everything about a campaign; the names of a blind one stay hidden until its end."""
    listed = choose_campaign(campaigns_of_visitor(store))
    campaign, tasks = store.campaign(listed.uid), store.tasks(listed.uid)
    describe(campaign)
    show_section(campaigns.progress_section(campaign, listed, tasks))
    if campaign.way == "preference" and not listed.is_done:
        say("note", "System names stay hidden until everyone is done or you close the campaign.")
        label = "Close campaign and show names"
        st.button(label, on_click=close_campaign, args=(store, listed.uid), key="close-campaign-early")
        return
    settings = settings_of_session() or Settings()
    judged = judgements.judgements(campaign, tasks)
    if judged.empty:
        end("note", "No results yet.")
    judged, pair = _choose_stratum(judged), _pair(campaign)
    for section in campaigns.campaign_sections(campaign, tasks, judged, pair, settings):
        show_section(section)
    if pair is not None:
        _beside_metrics(campaign, judged, tasks, pair, settings)


def _choose_stratum(judged: pd.DataFrame) -> pd.DataFrame:
    """Choose the random sample if there is one; other segments were picked for their change."""
    drawn = judgements.random_stratum(judged)
    if drawn.empty:
        say("warning", "No segment was drawn at random, so averages do not represent the test set.")
        return judged
    if len(drawn) == len(judged):
        return judged
    chosen = st.segmented_control(
        "Segments", [RANDOM, ALL], default=RANDOM, key="result-stratum", required=True, persist_state="session"
    )
    if chosen == RANDOM:
        return drawn
    say("warning", "These include segments picked for how much they changed, so averages are biased.")
    return judged


def _pair(campaign: Campaign) -> tuple[int, int] | None:
    """Choose the two outputs to compare: the second minus the first."""
    names = {number: f"{output.system} {output.run}" for number, output in enumerate(campaign.outputs)}
    if len(names) < 3:
        return None if len(names) < 2 else (0, 1)
    with st.container(horizontal=True):
        first = choose("From", names, "result-first", in_address=False, width=260)
        second = choose("To", names, "result-second", default=1, in_address=False, width=260)
    return (first, second) if first != second else None


def _beside_metrics(
    campaign: Campaign, judged: pd.DataFrame, tasks: Sequence[Task], pair: tuple[int, int], settings: Settings
) -> None:
    """Compare people with metrics if the annotated outputs are loaded and scored."""
    experiment = loaded_experiment()
    results = None if experiment is None else evaluation.current(experiment, settings)
    test_sets = () if results is None else tuple(map(results.on, results.experiment.test_sets))
    pairs = metric_pairs(campaign, judged, [by for on_one in test_sets for by in scored_on(on_one)], pair)
    if results is None or pairs.empty:
        st.subheader(BESIDE, anchor=False)
        missing = "The annotated outputs are not among those loaded."
        unscored = "Load and score the files of this campaign to compare it with metrics."
        end("note", unscored if results is None else missing)
    systems = campaign.outputs[pair[0]].system, campaign.outputs[pair[1]].system
    specs = catalog(results.experiment.given)
    show_section(campaigns.beside_metrics_section(pairs, specs, systems))
    aspects = {aspect: judgements.ASPECT_NAMES[aspect] for aspect in judgements.ASPECTS[campaign.way]}
    metrics = {key: specs[key].name for key in pairs["metric"].unique()}
    with st.container(horizontal=True):
        aspect = next(iter(aspects))
        if len(aspects) > 1:
            aspect = choose("People", aspects, "scatter-aspect", in_address=False, width=240)
        metric = choose("Metric", metrics, "scatter-metric", in_address=False, width=240)
    better = f"{systems[1]} better than {systems[0]}"
    figure = difference_scatter(
        pairs[(pairs["aspect"] == aspect) & (pairs["metric"] == metric)],
        f"{judgements.ASPECT_NAMES[aspect]}: {better}", f"{specs[metric].name}: {better}",
        system_colors(systems)[systems[1]], (judgements.ASPECT_NOTATION, specs[metric].notation),
    )  # fmt: skip
    chart(figure, "human-scatter")
    _human_answers(campaign, tasks, results)


def _human_answers(campaign: Campaign, tasks: Sequence[Task], results: Results) -> None:
    """Test the difference that people saw on the random sample."""
    metrics = judgements.human_metrics(campaign, tasks, results.experiment)
    if not metrics:
        end("note", "No segment of the random sample is done yet.")
    answers, means = made_once(_answers, metrics, results)
    show_section(
        campaigns.human_answers_section(metrics, answers, means, results.experiment.baseline, results.settings)
    )
    origin = campaign.uid[:12]
    is_used = workspace().has_scores(origin)
    with st.container(horizontal=True):
        st.button(
            "Update metric" if is_used else "Use as a metric", on_click=add_scores,
            args=(origin, metrics), icon=f":material/{'refresh' if is_used else 'add_chart'}:", key="use-as-metric",
        )  # fmt: skip
        if is_used:
            st.button(
                "Remove metric", icon=":material/delete:", on_click=remove_scores, args=(origin,),
                key="remove-metric", type="tertiary",
            )  # fmt: skip
    if is_used:
        say("note", "Score again to see these annotations as a metric. Update it to include later ones.")


def _answers(metrics: Sequence[GivenMetric], results: Results) -> tuple[tuple[TwoAnswers, ...], pd.DataFrame]:
    """Return the answers and means."""
    scored = score_experiment(results.experiment, [Imported(metric) for metric in metrics], Work())
    answers = two_answers(results.experiment, scored, results.settings, Work())
    given = tuple(pair for pair in answers if not isnan(pair.both.difference))
    return given, scores_frame(scored).dropna(subset="score")
