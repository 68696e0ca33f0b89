"""Bookmarks of segments: a button at the open one, and where they are kept."""

import streamlit as st

from mteval.ui.segments.compared_runs import SegmentData
from mteval.ui.setup.bookmarks import bookmarked, turn
from mteval.ui.setup.entry import keep_loaded
from mteval.ui.setup.sidebar import settings_of_session


def bookmark_button(data: SegmentData, segment: int) -> None:
    """Bookmark the open segment, or take its bookmark away."""
    is_marked = segment in bookmarked(data.test_set)
    st.button(
        "Bookmarked" if is_marked else "Bookmark",
        key="bookmark",
        icon=":material/bookmark:" if is_marked else ":material/bookmark_add:",
        type="secondary" if is_marked else "tertiary",
        help=f"{'Takes the bookmark away' if is_marked else 'To find it again'}; kept with the experiment.",
        shortcut="B",
        on_click=_turn,
        args=(data, segment),
    )


def _turn(data: SegmentData, segment: int) -> None:
    turn(data.test_set, segment)
    keep_bookmarks()


def keep_bookmarks() -> None:
    """Keep them with the experiment at once: this part of the page is drawn without the rest. A callback."""
    keep_loaded(settings_of_session())
