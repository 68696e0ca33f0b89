"""How good is each system, and how unstable: run scores, their spread, and the spread over the test set.

What the numbers of each system by each metric rest on.

Samples of one trained model, as of a decoder at a temperature: sampling luck, and the best and worst of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mteval.analysis.scoring import Scored, n_documents, summed
from mteval.analysis.two_answers import questions
from mteval.analysis.work import Progress, Work, frame_of, on_replicates
from mteval.metrics.imported import Imported
from mteval.stats.resampling.bootstrap import s_sel, sampling_luck
from mteval.stats.runs import summarize_runs
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
class Summary:
    """The run scores of one system by one metric on one test set, in points of the score.

    Parameters
    ----------
    s_sel
        Spread that another choice of sentences would bring, averaged over runs.
    s_run
        Spread that another run brings (s_dev on a tuning set, s_test elsewhere); NaN for a single run.
    median_run
        Key of the run in the middle.
    """

    test_set: str
    system: str
    metric: str
    n_runs: int
    mean: float
    s_sel: float
    s_run: float
    minimum: float
    maximum: float
    median_run: str


@dataclass(frozen=True)
class Resampled:
    """Mean over runs of the mean replicate score, the lowest and highest replicate of any run, as MultEval prints."""

    test_set: str
    system: str
    metric: str
    mean: float
    minimum: float
    maximum: float


def run_scores(scored_metrics: Iterable[Scored]) -> tuple[RunScore, ...]:
    """One a test set, metric, system and run."""
    return tuple(
        RunScore(scored.test_set.name, system, run, scored.metric.key, float(score))
        for scored in scored_metrics
        for system, scores in scored.run_scores.items()
        for run, score in zip(scored.run_keys(system), scores, strict=True)
    )


def scores_frame(scored_metrics: Iterable[Scored]) -> pd.DataFrame:
    """The same as a frame, with the columns of ``RunScore``."""
    return frame_of(run_scores(scored_metrics), RunScore)


def summaries(
    scored_metrics: Sequence[Scored], settings: Settings, work: Work
) -> tuple[tuple[Summary, ...], tuple[Resampled, ...]]:
    """Average, s_sel, s_run, extremes and median run of each system, and the extremes over bootstrap replicates."""
    found, resampled = list[Summary](), list[Resampled]()
    for index, scored in enumerate(scored_metrics):
        task = f"Bootstrap of {scored.metric.name} on {scored.test_set.name}"
        work.report(Progress(task, index, len(scored_metrics)))
        for system in scored.statistics:
            statistics = scored.statistics_on(system, scored.present(system))
            drawn = on_replicates(statistics, scored.scorer.score, settings, work)
            about, runs = (scored.test_set.name, system, scored.metric.key), summarize_runs(scored.run_scores[system])
            median_run = scored.run_keys(system)[runs.median_run]
            spreads, ends = (s_sel(drawn), runs.s_run), (runs.minimum, runs.maximum)
            found.append(Summary(*about, runs.n_runs, runs.mean, *spreads, *ends, median_run))
            resampled.append(Resampled(*about, float(drawn.mean()), float(drawn.min()), float(drawn.max())))
    return tuple(found), tuple(resampled)


@dataclass(frozen=True)
class SampledRow:
    """The samples of a system's runs by one metric on one test set, in points of the score.

    Parameters
    ----------
    n_runs, n_samples
        Trained models, and samples of all of them together.
    fewest, most
        Samples of one run.
    mean, best, worst
        Over the samples of a run, averaged over runs, each with its interval for another choice of the test set, these
        samples taken as given.
    s_sample
        Standard deviation of the score of one sample within its run, from ``df`` degrees of freedom: sampling luck.
    s_training
        Spread of runs beyond what sampling brings to their averages; NaN for one trained model, of which training luck
        cannot be known.
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


def sampled_rows(scored_metrics: Sequence[Scored], settings: Settings, work: Work) -> Iterator[SampledRow]:
    """One a test set, metric and system of whose runs there are several samples."""
    for scored in scored_metrics:
        unit, present = questions(scored, settings)[1].unit, np.ones(scored.test_set.n_segments, dtype=bool)
        score = scored.scorer.score
        for system, runs in scored.samples.items():
            statistics = [summed(scored.test_set, samples, unit, present) for samples in runs]
            drawn = on_replicates(np.concatenate(statistics), score, settings, work)
            found = sampling_luck(
                [score(samples.sum(axis=1).astype(np.float64)) for samples in statistics],
                np.split(drawn, np.cumsum([len(samples) for samples in statistics])[:-1]),
                settings.confidence,
                scored.metric.higher_is_better,
            )
            counts = found.n_samples
            yield SampledRow(
                scored.test_set.name, scored.metric.key, system, len(counts), sum(counts), min(counts), max(counts),
                found.mean.value, found.mean.low, found.mean.high, found.best.value, found.best.low, found.best.high,
                found.worst.value, found.worst.low, found.worst.high, found.s_sample, found.df, found.s_training,
            )  # fmt: skip


def coverages(scored_metrics: Iterable[Scored]) -> Iterator[Coverage]:
    """One a test set, metric and system that the metric has scores of."""
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
