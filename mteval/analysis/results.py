"""The results of an experiment on one test set, from which tables, figures, texts and pages are made.

Includes Clark et al.'s Table 1 as a frame, and the standard deviations of each system side by side.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import hypot, isnan, nan, sqrt
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from mteval.analysis.evaluation import Evaluation
from mteval.analysis.noticed import with_share
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
from mteval.values.run_words import RunWord
from mteval.values.settings import Design, Settings
from mteval.values.verdict import MANY_SYSTEMS, Coverage, Ranking, Spreads, Verdict

if TYPE_CHECKING:
    from mteval.analysis.people.human_evaluation import HumanEvaluation
    from mteval.values.plan import Planned


# Columns of the overview that are fields of a verdict
_TESTS = ("difference", "p_test_set", "p_run", "p_test_set_adjusted", "p_run_adjusted", "mark")
_INTERVALS = ("low_test_set", "high_test_set", "low", "high")
OF_VERDICTS = (*_TESTS, *_INTERVALS, "is_provisional")
OVERVIEW = (
    "metric",
    "metric_name",
    "notation",
    "system",
    "n_runs",
    "mean",
    "s_sel",
    "s_dev",
    "s_opt",
    *_TESTS,
    "is_best",
    "run_scores",
    "median_run",
    *_INTERVALS,
    "conclusion",
    "is_provisional",
    "first_rank",
    "last_rank",
    "group",
)

_Scores = dict[tuple[str, str, str], dict[str, float]]  # of each run, by test set, metric and system


@kept_beside
def verdicts(evaluation: Evaluation) -> tuple[Verdict, ...]:
    """Return a verdict for every test set, metric and system of the comparisons, in their order."""
    n_runs = {(row.test_set, row.metric, row.system): row.n_runs for row in evaluation.summaries}
    coverage_of = {(row.test_set, row.metric, row.system): row for row in evaluation.covered}
    simultaneous_of = {(row.test_set, row.metric, row.system): row for row in evaluation.together}
    all_verdicts = []
    for answers in evaluation.answers:
        row = answers.both
        key = (row.test_set, row.metric, row.system)
        fewest_runs = PROCEDURES[row.procedure].fewest_runs(
            n_runs[row.test_set, row.metric, row.baseline],
            n_runs[row.test_set, row.metric, row.system],
        )
        spec = evaluation.metrics[row.metric]
        verdict = verdict_on(answers, fewest_runs, evaluation.settings, spec, coverage_of.get(key))
        if key in simultaneous_of:
            verdict = simultaneous_of[key].on(verdict, evaluation.settings.level)
        verdict = replace(verdict, is_of_people=row.metric in evaluation.of_people)
        verdict = with_share(verdict, evaluation.curves.get(row.metric))
        all_verdicts.append(verdict.with_findings(evaluation.findings))
    return tuple(all_verdicts)


@kept_beside
def verdicts_by_people(evaluation: Evaluation) -> tuple[Verdict, ...]:
    """Return a verdict for every test set, human score and system, whether or not the scores are among the metrics."""
    by_people = [verdict for verdict in verdicts(evaluation) if verdict.is_of_people]
    if not evaluation.by_people:
        return tuple(by_people)
    from mteval.analysis.human_scores import verdict_by_people  # few experiments have scores beside the metrics

    coverage_of = {(row.test_set, row.metric, row.system): row for row in evaluation.covered_by_people}
    for answers in evaluation.by_people:
        row = answers.both
        coverage = coverage_of.get((row.test_set, row.metric, row.system))
        verdict = verdict_by_people(answers, evaluation.settings, evaluation.of_people[row.metric], coverage)
        by_people.append(verdict.with_findings(evaluation.findings))
    return tuple(by_people)


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
        signature_of = self.evaluation.signatures[self.test_set.name]
        return {self.spec(metric).name: signature_of[metric] for metric in self.metrics}

    @property
    def by_models(self) -> list[str]:
        """Return the displayed names of the metrics computed by models that need their own packages."""
        return [name for name, signature in self.signatures.items() if names_packages(signature)]

    @property
    def sources(self) -> dict[str, str]:
        """Return the reference to cite for each metric computed here, by displayed name."""
        given = {metric.key for metric in self.experiment.given}
        return {self.spec(metric).name: self.spec(metric).source for metric in self.metrics if metric not in given}

    @property
    def run_counts(self) -> list[int]:
        """Return the distinct numbers of runs per system on the test set, sorted."""
        return sorted({len(system.runs) for system in self.test_set.systems})

    @property
    def exchanged(self) -> str:
        """Return the unit that the randomization test permuted; segments if there is no comparison."""
        verdicts = self.verdicts()
        if not verdicts:
            return "segment"
        return verdicts[0].unit

    @property
    def unit(self) -> str:
        """Return the unit of the test of both kinds of luck; segments if there is no comparison."""
        verdicts = self.verdicts()
        if not verdicts:
            return "segment"
        return verdicts[0].unit_both

    @property
    def n_shuffles(self) -> int:
        """Return the largest number of shuffles behind the answers; the settings' number if nothing was drawn."""
        n_drawn = 0
        for answers in self.evaluation.answers:
            row = answers.test_set_luck
            if row.test_set == self.test_set.name:
                n_drawn = max(n_drawn, row.n_resamples)
        if n_drawn == 0:
            return self.settings.n_shuffles
        return n_drawn

    def coverage(self, metrics: Collection[str] | None = None) -> dict[str, list[Coverage]]:
        """Return the coverage of the systems by displayed metric name, for some metrics or all."""
        coverage_by: dict[str, list[Coverage]] = {}
        for row in self.evaluation.covered:
            if row.test_set == self.test_set.name and (metrics is None or row.metric in metrics):
                coverage_by.setdefault(self.spec(row.metric).name, []).append(row)
        return coverage_by

    @property
    def has_many_systems(self) -> bool:
        """Return whether one figure and one ranking replace a block per system."""
        return len(self.systems) >= MANY_SYSTEMS

    @property
    def ranking(self) -> Ranking | None:
        """Return the ranking by the primary metric; None for few systems or a metric without a better direction."""
        for ranking in self.evaluation.rankings:
            if ranking.test_set == self.test_set.name:
                return ranking
        return None

    def rows(self, frame: pd.DataFrame, metric: str | None = None) -> pd.DataFrame:
        """Return the rows of an evaluation's frame on this test set, and for one metric if given."""
        is_wanted = frame["test_set"] == self.test_set.name
        if metric is not None:
            is_wanted = is_wanted & (frame["metric"] == metric)
        return frame[is_wanted]

    def verdicts(self, metric: str | None = None) -> tuple[Verdict, ...]:
        """Return the verdicts on the test set, by one metric or all."""
        on_test_set = [verdict for verdict in verdicts(self.evaluation) if verdict.test_set == self.test_set.name]
        if metric is None:
            return tuple(on_test_set)
        return tuple(verdict for verdict in on_test_set if verdict.metric == metric)

    @property
    def verdicts_by_people(self) -> tuple[Verdict, ...]:
        """Return the verdicts by human scores on the test set, whether or not the scores are among the metrics."""
        return tuple(row for row in verdicts_by_people(self.evaluation) if row.test_set == self.test_set.name)

    def findings(self, metric: str = "") -> tuple[Finding, ...]:
        """Return what is odd about the data of the test set, warnings first, by one metric or all."""
        findings = self.evaluation.findings
        return tuple(finding for finding in findings if finding.concerns(self.test_set.name, metric))

    def sampled(self, metric: str | None = None) -> list[SampledRow]:
        """Return the rows about several samples per run on the test set, by one metric or all."""
        on_test_set = [row for row in self.evaluation.sampled if row.test_set == self.test_set.name]
        if metric is None:
            return on_test_set
        return [row for row in on_test_set if row.metric == metric]

    def name_of(self, system: str) -> str:
        """Return a system's displayed name."""
        return self.shown_names.get(system, system)

    def named(self, verdicts: Iterable[Verdict]) -> list[Verdict]:
        """Return verdicts with displayed names."""
        named = []
        for verdict in verdicts:
            named.append(
                replace(
                    verdict,
                    system=self.name_of(verdict.system),
                    baseline=self.name_of(verdict.baseline),
                    findings=tuple(self.with_names_in(verdict.findings)),
                )
            )
        return named

    def with_names_in(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Yield findings about systems with displayed names; their details are unchanged."""
        for finding in findings:
            yield replace(finding, systems=tuple(map(self.name_of, finding.systems)))


def with_names(frame: pd.DataFrame, names: Mapping[str, str], *columns: str) -> pd.DataFrame:
    """Replace system keys by displayed names in the given columns, by default ``baseline`` and ``system``."""
    if not columns:
        columns = tuple(column for column in ("baseline", "system") if column in frame)
    named = {column: frame[column].map(lambda key: names.get(key, key)) for column in columns}
    return frame.assign(**named)


def reported_test_set(experiment: Experiment) -> TestSet:
    """Return the test set to show first: the first with role ``test``, otherwise the first of all."""
    for test_set in experiment.test_sets:
        if test_set.role == "test":
            return test_set
    return experiment.test_sets[0]


def dev_set(experiment: Experiment) -> TestSet | None:
    """Return the tuning set; None if none was loaded."""
    for test_set in experiment.test_sets:
        if test_set.role == "dev":
            return test_set
    return None


@kept_beside
def overview(results: Results) -> pd.DataFrame:
    """Return means, standard deviations, differences from the baseline and p-values; columns ``OVERVIEW``.

    ``s_dev`` is the standard deviation over runs on the tuning set, ``s_opt`` the one on the test set; NaN if not
    applicable. p-values come before and after planned interim analyses and the correction for several systems; ``mark``
    follows the adjusted ones. Intervals (``low_test_set``, ``high_test_set`` for test-set luck, ``low``, ``high`` for
    both) are not adjusted. These columns are NaN or empty for the baseline. ``is_best`` marks the best mean of a metric
    with a better direction, ``is_provisional`` a verdict from two runs. Ranks are by the primary metric; NaN without a
    ranking.
    """
    evaluation = results.evaluation
    test_set = results.test_set
    summaries = [row for row in evaluation.summaries if row.test_set == test_set.name]
    systems = [system.key for system in results.experiment.systems]
    summaries.sort(key=lambda row: (results.metrics.index(row.metric), systems.index(row.system)))

    s_dev = _tuned(results)
    scores = _run_scores(evaluation)
    best_mean = _best_means(summaries, evaluation.metrics)
    verdict_of = {(verdict.metric, verdict.system): verdict for verdict in results.verdicts()}
    rank_of = {}
    if results.ranking is not None:
        rank_of = {(results.ranking.metric, rank.system): rank for rank in results.ranking.rows}

    rows = []
    for summary in summaries:
        key = (summary.metric, summary.system)
        spec = evaluation.metrics[summary.metric]
        row: dict[str, object] = {
            "metric": summary.metric,
            "metric_name": spec.name,
            "notation": spec.notation,
            "system": summary.system,
            "n_runs": summary.n_runs,
            "mean": summary.mean,
            "s_sel": summary.s_sel,
            "s_dev": s_dev.get(key, nan),
            "s_opt": nan if test_set.role == "dev" else summary.s_opt,
            "mark": "",
            "is_best": summary.mean == best_mean.get(summary.metric),
            "run_scores": [*scores[summary.test_set, summary.metric, summary.system].values()],
            "median_run": summary.median_run,
            "conclusion": "",
            "is_provisional": False,
        }
        verdict = verdict_of.get(key)
        if verdict is not None:
            row.update({column: getattr(verdict, column) for column in OF_VERDICTS})
            row["conclusion"] = verdict.conclusion.word
        rank = rank_of.get(key)
        if rank is not None:
            row["first_rank"] = rank.first
            row["last_rank"] = rank.last
            row["group"] = rank.group
        rows.append(row)
    return pd.DataFrame(rows, columns=list(OVERVIEW))


def _run_scores(evaluation: Evaluation) -> _Scores:
    """Return the score of each run."""
    scores: _Scores = {}
    for row in evaluation.run_scores:
        scores.setdefault((row.test_set, row.metric, row.system), {})[row.run] = row.score
    return scores


def _best_means(summaries: Iterable[Summary], metrics: Mapping[str, MetricSpec]) -> dict[str, float]:
    """Return the best mean by metric; none for a single system or a metric without a better direction."""
    best = {}
    for metric, spec in metrics.items():
        means = [row.mean for row in summaries if row.metric == metric]
        known = [mean for mean in means if not isnan(mean)]
        if not spec.notation.has_direction or not known or len(means) < 2:
            continue
        if spec.notation.direction == "↑":
            best[metric] = max(known)
        else:
            best[metric] = min(known)
    return best


def _tuned(results: Results) -> dict[tuple[str, str], float]:
    """Return the standard deviation over runs on the tuning set by metric and system; empty without a tuning set."""
    dev = dev_set(results.experiment)
    if dev is None:
        return {}
    summaries = results.evaluation.summaries
    return {(row.metric, row.system): row.s_opt for row in summaries if row.test_set == dev.name}


def spreads(results: Results) -> tuple[Spreads, ...]:
    """Return the standard deviations of every system compared with the baseline, by metric."""
    test_set = results.test_set
    dev = dev_set(results.experiment)
    s_dev = _tuned(results)
    scores = _run_scores(results.evaluation)
    summary_of = {(row.test_set, row.metric, row.system): row for row in results.evaluation.summaries}
    verdict_of = {(verdict.metric, verdict.system): verdict for verdict in results.verdicts()}

    rows = list[Spreads]()
    for answers in results.evaluation.answers:
        compared = answers.both
        if compared.test_set != test_set.name:
            continue
        if compared.difference == 0:  # copies of the baseline
            continue
        metric = compared.metric
        verdict = verdict_of[metric, compared.system]
        summary = summary_of[test_set.name, metric, compared.system]
        baseline_scores = scores[test_set.name, metric, compared.baseline]
        system_scores = scores[test_set.name, metric, compared.system]

        # Does the system vary more on the test set than on the tuning set? Only the same runs can show it.
        p_larger = nan
        if dev is not None and dev.name != test_set.name:
            tuned = scores.get((dev.name, metric, compared.system), {})
            if tuned.keys() == system_scores.keys():
                p_larger = equal_spread_p_value([*tuned.values()], [system_scores[run] for run in tuned])

        row = Spreads(
            metric=metric,
            metric_name=verdict.metric_name,
            notation=verdict.notation,
            baseline=compared.baseline,
            system=compared.system,
            unit=compared.unit,
            n_runs=summary.n_runs,
            s_opt=summary.s_opt,
            p_larger=p_larger,
            n_tested=0,
            s_dev=nan if test_set.role == "dev" else s_dev.get((metric, compared.system), nan),
            error_test_set=answers.error_over_units,
            error_runs=_error_of_runs(verdict.design, baseline_scores, system_scores),
            is_open=verdict.both == "open",
        )
        rows.append(row)

    n_tested = sum(not isnan(row.p_larger) for row in rows)
    p_adjusted = holm([row.p_larger for row in rows]).tolist()
    return tuple(replace(row, p_larger=p, n_tested=n_tested) for row, p in zip(rows, p_adjusted, strict=True))


def _error_of_runs(design: Design, baseline: Mapping[str, float], system: Mapping[str, float]) -> float:
    """Return the standard error of the difference due to the runs, by their design; NaN for a single run."""
    if design == "paired":
        gains = [score - baseline.get(run, nan) for run, score in system.items()]
        return _standard_error(gains)
    if design == "released":
        return nan
    error_of_baseline = _standard_error([*baseline.values()])
    if design == "candidate" and len(system) == 1:
        # The single run is assumed to vary as the baseline's runs do: s^2 (1 + 1 / n)
        return error_of_baseline * sqrt(len(baseline) + 1)
    error_of_system = _standard_error([*system.values()])
    if design == "fixed":
        return error_of_system
    return hypot(error_of_system, error_of_baseline)


def _standard_error(scores: Sequence[float]) -> float:
    """Return the standard error of a mean of scores; NaN for one score."""
    return sqrt(variance(np.array(scores)) / len(scores))
