"""The form of a new campaign: outputs, segments, annotators, task, instructions and practice."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from mteval import annotations
from mteval.analysis.people.new_campaigns import (
    PROTOCOL_NAMES,
    SCORE_COLUMNS,
    Form,
    NewCampaign,
    median_output,
    new_campaign,
    practice_text,
)
from mteval.analysis.results import Results, reported_test_set
from mteval.analysis.scoring import Scored
from mteval.analysis.summary import marks_errors
from mteval.annotations import AnnotationStore, Control, Plan, Sampled, Typology
from mteval.annotations.campaigns import CONTRASTIVE, FEWEST_BESIDE, MOST_BESIDE, WAYS, Way
from mteval.annotations.protocol import SEVERITIES_OF
from mteval.base.errors import MtevalError, SettingsError
from mteval.base.words import agreeing, counted, free_name
from mteval.render.html import tag
from mteval.ui.annotate.administration import edited_typology
from mteval.ui.annotate.store import (
    READ_ON,
    Wanted,
    campaigns_of_visitor,
    chosen_segments,
    go_to_view,
)
from mteval.ui.elements import SURVIVES, choose, editor, end, errors_end_the_page, leave, say, show
from mteval.ui.page import choose_metric, require_evaluation
from mteval.ui.session.memory import by_metric, scored_on
from mteval.ui.session.visitor import asker
from mteval.ui.setup.workspace import run_word
from mteval.values.model import TestSet

TASKS = (*WAYS, CONTRASTIVE)
TASK_CAPTIONS = {
    "rating": "Two sliders.",
    "errors": "MQM category and severity for each error.",
    "esa": "Minor and major errors, then a score (ESA).",
    "preference": "Two outputs side by side, names hidden.",
    CONTRASTIVE: "Errors and a score for three to six outputs of a segment, side by side.",
}

# Columns of the table of practice texts: those of every task, and those of each
SHARED_COLUMNS = ("source", "output", "explanation")
OWN_COLUMNS: Mapping[Way, tuple[str, ...]] = {
    "rating": SCORE_COLUMNS,
    "errors": ("category", "severity"),
    "esa": ("severity", *SCORE_COLUMNS),
    "preference": ("better",),
}

SIZE_LABELS = ("Random", "Most improved", "Most declined")
USUAL_SIZES = (30, 10, 10)
SIZE_HELP = (
    "Only random segments represent the test set. The most changed ones show what a metric rewards and punishes."
)
INFORMATIVE_HELP = (
    "Draw random segments more often if the metric tells the systems apart on them. Their probabilities are known, and"
    " means are weighted by their inverse. The most changed segments are not added."
)
NOBODY = "none"  # the option of a system or a metric that is not wanted
MOST_CHECKS = 1_000


@dataclass(frozen=True)
class _ChosenSystems:
    """The systems whose outputs are annotated.

    Parameters
    ----------
    names
        The systems whose median runs are annotated, unless runs were chosen on the Segments page.
    n_beside
        How many outputs are shown side by side; 0 if each is shown alone.
    is_adaptive
        Whether systems that scored well so far are shown more often.
    """

    names: list[str]
    n_beside: int = 0
    is_adaptive: bool = False


def starting(store: AnnotationStore) -> None:
    """Show the form and its button."""
    results = require_evaluation()
    if not results.experiment.has_texts:
        end("note", "Only scores are loaded. Load outputs and references to annotate them.")
    make = _filled_form(store, results)
    try:
        new = make()
    except MtevalError as error:
        say("warning", str(error))
        st.button("Start campaign", disabled=True, key="start-campaign")
        return
    show(tag("p", _description(results, new)))
    if st.button("Start campaign", type="primary", icon=":material/play_arrow:", key="start-campaign"):
        with errors_end_the_page():
            store.add(new.campaign, new.tasks, asker())
        leave("good", f"Started the campaign “{new.campaign.name}” with {counted(len(new.sample), 'segment')}.")
        go_to_view("annotators", new.campaign.uid)
        st.rerun()


def _description(results: Results, new: NewCampaign) -> str:
    """Return which runs and how many segments of which kind are annotated."""
    plan = new.campaign.plan
    runs = " and ".join(f"{run_word().noun} {output.run} of {output.system}" for output in new.campaign.outputs)
    strata = Counter(segment.stratum for segment in new.sample)
    if strata["chosen"]:
        reason = "As on the Segments page"
        kinds = "chosen by hand"
    else:
        reason = f"Median by {results.spec(plan.metric).name} on {plan.chosen_on}"
        kinds = f"{strata['random']} random, {strata['improvement']} improved, {strata['decline']} declined"
    n_segments = counted(len(new.sample), "segment")
    text = f"{reason}: {runs}. {n_segments} ({kinds}); {counted(new.n_asked, 'judgement')} in all."
    if new.n_same:
        are_ties = agreeing(new.n_same, "is a tie", "are ties")
        text += f" {counted(new.n_same, 'pair')} of the same text {are_ties} without a judgement."
    return text


def _filled_form(store: AnnotationStore, results: Results) -> Callable[[], NewCampaign]:
    """Draw the widgets, and return a function that makes the campaign they describe.

    It raises MtevalError if what they describe is impossible.
    """
    progress_of = {campaign.name: campaign.progress for campaign in campaigns_of_visitor(store)}
    left, right = st.columns(2, gap="large")
    with left:
        task = st.radio(
            "Task",
            TASKS,
            format_func=PROTOCOL_NAMES.__getitem__,
            captions=[TASK_CAPTIONS[task] for task in TASKS],
            index=TASKS.index("errors"),
            key="campaign-way",
            **SURVIVES,
        )
        # A contrastive task is ESA with several outputs side by side.
        way: Way = next((way for way in WAYS if way == task), "esa")
        usual_name = free_name(PROTOCOL_NAMES[task], progress_of.__contains__)
        name_key = f"campaign-name-{task}-{len(progress_of)}"
        name = st.text_input("Name", usual_name, max_chars=200, key=name_key, **SURVIVES).strip()
        read_on, chosen_on, metric = _test_sets_and_metric(results)
        wanted = chosen_segments(read_on)
        if task == CONTRASTIVE:
            systems = _systems_beside(results.on(read_on), wanted)
        elif wanted is None:
            systems = _ChosenSystems(_compared_systems(results.on(read_on), way))
        else:
            systems = _ChosenSystems([])  # the runs were chosen on the Segments page
    with right:
        is_informative = False
        if wanted is None:
            is_informative = st.toggle(
                "Informative segments", key="campaign-informative", help=INFORMATIVE_HELP, **SURVIVES
            )
        plan = _chosen_plan(results, chosen_on, metric, read_on, is_drawn=wanted is None)
        known_annotators = set[str]()
        for progress in progress_of.values():
            known_annotators.update(progress)
        annotators = st.multiselect(
            "Annotators",
            sorted(known_annotators),
            accept_new_options=True,
            placeholder="Type a name and press Enter",
            key="campaign-annotators",
            **SURVIVES,
        )
    read_typology = _chosen_typology(way)
    instructions, read_practice = _guidance(way)
    finder = None
    if way == "esa" and not systems.is_adaptive:
        finder = _finder(results.on(read_on))
    plan = replace(plan, side_by_side=systems.n_beside, is_adaptive=systems.is_adaptive)

    def make() -> NewCampaign:
        form = Form(
            name=name,
            way=way,
            annotators=tuple(annotator.strip() for annotator in annotators),
            plan=plan,
            is_informative=is_informative,
            typology=read_typology(),
            instructions=instructions,
            practice=tuple(read_practice()),
            finder=finder,
        )
        if name in progress_of:
            raise SettingsError(f"A campaign named “{name}” exists already. Choose another name.")
        if wanted is not None:
            sample = tuple(Sampled(segment, "chosen") for segment in wanted.segments)
            return new_campaign(form, read_on, list(dict.fromkeys(wanted.runs)), None, sample)
        chooser = by_metric(scored_on(results.on(chosen_on)), metric)
        runs = [median_output(chooser, system, read_on, run_word()) for system in systems.names]
        return new_campaign(form, read_on, runs, by_metric(scored_on(results.on(read_on)), metric))

    return make


def _test_sets_and_metric(results: Results) -> tuple[TestSet, TestSet, str]:
    """Choose the annotated test set, the one that the median run is chosen on, and the metric that chooses it."""
    names = [test_set.name for test_set in results.experiment.test_sets]
    first = reported_test_set(results.experiment).name
    read_on = choose("Test set", names, READ_ON, in_address=False, default=first)
    chosen_on = read_on
    if len(names) > 1:
        chosen_on = choose(
            f"Choose median {run_word().noun} on",
            sorted(names, key=lambda name: name == read_on),  # another one first
            "campaign-chosen",
            in_address=False,
            help=f"Choose the median {run_word().noun} on a different test set to avoid selection bias.",
        )
    metric = choose_metric(results, "campaign-metric", f"Median {run_word().noun} by", in_address=False)
    return results.experiment.test_set(read_on), results.experiment.test_set(chosen_on), metric


def _compared_systems(results: Results, way: Way) -> list[str]:
    """Choose one system, or two that are compared; a preference needs two."""
    systems = results.systems
    baseline = results.experiment.baseline
    first = next((system for system in systems if system != baseline), systems[0])
    system = choose("System", systems, "campaign-system", in_address=False, default=first)
    opponents = [opponent for opponent in systems if opponent != system]
    if way != "preference":
        opponents.append(NOBODY)
    if not opponents:
        return [system]
    usual = baseline if baseline in opponents else None
    opponent = choose("Compare with", opponents, f"campaign-other-{way}", in_address=False, default=usual)
    if opponent == NOBODY:
        return [system]
    return [opponent, system]


def _systems_beside(results: Results, wanted: Wanted | None) -> _ChosenSystems:
    """Choose systems, how many of them are shown side by side, and whether by the scores so far."""
    if wanted is None:
        names = st.multiselect("Systems", results.systems, results.systems, key="campaign-systems", **SURVIVES)
        n_outputs = len(names)
    else:
        names = []  # the runs were chosen on the Segments page
        n_outputs = len(wanted.runs)
    most = max(FEWEST_BESIDE, min(MOST_BESIDE, n_outputs))
    key = f"campaign-beside-{most}"
    n_beside = int(st.number_input("Outputs side by side", FEWEST_BESIDE, most, key=key, **SURVIVES))
    is_adaptive = False
    if n_beside < n_outputs:
        is_adaptive = st.toggle(
            "Adaptive assignment",
            key="campaign-adaptive",
            help="Show systems that scored well so far more often. Each probability is recorded, and means are weighted"
            " by it.",
            **SURVIVES,
        )
    return _ChosenSystems(names, n_beside, is_adaptive)


def _finder(results: Results) -> Scored | None:
    """Choose the metric that marks errors beforehand; None if there is none or none is wanted."""
    finder_of = {scored.metric.name: scored for scored in scored_on(results) if marks_errors(scored)}
    if not finder_of:
        return None
    name = choose(
        "Pre-mark errors with",
        [NOBODY, *finder_of],
        "campaign-finder",
        in_address=False,
        help="Annotators start from the errors that this metric marks.",
    )
    return finder_of.get(name)


def _chosen_plan(results: Results, chosen_on: TestSet, metric: str, read_on: TestSet, is_drawn: bool) -> Plan:
    """Choose how many segments are drawn, who gets which, and how many attention checks are added."""
    sizes = (0, 0, 0)
    by_document = False
    if is_drawn:
        sizes, by_document = _sizes(read_on)
    shared = None  # all
    if not st.toggle("Everyone annotates every segment", True, key="campaign-all", **SURVIVES):
        shared = st.number_input(
            "Segments for everyone",
            0,
            10_000,
            10,
            key="campaign-shared",
            help="Agreement is measured on these. The others go to one annotator each.",
            **SURVIVES,
        )
    checks = st.number_input(
        "Attention checks",
        0,
        MOST_CHECKS,
        0,
        key="campaign-checks",
        help="Extra outputs per annotator, with words of another segment inserted. Results show how many were noticed;"
        " averages ignore them.",
        **SURVIVES,
    )
    seed = results.settings.seed
    return Plan(chosen_on.name, metric, *sizes, shared, seed, by_document=by_document, checks=int(checks))


def _sizes(read_on: TestSet) -> tuple[tuple[int, int, int], bool]:
    """Choose how many random, improved and declined segments to draw, and whether to draw whole documents."""
    by_document = False
    if read_on.documents is not None:
        by_document = st.toggle(
            "Whole documents",
            False,
            key="campaign-documents",
            help="Draw documents until they contain this many segments, and show each in order.",
            **SURVIVES,
        )
    sizes = [0, 0, 0]
    labels = SIZE_LABELS[:1] if by_document else SIZE_LABELS
    columns = st.columns(3)
    for index, label in enumerate(labels):
        sizes[index] = int(
            columns[index].number_input(
                label, 0, 10_000, USUAL_SIZES[index], key=f"campaign-size-{index}", help=SIZE_HELP, **SURVIVES
            )
        )
    random, improvements, declines = sizes
    return (random, improvements, declines), by_document


def _chosen_typology(way: Way) -> Callable[[], Typology]:
    """Edit the categories if errors have some; return a function that reads them.

    It raises SettingsError if they cannot be used.
    """
    if way == "errors":
        return edited_typology(annotations.DEFAULT_TYPOLOGY, "campaign-typology")
    return lambda: annotations.DEFAULT_TYPOLOGY


def _guidance(way: Way) -> tuple[str, Callable[[], list[Control]]]:
    """Edit the instructions and practice texts; return the former and a function that reads the latter.

    The latter raises SettingsError where a text cannot be used.
    """
    if way == "rating":
        output = "Output"
    elif way == "preference":
        output = "Worse output"
    else:
        output = "Output, with the error in <v>…</v>"
    kinds = st.column_config
    columns = {
        "source": kinds.TextColumn("Source", width="medium"),
        "better": kinds.TextColumn("Better output", width="large"),
        "output": kinds.TextColumn(output, required=True, width="large"),
        "category": kinds.TextColumn("Category", help="A name from “Categories and weights”."),
        "severity": kinds.SelectboxColumn("Severity", options=SEVERITIES_OF[way]),
        "lowest": kinds.NumberColumn("Lowest score", min_value=0, max_value=100),
        "highest": kinds.NumberColumn("Highest score", min_value=0, max_value=100),
        "explanation": kinds.TextColumn("Explanation", width="medium"),
    }
    # The table starts with an empty row. It has all columns, but shows only those of the task.
    empty_row: dict[str, Any] = dict.fromkeys(columns, "")
    empty_row.update(dict.fromkeys(SCORE_COLUMNS, np.nan))
    column_config: dict[str, Any] = dict.fromkeys(columns)
    for name in (*SHARED_COLUMNS, *OWN_COLUMNS[way]):
        column_config[name] = columns[name]
    with st.expander("Instructions and practice", icon=":material/school:"):
        instructions = st.text_area("Instructions for annotators", key="campaign-told", max_chars=20_000, **SURVIVES)
        st.markdown("Practice texts come first. Annotators see the answer after giving theirs.")
        edited = editor(
            pd.DataFrame([empty_row]),
            f"campaign-practice-{way}",
            num_rows="dynamic",
            hide_index=True,
            column_config=column_config,
        )
    rows = edited.astype(object).where(edited.notna(), None).to_dict("records")

    def read_practice() -> list[Control]:
        controls = []
        for row in rows:
            is_filled = any(value not in (None, "") for value in row.values())
            if is_filled:
                controls.append(practice_text({str(column): value for column, value in row.items()}))
        return controls

    return instructions, read_practice
