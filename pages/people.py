"""Do people tell the systems apart, and do metrics, tests and other raters say the same?"""

from mteval.ui.judgements import choose_people, choose_plan
from mteval.ui.page import heading
from mteval.ui.parts.choices import choose_tab
from mteval.ui.people import claims_tab, errors_tab, gold_tab, metrics_tab, raters_tab

TABS = {
    "Human gold": gold_tab,
    "Tests": claims_tab,
    "Metrics": metrics_tab,
    "Raters": raters_tab,
    "Errors": errors_tab,
}

heading("People", "Do people tell the systems apart, and do metrics, tests and other raters say the same?")
plan = choose_plan(choose_people())
for tab, show in zip(choose_tab(list(TABS), "people-tab"), TABS.values(), strict=True):
    if tab.open:
        with tab:
            show(plan)
