"""A text whose words are marked with the mouse, a finger or the keyboard.

Streamlit has no widget for that. The page's script gets the words as data and writes them as text, never as HTML.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from mteval.annotations import SEVERITIES, word_spans
from mteval.ui.session.widget_values import value_of

FROM_MILD: Sequence[str] = SEVERITIES
USED = "annotating-used"  # for each text the number of the last selection that was marked
HTML = '<div class="words" role="listbox" tabindex="0" aria-multiselectable="true" dir="auto"></div>'
CSS = """
.words { font: inherit; font-size: 1.08rem; line-height: 1.9; padding: 0.35rem 0.7rem; border-radius: 0.5rem;
  border: 1px solid var(--st-border-color); color: var(--st-text-color); cursor: text; overflow-wrap: anywhere;
  white-space: pre-wrap; user-select: none; touch-action: pan-y; min-height: 1.9rem; }
.words:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 1px; }
.words span { border-radius: 0.2rem; padding: 0.12em 0; }
.words span[role=option]:hover { background: color-mix(in srgb, currentColor 12%, transparent); cursor: pointer; }
.words:focus-visible span.at { box-shadow: 0 2px 0 var(--st-primary-color); }
.words span.neutral { background: color-mix(in srgb, #7a8a96 34%, transparent); }
.words span.minor { background: color-mix(in srgb, #d9a400 38%, transparent); }
.words span.major { background: color-mix(in srgb, #d55e00 42%, transparent); }
.words span.critical { background: color-mix(in srgb, #c2185b 48%, transparent); }
.words span.found { text-decoration: underline dotted currentColor 2px; text-underline-offset: 0.25em; }
.words span.several { border-bottom: 2px solid currentColor; }
.words span.on { background: var(--st-primary-color); color: #fff; }
"""
JS = """
export default function ({ parentElement, data, setStateValue }) {
  const box = parentElement.querySelector('.words');
  const state = (box.mtState ??= { at: 0, from: null, to: null, dragging: false, count: data.used });
  if (data.used >= state.count) state.from = state.to = null;  // what was marked is no longer selected
  box.setAttribute('aria-label', data.label);
  let words = [];
  const low = () => Math.min(state.from, state.to);
  const high = () => Math.max(state.from, state.to);
  const paint = () => {
    for (const node of box.children) {
      const index = Number(node.dataset.word);
      const on = state.from !== null && index >= low() && index <= (node.dataset.gap ? high() - 1 : high());
      node.classList.toggle('on', on);
      if (!node.dataset.gap) {
        node.classList.toggle('at', index === state.at);
        node.setAttribute('aria-selected', String(on));
        if (index === state.at) box.setAttribute('aria-activedescendant', node.id);
      }
    }
  };
  const send = () => {
    state.count += 1;
    setStateValue('span', state.from === null ? null : [low(), high(), state.count]);
  };
  const clear = () => { state.from = state.to = null; paint(); send(); };
  box.replaceChildren();
  for (const piece of data.pieces) {
    const node = document.createElement('span');
    node.textContent = piece.text;
    if (piece.kind) node.classList.add(...piece.kind.split(' '));
    if (piece.marks) node.title = piece.marks;
    node.dataset.word = String(piece.word);
    if (piece.gap) {
      node.dataset.gap = '1';
    } else {
      node.setAttribute('role', 'option');
      node.id = `${data.id}-${piece.word}`;
      words.push(node);
    }
    box.append(node);
  }
  const wordOf = (event) => {
    const node = event.target.closest?.('span[role=option]');
    return node ? Number(node.dataset.word) : null;
  };
  box.onpointerdown = (event) => {
    const word = wordOf(event);
    if (word === null) return;
    if (event.shiftKey && state.from !== null) {
      state.to = word;
    } else if (state.from !== null && low() === word && high() === word) {
      return clear();
    } else {
      state.from = state.to = word;
      state.dragging = true;
      event.target.releasePointerCapture?.(event.pointerId);
    }
    state.at = word;
    paint();
    if (!state.dragging) send();
  };
  box.onpointerover = (event) => {
    const word = wordOf(event);
    if (state.dragging && word !== null) { state.to = state.at = word; paint(); }
  };
  const release = () => { if (state.dragging) { state.dragging = false; send(); } };
  window.addEventListener('pointerup', release);
  box.onkeydown = (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !words.length) return;
    const ahead = getComputedStyle(box).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
    const back = ahead === 'ArrowLeft' ? 'ArrowRight' : 'ArrowLeft';
    const steps = { [ahead]: state.at + 1, [back]: state.at - 1, Home: 0, End: words.length - 1 };
    if (event.key in steps) {
      const next = Math.max(0, Math.min(words.length - 1, steps[event.key]));
      if (event.shiftKey) {
        if (state.from === null) state.from = state.at;
        state.to = next;
      }
      state.at = next;
      paint();
      if (event.shiftKey) send();
    } else if (event.key === ' ' || event.key === 'Enter') {
      if (state.from === state.at && state.to === state.at) return (event.preventDefault(), clear());
      state.from = state.to = state.at;
      paint();
      send();
    } else if (event.key === 'Escape') {
      clear();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  paint();
  if (data.takesFocus && !box.mtFocused) { box.mtFocused = true; box.focus({ preventScroll: true }); }
  return () => window.removeEventListener('pointerup', release);
}
"""


@dataclass(frozen=True)
class Marked:
    """Characters that are marked already, as how severe, and by which metric where none of the people marked them."""

    start: int
    end: int
    severity: str
    origin: str = ""


@st.cache_resource(show_spinner=False)
def _component() -> Any:
    """Registered once a server."""
    return st.components.v2.component("mteval_words", html=HTML, css=CSS, js=JS)


def words_widget(text: str, label: str, marked: Sequence[Marked], key: str, takes_focus: bool) -> None:
    """Show a text; ``selected`` says what is selected in it."""
    used = st.session_state.get(USED, {}).get(key, 0)
    _component()(
        key=key,
        data={"id": key, "label": label, "pieces": pieces(text, marked), "takesFocus": takes_focus, "used": used},
        default={"span": None},
        on_span_change=lambda: None,
    )


def selected(text: str, key: str) -> tuple[int, int] | None:
    """The characters from the first to the last word that is selected; None without a selection.

    In a callback it is the selection of that moment, which the page may not have been drawn with yet.
    """
    chosen = _chosen(key)
    if chosen is None or chosen[2] <= value_of(USED, {}).get(key, 0):
        return None
    spans = word_spans(text)
    first, last, _ = chosen
    return (spans[first][0], spans[last][1]) if 0 <= first <= last < len(spans) else None


def use(key: str) -> None:
    """In a callback: the selection has served; the next one may already be on its way, and counts."""
    chosen = _chosen(key)
    if chosen is not None:
        st.session_state.setdefault(USED, {})[key] = chosen[2]


def _chosen(key: str) -> tuple[int, int, int] | None:
    """First and last word and the number of the selection, as the browser says."""
    sent = (value_of(key) or {}).get("span")
    if not isinstance(sent, list | tuple) or len(sent) != 3 or not all(isinstance(n, int | float) for n in sent):
        return None
    first, last, number = (int(number) for number in sent)
    return first, last, number


def pieces(text: str, marked: Sequence[Marked]) -> list[dict[str, Any]]:
    """The words of a text and the gaps between them; a gap has the number of the word before it."""
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


def _piece(text: str, start: int, end: int, marked: Sequence[Marked]) -> dict[str, Any]:
    """A piece with the look of the severest mark on it, and of several or of a metric's; and all marks in words."""
    here = [mark for mark in marked if mark.start < end and start < mark.end]
    worst = max((mark.severity for mark in here), key=FROM_MILD.index, default="")
    kind = [worst, "found" if any(mark.origin for mark in here) else "", "several" if len(here) > 1 else ""]
    said = (f"{mark.severity}, found by {mark.origin}" if mark.origin else mark.severity for mark in here)
    return {"text": text[start:end], "kind": " ".join(filter(None, kind)), "marks": "; ".join(said)}
