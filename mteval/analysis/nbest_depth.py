"""How far the decoder's choice is from the best of its list, where that stands, and what longer lists would give."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mteval.analysis.nbest import ListScorers, OracleScores, ScoredList, score_lists
from mteval.analysis.rows import frame_of
from mteval.analysis.work import Work
from mteval.metrics.base import IntArray, StatArray
from mteval.readers.formats.nbest import NbestList


@dataclass(frozen=True)
class ListRow:
    """One metric's view of the list of one segment.

    Parameters
    ----------
    first, oracle
        Sentence scores of the decoder's choice and of the best hypothesis.
    gain
        How much better the best is; never negative.
    place
        Of the best in the decoder's list, 1 for the first.
    """

    metric: str
    segment: int
    size: int
    first: float
    oracle: float
    gain: float
    place: int


@dataclass(frozen=True)
class DepthRow:
    """Corpus score of the best among the first ``depth`` hypotheses of each list."""

    metric: str
    depth: int
    score: float


@dataclass(frozen=True)
class NbestSummary:
    """What a page shows of an n-best file.

    Parameters
    ----------
    oracles
        Columns of ``analysis.nbest.OracleRow``: corpus scores of the first, best and worst hypotheses.
    depths
        Columns of ``DepthRow``: corpus score of the best of the first ``depth`` hypotheses of each list.
    lists
        One row a metric and segment, with the columns of ``ListRow``.
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
    oracles, depths, rows = OracleScores(scorers), _DepthScores(scorers), list[ListRow]()
    for scored in score_lists(lists, scorers, n_segments, work):
        oracles.add(scored)
        depths.add(scored)
        rows += _rows(scored, scorers)
    return NbestSummary(oracles.frame(), depths.frame(), frame_of(rows, ListRow))


def _rows(scored: ScoredList, scorers: ListScorers) -> Iterator[ListRow]:
    for metric in scorers.metrics:
        scores = scored.metrics[metric.key]
        place = scores.chosen("oracle")
        first, best = float(scores.scores[0]), float(scores.scores[place])
        gain = best - first if metric.higher_is_better else first - best
        yield ListRow(metric.key, scored.nbest.segment, len(scores.scores), first, best, gain, place + 1)


def depths_up_to(longest: int) -> tuple[int, ...]:
    """1, 2, 3, 5, 7, 10, 20, 30, 50, … and the longest list itself."""
    steps = [step * 10**power for power in range(len(str(longest)) + 1) for step in (1, 2, 3, 5, 7)]
    return (*(step for step in steps if step < longest), longest)


class _DepthScores:
    """Sums of statistics at each depth, shape ``(depths, d)``; at what is deeper than a list its best counts."""

    def __init__(self, scorers: ListScorers) -> None:
        self._scorers = scorers
        self._sums: dict[str, StatArray] = {}

    def add(self, scored: ScoredList) -> None:
        """Take one more segment. A list longer than all before it adds depths, at which those are whole."""
        for key, scores in scored.metrics.items():
            statistics = scores.statistics[_best_so_far(scores.ranks)]
            sums = self._sums.get(key, np.zeros_like(statistics))
            depth = max(len(sums), len(statistics))
            self._sums[key] = _deepened(sums, depth) + _deepened(statistics, depth)

    def frame(self) -> pd.DataFrame:
        """One row a metric and depth."""
        rows = [
            DepthRow(metric.key, depth, float(scorer.score(self._sums[metric.key][depth - 1])))
            for metric, scorer in zip(self._scorers.metrics, self._scorers.scorers, strict=True)
            for depth in depths_up_to(len(self._sums[metric.key]))
        ]
        return frame_of(rows, DepthRow)


def _deepened(statistics: StatArray, depth: int) -> StatArray:
    """The last row repeated down to a depth."""
    return np.pad(statistics, ((0, depth - len(statistics)), (0, 0)), mode="edge")


def _best_so_far(ranks: IntArray) -> IntArray:
    """For each depth the place of the hypothesis with the best rank down to it; shape as the ranks."""
    order: IntArray = np.argsort(ranks)
    return order[np.minimum.accumulate(ranks)]
