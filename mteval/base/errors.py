"""Errors shown to users. Each message names the object, what was found, what was expected and the remedy.

Errors of values are also ``ValueError`` and those of missing files ``FileNotFoundError``, as Python programs expect.
Those in a file are neither: readers catch what parsers raise, and must let them pass.
"""

import traceback

MOST_SAID = 1_000  # characters of a message; more would repeat the input


def shortened(text: str) -> str:
    """Shorten a long text to its start and end, and escape what is not a character."""
    if len(text) > MOST_SAID:
        half = MOST_SAID // 2
        text = f"{text[:half]} … {text[-half:]}"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def without_words(error: BaseException) -> str:
    """Return kind and place of an error, after those of its causes; its message may quote what users loaded."""
    text = ""
    cause = error.__cause__ or error.__context__
    if cause is not None:
        text += f"{without_words(cause)}\n\nand then:\n\n"
    for frame in traceback.extract_tb(error.__traceback__):
        text += f"  {frame.filename}:{frame.lineno} in {frame.name}\n"
    return f"{text}{type(error).__module__}.{type(error).__qualname__}"


class MtevalError(Exception):
    """Something the user can fix; the message says how."""


class InputError(MtevalError):
    """A file that cannot be read as expected.

    Parameters
    ----------
    message
        What was found, what was expected, how to fix it.
    file
        Name of the file as the user knows it (inside an archive: ``archive.zip/entry``).
    line
        One-based line, if known.
    code
        Kind of the problem, for callers that know a further remedy.
    """

    def __init__(self, message: str, file: str | None = None, line: int | None = None, code: str = "file") -> None:
        self.message = shortened(message)
        self.code = code
        self.file = file
        self.line = line
        if file is None:
            super().__init__(self.message)
        elif line is None:
            super().__init__(f"{shortened(file)}: {self.message}")
        else:
            super().__init__(f"{shortened(file)}, line {line}: {self.message}")

    def at(self, file: str | None, line: int | None = None) -> "InputError":
        """Return a copy with file and line, unless it already has a line."""
        if self.line is not None:
            return self
        return type(self)(self.message, self.file or file, line)


class MissingFileError(InputError, FileNotFoundError):
    """A file that does not exist."""


class DataError(MtevalError, ValueError):
    """Values that do not match: different shapes of test sets, systems and runs, duplicate names."""


class SettingsError(MtevalError, ValueError):
    """A setting out of range, or incompatible options."""


class MissingDependencyError(MtevalError):
    """A missing optional package, or data that it needs."""


class CancelledError(MtevalError):
    """The user cancelled the work."""
