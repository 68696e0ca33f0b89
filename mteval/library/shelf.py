"""The library of kept experiments: files, settings, results, and two links each.

Also its location, its size limit, and how addresses name an experiment.
"""

import os
import secrets
import sqlite3
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from mteval.base.errors import DataError, MtevalError, SettingsError
from mteval.base.paths import data_directory
from mteval.base.words import counted
from mteval.library.blobs import Blobs, digest_of_bytes
from mteval.library.index import COLUMNS, Content, Index, Listed, as_json, listed_from, sealed, trouble_named, unsealed

GIB = 1 << 30  # bytes
LINK_BYTES = 16  # of randomness
SHORTEST_ID = 6  # characters of an ID that are shown, and that suffice to name an experiment
_NUMBERS = -1  # place of the results among the files


@dataclass(frozen=True)
class Library:
    """Experiments on disk. Changes are atomic, and any number of processes may share a library.

    Parameters
    ----------
    directory
        Created when the first experiment is kept.
    max_bytes
        Beyond this size, experiments that are not pinned become due for eviction, least recently used first. They are
        evicted when the next one is added, so that ``due`` can announce them.
    """

    directory: Path
    max_bytes: int

    @property
    def _blobs(self) -> Blobs:
        return Blobs(self.directory / "contents")

    @property
    def _index(self) -> Index:
        return Index(self.directory / "index.sqlite")

    def add(self, content: Content, name: str, owner: str) -> Listed:
        """Keep a new experiment, evicting those that are due.

        Raises
        ------
        MtevalError
            If the library cannot be written to.
        DataError
            If pinned experiments fill it.
        """
        self._make_room()
        uid, reader, now = _new_link(), _new_link(), time.time()
        self._keep_contents(content)
        with self._index.writing() as write:
            values = uid, reader, owner, name, now, now
            write.execute("INSERT INTO entries VALUES (?, ?, ?, ?, '', FALSE, ?, ?, '', '')", values)
            self._fill(write, uid, content)
        return self.entry(uid)

    def change(self, uid: str, content: Content) -> None:
        """Replace an experiment by its later state.

        Raises
        ------
        DataError
            If it was deleted.
        """
        self._keep_contents(content)
        with self._index.writing() as write:
            self._fill(write, uid, content)

    def complete(self, uid: str, content: Content) -> None:
        """Store the results of an experiment, unless it has changed since."""
        self._keep_contents(content)
        with self._index.writing() as write:
            row = write.execute("SELECT made FROM entries WHERE uid = ?", (uid,)).fetchone()
            same = sealed(content.made, uid, _files(write, uid)), as_json(content.made)
            if row is not None and row["made"] in same:
                self._fill(write, uid, content)

    def _keep_contents(self, content: Content) -> list[tuple[int, str, str, int]]:
        """Store all files; return their place, name, digest and size on disk."""
        named = [(place, *item) for place, item in enumerate((content.files or {}).items())]
        if content.numbers is not None:
            named.append((_NUMBERS, "", content.numbers))
        with trouble_named(self.directory):
            kept = [(place, name, self._blobs.keep(blob)) for place, name, blob in named]
            return [(place, name, digest, self._blobs.size(digest)) for place, name, digest in kept]

    def _fill(self, write: sqlite3.Connection, uid: str, content: Content) -> None:
        if write.execute("SELECT 1 FROM entries WHERE uid = ?", (uid,)).fetchone() is None:
            raise DataError(_GONE)
        if content.files is not None:
            write.execute("DELETE FROM files WHERE uid = ? AND place != ?", (uid, _NUMBERS))
        # again, since another process may have removed contents before this transaction
        rows = [(uid, *row) for row in self._keep_contents(content)]
        write.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)", rows)
        texts = sealed(content.made, uid, _files(write, uid)), sealed(content.card, uid)
        command = "UPDATE entries SET made = ?, card = ?, used = ? WHERE uid = ?"
        write.execute(command, (*texts, time.time(), uid))

    def label(self, uid: str, *, name: str | None = None, note: str | None = None, pin: bool | None = None) -> None:
        """Rename, annotate or pin an experiment; None changes nothing."""
        with self._index.writing() as write:
            write.execute(
                "UPDATE entries SET name = coalesce(?, name), note = coalesce(?, note),"
                " is_pinned = coalesce(?, is_pinned) WHERE uid = ?",
                (name, note, pin, uid),
            )

    def touch(self, uid: str, owner: str = "") -> None:
        """Record that an experiment is used; if it has no owner, it gets this one."""
        with self._index.writing() as write:
            command = "UPDATE entries SET used = ?, owner = iif(owner = '', ?, owner) WHERE uid = ?"
            write.execute(command, (time.time(), owner, uid))

    def remove(self, *uids: str) -> None:
        """Delete experiments, and contents that no other one uses."""
        with self._index.writing() as write:
            write.executemany("DELETE FROM entries WHERE uid = ?", [(uid,) for uid in uids])
        with self._index.writing() as write:  # the lock keeps new experiments from using a content first
            used = {row["digest"] for row in write.execute("SELECT DISTINCT digest FROM files")}
            self._blobs.remove_all_but(used)

    def _rows(self, command: str, *values: str) -> list[sqlite3.Row]:
        """Query the index; return nothing if there is none yet."""
        if not self._index.path.exists():
            return []
        with self._index.reading() as read:
            return read.execute(command, values).fetchall()

    def listed(self, owner: str | None = None) -> tuple[Listed, ...]:
        """Return all experiments, or those of an owner, most recently used first."""
        rows = self._rows(f"SELECT {COLUMNS} FROM entries ORDER BY used DESC, rowid DESC")
        return tuple(listed_from(row) for row in rows if owner is None or row["owner"] == owner)

    def named(self, word: str) -> list[Listed]:
        """Return the experiments whose ID starts with a word of six characters or more, else those of that name."""
        listed = self.listed()
        by_id = [one for one in listed if len(word) >= SHORTEST_ID and one.uid.startswith(word)]
        return by_id or [one for one in listed if one.name == word]

    def with_files(self, files: Mapping[str, bytes]) -> tuple[Listed, ...]:
        """Return the experiments with exactly these files, most recently used first."""
        wanted = [(place, name, digest_of_bytes(blob)) for place, (name, blob) in enumerate(files.items())]
        listed = self.listed()
        if not listed:
            return ()
        with self._index.reading() as read:
            kept = {one.uid: [row for row in _files(read, one.uid) if row[0] != _NUMBERS] for one in listed}
        return tuple(one for one in listed if kept[one.uid] == wanted)

    def reached_by(self, link: str) -> Listed | None:
        """Return the experiment of a link of either kind, or None."""
        rows = self._rows(f"SELECT {COLUMNS} FROM entries WHERE uid = ? OR reader = ?", link, link)
        return listed_from(rows[0]) if rows else None

    def entry(self, uid: str) -> Listed:
        """Return one experiment.

        Raises
        ------
        DataError
            If it does not exist.
        """
        found = self.reached_by(uid)
        if found is None or found.uid != uid:
            raise DataError(_GONE)
        return found

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
            row = read.execute("SELECT made, card FROM entries WHERE uid = ?", (uid,)).fetchone()
            files = _files(read, uid)
        if row is None:
            raise DataError(_GONE)
        made, card = unsealed(row["made"], uid, files), unsealed(row["card"], uid)
        if made is None:
            raise MtevalError(_DAMAGED)
        named, numbers = dict[str, bytes](), b""
        for place, name, digest in files:
            if place != _NUMBERS:
                named[name] = self._blobs.load(digest)
                continue
            with suppress(MtevalError):  # damaged results can be recomputed
                numbers = self._blobs.load(digest)
        return Content(made, card or {}, named, numbers)

    def due(self) -> tuple[Listed, ...]:
        """Return the experiments to evict when the next one is added, in order.

        Pinned and recently used experiments have precedence.
        """
        rows = self._rows(
            "SELECT uid, is_pinned, digest, size FROM entries JOIN files USING (uid)"
            " ORDER BY is_pinned DESC, used DESC, uid"
        )
        total, seen, gone = 0, set[str](), set[str]()
        for uid, is_pinned, digest, size in rows:
            total += 0 if digest in seen else size
            seen.add(digest)
            if total > self.max_bytes and not is_pinned:
                gone.add(uid)
        return tuple(one for one in reversed(self.listed()) if one.uid in gone)

    def size(self) -> int:
        """Return the size on disk in bytes."""
        return sum(size for (size,) in self._rows("SELECT max(size) FROM files GROUP BY digest"))

    def _make_room(self) -> None:
        if due := self.due():
            self.remove(*(one.uid for one in due))
        elif self.size() > self.max_bytes:
            pinned = counted(len(self.listed()), "pinned experiment")
            raise DataError(f"The library is full ({pinned}). Unpin or delete one, then load the files again.")


