"""What the numbers of each system by each metric rest on.

What a test takes as one unit of the test set: statistics by segment, or summed by document, and their sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from mteval.analysis.scoring import Scored
from mteval.base.arrays import BoolArray, IntArray, StatArray
from mteval.metrics.imported import Imported
from mteval.stats.resampling.streams import sum_by_unit
from mteval.values.model import TestSet
from mteval.values.verdict import Coverage


def coverages(scored_metrics: Iterable[Scored]) -> Iterator[Coverage]:
    """One a test set, metric and system that the metric has scores of."""
    for scored in scored_metrics:
        for system in scored.statistics:
            yield _coverage(scored, system)


def _coverage(scored: Scored, system: str) -> Coverage:
    test_set, present = scored.test_set, scored.present(system)
    return Coverage(
        test_set=test_set.name,
        metric=scored.metric.key,
        system=system,
        n_segments=int(np.count_nonzero(present)),
        of_segments=test_set.n_segments,
        n_documents=n_documents(test_set, present),
        of_documents=n_documents(test_set, np.ones_like(present)),
        n_given=_n_given(scored, system),
        n_judgements=_n_judgements(scored, system),
    )


def n_documents(test_set: TestSet, segments: BoolArray) -> int:
    """How many documents some of the segments are of; 0 where the test set names none."""
    if test_set.documents is None:
        return 0
    return len({document for document, is_there in zip(test_set.documents, segments, strict=True) if is_there})


def _n_given(scored: Scored, system: str) -> int:
    """Scores that the runs of a system came with."""
    if not isinstance(scored.metric, Imported):
        return 0
    return int(np.count_nonzero(~np.isnan(scored.statistics[system][..., 0])))


def _n_judgements(scored: Scored, system: str) -> int:
    """Judgements of people that the scores of a system are means of; 0 where nothing is said of them."""
    if not isinstance(scored.metric, Imported):
        return 0
    here = (scored.test_set.name, system)
    return sum(sum(one.judgements or ()) for one in scored.metric.given.scores if (one.test_set, one.system) == here)


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
