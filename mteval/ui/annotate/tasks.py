"""The annotator's page, one segment at a time: ratings, marked errors, both, or a preference.

Every click is saved at once.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from mteval.annotations import AnnotationStore, Campaign, Mark, Task
from mteval.annotations.campaigns import Preference, Side
from mteval.annotations.typology import OMISSION
from mteval.render.html import Markup, tag
from mteval.ui.annotate import fields
from mteval.ui.annotate.fields import selected
from mteval.ui.annotate.open_task import SEVERITIES_OF, OpenTask, answer, instructions, position_of, step
from mteval.ui.elements import choose, end, errors_end_the_page, leave, quiet, say, show, show_left
from mteval.ui.session.visitor import value_of
from mteval.values.asker import Asker

QUESTIONS = {
    "adequacy": "Adequacy: how much of the meaning is there? (0 none, 100 all)",
    "fluency": "Fluency: how good is the language? (0 incomprehensible, 100 flawless)",
    "score": "Overall score (0 no meaning kept, 33 some, 66 most with few errors, 100 perfect)",
}


def _labelled(label: str, text: str) -> None:
    show(tag("p", label, class_="mt-label"), tag("p", text or "(empty)", class_="mt-text"))


def _rating(opened: OpenTask) -> None:
    """Show a slider for adequacy and one for fluency."""
    _labelled(opened.source_label, opened.source)
    _labelled("Output", opened.hypothesis())
    for column, aspect in zip(st.columns(2), opened.scales, strict=True):
        with column:
            _slider(opened, aspect)


def _slider(opened: OpenTask, scale: str) -> None:
    key = opened.slider_key(scale)

    def keep() -> None:
        score = fields.score_of(key)
        if score is not None:
            rating: dict[str, Any] = {scale: score}
            opened.keep(partial(opened.store.rate, opened.task.id, opened.asker, **rating))

    fields.score_slider(QUESTIONS[scale], getattr(opened.task, scale), key, opened.is_frozen, keep)


def _preference(opened: OpenTask) -> None:
    """Show two anonymous outputs side by side; one click chooses the better one and moves on."""
    _labelled(opened.source_label, opened.source)
    order: tuple[int, int] = (1, 0) if opened.task.is_swapped else (0, 1)
    sides: tuple[Preference, Preference] = ("second", "first") if opened.task.is_swapped else ("first", "second")
    for column, name, output, side in zip(st.columns(2), ("Left", "Right"), order, sides, strict=True):
        chosen = " mt-chosen" if opened.task.preference == side else ""
        with column:
            text = tag("p", opened.hypothesis(output) or "(empty)", class_="mt-text")
            head = tag("p", name + (", better" if chosen else ""), class_="mt-label")
            show(head, tag("div", text, class_=f"mt-card{chosen}"))
    choices: tuple[tuple[str, Preference, str], ...] = (
        ("Left is better", sides[0], "1"),
        ("They are equal", "equal", "2"),
        ("Right is better", sides[1], "3"),
    )
    for column, (label, choice, shortcut) in zip(st.columns(3), choices, strict=True):
        column.button(
            label, type="primary" if opened.task.preference == choice else "secondary", shortcut=shortcut,
            on_click=_prefer, args=(opened, choice), width="stretch", disabled=opened.is_frozen,
            key=f"prefer-{shortcut}",
        )  # fmt: skip


def _prefer(opened: OpenTask, choice: Preference) -> None:
    if opened.keep(lambda: opened.store.prefer(opened.task.id, choice, opened.asker)) and not opened.is_training:
        step(opened, 1)


CATEGORY, REMARK = "annotating-category", "annotating-remark"
SHORTCUTS = {"neutral": "0", "minor": "1", "major": "2", "critical": "3"}


def _marked_errors(opened: OpenTask) -> None:
    """Show words to mark in the output and omissions in the source; with ESA, an overall score."""
    texts: dict[Side, str] = {"source": opened.source, "hypothesis": opened.hypothesis()}
    labels = {"source": f"{opened.source_label}: mark omissions", "hypothesis": "Output: mark errors"}
    keys: dict[Side, str] = {side: f"words-{side}-{opened.task.id}" for side in texts}
    for side, text in texts.items():
        show(tag("p", labels[side], class_="mt-label"))
        marked = [one for one in opened.task.marks if one.side == side]
        fields.words_widget(text, labels[side], marked, keys[side], side == "hypothesis")
    _severities(opened, texts, keys)
    _marks(opened, texts)
    for scale in opened.scales:
        _slider(opened, scale)


def _selection(texts: dict[Side, str], keys: dict[Side, str]) -> tuple[Side, tuple[int, int] | None]:
    """Return the selection; words of the output go before words of the source."""
    spans: dict[Side, tuple[int, int] | None] = {side: selected(text, keys[side]) for side, text in texts.items()}
    side: Side = "hypothesis" if spans["hypothesis"] or not spans["source"] else "source"
    return side, spans[side]


def _severities(opened: OpenTask, texts: dict[Side, str], keys: dict[Side, str]) -> None:
    """The category, where errors have one, and a button for each severity, which keeps the error.

    The buttons wait for no selection: a key that is pressed before the page has heard of it would be lost.
    """
    side, _ = _selection(texts, keys)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if opened.campaign.way == "errors":
            names = opened.campaign.typology.names
            if side == "source" and OMISSION in names:
                st.selectbox("Category", [OMISSION], key="annotating-omission", disabled=True, width=270)
            else:  # starts with the most frequent kind of error
                usual = next((name for name in names if name.endswith("Mistranslation")), names[0])
                choose("Category", names, CATEGORY, in_address=False, default=usual, width=270)
        for severity in SEVERITIES_OF[opened.campaign.way]:
            st.button(
                severity.capitalize(), shortcut=SHORTCUTS[severity], on_click=_mark,
                args=(opened, texts, keys, severity), disabled=opened.is_frozen, key=f"severity-{severity}",
            )  # fmt: skip
        st.text_input("Comment", key=REMARK, max_chars=500, width=190)


def _mark(opened: OpenTask, texts: dict[Side, str], keys: dict[Side, str], severity: str) -> None:
    side, span = _selection(texts, keys)
    if span is None:
        leave("note", "Select the words first.")
        return
    names, category = opened.campaign.typology.names, ""
    if opened.campaign.way == "errors":
        category = OMISSION if side == "source" and OMISSION in names else str(value_of(CATEGORY, names[0]))
    mark = Mark(side, *span, category, severity, value_of(REMARK, ""))
    if opened.keep(lambda: opened.store.mark(opened.task.id, mark, opened.asker)):
        fields.use(keys[side])
        st.session_state[REMARK] = ""


def _marks(opened: OpenTask, texts: dict[Side, str]) -> None:
    """Show each error with its buttons, then the metric's errors that the annotator removed."""
    grade, unmark = opened.store.grade, opened.store.unmark
    for number, one in enumerate(opened.task.marks, start=1):
        with st.container(horizontal=True, vertical_alignment="center"):
            show(*_described(one, texts[one.side][one.start : one.end]))
            if opened.campaign.way == "esa":
                other = next(severity for severity in SEVERITIES_OF["esa"] if severity != one.severity)
                _button(opened, f"Make error {number} {other}", "swap_vert", f"grade-{one.id}", grade, one.id, other)
            _button(opened, f"Remove error {number}", "close", f"unmark-{one.id}", partial(unmark, mark=one.id))
    for number, one in enumerate(opened.task.rejected, start=1):
        with st.container(horizontal=True, vertical_alignment="center"):
            words = texts[one.side][one.start : one.end]
            show(tag("s", words, class_="mt-span"), f" · {one.origin} marked this as {one.suggested}")
            _button(opened, f"Restore error {number}", "undo", f"again-{one.id}", grade, one.id, one.suggested)


