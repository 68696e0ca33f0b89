"""Links that open a campaign: what a visitor came by, and what a coordinator hands out."""

from urllib.parse import urlencode

import streamlit as st

from mteval.annotations import AnnotationStore, Listed
from mteval.control_characters import visible
from mteval.counts import agreeing, counted_part
from mteval.errors import MtevalError
from mteval.service import ANNOTATOR, COORDINATOR
from mteval.ui.annotate.store import choose_campaign, describe
from mteval.ui.parts import messages
from mteval.ui.parts.markup import show, tag
from mteval.ui.parts.messages import leave
from mteval.ui.session.visitor import visitor

PAGE = "annotate"
JOINED = "annotating-joined"


def campaigns_of_visitor(store: AnnotationStore) -> tuple[Listed, ...]:
    """The campaigns that the visitor started, and those whose coordinators' link they came by."""
    return store.list_campaigns(visitor())


def take_coordinators_link(store: AnnotationStore) -> str | None:
    """Once a session and link: let the visitor coordinate the campaign that the address names, and give its uid."""
    token = st.query_params.get(COORDINATOR)
    if token is None or st.session_state.get(JOINED) == token:
        return None
    st.session_state[JOINED] = token
    try:
        return store.coordinate(token, visitor())
    except MtevalError as error:
        leave("error", str(error))
        return None


def handing_out(store: AnnotationStore) -> None:
    """How far each annotator of a campaign is, and the link that each is sent."""
    listed = choose_campaign(campaigns_of_visitor(store))
    describe(store.campaign(listed.uid))
    tokens = store.links(listed.uid)
    messages.say(
        "note",
        "Send each annotator their own link: it opens their segments and nothing else, and whoever has it speaks for"
        " them.",
    )
    for name, (done, total) in listed.progress.items():
        show(tag("p", tag("b", name), f" · {done} of {total} done, {total - done} left", class_="mt-quiet"))
        address = address_of(ANNOTATOR, tokens.annotators[name])
        _link(store, listed, name, address, reminder(listed, name, address) if done < total else "")
    st.subheader("For those who coordinate it", anchor=False)
    show(tag("p", "Whoever opens this link sees all of the campaign, and can change and delete it.", class_="mt-quiet"))
    _link(store, listed, None, address_of(COORDINATOR, tokens.coordinator))


def address_of(kind: str, token: str) -> str:
    """The address that a token stands in, as the visitor's browser names this server."""
    here = str(st.context.url or PAGE).partition("?")[0]
    return f"{here}?{urlencode({kind: token})}"


def reminder(listed: Listed, annotator: str, address: str) -> str:
    """Words to send to an annotator who is not done yet."""
    done, total = listed.progress[annotator]
    return (
        f"Dear {annotator},\n\nin “{listed.name}” {counted_part(done, total, 'text')} of yours"
        f" {agreeing(done, 'is', 'are')} done; {total - done} {agreeing(total - done, 'is', 'are')} left. Your link"
        f" leads to the first of them:\n\n{address}\n\nWhatever you said is kept. Thank you!"
    )


def _link(store: AnnotationStore, listed: Listed, annotator: str | None, address: str, reminding: str = "") -> None:
    """A link to copy or to open, words to send with it, and how to replace it."""
    key = f"{listed.uid}-{annotator or ''}"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.code(address, language=None, width=540)
        if annotator is not None:
            st.link_button("Open", address, icon=":material/open_in_new:")
        if reminding:
            with st.popover("Reminder …", type="tertiary"):
                st.code(visible(reminding), language=None, wrap_lines=True, width=480)
        with st.popover("New link …", type="tertiary"):
            lost = "the others who coordinate it lose it" if annotator is None else "what was said is kept"
            messages.say("warning", f"The old link will open nothing any more; {lost}.")
            st.button("Replace it", on_click=_renew, args=(store, listed.uid, annotator), key=f"renew-{key}")


def _renew(store: AnnotationStore, uid: str, annotator: str | None) -> None:
    try:
        store.renew_link(uid, annotator, visitor())
    except MtevalError as error:
        leave("error", str(error))
    else:
        leave("good", "There is a new link; the old one opens nothing.")
