"""What most commands ask: which systems to compare, by which metrics, with which settings."""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, replace

from mteval.analysis.scoring import Scored, Work, score_experiment
from mteval.cli.metric_options import chosen_metrics
from mteval.cli.output_options import settings_of
from mteval.cli.system_options import Systems, read_systems
from mteval.metrics import resolve
from mteval.metrics.base import Metric
from mteval.values.model import Experiment
from mteval.values.settings import Settings


@dataclass(frozen=True)
class Request:
    """Systems, metrics and settings that a command line names.

    Parameters
    ----------
    systems
        The systems with their files.
    metric_words
        Keys of the metrics, primary metric first, each with its name as typed.
    settings
        Settings, with defaults for options that the command does not have.
    """

    systems: Systems
    metric_words: Mapping[str, str]
    settings: Settings

    @property
    def experiment(self) -> Experiment:
        """References and systems."""
        return self.systems.experiment

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics with their options, primary metric first."""
        return resolve(self.settings, self.experiment.given)

    def scored(self, work: Work) -> tuple[Scored, ...]:
        """Score all systems by all metrics."""
        return score_experiment(self.experiment, self.metrics, work)


def read_request(options: argparse.Namespace) -> Request:
    """Read all files, and choose metrics and settings for all test sets; print notes on stderr.

    Raises
    ------
    MtevalError
        If a file cannot be read or does not match the others, or options exclude each other.
    """
    return _request(options, read_systems(options))


def read_request_on_test_set(options: argparse.Namespace) -> Request:
    """Do the same for the test set of ``--test-set`` alone.

    Raises
    ------
    MtevalError
        As above, or if the test set does not exist.
    """
    return _request(options, read_systems(options).on(options.test_set))


def _request(options: argparse.Namespace, systems: Systems) -> Request:
    has_judgements = any(slot.role == "judgements" for slot in systems.loaded.slots)
    if has_judgements and "primary" in options and options.files:
        from mteval.analysis.judged import with_judged_scores  # rarely needed

        systems = replace(systems, loaded=with_judged_scores(systems.loaded))
    metric_words = chosen_metrics(options, systems.loaded)
    settings = settings_of(options, metric_words, systems.experiment)
    return Request(systems, metric_words, settings)
