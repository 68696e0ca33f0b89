"""The form of a new campaign: outputs, segments, annotators, task, instructions and practice."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from mteval import annotations
from mteval.analysis.people.files import campaign_on
from mteval.analysis.results import Results, reported_test_set
from mteval.analysis.scoring import Scored
from mteval.analysis.segments.runs import RunPair, segment_differences
from mteval.analysis.summary import marks_errors, spans_of
from mteval.annotations import AnnotationStore, Campaign, Control, Plan, Sampled, Task, Typology
from mteval.annotations.campaigns import FEWEST_BESIDE, MOST_BESIDE, WAYS, Way
from mteval.annotations.protocol import SEVERITIES_OF
from mteval.base.errors import MtevalError, SettingsError
from mteval.base.words import counted, free_name, listed
from mteval.readers.formats.judgement_tables import marked_span
from mteval.render.html import tag
from mteval.stats.informative import draw_informative, informativeness
from mteval.stats.runs import median_run
from mteval.ui.annotate.administration import edited_typology
from mteval.ui.annotate.store import CONTRASTIVE, WAY_NAMES, Wanted, campaigns_of_visitor, chosen_segments, go_to_view
from mteval.ui.elements import SURVIVES, choose, editor, end, errors_end_the_page, leave, say, show
from mteval.ui.page import choose_metric, require_evaluation
from mteval.ui.session.memory import by_metric, scored_on
from mteval.ui.session.visitor import asker
from mteval.ui.setup.workspace import run_word
from mteval.values.model import Run, TestSet

NUMBERS = ("lowest", "highest")
SHOWN = 60
ALWAYS = ("source", "output", "explanation")
OWN: Mapping[Way, tuple[str, ...]] = {  # besides what all ways have
    "rating": NUMBERS, "errors": ("category", "severity"), "esa": ("severity", *NUMBERS), "preference": ("better",),
}  # fmt: skip
WAY_CAPTIONS = {
    "rating": "Two sliders.",
    "errors": "MQM category and severity for each error.",
    "esa": "Minor and major errors, then a score (ESA).",
    "preference": "Two outputs side by side, names hidden.",
    CONTRASTIVE: "Errors and a score for three to six outputs of a segment, side by side.",
}
TASKS = (*WAYS, CONTRASTIVE)
NOBODY = "none"
INFORMATIVE = "Informative segments"
OFTEN = (
    "Draw the random segments more often where the metric tells the systems apart. Their probabilities are known, and"
    " means are weighed by them. Nothing is drawn for its change."
)
LABELS = ("Random", "Most improved", "Most declined")
USUAL_SIZES = (30, 10, 10)
MOST_CHECKS = 1_000
Made = tuple[tuple[Sampled, ...], Campaign, tuple[Task, ...]]
DRAWN = "Only random segments represent the test set. The most changed ones show what a metric rewards and punishes."


def starting(store: AnnotationStore) -> None:
    """Show the form and its button."""
    results = require_evaluation()
    if not results.experiment.has_texts:
        end("note", "Only scores are loaded. Load outputs and references to annotate them.")
    make = _filled_form(store, results)
    try:
        sample, campaign, tasks = make()
    except MtevalError as error:
        say("warning", str(error))
        st.button("Start campaign", disabled=True, key="start-campaign")
        return
    runs = " and ".join(f"{run_word().noun} {output.run} of {output.system}" for output in campaign.outputs)
    strata = Counter(segment.stratum for segment in sample)
    counts = f"{strata['random']} random, {strata['improvement']} improved, {strata['decline']} declined"
    by = f"Median by {results.spec(campaign.plan.metric).name} on {campaign.plan.chosen_on}"
    if strata["chosen"]:
        counts, by = "chosen by hand", "As on the Segments page"
    drawn = f"{counted(len(sample), 'segment')} ({counts}); {counted(len(tasks), 'judgement')} in all."
    show(tag("p", f"{by}: {runs}. {drawn}"))
    if st.button("Start campaign", type="primary", icon=":material/play_arrow:", key="start-campaign"):
        with errors_end_the_page():
            store.add(campaign, tasks, asker())
        leave("good", f"Started the campaign “{campaign.name}” with {counted(len(sample), 'segment')}.")
        go_to_view("annotators", campaign.uid)
        st.rerun()


def _filled_form(store: AnnotationStore, results: Results) -> Callable[[], Made]:
    """Draw the widgets, and return a function that makes the campaign they describe.

    It raises MtevalError where they say what cannot be.
    """
    known = {listed.name: listed.progress for listed in campaigns_of_visitor(store)}
    left, right = st.columns(2, gap="large")
    with left:
        kind = st.radio(
            "Task", TASKS, format_func=WAY_NAMES.__getitem__, captions=[WAY_CAPTIONS[one] for one in TASKS],
            index=TASKS.index("errors"), key="campaign-way", **SURVIVES,
        )  # fmt: skip
        way: Way = next((one for one in WAYS if one == kind), "esa")
        usual_name, key = free_name(WAY_NAMES[kind], known.__contains__), f"campaign-name-{kind}-{len(known)}"
        name = st.text_input("Name", usual_name, max_chars=200, key=key, **SURVIVES).strip()
        read_on, chosen_on, metric = _where(results)
        wanted = chosen_segments(read_on)
        n_beside, is_adaptive = 0, False
        if kind == CONTRASTIVE:
            systems, n_beside, is_adaptive = _beside(results.on(read_on), wanted)
        else:
            systems = _systems(results.on(read_on), way) if wanted is None else []
    with right:
        is_informative = wanted is None and st.toggle(INFORMATIVE, key="campaign-informative", help=OFTEN, **SURVIVES)
        plan = _chosen_plan(results, chosen_on, metric, read_on, is_drawn=wanted is None)
        readers = sorted({reader for progress in known.values() for reader in progress})
        annotators = st.multiselect(
            "Annotators", readers, accept_new_options=True,
            placeholder="Type a name and press Enter", key="campaign-annotators", **SURVIVES,
        )  # fmt: skip
    usual = annotations.DEFAULT_TYPOLOGY
    edited = edited_typology(usual, "campaign-typology") if way == "errors" else lambda: usual
    told, practice = _guidance(way)
    finder = _finder(results.on(read_on)) if way == "esa" and not is_adaptive else None
    found_by = "" if finder is None else finder.metric.name
    plan = replace(plan, side_by_side=n_beside, is_adaptive=is_adaptive, is_merged=True, prefilled_by=found_by)

    def make() -> Made:
        drawn = plan
        if n_beside and not FEWEST_BESIDE <= n_beside <= len(systems if wanted is None else wanted.runs):
            raise SettingsError(f"Choose at least {counted(FEWEST_BESIDE, 'system')} to compare side by side.")
        typology, controls = edited(), tuple(practice())
        refuse_unusable(way, typology, controls)
        runs = [_median_output(results, key, metric, chosen_on, read_on) for key in systems]
        if wanted is None:
            sample, drawn = _sample(results, runs, metric, read_on, plan, is_informative)
        else:
            runs, sample = list(dict.fromkeys(wanted.runs)), tuple(Sampled(one, "chosen") for one in wanted.segments)
        if name in known:
            raise SettingsError(f"A campaign named “{name}” exists already. Choose another name.")
        campaign = campaign_on(read_on, name, way, runs, drawn, typology)
        names = [name.strip() for name in annotators]
        tasks = annotations.merged(campaign, annotations.deal_tasks(campaign, sample, names))
        if finder is not None:
            tasks = _prefilled(tasks, finder, runs)
        return sample, *annotations.with_controls(replace(campaign, instructions=told, controls=controls), tasks)

    return make


def _where(results: Results) -> tuple[TestSet, TestSet, str]:
    """Choose the annotated test set, the one that the median run is chosen on, and the metric that chooses it."""
    names = [test_set.name for test_set in results.experiment.test_sets]
    first = reported_test_set(results.experiment).name
    read = choose("Test set", names, "campaign-read", in_address=False, default=first)
    chosen = read
    if len(names) > 1:
        chosen = choose(
            f"Choose median {run_word().noun} on", sorted(names, key=lambda name: name == read), "campaign-chosen",
            in_address=False,
            help=f"Choose the median {run_word().noun} on a different test set to avoid selection bias.",
        )  # fmt: skip
    metric = choose_metric(results, "campaign-metric", f"Median {run_word().noun} by", in_address=False)
    return results.experiment.test_set(read), results.experiment.test_set(chosen), metric


def _systems(results: Results, way: Way) -> list[str]:
    keys, baseline = results.systems, results.experiment.baseline
    first = next((key for key in keys if key != baseline), keys[0])
    system = choose("System", keys, "campaign-system", in_address=False, default=first)
    others = [key for key in keys if key != system]
    choices = others if way == "preference" else [*others, NOBODY]
    if not choices:
        return [system]
    usual = baseline if baseline in choices else None
    other = choose("Compare with", choices, f"campaign-other-{way}", in_address=False, default=usual)
    return [system] if other == NOBODY else [other, system]


def _beside(results: Results, wanted: Wanted | None) -> tuple[list[str], int, bool]:
    """Choose systems, how many of them are shown side by side, and whether by the scores so far."""
    systems = results.systems
    if wanted is None:
        systems = st.multiselect("Systems", systems, systems, key="campaign-systems", **SURVIVES)
    n_systems = len(systems if wanted is None else wanted.runs)
    most = max(FEWEST_BESIDE, min(MOST_BESIDE, n_systems))
    key = f"campaign-beside-{most}"
    n_beside = int(st.number_input("Outputs side by side", FEWEST_BESIDE, most, key=key, **SURVIVES))
    is_adaptive = n_beside < n_systems and st.toggle(
        "Adaptive assignment", key="campaign-adaptive", **SURVIVES,
        help="Show systems that scored well so far more often. Each probability is recorded, and means are weighted by"
        " it.",
    )  # fmt: skip
    return systems, n_beside, is_adaptive


def _finder(results: Results) -> Scored | None:
    """Choose the metric that marks errors beforehand; None if there is none or none is wanted."""
    if not (finders := [scored for scored in scored_on(results) if marks_errors(scored)]):
        return None
    by_name = {scored.metric.name: scored for scored in finders}
    help_ = "Annotators start from the errors that this metric marks."
    return by_name.get(
        choose("Pre-mark errors with", [NOBODY, *by_name], "campaign-finder", in_address=False, help=help_)
    )


def _chosen_plan(results: Results, chosen_on: TestSet, metric: str, read_on: TestSet, is_drawn: bool) -> Plan:
    """Choose how many segments are drawn, who gets which, and how many attention checks are added."""
    sizes, by_document = _sizes(read_on) if is_drawn else ((0, 0, 0), False)
    shared = None  # all
    if not st.toggle("Everyone annotates every segment", True, key="campaign-all", **SURVIVES):
        help_ = "Agreement is measured on these. The others go to one annotator each."
        shared = st.number_input("Segments for everyone", 0, 10_000, 10, key="campaign-shared", **SURVIVES, help=help_)
    checks = st.number_input(
        "Attention checks", 0, MOST_CHECKS, 0, key="campaign-checks", **SURVIVES,
        help="Extra outputs per annotator, with words of another segment inserted. Results show how many were noticed;"
        " averages ignore them.",
    )  # fmt: skip
    return Plan(
        chosen_on.name, metric, *sizes, shared, results.settings.seed, by_document=by_document, checks=int(checks)
    )


def _sizes(read_on: TestSet) -> tuple[tuple[int, int, int], bool]:
    """Choose how many random, improved and declined segments to draw, and whether to draw whole documents."""
    by_document = read_on.documents is not None and st.toggle(
        "Whole documents", False, key="campaign-documents", **SURVIVES,
        help="Draw documents until they contain this many segments, and show each in order.",
    )  # fmt: skip
    labels = LABELS[:1] if by_document else LABELS
    sizes = [
        int(column.number_input(label, 0, 10_000, size, key=f"campaign-size-{number}", help=DRAWN, **SURVIVES))
        for number, (column, label, size) in enumerate(zip(st.columns(3), labels, USUAL_SIZES, strict=False))
    ]
    random, improvements, declines = (*sizes, 0, 0)[:3]
    return (random, improvements, declines), by_document


def _guidance(way: Way) -> tuple[str, Callable[[], Iterator[Control]]]:
    """Edit the instructions and practice texts; return the former and a function that reads the latter.

    The latter raises SettingsError where a text cannot be used.
    """
    column = st.column_config
    output = {"rating": "Output", "preference": "Worse output"}.get(way, "Output, with the error in <v>…</v>")
    columns = {
        "source": column.TextColumn("Source", width="medium"),
        "better": column.TextColumn("Better output", width="large"),
        "output": column.TextColumn(output, required=True, width="large"),
        "category": column.TextColumn("Category", help="A name from “Categories and weights”."),
        "severity": column.SelectboxColumn("Severity", options=SEVERITIES_OF[way]),
        "lowest": column.NumberColumn("Lowest score", min_value=0, max_value=100),
        "highest": column.NumberColumn("Highest score", min_value=0, max_value=100),
        "explanation": column.TextColumn("Explanation", width="medium"),
    }
    with st.expander("Instructions and practice", icon=":material/school:"):
        told = st.text_area("Instructions for annotators", key="campaign-told", max_chars=20_000, **SURVIVES)
        st.markdown("Practice texts come first. Annotators see the answer after giving theirs.")
        edited = editor(
            pd.DataFrame([{name: np.nan if name in NUMBERS else "" for name in columns}]),  # a row to begin with
            f"campaign-practice-{way}", num_rows="dynamic", hide_index=True,
            column_config={name: one if name in (*ALWAYS, *OWN[way]) else None for name, one in columns.items()},
        )  # fmt: skip
    rows = edited.astype(object).where(edited.notna(), None).to_dict("records")
    return told, lambda: (_practice(row) for row in rows if any(one not in (None, "") for one in row.values()))


def _practice(row: dict[Any, Any]) -> Control:
    """Return a practice text from a row of the table; of two outputs, the better one has no defect."""
    text, span = marked_span(str(row["output"] or ""))
    start, end = span or (0, 0)
    low, high = (float(end if row[name] is None else row[name]) for name, end in (("lowest", 0), ("highest", 100)))
    said = {name: row[name] or "" for name in ("source", "severity", "explanation", "category")}
    return Control(
        "training", hypothesis=text, start=start, end=end, low=low, high=high, intact=row["better"] or "", **said
    )


def refuse_unusable(way: Way, typology: Typology, practice: Iterable[Control]) -> None:
    """Raise SettingsError if a practice text lacks its better output or has an unknown category."""
    for one in practice:
        what = f"Practice text “{one.hypothesis[:SHOWN]}”"
        if way == "preference" and not one.intact.strip():
            raise SettingsError(f"{what} has no better output. Add one.")
        if one.category not in ("", *typology.names):
            raise SettingsError(
                f"{what} has the unknown category “{one.category[:SHOWN]}”. Expected one of {listed(typology.names)}."
            )


def _prefilled(tasks: Sequence[Task], finder: Scored, runs: Sequence[Run]) -> tuple[Task, ...]:
    """Return tasks with the errors that a metric found; severities unknown to people become neutral."""
    spans = [spans_of(finder, run) for run in runs]

    def found(output: int, segment: int) -> Iterator[tuple[int, int, str]]:
        for span in spans[output][segment] or ():
            yield span.start, span.end, span.severity if span.severity in annotations.SEVERITIES else "neutral"

    return annotations.prefilled(tasks, finder.metric.name, found)


def _median_output(results: Results, system: str, metric: str, chosen_on: TestSet, read_on: TestSet) -> Run:
    """Return the median run by a metric on one test set, with its output on the other."""
    chosen = by_metric(scored_on(results.on(chosen_on)), metric)
    if system not in chosen.statistics:
        raise SettingsError(f"System '{system}' has no output on '{chosen_on.name}'. Choose its median elsewhere.")
    key = chosen.run_keys(system)[median_run(chosen.run_scores[system])]
    if found := [run for run in read_on.runs_of(system) if run.key == key]:
        return found[0]
    raise SettingsError(
        f"The median of '{system}' on '{chosen_on.name}' is {run_word().noun} '{key}', which '{read_on.name}' lacks."
        " Choose the median on the annotated test set."
    )


def _sample(
    results: Results, runs: Sequence[Run], metric: str, read_on: TestSet, plan: Plan, is_informative: bool
) -> tuple[tuple[Sampled, ...], Plan]:
    """Draw documents, or segments: by what the metric says of all systems, or by their change between two outputs."""
    improvement = np.full(read_on.n_segments, np.nan)
    if plan.by_document and read_on.documents:
        return annotations.draw_documents(read_on.documents, plan), plan
    one = by_metric(scored_on(results.on(read_on)), metric)
    if is_informative:
        scores = np.array([one.scorer.segment_score(of).mean(axis=0) for of in one.statistics.values()])
        size = min(plan.random, read_on.n_segments)
        if size < 1:
            raise SettingsError("No random segments requested. Enter 1 or more.")
        drawn, chances = draw_informative(informativeness(scores), size, np.random.default_rng([plan.seed, 0]))
        plan = replace(plan, improvements=0, declines=0, probabilities=tuple(chances.tolist()))
        return tuple(Sampled(int(segment), "random") for segment in drawn), plan
    if len(runs) == 2:
        pair = RunPair(runs[0].system, runs[0].key, runs[1].system, runs[1].key)
        improvement = segment_differences([one], pair)["improvement"].to_numpy(float)
    return annotations.draw_sample(improvement, plan), plan
