"""The task that an annotator works on: its place, instructions and practice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from mteval.analysis.people.files import is_passed
from mteval.analysis.people.judgements import MARKED
from mteval.annotations import SEVERITIES, Campaign, Control, Task
from mteval.annotations.campaigns import Way
from mteval.annotations.typology import ESA_SEVERITIES, Severity
from mteval.render.html import tag
from mteval.ui.annotate.store import SEGMENT
from mteval.ui.elements import say, show

POSITIONS = "annotating-positions"
SCALES: Mapping[Way, tuple[str, ...]] = {
    "rating": ("adequacy", "fluency"),
    "errors": (),
    "esa": ("score",),
    "preference": (),
}
SEVERITIES_OF: Mapping[Way, tuple[Severity, ...]] = {  # that an annotator chooses from
    "rating": SEVERITIES,
    "errors": SEVERITIES,
    "esa": ESA_SEVERITIES,
    "preference": SEVERITIES,
}


@dataclass(frozen=True)
class OpenTask:
    """The open task of an annotator, the first of those on the screen."""

    campaign: Campaign
    task: Task

    @property
    def is_answered(self) -> bool:
        """Whether this is practice whose answer is shown."""
        return self.task.stratum == "training" and self.task.is_complete

    @property
    def scales(self) -> tuple[str, ...]:
        """The scales that ask for a number."""
        return SCALES[self.campaign.way]


def position_of(campaign: Campaign, annotator: str, tasks: tuple[Task, ...]) -> int:
    """Return where the annotator is: last position, else the segment in the address, else the first open task."""
    positions: dict[tuple[str, str], int] = st.session_state.setdefault(POSITIONS, {})
    key = (campaign.uid, annotator)
    if key not in positions:
        named = [task for task in tasks if str(task.segment + 1) == st.query_params.get(SEGMENT)]
        positions[key] = [*named, *(task for task in tasks if not task.is_complete), *tasks][0].position
    return min(positions[key], len(tasks) - 1)


def go_to_task(campaign: Campaign, annotator: str, position: int) -> None:
    """In a callback: open the task at a position."""
    positions: dict[tuple[str, str], int] = st.session_state.setdefault(POSITIONS, {})
    positions[campaign.uid, annotator] = max(position, 0)


def instructions(campaign: Campaign, are_open: bool) -> None:
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


def answer(opened: OpenTask, own: Sequence[Task]) -> None:
    """Show the expected answer of a finished practice text, and whether it was given."""
    if not opened.is_answered or opened.task.control is None:
        return
    is_right = is_passed(opened.campaign, opened.task, own)
    control = opened.campaign.controls[opened.task.control]
    parts = ["As expected." if is_right else "Another answer was expected.", *_expected(opened, control)]
    say("good" if is_right else "warning", " ".join([*parts, control.explanation]).strip())


def _expected(opened: OpenTask, control: Control) -> list[str]:
    """Describe the known answer."""
    if opened.campaign.way == "preference":
        return [f"The {'right' if opened.task.is_swapped else 'left'} output is better."]
    parts = [_wrong(control)] if opened.campaign.way in MARKED else []
    if opened.scales and (control.low, control.high) != (0, 100):
        parts.append(f"A score from {control.low:g} to {control.high:g} was expected.")
    return parts


def _wrong(control: Control) -> str:
    """Describe the error to mark."""
    if not control.has_error:
        return "Nothing is wrong here."
    severity = f", a {control.severity} error" if control.severity else ""
    category = f" ({control.category})" if control.category else ""
    return f"“{control.hypothesis[control.start : control.end]}” is wrong{severity}{category}."
