"""How good could the decoder have been? All hypotheses of n-best lists scored, and the best and worst of each list.

How far the decoder's choice is from the best of its list, where that stands, and what longer lists would give.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mteval.analysis.work import Progress, Work
from mteval.base.arrays import FloatArray, IntArray, StatArray
from mteval.base.errors import DataError, SettingsError
from mteval.metrics import lacking_on
from mteval.metrics.base import Metric, Scorer, ScoresRuns
from mteval.readers.formats.nbest import NbestList
from mteval.values.model import TestSet

CHOICES = ("topbest", "oracle", "worst-oracle")  # the decoder's first, the metric's best and worst of each list
HYPOTHESES_A_BATCH = 2048

Batch = tuple[NbestList, ...]


@dataclass(frozen=True)
class MetricScores:
    """One metric's view of one list of k hypotheses.

    Parameters
    ----------
    statistics
        Shape ``(k, d)``.
    scores
        Sentence-level scores in points, shape ``(k,)``.
    submetrics
        Their parts, shape ``(k, m)``.
    order
        The hypotheses from best to worst, shape ``(k,)``.
    """

    statistics: StatArray
    scores: FloatArray
    submetrics: FloatArray
    order: IntArray

    @property
    def ranks(self) -> IntArray:
        """Place of each hypothesis among the others, 0 for the best, shape ``(k,)``."""
        return np.argsort(self.order)


@dataclass(frozen=True)
class ScoredList:
    """One segment's list with the scores of every metric, by key, in the order of the metrics."""

    nbest: NbestList
    metrics: Mapping[str, MetricScores]


@dataclass(frozen=True)
class ListScorers:
    """Metrics made ready for the segments of a test set."""

    metrics: tuple[Metric, ...]
    scorers: tuple[Scorer, ...]

    @classmethod
    def of(cls, metrics: Sequence[Metric], test_set: TestSet) -> ListScorers:
        """Prepare every metric once.

        Raises
        ------
        SettingsError
            On a metric whose scores come with runs, so that the hypotheses of a list have none.
        DataError
            On a metric that needs what the test set has not.
        """
        for metric in metrics:
            if missing := lacking_on(metric, test_set):
                raise DataError(missing)
        scorers = tuple(metric.prepare(test_set) for metric in metrics)
        for metric, scorer in zip(metrics, scorers, strict=True):
            if isinstance(scorer, ScoresRuns):
                raise SettingsError(
                    f"{metric.name} scores whole runs, not the hypotheses of n-best lists; leave it out."
                )
        return cls(tuple(metrics), scorers)


def score_lists(lists: Iterable[NbestList], scorers: ListScorers, n_segments: int, work: Work) -> Iterator[ScoredList]:
    """The lists with all scores, in order, as they are ready; only a few batches are in memory at a time.

    Best first means by sentence score. Hypotheses with the same score are in the order of the metric before, and by the
    first metric in the decoder's, as in MultEval. Undefined scores come last.

    Raises
    ------
    CancelledError
        When the work was told to stop.
    """
    for batch in work.engine.spread(_score_batch, scorers, _batches(lists)):
        yield from batch
        work.report(Progress("Scoring hypotheses", batch[-1].nbest.segment + 1, n_segments))


ORACLES = ("metric", "choice", "score", "submetrics")
DEPTHS = ("metric", "depth", "score")
LISTS = ("metric", "segment", "size", "first", "oracle", "gain", "place")


class OracleScores:
    """Corpus scores of the decoder's choice and of the best and worst of each list, gathered list by list."""

    def __init__(self, scorers: ListScorers) -> None:
        self._scorers = scorers
        self._best: dict[str, StatArray] = {}  # of the first k, shape (depths, d); below the end of a list its best
        self._worst: dict[str, StatArray] = {}

    def add(self, scored: ScoredList) -> None:
        """Take one more segment. A list longer than all before it adds depths, at which those are whole."""
        for key, one in scored.metrics.items():
            best = one.statistics[one.order[np.minimum.accumulate(one.ranks)]]  # of those so far
            sums = self._best.get(key, np.zeros_like(best))
            depth = max(len(sums), len(best))
            self._best[key] = _deepened(sums, depth) + _deepened(best, depth)
            self._worst[key] = self._worst.get(key, 0) + one.statistics[one.order[-1]]

    def frame(self) -> pd.DataFrame:
        """Corpus scores, one row a metric and one of ``CHOICES``, with the columns ``ORACLES``.

        ``submetrics`` are the names of the parts of a score and their values. The best of each list by sentence score
        is not always the best for the corpus score, which is no mean of them.
        """
        rows = []
        for metric, scorer in zip(self._scorers.metrics, self._scorers.scorers, strict=True):
            best = self._best[metric.key]
            for choice, total in zip(CHOICES, (best[0], best[-1], self._worst[metric.key]), strict=True):
                parts = dict(zip(metric.submetric_names, scorer.submetrics(total).tolist(), strict=True))
                rows.append((metric.key, choice, float(scorer.score(total)), parts))
        return pd.DataFrame(rows, columns=list(ORACLES))

    def depths(self) -> pd.DataFrame:
        """Corpus score of the best among the first ``depth`` hypotheses of each list, with the columns ``DEPTHS``."""
        rows = [
            (metric.key, depth, float(scorer.score(self._best[metric.key][depth - 1])))
            for metric, scorer in zip(self._scorers.metrics, self._scorers.scorers, strict=True)
            for depth in depths_up_to(len(self._best[metric.key]))
        ]
        return pd.DataFrame(rows, columns=list(DEPTHS))


