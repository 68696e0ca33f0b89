"""Learned metrics by their own packages and models that lie on this machine; nothing is downloaded."""

from mteval.metrics.base import MetricSpec
from mteval.metrics.neural import bertscore, comet
from mteval.metrics.neural.named_models import CHECKPOINTS, ENCODERS

FAMILIES = (CHECKPOINTS, ENCODERS)
SPECS = (comet.spec_of_model(CHECKPOINTS.key), bertscore.spec_of_model(ENCODERS.key))


def named_specs() -> tuple[MetricSpec, ...]:
    """The metrics of the models that the environment gives names of their own."""
    checkpoints, encoders = (
        map(comet.spec_of_model, CHECKPOINTS.further),
        map(bertscore.spec_of_model, ENCODERS.further),
    )
    return (*checkpoints, *encoders)


__all__ = ["FAMILIES", "SPECS", "named_specs"]
