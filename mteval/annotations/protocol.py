"""What each protocol asks of an answer, in one check for all doors.

Whoever writes an answer, reads a campaign's file, or looks for damage in a database, calls the same functions. What
they accept can be exported and read again.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from mteval.annotations.campaigns import MOST_MARKS, Answer, Campaign, Mark, SaidMark, Side, Task, Way
from mteval.annotations.typology import ESA_SEVERITIES, SEVERITIES, Severity, Typology
from mteval.base.bounded_input import decoded
from mteval.base.databases import plain_text
from mteval.base.errors import InputError
from mteval.base.words import counted, listed, whole_characters

RATINGS = ("adequacy", "fluency", "score")
SCALES: Mapping[Way, tuple[str, ...]] = {
    "rating": ("adequacy", "fluency"),
    "errors": (),
    "esa": ("score",),
    "preference": (),
}
# Severities that annotators choose from. Protocols without any have no marked errors.
SEVERITIES_OF: Mapping[Way, tuple[Severity, ...]] = {
    "rating": (),
    "errors": SEVERITIES,
    "esa": ESA_SEVERITIES,
    "preference": (),
}
LONGEST_COMMENT = 5_000  # characters
MOST_SECONDS = 1e9


@dataclass(frozen=True)
class WrongAnswer:
    """An answer in the database that its protocol does not allow.

    Parameters
    ----------
    campaign
        Name of the campaign.
    position
        Place in the annotator's order, from 0.
    reason
        What is wrong, without a period.
    """

    campaign: str
    annotator: str
    position: int
    reason: str

    def __str__(self) -> str:
        """Name the item and the reason, and what to do."""
        item = f"Campaign '{self.campaign}', judgement {self.position + 1} of '{self.annotator}'"
        return f"{item}: {self.reason}. The item is open again; ask the annotator to answer it."


def wrong_task(campaign: Campaign, task: Task) -> str:
    """Return what cannot be in a task with its answer, without a period; empty if all is well."""
    return next(_problems(campaign, task), "")


def wrong_answer(answer: Answer) -> str:
    """Return what no annotator can have said, whatever the campaign, without a period; empty if all is well."""
    wrong = wrong_values(answer, Answer)
    if wrong:
        return wrong
    ids: set[str] = set()
    for mark in answer.marks:
        if mark.id in ids:
            return f"two marked errors have the ID '{mark.id}'; expected one of each"
        ids.add(mark.id)
    texts = [answer.comment]
    for mark in answer.marks:
        texts += [mark.comment, mark.category]
    if any("\0" in text for text in texts):
        return "a comment or category has the character U+0000, which cannot be stored"
    return ""


def wrong_choice(campaign: Campaign, task: Task, before: Task) -> str:
    """Return what an annotator cannot have chosen in a new answer, without a period; empty if all is well.

    A category or severity must be one that the campaign offers, or one that an error had before: coordinators may
    have edited the categories meanwhile, and metrics have further severities.
    """
    earlier = (*before.marks, *before.rejected)
    offered = campaign.typology.names if campaign.way == "errors" else ("",)
    categories = {*offered, *(mark.category for mark in earlier)}
    severities = {*SEVERITIES_OF[campaign.way], *(mark.severity for mark in earlier)}
    for mark in (*task.marks, *task.rejected):
        if mark.category not in categories:
            if campaign.way != "errors":
                return f"an error has the category '{mark.category}', but this campaign has no categories"
            return f"the category '{mark.category}' is not one of this campaign; expected {listed(offered)}"
        if mark.severity not in severities:
            expected = ", ".join(SEVERITIES_OF[campaign.way])
            return f"the severity '{mark.severity}' is not one of this campaign; expected one of {expected}"
    return ""


def wrong_values(value: Any, kind: type) -> str:
    """Return which value is not of its declared type, without a period; empty if all are.

    Halves of surrogate pairs are no error: they become question marks wherever they are stored.
    """
    form = msgspec.to_builtins(value)
    if not _wrong_form(form, kind):
        return ""
    # Halves of surrogate pairs are allowed. To replace them takes longer, so only a value that is wrong with them is
    # checked without them.
    return _wrong_form(plain_form(form), kind)


def _wrong_form(form: Any, kind: type) -> str:
    """Return why values, as in JSON, are not of a type, without a period; empty if they are."""
    try:
        msgspec.convert(form, kind)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        # The reader of files checks more slowly, but its message names the place and the value
        try:
            decoded(form, kind, None)
        except InputError as named:
            return named.message.rstrip(".")
        return str(error)
    return ""


def wrong_campaign(campaign: Campaign) -> str:
    """Return what cannot be in a campaign, without a period; empty if all is well."""
    if not campaign.references:
        return "'campaign.references' is an empty list; expected one list per segment"
    if campaign.source is None and () in campaign.references:
        place = campaign.references.index(()) + 1
        return f"'campaign.references[{place}]' is empty; without a source, each segment needs a reference"
    return _wrong_form(plain_form(msgspec.to_builtins(campaign)), Campaign)


def wrong_typology(typology: Typology) -> str:
    """Return what cannot be in a typology, without a period; empty if all is well."""
    return wrong_values(typology, Typology)


def _problems(campaign: Campaign, task: Task) -> Iterator[str]:
    """Yield what is wrong with a task: first with its values, then its place, then the answer."""
    wrong = wrong_values(task, Task)
    if wrong:
        yield wrong
        return  # what follows compares numbers
    wrong = _wrong_place(campaign, task)
    if wrong:
        yield wrong
        return  # what follows looks at the text of that place
    yield from _wrong_ratings(campaign, task)
    yield from _wrong_marks(campaign, task)
    for name in ("seconds", "paused"):
        value = getattr(task, name)
        if value is not None and not 0 <= value <= MOST_SECONDS:
            yield f"'{name}' is {value:g}; expected a number from 0 to {MOST_SECONDS:g}"
    comments = [task.comment]
    comments += [mark.comment for mark in (*task.marks, *task.rejected)]
    for comment in comments:
        if len(comment) > LONGEST_COMMENT:
            yield f"a comment has {counted(len(comment), 'character')}; the limit is {LONGEST_COMMENT:,}"


def _wrong_place(campaign: Campaign, task: Task) -> str:
    """Return why a task is not one of the campaign."""
    if task.segment >= len(campaign.references):
        return f"it is on segment {task.segment + 1}, but the campaign has {len(campaign.references)}"
    shows_two = task.output is None
    if shows_two != (campaign.way == "preference"):
        expected = "one output" if shows_two else "two outputs"
        return f"it does not show {expected}, as this campaign does"
    if task.output is not None and task.output >= len(campaign.outputs):
        return f"it is on output {task.output + 1}, but the campaign has {len(campaign.outputs)}"
    if task.control is not None and task.control >= len(campaign.controls):
        return f"it shows known answer {task.control + 1}, but the campaign has {len(campaign.controls)}"
    if task.probability is not None and not 0 < task.probability <= 1:
        return f"'probability' is {task.probability:g}; expected a number above 0, at most 1"
    return ""


def _wrong_ratings(campaign: Campaign, task: Task) -> Iterator[str]:
    """Yield which ratings or preferences are missing, out of range or of another protocol."""
    scales = SCALES[campaign.way]
    has_answer = task.is_complete or task.preference is not None or bool(task.marks or task.rejected)
    for name in RATINGS:
        value = getattr(task, name)
        if value is None:
            if task.is_complete and name in scales:
                yield f"it is complete without '{name}'"
            continue
        has_answer = True
        if name not in scales:
            yield f"it has '{name}', which this campaign ('{campaign.way}') does not ask for"
        if not 0 <= value <= 100:
            yield f"'{name}' is {value:g}; expected a number from 0 to 100"
    if campaign.way == "preference":
        if task.is_complete and task.preference is None:
            yield "it is complete without 'preference'"
    elif task.preference is not None:
        yield f"it has 'preference', which this campaign ('{campaign.way}') does not ask for"
    is_tie = task.preference == "equal" and task.is_complete and task.control is None
    if task.is_automatic and not (is_tie and campaign.is_same_text(task.segment)):
        yield "it is answered as equal without an annotator, but its outputs are not the same text"
    # The output of an adaptive task is drawn when it is shown; before that there is no text to judge.
    is_undrawn = campaign.plan.is_adaptive and task.control is None and task.probability is None
    if is_undrawn and has_answer:
        yield "it is answered before its output was drawn"


def _wrong_marks(campaign: Campaign, task: Task) -> Iterator[str]:
    """Yield which marked errors are too many, outside their text or of another protocol."""
    marks = (*task.marks, *task.rejected)
    if not marks:
        return
    if not SEVERITIES_OF[campaign.way]:
        yield f"it has marked errors, which this campaign ('{campaign.way}') does not ask for"
        return
    if len(marks) > MOST_MARKS:
        yield f"it has {counted(len(marks), 'marked error')}; the limit is {MOST_MARKS:,}"
        return
    texts: dict[Side, tuple[str, str]] = {
        "hypothesis": ("output", campaign.shown_output(task)),
        "source": ("source" if campaign.reads_source else "reference", campaign.shown_source(task)),
    }
    for mark in marks:
        name, text = texts[mark.side]
        where = f"an error is marked at characters {mark.start:,} to {mark.end:,} of the {name}"
        if mark.start >= mark.end:
            yield f"{where}; mark at least one word"
        elif mark.end > max(1, len(text)):  # a missing word can be marked in an empty text
            yield f"{where}, which has {counted(len(text), 'character')}"


def reopened(task: Task) -> Task:
    """Return a task as it was before it was answered, with the errors that a metric found."""
    found_by_metric = [mark for mark in (*task.marks, *task.rejected) if mark.origin]
    found_by_metric.sort(key=lambda mark: mark.id)
    return replace(
        task,
        adequacy=None,
        fluency=None,
        score=None,
        preference=None,
        comment="",
        is_complete=False,
        is_automatic=False,
        seconds=None,
        paused=None,
        marks=tuple(found_by_metric),
        rejected=(),
    )


def answered_task(before: Task, answer: Answer) -> Task:
    """Return a task with a new answer, as it will be stored.

    Ratings and preferences that the answer does not have stay. Errors found by a metric stay, with the annotator's
    changes; all others are replaced.
    """
    said_marks = {mark.id: mark for mark in answer.marks}
    found_by_metric = [mark for mark in (*before.marks, *before.rejected) if mark.origin]
    rejected_before = {mark.id for mark in before.rejected}
    kept: list[Mark] = []
    rejected: list[Mark] = []
    for mark in sorted(found_by_metric, key=lambda mark: mark.id):
        change = said_marks.pop(str(mark.id), None)
        is_rejected = mark.id in rejected_before
        if change is not None:
            is_rejected = change.is_rejected
            mark = replace(
                mark,
                severity=change.severity,
                category=plain_text(change.category),
                comment=plain_text(change.comment),
            )
        if is_rejected:
            rejected.append(mark)
        else:
            kept.append(mark)
    # The remaining marks of the answer are the annotator's own
    own_marks = [_own_mark(mark) for mark in said_marks.values() if not mark.is_rejected]
    ratings = {name: getattr(answer, name) for name in RATINGS if getattr(answer, name) is not None}
    return replace(
        before,
        **ratings,
        preference=answer.preference or before.preference,
        comment=plain_text(answer.comment),
        is_complete=answer.is_complete,
        seconds=answer.seconds,
        paused=answer.paused,
        marks=(*kept, *own_marks),
        rejected=tuple(rejected),
    )


def _own_mark(said_mark: SaidMark) -> Mark:
    """Return an error that the annotator marked, as it will be stored."""
    side: Any = said_mark.text  # whether it is a side is checked with the whole task
    return Mark(
        side,
        said_mark.start,
        said_mark.end,
        category=plain_text(said_mark.category),
        severity=said_mark.severity,
        comment=plain_text(said_mark.comment),
    )


def plain_form(form: Any) -> Any:
    """Replace halves of surrogate pairs in all texts of a form by question marks, since files hold whole characters."""
    if isinstance(form, str):
        return whole_characters(form)
    if isinstance(form, Mapping):
        return {key: plain_form(value) for key, value in form.items()}
    if isinstance(form, Iterable):
        return [plain_form(value) for value in form]
    return form
