"""The files of a comparison: references, the baseline's outputs, and those of each system."""

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from mteval.cli.console import Once
from mteval.cli.options.parses import add_parse_files, parse_files
from mteval.cli.options.scores import add_score_files, score_files
from mteval.errors import MtevalError
from mteval.model import Experiment
from mteval.readers import FileRole
from mteval.readers.disk import Loaded
from mteval.readers.named_files import load_paths

BASELINE = "baseline"
_SYSTEM_OPTION = re.compile(r"--hyps-sys(\d+)(?:=.*)?")


def add_system_files(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add ``--refs``, ``--hyps-baseline``, and ``--hyps-sysN`` for each number that the words name."""
    group = parser.add_argument_group("files, one segment a line")
    add_references(group)
    group.add_argument(
        "--hyps-baseline",
        nargs="+",
        action=Once,
        type=Path,
        required=True,
        metavar="H",
        help="the baseline's output, one file a run",
    )
    add_source(group)
    for number in _system_numbers(words):
        group.add_argument(
            f"--hyps-sys{number}",
            nargs="+",
            action=Once,
            type=Path,
            metavar="H",
            help=f"output of system {number}, one file a run",
        )
    group.add_argument(
        "--hyps-sys",
        nargs="+",
        action=Once,
        type=Path,
        metavar="H",
        dest="single_runs",
        help="each file is a system with one run",
    )
    group.add_argument(
        "--samples", type=int, default=1, metavar="K",
        help="every K files of a system are decoding samples of one trained model, which are averaged within its run"
        " (default: 1)",
    )  # fmt: skip
    add_parse_files(parser, _system_numbers(words))
    add_score_files(parser)


def add_references(group: argparse._ArgumentGroup) -> None:
    """Add ``--refs``."""
    group.add_argument(
        "--refs", nargs="+", action=Once, type=Path, required=True, metavar="R", help="one or more references"
    )


def add_source(group: argparse._ArgumentGroup) -> None:
    """Add ``--source``."""
    group.add_argument(
        "--source", type=Path, metavar="S", help="the source sentences, for metrics that read them, as COMET"
    )


def system_files(options: argparse.Namespace) -> dict[str, list[Path]]:
    """Files of the baseline and of each system under its key, ``sys1`` and so on.

    Raises
    ------
    MtevalError
        Where numbers do not run from 1 without a gap, as MultEval wants them, or both forms are mixed.
    """
    given = {name: files for name, files in vars(options).items() if name.startswith("hyps_sys") and files}
    expected = [f"hyps_sys{number}" for number in range(1, len(given) + 1)]
    found = ", ".join(f"--{name.replace('_', '-')}" for name in given)
    if given and options.single_runs:
        raise MtevalError(f"--hyps-sys stands beside {found}; number all systems, or none.")
    if set(given) != set(expected):
        raise MtevalError(
            f"Systems are numbered from 1 without a gap: expected --hyps-sys1 to --hyps-sys{len(given)}, found {found}."
        )
    groups = [given[name] for name in expected] or [[file] for file in options.single_runs or ()]
    return {BASELINE: options.hyps_baseline} | {f"sys{number}": files for number, files in enumerate(groups, start=1)}


def read_systems(options: argparse.Namespace, documents: Path | None = None) -> Experiment:
    """The references and all systems, of each as many runs as it has files.

    Raises
    ------
    MtevalError
        Where a file cannot be read or does not fit the others.
    """
    return load_systems(options, documents).experiment


def load_systems(options: argparse.Namespace, documents: Path | None = None) -> Loaded:
    """The same with its files; what there is to say of these is printed on standard error.

    Raises
    ------
    MtevalError
        Where a file cannot be read or does not fit the others.
    """
    systems = system_files(options)
    further: list[tuple[Path | None, FileRole]] = [(options.source, "source"), (documents, "documents")]
    more = [(path, role) for path, role in further if path is not None]
    parses = parse_files(options, systems, BASELINE)
    scores = score_files(options)
    loaded = load_paths(
        options.refs, systems, baseline=BASELINE, more=more, scores=scores, parses=parses, n_samples=options.samples
    )
    for problem in loaded.remarks:
        if problem.severity == "warning" or problem.file in scores.names:
            print(f"mteval: {problem.text}", file=sys.stderr)
    return loaded


def compared_systems(experiment: Experiment) -> list[str]:
    """Keys of the systems that are compared with the baseline.

    Raises
    ------
    MtevalError
        Where there is none.
    """
    systems = [system.key for system in experiment.systems if system.key != BASELINE]
    if not systems:
        raise MtevalError("There is no system to compare with the baseline; name its outputs with --hyps-sys1.")
    return systems


def shown_name(system: str) -> str:
    """``system 1`` for the key ``sys1``, as MultEval writes it; the baseline's key is its name."""
    return system if system == BASELINE else system.replace("sys", "system ", 1)


def _system_numbers(words: Sequence[str]) -> list[int]:
    """N of every ``--hyps-sysN`` among the words, and 1, so that the help names it."""
    return sorted({1, *(int(match[1]) for word in words if (match := _SYSTEM_OPTION.fullmatch(word)))})
