"""What annotators made of items with known answers, and of errors that a metric had marked before they read."""

from collections.abc import Iterable, Sequence

import pandas as pd

from mteval.analysis.people.judgements import MARKED, RATED
from mteval.annotations import Campaign, Control, Mark, Task, word_spans
from mteval.annotations.campaigns import CONTROLS

CONTROL_COLUMNS = ("annotator", "kind", "n_items", "n_done", "n_passed")
PREFILLED = ("annotator", "origin", "n_found", "n_kept", "n_changed", "n_rejected", "n_added")


def is_passed(campaign: Campaign, task: Task, own: Sequence[Task]) -> bool | None:
    """Whether an annotator gave the known answer; None as long as that cannot be said.

    Of a text for practice the score has to be in the range that is known, of a check below that of the same output
    without its defect; where errors are marked, those that are there have to be; of two outputs the one without the
    defect has to be preferred.

    Parameters
    ----------
    own
        All tasks of the same annotator.
    """
    if task.control is None or not task.is_complete:
        return None
    if campaign.way == "preference":
        return task.preference == "first"
    control = campaign.controls[task.control]
    answers: list[bool | None] = [_is_found(control, task.marks)] if campaign.way in MARKED else []
    if campaign.way in RATED:
        answers.append(_is_rated_lower(campaign, task, own) if control.kind == "check" else _is_in_range(control, task))
    if False in answers:
        return False
    return None if None in answers else True


def _is_found(control: Control, marks: Sequence[Mark]) -> bool:
    """Whether an error is marked where it is, as what it is, and stands out from what else is marked.

    Of the wrong words and those of the marks that hold them at least half are both, and of the other words at most
    half as large a share is marked as of the wrong ones. So neither a mark over all of the output passes nor one on
    every word, and whoever marks a word too many or too few does.
    """
    if not control.has_error:
        return not marks
    words = word_spans(control.hypothesis)
    wrong = _within(words, [(control.start, control.end)])
    spans = [(mark.start, mark.end) for mark in marks if mark.side == "hypothesis" and _is_of_kind(control, mark)]
    held = _within(words, [span for span in spans if wrong & _within(words, [span])])
    n_found, n_others = len(wrong & held), len(_within(words, spans) - wrong)
    stands_out = n_found * (len(words) - len(wrong)) >= 2 * n_others * len(wrong)
    return bool(held) and 2 * n_found >= len(wrong | held) and stands_out


def _within(words: Sequence[tuple[int, int]], spans: Iterable[tuple[int, int]]) -> set[int]:
    """Numbers of the words that some span overlaps with."""
    return {n for start, end in spans for n, word in enumerate(words) if word[0] < end and word[1] > start}


def _is_of_kind(control: Control, mark: Mark) -> bool:
    """Whether an error has the severity and the category that are known, where they are."""
    known = ((control.severity, mark.severity), (control.category, mark.category))
    return all(expected in ("", given) for expected, given in known)


def _is_in_range(control: Control, task: Task) -> bool:
    rating = _rating(task)
    return rating is None or control.low <= rating <= control.high


def _is_rated_lower(campaign: Campaign, task: Task, own: Sequence[Task]) -> bool | None:
    """Whether an output is rated lower with its defect than without; None where nothing is lower than the latter."""
    place = (task.segment, task.output)
    intact = next((one for one in own if one.control is None and (one.segment, one.output) == place), None)
    ratings = _rating(task), None if intact is None or not intact.is_complete else _rating(intact)
    if ratings[0] is None or not ratings[1]:
        return None
    return ratings[0] < ratings[1]


def _rating(task: Task) -> float | None:
    """What a task asks for as a number and a known answer is about."""
    return task.adequacy if task.score is None else task.score


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
