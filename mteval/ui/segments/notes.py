"""The outputs of the open segment, in which errors are noted by keys; the notes are saved with the experiment."""

from collections.abc import Iterator, Sequence
from typing import Any

import streamlit as st

from mteval.analysis.segments.table import SIDES, MarkedText, mark_differences
from mteval.annotations import DEFAULT_TYPOLOGY, SEVERITIES
from mteval.annotations.typology import ESA_SEVERITIES, MQM_TOP
from mteval.answers.errors import noted_line, recurrence_words
from mteval.answers.segments import SegmentData
from mteval.base.bounded_input import decoded
from mteval.base.errors import InputError
from mteval.ui.elements import choose, choose_some, component, errors_left, quiet
from mteval.ui.marker import SCRIPT, Said, mark_of, palette, text_of
from mteval.ui.page import go_to, settings_of_session
from mteval.ui.session.visitor import value_of
from mteval.ui.setup.address import bookmarked, toggle_bookmark
from mteval.ui.setup.entry import entry_here, keep_loaded, problem
from mteval.ui.setup.workspace import label, labels, note, notes
from mteval.values.model import Run, TestSet
from mteval.values.notes import NOTER, NotedError

# Keys of the session's state
KEY = "segment-notes"  # of the component
ACKNOWLEDGED = "segment-notes-acknowledged"  # from an item to the last message about it that was saved
SOURCE = "people-errors-from"  # the source of errors on the People page

MQM = "MQM categories"
ESA = "ESA, severity only"


