"""Texts that a database cannot hold find nothing and are not stored, on SQLite and on PostgreSQL alike."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import URL

from mteval.base.errors import DataError
from mteval.library import Content, Library
from mteval.values.asker import Asker

ME = Asker("me")
UNSTORABLE = ["\0", "mine\0", "\0mine", "mi\0ne", "\ud800", "mine\udfff", "m\ud83di\0ne"]


@pytest.fixture(params=["sqlite", "postgresql"])
def library(request: pytest.FixtureRequest, tmp_path: Path) -> Library:
    """A library with one experiment, whose name and note are ``mine``."""
    database: URL | None = None
    if request.param == "postgresql":
        database = request.getfixturevalue("postgres").new_database()
    library = Library(tmp_path / "library", 1 << 20, database)
    listed = library.add(Content({}, {}, {"a": b"a"}, b""), "mine", ME)
    library.label(listed.uid, ME, note="mine", tags="mine")
    return library


def test_texts_that_no_database_holds_find_nothing(library: Library) -> None:
    (mine,) = library.listed()
    for text in UNSTORABLE:
        for word in (text, mine.uid + text, mine.editor + text):
            assert library.listed(search=word) == ()
            assert library.listed(word) == ()
            assert library.listed(tag=word) == ()
            assert library.count(word) == 0
            assert library.tags(word) == ()
            assert library.named(word) == []
            assert library.reached(word, ME) is None
            assert library.reached(mine.uid, Asker(word)) is None
            assert library.reached(mine.uid, Asker(token=word)) is None
            assert library.redeem(word, ME) is None
            assert not library.has_ended(word)
            assert library.states(word) == ()
            with pytest.raises(DataError, match="no longer in the library"):
                library.entry(word)
            with pytest.raises(DataError, match="no longer in the library"):
                library.label(word, ME, name="x")
            with pytest.raises(DataError, match="no longer change"):
                library.label(mine.uid, Asker(word), name="x")
    assert library.listed(search="mine") == (mine,)


@pytest.mark.parametrize("text", UNSTORABLE)
def test_an_owner_or_file_name_that_no_database_holds_is_refused_kindly(library: Library, text: str) -> None:
    before = library.listed()
    for store in (
        lambda: library.add(Content({}, {}, {"a": b"a"}, b""), "other", Asker(text)),
        lambda: library.add(Content({}, {}, {text: b"a"}, b""), "other", ME),
        lambda: library.change(before[0].uid, Content({}, {}, {text: b"a"}, b""), ME),
        lambda: library.change(before[0].uid, Content({"a": 1}, {}), replace(ME, name=text)),
        lambda: library.redeem(before[0].editor, Asker(text)),
    ):
        with pytest.raises(DataError, match="zero character or half a surrogate pair"):
            store()
    assert library.listed() == before
    assert library.check() == ()


def test_names_and_notes_are_stored_without_such_characters(library: Library) -> None:
    (mine,) = library.listed()
    name: Any = "my\0 \ud800 name"
    library.label(mine.uid, ME, name=name, note=name, tags="a\0b")
    (mine,) = library.listed()
    assert (mine.name, mine.note, mine.tags) == ("my ? name", "my ? name", ("ab",))
