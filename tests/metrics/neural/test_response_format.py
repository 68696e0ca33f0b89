"""Structured output is tried once per endpoint, model and protocol, and how answers were read is in their signature."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from mteval.analysis.findings import expected_use
from mteval.base.errors import MtevalError
from mteval.base.paths import cache_directory
from mteval.cli import main
from mteval.metrics import METRICS
from mteval.metrics.base import OptionValue
from mteval.metrics.neural import exchange, panel
from mteval.metrics.neural.asking import JudgeScorer
from mteval.metrics.neural.judge import Judge
from mteval.metrics.neural.response_format import PARSER
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings
from tests.judge_endpoint import Body, Endpoint, of_its_own, serving

OUTPUTS = tuple(f"tree {number}" for number in range(12))
ALL = list(range(len(OUTPUTS)))


@pytest.fixture
def endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with serving() as server:
        monkeypatch.setenv("MTEVAL_JUDGE", f"tiny-model@{server.url}")
        monkeypatch.setenv("MTEVAL_CACHE", str(tmp_path / "cache"))
        server.answer = of_its_own
        yield server


def metric(**options: OptionValue) -> Judge:
    made = METRICS["llm-judge"].configure("sacrebleu", options)
    assert isinstance(made, Judge)
    return made


def scorer(**options: OptionValue) -> JudgeScorer:
    return metric(**options).prepare(TestSet("test", ((),) * len(OUTPUTS), source=OUTPUTS))


def forget_this_process() -> None:
    """Read what is kept on disk, as a new process does."""
    panel._formats.clear()


def n_with_schema(endpoint: Endpoint) -> int:
    return sum("response_format" in body for body in endpoint.bodies)


def test_an_endpoint_that_takes_a_schema_gets_it_with_every_request(endpoint: Endpoint) -> None:
    for protocol, members in (("direct", ["score"]), ("mqm", ["errors"]), ("esa", ["errors", "score"])):
        endpoint.bodies.clear()
        assert not np.isnan(scorer(protocol=protocol).statistics(ALL, OUTPUTS)).any()
        assert n_with_schema(endpoint) == len(endpoint.bodies) == len(OUTPUTS)
        asked = endpoint.bodies[0]["response_format"]
        assert isinstance(asked, dict)
        assert asked["type"] == "json_schema"
        assert asked["json_schema"]["schema"]["required"] == members
        assert metric(protocol=protocol).signature().endswith("|format:json-schema|repeats:1")


@pytest.mark.parametrize(("status", "n_tries"), [(400, 1), (404, 1), (415, 1), (422, 1), (500, 2), (501, 2)])
def test_an_endpoint_that_refuses_a_schema_is_asked_without_it_from_then_on(
    endpoint: Endpoint, status: int, n_tries: int
) -> None:
    endpoint.refuses_schema = status
    judge = scorer()
    first = judge.statistics(ALL, OUTPUTS)
    assert n_with_schema(endpoint) == n_tries
    assert len(endpoint.bodies) == len(OUTPUTS) + n_tries
    assert not np.isnan(first).any()
    forget_this_process()
    assert "|format:text|" in metric().signature()
    np.testing.assert_array_equal(scorer().statistics(ALL, OUTPUTS), first)
    assert len(endpoint.bodies) == len(OUTPUTS) + n_tries
    scorer().statistics([0], ["another tree"])
    assert n_with_schema(endpoint) == n_tries
    scorer(protocol="mqm").statistics([0], OUTPUTS[:1])  # another schema, which is tried on its own
    assert n_with_schema(endpoint) == 2 * n_tries


def test_a_failure_that_has_nothing_to_do_with_the_schema_decides_nothing(endpoint: Endpoint) -> None:
    endpoint.answer = lambda prompt, number: (500, {}) if number == 1 else of_its_own(prompt, number)
    scorer().statistics(ALL, OUTPUTS)
    assert "|format:json-schema|" in metric().signature()
    endpoint.answer = lambda prompt, number: (401, {})
    with pytest.raises(MtevalError, match="answered 401"):
        scorer(protocol="mqm").statistics(ALL, OUTPUTS)
    endpoint.answer = lambda prompt, number: (404, {})
    with pytest.raises(MtevalError, match="answered 404"):
        scorer(protocol="mqm").statistics(ALL, OUTPUTS)
    assert "|format:untried|" in metric(protocol="mqm").signature()


def test_a_schema_that_is_refused_later_is_an_error_and_no_other_format(endpoint: Endpoint) -> None:
    scorer().statistics([0], OUTPUTS[:1])
    endpoint.refuses_schema = 400
    with pytest.raises(MtevalError, match="answered 400"):
        scorer().statistics(ALL, OUTPUTS)
    assert n_with_schema(endpoint) == len(endpoint.bodies)


def test_a_schema_that_is_ignored_does_no_harm(endpoint: Endpoint) -> None:
    endpoint.answer = lambda prompt, number: "Score (0-100): 85"
    np.testing.assert_array_equal(scorer().statistics(ALL, OUTPUTS)[:, 0], 85)


def test_nothing_is_sent_before_scoring(endpoint: Endpoint) -> None:
    test_set = TestSet("test", ((),) * len(OUTPUTS), (Run("new", "0", OUTPUTS),), source=OUTPUTS)
    experiment = Experiment((test_set,), "new")
    (said,) = expected_use(experiment, Settings(metrics=("llm-judge",)))
    assert f"{len(OUTPUTS)} requests" in said
    judge = scorer()
    assert "|format:untried|" in metric().signature()
    assert judge.error_spans(test_set.runs[0]) is None
    assert not endpoint.bodies
    judge.statistics(ALL, OUTPUTS)
    assert len(endpoint.bodies) == len(OUTPUTS)  # the request that tries the schema is the first judgement


def test_stop_ends_the_request_that_tries_the_schema(endpoint: Endpoint) -> None:
    release = threading.Event()

    def slow(prompt: str, number: int) -> str:
        release.wait(20)
        return "60"

    endpoint.answer = slow
    start = time.monotonic()

    def stop_soon(done: float) -> None:
        if endpoint.bodies:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        scorer().statistics_and_more(ALL, OUTPUTS, stop_soon)
    assert time.monotonic() - start < 10
    release.set()
    assert "|format:untried|" in metric().signature()


def test_a_choice_on_disk_that_is_damaged_is_made_again(endpoint: Endpoint) -> None:
    scorer().statistics([0], OUTPUTS[:1])
    with closing(sqlite3.connect(cache_directory() / "judgements.sqlite")) as database, database:
        database.execute("UPDATE formats SET format = 'json-schemb'")
    forget_this_process()
    assert "|format:untried|" in metric().signature()
    scorer().statistics([0], OUTPUTS[:1])
    assert "|format:json-schema|" in metric().signature()


def test_judgements_without_the_parser_in_their_signature_are_not_served(endpoint: Endpoint) -> None:
    judge = scorer()
    judge.statistics(ALL, OUTPUTS)
    n_asked = len(endpoint.bodies)
    asking = judge.panel.in_format("json-schema")
    assert asking.signature == f"{asking.asked}|parser:{PARSER}|format:json-schema"
    earlier = asking.keys(judge.samples(0, OUTPUTS[0]))
    for signature in (
        asking.asked,
        f"{asking.asked}|parser:1|format:json-schema",
        f"{asking.asked}|parser:2|format:json-schema",
        f"{asking.asked}|parser:{PARSER}|format:text",
    ):
        keys = type(asking)(**(vars(asking) | {"signature": signature})).keys(judge.samples(0, OUTPUTS[0]))
        assert keys != earlier
    with closing(sqlite3.connect(cache_directory() / "judgements.sqlite")) as database, database:
        database.execute("UPDATE judgements SET key = 'of ' || key")  # as if other rules had read them
    scorer().statistics(ALL, OUTPUTS)
    assert len(endpoint.bodies) == 2 * n_asked


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Options of a comparison of two systems by the judge."""
    monkeypatch.chdir(tmp_path)
    for name in ("source", "reference", "old", "new"):
        Path(name).write_text("\n".join(f"word {number} of {name}" for number in range(8)) + "\n", encoding="utf-8")
    words = ["--source", "source", "--refs", "reference", "--system", "old", "old", "--system", "new", "new"]
    return [*words, "--metrics", "llm-judge"]


def test_a_score_file_states_the_format_in_which_the_endpoint_answered(
    endpoint: Endpoint, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.refuses_schema = 400
    assert "|format:untried|" in metric().signature()
    assert main(["score", *files, "--csv", "judge.csv"]) == 0
    assert "|format:text|" in capsys.readouterr().err


def test_a_rate_limit_holds_between_the_first_request_and_the_others(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MTEVAL_JUDGE_RATE", "600")
    start = time.monotonic()
    scorer().statistics(ALL[:4], OUTPUTS[:4])
    assert time.monotonic() - start > 0.28
    assert exchange._next_turn


def test_a_refusal_by_a_body_without_json_is_understood_too(endpoint: Endpoint) -> None:
    def answer(prompt: str, number: int) -> str | Body:
        return Body(b"Unprocessable", 422) if number == 1 else "85"

    endpoint.answer = answer
    np.testing.assert_array_equal(scorer().statistics(ALL, OUTPUTS)[:, 0], 85)
    assert "|format:text|" in metric().signature()
