"""Is the difference real, and which tests say so?"""

from mteval.ui import comparisons
from mteval.ui.elements import show_tabs
from mteval.ui.page import heading, require_results

heading("Significance", "Could luck explain the differences?")
results = require_results()
comparisons.all_verdicts(results)
show_tabs(comparisons.views(results), "closer-look", results)
