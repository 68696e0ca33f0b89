"""The results of an experiment on one test set, from which tables, figures, texts and pages are made.

Includes Clark et al.'s Table 1 as a frame, and the standard deviations of each system side by side.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import hypot, isnan, nan, sqrt
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from mteval.analysis.evaluation import Evaluation
from mteval.analysis.summary import SampledRow, Summary
from mteval.analysis.two_answers import verdict_on
from mteval.base.store import kept_beside
from mteval.metrics.base import MetricSpec
from mteval.metrics.neural.environment import names_packages
from mteval.stats import PROCEDURES
from mteval.stats.multiplicity import holm
from mteval.stats.runs import equal_spread_p_value, variance
from mteval.values.findings import Finding
from mteval.values.model import Experiment, TestSet
from mteval.values.plan import Planned
from mteval.values.run_words import RunWord
from mteval.values.settings import Design, Settings
from mteval.values.verdict import MANY_SYSTEMS, Coverage, Ranking, Spreads, Verdict

if TYPE_CHECKING:
    from mteval.analysis.people.human_evaluation import HumanEvaluation


@kept_beside
def verdicts(evaluation: Evaluation) -> tuple[Verdict, ...]:
    """Return a verdict for every test set, metric and system of the comparisons, in their order."""
    n_runs = {(row.test_set, row.metric, row.system): row.n_runs for row in evaluation.summaries}
    covered = {(row.test_set, row.metric, row.system): row for row in evaluation.covered}
    together = {(row.test_set, row.metric, row.system): row for row in evaluation.together}
    found = []
    for answers in evaluation.answers:
        asked = answers.both
        counts = (n_runs[asked.test_set, asked.metric, system] for system in (asked.baseline, asked.system))
        fewest = PROCEDURES[asked.procedure].fewest_runs(*counts)
        key, spec = (asked.test_set, asked.metric, asked.system), evaluation.metrics[asked.metric]
        verdict = verdict_on(answers, fewest, evaluation.settings, spec, covered.get(key))
        verdict = together[key].on(verdict) if key in together else verdict
        found.append(verdict.with_findings(evaluation.findings))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class Results:
    """The results of an experiment on one test set; equal to itself alone.

    Parameters
    ----------
    test_set
        One of the experiment's test sets.
    shown_names
        From a system's key to its displayed name, if different.
    people
        Human judgements of the test set; None if there are none or they were not requested.
    planned
        A plan fixed before, with all deviations from it; None if none was named.
    """

    experiment: Experiment
    evaluation: Evaluation
    test_set: TestSet
    shown_names: Mapping[str, str] = field(default_factory=dict)
    people: HumanEvaluation | None = None
    planned: Planned | None = None

    def on(self, test_set: TestSet) -> Results:
        """Return the results on another test set, without human judgements."""
        return replace(self, test_set=test_set, people=None)

    @property
    def settings(self) -> Settings:
        """Return the settings of the evaluation."""
        return self.evaluation.settings

    @property
    def run_word(self) -> RunWord:
        """Return the user's word for a run."""
        return self.settings.runs

    @property
    def metrics(self) -> tuple[str, ...]:
        """Return the metric keys, the primary metric first."""
        return self.settings.metrics

    def spec(self, metric: str) -> MetricSpec:
        """Return the description of a metric."""
        return self.evaluation.metrics[metric]

    @property
    def systems(self) -> list[str]:
        """Return the keys of the systems with output on the test set."""
        return [system.key for system in self.test_set.systems]

    @property
    def signatures(self) -> dict[str, str]:
        """Return the metric signatures on the test set, by displayed name."""
        here = self.evaluation.signatures[self.test_set.name]
        return {self.spec(key).name: here[key] for key in self.metrics}

    @property
    def by_models(self) -> list[str]:
        """Return the displayed names of the metrics computed by models that need their own packages."""
        return [name for name, signature in self.signatures.items() if names_packages(signature)]

    @property
    def sources(self) -> dict[str, str]:
        """Return the reference to cite for each metric computed here, by displayed name."""
        given = {metric.key for metric in self.experiment.given}
        return {self.spec(key).name: self.spec(key).source for key in self.metrics if key not in given}

    @property
    def run_counts(self) -> list[int]:
        """Return the distinct numbers of runs per system on the test set, sorted."""
        return sorted({len(system.runs) for system in self.test_set.systems})

    @property
    def exchanged(self) -> str:
        """Return the unit that the randomization test permuted; segments if there is no comparison."""
        return next((verdict.unit for verdict in self.verdicts()), "segment")

    @property
    def unit(self) -> str:
        """Return the unit of the test of both kinds of luck; segments if there is no comparison."""
        return next((verdict.unit_both for verdict in self.verdicts()), "segment")

    @property
    def n_shuffles(self) -> int:
        """Return the largest number of shuffles behind the answers; the settings' number if nothing was drawn."""
        rows = (answers.test_set_luck for answers in self.evaluation.answers)
        drawn = (row.n_resamples for row in rows if row.test_set == self.test_set.name)
        return max(drawn, default=0) or self.settings.n_shuffles

    def coverage(self, metrics: Collection[str] | None = None) -> dict[str, list[Coverage]]:
        """Return the coverage of the systems by displayed metric name, for some metrics or all."""
        found: dict[str, list[Coverage]] = {}
        for row in self.evaluation.covered:
            if row.test_set == self.test_set.name and (metrics is None or row.metric in metrics):
                found.setdefault(self.spec(row.metric).name, []).append(row)
        return found

    @property
    def has_many_systems(self) -> bool:
        """Return whether one figure and one ranking replace a block per system."""
        return len(self.systems) >= MANY_SYSTEMS

    @property
    def ranking(self) -> Ranking | None:
        """Return the ranking by the primary metric; None for few systems or a metric without a better direction."""
        here = self.evaluation.rankings
        return next((one for one in here if one.test_set == self.test_set.name), None)

    def rows(self, frame: pd.DataFrame, metric: str | None = None) -> pd.DataFrame:
        """Return the rows of an evaluation's frame on this test set, and for one metric if given."""
        is_here = frame["test_set"] == self.test_set.name
        return frame[is_here if metric is None else is_here & (frame["metric"] == metric)]

    def verdicts(self, metric: str | None = None) -> tuple[Verdict, ...]:
        """Return the verdicts on the test set, by one metric or all."""
        here = (one for one in verdicts(self.evaluation) if one.test_set == self.test_set.name)
        return tuple(one for one in here if metric in (None, one.metric))

    def findings(self, metric: str = "") -> tuple[Finding, ...]:
        """Return what is odd about the data of the test set, warnings first, by one metric or all."""
        return tuple(one for one in self.evaluation.findings if one.concerns(self.test_set.name, metric))

    def sampled(self, metric: str | None = None) -> list[SampledRow]:
        """Return the rows about several samples per run on the test set, by one metric or all."""
        rows = self.evaluation.sampled
        return [row for row in rows if row.test_set == self.test_set.name and metric in (None, row.metric)]

    def name_of(self, system: str) -> str:
        """Return a system's displayed name."""
        return self.shown_names.get(system, system)


