"""The observed runs as a pool from which smaller experiments are drawn, its sources of variance, and outlying runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from mteval.analysis.comparison import NONE_SHARED, Case
from mteval.analysis.findings import findings_of
from mteval.analysis.noticed import curve_of, with_share
from mteval.analysis.replication.variation import Prospect, Variation
from mteval.analysis.scoring import Scored, Work, n_documents, summed
from mteval.analysis.summary import coverages
from mteval.analysis.two_answers import answered, questions, verdict_on
from mteval.base.arrays import FloatArray, StatArray
from mteval.base.errors import DataError
from mteval.base.words import counted
from mteval.metrics import catalog
from mteval.metrics.base import MetricSpec
from mteval.stats.crossed_layout import components_of_samples
from mteval.stats.planning import Sources, variance_factors
from mteval.stats.procedures.registry import answering
from mteval.stats.units import df_of_units, uneven_refusal, unit_values
from mteval.values.model import Experiment
from mteval.values.run_words import RUN, RunWord
from mteval.values.settings import Design, Settings
from mteval.values.verdict import Coverage, Verdict

SEGMENTS = "test set"
FEWEST_SHARED = 3  # runs on two test sets, for a covariance


@dataclass(frozen=True)
class Pool(Case):
    """All runs of a baseline and a system by one metric on one test set, with the verdict's question.

    Segments that any of these runs lacks are skipped.

    Parameters
    ----------
    design
        How the runs of the two systems are related.
    runs
        The user's word for a run.
    elsewhere
        The same metric on other test sets, which say more about the variance between runs.
    """

    design: Design = "independent"
    runs: RunWord = RUN
    elsewhere: tuple[Scored, ...] = ()

    @property
    def unit(self) -> str:
        """Return the unit of the test set: ``segment`` or ``document``."""
        return self.question.unit

    @property
    def sizes(self) -> tuple[int, int]:
        """Return the number of runs of the baseline and the system."""
        return len(self.scores[0]), len(self.scores[1])

    @property
    def n_units(self) -> int:
        """Return the number of segments or documents."""
        return int(self.units[0].shape[1])

    @property
    def coverage(self) -> Coverage:
        """Return the coverage of the pair: segments and documents that no run of either lacks."""
        coverage = next(row for row in coverages([self.scored]) if row.system == self.system)
        return replace(
            coverage,
            n_segments=int(np.count_nonzero(self.present)),
            n_documents=n_documents(self.scored.test_set, self.present),
        )

    @property
    def direction(self) -> int:
        """Return 1 if higher scores are better, otherwise -1."""
        return 1 if self.scored.metric.higher_is_better else -1

    def run_keys(self, side: int) -> tuple[str, ...]:
        """Return the run keys of the baseline (0) or the system (1)."""
        return self.scored.run_keys((self.baseline, self.system)[side])


def pool_of(scored: Scored, baseline: str, system: str, settings: Settings, elsewhere: Iterable[Scored] = ()) -> Pool:
    """Return the pool of two systems.

    Parameters
    ----------
    elsewhere
        What was scored, of which the same metric on other test sets serves as a second look at the runs. Tuning sets,
        on which runs were chosen, do not.

    Raises
    ------
    DataError
        If a system has no output on the test set, or a run has no score.
    """
    test_set = scored.test_set.name
    for key in (baseline, system):
        if key not in scored.statistics:
            raise DataError(f"'{key}' has no output on test set '{test_set}'. Choose another test set.")
    if not scored.present(baseline, system).any():
        reason = settings.runs.filled(NONE_SHARED)
        raise DataError(f"Test set '{test_set}': {reason} Choose another metric or test set.")

    _, question_of_both = questions(scored, settings)
    design = settings.design
    if design == "candidate":  # one that is worth further runs has runs like any system
        design = "independent"
    others = tuple(
        candidate
        for candidate in elsewhere
        if candidate.metric == scored.metric
        and candidate.test_set.name != test_set
        and candidate.test_set.role != "dev"
    )
    pool = Pool(scored, baseline, system, question_of_both, design=design, runs=settings.runs, elsewhere=others)
    for side, key in enumerate((baseline, system)):
        undefined = np.flatnonzero(np.isnan(pool.scores[side]))
        if len(undefined):
            noun = settings.runs.noun
            run = pool.run_keys(side)[undefined[0]]
            raise DataError(
                f"System '{key}', {noun} '{run}' has no {scored.metric.name} score on '{test_set}'."
                f" Remove the {noun}, or choose another metric."
            )
    return pool


def verdict_of(pool: Pool, experiment: Experiment, settings: Settings, spec: MetricSpec, work: Work) -> Verdict:
    """Return the verdict on the system, corrected for the other systems compared with the baseline."""
    of_systems = answered(experiment, (pool.scored,), settings, work, settings.primary_metric)
    answers = next(answers for answers in of_systems.answers if answers.both.system == pool.system)
    findings = findings_of(experiment, (pool.scored,), replace(settings, metrics=(spec.key,)))
    verdict = verdict_on(answers, answers.n_runs, settings, spec, pool.coverage).with_findings(findings)
    verdict = with_share(verdict, curve_of(pool.scored.metric))
    given = {metric.key: metric for metric in experiment.given}
    if spec.key in given:
        verdict = replace(verdict, is_of_people=given[spec.key].is_of_people)
    for row in of_systems.together:
        if row.system == pool.system:
            return row.on(verdict, settings.level)
    return verdict


def verdicts_by_people_of(pool: Pool, experiment: Experiment, settings: Settings, work: Work) -> tuple[Verdict, ...]:
    """Return the verdicts on the system by human scores other than the metric, on the same test set."""
    if not any(given.is_of_people for given in experiment.given):
        return ()
    from mteval.analysis import human_scores  # few experiments have some

    test_set = experiment.test_set(pool.scored.test_set.name)
    judged = replace(experiment, test_sets=(test_set,))
    beside_metric = replace(settings, metrics=(pool.scored.metric.key,))
    scored_metrics = human_scores.scored_by_people(judged, beside_metric, work)
    specs = catalog(experiment.given)
    verdicts = []
    for answers in human_scores.answers_by_people(judged, scored_metrics, beside_metric, work):
        if answers.both.system == pool.system:
            verdicts.append(human_scores.verdict_by_people(answers, beside_metric, specs[answers.both.metric]))
    return tuple(verdicts)


Runs = Pool | Prospect  # enough to predict other runs


def variation_of(pool: Pool) -> Variation:
    """Estimate the variance components from linearised scores, as the verdict's procedure does.

    Raises
    ------
    DataError
        If there are too few runs or units, or only copies of a run.
    """
    if pool.design == "released":
        return _variation_of_samples(pool)
    spec = answering("both", pool.unit, pool.design)
    assert spec.components is not None  # as has every procedure for both kinds of luck
    assert spec.refusal is not None
    _check_units(pool, spec.refusal(*pool.units))

    baseline, system = _values_of_units(pool, pool.units)
    components = spec.components(baseline, system, df_of_units(pool.unit_sizes, baseline.shape[1]))
    sources = Sources.estimated(components)
    alone: tuple[float, ...] = ()
    if not spec.pairs_runs:
        sides = (baseline, system)[-len(sources.pairs) :]  # only the system's against a fixed baseline
        alone = _variances_alone(sides, sources)
    return Variation(components, sources, alone, pool.design, _covariances(pool, len(sources.runs)))


def _covariances(pool: Pool, n_entries: int) -> tuple[float, ...]:
    """Return the mean covariance of run scores with each other test set, of both systems or of the system alone.

    Empty if no other test set has the same runs; not for gains of paired runs.
    """
    if pool.design == "paired":
        return ()
    covariances = []
    for system in (pool.baseline, pool.system)[-n_entries:]:
        of_system = []
        for scored_elsewhere in pool.elsewhere:
            covariance = _covariance(pool.scored, scored_elsewhere, system)
            if covariance == covariance:  # not NaN
                of_system.append(covariance)
        if not of_system:
            return ()
        covariances.append(max(0.0, float(np.mean(of_system))))
    return tuple(covariances)


def _covariance(first: Scored, second: Scored, system: str) -> float:
    """Return the covariance of a system's run scores on two test sets; NaN if they share fewer than three runs."""
    if system not in second.statistics:
        return float("nan")
    first_scores = dict(zip(first.run_keys(system), first.run_scores[system].tolist(), strict=True))
    second_scores = dict(zip(second.run_keys(system), second.run_scores[system].tolist(), strict=True))
    shared_runs = [run for run in first_scores if run in second_scores]
    if len(shared_runs) < FEWEST_SHARED:
        return float("nan")
    scores = np.array([[first_scores[run], second_scores[run]] for run in shared_runs])
    return float(np.cov(scores, rowvar=False)[0, 1])


