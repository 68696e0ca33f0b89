"""What became of every input file: read as what, ignored, or refused, and why.

``mteval.readers.assembly.ledger`` makes the one ledger of an experiment, and every door shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Literal

Fate = Literal["read", "ignored", "refused"]


@dataclass(frozen=True)
class Entry:
    """What became of one file, or of one member of an archive or folder.

    Parameters
    ----------
    file
        Name as the user knows it (inside an archive: ``archive.zip/entry``).
    fate
        ``ignored`` files were never meant, or are set aside. ``refused`` ones were meant and cannot be used.
    reason
        Why it is not read; empty if it is.
    roles
        What it is read as: ``hypothesis``, ``scores`` and others.
    format, program, version
        Form of the file, and the program that wrote it; empty if unknown.
    rows
        Rows of a table, or outputs, scores, judgements or lines that were read.
    segments
        Segments that these are of.
    notes
        What was noticed when it was read, e.g. columns that are ignored.
    count
        Files that it stands for: a hidden folder is one entry.
    """

    file: str
    fate: Fate
    reason: str = ""
    roles: tuple[str, ...] = ()
    format: str = ""
    program: str = ""
    version: str = ""
    rows: int = 0
    segments: int = 0
    notes: tuple[str, ...] = ()
    count: int = 1


@dataclass(frozen=True)
class Ledger:
    """Every input file exactly once, in the order of their names."""

    entries: tuple[Entry, ...] = ()

    def of(self, fate: Fate) -> tuple[Entry, ...]:
        """Return the entries of one fate."""
        return tuple(entry for entry in self.entries if entry.fate == fate)

    def number_of(self, fate: Fate) -> int:
        """Return how many files had one fate."""
        return sum(entry.count for entry in self.of(fate))

    @property
    def n_files(self) -> int:
        """Number of all files."""
        return sum(entry.count for entry in self.entries)

    @property
    def unread(self) -> tuple[Entry, ...]:
        """The files that are not read, refused ones first."""
        return (*self.of("refused"), *self.of("ignored"))

    def including(self, entries: Iterable[Entry]) -> Ledger:
        """Return a copy with further entries, without those of files that have one."""
        names = {entry.file for entry in self.entries}
        further = {entry.file: entry for entry in entries if entry.file not in names}
        return Ledger((*self.entries, *further.values()))

    def form(self) -> list[dict[str, object]]:
        """Return the entries for JSON."""
        return [asdict(entry) for entry in self.entries]

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)


NO_FILES = Ledger()
