"""The observed runs as a pool from which smaller experiments are drawn, its sources of variance, and outlying runs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from mteval.analysis.comparison import NONE_SHARED, Case, OfPair
from mteval.analysis.findings import findings_of
from mteval.analysis.scoring import Scored, Work, n_documents, summed
from mteval.analysis.significance import together_rows
from mteval.analysis.summary import coverages
from mteval.analysis.two_answers import questions, two_answers, verdict_on
from mteval.base.arrays import FloatArray, StatArray
from mteval.base.errors import DataError
from mteval.base.words import counted
from mteval.metrics.base import MetricSpec
from mteval.stats.crossed_layout import Components, components_of_samples
from mteval.stats.planning import Sources, variance_factors
from mteval.stats.procedures.registry import answering
from mteval.stats.runs import satterthwaite
from mteval.stats.units import df_of_units, uneven_refusal, unit_values
from mteval.values.model import Experiment
from mteval.values.run_words import RUN, RunWord
from mteval.values.settings import Design, Settings
from mteval.values.verdict import Coverage, Verdict


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
    """

    design: Design = "independent"
    runs: RunWord = RUN

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
        of_system = next(row for row in coverages([self.scored]) if row.system == self.system)
        n_segments, n_of = int(np.count_nonzero(self.present)), n_documents(self.scored.test_set, self.present)
        return replace(of_system, n_segments=n_segments, n_documents=n_of)

    @property
    def direction(self) -> int:
        """Return 1 if higher scores are better, otherwise -1."""
        return 1 if self.scored.metric.higher_is_better else -1

    def run_keys(self, side: int) -> tuple[str, ...]:
        """Return the run keys of the baseline (0) or the system (1)."""
        return self.scored.run_keys((self.baseline, self.system)[side])


def pool_of(scored: Scored, baseline: str, system: str, settings: Settings) -> Pool:
    """Return the pool of two systems.

    Raises
    ------
    DataError
        If a system has no output on the test set, or a run has no score.
    """
    name = scored.test_set.name
    for key in (baseline, system):
        if key not in scored.statistics:
            raise DataError(f"'{key}' has no output on test set '{name}'. Choose another test set.")
    if not scored.present(baseline, system).any():
        raise DataError(f"Test set '{name}': {settings.runs.filled(NONE_SHARED)} Choose another metric or test set.")
    _, question = questions(scored, settings)
    # a candidate that is worth further runs has runs like any system
    design: Design = "independent" if settings.design == "candidate" else settings.design
    pool = Pool(scored, baseline, system, question, design=design, runs=settings.runs)
    for side, scores in enumerate(pool.scores):
        undefined = np.flatnonzero(np.isnan(scores))
        if len(undefined):
            run, noun = pool.run_keys(side)[undefined[0]], settings.runs.noun
            text = f"System '{(baseline, system)[side]}', {noun} '{run}' has no {scored.metric.name} score on '{name}'."
            raise DataError(f"{text} Remove the {noun}, or choose another metric.")
    return pool


def verdict_of(pool: Pool, experiment: Experiment, settings: Settings, spec: MetricSpec, work: Work) -> Verdict:
    """Return the verdict on the system, corrected for the other systems compared with the baseline."""
    all_answers = two_answers(experiment, (pool.scored,), settings, work)
    answers = next(one for one in all_answers if one.both.system == pool.system)
    found = findings_of(experiment, (pool.scored,), replace(settings, metrics=(spec.key,)))
    verdict = verdict_on(answers, answers.n_runs, settings, spec, pool.coverage).with_findings(found)
    is_primary = spec.key == settings.primary_metric
    rows = together_rows(pool.scored, experiment.baseline, settings, work) if is_primary else ()
    return next((row.on(verdict) for row in rows if row.system == pool.system), verdict)


SEGMENTS = "test set"