def _variation_of_samples(pool: Pool) -> Variation:
    """Estimate the variance components of two models that will not be trained again."""
    units = _samples(pool)
    _check_units(pool, "")
    baseline, system = _values_of_units(pool, units)
    components = components_of_samples(baseline, system, df_of_units(pool.unit_sizes, baseline.shape[1]))
    sources = Sources.estimated(components, are_samples=True)
    return Variation(components, sources, _variances_alone((baseline, system), sources), pool.design)


def _check_units(pool: Pool, refusal: str) -> None:
    """Raise ``DataError`` for a refusal of the procedure, or if the units cannot show test-set luck."""
    if pool.n_units < 2:
        refusal = f"The test set has one {pool.unit}, so the variation between them is unknown."
    if not refusal:
        refusal = uneven_refusal(pool.unit_sizes)
    if refusal:
        raise DataError(pool.runs.filled(refusal))


def _values_of_units(pool: Pool, units: tuple[StatArray, StatArray]) -> tuple[FloatArray, FloatArray]:
    """Return the unit values of baseline and system, shape ``(runs, units)`` each."""
    score = pool.scored.scorer.score
    baseline, system = units
    return unit_values(baseline, score, pool.unit_sizes), unit_values(system, score, pool.unit_sizes)


def _variances_alone(sides: Sequence[FloatArray], sources: Sources) -> tuple[float, ...]:
    """Return the variance over units of each system in unlimited runs: without the noise of single outputs."""
    variances = []
    for values, pair in zip(sides, sources.pairs, strict=True):
        over_units = float(values.mean(axis=0).var(ddof=1))
        variances.append(max(0.0, over_units - pair / len(values)))
    return tuple(variances)


