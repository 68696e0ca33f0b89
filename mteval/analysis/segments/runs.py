"""Compare runs segment by segment: what changed between two, what other runs show, and words without a partner."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from mteval.analysis.evaluation import Evaluation
from mteval.analysis.scoring import Progress, Scored, Work
from mteval.analysis.segments.table import column, run_index
from mteval.base.arrays import FloatArray
from mteval.base.errors import DataError
from mteval.metrics.explanation import Alignment, Aligns
from mteval.stats.runs import median_run
from mteval.values.model import TestSet

DIFFERENCES = ("test_set", "metric", "segment", "baseline_score", "system_score", "difference", "improvement")


@dataclass(frozen=True)
class RunPair:
    """The runs of the baseline and the system whose segments are compared."""

    baseline: str
    baseline_run: str
    system: str
    system_run: str

    def is_on(self, test_set: TestSet) -> bool:
        """Return whether a test set has both runs."""
        keys = {(run.system, run.key) for run in test_set.runs}
        return {(self.baseline, self.baseline_run), (self.system, self.system_run)} <= keys


def median_pair(scored: Scored, baseline: str, system: str) -> RunPair:
    """Return the median runs of both systems by this metric; the upper one for an even number.

    Runs are compared on the segments that all runs of their system have.
    """
    return RunPair(baseline, median_key(scored, baseline), system, median_key(scored, system))


def segment_differences(scored_metrics: Sequence[Scored], pair: RunPair) -> pd.DataFrame:
    """Return the segment differences by every metric, one row per metric and segment in corpus order.

    Columns ``DIFFERENCES``. ``difference`` is system minus baseline; ``improvement`` is positive if the system is
    better. NaN if a score is undefined.

    Raises
    ------
    DataError
        If a system has no such run on a test set.
    """
    frames = []
    for scored in scored_metrics:
        runs = ((pair.baseline, pair.baseline_run), (pair.system, pair.system_run))
        rows = (scored.statistics[system][run_index(scored, system, run)] for system, run in runs)
        baseline, system = map(scored.scorer.segment_score, rows)
        sign = 1.0 if scored.metric.higher_is_better else -1.0
        values = baseline, system, system - baseline, sign * (system - baseline)
        about = (scored.test_set.name, scored.metric.key, np.arange(len(baseline)))
        frames.append(pd.DataFrame(dict(zip(DIFFERENCES, (*about, *values), strict=True))))
    return pd.concat(frames, ignore_index=True)


def rank_table(differences: pd.DataFrame, metric: str, by: str = "improvement") -> pd.DataFrame:
    """Order the rows of ``segment_differences`` by one metric, with a ``rank``.

    The largest value of ``by``, ``improvement`` or ``difference``, comes first with rank 0. Ties stay in corpus order;
    undefined values come last. Rows of one segment stay together, that of ``metric`` first.

    Raises
    ------
    DataError
        If there are no differences by that metric.
    """
    metrics = list(dict.fromkeys(differences["metric"]))
    if metric not in metrics:
        raise DataError(f"No segment scores by '{metric}'. Metrics found: {', '.join(metrics)}.")
    chosen = differences[differences["metric"] == metric]
    order = chosen["segment"].to_numpy()[np.argsort(-chosen[by].to_numpy(), kind="stable")]
    rank = pd.Series(np.arange(len(order)), index=order)
    place = {key: position for position, key in enumerate([metric, *(key for key in metrics if key != metric)])}
    ranked = differences.assign(rank=differences["segment"].map(rank), _place=differences["metric"].map(place))
    return ranked.sort_values(["rank", "_place"], ignore_index=True).drop(columns="_place")


def run_texts(scored: Scored, system: str, run: str) -> tuple[str, ...]:
    """Return the hypotheses of a run.

    Raises
    ------
    DataError
        If the system has no such run on the test set.
    """
    return scored.test_set.runs_of(system)[run_index(scored, system, run)].hypotheses


def median_key(scored: Scored, system: str) -> str:
    """Return the key of a system's median run by this metric."""
    return scored.run_keys(system)[median_run(scored.run_scores[system])]


CONSISTENT_SHARE = 0.9  # of run pairs; from there on, a difference is consistent


