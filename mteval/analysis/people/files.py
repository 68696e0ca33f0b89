"""Campaigns: start them on loaded outputs, export them to WMT's and Pearmut's formats, check control items."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, product

import pandas as pd

from mteval.analysis.people.judgements import MARKED, RATED, finished, judgements_of_campaign, numbers_in, rated_errors
from mteval.annotations import Campaign, Control, Mark, Output, Plan, Task, Typology, word_spans
from mteval.annotations.campaign_files import NO_ERROR, mqm_table, pearmut_files, seg_rating
from mteval.annotations.campaigns import CONTROLS, Way
from mteval.values.model import Run, TestSet

PREFILLED = ("annotator", "origin", "n_found", "n_kept", "n_changed", "n_rejected", "n_added")
CONTROLLED = ("annotator", "kind", "n_items", "n_done", "n_passed")


def campaign_on(test_set: TestSet, name: str, way: Way, runs: Sequence[Run], plan: Plan, types: Typology) -> Campaign:
    """Create a campaign about runs of a test set.

    Raises
    ------
    SettingsError
        If the campaign's settings are invalid.
    """
    return Campaign(
        uid=uuid.uuid4().hex,
        name=name,
        way=way,
        plan=plan,
        typology=types,
        test_set=test_set.name,
        test_set_digest=test_set.digest,
        outputs=tuple(Output(run.system, run.key, run.hypotheses) for run in runs),
        references=test_set.references,
        source=test_set.source,
        documents=test_set.documents,
    )


def mqm_text(campaign: Campaign, tasks: Sequence[Task]) -> str:
    """Return the finished tasks of a campaign of marked errors as WMT's table."""
    n_segments = len(campaign.references)
    numbers = numbers_in(campaign.documents or [""] * n_segments)
    rows: list[Sequence[str]] = []
    for task in finished(tasks):
        for output in campaign.alike(task):
            rows += _mqm_rows(campaign, replace(task, output=output), numbers[task.segment])
    return mqm_table(rows)


def _mqm_rows(campaign: Campaign, task: Task, number: int) -> Iterator[Sequence[str]]:
    """Yield one row per error, or one row that states that there is none.

    ``number`` is the segment's number in its document.
    """
    output = campaign.outputs[task.output or 0]
    document = campaign.test_set
    if campaign.documents:
        document = campaign.documents[task.segment]
    columns = (output.system, document, str(number), str(task.segment + 1), task.annotator)
    source = campaign.source_text(task.segment)
    hypothesis = output.hypotheses[task.segment]
    if not task.marks:
        yield *columns, source, hypothesis, NO_ERROR, NO_ERROR, task.comment
    for mark in task.marks:
        category = mark.category or NO_ERROR
        severity = mark.severity or NO_ERROR
        if mark.side == "source":
            yield *columns, _marked(source, mark), hypothesis, category, severity, mark.comment
        else:
            yield *columns, source, _marked(hypothesis, mark), category, severity, mark.comment


def _marked(text: str, mark: Mark) -> str:
    """Return the text with WMT's tags around an error."""
    return f"{text[: mark.start]}<v>{text[mark.start : mark.end]}</v>{text[mark.end :]}"


def rating_files(campaign: Campaign, tasks: Sequence[Task]) -> dict[str, str]:
    """Return each annotator's errors in WMT's ``.seg.rating`` format, by anonymous file name."""
    names = _output_names(campaign)
    done = finished(tasks)
    files = {}
    for number, annotator in enumerate(_annotators(done), start=1):
        task_of = {}  # by output and segment
        for task in done:
            if task.annotator == annotator:
                for output in campaign.alike(task):
                    task_of[output, task.segment] = task
        # The format has a line per output, also for those that this annotator did not judge
        lines = []
        for output, segment in product(range(len(names)), range(len(campaign.references))):
            errors = None
            if (output, segment) in task_of:
                errors = rated_errors(campaign, task_of[output, segment])
            lines.append((names[output], annotator, errors))
        files[f"rater{number}.seg.rating"] = seg_rating(lines)
    return files


def pearmut_export(campaign: Campaign, tasks: Sequence[Task]) -> dict[str, str]:
    """Return the scored judgements in Pearmut's format, by file name."""
    outputs = []
    for output, name in zip(campaign.outputs, _output_names(campaign), strict=True):
        outputs.append(replace(output, system=name))
    judgements = judgements_of_campaign(replace(campaign, outputs=tuple(outputs)), tasks)
    n_segments = len(campaign.references)
    sources = {str(segment + 1): campaign.source_text(segment) for segment in range(n_segments)}
    return pearmut_files(f"mteval-{campaign.uid[:8]}", judgements, sources)


def _output_names(campaign: Campaign) -> list[str]:
    """Return the system names of the outputs, with the run if a system has several."""
    systems = [output.system for output in campaign.outputs]
    names = []
    for output in campaign.outputs:
        if systems.count(output.system) == 1:
            names.append(output.system)
        else:
            names.append(f"{output.system} {output.run}")
    return names


