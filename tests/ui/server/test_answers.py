"""The route of annotators' answers: what it saves, what it refuses, and with which status the browser learns of it."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from mteval.annotations import AnnotationStore, Task
from mteval.annotations.database import shared_store
from mteval.ui.server.annotator_answers import ANSWERS_PATH, MOST_ANSWER_BYTES, Answers
from mteval.values.asker import OPERATOR
from tests.annotations.conftest import campaign, tasks_for
from tests.coroutines import completed

CAMPAIGN = campaign("esa")


@pytest.fixture
def store(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[AnnotationStore]:
    """The store of the server, with a campaign."""
    monkeypatch.setenv("MTEVAL_HOME", str(tmp_path))
    monkeypatch.delenv("MTEVAL_DATABASE", raising=False)
    server_store = shared_store()
    server_store.add(CAMPAIGN, tasks_for(CAMPAIGN, "ann", "bob"), asker=OPERATOR)
    yield server_store
    server_store.close()


async def _behind(scope: Any, receive: Any, send: Any) -> None:
    """The application behind the route, which knows no page."""
    await send({"type": "http.response.start", "status": 404, "headers": []})
    await send({"type": "http.response.body", "body": b"{}"})


def request(method: str, path: str, body: bytes = b"") -> tuple[int, dict[str, Any]]:
    """The status of an answer, and what it says."""
    sent_messages: list[Any] = []
    messages_to_come = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def send(message: Any) -> None:
        sent_messages.append(message)

    async def receive() -> Any:
        return next(messages_to_come)

    scope = {"type": "http", "method": method, "path": path, "headers": [], "query_string": b""}
    completed(Answers(_behind, "lab")(scope, receive, send))
    start, body_of_answer = sent_messages[:2]
    return start["status"], json.loads(body_of_answer["body"])


def post(body: Any) -> tuple[int, dict[str, Any]]:
    """Send an answer; return the status, and what is said."""
    if not isinstance(body, bytes):
        body = json.dumps(body).encode()
    return request("POST", f"/lab{ANSWERS_PATH}", body)


def status_of_post(body: Any) -> int:
    """Send an answer; return the status."""
    status, _ = post(body)
    return status


def first_task(store: AnnotationStore) -> Task:
    """The first task of the annotator ann."""
    return store.tasks(CAMPAIGN.uid, "ann")[0]


def sent(store: AnnotationStore, number: int = 1, base: int = 0, window: str = "w", **answer: Any) -> dict[str, Any]:
    """What the browser of an annotator sends about the first task."""
    token = store.links(CAMPAIGN.uid).annotators["ann"]
    revision = {"window": window, "number": number, "base": base}
    return {"token": token, "task": first_task(store).id, "answer": {**revision, **answer}}


def test_an_answer_is_acknowledged_once_it_is_saved_and_again_when_repeated(store: Any) -> None:
    mark = {"id": "m", "text": "hypothesis", "start": 0, "end": 6, "severity": "major"}
    body = sent(store, score=61, marks=[mark], is_complete=True, seconds=4.5)
    for _ in range(3):
        assert post(body) == (200, {"revision": 1})

    task = first_task(store)
    assert task.score == 61
    assert task.is_complete is True
    assert task.seconds == 4.5
    assert len(task.marks) == 1


def test_an_outdated_window_is_told_apart(store: AnnotationStore) -> None:
    assert status_of_post(sent(store, score=90, is_complete=True)) == 200

    status, answer = post(sent(store, window="old", score=1))

    assert status == 409
    assert "Another window" in answer["error"]
    assert first_task(store).score == 90


def test_a_revoked_link_and_a_closed_campaign_are_refused(store: AnnotationStore) -> None:
    body = sent(store, score=1)

    store.renew_link(CAMPAIGN.uid, "ann", OPERATOR)
    assert status_of_post(body) == 403

    token_of_another_annotator = store.links(CAMPAIGN.uid).annotators["bob"]
    assert status_of_post(body | {"token": token_of_another_annotator}) == 403

    store.close_campaign(CAMPAIGN.uid, OPERATOR)
    assert status_of_post(sent(store, score=1)) == 403

    assert first_task(store).score is None


@pytest.mark.parametrize(
    "change", [{"answer": 1}, {"more": 1}, {"task": -1}, b"{", b"\xff", b"[" * 1000, b"x" * (MOST_ANSWER_BYTES + 1)]
)
def test_what_is_no_answer_is_refused(store: AnnotationStore, change: Any) -> None:
    body = change
    if isinstance(change, dict):
        body = sent(store) | change

    status, answer = post(body)

    assert status == 400
    assert answer["error"]


def test_a_score_out_of_range_is_refused(store: AnnotationStore) -> None:
    assert status_of_post(sent(store, score=101)) == 400


def test_other_requests_are_passed_on() -> None:
    for method, path, expected_status in [
        ("GET", f"/lab{ANSWERS_PATH}", 405),
        ("POST", ANSWERS_PATH, 404),
        ("GET", "/lab/other", 404),
    ]:
        status, _ = request(method, path)
        assert status == expected_status


def test_fifty_windows_lose_nothing_that_was_acknowledged(store: AnnotationStore) -> None:
    tasks = store.tasks(CAMPAIGN.uid)
    tokens = store.links(CAMPAIGN.uid).annotators

    def send_comment(number: int) -> int:
        task = tasks[number % len(tasks)]
        answer = {"window": f"w{task.id}", "number": number + 1, "base": 0, "comment": str(number)}
        return status_of_post({"token": tokens[task.annotator], "task": task.id, "answer": answer})

    with ThreadPoolExecutor(50) as pool:
        assert set(pool.map(send_comment, range(200))) == {200}

    last_comments = {}
    for number in range(200):
        task = tasks[number % len(tasks)]
        last_comments[task.id] = str(number)
    assert {task.id: task.comment for task in store.tasks(CAMPAIGN.uid)} == last_comments
