"""How results are printed: for people, for programs, for papers."""

import argparse
from collections.abc import Sequence
from typing import Literal, get_args

from mteval.cli.console import add_truth

Format = Literal["text", "tsv", "json", "latex", "markdown"]
FORMATS: tuple[Format, ...] = get_args(Format)


def add_output_options(parser: argparse.ArgumentParser, formats: Sequence[Format] = FORMATS) -> argparse._ArgumentGroup:
    """Add ``--format`` and ``--quiet``, in a group that a command may add its own files to."""
    group = parser.add_argument_group("what is printed and written; - as a file is standard output")
    group.add_argument(
        "--format", choices=formats, default="text", help="of what is printed: for people, programs or papers"
        " (default: text)",
    )  # fmt: skip
    add_truth(group, "--quiet", "print no remarks, bars and result lines on standard error, only errors")
    return group
