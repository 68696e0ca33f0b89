"""Summarise each system: run scores and their standard deviations, sampling luck, coverage, and marked errors.

Errors are those that metrics mark in outputs: their positions, and their number per system.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from math import isnan, nan

import numpy as np
import pandas as pd

from mteval.analysis.scoring import (
    Progress,
    Scored,
    Work,
    frame_of,
    is_accuracy,
    n_documents,
    on_replicates,
    summed,
    unit_sizes,
    units_of,
)
from mteval.analysis.two_answers import questions
from mteval.base.arrays import FloatArray, IntArray, StatArray
from mteval.metrics.base import HasCorpusParts, MarksErrors
from mteval.metrics.imported import Imported
from mteval.stats.base import Score
from mteval.stats.interval import accuracy_interval, mean_over_units, ratio_intervals
from mteval.stats.resampling.bootstrap import s_sel
from mteval.stats.runs import summarize_runs
from mteval.stats.sampling_luck import sampling_luck
from mteval.values.given import GivenMetric, GivenScores, missing_as_none
from mteval.values.judgements import SEVERITIES, Spans, within
from mteval.values.model import Run
from mteval.values.settings import Settings
from mteval.values.verdict import Coverage

ANY = "any"  # all severities
MARKED = (
    "test_set",
    "metric",
    "system",
    "run",
    "segment",
    "start",
    "end",
    "severity",
    "category",
    "confidence",
    "text",
)


@dataclass(frozen=True)
class RunScore:
    """The corpus score of a run, in points."""

    test_set: str
    system: str
    run: str
    metric: str
    score: float


@dataclass(frozen=True)
class OfSystem:
    """The first columns of a row about a system and a metric."""

    test_set: str
    system: str
    metric: str


@dataclass(frozen=True)
class Summary(OfSystem):
    """Summary of the run scores of one system by one metric on one test set, in points.

    Parameters
    ----------
    s_sel
        Standard deviation due to the choice of the tests' units (MultEval's convention: segments), averaged over runs;
        NaN for a single unit.
    s_opt
        Standard deviation over runs (s_dev on a tuning set, s_opt elsewhere); NaN for a single run.
    median_run
        Key of the median run.
    """

    n_runs: int
    mean: float
    s_sel: float
    s_opt: float
    minimum: float
    maximum: float
    median_run: str


@dataclass(frozen=True)
class Resampled(OfSystem):
    """Mean over runs of the mean replicate score, and the lowest and highest replicate of any run, as in MultEval."""

    mean: float
    minimum: float
    maximum: float


@dataclass(frozen=True)
class MeanInterval(OfSystem):
    """Mean run score of one system, with its interval over units of the test set, the runs taken as given.

    The interval is NaN where nothing varies or one unit has most of the test set.
    """

    unit: str
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class ScorePart:
    """A component of a run's corpus score: BLEU's precisions, brevity penalty and lengths, else those of segments."""

    test_set: str
    system: str
    run: str
    metric: str
    part: str
    value: float


def mean_intervals(scored_metrics: Iterable[Scored], settings: Settings) -> Iterator[MeanInterval]:
    """Yield the interval of each system's mean score."""
    for scored in scored_metrics:
        unit = questions(scored, settings)[1].unit
        for system in scored.statistics:
            present = scored.present(system)
            if not present.any():
                continue
            statistics = units_of(scored, system, unit, present)
            sizes = unit_sizes(scored, unit, present)
            mean = mean_over_units(statistics, scored.scorer.score, settings.confidence, sizes)
            low = mean.low
            high = mean.high
            if not isnan(mean.standard_error) and is_accuracy(scored, system, present):
                n_units = statistics.shape[1]
                low, high = accuracy_interval(mean.statistic, mean.standard_error, n_units, settings.confidence)
            yield MeanInterval(
                test_set=scored.test_set.name,
                system=system,
                metric=scored.metric.key,
                unit=unit,
                mean=mean.statistic,
                low=low,
                high=high,
            )


def score_parts(scored_metrics: Iterable[Scored]) -> Iterator[ScorePart]:
    """Yield the components of each run's corpus score."""
    for scored in scored_metrics:
        scorer = scored.scorer
        for system in scored.statistics:
            sums = scored.statistics_on(system, scored.present(system)).sum(axis=1)
            parts: Mapping[str, FloatArray] = {}  # of each part its value in each run
            if isinstance(scorer, HasCorpusParts):
                parts = scorer.corpus_parts(sums)
            elif scored.metric.submetric_names:
                parts = dict(zip(scored.metric.submetric_names, scorer.submetrics(sums).T, strict=True))
            for index, run in enumerate(scored.run_keys(system)):
                for part, values in parts.items():
                    yield ScorePart(
                        test_set=scored.test_set.name,
                        system=system,
                        run=run,
                        metric=scored.metric.key,
                        part=part,
                        value=float(values[index]),
                    )


