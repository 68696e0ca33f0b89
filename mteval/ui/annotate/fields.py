"""A slider from 0 to 100 that has no place until somebody gives it one, by mouse, finger or keyboard.

Streamlit's own begins somewhere, and whoever clicks on has then said what they never thought. A score has three dots
after it until it is kept, and a browser that leaves the page before that asks first.

A box for remarks that are kept while somebody writes, a moment after each pause.

Streamlit's own keeps nothing before it is left, and a browser that is closed takes the words with it. Three dots stand
behind the label until they are kept, and a browser that leaves the page before that asks first.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st

from mteval.ui.session.visitor import value_of

HTML = """
<div class="score">
  <span class="question"></span>
  <div class="rail" role="slider" tabindex="0" aria-valuemin="0" aria-valuemax="100">
    <div class="line"></div><div class="thumb"></div>
  </div>
  <span class="said" aria-hidden="true"></span>
</div>
"""
CSS = """
.score { font: inherit; font-size: 0.875rem; color: var(--st-text-color); display: grid; gap: 0.2rem 0.9rem;
  grid-template-columns: 1fr 5.5rem; align-items: center; padding: 0.15rem 0.3rem; }
.question { grid-column: 1 / -1; }
.rail { position: relative; height: 2rem; cursor: pointer; touch-action: pan-y; border-radius: 0.4rem; }
.rail:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 1px; }
.line { position: absolute; top: 50%; left: 0; right: 0; height: 4px; margin-top: -2px; border-radius: 2px;
  background: color-mix(in srgb, currentColor 30%, transparent); }
.thumb { position: absolute; top: 50%; width: 1rem; height: 1rem; margin: -0.5rem 0 0 -0.5rem; border-radius: 50%;
  background: var(--st-primary-color); }
.unset .thumb { display: none; }
.said { font-variant-numeric: tabular-nums; }
.unkept .said::after { content: ' …'; }
.off { opacity: 0.6; }
.off .rail { cursor: default; }
"""
JS = """
export default function ({ parentElement, data, setStateValue }) {
  const box = parentElement.querySelector('.score');
  const rail = box.querySelector('.rail');
  if (box.mtId !== data.id) { box.mtId = data.id; box.mtValue = data.value; }
  if (box.mtKept === undefined) {
    window.addEventListener('beforeunload', (event) => {
      if (box.isConnected && box.mtValue !== box.mtKept) event.preventDefault();
    });
  }
  box.mtKept = data.value;
  const paint = () => {
    const value = box.mtValue;
    box.classList.toggle('unset', value === null);
    box.classList.toggle('unkept', value !== box.mtKept);
    box.classList.toggle('off', data.disabled);
    box.querySelector('.question').textContent = data.label;
    box.querySelector('.said').textContent = value === null ? 'no score yet' : String(value);
    box.querySelector('.thumb').style.left = `${value ?? 0}%`;
    rail.setAttribute('aria-label', data.label);
    rail.setAttribute('aria-disabled', String(data.disabled));
    rail.setAttribute('aria-valuetext', value === null ? 'no score yet' : String(value));
    if (value === null) rail.removeAttribute('aria-valuenow');
    else rail.setAttribute('aria-valuenow', String(value));
  };
  const move = (value) => { box.mtValue = Math.max(0, Math.min(100, Math.round(value))); paint(); };
  const send = () => setStateValue('score', box.mtValue);
  const follow = (event) => {
    const { left, width } = rail.getBoundingClientRect();
    move((100 * (event.clientX - left)) / width);
  };
  rail.onpointerdown = (event) => {
    if (data.disabled) return;
    rail.setPointerCapture(event.pointerId);
    box.mtDragging = true;
    follow(event);
  };
  rail.onpointermove = (event) => { if (box.mtDragging) follow(event); };
  rail.onpointerup = () => { if (box.mtDragging) { box.mtDragging = false; send(); } };
  rail.onkeydown = (event) => {
    if (data.disabled || event.ctrlKey || event.altKey || event.metaKey) return;
    const from = box.mtValue ?? 50;
    const steps = { ArrowRight: from + 1, ArrowUp: from + 1, ArrowLeft: from - 1, ArrowDown: from - 1,
      PageUp: from + 10, PageDown: from - 10, Home: 0, End: 100, ' ': from, Enter: from };
    if (!(event.key in steps)) return;
    event.preventDefault();
    event.stopPropagation();
    move(steps[event.key]);
    send();
  };
  paint();
}
"""


@st.cache_resource(show_spinner=False)
def _component() -> Any:
    """Registered once a server."""
    return st.components.v2.component("mteval_score", html=HTML, css=CSS, js=JS)


def score_slider(question: str, value: float | None, key: str, disabled: bool, keep: Callable[[], None]) -> None:
    """Show a slider; ``score_of`` says where it is.

    Parameters
    ----------
    value
        What was said before, from 0 to 100; None where nothing was.
    keep
        Called when it was moved.
    """
    said = None if value is None else round(value)
    _component()(
        key=key,
        data={"id": key, "label": question, "value": said, "disabled": disabled},
        default={"score": said},
        on_score_change=keep,
    )


def score_of(key: str) -> float | None:
    """What a slider says, from 0 to 100; None as long as nobody moved it."""
    sent = (value_of(key) or {}).get("score")
    return float(sent) if isinstance(sent, int | float) and 0 <= sent <= 100 else None


LONGEST = 5_000  # characters
COMMENT_BOX_HTML = """
<div class="comment"><span class="label" aria-hidden="true"></span><textarea rows="2"></textarea></div>
"""
COMMENT_BOX_CSS = """
.comment { font: inherit; font-size: 0.875rem; color: var(--st-text-color); display: grid; gap: 0.25rem; }
.unkept .label::after { content: ' …'; }
textarea { font: inherit; font-size: 1rem; line-height: 1.4; color: inherit; min-height: 4.25rem; resize: vertical;
  padding: 0.5rem 0.75rem; border: 1px solid transparent; border-radius: var(--st-base-radius, 0.5rem);
  background: var(--st-secondary-background-color); unicode-bidi: plaintext; }
