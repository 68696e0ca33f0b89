"""How good is each system, and how unstable: run scores, their spread, and the spread over the test set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from mteval.analysis.rows import frame_of
from mteval.analysis.scoring import Scored
from mteval.analysis.work import Progress, Work
from mteval.settings import Settings
from mteval.stats.base import FloatArray
from mteval.stats.resampling.bootstrap import replicate_scores, s_sel
from mteval.stats.resampling.streams import seeds_for
from mteval.stats.runs import summarize_runs


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
    found, resampled = [], []
    for index, scored in enumerate(scored_metrics):
        task = f"Bootstrap of {scored.metric.name} on {scored.test_set.name}"
        work.report(Progress(task, index, len(scored_metrics)))
        for system in scored.statistics:
            replicates = replicate_scores(
                scored.statistics_on(system, scored.present(system)),
                scored.scorer.score,
                n_resamples=settings.n_bootstrap,
                seeds=seeds_for(settings.seed, "bootstrap"),
                map_chunks=work.engine.map,
            )
            found.append(_summary(scored, system, replicates))
            resampled.append(_resampled(scored, system, replicates))
    return tuple(found), tuple(resampled)


def _summary(scored: Scored, system: str, replicates: FloatArray) -> Summary:
    """``replicates`` has shape ``(runs, n_bootstrap)``."""
    runs = summarize_runs(scored.run_scores[system])
    return Summary(
        test_set=scored.test_set.name,
        system=system,
        metric=scored.metric.key,
        n_runs=runs.n_runs,
        mean=runs.mean,
        s_sel=s_sel(replicates),
        s_run=runs.s_run,
        minimum=runs.minimum,
        maximum=runs.maximum,
        median_run=scored.run_keys(system)[runs.median_run],
    )


def _resampled(scored: Scored, system: str, replicates: FloatArray) -> Resampled:
    mean, lowest, highest = float(replicates.mean()), float(replicates.min()), float(replicates.max())
    return Resampled(scored.test_set.name, system, scored.metric.key, mean, lowest, highest)
