"""What became of every input file, in words: a line per reason on a terminal, a table on pages and in reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter

import pandas as pd

from mteval.answers.section import Column, Section, Table
from mteval.base.words import counted
from mteval.readers.assembly.ledger import extent
from mteval.readers.documents import NAMES_SHOWN, grouped, named
from mteval.values.ledger import Entry, Fate, Ledger

ROLES = {
    "hypothesis": "output",
    "nbest": "n-best list",
    "documents": "document IDs",
}
_HEADS = {"files": "Files", "fate": "Fate", "why": "Read as, or reason", "extent": "Extent"}
_VERBS: dict[Fate, str] = {"refused": "Refused", "ignored": "Ignored"}


def summary(ledger: Ledger) -> str:
    """Return how many files there are, and what became of them: ``15 files: 12 read, 2 ignored, 1 refused.``"""
    files = counted(ledger.n_files, "file")
    fates: tuple[Fate, ...] = ("read", "ignored", "refused")
    parts = []
    for fate in fates:
        number = ledger.number_of(fate)
        if number > 0:
            parts.append(f"{number:,} {fate}")
    if len(parts) == 1 and ledger.number_of("read"):
        return f"{files}, all read."
    return f"{files}: {', '.join(parts)}."


def read_lines(ledger: Ledger) -> Iterator[str]:
    """Yield one line for the files that are read as the same thing, with their extent."""
    alike = grouped((_alike(entry), entry) for entry in ledger.of("read"))
    for (_, text, size), entries in alike.items():
        yield f"Read {_first_and_last(entries)}: {text}, {size}."
        for note in _notes_of(entries):
            yield f"  {note}"


def unread_lines(ledger: Ledger, *, has_summary: bool = True) -> Iterator[str]:
    """Yield one line per reason for which files are not read, after the summary; nothing if all are."""
    if not ledger.unread:
        return
    if has_summary:
        yield summary(ledger)
    alike = grouped((_alike(entry), entry) for entry in ledger.unread)
    for (fate, reason, _), entries in alike.items():
        yield f"{_VERBS[fate]} {_names(entries)}: {_sentence(reason)}"


def _first_and_last(entries: Sequence[Entry]) -> str:
    """Return the names of files, of many their number and the ends of the list."""
    if len(entries) <= 2:
        return named(_shown_names(entries))
    return f"{counted(len(entries), 'file')} ({entries[0].file} … {entries[-1].file})"


def _names(entries: Sequence[Entry]) -> str:
    """Return the names of files, of many their number and the first ones; each may be unexpected."""
    names = named(_shown_names(entries))
    if len(entries) <= NAMES_SHOWN:
        return names
    return f"{counted(len(entries), 'file')} ({names})"


def _shown_names(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield the names of files; a folder has the number of its files."""
    for entry in entries:
        if entry.count == 1:
            yield entry.file
        else:
            yield f"{entry.file}/ ({counted(entry.count, 'file')})"


def _notes_of(entries: Iterable[Entry]) -> list[str]:
    """Return the notes on some files, each once."""
    notes: dict[str, None] = {}
    for entry in entries:
        notes.update(dict.fromkeys(entry.notes))
    return list(notes)


def _sentence(reason: str) -> str:
    """Return a reason as a sentence, with its period."""
    if reason.endswith((".", "!", "?")):
        return reason
    return f"{reason}."


def read_as(entry: Entry) -> str:
    """Return role and form of a file that is read, else why it is not."""
    if entry.fate != "read":
        return entry.reason
    roles = ", ".join(ROLES.get(role, role) for role in entry.roles)
    program = " ".join(filter(None, (entry.program, entry.version)))
    return f"{roles} ({program or entry.format})"


def ledger_section(ledger: Ledger) -> Section:
    """Return all files as a table with a row per fate and reason, those that are not read first."""
    rows = []
    alike = grouped((_alike(entry), entry) for entry in (*ledger.unread, *ledger.of("read")))
    for (fate, text, size), entries in alike.items():
        names = _first_and_last(entries) if fate == "read" else _names(entries)
        notes = _notes_of(entries)
        explained = text
        if notes:
            explained = " ".join((_sentence(text), *notes))
        rows.append((names, fate, explained, size))
    frame = pd.DataFrame(rows, columns=list(_HEADS), dtype=object)
    columns = [Column(key, head, "word", write=itemgetter(key)) for key, head in _HEADS.items()]
    table = Table(tuple(columns), frame, "Input files")
    return Section("files", "Files", (summary(ledger),), table=table)


def _alike(entry: Entry) -> tuple[Fate, str, str]:
    """Return what the files of one row share: fate, role or reason, and extent if they are read."""
    size = extent(entry) if entry.fate == "read" else ""
    return entry.fate, read_as(entry), size
