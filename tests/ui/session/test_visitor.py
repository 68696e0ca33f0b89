"""What a visitor said can be kept although they are gone already."""

from types import SimpleNamespace

import pytest
from streamlit.runtime.scriptrunner import StopException
from streamlit.runtime.state import SafeSessionState, SessionState

from mteval.ui.session import visitor as widget_values
from mteval.ui.session.visitor import value_of


def gone() -> None:
    """What Streamlit calls before it reads its state, when the visitor has gone."""
    raise StopException


def test_a_value_is_read_where_the_session_itself_ends_the_script(monkeypatch: pytest.MonkeyPatch) -> None:
    state = SessionState()
    state["slider"] = 70
    context = SimpleNamespace(session_state=SafeSessionState(state, gone))
    with pytest.raises(StopException):
        context.session_state["slider"]
    monkeypatch.setattr(widget_values, "get_script_run_ctx", lambda **_: context)
    assert (value_of("slider"), value_of("other"), value_of("other", 3)) == (70, None, 3)
