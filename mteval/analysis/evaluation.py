"""The main job in one call: score, summarise, compare.

Two sentences evaluated, so that compiled code is there before somebody waits for it: the first time it is made.
"""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.metadata import version
from itertools import chain
from types import MappingProxyType

import pandas as pd

from mteval._version import __version__
from mteval.analysis import summary as per_system
from mteval.analysis.comparison import Comparison
from mteval.analysis.corrections import BorrowedRow, borrowed_rows
from mteval.analysis.equality import Halvings, halvings
from mteval.analysis.error_spans import ErrorRow, error_rows
from mteval.analysis.pairs import ranking
from mteval.analysis.replication.planning import prospects
from mteval.analysis.replication.pool import Prospect
from mteval.analysis.scoring import Scored, score_experiment
from mteval.analysis.several_test_sets import claimed_test_sets, claims_frame, claims_on
from mteval.analysis.significance import TogetherRow, together_rows
from mteval.analysis.two_answers import TwoAnswers, questions, signatures, two_answers
from mteval.analysis.work import Row, Work, frame_of
from mteval.base.errors import MissingDependencyError
from mteval.metrics import catalog, resolve
from mteval.metrics.base import MetricSpec
from mteval.stats import PROCEDURES
from mteval.values.claim import Claim
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import CONVENTIONS, Settings
from mteval.values.verdict import Coverage, Ranking