def is_passed(campaign: Campaign, task: Task, own: Sequence[Task]) -> bool | None:
    """Return whether an annotator gave the known answer to a control item; None if that cannot be determined yet.

    A training item needs a score in the known range; a check needs a lower score than the same output without its
    defect. Marked errors must be found. Of two outputs, the one without the defect must be preferred.

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
    answers: list[bool | None] = []
    if campaign.way in MARKED:
        answers.append(_is_found(control, task.marks))
    if campaign.way in RATED:
        if control.kind == "check":
            answers.append(_is_rated_lower(campaign, task, own))
        else:
            answers.append(_is_rated_in_range(control, task))
    if False in answers:
        return False
    if None in answers:
        return None
    return True


def _is_found(control: Control, marks: Sequence[Mark]) -> bool:
    """Return whether the known error is marked at its place, with its severity and category.

    At least half of the words that are wrong or in overlapping marks must be both. The share of other words marked may
    be at most half the share of wrong words marked. So marking everything does not pass, but a word too many or too few
    does.
    """
    if not control.has_error:
        return not marks
    words = word_spans(control.hypothesis)
    wrong_words = _within(words, [(control.start, control.end)])

    # Marks that fit, and among them those at the wrong words
    spans = []
    overlapping_spans = []
    for mark in marks:
        if mark.side == "hypothesis" and _fits(control, mark):
            spans.append((mark.start, mark.end))
            if wrong_words & _within(words, spans[-1:]):
                overlapping_spans.append(spans[-1])
    marked_words = _within(words, overlapping_spans)
    if not marked_words:
        return False

    n_found = len(wrong_words & marked_words)
    is_at_place = 2 * n_found >= len(wrong_words | marked_words)
    # The share of wrong words marked is at least twice the share of other words marked, multiplied out
    n_others = len(words) - len(wrong_words)
    n_others_marked = len(_within(words, spans) - wrong_words)
    stands_out = n_found * n_others >= 2 * n_others_marked * len(wrong_words)
    return is_at_place and stands_out


def _fits(control: Control, mark: Mark) -> bool:
    """Return whether a mark has the severity and the category of the known error; empty if any will do."""
    return control.severity in ("", mark.severity) and control.category in ("", mark.category)


def _within(words: Sequence[tuple[int, int]], spans: Iterable[tuple[int, int]]) -> set[int]:
    """Return the indices of words that overlap with a span."""
    indices = set()
    for start, end in spans:
        for index, (word_start, word_end) in enumerate(words):
            if word_start < end and word_end > start:
                indices.add(index)
    return indices


def _is_rated_lower(campaign: Campaign, task: Task, own: Sequence[Task]) -> bool | None:
    """Return whether the defective output is rated lower than the intact one.

    None without both ratings, or if the intact one is rated 0.
    """
    intact = None
    for judged in own:
        if judged.control is None and (judged.segment, judged.output) == (task.segment, task.output):
            intact = judged
            break
    if intact is None or not intact.is_complete:
        return None
    rating = _rating(task)
    intact_rating = _rating(intact)
    if rating is None or not intact_rating:
        return None
    return rating < intact_rating


def _is_rated_in_range(control: Control, task: Task) -> bool:
    """Return whether a training item is rated in the known range, or not rated."""
    rating = _rating(task)
    return rating is None or control.low <= rating <= control.high


def _rating(task: Task) -> float | None:
    """Return a task's numeric rating."""
    if task.score is None:
        return task.adequacy
    return task.score


def controls_frame(campaign: Campaign, tasks: Sequence[Task]) -> pd.DataFrame:
    """Return one row per annotator and kind of control item: given, answered and passed items."""
    rows = []
    for annotator in _annotators(tasks):
        own = [task for task in tasks if task.annotator == annotator]
        for kind in CONTROLS:
            controls = [task for task in own if task.stratum == kind]
            if not controls:
                continue
            answers = [is_passed(campaign, task, own) for task in controls]
            known_answers = [answer for answer in answers if answer is not None]
            rows.append((annotator, kind, len(controls), len(known_answers), sum(known_answers)))
    return pd.DataFrame(rows, columns=list(CONTROLLED))


def prefilled_frame(tasks: Sequence[Task]) -> pd.DataFrame:
    """Return one row per annotator and metric: what became of the prefilled errors in finished outputs."""
    origins = set[str]()
    for task in tasks:
        origins.update(mark.origin for mark in (*task.marks, *task.rejected))
    metrics = sorted(origins - {""})  # an annotator's own mark has no origin
    done = finished(tasks)
    rows = []
    for annotator in _annotators(done):
        own = [task for task in done if task.annotator == annotator]
        marks = list(chain.from_iterable(task.marks for task in own))
        rejected = list(chain.from_iterable(task.rejected for task in own))
        n_added = sum(not mark.origin for mark in marks)
        for metric in metrics:
            remaining = [mark for mark in marks if mark.origin == metric]
            n_rejected = sum(mark.origin == metric for mark in rejected)
            n_changed = sum(mark.severity != mark.suggested for mark in remaining)
            row = {
                "annotator": annotator,
                "origin": metric,
                "n_found": len(remaining) + n_rejected,
                "n_kept": len(remaining) - n_changed,
                "n_changed": n_changed,
                "n_rejected": n_rejected,
                "n_added": n_added,
            }
            rows.append(row)
    return pd.DataFrame(rows, columns=list(PREFILLED))


def _annotators(tasks: Iterable[Task]) -> list[str]:
    """Return the annotators in order of their first task."""
    return list(dict.fromkeys(task.annotator for task in tasks))
