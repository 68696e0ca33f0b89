"""The annotator's page: one item, or a whole document; ratings, marked errors, both, or a preference.

What annotators say goes from the browser to a route of the server, see ``mteval.ui.server.entrance``.
"""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

import streamlit as st
from msgspec import Struct

from mteval.analysis.people.files import is_passed
from mteval.analysis.people.judgements import MARKED
from mteval.annotations import AnnotationStore, Campaign, Control, Mark, Task, word_spans
from mteval.annotations.campaigns import MOST_MARKS
from mteval.annotations.protocol import LONGEST_COMMENT, SCALES, SEVERITIES_OF
from mteval.annotations.typology import OMISSION
from mteval.base.bounded_input import Text, Whole
from mteval.render.html import tag
from mteval.ui.annotate.store import SEGMENT
from mteval.ui.elements import component, end, errors_end_the_page, quiet, say, show, show_left
from mteval.ui.marker import SCRIPT, mark_of, palette, text_of
from mteval.ui.session.memory import of_session
from mteval.ui.session.visitor import sent_by
from mteval.values.asker import Asker

QUESTIONS = {
    "adequacy": "Adequacy: how much of the meaning is there? (0 none, 100 all)",
    "fluency": "Fluency: how good is the language? (0 incomprehensible, 100 flawless)",
    "score": "Overall score (0 no meaning kept, 33 some, 66 most with few errors, 100 perfect)",
}
FINISHED = "All done. Thank you!"
AROUND = 2  # segments of the document before and after
KEY = "annotating-task"
URL = "_answers"  # of the route, beside the page
LEAST_DWELL, MOST_DWELL, DWELL_PER_WORD = 1.0, 3.0, 0.06  # seconds on the screen before an item can be closed
MOST_ON_A_SCREEN = 60  # items of a document


def reading(store: AnnotationStore, token: str) -> None:
    """Show an annotator's tasks; if the link is not valid, the page ends with the reason."""
    with errors_end_the_page():
        opened = store.opened(token)
        campaign = store.campaign(opened.uid)
    if opened.annotator is None:
        end("error", "This is not an annotator's link. Ask for the link with your name.")
    show(tag("h2", campaign.name))  # a title would read the name as Markdown
    quiet(f"On {campaign.test_set}, for {opened.annotator}")
    if campaign.is_closed:
        say("note", "This campaign is closed and read-only.")
    _reading(store, campaign, token)


@st.fragment
def _reading(store: AnnotationStore, campaign: Campaign, token: str) -> None:
    """Show the open tasks. A fragment, so that a step redraws nothing else; a replaced link stops working here."""
    show_left()
    with errors_end_the_page():
        annotator = str(store.opened(token).annotator)
        tasks = store.tasks(campaign.uid, annotator)
    if not tasks:
        say("note", "This campaign has no segments for you.")
        return
    shown = _on_the_screen(campaign, tasks, _position_of(campaign, annotator, tasks))
    are_undrawn = all(task.probability is None and task.control is None for task in shown)  # beside no attention check
    if campaign.plan.is_adaptive and not campaign.is_closed and are_undrawn:
        with errors_end_the_page():
            store.assign([task.id for task in shown], Asker(token=token))
            tasks = store.tasks(campaign.uid, annotator)
        shown = _on_the_screen(campaign, tasks, shown[0].position)
    _instructions(campaign, are_open=not any(task.is_complete for task in tasks))
    _progress(tasks, shown)
    _answer(campaign, shown[0], tasks)
    names, is_beside = (campaign.typology.names if campaign.way == "errors" else ()), _is_beside(campaign, shown[0])
    own = (_item(campaign, task, tasks, len(shown)) for task in shown)
    source = [_source(campaign, shown[0])] if is_beside else []
    step = _said()
    again = "" if step is None else step.again
    component(Path(__file__).with_name("task.js"), SCRIPT)(
        key=KEY, default={"step": None}, on_step_change=lambda: _step(campaign, annotator),
        data={
            **palette(names, SEVERITIES_OF[campaign.way]),
            "items": [*_context(campaign, shown[0], True), *source, *own, *_context(campaign, shown[-1], False)],
            "isBeside": is_beside,
            "scope": f"{campaign.uid} {annotator}", "screen": f"{shown[0].position} {again}",
            "saved": "Saved",
            "here": shown[0].position, "last": len(tasks) - 1, "previous": shown[0].position - 1,
            "next": min(shown[-1].position + 1, len(tasks) - 1),
            "token": token, "url": URL, "isFrozen": campaign.is_closed,
            "longest": LONGEST_COMMENT, "mostMarks": MOST_MARKS,
            "help": [["N", "done, next"], ["P", "previous"]],
        },
    )  # fmt: skip
    if all(task.is_complete for task in tasks):
        say("good", FINISHED)


