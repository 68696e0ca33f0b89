"""Errors shown to users. Each message names the object, what was found, what was expected and the remedy."""

import traceback

MOST_SAID = 1_000  # characters of a message; more would repeat the input


def shortened(text: str) -> str:
    """Shorten a long text to its start and end, and escape what is not a character."""
    short = text if len(text) <= MOST_SAID else f"{text[: MOST_SAID // 2]} … {text[-MOST_SAID // 2 :]}"
    return short.encode("utf-8", "backslashreplace").decode("utf-8")


def without_words(error: BaseException) -> str:
    """Return kind and place of an error, after those of its causes; its message may quote what users loaded."""
    before = error.__cause__ or error.__context__
    earlier = f"{without_words(before)}\n\nand then:\n\n" if before is not None else ""
    frames = traceback.extract_tb(error.__traceback__)
    places = "".join(f"  {frame.filename}:{frame.lineno} in {frame.name}\n" for frame in frames)
    return f"{earlier}{places}{type(error).__module__}.{type(error).__qualname__}"


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
    """

    def __init__(self, message: str, file: str | None = None, line: int | None = None) -> None:
        self.message = message = shortened(message)
        self.file = file
        self.line = line
        name = "" if file is None else shortened(file)
        where = "" if file is None else f"{name}, line {line}: " if line is not None else f"{name}: "
        super().__init__(where + message)

    def at(self, file: str | None, line: int | None = None) -> "InputError":
        """Return a copy with file and line, unless it already has a line."""
        return self if self.line is not None else InputError(self.message, self.file or file, line)


class DataError(MtevalError):
    """Values that do not match: different shapes of test sets, systems and runs, duplicate names."""


class SettingsError(MtevalError):
    """A setting out of range, or incompatible options."""


class MissingDependencyError(MtevalError):
    """A missing optional package, or data that it needs."""


class CancelledError(MtevalError):
    """The user cancelled the work."""
