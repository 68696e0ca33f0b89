"""Choices that survive: a change of the page, a run of the script, and options that come and go under them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

from mteval.base.characters import visible

SURVIVES: dict[str, Any] = {"persist_state": "session"}
IN_ADDRESS: dict[str, Any] = {"bind": "query-params", **SURVIVES}
T = TypeVar("T")


def keep_among(options: Collection[Any], key: str, otherwise: Any) -> None:
    """Give a widget another value where its own, or one of its own, is none of the options any more.

    The value is set: a browser goes on showing what was chosen where it is only forgotten.
    """
    state = st.session_state.get(key)
    chosen = state if isinstance(state, list) else [] if state is None else [state]
    if any(value not in options for value in chosen):
        st.session_state[key] = otherwise


def choose(
    label: str,
    options: Sequence[T],
    key: str,
    *,
    default: T | None = None,
    where: Any = st,
    in_address: bool = True,
    **how: Any,
) -> T:
    """One of some options: the one that was chosen, as long as it is among them, else the default, else the first.

    Parameters
    ----------
    where
        The part of the page that the widget stands in.
    in_address
        Whether the choice stands in the address of the page, so that a link repeats it.
    how
        Whatever else ``selectbox`` takes.
    """
    index = 0 if default is None else list(options).index(default)
    keep_among(options, key, options[index])
    _note(key, in_address)
    chosen: T = where.selectbox(
        label, options, index=index, key=key, **(IN_ADDRESS if in_address else SURVIVES), **_legible(how)
    )
    return chosen


def choose_some(
    label: str,
    options: Sequence[T],
    key: str,
    *,
    default: Sequence[T] = (),
    where: Any = st,
    in_address: bool = True,
    **how: Any,
) -> list[T]:
    """Some of the options; the default again where one that was chosen is not among them any more."""
    keep_among(options, key, list(default))
    _note(key, in_address)
    chosen: list[T] = where.multiselect(
        label, options, default=list(default), key=key, **(IN_ADDRESS if in_address else SURVIVES), **_legible(how)
    )
    return chosen


def _legible(how: Mapping[str, Any]) -> Mapping[str, Any]:
    """How options are drawn, with what nobody would see in a name shown."""
    named = how.get("format_func", str)
    return {**how, "format_func": lambda option: visible(str(named(option)))}


def _note(key: str, in_address: bool) -> None:
    if in_address:
        keys_in_address().add(key)


def keys_in_address() -> set[str]:
    """The choices that this session has made, or could, which stand in the address of their page."""
    keys: set[str] = st.session_state.setdefault("keys-in-address", set())
    return keys


def choose_tab(names: Sequence[str], key: str) -> Sequence[Any]:
    """Tabs that draw the open one alone, stand in the address, and are as they were left after another page."""
    keep_among(names, key, names[0])
    kept = f"{key} as it was left"
    if key not in st.session_state and st.session_state.get(kept) in names:
        st.session_state[key] = st.session_state[kept]
    tabs = st.tabs(list(names), key=key, on_change="rerun", bind="query-params")
    st.session_state[kept] = next((name for name, tab in zip(names, tabs, strict=True) if tab.open), None)
    return tabs
