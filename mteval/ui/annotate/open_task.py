"""Where an annotator is in a campaign, and how what they say is kept.

What annotators are told before they begin, and of texts for practice afterwards.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from mteval.analysis.people.judgements import MARKED
from mteval.analysis.people.results import is_passed
from mteval.annotations import SEVERITIES, AnnotationStore, Campaign, Control, Task
from mteval.annotations.campaigns import Way
from mteval.annotations.typology import Severity
from mteval.render.html import tag
from mteval.ui.annotate.fields import score_of
from mteval.ui.annotate.store import SEGMENT
from mteval.ui.parts.elements import errors_left, say, show

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
    """The task that an annotator has before them."""

    store: AnnotationStore
    campaign: Campaign
    task: Task
    n_tasks: int

    @property
    def source(self) -> str:
        """What the outputs should say."""
        return self.campaign.shown_source(self.task)

    @property
    def is_training(self) -> bool:
        """Whether its answer is known and shown afterwards."""
        return self.task.stratum == "training"

    @property
    def is_frozen(self) -> bool:
        """Whether nothing can be said of it: the campaign is closed, or the known answer was shown."""
        return self.campaign.is_closed or self.is_answered

    @property
    def is_answered(self) -> bool:
        """Whether it is practice whose known answer is shown."""
        return self.is_training and self.task.is_complete

    @property
    def scales(self) -> tuple[str, ...]:
        """What is asked for as a number."""
        return SCALES[self.campaign.way]

    def slider_key(self, scale: str) -> str:
        """Key of the widget that asks for it."""
        return f"{scale}-{self.task.id}"

    def lacks_scores(self) -> bool:
        """Whether a number was not given yet, neither before nor just now."""
        return any(
            getattr(self.task, scale) is None and score_of(self.slider_key(scale)) is None for scale in self.scales
        )

    @property
    def source_label(self) -> str:
        """What that is."""
        return "Source" if self.campaign.reads_source else "Reference"

    def hypothesis(self, output: int | None = None) -> str:
        """Text of an output; without its number that of the one that is judged alone."""
        return self.campaign.shown_output(self.task, output)

    def keep(self, write: Callable[[], None]) -> bool:
        """In a callback: keep something, or leave the reason why not. Whether it was kept."""
        with errors_left():
            write()
            return True
        return False


def position_of(campaign: Campaign, annotator: str, tasks: tuple[Task, ...]) -> int:
    """Where the annotator is: where they went, else at the segment of the address, else at the first not done."""
    positions: dict[tuple[str, str], int] = st.session_state.setdefault(POSITIONS, {})
    key = (campaign.uid, annotator)
    if key not in positions:
        named = [task for task in tasks if str(task.segment + 1) == st.query_params.get(SEGMENT)]
        first = [*named, *(task for task in tasks if not task.is_complete), *tasks][0]
        positions[key] = first.position
    return min(positions[key], len(tasks) - 1)


def step(opened: OpenTask, by: int) -> None:
    """In a callback: go on, or back."""
    key = (opened.campaign.uid, opened.task.annotator)
    st.session_state[POSITIONS][key] = min(max(opened.task.position + by, 0), opened.n_tasks - 1)


def instructions(campaign: Campaign, are_open: bool) -> None:
    """The coordinators' words, as they wrote them; folded or open."""
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
    """Of a text for practice that is done: what was expected, and whether that was given."""
    if not opened.is_answered or opened.task.control is None:
        return
    is_right = is_passed(opened.campaign, opened.task, own)
    control = opened.campaign.controls[opened.task.control]
    parts = ["As expected." if is_right else "Another answer was expected.", *_expected(opened, control)]
    say("good" if is_right else "warning", " ".join([*parts, control.explanation]).strip())


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
