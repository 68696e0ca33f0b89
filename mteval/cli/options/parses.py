"""Parses of the references and outputs, in the order of their files."""

import argparse
from collections.abc import Iterable
from pathlib import Path

from mteval.cli.console import Once
from mteval.counts import counted
from mteval.errors import MtevalError
from mteval.readers.named_files import ParseFiles


def add_parse_files(parser: argparse.ArgumentParser, numbers: Iterable[int]) -> None:
    """Add ``--parses-refs``, ``--parses-baseline``, and ``--parses-sysN`` for each number of a system."""
    group = parser.add_argument_group(
        "dependency parses", "In CoNLL-U, one file for each file of text in MultEval's words, in the same order."
    )
    texts = {"refs": "references", "baseline": "baseline's output"}
    texts |= {f"sys{number}": f"output of system {number}" for number in numbers}
    for name, text in texts.items():
        _add(group, f"--parses-{name}", f"parses_{name}", f"parses of the {text}")
    _add(group, "--parses-sys", "single_parses", "parses of the files of --hyps-sys")


def has_parses(options: argparse.Namespace) -> bool:
    """Whether any were given."""
    return any(files for name, files in vars(options).items() if name.startswith(("parses_", "single_parses")))


def _add(group: argparse._ArgumentGroup, name: str, key: str, text: str) -> None:
    group.add_argument(name, nargs="+", action=Once, type=Path, metavar="P", dest=key, help=text)


def parse_files(options: argparse.Namespace, systems: Iterable[str], baseline: str) -> ParseFiles:
    """The files that the user gave.

    Parameters
    ----------
    systems
        Keys, in the order of ``--hyps-sys`` where that was given.

    Raises
    ------
    MtevalError
        Where ``--parses-sys`` does not go with ``--hyps-sys``.
    """
    others = [system for system in systems if system != baseline]
    single = options.single_parses or []
    if single and len(single) != len(options.single_runs or []):
        raise MtevalError(
            f"--parses-sys has {counted(len(single), 'file')} and --hyps-sys {len(options.single_runs or [])}; give one"
            " parse for each, in the same order, or --parses-sys1 with --hyps-sys1."
        )
    given = {system: vars(options).get(f"parses_{system}") for system in (baseline, *others) if not single}
    given |= {baseline: options.parses_baseline} | {one: [file] for one, file in zip(others, single, strict=False)}
    return ParseFiles(options.parses_refs or (), {system: files for system, files in given.items() if files})
