"""What a visitor said can be kept although they are gone already, and files are taken once."""

from types import SimpleNamespace

import pytest
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import StopException
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.runtime.uploaded_file_manager import DeletedFile, UploadedFile, UploadedFileRec

from mteval.readers.documents import InputFile
from mteval.ui.session import visitor as widget_values
from mteval.ui.session.visitor import taken, value_of


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

    assert value_of("slider") == 70
    assert value_of("other") is None
    assert value_of("other", 3) == 3


def test_files_that_the_browser_names_once_more_are_not_taken_again(monkeypatch: pytest.MonkeyPatch) -> None:
    manager = MemoryUploadedFileManager("/upload")
    state = SessionState()
    context = SimpleNamespace(
        session_state=SafeSessionState(state, gone), uploaded_file_mgr=manager, session_id="session"
    )
    monkeypatch.setattr(widget_values, "get_script_run_ctx", lambda **_: context)

    def named(*ids: str) -> list[UploadedFile | DeletedFile]:
        """The value that Streamlit makes of names; a file whose bytes were given back is a deleted one."""
        file_of = {record.file_id: UploadedFile(record, FileURLs()) for record in manager.get_files("session", ids)}
        return [file_of.get(file_id, DeletedFile(file_id)) for file_id in ids]

    for name in ("a", "b"):
        manager.add_file("session", UploadedFileRec(name, f"{name}.txt", "text/plain", name.encode()))
    state["files"] = named("a")
    assert taken("files") == [InputFile("a.txt", b"a")]

    state["files"] = named("a", "b")
    assert taken("files") == [InputFile("b.txt", b"b")]

    state["files"] = named("a", "b")
    assert taken("files") == []
