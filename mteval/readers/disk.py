"""Files on disk: decode them, watch a folder that training writes to, and select outputs by a pattern.

Reading stops at the first file that cannot be read.
"""

import os
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from mteval.base.errors import InputError, MissingFileError
from mteval.base.safe_paths import CACHE
from mteval.base.words import counted
from mteval.readers.documents import (
    DEFAULT_LIMITS,
    FILE_NAME,
    IGNORED,
    Document,
    FileRole,
    InputFile,
    Problem,
    Slot,
    Stream,
    grouped,
)
from mteval.readers.formats.archives import expand
from mteval.readers.formats.text import decode, split_lines
from mteval.readers.formats.uploads import unpack
from mteval.readers.names import DEFAULT_RUN, natural_order, sample_name, shared_length
from mteval.values.languages import language_pair
from mteval.values.model import Experiment

STANDARD_INPUT = Path("-")
_TAKE_ALL = "On the command line, --files loads everything in it."


@dataclass(frozen=True)
class Loaded:
    """An experiment with its files (named by path) and notes about them."""

    experiment: Experiment
    slots: tuple[Slot, ...]
    documents: tuple[Document, ...]
    notes: tuple[Problem, ...] = ()

    @property
    def is_of_scores(self) -> bool:
        """Whether only scores matter: there are no texts, or only those of another program's log."""
        outputs = {slot.file for slot in self.slots if slot.role == "hypothesis"}
        formats = {document.format for document in self.documents if document.name in outputs}
        return not self.experiment.has_texts or formats <= {"json"}

    def in_languages(self, languages: str | None) -> "Loaded":
        """Return a copy with this language pair on all test sets; None changes nothing.

        Raises
        ------
        SettingsError
            If it is not a pair of codes.
        """
        if languages is None:
            return self
        pair = language_pair(languages)
        test_sets = tuple(replace(test_set, languages=pair) for test_set in self.experiment.test_sets)
        return replace(self, experiment=replace(self.experiment, test_sets=test_sets))


def load_documents(paths: Iterable[Path]) -> dict[Path, Document]:
    """Decode the file at each path.

    Raises
    ------
    InputError
        If a file cannot be read or is an archive.
    """
    distinct = list(dict.fromkeys(paths))
    documents, problems = unpack([file_at(path) for path in distinct])
    for problem in problems:
        if problem.severity == "error":
            raise problem.as_error()
    document_named = {document.name: document for document in documents}
    document_at = {}
    ignored = {problem.file: problem for problem in problems if problem.code == IGNORED}
    for path in distinct:
        if str(path) in ignored:
            reason = ignored[str(path)].message
            if not reason.endswith("."):
                reason = f"Not read: {reason}. Name another file."
            raise InputError(reason, str(path), code=IGNORED)
        if str(path) not in document_named:
            raise InputError(f"This is an archive. {_TAKE_ALL}", str(path))
        document_at[path] = document_named[str(path)]
    return document_at


def file_at(path: Path) -> InputFile:
    """Return the file at a path unchanged; ``-`` is standard input.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    return InputFile(str(path), beginning_of(path, DEFAULT_LIMITS.total_bytes + 1))


def beginning_of(path: Path, n_bytes: int) -> bytes:
    """Return the first bytes of the file at a path; ``-`` is standard input.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    try:
        if path == STANDARD_INPUT:
            return sys.stdin.buffer.read(n_bytes)
        with path.open("rb") as file:
            return file.read(n_bytes)
    except FileNotFoundError as error:
        raise MissingFileError("No such file. Check the path.", str(path)) from error
    except IsADirectoryError as error:
        raise InputError("This is a folder. Name the files in it.", str(path)) from error
    except OSError as error:
        raise InputError(f"Cannot be opened ({error.strerror}). Check its permissions.", str(path)) from error


