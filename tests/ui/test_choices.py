"""Choices that stay as long as they are possible."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest


def page() -> None:
    import streamlit as st

    from mteval.ui.elements import choose, choose_some

    options = st.session_state["options"]
    st.session_state["chosen"] = choose("One", options, "one", default=options[1])
    st.session_state["chosen-some"] = choose_some("Some", options, "some", default=options[:1])


@pytest.fixture
def app() -> AppTest:
    app = AppTest.from_function(page)
    app.session_state["options"] = ["a", "b", "c"]
    return app.run()


def said(app: AppTest) -> tuple[str, list[str]]:
    assert not app.exception
    return app.session_state["chosen"], app.session_state["chosen-some"]


def test_nothing_chosen_is_the_default(app) -> None:
    assert said(app) == ("b", ["a"])


def test_a_choice_stays_while_options_come_and_go_around_it(app) -> None:
    app.selectbox(key="one").set_value("c")
    app.multiselect(key="some").set_value(["c", "b"])
    assert said(app.run()) == ("c", ["c", "b"])
    app.session_state["options"] = ["b", "c", "d"]
    assert said(app.run()) == ("c", ["c", "b"])


def test_a_choice_that_is_no_option_any_more_gives_way_to_the_default(app) -> None:
    app.selectbox(key="one").set_value("c")
    app.multiselect(key="some").set_value(["c", "b"])
    app.run()
    app.session_state["options"] = ["a", "b", "d"]
    assert said(app.run()) == ("b", ["a"])


def test_none_of_several_is_a_choice_too(app) -> None:
    app.multiselect(key="some").set_value([])
    assert said(app.run()) == ("b", [])


def test_a_value_that_is_no_option_any_more_is_sent_anew_to_the_browser(app) -> None:
    app.selectbox(key="one").set_value("c")
    app.run()
    app.session_state["options"] = ["a", "b", "d"]
    app.run()
    assert app.selectbox(key="one").proto.set_value  # else it goes on showing what was chosen


UI = Path(__file__).parents[2] / "mteval" / "ui"
CHOICES = {
    "selectbox", "multiselect", "slider", "select_slider", "number_input", "text_input", "toggle", "checkbox", "radio",
    "segmented_control", "pills",
}  # fmt: skip
KEPT_ELSEWHERE = {  # in the database, with what is loaded, in the library
    "annotate/tasks.py",
    "annotate/judgements.py",
    "setup/entry_panel.py",
}


def choices() -> Iterator[tuple[str, ast.Call]]:
    """Every widget of the pages that something is chosen with, and where it stands."""
    for path in sorted(path for path in UI.rglob("*.py") if str(path.relative_to(UI)) not in KEPT_ELSEWHERE):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHOICES:
                yield f"{path.relative_to(UI)}:{node.lineno}", node


def test_choices_survive_a_change_of_the_page() -> None:
    forgotten = [
        where
        for where, call in choices()
        if not any(word in ast.unparse(call) for word in ("**SURVIVES", "**IN_ADDRESS", "**kept", "persist_state"))
    ]
    assert forgotten == []


def tabs() -> None:
    import streamlit as st

    from mteval.ui.elements import choose_tab

    if st.session_state.get("elsewhere"):
        return
    for tab, name in zip(choose_tab(["one", "two"], "view"), ("one", "two"), strict=True):
        if tab.open:
            st.session_state["seen"] = name


def test_tabs_are_as_they_were_left_after_another_page() -> None:
    app = AppTest.from_function(tabs).run()
    assert app.session_state["seen"] == "one"
    app.session_state["view"] = "two"
    app.run()
    app.session_state["elsewhere"] = True
    app.run()
    app.session_state["elsewhere"], app.session_state["seen"] = False, ""
    assert app.run().session_state["seen"] == "two"
