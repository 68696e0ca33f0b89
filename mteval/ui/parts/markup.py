"""HTML on the page."""

import streamlit as st

from mteval.export.markup import Markup, escape, join, scrolling, tag

__all__ = ["Markup", "escape", "join", "scrolling", "show", "tag"]


def show(*parts: str) -> None:
    """Put the parts on the page."""
    st.html(join(parts))
