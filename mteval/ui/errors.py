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
from mteval.ui.elements import choose, choose_some, download, end, grid, quiet, show, show_section
from mteval.ui.judgements import Plan, answered
from mteval.ui.page import go_to, settings_of_session
from mteval.ui.segments.table import ask_for
from mteval.ui.session import evaluation
from mteval.ui.session.memory import deciding, scored_on
from mteval.ui.setup.workspace import loaded_experiment, notes, run_word
from mteval.values.judgements import Judgement
from mteval.values.model import Experiment, TestSet
from mteval.values.notes import NOTER, noted_on
from mteval.values.service import is_demo
from mteval.values.settings import Settings

T = TypeVar("T")
MOST_SHOWN, MOST_EXAMPLES, USUAL_SYSTEMS = 2_000, 20, 3
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
    experiment, settings = loaded_experiment(), settings_of_session()
    results = None if experiment is None else evaluation.current(experiment, settings)
    if results is None:
        return None
    here = results.on(reported_test_set(results.experiment))
    return here, tuple(by for by in scored_on(here) if summary.marks_errors(by))


def errors_tab(plan: Plan | None) -> None:
    """Show marked errors, the open one, and how often each system makes each kind.

    Parameters
    ----------
    plan
        The judgements by people; None if there are none.
    """
    found, noted_in = marking(), noted_test_set()
    by_name = {} if found is None else {by.metric.name: by for by in found[1]}
    of_people = plan is not None and any(one.errors for one in plan.people.judged.judgements)
    names = [*([ANNOTATORS] if of_people else []), *([NOTER] if noted_in else []), *by_name]
    if not names:
        end("note", answers.NO_ERRORS)
    chosen = choose("Errors marked by", names, "people-errors-from", width=280) if len(names) > 1 else names[0]
    if chosen == NOTER and noted_in is not None:
        _notes(noted_in)
        return
    if chosen == ANNOTATORS and plan is not None:
        people = plan.people
        key: Hashable = (people.key, "" if people.experiment is None else people.experiment.digest)
        _errors(_Source(key, people.judged.judgements, people.test_set, people.experiment, plan.settings))
        return
    assert found is not None
    results, by = found[0], by_name[chosen]
    _counts(results, by)
    quiet(results.run_word.filled("Errors in the median {run} of each system:"))
    key = deciding(results.experiment), by.metric.key, results.test_set.name
    _errors(_Source(key, marks.judged_by_metric(by), results.test_set, results.experiment, results.settings))


def noted_test_set() -> TestSet | None:
    """Return the test set in which the owner noted errors; if several have some, the one on the page of segments."""
    experiment, noted = loaded_experiment(), {one.test_set for one in notes()}
    found = [] if experiment is None else [one for one in experiment.test_sets if one.name in noted and one.has_texts]
    return next((one for one in found if one.name == st.session_state.get("test-set")), found[0] if found else None)


def _notes(test_set: TestSet) -> None:
    """Show the owner's notes: counts per system, the errors, files, and a campaign with their segments."""
    experiment, settings, own = loaded_experiment(), settings_of_session() or Settings(), notes()
    noted = marks.noted_frame(own, test_set, Work())
    show_section(answers.counts_section(noted, run_word()), has_title=False)
    with st.container(horizontal=True):
        notes_file = partial(marks.notes_table, own, test_set)
        download("Download notes (TSV)", "error-notes.tsv", notes_file, help="As WMT's MQM table.")
        label, icon = "Start campaign with these segments", ":material/add:"
        if not is_demo() and st.button(label, icon=icon, key="campaign-notes"):
            keys = {*zip(noted["system"], noted["run"], strict=True)}
            runs = tuple(run for run in test_set.runs if (run.system, run.key) in keys)
            begin_campaign(Wanted(test_set.name, tuple(sorted({int(place) for place in noted["place"]})), runs))
    about = noted_on(own, test_set.name, test_set.documents), test_set, experiment, settings
    _errors(_Source(about[0], *about), has_profiles=False)


def _counts(results: Results, by: Scored) -> None:
    """Show how many errors a metric marks in all outputs, with downloads."""
    show_section(answers.marked_errors(results, by), has_title=False)
    name = f"errors-by-{by.metric.key}"
    with st.container(horizontal=True):
        download("Download errors (CSV)", f"{name}.csv", lambda: frame_csv(summary.marked_frame(by)))
        download("Download errors (JSON)", f"{name}.json", lambda: to_json({"errors": summary.marked_frame(by)}, {}))


