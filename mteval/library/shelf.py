"""The library: experiments that stay, each with its files, what was made of them, and two links.

Where the library of this user is, how much it may hold, how its experiments are named in addresses.
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
LINK_BYTES = 16  # of randomness in an identifier: nobody finds one by trying
_NUMBERS = -1  # the place of the results, beside those of the files


@dataclass(frozen=True)
class Library:
    """Experiments on disk. A change is made whole or not at all, and any number of processes may share a library.

    Parameters
    ----------
    directory
        Made when the first experiment is kept.
    max_bytes
        When contents outgrow it, experiments become due: those that are not pinned, unused for longest first. They go
        when the next experiment comes, so that ``due`` can name them before.
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
        """Keep a new experiment; what is due goes first.

        Raises
        ------
        MtevalError
            Where the library cannot be written to.
        DataError
            Where pinned experiments fill it.
        """
        self._make_room()
        uid, reader, now = _new_link(), _new_link(), time.time()
        self._keep_contents(content)
        with self._index.writing() as write:
            write.execute(
                "INSERT INTO entries VALUES (?, ?, ?, ?, '', FALSE, ?, ?, '', '')", (uid, reader, owner, name, now, now)
            )
            self._fill(write, uid, content)
        return self.entry(uid)

    def change(self, uid: str, content: Content) -> None:
        """Keep a later state of an experiment in place of the earlier one.

        Raises
        ------
        DataError
            Where it has been deleted.
        """
        self._keep_contents(content)
        with self._index.writing() as write:
            self._fill(write, uid, content)

    def complete(self, uid: str, content: Content) -> None:
        """Keep numbers of an experiment where it still is what they were made of; else they are nobody's any more."""
        self._keep_contents(content)
        with self._index.writing() as write:
            row = write.execute("SELECT made FROM entries WHERE uid = ?", (uid,)).fetchone()
            same = sealed(content.made, uid, _files(write, uid)), as_json(content.made)
            if row is not None and row["made"] in same:
                self._fill(write, uid, content)

    def _keep_contents(self, content: Content) -> list[tuple[int, str, str, int]]:
        """Place, name, digest and size on disk of all files; what is there already is not written again."""
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
        # once more: no process removes contents while this one writes, but one may have just before
        rows = [(uid, *row) for row in self._keep_contents(content)]
        write.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)", rows)
        texts = sealed(content.made, uid, _files(write, uid)), sealed(content.card, uid)
        command = "UPDATE entries SET made = ?, card = ?, used = ? WHERE uid = ?"
        write.execute(command, (*texts, time.time(), uid))

    def label(self, uid: str, *, name: str | None = None, note: str | None = None, pin: bool | None = None) -> None:
        """Rename, annotate or pin an experiment; None leaves that as it is."""
        with self._index.writing() as write:
            write.execute(
                "UPDATE entries SET name = coalesce(?, name), note = coalesce(?, note),"
                " is_pinned = coalesce(?, is_pinned) WHERE uid = ?",
                (name, note, pin, uid),
            )

    def touch(self, uid: str, owner: str = "") -> None:
        """Take down that it is used now; what was nobody's belongs to the owner from now on."""
        with self._index.writing() as write:
            command = "UPDATE entries SET used = ?, owner = iif(owner = '', ?, owner) WHERE uid = ?"
            write.execute(command, (time.time(), owner, uid))

    def remove(self, *uids: str) -> None:
        """Delete experiments, and all contents that no other one has."""
        with self._index.writing() as write:
            write.executemany("DELETE FROM entries WHERE uid = ?", [(uid,) for uid in uids])
        with self._index.writing() as write:  # nobody counts on a content while it goes
            used = {row["digest"] for row in write.execute("SELECT DISTINCT digest FROM files")}
            self._blobs.remove_all_but(used)

    def _rows(self, command: str, *values: str) -> list[sqlite3.Row]:
        """What the index answers; nothing where there is none yet."""
        if not self._index.path.exists():
            return []
        with self._index.reading() as read:
            return read.execute(command, values).fetchall()

    def listed(self, owner: str | None = None) -> tuple[Listed, ...]:
        """All experiments, or those of an owner, the last used first."""
        rows = self._rows(f"SELECT {COLUMNS} FROM entries ORDER BY used DESC, rowid DESC")
        return tuple(listed_from(row) for row in rows if owner is None or row["owner"] == owner)

    def with_files(self, files: Mapping[str, bytes]) -> tuple[Listed, ...]:
        """The experiments that have just these files, the last used first."""
        wanted = [(place, name, digest_of_bytes(blob)) for place, (name, blob) in enumerate(files.items())]
        listed = self.listed()
        if not listed:
            return ()
        with self._index.reading() as read:
            kept = {one.uid: [row for row in _files(read, one.uid) if row[0] != _NUMBERS] for one in listed}
        return tuple(one for one in listed if kept[one.uid] == wanted)

    def reached_by(self, link: str) -> Listed | None:
        """The experiment that a link of either kind leads to; None where there is none."""
        rows = self._rows(f"SELECT {COLUMNS} FROM entries WHERE uid = ? OR reader = ?", link, link)
        return listed_from(rows[0]) if rows else None

    def entry(self, uid: str) -> Listed:
        """One experiment.

        Raises
        ------
        DataError
            Where it is not there.
        """
        found = self.reached_by(uid)
        if found is None or found.uid != uid:
            raise DataError(_GONE)
        return found

    def content(self, uid: str) -> Content:
        """All that is kept of an experiment.

        Raises
        ------
        DataError
            Where it is not there.
        MtevalError
            Where a file is damaged.
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
            with suppress(MtevalError):  # where they are damaged they can be made again
                numbers = self._blobs.load(digest)
        return Content(made, card or {}, named, numbers)

    def due(self) -> tuple[Listed, ...]:
        """The experiments that go when the next one comes, the first to go first: those without room beside others.

        These are the ones pinned, and used later.
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
        """Bytes on disk of all that is kept."""
        return sum(size for (size,) in self._rows("SELECT max(size) FROM files GROUP BY digest"))

    def _make_room(self) -> None:
        if due := self.due():
            self.remove(*(one.uid for one in due))
        elif self.size() > self.max_bytes:
            pinned = counted(len(self.listed()), "pinned experiment")
            raise DataError(f"The library is full: {pinned} fill it. Unpin or delete one, and load the files again.")


