"""A new campaign: which outputs, which segments of them, read by whom and in which way; what annotators are told."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from mteval import annotations
from mteval.analysis.error_spans import marks_errors, spans_of
from mteval.analysis.people.files import campaign_on
from mteval.analysis.results import Results, reported_test_set
from mteval.analysis.scoring import Scored
from mteval.analysis.segments.runs import RunPair, segment_differences
from mteval.annotations import (
    DEFAULT_TYPOLOGY,
    SEVERITIES,
    AnnotationStore,
    Campaign,
    Control,
    Plan,
    Sampled,
    Task,
    Typology,
)
from mteval.annotations.campaigns import WAYS, Way
from mteval.base.errors import MtevalError, SettingsError
from mteval.base.words import agreeing, counted, listed
from mteval.readers.formats.judgement_tables import marked_span
from mteval.render.html import tag
from mteval.stats.runs import median_run
from mteval.ui.annotate.files import edited_typology
from mteval.ui.annotate.open_task import SEVERITIES_OF
from mteval.ui.annotate.store import WAY_NAMES, campaigns_of_visitor, go_to_view, wanted_segments
from mteval.ui.page import require_evaluation
from mteval.ui.parts import messages
from mteval.ui.parts.choices import SURVIVES, choose
from mteval.ui.parts.messages import leave
from mteval.ui.parts.tables import show
from mteval.ui.session.memory import by_metric, scored_on
from mteval.ui.session.visitor import visitor
from mteval.ui.setup.workspace import run_word
from mteval.values.model import Run, TestSet

COLUMNS = {  # and what they hold
    **dict.fromkeys(("source", "better", "output", "category", "severity"), "object"),
    **dict.fromkeys(("lowest", "highest"), "float64"),
    "explanation": "object",
}
SHOWN = 60
OWN: Mapping[Way, tuple[str, ...]] = {  # besides what all ways have: source, output and explanation
    "rating": ("lowest", "highest"),
    "errors": ("category", "severity"),
    "esa": ("severity", "lowest", "highest"),
    "preference": ("better",),
}
ALWAYS = ("source", "output", "explanation")
OUTPUT: Mapping[Way, str] = {
    "rating": "Output",
    **dict.fromkeys(("errors", "esa"), "Output, the error between <v> and </v>"),
    "preference": "Worse output",
}
WAY_CAPTIONS = {
    "rating": "A slider each; every annotator's ratings are standardised.",
    "errors": "Words are marked with a category and a severity of MQM; missing words in the source.",
    "esa": "Words are marked as minor or major errors, then the whole gets a score (Kocmi et al. 2024).",
    "preference": "Two outputs side by side in random order, names hidden until the end.",
}
NOBODY = "none"
LABELS = ("Random", "Most improved", "Most declined")
USUAL_SIZES = (30, 10, 10)
MOST_CHECKS = 1_000
DRAWN = (
    "The random segments are drawn first and speak for the test set. Those that changed most show what a metric rewards"
    " and punishes; they say nothing about averages. "
)


@dataclass(frozen=True)
class CampaignForm:
    """What somebody wants a new campaign to be.

    Parameters
    ----------
    read_on, chosen_on, metric
        Test set that is read, the one that the median run is chosen on, and the metric that chooses.
    segments
        Those that were chosen one by one; empty where a sample is drawn.
    practice, typology
        Give what was written into tables; raise SettingsError where that cannot be used.
    finder
        The metric whose errors stand marked before anybody reads.
    """

    way: Way
    name: str
    read_on: TestSet
    chosen_on: TestSet
    metric: str
    systems: Sequence[str]
    segments: tuple[int, ...]
    plan: Plan
    annotators: Sequence[str]
    told: str
    practice: Callable[[], Iterable[Control]]
    typology: Callable[[], Typology]
    finder: Scored | None


def starting(store: AnnotationStore) -> None:
    """The form and the button."""
    results = require_evaluation()
    if not results.experiment.has_texts:
        messages.say("note", "Scores alone are loaded, and people read texts. Load outputs with their references.")
        return
    form = _filled_form(store, results)
    try:
        sample, campaign, tasks = _made(store, results, form)
    except MtevalError as error:
        messages.say("warning", str(error))
        st.button("Start the campaign", disabled=True, key="start-campaign")
        return
    runs = " and ".join(f"{run_word().noun} {output.run} of {output.system}" for output in campaign.outputs)
    strata = [segment.stratum for segment in sample]
    counts = (
        "chosen one by one"
        if "chosen" in strata
        else f"{strata.count('random')} random, {strata.count('improvement')} improved, {strata.count('decline')}"
        " declined"
    )
    drawn = (
        f"Median by {results.spec(form.metric).name} on {form.chosen_on.name}: {runs}."
        f" {counted(len(sample), 'segment')} ({counts}); {counted(len(tasks), 'judgement')} in all."
    )
    show(tag("p", drawn))
    if st.button("Start the campaign", type="primary", icon=":material/play_arrow:", key="start-campaign"):
        store.add(campaign, tasks, visitor())
        said = f"{counted(len(sample), 'segment')} {agreeing(len(sample), 'was', 'were')} drawn"
        leave("good", f"The campaign “{campaign.name}” is ready; {said}.")
        go_to_view("annotators", campaign.uid)
        st.rerun()


def _filled_form(store: AnnotationStore, results: Results) -> CampaignForm:
    """The widgets, and what they say."""
    left, right = st.columns(2, gap="large")
    with left:
        way: Way = st.radio(
            "Way of working", WAYS, format_func=WAY_NAMES.__getitem__, captions=[WAY_CAPTIONS[way] for way in WAYS],
            index=WAYS.index("errors"), key="campaign-way", **SURVIVES,
        )  # fmt: skip
        name = st.text_input("Name", WAY_NAMES[way], max_chars=200, key=f"campaign-name-{way}", **SURVIVES)
        read_on, chosen_on, metric = _where(results)
        systems = _systems(results.on(read_on), way)
    with right:
        segments = wanted_segments(read_on)
        plan = _chosen_plan(results, chosen_on, metric, read_on, is_drawn=not segments)
        known = sorted({name for listed in campaigns_of_visitor(store) for name in listed.progress})
        annotators = st.multiselect(
            "Annotators", known, default=known[:1], accept_new_options=True, placeholder="Type a name and press Enter",
            key="campaign-annotators", **SURVIVES,
        )  # fmt: skip
    typology = edited_typology(DEFAULT_TYPOLOGY, "campaign-typology") if way == "errors" else lambda: DEFAULT_TYPOLOGY
    told, practice = _guidance(way)
    finder = _finder(results.on(read_on)) if way == "esa" else None
    if finder is not None:
        plan = replace(plan, prefilled_by=finder.metric.name)
    return CampaignForm(
        way,
        name.strip(),
        read_on,
        chosen_on,
        metric,
        systems,
        segments,
        plan,
        [one.strip()[:200] for one in annotators],
        told,
        practice,
        typology,
        finder,
    )


def _where(results: Results) -> tuple[TestSet, TestSet, str]:
    """The test set that is read, the one that the median run is chosen on, and the metric that chooses."""
    names = [test_set.name for test_set in results.experiment.test_sets]
    first = reported_test_set(results.experiment).name
    read = choose("Test set that is read", names, "campaign-read", in_address=False, default=first)
    chosen = read
    if len(names) > 1:
        chosen = choose(
            f"Median {run_word().noun} chosen on", sorted(names, key=lambda name: name == read), "campaign-chosen",
            in_address=False,
            help=f"To choose the {run_word().noun} on one test set and read it on another keeps the choice free of what"
            " is read.",
        )  # fmt: skip
    metric = choose(
        f"Median {run_word().noun} by", results.metrics, "campaign-metric", in_address=False,
        format_func=lambda key: results.spec(key).name,
    )  # fmt: skip
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


def _chosen_plan(results: Results, chosen_on: TestSet, metric: str, read_on: TestSet, is_drawn: bool) -> Plan:
    """How many segments of which kind are drawn, in which pieces, and how many checks stand among them."""
    sizes, by_document = _sizes(read_on) if is_drawn else ((0, 0, 0), False)
    shared = None  # all
    if not st.toggle("Everybody reads every segment", True, key="campaign-all", **SURVIVES):
        help_ = "Agreement is measured on these; the others are dealt out, one annotator each."
        shared = st.number_input(
            "Segments that everybody reads", 0, 10_000, 10, key="campaign-shared", **SURVIVES, help=help_
        )
    checks = st.number_input(
        "Attention checks", 0, MOST_CHECKS, 0, key="campaign-checks", **SURVIVES,
        help="So many outputs that each annotator reads stand among the others once more, with words of another"
        " segment in their middle. Results say what share was noticed; the checks take no part in averages.",
    )  # fmt: skip
    words = DRAWN if is_drawn and not by_document else ""
    show(tag("p", f"{words}Seed {results.settings.seed}.", class_="mt-quiet"))
    return Plan(
        chosen_on.name, metric, *sizes, shared, results.settings.seed, by_document=by_document, checks=int(checks)
    )


def _sizes(read_on: TestSet) -> tuple[tuple[int, int, int], bool]:
    """How many random, improved and declined segments are wanted, and whether whole documents are drawn."""
    by_document = read_on.documents is not None and st.toggle(
        "Documents as wholes", False, key="campaign-documents", **SURVIVES,
        help="Documents are drawn until they hold that many segments, and each is read from its first to its last.",
    )  # fmt: skip
    labels = LABELS[:1] if by_document else LABELS
    sizes = [
        int(column.number_input(label, 0, 10_000, size, key=f"campaign-size-{number}", **SURVIVES))
        for number, (column, label, size) in enumerate(zip(st.columns(3), labels, USUAL_SIZES, strict=False))
    ]
    random, improvements, declines = (*sizes, 0, 0)[:3]
    return (random, improvements, declines), by_document


def _guidance(way: Way) -> tuple[str, Callable[[], Iterator[Control]]]:
    """What annotators are told, and a function that gives the texts on which they practise.

    The latter raises SettingsError where a text cannot be used.
    """
    column = st.column_config
    columns = {
        "source": column.TextColumn("Source", width="medium"),
        "better": column.TextColumn("Better output", width="large"),
        "output": column.TextColumn(OUTPUT[way], required=True, width="large"),
        "category": column.TextColumn("Category", help="As it is called under “Categories and weights”."),
        "severity": column.SelectboxColumn("Severity", options=SEVERITIES_OF[way]),
        "lowest": column.NumberColumn("Lowest score", min_value=0, max_value=100),
        "highest": column.NumberColumn("Highest score", min_value=0, max_value=100),
        "explanation": column.TextColumn("Explanation", width="medium"),
    }
    with st.expander("Instructions and practice", icon=":material/school:"):
        told = st.text_area("Instructions that annotators see", key="campaign-told", max_chars=20_000, **SURVIVES)
        st.markdown("Texts for practice, read first; the answer is shown once an annotator has given theirs.")
        edited = st.data_editor(
            pd.DataFrame([dict.fromkeys(COLUMNS)]).astype(COLUMNS),  # a row to begin with
            num_rows="dynamic",
            hide_index=True,
            key=f"campaign-practice-{way}",
            column_config={name: one if name in (*ALWAYS, *OWN[way]) else None for name, one in columns.items()},
        )
    rows = edited.astype(object).where(edited.notna(), None).to_dict("records")
    return told, lambda: (_practice(row) for row in rows if row["output"] or row["better"])


def _practice(row: dict[Any, Any]) -> Control:
    """A text for practice from a row of the table; of two outputs the better one is the one without a defect."""
    text, span = marked_span(str(row["output"] or ""))
    start, end = span or (0, 0)
    low, high = (float(end if row[name] is None else row[name]) for name, end in (("lowest", 0), ("highest", 100)))
    severity, explanation, better, category = (
        row[name] or "" for name in ("severity", "explanation", "better", "category")
    )
    return Control(
        "training", row["source"] or "", text, start, end, severity, low, high, explanation, better, category
    )


def refuse_unusable(way: Way, typology: Typology, practice: Iterable[Control]) -> None:
    """Raise SettingsError where two outputs are compared and there is one, or a category is none of the campaign."""
    for one in practice:
        what = f"The text for practice “{one.hypothesis[:SHOWN]}”"
        if way == "preference" and not one.intact.strip():
            raise SettingsError(f"{what} has no better output beside it; write one.")
        if one.category not in ("", *typology.names):
            raise SettingsError(
                f"{what} has the category “{one.category[:SHOWN]}”, which is none of the campaign; expected one of"
                f" {listed(typology.names)}."
            )


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
    chosen = tuple(annotations.Sampled(segment, "chosen") for segment in form.segments)
    sample = chosen if form.segments else _sample(results, runs, form.metric, read_on, plan)
    if form.name in {listed.name for listed in campaigns_of_visitor(store)}:
        raise SettingsError(f"There is a campaign “{form.name}” already; give this one another name.")
    campaign = campaign_on(read_on, form.name, way, runs, plan, typology)
    tasks = annotations.deal_tasks(sample, form.annotators, way, len(runs), plan, read_on.documents)
    if form.finder is not None:
        tasks = _prefilled(tasks, form.finder, runs)
    return sample, *annotations.with_controls(replace(campaign, instructions=form.told, controls=controls), tasks)


def _prefilled(tasks: Sequence[Task], finder: Scored, runs: Sequence[Run]) -> tuple[Task, ...]:
    """Tasks with what a metric found; severities that people do not give are neutral."""
    spans = [spans_of(finder, run) for run in runs]

    def found(output: int, segment: int) -> Iterator[tuple[int, int, str]]:
        for span in spans[output][segment] or ():
            yield span.start, span.end, span.severity if span.severity in SEVERITIES else "neutral"

    return annotations.prefilled(tasks, finder.metric.name, found)


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
        return annotations.draw_documents(read_on.documents, plan)
    if len(runs) == 2:
        pair = RunPair(runs[0].system, runs[0].key, runs[1].system, runs[1].key)
        frame = segment_differences([by_metric(scored_on(results.on(read_on)), metric)], pair)
        improvement = frame["improvement"].to_numpy(float)
    return annotations.draw_sample(improvement, plan)
