"""Requests to an LLM judge's endpoint, which may answer anything: bounded in size, depth and time, without the key."""

import json
import threading
import time
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mteval.base.errors import MtevalError, SettingsError
from mteval.metrics import METRICS
from mteval.metrics.neural import asking, exchange
from mteval.metrics.neural.asking import JudgeScorer
from mteval.metrics.neural.exchange import seconds_wanted, tokens_of, without_key
from mteval.metrics.neural.judge import Judge
from mteval.values.model import TestSet
from tests.judge_endpoint import Answered, Body, Endpoint, completion, serving

SECRET = "sk-proj-Ab3+/9xQ_secretKEY99"


@pytest.fixture
def endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with serving() as server:
        monkeypatch.setenv("MTEVAL_JUDGE", f"tiny-model@{server.url}")
        monkeypatch.setenv("MTEVAL_CACHE", str(tmp_path / "cache"))
        yield server


@pytest.fixture
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tries follow each other without a pause."""
    monkeypatch.setattr(exchange.Exchange, "_pause", lambda of, seconds: None)


def scorer() -> JudgeScorer:
    metric = METRICS["llm-judge"].configure("sacrebleu", {})
    assert isinstance(metric, Judge)
    return metric.prepare(TestSet("test", ((),), source=("Ein Baum .",)))


@pytest.mark.usefixtures("_at_once")
@pytest.mark.parametrize(
    "content",
    [
        b"{" * 300_000,
        b"[" * 300_000,
        b'{"choices":' * 50_000,
        b"[" + b"1," * 300_000 + b"1]",
        b"x" * (2 << 20),
        b'{"choices": [{"message": {"content": "' + b"8" * (2 << 20) + b'"}}]}',
        b"\xff\xfe8\x00",
        b"",
        b"85",
        b"null",
        b"[]",
        b'{"choices": []}',
        b'{"choices": [85]}',
        b'{"choices": [{"message": "85"}]}',
    ],
    ids=lambda content: repr(content[:30]),
)
def test_a_body_that_is_no_answer_is_an_error_within_a_second(endpoint: Endpoint, content: bytes) -> None:
    endpoint.answer = lambda prompt, number: Body(content)
    start = time.perf_counter()
    with pytest.raises(MtevalError, match=r"gave no answer|answered without 'choices'"):
        scorer().statistics([0], ["a tree"])
    assert time.perf_counter() - start < 10  # six tries


@pytest.mark.parametrize("content", ["{" * 300_000, "[" * 300_000, " " * 300_000, "score " * 50_000])
def test_a_deep_or_long_answer_is_missing_within_a_second(endpoint: Endpoint, content: str) -> None:
    endpoint.answer = lambda prompt, number: content
    start = time.perf_counter()
    assert np.isnan(scorer().statistics([0], ["a tree"])[0, 0])
    assert time.perf_counter() - start < 10  # three tries


@pytest.mark.parametrize("reason", ["length", "max_tokens", "content_filter"])
def test_an_answer_that_was_cut_off_is_not_understood(endpoint: Endpoint, reason: str) -> None:
    cut_off = {"choices": [{"message": {"content": "8"}, "finish_reason": reason}]}  # of 85
    endpoint.answer = lambda prompt, number: Body(json.dumps(cut_off).encode())
    assert np.isnan(scorer().statistics([0], ["a tree"])[0, 0])


def test_a_refusal_and_one_of_two_choices_are_no_answer(endpoint: Endpoint) -> None:
    refused = {"message": {"content": "20", "refusal": "I cannot judge this."}, "finish_reason": "stop"}
    answered = {"message": {"content": "85", "refusal": None}, "finish_reason": "stop"}
    scores = []
    for number, choices in enumerate(([answered], [refused], [answered, answered])):
        content = json.dumps({"choices": choices}).encode()
        endpoint.answer = lambda prompt, times, content=content: Body(content)
        scores.append(scorer().statistics([0], [f"tree {number}"])[0, 0])
    assert scores[0] == 85
    assert np.isnan(scores[1:]).all()


def test_a_text_in_parts_is_read(endpoint: Endpoint) -> None:
    parts = [{"type": "reasoning", "text": "40"}, {"type": "text", "text": "Score: "}, {"type": "text", "text": "85"}]
    in_parts = {"choices": [{"message": {"content": parts}, "finish_reason": "stop"}]}
    endpoint.answer = lambda prompt, number: Body(json.dumps(in_parts).encode())
    assert scorer().statistics([0], ["a tree"])[0, 0] == 85


@pytest.mark.parametrize(
    "content",
    [
        *(None, 85, True, {"text": "85"}, [], [85], ["85"], [None], [["85"]]),
        *([{"type": "text"}], [{"type": "text", "text": 85}], [{"type": "text", "text": None}], [{"text": "85"}]),
        *([{"type": "text", "text": "85"}, 3], [{"type": "text", "text": "8"}, None, {"type": "text", "text": "5"}]),
    ],
    ids=repr,
)
def test_content_that_is_no_text_is_no_answer_and_does_not_end_the_work(endpoint: Endpoint, content: object) -> None:
    no_text = json.dumps({"choices": [{"message": {"content": content}, "finish_reason": "stop"}]}).encode()

    def no_text_at_first(prompt: str, number: int) -> Body | str:
        if "first" in prompt:
            return Body(no_text)
        return "70"

    endpoint.answer = no_text_at_first
    scores = scorer().statistics([0, 0], ["first tree", "other tree"])[:, 0]
    np.testing.assert_array_equal(scores, [np.nan, 70])


def test_a_message_without_content_is_no_answer(endpoint: Endpoint) -> None:
    no_content = json.dumps({"choices": [{"message": {"role": "assistant", "tool_calls": []}}]}).encode()
    answers = {1: Body(no_content)}
    endpoint.answer = lambda prompt, number: answers.get(number, "70")
    assert scorer().statistics([0], ["a tree"])[0, 0] == 70


@pytest.mark.parametrize("value", ["1e999", "-5", "true", '"7"', "1" * 400, "null", "[7]", "7.5", "NaN", "1e9999999"])
def test_tokens_that_are_no_count_are_none(endpoint: Endpoint, value: str) -> None:
    content = completion("85").replace(b'"prompt_tokens": 100', b'"prompt_tokens": ' + value.encode())
    endpoint.answer = lambda prompt, number: Body(content)
    judge = scorer()
    statistics = judge.statistics([0], ["a tree"])
    named = dict(zip(judge.submetric_names, judge.submetrics(statistics)[0].tolist(), strict=True))
    assert (statistics[0, 0], named["tokens read"], named["tokens written"]) == (85, 0, 3)


@given(st.one_of(st.none(), st.text(), st.integers(), st.lists(st.integers()), st.dictionaries(st.text(), st.floats())))
def test_any_usage_is_a_count_or_none(usage: object) -> None:
    assert tokens_of(usage, "prompt_tokens") == 0
    assert tokens_of({"prompt_tokens": usage}, "prompt_tokens") in (0, usage)


@pytest.mark.parametrize(
    "header", ["²", "٣", "-3", "1e9", "", None, "soon", "1, 2", "Wed, 99 Oct 2015 07:28:00 GMT", "9" * 5000]
)
def test_a_wish_to_wait_that_is_none_leaves_the_usual_pause(header: str | None) -> None:
    assert seconds_wanted(header, 2.0) == 2.0


def test_a_wish_to_wait_is_a_number_of_seconds_or_a_date() -> None:
    assert seconds_wanted(" 7 ", 2.0) == 7
    assert seconds_wanted(
        format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True), 2.0
    ) == pytest.approx(30, abs=2)
    assert seconds_wanted("Wed, 21 Oct 2015 07:28:00 GMT", 2.0) == 0


@given(st.text())
def test_any_wish_to_wait_is_a_finite_number(header: str) -> None:
    assert 0 <= seconds_wanted(header, 2.0) < float("inf")


def test_an_endpoint_that_asks_to_wait_strangely_is_tried_again(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses = list[float]()
    monkeypatch.setattr(exchange.Exchange, "_pause", lambda of, seconds: pauses.append(seconds))
    refusals = {
        1: (429, {"Retry-After": "\u00b2"}),
        2: (429, {"Retry-After": "9999999"}),
        3: (429, {"Retry-After": "-1"}),
    }
    endpoint.answer = lambda prompt, number: refusals.get(number, "85")
    assert scorer().statistics([0], ["a tree"])[0, 0] == 85
    assert [pause for pause in pauses if pause > 0] == [1, 60, 4]


@pytest.mark.parametrize("is_header", [False, True])
def test_a_body_that_drips_ends_at_the_time_limit(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, is_header: bool
) -> None:
    monkeypatch.setattr(exchange, "SECONDS_IN_ALL", 1.0)
    monkeypatch.setattr(exchange, "_TRIES", 1)
    endpoint.answer = lambda prompt, number: Body(completion("85"), pause=0.3, drips_head=is_header)
    start = time.monotonic()
    with pytest.raises(MtevalError, match="no whole answer within 1 seconds"):
        scorer().statistics([0], ["a tree"])
    assert time.monotonic() - start < 10  # the body alone would take 40 seconds


def test_stop_ends_a_body_that_drips_and_its_thread(endpoint: Endpoint) -> None:
    endpoint.answer = lambda prompt, number: Body(completion("85"), pause=0.3)
    before = set(threading.enumerate())
    own: set[threading.Thread] = set()
    start = time.monotonic()

    def stop_soon(done: float) -> None:
        own.update(thread for thread in set(threading.enumerate()) - before if "work" in thread.name)
        if time.monotonic() - start > 1:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        scorer().statistics_and_more([0], ["a tree"], stop_soon)
    assert time.monotonic() - start < 5
    for thread in own:
        thread.join(10)
    assert own
    assert not any(thread.is_alive() for thread in own)


def test_a_connection_serves_many_requests(endpoint: Endpoint) -> None:
    endpoint.keeps = True

    def after_a_while(prompt: str, number: int) -> str:
        time.sleep(0.02)
        return "70"

    endpoint.answer = after_a_while
    scores = scorer().statistics([0] * 300, [f"tree {number}" for number in range(300)])[:, 0]
    assert scores.tolist() == [70] * 300
    assert len(endpoint.bodies) == 300
    assert endpoint.n_connections <= 32


def test_a_connection_that_the_endpoint_closed_meanwhile_is_opened_again(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "AT_ONCE", 1)
    monkeypatch.setattr(exchange, "_TRIES", 1)
    endpoint.keeps = True
    endpoint.answer = lambda prompt, number: "60"  # its head does not say that the connection is closed
    finish = endpoint.RequestHandlerClass.do_POST  # type: ignore[attr-defined]

    def do_and_close(handler: Any) -> None:
        finish(handler)
        handler.close_connection = True

    monkeypatch.setattr(endpoint.RequestHandlerClass, "do_POST", do_and_close)
    assert scorer().statistics([0] * 5, list("abcde"))[:, 0].tolist() == [60] * 5
    assert len(endpoint.bodies) == 5


@pytest.mark.usefixtures("_at_once")
@pytest.mark.parametrize("rest", [b"", b" " * (2 << 20)], ids=["read to its end", "too long to be read"])
@pytest.mark.parametrize("status", [200, 500])
def test_what_is_left_of_an_answer_is_not_taken_for_the_next(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, status: int, rest: bytes
) -> None:
    monkeypatch.setattr(asking, "AT_ONCE", 1)
    endpoint.keeps = True
    spoilt = Body(b"no JSON" + rest, status)
    endpoint.answer = lambda prompt, number: spoilt if number in (1, 3) else str(10 * number)
    assert scorer().statistics([0] * 3, list("abc"))[:, 0].tolist() == [20, 40, 50]


def test_fewer_requests_are_sent_at_a_time_if_there_are_too_many(endpoint: Endpoint) -> None:
    endpoint.keeps = True
    under_way = 0
    refused: list[float] = []

    def four_at_a_time(prompt: str, number: int) -> Answered:
        nonlocal under_way
        with endpoint.lock:
            under_way += 1
            is_refused = under_way > 4
        time.sleep(0.05)
        with endpoint.lock:
            under_way -= 1
        if is_refused:
            refused.append(time.monotonic())
            return 429, {"Retry-After": "0"}
        return "70"

    endpoint.answer = four_at_a_time
    scores = scorer().statistics([0] * 200, [f"tree {number}" for number in range(200)])[:, 0]
    assert scores.tolist() == [70] * 200
    assert len(refused) < 150  # 30 at a time would be refused over 1,000 times, and some six times in a row


def test_a_room_halves_once_per_round_and_grows_again() -> None:
    room = exchange._Room(threading.Event())
    with ExitStack() as stack:
        began = [stack.enter_context(room.place()) for _ in range(16)]
        for time_began in began:
            room.shrink(time_began)
        assert room._allowed == 8
    for _ in range(40):
        room.grow()
    assert 11 < room._allowed < 13


WAYS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "in capitals": str.upper,
    "in a URL": lambda key: quote(key, safe=""),
    "every character in a URL": lambda key: "".join(f"%{ord(character):02X}" for character in key),
    "base64": lambda key: b64encode(key.encode()).decode(),
    "base64 of a header": lambda key: b64encode(f"Bearer {key}".encode()).decode(),
    "base64 of a login": lambda key: b64encode(f"a:{key}".encode()).decode(),
    "base64 for URLs": lambda key: urlsafe_b64encode(key.encode()).decode(),
    "hexadecimal": lambda key: key.encode().hex(),
    "its first half": lambda key: key[: len(key) // 2] + "…",
    "its second half": lambda key: "***" + key[len(key) // 2 :],
    "with spaces": " ".join,
    "over lines": lambda key: key[:9] + "\n" + key[9:],
    "escaped": lambda key: key.replace("/", "\\/"),
    "escaped in JSON": lambda key: "".join(f"\\u{ord(character):04x}" for character in key),
    "as entities": lambda key: "".join(f"&#{ord(character)};" for character in key),
}


def repeats(text: str, key: str) -> bool:
    """Whether eight characters in a row of a key, or of one of its forms, are in a text."""
    for name, way in WAYS.items():
        if name in ("with spaces", "over lines", "base64 of a header", "base64 of a login"):
            continue
        form = way(key)
        for start in range(max(1, len(form) - 7)):
            part = form[start : start + 8]
            if "*" not in part and part.lower() in text.lower():
                return True
    return False


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("status", [401, 503])
@pytest.mark.usefixtures("_at_once")
def test_an_error_of_the_endpoint_never_repeats_the_key(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, way: str, status: int
) -> None:
    monkeypatch.setenv("MTEVAL_JUDGE_KEY", SECRET)
    written = WAYS[way](SECRET)
    for content in (f"Incorrect key: {written}!", json.dumps({"error": {"message": f"Incorrect key: {written}!"}})):
        endpoint.answer = lambda prompt, number, content=content: Body(content.encode(), status)
        with pytest.raises(MtevalError, match=f"answered {status}") as error:
            scorer().statistics([0], ["a tree"])
        assert not repeats(str(error.value), SECRET), error.value
    assert endpoint.headers[0]["Authorization"] == f"Bearer {SECRET}"


@pytest.mark.usefixtures("_at_once")
def test_a_broken_status_line_does_not_repeat_the_key(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTEVAL_JUDGE_KEY", SECRET)
    endpoint.answer = lambda prompt, number: Body(b"", head=f"Bearer {SECRET}\r\n\r\n".encode())
    with pytest.raises(MtevalError, match="gave no answer") as error:
        scorer().statistics([0], ["a tree"])
    assert not repeats(str(error.value), SECRET)


@given(
    st.text("abcXYZ0189+/=_-.~", min_size=16, max_size=60),
    st.sampled_from(sorted(WAYS)),
    st.text(max_size=30),
    st.text(max_size=30),
)
def test_no_key_in_any_form_is_left_in_a_text(key: str, way: str, before: str, after: str) -> None:
    shown = without_key(f"{before}{WAYS[way](key)}{after}", key)
    assert key not in shown
    assert WAYS[way](key) not in shown


@given(st.text(max_size=200))
def test_a_text_without_the_key_stays_as_it_is(text: str) -> None:
    assert without_key(text, "\u2603" * 12) == text


@pytest.mark.parametrize("wrong", ["sk-ab\ncd", "sk-ab\rcd", "schlüssel", "sk ab", "sk-\u2026"])
def test_a_key_that_no_header_can_hold_is_named_without_it(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    monkeypatch.setenv("MTEVAL_JUDGE_KEY", wrong)
    with pytest.raises(SettingsError, match="MTEVAL_JUDGE_KEY has") as error:
        scorer().statistics([0], ["a tree"])
    assert wrong not in str(error.value)
    assert not endpoint.bodies


@pytest.mark.parametrize(
    "address", ["https://me:s3cret@host/v1", "https://host/v1?key=s3cret", "https://host/v1#s3cret"]
)
def test_an_address_with_a_password_is_refused_without_repeating_it(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MTEVAL_JUDGE", f"tiny-model@{address}")
    with pytest.raises(SettingsError, match="MTEVAL_JUDGE_KEY") as error:
        METRICS["llm-judge"].configure("sacrebleu", {})
    assert "s3cret" not in str(error.value)
