"""Files on disk: decoded one by one, those of a folder into which training writes, and outputs that a pattern names.

Reading stops at the first file that cannot be read. Of a growing folder it is known which files are whole.
"""

import re
import sys
from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from mteval.base.errors import InputError
from mteval.base.words import counted
from mteval.readers.documents import (
    DEFAULT_LIMITS,
    DEFAULT_RUN,
    FILE_NAME,
    Document,
    FileRole,
    InputFile,
    Limits,
    Problem,
    Slot,
    Stream,
    sample_name,
)
from mteval.readers.formats.archives import expand
from mteval.readers.formats.text import decode, split_lines
from mteval.readers.formats.uploads import unpack
from mteval.readers.names import natural_order, shared_length
from mteval.values.languages import language_pair
from mteval.values.model import Experiment

STANDARD_INPUT = Path("-")
_TAKE_ALL = "On the command line, --files takes all that is in it."


@dataclass(frozen=True)
class Loaded:
    """An experiment with the files that it was made from, under their paths, and what there is to say of them."""

    experiment: Experiment
    slots: tuple[Slot, ...]
    documents: tuple[Document, ...]
    remarks: tuple[Problem, ...] = ()

    @property
    def is_of_scores(self) -> bool:
        """Whether its scores are all there is to it: it has no texts, or those of another program's log."""
        outputs = {slot.file for slot in self.slots if slot.role == "hypothesis"}
        formats = {document.format for document in self.documents if document.name in outputs}
        return not self.experiment.has_texts or formats <= {"json"}

    def in_languages(self, languages: str | None) -> "Loaded":
        """The same with the languages on all test sets, where they are declared.

        Raises
        ------
        SettingsError
            Where they are no pair of codes.
        """
        if languages is None:
            return self
        pair = language_pair(languages)
        test_sets = tuple(replace(test_set, languages=pair) for test_set in self.experiment.test_sets)
        return replace(self, experiment=replace(self.experiment, test_sets=test_sets))


def load_documents(paths: Mapping[Path, None], limits: Limits) -> dict[Path, Document]:
    """The decoded file at each path.

    Raises
    ------
    InputError
        Where a file cannot be read, or is an archive.
    """
    files = [file_at(path, limits) for path in paths]
    documents, problems = unpack(files, limits)
    for problem in problems:
        if problem.severity == "error":
            raise problem.as_error()
    by_name = {document.name: document for document in documents}
    for path in paths:
        if str(path) not in by_name:
            raise InputError(f"It is an archive; name its files one by one. {_TAKE_ALL}", str(path))
    return {path: by_name[str(path)] for path in paths}


def file_at(path: Path, limits: Limits = DEFAULT_LIMITS) -> InputFile:
    """The file at a path, as it is; ``-`` is standard input.

    Raises
    ------
    InputError
        Where it cannot be read.
    """
    try:
        with nullcontext(sys.stdin.buffer) if path == STANDARD_INPUT else path.open("rb") as file:
            content = file.read(limits.total_bytes + 1)
    except FileNotFoundError as error:
        raise InputError("There is no such file; check the path.", str(path)) from error
    except IsADirectoryError as error:
        raise InputError("It is a folder; name the files in it.", str(path)) from error
    except OSError as error:
        raise InputError(f"It cannot be opened ({error.strerror}).", str(path)) from error
    return InputFile(str(path), content)


def read_lines(path: Path, limits: Limits = DEFAULT_LIMITS) -> list[str]:
    """The lines of a text file, which may be compressed.

    Raises
    ------
    InputError
        Where it cannot be read.
    """
    (file,) = expand(file_at(path, limits), limits, limits.total_bytes)
    return split_lines(decode(file.content, file.name))


def streams_for(document: Document, role: FileRole) -> tuple[Stream, ...]:
    """The streams of a document for a role: a text file serves every role, other formats say what they hold."""
    if document.format == "nbest":
        raise InputError("It is an n-best list; expected one segment a line.", document.name)
    if role == "parses":
        if document.format != "conllu":
            raise InputError("It is no CoNLL-U; expected ten columns with tabs between them.", document.name)
        return document.streams
    if document.format == "lines":
        return document.streams
    fitting = tuple(stream for stream in document.streams if stream.role == role)
    if not fitting or (role not in ("reference", "scores") and len(fitting) > 1):
        found = counted(len(fitting), "column")
        raise InputError(f"It holds {found} of role {role}; expected one. {_TAKE_ALL}", document.name)
    return fitting


Seen = Mapping[str, tuple[int, int]]  # by name relative to the folder's parent: size and time of the last change


