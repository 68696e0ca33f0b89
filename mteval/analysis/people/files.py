"""Campaigns: start them on loaded outputs, export them to WMT's and Pearmut's formats, check control items."""

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import pandas as pd

from mteval.analysis.people.judgements import MARKED, RATED, finished, judgements_of_campaign, numbers_in, rated_errors
from mteval.annotations import Campaign, Control, Mark, Output, Plan, Task, Typology, word_spans
from mteval.annotations.campaign_files import NO_ERROR, mqm_table, pearmut_files, seg_rating
from mteval.annotations.campaigns import CONTROLS, Way
from mteval.values.model import Run, TestSet


def campaign_on(test_set: TestSet, name: str, way: Way, runs: Sequence[Run], plan: Plan, types: Typology) -> Campaign:
    """Create a campaign about runs of a test set.

    Raises
    ------
    SettingsError
        If the campaign's settings are invalid.
    """
    return Campaign(
        uid=uuid.uuid4().hex, name=name, way=way, plan=plan, typology=types,
        test_set=test_set.name, test_set_digest=test_set.digest,
        outputs=tuple(Output(run.system, run.key, run.hypotheses) for run in runs),
        references=test_set.references, source=test_set.source, documents=test_set.documents,
    )  # fmt: skip


def mqm_text(campaign: Campaign, tasks: Sequence[Task]) -> str:
    """Return the finished tasks of a campaign of marked errors as WMT's table."""
    numbers = numbers_in(campaign.documents or [""] * len(campaign.references))
    return mqm_table(
        line
        for task in finished(tasks)
        for output in campaign.alike(task)
        for line in _lines(campaign, replace(task, output=output), numbers[task.segment])
    )


def _lines(campaign: Campaign, task: Task, number: int) -> Iterator[Sequence[str]]:
    """Yield one row per error, or one row that states that there is none."""
    output = campaign.outputs[task.output or 0]
    document = campaign.documents[task.segment] if campaign.documents else campaign.test_set
    where = output.system, document, str(number), str(task.segment + 1), task.annotator
    texts = {"source": campaign.source_text(task.segment), "hypothesis": output.hypotheses[task.segment]}
    for one in task.marks:
        text = texts[one.side]
        marked = texts | {one.side: f"{text[: one.start]}<v>{text[one.start : one.end]}</v>{text[one.end :]}"}
        yield *where, *marked.values(), one.category or NO_ERROR, one.severity or NO_ERROR, one.comment
    if not task.marks:
        yield *where, *texts.values(), NO_ERROR, NO_ERROR, task.comment


def rating_files(campaign: Campaign, tasks: Sequence[Task]) -> dict[str, str]:
    """Return each annotator's errors in WMT's ``.seg.rating`` format, by anonymous file name."""
    names, files, done = _output_names(campaign), {}, finished(tasks)
    for number, annotator in enumerate(dict.fromkeys(task.annotator for task in done), start=1):
        said = [task for task in done if task.annotator == annotator]
        own = {(output, task.segment): task for task in said for output in campaign.alike(task)}
        places = [(index, segment) for index in range(len(names)) for segment in range(len(campaign.references))]
        found = (own.get(place) for place in places)
        errors = (None if task is None else rated_errors(campaign, task) for task in found)
        lines = ((names[at], annotator, one) for (at, _), one in zip(places, errors, strict=True))
        files[f"rater{number}.seg.rating"] = seg_rating(lines)
    return files


def pearmut_export(campaign: Campaign, tasks: Sequence[Task]) -> dict[str, str]:
    """Return the scored judgements in Pearmut's format, by file name."""
    names = _output_names(campaign)
    outputs = tuple(replace(output, system=name) for output, name in zip(campaign.outputs, names, strict=True))
    judgements = judgements_of_campaign(replace(campaign, outputs=outputs), tasks)
    sources = {str(place + 1): campaign.source_text(place) for place in range(len(campaign.references))}
    return pearmut_files(f"mteval-{campaign.uid[:8]}", judgements, sources)


def _output_names(campaign: Campaign) -> list[str]:
    """Return the system names of the outputs, with the run if a system has several."""
    names = [output.system for output in campaign.outputs]
    return [one.system if names.count(one.system) == 1 else f"{one.system} {one.run}" for one in campaign.outputs]


PREFILLED = ("annotator", "origin", "n_found", "n_kept", "n_changed", "n_rejected", "n_added")


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
    answers: list[bool | None] = [_is_found(control, task.marks)] if campaign.way in MARKED else []
    if campaign.way in RATED and control.kind == "check":
        answers.append(_is_rated_lower(campaign, task, own))
    elif campaign.way in RATED:
        answers.append((rating := _rating(task)) is None or control.low <= rating <= control.high)
    if False in answers:
        return False
    return None if None in answers else True


def _is_found(control: Control, marks: Sequence[Mark]) -> bool:
    """Return whether the known error is marked at its place, with its severity and category.

    At least half of the words that are wrong or in overlapping marks must be both. The share of other words marked may
    be at most half the share of wrong words marked. So marking everything does not pass, but a word too many or too few
    does.
    """
    if not control.has_error:
        return not marks
    words = word_spans(control.hypothesis)
    wrong = _within(words, [(control.start, control.end)])
    known = {"severity": control.severity, "category": control.category}  # empty if any will do
    fitting = (mark for mark in marks if all(one in ("", getattr(mark, name)) for name, one in known.items()))
    spans = [(mark.start, mark.end) for mark in fitting if mark.side == "hypothesis"]
    held = _within(words, [span for span in spans if wrong & _within(words, [span])])
    n_found, n_others = len(wrong & held), len(_within(words, spans) - wrong)
    stands_out = n_found * (len(words) - len(wrong)) >= 2 * n_others * len(wrong)
    return bool(held) and 2 * n_found >= len(wrong | held) and stands_out


def _within(words: Sequence[tuple[int, int]], spans: Iterable[tuple[int, int]]) -> set[int]:
    """Return the indices of words that overlap with a span."""
    return {n for start, end in spans for n, word in enumerate(words) if word[0] < end and word[1] > start}


def _is_rated_lower(campaign: Campaign, task: Task, own: Sequence[Task]) -> bool | None:
    """Return whether the defective output is rated lower than the intact one.

    None without both ratings, or if the intact one is rated 0.
    """
    place = (task.segment, task.output)
    intact = next((one for one in own if one.control is None and (one.segment, one.output) == place), None)
    ratings = _rating(task), None if intact is None or not intact.is_complete else _rating(intact)
    if ratings[0] is None or not ratings[1]:
        return None
    return ratings[0] < ratings[1]


def _rating(task: Task) -> float | None:
    """Return a task's numeric rating."""
    return task.adequacy if task.score is None else task.score


def controls_frame(campaign: Campaign, tasks: Sequence[Task]) -> pd.DataFrame:
    """Return one row per annotator and kind of control item: given, answered and passed items."""
    rows = []
    for annotator in _annotators(tasks):
        own = [task for task in tasks if task.annotator == annotator]
        for kind in CONTROLS:
            given = [task for task in own if task.stratum == kind]
            answers = [is_passed(campaign, task, own) for task in given]
            known = [answer for answer in answers if answer is not None]
            if given:
                rows.append((annotator, kind, len(given), len(known), sum(known)))
    return pd.DataFrame(rows, columns=["annotator", "kind", "n_items", "n_done", "n_passed"])


def prefilled_frame(tasks: Sequence[Task]) -> pd.DataFrame:
    """Return one row per annotator and metric: what became of the prefilled errors in finished outputs."""
    rows, done = [], finished(tasks)
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
