"""How many runs do I need?"""

import streamlit as st

from mteval.ui.page import heading
from mteval.ui.parts.elements import say, show_tabs
from mteval.ui.pool import choose_pool
from mteval.ui.replication import (
    PLANNER,
    VIEW,
    luck_tab,
    median_tab,
    planner_tab,
    published_tab,
    show_verdict,
    spread_tab,
    variance_tab,
)
from mteval.ui.setup.workspace import run_word
from mteval.ui.talk import is_presenting, present, present_button

VIEWS = {
    "Observed difference": spread_tab,
    "Published p-value": published_tab,
    "Try your luck": luck_tab,
    "Variance": variance_tab,
    PLANNER: planner_tab,
    "Median {run}": median_tab,
}

if is_presenting():
    present(choose_pool())
    st.stop()

runs = run_word()
heading("Replication", "How many {runs} do you need?")
chosen = choose_pool()
if chosen.is_sample:
    sample = "Nothing is loaded: this is the sample, with two systems and thirty {runs} each."
    say("note", runs.filled(sample))
present_button()
show_verdict(chosen)
show_tabs({runs.filled(name): view for name, view in VIEWS.items()}, VIEW, chosen)
