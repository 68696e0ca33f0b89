"""The Errors tab of the People page: errors marked by annotators or by a metric, in one view."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import pandas as pd
import streamlit as st

from mteval.analysis import summary
from mteval.analysis.people import marked_errors as marks
from mteval.analysis.results import Results, reported_test_set
from mteval.analysis.scoring import Scored, Work
from mteval.answers import errors as answers
from mteval.base.words import counted
from mteval.render.frames import frame_csv, to_json
from mteval.render.html import example_block, tag
from mteval.report.page import examples_page
from mteval.ui.annotate.store import Wanted, begin_campaign
from mteval.ui.elements import choose, choose_some, click_hint, download, end, grid, quiet, show, show_section
from mteval.ui.judgements import Plan, answered
from mteval.ui.page import settings_of_session
from mteval.ui.segments.link import open_in_segments
from mteval.ui.session import evaluation
from mteval.ui.session.memory import deciding, scored_on
from mteval.ui.setup.workspace import loaded_experiment, notes, run_word
from mteval.values.judgements import Judgement
from mteval.values.model import Experiment, TestSet
from mteval.values.notes import NOTER, noted_on
from mteval.values.service import is_demo
from mteval.values.settings import Settings

T = TypeVar("T")
MOST_SHOWN = 2_000  # errors in the table
MOST_EXAMPLES = 20  # outputs in the file of examples
USUAL_SYSTEMS = 3  # whose profiles are shown at first
ABSENT = {"origin": "the annotator"}  # who found what no metric marked
ANNOTATORS = "annotators"


@dataclass(frozen=True)
class _Source:
    """Where errors come from.

    Parameters
    ----------
    key
        All that decides the judgements.
    test_set, experiment
        The judged texts, and the experiment that has them; None if they are not loaded.
    """

    key: Hashable
    judgements: tuple[Judgement, ...]
    test_set: TestSet | None
    experiment: Experiment | None
    settings: Settings

    def asked(self, place: str, answer: Callable[[Work], T], *further: object) -> T:
        """Return what is computed beside the page, which ends until it is ready."""
        return answered(place, repr((place, self.key, further)), answer, self.settings.workers)


def marking() -> tuple[Results, tuple[Scored, ...]] | None:
    """Return the results at hand, and the metrics that mark errors on the test set; None without results."""
    experiment = loaded_experiment()
    settings = settings_of_session()
    if experiment is None:
        return None
    results = evaluation.current(experiment, settings)
    if results is None:
        return None
    results = results.on(reported_test_set(results.experiment))
    marking_metrics = tuple(scored for scored in scored_on(results) if summary.marks_errors(scored))
    return results, marking_metrics


def errors_tab(plan: Plan | None) -> None:
    """Show marked errors, the open one, and how often each system makes each kind.

    Parameters
    ----------
    plan
        The judgements by people; None if there are none.
    """
    results_and_metrics = marking()
    noted_in = noted_test_set()

    names = []
    if plan is not None and any(judgement.errors for judgement in plan.people.judged.judgements):
        names.append(ANNOTATORS)
    if noted_in is not None:
        names.append(NOTER)
    scored_of: dict[str, Scored] = {}
    if results_and_metrics is not None:
        scored_of = {scored.metric.name: scored for scored in results_and_metrics[1]}
    names.extend(scored_of)
    if not names:
        end("note", answers.NO_ERRORS)

    marked_by = names[0]
    if len(names) > 1:
        marked_by = choose("Errors marked by", names, "people-errors-from", width=280)
    if marked_by == NOTER and noted_in is not None:
        _show_notes(noted_in)
    elif marked_by == ANNOTATORS and plan is not None:
        _show_errors(_source_of_people(plan))
    else:
        assert results_and_metrics is not None
        _show_errors_of_metric(results_and_metrics[0], scored_of[marked_by])


def _source_of_people(plan: Plan) -> _Source:
    people = plan.people
    experiment_digest = ""
    if people.experiment is not None:
        experiment_digest = people.experiment.digest
    key = (people.key, experiment_digest)
    return _Source(key, people.judged.judgements, people.test_set, people.experiment, plan.settings)


def _show_errors_of_metric(results: Results, scored: Scored) -> None:
    """Show how many errors a metric marks in all outputs, with downloads, and those in the median runs."""
    show_section(answers.marked_errors(results, scored), has_title=False)
    name = f"errors-by-{scored.metric.key}"
    with st.container(horizontal=True):
        download("Download errors (CSV)", f"{name}.csv", lambda: frame_csv(summary.marked_frame(scored)))
        download(
            "Download errors (JSON)",
            f"{name}.json",
            lambda: to_json({"errors": summary.marked_frame(scored)}, {}),
        )
    quiet(results.run_word.filled("Errors in the median {run} of each system:"))
    key = (deciding(results.experiment), scored.metric.key, results.test_set.name)
    judgements = marks.judged_by_metric(scored)
    _show_errors(_Source(key, judgements, results.test_set, results.experiment, results.settings))


def noted_test_set() -> TestSet | None:
    """Return the test set in which the owner noted errors; if several have some, the one on the page of segments."""
    experiment = loaded_experiment()
    if experiment is None:
        return None
    names = {note.test_set for note in notes()}
    noted_in = [test_set for test_set in experiment.test_sets if test_set.name in names and test_set.has_texts]
    for test_set in noted_in:
        if test_set.name == st.session_state.get("test-set"):
            return test_set
    return noted_in[0] if noted_in else None


def _show_notes(test_set: TestSet) -> None:
    """Show the owner's notes: counts per system, the errors, files, and a campaign with their segments."""
    experiment = loaded_experiment()
    settings = settings_of_session()
    if settings is None:
        settings = Settings()
    own_notes = notes()
    noted = marks.noted_frame(own_notes, test_set, Work())
    show_section(answers.counts_section(noted, run_word()), has_title=False)
    with st.container(horizontal=True):
        notes_file = partial(marks.notes_table, own_notes, test_set)
        download("Download notes (TSV)", "error-notes.tsv", notes_file, help="As WMT's MQM table.")
        # A demo has no campaigns
        if not is_demo() and st.button(
            "Start campaign with these segments", icon=":material/add:", key="campaign-notes"
        ):
            segments = sorted({int(place) for place in noted["place"]})
            noted_runs = set(zip(noted["system"], noted["run"], strict=True))
            runs = tuple(run for run in test_set.runs if (run.system, run.key) in noted_runs)
            begin_campaign(Wanted(test_set.name, tuple(segments), runs))

    # Notes have no profiles: a segment without a note may be unread
    judgements = noted_on(own_notes, test_set.name, test_set.documents)
    _show_errors(_Source(judgements, judgements, test_set, experiment, settings), has_profiles=False)


