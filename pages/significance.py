"""Is the difference real, and which tests say so?"""

import streamlit as st

from mteval.ui.page import heading, require_results
from mteval.ui.parts.choices import choose_tab
from mteval.ui.significance import procedures as answers
from mteval.ui.significance.equality import equal_systems_tab, equality_tab, people_tab
from mteval.ui.significance.pairs import pairs_tab
from mteval.ui.significance.procedures import procedures_tab, sensitivity_tab
from mteval.ui.significance.several_test_sets import several_test_sets_tab

TABS = {
    "All procedures": procedures_tab,
    "All pairs": pairs_tab,
    "Several test sets": several_test_sets_tab,
    "Shown equal?": equality_tab,
    "Borrowed spread": sensitivity_tab,
    "False alarms": equal_systems_tab,
    "What people notice": people_tab,
}

heading("Significance", "Is the difference real? Two kinds of luck, two answers, and every test behind them.")
results = require_results()

st.subheader("The verdicts by every metric", anchor=False)
answers.all_verdicts(results)
answers.fixed_procedures(results)
with st.popover("What p is and is not", icon=":material/help:"):
    answers.what_p_is()

st.subheader("A closer look", anchor=False)
for tab, show in zip(choose_tab(list(TABS), "closer-look"), TABS.values(), strict=True):
    if tab.open:
        with tab:
            show(results)
