"""What hangs on how little few runs tell of their spread: run variances that borrow from all systems."""

from mteval.analysis.results import Results
from mteval.export.significance import (
    BORROWED_COLUMNS,
    BORROWED_NOTE,
    borrowed_cells,
    borrowed_sentence,
    not_borrowed_sentence,
)
from mteval.stats.borrowed_spread import FEWEST_SYSTEMS
from mteval.ui.parts import messages
from mteval.ui.parts.markup import tag
from mteval.ui.parts.tables import table
from mteval.ui.setup.words import said, tell


def sensitivity_tab(results: Results) -> None:
    """The verdicts by the primary metric with their own run variances and with borrowed ones."""
    frame = results.rows(results.evaluation.sensitivity)
    if frame.empty:
        messages.say("note", said(not_borrowed_sentence(FEWEST_SYSTEMS)))
        return
    spec = results.spec(results.settings.primary_metric)
    tell(tag("p", borrowed_sentence(frame, 1 - results.settings.confidence)))
    head = tuple(name[:1].upper() + name[1:] for name in BORROWED_COLUMNS)
    caption = f"{spec.name}, against {results.name_of(results.experiment.baseline)}."
    tell(table(head, list(borrowed_cells(frame, spec.notation)), n_words=1, caption=caption))
    tell(tag("p", BORROWED_NOTE, class_="mt-quiet"))
