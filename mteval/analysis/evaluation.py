"""Score, summarise and compare in one call."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib.metadata import version
from itertools import chain, product
from types import MappingProxyType

import numpy as np
import pandas as pd
import scipy

from mteval._version import __version__
from mteval.analysis import summary as per_system
from mteval.analysis.comparison import Comparison
from mteval.analysis.equality import Halvings, halvings
from mteval.analysis.findings import findings_of
from mteval.analysis.judge_answers import JudgeAnswers, judge_answers
from mteval.analysis.noticed import Curve, curve_of
from mteval.analysis.pairs import ranking
from mteval.analysis.replication.variation import Prospect
from mteval.analysis.scoring import Row, Scored, Work, frame_of, score_experiment
from mteval.analysis.two_answers import (
    JointVerdict,
    TogetherRow,
    TwoAnswers,
    answered,
    joint_verdicts,
    questions,
    signatures,
)
from mteval.base.errors import MissingDependencyError
from mteval.metrics import catalog, resolve
from mteval.metrics.base import MetricSpec
from mteval.metrics.edits.ter import DistanceScorer, nearest_path
from mteval.values.claim import Claim, claimed_test_sets
from mteval.values.findings import Finding
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import CONVENTIONS, Settings
from mteval.values.verdict import Coverage, Ranking

RANKS = ("test_set", "metric", "system", "mean", "first_rank", "last_rank", "group", "confidence")

# Settings that change neither summaries nor replicates, and those that do not change split-half checks
NOT_OF_SUMMARIES = ("n_shuffles", "design", "strict", "decision", "confidence", "workers")
NOT_OF_HALVINGS = ("n_shuffles", "n_bootstrap", "workers")


def _framed(rows: str, kind: type[Row]) -> cached_property[pd.DataFrame]:
    """Return a cached property: the rows of one of the fields below as a frame."""
    return cached_property(lambda evaluation: frame_of(getattr(evaluation, rows), kind))


@dataclass(frozen=True, eq=False)
class Evaluation:
    """All results of an experiment under some settings; equal to itself alone.

    Each field of rows is also available as a frame, with the columns of its row type: ``scores``, ``summary``,
    ``resampled``, ``coverage``, ``samples``, ``errors``, ``judge_answers``, ``own_runs``, ``simultaneous``,
    ``intervals``, ``parts``, ``claimed``, ``ranks`` and ``comparisons``.

    Parameters
    ----------
    run_scores
        One per test set, metric, system and run.
    summaries, replicated
        One per test set, metric and system: statistics of the run scores, and of the scores on bootstrap replicates.
    answers
        One per test set, metric and system compared with the baseline.
    covered
        The segments behind the numbers, one per test set, metric and system.
    rankings
        Of all systems by the primary metric, one per test set. Empty for few systems, and for a metric without a better
        direction.
    metrics
        Description of every metric of the settings, by key.
    signatures
        For each test set and metric, the options that determine the numbers, in sacreBLEU's form.
    versions
        Of mteval, Python and the packages that determine the numbers.
    prospects
        By the primary metric, the runs from which other runs can be predicted, one per test set and system. Empty for
        many systems.
    claims
        Over all test sets that no system was tuned on, by every metric. Empty for a single such test set.
    halved
        Split-half checks by the primary metric, one per system with at least six runs.
    together
        Simultaneous intervals by the primary metric. Empty for a single comparison.
    sampled
        One per test set, metric and system whose runs have several samples.
    marked
        Errors marked by metrics: one per test set, metric, system and severity.
    judged
        How often answers of LLM judges were understood: one per test set, judge and system.
    ranges, components
        Intervals of mean scores, one per test set, metric and system; components of the score of each run.
    findings
        What is odd about the data, warnings first.
    by_people
        As ``answers``, by human scores that are not among the metrics. They are shown beside the verdicts by metrics.
    covered_by_people
        As ``covered``, by these scores.
    claims_by_people
        As ``claims``, by these scores.
    of_people
        Description of every human score, by key, whether or not it is among the metrics.
    curves
        How often people prefer the better-scored system, by metric; metrics of which nothing is known have none.
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
    prospects: tuple[Prospect, ...] = ()
    claims: tuple[Claim, ...] = ()
    sampled: tuple[per_system.SampledRow, ...] = ()
    marked: tuple[per_system.ErrorRow, ...] = ()
    judged: tuple[JudgeAnswers, ...] = ()
    halved: tuple[Halvings, ...] = ()
    together: tuple[TogetherRow, ...] = ()
    ranges: tuple[per_system.MeanInterval, ...] = ()
    components: tuple[per_system.ScorePart, ...] = ()
    findings: tuple[Finding, ...] = ()
    by_people: tuple[TwoAnswers, ...] = ()
    covered_by_people: tuple[Coverage, ...] = ()
    claims_by_people: tuple[Claim, ...] = ()
    of_people: Mapping[str, MetricSpec] = field(default_factory=dict)
    curves: Mapping[str, Curve] = field(default_factory=dict)

    scores = _framed("run_scores", per_system.RunScore)
    summary = _framed("summaries", per_system.Summary)
    resampled = _framed("replicated", per_system.Resampled)
    coverage = _framed("covered", Coverage)
    samples = _framed("sampled", per_system.SampledRow)
    errors = _framed("marked", per_system.ErrorRow)
    judge_answers = _framed("judged", JudgeAnswers)
    own_runs = _framed("halved", Halvings)
    simultaneous = _framed("together", TogetherRow)
    intervals = _framed("ranges", per_system.MeanInterval)
    parts = _framed("components", per_system.ScorePart)

    @cached_property
    def together_by_all(self) -> tuple[JointVerdict, ...]:
        """Return a verdict by all metrics per test set and system; empty unless the settings ask for it."""
        if self.settings.decision != "all":
            return ()
        metrics = [metric for metric in self.settings.metrics if self.metrics[metric].notation.has_direction]
        verdicts: list[JointVerdict] = []
        for test_set in self.signatures:
            verdicts += joint_verdicts(self.answers, metrics, test_set, self.settings)
        return tuple(verdicts)

    @cached_property
    def joint(self) -> pd.DataFrame:
        """Return ``together_by_all`` as a frame, conclusions in words."""
        frame = frame_of(self.together_by_all, JointVerdict)
        return frame.assign(conclusion=[row.conclusion.word for row in self.together_by_all])

    @cached_property
    def claimed(self) -> pd.DataFrame:
        """Return the claims as a frame, with the columns ``CLAIMS``."""
        from mteval.analysis.several_test_sets import claims_frame  # here: most experiments have one test set

        return claims_frame(self.claims)

    @property
    def claimed_by_people(self) -> pd.DataFrame:
        """Return the claims by human scores that are not among the metrics, as a frame."""
        from mteval.analysis.several_test_sets import claims_frame  # as above

        return claims_frame(self.claims_by_people)

    @cached_property
    def ranks(self) -> pd.DataFrame:
        """Return the rankings as a frame, one row per system, with the confidence of all their rank ranges together."""
        rows = []
        for on_test_set in self.rankings:
            for ranked in on_test_set.rows:
                row = (
                    on_test_set.test_set,
                    on_test_set.metric,
                    ranked.system,
                    ranked.mean,
                    ranked.first,
                    ranked.last,
                    ranked.group,
                    1 - on_test_set.level,
                )
                rows.append(row)
        return pd.DataFrame(rows, columns=list(RANKS))

    @cached_property
    def comparisons(self) -> pd.DataFrame:
        """Return the answers as a frame, two rows each, with the columns of ``Comparison``."""
        return frame_of(chain.from_iterable(self.answers), Comparison)