def files_below(folder: Path) -> dict[str, Path]:
    """The files of a folder by the names that they have when it is dropped, hidden ones left out."""
    found = {path.relative_to(folder.parent): path for path in folder.rglob("*") if path.is_file()}
    shown = {name.as_posix(): path for name, path in found.items() if not any(p[0] == "." for p in name.parts[1:])}
    return {name: shown[name] for name in sorted(shown, key=natural_order)}


@dataclass(frozen=True)
class FolderGrowth:
    """What was seen in a folder at two looks, some time apart.

    Parameters
    ----------
    known
        Names of the files that are loaded. What an ``experiment.toml`` says was said when it was loaded.
    """

    folder: Path
    known: frozenset[str] = frozenset()
    before: Seen = field(default_factory=dict)
    now: Seen = field(default_factory=dict)

    def look(self, known: Collection[str]) -> "FolderGrowth":
        """The same after another look."""
        seen = dict[str, tuple[int, int]]()
        for name, path in files_below(self.folder).items():
            with suppress(FileNotFoundError):  # training moved it meanwhile
                status = path.stat()
                seen[name] = status.st_size, status.st_mtime_ns
        return FolderGrowth(self.folder, frozenset(known), self.now, seen)

    @property
    def whole(self) -> tuple[str, ...]:
        """Files that are not loaded and did not change between the looks."""
        return tuple(name for name in self._new if self.now[name] == self.before.get(name) and self.now[name][0])

    @property
    def growing(self) -> tuple[str, ...]:
        """Files that are not loaded and are still written, or empty."""
        whole = set(self.whole)
        return tuple(name for name in self._new if name not in whole)

    @property
    def _new(self) -> tuple[str, ...]:
        return tuple(name for name in self.now if name not in self.known and Path(name).name != FILE_NAME)

    def read(self) -> list[InputFile]:
        """The files that are whole.

        Raises
        ------
        InputError
            Where one cannot be read.
        """
        return [InputFile(name, file_at(self.folder.parent / name).content) for name in self.whole]


Group = Literal["runs", "samples", "systems", "nothing"]
Row = dict[str, str | bool]
NUMBER = re.compile(r"\d+")
EDGES = "-_. /"


def outputs_named(slots: Sequence[Slot], pattern: str) -> tuple[int, ...]:
    """Rows of the outputs that have a pattern in their path, ``*`` for anything, in the natural order of the paths."""
    anywhere = f"*{pattern.strip().lower()}*"
    rows = [row for row, slot in enumerate(slots) if slot.role == "hypothesis"]
    found = [row for row in rows if fnmatchcase(_path(slots[row]).lower(), anywhere)]
    return tuple(sorted(found, key=lambda row: natural_order(_path(slots[row]))))


def shared_name(slots: Sequence[Slot], rows: Sequence[int]) -> str:
    """A name for the system that all of some outputs are of: what their systems, else their files, begin with."""
    if not rows:
        return ""
    systems = [str(slots[row].system) for row in rows]
    folders = [slots[row].file.split("/")[:-1] for row in rows]
    shared = systems[0][: shared_length(systems)].strip(EDGES), *folders[0][: shared_length(folders)][-1:]
    return next(filter(None, shared), "system")


def regrouped(slots: Sequence[Slot], rows: Sequence[int], group: Group, system: str) -> Mapping[int, Row]:
    """Edits, by row, that make outputs runs of one system, samples of its only run, systems of their own, or nothing.

    The run or sample is the last number that differs between all paths of a test set, else the place among them, from
    0.
    """
    if group == "nothing":
        return {row: {"included": False} for row in rows}
    if group == "systems":
        alone = ((row, f"{slots[row].system}.{slots[row].run}") for row in rows)
        return {row: {"system": name, "run": DEFAULT_RUN, "included": True} for row, name in alone}
    edits: dict[int, Row] = {}
    for test_set in dict.fromkeys(slots[row].test_set for row in rows):
        of_test_set = [row for row in rows if slots[row].test_set == test_set]
        for row, run in zip(of_test_set, _numbers([_path(slots[row]) for row in of_test_set]), strict=True):
            name = sample_name(DEFAULT_RUN, run) if group == "samples" else run
            edits[row] = {"system": system, "run": name, "included": True}
    return edits


def _path(slot: Slot) -> str:
    """What tells an output from all others."""
    return f"{slot.file} {slot.stream}".strip()


def _numbers(paths: Sequence[str]) -> Sequence[str]:
    for column in zip(*(reversed(NUMBER.findall(path)) for path in paths), strict=False):
        if len(set(column)) == len(paths):
            return column
    return [str(place) for place in range(len(paths))]
