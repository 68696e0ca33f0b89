"""Clark et al.'s Table 1 as a frame: one row a metric and system on one test set.

The spreads of each system beside one another: over runs on two sets, and from two sources in its difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot, isnan, nan, sqrt

import numpy as np
import pandas as pd

from mteval.analysis.evaluation import Evaluation
from mteval.analysis.results import Results
from mteval.analysis.summary import Summary
from mteval.analysis.work import frame_of
from mteval.base.store import kept_beside
from mteval.metrics.base import MetricSpec
from mteval.stats.multiplicity import holm
from mteval.stats.runs import equal_spread_p_value, variance
from mteval.values.model import Experiment, TestSet
from mteval.values.notation import Notation
from mteval.values.settings import Design
from mteval.values.verdict import Spreads

NAN = float("nan")
OF_VERDICTS = (
    "difference", "p_test_set", "p_both", "p_test_set_adjusted", "p_both_adjusted", "mark",
    "low_test_set", "high_test_set", "low", "high", "is_provisional",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class OverviewRow:
    """One system by one metric on the test set that is shown.

    Parameters
    ----------
    notation
        How the metric's numbers are written.
    s_dev
        Spread over runs on the tuning set, NaN where none was loaded.
    s_test
        The one on the test set, NaN where a tuning set is shown.
    difference, p_test_set, p_both, mark
        From the baseline. The p-values are those before the correction for several systems; the mark follows the
        corrected ones. Undefined for the baseline itself.
    p_test_set_adjusted, p_both_adjusted
        The p-values after planned looks and the correction for several systems.
    is_best
        Whether the average is the best of a metric that has a better direction.
    run_scores
        In the order of the runs.
    low_test_set, high_test_set, low, high
        Intervals of the difference, of test-set luck and of both kinds, not adjusted for the number of systems.
    conclusion, is_provisional
        The verdict in a word, empty for the baseline, and whether it rests on two runs.
    first_rank, last_rank, group
        Of the ranking by the primary metric; NaN where there is none.
    """

    metric: str
    metric_name: str
    notation: Notation
    system: str
    n_runs: int
    mean: float
    s_sel: float
    s_dev: float
    s_test: float
    difference: float = NAN
    p_test_set: float = NAN
    p_both: float = NAN
    p_test_set_adjusted: float = NAN
    p_both_adjusted: float = NAN
    mark: str = ""
    is_best: bool
    run_scores: list[float]
    median_run: str
    low_test_set: float = NAN
    high_test_set: float = NAN
    low: float = NAN
    high: float = NAN
    conclusion: str = ""
    is_provisional: bool = False
    first_rank: float = NAN
    last_rank: float = NAN
    group: float = NAN


def reported_test_set(experiment: Experiment) -> TestSet:
    """The test set that is shown first: the first with role ``test``, else the first of all."""
    return next((test_set for test_set in experiment.test_sets if test_set.role == "test"), experiment.test_sets[0])


def dev_set(experiment: Experiment) -> TestSet | None:
    """The set that the systems were tuned on, where it was loaded."""
    return next((test_set for test_set in experiment.test_sets if test_set.role == "dev"), None)


@kept_beside
def overview(results: Results) -> pd.DataFrame:
    """Averages, both spreads, the difference from the baseline and both p-values; columns of ``OverviewRow``."""
    evaluation, test_set, s_dev = results.evaluation, results.test_set, _tuned(results)
    here = [row for row in evaluation.summaries if row.test_set == test_set.name]
    verdicts = {(verdict.metric, verdict.system): verdict for verdict in results.verdicts()}
    scores, specs, ranking = _run_scores(evaluation), evaluation.metrics, results.ranking
    ranked = {} if ranking is None else {(ranking.metric, row.system): row for row in ranking.rows}
    best, systems = _best_means(here, specs), [system.key for system in results.experiment.systems]
    rows = list[OverviewRow]()
    for row in sorted(here, key=lambda row: (results.metrics.index(row.metric), systems.index(row.system))):
        described = OverviewRow(
            metric=row.metric,
            metric_name=specs[row.metric].name,
            notation=specs[row.metric].notation,
            system=row.system,
            n_runs=row.n_runs,
            mean=row.mean,
            s_sel=row.s_sel,
            s_dev=s_dev.get((row.metric, row.system), NAN),
            s_test=NAN if test_set.role == "dev" else row.s_run,
            is_best=row.mean == best.get(row.metric),
            run_scores=[*scores[row.test_set, row.metric, row.system].values()],
            median_run=row.median_run,
        )
        verdict, rank = verdicts.get((row.metric, row.system)), ranked.get((row.metric, row.system))
        if verdict is not None:
            told = {name: getattr(verdict, name) for name in OF_VERDICTS}
            described = replace(described, conclusion=verdict.conclusion.word, **told)
        if rank is not None:
            described = replace(described, first_rank=rank.first, last_rank=rank.last, group=rank.group)
        rows.append(described)
    return frame_of(rows, OverviewRow)


Scores = dict[tuple[str, str, str], dict[str, float]]  # of runs, by test set, metric and system


def _run_scores(evaluation: Evaluation) -> Scores:
    found: Scores = {}
    for row in evaluation.run_scores:
        found.setdefault((row.test_set, row.metric, row.system), {})[row.run] = row.score
    return found


def _best_means(summaries: Iterable[Summary], metrics: Mapping[str, MetricSpec]) -> dict[str, float]:
    best = {}
    for metric, spec in metrics.items():
        means = [row.mean for row in summaries if row.metric == metric]
        known = [mean for mean in means if not isnan(mean)]
        if spec.notation.has_direction and known and len(means) > 1:
            best[metric] = max(known) if spec.notation.direction == "↑" else min(known)
    return best


def _tuned(results: Results) -> dict[tuple[str, str], float]:
    """Spread over runs on the tuning set by metric and system; empty where none was loaded."""
    dev = dev_set(results.experiment)
    rows = (row for row in results.evaluation.summaries if dev is not None and row.test_set == dev.name)
    return {(row.metric, row.system): row.s_run for row in rows}


def spreads(results: Results) -> tuple[Spreads, ...]:
    """Those of every system but the baseline that was compared with it, by the metrics in their order."""
    found = list(_spreads(results))
    p_adjusted = holm([row.p_larger for row in found])
    n_tested = sum(row.p_larger == row.p_larger for row in found)
    return tuple(replace(row, p_larger=p, n_tested=n_tested) for row, p in zip(found, p_adjusted.tolist(), strict=True))


def _spreads(results: Results) -> Iterator[Spreads]:
    summaries = {(row.test_set, row.metric, row.system): row for row in results.evaluation.summaries}
    scores, dev, here = _run_scores(results.evaluation), dev_set(results.experiment), results.test_set
    s_dev = _tuned(results)
    verdicts = {(verdict.metric, verdict.system): verdict for verdict in results.verdicts()}
    for answers in results.evaluation.answers:
        asked = answers.both
        if asked.test_set != here.name or not asked.difference:
            continue  # copies of the baseline, about which the spreads say nothing
        verdict = verdicts[asked.metric, asked.system]
        own = summaries[here.name, asked.metric, asked.system]
        sides = [scores[here.name, asked.metric, system] for system in (asked.baseline, asked.system)]
        yield Spreads(
            metric=asked.metric,
            metric_name=verdict.metric_name,
            notation=verdict.notation,
            baseline=asked.baseline,
            system=asked.system,
            unit=asked.unit,
            s_dev=nan if here.role == "dev" else s_dev.get((asked.metric, asked.system), nan),
            s_test=own.s_run,
            p_larger=_p_larger(scores, dev, here, asked.metric, asked.system),
            n_tested=0,
            n_runs=own.n_runs,
            error_test_set=answers.over_units.standard_error,
            error_runs=_error_of_runs(verdict.design, *sides),
            is_open=verdict.both == "open",
        )


def _p_larger(scores: Scores, dev: TestSet | None, here: TestSet, metric: str, system: str) -> float:
    """Of equal spreads on both sets; NaN where they do not have the same runs."""
    if dev is None or dev.name == here.name:
        return nan
    one, other = (scores.get((name, metric, system), {}) for name in (dev.name, here.name))
    if one.keys() != other.keys():
        return nan
    return equal_spread_p_value(list(one.values()), [other[run] for run in one])


def _error_of_runs(design: Design, baseline: Mapping[str, float], system: Mapping[str, float]) -> float:
    """Of the difference, from which runs were made, as they were declared; NaN where one run cannot say."""
    if design == "paired":
        return _standard_error([score - baseline.get(run, nan) for run, score in system.items()])
    error = _standard_error([*system.values()])
    return error if design == "fixed" else hypot(error, _standard_error([*baseline.values()]))


def _standard_error(scores: Sequence[float]) -> float:
    return sqrt(variance(np.array(scores)) / len(scores))
