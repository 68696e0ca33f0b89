"""Fragments end with their page, and a request to one never reaches that of another page."""

from streamlit.testing.v1 import AppTest

PATIENCE = 30  # seconds


def fragments_of_pages() -> None:
    """Draw the same fragment on two pages, and end it; the app's own code, which Streamlit runs apart from tests."""
    import streamlit as st
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    from mteval.ui.session.fragments import end_fragments, fragment

    @fragment(run_every=1)
    def progress(percent: int) -> None:
        st.text(f"{percent}% on the {st.session_state['page']} page")

    context = get_script_run_ctx()
    known = context.fragment_storage._fragments
    st.session_state["ids"] = []
    place = st.empty()
    for page in ("first", "second"):
        st.session_state["page"] = page
        context.pages_manager.set_current_page_script_hash(page)
        before = set(known)
        with place:
            progress(50)
        st.session_state["ids"] += set(known) - before
    end_fragments()
    st.session_state["left"] = len(known)


def test_a_fragment_is_another_on_each_page_and_ends_when_the_page_does() -> None:
    app = AppTest.from_function(fragments_of_pages, default_timeout=PATIENCE).run()
    assert not app.exception
    assert app.text[0].value == "50% on the second page"
    assert len(set(app.session_state["ids"])) == 2
    assert app.session_state["left"] == 0
