"""From a segment that is being read to people's words about it: a running campaign's item, or a campaign of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

import streamlit as st

from mteval.annotations import Item
from mteval.base.errors import MtevalError
from mteval.base.words import counted, listed
from mteval.render.html import tag
from mteval.ui.annotate.open_task import SEGMENT
from mteval.ui.annotate.store import PAGE, go_to_view, require_store
from mteval.ui.page import go_to
from mteval.ui.parts import messages
from mteval.ui.parts.choices import SURVIVES
from mteval.ui.parts.tables import as_label, show
from mteval.ui.session.visitor import visitor
from mteval.values.model import TestSet
from mteval.values.service import ANNOTATOR, is_demo

WANTED = "campaign-segments"
MOST_NAMED = 8


@dataclass(frozen=True)
class Wanted:
    """Segments that somebody chose to be read, zero-based, and the systems whose outputs they looked at."""

    test_set: str
    segments: tuple[int, ...]


def annotate_button(test_set: TestSet, systems: tuple[str, str], segment: int, marked: Sequence[int]) -> None:
    """Where the segment stands in running campaigns, and a campaign of it or of those that are bookmarked."""
    if is_demo():  # it keeps no campaigns
        return
    with st.popover("Annotate", icon=":material/edit_note:", type="tertiary"):
        _running(test_set, segment)
        choices: dict[str, tuple[int, ...]] = {"this segment": (segment,)}
        if len(marked) > 1:
            choices[f"the {counted(len(marked), 'bookmarked segment')}"] = tuple(marked)
        for name, segments in choices.items():
            if st.button(
                as_label(f"Start a campaign of {name}"), key=f"annotate-{len(segments)}", icon=":material/add:"
            ):
                _begin(test_set, systems, segments)


def _running(test_set: TestSet, segment: int) -> None:
    """Links to the item, each for one annotator of a campaign that the visitor coordinates."""
    try:
        items = require_store().items(visitor(), test_set.digest, segment)
    except MtevalError as error:
        messages.say("error", str(error))
        return
    if not items:
        show(tag("p", "No running campaign of yours has this segment.", class_="mt-quiet"))
    for item in items:
        st.link_button(as_label(f"{item.campaign}, as {item.annotator}"), _address(item, segment))


def _address(item: Item, segment: int) -> str:
    """Opens the annotator's tasks at this segment."""
    server = str(st.context.url or "").partition("?")[0].rpartition("/")[0]
    return f"{server}/{PAGE}?{urlencode({ANNOTATOR: item.token, SEGMENT: segment + 1})}"


def _begin(test_set: TestSet, systems: tuple[str, str], segments: tuple[int, ...]) -> None:
    """Go to the form of a new campaign."""
    st.session_state[WANTED] = Wanted(test_set.name, segments)
    st.session_state["campaign-read"] = test_set.name
    st.session_state["campaign-system"] = systems[1]
    go_to_view("start")
    go_to(f"pages/{PAGE}.py")


def wanted_segments(test_set: TestSet) -> tuple[int, ...]:
    """The segments that were chosen where they were read, as long as the user wants them alone; else none."""
    wanted = st.session_state.get(WANTED)
    if wanted is None or wanted.test_set != test_set.name:
        return ()
    numbers = [str(segment + 1) for segment in wanted.segments[:MOST_NAMED]]
    more = len(wanted.segments) - len(numbers)
    named = listed([*numbers, *([f"{more:,} more"] if more else [])])
    what = "segment" if len(wanted.segments) == 1 else "segments"
    return wanted.segments if st.toggle(f"Only {what} {named}", True, key="campaign-wanted", **SURVIVES) else ()
