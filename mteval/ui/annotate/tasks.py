"""The annotator's page: one item, or a whole document; ratings, marked errors, both, or a preference.

What annotators answer goes from the browser to a route of the server, see ``mteval.ui.server.annotator_answers``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
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
NOTHING_TO_JUDGE = "All your pairs have the same text twice, so there is nothing to judge."
KEY = "annotating-task"
URL = "_answers"  # of the route, beside the page
AROUND = 2  # segments of the document before and after
MOST_ON_A_SCREEN = 60  # items of a document

# Seconds on the screen before an item can be closed
LEAST_DWELL = 1.0
MOST_DWELL = 3.0
DWELL_PER_WORD = 0.06


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
    _show_open_tasks(store, campaign, token)


@st.fragment
def _show_open_tasks(store: AnnotationStore, campaign: Campaign, token: str) -> None:
    """Show the open tasks. A fragment, so that a step redraws nothing else; a replaced link stops working here."""
    show_left()
    with errors_end_the_page():
        annotator = str(store.opened(token).annotator)
        dealt = store.tasks(campaign.uid, annotator)
    tasks = _asked(dealt)
    if not tasks:
        say("note", NOTHING_TO_JUDGE if dealt else "This campaign has no segments for you.")
        return
    shown = _tasks_on_screen(campaign, tasks, _position_of(campaign, annotator, tasks))
    # An adaptive campaign decides now which outputs are shown, except beside an attention check.
    are_undrawn = all(task.probability is None and task.control is None for task in shown)
    if campaign.plan.is_adaptive and not campaign.is_closed and are_undrawn:
        with errors_end_the_page():
            store.assign([task.id for task in shown], Asker(token=token))
            tasks = _asked(store.tasks(campaign.uid, annotator))
        shown = _tasks_on_screen(campaign, tasks, shown[0].position)
    _show_instructions(campaign, are_open=not any(task.is_complete for task in tasks))
    _show_progress(campaign, tasks, shown)
    _show_answer(campaign, shown[0], tasks)
    component(Path(__file__).with_name("task.js"), SCRIPT)(
        key=KEY,
        default={"step": None},
        on_step_change=lambda: _take_step(campaign, annotator),
        data=_data_of_screen(campaign, annotator, token, tasks, shown),
    )


def _asked(tasks: Sequence[Task]) -> tuple[Task, ...]:
    """Return the tasks that need an annotator, with their positions among these."""
    asked = [task for task in tasks if not task.is_automatic]
    return tuple(replace(task, position=position) for position, task in enumerate(asked))


def _data_of_screen(
    campaign: Campaign, annotator: str, token: str, tasks: tuple[Task, ...], shown: tuple[Task, ...]
) -> dict[str, Any]:
    """Return what the component draws: the shown tasks, and the texts around them."""
    first = shown[0]
    last = shown[-1]
    items = list(_context(campaign, first, "Before", _segments_before(first)))
    if _is_side_by_side(campaign, first):
        items.append(_shared_source(campaign, first))
    items += _items_in_order(campaign, tasks, shown)
    items.extend(_context(campaign, last, "After", _segments_after(campaign, last)))

    categories: Sequence[str] = ()
    if campaign.way == "errors":
        categories = campaign.typology.names
    step = _sent_step()
    again = "" if step is None else step.again
    after, elsewhere = _left(campaign, tasks, shown)
    return {
        **palette(categories, SEVERITIES_OF[campaign.way]),
        "items": items,
        "isBeside": _is_side_by_side(campaign, first),
        "scope": f"{campaign.uid} {annotator}",
        "screen": f"{first.position} {again}",
        "saved": "Saved",
        "here": first.position,
        "previous": first.position - 1,
        "next": after[0] if after else None,
        "first": elsewhere[0] if elsewhere else None,
        "left": len(elsewhere),
        "token": token,
        "url": URL,
        "isFrozen": campaign.is_closed,
        "longest": LONGEST_COMMENT,
        "mostMarks": MOST_MARKS,
        "help": [["N", "done, next"], ["P", "previous"]],
    }


def _items_in_order(campaign: Campaign, tasks: tuple[Task, ...], shown: tuple[Task, ...]) -> Iterator[dict[str, Any]]:
    """Yield the shown tasks; segments of their document that nobody is asked about come between them, to be read."""
    documents = campaign.documents
    is_document = len(shown) > 1 and documents is not None and campaign.way == "preference"
    previous = shown[0].segment
    for task in shown:
        if is_document and documents is not None:
            for segment in range(previous + 1, task.segment):
                if documents[segment] == documents[task.segment] and campaign.is_same_text(segment):
                    source = text_of("source", _source_name(campaign), campaign.source_text(segment), is_markable=False)
                    output = campaign.outputs[0].hypotheses[segment]
                    both = text_of("hypothesis", "Both outputs", output, is_markable=False)
                    key = f"context {segment}"
                    yield {"id": key, "isContext": True, "heading": "", "texts": [source, both], "marks": []}
        yield _item(campaign, task, tasks, len(shown))
        previous = task.segment


def _left(campaign: Campaign, tasks: Sequence[Task], shown: Sequence[Task]) -> tuple[list[int], list[int]]:
    """Return the positions of open tasks after the screen, and of all that are not on it.

    In a closed campaign, where nothing is open, those after the screen are the ones to read.
    """
    on_screen = {task.position for task in shown}
    last = shown[-1].position
    if campaign.is_closed:
        return list(range(last + 1, len(tasks))), []
    elsewhere = [task.position for task in tasks if not task.is_complete and task.position not in on_screen]
    return [position for position in elsewhere if position > last], elsewhere


def _is_side_by_side(campaign: Campaign, task: Task) -> bool:
    """Return whether a task is shown beside the others of its segment; practice texts never are."""
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


def _sent_step() -> Step | None:
    """Return what the browser asked for last."""
    return sent_by(KEY, "step", Step)


def _take_step(campaign: Campaign, annotator: str) -> None:
    """In a callback: open what the browser asks for."""
    step = _sent_step()
    if step is not None:
        _positions()[campaign.uid, annotator] = max(step.to, 0)


def _tasks_on_screen(campaign: Campaign, tasks: tuple[Task, ...], position: int) -> tuple[Task, ...]:
    """Return the task at a position with those shown with it: of its segment, or of its document and output."""
    opened = tasks[position]
    if _is_side_by_side(campaign, opened):
        return tuple(task for task in tasks if _is_side_by_side(campaign, task) and task.segment == opened.segment)
    documents = campaign.documents
    if not campaign.plan.by_document or documents is None or opened.stratum == "training":
        return (opened,)

    def is_of_same_document(task: Task) -> bool:
        if task.stratum == "training" or task.output != opened.output:
            return False
        return documents[task.segment] == documents[opened.segment]

    before = list(takewhile(is_of_same_document, reversed(tasks[:position])))
    before.reverse()
    document = (*before, *takewhile(is_of_same_document, tasks[position:]))
    # A long document is shown in screens of at most so many items.
    start = len(before) // MOST_ON_A_SCREEN * MOST_ON_A_SCREEN
    return document[start : start + MOST_ON_A_SCREEN]


def _item(campaign: Campaign, task: Task, tasks: tuple[Task, ...], n_shown: int) -> dict[str, Any]:
    """Return a task as the component needs it."""
    texts = list(_texts(campaign, task))
    heading = ""
    if _is_side_by_side(campaign, task):
        texts = texts[1:]  # the source is shown once, before all outputs
        texts[0]["label"] = f"Output {task.position + 1}: mark errors"
    elif n_shown > 1:
        heading = f"{task.position + 1} of {len(tasks)}"
    marks = [_mark(mark, is_rejected=False) for mark in task.marks]
    marks += [_mark(mark, is_rejected=True) for mark in task.rejected]
    scales = SCALES[campaign.way]
    choices = []
    if campaign.way == "preference":
        choices = _choices(task)
    n_words = sum(len(word_spans(text["text"])) for text in texts)
    return {
        "id": str(task.id),
        "texts": texts,
        "marks": marks,
        "position": task.position,
        "heading": heading,
        "questions": {scale: QUESTIONS[scale] for scale in scales},
        "values": {scale: getattr(task, scale) for scale in scales},
        "choices": choices,
        "comment": task.comment,
        "preference": task.preference,
        "revision": task.revision,
        "isComplete": task.is_complete,
        "isTraining": task.stratum == "training",
        "isFrozen": _is_answered(task),
        "dwell": min(MOST_DWELL, max(LEAST_DWELL, DWELL_PER_WORD * n_words)),
        "seconds": task.seconds or 0,
        "paused": task.paused or 0,
    }


def _source_name(campaign: Campaign) -> str:
    """Return what annotators compare an output with."""
    return "Source" if campaign.reads_source else "Reference"


def _shared_source(campaign: Campaign, task: Task) -> dict[str, Any]:
    """Return the source of outputs side by side; a missing word is marked in the output."""
    text = text_of("source", _source_name(campaign), campaign.shown_source(task), is_markable=False)
    return {"id": "source", "isContext": True, "isRead": True, "texts": [text], "marks": []}


def _texts(campaign: Campaign, task: Task) -> Iterator[dict[str, Any]]:
    """Yield the source and the output of a task, or both outputs of a preference."""
    marks_errors = campaign.way in MARKED
    source_name = _source_name(campaign)
    source_label = source_name
    output_label = "Output"
    if marks_errors:
        source_label += ": mark omissions"
        output_label += ": mark errors"
    source_options = {"short": source_name}
    if campaign.way == "errors" and OMISSION in campaign.typology.names:
        source_options["category"] = OMISSION
    yield text_of("source", source_label, campaign.shown_source(task), is_markable=marks_errors, **source_options)
    if campaign.way == "preference":
        left, right = (1, 0) if task.is_swapped else (0, 1)
        yield text_of("Left", "Left", campaign.shown_output(task, left), is_markable=False)
        yield text_of("Right", "Right", campaign.shown_output(task, right), is_markable=False)
    else:
        output = campaign.shown_output(task)
        yield text_of("hypothesis", output_label, output, is_markable=marks_errors, short="Output")


def _mark(mark: Mark, is_rejected: bool) -> Any:
    """Return a mark as the component needs it, with the severity that a metric gave it if people changed it."""
    info = ""
    if mark.origin and mark.suggested != mark.severity:
        info = f"found as {mark.suggested}"
    return mark_of(mark, str(mark.id), mark.side, origin=mark.origin, is_rejected=is_rejected, info=info)


def _choices(task: Task) -> list[dict[str, str]]:
    """Return the answers of a preference by their places on the screen, with what they mean."""
    left, right = ("second", "first") if task.is_swapped else ("first", "second")
    return [
        {"label": "Left is better", "value": left},
        {"label": "They are equal", "value": "equal"},
        {"label": "Right is better", "value": right},
    ]


def _show_progress(campaign: Campaign, tasks: tuple[Task, ...], shown: tuple[Task, ...]) -> None:
    """Show which tasks are on the screen, and how many are done; on the last screen, how many are left."""
    n_done = sum(task.is_complete for task in tasks)
    st.progress(n_done / len(tasks), text=" ")
    first = shown[0].position + 1
    last = shown[-1].position + 1
    numbers = f"{first}" if first == last else f"{first} to {last}"
    words = f"{numbers} of {len(tasks)}"
    if all(task.is_complete for task in shown):
        words += ", done"
    words += f" · {n_done} done"
    after, elsewhere = _left(campaign, tasks, shown)
    if elsewhere and not after and all(task.is_complete for task in shown):
        words += f" · {len(elsewhere)} left"
    if shown[0].stratum == "training":
        words += " · Practice: you will see the answer afterwards"
    if n_done == len(tasks):
        words += f" · {FINISHED}"
    show(tag("p", words, class_="mt-quiet", role="status"))


def _segments_before(task: Task) -> range:
    """Return the segments shown before a task."""
    return range(max(task.segment - AROUND, 0), task.segment)


def _segments_after(campaign: Campaign, task: Task) -> range:
    """Return the segments shown after a task."""
    return range(task.segment + 1, min(task.segment + 1 + AROUND, len(campaign.references)))


def _context(campaign: Campaign, task: Task, heading: str, segments: range) -> Iterator[dict[str, Any]]:
    """Yield neighbouring segments of the same document; practice texts have none."""
    if task.stratum == "training":
        return
    documents = campaign.documents
    for segment in segments:
        if documents is not None and documents[segment] != documents[task.segment]:
            continue
        texts = [text_of("source", _source_name(campaign), campaign.source_text(segment), is_markable=False)]
        if task.output is not None and not campaign.plan.side_by_side:
            output = campaign.outputs[task.output].hypotheses[segment]
            texts.append(text_of("hypothesis", "Output", output, is_markable=False))
        yield {"id": f"context {segment}", "isContext": True, "heading": heading, "texts": texts, "marks": []}


def _position_of(campaign: Campaign, annotator: str, tasks: tuple[Task, ...]) -> int:
    """Return where the annotator is: at the last position, or where they begin."""
    positions = _positions()
    key = (campaign.uid, annotator)
    if key not in positions:
        positions[key] = _first_position(tasks)
    return min(positions[key], len(tasks) - 1)


def _first_position(tasks: tuple[Task, ...]) -> int:
    """Return the position of the segment in the address, else of the first open task, else of the first."""
    number = st.query_params.get(SEGMENT)
    for task in tasks:
        if str(task.segment + 1) == number:
            return task.position
    for task in tasks:
        if not task.is_complete:
            return task.position
    return tasks[0].position


def _positions() -> dict[tuple[str, str], int]:
    """Return where each annotator is in each campaign."""
    return of_session("annotating-positions", dict)


def _show_instructions(campaign: Campaign, are_open: bool) -> None:
    """Show the coordinators' instructions, folded or open."""
    paragraphs = []
    if campaign.instructions.strip():
        paragraphs.append(campaign.instructions)
    if campaign.plan.prefilled_by:
        paragraphs.append(
            f"Dotted lines mark errors found by a metric, {campaign.plan.prefilled_by}. It may be wrong: remove false"
            " errors, change severities, and mark what it missed."
        )
    if paragraphs:
        with st.expander("Instructions", expanded=are_open, icon=":material/menu_book:"):
            show(*(tag("p", paragraph, class_="mt-text") for paragraph in paragraphs))


