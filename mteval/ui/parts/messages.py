"""What the program says to the user, as plain text: problems and remarks."""

from typing import Literal

import streamlit as st

from mteval.render.html import Markup, join, tag
from mteval.ui.parts.tables import show

Severity = Literal["error", "warning", "note", "good"]
LEFT = "messages-left"
SYMBOLS: dict[Severity, str] = {"error": "✕", "warning": "!", "note": "i", "good": "✓"}
WORDS: dict[Severity, str] = {"error": "Problem", "warning": "Warning", "note": "Remark", "good": "Good"}


def message(severity: Severity, text: str, where: str | None = None) -> Markup:
    """A remark with its severity as symbol, colour and (for those who listen) word; ``where`` is set off before it."""
    symbol = tag("span", SYMBOLS[severity], class_="mt-symbol", role="img", aria_label=WORDS[severity])
    words = join([tag("code", where), text], " ") if where else text
    return tag("div", symbol, tag("div", words), class_=f"mt-message mt-{severity}")


def say(severity: Severity, text: str, where: str | None = None) -> None:
    """Put a remark on the page."""
    show(message(severity, text, where))


def leave(severity: Severity, text: str) -> None:
    """In a callback, which runs before the page is drawn: keep a remark until it is."""
    st.session_state.setdefault(LEFT, []).append((severity, text))


def show_left() -> None:
    """Put on the page what was left, once."""
    for severity, text in st.session_state.pop(LEFT, []):
        say(severity, text)
