"""Campaigns on pages: the database, the chosen campaign and view, and segments chosen to be annotated."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

import streamlit as st

from mteval.analysis.people.new_campaigns import PROTOCOL_NAMES
from mteval.annotations import AnnotationStore, Campaign, Listed
from mteval.annotations.database import shared_store
from mteval.base.errors import MtevalError
from mteval.base.words import counted, listed, visible
from mteval.ui.elements import IN_ADDRESS, as_label, end, errors_end_the_page, errors_left, keep_among, quiet, say
from mteval.ui.page import go_to
from mteval.ui.session.visitor import asker, visitor
from mteval.ui.setup.workspace import run_word
from mteval.values.model import Run, TestSet
from mteval.values.service import ANNOTATOR, COORDINATOR, is_demo

PAGE = "annotate"
SEGMENT = "segment"  # in the address, counted from 1

# Keys of the session's state, the first two also of the address
VIEW = "annotate"  # in the address; the page happens to have the same name
CAMPAIGN = "campaign"
NEXT_VIEW = "annotating-next-view"
WANTED = "campaign-segments"
READ_ON = "campaign-read"  # the annotated test set

VIEWS = {"annotators": "Annotators", "start": "New campaign"}
MOST_NAMED = 8  # segments in the label of a toggle


def require_store() -> AnnotationStore:
    """Return the annotation store; if it cannot be opened, the page ends with the reason."""
    if is_demo():
        end("note", "The demo saves nothing. Install mteval to start a campaign.")
    with errors_end_the_page():
        return shared_store()


def choose_view() -> str:
    """Choose a view; it is kept in the address, so that a reload comes back to it."""
    for key in (VIEW, CAMPAIGN):  # assigned again, since an automatic rerun would otherwise restore the old address
        if key in st.session_state:
            st.session_state[key] = st.session_state[key]
    if NEXT_VIEW in st.session_state:
        st.session_state[VIEW] = st.session_state.pop(NEXT_VIEW)
    view: str = st.segmented_control(
        "View",
        list(VIEWS),
        format_func=VIEWS.__getitem__,
        default="annotators",
        key=VIEW,
        label_visibility="collapsed",
        required=True,
        **IN_ADDRESS,
    )
    if view not in VIEWS:  # an address may have an empty value
        return "annotators"
    return view


def close_campaign(store: AnnotationStore, uid: str, is_closed: bool = True) -> None:
    """In a callback: close or reopen a campaign."""
    with errors_left():
        store.close_campaign(uid, asker(), is_closed)


def go_to_view(view: str, campaign: str | None = None) -> None:
    """In a callback: show another view, of that campaign."""
    st.session_state[NEXT_VIEW] = view
    if campaign is not None:
        st.session_state[CAMPAIGN] = campaign


def choose_campaign(campaigns: Sequence[Listed]) -> Listed:
    """Choose a campaign; without any, the page ends with the way to start one."""
    if not campaigns:
        text = "No campaigns yet. Annotators see sampled segments of the median {run}."
        say("note", run_word().filled(text))
        st.button(
            "Start campaign", type="primary", icon=":material/add:", on_click=go_to_view, args=("start",), key="first"
        )
        st.stop()
    campaign_of = {campaign.uid: campaign for campaign in campaigns}
    uid = st.selectbox(
        "Campaign",
        list(campaign_of),
        index=None,  # no default, so that any choice is in the address and survives a reload
        format_func=lambda uid: visible(campaign_of[uid].name),
        key=CAMPAIGN,
        placeholder="Choose a campaign",
        width=360,
        **IN_ADDRESS,
    )
    if uid is None:
        st.stop()
    return campaign_of[uid]


def preset_campaign(campaigns: Sequence[Listed]) -> None:
    """Choose the only campaign. Called before anything is drawn, since the run may start again."""
    uids = [campaign.uid for campaign in campaigns]
    keep_among(uids, CAMPAIGN, None)
    is_chosen = st.session_state.get(CAMPAIGN) is not None or CAMPAIGN in st.query_params
    if not is_chosen and len(uids) == 1:
        st.session_state[CAMPAIGN] = uids[0]
        st.rerun()  # values set before a run are written into the address


def describe(campaign: Campaign) -> None:
    """Describe what is annotated, without the names of systems that stay hidden."""
    text = f"{PROTOCOL_NAMES[campaign.protocol]} on {campaign.test_set}"
    if campaign.way != "preference":
        runs = ", ".join(f"{output.system} {run_word().noun} {output.run}" for output in campaign.outputs)
        text += f": {runs}"
    quiet(text)


def campaigns_of_visitor(store: AnnotationStore) -> tuple[Listed, ...]:
    """Return the campaigns that the visitor started or coordinates."""
    return store.list_campaigns(visitor())


def take_coordinators_link(store: AnnotationStore) -> str | None:
    """Make the visitor a coordinator of the campaign whose link is in the address; return its uid."""
    token = st.query_params.pop(COORDINATOR, None)  # the secret leaves the address
    if token is None:
        return None
    with errors_left():
        return store.coordinate(token, asker())
    return None


@dataclass(frozen=True)
class Wanted:
    """Segments that somebody chose to annotate, zero-based, in the outputs of runs on the screen."""

    test_set: str
    segments: tuple[int, ...]
    runs: tuple[Run, ...]


def annotate_button(test_set: TestSet, runs: tuple[Run, ...], segment: int, marked: Sequence[int]) -> None:
    """Show running campaigns with this segment, and start one with it or with the bookmarked segments."""
    if is_demo():  # no campaigns there
        return
    with st.popover("Annotate", icon=":material/edit_note:", type="tertiary"):
        _link_running_campaigns(test_set, runs, segment)
        choices: dict[str, tuple[int, ...]] = {"this segment": (segment,)}
        if len(marked) > 1:
            choices[f"the {counted(len(marked), 'bookmarked segment')}"] = tuple(marked)
        for content, segments in choices.items():
            if st.button(f"Start campaign with {content}", key=f"annotate-{len(segments)}", icon=":material/add:"):
                begin_campaign(Wanted(test_set.name, segments, runs))


def _link_running_campaigns(test_set: TestSet, runs: tuple[Run, ...], segment: int) -> None:
    """Link to the segment in each campaign on one of the runs that the visitor coordinates, once per annotator."""
    try:
        items = require_store().items(visitor(), test_set.digest, segment, [run.digest for run in runs])
    except MtevalError as error:
        say("error", str(error))
        return
    if not items:
        quiet("Not in any of your running campaigns.")
    server = str(st.context.url or "").partition("?")[0].rpartition("/")[0]
    for item in items:  # opens the annotator's tasks at this segment
        parameters = urlencode({ANNOTATOR: item.token, SEGMENT: segment + 1})
        st.link_button(as_label(f"{item.campaign}, as {item.annotator}"), f"{server}/{PAGE}?{parameters}")


def begin_campaign(wanted: Wanted) -> None:
    """Go to the form of a new campaign with these segments."""
    st.session_state[WANTED] = wanted
    st.session_state[READ_ON] = wanted.test_set
    go_to_view("start")
    go_to(f"pages/{PAGE}.py")


def chosen_segments(test_set: TestSet) -> Wanted | None:
    """Return what was chosen on the Segments page, if the user wants only that."""
    wanted: Wanted | None = st.session_state.get(WANTED)
    if wanted is None or wanted.test_set != test_set.name:
        return None
    if not set(wanted.runs) <= set(test_set.runs):  # other files were loaded since
        return None
    n_segments = len(wanted.segments)
    numbers = [str(segment + 1) for segment in wanted.segments[:MOST_NAMED]]
    if n_segments > MOST_NAMED:
        numbers.append(f"{n_segments - MOST_NAMED:,} more")
    noun = "segment" if n_segments == 1 else "segments"
    runs = [f"{run.system} {run_word().noun} {run.key}" for run in dict.fromkeys(wanted.runs)]
    label = as_label(f"Only {noun} {listed(numbers)} of {listed(runs)}")
    is_wanted = st.toggle(label, True, key="campaign-wanted", persist_state="session")
    return wanted if is_wanted else None
