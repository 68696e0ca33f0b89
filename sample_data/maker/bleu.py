"""BLEU in the two steps that tuning needs: statistics of each candidate, by sacreBLEU, and the score of a sum."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from sacrebleu.metrics import BLEU

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

DIGITS = 9  # scores are compared after rounding: the last bits of a logarithm differ between machines


def statistics(texts: Sequence[Sequence[str]], references: Sequence[str]) -> IntArray:
    """Hypothesis length, reference length, 4 matches and 4 totals of each candidate, ``(segments, candidates, 10)``."""
    metric = BLEU(effective_order=True)
    rows = []
    for candidates, reference in zip(texts, references, strict=True):
        scores = [metric.sentence_score(text, [reference]) for text in candidates]
        rows.append([[score.sys_len, score.ref_len, *score.counts, *score.totals] for score in scores])
    return np.array(rows, dtype=np.int64)


def bleu(sums: IntArray) -> FloatArray:
    """BLEU in points of summed statistics, ``(..., 10)`` to ``(...)``; 0 where an order has no match."""
    lengths, matches, totals = sums[..., :2], sums[..., 2:6], sums[..., 6:]
    precisions = np.log(np.maximum(matches, 1)) - np.log(np.maximum(totals, 1))
    brevity = np.minimum(0.0, 1.0 - lengths[..., 1] / lengths[..., 0])
    scores = np.round(100.0 * np.exp(precisions.mean(axis=-1) + brevity), DIGITS)
    return np.where((matches > 0).all(axis=-1), scores, 0.0)
