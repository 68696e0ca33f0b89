"""How many runs do I need?"""

import streamlit as st

from mteval.ui import replication
from mteval.ui.elements import say, show_tabs
from mteval.ui.page import heading
from mteval.ui.pool import choose_pool
from mteval.ui.setup.workspace import run_word
from mteval.ui.talk import is_presenting, present, present_button

VIEWS = {
    "Observed difference": replication.spread_tab,
    "Published p-value": replication.published_tab,
    "Try your luck": replication.luck_tab,
    "Variance": replication.variance_tab,
    replication.PLANNER: replication.planner_tab,
    "Median {run}": replication.median_tab,
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
replication.show_verdict(chosen)
show_tabs({runs.filled(name): view for name, view in VIEWS.items()}, replication.VIEW, chosen)
