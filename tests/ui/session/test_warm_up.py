"""Code that later pages need is compiled after the first results, not beside them."""

from collections.abc import Iterator
from threading import Event
from typing import Any

import pytest
import streamlit as st

from mteval.ui.session import progress


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> Iterator[Event]:
    """Set once the further code is compiled, on a server whose usual code is there."""
    is_prepared = Event()
    monkeypatch.setattr(progress, "_evaluate_little", lambda cancelled, report: None)
    monkeypatch.setattr(progress, "prepare_further", lambda work: is_prepared.set())
    st.cache_resource.clear()
    yield is_prepared
    st.cache_resource.clear()


def nothing(_: Any) -> None:
    """Report nothing."""


def test_further_code_waits_for_the_first_results(prepared: Event) -> None:
    job = progress.warm_further()
    assert not prepared.wait(1)
    progress.first_results().set()
    job.result()
    assert prepared.is_set()


def test_without_results_further_code_is_compiled_after_a_while(
    prepared: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "SECONDS_FOR_FIRST_RESULTS", 0.1)
    progress.warm_further().result()
    assert prepared.is_set()


def test_a_stopped_server_compiles_nothing_more(prepared: Event) -> None:
    cancelled = Event()
    cancelled.set()
    progress._evaluate_further(cancelled, nothing)
    assert not prepared.is_set()