def consistency_frame(scored: Scored, baseline: str, system: str) -> pd.DataFrame:
    """Compare all pairs of runs of two systems in each segment, one row per segment.

    Returns
    -------
    ``mean_improvement`` is the difference of the means over runs, positive if the system is better. ``run_sd`` is the
    standard deviation of the difference between one run of each, ``sqrt(s_A^2 + s_B^2)`` with ``n - 1``: training luck
    on this one segment. NaN for a single run. Of all ``pairs`` of runs, the system is ``better`` or ``worse`` in so
    many; the others are ties. ``kind`` is ``better`` or ``worse`` if nine of ten pairs agree, otherwise ``mixed``. Runs
    without a score are skipped; without any pair the mean is NaN and the kind ``mixed``.
    """
    sign = 1.0 if scored.metric.higher_is_better else -1.0
    left, right = (sign * scored.scorer.segment_score(scored.statistics[key]) for key in (baseline, system))
    better = np.sum([(right > run).sum(axis=0) for run in left], axis=0)
    worse = np.sum([(right < run).sum(axis=0) for run in left], axis=0)
    pairs = _n_runs(left) * _n_runs(right)
    variances = [_ratio(np.nansum((one - _mean(one)) ** 2, axis=0), _n_runs(one) - 1) for one in (left, right)]
    needed = np.maximum(CONSISTENT_SHARE * pairs, 1)
    columns = {
        "segment": np.arange(left.shape[1]), "mean_improvement": _mean(right) - _mean(left),
        "run_sd": np.sqrt(variances[0] + variances[1]), "better": better, "worse": worse, "pairs": pairs,
        "kind": np.select([better >= needed, worse >= needed], ["better", "worse"], "mixed"),
    }  # fmt: skip
    return pd.DataFrame(columns)


def _n_runs(scores: FloatArray) -> npt.NDArray[np.int64]:
    """Count the runs with a score, from ``(runs, segments)`` to ``(segments,)``."""
    return np.asarray((~np.isnan(scores)).sum(axis=0))


def _mean(scores: FloatArray) -> FloatArray:
    """Average the runs with a score, from ``(runs, segments)`` to ``(segments,)``; NaN without any."""
    return _ratio(np.nansum(scores, axis=0), _n_runs(scores))


def _ratio(total: FloatArray, count: npt.NDArray[np.int64]) -> FloatArray:
    return np.asarray(np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0))


def outputs_frame(test_set: TestSet, scored: Sequence[Scored], segment: int, systems: Sequence[str]) -> pd.DataFrame:
    """Return the distinct outputs of some systems for a segment, the most frequent first.

    Columns ``system``, ``text``, ``count`` (runs with that output), ``runs`` (their keys) and the mean score by each
    metric: imported scores may differ between equal outputs. Without texts, each run has its own row, with its key as
    the text.
    """
    rows, names = [], [column(one.metric.key, "score") for one in scored]
    for system in systems:
        texts: dict[str, list[str]] = {}
        for run in test_set.runs_of(system):
            texts.setdefault(run.hypotheses[segment] if test_set.has_texts else run.key, []).append(run.key)
        for text, keys in sorted(texts.items(), key=lambda item: -len(item[1])):
            rows.append((system, text, len(keys), tuple(keys), *(_score(one, system, keys, segment) for one in scored)))
    return pd.DataFrame(rows, columns=["system", "text", "count", "runs", *names])


def median_outputs(scored_metrics: Sequence[Scored], segment: int) -> pd.DataFrame:
    """Return the output of every system's median run for a segment, the best by the first metric first.

    Median runs are those by the first metric; systems without its scores are skipped. Columns ``system``, ``run``,
    ``text`` and the score by each metric.
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
    """Return the mean score of some runs, among those with a score."""
    if not (places := [place for place, key in enumerate(scored.run_keys(system)) if key in runs]):
        return float("nan")
    return float(_mean(scored.scorer.segment_score(scored.statistics[system][places, segment])[:, None])[0])


SEGMENTS_A_CHUNK = 256


@dataclass(frozen=True)
class LeftOver:
    """How often each word of one run, and of the references aligned with it, has no match."""

    hypothesis: Counter[str]
    reference: Counter[str]


def left_over(scorer: Aligns, hypotheses: Sequence[str], name: str, work: Work) -> LeftOver:
    """Count the unmatched words of one run; ``name`` identifies it in the progress.

    Raises
    ------
    CancelledError
        If the work was cancelled.
    """
    total = LeftOver(Counter(), Counter())
    starts = range(0, len(hypotheses), SEGMENTS_A_CHUNK)

    def aligned(start: int) -> tuple[Alignment, ...]:
        chunk = hypotheses[start : start + SEGMENTS_A_CHUNK]
        return scorer.alignments(range(start, start + len(chunk)), chunk)

    for start, alignments in zip(starts, work.engine.map(aligned, starts), strict=True):
        for one in alignments:
            total.hypothesis.update(one.unmatched_hypothesis)
            total.reference.update(one.unmatched_reference)
        work.report(Progress(f"Aligning the words of {name}", start, len(hypotheses)))
    return total


def of_medians(scored: Sequence[Scored], evaluation: Evaluation, work: Work) -> list[LeftOver]:
    """Count the unmatched words of each system's median run, by every metric that aligns words."""
    medians = {(row.test_set, row.metric, row.system): row.median_run for row in evaluation.summaries}
    found = []
    for one in scored:
        if not isinstance(one.scorer, Aligns):
            continue
        known: dict[tuple[str, ...], LeftOver] = {}  # runs may be copies
        for system in one.statistics:
            texts = run_texts(one, system, medians[one.test_set.name, one.metric.key, system])
            if texts not in known:
                known[texts] = left_over(one.scorer, texts, system, work)
            found.append(known[texts])
    return found