_DAMAGED = "The library's entry for this experiment is damaged. Load the files again, and delete this one."
_GONE = "The experiment is no longer in the library: it was deleted, or evicted to make room."


def _files(read: sqlite3.Connection, uid: str) -> list[tuple[int, str, str]]:
    """Return place, name and digest of an experiment's files, the results first."""
    command = "SELECT place, name, digest FROM files WHERE uid = ? ORDER BY place"
    return [tuple(row) for row in read.execute(command, (uid,))]


def _new_link() -> str:
    """Return a link that cannot be guessed or mistaken for an option."""
    while (link := secrets.token_urlsafe(LINK_BYTES)).startswith("-"):
        pass
    return link


_WATCHED, _OPENED = "MTEVAL_WATCHED", "MTEVAL_OPENED"
VARIABLE = "MTEVAL_LIBRARY_GIB"
USUAL = 5.0  # GiB
LINK = "experiment"  # name of the link in a page's address
TICKET = "ticket"  # name of its one-time ticket
NOBODY = ""  # owner of an experiment that nobody has edited yet


def configured_library() -> Library:
    """Return the library in the data directory; ``MTEVAL_LIBRARY_GIB`` limits its size.

    Raises
    ------
    SettingsError
        If the variable is not a positive number.
    """
    given = os.environ.get(VARIABLE) or str(USUAL)
    try:
        size = int(float(given) * GIB)
    except (ValueError, OverflowError):
        size = 0
    if size <= 0:
        raise SettingsError(f"{VARIABLE} is '{given}'. Expected a number of GiB above 0, e.g. 0.5 or 20.")
    return Library(data_directory() / "library", size)