def _samples(pool: Pool) -> tuple[StatArray, StatArray]:
    """Return the outputs of released models by unit: runs, or the samples that make them up."""
    scored = pool.scored
    units = list(pool.units)
    for side, system in enumerate((pool.baseline, pool.system)):
        if system in scored.samples:
            outputs = np.concatenate(scored.samples[system])[:, pool.present]
            units[side] = summed(scored.test_set, outputs, pool.unit, pool.present)
    return units[0], units[1]


def variance_frame(
    pool: Runs, variation: Variation, names: tuple[str, str] | None = None, word: RunWord = RUN
) -> pd.DataFrame:
    """Return the variance of a score and of a difference by source, in squared points.

    Columns are ``what``, ``source``, ``variance`` and ``share``.

    Parameters
    ----------
    names
        Names of baseline and system; by default their keys.
    word
        The user's word for a run.
    """
    names = names or (pool.baseline, pool.system)
    sources = variation.sources
    n_units = pool.n_units

    # Names of scores and differences, and the parts of their variance: runs, test set, and their interaction
    parts_of: list[tuple[str, tuple[float, float, float]]] = []
    systems = names[2 - len(variation.alone) :]
    for system, run, own, pair in zip(systems, sources.runs, variation.alone, sources.pairs, strict=False):
        parts_of.append((f"score of one {word.noun} of {system}", (run, own / n_units, pair / n_units)))

    def parts_with(counts: Sequence[int]) -> tuple[float, float, float]:
        """Return the parts of a difference of averages of that many runs."""
        runs = sum(run / count for run, count in zip(sources.runs, counts, strict=True))
        pairs = sum(pair / count for pair, count in zip(sources.pairs, counts, strict=True))
        return runs, sources.segments / n_units, pairs / n_units

    *sizes, _ = variation.components.shape
    of_single_runs, of_averages = _labels_of_differences(pool, variation, names[0], word)
    parts_of.append((of_single_runs, parts_with([1] * len(sizes))))
    if max(sizes) > 1:
        parts_of.append((of_averages, parts_with(sizes)))

    rows = []
    for label, parts in parts_of:
        total = sum(parts)
        for source, part in zip((word.nouns, SEGMENTS, f"{word.nouns} × {SEGMENTS}"), parts, strict=True):
            share = part / total if total else np.nan
            rows.append((label, source, part, share))
    return pd.DataFrame(rows, columns=["what", "source", "variance", "share"])


def _labels_of_differences(pool: Runs, variation: Variation, baseline: str, word: RunWord) -> tuple[str, str]:
    """Return names of the difference of single runs, and of that of all runs."""
    *sizes, _ = variation.components.shape
    n_system = counted(sizes[-1], word.noun)
    if variation.design == "paired":
        n_pairs = counted(pool.sizes[1], "pair")
        return f"difference of one pair of {word.nouns}", f"average difference of {n_pairs} of {word.nouns}"
    if variation.design == "fixed":
        return (
            f"difference of one {word.noun} from {baseline}",
            f"difference of the average of {n_system} from {baseline}",
        )
    return f"difference of one {word.noun} each", f"difference of the averages of {sizes[0]} and {n_system}"


def uncertainty_frame(
    pool: Pool, variation: Variation, names: tuple[str, str] | None = None, word: RunWord = RUN
) -> pd.DataFrame:
    """Return the standard deviations with their uncertainty, one row each.

    Columns are ``source, standard_deviation, df, low, high``. ``df`` are degrees of freedom, ``low`` and ``high`` the
    95% chi-square interval. ``names`` and ``word`` are as in ``variance_frame``.
    """
    labels = [f"{name}, between {word.nouns}" for name in names or (pool.baseline, pool.system)]
    if variation.design == "paired":
        labels = ["difference of a pair, between pairs"]
    elif variation.design == "fixed":
        labels = labels[1:]

    components = variation.components
    *sizes, n_units = components.shape
    estimates = []  # with variance and degrees of freedom
    for label, variance_of_mean, n in zip(labels, components.runs, sizes, strict=True):
        estimates.append((label, variance_of_mean * n, float(n - 1)))
    estimates.append((f"difference, from the {SEGMENTS}", components.segments, variation.sources.df_of(n_units)))

    rows = []
    for label, variance, df in estimates:
        if df == 0:  # one sample
            continue
        low, high = variance_factors(df, 0.95)
        deviation = float(np.sqrt(variance))
        rows.append((label, deviation, df, deviation * low**0.5, deviation * high**0.5))
    return pd.DataFrame(rows, columns=["source", "standard_deviation", "df", "low", "high"])
