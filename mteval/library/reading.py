"""What can be read of the library without changing it."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy.engine import URL

from mteval.base.errors import MtevalError
from mteval.library import room
from mteval.library.blobs import Blobs, Folder, Store, digest_of_bytes
from mteval.library.index import DAMAGED, FOREVER, Content, Index, Listed, Row, State, listed_from, rows, state_at
from mteval.library.rights import GONE, GoneError, granted, is_owner, opens, whole_row
from mteval.library.states import NUMBERS
from mteval.values.asker import Asker

SHORTEST_ID = 6  # characters of an ID that are shown, and that suffice to name an experiment
ENTRIES = "SELECT e.* FROM library_entries e"
_LATEST = " ORDER BY e.used DESC, e.created DESC, e.uid LIMIT :most OFFSET :start"
ALL = 1 << 31


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
    def _index(self) -> Index:
        return Index(self.database or URL.create("sqlite", database=str(self.directory / "index.sqlite")))

    def has_ended(self, sign_in: str) -> bool:
        """Return whether somebody has signed out of a sign-in."""
        return bool(self._rows("SELECT 1 AS one FROM library_ended WHERE sign_in = :sign_in", sign_in=sign_in))

    def reached(self, uid: str, asker: Asker) -> Reached | None:
        """Return an experiment as the asker may see it; None if it does not exist or they may not."""
        if not self._index.is_there:
            return None
        with self._index.reading() as read:
            found = rows(read, f"{ENTRIES} WHERE e.uid = :uid", uid=uid)
            known = granted(read, uid, asker) if found else ""
            if not found:
                return None
            can_edit = asker.is_operator or may_edit(found[0], asker, known)
            return Reached(listed_from(found[0]), can_edit) if can_edit or opens(found[0], "reader", known) else None

    def _rows(self, command: str, **values: Any) -> list[Row]:
        """Query the index; return nothing if there is none yet."""
        if not self._index.is_there:
            return []
        with self._index.reading() as read:
            return rows(read, command, **values)

    def _listed(self, command: str, **values: Any) -> tuple[Listed, ...]:
        return tuple(map(listed_from, self._rows(command, **values)))

    def listed(
        self, owner: str | None = None, *, search: str = "", tag: str = "", most: int = ALL, start: int = 0
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
        where, values = _chosen(owner, search, tag)
        return self._listed(f"{ENTRIES}{where}{_LATEST}", most=most, start=start, **values)

    def count(self, owner: str | None = None, *, search: str = "", tag: str = "") -> int:
        """Return how many ``listed`` would return."""
        where, values = _chosen(owner, search, tag)
        return sum(row["n"] for row in self._rows(f"SELECT count(*) AS n FROM library_entries e{where}", **values))

    def tags(self, owner: str) -> tuple[str, ...]:
        """Return the tags of an owner's experiments."""
        found = self._rows("SELECT DISTINCT tags FROM library_entries WHERE owner = :owner AND tags != ''", owner=owner)
        return tuple(sorted({tag for row in found for tag in row["tags"].split()}))

    def named(self, word: str) -> list[Listed]:
        """Return the experiments whose ID starts with a word of six characters or more, else those of that name."""
        if len(word) >= SHORTEST_ID:
            pattern = f"{_escaped(word)}%"
            where = r" WHERE e.uid LIKE :pattern ESCAPE '\' OR e.editor LIKE :pattern ESCAPE '\'"
            found = self._listed(f"{ENTRIES}{where}{_LATEST}", pattern=pattern, most=ALL, start=0)
            if by_id := [one for one in found if word in (one.uid[: len(word)], one.editor[: len(word)])]:
                return by_id
        return list(self._listed(f"{ENTRIES} WHERE e.name = :name{_LATEST}", name=word, most=ALL, start=0))

    def with_files(self, files: Mapping[str, bytes]) -> tuple[Listed, ...]:
        """Return the experiments that now have exactly these files, most recently used first."""
        if not (wanted := [(name, digest_of_bytes(blob)) for name, blob in files.items()]):
            return ()
        where = " WHERE e.uid IN (SELECT uid FROM library_files WHERE digest = :digest AND until = :until)"
        found = self._listed(f"{ENTRIES}{where}{_LATEST}", digest=wanted[0][1], until=FOREVER, most=ALL, start=0)
        whose = "uid = :uid AND until = :until AND place >= 0"
        command = f"SELECT name, digest FROM library_files WHERE {whose} ORDER BY place"
        kept = {one.uid: self._rows(command, uid=one.uid, until=FOREVER) for one in found}
        return tuple(one for one in found if [(row["name"], row["digest"]) for row in kept[one.uid]] == wanted)

    def entry(self, uid: str) -> Listed:
        """Return one experiment.

        Raises
        ------
        DataError
            If it does not exist.
        """
        if not (found := self._listed(f"{ENTRIES} WHERE e.uid = :uid", uid=uid)):
            raise GoneError(GONE)
        return found[0]

    def states(self, uid: str) -> tuple[State, ...]:
        """Return the states of an experiment that are kept, the present one first."""
        if not self._index.is_there:
            return ()
        with self._index.reading() as read:
            found = rows(read, "SELECT number FROM library_states WHERE uid = :uid ORDER BY number DESC", uid=uid)
            kept = [state[0] for row in found if (state := state_at(read, uid, row["number"])) is not None]
            return tuple(State(row["number"], row["who"], row["at"], json.loads(row["card"])) for row in kept)

    def content(self, uid: str) -> Content:
        """Return the content of an experiment.

        Raises
        ------
        DataError
            If it does not exist.
        MtevalError
            If a file is damaged.
        """
        with self._index.reading() as read:
            found = state_at(read, uid, whole_row(read, uid)["number"])
        if found is None:
            raise MtevalError(DAMAGED)
        state, files = found
        named, numbers = dict[str, bytes](), b""
        for file in files:
            if file["place"] != NUMBERS:
                named[file["name"]] = self._blobs.load(file["digest"])
                continue
            with suppress(MtevalError):  # damaged results can be recomputed
                numbers = self._blobs.load(file["digest"])
        return Content(json.loads(state["made"]), json.loads(state["card"]), named, numbers)

    def due(self, owner: str | None = None) -> tuple[Listed, ...]:
        """Return the experiments of an owner, or of all, that may be evicted when another is saved, in order."""
        if not self._index.is_there:
            return ()
        with self._index.reading() as read:
            if (down_to := room.level(read, self.max_bytes)) is None:
                return ()
            command = "SELECT owner FROM library_owners WHERE bytes > :least ORDER BY bytes DESC"
            owners = [row["owner"] for row in rows(read, command, least=down_to)] if owner is None else [owner]
            going = [row["uid"] for one in owners for row in room.giving_way(read, one, down_to)]
            return tuple(listed_from(rows(read, f"{ENTRIES} WHERE e.uid = :uid", uid=uid)[0]) for uid in going)

    def size(self) -> int:
        """Return the size of all contents in bytes."""
        return sum(row["bytes"] for row in self._rows("SELECT bytes FROM library_total"))


def may_edit(row: Row, asker: Asker, known: str) -> bool:
    """Return whether the asker may change an experiment, knowing the secret of a link."""
    return is_owner(row, asker) or opens(row, "editor", known)


def _chosen(owner: str | None, search: str, tag: str) -> tuple[str, dict[str, str]]:
    """Return the condition of a list, with its values."""
    parts, values = [], dict[str, str]()
    if owner is not None:
        parts.append("e.owner = :owner")
        values["owner"] = owner
    if search.strip():
        parts.append(r"(lower(e.name) LIKE :search ESCAPE '\' OR lower(e.note) LIKE :search ESCAPE '\')")
        values["search"] = f"%{_escaped(search.strip().lower())}%"
    if tag:
        parts.append(r"e.tags != '' AND ' ' || e.tags || ' ' LIKE :tag ESCAPE '\'")
        values["tag"] = f"% {_escaped(tag)} %"
    return (f" WHERE {' AND '.join(parts)}" if parts else ""), values


def _escaped(word: str) -> str:
    return word.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_")