_DAMAGED = (
    "What the library's index says of the experiment is damaged: it is not what was written. Load the files again, and"
    " delete this one."
)
_GONE = "The experiment is not in the library any more: it was deleted, or made room for newer ones."


def _files(read: sqlite3.Connection, uid: str) -> list[tuple[int, str, str]]:
    """Place, name and digest of an experiment's files, the numbers first."""
    command = "SELECT place, name, digest FROM files WHERE uid = ? ORDER BY place"
    return [tuple(row) for row in read.execute(command, (uid,))]


def _new_link() -> str:
    """What nobody guesses and no command line takes for an option."""
    while (link := secrets.token_urlsafe(LINK_BYTES)).startswith("-"):
        pass
    return link


_WATCHED, _OPENED = "MTEVAL_WATCHED", "MTEVAL_OPENED"
VARIABLE = "MTEVAL_LIBRARY_GIB"
USUAL = 5.0  # GiB
LINK = "experiment"  # what stands before a link in the address of a page
TICKET = "ticket"  # and before what stands for one once
NOBODY = ""  # whose experiments are that no visitor has opened for editing yet


def configured_library() -> Library:
    """The library in the data directory; ``MTEVAL_LIBRARY_GIB`` says how many GiB it may hold.

    Raises
    ------
    SettingsError
        Where the variable holds no such number.
    """
    given = os.environ.get(VARIABLE) or str(USUAL)
    try:
        size = int(float(given) * GIB)
    except (ValueError, OverflowError):
        size = 0
    if size <= 0:
        raise SettingsError(f"{VARIABLE} is '{given}'; expected a number of GiB above 0, as 0.5 or 20.")
    return Library(data_directory() / "library", size)


@dataclass(frozen=True)
class Watched:
    """A folder into which training writes runs of an experiment, which its link names."""

    link: str
    folder: Path


def watch(watched: Watched) -> None:
    """Let a dashboard that is started after this look at a folder."""
    os.environ[_WATCHED] = f"{watched.link} {watched.folder}"


def watched() -> Watched | None:
    """The folder that this dashboard was started to look at."""
    link, _, folder = os.environ.get(_WATCHED, "").partition(" ")
    return Watched(link, Path(folder)) if folder else None


def open_first(link: str) -> None:
    """Let a dashboard that is started after this open an experiment in the browser that it starts itself."""
    os.environ[_OPENED] = link


def ticket() -> str:
    """What the first who brings it gets the link of that experiment for; empty where there is none to open.

    Addresses that a browser is started with are seen by everybody on the machine who lists its processes. The link
    itself travels in the environment, which the user alone can read.
    """
    link = os.environ.get(_OPENED, "")
    if not link:
        return ""
    new = secrets.token_urlsafe(16)
    os.environ[_OPENED] = f"{new} {link}"
    return new


def redeemed(brought: str) -> str | None:
    """The link that a ticket is for, once; None for all others."""
    new, _, link = os.environ.get(_OPENED, "").partition(" ")
    if not link or not secrets.compare_digest(new.encode(), brought.encode()):
        return None
    del os.environ[_OPENED]
    return link
