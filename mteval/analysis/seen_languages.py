"""Languages that the models behind the metrics of an experiment have not seen."""

from collections.abc import Iterable, Iterator

from mteval.metrics.neural.seen_languages import learned
from mteval.model import Experiment
from mteval.readers.checks.languages import unseen_languages


def language_warnings(experiment: Experiment, metrics: Iterable[str]) -> Iterator[str]:
    """What to say where a model behind one of the metrics, or behind given scores, has not seen a language.

    Parameters
    ----------
    metrics
        Keys of those that are computed.
    """
    by_models = learned(metrics)
    for test_set in experiment.test_sets:
        for finding in unseen_languages(test_set, experiment.given, by_models):
            if finding.severity == "warning":
                yield finding.detail
