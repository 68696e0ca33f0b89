"""A box for remarks that are kept while somebody writes, a moment after each pause.

Streamlit's own keeps nothing before it is left, and a browser that is closed takes the words with it. Three dots stand
behind the label until they are kept, and a browser that leaves the page before that asks first.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st

from mteval.ui.session.widget_values import value_of

LONGEST = 5_000  # characters
HTML = """
<div class="comment"><span class="label" aria-hidden="true"></span><textarea rows="2"></textarea></div>
"""
CSS = """
.comment { font: inherit; font-size: 0.875rem; color: var(--st-text-color); display: grid; gap: 0.25rem; }
.unkept .label::after { content: ' …'; }
textarea { font: inherit; font-size: 1rem; line-height: 1.4; color: inherit; min-height: 4.25rem; resize: vertical;
  padding: 0.5rem 0.75rem; border: 1px solid transparent; border-radius: var(--st-base-radius, 0.5rem);
  background: var(--st-secondary-background-color); unicode-bidi: plaintext; }
textarea:focus { outline: none; border-color: var(--st-primary-color); }
textarea:disabled { opacity: 0.6; }
"""
JS = """
export default function ({ parentElement, data, setStateValue }) {
  const box = parentElement.querySelector('.comment');
  const area = box.querySelector('textarea');
  if (box.mtId !== data.id) { box.mtId = data.id; area.value = data.value; }
  const paint = () => box.classList.toggle('unkept', area.value !== box.mtKept);
  const send = () => {
    clearTimeout(box.mtTimer);
    if (area.value !== box.mtSent) { box.mtSent = area.value; setStateValue('words', area.value); }
  };
  if (box.mtKept === undefined) {
    box.mtSent = data.value;
    window.addEventListener('beforeunload', (event) => {
      if (!box.isConnected || area.value === box.mtKept) return;
      box.mtSend();
      event.preventDefault();
    });
  }
  box.mtKept = data.value;
  box.mtSend = send;
  box.querySelector('.label').textContent = data.label;
  area.setAttribute('aria-label', data.label);
  area.maxLength = data.longest;
  area.disabled = data.disabled;
  area.oninput = () => {
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
def _component() -> Any:
    """Registered once a server."""
    return st.components.v2.component("mteval_comment", html=HTML, css=CSS, js=JS)


def comment_box(label: str, words: str, key: str, disabled: bool, keep: Callable[[], None]) -> None:
    """Show a box; ``comment_of`` says what is in it.

    Parameters
    ----------
    words
        What is kept of it.
    keep
        Called when something was written.
    """
    _component()(
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