@dataclass(frozen=True)
class Variation:
    """The variance of a pool by source.

    Parameters
    ----------
    components
        Of the difference of the mean scores of all runs.
    sources
        For one run, or pair of runs, and one unit.
    alone
        Variance of the score over units, for one unit, of baseline and system. Only of the system if the baseline is
        fixed; empty if runs are paired.
    design
        How the runs of the two systems are related.
    """

    components: Components
    sources: Sources
    alone: tuple[float, ...]
    design: Design = "independent"

    @property
    def run_factors(self) -> tuple[float, float]:
        """Return the factors by which the variance between runs may lie below and above its estimate, at 95%."""
        if self.sources.are_samples:
            return 1.0, 1.0
        df = satterthwaite(self.components.runs, [n - 1 for n in self.components.shape[:-1]])
        return variance_factors(df, 0.95) if np.isfinite(df) else (1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Prospect(OfPair):
    """The runs of a system and the baseline by one metric, with their sources of variance.

    Parameters
    ----------
    scores
        Of the runs of baseline and system, shape ``(runs,)`` each.
    n_units
        Number of segments or documents (see ``unit``).
    """

    unit: str
    n_units: int
    scores: tuple[FloatArray, FloatArray]
    variation: Variation

    @property
    def sizes(self) -> tuple[int, int]:
        """Return the number of runs of the baseline and the system."""
        return len(self.scores[0]), len(self.scores[1])

    @property
    def difference(self) -> float:
        """Return the difference of the means of all runs, ``system - baseline``."""
        return float(self.scores[1].mean() - self.scores[0].mean())


Runs = Pool | Prospect  # enough to predict other runs


def variation_of(pool: Pool) -> Variation:
    """Estimate the variance components from linearised scores, as the verdict's procedure does.

    Raises
    ------
    DataError
        If there are too few runs or units, or only copies of a run.
    """
    is_released = pool.design == "released"
    spec = answering("both", pool.unit, "independent" if is_released else pool.design)
    assert spec.components is not None  # as has every procedure for both kinds of luck
    assert spec.refusal is not None
    units = _samples(pool) if is_released else pool.units
    refusal = "" if is_released else spec.refusal(*units)
    if pool.n_units < 2:
        refusal = f"The test set has one {pool.unit}, so the variation between them is unknown."
    if refusal := refusal or uneven_refusal(pool.unit_sizes):
        raise DataError(pool.runs.filled(refusal))
    parts = [unit_values(runs, pool.scored.scorer.score, pool.unit_sizes) for runs in units]
    of = components_of_samples if is_released else spec.components
    components = of(parts[0], parts[1], df_of_units(pool.unit_sizes, parts[0].shape[1]))
    sources = Sources.estimated(components, are_samples=is_released)
    counted_parts = [] if spec.pairs_runs else parts[-len(sources.pairs) :]
    alone = [  # the variance over units of one system in unlimited runs
        max(0.0, float(part.mean(axis=0).var(ddof=1)) - pair / len(part))
        for part, pair in zip(counted_parts, sources.pairs, strict=False)
    ]
    return Variation(components, sources, tuple(alone), pool.design)


def _samples(pool: Pool) -> tuple[StatArray, StatArray]:
    """Return the outputs of released models by unit: runs, or the samples that make them up."""
    scored, found = pool.scored, list(pool.units)
    for side, key in enumerate((pool.baseline, pool.system)):
        if key in scored.samples:
            outputs = np.concatenate(scored.samples[key])[:, pool.present]
            found[side] = summed(scored.test_set, outputs, pool.unit, pool.present)
    return found[0], found[1]


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
    sources, n, names = variation.sources, pool.n_units, names or (pool.baseline, pool.system)
    systems = names[2 - len(variation.alone) :]
    found = [
        (f"score of one {word.noun} of {system}", (run, own / n, pair / n))
        for system, run, own, pair in zip(systems, sources.runs, variation.alone, sources.pairs, strict=False)
    ]
    *sizes, _ = variation.components.shape
    noun, n_system, of_pairs = word.noun, counted(sizes[-1], word.noun), counted(pool.sizes[1], "pair")
    average = f"difference of the average of {n_system} from {names[0]}"
    of_both = (f"difference of one {noun} each", f"difference of the averages of {sizes[0]} and {n_system}")
    one_and_all = {
        "paired": (f"difference of one pair of {word.nouns}", f"average difference of {of_pairs} of {word.nouns}"),
        "fixed": (f"difference of one {noun} from {names[0]}", average),
    }.get(variation.design, of_both)
    for label, counts in zip(one_and_all, ([1] * len(sizes), sizes)[: 1 + (max(sizes) > 1)], strict=False):
        runs = sum(run / count for run, count in zip(sources.runs, counts, strict=True))
        pairs = sum(pair / count for pair, count in zip(sources.pairs, counts, strict=True))
        found.append((label, (runs, sources.segments / n, pairs / n)))
    by = (word.nouns, SEGMENTS, f"{word.nouns} × {SEGMENTS}")
    rows = [
        (what, source, part, part / sum(parts) if sum(parts) else np.nan)
        for what, parts in found
        for source, part in zip(by, parts, strict=True)
    ]
    return pd.DataFrame(rows, columns=["what", "source", "variance", "share"])


def uncertainty_frame(
    pool: Pool, variation: Variation, names: tuple[str, str] | None = None, word: RunWord = RUN
) -> pd.DataFrame:
    """Return the standard deviations with their uncertainty, one row each.

    Columns are ``source, standard_deviation, df, low, high``. ``df`` are degrees of freedom, ``low`` and ``high`` the
    95% chi-square interval. ``names`` and ``word`` are as in ``variance_frame``.
    """
    components = variation.components
    *sizes, n_units = components.shape
    between = [f"{name}, between {word.nouns}" for name in names or (pool.baseline, pool.system)]
    labels = {"paired": ["difference of a pair, between pairs"], "fixed": between[1:]}.get(variation.design, between)
    variances = [*(part * n for part, n in zip(components.runs, sizes, strict=True)), components.segments]
    dfs, rows = [*(float(n - 1) for n in sizes), variation.sources.df_of(n_units)], []
    for label, variance, df in zip([*labels, f"difference, from the {SEGMENTS}"], variances, dfs, strict=True):
        if not df:  # one sample
            continue
        low, high = variance_factors(df, 0.95)
        deviation = float(np.sqrt(variance))
        rows.append((label, deviation, df, deviation * low**0.5, deviation * high**0.5))
    return pd.DataFrame(rows, columns=["source", "standard_deviation", "df", "low", "high"])
