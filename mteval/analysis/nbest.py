"""Score n-best lists: the decoder's choice, the best and worst hypothesis, and the gain from longer lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from mteval.analysis.scoring import Progress, Work
from mteval.base.arrays import FloatArray, IntArray, StatArray
from mteval.base.errors import DataError, SettingsError
from mteval.metrics import lacking_on
from mteval.metrics.base import KeepsMore, Metric, Scorer, ScoresRuns
from mteval.readers.formats.nbest import NbestList
from mteval.values.model import TestSet

CHOICES = ("topbest", "oracle", "worst-oracle")  # the first, best and worst of each list
LISTS = ("metric", "segment", "size", "first", "oracle", "gain", "place")
HYPOTHESES_A_BATCH = 2048


@dataclass(frozen=True)
class MetricScores:
    """The scores of one list of k hypotheses by one metric.

    Parameters
    ----------
    statistics
        Shape ``(k, d)``.
    scores
        Sentence-level scores in points, shape ``(k,)``.
    submetrics
        Components of the scores, shape ``(k, m)``.
    order
        Indices of the hypotheses from best to worst, shape ``(k,)``.
    """

    statistics: StatArray
    scores: FloatArray
    submetrics: FloatArray
    order: IntArray

    @property
    def ranks(self) -> IntArray:
        """Return the rank of each hypothesis, 0 for the best, shape ``(k,)``."""
        return np.argsort(self.order)


@dataclass(frozen=True)
class ScoredList:
    """The list of one segment with its scores by every metric, in the order of the metrics."""

    nbest: NbestList
    metrics: Mapping[str, MetricScores]


@dataclass(frozen=True)
class ListScorers:
    """Metrics prepared for the segments of a test set."""

    metrics: tuple[Metric, ...]
    scorers: tuple[Scorer, ...]

    @classmethod
    def of(cls, metrics: Sequence[Metric], test_set: TestSet) -> ListScorers:
        """Prepare every metric once.

        Raises
        ------
        SettingsError
            If a metric scores whole runs, not single hypotheses.
        DataError
            If the test set lacks what a metric needs.
        """
        scorers = []
        for metric in metrics:
            missing = lacking_on(metric, test_set)
            if missing:
                raise DataError(missing)
            scorer = metric.prepare(test_set)
            if isinstance(scorer, ScoresRuns):
                raise SettingsError(
                    f"{metric.name} scores whole runs, not hypotheses of n-best lists. Choose another metric."
                )
            scorers.append(scorer)
        return cls(tuple(metrics), tuple(scorers))


def score_lists(lists: Iterable[NbestList], scorers: ListScorers, n_segments: int, work: Work) -> Iterator[ScoredList]:
    """Yield the lists with all scores, in order; only a few batches are in memory at a time.

    Hypotheses are ordered by sentence score. Ties keep the order of the preceding metric, and for the first metric the
    decoder's order, as in MultEval. Undefined scores come last.

    Raises
    ------
    CancelledError
        If the work was cancelled.
    """
    if any(isinstance(scorer, KeepsMore) and not scorer.stays_here for scorer in scorers.scorers):
        scored_batches = work.engine.spread(_score_batch, scorers, _batches(lists))
    else:  # hypotheses are scored faster here than they travel to a cluster
        scored_batches = work.engine.map(partial(_score_batch, scorers), _batches(lists))
    for batch in scored_batches:
        yield from batch
        work.report(Progress("Scoring hypotheses", batch[-1].nbest.segment + 1, n_segments))


class OracleScores:
    """Corpus scores of the decoder's choice and of the best and worst of each list, accumulated list by list."""

    def __init__(self, scorers: ListScorers) -> None:
        self._scorers = scorers
        self._best: dict[str, StatArray] = {}  # by depth k, shape (depths, d); shorter lists repeat their best
        self._worst: dict[str, StatArray] = {}

    def add(self, scored: ScoredList) -> None:
        """Add one segment."""
        for key, of_metric in scored.metrics.items():
            best_rank = np.minimum.accumulate(of_metric.ranks)  # among the first k
            best = of_metric.statistics[of_metric.order[best_rank]]
            sums = self._best.get(key, np.zeros_like(best))
            depth = max(len(sums), len(best))
            self._best[key] = _deepened(sums, depth) + _deepened(best, depth)
            worst = of_metric.statistics[of_metric.order[-1]]
            self._worst[key] = self._worst.get(key, 0) + worst

    def frame(self) -> pd.DataFrame:
        """Return corpus scores, one row per metric and choice: ``metric, choice, score, submetrics``.

        ``choice`` is one of ``CHOICES``; ``submetrics`` maps the names of the components of a score to their values.
        The best hypothesis of each list by sentence score does not always give the best corpus score.
        """
        rows = []
        for metric, scorer in zip(self._scorers.metrics, self._scorers.scorers, strict=True):
            best = self._best[metric.key]
            totals = (best[0], best[-1], self._worst[metric.key])
            for choice, total in zip(CHOICES, totals, strict=True):
                submetrics = dict(zip(metric.submetric_names, scorer.submetrics(total).tolist(), strict=True))
                rows.append((metric.key, choice, float(scorer.score(total)), submetrics))
        return pd.DataFrame(rows, columns=["metric", "choice", "score", "submetrics"])

    def depths(self) -> pd.DataFrame:
        """Return the corpus ``score`` of the best of the first ``depth`` hypotheses of each list, per ``metric``."""
        rows = []
        for metric, scorer in zip(self._scorers.metrics, self._scorers.scorers, strict=True):
            best = self._best[metric.key]
            for depth in depths_up_to(len(best)):
                rows.append((metric.key, depth, float(scorer.score(best[depth - 1]))))
        return pd.DataFrame(rows, columns=["metric", "depth", "score"])


