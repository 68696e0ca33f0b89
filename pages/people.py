"""Do people tell the systems apart, and do metrics, tests and other raters say the same?"""

from mteval.ui.elements import show_tabs
from mteval.ui.errors import marking, noted_test_set
from mteval.ui.judgements import choose_people
from mteval.ui.page import heading
from mteval.ui.people import analyse_tab, check_tab, collect_tab, report_tab

TABS = {"Collect": collect_tab, "Check": check_tab, "Analyse": analyse_tab, "Report": report_tab}

heading("People", "Do people see a difference? Do metrics and tests agree?")
people, found = choose_people(), marking()
has_answers = bool(found and found[1]) if people is None else not people.frame.empty
default = "Analyse" if has_answers or noted_test_set() is not None else "Collect"
show_tabs(TABS, "people-tab", people, default=default)
