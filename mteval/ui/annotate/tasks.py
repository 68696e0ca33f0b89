"""The ways to judge a segment: ratings, marked errors, both, a preference. Every click is kept at once.

Reading, one segment at a time: where the annotator is, what stands around the segment, and what is said about it.
"""

from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from mteval.annotations import AnnotationStore, Campaign, Task
from mteval.annotations.campaigns import Preference
from mteval.base.errors import MtevalError
from mteval.render.html import Markup, escape, join, tag
from mteval.ui.annotate.error_marks import marked_errors
from mteval.ui.annotate.fields import comment_box, comment_of, score_of, score_slider
from mteval.ui.annotate.open_task import OpenTask, answer, instructions, position_of, step
from mteval.ui.annotate.store import WAY_NAMES
from mteval.ui.parts import messages
from mteval.ui.parts.messages import show_left
from mteval.ui.parts.tables import show

QUESTIONS = {
    "adequacy": "Adequacy: how much of the meaning is there? 0 nothing, 100 all",
    "fluency": "Fluency: how good is the language? 0 incomprehensible, 100 flawless",
    "score": "Score of the whole: 0 nothing kept, 33 some meaning, 66 most meaning with few errors, 100 perfect",
}


def _labelled(label: str, text: str) -> None:
    show(tag("p", label, class_="mt-label"), tag("p", text or "(empty)", class_="mt-text"))


def rating(opened: OpenTask) -> None:
    """A slider for adequacy and one for fluency."""
    _labelled(opened.source_label, opened.source)
    _labelled("Output", opened.hypothesis())
    for column, aspect in zip(st.columns(2), opened.scales, strict=True):
        with column:
            _slider(opened, aspect)


def errors(opened: OpenTask) -> None:
    """Errors with their category and severity."""
    marked_errors(opened)


def esa(opened: OpenTask) -> None:
    """Errors that are minor or major, then a score of the whole (Kocmi et al. 2024)."""
    marked_errors(opened)
    for scale in opened.scales:
        _slider(opened, scale)


def _slider(opened: OpenTask, scale: str) -> None:
    key = opened.slider_key(scale)
    keep = partial(_rate, opened, scale, key)
    score_slider(QUESTIONS[scale], getattr(opened.task, scale), key, opened.is_frozen, keep)


def _rate(opened: OpenTask, scale: str, key: str) -> None:
    score = score_of(key)
    if score is not None:
        rating: dict[str, Any] = {scale: score}
        opened.keep(lambda: opened.store.rate(opened.task.id, **rating))


def preference(opened: OpenTask) -> None:
    """Two outputs side by side, nobody knows whose; one click says which is better and goes on."""
    _labelled(opened.source_label, opened.source)
    order: tuple[int, int] = (1, 0) if opened.task.is_swapped else (0, 1)
    sides: tuple[Preference, Preference] = ("second", "first") if opened.task.is_swapped else ("first", "second")
    for column, name, output, side in zip(st.columns(2), ("Left", "Right"), order, sides, strict=True):
        chosen = " mt-chosen" if opened.task.preference == side else ""
        with column:
            show(
                tag("p", name + (", better" if chosen else ""), class_="mt-label"),
                tag(
                    "div", tag("p", opened.hypothesis(output) or "(empty)", class_="mt-text"), class_=f"mt-card{chosen}"
                ),
            )
    choices: tuple[tuple[str, Preference, str], ...] = (
        ("Left is better", sides[0], "1"),
        ("They are equal", "equal", "2"),
        ("Right is better", sides[1], "3"),
    )
    for column, (label, choice, shortcut) in zip(st.columns(3), choices, strict=True):
        column.button(
            label,
            type="primary" if opened.task.preference == choice else "secondary",
            shortcut=shortcut,
            on_click=_prefer,
            args=(opened, choice),
            width="stretch",
            disabled=opened.is_frozen,
            key=f"prefer-{shortcut}",
        )


def _prefer(opened: OpenTask, choice: Preference) -> None:
    if opened.keep(lambda: opened.store.prefer(opened.task.id, choice)) and not opened.is_training:
        step(opened, 1)


STYLE = Path(__file__).with_name("tasks.css")
FINISHED = "Everything is done. Thank you!"
AROUND = 2  # segments of the document before and after


def reading(store: AnnotationStore, token: str) -> None:
    """What an annotator came for, by their link; where it opens nothing, the page ends with the reason."""
    st.html(STYLE)
    try:
        opened = store.opened(token)
        campaign = store.campaign(opened.uid)
    except MtevalError as error:
        messages.say("error", str(error))
        st.stop()
    if opened.annotator is None:
        messages.say("error", "This link is not that of an annotator. Ask for the link with your name.")
        st.stop()
    show(tag("h2", campaign.name))  # a name is no Markdown, as it would be in a title
    show(tag("p", f"{WAY_NAMES[campaign.way]} on {campaign.test_set}, for {opened.annotator}", class_="mt-quiet"))
    if campaign.is_closed:
        messages.say("note", "This campaign is closed: it can be read, and nothing more can be said.")
    _reading(store, campaign, token)