def _errors(source: _Source, *, has_profiles: bool = True) -> None:
    judgements, test_set = source.judgements, source.test_set
    marked = source.asked("errors", lambda work: marks.marked_frame(judgements, test_set, work))
    chosen = _filtered(marked)
    extent = answers.errors_extent(chosen, marked, MOST_SHOWN)
    quiet(extent)
    if not chosen.empty:
        _open(source, _choose(chosen), marked)
        lead, shown = f"{extent} Colours show the severity of marked errors.", (chosen, marked, test_set, run_word())
        with st.container(horizontal=True):
            download("Download these errors (CSV)", "marked-errors.csv", chosen)
            download(
                "Download examples (HTML)", "marked-errors.html",
                lambda: examples_page("Marked errors", lead, answers.examples(*shown, MOST_EXAMPLES)),
                icon=":material/slideshow:",
                help=f"The first {counted(MOST_EXAMPLES, 'output')} with a matching error, as one file.",
            )  # fmt: skip
    if has_profiles:  # not of one's own notes: a segment without one may be unread
        _profiles(source)


def _filtered(marked: pd.DataFrame) -> pd.DataFrame:
    """Filter the errors; only columns with several values have a filter."""
    labels = {
        "category": "Category", "severity": "Severity", "system": "System", "run": run_word().filled("{Run}"),
        "annotator": "Annotator", "document": "Document", "origin": "Found by",
    }  # fmt: skip
    chosen = marked
    with st.container(horizontal=True):
        for column, label in labels.items():
            values = marked[column].replace("", ABSENT.get(column, ""))
            options = sorted({str(value) for value in values} - {""})
            if len(options) > 1:
                wanted = choose_some(label, options, f"people-errors-{column}", in_address=False, width=165)
                chosen = chosen[values.loc[chosen.index].isin(wanted)] if wanted else chosen
    return chosen


def _choose(chosen: pd.DataFrame) -> pd.Series:
    """Return the clicked error, else the first."""
    table = answers.errors_table(chosen.head(MOST_SHOWN), run_word())
    written = replace(table, frame=pd.DataFrame(table.texts, columns=[column.key for column in table.columns]))
    rows = grid(written, "people-errors-table", on_pick="rerun", sized=("words",), height=300)
    return chosen.iloc[rows[0] if rows else 0]


def _open(source: _Source, error: pd.Series, marked: pd.DataFrame) -> None:
    """Show an output with all its errors, and a button that opens its segment."""
    experiment, test_set = source.experiment, source.test_set
    opened = answers.example(marked, error["system"], error["segment"], test_set, run_word())
    show(tag("p", tag("b", opened.title)), example_block(opened))
    if experiment is None or error["place"] < 0 or evaluation.current(experiment, source.settings) is None:
        return
    if st.button("Open in Segments", icon=":material/segment:", key="people-open-segment"):
        ask_for(int(error["place"]))
        assert test_set is not None  # the segment belongs to it
        st.session_state["test-set"] = test_set.name
        if error["system"] != experiment.baseline:
            st.session_state["seg-system"] = error["system"]
        go_to("pages/segments.py")


def _profiles(source: _Source) -> None:
    """Show the most frequent error kinds of some systems; the file has all of them."""
    judgements, settings = source.judgements, source.settings
    here = () if source.test_set is None else [system.key for system in source.test_set.systems]
    systems = sorted(dict.fromkeys(one.system for one in judgements), key=lambda system: system not in here)
    with st.container(horizontal=True):
        have_categories = any(error.category for one in judgements for error in one.errors)
        by = choose(
            "By", marks.BY, "people-profile-by", default=marks.BY[0] if have_categories else marks.BY[1], width=150
        )
        usual, key = systems[:USUAL_SYSTEMS], "people-profile-systems"
        wanted = choose_some("Systems", systems, key, default=usual, in_address=False)
    profiles = source.asked("profiles", lambda work: marks.profile_frame(judgements, by, settings.confidence), by)
    if not wanted:
        end("note", "Choose at least one system.")
    show_section(answers.profile_section(profiles, wanted, settings))
    download("Download profiles (CSV)", "error-profiles.csv", profiles)
