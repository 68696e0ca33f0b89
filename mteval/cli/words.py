"""The words of a command line: errors in one line, truth values as MultEval takes them, files that are written."""

import argparse
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NoReturn

from mteval.errors import MtevalError

EXIT_BAD_INPUT = 2
_TRUTH = {"true": True, "false": False}


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line: with a hundred options the usage would hide them."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and leave."""
        self.exit(EXIT_BAD_INPUT, f"{self.prog}: {message}; '{self.prog} --help' lists all options\n")


def truth(word: str) -> bool:
    """``true`` or ``false``, in any case."""
    if word.lower() not in _TRUTH:
        raise argparse.ArgumentTypeError(f"expected true or false, found '{word}'")
    return _TRUTH[word.lower()]


def add_truth(group: argparse._ActionsContainer, name: str, help_text: str) -> None:
    """An option that is false where it is absent, true where it stands alone, else what the word after it says."""
    group.add_argument(
        name,
        nargs="?",
        type=truth,
        const=True,
        default=False,
        metavar="true|false",
        help=f"{help_text} (default: false)",
    )


@contextmanager
def opened(path: Path) -> Iterator[IO[str]]:
    """A text file to write, in UTF-8 with line feeds.

    Raises
    ------
    MtevalError
        Where it cannot be written.
    """
    try:
        with path.open("w", encoding="utf-8", newline="\n") as file:
            yield file
    except OSError as error:
        raise MtevalError(
            f"{path} cannot be written: {error.strerror}. Name a file in a directory that exists."
        ) from error


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write a text file, a line feed after each line.

    Raises
    ------
    MtevalError
        Where it cannot be written.
    """
    with opened(path) as file:
        file.writelines(f"{line}\n" for line in lines)


def made_directory(path: Path) -> Path:
    """The directory, made where it is absent.

    Raises
    ------
    MtevalError
        Where it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MtevalError(f"The directory {path} cannot be made: {error.strerror}. Name another.") from error
    return path