@st.fragment
def _reading(store: AnnotationStore, campaign: Campaign, token: str) -> None:
    """A fragment, so that a click redraws nothing else. A link that was replaced meanwhile opens nothing any more."""
    show_left()
    try:
        annotator = str(store.opened(token).annotator)
        tasks = store.tasks(campaign.uid, annotator)
    except MtevalError as error:
        messages.say("error", str(error))
        return
    if not tasks:
        messages.say("note", "There is nothing to read here.")
        return
    opened = OpenTask(store, campaign, tasks[position_of(campaign, annotator, tasks)], len(tasks))
    instructions(campaign, are_open=not any(task.is_complete for task in tasks))
    head = st.container()
    _context(campaign, opened.task, before=True)
    {"rating": rating, "errors": errors, "esa": esa, "preference": preference}[campaign.way](opened)
    answer(opened, tasks)
    _steps(opened)
    if all(task.is_complete for task in tasks):
        messages.say("good", FINISHED)
    _comment(opened)
    _context(campaign, opened.task, before=False)
    with head:  # last: once the position is told, the buttons are about it
        _progress(tasks, opened)


def _progress(tasks: tuple[Task, ...], opened: OpenTask) -> None:
    done = sum(task.is_complete for task in tasks)
    st.progress(done / len(tasks), text=" ")
    state = "done" if opened.task.is_complete else "not done yet"
    words = f"{opened.task.position + 1} of {len(tasks)}, {state} · {done} done, {len(tasks) - done} to do"
    if opened.is_training:
        words += " · For practice: the answer is known and shown to you afterwards"
    if done == len(tasks):
        words += f" · {FINISHED}"
    show(tag("p", words, class_="mt-quiet", role="status"))


def _context(campaign: Campaign, task: Task, before: bool) -> None:
    """The segments of the same document around this one; a text for practice has none."""
    if task.stratum == "training":
        return
    step_by = -1 if before else 1
    around = [task.segment + step_by * distance for distance in range(1, AROUND + 1)]
    lines = [_context_line(campaign, task, segment) for segment in around if _is_same_document(campaign, task, segment)]
    if lines:
        label = "Before" if before else "After"
        show(tag("div", *(reversed(lines) if before else lines), class_="mt-context", role="note", aria_label=label))


def _context_line(campaign: Campaign, task: Task, segment: int) -> Markup:
    """The source there, and where one output is read, its text."""
    texts = [campaign.source_text(segment)]
    if task.output is not None:
        texts.append(campaign.outputs[task.output].hypotheses[segment])
    return tag("p", join((escape(text) for text in texts), "\n"))


def _is_same_document(campaign: Campaign, task: Task, segment: int) -> bool:
    if not 0 <= segment < len(campaign.references):
        return False
    return campaign.documents is None or campaign.documents[segment] == campaign.documents[task.segment]


def _comment(opened: OpenTask) -> None:
    key = f"comment-{opened.task.id}"
    comment_box("Comment", opened.task.comment, key, opened.is_frozen, lambda: _keep_comment(opened, key))


def _keep_comment(opened: OpenTask, key: str) -> None:
    words = comment_of(key)
    if words is not None:
        opened.keep(lambda: opened.store.comment(opened.task.id, words))


def _steps(opened: OpenTask) -> None:
    with st.container(horizontal=True):
        st.button(
            "Previous",
            icon=":material/chevron_left:",
            shortcut="P",
            on_click=step,
            args=(opened, -1),
            disabled=opened.task.position == 0,
            key="previous-task",
        )
        if opened.campaign.way != "preference" or opened.is_answered:
            _done_button(opened)
        st.button(
            "Skip for now",
            icon=":material/chevron_right:",
            shortcut="S",
            on_click=step,
            args=(opened, 1),
            disabled=opened.task.position == opened.n_tasks - 1,
            key="skip-task",
        )


def _done_button(opened: OpenTask) -> None:
    """Goes on once all is said that is asked for; after practice, once the answer was read."""
    lacks_scores = opened.lacks_scores()
    st.button(
        "Next" if opened.is_answered else _done_label(opened),
        icon=":material/chevron_right:" if opened.is_answered else ":material/check:",
        type="secondary" if lacks_scores else "primary",
        shortcut="N",
        on_click=_go_on if opened.is_answered else _done,
        args=(opened,),
        disabled=opened.campaign.is_closed or lacks_scores,
        help="Move every slider first." if lacks_scores else None,
        key="done-task",
    )


def _done_label(opened: OpenTask) -> str:
    if opened.is_training:
        return "Done, show the answer"
    return "Done, next" if opened.task.marks or opened.scales else "No error, next"


def _go_on(opened: OpenTask) -> None:
    step(opened, 1)


def _done(opened: OpenTask) -> None:
    """What the sliders say was kept when they were moved; they have no place of their own."""
    if opened.keep(lambda: opened.store.complete(opened.task.id)) and not opened.is_training:
        step(opened, 1)
