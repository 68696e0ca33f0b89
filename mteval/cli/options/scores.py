"""Files of scores computed elsewhere; which way is better is part of the option's name, so that nobody guesses it."""

import argparse
from pathlib import Path

from mteval.metrics import METRICS
from mteval.readers.named_files import ScoreFiles


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
