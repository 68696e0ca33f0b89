"""Summarise each system: run scores and their standard deviations, sampling luck, coverage, and marked errors.

Errors are those that metrics mark in outputs: their positions, and their number per system.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import groupby
from math import isnan, nan

import numpy as np
import pandas as pd

from mteval.analysis.scoring import (
    Progress,
    Scored,
    Work,
    frame_of,
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
from mteval.stats.interval import mean_over_units, ratio_intervals
from mteval.stats.resampling.bootstrap import s_sel, sampling_luck
from mteval.stats.runs import summarize_runs
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.judgements import SEVERITIES, Spans, within
from mteval.values.model import Run
from mteval.values.settings import Settings
from mteval.values.verdict import Coverage


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
    s_run
        Standard deviation over runs (s_dev on a tuning set, s_test elsewhere); NaN for a single run.
    median_run
        Key of the median run.
    """

    n_runs: int
    mean: float
    s_sel: float
    s_run: float
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
            if present.any():
                statistics, sizes = units_of(scored, system, unit, present), unit_sizes(scored, unit, present)
                found = mean_over_units(statistics, scored.scorer.score, settings.confidence, sizes)
                about = scored.test_set.name, system, scored.metric.key, unit
                yield MeanInterval(*about, found.statistic, found.low, found.high)


def score_parts(scored_metrics: Iterable[Scored]) -> Iterator[ScorePart]:
    """Yield the components of each run's corpus score."""
    for scored in scored_metrics:
        scorer, names = scored.scorer, scored.metric.submetric_names
        for system in scored.statistics:
            sums = scored.statistics_on(system, scored.present(system)).sum(axis=1)
            if isinstance(scorer, HasCorpusParts):
                parts = scorer.corpus_parts(sums)
            else:
                parts = dict(zip(names, scorer.submetrics(sums).T if names else (), strict=True))
            for place, run in enumerate(scored.run_keys(system)):
                for part, values in parts.items():
                    about = scored.test_set.name, system, run, scored.metric.key, part
                    yield ScorePart(*about, float(values[place]))


def run_scores(scored_metrics: Iterable[Scored]) -> tuple[RunScore, ...]:
    """Return one row per test set, metric, system and run."""
    return tuple(
        RunScore(scored.test_set.name, system, run, scored.metric.key, float(score))
        for scored in scored_metrics
        for system, scores in scored.run_scores.items()
        for run, score in zip(scored.run_keys(system), scores, strict=True)
    )


def scores_frame(scored_metrics: Iterable[Scored]) -> pd.DataFrame:
    """Return the run scores as a frame, with the columns of ``RunScore``."""
    return frame_of(run_scores(scored_metrics), RunScore)


def summaries(
    scored_metrics: Sequence[Scored], settings: Settings, work: Work
) -> tuple[tuple[Summary, ...], tuple[Resampled, ...]]:
    """Return the summary of each system, and the extremes over its bootstrap replicates."""
    found, resampled = list[Summary](), list[Resampled]()
    for index, scored in enumerate(scored_metrics):
        task = f"Bootstrapping {scored.metric.name} on {scored.test_set.name}"
        work.report(Progress(task, index, len(scored_metrics)))
        # MultEval's numbers are over segments
        unit = "segment" if settings.convention == "multeval" else questions(scored, settings)[1].unit
        units = {system: units_of(scored, system, unit, scored.present(system)) for system in scored.statistics}
        for system, drawn in _replicated(units, scored.scorer.score, settings, work):
            about, runs = (scored.test_set.name, system, scored.metric.key), summarize_runs(scored.run_scores[system])
            median_run = scored.run_keys(system)[runs.median_run]
            spread = s_sel(drawn) if units[system].shape[1] > 1 else nan  # one segment cannot be drawn otherwise
            spreads, ends = (spread, runs.s_run), (runs.minimum, runs.maximum)
            found.append(Summary(*about, runs.n_runs, runs.mean, *spreads, *ends, median_run))
            resampled.append(Resampled(*about, float(drawn.mean()), float(drawn.min()), float(drawn.max())))
    return tuple(found), tuple(resampled)


def _replicated(
    units: Mapping[str, StatArray], score: Score, settings: Settings, work: Work
) -> Iterator[tuple[str, FloatArray]]:
    """Yield each system's scores on replicates, which systems with equally many units share."""
    for _, group in groupby(units, key=lambda system: units[system].shape[1]):
        systems = list(group)
        drawn = on_replicates([units[system] for system in systems], score, settings, work)
        yield from zip(systems, np.split(drawn, np.cumsum([len(units[one]) for one in systems])[:-1]), strict=True)


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
        unit, present = questions(scored, settings)[1].unit, np.ones(scored.test_set.n_segments, dtype=bool)
        score = scored.scorer.score
        for system, runs in scored.samples.items():
            statistics = [summed(scored.test_set, samples, unit, present) for samples in runs]
            drawn = on_replicates([np.concatenate(statistics)], score, settings, work)
            found = sampling_luck(
                [score(samples.sum(axis=1).astype(np.float64)) for samples in statistics],
                np.split(drawn, np.cumsum([len(samples) for samples in statistics])[:-1]),
                settings.confidence,
                scored.metric.higher_is_better,
            )
            counts, about = found.n_samples, (scored.test_set.name, scored.metric.key, system)
            ends = (end for one in (found.mean, found.best, found.worst) for end in astuple(one))
            n_samples = len(counts), sum(counts), min(counts), max(counts)
            row = (*about, *n_samples, *ends, found.s_sample, found.df, *astuple(found.s_training))
            yield SampledRow(*row)


