"""Values passed between the steps of reading: files, decoded documents of streams, and the role of each stream.

Problems concern what was read; their warnings become findings of the experiment.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar, get_args

from mteval.base.errors import DataError, InputError
from mteval.base.words import compose_names, composed, counted
from mteval.readers.names import DEFAULT_RUN, DEFAULT_TEST_SET, name_of_file
from mteval.values.judgements import Judgement, Spans
from mteval.values.ledger import NO_FILES, Ledger
from mteval.values.model import Experiment, Role

FileRole = Literal[
    "hypothesis", "reference", "source", "documents", "labels", "scores", "parses", "nbest", "judgements", "other"
]
FILE_ROLES: tuple[FileRole, ...] = get_args(FileRole)
NAMED_ROLES: tuple[FileRole, ...] = ("labels", "scores")  # roles with names of their own
Format = Literal["lines", "table", "sgml", "xml", "tmx", "xliff", "json", "conllu", "nbest", "judgements"]
K = TypeVar("K")
V = TypeVar("V")
MIB = 1 << 20
FILE_NAME = "experiment.toml"  # states the roles of documents
TEXT_COLUMN = re.compile(r"column (\d{1,4}) of (\d{1,4})")  # label of a stream of plain text with tabs


@dataclass(frozen=True)
class InputFile:
    """An uploaded file. The name may contain folders (``base/opt0.txt``); it is a label and is never opened."""

    name: str
    content: bytes


@dataclass(frozen=True)
class Limits:
    """Limits on an upload, checked before anything is built from its content.

    Parameters
    ----------
    file_bytes
        Size of one unpacked file.
    total_bytes
        Size of all files together, unpacked.
    entries
        Files per archive.
    line_bytes
        Length of a line (of a segment, in formats without lines).
    lines
        Lines per file, elements in XML, objects and values in JSON.
    columns
        Columns per table; systems, runs, references and so on per file.
    cells
        Columns times segments of a file, missing values included.
    name_characters
        Length of the name of a system, run, test set, column or metric.
    path_characters
        Length of a file name with its folders.
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
    """Scores of one output; None marks a missing score.

    Parameters
    ----------
    system, run
        As named in the file: a key, or the file name of the output; None if not named.
    values
        In file order.
    keys
        Segment of each value; None if there is one value per segment, in order.
    judgements
        Number of human judgements averaged in each value (0 if unknown); None for other scores.
    spans
        Errors marked in each output, None if unknown; None instead of the tuple if the file marks no errors.
    deviations
        Standard deviation stated for each score.
    texts
        Scored outputs, if the file contains them. They are compared with the loaded outputs.
    """

    system: str | None
    run: str | None
    values: tuple[float | None, ...]
    keys: tuple[str, ...] | None = None
    judgements: tuple[int, ...] | None = None
    spans: tuple[Spans | None, ...] | None = None
    deviations: tuple[float | None, ...] | None = None
    texts: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        compose_names(self, "system", "run")


