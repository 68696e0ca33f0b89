"""Choices that survive a change of page, a rerun, and changing options."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

from mteval.base.characters import visible

SURVIVES: dict[str, Any] = {"persist_state": "session"}
IN_ADDRESS: dict[str, Any] = {"bind": "query-params", **SURVIVES}
T = TypeVar("T")


def keep_among(options: Collection[Any], key: str, otherwise: Any) -> None:
    """Reset a widget whose value is no longer among its options.

    The value is set: a browser goes on showing what was chosen where it is only forgotten.
    """
    state = st.session_state.get(key)
    chosen = state if isinstance(state, list) else [] if state is None else [state]
    if any(value not in options for value in chosen):
        st.session_state[key] = otherwise


def choose(
    label: str,
    options: Sequence[T] | Mapping[T, str],
    key: str,
    *,
    default: T | None = None,
    where: Any = st,
    in_address: bool = True,
    **how: Any,
) -> T:
    """Choose one option: the last choice if it still exists, else the default, else the first.

    Parameters
    ----------
    options
        A mapping says how each of them is called.
    where
        The part of the page that the widget stands in.
    in_address
        Whether the choice stands in the address of the page, so that a link repeats it.
    how
        Whatever else ``selectbox`` takes.
    """
    keys = list(options)
    index = 0 if default is None else keys.index(default)
    keep_among(keys, key, keys[index])
    kept, drawn = IN_ADDRESS if in_address else SURVIVES, _drawn(key, options, in_address, how)
    chosen: T = where.selectbox(label, keys, index=index, key=key, **kept, **drawn)
    return chosen


def choose_some(
    label: str,
    options: Sequence[T] | Mapping[T, str],
    key: str,
    *,
    default: Sequence[T] = (),
    where: Any = st,
    in_address: bool = True,
    **how: Any,
) -> list[T]:
    """Choose some options; the default if one of the last choices no longer exists."""
    keep_among(options, key, list(default))
    kept, drawn = IN_ADDRESS if in_address else SURVIVES, _drawn(key, options, in_address, how)
    chosen: list[T] = where.multiselect(label, list(options), default=list(default), key=key, **kept, **drawn)
    return chosen


def _drawn(key: str, options: Collection[T], in_address: bool, how: Mapping[str, Any]) -> dict[str, Any]:
    """Return the widget's arguments, with hidden characters in names made visible, and note whether it is in the
    address.
    """
    if in_address:
        keys_in_address().add(key)
    named = options.__getitem__ if isinstance(options, Mapping) else how.get("format_func", str)
    return {**how, "format_func": lambda option: visible(str(named(option)))}


def keys_in_address() -> set[str]:
    """Return the keys of choices that stand in the address of their page."""
    keys: set[str] = st.session_state.setdefault("keys-in-address", set())
    return keys


def choose_tab(names: Sequence[str], key: str) -> Sequence[Any]:
    """Show tabs, of which only the open one is drawn; it is kept in the address and across pages."""
    keep_among(names, key, names[0])
    kept = f"{key} as it was left"
    if key not in st.session_state and st.session_state.get(kept) in names:
        st.session_state[key] = st.session_state[kept]
    tabs = st.tabs(list(names), key=key, on_change="rerun", bind="query-params")
    st.session_state[kept] = next((name for name, tab in zip(names, tabs, strict=True) if tab.open), None)
    return tabs


def show_tabs(views: Mapping[str, Callable[[T], None]], key: str, about: T) -> None:
    """Show tabs; a function draws the open one from what the page is about."""
    for tab, view in zip(choose_tab(list(views), key), views.values(), strict=True):
        if tab.open:
            with tab:
                view(about)
