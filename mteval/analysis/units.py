"""What a test takes as one unit of the test set: statistics by segment, or summed by document, and their sizes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mteval.analysis.scoring import BoolArray, Scored
from mteval.arrays import IntArray
from mteval.model import TestSet
from mteval.stats.base import StatArray
from mteval.stats.resampling.streams import sum_by_unit


def units_of(scored: Scored, system: str, unit: str, present: BoolArray) -> StatArray:
    """A system's statistics on some segments, summed by document where those are the units.

    Parameters
    ----------
    present
        The segments, shape ``(segments,)``.

    Returns
    -------
    Shape ``(runs, units, d)``.
    """
    return summed(scored.test_set, scored.statistics_on(system, present), unit, present)


def summed(test_set: TestSet, statistics: StatArray, unit: str, present: BoolArray) -> StatArray:
    """Statistics on some segments, summed by document where those are the units; shape ``(outputs, units, d)``."""
    if unit != "document" or test_set.documents is None:
        return statistics
    return sum_by_unit(statistics, _documents(test_set.documents, present))


def unit_sizes(scored: Scored, unit: str, present: BoolArray) -> IntArray | None:
    """Segments of each unit, shape ``(units,)``, in the order of ``units_of``; None where segments are the units."""
    if unit != "document" or scored.test_set.documents is None:
        return None
    ids = _documents(scored.test_set.documents, present)
    _, first, counts = np.unique(ids, return_index=True, return_counts=True)
    return np.asarray(counts[np.argsort(first)])


def _documents(documents: Sequence[str], present: BoolArray) -> IntArray:
    """A number for the document of each of the segments."""
    _, unit_ids = np.unique(np.array(documents, dtype=object)[present], return_inverse=True)
    return np.asarray(unit_ids)
