"""What a run is called in this session."""

import streamlit as st

from mteval.values.run_words import RUN, RUN_WORDS, RunWord

RUN_WORD = "run-word"  # key of the widget, and its name in the address


def run_word() -> RunWord:
    """The word that was chosen in the sidebar."""
    return RUN_WORDS.get(st.session_state.get(RUN_WORD, RUN.noun), RUN)
