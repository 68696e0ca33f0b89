"""One system without another to compare it with: its segments over all runs, and its score per group of segments."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mteval.analysis.scoring import Scored
from mteval.analysis.segments.table import Partition
from mteval.analysis.words.verdicts import part_of
from mteval.base.arrays import FloatArray
from mteval.values.notation import rounded_up

MOST_BINS = 20


def over_runs(scored: Scored, system: str) -> pd.DataFrame:
    """Return the mean and SD of each segment's score over the runs that have one.

    Returns
    -------
    Columns ``mean_score`` and ``run_sd``, one row per segment; NaN without a score, and the SD for a single run.
    """
    scores = pd.DataFrame(scored.scorer.segment_score(scored.statistics[system]))  # a row per run, a column per segment
    return pd.DataFrame({"mean_score": scores.mean(), "run_sd": scores.std(ddof=1)})


def group_scores(scored: Scored, system: str, partition: Partition) -> pd.DataFrame:
    """Return the corpus score of each group of segments, in the order of the groups.

    Segments that a run lacks are in no group.

    Returns
    -------
    Columns ``group``, ``size`` (segments), ``mean`` and ``run_sd`` (of the runs' scores; NaN for a single run).
    """
    places = np.where(scored.present(system), partition.places, -1)
    rows = []
    for place, name in enumerate(partition.names):
        is_inside = places == place
        if not is_inside.any():
            continue
        scores = pd.Series(part_of(scored, is_inside, [system]).run_scores[system])
        rows.append((name, int(is_inside.sum()), scores.mean(), scores.std(ddof=1)))
    return pd.DataFrame(rows, columns=["group", "size", "mean", "run_sd"])


def bins_of(scores: FloatArray) -> pd.DataFrame:
    """Count segments in about twenty bins of equal width, a round number.

    Parameters
    ----------
    scores
        Of the segments, shape ``(segments,)``; NaN is in no bin.

    Returns
    -------
    Columns ``low``, ``high`` (inclusive in the last bin only) and ``count``.
    """
    known = scores[np.isfinite(scores)]
    if len(known) == 0:
        return pd.DataFrame({"low": [], "high": [], "count": []})
    low = float(known.min())
    high = float(known.max())
    width = rounded_up((high - low) / MOST_BINS) if high > low else 1.0
    first = np.floor(low / width)
    n_bins = max(int(np.ceil(high / width - first)), 1)
    edges = ((first + np.arange(n_bins + 1)) * width).round(10)
    counts = np.histogram(known, edges)[0]
    return pd.DataFrame({"low": edges[:-1], "high": edges[1:], "count": counts})
