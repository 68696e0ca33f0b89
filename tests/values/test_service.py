"""How the dashboard is served, as a value and as options."""

import argparse
import math
from pathlib import Path

import pytest

from mteval.base.errors import SettingsError
from mteval.values.service import Service, add_options, service_of


def said(*words: str, **environment: str) -> Service:
    parser = argparse.ArgumentParser()
    add_options(parser)
    return service_of(parser.parse_args(words), environment)


@pytest.mark.parametrize(
    "service",
    [
        Service(),
        Service(port=8080, address="0.0.0.0", base_path="lab/mt-eval_1.0", sign_in=Path("/etc/a b.toml")),
        Service(address="::1", is_framed=True, is_demo=True, has_counts=True, session_mb=5.0, session_minutes=30.0),
        Service(session_mb=0.5, session_minutes=600.0),
    ],
)
def test_its_words_say_the_same(service: Service) -> None:
    assert said(*service.words()) == service


def test_slashes_around_the_base_path_say_nothing() -> None:
    assert said("--base-path", "/lab/mteval/") == Service(base_path="lab/mteval")


@pytest.mark.parametrize(("value", "expected"), [("1", True), ("yes", True), ("0", False), ("", False)])
def test_variables_stand_for_options(value: str, expected: bool) -> None:
    service = said(MTEVAL_DEMO=value, MTEVAL_FRAMED=value)
    assert (service.is_demo, service.is_framed) == (expected, expected)
    assert said(MTEVAL_BASE_PATH="/a/", MTEVAL_SIGN_IN="/b.toml") == Service(base_path="a", sign_in=Path("/b.toml"))
    assert said("--base-path=c", "--sign-in=/d.toml", MTEVAL_BASE_PATH="a", MTEVAL_SIGN_IN="/b.toml") == Service(
        base_path="c", sign_in=Path("/d.toml")
    )
    assert said(MTEVAL_BASE_PATH="", MTEVAL_SIGN_IN="") == Service()


def test_a_session_has_limits_in_the_demo_and_where_they_are_set() -> None:
    assert (said("--demo").session_mb, said("--demo").session_minutes) == (5, 30)
    assert said("--demo", "--session-mb=50", MTEVAL_SESSION_MB="7", MTEVAL_SESSION_MINUTES="7") == Service(
        is_demo=True, session_mb=50, session_minutes=7
    )
    assert said(MTEVAL_SESSION_MB="").session_mb == math.inf
    with pytest.raises(SettingsError, match="expected a number above 0"):
        said("--session-mb=-1")
    with pytest.raises(SettingsError, match="MTEVAL_SESSION_MINUTES is 'long'"):
        said(MTEVAL_SESSION_MINUTES="long")


@pytest.mark.parametrize("path", ["..", "a/../b", "a//b", "a b", "<b>", "a?b", "%2e"])
def test_a_base_path_is_made_of_names(path: str) -> None:
    with pytest.raises(SettingsError, match="The base path is"):
        Service(base_path=path)


@pytest.mark.parametrize(
    ("address", "is_alone", "url"),
    [
        ("127.0.0.1", True, "http://127.0.0.1:8501"),
        ("127.3.2.1", True, "http://127.3.2.1:8501"),
        ("::1", True, "http://[::1]:8501"),
        ("localhost", True, "http://localhost:8501"),
        ("0.0.0.0", False, "http://localhost:8501"),
        ("::", False, "http://localhost:8501"),
        ("", False, "http://localhost:8501"),
        ("lab.example", False, "http://lab.example:8501"),
    ],
)
def test_who_reaches_an_address(address: str, is_alone: bool, url: str) -> None:
    service = Service(address=address)
    assert (service.is_for_this_machine, service.url) == (is_alone, url)