def evaluate(experiment: Experiment, settings: Settings, work: Work) -> Evaluation:
    """Score all runs by all metrics, summarise them, and compare every system with the baseline.

    Raises
    ------
    SettingsError, MissingDependencyError
        If a metric is unavailable under these settings.
    CancelledError
        If the work was cancelled.
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
    """Evaluate what was scored before, so that new numbers of shuffles or replicates need no scoring.

    Parameters
    ----------
    earlier
        An evaluation of the same systems and runs with the same baseline. Results that do not depend on the changed
        settings are taken from it.
    """
    baseline = experiment.baseline
    if earlier is not None and _differ_at_most_in(NOT_OF_SUMMARIES, earlier.settings, settings):
        summaries = earlier.summaries
        replicated = earlier.replicated
    else:
        summaries, replicated = per_system.summaries(scored_metrics, settings, work)
    specs = {metric: catalog(experiment.given)[metric] for metric in settings.metrics}
    of_systems = answered(experiment, scored_metrics, settings, work, settings.primary_metric)
    beside = _beside(experiment, settings, work)

    # By the primary metric only
    primary = [scored for scored in scored_metrics if scored.metric.key == settings.primary_metric]
    halved: tuple[Halvings, ...] = ()
    if earlier is not None and _differ_at_most_in(NOT_OF_HALVINGS, earlier.settings, settings):
        halved = earlier.halved
    else:
        for scored in primary:
            _, question_of_both = questions(scored, settings)
            halved += halvings(scored, question_of_both.unit, settings, work)
    rankings = []
    if specs[settings.primary_metric].notation.has_direction:
        for scored in primary:
            ranked = ranking(scored, settings, work)
            if ranked is not None:
                rankings.append(ranked)

    marked: list[per_system.ErrorRow] = []
    judged: list[JudgeAnswers] = []
    for scored in scored_metrics:
        marked += per_system.error_rows(scored, settings)
        judged += judge_answers(scored, baseline)
    return Evaluation(
        settings=settings,
        run_scores=per_system.run_scores(scored_metrics),
        summaries=summaries,
        replicated=replicated,
        answers=of_systems.answers,
        covered=tuple(per_system.coverages(scored_metrics)),
        metrics=specs,
        signatures=signatures(experiment, scored_metrics, settings),
        versions=dict(versions()),
        rankings=tuple(rankings),
        prospects=_prospects(experiment, scored_metrics, settings),
        claims=_claims(experiment, scored_metrics, specs, settings),
        sampled=tuple(per_system.sampled_rows(scored_metrics, settings, work)),
        marked=tuple(marked),
        judged=tuple(judged),
        halved=halved,
        together=of_systems.together,
        ranges=tuple(per_system.mean_intervals(scored_metrics, settings)),
        components=tuple(per_system.score_parts(scored_metrics)),
        findings=(*beside.findings, *findings_of(experiment, scored_metrics, settings)),
        by_people=beside.answers,
        covered_by_people=beside.covered,
        claims_by_people=beside.claims,
        of_people=specs_of_people(experiment),
        curves=_curves(scored_metrics),
    )


@dataclass(frozen=True)
class _Beside:
    """What human scores that are not among the metrics say, as in ``Evaluation``."""

    answers: tuple[TwoAnswers, ...] = ()
    covered: tuple[Coverage, ...] = ()
    claims: tuple[Claim, ...] = ()
    findings: tuple[Finding, ...] = ()


def _beside(experiment: Experiment, settings: Settings, work: Work) -> _Beside:
    """Return what human scores beside the metrics say; empty for most experiments."""
    if all(not given.is_of_people or given.key in settings.metrics for given in experiment.given):
        return _Beside()
    from mteval.analysis import human_scores  # few experiments have some

    scored = human_scores.scored_by_people(experiment, settings, work)
    specs = {key: spec for key, spec in specs_of_people(experiment).items() if key not in settings.metrics}
    return _Beside(
        answers=human_scores.answers_by_people(experiment, scored, settings, work),
        covered=tuple(per_system.coverages(scored)),
        claims=_claims(experiment, scored, specs, settings),
        findings=tuple(human_scores.findings_by_people(experiment.baseline, scored)),
    )


def _prospects(experiment: Experiment, scored_metrics: Sequence[Scored], settings: Settings) -> tuple[Prospect, ...]:
    """Return the runs of each test set and system by the primary metric; empty if nothing is compared."""
    if len(experiment.systems) < 2:
        return ()
    from mteval.analysis.replication.planning import prospects  # here: a single system has nothing to predict

    return tuple(prospects(experiment.baseline, scored_metrics, settings.primary_metric, settings))


def _claims(
    experiment: Experiment, scored_metrics: Iterable[Scored], specs: Mapping[str, MetricSpec], settings: Settings
) -> tuple[Claim, ...]:
    """Return the claims over all test sets but the tuning sets; empty for fewer than two."""
    test_sets = claimed_test_sets(experiment.test_sets)
    if len(test_sets) < 2:
        return ()
    from mteval.analysis.several_test_sets import claims_on  # here: most experiments have one test set

    return claims_on(test_sets, scored_metrics, specs, experiment.baseline, settings)


def specs_of_people(experiment: Experiment) -> Mapping[str, MetricSpec]:
    """Return the descriptions of human scores, by key."""
    known = catalog(experiment.given)
    return {given.key: known[given.key] for given in experiment.given if given.is_of_people}


def _curves(scored_metrics: Sequence[Scored]) -> Mapping[str, Curve]:
    """Return the curves of the metrics that have one."""
    curves = {}
    for scored in scored_metrics:
        curve = curve_of(scored.metric)
        if curve is not None:
            curves[scored.metric.key] = curve
    return curves


def _differ_at_most_in(names: Sequence[str], earlier: Settings, settings: Settings) -> bool:
    """Return whether two settings are equal but for some fields."""
    changed = {name: getattr(settings, name) for name in names}
    return replace(earlier, **changed) == settings


@cache
def versions() -> Mapping[str, str]:
    """Return the versions of mteval, Python and the packages that determine the numbers."""
    # NumPy and SciPy are loaded anyway and know theirs; others are asked from their metadata, which takes milliseconds
    packages = {
        "numpy": np.__version__,
        "numba": version("numba"),
        "scipy": scipy.__version__,
        "sacrebleu": version("sacrebleu"),
    }
    return MappingProxyType({"mteval": __version__, "python": platform.python_version(), **packages})


def prepare_usual(work: Work) -> None:
    """Compile what the default metrics and tests need."""
    for convention in CONVENTIONS:
        _evaluate(Settings(convention=convention, n_bootstrap=2, n_shuffles=1), work)


def prepare_further(work: Work) -> None:
    """Compile what pages and other metrics need, and build METEOR's index of paraphrases.

    Metrics whose data are not installed are skipped.
    """
    from mteval.stats.replication import differences_by_k  # few commands draw runs

    nearest_path(("a", "b"), (("b", "a"),), DistanceScorer.rules)
    # So many runs that combinations of six of them are drawn at random
    scores_of_runs = np.arange(12.0)
    differences_by_k(scores_of_runs, scores_of_runs, [6], np.random.SeedSequence(0))
    for metric in ("nist", "meteor"):
        with suppress(MissingDependencyError):
            _evaluate(Settings(metrics=(metric,), n_bootstrap=2, n_shuffles=1), work)


def _evaluate(settings: Settings, work: Work) -> None:
    """Evaluate two systems with two runs each on two segments."""
    references = (("the cat sat on the mat .",), ("a dog barked at night .",))
    runs = []
    for system, run in product("ab", "01"):
        runs.append(Run(system, run, (f"the cat {system} the mat .", f"a dog {run} at night .")))
    evaluate(Experiment((TestSet("test", references, tuple(runs)),), "a"), settings, work)
