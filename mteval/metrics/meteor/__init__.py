"""METEOR (Denkowski and Lavie 2014), with the numbers of METEOR 1.5."""

from mteval.metrics.meteor.data import LANGUAGES
from mteval.metrics.meteor.metric import SPEC, Meteor

__all__ = ["LANGUAGES", "SPEC", "Meteor"]