def _is_beside(campaign: Campaign, task: Task) -> bool:
    return bool(campaign.plan.side_by_side) and task.stratum != "training"


class Step(Struct):
    """What the browser asks for.

    Parameters
    ----------
    to
        Position of a task.
    again
        Differs when the same task is to be drawn again.
    """

    to: Whole
    again: Text = ""


def _said() -> Step | None:
    """Return what the browser asked for last."""
    return sent_by(KEY, "step", Step)


def _step(campaign: Campaign, annotator: str) -> None:
    """In a callback: open what the browser asks for."""
    if (step := _said()) is not None:
        _positions()[campaign.uid, annotator] = max(step.to, 0)


def _on_the_screen(campaign: Campaign, tasks: tuple[Task, ...], position: int) -> tuple[Task, ...]:
    """Return the task at a position with those shown with it: of its segment, or of its document and output."""
    task = tasks[position]
    if _is_beside(campaign, task):
        return tuple(other for other in tasks if _is_beside(campaign, other) and other.segment == task.segment)
    documents = campaign.documents
    if not campaign.plan.by_document or documents is None or task.stratum == "training":
        return (task,)

    def is_beside(other: Task) -> bool:
        of_both = (other.output, documents[other.segment]) == (task.output, documents[task.segment])
        return of_both and other.stratum != "training"

    before = list(takewhile(is_beside, reversed(tasks[:position])))
    whole = (*reversed(before), *takewhile(is_beside, tasks[position:]))
    first = len(before) // MOST_ON_A_SCREEN * MOST_ON_A_SCREEN
    return whole[first : first + MOST_ON_A_SCREEN]


def _item(campaign: Campaign, task: Task, tasks: tuple[Task, ...], n_shown: int) -> dict[str, Any]:
    """Return a task as the component needs it."""
    texts = list(_texts(campaign, task))
    heading = f"{task.position + 1} of {len(tasks)}" if n_shown > 1 else ""
    if _is_beside(campaign, task):
        texts, heading = texts[1:], ""
        texts[0]["label"] = f"Output {task.position + 1}: mark errors"
    n_words = sum(len(word_spans(text["text"])) for text in texts)
    marks = [(mark, False) for mark in task.marks] + [(mark, True) for mark in task.rejected]
    return {
        "id": str(task.id), "texts": texts, "marks": [_mark(mark, is_rejected) for mark, is_rejected in marks],
        "position": task.position, "heading": heading,
        "questions": {scale: QUESTIONS[scale] for scale in SCALES[campaign.way]},
        "values": {scale: getattr(task, scale) for scale in SCALES[campaign.way]},
        "choices": _choices(task) if campaign.way == "preference" else [],
        "comment": task.comment, "preference": task.preference, "revision": task.revision,
        "isComplete": task.is_complete, "isTraining": task.stratum == "training",
        "isFrozen": _is_answered(task),
        "dwell": min(MOST_DWELL, max(LEAST_DWELL, DWELL_PER_WORD * n_words)),
        "seconds": task.seconds or 0, "paused": task.paused or 0,
    }  # fmt: skip


def _source(campaign: Campaign, task: Task) -> dict[str, Any]:
    """Return the source of outputs side by side; a missing word is marked in the output."""
    label = "Source" if campaign.reads_source else "Reference"
    texts = [text_of("source", label, campaign.shown_source(task), is_markable=False)]
    return {"id": "source", "isContext": True, "isRead": True, "texts": texts, "marks": []}


def _texts(campaign: Campaign, task: Task) -> Iterator[dict[str, Any]]:
    marks_errors = campaign.way in MARKED
    label, source = "Source" if campaign.reads_source else "Reference", campaign.shown_source(task)
    only = {"category": OMISSION} if campaign.way == "errors" and OMISSION in campaign.typology.names else {}
    label += ": mark omissions" if marks_errors else ""
    yield text_of("source", label, source, is_markable=marks_errors, **only)
    if campaign.way == "preference":
        for name, output in zip(("Left", "Right"), (1, 0) if task.is_swapped else (0, 1), strict=True):
            yield text_of(name, name, campaign.shown_output(task, output), is_markable=False)
    else:
        label = "Output: mark errors" if marks_errors else "Output"
        yield text_of("hypothesis", label, campaign.shown_output(task), is_markable=marks_errors)


def _mark(mark: Mark, is_rejected: bool) -> Any:
    info = f"found as {mark.suggested}" if mark.origin and mark.suggested != mark.severity else ""
    return mark_of(mark, str(mark.id), mark.side, origin=mark.origin, is_rejected=is_rejected, info=info)


