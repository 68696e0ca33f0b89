"""A browser can send any value to any widget: the widget ignores those that it cannot read, and the log stays quiet."""

import asyncio
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.served import ROOT, started
from benchmarks.visitors import Visitor, connected
from tests.coroutines import completed
from tests.fuzz.widgets import asked, errors_in, named, refuse_errors, values, widgets_in
from tests.patience import OUTER_LIMIT

PAGE = Path(__file__).with_name("every_widget.py")
EVERY = 10  # of so many values, one is sent by a newcomer as well
# What these widgets give beside what they give at first: a choice instead of nothing, nothing instead of a day, or a
# whole number instead of any.
ALSO = {
    "date": "NoneType",
    "number": "int",
    "pills": "str",
    "segments": "str",
    "feedback": "int",
    "file": "UploadedFile",
    "camera": "UploadedFile",
    "sound": "UploadedFile",
    "chat": "str",
    "chat with files": "ChatInputValue",
    "menu": "str",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the page as the app to be served."""
    folder = tmp_path_factory.mktemp("app")
    shutil.copy(PAGE, folder / "app.py")
    return folder


@pytest.fixture(scope="module")
def host(folder: Path) -> Iterator[str]:
    """A server of the page."""
    with started(folder, folder, PYTHONPATH=str(ROOT)) as (host, _):
        yield host


def test_all_kinds_of_values_are_tried() -> None:
    kinds = {field.name for field in WidgetState.DESCRIPTOR.oneofs_by_name["value"].fields}
    assert {value.WhichOneof("value") for value in values()} == {*kinds, None} - {"trigger_value"}


def test_no_widget_takes_a_value_that_it_cannot_read(host: str, folder: Path) -> None:
    completed(_try_all(host))
    log = (folder / "log.txt").read_text()
    assert not errors_in(log), log


async def _try_all(host: str) -> None:
    pressed = WidgetState(trigger_value=True)
    async with asyncio.timeout(OUTER_LIMIT), connected(host) as link:
        visitor = Visitor(link)
        answers = await asked(visitor, "", [])
        refuse_errors(answers, "", pressed)
        first_types = _types(answers)
        widgets = list(dict.fromkeys(widget for answer in answers for widget in widgets_in(answer)))
        assert len(widgets) >= len(first_types)
        for place, value in enumerate((*values(), pressed)):
            states = [named(value, widget) for widget in widgets]
            answers = await asked(visitor, "", states)
            refuse_errors(answers, "", value)
            types = _types(answers)
            assert types.keys() == first_types.keys()
            for name, kind in types.items():
                assert kind in (first_types[name], ALSO.get(name)), (name, kind, str(value)[:200])
            if place % EVERY:
                continue
            # Somebody who knows the names of widgets can send values before there are any.
            async with connected(host) as other_link:
                refuse_errors(await asked(Visitor(other_link), "", states), "", value)


# What Streamlit's own pages send: kind, value, and what the widget then gives.
SENT = {
    "checkbox": ({"bool_value": True}, "bool True"),
    "radio": ({"string_value": "b"}, "str 'b'"),
    "selectbox": ({"string_value": "b"}, "str 'b'"),
    "multiselect": ({"string_array_value": {"data": ["b"]}}, "list ['b']"),
    "slider": ({"double_array_value": {"data": [6]}}, "int 6"),
    "whole": ({"int_value": 7}, "int 7"),
    "number": ({"double_value": 0.75}, "float 0.75"),
    "text": ({"string_value": "x"}, "str 'x'"),
    "feedback": ({"string_value": "2"}, "int 2"),
    "place": ({"int_value": 2}, "int 2"),
}


def test_what_pages_send_is_taken(host: str) -> None:
    completed(_send_as_pages_do(host))


async def _send_as_pages_do(host: str) -> None:
    async with asyncio.timeout(OUTER_LIMIT), connected(host) as link:
        visitor = Visitor(link)
        widgets = {widget for answer in await asked(visitor, "", []) for widget in widgets_in(answer)}
        states = []
        for key, (value, _) in SENT.items():
            (widget,) = [widget for widget in widgets if widget.endswith(f"-{key}")]
            states.append(named(WidgetState(**value), widget))
        answers = await asked(visitor, "", states)
    texts = "\n".join(answer.delta.new_element.text.body for answer in answers if answer.HasField("delta"))
    for key, (_, shown) in SENT.items():
        assert f"{key}: {shown}" in texts.splitlines()


def _types(answers: list[ForwardMsg]) -> dict[str, str]:
    """Return the types of the values of widgets, as the page says."""
    texts = [answer.delta.new_element.text.body for answer in answers if answer.HasField("delta")]
    (text,) = [text for text in texts if text]
    return dict(re.findall(r"^(.+?): (\w+) ", text, re.MULTILINE))
