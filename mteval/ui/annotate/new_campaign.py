"""A new campaign: which outputs, which segments of them, read by whom and in which way."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from mteval.analysis.error_spans import spans_of
from mteval.analysis.people.files import campaign_on
from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored
from mteval.analysis.segments.runs import RunPair, segment_differences
from mteval.annotations import (
    SEVERITIES,
    AnnotationStore,
    Campaign,
    Plan,
    Sampled,
    Task,
    Typology,
    chosen_sample,
    deal_tasks,
    draw_documents,
    draw_sample,
    prefilled,
    with_controls,
)
from mteval.annotations.campaigns import Way
from mteval.base.errors import MtevalError, SettingsError
from mteval.base.words import agreeing, counted
from mteval.render.html import tag
from mteval.stats.runs import median_run
from mteval.ui.annotate.campaign_form import CampaignForm, filled_form, refuse_unusable
from mteval.ui.annotate.store import campaigns_of_visitor, go_to_view
from mteval.ui.page import require_evaluation
from mteval.ui.parts import messages
from mteval.ui.parts.messages import leave
from mteval.ui.parts.tables import show
from mteval.ui.session.memory import by_metric, scored_on
from mteval.ui.session.visitor import visitor
from mteval.ui.setup.words import run_word
from mteval.values.model import Run, TestSet


def starting(store: AnnotationStore) -> None:
    """The form and the button."""
    results = require_evaluation()
    if not results.experiment.has_texts:
        messages.say("note", "Scores alone are loaded, and people read texts. Load outputs with their references.")
        return
    form = filled_form(store, results)
    try:
        sample, campaign, tasks = _made(store, results, form)
    except MtevalError as error:
        messages.say("warning", str(error))
        st.button("Start the campaign", disabled=True, key="start-campaign")
        return
    _preview(campaign, sample, len(tasks), form.chosen_on, results.spec(form.metric).name)
    if st.button("Start the campaign", type="primary", icon=":material/play_arrow:", key="start-campaign"):
        _start(store, campaign, tasks, len(sample))


def _made(
    store: AnnotationStore, results: Results, form: CampaignForm
) -> tuple[tuple[Sampled, ...], Campaign, tuple[Task, ...]]:
    """The sample, the campaign and its tasks as the form says.

    Raises
    ------
    MtevalError
        Where the form says what cannot be.
    """
    way, read_on, plan = form.way, form.read_on, form.plan
    typology, controls = form.typology(), tuple(form.practice())
    refuse_unusable(way, typology, controls)
    runs = [_median_output(results, key, form.metric, form.chosen_on, read_on) for key in form.systems]
    sample = chosen_sample(form.segments) if form.segments else _sample(results, runs, form.metric, read_on, plan)
    campaign = _campaign(store, form.name, way, runs, read_on, plan, typology)
    tasks = deal_tasks(sample, form.annotators, way, len(runs), plan, read_on.documents)
    if form.finder is not None:
        tasks = _prefilled(tasks, form.finder, runs)
    return sample, *with_controls(replace(campaign, instructions=form.told, controls=controls), tasks)


def _start(store: AnnotationStore, campaign: Campaign, tasks: Sequence[Task], n_segments: int) -> None:
    """Keep the campaign and show the links of its annotators."""
    store.add(campaign, tasks, visitor())
    drawn = f"{counted(n_segments, 'segment')} {agreeing(n_segments, 'was', 'were')} drawn"
    leave("good", f"The campaign “{campaign.name}” is ready; {drawn}.")
    go_to_view("annotators", campaign.uid)
    st.rerun()


def _prefilled(tasks: Sequence[Task], finder: Scored, runs: Sequence[Run]) -> tuple[Task, ...]:
    """Tasks with what a metric found; severities that people do not give are neutral."""
    spans = [spans_of(finder, run) for run in runs]

    def found(output: int, segment: int) -> Iterator[tuple[int, int, str]]:
        for span in spans[output][segment] or ():
            yield span.start, span.end, span.severity if span.severity in SEVERITIES else "neutral"

    return prefilled(tasks, finder.metric.name, found)


def _median_output(results: Results, system: str, metric: str, chosen_on: TestSet, read_on: TestSet) -> Run:
    """The median run by the metric on one test set, as it is on the other."""
    chosen = by_metric(scored_on(results.on(chosen_on)), metric)
    if system not in chosen.statistics:
        raise SettingsError(f"System '{system}' has no output on '{chosen_on.name}'; choose its median elsewhere.")
    key = chosen.run_keys(system)[median_run(chosen.run_scores[system])]
    for run in read_on.runs_of(system):
        if run.key == key:
            return run
    raise SettingsError(
        f"The median of '{system}' on '{chosen_on.name}' is {run_word().noun} '{key}', which '{read_on.name}' does not"
        " have; choose the median on the test set that is read."
    )


def _sample(results: Results, runs: Sequence[Run], metric: str, read_on: TestSet, plan: Plan) -> tuple[Sampled, ...]:
    """Documents, or segments drawn by what changed between the two outputs; of one output nothing changed."""
    improvement = np.full(read_on.n_segments, np.nan)
    if plan.by_document and read_on.documents:
        return draw_documents(read_on.documents, plan)
    if len(runs) == 2:
        pair = RunPair(runs[0].system, runs[0].key, runs[1].system, runs[1].key)
        frame = segment_differences([by_metric(scored_on(results.on(read_on)), metric)], pair)
        improvement = frame["improvement"].to_numpy(float)
    return draw_sample(improvement, plan)


def _campaign(
    store: AnnotationStore,
    name: str,
    way: Way,
    runs: Sequence[Run],
    test_set: TestSet,
    plan: Plan,
    typology: Typology,
) -> Campaign:
    if name in {listed.name for listed in campaigns_of_visitor(store)}:
        raise SettingsError(f"There is a campaign “{name}” already; give this one another name.")
    return campaign_on(test_set, name, way, runs, plan, typology)


def _preview(campaign: Campaign, sample: Sequence[Sampled], n_tasks: int, chosen_on: TestSet, metric_name: str) -> None:
    runs = " and ".join(f"{run_word().noun} {output.run} of {output.system}" for output in campaign.outputs)
    strata = [segment.stratum for segment in sample]
    counts = (
        "chosen one by one"
        if "chosen" in strata
        else f"{strata.count('random')} random, {strata.count('improvement')} improved, {strata.count('decline')}"
        " declined"
    )
    show(
        tag(
            "p",
            f"Median by {metric_name} on {chosen_on.name}: {runs}. {counted(len(sample), 'segment')} ({counts});"
            f" {counted(n_tasks, 'judgement')} in all.",
        )
    )
