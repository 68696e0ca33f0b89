"""Values that no page sends for its widgets: the page is drawn all the same, and other visitors are served."""

import asyncio
import json
import math
import re
from collections.abc import Iterator, Mapping
from itertools import product
from random import Random

from google.protobuf.message import Message
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.visitors import SAMPLE, Visitor, connected, is_drawn
from tests.coroutines import completed

OPEN = WidgetState(bool_value=True)  # of a panel
LIMIT = 900  # seconds, for all that is sent, and for the visitor afterwards
PAGES = ("", "scores", "significance", "replication", "segments", "people", "annotate", "report")
NUMBERS = (math.nan, math.inf, -math.inf, 1e308, -1.0, 0.5)
TEXTS = ("", "x", "5", "x" * 5_000, "\x00", "null", "[]", "[1", "[" * 5_000, "{}", "1e999")
OBJECTS: tuple[object, ...] = (
    {"edited_rows": {"999": {"system": 5}}, "added_rows": [{"a": 1}], "deleted_rows": [77, "x"]},
    {"edited_rows": {"0": {"system": 5, "role": [1], "included": "x", "run": {}, "nothing": 1}}},
    {"edited_rows": {"-1": {}, "x": 5}},
    {"edited_rows": 5},
    {"selection": {"rows": [-7, 999, "x"], "columns": [5], "cells": 1}},
    {"selection": {"points": 5, "point_indices": [999], "box": [], "lasso": {}}},
    {"selection": {"rows": [999], "columns": ["nothing"], "cells": []}},
    {"selection": {"rows": [], "columns": [{}], "cells": []}},
    {"selection": {"points": [{"customdata": {"x": 1}}], "point_indices": [0], "box": [], "lasso": []}},
    {"selection": {"points": [{}], "point_indices": [0], "box": [], "lasso": []}},
    {"selection": {"rows": [999_999]}},
    {"selection": {"rows": ["x"]}},
    {"selection": {"rows": 5}},
    {"selection": {"rows": [-1]}},
    {"selection": {"columns": ["nothing"]}},
    {"selection": {"points": [5]}},
    {"selection": 5},
    {"edited_rows": {"0": 5}},
    {"edited_rows": {"999999": {"system": "x"}}},
    {"added_rows": 5, "deleted_rows": {"x": 1}},
    {"step": {"to": -1}},
    {"step": {"to": 10**30}},
    {"step": {"to": "x"}},
    {"step": 5},
    {"said": {"0": {"seq": 5}}},
    {"said": {"x": {}}},
    {"said": [1]},
    {"moved": {"id": "x", "table": 10**18, "corpus": -(10**18)}},
    {"moved": {"id": "x", "table": "1", "corpus": None}},
    {"moved": {"a": [1]}, "positions": 7, "notes": [1], "value": {"x": {}}},
    {"moved": "x", "event": "moved", "value": 3},
    [{"event": "moved", "value": {}}, 5],
)


def values() -> Iterator[WidgetState]:
    """Values of every kind that the protocol has; a button that is pressed is left out, since a page sends that."""
    yield WidgetState()
    for truth in (True, False):
        yield WidgetState(bool_value=truth)
    for number in NUMBERS:
        yield WidgetState(double_value=number)
    for integer in (-5, 0, 2**63 - 1):
        yield WidgetState(int_value=integer)
    objects_as_text = [json.dumps(value) for value in OBJECTS]
    for text in (*TEXTS, *objects_as_text):
        yield WidgetState(string_value=text)
        yield WidgetState(json_value=text)
    for text in TEXTS[:4]:
        yield WidgetState(json_trigger_value=text)
        yield _with(string_trigger_value={"data": text})
        yield _with(chat_input_value={"data": text})
    for integers in ([], [0], [-1, 99], [2**62] * 1_000):
        yield _with(int_array_value={"data": integers})
        yield _with(double_array_value={"data": integers})
        yield _with(string_array_value={"data": [str(integer) for integer in integers]})
    yield _with(double_array_value={"data": NUMBERS})
    yield WidgetState(bytes_value=b"\xff")
    yield _with(arrow_value={"data": b"\xff"})
    yield _with(file_uploader_state_value={"uploaded_file_info": [{"file_id": "nowhere", "name": "x", "size": 1}]})


def _with(**message: Mapping[str, object]) -> WidgetState:
    return WidgetState(**message)


