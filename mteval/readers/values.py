"""What passes between the steps of reading: uploads, documents of streams, rows of the assignment table, problems."""

from dataclasses import dataclass
from typing import Literal

from mteval.errors import InputError
from mteval.model import Experiment

FileRole = Literal["hypothesis", "reference", "source", "documents", "nbest", "other"]
FILE_ROLES: tuple[FileRole, ...] = ("hypothesis", "reference", "source", "documents", "nbest", "other")
Format = Literal["lines", "table", "sgml", "xml", "nbest"]
Severity = Literal["error", "warning", "note"]
DEFAULT_RUN = "0"
DEFAULT_TEST_SET = "test"
MIB = 1 << 20


@dataclass(frozen=True)
class InputFile:
    """A file as uploaded. The name may hold folders (``base/opt0.txt``); it is a label and never opened."""

    name: str
    content: bytes


@dataclass(frozen=True)
class Limits:
    """What one upload may cost.

    Parameters
    ----------
    file_bytes
        Size of one file, unpacked.
    total_bytes
        Size of all files together, unpacked.
    entries
        Files in one archive.
    line_bytes
        Length of one line (of one segment, in formats that have no lines).
    """

    file_bytes: int = 256 * MIB
    total_bytes: int = 1024 * MIB
    entries: int = 5_000
    line_bytes: int = MIB


@dataclass(frozen=True)
class Stream:
    """One column of segments in a document: an output, a reference, the source or the ids of documents.

    Parameters
    ----------
    label
        Unique within the document; empty where the document is a plain text file.
    lines
        One value a segment; None where the format says that there is none (a segment without this reference).
    role, system, run, test_set
        What the format itself says, else None.
    keys
        One name a segment, by which streams of different files are aligned; None where only the order counts.
    """

    label: str
    lines: tuple[str | None, ...]
    role: FileRole | None = None
    system: str | None = None
    run: str | None = None
    test_set: str | None = None
    keys: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Document:
    """A decoded file with its streams. ``notes`` are remarks for the user, ``name`` is unique among what is loaded.

    ``original`` is the file as it came, compressed with zlib, where its streams do not hold all of it.
    """

    name: str
    format: Format
    streams: tuple[Stream, ...]
    notes: tuple[str, ...] = ()
    original: bytes = b""

    def stream(self, label: str) -> Stream | None:
        """The stream of that label, or None."""
        return next((stream for stream in self.streams if stream.label == label), None)


@dataclass(frozen=True)
class Slot:
    """One row of the assignment table: what a stream is taken for.

    Parameters
    ----------
    file, stream
        Name of the document and label of the stream in it (empty for plain text); together they identify the row.
    role, system, run, test_set
        What it is; system and run are None unless it is a hypothesis.
    included
        False leaves it out.
    """

    file: str
    role: FileRole
    system: str | None = None
    run: str | None = None
    test_set: str = DEFAULT_TEST_SET
    stream: str = ""
    included: bool = True


@dataclass(frozen=True)
class Problem:
    """Something about the input that the user should know; what can be loaded without it is loaded.

    Parameters
    ----------
    message
        What was found, what was expected and the remedy, without the name of the file.
    file, line
        Where; the line counts from 1.
    severity
        ``error`` where something was left out that the user wanted in.
    """

    message: str
    file: str | None = None
    line: int | None = None
    severity: Severity = "error"

    @property
    def text(self) -> str:
        """The message with file and line before it."""
        return str(self.as_error())

    def as_error(self) -> InputError:
        """The same as an exception, for callers that stop at the first problem."""
        return InputError(self.message, self.file, self.line)

    @classmethod
    def of(cls, error: InputError) -> "Problem":
        """The same as a value, for callers that go on without the file."""
        return cls(error.message, error.file, error.line)


@dataclass(frozen=True)
class Assembly:
    """What the slots amount to: the experiment, or None where there is none yet, and what stands in the way.

    ``nbest`` names the n-best lists, which belong to no test set.
    """

    experiment: Experiment | None
    problems: tuple[Problem, ...]
    nbest: tuple[str, ...] = ()
