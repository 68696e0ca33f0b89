"""All runs of a segment: is the difference there whichever runs are taken, or is it the luck of two of them?"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from mteval.analysis.scoring import Scored
from mteval.analysis.segments.ranking import median_key, run_texts
from mteval.analysis.segments.table import column
from mteval.model import TestSet
from mteval.stats.base import TOLERANCE, FloatArray

CONSISTENCY = ("segment", "mean_improvement", "run_sd", "better", "worse", "pairs", "kind")
OUTPUTS = ("system", "text", "count", "runs")
CONSISTENT_SHARE = 0.9  # of the run pairs, from which on a difference counts as consistent
LUCK_SHARE = 0.5  # of the run pairs: where no more of them say what two runs show, it is the luck of these two
KINDS = ("better", "worse", "mixed")


def consistency_frame(scored: Scored, baseline: str, system: str) -> pd.DataFrame:
    """For each segment how the runs of a system compare with those of the baseline; columns ``CONSISTENCY``.

    Returns
    -------
    ``mean_improvement`` is the mean over the system's runs minus that over the baseline's, positive where the system is
    better; ``run_sd`` the standard deviation of the difference between one run of each, ``sqrt(s_A^2 + s_B^2)`` with
    ``n - 1`` (NaN with one run of either): luck with training on this one segment, not with the choice of segments. Of
    all ``pairs`` of a run of each the system's is ``better`` or ``worse`` in so many; the others are ties. ``kind`` is
    ``better`` or ``worse`` where nine of ten pairs say so, else ``mixed``. Runs without a score of a segment (given
    scores may be missing) count nowhere in it; where no pair has both scores, its mean is NaN and its kind ``mixed``.
    """
    sign = 1.0 if scored.metric.higher_is_better else -1.0
    left, right = (sign * scored.scorer.segment_score(scored.statistics[key]) for key in (baseline, system))
    better, worse = _count_pairs(left, right)
    pairs = _n_runs(left) * _n_runs(right)
    needed = np.maximum(CONSISTENT_SHARE * pairs, 1)
    return pd.DataFrame(
        {
            "segment": np.arange(left.shape[1]),
            "mean_improvement": _mean(right) - _mean(left),
            "run_sd": _spread(left, right),
            "better": better,
            "worse": worse,
            "pairs": pairs,
            "kind": np.where(better >= needed, KINDS[0], np.where(worse >= needed, KINDS[1], KINDS[2])),
        },
        columns=list(CONSISTENCY),
    )


def luck_of_two_runs(improvement: FloatArray, consistency: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Segments in which two runs differ by their luck, shape ``(segments,)``: few other pairs of runs say the same.

    Parameters
    ----------
    improvement
        From one run to the other, shape ``(segments,)``.
    consistency
        From ``consistency_frame`` of their systems.

    Returns
    -------
    True where the two differ, and at most half of the pairs of a run of each system differ in that direction.
    """
    alike = np.where(improvement > 0, consistency["better"], consistency["worse"])
    differ = np.abs(improvement) > TOLERANCE  # and so no NaN
    return np.asarray(differ & (alike <= LUCK_SHARE * consistency["pairs"].to_numpy()))


def _count_pairs(left: FloatArray, right: FloatArray) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Run pairs in which the right side is greater and less, from ``(runs, segments)`` to ``(segments,)`` each."""
    better, worse = np.zeros((2, left.shape[1]), dtype=np.int64)
    for run in left:
        better += (right > run).sum(axis=0)
        worse += (right < run).sum(axis=0)
    return better, worse


def _n_runs(scores: FloatArray) -> npt.NDArray[np.int64]:
    """How many runs have a score, from ``(runs, segments)`` to ``(segments,)``."""
    counts: npt.NDArray[np.int64] = (~np.isnan(scores)).sum(axis=0)
    return counts


def _mean(scores: FloatArray) -> FloatArray:
    """Of the runs that have a score, from ``(runs, segments)`` to ``(segments,)``; NaN where none has."""
    return _ratio(np.nansum(scores, axis=0), _n_runs(scores))


def _spread(left: FloatArray, right: FloatArray) -> FloatArray:
    """Standard deviation of the difference of a run of each, shape ``(segments,)``; NaN below two runs of either."""
    spread: FloatArray = np.sqrt(sum(_ratio(_squares(one), _n_runs(one) - 1) for one in (left, right)))
    return spread


def _squares(scores: FloatArray) -> FloatArray:
    squares: FloatArray = np.nansum((scores - _mean(scores)) ** 2, axis=0)
    return squares


def _ratio(total: FloatArray, count: npt.NDArray[np.int64]) -> FloatArray:
    ratio: FloatArray = np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0)
    return ratio


def outputs_frame(
    test_set: TestSet, scored_metrics: Sequence[Scored], segment: int, systems: Sequence[str]
) -> pd.DataFrame:
    """The distinct outputs of some systems for a segment, those of most runs first; of scores alone, the runs.

    Columns ``system``, ``text``, ``count`` (runs that produced it), ``runs`` (their keys) and one a metric with the
    score: the mean of those of its runs that have one, as equal outputs may have been given different scores. Where
    there are no texts, each run stands in a row of its own, its key in the place of the text.
    """
    rows = []
    for system in systems:
        texts: dict[str, list[str]] = {}
        for run in test_set.runs_of(system):
            texts.setdefault(run.hypotheses[segment] if test_set.has_texts else run.key, []).append(run.key)
        for text, keys in sorted(texts.items(), key=lambda item: -len(item[1])):
            scores = [_score(scored, system, keys, segment) for scored in scored_metrics]
            rows.append((system, text, len(keys), tuple(keys), *scores))
    return pd.DataFrame(rows, columns=[*OUTPUTS, *(column(scored.metric.key, "score") for scored in scored_metrics)])


def median_outputs(scored_metrics: Sequence[Scored], segment: int) -> pd.DataFrame:
    """What the median run of every system says of a segment, the best score by the first metric first.

    Median runs are those by the first metric; systems that it has no scores of are left out. Columns ``system``,
    ``run``, ``text`` and one a metric with the score of that run.
    """
    first, rows = scored_metrics[0], []
    for system in first.statistics:
        key = median_key(first, system)
        text = run_texts(first, system, key)[segment]
        rows.append((system, key, text, *(_score(scored, system, [key], segment) for scored in scored_metrics)))
    names = [column(scored.metric.key, "score") for scored in scored_metrics]
    frame = pd.DataFrame(rows, columns=["system", "run", "text", *names])
    return frame.sort_values(names[0], ascending=not first.metric.higher_is_better, kind="stable", ignore_index=True)


def _score(scored: Scored, system: str, runs: Sequence[str], segment: int) -> float:
    """The mean score of some runs, of those that the metric has."""
    places = [place for place, key in enumerate(scored.run_keys(system)) if key in runs]
    if not places:
        return float("nan")
    scores = scored.scorer.segment_score(scored.statistics[system][places, segment])
    return float(_mean(scores[:, None])[0])
