"""What a run is called in this session: what pages say in that word."""

import streamlit as st

from mteval.render.html import in_words, join
from mteval.ui.parts.tables import show
from mteval.ui.setup.workspace import loaded_experiment
from mteval.values.run_words import RUN, RUN_WORDS, RunWord, Wording

RUN_WORD = "run-word"  # key of the widget, and its name in the address


def run_word() -> RunWord:
    """The word that was chosen in the sidebar."""
    return RUN_WORDS.get(st.session_state.get(RUN_WORD, RUN.noun), RUN)


def said(text: str) -> str:
    """A text of the program's own that speaks of runs, in this word; what the user called run stays so."""
    return wording()(text)


def tell(*parts: str) -> None:
    """Put the parts on the page in this word; none of them may hold texts of the user other than names."""
    show(in_words(join(parts), wording()))


def wording() -> Wording:
    """How to say what is said of runs, as a value that may outlive this run of the page."""
    experiment = loaded_experiment()
    return Wording(run_word(), () if experiment is None else experiment.names)
