"""Compiled kernels are loaded (the first time ever: compiled) beside the page, before somebody waits for them."""

from collections.abc import Callable
from threading import Event

import streamlit as st

from mteval.analysis.preparation import prepare_further, prepare_usual
from mteval.analysis.work import Progress, Work
from mteval.kernels import making_told
from mteval.parallel import Engine
from mteval.ui.session.jobs import Job

HEAD_START = 1.5  # seconds for the first page, which would have to share the interpreter with the compiler


@st.cache_resource(show_spinner=False)
def warm_up() -> Job[None]:
    """Evaluate two sentences with the usual metrics, once a server, in a thread."""
    return Job("warm up", _evaluate_little)


@st.cache_resource(show_spinner=False)
def warm_further() -> Job[None]:
    """Then with the metrics that bring compiled code of their own."""
    return Job("warm up further", _evaluate_further)


def _evaluate_little(cancelled: Event, report: Callable[[Progress], None]) -> None:
    cancelled.wait(HEAD_START)
    with making_told(lambda name, number, most: report(Progress(name, number, most))):
        prepare_usual(Work(Engine(1, cancelled)))


def _evaluate_further(cancelled: Event, report: Callable[[Progress], None]) -> None:
    warm_up().result()
    prepare_further(Work(Engine(1, cancelled), report=report))
