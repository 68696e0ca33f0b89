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
from mteval.ui.setup.address import bookmarked, turn
from mteval.ui.setup.entry import entry_here, keep_loaded, problem
from mteval.ui.setup.workspace import label, labels, note, notes
from mteval.values.model import TestSet
from mteval.values.notes import NOTER, NotedError

KEY, ACKNOWLEDGED = "segment-notes", "segment-notes-acknowledged"
MQM, ESA = "MQM categories", "ESA, severity only"
SOURCE = "people-errors-from"  # the source of errors on the People page


def noting(data: SegmentData, segment: int) -> None:
    """Show both outputs with the errors noted in them."""
    categories, severities = _chosen_set()
    test_set = data.test_set
    texts, marks = list(_texts(data, segment)), list(_marks(data, segment))
    label_here = labels(test_set.name).get(str(segment + 1), "")
    here = entry_here()
    is_saved = here is not None and here.may_edit and not problem()
    component(SCRIPT.parent / "segments" / "notes.js", SCRIPT)(
        key=KEY, default={"said": None}, on_said_change=lambda: _take(test_set),
        data={
            **palette(categories, severities), "hasLabels": True,
            "items": [{"id": str(segment), "texts": texts, "marks": marks, "label": label_here}],
            "scope": f"{'' if here is None else here.listed.uid} {test_set.digest}",
            "acknowledged": value_of(ACKNOWLEDGED, {}), "saved": "Saved" if is_saved else "Kept in this session",
            "help": [["N P", "next, previous segment"]],
        },
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.popover("Categories", icon=":material/category:", type="tertiary"):
            if choose("Errors have", [MQM, ESA], "note-set") == MQM:
                choose_some("Categories", DEFAULT_TYPOLOGY.names, "note-categories", default=MQM_TOP)
        if own := [one for one in notes() if one.test_set == test_set.name]:
            if st.button("My notes", icon=":material/edit_note:", type="tertiary", key="my-notes"):
                st.session_state.update({SOURCE: NOTER, "people-tab": "Analyse", "people-question": "Errors"})
                go_to("pages/people.py")
            quiet(noted_line(own))


def _chosen_set() -> tuple[Sequence[str], Sequence[str]]:
    """Return the chosen categories and severities; they are drawn below the outputs."""
    if value_of("note-set", MQM) == ESA:
        return (), ESA_SEVERITIES
    chosen = value_of("note-categories", MQM_TOP)
    return [name for name in dict.fromkeys((*MQM_TOP, *DEFAULT_TYPOLOGY.names)) if name in chosen], SEVERITIES


def _texts(data: SegmentData, segment: int) -> Iterator[dict[str, Any]]:
    """Yield both outputs, one if they are of the same run, with their differences."""
    texts = mark_differences(data.baseline.hypotheses[segment], data.system.hypotheses[segment])
    keys = [str(data.test_set.runs.index(run)) for run in (data.baseline, data.system)]
    for place, (key, name, text, side) in enumerate(zip(keys, data.labels, texts, SIDES, strict=True)):
        if key not in keys[:place]:
            yield text_of(key, name, "".join(piece for piece, _ in text), side=side, shaded=_shaded(text))


def _shaded(text: MarkedText) -> list[tuple[int, int]]:
    """Return the ranges of characters that the other output lacks."""
    found, at = [], 0
    for piece, is_marked in text:
        if is_marked:
            found.append((at, at + len(piece)))
        at += len(piece)
    return found


def _marks(data: SegmentData, segment: int) -> Iterator[Any]:
    for one in notes():
        for run in {data.baseline, data.system}:
            is_here = (one.test_set, one.segment) == (data.test_set.name, segment)
            if is_here and (one.system, one.run, one.output) == (run.system, run.key, run.hypotheses[segment]):
                key = str(data.test_set.runs.index(run))
                yield mark_of(one, one.id, key, info=recurrence_words(one, data.test_set, data.runs))


def _take(test_set: TestSet) -> None:
    """In a callback: save what was noted and is not acknowledged yet."""
    sent = (value_of(KEY) or {}).get("said") or {}
    known: dict[str, str] = dict(value_of(ACKNOWLEDGED, {}))
    with errors_left():
        for item, said in decoded(sent, dict[str, Said], None).items():
            if known.get(item) != said.seq:
                _note(test_set, item, said)
                known[item] = said.seq
        st.session_state[ACKNOWLEDGED] = known
        keep_loaded(settings_of_session())


def _note(test_set: TestSet, item: str, said: Said) -> None:
    runs, segment = {str(place): run for place, run in enumerate(test_set.runs)}, int(item) if item.isdecimal() else -1
    if not (0 <= segment < test_set.n_segments and {*said.texts, *(one.text for one in said.marks)} <= runs.keys()):
        raise InputError(f"A note is about item '{item[:20]}', which is not loaded. Reload the page.", None)
    found = []
    for one in said.marks:
        run = runs[one.text]
        output = run.hypotheses[segment]
        if one.start < one.end <= len(output):
            place, kind = (segment, output, one.start, one.end), (one.category, one.severity, one.comment)
            found.append(NotedError(one.id, test_set.name, run.system, run.key, *place, *kind))
    outputs = [(run.system, run.key, run.hypotheses[segment]) for run in map(runs.__getitem__, said.texts)]
    note(test_set.name, outputs, segment, found)
    if said.label != labels(test_set.name).get(str(segment + 1), ""):
        label(test_set.name, segment, said.label)
        if said.label and segment not in bookmarked(test_set):
            turn(test_set, segment)