def with_names(frame: pd.DataFrame, names: Mapping[str, str], *columns: str) -> pd.DataFrame:
    """Replace system keys by displayed names in the given columns, by default ``baseline`` and ``system``."""
    wanted = columns or tuple(column for column in ("baseline", "system") if column in frame)
    return frame.assign(**{column: frame[column].map(lambda key: names.get(key, key)) for column in wanted})


OF_VERDICTS = (
    "difference", "p_test_set", "p_both", "p_test_set_adjusted", "p_both_adjusted", "mark",
    "low_test_set", "high_test_set", "low", "high", "is_provisional",
)  # fmt: skip


OVERVIEW = (
    "metric", "metric_name", "notation", "system", "n_runs", "mean", "s_sel", "s_dev", "s_test", "difference",
    "p_test_set", "p_both", "p_test_set_adjusted", "p_both_adjusted", "mark", "is_best", "run_scores", "median_run",
    "low_test_set", "high_test_set", "low", "high", "conclusion", "is_provisional", "first_rank", "last_rank", "group",
)  # fmt: skip


def reported_test_set(experiment: Experiment) -> TestSet:
    """Return the test set to show first: the first with role ``test``, otherwise the first of all."""
    return next((test_set for test_set in experiment.test_sets if test_set.role == "test"), experiment.test_sets[0])


def dev_set(experiment: Experiment) -> TestSet | None:
    """Return the tuning set; None if none was loaded."""
    return next((test_set for test_set in experiment.test_sets if test_set.role == "dev"), None)


