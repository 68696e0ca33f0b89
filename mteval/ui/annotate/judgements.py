"""The ways to judge a segment: ratings, marked errors, both, a preference. Every click is kept at once."""

from functools import partial
from typing import Any

import streamlit as st

from mteval.annotations.campaigns import Preference
from mteval.ui.annotate.error_marks import marked_errors
from mteval.ui.annotate.open_task import OpenTask, step
from mteval.ui.annotate.score_slider import score_of, score_slider
from mteval.ui.parts.markup import show, tag

QUESTIONS = {
    "adequacy": "Adequacy: how much of the meaning is there? 0 nothing, 100 all",
    "fluency": "Fluency: how good is the language? 0 incomprehensible, 100 flawless",
    "score": "Score of the whole: 0 nothing kept, 33 some meaning, 66 most meaning with few errors, 100 perfect",
}


def _labelled(label: str, text: str) -> None:
    show(tag("p", label, class_="mt-label"), tag("p", text or "(empty)", class_="mt-text"))


def rating(opened: OpenTask) -> None:
    """A slider for adequacy and one for fluency."""
    _labelled(opened.source_label, opened.source)
    _labelled("Output", opened.hypothesis())
    for column, aspect in zip(st.columns(2), opened.scales, strict=True):
        with column:
            _slider(opened, aspect)


def errors(opened: OpenTask) -> None:
    """Errors with their category and severity."""
    marked_errors(opened)


def esa(opened: OpenTask) -> None:
    """Errors that are minor or major, then a score of the whole (Kocmi et al. 2024)."""
    marked_errors(opened)
    for scale in opened.scales:
        _slider(opened, scale)


def _slider(opened: OpenTask, scale: str) -> None:
    key = opened.slider_key(scale)
    keep = partial(_rate, opened, scale, key)
    score_slider(QUESTIONS[scale], getattr(opened.task, scale), key, opened.is_frozen, keep)


def _rate(opened: OpenTask, scale: str, key: str) -> None:
    score = score_of(key)
    if score is not None:
        rating: dict[str, Any] = {scale: score}
        opened.keep(lambda: opened.store.rate(opened.task.id, **rating))


def preference(opened: OpenTask) -> None:
    """Two outputs side by side, nobody knows whose; one click says which is better and goes on."""
    _labelled(opened.source_label, opened.source)
    order: tuple[int, int] = (1, 0) if opened.task.is_swapped else (0, 1)
    sides: tuple[Preference, Preference] = ("second", "first") if opened.task.is_swapped else ("first", "second")
    for column, name, output, side in zip(st.columns(2), ("Left", "Right"), order, sides, strict=True):
        chosen = " mt-chosen" if opened.task.preference == side else ""
        with column:
            show(
                tag("p", name + (", better" if chosen else ""), class_="mt-label"),
                tag(
                    "div", tag("p", opened.hypothesis(output) or "(empty)", class_="mt-text"), class_=f"mt-card{chosen}"
                ),
            )
    choices: tuple[tuple[str, Preference, str], ...] = (
        ("Left is better", sides[0], "1"),
        ("They are equal", "equal", "2"),
        ("Right is better", sides[1], "3"),
    )
    for column, (label, choice, shortcut) in zip(st.columns(3), choices, strict=True):
        column.button(
            label,
            type="primary" if opened.task.preference == choice else "secondary",
            shortcut=shortcut,
            on_click=_prefer,
            args=(opened, choice),
            width="stretch",
            disabled=opened.is_frozen,
            key=f"prefer-{shortcut}",
        )


def _prefer(opened: OpenTask, choice: Preference) -> None:
    if opened.keep(lambda: opened.store.prefer(opened.task.id, choice)) and not opened.is_training:
        step(opened, 1)
