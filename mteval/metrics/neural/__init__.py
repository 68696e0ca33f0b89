"""Learned metrics by their own packages and models that lie on this machine; nothing is downloaded."""

from mteval.metrics.base import MetricSpec
from mteval.metrics.neural import bertscore, comet
from mteval.metrics.neural.named_models import CHECKPOINTS, ENCODERS

SPECS = (comet.SPEC, bertscore.SPEC)
FAMILIES = (CHECKPOINTS, ENCODERS)


def named_specs() -> tuple[MetricSpec, ...]:
    """The metrics of the models that the environment gives names of their own."""
    return comet.named_specs() + bertscore.named_specs()


__all__ = ["FAMILIES", "SPECS", "named_specs"]
