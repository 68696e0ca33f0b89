"""From which language into which: declared on the command line, and said of models that have not seen one."""

import argparse
from collections.abc import Iterable
from dataclasses import replace

from mteval.cli.console import tell
from mteval.languages import language_pair
from mteval.metrics import METRICS
from mteval.metrics.neural.seen_languages import on_xlm_r
from mteval.model import Experiment
from mteval.readers.checks.languages import unseen_languages
from mteval.readers.disk import Loaded


def add_languages(group: argparse._ActionsContainer) -> None:
    """Add ``--languages``."""
    group.add_argument(
        "--languages", metavar="SRC-TGT",
        help="what is translated into what, as en-de: a language that a model has not seen is warned of",
    )  # fmt: skip


def in_languages(loaded: Loaded, languages: str | None) -> Loaded:
    """With the languages on all test sets, where they are declared.

    Raises
    ------
    SettingsError
        Where they are no pair of codes.
    """
    if languages is None:
        return loaded
    pair, experiment = language_pair(languages), loaded.experiment
    test_sets = tuple(replace(test_set, languages=pair) for test_set in experiment.test_sets)
    return replace(loaded, experiment=replace(experiment, test_sets=test_sets))


def say_unseen(experiment: Experiment, keys: Iterable[str]) -> None:
    """Print that a model behind one of the metrics, or behind given scores, has not seen a language."""
    learned = [METRICS[key].name for key in on_xlm_r(keys)]
    for test_set in experiment.test_sets:
        for finding in unseen_languages(test_set, experiment.given, learned):
            if finding.severity == "warning":
                tell(finding.detail)
