"""A text whose words are marked with the mouse, a finger or the keyboard.

Streamlit has no widget for that. The page's script gets the words as data and writes them as text, never as HTML.

Errors of a segment: words marked with a category and a severity, changed and taken back.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from mteval.annotations import SEVERITIES, Campaign, Mark, word_spans
from mteval.annotations.campaigns import Side, Way
from mteval.annotations.typology import OMISSION, Severity
from mteval.render.html import Markup, tag
from mteval.ui.annotate.open_task import OpenTask
from mteval.ui.parts.choices import choose
from mteval.ui.parts.tables import show
from mteval.ui.session.visitor import value_of

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


CATEGORY, REMARK = "annotating-category", "annotating-remark"
SHORTCUTS = {"neutral": "0", "minor": "1", "major": "2", "critical": "3"}
ESA_SEVERITIES: tuple[Severity, ...] = ("minor", "major")


def marked_errors(opened: OpenTask) -> None:
    """Words to mark in the output and, for missing ones, in the source; the severity is the button that keeps it."""
    texts: dict[Side, str] = {"source": opened.source, "hypothesis": opened.hypothesis()}
    labels = {
        "source": f"{opened.source_label}: mark what is missing in the output",
        "hypothesis": "Output: mark errors",
    }
    keys: dict[Side, str] = {side: f"words-{side}-{opened.task.id}" for side in texts}
    for side, text in texts.items():
        show(tag("p", labels[side], class_="mt-label"))
        marked = [Marked(one.start, one.end, one.severity, one.origin) for one in opened.task.marks if one.side == side]
        words_widget(text, labels[side], marked, keys[side], side == "hypothesis")
    _severities(opened, texts, keys)
    _marks(opened, texts)


def _selection(texts: dict[Side, str], keys: dict[Side, str]) -> tuple[Side, tuple[int, int] | None]:
    """What is selected; words of the output go before words of the source."""
    spans: dict[Side, tuple[int, int] | None] = {side: selected(text, keys[side]) for side, text in texts.items()}
    side: Side = "hypothesis" if spans["hypothesis"] or not spans["source"] else "source"
    return side, spans[side]


def _severities(opened: OpenTask, texts: dict[Side, str], keys: dict[Side, str]) -> None:
    """The category, where errors have one, and a button for each severity, which keeps the error."""
    side, span = _selection(texts, keys)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if opened.campaign.way == "errors":
            _category(list(opened.campaign.typology.names), side)
        for severity in severities_of(opened.campaign.way):
            st.button(
                severity.capitalize(),
                shortcut=SHORTCUTS[severity],
                on_click=_mark,
                args=(opened, texts, keys, severity),
                disabled=span is None or opened.is_frozen,
                key=f"severity-{severity}",
            )
        st.text_input("Remark on the error", key=REMARK, max_chars=500, width=190)


def severities_of(way: Way) -> tuple[Severity, ...]:
    """Those that an annotator chooses from."""
    return ESA_SEVERITIES if way == "esa" else SEVERITIES


def _category(names: list[str], side: Side) -> None:
    if side == "source" and OMISSION in names:
        st.selectbox("Category", [OMISSION], key="annotating-omission", disabled=True, width=270)
    else:
        choose("Category", names, CATEGORY, in_address=False, default=_usual(names), width=270)


def _usual(names: list[str]) -> str:
    """The commonest kind of error to begin with."""
    return next((name for name in names if name.endswith("Mistranslation")), names[0])


def _mark(opened: OpenTask, texts: dict[Side, str], keys: dict[Side, str], severity: str) -> None:
    side, span = _selection(texts, keys)
    if span is None:
        return
    mark = Mark(side, *span, _chosen_category(opened.campaign, side), severity, value_of(REMARK, ""))
    if opened.keep(lambda: opened.store.mark(opened.task.id, mark)):
        use(keys[side])
        st.session_state[REMARK] = ""


def _chosen_category(campaign: Campaign, side: Side) -> str:
    if campaign.way == "esa":
        return ""
    names = campaign.typology.names
    return OMISSION if side == "source" and OMISSION in names else str(value_of(CATEGORY, names[0]))


def _marks(opened: OpenTask, texts: dict[Side, str]) -> None:
    """What is marked, each with the buttons that change it; then what a metric found and the annotator took back."""
    for number, one in enumerate(opened.task.marks, start=1):
        with st.container(horizontal=True, vertical_alignment="center"):
            show(*_described(one, texts[one.side][one.start : one.end]))
            if opened.campaign.way == "esa":
                other = next(severity for severity in ESA_SEVERITIES if severity != one.severity)
                _button(opened, f"Make error {number} {other}", "swap_vert", f"grade-{one.id}", _grade, one.id, other)
            _button(opened, f"Take error {number} back", "close", f"unmark-{one.id}", _unmark, one.id)
    for number, one in enumerate(opened.task.rejected, start=1):
        with st.container(horizontal=True, vertical_alignment="center"):
            words = texts[one.side][one.start : one.end]
            show(tag("s", words, class_="mt-span"), f" · {one.origin} had marked this as {one.suggested}")
            label = f"Mark rejected error {number} again"
            _button(opened, label, "undo", f"again-{one.id}", _grade, one.id, one.suggested)


def _described(one: Mark, words: str) -> list[Markup | str]:
    """An error in words."""
    category = f" · {one.category}" if one.category else ""
    severity = tag("span", one.severity, class_=f"mt-severity mt-severity-{one.severity}")
    remark = f" · {one.comment}" if one.comment else ""
    by = f" · found by {one.origin}" if one.origin else ""
    by += f" as {one.suggested}" if one.origin and one.suggested != one.severity else ""
    missing = " missing" if one.side == "source" else ""
    return [tag("span", words, class_="mt-span"), f"{missing}{category} · ", severity, f"{by}{remark}"]


def _button(opened: OpenTask, label: str, icon: str, key: str, call: Callable[..., None], *arguments: object) -> None:
    st.button(
        label,
        icon=f":material/{icon}:",
        type="tertiary",
        on_click=call,
        args=(opened, *arguments),
        disabled=opened.is_frozen,
        key=key,
    )


def _grade(opened: OpenTask, mark: int, severity: str) -> None:
    opened.keep(lambda: opened.store.grade(opened.task.id, mark, severity))


def _unmark(opened: OpenTask, mark: int) -> None:
    opened.keep(lambda: opened.store.unmark(opened.task.id, mark))
