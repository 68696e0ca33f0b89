"""A library of a lab: its index on PostgreSQL, its contents in an S3-compatible store, several servers on both."""

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from mteval.base.errors import DataError, MtevalError
from mteval.library import ChangedElsewhereError, Content, Library, configured_library
from mteval.library.blobs import Objects
from mteval.values.asker import Asker

ME = Asker("me")
YOU = Asker("you")


@pytest.fixture(params=["postgresql", "postgresql and objects"])
def library(request: pytest.FixtureRequest, tmp_path: Path, postgres: Any) -> Library:
    """An empty library."""
    store = None
    if "objects" in request.param:
        bucket = request.getfixturevalue("objects")
        store = Objects(f"{bucket}/{tmp_path.name}")
    return Library(tmp_path / "library", 1 << 20, postgres.new_database(), store)


def content(number: int, size: int = 60_000) -> Content:
    """An experiment with a file of so many bytes, which cannot be compressed."""
    made = {"number": number, "text": "a\0b 🙂"}
    return Content(made, {"systems": ["é"]}, {"noise": os.urandom(size)}, b"{}")


def test_experiments_are_saved_changed_listed_and_deleted(library: Library) -> None:
    first = content(1)
    second = content(2)

    listed = library.add(first, "mine\0 \ud800", ME)
    uid = listed.uid
    assert listed.name == "mine ?"
    assert library.content(uid) == first

    number = library.change(uid, second, ME, listed.number)
    with pytest.raises(ChangedElsewhereError):
        library.change(uid, first, ME, listed.number)
    library.complete(uid, Content(second.made, {}, None, b"[late]"), ME)
    assert library.content(uid).numbers == b"[late]"
    library.undo(uid, number - 1, ME)
    assert library.content(uid) == first

    library.label(uid, ME, note="50% WARM", tags="a b")
    assert [listed.uid for listed in library.listed("me", search="0% warm", tag="b")] == [uid]
    assert library.named(uid[:8]) == [library.entry(uid)]
    assert [listed.uid for listed in library.with_files(first.files or {})] == [uid]

    assert library.redeem(listed.reader, YOU) is not None
    with pytest.raises(DataError, match="no longer change"):
        library.remove([uid], YOU)
    assert library.check() == ()

    library.remove([uid], ME)
    assert library.count() == 0
    assert library.size() == 0
    assert list(library._blobs.store.names()) == []


def test_nothing_is_lost_and_the_limit_holds_when_several_servers_save_at_once(library: Library) -> None:
    servers = [Library(library.directory, library.max_bytes, library.database, library.objects) for _ in range(4)]
    shared = library.add(content(0), "shared", ME)

    def change_shared(server: Library, change: str) -> None:
        """Add a setting to the shared experiment, as often as another server was faster."""
        while True:
            number = server.entry(shared.uid).number
            made = dict(server.content(shared.uid).made)
            made[change] = True
            try:
                server.change(shared.uid, Content(made, {}), ME, number)
            except ChangedElsewhereError:
                continue
            return

    def work(place: int) -> None:
        server = servers[place]
        asker = Asker(f"visitor {place}")
        for number in range(8):
            server.add(content(number), f"{place} {number}", asker)
            change_shared(server, f"{place} {number}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))

    changes = {f"{place} {number}" for place, number in product(range(4), range(8))}
    assert changes <= library.content(shared.uid).made.keys()
    assert library.size() <= library.max_bytes
    counts = [library.count(f"visitor {place}") for place in range(4)]
    assert max(counts) - min(counts) <= 1
    assert library.check() == ()
    digests = {digest for digest, _ in library._blobs.store.names()}
    assert len(digests) == library.count() + 1  # all share their numbers


def test_damaged_content_is_named_and_set_aside(library: Library) -> None:
    uid = library.add(content(1), "one", ME).uid
    store = library._blobs.store
    digests = [digest for digest, _ in store.names()]
    digest = max(digests, key=lambda digest: store.size(digest) or 0)

    store.write(digest, store.read(digest)[:-1])

    (problem,) = library.check()
    assert problem.startswith(f"Content {digest} is damaged: it does not match its name.")
    with pytest.raises(MtevalError, match=digest):
        library.content(uid)


def test_variables_name_the_database_and_the_store(monkeypatch: pytest.MonkeyPatch, library: Library) -> None:
    assert library.database is not None
    monkeypatch.setenv("MTEVAL_LIBRARY_DATABASE", library.database.render_as_string(hide_password=False))
    monkeypatch.setenv("MTEVAL_LIBRARY_OBJECTS", "s3://lab/place/")

    configured = configured_library()

    assert configured.database == library.database
    assert configured.objects == Objects("s3://lab/place")
