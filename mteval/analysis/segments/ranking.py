"""Segment by segment: what changed between one run of the baseline and one of a system, most improved first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import pandas as pd

from mteval.errors import DataError
from mteval.metrics.base import FloatArray, Metric, Scorer, StatArray
from mteval.model import TestSet
from mteval.stats.runs import median_run

SEGMENTS = ("test_set", "metric", "segment", "system", "run", "score")
DIFFERENCES = (
    "test_set", "metric", "segment", "baseline_score", "system_score", "difference", "improvement",
)  # fmt: skip


class ScoredMetric(Protocol):
    """One metric's statistics on one test set, for each system of shape ``(runs, segments, d)``, and its run scores."""

    @property
    def test_set(self) -> TestSet: ...
    @property
    def metric(self) -> Metric: ...
    @property
    def scorer(self) -> Scorer: ...
    @property
    def statistics(self) -> Mapping[str, StatArray]: ...
    @property
    def run_scores(self) -> Mapping[str, FloatArray]: ...


@dataclass(frozen=True)
class RunPair:
    """The run of the baseline and the run of the system whose segments are compared."""

    baseline: str
    baseline_run: str
    system: str
    system_run: str

    def is_on(self, test_set: TestSet) -> bool:
        """Whether a test set has both runs."""
        keys = {(run.system, run.key) for run in test_set.runs}
        return {(self.baseline, self.baseline_run), (self.system, self.system_run)} <= keys


def median_pair(scored: ScoredMetric, baseline: str, system: str) -> RunPair:
    """The median runs of both by this metric; of an even number the upper of the two in the middle.

    Where scores are missing, runs are compared on the segments that all runs of their system have.
    """
    return RunPair(baseline, median_key(scored, baseline), system, median_key(scored, system))


def segment_scores(scored_metrics: Sequence[ScoredMetric], system: str, run: str) -> pd.DataFrame:
    """Scores of every segment of one run by every metric, in points: a row a metric and segment, columns ``SEGMENTS``.

    Raises
    ------
    DataError
        Where the system has no such run on a test set.
    """
    frames = [
        pd.DataFrame(
            {
                "test_set": scored.test_set.name,
                "metric": scored.metric.key,
                "segment": np.arange(scored.test_set.n_segments),
                "system": system,
                "run": run,
                "score": scored.scorer.segment_score(_statistics(scored, system, run)),
            },
            columns=list(SEGMENTS),
        )
        for scored in scored_metrics
    ]
    return pd.concat(frames, ignore_index=True)


def segment_differences(scored_metrics: Sequence[ScoredMetric], pair: RunPair) -> pd.DataFrame:
    """What changed in every segment by every metric: one row a metric and segment, segments in corpus order.

    Columns ``DIFFERENCES``.
    ``difference`` is the system's score minus the baseline's; ``improvement`` is positive where the system is better.
    A difference from an undefined score is NaN.

    Raises
    ------
    DataError
        Where a system has no such run on a test set.
    """
    frame = segment_scores(scored_metrics, pair.baseline, pair.baseline_run).rename(columns={"score": "baseline_score"})
    frame["system_score"] = segment_scores(scored_metrics, pair.system, pair.system_run)["score"]
    frame["difference"] = frame["system_score"] - frame["baseline_score"]
    signs = {scored.metric.key: 1.0 if scored.metric.higher_is_better else -1.0 for scored in scored_metrics}
    frame["improvement"] = frame["difference"] * frame["metric"].map(signs)
    return frame[list(DIFFERENCES)]


def rank_table(
    differences: pd.DataFrame, metric: str, by: Literal["improvement", "difference"] = "improvement"
) -> pd.DataFrame:
    """The rows of ``segment_differences`` of one test set, ordered by what changed in one metric, with a ``rank``.

    The largest value of ``by`` comes first and has rank 0, ties stay in corpus order, undefined values come last. Rows
    of one segment stand together, that of ``metric`` first, the other metrics in their order.

    Raises
    ------
    DataError
        Where the differences have no such metric.
    """
    metrics = list(dict.fromkeys(differences["metric"]))
    if metric not in metrics:
        raise DataError(f"There are no segment scores by '{metric}'; there are: {', '.join(metrics)}.")
    chosen = differences[differences["metric"] == metric]
    order = chosen["segment"].to_numpy()[np.argsort(-chosen[by].to_numpy(), kind="stable")]
    rank = pd.Series(np.arange(len(order)), index=order)
    place = {key: position for position, key in enumerate([metric, *(key for key in metrics if key != metric)])}
    ranked = differences.assign(rank=differences["segment"].map(rank), _place=differences["metric"].map(place))
    return ranked.sort_values(["rank", "_place"], ignore_index=True).drop(columns="_place")


def run_texts(scored: ScoredMetric, system: str, run: str) -> tuple[str, ...]:
    """The hypotheses of a run.

    Raises
    ------
    DataError
        Where the system has no such run on the test set.
    """
    return scored.test_set.runs_of(system)[_index(scored, system, run)].hypotheses


def median_key(scored: ScoredMetric, system: str) -> str:
    """Key of the median run of a system by this metric."""
    return list(_keys(scored, system))[median_run(scored.run_scores[system])]


def _statistics(scored: ScoredMetric, system: str, run: str) -> StatArray:
    statistics: StatArray = scored.statistics[system][_index(scored, system, run)]
    return statistics


def _index(scored: ScoredMetric, system: str, run: str) -> int:
    keys = list(_keys(scored, system))
    if run not in keys:
        raise DataError(
            f"System '{system}' has no run '{run}' on test set '{scored.test_set.name}';"
            f" it has: {', '.join(keys) or 'none'}."
        )
    return keys.index(run)


def _keys(scored: ScoredMetric, system: str) -> Iterator[str]:
    return (run.key for run in scored.test_set.runs_of(system))