textarea:focus { outline: none; border-color: var(--st-primary-color); }
textarea:disabled { opacity: 0.6; }
"""
COMMENT_BOX_JS = """
export default function ({ parentElement, data, setStateValue }) {
  const box = parentElement.querySelector('.comment');
  const area = box.querySelector('textarea');
  if (box.mtId !== data.id) { box.mtId = data.id; box.mtSent = area.value = data.value; }
  const paint = () => box.classList.toggle('unkept', box.mtTyped);
  const send = () => {
    clearTimeout(box.mtTimer);
    if (area.value !== box.mtSent) { box.mtSent = area.value; setStateValue('words', area.value); }
  };
  if (box.mtTyped === undefined) {
    window.addEventListener('beforeunload', (event) => {
      if (!box.isConnected || !box.mtTyped) return;
      box.mtSend();
      event.preventDefault();
    });
  }
  box.mtTyped = Boolean(box.mtTyped) && area.value !== data.value;  // until it is kept
  box.mtSend = send;
  box.querySelector('.label').textContent = data.label;
  area.setAttribute('aria-label', data.label);
  area.maxLength = data.longest;
  area.disabled = data.disabled;
  area.oninput = () => {
    box.mtTyped = true;
    paint();
    clearTimeout(box.mtTimer);
    box.mtTimer = setTimeout(() => box.mtSend(), data.pause);
  };
  area.onblur = send;
  area.onkeydown = (event) => event.stopPropagation();  // what is written is no key of the page
  paint();
}
"""
PAUSE = 700  # milliseconds


@st.cache_resource(show_spinner=False)
def _comment_box_component() -> Any:
    """Registered once a server."""
    return st.components.v2.component("mteval_comment", html=COMMENT_BOX_HTML, css=COMMENT_BOX_CSS, js=COMMENT_BOX_JS)


def comment_box(label: str, words: str, key: str, disabled: bool, keep: Callable[[], None]) -> None:
    """Show a box; ``comment_of`` says what is in it.

    Parameters
    ----------
    words
        What is kept of it.
    keep
        Called when something was written.
    """
    _comment_box_component()(
        key=key,
        data={
            "id": key,
            "label": label,
            "value": words,
            "disabled": disabled,
            "longest": LONGEST,
            "pause": PAUSE,
        },
        default={"words": words},
        on_words_change=keep,
    )


def comment_of(key: str) -> str | None:
    """What is written in a box; None where that is no text."""
    sent = (value_of(key) or {}).get("words")
    return sent[:LONGEST] if isinstance(sent, str) else None
