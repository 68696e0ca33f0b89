"""Do people tell the systems apart, and do metrics, tests and other raters say the same?"""

from mteval.ui.elements import show_tabs
from mteval.ui.judgements import choose_people, choose_plan
from mteval.ui.page import heading
from mteval.ui.people import claims_tab, errors_tab, gold_tab, metrics_tab, raters_tab

TABS = {
    "Human gold": gold_tab,
    "Tests": claims_tab,
    "Metrics": metrics_tab,
    "Raters": raters_tab,
    "Errors": errors_tab,
}

heading("People", "Do people see a difference? Do metrics and tests agree?")
plan = choose_plan(choose_people())
show_tabs(TABS, "people-tab", plan)
