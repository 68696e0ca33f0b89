"""From which language into which: declared on the command line, and said of models that have not seen one."""

import argparse
from collections.abc import Iterable

from mteval.analysis.seen_languages import language_warnings
from mteval.cli.console import tell
from mteval.model import Experiment


def add_languages(group: argparse._ActionsContainer) -> None:
    """Add ``--languages``."""
    group.add_argument(
        "--languages", metavar="SRC-TGT",
        help="what is translated into what, as en-de: a language that a model has not seen is warned of",
    )  # fmt: skip


def say_unseen(experiment: Experiment, keys: Iterable[str]) -> None:
    """Print that a model behind one of the metrics, or behind given scores, has not seen a language."""
    for warning in language_warnings(experiment, keys):
        tell(warning)