@dataclass(frozen=True)
class Stream:
    """One column of segments in a document: an output, a reference, the source or document IDs.

    A stream of scores or judgements has no lines.

    Parameters
    ----------
    label
        Unique within the document; empty for plain text.
    lines
        One value per segment; None if the format marks it as absent (e.g. a segment without this reference).
    role, system, run, test_set
        As stated by the format, else None.
    keys
        One name per segment, used to align streams of different files; None if only the order counts.
    name
        Name stated by the format (e.g. of a metric), else None.
    scores
        Scores of each output, from one metric.
    is_higher_better
        Direction of the scores, if the format states it, else None.
    judgements
        Human judgements of outputs.
    left_out
        Which segments of the file are no lines, and why, as a sentence; empty if all are.
    row_ids
        IDs of the rows of a table that does not name segments; None without a column of IDs. Only the order counts, but
        equal IDs in another order are an error.
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
    left_out: str = ""
    row_ids: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        compose_names(self, "system", "run", "test_set", "name")


@dataclass(frozen=True)
class Document:
    """A decoded file with its streams.

    Parameters
    ----------
    name
        Unique among loaded files.
    notes
        Notes for the user.
    original
        The file compressed with zlib, if the streams do not contain all of it.
    program, version
        Program that wrote it, as it says itself; empty if unknown.
    warnings
        What changes the meaning of its numbers, e.g. an evaluation that ended early.
    n_rows
        Rows of a table below its header; 0 for other formats.
    """

    name: str
    format: Format
    streams: tuple[Stream, ...]
    notes: tuple[str, ...] = ()
    original: bytes = b""
    program: str = ""
    version: str = ""
    warnings: tuple[str, ...] = ()
    n_rows: int = 0

    def stream(self, label: str) -> Stream | None:
        """Return the stream with that label, or None. Plain text also has those of ``in_columns``."""
        for stream in self.streams:
            if stream.label == label:
                return stream
        return next((stream for stream in as_labelled(self, [label]).streams if stream.label == label), None)


def in_columns(document: Document, n_columns: int) -> Document:
    """Return plain text with a stream per column; the last one keeps further tabs, as with sacreBLEU's ``--num-refs``.

    Raises
    ------
    InputError
        If it is no plain text, or a line has fewer columns.
    """
    if document.format != "lines":
        message = "This is not plain text, so it has no columns of references. Remove --num-refs."
        raise InputError(message, document.name)
    columns = columns_of([line or "" for line in document.streams[0].lines], n_columns, document.name)
    streams = []
    for number, column in enumerate(columns, start=1):
        streams.append(Stream(f"column {number} of {n_columns}", column))
    return replace(document, streams=tuple(streams))


def as_labelled(document: Document, labels: Iterable[str]) -> Document:
    """Return plain text in the columns that labels name; unchanged if they name none, or the text has others."""
    for label in labels:
        column = TEXT_COLUMN.fullmatch(label)
        if column is not None and document.format == "lines":
            try:
                return in_columns(document, int(column[2]))
            except InputError:
                return document
    return document


def columns_of(lines: Sequence[str], n_columns: int, file: str) -> list[tuple[str, ...]]:
    """Split lines at tabs, and return the columns.

    Raises
    ------
    InputError
        If a line has fewer columns.
    """
    rows = []
    for number, line in enumerate(lines, start=1):
        cells = line.split("\t", n_columns - 1)
        if len(cells) < n_columns:
            message = f"{counted(len(cells), 'column')} separated by tabs; expected {n_columns}."
            raise InputError(f"{message} Fix the line, or the number of references.", file, number)
        rows.append(cells)
    if not rows:
        return [()] * n_columns
    return list(zip(*rows, strict=True))


def shared_columns(lines: Sequence[str | None]) -> int:
    """Return the number of columns that all lines share, separated by tabs; 1 without tabs, or if lines differ.

    Tabs that end every line do not start another column.
    """
    if not lines or "\t" not in (lines[0] or ""):
        return 1
    texts = [line or "" for line in lines]
    numbers = {text.count("\t") for text in texts}
    if len(numbers) > 1:
        return 1
    n_empty = min(len(text) - len(text.rstrip("\t")) for text in texts)
    return numbers.pop() + 1 - n_empty


WITHOUT_SCORES = "without-scores"  # code of a file that is named as one of scores and has none
IGNORED = "ignored"  # code of a file that is none of the inputs, e.g. one that a file manager left
UNKNOWN = "not recognised as output or reference"
NEEDS_PACKAGE = "package"  # code of a file that a missing package could read
REALIGNABLE = "lines"  # code of an output with other lines than its references, whose documents are known
Severity = Literal["error", "warning", "note"]
NAMES_SHOWN = 5


@dataclass(frozen=True)
class Problem:
    """A problem with the input. Everything else is loaded without it.

    Parameters
    ----------
    message
        What is wrong and how to fix it, without the file name.
    file, line
        Where; lines count from 1.
    severity
        ``error`` if something that the user wanted was not loaded.
    code
        Of the finding that a warning becomes (``mteval.values.findings``); ``REALIGNABLE`` of an error.
    metric
        Name of the given scores that it is about, if any.
    """

    message: str
    file: str | None = None
    line: int | None = None
    severity: Severity = "error"
    code: str = "file"
    metric: str = ""

    @property
    def text(self) -> str:
        """The message preceded by file and line."""
        return str(self.as_error())

    @property
    def located_message(self) -> str:
        """The message preceded by the line, for lists that have the file beside it."""
        if self.line is None:
            return self.message
        return f"line {self.line}: {self.message}"

    def as_error(self) -> InputError:
        """Return the problem as an exception, for callers that stop at the first one."""
        return InputError(self.message, self.file, self.line, self.code)

    @classmethod
    def of(cls, error: InputError) -> "Problem":
        """Return the problem for an exception, for callers that continue without the file."""
        code = NEEDS_PACKAGE if error.code == NEEDS_PACKAGE else "file"
        return cls(error.message, error.file, error.line, code=code)


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Return the values of each key, both in order."""
    groups = defaultdict[K, list[V]](list)
    for key, value in pairs:
        groups[key].append(value)
    return dict(groups)


