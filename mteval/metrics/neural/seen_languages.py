"""Which models know XLM-R's languages and no others, by what they read text with."""

import re
from collections.abc import Iterable

from mteval.errors import MtevalError
from mteval.metrics.neural.checkpoints import checkpoint

# InfoXLM was trained on the same languages; encoders that others trained further on more have other names
XLM_R = re.compile(r"(?:\w+/)?(?:xlm-roberta-(?:base|large|xl|xxl)|infoxlm-(?:base|large))", re.IGNORECASE)


def on_xlm_r(keys: Iterable[str]) -> list[str]:
    """Those of the keys of metrics that a model computes which reads text by XLM-R; the others are any metrics."""
    return [key for key in keys if XLM_R.fullmatch(_encoder(key))]


def _encoder(key: str) -> str:
    """What a checkpoint was made from; empty where there is none, which is said where the metric is chosen."""
    try:
        return checkpoint(key).encoder
    except MtevalError:
        return ""
