"""All runs of a segment: is the difference there whichever runs are taken, or is it the luck of two of them?"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from mteval.analysis.scoring import Scored
from mteval.analysis.segment_table import column
from mteval.stats.base import FloatArray

CONSISTENCY = ("segment", "mean_improvement", "run_sd", "better", "worse", "pairs", "kind")
OUTPUTS = ("system", "text", "count", "runs")
CONSISTENT_SHARE = 0.9  # of the run pairs, from which on a difference counts as consistent
KINDS = ("better", "worse", "mixed")


def consistency_frame(one: Scored, baseline: str, system: str) -> pd.DataFrame:
    """For each segment how the runs of a system compare with those of the baseline.

    Returns
    -------
    ``mean_improvement`` is the mean over the system's runs minus that over the baseline's, positive where the system is
    better; ``run_sd`` the standard deviation of the difference between one run of each, ``sqrt(s_A^2 + s_B^2)`` with
    ``n - 1`` (NaN with one run of either): luck with training on this one segment, not with the choice of segments. Of
    all ``pairs`` of a run of each the system's is ``better`` or ``worse`` in so many; the others are ties or undefined.
    ``kind`` is ``better`` or ``worse`` where nine of ten pairs say so, else ``mixed``.
    """
    sign = 1.0 if one.metric.higher_is_better else -1.0
    left, right = (sign * one.scorer.segment_score(one.statistics[key]) for key in (baseline, system))
    better, worse = _count_pairs(left, right)
    pairs = len(left) * len(right)
    needed = CONSISTENT_SHARE * pairs
    return pd.DataFrame(
        {
            "segment": np.arange(left.shape[1]),
            "mean_improvement": right.mean(axis=0) - left.mean(axis=0),
            "run_sd": _spread(left, right),
            "better": better,
            "worse": worse,
            "pairs": pairs,
            "kind": np.where(better >= needed, KINDS[0], np.where(worse >= needed, KINDS[1], KINDS[2])),
        },
        columns=list(CONSISTENCY),
    )


def _count_pairs(left: FloatArray, right: FloatArray) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Run pairs in which the right side is greater and less, from ``(runs, segments)`` to ``(segments,)`` each."""
    better, worse = np.zeros((2, left.shape[1]), dtype=np.int64)
    for run in left:
        better += (right > run).sum(axis=0)
        worse += (right < run).sum(axis=0)
    return better, worse


def _spread(left: FloatArray, right: FloatArray) -> FloatArray:
    if min(len(left), len(right)) < 2:
        return np.full(left.shape[1], np.nan)
    spread: FloatArray = np.sqrt(left.var(axis=0, ddof=1) + right.var(axis=0, ddof=1))
    return spread


def outputs_frame(scored: Sequence[Scored], segment: int, systems: Sequence[str]) -> pd.DataFrame:
    """The distinct outputs of some systems for a segment, those of most runs first.

    Columns ``system``, ``text``, ``count`` (runs that produced it), ``runs`` (their keys) and one a metric with the
    score.
    """
    rows = []
    for system in systems:
        texts: dict[str, list[int]] = {}
        for index, run in enumerate(scored[0].test_set.runs_of(system)):
            texts.setdefault(run.hypotheses[segment], []).append(index)
        keys = scored[0].run_keys(system)
        for text, places in sorted(texts.items(), key=lambda item: -len(item[1])):
            scores = [_score(one, system, places[0], segment) for one in scored]
            rows.append((system, text, len(places), tuple(keys[place] for place in places), *scores))
    return pd.DataFrame(rows, columns=[*OUTPUTS, *(column(one.metric.key, "score") for one in scored)])


def _score(one: Scored, system: str, run: int, segment: int) -> float:
    return float(one.scorer.segment_score(one.statistics[system][run, segment]))
