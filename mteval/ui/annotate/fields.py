"""Widgets that Streamlit lacks: a slider that starts empty, a comment box that saves while typing, words to mark.

Streamlit's slider starts at a value, so a click-through would record an answer that nobody gave; its text box saves
only when it loses focus. Three dots follow a score or a comment until it is saved, and the browser asks before leaving
then. The scripts receive texts as data and write them as text, never as HTML.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from mteval.annotations import SEVERITIES, Mark, word_spans
from mteval.ui.elements import component
from mteval.ui.session.visitor import value_of

LONGEST = 5_000  # characters of a comment
PAUSE = 700  # milliseconds before it is saved
HERE = Path(__file__).parent
USED = "annotating-used"  # for each text the number of the last selection that was marked


def score_slider(question: str, value: float | None, key: str, disabled: bool, keep: Callable[[], None]) -> None:
    """Show a slider; ``score_of`` returns its value.

    Parameters
    ----------
    value
        What was said before, from 0 to 100; None where nothing was.
    keep
        Called when it was moved.
    """
    said = None if value is None else round(value)
    component(HERE / "score.js")(
        key=key, data={"id": key, "label": question, "value": said, "disabled": disabled}, default={"score": said},
        on_score_change=keep,
    )  # fmt: skip


def score_of(key: str) -> float | None:
    """Return a slider's value, from 0 to 100; None if nobody moved it."""
    sent = (value_of(key) or {}).get("score")
    return float(sent) if isinstance(sent, int | float) and 0 <= sent <= 100 else None


def comment_box(label: str, words: str, key: str, disabled: bool, keep: Callable[[], None]) -> None:
    """Show a comment box; ``comment_of`` returns its text.

    Parameters
    ----------
    words
        What is kept of it.
    keep
        Called when something was written.
    """
    component(HERE / "comment.js")(
        key=key,
        data={"id": key, "label": label, "value": words, "disabled": disabled, "longest": LONGEST, "pause": PAUSE},
        default={"words": words},
        on_words_change=keep,
    )


def comment_of(key: str) -> str | None:
    """Return the text in a comment box; None if it is not text."""
    sent = (value_of(key) or {}).get("words")
    return sent[:LONGEST] if isinstance(sent, str) else None


def words_widget(text: str, label: str, marked: Sequence[Mark], key: str, takes_focus: bool) -> None:
    """Show a text whose words can be selected; ``selected`` returns the selection."""
    used = st.session_state.get(USED, {}).get(key, 0)
    component(HERE / "words.js")(
        key=key,
        data={"id": key, "label": label, "pieces": pieces(text, marked), "takesFocus": takes_focus, "used": used},
        default={"span": None},
        on_span_change=lambda: None,
    )


def selected(text: str, key: str) -> tuple[int, int] | None:
    """Return the selected range of characters; None without a selection.

    In a callback it is the selection of that moment, which the page may not have been drawn with yet.
    """
    chosen = _chosen(key)
    if chosen is None or chosen[2] <= value_of(USED, {}).get(key, 0):
        return None
    spans = word_spans(text)
    first, last, _ = chosen
    return (spans[first][0], spans[last][1]) if 0 <= first <= last < len(spans) else None


def use(key: str) -> None:
    """In a callback: mark the selection as used. A newer one may be on its way, and counts."""
    chosen = _chosen(key)
    if chosen is not None:
        st.session_state.setdefault(USED, {})[key] = chosen[2]


def _chosen(key: str) -> tuple[int, int, int] | None:
    """Return first word, last word and number of the selection as sent by the browser."""
    sent = (value_of(key) or {}).get("span")
    if not isinstance(sent, list | tuple) or len(sent) != 3 or not all(isinstance(n, int | float) for n in sent):
        return None
    first, last, number = (int(number) for number in sent)
    return first, last, number


def pieces(text: str, marked: Sequence[Mark]) -> list[dict[str, Any]]:
    """Split a text into words and gaps; a gap has the number of the word before it."""
    pieces: list[dict[str, Any]] = []
    place = 0
    for word, (start, end) in enumerate(word_spans(text)):
        if start > place:
            pieces.append(_piece(text, place, start, marked) | {"word": word - 1, "gap": True})
        pieces.append(_piece(text, start, end, marked) | {"word": word})
        place = end
    if place < len(text):
        pieces.append(_piece(text, place, len(text), marked) | {"word": len(text), "gap": True})
    return pieces


def _piece(text: str, start: int, end: int, marked: Sequence[Mark]) -> dict[str, Any]:
    """Describe a piece: the class of its worst mark, whether it has several or a metric's, and all marks in words."""
    here = [mark for mark in marked if mark.start < end and start < mark.end]
    worst = max((mark.severity for mark in here), key=SEVERITIES.index, default="")
    kind = [worst, "found" if any(mark.origin for mark in here) else "", "several" if len(here) > 1 else ""]
    said = (f"{mark.severity}, found by {mark.origin}" if mark.origin else mark.severity for mark in here)
    return {"text": text[start:end], "kind": " ".join(filter(None, kind)), "marks": "; ".join(said)}
