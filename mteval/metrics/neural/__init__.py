"""Learned metrics by their own packages and models that lie on this machine; nothing is downloaded."""

from mteval.metrics.neural.checkpoints import CHECKPOINT_VARIABLE
from mteval.metrics.neural.comet import SPEC, Comet, named_specs

__all__ = ["CHECKPOINT_VARIABLE", "SPEC", "Comet", "named_specs"]
