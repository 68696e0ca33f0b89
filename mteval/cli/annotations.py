"""``mteval annotations``: back up the annotation database."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from mteval.annotations.database import backup
from mteval.base.words import counted
from mteval.cli.console import examples, file_to_write


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the options."""
    parser.description = "Back up the annotation database to a file, also while the server is running."
    parser.epilog = examples("annotations backup copy.sqlite")
    parser.add_argument("action", choices=["backup"], help="what to do")
    parser.add_argument("file", type=file_to_write, metavar="FILE", help="file to write")


def run(options: argparse.Namespace) -> None:
    """Write the backup and print its size."""
    target: Path = options.file
    backup(target)
    print(f"Wrote {target} ({counted(target.stat().st_size, 'byte')}).")