def _described(one: Mark, words: str) -> list[Markup | str]:
    """Describe an error."""
    category = f" · {one.category}" if one.category else ""
    severity = tag("span", one.severity, class_=f"mt-severity mt-severity-{one.severity}")
    remark = f" · {one.comment}" if one.comment else ""
    by = f" · found by {one.origin}" if one.origin else ""
    by += f" as {one.suggested}" if one.origin and one.suggested != one.severity else ""
    missing = " missing" if one.side == "source" else ""
    return [tag("span", words, class_="mt-span"), f"{missing}{category} · ", severity, f"{by}{remark}"]


def _button(opened: OpenTask, label: str, icon: str, key: str, change: Callable[..., None], *how: object) -> None:
    """Show a button that changes a mark of the task."""

    def keep() -> None:
        opened.keep(partial(change, opened.task.id, *how, asker=opened.asker))

    st.button(label, icon=f":material/{icon}:", type="tertiary", disabled=opened.is_frozen, key=key, on_click=keep)


STYLE = Path(__file__).with_name("tasks.css")
FINISHED = "All done. Thank you!"
AROUND = 2  # segments of the document before and after


def reading(store: AnnotationStore, token: str) -> None:
    """Show an annotator's tasks; if the link is not valid, the page ends with the reason."""
    st.html(STYLE)
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
    """Show the open task. A fragment, so that a click redraws nothing else; a replaced link stops working here."""
    show_left()
    with errors_end_the_page():
        annotator = str(store.opened(token).annotator)
        tasks = store.tasks(campaign.uid, annotator)
    if not tasks:
        say("note", "This campaign has no segments for you.")
        return
    task = tasks[position_of(campaign, annotator, tasks)]
    opened = OpenTask(store, campaign, task, len(tasks), Asker(token=token))
    instructions(campaign, are_open=not any(task.is_complete for task in tasks))
    head = st.container()
    _context(campaign, opened.task, before=True)
    {"rating": _rating, "preference": _preference}.get(campaign.way, _marked_errors)(opened)
    answer(opened, tasks)
    _steps(opened)
    if all(task.is_complete for task in tasks):
        say("good", FINISHED)
    key = f"comment-{opened.task.id}"
    fields.comment_box("Comment", opened.task.comment, key, opened.is_frozen, partial(_keep_comment, opened, key))
    _context(campaign, opened.task, before=False)
    with head:  # last: when the position is announced, the buttons belong to it
        _progress(tasks, opened)


