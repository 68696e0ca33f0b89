"""Learned metrics, computed by their own packages with models on this machine; nothing is downloaded."""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import get_args

from mteval.base.errors import MtevalError
from mteval.metrics.base import MetricSpec
from mteval.metrics.neural import bertscore, comet, endpoints, judge, ratings
from mteval.metrics.neural.named_models import published_name
from mteval.values.languages import LearnedMetric, Training

FAMILIES = (comet.CHECKPOINTS, bertscore.ENCODERS, ratings.METRICX, ratings.BLEURT, endpoints.JUDGES)
# What makes the metric of a model, for each family in order
_MAKERS: tuple[Callable[[str], MetricSpec], ...] = (
    comet.spec_of_model,
    bertscore.spec_of_model,
    ratings.metricx_spec,
    ratings.bleurt_spec,
    judge.spec_of_model,
)
SPECS = tuple(make(family.key) for family, make in zip(FAMILIES, _MAKERS, strict=True))

# Names of encoders by what they were trained on. InfoXLM was trained on XLM-R's languages; encoders that were trained
# further on others have other names.
_NAMES: dict[Training, str] = {
    "xlm-r": r"xlm-roberta-(base|large|xl|xxl)|infoxlm-(base|large)",
    "multilingual bert": r"(distil)?bert-base-multilingual-cased",
    "multilingual bert uncased": r"bert-base-multilingual-uncased",
    "english": r"(distil)?roberta-(base|large)(-mnli|-openai-detector)?|bert_uncased_L-\d+_H-\d+_A-\d+"
    r"|(distil)?bert-(base|large)-(un)?cased|albert-x{0,2}(base|large)-v[12]|xlnet-(base|large)-cased"
    r"|bart-(base|large)(-mnli|-cnn|-xsum)?|deberta-((v[23]-)?(xsmall|small|base|large|x{1,2}large))(-mnli)?",
}


def learned(keys: Iterable[str]) -> tuple[LearnedMetric, ...]:
    """Return the learned metrics among the keys whose pretraining languages are known."""
    metrics = []
    for key in keys:
        for family in (comet.CHECKPOINTS, bertscore.ENCODERS):
            model_of_key = {model.lower(): model for model in family.paths}
            if key not in model_of_key:
                continue
            is_comet = family is comet.CHECKPOINTS
            with suppress(MtevalError):  # no such model, which is reported where the metric is chosen
                if is_comet:
                    encoder = comet.checkpoint(key).encoder
                else:
                    encoder = published_name(bertscore.encoder(key).folder)
                training = training_of(encoder)
                if training is not None:
                    metrics.append(LearnedMetric(family.metric_name(model_of_key[key]), training, is_comet))
    return tuple(metrics)


def training_of(name: str) -> Training | None:
    """Return what an encoder of this name was trained on; None if unknown.

    Parameters
    ----------
    name
        Published name, with or without its maker's: ``microsoft/infoxlm-large``.
    """
    name_without_maker = name.rpartition("/")[2]
    trainings: tuple[Training, ...] = get_args(Training)
    for training in trainings:
        if re.fullmatch(_NAMES[training], name_without_maker, re.IGNORECASE):
            return training
    return None


def named_specs() -> tuple[MetricSpec, ...]:
    """Return the metrics of models that the environment names."""
    specs: list[MetricSpec] = []
    for family, make in zip(FAMILIES, _MAKERS, strict=True):
        specs += [make(name) for name in family.further]
    return tuple(specs)
