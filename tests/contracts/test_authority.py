"""Every method that writes checks who asks in its transaction. Methods are enumerated, and an unlisted one fails."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL

from mteval.annotations import DEFAULT_TYPOLOGY, AnnotationStore, Answer, SaidMark, open_store
from mteval.base.errors import DataError
from mteval.library import Content, Library
from mteval.values.asker import OPERATOR, Asker, NotPermittedError
from tests.annotations.conftest import campaign, tasks_for

READING = {
    Library: {
        "check", "content", "count", "described", "due", "entry", "has_ended", "listed", "loaded", "named", "reached",
        "size", "states", "tags", "with_files",
    },
    AnnotationStore: {"answers", "campaign", "check", "close", "items", "links", "list_campaigns", "opened", "tasks"},
}  # fmt: skip
OWN = Content({"seed": 1}, {}, {"a.txt": b"a"}, b"{}")
OTHER = Content({"seed": 2}, {}, {"b.txt": b"b"}, b"[]")
# By method, how it is called; those that need no right of their own are refused for whoever signed out only.
OF_LIBRARY: Mapping[str, Callable[[Library, str, Asker], object]] = {
    "add": lambda library, uid, asker: library.add(OTHER, "other", asker),
    "change": lambda library, uid, asker: library.change(uid, OTHER, asker),
    "complete": lambda library, uid, asker: library.complete(uid, Content(OWN.made, {}, None, b"[]"), asker),
    "label": lambda library, uid, asker: library.label(uid, asker, name="taken"),
    "touch": lambda library, uid, asker: library.touch(uid, asker),
    "remove": lambda library, uid, asker: library.remove([uid], asker),
    "undo": lambda library, uid, asker: library.undo(uid, 1, asker),
    "replace_link": lambda library, uid, asker: library.replace_link(uid, asker, is_reader=False),
    "redeem": lambda library, uid, asker: library.redeem(library.entry(uid).editor, asker),
    "end_sign_in": lambda library, uid, asker: library.end_sign_in(asker),
}
UID = "c" * 32
SAID = Answer("w", 1, 1, (SaidMark("a", "hypothesis", 0, 1, "minor", "Other"),), comment="words", is_complete=True)
OF_ANNOTATORS: Mapping[str, Callable[[AnnotationStore, int, Asker], object]] = {
    "answer": lambda store, task, asker: store.answer(task, SAID, asker),
    "assign": lambda store, task, asker: store.assign([task], asker),
}
OF_COORDINATORS: Mapping[str, Callable[[AnnotationStore, Asker], object]] = {
    "renew_link": lambda store, asker: store.renew_link(UID, None, asker),
    "close_campaign": lambda store, asker: store.close_campaign(UID, asker),
    "set_typology": lambda store, asker: store.set_typology(UID, DEFAULT_TYPOLOGY, asker),
    "delete": lambda store, asker: store.delete(UID, asker),
}
OF_ALL: Mapping[str, Callable[[AnnotationStore, Asker], object]] = {
    "add": lambda store, asker: store.add(campaign(uid="e" * 32), (), asker),
    "coordinate": lambda store, asker: store.coordinate(store.links(UID).coordinator, asker),
    "end_sign_in": lambda store, asker: store.end_sign_in(asker),
}
NEED_NO_RIGHT = ("add", "redeem", "end_sign_in")


def public_methods(kind: type) -> set[str]:
    return {name for name, _ in inspect.getmembers(kind, inspect.isfunction) if not name.startswith("_")}


def test_every_method_is_listed_and_whoever_writes_is_named() -> None:
    listed = {Library: {*OF_LIBRARY}, AnnotationStore: {*OF_ANNOTATORS, *OF_COORDINATORS, *OF_ALL}}
    for kind, writing in listed.items():
        assert public_methods(kind) == READING[kind] | writing, "list it here, with how it is called"
        assert not READING[kind] & writing
        for name in writing:
            parameter = inspect.signature(getattr(kind, name)).parameters["asker"]
            assert parameter.default is inspect.Parameter.empty


def test_nothing_of_the_dashboard_asks_as_the_machines_user() -> None:
    root = Path(__file__).parents[2]
    files = [*(root / "mteval" / "ui").rglob("*.py"), *(root / "pages").glob("*.py"), root / "app.py"]
    assert [path for path in files if "OPERATOR" in path.read_text() or "is_operator" in path.read_text()] == []


def library_state(library: Library) -> object:
    return [(one, library.content(one.uid), library.states(one.uid)) for one in library.listed()], library.size()


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path, 1 << 30)


@pytest.mark.parametrize("name", OF_LIBRARY)
def test_the_library_refuses_revoked_credentials(library: Library, name: str) -> None:
    owner, gone = Asker("owner"), Asker("ann", sign_in="ended")
    uid = library.add(OWN, "mine", owner).uid
    before = library.entry(uid)
    came, late, reader = Asker("came"), Asker("late"), Asker("reader")
    library.redeem(before.editor, came)
    library.redeem(library.replace_link(uid, owner, is_reader=False).editor, late)
    library.replace_link(uid, owner, is_reader=False)
    library.redeem(before.reader, reader)
    library.redeem(library.entry(uid).editor, gone)
    library.touch(uid, gone)
    library.end_sign_in(gone)
    state = library_state(library)
    unknown = (came, late, reader, Asker(), Asker(token=before.editor), Asker("owner2", token=before.reader))
    for asker in (gone, *(() if name in NEED_NO_RIGHT else unknown)):
        with pytest.raises(NotPermittedError):
            OF_LIBRARY[name](library, uid, asker)
        assert library_state(library) == state
    OF_LIBRARY[name](library, uid, owner)


@pytest.fixture
def store(tmp_path: Path) -> Any:
    store = open_store(URL.create("sqlite", database=str(tmp_path / "annotations.sqlite")))
    one = campaign()
    store.add(one, tasks_for(one, "ann", "bob"), Asker("owner"))
    yield store
    store.close()


def store_state(store: AnnotationStore) -> object:
    with store.database.engine.connect() as connection:
        tables = ("campaigns", "outputs", "tasks", "marks", "links", "coordinators", "contents", "ended")
        return [connection.execute(text(f"SELECT * FROM {table}")).all() for table in tables]


def refused(store: AnnotationStore, call: Callable[[Asker], object], *askers: Asker) -> None:
    state = store_state(store)
    for asker in askers:
        with pytest.raises(NotPermittedError):
            call(asker)
        assert store_state(store) == state


@pytest.mark.parametrize("name", OF_ANNOTATORS)
def test_answers_are_refused_with_revoked_credentials(store: AnnotationStore, name: str) -> None:
    task = store.tasks(UID, "ann")[0].id
    store.answer(task, replace(SAID, window="before", base=0), OPERATOR)
    before = store.links(UID)
    store.renew_link(UID, "ann", Asker("owner"), expires=1.0)
    expired = store.links(UID).annotators["ann"]
    store.renew_link(UID, "ann", Asker("owner"))
    after = store.links(UID)
    store.end_sign_in(Asker("ann", sign_in="ended"))
    tokens = (before.annotators["ann"], expired, before.coordinator, after.annotators["bob"], "", "x")
    gone = Asker("ann", token=after.annotators["ann"], sign_in="ended")
    askers = (*(Asker(token=token) for token in tokens), Asker("owner"), gone)
    refused(store, lambda asker: OF_ANNOTATORS[name](store, task, asker), *askers)
    OF_ANNOTATORS[name](store, task, Asker(token=after.annotators["ann"]))
    store.close_campaign(UID, Asker("owner"))
    with pytest.raises(DataError, match="closed"):
        OF_ANNOTATORS[name](store, task, Asker(token=after.annotators["ann"]))


@pytest.mark.parametrize("name", OF_COORDINATORS)
def test_campaigns_are_refused_to_whoever_coordinates_them_no_longer(store: AnnotationStore, name: str) -> None:
    before = store.links(UID)
    store.coordinate(before.coordinator, Asker("came"))
    store.renew_link(UID, None, Asker("owner"))
    store.coordinate(store.links(UID).coordinator, Asker("ann", sign_in="ended"))
    store.end_sign_in(Asker("ann", sign_in="ended"))
    annotator = store.links(UID).annotators["ann"]
    askers = (
        Asker("came"),
        Asker("ann", sign_in="ended"),
        Asker("x", token=before.coordinator),
        Asker(token=annotator),
    )
    refused(store, lambda asker: OF_COORDINATORS[name](store, asker), Asker(), *askers)
    OF_COORDINATORS[name](store, Asker("owner"))


@pytest.mark.parametrize("name", OF_ALL)
def test_what_needs_no_right_is_refused_to_whoever_signed_out(store: AnnotationStore, name: str) -> None:
    store.end_sign_in(Asker("ann", sign_in="ended"))
    refused(store, lambda asker: OF_ALL[name](store, asker), Asker("ann", sign_in="ended"))


def test_an_expired_link_makes_nobody_a_coordinator(store: AnnotationStore) -> None:
    store.renew_link(UID, None, Asker("owner"), expires=1.0)
    refused(store, lambda asker: store.coordinate(store.links(UID).coordinator, asker), Asker("came"))
