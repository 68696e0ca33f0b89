"""Values of widgets come from browsers, which can send any; a widget gets only those that it can read."""

import logging
from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.session_state import Serialized, WStates

from mteval.base.bounded_input import Place, Text, decoded

LOG = logging.getLogger(__name__)
NUMBERS = ("double_value", "int_value")  # widgets for whole numbers announce the first and send the second
EDITOR = "streamlit.elements.widgets.data_editor"


def refuse_odd_values() -> None:
    """Have every session ignore a value that a browser sent to a widget that cannot read it; the widget keeps its own.

    Streamlit would keep the value, and raise the widget's error in this run and in all that follow. A value can come
    before its widget is drawn, so it is checked where the widget reads it, not where it arrives. The log gets one line
    per kind of widget, however often this happens.
    """
    read_value = WStates.__getitem__
    warned_of = set[str | None]()  # kinds of widgets

    def read_unless_odd(states: WStates, widget: str) -> Any:
        state = states.states.get(widget)
        metadata = states.widget_metadata.get(widget)
        if metadata is None or not isinstance(state, Serialized):
            return read_value(states, widget)
        if _is_of_its_kind(state.value, metadata):
            try:
                value = read_value(states, widget)
                _refuse_odd_parts(value)
                # Reading replaces the expected kind by the received one, which is None if the widget was cleared.
                states.set_widget_metadata(metadata)
                return value
            except Exception:  # whatever a widget raises: it was not made for such values
                states.set_widget_metadata(metadata)
                states.states[widget] = state
        if metadata.value_type not in warned_of:
            warned_of.add(metadata.value_type)
            kind = state.value.WhichOneof("value")
            LOG.warning("a widget ignored a value that its page does not send: %s of %s", kind, metadata.value_type)
        # As if nothing had been sent. A default in its place would be a change, and call the widget's callback.
        raise KeyError(widget)

    # Streamlit offers no hook where a value is read, so its method is replaced
    WStates.__getitem__ = read_unless_odd  # type: ignore[method-assign]
    # A cell that does not fit its column is ignored by Streamlit, whose warning quotes it.
    logging.getLogger(EDITOR).addFilter(lambda record: record.levelno > logging.WARNING)


def _is_of_its_kind(sent: WidgetState, metadata: WidgetMetadata[Any]) -> bool:
    """Return whether a value is of the kind that a widget reads, and among its options if it has a fixed set."""
    kind = sent.WhichOneof("value")  # None if the widget was cleared
    if kind is None:
        return True
    are_numbers = kind in NUMBERS and metadata.value_type in NUMBERS
    if kind != metadata.value_type and not are_numbers:
        return False
    options = metadata.formatted_options  # None if the user can type others
    if kind == "string_value" and options is not None:
        return sent.string_value in options
    return True


class _Selection(Struct):
    """What is selected in a table or a figure."""

    rows: list[Place] = []
    columns: list[Text] = []
    cells: list[tuple[Place, Text]] = []
    points: list[dict[str, Any]] = []


class _State(Struct):
    """The state of a table or a figure, which Streamlit reads from JSON without looking at it."""

    selection: _Selection | None = None
    edited_rows: dict[Place, dict[str, Any]] = {}
    added_rows: list[dict[str, Any]] = []
    deleted_rows: list[Place] = []


def _refuse_odd_parts(value: object) -> None:
    """Raise InputError if the state of a table or a figure has parts of other kinds."""
    if isinstance(value, Mapping):
        decoded(value, _State, None)