def _batches(lists: Iterable[NbestList]) -> Iterator[tuple[NbestList, ...]]:
    """Yield batches of whole lists, each with at least ``HYPOTHESES_A_BATCH`` hypotheses."""
    batch: list[NbestList] = []
    size = 0
    for nbest in lists:
        batch.append(nbest)
        size += len(nbest.entries)
        if size >= HYPOTHESES_A_BATCH:
            yield tuple(batch)
            batch = []
            size = 0
    if batch:
        yield tuple(batch)


def _score_batch(scorers: ListScorers, batch: tuple[NbestList, ...]) -> tuple[ScoredList, ...]:
    """Score some lists by every metric, and order their hypotheses."""
    pair_numbers: dict[tuple[int, str], int] = {}  # of segment and hypothesis: a repeated string is scored once
    places_of_lists = []
    for nbest in batch:
        numbers = []
        for entry in nbest.entries:
            pair = (nbest.segment, entry.hypothesis)
            numbers.append(pair_numbers.setdefault(pair, len(pair_numbers)))
        places_of_lists.append(np.array(numbers))
    segments = [segment for segment, _ in pair_numbers]
    hypotheses = [hypothesis for _, hypothesis in pair_numbers]
    statistics = [scorer.statistics(segments, hypotheses) for scorer in scorers.scorers]

    scored_lists = []
    for nbest, places in zip(batch, places_of_lists, strict=True):
        of_metrics = {}
        order = np.arange(len(places))
        for metric, scorer, of_pairs in zip(scorers.metrics, scorers.scorers, statistics, strict=True):
            of_list = of_pairs[places]
            scores = scorer.segment_score(of_list)
            cost = -scores if metric.higher_is_better else scores
            order = order[np.argsort(cost[order], kind="stable")]  # ties keep the order by the metric before
            of_metrics[metric.key] = MetricScores(of_list, scores, scorer.submetrics(of_list), order)
        scored_lists.append(ScoredList(nbest, of_metrics))
    return tuple(scored_lists)


@dataclass(frozen=True)
class NbestSummary:
    """The tables about an n-best file.

    Parameters
    ----------
    oracles
        Columns ``metric, choice, score, submetrics``: corpus scores of the first, best and worst hypotheses.
    depths
        Columns ``metric, depth, score``: corpus score of the best of the first ``depth`` hypotheses of each list.
    lists
        One row per metric and segment, with the columns ``LISTS``: sentence scores of the decoder's choice and of the
        best hypothesis, their difference as a gain, and the best one's place in the decoder's list, from 1.
    """

    oracles: pd.DataFrame
    depths: pd.DataFrame
    lists: pd.DataFrame


def summarize_lists(lists: Iterable[NbestList], scorers: ListScorers, n_segments: int, work: Work) -> NbestSummary:
    """Score all lists and return the summary tables, without the hypotheses.

    Raises
    ------
    CancelledError
        If the work was cancelled.
    """
    oracles = OracleScores(scorers)
    rows = []
    for scored in score_lists(lists, scorers, n_segments, work):
        oracles.add(scored)
        for metric in scorers.metrics:
            of_metric = scored.metrics[metric.key]
            best_place = int(of_metric.order[0])
            first = float(of_metric.scores[0])
            best = float(of_metric.scores[best_place])
            gain = best - first if metric.higher_is_better else first - best
            size = len(of_metric.scores)
            rows.append((metric.key, scored.nbest.segment, size, first, best, gain, best_place + 1))
    return NbestSummary(oracles.frame(), oracles.depths(), pd.DataFrame(rows, columns=list(LISTS)))


def depths_up_to(longest: int) -> tuple[int, ...]:
    """Return 1, 2, 3, 5, 7, 10, 20, 30, 50, … and the length of the longest list."""
    depths = []
    power = 1
    while power < longest:
        depths += [step * power for step in (1, 2, 3, 5, 7) if step * power < longest]
        power *= 10
    return (*depths, longest)


def _deepened(statistics: StatArray, depth: int) -> StatArray:
    """Repeat the last row down to a depth."""
    return np.pad(statistics, ((0, depth - len(statistics)), (0, 0)), mode="edge")