def read_lines(path: Path) -> list[str]:
    """Return the lines of a text file, plain or compressed.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    files = expand(file_at(path), DEFAULT_LIMITS, DEFAULT_LIMITS.total_bytes).files
    if len(files) != 1:
        raise InputError(f"The archive has {counted(len(files), 'file')}; expected one.", str(path))
    return split_lines(decode(files[0].content, files[0].name))


def streams_for(document: Document, role: FileRole) -> tuple[Stream, ...]:
    """Return a document's streams for a role. Plain text fits every role; other formats state their roles."""
    if document.format == "nbest":
        raise InputError("This is an n-best list. Expected one segment per line.", document.name)
    if role == "parses":
        if document.format != "conllu":
            raise InputError("Not CoNLL-U. Expected ten columns separated by tabs.", document.name)
        return document.streams
    if document.format == "lines":
        return document.streams
    fitting = tuple(stream for stream in document.streams if stream.role == role)
    if not fitting and document.format in ("tmx", "xliff"):  # what is not the source is a reference or an output
        fitting = tuple(stream for stream in document.streams if stream.role is None)
    may_be_several = role in ("reference", "scores")
    if not fitting or (len(fitting) > 1 and not may_be_several):
        columns = counted(len(fitting), "column")
        raise InputError(f"The file has {columns} with role {role}; expected one. {_TAKE_ALL}", document.name)
    return fitting


Seen = Mapping[str, tuple[int, int]]  # size and modification time, by name relative to the folder's parent


def files_below(folder: Path) -> dict[str, Path]:
    """Map file names, as if the folder were dropped, to paths. Hidden files and Python's caches are skipped."""
    path_of: dict[str, Path] = {}
    for path in folder.rglob("*"):
        name = path.relative_to(folder.parent)
        if path.is_file() and not any(map(_is_hidden, name.parts[1:])):
            path_of[name.as_posix()] = path
    return {name: path_of[name] for name in sorted(path_of, key=natural_order)}


def hidden_below(folder: Path) -> Counter[Path]:
    """Return what ``files_below`` skips: hidden files, and hidden folders with their number of files."""
    hidden = Counter[Path]()
    for path in folder.rglob("*"):
        parts = path.relative_to(folder).parts
        depth = next((depth for depth, part in enumerate(parts, start=1) if _is_hidden(part)), None)
        if depth is not None and path.is_file():
            hidden[folder.joinpath(*parts[:depth])] += 1
    return hidden


def links_below(folder: Path) -> dict[Path, str]:
    """Return the links that ``files_below`` skips, with the reason: to folders, or to nothing."""
    reason_of = {}
    for path in folder.rglob("*"):
        parts = path.relative_to(folder).parts
        if any(map(_is_hidden, parts)) or not path.is_symlink():
            continue
        if not path.exists():
            reason_of[path] = f"a link to '{os.readlink(path)}', which does not exist. Copy the file"
        elif path.is_dir() and not _is_within(path.resolve(), folder.resolve()):
            reason_of[path] = f"a link to the folder '{os.readlink(path)}', which is not followed. Name that folder too"
    return reason_of


def _is_within(path: Path, folder: Path) -> bool:
    """Whether a folder is read anyway with another one, or contains it."""
    return path.is_relative_to(folder) or folder.is_relative_to(path)


def _is_hidden(part: str) -> bool:
    return part.startswith(".") or part == CACHE


