"""What each stream is taken for, a row of the assignment table each, what the rows amount to, and what is said of them.

Problems are about what was read, findings about loaded data.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from mteval.base.errors import DataError, InputError
from mteval.readers.documents import FileRole
from mteval.readers.names import name_of_file
from mteval.values.model import Experiment
from mteval.values.settings import Convention

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
