"""``mteval annotations``: look after what people said about segments."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from mteval.annotations.database import backup
from mteval.base.words import counted
from mteval.cli.console import examples, file_to_write


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add its options."""
    parser.description = "Copy the database of annotations to a file, whole, while the server runs."
    parser.epilog = examples("annotations backup copy.sqlite")
    parser.add_argument("action", choices=["backup"], help="what to do")
    parser.add_argument("file", type=file_to_write, metavar="FILE", help="where the copy is to be")


def run(options: argparse.Namespace) -> None:
    """Make the copy, and say so.

    Raises
    ------
    MtevalError
        Where it cannot be made.
    """
    target: Path = options.file
    backup(target)
    print(f"The annotations are in {target}, {counted(target.stat().st_size, 'byte')}.")