def _choices(task: Task) -> list[dict[str, str]]:
    left, right = ("second", "first") if task.is_swapped else ("first", "second")
    labels = {"Left is better": left, "They are equal": "equal", "Right is better": right}
    return [{"label": label, "value": value} for label, value in labels.items()]


def _progress(tasks: tuple[Task, ...], shown: tuple[Task, ...]) -> None:
    done = sum(task.is_complete for task in tasks)
    st.progress(done / len(tasks), text=" ")
    first, last = shown[0].position + 1, shown[-1].position + 1
    state = ", done" if all(task.is_complete for task in shown) else ""
    words = f"{first} of {len(tasks)}" if first == last else f"{first} to {last} of {len(tasks)}"
    words += f"{state} · {done} done"
    if shown[0].stratum == "training":
        words += " · Practice: you will see the answer afterwards"
    if done == len(tasks):
        words += f" · {FINISHED}"
    show(tag("p", words, class_="mt-quiet", role="status"))


def _context(campaign: Campaign, task: Task, before: bool) -> Iterator[dict[str, Any]]:
    """Yield neighbouring segments of the same document; practice texts have none."""
    if task.stratum == "training":
        return
    first, documents = (task.segment - AROUND if before else task.segment + 1), campaign.documents
    for at in range(max(first, 0), min(first + AROUND, len(campaign.references))):
        if documents is not None and documents[at] != documents[task.segment]:
            continue
        texts = [text_of("source", "Source" if campaign.reads_source else "Reference", campaign.source_text(at),
                         is_markable=False)]  # fmt: skip
        if task.output is not None and not campaign.plan.side_by_side:
            output = campaign.outputs[task.output].hypotheses[at]
            texts.append(text_of("hypothesis", "Output", output, is_markable=False))
        heading = "Before" if before else "After"
        yield {"id": f"context {at}", "isContext": True, "heading": heading, "texts": texts, "marks": []}


def _position_of(campaign: Campaign, annotator: str, tasks: tuple[Task, ...]) -> int:
    """Return where the annotator is: last position, else the segment in the address, else the first open task."""
    named = [task for task in tasks if str(task.segment + 1) == st.query_params.get(SEGMENT)]
    first = [*named, *(task for task in tasks if not task.is_complete), *tasks][0].position
    return min(_positions().setdefault((campaign.uid, annotator), first), len(tasks) - 1)


def _positions() -> dict[tuple[str, str], int]:
    """Return where each annotator is in each campaign."""
    return of_session("annotating-positions", dict)


def _instructions(campaign: Campaign, are_open: bool) -> None:
    """Show the coordinators' instructions, folded or open."""
    told = [campaign.instructions] if campaign.instructions.strip() else []
    if campaign.plan.prefilled_by:
        told.append(
            f"Dotted lines mark errors found by a metric, {campaign.plan.prefilled_by}. It may be wrong: remove false"
            " errors, change severities, and mark what it missed."
        )
    if told:
        with st.expander("Instructions", expanded=are_open, icon=":material/menu_book:"):
            show(*(tag("p", words, class_="mt-text") for words in told))


def _is_answered(task: Task) -> bool:
    """Return whether this is practice whose answer is shown."""
    return task.stratum == "training" and task.is_complete


def _answer(campaign: Campaign, task: Task, own: Sequence[Task]) -> None:
    """Show the expected answer of a finished practice text, and whether it was given."""
    if not _is_answered(task) or task.control is None:
        return
    is_right, control = is_passed(campaign, task, own), campaign.controls[task.control]
    parts = ["As expected." if is_right else "Another answer was expected.", *_expected(campaign, task, control)]
    say("good" if is_right else "warning", " ".join([*parts, control.explanation]).strip())


def _expected(campaign: Campaign, task: Task, control: Control) -> list[str]:
    """Describe the known answer."""
    if campaign.way == "preference":
        return [f"The {'right' if task.is_swapped else 'left'} output is better."]
    parts = [_wrong(control)] if campaign.way in MARKED else []
    if SCALES[campaign.way] and (control.low, control.high) != (0, 100):
        parts.append(f"A score from {control.low:g} to {control.high:g} was expected.")
    return parts


def _wrong(control: Control) -> str:
    """Describe the error to mark."""
    if not control.has_error:
        return "Nothing is wrong here."
    severity = f", a {control.severity} error" if control.severity else ""
    category = f" ({control.category})" if control.category else ""
    return f"“{control.hypothesis[control.start : control.end]}” is wrong{severity}{category}."