def widgets_in(message: Message) -> Iterator[str]:
    """Yield the names of the widgets that a message draws."""
    for field, value in message.ListFields():
        if field.name == "id" and isinstance(value, str) and value.startswith("$$ID-"):
            yield value
            continue
        if field.message_type is None or field.message_type.GetOptions().map_entry:
            continue
        if isinstance(value, Message):
            yield from widgets_in(value)
        else:
            for part in value:
                yield from widgets_in(part)


def panels_in(message: ForwardMsg) -> list[str]:
    """Return the name of the panel that a message draws, if what is in it is sent once it is opened."""
    block = message.delta.add_block
    return [name for name in (block.expandable.id, block.popover.id) if name]


async def asked(visitor: Visitor, page: str, states: list[WidgetState]) -> list[ForwardMsg]:
    """Return what a server draws of a page for a browser that sends these values."""
    message = BackMsg()
    message.rerun_script.page_script_hash = visitor.pages.get(page, "")
    message.rerun_script.widget_states.widgets.extend(states)
    await visitor.link.send(message.SerializeToString())
    answers = list[ForwardMsg]()
    while not answers or not is_drawn(answers[-1]):
        answer = ForwardMsg()
        answer.ParseFromString(await visitor.link.recv())
        answers.append(answer)
    return answers


def named(value: WidgetState, widget: str) -> WidgetState:
    """Return a value for a widget."""
    state = WidgetState()
    state.CopyFrom(value)
    state.id = widget
    return state


async def _sent(host: str, number: int, seed: int) -> int:
    """Send values as two visitors, and have a third score the sample; return how many widgets the pages have."""
    async with asyncio.timeout(LIMIT), connected(host) as link, connected(host) as other_link:
        visitor = Visitor(link)
        newcomer = Visitor(other_link)
        await _score_sample(visitor)
        widgets_of = {page: await _widgets_of(visitor, page) for page in PAGES}

        cases = list(product(PAGES, values()))
        n_cases = min(number, len(cases))
        for page, value in Random(seed).sample(cases, n_cases):
            states = [named(value, widget) for widget in widgets_of[page]]
            refuse_errors(await asked(visitor, page, states), page, value)
            # Somebody who knows the names of widgets can send values before there are any.
            refuse_errors(await asked(newcomer, page, states), page, value)

    async with asyncio.timeout(LIMIT), connected(host) as link:
        await _score_sample(Visitor(link))
    return sum(len(widgets) for widgets in widgets_of.values())


async def _score_sample(visitor: Visitor) -> None:
    """Open the first page, load the sample there, and wait for its numbers."""
    await visitor.ask()
    await visitor.ask(button=SAMPLE)
    await visitor.score()


async def _widgets_of(visitor: Visitor, page: str) -> list[str]:
    """Return the names of the widgets of a page, each once, when the page has computed all that it shows.

    Those in closed panels are among them.
    """
    await visitor.ask(page)
    while visitor.progress is not None:
        await asyncio.sleep(visitor.progress.interval)
        await visitor.ask(page)
    answers = await asked(visitor, page, [])
    answers += await asked(visitor, page, [named(OPEN, panel) for answer in answers for panel in panels_in(answer)])
    widgets: list[str] = []
    for answer in answers:
        widgets += widgets_in(answer)
    return list(dict.fromkeys(widgets))


def errors_in(log: str) -> list[str]:
    """Return the places of errors of Python's in a server's log, which names no messages."""
    return re.findall(r"^(?:Traceback.*|  .+:\d+ in .+)$", log, re.MULTILINE)


def refuse_errors(answers: list[ForwardMsg], page: str, value: WidgetState) -> None:
    """Raise AssertionError if a page shows an error of Python's."""
    for answer in answers:
        if answer.WhichOneof("type") != "delta":
            continue
        element = answer.delta.new_element
        if element.WhichOneof("type") == "exception":
            raise AssertionError(f"{page}: {str(value)[:200]}: {element.exception.type}")


def run_widgets(host: str, number: int, seed: int = 0) -> int:
    """Send so many values, each to all widgets of a page; return how many widgets there are.

    Raises
    ------
    AssertionError
        If a page shows an error.
    TimeoutError
        If another visitor gets no numbers afterwards.
    """
    return completed(_sent(host, number, seed))
