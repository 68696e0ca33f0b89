"""What the people in the files say beside the metrics: answers by human scores that are not among the metrics."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from mteval.analysis.scoring import Scored, Work, score_experiment
from mteval.analysis.two_answers import TwoAnswers, two_answers, verdict_on
from mteval.base.words import listed
from mteval.metrics import catalog, lacking, resolve
from mteval.metrics.base import MetricSpec
from mteval.values.findings import Finding
from mteval.values.model import Experiment
from mteval.values.settings import Settings
from mteval.values.verdict import Coverage, Verdict


def scored_by_people(experiment: Experiment, settings: Settings, work: Work) -> tuple[Scored, ...]:
    """Return the human scores of an experiment that are not among the metrics; nothing is computed for them."""
    keys = [given.key for given in experiment.given if given.is_of_people and given.key not in settings.metrics]
    if not keys:
        return ()
    metrics = resolve(_of_people(settings, keys), experiment.given)
    usable = [metric for metric in metrics if not lacking(metric, experiment)]
    return score_experiment(experiment, usable, work)


def answers_by_people(
    experiment: Experiment, human_scores: Sequence[Scored], settings: Settings, work: Work
) -> tuple[TwoAnswers, ...]:
    """Return the answers by human scores; p is adjusted for the number of systems, never together with metrics."""
    if not human_scores:
        return ()
    keys = dict.fromkeys(scored.metric.key for scored in human_scores)
    return two_answers(experiment, human_scores, _of_people(settings, keys), work)


def verdict_by_people(
    answers: TwoAnswers, settings: Settings, spec: MetricSpec, coverage: Coverage | None = None
) -> Verdict:
    """Return the verdict on one system by human scores that are not among the metrics."""
    verdict = verdict_on(answers, answers.n_runs, replace(settings, decision="primary"), spec, coverage)
    return replace(verdict, is_of_people=True)


def verdicts_on_candidate(
    experiments: Mapping[str, Experiment],
    test_sets: Collection[str],
    pair: tuple[str, str],
    settings: Settings,
    work: Work,
) -> tuple[Verdict, ...]:
    """Return the verdicts on one system alone by human scores that are not among the metrics.

    Parameters
    ----------
    experiments
        By name, which is put before the names of test sets if there are several.
    test_sets
        Names of the test sets.
    pair
        The baseline, and the system.
    """
    verdicts = []
    for name, experiment in experiments.items():
        specs = catalog(experiment.given)
        chosen = [test_set for test_set in experiment.test_sets if test_set.name in test_sets]
        if not chosen:
            continue
        judged = replace(experiment, test_sets=tuple(chosen))
        of_pair = []
        for scored in scored_by_people(judged, settings, work):
            statistics = {system: scored.statistics[system] for system in pair if system in scored.statistics}
            of_pair.append(replace(scored, statistics=statistics))
        compared = replace(judged, baseline=pair[0])
        for answers in answers_by_people(compared, of_pair, settings, work):
            verdict = verdict_by_people(answers, settings, specs[answers.both.metric])
            if len(experiments) > 1:
                verdict = replace(verdict, test_set=f"{name}/{verdict.test_set}")
            verdicts.append(verdict)
    return tuple(verdicts)


def findings_by_people(baseline: str, human_scores: Iterable[Scored]) -> Iterator[Finding]:
    """Yield human scores that give no verdict, since they lack the baseline or every other system."""
    for scored in human_scores:
        judged = list(scored.statistics)
        if not judged or (baseline in judged and len(judged) > 1):
            continue
        start = f"People judged only {listed(judged)} ({scored.metric.name}), so they give no verdict."
        if judged == [baseline]:
            remedy = "Add their scores of another system."
        else:
            remedy = f"Choose a judged baseline, or add their scores of {baseline}."
        yield Finding("people-alone", f"{start} {remedy}", test_set=scored.test_set.name)


def _of_people(settings: Settings, keys: Iterable[str]) -> Settings:
    """Return settings for human scores by themselves, however the metrics decide together."""
    return replace(settings, metrics=tuple(keys), decision="primary")
