"""What passes between the steps of reading: uploads, documents of streams, rows of the assignment table, problems."""

import re
from dataclasses import dataclass
from typing import Literal, get_args

from mteval.errors import InputError
from mteval.model import Experiment

FileRole = Literal["hypothesis", "reference", "source", "documents", "labels", "scores", "parses", "nbest", "other"]
FILE_ROLES: tuple[FileRole, ...] = get_args(FileRole)
NAMED_ROLES: tuple[FileRole, ...] = ("labels", "scores")  # what has a name of its own
Format = Literal["lines", "table", "sgml", "xml", "json", "conllu", "nbest"]
Severity = Literal["error", "warning", "note"]
DEFAULT_RUN = "0"
DEFAULT_TEST_SET = "test"
MIB = 1 << 20
NAMED_SUFFIX = re.compile(
    r"(\.seg)?(\.scores?|\.labels?)?(\.(txt|text|tsv|csv|jsonl?))?(\.(gz|bz2|xz))?( \(\d+\))?$", re.I
)


def name_of_file(path: str) -> str:
    """What a file of scores or labels is called after: its name, without folders and without suffixes such as
    ``.seg.score``, ``.labels`` or ``.tsv``."""
    plain = path.replace("\\", "/").rsplit("/", 1)[-1]
    return NAMED_SUFFIX.sub("", plain) or plain


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
class ScoreColumn:
    """Scores that one output was given, None where there is none.

    Parameters
    ----------
    system, run
        As the file names them: a key, or the name of the output's file; None where it does not.
    values
        In the order of the file.
    keys
        The segment of each value; None where the values are all segments in their order.
    """

    system: str | None
    run: str | None
    values: tuple[float | None, ...]
    keys: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Stream:
    """One column of segments in a document: an output, a reference, the source or the ids of documents.

    Or the scores that one metric gave to outputs; such a stream has no lines.

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
    name
        What the format says that it is called (a metric), else None.
    scores
        Of each output that the metric scored.
    """

    label: str
    lines: tuple[str | None, ...]
    role: FileRole | None = None
    system: str | None = None
    run: str | None = None
    test_set: str | None = None
    keys: tuple[str, ...] | None = None
    name: str | None = None
    scores: tuple[ScoreColumn, ...] = ()


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
        What it is; system and run are None unless it is a hypothesis or the parse of one, or scores in a file that
        names neither. The parse of a reference has no system, and as run the number of the reference, from 1.
    included
        False leaves it out.
    name
        What scores (the name of the metric) or labels are called; None takes the name of the file.
    """

    file: str
    role: FileRole
    system: str | None = None
    run: str | None = None
    test_set: str = DEFAULT_TEST_SET
    stream: str = ""
    included: bool = True
    name: str | None = None

    @property
    def shown_name(self) -> str:
        """What it is called."""
        return self.name or name_of_file(self.file)


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