def _is_answered(task: Task) -> bool:
    """Return whether this is practice whose answer is shown."""
    return task.stratum == "training" and task.is_complete


def _show_answer(campaign: Campaign, task: Task, tasks: Sequence[Task]) -> None:
    """Show the expected answer of a finished practice text, and whether it was given."""
    if not _is_answered(task) or task.control is None:
        return
    control = campaign.controls[task.control]
    is_right = is_passed(campaign, task, tasks)
    sentences = ["As expected." if is_right else "Another answer was expected."]
    sentences += _expected_answer(campaign, task, control)
    sentences.append(control.explanation)
    say("good" if is_right else "warning", " ".join(sentences).strip())


def _expected_answer(campaign: Campaign, task: Task, control: Control) -> list[str]:
    """Describe the known answer."""
    if campaign.way == "preference":
        better = "right" if task.is_swapped else "left"
        return [f"The {better} output is better."]
    sentences = []
    if campaign.way in MARKED:
        sentences.append(_error_to_mark(control))
    if SCALES[campaign.way] and (control.low, control.high) != (0, 100):
        sentences.append(f"A score from {control.low:g} to {control.high:g} was expected.")
    return sentences


def _error_to_mark(control: Control) -> str:
    """Describe the error of a practice text."""
    if not control.has_error:
        return "Nothing is wrong here."
    sentence = f"“{control.hypothesis[control.start : control.end]}” is wrong"
    if control.severity:
        sentence += f", a {control.severity} error"
    if control.category:
        sentence += f" ({control.category})"
    return f"{sentence}."