def _batches(lists: Iterable[NbestList]) -> Iterator[Batch]:
    """Whole lists, together at least ``HYPOTHESES_A_BATCH`` long."""
    batch, size = list[NbestList](), 0
    for nbest in lists:
        batch.append(nbest)
        size += len(nbest.entries)
        if size >= HYPOTHESES_A_BATCH:
            yield tuple(batch)
            batch, size = [], 0
    if batch:
        yield tuple(batch)


def _score_batch(scorers: ListScorers, batch: Batch) -> tuple[ScoredList, ...]:
    pairs: dict[tuple[int, str], int] = {}  # derivations of one string are scored once
    places = [
        np.array([pairs.setdefault((nbest.segment, entry.hypothesis), len(pairs)) for entry in nbest.entries])
        for nbest in batch
    ]
    segments, hypotheses = [segment for segment, _ in pairs], [hypothesis for _, hypothesis in pairs]
    statistics = [scorer.statistics(segments, hypotheses) for scorer in scorers.scorers]
    return tuple(
        ScoredList(nbest, _scores_of_list(scorers, [array[place] for array in statistics]))
        for nbest, place in zip(batch, places, strict=True)
    )


def _scores_of_list(scorers: ListScorers, statistics: Sequence[StatArray]) -> dict[str, MetricScores]:
    result = {}
    order = np.arange(len(statistics[0]))
    for metric, scorer, array in zip(scorers.metrics, scorers.scorers, statistics, strict=True):
        scores = scorer.segment_score(array)
        cost = -scores if metric.higher_is_better else scores
        order = order[np.argsort(cost[order], kind="stable")]
        result[metric.key] = MetricScores(array, scores, scorer.submetrics(array), order)
    return result


@dataclass(frozen=True)
class NbestSummary:
    """What a page shows of an n-best file.

    Parameters
    ----------
    oracles
        Columns ``ORACLES``: corpus scores of the first, best and worst hypotheses.
    depths
        Columns ``DEPTHS``: corpus score of the best of the first ``depth`` hypotheses of each list.
    lists
        One row a metric and segment, with the columns ``LISTS``: sentence scores of the decoder's choice and of the
        best hypothesis, how much better the best is (never negative), and its place in the decoder's list, from 1.
    """

    oracles: pd.DataFrame
    depths: pd.DataFrame
    lists: pd.DataFrame


def summarize_lists(lists: Iterable[NbestList], scorers: ListScorers, n_segments: int, work: Work) -> NbestSummary:
    """Score all lists and keep what there is to say about them, not the hypotheses.

    Raises
    ------
    CancelledError
        When the work was told to stop.
    """
    oracles, rows = OracleScores(scorers), []
    for scored in score_lists(lists, scorers, n_segments, work):
        oracles.add(scored)
        for metric in scorers.metrics:
            one = scored.metrics[metric.key]
            place, size = int(one.order[0]), len(one.scores)
            first, best = float(one.scores[0]), float(one.scores[place])
            gain = best - first if metric.higher_is_better else first - best
            rows.append((metric.key, scored.nbest.segment, size, first, best, gain, place + 1))
    return NbestSummary(oracles.frame(), oracles.depths(), pd.DataFrame(rows, columns=list(LISTS)))


def depths_up_to(longest: int) -> tuple[int, ...]:
    """1, 2, 3, 5, 7, 10, 20, 30, 50, … and the longest list itself."""
    steps = [step * 10**power for power in range(len(str(longest)) + 1) for step in (1, 2, 3, 5, 7)]
    return (*(step for step in steps if step < longest), longest)


def _deepened(statistics: StatArray, depth: int) -> StatArray:
    """The last row repeated down to a depth."""
    return np.pad(statistics, ((0, depth - len(statistics)), (0, 0)), mode="edge")
