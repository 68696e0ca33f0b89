"""METEOR (Denkowski and Lavie 2014), with the numbers of METEOR 1.5."""

from mteval.metrics.explanation import Alignment, Match
from mteval.metrics.meteor.metric import SPEC, Meteor
from mteval.metrics.meteor.paraphrases import ensure_index
from mteval.metrics.meteor.scorer import MeteorScorer

__all__ = ["SPEC", "Alignment", "Match", "Meteor", "MeteorScorer", "ensure_index"]
