"""What changed, sentence by sentence?"""

from mteval.ui.annotate.store import annotate_button
from mteval.ui.nbest import lists_alone
from mteval.ui.page import heading, require_results
from mteval.ui.segments.page import segments
from mteval.ui.setup.workspace import loaded_experiment

experiment = loaded_experiment()
is_alone = experiment is not None and len(experiment.systems) == 1
heading("Segments", "Which segments are worst?" if is_alone else "What changed, segment by segment?")
lists_alone()
segments(require_results(), annotate_button)
