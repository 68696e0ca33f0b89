"""``mteval annotations``: back up the annotation database, or check it for damage."""

import argparse
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from mteval.annotations.database import backup, open_store
from mteval.base.words import counted
from mteval.cli.console import examples, file_to_write, say, tell_damage


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the options."""
    parser.description = "Back up the annotation database, or check it for damage. The server may keep running."
    parser.epilog = examples("annotations backup copy.sqlite", "annotations check")
    actions = parser.add_subparsers(metavar="ACTION", required=True, parser_class=type(parser))
    copy = actions.add_parser("backup", help="copy the database to a file")
    copy.add_argument("file", type=file_to_write, metavar="FILE", help="file to write")
    copy.set_defaults(do=_back_up)
    check = actions.add_parser("check", help="name damaged rows and texts; exit status 2 if there are any")
    check.set_defaults(do=_check)


def run(options: argparse.Namespace) -> None:
    """Run the chosen action."""
    options.do(options)


def _check(options: argparse.Namespace) -> None:
    """Name damaged rows and texts."""
    with closing(open_store()) as store:
        tell_damage(store.check())


def _back_up(options: argparse.Namespace) -> None:
    """Write the backup and print its size."""
    target: Path = options.file
    backup(target)
    say(f"Wrote {target} ({counted(target.stat().st_size, 'byte')}).")
