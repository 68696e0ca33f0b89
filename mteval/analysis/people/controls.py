"""What annotators made of items with known answers, and of errors that a metric had marked before they read."""

from collections.abc import Iterable, Sequence

import pandas as pd

from mteval.annotations import Campaign, Control, Mark, Task
from mteval.annotations.controls import CONTROLS

CONTROL_COLUMNS = ("annotator", "kind", "n_items", "n_done", "n_passed")
PREFILLED = ("annotator", "origin", "n_found", "n_kept", "n_changed", "n_rejected", "n_added")


def is_passed(campaign: Campaign, task: Task, own: Sequence[Task]) -> bool | None:
    """Whether an annotator gave the known answer; None as long as that cannot be said.

    Where errors are marked, one has to overlap with the words that are wrong, and none may stand where nothing is; a
    score has to be in the range of the known answer. A check without marks is passed where its output is rated lower
    than without its defect, or the other preferred.

    Parameters
    ----------
    own
        All tasks of the same annotator.
    """
    if task.control is None or not task.is_complete:
        return None
    control = campaign.controls[task.control]
    if campaign.way == "preference":
        return task.preference == "first"
    if campaign.way == "rating" and control.kind == "check":
        return _is_rated_lower(task, own)
    rating = task.adequacy if campaign.way == "rating" else task.score
    is_in_range = rating is None or control.low <= rating <= control.high
    return is_in_range and (campaign.way == "rating" or _is_found(control, task.marks))


def _is_found(control: Control, marks: Sequence[Mark]) -> bool:
    if not control.has_error:
        return not marks
    return any(mark.side == "hypothesis" and mark.start < control.end and mark.end > control.start for mark in marks)


def _is_rated_lower(task: Task, own: Sequence[Task]) -> bool | None:
    place = (task.segment, task.output)
    intact = next((one for one in own if one.control is None and (one.segment, one.output) == place), None)
    if intact is None or not intact.is_complete or intact.adequacy is None or task.adequacy is None:
        return None
    return task.adequacy < intact.adequacy


def controls_frame(campaign: Campaign, tasks: Sequence[Task]) -> pd.DataFrame:
    """One row an annotator and kind of item: how many there are, are done so that it can be said, and were passed."""
    rows = []
    for annotator in _annotators(tasks):
        own = [task for task in tasks if task.annotator == annotator]
        for kind in CONTROLS:
            given = [task for task in own if task.stratum == kind]
            answers = [is_passed(campaign, task, own) for task in given]
            known = [answer for answer in answers if answer is not None]
            if given:
                rows.append((annotator, kind, len(given), len(known), sum(known)))
    return pd.DataFrame(rows, columns=list(CONTROL_COLUMNS))


def prefilled_frame(tasks: Sequence[Task]) -> pd.DataFrame:
    """One row an annotator and metric: what became of the errors that it found, in the outputs that are done."""
    rows = []
    done = [task for task in tasks if task.is_complete and task.control is None]
    metrics = sorted({mark.origin for task in tasks for mark in (*task.marks, *task.rejected) if mark.origin})
    for annotator in _annotators(done):
        own = [task for task in done if task.annotator == annotator]
        added = sum(not mark.origin for task in own for mark in task.marks)
        for metric in metrics:
            stand = [mark for task in own for mark in task.marks if mark.origin == metric]
            rejected = sum(mark.origin == metric for task in own for mark in task.rejected)
            changed = sum(mark.severity != mark.suggested for mark in stand)
            counts = (len(stand) + rejected, len(stand) - changed, changed, rejected, added)
            rows.append((annotator, metric, *counts))
    return pd.DataFrame(rows, columns=list(PREFILLED))


def _annotators(tasks: Iterable[Task]) -> list[str]:
    return list(dict.fromkeys(task.annotator for task in tasks))