def run_scores(scored_metrics: Iterable[Scored]) -> tuple[RunScore, ...]:
    """Return one row per test set, metric, system and run."""
    rows = []
    for scored in scored_metrics:
        for system, scores in scored.run_scores.items():
            for run, score in zip(scored.run_keys(system), scores, strict=True):
                rows.append(RunScore(scored.test_set.name, system, run, scored.metric.key, float(score)))
    return tuple(rows)


def scores_frame(scored_metrics: Iterable[Scored]) -> pd.DataFrame:
    """Return the run scores as a frame, with the columns of ``RunScore``."""
    return frame_of(run_scores(scored_metrics), RunScore)


def summaries(
    scored_metrics: Sequence[Scored], settings: Settings, work: Work
) -> tuple[tuple[Summary, ...], tuple[Resampled, ...]]:
    """Return the summary of each system, and the extremes over its bootstrap replicates."""
    rows = []
    extremes = []
    for index, scored in enumerate(scored_metrics):
        task = f"Bootstrapping {scored.metric.name} on {scored.test_set.name}"
        work.report(Progress(task, index, len(scored_metrics)))
        unit = "segment"  # MultEval's numbers are over segments
        if settings.convention != "multeval":
            unit = questions(scored, settings)[1].unit
        units_of_system = {}
        for system in scored.statistics:
            units_of_system[system] = units_of(scored, system, unit, scored.present(system))
        for system, replicates in _replicated(units_of_system, scored.scorer.score, settings, work):
            runs = summarize_runs(scored.run_scores[system])
            spread = nan
            if units_of_system[system].shape[1] > 1:  # one unit cannot be drawn otherwise
                spread = s_sel(replicates)
            row = Summary(
                test_set=scored.test_set.name,
                system=system,
                metric=scored.metric.key,
                n_runs=runs.n_runs,
                mean=runs.mean,
                s_sel=spread,
                s_opt=runs.s_opt,
                minimum=runs.minimum,
                maximum=runs.maximum,
                median_run=scored.run_keys(system)[runs.median_run],
            )
            resampled = Resampled(
                test_set=scored.test_set.name,
                system=system,
                metric=scored.metric.key,
                mean=float(replicates.mean()),
                minimum=float(replicates.min()),
                maximum=float(replicates.max()),
            )
            rows.append(row)
            extremes.append(resampled)
    return tuple(rows), tuple(extremes)


def _replicated(
    units: Mapping[str, StatArray], score: Score, settings: Settings, work: Work
) -> Iterator[tuple[str, FloatArray]]:
    """Yield each system's scores on replicates, which systems with equally many units share."""
    for _, group in groupby(units, key=lambda system: units[system].shape[1]):
        systems = list(group)
        of_systems = [units[system] for system in systems]
        replicates = on_replicates(of_systems, score, settings, work)
        yield from zip(systems, _split_like(replicates, of_systems), strict=True)


def _split_like(rows: FloatArray, parts: Sequence[StatArray]) -> list[FloatArray]:
    """Split rows of concatenated parts into those of each part."""
    ends = np.cumsum([len(part) for part in parts])
    return np.split(rows, ends[:-1])


@dataclass(frozen=True)
class SampledRow:
    """Summary of the samples of a system's runs by one metric on one test set, in points.

    Parameters
    ----------
    n_runs, n_samples
        Trained models, and samples of all of them together.
    fewest, most
        Samples per run.
    mean, best, worst
        Over the samples of a run, averaged over runs. Each has an interval over the test set, these samples taken as
        given.
    s_sample
        Standard deviation of one sample's score within its run, with ``df`` degrees of freedom: sampling luck.
    s_training
        Standard deviation over runs beyond sampling luck, with its interval; NaN for one trained model.
    """

    test_set: str
    metric: str
    system: str
    n_runs: int
    n_samples: int
    fewest: int
    most: int
    mean: float
    mean_low: float
    mean_high: float
    best: float
    best_low: float
    best_high: float
    worst: float
    worst_low: float
    worst_high: float
    s_sample: float
    df: int
    s_training: float
    s_training_low: float
    s_training_high: float


