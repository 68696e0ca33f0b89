"""Files as they come and as they are once decoded: documents, each of one or more streams of segments."""

from dataclasses import dataclass
from typing import Literal, get_args

from mteval.values.judgements import Judgement, Spans

FileRole = Literal[
    "hypothesis", "reference", "source", "documents", "labels", "scores", "parses", "nbest", "judgements", "other"
]
FILE_ROLES: tuple[FileRole, ...] = get_args(FileRole)
NAMED_ROLES: tuple[FileRole, ...] = ("labels", "scores")  # what has a name of its own
Format = Literal["lines", "table", "sgml", "xml", "json", "conllu", "nbest", "judgements"]
MIB = 1 << 20


@dataclass(frozen=True)
class InputFile:
    """A file as uploaded. The name may hold folders (``base/opt0.txt``); it is a label and never opened."""

    name: str
    content: bytes


@dataclass(frozen=True)
class Limits:
    """What one upload may cost. All of it is counted before anything is made of the content.

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
    lines
        Lines of one file, elements of one in XML, objects and values of one in JSON.
    columns
        Columns of a table; systems, runs, references and so on of one file.
    cells
        Columns times segments of one file: a value that is not there takes room as well.
    name_characters
        Length of the name of a system, run, test set, column or metric.
    path_characters
        Length of the name of a file with its folders.
    """

    file_bytes: int = 256 * MIB
    total_bytes: int = 1024 * MIB
    entries: int = 5_000
    line_bytes: int = MIB
    lines: int = 2_000_000
    columns: int = 1_000
    cells: int = 20_000_000
    name_characters: int = 200
    path_characters: int = 1_000


DEFAULT_LIMITS = Limits()


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
    judgements
        Of how many judgements of people each value is the mean, 0 where that is not said; None where it is of none.
    spans
        The errors that were marked in each output, None where that is not said; None for the whole where none are.
    deviations
        The standard deviation that each score is said to have.
    texts
        The outputs that were scored, where the file has them: they say whether these are the ones that are loaded.
    """

    system: str | None
    run: str | None
    values: tuple[float | None, ...]
    keys: tuple[str, ...] | None = None
    judgements: tuple[int, ...] | None = None
    spans: tuple[Spans | None, ...] | None = None
    deviations: tuple[float | None, ...] | None = None
    texts: tuple[str, ...] | None = None


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
    is_higher_better
        Of scores what their format says of it, else None.
    judgements
        What people said of outputs; such a stream has no lines either.
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
    is_higher_better: bool | None = None
    judgements: tuple[Judgement, ...] = ()


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
