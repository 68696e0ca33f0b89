"""The metrics by key, and the way from settings to metrics."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from mteval.base.errors import SettingsError
from mteval.metrics import dependencies, meteor, neural
from mteval.metrics.base import Metric, MetricSpec, NeedsMore
from mteval.metrics.edits import ter
from mteval.metrics.imported import Imported, imported_spec
from mteval.metrics.ngram import bleu, chrf, nist, unigrams
from mteval.metrics.plugins import Registry
from mteval.values.given import GivenMetric
from mteval.values.model import Experiment, TestSet
from mteval.values.settings import Settings

_SPECS = (
    bleu.SPEC,
    chrf.CHRF,
    chrf.CHRF_PLUS_PLUS,
    ter.SPEC,
    meteor.SPEC,
    nist.SPEC,
    ter.WER,
    unigrams.PER,
    unigrams.PRECISION,
    unigrams.RECALL,
    unigrams.F_MEASURE,
    dependencies.SPEC,
    *neural.SPECS,
    unigrams.LENGTH,
)
METRICS = Registry(_SPECS, neural.named_specs)


def catalog(given: Sequence[GivenMetric] = ()) -> Mapping[str, MetricSpec]:
    """The registered metrics and those whose scores were given with the runs, by key.

    Raises
    ------
    SettingsError
        Where given scores have the key of a registered metric.
    """
    for scores in given:
        if scores.key in METRICS:
            raise SettingsError(f"The given scores '{scores.key}' have the key of a metric; give them another name.")
    specs = {scores.key: imported_spec(scores) for scores in given}
    return MappingProxyType({**METRICS, **specs}) if specs else METRICS


def choices(experiment: Experiment) -> Mapping[str, MetricSpec]:
    """The metrics of the catalog that runs can be compared by: of scores alone, these."""
    known = catalog(experiment.given)
    return known if experiment.has_texts else {scores.key: known[scores.key] for scores in experiment.given}


def lacking(metric: Metric, experiment: Experiment) -> str:
    """What a metric needs of test sets and no one has, and how to give it; empty where nothing is missing."""
    if not experiment.has_texts and not isinstance(metric, Imported):
        return f"{metric.name} compares texts, and no reference or output has a word. Load the texts, or leave it out."
    missing = [lacking_on(metric, test_set) for test_set in experiment.test_sets]
    return missing[0] if all(missing) else ""


def lacking_on(metric: Metric, test_set: TestSet) -> str:
    """What a metric needs of one test set and it has not, and how to give it; empty where nothing is missing."""
    if isinstance(metric, NeedsMore):
        return metric.lacks(test_set)
    if "references" not in metric.reads or test_set.has_references:
        return ""
    return (
        f"{metric.name} compares outputs with references, and test set '{test_set.name}' has none. Add a reference, or"
        f" leave {metric.name} out; Length, metrics without references and scores computed elsewhere need none."
    )


def resolve(settings: Settings, given: Sequence[GivenMetric] = ()) -> tuple[Metric, ...]:
    """The metrics of the settings, in their order, with the options of the convention and the user's over them.

    Raises
    ------
    SettingsError
        On a key that is no metric's, or an option that its metric does not have or allow.
    MissingDependencyError
        Where an option needs what is not installed.
    """
    known = catalog(given)
    for key in (*settings.metrics, *settings.options):
        if key not in known:
            raise SettingsError(f"There is no metric '{key}'; there are: {', '.join(known)}.")
    return tuple(known[key].configure(settings.convention, settings.options.get(key, {})) for key in settings.metrics)