def sampled_rows(scored_metrics: Sequence[Scored], settings: Settings, work: Work) -> Iterator[SampledRow]:
    """Yield one row per test set, metric and system with several samples per run."""
    for scored in scored_metrics:
        unit = questions(scored, settings)[1].unit
        score = scored.scorer.score
        every_segment = np.ones(scored.test_set.n_segments, dtype=bool)
        for system, samples_of_runs in scored.samples.items():
            # Of each run, shape ``(samples, units, d)``
            statistics = [summed(scored.test_set, samples, unit, every_segment) for samples in samples_of_runs]
            scores = [score(samples.sum(axis=1).astype(np.float64)) for samples in statistics]
            replicates = on_replicates([np.concatenate(statistics)], score, settings, work)
            luck = sampling_luck(
                scores,
                _split_like(replicates, statistics),
                settings.confidence,
                scored.metric.higher_is_better,
            )
            yield SampledRow(
                test_set=scored.test_set.name,
                metric=scored.metric.key,
                system=system,
                n_runs=len(luck.n_samples),
                n_samples=sum(luck.n_samples),
                fewest=min(luck.n_samples),
                most=max(luck.n_samples),
                mean=luck.mean.value,
                mean_low=luck.mean.low,
                mean_high=luck.mean.high,
                best=luck.best.value,
                best_low=luck.best.low,
                best_high=luck.best.high,
                worst=luck.worst.value,
                worst_low=luck.worst.low,
                worst_high=luck.worst.high,
                s_sample=luck.s_sample,
                df=luck.df,
                s_training=luck.s_training.value,
                s_training_low=luck.s_training.low,
                s_training_high=luck.s_training.high,
            )


def coverages(scored_metrics: Iterable[Scored]) -> Iterator[Coverage]:
    """Yield the coverage of each test set, metric and system with scores."""
    for scored in scored_metrics:
        test_set = scored.test_set
        metric = scored.metric
        for system, statistics in scored.statistics.items():
            present = scored.present(system)
            n_given = 0
            n_judgements = 0
            if isinstance(metric, Imported):
                n_given = int(np.count_nonzero(~np.isnan(statistics[..., 0])))
                for scores in metric.given.scores:
                    if scores.test_set == test_set.name and scores.system == system:
                        n_judgements += sum(scores.judgements or ())
            yield Coverage(
                test_set=test_set.name,
                metric=metric.key,
                system=system,
                n_segments=int(np.count_nonzero(present)),
                of_segments=test_set.n_segments,
                n_documents=n_documents(test_set, present),
                of_documents=n_documents(test_set, np.ones_like(present)),
                n_given=n_given,
                n_judgements=n_judgements,
            )


@dataclass(frozen=True)
class ErrorRow:
    """The number of errors of one severity that a metric marks in the outputs of one system on one test set.

    Parameters
    ----------
    severity
        ``any`` counts all.
    runs, segments
        Counted runs (those with spans) and segments (those with spans in all runs of all systems).
    errors
        Errors in all runs together.
    per_segment
        Errors per output, averaged over runs and segments.
    low, high
        Interval of ``per_segment`` over units, these runs taken as given. NaN for one unit.
    units, unit
        Number of units and their kind, ``segment`` or ``document``.
    """

    test_set: str
    metric: str
    system: str
    severity: str
    runs: int
    segments: int
    errors: int
    per_segment: float
    low: float
    high: float
    units: int
    unit: str


def marks_errors(scored: Scored) -> bool:
    """Return whether the metric has marked errors in any output."""
    scorer = scored.scorer
    if not isinstance(scorer, MarksErrors):
        return False
    return any(scorer.error_spans(run) is not None for run in scored.test_set.runs)


def spans_of(scored: Scored, run: Run) -> tuple[Spans | None, ...]:
    """Return the errors that a metric marks in a run's outputs, one tuple per segment; None if unknown.

    Spans lie within the output, and start and end at a non-space character. Annotators may start from them.
    """
    spans_of_run = None
    if isinstance(scored.scorer, MarksErrors):
        spans_of_run = scored.scorer.error_spans(run)
    if not spans_of_run:
        return (None,) * len(run.hypotheses)
    trimmed = []
    for spans, text in zip(spans_of_run, run.hypotheses, strict=True):
        if spans is not None:
            spans = within(spans, text)
        trimmed.append(spans)
    return tuple(trimmed)


