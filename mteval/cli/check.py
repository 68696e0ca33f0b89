"""``mteval check``: what each file is read as, what all of them support, and what they lack."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from mteval.answers.ledger import read_lines, summary, unread_lines
from mteval.answers.support import Support, support_of
from mteval.cli.console import STANDARD_OUTPUT, examples, file_to_write, say, write_text
from mteval.metrics import METRICS
from mteval.readers.documents import FILE_NAME
from mteval.readers.folders import gathered
from mteval.render.frames import to_json
from mteval.values.ledger import Ledger

EXIT_NOT_ALL_USABLE = 1


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the options."""
    parser.description = (
        "List what each file is read as, or why it is ignored or refused. Then list what the files support and"
        " what they lack. Nothing is scored. Exit status: 0 if all can be used, 1 otherwise, 2 if a path does not"
        " exist."
    )
    parser.epilog = examples("check runs/", "check logs/ --json -")
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="files, folders, archives or tracked runs")
    text = "write all files as JSON; - for standard output"
    parser.add_argument("--json", type=file_to_write, metavar="FILE", help=text)


def run(options: argparse.Namespace) -> None:
    """Read the files, print, and set the exit status.

    Raises
    ------
    MtevalError
        If a path does not exist.
    """
    # An experiment.toml is read with the files beside it, as where its folder is dropped
    paths = [path.absolute().parent if path.name == FILE_NAME and path.is_file() else path for path in options.paths]
    workspace = gathered(paths, METRICS)
    ledger = workspace.assembly.ledger
    support = support_of(workspace)
    if options.json:
        write_text(options.json, _json(ledger, support))
    if options.json != STANDARD_OUTPUT:
        say(*_lines(ledger, support))
    has_errors = any(problem.severity == "error" for problem in workspace.assembly.problems)
    options.status = EXIT_NOT_ALL_USABLE if has_errors or ledger.of("refused") else 0


def _lines(ledger: Ledger, support: Support) -> Iterator[str]:
    """Yield the ledger, then what it supports and lacks."""
    yield summary(ledger)
    yield from read_lines(ledger)
    yield from unread_lines(ledger, has_summary=False)
    for title, texts in (("Loaded", support.has), ("Supports", support.answers), ("Missing", support.lacks)):
        if texts:
            yield ""
            yield f"{title}:"
        for text in texts:
            yield f"  {text}"


def _json(ledger: Ledger, support: Support) -> str:
    """Return the ledger and what it supports as JSON."""
    header = {
        "files": ledger.form(),
        "test_sets": list(support.has),
        "supports": list(support.answers),
        "missing": list(support.lacks),
    }
    return to_json({}, header)
