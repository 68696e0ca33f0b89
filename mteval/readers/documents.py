"""The values that the steps of reading pass on: files, decoded documents of streams, and what each stream is taken for.

Problems are about what was read, findings about loaded data.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from mteval.base.errors import DataError, InputError
from mteval.readers.names import name_of_file
from mteval.values.judgements import Judgement, Spans
from mteval.values.model import Experiment
from mteval.values.settings import Convention

FileRole = Literal[
    "hypothesis", "reference", "source", "documents", "labels", "scores", "parses", "nbest", "judgements", "other"
]
FILE_ROLES: tuple[FileRole, ...] = get_args(FileRole)
NAMED_ROLES: tuple[FileRole, ...] = ("labels", "scores")  # what has a name of its own
Format = Literal["lines", "table", "sgml", "xml", "json", "conllu", "nbest", "judgements"]
MIB = 1 << 20
FILE_NAME = "experiment.toml"  # of what is no document, but says what documents are


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


Severity = Literal["error", "warning", "note"]
NAMES_SHOWN = 5


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
class Finding:
    """One thing that the check found.

    Parameters
    ----------
    severity
        ``warning`` where it changes what the numbers mean, ``note`` where it is worth a look.
    title
        A few words.
    detail
        What was found where, what it means, what to do.
    remedy
        The convention of the metrics that would mend it, where one would.
    """

    severity: Severity
    title: str
    detail: str
    remedy: Convention | None = None


def named(names: Iterable[str]) -> str:
    """Names for a sentence, the first few of many."""
    listed = list(names)
    if len(listed) > NAMES_SHOWN:
        return f"{', '.join(listed[:NAMES_SHOWN])} and {len(listed) - NAMES_SHOWN} more"
    return " and ".join(filter(None, (", ".join(listed[:-1]), *listed[-1:])))


DEFAULT_RUN = "0"
DEFAULT_TEST_SET = "test"
FIRST_REFERENCE = "1"
ParsedText = tuple[str, str]  # system and run; no system, and the number of the reference in the order of the table


_SAMPLE = re.compile(r"(.+) sample (\S+)")


def sample_name(run: str, sample: str) -> str:
    """What stands as the run of an output that is one of several decodings of a trained model."""
    return f"{run} sample {sample}"


def run_and_sample(name: str) -> tuple[str, str | None]:
    """The run, and the sample of it where the name says one."""
    match = _SAMPLE.fullmatch(name)
    return (match[1], match[2]) if match else (name, None)


@dataclass(frozen=True)
class Slot:
    """One row of the assignment table: what a stream is taken for.

    Parameters
    ----------
    file, stream
        Name of the document and label of the stream in it (empty for plain text); together they identify the row.
    role, system, run, test_set
        What it is; system and run are None unless it is a hypothesis or the parse of one, or scores in a file that
        names neither. A run such as ``1 sample 2`` is one of several decodings of run 1. The parse of a
        reference has no system, and as run the number of the reference, from 1.
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

    @property
    def parsed_text(self) -> ParsedText:
        """What the slot of a parse is the parse of."""
        return self.system or "", self.run or (DEFAULT_RUN if self.system else FIRST_REFERENCE)


@dataclass(frozen=True)
class Assembly:
    """What the slots amount to: the experiment, or None where there is none yet, and what stands in the way.

    ``nbest`` names the n-best lists, which belong to no test set.
    """

    experiment: Experiment | None
    problems: tuple[Problem, ...]
    nbest: tuple[str, ...] = ()

    def required(self) -> Experiment:
        """The experiment, for callers that stop at the first problem.

        Raises
        ------
        InputError
            At the first thing that does not fit.
        DataError
            Where there is nothing to score.
        """
        for problem in self.problems:
            if problem.severity == "error":
                raise problem.as_error()
        if self.experiment is None:
            raise DataError("The files hold no output of a system that could be scored.")
        return self.experiment