def _framed(rows: str, kind: type[Row]) -> cached_property[pd.DataFrame]:
    """One of the fields below as a frame, with the columns of its rows' type."""
    return cached_property(lambda evaluation: frame_of(getattr(evaluation, rows), kind))


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What the tables, figures and files are made of; equal to itself alone.

    Parameters
    ----------
    run_scores
        One a test set, metric, system and run.
    summaries, replicated
        One a test set, metric and system: of its run scores, and of its scores on bootstrap replicates.
    answers
        One a test set, metric and system that was compared with the baseline.
    covered
        What the numbers rest on, one a test set, metric and system.
    rankings
        Of all systems by the primary metric, one a test set; none of few systems, and where neither direction of the
        metric is better.
    metrics
        How to describe every metric of the settings, by key.
    signatures
        For each test set and metric the options that decide the numbers, in sacreBLEU's form.
    versions
        Of the program and of what it computes with.
    borrowed
        The verdicts by the primary metric with run variances that borrow from all systems; none of fewer than four.
    prospects
        What the runs say of other runs, by the primary metric, one a test set and system; none of many systems.
    claims
        Over all test sets that no system was tuned on, by every metric; none where there is one such test set.
    halved
        The verdict by the primary metric on halves of the runs of each system that has six or more.
    together
        Intervals by the primary metric that hold together for all systems; none where one is compared.
    sampled
        Of systems that have several samples of a run, one a test set, metric and system.
    marked
        Errors that metrics marked in outputs: one a test set, metric, system and severity.
    """

    settings: Settings
    run_scores: tuple[per_system.RunScore, ...]
    summaries: tuple[per_system.Summary, ...]
    replicated: tuple[per_system.Resampled, ...]
    answers: tuple[TwoAnswers, ...]
    covered: tuple[Coverage, ...]
    metrics: Mapping[str, MetricSpec]
    signatures: Mapping[str, Mapping[str, str]]
    versions: Mapping[str, str]
    rankings: tuple[Ranking, ...] = ()
    borrowed: tuple[BorrowedRow, ...] = ()
    prospects: tuple[Prospect, ...] = ()
    claims: tuple[Claim, ...] = ()
    sampled: tuple[per_system.SampledRow, ...] = ()
    marked: tuple[ErrorRow, ...] = ()
    halved: tuple[Halvings, ...] = ()
    together: tuple[TogetherRow, ...] = ()

    scores = _framed("run_scores", per_system.RunScore)
    summary = _framed("summaries", per_system.Summary)
    resampled = _framed("replicated", per_system.Resampled)
    coverage = _framed("covered", Coverage)
    samples = _framed("sampled", per_system.SampledRow)
    errors = _framed("marked", ErrorRow)
    sensitivity = _framed("borrowed", BorrowedRow)
    own_runs = _framed("halved", Halvings)
    simultaneous = _framed("together", TogetherRow)

    @cached_property
    def claimed(self) -> pd.DataFrame:
        """The claims as a frame, with the columns ``CLAIMS``."""
        return claims_frame(self.claims)

    @cached_property
    def comparisons(self) -> pd.DataFrame:
        """The answers as a frame, two rows each, with the columns of ``Comparison``."""
        return frame_of(chain.from_iterable(self.answers), Comparison)


def evaluate(experiment: Experiment, settings: Settings, work: Work) -> Evaluation:
    """Score all runs by all metrics, summarise them and compare every system with the baseline.

    Raises
    ------
    SettingsError, MissingDependencyError
        Where a metric cannot be had as the settings want it.
    CancelledError
        When the work was told to stop.
    """
    scored_metrics = score_experiment(experiment, resolve(settings, experiment.given), work)
    return evaluate_scored(experiment, scored_metrics, settings, work)


def evaluate_scored(
    experiment: Experiment,
    scored_metrics: Sequence[Scored],
    settings: Settings,
    work: Work,
    earlier: Evaluation | None = None,
) -> Evaluation:
    """All of ``evaluate`` but the scoring, so that new numbers of shuffles or replicates score nothing again.

    ``earlier`` is an evaluation of the same systems and runs with the same baseline; what does not depend on the
    settings that have changed since is taken over from it.
    """
    of_tests = ("n_shuffles", "exchange_unit", "design", "confidence", "workers")  # no summary depends on them
    if earlier is not None and _differ_at_most_in(of_tests, earlier.settings, settings):
        summarized, replicated = earlier.summaries, earlier.replicated
    else:
        summarized, replicated = per_system.summaries(scored_metrics, settings, work)
    specs = {key: catalog(experiment.given)[key] for key in settings.metrics}
    answers = two_answers(experiment, scored_metrics, settings, work, _settled(earlier, settings))
    primary = [scored for scored in scored_metrics if scored.metric.key == settings.primary_metric]
    ranked = primary if specs[settings.primary_metric].notation.has_direction else []
    if earlier is not None and _differ_at_most_in(("n_shuffles", "n_bootstrap", "workers"), earlier.settings, settings):
        halved = earlier.halved
    else:
        units = ((scored, questions(scored, settings)[1].unit) for scored in primary)
        halved = tuple(chain.from_iterable(halvings(scored, unit, settings, work) for scored, unit in units))
    return Evaluation(
        settings=settings,
        run_scores=per_system.run_scores(scored_metrics),
        summaries=summarized,
        replicated=replicated,
        answers=answers,
        covered=tuple(per_system.coverages(scored_metrics)),
        metrics=specs,
        signatures=signatures(experiment, scored_metrics, settings),
        versions=dict(versions()),
        borrowed=tuple(chain.from_iterable(borrowed_rows(scored, answers, settings) for scored in primary)),
        rankings=tuple(filter(None, (ranking(scored, settings, work) for scored in ranked))),
        prospects=tuple(prospects(experiment.baseline, scored_metrics, settings.primary_metric, settings)),
        sampled=tuple(per_system.sampled_rows(scored_metrics, settings, work)),
        marked=tuple(chain.from_iterable(error_rows(scored, settings, work) for scored in scored_metrics)),
        halved=halved,
        together=tuple(
            chain.from_iterable(together_rows(scored, experiment.baseline, settings, work) for scored in primary)
        ),
        claims=claims_on(claimed_test_sets(experiment.test_sets), scored_metrics, specs, experiment.baseline, settings),
    )


def _settled(earlier: Evaluation | None, settings: Settings) -> Iterator[Comparison]:
    """Comparisons by procedures that draw nothing, where only the number of draws has changed."""
    if earlier is None or not _differ_at_most_in(("n_shuffles", "workers"), earlier.settings, settings):
        return
    for compared in chain.from_iterable(earlier.answers):
        if not PROCEDURES[compared.procedure].is_resampled:
            yield compared


def _differ_at_most_in(names: Sequence[str], some: Settings, other: Settings) -> bool:
    return replace(some, **{name: getattr(other, name) for name in names}) == other


@cache
def versions() -> Mapping[str, str]:
    """Versions of the program, of Python and of the packages that decide numbers."""
    packages = {name: version(name) for name in ("numpy", "numba", "scipy", "sacrebleu")}
    return MappingProxyType({"mteval": __version__, "python": platform.python_version(), **packages})


FURTHER = ("nist", "meteor")


def prepare_usual(work: Work) -> None:
    """What the usual metrics and tests need."""
    for convention in CONVENTIONS:
        _evaluate(Settings(convention=convention, n_bootstrap=2, n_shuffles=1), work)


def prepare_further(work: Work) -> None:
    """What metrics need that bring compiled code of their own, METEOR its index of paraphrases as well.

    One whose data are not installed needs nothing.
    """
    for metric in FURTHER:
        with suppress(MissingDependencyError):
            _evaluate(Settings(metrics=(metric,), n_bootstrap=2, n_shuffles=1), work)


def _evaluate(settings: Settings, work: Work) -> None:
    references = (("the cat sat on the mat .",), ("a dog barked at night .",))
    runs = tuple(
        Run(system, run, (f"the cat {system} the mat .", f"a dog {run} at night ."))
        for system in ("a", "b")
        for run in ("0", "1")
    )
    evaluate(Experiment((TestSet("test", references, runs),), "a"), settings, work)
