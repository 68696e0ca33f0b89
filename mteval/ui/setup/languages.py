"""From which language into which each test set is translated, where its user says it."""

import streamlit as st

from mteval.errors import SettingsError
from mteval.model import Experiment
from mteval.ui.parts import messages
from mteval.ui.parts.choices import SURVIVES
from mteval.ui.parts.labels import as_label
from mteval.ui.setup.workspace import declare, generation, workspace

HELP = (
    "Codes of the two languages, the source's first. They are said in the methods, and it is said where the models of"
    " learned metrics have not seen one. Left empty, the name of the test set may say them."
)
REFUSED = "languages-refused"


def languages(experiment: Experiment) -> None:
    """A field for each test set."""
    with st.container(horizontal=True):
        for test_set in experiment.test_sets:
            _field(test_set.name)


def _field(test_set: str) -> None:
    key = f"languages-{generation()}-{test_set}"
    with st.container(width=220):
        st.text_input(
            f"Languages of {as_label(test_set)}",
            workspace().edits.languages.get(test_set, ""),
            key=key,
            placeholder="en-de",
            help=HELP,
            max_chars=20,
            **SURVIVES,
            on_change=_take,
            args=(test_set, key),
        )
        if key in st.session_state.get(REFUSED, {}):
            messages.say("error", st.session_state[REFUSED][key])


def _take(test_set: str, key: str) -> None:
    refused = {other: words for other, words in st.session_state.get(REFUSED, {}).items() if other != key}
    try:
        declare(test_set, st.session_state[key])
    except SettingsError as error:
        refused[key] = str(error)
    st.session_state[REFUSED] = refused
