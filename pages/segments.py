"""What changed, sentence by sentence?"""

from mteval.ui.annotate.store import annotate_button
from mteval.ui.nbest import lists_alone
from mteval.ui.page import heading, require_results
from mteval.ui.segments.page import segments

heading("Segments", "What changed, segment by segment?")
lists_alone()
segments(require_results(), annotate_button)
