"""MultEval's options of metrics that are called otherwise here, or that no metric here has.

All its other options are those of the metrics, in its spelling.

Parses of the references and outputs, in the order of their files.

Files of scores computed elsewhere; which way is better is part of the option's name, so that nobody guesses it.
"""

import argparse
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from mteval.base.errors import MtevalError
from mteval.base.words import counted
from mteval.cli.console import Once
from mteval.metrics import METRICS
from mteval.readers.named_files import ParseFiles, ScoreFiles

PUNCTUATION = "punctuation"  # of TER; MultEval removes it where this is true
PUNCTUATION_HELP = "as in MultEval, where true REMOVES punctuation; --ter.noPunct says so"
PUNCTUATION_NOTES = {
    True: "--ter.punctuation true removes punctuation, as in MultEval",
    False: "--ter.punctuation false keeps punctuation, as in MultEval",
}


@dataclass(frozen=True)
class Inherited:
    """An option of MultEval's that no metric here has.

    Parameters
    ----------
    only
        The value that is right here; what is typed has to be a number of its kind.
    is_free
        Whether any value will do, since none has an effect.
    """

    metric: str
    name: str
    only: int | float
    is_free: bool = False

    @property
    def support(self) -> str:
        """What of it is supported, in a few words."""
        return "no effect here" if self.is_free else f"only {self.only:g} is supported here"


INHERITED = (
    Inherited("bleu", "verbosity", 0, is_free=True),
    Inherited("ter", "matchCost", 0.0),
    *(Inherited("ter", f"{edit}Cost", 1.0) for edit in ("delete", "substitute", "insert", "shift")),
)


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


def add_score_files(parser: argparse.ArgumentParser) -> None:
    """Add ``--scores-higher`` and ``--scores-lower``."""
    group = parser.add_argument_group(
        "scores computed elsewhere",
        "Files .seg.score, tables with columns system, segment and score, what comet-score --to_json writes, and logs"
        " of other evaluation programs. A metric is called after its file or column, a system as here or as its file.",
    )
    for direction in ("higher", "lower"):
        group.add_argument(
            f"--scores-{direction}", nargs="+", type=Path, default=[], metavar="FILE",
            help=f"scores that are better when {direction}",
        )  # fmt: skip


def score_files(options: argparse.Namespace) -> ScoreFiles:
    """The files that the user gave."""
    return ScoreFiles(options.scores_higher, options.scores_lower, METRICS)
