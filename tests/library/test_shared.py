"""A library of a lab: its index on PostgreSQL, its contents in an S3-compatible store, several servers on both."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from mteval.base.errors import DataError, MtevalError
from mteval.library import ChangedElsewhereError, Content, Library, configured_library
from mteval.library.blobs import Objects
from mteval.values.asker import Asker

ME, YOU = Asker("me"), Asker("you")


@pytest.fixture(params=["postgresql", "postgresql and objects"])
def library(request: pytest.FixtureRequest, tmp_path: Path, postgres: Any) -> Library:
    """An empty library."""
    store = Objects(f"{request.getfixturevalue('objects')}/{tmp_path.name}") if "objects" in request.param else None
    return Library(tmp_path / "library", 1 << 20, postgres.new_database(), store)


def content(number: int, size: int = 60_000) -> Content:
    return Content({"number": number, "text": "a\0b 🙂"}, {"systems": ["é"]}, {"noise": os.urandom(size)}, b"{}")


def test_experiments_are_saved_changed_listed_and_deleted(library: Library) -> None:
    first, second = content(1), content(2)
    listed = library.add(first, "mine\0 \ud800", ME)
    assert listed.name == "mine ?"
    assert library.content(listed.uid) == first
    number = library.change(listed.uid, second, ME, listed.number)
    with pytest.raises(ChangedElsewhereError):
        library.change(listed.uid, first, ME, listed.number)
    library.complete(listed.uid, Content(second.made, {}, None, b"[late]"), ME)
    assert library.content(listed.uid).numbers == b"[late]"
    library.undo(listed.uid, number - 1, ME)
    assert library.content(listed.uid) == first
    library.label(listed.uid, ME, note="50% WARM", tags="a b")
    assert [one.uid for one in library.listed("me", search="0% warm", tag="b")] == [listed.uid]
    assert library.named(listed.uid[:8]) == [library.entry(listed.uid)]
    assert [one.uid for one in library.with_files(first.files or {})] == [listed.uid]
    assert library.redeem(listed.reader, YOU) is not None
    with pytest.raises(DataError, match="no longer change"):
        library.remove([listed.uid], YOU)
    assert library.check() == ()
    library.remove([listed.uid], ME)
    assert (library.count(), library.size(), list(library._blobs.store.names())) == (0, 0, [])


def test_nothing_is_lost_and_the_limit_holds_when_several_servers_save_at_once(library: Library) -> None:
    servers = [Library(library.directory, library.max_bytes, library.database, library.objects) for _ in range(4)]
    shared = library.add(content(0), "shared", ME)

    def work(place: int) -> int:
        asker, done = Asker(f"visitor {place}"), 0
        for number in range(8):
            servers[place].add(content(number), f"{place} {number}", asker)
            while True:
                try:
                    now = servers[place].entry(shared.uid).number
                    made = dict(servers[place].content(shared.uid).made)
                    made[f"{place} {number}"] = True
                    servers[place].change(shared.uid, Content(made, {}), ME, now)
                    break
                except ChangedElsewhereError:
                    done += 1
        return done

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert {f"{place} {number}" for place in range(4) for number in range(8)} <= library.content(shared.uid).made.keys()
    assert library.size() <= library.max_bytes
    counts = [library.count(f"visitor {place}") for place in range(4)]
    assert max(counts) - min(counts) <= 1
    assert library.check() == ()
    stored = {name for name, _ in library._blobs.store.names()}
    assert len(stored) == library.count() + 1  # all share their numbers


def test_damaged_content_is_named_and_set_aside(library: Library) -> None:
    one = library.add(content(1), "one", ME)
    store = library._blobs.store
    digest = max(store.names(), key=lambda found: store.size(found[0]) or 0)[0]
    store.write(digest, store.read(digest)[:-1])
    (found,) = library.check()
    assert found.startswith(f"Content {digest} is damaged: it does not match its name.")
    with pytest.raises(MtevalError, match=digest):
        library.content(one.uid)


def test_variables_name_the_database_and_the_store(monkeypatch: pytest.MonkeyPatch, library: Library) -> None:
    assert library.database is not None
    monkeypatch.setenv("MTEVAL_LIBRARY_DATABASE", library.database.render_as_string(hide_password=False))
    monkeypatch.setenv("MTEVAL_LIBRARY_OBJECTS", "s3://lab/place/")
    configured = configured_library()
    assert (configured.database, configured.objects) == (library.database, Objects("s3://lab/place"))
