"""Scores computed elsewhere: which way is better is asked for, and nothing is done with them before it is known."""

from collections.abc import Sequence

import streamlit as st

from mteval.ui.parts.markup import show, tag
from mteval.ui.setup.workspace import direct, generation, workspace

DIRECTIONS = {True: "Higher is better", False: "Lower is better"}


def directions(names: Sequence[str]) -> None:
    """For each metric the choice of its direction; none is made in advance."""
    if not names:
        return
    st.subheader("Scores computed elsewhere", anchor=False)
    show(
        tag(
            "p",
            "COMET, BLEURT and ratings are better when higher; error rates, penalties and MetricX as its program writes"
            " it when lower. Files called .seg.score are taken to be of WMT's metrics task, where the sign is turned so"
            " that higher is always better; choose otherwise where yours are not.",
            class_="mt-quiet",
        )
    )
    for number, name in enumerate(names):
        with st.container(horizontal=True, vertical_alignment="center"):
            _direction(number, name)


def _direction(number: int, name: str) -> None:
    key = f"direction-{generation()}-{name}"
    chosen = workspace().edits.directions.get(name)
    st.segmented_control(
        f"Direction {number + 1}",
        list(DIRECTIONS),
        default=chosen,
        format_func=DIRECTIONS.__getitem__,
        key=key,
        label_visibility="collapsed",
        on_change=_take,
        args=(name, key),
        width="content",
    )
    show(tag("b", name), tag("span", " – not used yet", class_="mt-quiet") if chosen is None else "")


def _take(name: str, key: str) -> None:
    direct(name, st.session_state[key])