def segment_scores(scored: Sequence[Scored]) -> GivenMetric:
    """Return the segment scores and marked errors of one metric as scores that another program could have made.

    Parameters
    ----------
    scored
        The metric on each test set.

    Returns
    -------
    Scores of every run, None for segments without one. Their mean is the corpus score of the run only if the metric is
    a mean of segments.
    """
    metric = scored[0].metric
    of_runs: list[GivenScores] = []
    for on_test_set in scored:
        has_marks = marks_errors(on_test_set)
        for system, statistics in on_test_set.statistics.items():
            scores = on_test_set.scorer.segment_score(statistics)  # (runs, segments)
            for run, scores_of_run in zip(on_test_set.test_set.runs_of(system), scores.tolist(), strict=True):
                spans = None
                if has_marks:
                    spans = spans_of(on_test_set, run)
                values = missing_as_none(scores_of_run)
                of_runs.append(GivenScores(on_test_set.test_set.name, system, run.key, values, spans=spans))
    return GivenMetric(metric.key, metric.name, tuple(of_runs), metric.higher_is_better)


def severities(spans: Sequence[Spans | None]) -> tuple[str, ...]:
    """Return the severities that occur, the standard ones first, by weight."""
    occurring = set[str]()
    for spans_of_segment in spans:
        if spans_of_segment is not None:
            occurring.update(span.severity for span in spans_of_segment)
    standard = [severity for severity in SEVERITIES if severity in occurring]
    return (*standard, *sorted(occurring - set(SEVERITIES)))


def marked_frame(scored: Scored) -> pd.DataFrame:
    """Return all errors in all outputs, one row each, with the columns ``MARKED``.

    Segments count from 1. ``text`` is the marked text; the other columns are as in ``ErrorSpan``.
    """
    rows = []
    for run in scored.test_set.runs:
        spans_and_texts = zip(spans_of(scored, run), run.hypotheses, strict=True)
        for number, (spans, text) in enumerate(spans_and_texts, start=1):
            for span in spans or ():
                row = (
                    scored.test_set.name,
                    scored.metric.key,
                    run.system,
                    run.key,
                    number,
                    span.start,
                    span.end,
                    span.severity,
                    span.category,
                    span.confidence,
                    text[span.start : span.end],
                )
                rows.append(row)
    return pd.DataFrame(rows, columns=list(MARKED))


def error_rows(scored: Scored, settings: Settings) -> Iterator[ErrorRow]:
    """Yield the number of errors per system and severity, all severities together first.

    Yields nothing if no errors are marked.
    """
    if not marks_errors(scored):
        return
    test_set = scored.test_set
    runs_of_system: dict[str, list[tuple[Spans | None, ...]]] = {}  # the spans of each run that has any
    for system in test_set.systems:
        runs_of_system[system.key] = []
        for run in test_set.runs_of(system.key):
            spans = spans_of(scored, run)
            if any(spans_of_segment is not None for spans_of_segment in spans):
                runs_of_system[system.key].append(spans)

    every_run = list(chain.from_iterable(runs_of_system.values()))
    present = np.array([None not in of_segment for of_segment in zip(*every_run, strict=True)])
    kinds = (ANY, *severities(list(chain.from_iterable(every_run))))
    unit = questions(scored, settings)[1].unit
    if not present.any():
        return
    for system_key, runs in runs_of_system.items():
        if not runs:
            continue
        # Shape ``(runs, segments, kinds + 1)``, then summed over runs, ``(units, kinds + 1)``
        counts = np.stack([_counts(spans, kinds) for spans in runs])[:, present]
        by_unit = summed(test_set, counts, unit, present).sum(axis=0)
        n_runs, n_segments, _ = counts.shape
        *n_errors_of_kinds, n_outputs = by_unit.sum(axis=0).tolist()
        # Of each kind, its errors and the outputs, shape ``(kinds, units, 2)``
        of_kinds = np.stack([by_unit[:, [kind, -1]] for kind in range(len(kinds))])
        intervals = ratio_intervals(of_kinds, settings.confidence, per=1.0)
        for kind, n_errors, (low, high) in zip(kinds, n_errors_of_kinds, intervals, strict=True):
            yield ErrorRow(
                test_set=test_set.name,
                metric=scored.metric.key,
                system=system_key,
                severity=kind,
                runs=n_runs,
                segments=n_segments,
                errors=n_errors,
                per_segment=n_errors / n_outputs,
                low=low,
                high=high,
                units=len(by_unit),
                unit=unit,
            )


def _counts(spans: Sequence[Spans | None], kinds: Sequence[str]) -> IntArray:
    """Return the errors of each kind per output, and a final column of ones; shape ``(segments, kinds + 1)``."""
    counts = np.zeros((len(spans), len(kinds) + 1), dtype=np.int64)
    counts[:, -1] = 1
    for segment, spans_of_segment in enumerate(spans):
        for span in spans_of_segment or ():
            for index, kind in enumerate(kinds):
                if kind in (ANY, span.severity):
                    counts[segment, index] += 1
    return counts