def _progress(tasks: tuple[Task, ...], opened: OpenTask) -> None:
    done = sum(task.is_complete for task in tasks)
    st.progress(done / len(tasks), text=" ")
    state = ", done" if opened.task.is_complete else ""
    words = f"{opened.task.position + 1} of {len(tasks)}{state} · {done} done"
    if opened.is_training:
        words += " · Practice: you will see the answer afterwards"
    if done == len(tasks):
        words += f" · {FINISHED}"
    show(tag("p", words, class_="mt-quiet", role="status"))


def _context(campaign: Campaign, task: Task, before: bool) -> None:
    """Show neighbouring segments of the same document; practice texts have none."""
    if task.stratum == "training":
        return
    first = task.segment - AROUND if before else task.segment + 1
    around = [at for at in range(first, first + AROUND) if _is_same_document(campaign, task, at)]
    outputs = [] if task.output is None else [campaign.outputs[task.output].hypotheses]
    lines = [tag("p", "\n".join([campaign.source_text(at), *(texts[at] for texts in outputs)])) for at in around]
    if lines:
        show(tag("div", *lines, class_="mt-context", role="note", aria_label="Before" if before else "After"))


def _is_same_document(campaign: Campaign, task: Task, segment: int) -> bool:
    if not 0 <= segment < len(campaign.references):
        return False
    return campaign.documents is None or campaign.documents[segment] == campaign.documents[task.segment]


def _keep_comment(opened: OpenTask, key: str) -> None:
    words = fields.comment_of(key)
    if words is not None:
        opened.keep(lambda: opened.store.comment(opened.task.id, words, opened.asker))


def _steps(opened: OpenTask) -> None:
    with st.container(horizontal=True):
        st.button(
            "Previous", icon=":material/chevron_left:", shortcut="P", on_click=step, args=(opened, -1),
            disabled=opened.task.position == 0, key="previous-task",
        )  # fmt: skip
        if opened.campaign.way != "preference" or opened.is_answered:
            _done_button(opened)
        st.button(
            "Skip", icon=":material/chevron_right:", shortcut="S", on_click=step, args=(opened, 1),
            disabled=opened.task.position == opened.n_tasks - 1, key="skip-task",
        )  # fmt: skip


def _done_button(opened: OpenTask) -> None:
    """Move on once everything is answered; after practice, once the answer was read."""
    lacks_scores = opened.lacks_scores()
    if opened.is_training:
        label = "Next" if opened.is_answered else "Show answer"
    else:
        label = "Done, next" if opened.task.marks or opened.scales else "No error, next"
    st.button(
        label, icon=":material/chevron_right:" if opened.is_answered else ":material/check:",
        type="secondary" if lacks_scores else "primary", shortcut="N",
        on_click=partial(step, opened, 1) if opened.is_answered else partial(_done, opened),
        disabled=opened.campaign.is_closed or lacks_scores, key="done-task",
        help="Move every slider first." if lacks_scores else None,
    )  # fmt: skip


def _done(opened: OpenTask) -> None:
    """In a callback: finish the task. Sliders were saved when they moved."""
    if opened.keep(lambda: opened.store.complete(opened.task.id, opened.asker)) and not opened.is_training:
        step(opened, 1)
