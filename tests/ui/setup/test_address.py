"""What the address and the session may hold: numbers, texts, and so many bookmarks."""

from streamlit.testing.v1 import AppTest

from mteval.ui.setup.address import MOST_BOOKMARKS, _is_odd


def test_a_text_to_find_may_read_as_an_infinite_or_undefined_number() -> None:
    for text in ("nan", "inf", "-Infinity"):
        assert not _is_odd("seg-text", [text])
        assert not _is_odd("seg-ngram", [text])
        assert _is_odd("confidence", [text])


def _bookmarking() -> None:
    """A page that adds and removes bookmarks of a test set."""
    import streamlit as st

    from mteval.ui.elements import LEFT
    from mteval.ui.setup.address import MOST_BOOKMARKS, bookmarked, key_of, toggle_bookmark
    from mteval.values.model import TestSet

    test_set = TestSet("t", tuple((f"text {number}",) for number in range(MOST_BOOKMARKS + 9)))
    st.session_state[key_of(test_set)] = " ".join(str(number) for number in range(10, MOST_BOOKMARKS + 10))
    toggle_bookmark(test_set, 0)
    st.session_state["refused"] = bookmarked(test_set)
    st.session_state["messages"] = st.session_state.pop(LEFT, [])
    toggle_bookmark(test_set, 9)
    toggle_bookmark(test_set, 0)
    st.session_state["exchanged"] = bookmarked(test_set)


def test_a_bookmark_too_many_is_refused_with_a_message_and_none_is_lost() -> None:
    page = AppTest.from_function(_bookmarking).run()
    assert not page.exception
    last = tuple(range(9, MOST_BOOKMARKS + 9))
    assert page.session_state["refused"] == last
    assert [severity for severity, _ in page.session_state["messages"]] == ["warning"]
    assert page.session_state["exchanged"] == (0, *last[1:])
