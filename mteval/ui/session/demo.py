"""What a visitor of the demo may do: little enough that anybody can be let in, and nothing of it is kept."""

import time
from collections.abc import Callable, Mapping, Sequence
from threading import Timer
from typing import TypeVar

import streamlit as st

from mteval.counts import counted
from mteval.metrics import METRICS
from mteval.readers import InputFile
from mteval.readers.workspace import Workspace
from mteval.service import is_demo
from mteval.ui.parts import messages
from mteval.ui.parts.markup import show, tag
from mteval.ui.parts.messages import leave, show_left
from mteval.ui.session.memory import MIB, of_session
from mteval.ui.session.progress import background

MOST_MIB = 5  # of files in a session
MOST_MINUTES = 30  # of a session
MOST_METRICS = 4  # at a time
LEFT_OUT = ("meteor", "nist", "dep-f", "comet")  # with tables or models of their own, which take memory
BEGAN = "demo-began"
T = TypeVar("T")


def keep_demo_small() -> None:
    """At the head of each page say how much time is left; where none is, the page ends there and so has the work."""
    if not is_demo():
        return
    began = of_session(BEGAN, _begin)
    left = MOST_MINUTES - (time.monotonic() - began) / 60
    if left <= 0:
        messages.say(
            "warning",
            f"The {MOST_MINUTES} minutes of this session of the demo are over, and what was loaded is gone with it."
            " Reload the page for another, or install mteval: on a machine of your own nothing is limited.",
        )
        st.stop()
    text = (
        f"A demo: the sample, or files of at most {MOST_MIB} MB in all; {counted(MOST_METRICS, 'metric')} at a time;"
        f" {counted(round(left + 0.5), 'minute')} left. Nothing that you load is kept."
    )
    show(tag("p", text, class_="mt-quiet"))
    show_left()


def _begin() -> float:
    """The session begins; at its end its work stops, whether or not anybody looks."""
    end = Timer(MOST_MINUTES * 60, background().stop_all)
    end.daemon = True
    end.start()
    return time.monotonic()


def small_enough(add: Callable[[], Workspace], files: Sequence[InputFile]) -> Workspace | None:
    """What is loaded once files were added; None, and the reason left, where that is more than the demo takes."""
    if not is_demo():
        return add()
    if _is_too_much(files):
        return None
    changed = add()
    return None if _is_too_much(changed.files) else changed  # archives have grown


def _is_too_much(files: Sequence[InputFile]) -> bool:
    n_bytes = sum(len(file.content) for file in files)
    if n_bytes <= MOST_MIB * MIB:
        return False
    leave(
        "error",
        f"These would be {n_bytes / MIB:.1f} MB; the demo takes {MOST_MIB} MB in all, and nothing was added. Take fewer"
        " runs or segments, or install mteval.",
    )
    return True


def offered(known: Mapping[str, T]) -> dict[str, T]:
    """The metrics that may be chosen: all, but for some in the demo. Scores that came with the files cost nothing."""
    return {key: value for key, value in known.items() if not (is_demo() and key in METRICS and key in LEFT_OUT)}


def most_metrics() -> int | None:
    """So many at a time; None where as many as wanted."""
    return MOST_METRICS if is_demo() else None
