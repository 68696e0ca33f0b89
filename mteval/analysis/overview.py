"""Clark et al.'s Table 1 as a frame: one row a metric and system on one test set."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import isnan

import pandas as pd

from mteval.analysis.evaluation import Evaluation
from mteval.analysis.results import Results
from mteval.analysis.summary import Summary
from mteval.metrics.base import MetricSpec
from mteval.model import Experiment, TestSet
from mteval.verdict import Verdict

OVERVIEW = (
    "metric", "metric_name", "notation", "system", "n_runs", "mean", "s_sel", "s_dev", "s_test", "difference",
    "p_test_set", "p_both", "mark", "is_best", "run_scores", "median_run", "low_test_set", "high_test_set", "low",
    "high", "conclusion", "is_provisional", "first_rank", "last_rank", "group",
)  # fmt: skip
NAN = float("nan")


def reported_test_set(experiment: Experiment) -> TestSet:
    """The test set that is shown first: the first with role ``test``, else the first of all."""
    return next((test_set for test_set in experiment.test_sets if test_set.role == "test"), experiment.test_sets[0])


def dev_set(experiment: Experiment) -> TestSet | None:
    """The set that the systems were tuned on, where it was loaded."""
    return next((test_set for test_set in experiment.test_sets if test_set.role == "dev"), None)


@lru_cache(maxsize=16)
def overview(results: Results) -> pd.DataFrame:
    """Averages, both spreads, the difference from the baseline and both p-values; columns ``OVERVIEW``.

    ``s_test`` is the spread over runs on the test set, or NaN where a tuning set is shown; ``s_dev`` the one on the
    tuning set, NaN where none was loaded. The p-values are those before the correction for several systems; the marks
    follow the corrected ones. ``is_best`` marks the best average of a metric that has a better direction;
    ``notation`` says how its numbers are written. The intervals are of the difference, of test-set luck and of both
    kinds; ``conclusion`` is the verdict in a word. The ranks and the ``group`` are those of the ranking by the
    primary metric, NaN where there is none.
    """
    evaluation, test_set = results.evaluation, results.test_set
    summaries = [row for row in evaluation.summaries if row.test_set == test_set.name]
    marks = {(verdict.metric, verdict.system): verdict for verdict in results.verdicts()}
    s_dev = _spread_on_dev(results.experiment, evaluation)
    run_scores = _run_scores(results.rows(evaluation.scores))
    specs = evaluation.metrics
    best = _best_means(summaries, specs)
    ranked = _ranked(results)
    rows = [
        (
            row.metric, specs[row.metric].name, specs[row.metric].notation, row.system, row.n_runs, row.mean,
            row.s_sel,
            s_dev.get((row.metric, row.system), NAN), NAN if test_set.role == "dev" else row.s_run,
            *_compared(marks.get((row.metric, row.system))),
            row.mean == best.get(row.metric), run_scores[row.metric, row.system], row.median_run,
            *_concluded(marks.get((row.metric, row.system))), *ranked.get((row.metric, row.system), (NAN, NAN, NAN)),
        )
        for row in _in_order(summaries, results.experiment, results.metrics)
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=list(OVERVIEW))


def _run_scores(scores: pd.DataFrame) -> dict[tuple[str, str], list[float]]:
    """Scores of the runs, by metric and system."""
    found: dict[tuple[str, str], list[float]] = {}
    for metric, system, score in zip(scores["metric"], scores["system"], scores["score"], strict=True):
        found.setdefault((metric, system), []).append(score)
    return found


def _compared(verdict: Verdict | None) -> tuple[float, float, float, str]:
    """Difference, both p-values and the mark; undefined for the baseline."""
    if verdict is None:
        return NAN, NAN, NAN, ""
    return verdict.difference, verdict.p_test_set, verdict.p_both, verdict.mark


def _concluded(verdict: Verdict | None) -> tuple[float, float, float, float, str, bool]:
    """Both intervals and the verdict's word; undefined for the baseline."""
    if verdict is None:
        return NAN, NAN, NAN, NAN, "", False
    return (
        verdict.low_test_set, verdict.high_test_set, verdict.low, verdict.high, verdict.conclusion.word,
        verdict.is_provisional,
    )  # fmt: skip


def _ranked(results: Results) -> dict[tuple[str, str], tuple[float, float, float]]:
    """First and last rank and the group, by metric and system."""
    ranking = results.ranking
    if ranking is None:
        return {}
    return {(ranking.metric, row.system): (row.first, row.last, row.group) for row in ranking.rows}


def _spread_on_dev(experiment: Experiment, evaluation: Evaluation) -> dict[tuple[str, str], float]:
    dev = dev_set(experiment)
    rows = [row for row in evaluation.summaries if dev is not None and row.test_set == dev.name]
    return {(row.metric, row.system): row.s_run for row in rows}


def _best_means(summaries: Iterable[Summary], metrics: Mapping[str, MetricSpec]) -> dict[str, float]:
    means: dict[str, list[float]] = {}
    for row in summaries:
        means.setdefault(row.metric, []).append(row.mean)
    best = {}
    for metric, values in means.items():
        arrow = metrics[metric].notation.direction
        known = [value for value in values if not isnan(value)]
        if arrow and known and len(values) > 1:
            best[metric] = max(known) if arrow == "↑" else min(known)
    return best


def _in_order(summaries: Iterable[Summary], experiment: Experiment, metrics: tuple[str, ...]) -> list[Summary]:
    """Rows by metric as chosen, then by system as loaded with the baseline first."""
    systems = [system.key for system in experiment.systems]
    return sorted(summaries, key=lambda row: (metrics.index(row.metric), systems.index(row.system)))
