"""Steps back and forward in the browser, as far as settings are concerned."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from mteval.metrics import catalog
from mteval.settings import CONVENTIONS
from mteval.ui.setup.described_settings import widget_values
from mteval.ui.setup.settings_form import DEFAULTS
from mteval.ui.setup.workspace import BASELINE


@contextmanager
def settings_that_stay() -> Iterator[None]:
    """Draw the widgets of the settings within this.

    After a step back Streamlit gives its default to whatever the address does not name. An address that names some
    setting was written with all that differed from their defaults, and says how they were; one that names none says
    nothing of them, as the address of an experiment, and those that are kept stay.
    """
    context = get_script_run_ctx()
    if context is None or not context.is_history_navigation or _names_settings():
        yield
        return
    context.is_history_navigation = False
    try:
        yield
    finally:
        context.is_history_navigation = True


def _names_settings() -> bool:
    known = {BASELINE, *widget_values(DEFAULTS, catalog(()))}
    return any(name in known or name.split(".")[0] in CONVENTIONS for name in st.query_params)