@dataclass(frozen=True)
class FolderGrowth:
    """Two successive snapshots of a folder.

    Parameters
    ----------
    known
        Names of loaded files.
    before, now
        Size and modification time of each file.
    """

    folder: Path
    known: frozenset[str] = frozenset()
    before: Seen = field(default_factory=dict)
    now: Seen = field(default_factory=dict)

    def look(self, known: Collection[str]) -> "FolderGrowth":
        """Return the state after another snapshot."""
        seen: dict[str, tuple[int, int]] = {}
        for name, path in files_below(self.folder).items():
            with suppress(FileNotFoundError):  # training moved it meanwhile
                status = path.stat()
                seen[name] = (status.st_size, status.st_mtime_ns)
        return FolderGrowth(self.folder, frozenset(known), self.now, seen)

    @property
    def whole(self) -> tuple[str, ...]:
        """New files that did not change between the snapshots."""
        names = []
        for name in self._new:
            size, _ = self.now[name]
            if size and self.now[name] == self.before.get(name):
                names.append(name)
        return tuple(names)

    @property
    def growing(self) -> tuple[str, ...]:
        """New files that are empty or still being written."""
        unchanged = set(self.whole)
        return tuple(name for name in self._new if name not in unchanged)

    @property
    def _new(self) -> tuple[str, ...]:
        """Names of files that are not loaded, without descriptions of experiments."""
        return tuple(name for name in self.now if name not in self.known and Path(name).name != FILE_NAME)

    def read(self) -> list[InputFile]:
        """Read the complete files.

        Raises
        ------
        InputError
            If one cannot be read.
        """
        return [InputFile(name, file_at(self.folder.parent / name).content) for name in self.whole]


Group = Literal["runs", "samples", "systems", "nothing"]
Row = dict[str, str | bool]
NUMBER = re.compile(r"\d+")


def outputs_named(slots: Sequence[Slot], pattern: str) -> tuple[int, ...]:
    """Return the rows of outputs whose path contains a pattern (``*`` matches anything), in natural order of paths."""
    anywhere = f"*{pattern.strip().lower()}*"
    rows = []
    for row, slot in enumerate(slots):
        if slot.role == "hypothesis" and fnmatchcase(_path(slot).lower(), anywhere):
            rows.append(row)
    rows.sort(key=lambda row: natural_order(_path(slots[row])))
    return tuple(rows)


def shared_name(slots: Sequence[Slot], rows: Sequence[int]) -> str:
    """Suggest a system name for outputs: the shared beginning of their systems, else their shared folder."""
    if not rows:
        return ""
    systems = [str(slots[row].system) for row in rows]
    beginning = systems[0][: shared_length(systems)].strip("-_. /")
    if beginning:
        return beginning
    folders = [slots[row].file.split("/")[:-1] for row in rows]
    shared_folders = folders[0][: shared_length(folders)]
    if shared_folders and shared_folders[-1]:
        return shared_folders[-1]
    return "system"


def regrouped(slots: Sequence[Slot], rows: Sequence[int], group: Group, system: str) -> Mapping[int, Row]:
    """Return edits, by row, that make outputs runs of one system, samples of its only run, systems, or unused.

    The run or sample is the last number that differs between all paths of a test set, else the position from 0.
    """
    edits: dict[int, Row] = {}
    if group == "nothing":
        for row in rows:
            edits[row] = {"included": False}
        return edits
    if group == "systems":
        for row in rows:
            name = f"{slots[row].system}.{slots[row].run}"
            edits[row] = {"system": name, "run": DEFAULT_RUN, "included": True}
        return edits
    rows_of = grouped((slots[row].test_set, row) for row in rows)
    for rows_of_test_set in rows_of.values():
        numbers = _numbers([_path(slots[row]) for row in rows_of_test_set])
        for row, number in zip(rows_of_test_set, numbers, strict=True):
            run = sample_name(DEFAULT_RUN, number) if group == "samples" else number
            edits[row] = {"system": system, "run": run, "included": True}
    return edits


def _path(slot: Slot) -> str:
    """Text that identifies an output."""
    return f"{slot.file} {slot.stream}".strip()


def _numbers(paths: Sequence[str]) -> Sequence[str]:
    """Return the last number of each path by which all differ, else their positions from 0."""
    numbers = [NUMBER.findall(path)[::-1] for path in paths]
    for column in zip(*numbers, strict=False):
        if len(set(column)) == len(paths):
            return column
    return [str(position) for position in range(len(paths))]
