"""The route of annotators' answers: what it saves, what it refuses, and with which status the browser learns of it."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from mteval.annotations import AnnotationStore
from mteval.annotations.database import shared_store
from mteval.ui.server.entrance import MOST_ANSWER_BYTES, PATH, Answers
from mteval.values.asker import OPERATOR
from tests.annotations.conftest import campaign, tasks_for
from tests.coroutines import completed

ONE = campaign("esa")


@pytest.fixture
def store(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[AnnotationStore]:
    """The store of the server, with a campaign."""
    monkeypatch.setenv("MTEVAL_HOME", str(tmp_path))
    monkeypatch.delenv("MTEVAL_DATABASE", raising=False)
    one = shared_store()
    one.add(ONE, tasks_for(ONE, "ann", "bob"), asker=OPERATOR)
    yield one
    one.close()


async def _behind(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 404, "headers": []})
    await send({"type": "http.response.body", "body": b"{}"})


def request(method: str, path: str, body: bytes = b"") -> tuple[int, dict[str, Any]]:
    """The status of an answer, and what it says."""
    got: list[Any] = []
    coming = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def send(message: Any) -> None:
        got.append(message)

    async def receive() -> Any:
        return next(coming)

    scope = {"type": "http", "method": method, "path": path, "headers": [], "query_string": b""}
    completed(Answers(_behind, "lab")(scope, receive, send))
    return got[0]["status"], json.loads(got[1]["body"])


def post(body: Any) -> tuple[int, dict[str, Any]]:
    return request("POST", f"/lab{PATH}", body if isinstance(body, bytes) else json.dumps(body).encode())


def sent(store: AnnotationStore, number: int = 1, base: int = 0, window: str = "w", **said: Any) -> dict[str, Any]:
    """What the browser of an annotator sends about the first task."""
    task, token = store.tasks(ONE.uid, "ann")[0].id, store.links(ONE.uid).annotators["ann"]
    return {"token": token, "task": task, "answer": {"window": window, "number": number, "base": base, **said}}


def test_an_answer_is_acknowledged_once_it_is_saved_and_again_when_repeated(store: Any) -> None:
    mark = {"id": "m", "text": "hypothesis", "start": 0, "end": 6, "severity": "major"}
    body = sent(store, score=61, marks=[mark], is_complete=True, seconds=4.5)
    for _ in range(3):
        assert post(body) == (200, {"revision": 1})
    (first, *_) = store.tasks(ONE.uid, "ann")
    assert (first.score, first.is_complete, first.seconds, len(first.marks)) == (61, True, 4.5, 1)


def test_an_outdated_window_is_told_apart(store: AnnotationStore) -> None:
    assert post(sent(store, score=90, is_complete=True))[0] == 200
    status, told = post(sent(store, window="old", score=1))
    assert status == 409
    assert "Another window" in told["error"]
    assert store.tasks(ONE.uid, "ann")[0].score == 90


def test_a_revoked_link_and_a_closed_campaign_are_refused(store: AnnotationStore) -> None:
    body = sent(store, score=1)
    store.renew_link(ONE.uid, "ann", OPERATOR)
    assert post(body)[0] == 403
    assert post(body | {"token": store.links(ONE.uid).annotators["bob"]})[0] == 403
    store.close_campaign(ONE.uid, OPERATOR)
    assert post(sent(store, score=1))[0] == 403
    assert store.tasks(ONE.uid, "ann")[0].score is None


@pytest.mark.parametrize(
    "change", [{"answer": 1}, {"more": 1}, {"task": -1}, b"{", b"\xff", b"[" * 1000, b"x" * (MOST_ANSWER_BYTES + 1)]
)
def test_what_is_no_answer_is_refused(store: AnnotationStore, change: Any) -> None:
    status, told = post(change if isinstance(change, bytes) else sent(store) | change)
    assert status == 400
    assert told["error"]


def test_a_score_out_of_range_is_refused(store: AnnotationStore) -> None:
    assert post(sent(store, score=101))[0] == 400


def test_other_requests_are_passed_on() -> None:
    assert request("GET", f"/lab{PATH}")[0] == 405
    assert request("POST", PATH)[0] == 404
    assert request("GET", "/lab/other")[0] == 404


def test_fifty_windows_lose_nothing_that_was_acknowledged(store: AnnotationStore) -> None:
    tasks, tokens = store.tasks(ONE.uid), store.links(ONE.uid).annotators

    def say(number: int) -> bool:
        task = tasks[number % len(tasks)]
        answer = {"window": f"w{task.id}", "number": number + 1, "base": 0, "comment": str(number)}
        return post({"token": tokens[task.annotator], "task": task.id, "answer": answer})[0] == 200

    with ThreadPoolExecutor(50) as pool:
        assert all(pool.map(say, range(200)))
    last = {task.id: max(n for n in range(200) if n % len(tasks) == place) for place, task in enumerate(tasks)}
    assert {task.id: task.comment for task in store.tasks(ONE.uid)} == {task: str(n) for task, n in last.items()}