def coverages(scored_metrics: Iterable[Scored]) -> Iterator[Coverage]:
    """Yield the coverage of each test set, metric and system with scores."""
    for scored in scored_metrics:
        test_set, metric = scored.test_set, scored.metric
        for system, statistics in scored.statistics.items():
            present, n_given, n_judgements = scored.present(system), 0, 0
            if isinstance(metric, Imported):
                n_given = int(np.count_nonzero(~np.isnan(statistics[..., 0])))
                own = [one for one in metric.given.scores if (one.test_set, one.system) == (test_set.name, system)]
                n_judgements = sum(sum(one.judgements or ()) for one in own)
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


ANY = "any"  # all severities


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


MARKED = (
    "test_set", "metric", "system", "run", "segment", "start", "end", "severity", "category", "confidence", "text",
)  # fmt: skip


def marks_errors(scored: Scored) -> bool:
    """Return whether the metric has marked errors in any output."""
    scorer = scored.scorer
    return isinstance(scorer, MarksErrors) and any(scorer.error_spans(run) is not None for run in scored.test_set.runs)


def spans_of(scored: Scored, run: Run) -> tuple[Spans | None, ...]:
    """Return the errors that a metric marks in a run's outputs, one tuple per segment; None if unknown.

    Spans lie within the output, and start and end at a non-space character. Annotators may start from them.
    """
    found = scored.scorer.error_spans(run) if isinstance(scored.scorer, MarksErrors) else None
    pairs = zip(found or [None] * len(run.hypotheses), run.hypotheses, strict=True)
    return tuple(None if spans is None else within(spans, text) for spans, text in pairs)


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
            for run, of_run in zip(on_test_set.test_set.runs_of(system), scores.tolist(), strict=True):
                values = tuple(None if isnan(score) else score for score in of_run)
                spans = spans_of(on_test_set, run) if has_marks else None
                of_runs.append(GivenScores(on_test_set.test_set.name, system, run.key, values, spans=spans))
    return GivenMetric(metric.key, metric.name, tuple(of_runs), metric.higher_is_better)


def severities(spans: Sequence[Spans | None]) -> tuple[str, ...]:
    """Return the severities that occur, the standard ones first, by weight."""
    there = {span.severity for one in spans for span in one or ()}
    return (*(name for name in SEVERITIES if name in there), *sorted(there - set(SEVERITIES)))


def marked_frame(scored: Scored) -> pd.DataFrame:
    """Return all errors in all outputs, one row each, with the columns ``MARKED``.

    Segments count from 1. ``text`` is the marked text; the other columns are as in ``ErrorSpan``.
    """
    rows = [
        (
            scored.test_set.name, scored.metric.key, run.system, run.key, number, span.start, span.end, span.severity,
            span.category, span.confidence, text[span.start : span.end],
        )
        for run in scored.test_set.runs
        for number, (spans, text) in enumerate(zip(spans_of(scored, run), run.hypotheses, strict=True), start=1)
        for span in spans or ()
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=list(MARKED))


def error_rows(scored: Scored, settings: Settings) -> Iterator[ErrorRow]:
    """Yield the number of errors per system and severity, all severities together first.

    Yields nothing if no errors are marked.
    """
    if not marks_errors(scored):
        return
    marked = {}
    for system in scored.test_set.systems:  # the spans of each run that has any
        found = [spans_of(scored, run) for run in scored.test_set.runs_of(system.key)]
        marked[system.key] = [spans for spans in found if any(one is not None for one in spans)]
    every = [spans for runs in marked.values() for spans in runs]
    present = np.array([None not in segment for segment in zip(*every, strict=True)])
    kinds = (ANY, *severities([one for spans in every for one in spans]))
    unit = questions(scored, settings)[1].unit
    for key, runs in marked.items():
        if not runs or not present.any():
            continue
        counts = np.stack([_counts(spans, kinds) for spans in runs])[:, present]
        by_unit = summed(scored.test_set, counts, unit, present).sum(axis=0)
        of_kinds = np.stack([by_unit[:, [kind, -1]] for kind in range(len(kinds))])
        intervals = ratio_intervals(of_kinds, settings.confidence, per=1.0)
        (n_runs, n_segments, _), (*totals, n_outputs) = counts.shape, by_unit.sum(axis=0).tolist()
        for kind, errors, (low, high) in zip(kinds, totals, intervals, strict=True):
            yield ErrorRow(
                scored.test_set.name, scored.metric.key, key, kind, n_runs, n_segments, errors, errors / n_outputs,
                low, high, len(by_unit), unit,
            )  # fmt: skip


def _counts(spans: Sequence[Spans | None], kinds: Sequence[str]) -> IntArray:
    """Return the errors of each kind per output, and a final column of ones; shape ``(segments, kinds + 1)``."""
    rows = [[sum(kind in (ANY, span.severity) for span in one or ()) for kind in kinds] + [1] for one in spans]
    return np.array(rows, dtype=np.int64)
