"""Of which models it is known on what languages they were pretrained, by the names of what they read text with."""

import re
from collections.abc import Iterable
from typing import get_args

from mteval.base.errors import MtevalError
from mteval.metrics.neural.named_models import CHECKPOINTS, ENCODERS, checkpoint, encoder, published_name
from mteval.values.languages import LearnedMetric, Training

# InfoXLM was trained on the same languages as XLM-R; encoders that others trained further on more have other names
_NAMES: dict[Training, str] = {
    "xlm-r": r"xlm-roberta-(base|large|xl|xxl)|infoxlm-(base|large)",
    "multilingual bert": r"(distil)?bert-base-multilingual-cased",
    "multilingual bert uncased": r"bert-base-multilingual-uncased",
    "english": r"(distil)?roberta-(base|large)(-mnli|-openai-detector)?|bert_uncased_L-\d+_H-\d+_A-\d+"
    r"|(distil)?bert-(base|large)-(un)?cased|albert-x{0,2}(base|large)-v[12]|xlnet-(base|large)-cased"
    r"|bart-(base|large)(-mnli|-cnn|-xsum)?|deberta-((v[23]-)?(xsmall|small|base|large|x{1,2}large))(-mnli)?",
}


def learned(keys: Iterable[str]) -> tuple[LearnedMetric, ...]:
    """Those of the keys of metrics that a model computes of whose languages something is known."""
    found = []
    for key in keys:
        for family, name_of, reads_source in ((CHECKPOINTS, _encoder, True), (ENCODERS, _folder, False)):
            named = {name.lower(): name for name in family.paths}
            if key in named and (training := training_of(name_of(key))):
                found.append(LearnedMetric(family.metric_name(named[key]), training, reads_source=reads_source))
    return tuple(found)


def training_of(name: str) -> Training | None:
    """What an encoder with this name was trained on; None where it is not known.

    Parameters
    ----------
    name
        As it is published, with or without that of its maker: ``microsoft/infoxlm-large``.
    """
    alone = name.rpartition("/")[2]
    trainings: tuple[Training, ...] = get_args(Training)
    return next((one for one in trainings if re.fullmatch(_NAMES[one], alone, re.IGNORECASE)), None)


def _encoder(key: str) -> str:
    """What a checkpoint was made from; empty where there is none, which is said where the metric is chosen."""
    try:
        return checkpoint(key).encoder
    except MtevalError:
        return ""


def _folder(key: str) -> str:
    """The name of the model that BERTScore takes; empty where there is none."""
    try:
        return published_name(encoder(key).folder)
    except MtevalError:
        return ""
