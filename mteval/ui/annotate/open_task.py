"""The task that an annotator works on: its place, how answers are saved, instructions and practice."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from mteval.analysis.people.controls import is_passed
from mteval.analysis.people.judgements import MARKED
from mteval.annotations import SEVERITIES, AnnotationStore, Campaign, Control, Task
from mteval.annotations.campaigns import Way
from mteval.annotations.typology import Severity
from mteval.render.html import tag
from mteval.ui.annotate.fields import score_of
from mteval.ui.annotate.store import SEGMENT
from mteval.ui.elements import errors_left, say, show
from mteval.values.asker import Asker

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
    "esa": ("minor", "major"),
    "preference": SEVERITIES,
}


@dataclass(frozen=True)
class OpenTask:
    """The open task of an annotator."""

    store: AnnotationStore
    campaign: Campaign
    task: Task
    n_tasks: int
    asker: Asker

    @property
    def source(self) -> str:
        """The text that the outputs translate."""
        return self.campaign.shown_source(self.task)

    @property
    def is_training(self) -> bool:
        """Whether this is practice, whose answer is shown afterwards."""
        return self.task.stratum == "training"

    @property
    def is_frozen(self) -> bool:
        """Whether it is read-only: the campaign is closed, or the answer was shown."""
        return self.campaign.is_closed or self.is_answered

    @property
    def is_answered(self) -> bool:
        """Whether this is practice whose answer is shown."""
        return self.is_training and self.task.is_complete

    @property
    def scales(self) -> tuple[str, ...]:
        """The scales that ask for a number."""
        return SCALES[self.campaign.way]

    def slider_key(self, scale: str) -> str:
        """Return the key of a scale's widget."""
        return f"{scale}-{self.task.id}"

    def lacks_scores(self) -> bool:
        """Return whether a number is missing, before and now."""
        return any(
            getattr(self.task, scale) is None and score_of(self.slider_key(scale)) is None for scale in self.scales
        )

    @property
    def source_label(self) -> str:
        """The label of the source text."""
        return "Source" if self.campaign.reads_source else "Reference"

    def hypothesis(self, output: int | None = None) -> str:
        """Return the text of an output; without a number, of the one that is judged alone."""
        return self.campaign.shown_output(self.task, output)

    def keep(self, write: Callable[[], None]) -> bool:
        """In a callback: save something or leave the error for the page; return whether it was saved."""
        with errors_left():
            write()
            return True
        return False


def position_of(campaign: Campaign, annotator: str, tasks: tuple[Task, ...]) -> int:
    """Return where the annotator is: last position, else the segment in the address, else the first open task."""
    positions: dict[tuple[str, str], int] = st.session_state.setdefault(POSITIONS, {})
    key = (campaign.uid, annotator)
    if key not in positions:
        named = [task for task in tasks if str(task.segment + 1) == st.query_params.get(SEGMENT)]
        positions[key] = [*named, *(task for task in tasks if not task.is_complete), *tasks][0].position
    return min(positions[key], len(tasks) - 1)


def step(opened: OpenTask, by: int) -> None:
    """In a callback: move by some tasks."""
    key = (opened.campaign.uid, opened.task.annotator)
    st.session_state[POSITIONS][key] = min(max(opened.task.position + by, 0), opened.n_tasks - 1)


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
