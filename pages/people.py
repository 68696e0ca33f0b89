"""Do people tell the systems apart, and do metrics, tests and other raters say the same?"""

from mteval.ui.elements import show_tabs
from mteval.ui.errors import errors_tab, has_notes, marking
from mteval.ui.judgements import choose_people, choose_plan
from mteval.ui.page import heading
from mteval.ui.people import claims_tab, gold_tab, metrics_tab, raters_tab

TABS = {
    "Human gold": gold_tab,
    "Tests": claims_tab,
    "Metrics": metrics_tab,
    "Raters": raters_tab,
    "Errors": errors_tab,
}

heading("People", "Do people see a difference? Do metrics and tests agree?")
found = marking()
people = choose_people(is_needed=(found is None or not found[1]) and not has_notes())
if people is None:
    errors_tab(None)
else:
    show_tabs(TABS, "people-tab", choose_plan(people))
