"""The session's error notes, and labels of its bookmarked segments; both are saved with the experiment."""

from collections.abc import Iterable, Mapping

import streamlit as st

from mteval.report.kept_experiment import Made
from mteval.ui.session.visitor import value_of
from mteval.values.notes import NotedError

NOTES, SHARED, LABELS = "noted-errors", "notes-shared", "segment-labels"


def notes() -> tuple[NotedError, ...]:
    """Return the errors noted so far."""
    noted: tuple[NotedError, ...] = value_of(NOTES, ())
    return noted


def note(test_set: str, outputs: Iterable[tuple[str, str, str]], segment: int, errors: Iterable[NotedError]) -> None:
    """In a callback: replace the errors noted in outputs of a segment, given by system, run and text."""
    replaced = {(test_set, segment, *output) for output in outputs}
    others = [one for one in notes() if (one.test_set, one.segment, one.system, one.run, one.output) not in replaced]
    st.session_state[NOTES] = (*others, *errors)


def labels(test_set: str) -> Mapping[str, str]:
    """Return the labels of segments by number, counted from 1."""
    found: Mapping[str, str] = value_of(LABELS, {}).get(test_set, {})
    return found


def label(test_set: str, segment: int, text: str) -> None:
    """In a callback: label a segment; an empty text removes the label."""
    own = {number: words for number, words in labels(test_set).items() if number != str(segment + 1)}
    own |= {str(segment + 1): text} if text else {}
    st.session_state[LABELS] = {**value_of(LABELS, {}), test_set: own}


def take_notes(made: Made) -> None:
    """Take over what was saved."""
    st.session_state[NOTES], st.session_state[SHARED] = made.notes, made.shares_notes
    st.session_state[LABELS] = {one.test_set: one.labels for one in made.bookmarks}


def forget_notes() -> None:
    """Forget all notes and labels, which belong to files that are gone."""
    for key in (NOTES, SHARED, LABELS):
        st.session_state.pop(key, None)