def show_outputs_with_notes(data: SegmentData, segment: int) -> None:
    """Show both outputs with the errors noted in them."""
    test_set = data.test_set
    component(SCRIPT.parent / "segments" / "notes.js", SCRIPT)(
        key=KEY,
        default={"said": None},
        on_said_change=lambda: _take_notes(test_set),
        data=_data_of_notes(data, segment),
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.popover("Categories", icon=":material/category:", type="tertiary"):
            if choose("Errors have", [MQM, ESA], "note-set") == MQM:
                choose_some("Categories", DEFAULT_TYPOLOGY.names, "note-categories", default=MQM_TOP)
        notes_of_test_set = [error for error in notes() if error.test_set == test_set.name]
        if notes_of_test_set:
            if st.button("My notes", icon=":material/edit_note:", type="tertiary", key="my-notes"):
                st.session_state.update({SOURCE: NOTER, "people-tab": "Analyse", "people-question": "Errors"})
                go_to("pages/people.py")
            quiet(noted_line(notes_of_test_set))


def _data_of_notes(data: SegmentData, segment: int) -> dict[str, Any]:
    """Return what the component draws: both outputs, their marks, and the label of the segment."""
    categories, severities = _chosen_set()
    entry = entry_here()
    is_saved = entry is not None and entry.may_edit and not problem()
    uid = "" if entry is None else entry.listed.uid
    item = {
        "id": str(segment),
        "texts": list(_texts(data, segment)),
        "marks": list(_marks(data, segment)),
        "label": labels(data.test_set.name).get(str(segment + 1), ""),
    }
    return {
        **palette(categories, severities),
        "hasLabels": True,
        "items": [item],
        "scope": f"{uid} {data.test_set.digest}",
        "acknowledged": value_of(ACKNOWLEDGED, {}),
        "saved": "Saved" if is_saved else "Kept in this session",
        "help": [["N P", "next, previous segment"]],
    }


def _chosen_set() -> tuple[Sequence[str], Sequence[str]]:
    """Return the chosen categories and severities; they are drawn below the outputs."""
    if value_of("note-set", MQM) == ESA:
        return (), ESA_SEVERITIES
    names = value_of("note-categories", MQM_TOP)
    most_used_first = dict.fromkeys((*MQM_TOP, *DEFAULT_TYPOLOGY.names))
    return [name for name in most_used_first if name in names], SEVERITIES


def _texts(data: SegmentData, segment: int) -> Iterator[dict[str, Any]]:
    """Yield both outputs, one if they are of the same run, with their differences."""
    baseline, system = mark_differences(data.baseline.hypotheses[segment], data.system.hypotheses[segment])
    yield _text(data, data.baseline, data.labels[0], baseline, SIDES[0])
    if _key_of(data.test_set, data.system) != _key_of(data.test_set, data.baseline):
        yield _text(data, data.system, data.labels[1], system, SIDES[1])


def _text(data: SegmentData, run: Run, label: str, text: MarkedText, side: str) -> dict[str, Any]:
    """Return an output as the component needs it."""
    plain = "".join(piece for piece, _ in text)
    return text_of(_key_of(data.test_set, run), label, plain, side=side, shaded=_shaded(text))


def _key_of(test_set: TestSet, run: Run) -> str:
    """Return what the component calls the output of a run."""
    return str(test_set.runs.index(run))


def _shaded(text: MarkedText) -> list[tuple[int, int]]:
    """Return the ranges of characters that the other output lacks."""
    ranges = []
    start = 0
    for piece, is_marked in text:
        end = start + len(piece)
        if is_marked:
            ranges.append((start, end))
        start = end
    return ranges


def _marks(data: SegmentData, segment: int) -> Iterator[Any]:
    """Yield the errors noted in both outputs, unless the outputs have changed since."""
    for error in notes():
        if error.test_set != data.test_set.name or error.segment != segment:
            continue
        for run in {data.baseline, data.system}:
            is_of_run = (error.system, error.run) == (run.system, run.key)
            if is_of_run and error.output == run.hypotheses[segment]:
                info = recurrence_words(error, data.test_set, data.runs)
                yield mark_of(error, error.id, _key_of(data.test_set, run), info=info)


def _take_notes(test_set: TestSet) -> None:
    """In a callback: save what was noted and is not acknowledged yet."""
    sent = (value_of(KEY) or {}).get("said") or {}
    acknowledged: dict[str, str] = dict(value_of(ACKNOWLEDGED, {}))
    with errors_left():
        for item, message in decoded(sent, dict[str, Said], None).items():
            if acknowledged.get(item) != message.seq:
                _save_notes(test_set, item, message)
                acknowledged[item] = message.seq
        st.session_state[ACKNOWLEDGED] = acknowledged
        keep_loaded(settings_of_session())


def _save_notes(test_set: TestSet, item: str, message: Said) -> None:
    """Replace the notes and the label of a segment by what the browser sent.

    Raises
    ------
    InputError
        If the segment or an output is not loaded.
    """
    run_of = {str(index): run for index, run in enumerate(test_set.runs)}
    segment = int(item) if item.isdecimal() else -1
    keys = {*message.texts, *(mark.text for mark in message.marks)}
    if not (0 <= segment < test_set.n_segments and keys <= run_of.keys()):
        raise InputError(f"A note is about item '{item[:20]}', which is not loaded. Reload the page.", None)

    errors = []
    for mark in message.marks:
        run = run_of[mark.text]
        output = run.hypotheses[segment]
        if mark.start < mark.end <= len(output):
            error = NotedError(
                id=mark.id,
                test_set=test_set.name,
                system=run.system,
                run=run.key,
                segment=segment,
                output=output,
                start=mark.start,
                end=mark.end,
                category=mark.category,
                severity=mark.severity,
                comment=mark.comment,
            )
            errors.append(error)
    outputs = []
    for key in message.texts:
        run = run_of[key]
        outputs.append((run.system, run.key, run.hypotheses[segment]))
    note(test_set.name, outputs, segment, errors)

    if message.label != labels(test_set.name).get(str(segment + 1), ""):
        label(test_set.name, segment, message.label)
        if message.label and segment not in bookmarked(test_set):
            toggle_bookmark(test_set, segment)
