"""Files on disk, decoded; stops at the first that cannot be read."""

import sys
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from mteval.counts import counted
from mteval.errors import InputError
from mteval.languages import language_pair
from mteval.model import Experiment
from mteval.readers.documents import DEFAULT_LIMITS, Document, FileRole, InputFile, Limits, Stream
from mteval.readers.formats.archives import expand
from mteval.readers.formats.text import decode, split_lines
from mteval.readers.formats.uploads import unpack
from mteval.readers.problems import Problem
from mteval.readers.slots import Slot

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
