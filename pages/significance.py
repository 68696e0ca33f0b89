"""Is the difference real, and which tests say so?"""

import streamlit as st

from mteval.answers.procedures import p_section
from mteval.ui import comparisons
from mteval.ui.page import heading, require_results
from mteval.ui.parts.choices import choose_tab
from mteval.ui.parts.section import show_section
from mteval.ui.several_test_sets import several_test_sets_tab

TABS = {
    "All procedures": comparisons.procedures_tab,
    "All pairs": comparisons.pairs_tab,
    "Several test sets": several_test_sets_tab,
    "Shown equal?": comparisons.equality_tab,
    "Borrowed spread": comparisons.sensitivity_tab,
    "False alarms": comparisons.equal_systems_tab,
    "What people notice": comparisons.people_tab,
}

heading("Significance", "Is the difference real? Two kinds of luck, two answers, and every test behind them.")
results = require_results()

st.subheader("The verdicts by every metric", anchor=False)
comparisons.all_verdicts(results)
with st.popover("What p is and is not", icon=":material/help:"):
    show_section(p_section(results.run_word))

st.subheader("A closer look", anchor=False)
for tab, show in zip(choose_tab(list(TABS), "closer-look"), TABS.values(), strict=True):
    if tab.open:
        with tab:
            show(results)
