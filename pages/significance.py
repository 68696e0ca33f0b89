"""Is the difference real, and which tests say so?"""

import streamlit as st

from mteval.answers.procedures import p_section
from mteval.ui import comparisons
from mteval.ui.elements import show_section, show_tabs
from mteval.ui.page import heading, require_results
from mteval.ui.several_test_sets import several_test_sets_tab

TABS = {
    "All procedures": comparisons.procedures_tab,
    "All pairs": comparisons.pairs_tab,
    "Several test sets": several_test_sets_tab,
    "Equivalence": comparisons.equality_tab,
    "False alarms": comparisons.equal_systems_tab,
    "Would people notice?": comparisons.people_tab,
}

heading("Significance", "Could luck explain the differences?")
results = require_results()

st.subheader("Verdicts", anchor=False)
comparisons.all_verdicts(results)
with st.popover("About p-values", icon=":material/help:"):
    show_section(p_section(results.run_word))

st.subheader("Details", anchor=False)
show_tabs(TABS, "closer-look", results)
