"""A new campaign: which outputs, which segments of them, read by whom and in which way."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from mteval.analysis.error_spans import marks_errors, spans_of
from mteval.analysis.overview import reported_test_set
from mteval.analysis.people.files import campaign_on
from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored
from mteval.analysis.segments.ranking import RunPair, segment_differences
from mteval.annotations import (
    DEFAULT_TYPOLOGY,
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
from mteval.annotations.campaigns import WAYS, Way
from mteval.counts import agreeing, counted
from mteval.errors import MtevalError, SettingsError
from mteval.model import Run, TestSet
from mteval.stats.runs import median_run
from mteval.ui.annotate.campaign_form import chosen_annotators, chosen_plan, guidance
from mteval.ui.annotate.links import campaigns_of_visitor
from mteval.ui.annotate.one_segment import wanted_segments
from mteval.ui.annotate.store import WAY_NAMES, go_to_view
from mteval.ui.annotate.typology import edited_typology
from mteval.ui.page import require_evaluation
from mteval.ui.parts import messages
from mteval.ui.parts.choices import SURVIVES, choose
from mteval.ui.parts.markup import show, tag
from mteval.ui.parts.messages import leave
from mteval.ui.session.statistics import by_metric, scored_on
from mteval.ui.session.visitor import visitor
from mteval.ui.setup.words import run_word, said

WAY_CAPTIONS = {
    "rating": "A slider each; every annotator's ratings are standardised.",
    "errors": "Words are marked with a category and a severity of MQM; missing words in the source.",
    "esa": "Words are marked as minor or major errors, then the whole gets a score (Kocmi et al. 2024).",
    "preference": "Two outputs side by side in random order, names hidden until the end.",
}
NOBODY = "none"


def starting(store: AnnotationStore) -> None:
    """The form and the button."""
    results = require_evaluation()
    if not results.experiment.has_texts:
        messages.say("note", "Scores alone are loaded, and people read texts. Load outputs with their references.")
        return
    left, right = st.columns(2, gap="large")
    with left:
        way, name = _what()
        read_on, chosen_on, metric = _where(results)
        keys = _systems(results.on(read_on), way)
    with right:
        wanted = wanted_segments(read_on)
        plan = chosen_plan(results, chosen_on, metric, read_on)
        annotators = chosen_annotators(store)
    if wanted:
        plan = replace(plan, random=0, improvements=0, declines=0, by_document=False)
    told, practice = guidance(way)
    finder = _finder(results.on(read_on)) if way == "esa" else None
    if finder is not None:
        plan = replace(plan, prefilled_by=finder.metric.name)
    try:
        typology = edited_typology(DEFAULT_TYPOLOGY, "campaign-typology") if way == "errors" else DEFAULT_TYPOLOGY
        controls = tuple(practice())
        runs = [_median_output(results, key, metric, chosen_on, read_on) for key in keys]
        sample = chosen_sample(wanted) if wanted else _sample(results, runs, metric, read_on, plan)
        campaign = replace(_campaign(store, name, way, runs, read_on, plan, typology), instructions=told)
        tasks = deal_tasks(sample, annotators, way, len(runs), plan, read_on.documents)
        if finder is not None:
            tasks = _prefilled(tasks, finder, runs)
        campaign, tasks = with_controls(replace(campaign, controls=controls), tasks)
    except MtevalError as error:
        messages.say("warning", str(error))
        st.button("Start the campaign", disabled=True, key="start-campaign")
        return
    _preview(campaign, sample, len(tasks), chosen_on, results.spec(metric).name)
    if st.button("Start the campaign", type="primary", icon=":material/play_arrow:", key="start-campaign"):
        store.add(campaign, tasks, visitor())
        leave(
            "good",
            f"The campaign “{campaign.name}” is ready; {counted(len(sample), 'segment')}"
            f" {agreeing(len(sample), 'was', 'were')} drawn.",
        )
        go_to_view("annotators", campaign.uid)
        st.rerun()


def _what() -> tuple[Way, str]:
    way: Way = st.radio(
        "Way of working",
        WAYS,
        format_func=WAY_NAMES.__getitem__,
        captions=[WAY_CAPTIONS[way] for way in WAYS],
        index=WAYS.index("errors"),
        key="campaign-way",
        **SURVIVES,
    )
    name = st.text_input("Name", WAY_NAMES[way], max_chars=200, key=f"campaign-name-{way}", **SURVIVES)
    return way, name.strip()


def _where(results: Results) -> tuple[TestSet, TestSet, str]:
    """The test set that is read, the one that the median run is chosen on, and the metric that chooses."""
    names = [test_set.name for test_set in results.experiment.test_sets]
    first = reported_test_set(results.experiment).name
    read = choose("Test set that is read", names, "campaign-read", in_address=False, default=first)
    chosen = read
    if len(names) > 1:
        chosen = choose(
            said("Median run chosen on"),
            sorted(names, key=lambda name: name == read),
            "campaign-chosen",
            in_address=False,
            help=said(
                "To choose the run on one test set and read it on another keeps the choice free of what is read."
            ),
        )
    metric = choose(
        "By", results.metrics, "campaign-metric", in_address=False, format_func=lambda key: results.spec(key).name
    )
    return results.experiment.test_set(read), results.experiment.test_set(chosen), metric


def _systems(results: Results, way: Way) -> list[str]:
    keys = results.systems
    baseline = results.experiment.baseline
    first = next((key for key in keys if key != baseline), keys[0])
    system = choose("System", keys, "campaign-system", in_address=False, default=first)
    others = [key for key in keys if key != system]
    choices = others if way == "preference" else [*others, NOBODY]
    if not choices:
        return [system]
    usual = baseline if baseline in choices else None
    other = choose("Compare with", choices, f"campaign-other-{way}", in_address=False, default=usual)
    return [system] if other == NOBODY else [other, system]


def _finder(results: Results) -> Scored | None:
    """The metric whose errors stand marked before anybody reads; None where there is none, or none is wanted."""
    finders = [scored for scored in scored_on(results) if marks_errors(scored)]
    if not finders:
        return None
    names = [scored.metric.name for scored in finders]
    help_ = "Its errors are marked before anybody reads, and stay known from those that people mark."
    chosen = choose("Errors already marked by", [NOBODY, *names], "campaign-finder", in_address=False, help=help_)
    return next((scored for scored in finders if scored.metric.name == chosen), None)


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
