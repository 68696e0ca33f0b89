"""One-letter flags of MultEval's command line, e.g. ``-R`` for ``--refs``.

MultEval's help lists them. Some letters stand for an option of the command and for one of a metric; then they mean the
command's. Help does not show them.
"""

import argparse
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NoReturn

from mteval.cli.console import Parser

_OF_METRICS: Mapping[str, str] = {
    "-P": "--ter.punctuation",
    "-b": "--ter.beamWidth",
    "-d": "--ter.maxShiftDistance",
    "-M": "--ter.matchCost",
    "-D": "--ter.deleteCost",
    "-B": "--ter.substituteCost",
    "-I": "--ter.insertCost",
    "-T": "--ter.shiftCost",
    "-l": "--meteor.language",
    "-t": "--meteor.task",
    "-p": "--meteor.params",
    "-m": "--meteor.modules",
    "-w": "--meteor.weights",
    "-x": "--meteor.beamSize",
    "-s": "--meteor.synonymDirectory",
    "-a": "--meteor.paraphraseFile",
    "-k": "--meteor.keepPunctuation",
}
_OF_NBEST: Mapping[str, str] = {
    "-v": "--verbosity",
    "-o": "--metrics",
    "-N": "--nbest",
    "-R": "--refs",
    "-r": "--rankDir",
    "-t": "--threads",
}
_OF_EVAL: Mapping[str, str] = {
    "-o": "--metrics",
    "-B": "--hyps-baseline",
    "-H": "--hyps-sys",
    "-R": "--refs",
    "-b": "--boot-samples",
    "-s": "--ar-shuffles",
    "-L": "--latex",
    "-F": "--fullLatexDoc",
    "-r": "--rankDir",
    "-S": "--sentLevelDir",
    "-D": "--debug",
    "-t": "--threads",
}
_NAMED_SYSTEM = re.compile(r"--(system|files|logs)(=.*)?")
_BASELINE = re.compile(r"(--hyps-baseline|-B)(=.*)?")
_NUMBERED = re.compile(r"-H(\d+)")


class WithoutNumber(argparse.Action):
    """``--hyps-sys`` without a number; MultEval then makes each file a system of its own."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> NoReturn:
        """Refuse it."""
        parser.error(
            f"{option} has no number, so each of its files would be a system. Use --hyps-sys1 FILE… --hyps-sys2 FILE…,"
            " once per system with one file per run"
        )


def add_nbest_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of MultEval's ``nbest``."""
    _add(parser, {**_OF_METRICS, **_OF_NBEST})


def add_eval_flags(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the flags of MultEval's ``eval`` to a command line like MultEval's, where no system has a name.

    Names of systems may look like a flag. ``-v`` takes MultEval's number if one follows.
    """
    hidden = argparse.SUPPRESS
    parser.add_argument("--hyps-sys", nargs="+", metavar="H", action=WithoutNumber, default=hidden, help=hidden)
    if not any(map(_BASELINE.fullmatch, words)) or any(map(_NAMED_SYSTEM.fullmatch, words)):
        return
    flags = {**_OF_METRICS, **_OF_EVAL}
    for word in words:
        match = _NUMBERED.fullmatch(word)
        if match:
            flags[word] = f"--hyps-sys{match[1]}"
    if any(word == "-v" and next_word.isdecimal() for word, next_word in pairwise(words)):
        flags["-v"] = "--verbosity"
    _add(parser, flags)


def _add(parser: argparse.ArgumentParser, flags: Mapping[str, str]) -> None:
    """Let each flag stand for its option."""
    assert isinstance(parser, Parser)
    for flag, option in flags.items():
        parser.add_flag(flag, option)