@kept_beside
def overview(results: Results) -> pd.DataFrame:
    """Return means, standard deviations, differences from the baseline and p-values; columns ``OVERVIEW``.

    ``s_dev`` is the standard deviation over runs on the tuning set, ``s_test`` the one on the test set; NaN if not
    applicable. p-values come before and after planned interim analyses and the correction for several systems; ``mark``
    follows the adjusted ones. Intervals (``low_test_set``, ``high_test_set`` for test-set luck, ``low``, ``high`` for
    both) are not adjusted. These columns are NaN or empty for the baseline. ``is_best`` marks the best mean of a metric
    with a better direction, ``is_provisional`` a verdict from two runs. Ranks are by the primary metric; NaN without a
    ranking.
    """
    evaluation, test_set, s_dev = results.evaluation, results.test_set, _tuned(results)
    here = [row for row in evaluation.summaries if row.test_set == test_set.name]
    verdicts = {(verdict.metric, verdict.system): verdict for verdict in results.verdicts()}
    scores, specs, ranking = _run_scores(evaluation), evaluation.metrics, results.ranking
    ranked = {} if ranking is None else {(ranking.metric, row.system): row for row in ranking.rows}
    best, systems = _best_means(here, specs), [system.key for system in results.experiment.systems]
    rows = list[dict[str, object]]()
    for row in sorted(here, key=lambda row: (results.metrics.index(row.metric), systems.index(row.system))):
        key = row.metric, row.system
        kept = {name: getattr(row, name) for name in ("metric", "system", "n_runs", "mean", "s_sel", "median_run")}
        described = kept | {
            "metric_name": specs[row.metric].name, "notation": specs[row.metric].notation,
            "s_dev": s_dev.get(key, nan), "s_test": nan if test_set.role == "dev" else row.s_run,
            "is_best": row.mean == best.get(row.metric), "mark": "", "conclusion": "", "is_provisional": False,
            "run_scores": [*scores[row.test_set, row.metric, row.system].values()],
        }  # fmt: skip
        if verdict := verdicts.get(key):
            described |= {name: getattr(verdict, name) for name in OF_VERDICTS}
            described["conclusion"] = verdict.conclusion.word
        if rank := ranked.get(key):
            described |= {"first_rank": rank.first, "last_rank": rank.last, "group": rank.group}
        rows.append(described)
    return pd.DataFrame(rows, columns=list(OVERVIEW))


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
    """Return the standard deviation over runs on the tuning set by metric and system; empty without a tuning set."""
    dev = dev_set(results.experiment)
    rows = (row for row in results.evaluation.summaries if dev is not None and row.test_set == dev.name)
    return {(row.metric, row.system): row.s_run for row in rows}


def spreads(results: Results) -> tuple[Spreads, ...]:
    """Return the standard deviations of every system compared with the baseline, by metric."""
    found = list[Spreads]()
    summaries = {(row.test_set, row.metric, row.system): row for row in results.evaluation.summaries}
    scores, dev, here = _run_scores(results.evaluation), dev_set(results.experiment), results.test_set
    s_dev = _tuned(results)
    verdicts = {(verdict.metric, verdict.system): verdict for verdict in results.verdicts()}
    for answers in results.evaluation.answers:
        asked = answers.both
        if asked.test_set != here.name or not asked.difference:
            continue  # copies of the baseline
        verdict = verdicts[asked.metric, asked.system]
        own, p_larger = summaries[here.name, asked.metric, asked.system], nan
        if dev is not None and dev.name != here.name:
            tuned, tested = (scores.get((name, asked.metric, asked.system), {}) for name in (dev.name, here.name))
            if tuned.keys() == tested.keys():  # the same runs
                p_larger = equal_spread_p_value([*tuned.values()], [tested[run] for run in tuned])
        sides = [scores[here.name, asked.metric, system] for system in (asked.baseline, asked.system)]
        row = Spreads(
            metric=asked.metric, metric_name=verdict.metric_name, notation=verdict.notation, baseline=asked.baseline,
            system=asked.system, unit=asked.unit, n_runs=own.n_runs, s_test=own.s_run, p_larger=p_larger, n_tested=0,
            s_dev=nan if here.role == "dev" else s_dev.get((asked.metric, asked.system), nan),
            error_test_set=answers.error_over_units, error_runs=_error_of_runs(verdict.design, *sides),
            is_open=verdict.both == "open",
        )  # fmt: skip
        found.append(row)
    p_adjusted = holm([row.p_larger for row in found])
    n_tested = sum(row.p_larger == row.p_larger for row in found)
    return tuple(replace(row, p_larger=p, n_tested=n_tested) for row, p in zip(found, p_adjusted.tolist(), strict=True))


def _error_of_runs(design: Design, baseline: Mapping[str, float], system: Mapping[str, float]) -> float:
    """Return the standard error of the difference due to the runs, by their design; NaN for a single run."""
    if design == "paired":
        return _standard_error([score - baseline.get(run, nan) for run, score in system.items()])
    of_baseline = _standard_error([*baseline.values()])
    if design == "candidate" and len(system) == 1:
        return of_baseline * sqrt(len(baseline) + 1)
    error = _standard_error([*system.values()])
    return error if design == "fixed" else nan if design == "released" else hypot(error, of_baseline)


def _standard_error(scores: Sequence[float]) -> float:
    return sqrt(variance(np.array(scores)) / len(scores))
