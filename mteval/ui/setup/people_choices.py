"""What was chosen on the page People, which the report goes by as well."""

import streamlit as st

from mteval.analysis.people.human_evaluation import HumanChoices

LOWER = "people-lower"  # the widget of scales on which lower values are better
_CHOSEN = "people-chosen"


def keep_choices(choices: HumanChoices) -> None:
    """Remember what is asked of judgements."""
    st.session_state[_CHOSEN] = choices


def chosen_of_people() -> tuple[HumanChoices | None, tuple[str, ...]]:
    """What is asked of judgements, None where the page was not seen yet, and scales whose lower values are better."""
    return st.session_state.get(_CHOSEN), tuple(st.session_state.get(LOWER) or ())