def _show_errors(source: _Source, *, has_profiles: bool = True) -> None:
    """Show the errors that match the filter, the open one, their files, and the profiles of systems."""
    judgements = source.judgements
    test_set = source.test_set
    marked = source.asked("errors", lambda work: marks.marked_frame(judgements, test_set, work))
    selected = _filtered(marked)
    extent = answers.errors_extent(selected, marked, MOST_SHOWN)
    quiet(extent)
    if not selected.empty:
        _show_open_error(source, _choose_error(selected), marked)
        lead = f"{extent} Colours show the severity of marked errors."
        runs = run_word()  # as it is now; the file is made when the button is pressed

        def examples_file() -> str:
            return examples_page(
                "Marked errors", lead, answers.examples(selected, marked, test_set, runs, MOST_EXAMPLES)
            )

        with st.container(horizontal=True):
            download("Download these errors (CSV)", "marked-errors.csv", selected)
            download(
                "Download examples (HTML)",
                "marked-errors.html",
                examples_file,
                icon=":material/slideshow:",
                help=f"The first {counted(MOST_EXAMPLES, 'output')} with a matching error, as one file.",
            )
    if has_profiles:
        _show_profiles(source)


def _filtered(marked: pd.DataFrame) -> pd.DataFrame:
    """Filter the errors; only columns with several values have a filter."""
    label_of = {
        "category": "Category",
        "severity": "Severity",
        "system": "System",
        "run": run_word().filled("{Run}"),
        "annotator": "Annotator",
        "document": "Document",
        "origin": "Found by",
    }
    selected = marked
    with st.container(horizontal=True):
        for column, label in label_of.items():
            values = marked[column].replace("", ABSENT.get(column, ""))
            options = sorted({str(value) for value in values} - {""})
            if len(options) < 2:
                continue
            wanted = choose_some(label, options, f"people-errors-{column}", in_address=False, width=165)
            if wanted:
                selected = selected[values.loc[selected.index].isin(wanted)]
    return selected


def _choose_error(errors: pd.DataFrame) -> pd.Series:
    """Show the table of errors, and return the clicked one, else the first."""
    table = answers.errors_table(errors.head(MOST_SHOWN), run_word())
    columns = [column.key for column in table.columns]
    written = replace(table, frame=pd.DataFrame(table.texts, columns=columns))
    click_hint("a row", "the error in its output")
    rows = grid(written, "people-errors-table", on_pick="rerun", sized=("words",), height=300)
    if rows:
        return errors.iloc[rows[0]]
    return errors.iloc[0]


def _show_open_error(source: _Source, error: pd.Series, marked: pd.DataFrame) -> None:
    """Show an output with all its errors, and a button that opens its segment."""
    experiment = source.experiment
    test_set = source.test_set
    example = answers.example(marked, error["system"], error["segment"], test_set, run_word())
    show(tag("p", tag("b", example.title)), example_block(example))
    # The page of segments needs results, and a segment of a loaded test set
    if experiment is None or error["place"] < 0:
        return
    results = evaluation.current(experiment, source.settings)
    if results is None:
        return
    assert test_set is not None  # the segment belongs to it
    metric = results.settings.primary_metric
    st.button(
        "Open in Segments",
        icon=":material/segment:",
        key="people-open-segment",
        on_click=open_in_segments,
        args=(results, metric, error["system"], "", test_set.name, int(error["place"])),
    )


def _show_profiles(source: _Source) -> None:
    """Show the most frequent error kinds of some systems; the file has all of them."""
    judgements = source.judgements
    settings = source.settings
    systems_of_test_set: list[str] = []
    if source.test_set is not None:
        systems_of_test_set = [system.key for system in source.test_set.systems]
    # Systems of the loaded test set come first, each part in the order of its judgements
    judged_systems = dict.fromkeys(judgement.system for judgement in judgements)
    systems = sorted(judged_systems, key=lambda system: system not in systems_of_test_set)
    category, severity = marks.BY
    has_categories = any(error.category for judgement in judgements for error in judgement.errors)
    usual_grouping = category if has_categories else severity
    with st.container(horizontal=True):
        grouping = choose("By", marks.BY, "people-profile-by", default=usual_grouping, width=150)
        wanted = choose_some(
            "Systems", systems, "people-profile-systems", default=systems[:USUAL_SYSTEMS], in_address=False
        )
    profiles = source.asked(
        "profiles",
        lambda work: marks.profile_frame(judgements, grouping, settings.confidence),
        grouping,
    )
    if not wanted:
        end("note", "Choose at least one system.")
    show_section(answers.profile_section(profiles, wanted, settings))
    download("Download profiles (CSV)", "error-profiles.csv", profiles)
