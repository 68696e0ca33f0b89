"""What the user is told about files and data: problems of what was read, findings of the check."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from mteval.errors import InputError
from mteval.settings import Convention

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
