"""What widgets say, read in a way that nothing comes between."""

from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx


def value_of(key: str, default: Any = None) -> Any:
    """What a widget, or another key of the session, says; for callbacks that keep it.

    To read the session's state itself ends a callback there and then where the next click has come already, or where
    the visitor has just gone, and nothing calls it again: what they said would be lost although their page shows it.
    """
    context = get_script_run_ctx(suppress_warning=True)
    state = st.session_state if context is None else context.session_state.filtered_state
    return state.get(key, default)
