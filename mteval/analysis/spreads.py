"""The spreads of each system beside one another: over runs on two sets, and from two sources in its difference."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import hypot, nan, sqrt

import numpy as np

from mteval.analysis.overview import dev_set
from mteval.analysis.results import Results
from mteval.model import TestSet
from mteval.settings import Design
from mteval.spreads import Spreads
from mteval.stats.equal_spread import equal_spread_p_value
from mteval.stats.multiplicity import holm
from mteval.stats.runs import variance

Scores = dict[tuple[str, str, str], dict[str, float]]  # of runs, by test set, metric and system


def spreads(results: Results) -> tuple[Spreads, ...]:
    """Those of every system but the baseline that was compared with it, by the metrics in their order."""
    found = list(_spreads(results))
    p_adjusted = holm([row.p_larger for row in found])
    n_tested = sum(row.p_larger == row.p_larger for row in found)
    return tuple(replace(row, p_larger=p, n_tested=n_tested) for row, p in zip(found, p_adjusted.tolist(), strict=True))


def _spreads(results: Results) -> Iterator[Spreads]:
    summaries = {(row.test_set, row.metric, row.system): row for row in results.evaluation.summaries}
    scores, dev, here = _run_scores(results), dev_set(results.experiment), results.test_set
    verdicts = {(verdict.metric, verdict.system): verdict for verdict in results.verdicts()}
    for answers in results.evaluation.answers:
        asked = answers.both.asked
        if asked.test_set != here.name or not answers.both.answered.difference:
            continue  # copies of the baseline, about which the spreads say nothing
        verdict = verdicts[asked.metric, asked.system]
        own = summaries[here.name, asked.metric, asked.system]
        sides = [scores[here.name, asked.metric, system] for system in (asked.baseline, asked.system)]
        tuned = None if dev is None or here.role == "dev" else summaries.get((dev.name, asked.metric, asked.system))
        yield Spreads(
            metric=asked.metric,
            metric_name=verdict.metric_name,
            notation=verdict.notation,
            baseline=asked.baseline,
            system=asked.system,
            unit=asked.unit,
            s_dev=nan if tuned is None else tuned.s_run,
            s_test=own.s_run,
            p_larger=_p_larger(scores, dev, here, asked.metric, asked.system),
            n_tested=0,
            n_runs=own.n_runs,
            error_test_set=answers.over_units.standard_error,
            error_runs=_error_of_runs(verdict.design, *sides),
            is_open=verdict.both == "open",
        )


def _run_scores(results: Results) -> Scores:
    found: Scores = {}
    for row in results.evaluation.scores.to_dict("records"):
        found.setdefault((row["test_set"], row["metric"], row["system"]), {})[row["run"]] = row["score"]
    return found


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
