"""The errors that a user can meet. Each message names the object, what was found, what was expected and the remedy."""

MOST_SAID = 1_000  # characters of a message; more than that is the input, repeated


def shortened(text: str) -> str:
    """A text for a message: its beginning and its end where it is long, what is no character written out."""
    short = text if len(text) <= MOST_SAID else f"{text[: MOST_SAID // 2]} … {text[-MOST_SAID // 2 :]}"
    return short.encode("utf-8", "backslashreplace").decode("utf-8")


class MtevalError(Exception):
    """Something the user can mend: the message says what and how."""


class InputError(MtevalError):
    """A file that cannot be read as what it should be.

    Parameters
    ----------
    message
        What was found, what was expected, how to mend it.
    file
        Name of the file as the user knows it (inside an archive: ``archive.zip/entry``).
    line
        One-based line, where there is one.
    """

    def __init__(self, message: str, file: str | None = None, line: int | None = None) -> None:
        self.message = message = shortened(message)
        self.file = file
        self.line = line
        name = "" if file is None else shortened(file)
        where = "" if file is None else f"{name}, line {line}: " if line is not None else f"{name}: "
        super().__init__(where + message)

    def at(self, file: str | None, line: int | None = None) -> "InputError":
        """The same about a place in a file, where it does not name one: what reads a cell need not know of either."""
        return self if self.line is not None else InputError(self.message, self.file or file, line)


class DataError(MtevalError):
    """Values that do not fit together: test sets, systems and runs of different shapes, names used twice."""


class SettingsError(MtevalError):
    """A setting outside its range, or options that exclude each other."""


class MissingDependencyError(MtevalError):
    """An optional package, or data that it needs, is not installed."""


class CancelledError(MtevalError):
    """The user stopped the work."""