def named(names: Iterable[str]) -> str:
    """Join names for a sentence, showing the first few of many."""
    listed = list(names)
    if len(listed) > NAMES_SHOWN:
        return f"{', '.join(listed[:NAMES_SHOWN])} and {len(listed) - NAMES_SHOWN} more"
    return " and ".join(filter(None, (", ".join(listed[:-1]), *listed[-1:])))


ParsedText = tuple[str, str]  # system and run, or an empty system and the reference's number


@dataclass(frozen=True)
class Slot:
    """One row of the assignment table: the role of a stream.

    Parameters
    ----------
    file, stream
        Document name and stream label (empty for plain text). Together they identify the row.
    role, system, run, test_set
        System and run are None except for a hypothesis, its parse, or scores in a file that names neither. A run
        ``1 sample 2`` is one of several decodings of run 1. The parse of a reference has no system; its run is the
        number of the reference, from 1.
    included
        Whether the stream is used.
    name
        Name of the metric or labels; None uses the file name.
    """

    file: str
    role: FileRole
    system: str | None = None
    run: str | None = None
    test_set: str = DEFAULT_TEST_SET
    stream: str = ""
    included: bool = True
    name: str | None = None

    def __post_init__(self) -> None:
        compose_names(self, "system", "run", "test_set", "name")

    @property
    def shown_name(self) -> str:
        """Name to show: the given one, else that of the file."""
        return self.name or composed(name_of_file(self.file))

    @property
    def parsed_text(self) -> ParsedText:
        """System and run, or number of the reference, whose parse this is."""
        return self.system or "", self.run or (DEFAULT_RUN if self.system else "1")


@dataclass(frozen=True)
class Edits:
    """Roles of the files: guessed or read from an ``experiment.toml``, plus the user's changes.

    Parameters
    ----------
    slots
        One per stream, in file order.
    directions
        Whether higher is better, by name, for metrics whose scores were computed elsewhere.
    roles
        Roles of test sets, by name, if they do not follow from the name.
    languages
        Declared languages of test sets, by name, e.g. ``en-liv``.
    is_described
        Whether an ``experiment.toml`` stated the roles.
    keeps_copies
        Whether it counts identical runs of a system, as MultEval does.
    nested
        Pattern of the names of runs that share a training; empty if each run is a training.
    """

    slots: tuple[Slot, ...] = ()
    directions: Mapping[str, bool] = field(default_factory=dict)
    roles: Mapping[str, Role] = field(default_factory=dict)
    is_described: bool = False
    languages: Mapping[str, str] = field(default_factory=dict)
    keeps_copies: bool = False
    nested: str = ""

    def __post_init__(self) -> None:
        for field_name in ("directions", "roles", "languages"):
            by_name = getattr(self, field_name)
            object.__setattr__(self, field_name, {composed(name): value for name, value in by_name.items()})


@dataclass(frozen=True)
class Assembly:
    """Result of assembling slots: the experiment (None if incomplete) and the problems.

    ``nbest`` lists the n-best files, which belong to no test set. ``ledger`` accounts for every file.
    """

    experiment: Experiment | None
    problems: tuple[Problem, ...]
    nbest: tuple[str, ...] = ()
    ledger: Ledger = field(default=NO_FILES, compare=False)

    def required(self) -> Experiment:
        """Return the experiment, for callers that stop at the first problem.

        Raises
        ------
        InputError
            At the first error among the problems.
        DataError
            If there is nothing to score.
        """
        for problem in self.problems:
            if problem.severity == "error":
                raise problem.as_error()
        if self.experiment is None:
            raise DataError("The files contain no system output to score.")
        return self.experiment
