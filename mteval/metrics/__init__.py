"""The metrics by key, and the way from settings to metrics."""

from collections.abc import Mapping
from types import MappingProxyType

from mteval.errors import SettingsError
from mteval.metrics import bleu, chrf, length, meteor, ter
from mteval.metrics.base import Metric, MetricSpec
from mteval.settings import Settings

METRICS: Mapping[str, MetricSpec] = MappingProxyType(
    {spec.key: spec for spec in (bleu.SPEC, chrf.CHRF, chrf.CHRF_PLUS_PLUS, ter.SPEC, meteor.SPEC, length.SPEC)}
)


def resolve(settings: Settings) -> tuple[Metric, ...]:
    """The metrics of the settings, in their order, with the options of the convention and the user's over them.

    Raises
    ------
    SettingsError
        On a key that is no metric's, or an option that its metric does not have or allow.
    MissingDependencyError
        Where an option needs what is not installed.
    """
    for key in (*settings.metrics, *settings.options):
        if key not in METRICS:
            raise SettingsError(f"There is no metric '{key}'; there are: {', '.join(METRICS)}.")
    return tuple(METRICS[key].configure(settings.convention, settings.options.get(key, {})) for key in settings.metrics)