@dataclass(frozen=True)
class Watched:
    """A folder that training writes to, and the link of its experiment."""

    link: str
    folder: Path


def watch(watched: Watched) -> None:
    """Make a dashboard started later watch a folder."""
    os.environ[_WATCHED] = f"{watched.link} {watched.folder}"


def watched() -> Watched | None:
    """Return the folder that this dashboard should watch, if any."""
    link, _, folder = os.environ.get(_WATCHED, "").partition(" ")
    return Watched(link, Path(folder)) if folder else None


def open_first(link: str) -> None:
    """Make a dashboard started later open an experiment in the browser it starts."""
    os.environ[_OPENED] = link


def ticket() -> str:
    """Return a ticket for the link of that experiment; empty if there is none.

    All users of a machine can list its processes and see the address a browser is started with. The link itself is in
    the environment, which only this user can read.
    """
    link = os.environ.get(_OPENED, "")
    if not link:
        return ""
    new = secrets.token_urlsafe(16)
    os.environ[_OPENED] = f"{new} {link}"
    return new


def redeemed(brought: str) -> str | None:
    """Return the link for a ticket, once; otherwise None."""
    new, _, link = os.environ.get(_OPENED, "").partition(" ")
    if not link or not secrets.compare_digest(new.encode(), brought.encode()):
        return None
    del os.environ[_OPENED]
    return link
