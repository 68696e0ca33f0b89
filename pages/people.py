"""Do people tell the systems apart, and do metrics, tests and other raters say the same?"""

from mteval.ui.elements import show_tabs
from mteval.ui.errors import marking, noted_test_set
from mteval.ui.judgements import choose_people
from mteval.ui.page import heading
from mteval.ui.people import analyse_tab, check_tab, collect_tab, report_tab

TABS = {"Collect": collect_tab, "Check": check_tab, "Analyse": analyse_tab, "Report": report_tab}

heading("People", "Do people see a difference? Do metrics and tests agree?")
people = choose_people()
results_and_markers = marking()
if people is not None:
    has_answers = not people.frame.empty
elif results_and_markers is not None:
    _, metrics_that_mark = results_and_markers
    has_answers = len(metrics_that_mark) > 0
else:
    has_answers = False
can_analyse = has_answers or noted_test_set() is not None
if people is not None or can_analyse:
    show_tabs(TABS, "people-tab", people, default="Analyse" if can_analyse else "Collect")
else:
    collect_tab(None)
