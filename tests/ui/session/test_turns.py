"""Work of several visitors: so much at once, and none of it for those who have left."""

import time

import pytest
from streamlit import runtime

from mteval.ui.session.background import Background, usual_number
from mteval.ui.session.progress import SECONDS_KEPT, Leaving


def test_the_number_at_once_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTEVAL_JOBS", "7")
    assert usual_number() == 7
    monkeypatch.setenv("MTEVAL_JOBS", "many")
    assert usual_number() >= 2


def test_work_stops_when_its_visitor_has_been_away_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    class Server:
        here = True

        def is_active_session(self, session: str) -> bool:
            return self.here

    server, work, leaving = Server(), Background(), Leaving()
    monkeypatch.setattr(runtime, "get_instance", lambda: server)
    job = work.begin("place", "key", lambda means: means.engine.cancelled.wait(30))
    kept = work.begin("other", "kept", lambda means: means.engine.cancelled.wait(30), is_kept=True)
    now = time.monotonic()
    leaving.watch("session", work)
    assert leaving.look(now + 10 * SECONDS_KEPT) == ()
    server.here = False
    assert leaving.look(now + 10.9 * SECONDS_KEPT) == ()
    assert not job.cancelled.is_set()
    assert leaving.look(now + 11.1 * SECONDS_KEPT) == ("session",)
    assert job.cancelled.is_set()
    assert not kept.cancelled.is_set()
    kept.stop()
    assert leaving.look(now + 12 * SECONDS_KEPT) == ()
