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
CONSISTENT_SHARE = 0.9  # of run pairs; from there on, a difference is consistent
SEGMENTS_A_CHUNK = 256


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
        baseline_run = run_index(scored, pair.baseline, pair.baseline_run)
        baseline = scored.scorer.segment_score(scored.statistics[pair.baseline][baseline_run])
        system_run = run_index(scored, pair.system, pair.system_run)
        system = scored.scorer.segment_score(scored.statistics[pair.system][system_run])
        difference = system - baseline
        sign = 1.0 if scored.metric.higher_is_better else -1.0
        columns = {
            "test_set": scored.test_set.name,
            "metric": scored.metric.key,
            "segment": np.arange(len(baseline)),
            "baseline_score": baseline,
            "system_score": system,
            "difference": difference,
            "improvement": sign * difference,
        }
        frames.append(pd.DataFrame(columns, columns=list(DIFFERENCES)))
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
    by_metric = differences[differences["metric"] == metric]
    order = np.argsort(-by_metric[by].to_numpy(), kind="stable")
    segments = by_metric["segment"].to_numpy()[order]
    rank_of_segment = pd.Series(np.arange(len(segments)), index=segments)

    # Within a segment, the metric of the ranking comes first, then the others in their order
    metrics.remove(metric)
    place_of_metric = {key: place for place, key in enumerate([metric, *metrics])}
    ranked = differences.assign(
        rank=differences["segment"].map(rank_of_segment), _place=differences["metric"].map(place_of_metric)
    )
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
    # Scores that are better if larger, shape ``(runs, segments)``
    sign = 1.0 if scored.metric.higher_is_better else -1.0
    baseline_scores = sign * scored.scorer.segment_score(scored.statistics[baseline])
    system_scores = sign * scored.scorer.segment_score(scored.statistics[system])

    # Pairs of runs, shape ``(segments,)``; a comparison with NaN is False
    better = np.sum([(system_scores > run).sum(axis=0) for run in baseline_scores], axis=0)
    worse = np.sum([(system_scores < run).sum(axis=0) for run in baseline_scores], axis=0)
    pairs = _n_runs(baseline_scores) * _n_runs(system_scores)
    needed = np.maximum(CONSISTENT_SHARE * pairs, 1)
    columns = {
        "segment": np.arange(baseline_scores.shape[1]),
        "mean_improvement": _mean(system_scores) - _mean(baseline_scores),
        "run_sd": np.sqrt(_variance(baseline_scores) + _variance(system_scores)),
        "better": better,
        "worse": worse,
        "pairs": pairs,
        "kind": np.select([better >= needed, worse >= needed], ["better", "worse"], "mixed"),
    }
    return pd.DataFrame(columns)


def _n_runs(scores: FloatArray) -> npt.NDArray[np.int64]:
    """Count the runs with a score, from ``(runs, segments)`` to ``(segments,)``."""
    return np.asarray((~np.isnan(scores)).sum(axis=0))


def _mean(scores: FloatArray) -> FloatArray:
    """Average the runs with a score, from ``(runs, segments)`` to ``(segments,)``; NaN without any."""
    return _ratio(np.nansum(scores, axis=0), _n_runs(scores))


def _variance(scores: FloatArray) -> FloatArray:
    """Return the variance over the runs with a score, from ``(runs, segments)`` to ``(segments,)``; NaN for one run."""
    squares = np.nansum((scores - _mean(scores)) ** 2, axis=0)
    return _ratio(squares, _n_runs(scores) - 1)


def _ratio(total: FloatArray, count: npt.NDArray[np.int64]) -> FloatArray:
    """Return totals divided by counts; NaN where the count is not positive."""
    return np.asarray(np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0))


def outputs_frame(test_set: TestSet, scored: Sequence[Scored], segment: int, systems: Sequence[str]) -> pd.DataFrame:
    """Return the distinct outputs of some systems for a segment, the most frequent first.

    Columns ``system``, ``text``, ``count`` (runs with that output), ``runs`` (their keys) and the mean score by each
    metric: imported scores may differ between equal outputs. Without texts, each run has its own row, with its key as
    the text.
    """
    rows = []
    for system in systems:
        runs_with: dict[str, list[str]] = {}
        for run in test_set.runs_of(system):
            text = run.hypotheses[segment] if test_set.has_texts else run.key
            runs_with.setdefault(text, []).append(run.key)
        for text, keys in sorted(runs_with.items(), key=lambda item: -len(item[1])):
            scores = [_score(by_metric, system, keys, segment) for by_metric in scored]
            rows.append((system, text, len(keys), tuple(keys), *scores))
    names = [column(by_metric.metric.key, "score") for by_metric in scored]
    return pd.DataFrame(rows, columns=["system", "text", "count", "runs", *names])


def median_outputs(scored_metrics: Sequence[Scored], segment: int) -> pd.DataFrame:
    """Return the output of every system's median run for a segment, the best by the first metric first.

    Median runs are those by the first metric; systems without its scores are skipped. Columns ``system``, ``run``,
    ``text`` and the score by each metric.
    """
    first = scored_metrics[0]
    rows = []
    for system in first.statistics:
        run = median_key(first, system)
        text = run_texts(first, system, run)[segment]
        scores = [_score(scored, system, [run], segment) for scored in scored_metrics]
        rows.append((system, run, text, *scores))
    names = [column(scored.metric.key, "score") for scored in scored_metrics]
    frame = pd.DataFrame(rows, columns=["system", "run", "text", *names])
    return frame.sort_values(names[0], ascending=not first.metric.higher_is_better, kind="stable", ignore_index=True)


def _score(scored: Scored, system: str, runs: Sequence[str], segment: int) -> float:
    """Return the mean score of some runs, among those with a score."""
    places = [place for place, key in enumerate(scored.run_keys(system)) if key in runs]
    if not places:
        return float("nan")
    scores = scored.scorer.segment_score(scored.statistics[system][places, segment])
    return float(_mean(scores[:, np.newaxis])[0])


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

    def aligned(start: int) -> tuple[Alignment, ...]:
        chunk = hypotheses[start : start + SEGMENTS_A_CHUNK]
        return scorer.alignments(range(start, start + len(chunk)), chunk)

    total = LeftOver(Counter(), Counter())
    starts = range(0, len(hypotheses), SEGMENTS_A_CHUNK)
    for start, alignments in zip(starts, work.engine.map(aligned, starts), strict=True):
        for alignment in alignments:
            total.hypothesis.update(alignment.unmatched_hypothesis)
            total.reference.update(alignment.unmatched_reference)
        work.report(Progress(f"Aligning the words of {name}", start, len(hypotheses)))
    return total


def of_medians(scored: Sequence[Scored], evaluation: Evaluation, work: Work) -> list[LeftOver]:
    """Count the unmatched words of each system's median run, by every metric that aligns words."""
    median_run_of = {(row.test_set, row.metric, row.system): row.median_run for row in evaluation.summaries}
    totals = []
    for by_metric in scored:
        if not isinstance(by_metric.scorer, Aligns):
            continue
        total_of: dict[tuple[str, ...], LeftOver] = {}  # by texts, since runs may be copies
        for system in by_metric.statistics:
            run = median_run_of[by_metric.test_set.name, by_metric.metric.key, system]
            texts = run_texts(by_metric, system, run)
            if texts not in total_of:
                total_of[texts] = left_over(by_metric.scorer, texts, system, work)
            totals.append(total_of[texts])
    return totals
