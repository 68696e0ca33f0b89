"""What is wrong with the median system, in people's eyes?"""

from mteval.ui.annotating import choose_view, require_store
from mteval.ui.annotation_files import files
from mteval.ui.annotation_messages import show_left
from mteval.ui.annotation_results import results
from mteval.ui.annotation_start import starting
from mteval.ui.annotation_tasks import reading
from mteval.ui.page import heading

heading("Annotate", "What is wrong with the median system, in people's eyes?")
store = require_store()
view = choose_view()
show_left()
{"read": reading, "start": starting, "results": results, "files": files}[view](store)
