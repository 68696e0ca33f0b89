"""Signing in: asked of every visitor where the server knows a provider, and of nobody where it does not."""

from typing import Any

import streamlit as st

from mteval.render.html import tag
from mteval.ui.parts import messages
from mteval.ui.parts.tables import show
from mteval.ui.session.memory import MIB, Memory
from mteval.ui.session.visitor import browser, is_signed_in, must_sign_in

MOST_KEPT = 1_000
NAMES = ("name", "email", "preferred_username", "sub")  # what a provider may call somebody, the kindest first


@st.cache_resource(show_spinner=False)
def _wanted() -> Memory[tuple[Any, dict[str, list[str]]]]:
    """What browsers came for before they were sent to sign in: pages with what stood in their address."""
    return Memory(MOST_KEPT, MIB)


def require_sign_in(page: Any) -> None:
    """Show the page to whoever has signed in or need not; others are asked to, and brought there afterwards."""
    if not must_sign_in():
        _go_where_they_wanted(page)
        return
    address = {key: st.query_params.get_all(key) for key in st.query_params}
    if address or page.url_path:
        _wanted().keep({browser(): (page, address)})
    st.title("mteval", anchor=False)
    messages.say("note", "This server asks who you are before it shows anything.")
    st.button("Sign in", type="primary", icon=":material/login:", on_click=st.login, key="sign-in")
    st.stop()


def _go_where_they_wanted(page: Any) -> None:
    """The provider sends everybody to the first page."""
    if not is_signed_in():
        return
    wanted = None if page.url_path or st.query_params else _wanted().get(browser())
    if wanted is not None:
        _wanted().forget(browser())
        st.switch_page(wanted[0], query_params=wanted[1])


def signed_in_as() -> None:
    """At the end of the sidebar: who it is, and the way out."""
    if not is_signed_in():
        return
    name = next((str(st.user[key]) for key in NAMES if st.user.get(key)), "")
    with st.sidebar:
        show(tag("p", f"Signed in as {name}", class_="mt-quiet"))
        st.button("Sign out", type="tertiary", icon=":material/logout:", on_click=st.logout, key="sign-out")
