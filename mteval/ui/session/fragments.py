"""Fragments, which are parts of a page that are drawn again alone, such as progress; they end with their page.

A browser asks for a fragment several times a second until it learns that the page has changed. What it asks meanwhile
must not be answered: the browser would take the answer for a return to the old page, remove what is drawn, and stay
blank. Requests that came before the change are answered by the new page as a whole.
"""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

P = ParamSpec("P")


def fragment(run_every: float | None = None) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Return a decorator of what draws a part of several pages. Each page gets a fragment of its own.

    Streamlit tells fragments apart by the names and places of their functions. Drawn on the next page by the same name
    in the same place, a fragment would answer what the browser asks of the last page.

    Parameters
    ----------
    run_every
        After how many seconds it is drawn again; None for when it is used.
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
    """Have the server refuse what is asked of this page's fragments from now on. Call it before the page changes."""
    context = get_script_run_ctx()
    if context is not None:
        context.fragment_storage.clear()
