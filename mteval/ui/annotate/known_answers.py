"""What annotators are told before they begin, and of texts for practice afterwards."""

from collections.abc import Sequence

import streamlit as st

from mteval.analysis.people.controls import is_passed
from mteval.annotations import Campaign, Control, Task
from mteval.ui.annotate.open_task import OpenTask
from mteval.ui.parts import messages
from mteval.ui.parts.markup import show, tag


def instructions(campaign: Campaign) -> None:
    """The coordinators' words, as they wrote them."""
    told = [campaign.instructions] if campaign.instructions.strip() else []
    if campaign.plan.prefilled_by:
        told.append(
            f"Dotted lines stand under what {campaign.plan.prefilled_by}, a metric, takes for errors. It may be wrong:"
            " take back what is none, change what is more or less severe, and mark what it missed."
        )
    if told:
        with st.expander("Instructions", expanded=True, icon=":material/menu_book:"):
            show(*(tag("p", words, class_="mt-text") for words in told))


def answer(opened: OpenTask, own: Sequence[Task]) -> None:
    """Of a text for practice that is done: what was expected, and whether that was given."""
    if not opened.is_training or opened.task.control is None or not opened.task.is_complete:
        return
    is_right = is_passed(opened.campaign, opened.task, own)
    control = opened.campaign.controls[opened.task.control]
    parts = ["As expected." if is_right else "Another answer was expected.", *_expected(opened, control)]
    messages.say("good" if is_right else "warning", " ".join([*parts, control.explanation]).strip())


def _expected(opened: OpenTask, control: Control) -> list[str]:
    """The known answer in words."""
    parts = []
    if opened.campaign.way != "rating":
        severity = f", a {control.severity} error" if control.severity else ""
        wrong = f"“{control.hypothesis[control.start : control.end]}” is wrong{severity}."
        parts.append(wrong if control.has_error else "Nothing is wrong here.")
    if opened.scales and (control.low, control.high) != (0, 100):
        parts.append(f"A score from {control.low:g} to {control.high:g} was expected.")
    return parts
