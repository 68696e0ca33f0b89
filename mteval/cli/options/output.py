"""How results are printed: for people, for programs, for papers."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

from mteval.cli.console import STANDARD_OUTPUT, add_truth
from mteval.errors import SettingsError

Format = Literal["text", "tsv", "json", "latex", "markdown"]
FORMATS: tuple[Format, ...] = get_args(Format)
_READERS: Mapping[str, tuple[Format, ...]] = {
    "people": ("text",),
    "programs": ("tsv", "json"),
    "papers": ("latex", "markdown"),
}


def add_output_options(parser: argparse.ArgumentParser, formats: Sequence[Format] = FORMATS) -> argparse._ArgumentGroup:
    """Add ``--format`` and ``--quiet``, in a group that a command may add its own files to."""
    group = parser.add_argument_group("what is printed and written", "As a file, - is standard output.")
    group.add_argument("--format", choices=formats, default="text", help=f"{_readers(formats)} (default: text)")
    add_quiet(group)
    return group


def _readers(formats: Sequence[Format]) -> str:
    """Whom each of the formats is for."""
    named = {reader: " or ".join(key for key in keys if key in formats) for reader, keys in _READERS.items()}
    return ", ".join(f"{keys} for {reader}" for reader, keys in named.items() if keys)


def add_quiet(group: argparse._ActionsContainer) -> None:
    """Add ``--quiet``."""
    add_truth(group, "--quiet", "print no remarks, bars and result lines on standard error, only errors")


def is_taken(options: argparse.Namespace, *files: Path | None) -> bool:
    """Whether one of the files is standard output, so that nothing else is printed.

    Raises
    ------
    SettingsError
        Where several are, or ``--format`` asks for something else there.
    """
    named = files.count(STANDARD_OUTPUT)
    if named > 1 or (named and options.format != "text"):
        raise SettingsError("Standard output, -, can take one thing; leave --format out, or write to a file.")
    return bool(named)
