"""Fragments: parts of a page that are redrawn without the rest, such as progress. They end with their page.

While progress is shown, the browser asks for it several times a second, until it learns that the page has changed. A
late request must not be answered: the browser would take the answer for a return to the old page, remove what it
shows, and stay blank. Requests from before the change need no care: Streamlit merges them with it.
"""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

P = ParamSpec("P")


def fragment(run_every: float | None = None) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Return a decorator for a function that draws a part of several pages. Each page gets a fragment of its own.

    Streamlit identifies a fragment by the name of its function and its place on the page. If two pages had the same
    fragment, the new page's would answer late requests to the old one.

    Parameters
    ----------
    run_every
        Seconds between redraws; None to redraw it only when one of its widgets is used.
    """

    def decorate(draw: Callable[P, None]) -> Callable[P, None]:
        @wraps(draw)
        def draw_on_page(*arguments: P.args, **options: P.kwargs) -> None:
            @wraps(draw)
            def draw_here(*arguments: P.args, **options: P.kwargs) -> None:
                draw(*arguments, **options)

            context = get_script_run_ctx()
            if context is not None:
                draw_here.__qualname__ += f" on {context.page_script_hash}"
            st.fragment(draw_here, run_every=run_every)(*arguments, **options)

        return draw_on_page

    return decorate


def end_fragments() -> None:
    """Refuse all further requests to this page's fragments. Call it just before the page changes."""
    context = get_script_run_ctx()
    if context is not None:
        context.fragment_storage.clear()
