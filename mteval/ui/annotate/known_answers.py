"""What annotators are told before they begin, and of texts for practice afterwards."""

from collections.abc import Sequence

import streamlit as st

from mteval.analysis.people.controls import is_passed
from mteval.analysis.people.judgements import MARKED
from mteval.annotations import Campaign, Control, Task
from mteval.ui.annotate.open_task import OpenTask
from mteval.ui.parts import messages
from mteval.ui.parts.markup import show, tag


def instructions(campaign: Campaign, are_open: bool) -> None:
    """The coordinators' words, as they wrote them; folded or open."""
    told = [campaign.instructions] if campaign.instructions.strip() else []
    if campaign.plan.prefilled_by:
        told.append(
            f"Dotted lines stand under what {campaign.plan.prefilled_by}, a metric, takes for errors. It may be wrong:"
            " take back what is none, change what is more or less severe, and mark what it missed."
        )
    if told:
        with st.expander("Instructions", expanded=are_open, icon=":material/menu_book:"):
            show(*(tag("p", words, class_="mt-text") for words in told))


def answer(opened: OpenTask, own: Sequence[Task]) -> None:
    """Of a text for practice that is done: what was expected, and whether that was given."""
    if not opened.is_answered or opened.task.control is None:
        return
    is_right = is_passed(opened.campaign, opened.task, own)
    control = opened.campaign.controls[opened.task.control]
    parts = ["As expected." if is_right else "Another answer was expected.", *_expected(opened, control)]
    messages.say("good" if is_right else "warning", " ".join([*parts, control.explanation]).strip())


def _expected(opened: OpenTask, control: Control) -> list[str]:
    """The known answer in words."""
    if opened.campaign.way == "preference":
        return [f"The {'right' if opened.task.is_swapped else 'left'} output is better."]
    parts = [_wrong(control)] if opened.campaign.way in MARKED else []
    if opened.scales and (control.low, control.high) != (0, 100):
        parts.append(f"A score from {control.low:g} to {control.high:g} was expected.")
    return parts


def _wrong(control: Control) -> str:
    """What error there is to mark."""
    if not control.has_error:
        return "Nothing is wrong here."
    severity = f", a {control.severity} error" if control.severity else ""
    category = f" ({control.category})" if control.category else ""
    return f"“{control.hypothesis[control.start : control.end]}” is wrong{severity}{category}."
