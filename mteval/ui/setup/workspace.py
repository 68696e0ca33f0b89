"""The session's workspace: loaded files and edits, error notes and labels. Callbacks change it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from mteval.analysis.people.human_evaluation import HumanChoices
from mteval.base.paths import dashboard_directory
from mteval.metrics import METRICS
from mteval.readers.apart import Apart
from mteval.readers.assembly.experiment import DOUBTFUL
from mteval.readers.documents import InputFile, Problem, Slot
from mteval.readers.workspace import ScoreTable, Workspace
from mteval.report.kept_experiment import Made
from mteval.report.score_tables import given_tables
from mteval.ui.elements import errors_left
from mteval.ui.session import evaluation
from mteval.ui.session.memory import of_session
from mteval.ui.session.visitor import value_of
from mteval.values.given import GivenMetric
from mteval.values.model import Experiment
from mteval.values.notes import NotedError
from mteval.values.run_words import RUN, RUN_WORDS, RunWord

SAMPLE = dashboard_directory() / "sample_data"
SAMPLE_SUFFIXES = (".txt", ".nbest")  # the rest of the folder made them
BASELINE = "baseline"  # key of the widget, and its name in the address
RUN_WORD = "run-word"  # the same
WORKSPACE = "workspace"
GENERATION = "workspace-generation"  # increases when files come or go, so that their widgets start afresh
ARRIVED = "files-arrived"  # files have come, and their scores are to be shown
STARTED_FROM = "workspace-table"  # slots from which the shown table's edits count
NOTES = "noted-errors"
SHARED = "notes-shared"
LABELS = "segment-labels"
LOWER = "people-lower"  # the widget of scales on which lower values are better
_CHOSEN = "people-chosen"


def workspace() -> Workspace:
    """Return what is loaded in this session."""
    return of_session(WORKSPACE, _nothing)


def _nothing() -> Workspace:
    return Workspace(reserved=frozenset(METRICS))


def loaded_experiment() -> Experiment | None:
    """Return the experiment with the chosen baseline; None if the files make none."""
    return workspace().experiment(st.session_state.get(BASELINE))


def is_unambiguous(experiment: Experiment) -> bool:
    """Return whether nothing is open about the files: roles, references, directions of scores."""
    loaded = workspace()
    for problem in loaded.assembly.problems:
        if problem.severity == "error" or problem.message == DOUBTFUL:
            return False
    for test_set in experiment.test_sets:
        if test_set.has_texts and not test_set.has_references:
            return False
    has_all_directions = set(loaded.score_names) <= set(loaded.edits.directions)
    return has_all_directions and len(experiment.systems) > 0


def is_reference_open(experiment: Experiment | None) -> bool:
    """Whether none of the files is a reference, a source or scores, so that somebody has to say which one it is."""
    if experiment is None or len(experiment.test_sets) > 1 or experiment.given:
        return False
    (test_set,) = experiment.test_sets
    return test_set.has_texts and not test_set.has_references and test_set.source is None


def run_word() -> RunWord:
    """Return the word for a run chosen in the sidebar."""
    return RUN_WORDS.get(st.session_state.get(RUN_WORD, RUN.noun), RUN)


def generation() -> int:
    """Return a number that changes when files come or go."""
    return int(st.session_state.get(GENERATION, 0))


def take(changed: Workspace, *, has_come: bool = False) -> None:
    """In a callback: replace what is loaded by a workspace with other files.

    Parameters
    ----------
    has_come
        Whether files have come just now; otherwise all of them were here.
    """
    st.session_state[WORKSPACE] = changed
    st.session_state[ARRIVED] = has_come or st.session_state.get(ARRIVED, False)
    st.session_state[GENERATION] = generation() + 1
    st.session_state[STARTED_FROM] = changed.slots


def put(changed: Workspace) -> None:
    """In a callback: replace the workspace by one with the same files."""
    st.session_state[WORKSPACE] = changed


def remark(problem: Problem) -> None:
    """In a callback: add a problem to those of the files."""
    loaded = workspace()
    put(replace(loaded, rejected=(*loaded.rejected, problem)))


def start_over() -> None:
    """In a callback: stop scoring and remove all files; their widgets start afresh."""
    evaluation.stop()
    forget_notes()
    take(_nothing())


def start_table() -> None:
    """Let a new table start from the slots as they are."""
    st.session_state[STARTED_FROM] = workspace().slots


def table_start() -> Sequence[Slot]:
    """Return the slots that the table on the screen started from."""
    return of_session(STARTED_FROM, lambda: workspace().slots)


def edit(rows: Mapping[int, Mapping[str, Any]]) -> None:
    """In a callback: take over edits of the table, by row the changed columns."""
    with errors_left():
        before = workspace()
        after = before.edit(rows, table_start())
        if before.has_names != after.has_names:  # the table gets or loses a column, and starts afresh
            take(after)
        else:
            put(after)


def add_snapshot(origin: str, metrics: Sequence[GivenMetric], test_set: str, judgements: str) -> None:
    """In a callback: add judgements made in this session, and metrics made of them, as if they were files."""
    take(workspace().add_snapshot(origin, _score_tables(metrics), test_set, judgements))


def add_scores(origin: str, metrics: Sequence[GivenMetric]) -> None:
    """In a callback: add metrics made of loaded judgements, as if they were files."""
    take(workspace().add_scores(origin, _score_tables(metrics)))


def _score_tables(metrics: Sequence[GivenMetric]) -> list[ScoreTable]:
    metric_of = {metric.key: metric for metric in metrics}
    tables = []
    for (key, test_set_of_scores), text in given_tables(metrics).items():
        metric = metric_of[key]
        tables.append(ScoreTable(key, metric.name, test_set_of_scores, metric.higher_is_better, text))
    return tables


def remove_snapshot(origin: str) -> None:
    """In a callback: remove the judgements of a snapshot, and the metrics made of them."""
    take(workspace().remove_snapshot(origin))


def keep_choices(choices: HumanChoices) -> None:
    """Remember the choices of the People page."""
    st.session_state[_CHOSEN] = choices


def chosen_of_people() -> tuple[HumanChoices | None, tuple[str, ...]]:
    """Return the choices of the People page, None before it was opened, and scales where lower is better."""
    choices: HumanChoices | None = st.session_state.get(_CHOSEN)
    scales = st.session_state.get(LOWER)
    if scales is None:
        return choices, ()
    return choices, tuple(scales)


@st.cache_resource(show_spinner=False)
def reading() -> Apart:
    """Return the process that reads uploads of all visitors."""
    return Apart()


@st.cache_resource(show_spinner=False)
def sample() -> Workspace:
    """Return the sample experiment, its files named by their place in its folder."""
    paths = sorted(path for path in SAMPLE.rglob("*") if path.suffix in SAMPLE_SUFFIXES)
    files = [InputFile(path.relative_to(SAMPLE).as_posix(), path.read_bytes()) for path in paths]
    return _nothing().add(files)


def notes() -> tuple[NotedError, ...]:
    """Return the errors noted so far."""
    noted: tuple[NotedError, ...] = value_of(NOTES, ())
    return noted


def note(test_set: str, outputs: Iterable[tuple[str, str, str]], segment: int, errors: Iterable[NotedError]) -> None:
    """In a callback: replace the errors noted in outputs of a segment, given by system, run and text."""
    replaced = {(test_set, segment, system, run, text) for system, run, text in outputs}
    kept = []
    for noted in notes():
        if (noted.test_set, noted.segment, noted.system, noted.run, noted.output) not in replaced:
            kept.append(noted)
    st.session_state[NOTES] = (*kept, *errors)


def labels(test_set: str) -> Mapping[str, str]:
    """Return the labels of segments by number, counted from 1."""
    label_of: Mapping[str, str] = value_of(LABELS, {}).get(test_set, {})
    return label_of


def label(test_set: str, segment: int, text: str) -> None:
    """In a callback: label a segment; an empty text removes the label."""
    number = str(segment + 1)
    label_of = dict(labels(test_set))
    label_of.pop(number, None)  # a changed label becomes the last
    if text:
        label_of[number] = text
    st.session_state[LABELS] = {**value_of(LABELS, {}), test_set: label_of}


def take_notes(made: Made) -> None:
    """Take over saved notes and labels."""
    st.session_state[NOTES] = made.notes
    st.session_state[SHARED] = made.shares_notes
    st.session_state[LABELS] = {bookmarks.test_set: bookmarks.labels for bookmarks in made.bookmarks}


def forget_notes() -> None:
    """Forget all notes and labels, which belong to files that are gone."""
    for key in (NOTES, SHARED, LABELS):
        st.session_state.pop(key, None)
