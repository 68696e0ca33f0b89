"""What can be read of the library without changing it."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Select, func, literal, or_, select
from sqlalchemy.engine import URL

from mteval.base.errors import MtevalError
from mteval.base.shared_database import Database
from mteval.library import room
from mteval.library.blobs import Blobs, Folder, Store, digest_of_bytes
from mteval.library.index import DAMAGED, Content, Listed, State, files_at, index_at, listed_from, state_at
from mteval.library.rights import GONE, GoneError, is_owner, opens_link, secret_of, whole_row
from mteval.library.tables import FOREVER, NUMBERS, TOTAL, EndedRow, EntryRow, FileRow, OwnerRow, StateRow
from mteval.values.asker import Asker

SHORTEST_ID = 6  # characters of an ID that are shown, and that suffice to name an experiment
_LATEST = (EntryRow.used.desc(), EntryRow.created.desc(), EntryRow.uid)


@dataclass(frozen=True)
class Described:
    """Content of an experiment, with digests instead of files and numbers.

    Parameters
    ----------
    made, card
        As in ``Content``.
    files
        Name and digest of each file.
    numbers
        Digest of the results; empty if there are none.
    """

    made: Mapping[str, Any]
    card: Mapping[str, Any]
    files: tuple[tuple[str, str], ...]
    numbers: str


@dataclass(frozen=True)
class Reached:
    """An experiment as somebody may see it."""

    listed: Listed
    may_edit: bool


@dataclass(frozen=True)
class Shelf:
    """Saved experiments, to be read.

    Parameters
    ----------
    directory
        Created when the first experiment is saved.
    max_bytes
        The contents never take more. ``due`` announces what gives way.
    database
        Of the index; None is a SQLite file in the directory.
    objects
        Store of the contents; None is a folder in the directory.
    """

    directory: Path
    max_bytes: int
    database: URL | None = None
    objects: Store | None = None

    @property
    def _blobs(self) -> Blobs:
        return Blobs(self.objects or Folder(self.directory / "contents"))

    @property
    def _index(self) -> Database:
        return index_at(self.database or URL.create("sqlite", database=str(self.directory / "index.sqlite")))

    def has_ended(self, sign_in: str) -> bool:
        """Return whether somebody has signed out of a sign-in."""
        return bool(self._values(select(EndedRow.sign_in).where(EndedRow.sign_in == sign_in)))

    def reached(self, uid: str, asker: Asker) -> Reached | None:
        """Return an experiment as the asker may see it; None if it does not exist or they may not."""
        if not self._index.is_there:
            return None
        with self._index.reading() as session:
            row = session.get(EntryRow, uid)
            if row is None:
                return None
            secret = secret_of(session, uid, asker)
            if asker.is_operator or may_edit(row, asker, secret):
                return Reached(listed_from(row), may_edit=True)
            if opens_link(row, "reader", secret):
                return Reached(listed_from(row), may_edit=False)
            return None

    def _values(self, query: Select[Any]) -> list[Any]:
        """Return the values of a query for one column; none if there is no index yet."""
        if not self._index.is_there:
            return []
        with self._index.reading() as session:
            return list(session.scalars(query))

    def _listed(self, *conditions: ColumnElement[bool], most: int | None = None, start: int = 0) -> tuple[Listed, ...]:
        """Return the experiments that meet conditions, most recently used first; none if there is no index yet."""
        if not self._index.is_there:
            return ()
        query = select(EntryRow).where(*conditions).order_by(*_LATEST).limit(most).offset(start)
        with self._index.reading() as session:
            return tuple(listed_from(row) for row in session.scalars(query))

    def listed(
        self,
        owner: str | None = None,
        *,
        search: str = "",
        tag: str = "",
        most: int | None = None,
        start: int = 0,
    ) -> tuple[Listed, ...]:
        """Return experiments, most recently used first.

        Parameters
        ----------
        owner
            Whose; None for all.
        search
            Part of their name or note, in any case.
        tag
            One of their tags.
        most, start
            How many at most, after how many others.
        """
        return self._listed(*_conditions(owner, search, tag), most=most, start=start)

    def count(self, owner: str | None = None, *, search: str = "", tag: str = "") -> int:
        """Return how many ``listed`` would return."""
        query = select(func.count()).select_from(EntryRow).where(*_conditions(owner, search, tag))
        return sum(self._values(query))

    def tags(self, owner: str) -> tuple[str, ...]:
        """Return the tags of an owner's experiments."""
        query = select(EntryRow.tags).where(EntryRow.owner == owner, EntryRow.tags != "").distinct()
        tags: set[str] = set()
        for tags_of_experiment in self._values(query):
            tags.update(tags_of_experiment.split())
        return tuple(sorted(tags))

    def named(self, word: str) -> list[Listed]:
        """Return the experiments whose ID starts with a word of six characters or more, else those of that name."""
        if len(word) >= SHORTEST_ID:
            uid_begins = EntryRow.uid.startswith(word, autoescape=True)
            editor_begins = EntryRow.editor.startswith(word, autoescape=True)
            in_any_case = self._listed(or_(uid_begins, editor_begins))  # SQLite finds the word in any case
            by_id = [listed for listed in in_any_case if listed.uid.startswith(word) or listed.editor.startswith(word)]
            if by_id:
                return by_id
        return list(self._listed(EntryRow.name == word))

    def with_files(self, files: Mapping[str, bytes]) -> tuple[Listed, ...]:
        """Return the experiments that now have exactly these files, most recently used first."""
        wanted = [(name, digest_of_bytes(blob)) for name, blob in files.items()]
        if not wanted or not self._index.is_there:
            return ()
        is_present = FileRow.until == FOREVER
        _, first_digest = wanted[0]
        with_first_file = select(FileRow.uid).where(FileRow.digest == first_digest, is_present)
        candidates = select(EntryRow).where(EntryRow.uid.in_(with_first_file)).order_by(*_LATEST)
        equal = []
        with self._index.reading() as session:
            for row in session.scalars(candidates).all():
                present = select(FileRow.name, FileRow.digest).where(FileRow.uid == row.uid, is_present)
                without_results = present.where(FileRow.place >= 0).order_by(FileRow.place)
                if [tuple(file) for file in session.execute(without_results)] == wanted:
                    equal.append(listed_from(row))
        return tuple(equal)

    def entry(self, uid: str) -> Listed:
        """Return one experiment.

        Raises
        ------
        DataError
            If it does not exist.
        """
        entries = self._listed(EntryRow.uid == uid)
        if not entries:
            raise GoneError(GONE)
        return entries[0]

    def states(self, uid: str) -> tuple[State, ...]:
        """Return the states of an experiment that are kept, the present one first."""
        if not self._index.is_there:
            return ()
        with self._index.reading() as session:
            numbers = select(StateRow.number).where(StateRow.uid == uid).order_by(StateRow.number.desc())
            states = []
            for number in session.scalars(numbers).all():
                row = state_at(session, uid, number)
                if row is not None:
                    states.append(State(row.number, row.who, row.at, card=json.loads(row.card)))
            return tuple(states)

    def content(self, uid: str) -> Content:
        """Return the content of an experiment.

        Raises
        ------
        DataError
            If it does not exist.
        MtevalError
            If a file is damaged.
        """
        return self.loaded(self.described(uid))

    def described(self, uid: str) -> Described:
        """Return the content of an experiment with digests instead of files and numbers, from the index alone.

        Raises
        ------
        DataError
            If it does not exist.
        MtevalError
            If it is damaged.
        """
        with self._index.reading() as session:
            number = whole_row(session, uid).number
            state = state_at(session, uid, number)
            if state is None:
                raise MtevalError(DAMAGED)
            made = json.loads(state.made)
            card = json.loads(state.card)
            files = []
            numbers = ""
            for file in files_at(session, uid, number):
                if file.place == NUMBERS:
                    numbers = file.digest
                else:
                    files.append((file.name, file.digest))
        return Described(made, card, tuple(files), numbers)

    def loaded(self, described: Described) -> Content:
        """Return a content with its files and numbers.

        Raises
        ------
        MtevalError
            If a file is damaged.
        """
        files = {name: self._blobs.load(digest) for name, digest in described.files}
        numbers = b""
        if described.numbers:
            with suppress(MtevalError):  # damaged results can be recomputed
                numbers = self._blobs.load(described.numbers)
        return Content(described.made, described.card, files, numbers)

    def due(self, owner: str | None = None) -> tuple[Listed, ...]:
        """Return the experiments of an owner, or of all, that may be evicted when another is saved, in order."""
        if not self._index.is_there:
            return ()
        with self._index.reading() as session:
            down_to = room.level(session, self.max_bytes)
            if down_to is None:
                return ()
            if owner is None:
                largest = select(OwnerRow.owner).where(OwnerRow.bytes > down_to).order_by(OwnerRow.bytes.desc())
                owners = list(session.scalars(largest))
            else:
                owners = [owner]
            rows: list[EntryRow] = []
            for name in owners:
                rows += room.giving_way(session, name, down_to)
            return tuple(listed_from(row) for row in rows)

    def size(self) -> int:
        """Return the size of all contents in bytes."""
        return sum(self._values(select(TOTAL.c.bytes)))


def may_edit(row: EntryRow, asker: Asker, secret: str) -> bool:
    """Return whether the asker may change an experiment, knowing the secret of a link."""
    return is_owner(row, asker) or opens_link(row, "editor", secret)


def _conditions(owner: str | None, search: str, tag: str) -> list[ColumnElement[bool]]:
    """Return the conditions of a list."""
    conditions: list[ColumnElement[bool]] = []
    if owner is not None:
        conditions.append(EntryRow.owner == owner)
    if search.strip():
        part = search.strip().lower()
        is_in_name = func.lower(EntryRow.name).contains(part, autoescape=True)
        is_in_note = func.lower(EntryRow.note).contains(part, autoescape=True)
        conditions.append(or_(is_in_name, is_in_note))
    if tag:
        conditions.append(EntryRow.tags != "")
        conditions.append((literal(" ") + EntryRow.tags + " ").contains(f" {tag} ", autoescape=True))
    return conditions
