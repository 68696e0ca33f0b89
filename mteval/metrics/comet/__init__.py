"""COMET (Rei et al. 2020) by its own package and a checkpoint that lies on this machine; nothing is downloaded."""

from mteval.metrics.comet.metric import SPEC, Comet
from mteval.metrics.comet.places import CHECKPOINT_VARIABLE

__all__ = ["CHECKPOINT_VARIABLE", "SPEC", "Comet"]
