"""The annotations as the pages see them: the database, which campaign, who reads, which view."""

from collections.abc import Sequence

import streamlit as st

from mteval.annotations import AnnotationStore, Campaign, Listed, open_store
from mteval.annotations.database import configured_url
from mteval.control_characters import visible
from mteval.errors import MtevalError
from mteval.service import is_demo
from mteval.ui.parts import messages
from mteval.ui.parts.choices import IN_ADDRESS, keep_among
from mteval.ui.parts.markup import show, tag
from mteval.ui.setup.words import run_word, said

VIEWS = {"annotators": "Annotators", "start": "New campaign", "results": "Results", "files": "Files"}
VIEW, CAMPAIGN = "annotate", "campaign"
BOUND = (VIEW, CAMPAIGN)
GOING_TO = "annotating-next-view"
WAY_NAMES = {
    "rating": "Adequacy and fluency",
    "errors": "Marked errors",
    "esa": "Error spans and a score",
    "preference": "Blind preference",
}


@st.cache_resource(show_spinner=False)
def _opened(url: str) -> AnnotationStore:
    """One store a server and database; the URL is the key."""
    return open_store()


def require_store() -> AnnotationStore:
    """The annotations; where they cannot be opened, the page ends with the reason."""
    if is_demo():
        messages.say("note", "Campaigns are kept, and the demo keeps nothing; install mteval to start one.")
        st.stop()
    try:
        return _opened(configured_url().render_as_string(hide_password=False))
    except MtevalError as error:
        messages.say("error", str(error))
        st.stop()


def choose_view() -> str:
    """What the user wants to do; kept in the address, so that a reload comes back to it."""
    for key in BOUND:  # as the settings are: a run that follows by itself would take the address back
        if key in st.session_state:
            st.session_state[key] = st.session_state[key]
    if GOING_TO in st.session_state:
        st.session_state[VIEW] = st.session_state.pop(GOING_TO)
    chosen = st.segmented_control(
        "What to do",
        list(VIEWS),
        format_func=VIEWS.__getitem__,
        default="annotators",
        key=VIEW,
        label_visibility="collapsed",
        required=True,
        **IN_ADDRESS,
    )
    return chosen if chosen in VIEWS else "annotators"  # an address may say nothing after its name


def go_to_view(view: str, campaign: str | None = None) -> None:
    """In a callback: show another view, of that campaign."""
    st.session_state[GOING_TO] = view
    if campaign is not None:
        st.session_state[CAMPAIGN] = campaign


def choose_campaign(campaigns: Sequence[Listed]) -> Listed:
    """The campaign that the view is about; where there is none, the page ends with the way to start one."""
    if not campaigns:
        messages.say(
            "note",
            said(
                "There is no campaign yet that you started or have a link for. A campaign is a sample of segments of"
                " the median run, read by one or more people in one of four ways: ratings, marked errors, error spans"
                " with a score, or a blind preference between two outputs."
            ),
        )
        st.button(
            "Start a campaign", type="primary", icon=":material/add:", on_click=go_to_view, args=("start",), key="first"
        )
        st.stop()
    by_uid = {listed.uid: listed for listed in campaigns}
    uid = st.selectbox(
        "Campaign",
        list(by_uid),
        index=None,  # what differs from the default stands in the address, which a reload comes back to
        format_func=lambda uid: visible(by_uid[uid].name),
        key=CAMPAIGN,
        placeholder="Choose a campaign",
        width=360,
        **IN_ADDRESS,
    )
    if uid is None:
        st.stop()
    return by_uid[uid]


def preset_campaign(campaigns: Sequence[Listed]) -> None:
    """Choose for the user where there is one campaign only. Before anything is said: the run may begin again."""
    options = [listed.uid for listed in campaigns]
    keep_among(options, CAMPAIGN, None)
    if st.session_state.get(CAMPAIGN) is None and CAMPAIGN not in st.query_params and len(options) == 1:
        st.session_state[CAMPAIGN] = options[0]
        st.rerun()  # what is set before a run begins is written into the address


def describe(campaign: Campaign) -> None:
    """What is read, without the names of systems that are to stay hidden."""
    text = f"{WAY_NAMES[campaign.way]} on {campaign.test_set}"
    if campaign.way != "preference":
        text += ": " + ", ".join(f"{output.system} {run_word().noun} {output.run}" for output in campaign.outputs)
    show(tag("p", text, class_="mt-quiet"))
