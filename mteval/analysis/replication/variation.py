"""Where the variance of a score and of a difference comes from, and how well that is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mteval.analysis.replication.pool import Pool, Runs
from mteval.analysis.work import frame_of
from mteval.base.arrays import FloatArray
from mteval.base.errors import DataError
from mteval.base.words import counted
from mteval.stats.crossed_layout import Components
from mteval.stats.planning import Sources, variance_factors
from mteval.stats.procedures.registry import answering
from mteval.stats.runs import satterthwaite
from mteval.stats.units import df_of_units, uneven_refusal, unit_values
from mteval.values.settings import Design

RUNS, SEGMENTS, PAIRS = "runs", "test set", "runs × test set"


@dataclass(frozen=True)
class VarianceRow:
    """The part of a variance that one source brings, in squared points, and its share."""

    what: str
    source: str
    variance: float
    share: float


@dataclass(frozen=True)
class UncertaintyRow:
    """A standard deviation from so many degrees of freedom, with its 95% chi-square interval."""

    source: str
    standard_deviation: float
    df: float
    low: float
    high: float


@dataclass(frozen=True)
class Variation:
    """Variance of a pool, by where it comes from.

    Parameters
    ----------
    components
        Of the difference of the mean scores of all runs.
    sources
        The same for one run, or pair of runs, and one unit.
    alone
        For baseline and system the variance of units, for one unit: that of the score, not of the difference. For the
        system alone where the baseline is fixed, and for neither where runs are paired.
    design
        How the runs of the two belong together.
    """

    components: Components
    sources: Sources
    alone: tuple[float, ...]
    design: Design = "independent"

    @property
    def run_factors(self) -> tuple[float, float]:
        """By what factors the variance between runs may lie below and above its estimate, at 95%."""
        df = satterthwaite(self.components.runs, [n - 1 for n in self.components.shape[:-1]])
        return variance_factors(df, 0.95) if np.isfinite(df) else (1.0, 1.0)


def variation_of(pool: Pool) -> Variation:
    """Estimate the components from linearised scores, as the verdict's procedure does where runs are so declared.

    Raises
    ------
    DataError
        Where there are too few runs or units, or only copies of a run.
    """
    spec = answering("both", pool.unit, pool.design)
    assert spec.components is not None  # every procedure that answers about both kinds of luck has these
    assert spec.refusal is not None
    refusal = spec.refusal(*pool.units)
    if pool.n_units < 2:
        refusal = f"The test set has one {pool.unit}; how much they differ cannot be known."
    refusal = refusal or uneven_refusal(pool.unit_sizes)
    if refusal:
        raise DataError(refusal)
    parts = [unit_values(units, pool.scored.scorer.score, pool.unit_sizes) for units in pool.units]
    components = spec.components(parts[0], parts[1], df_of_units(pool.unit_sizes))
    sources = Sources.estimated(components)
    counted_parts = [] if spec.pairs_runs else parts[-len(sources.pairs) :]
    alone = [_units_alone(part, pair) for part, pair in zip(counted_parts, sources.pairs, strict=False)]
    return Variation(components, sources, tuple(alone), pool.design)


def _units_alone(contribution: FloatArray, pair: float) -> float:
    """Variance of the units of one system in endless runs."""
    return max(0.0, float(contribution.mean(axis=0).var(ddof=1)) - pair / len(contribution))


def variance_frame(pool: Runs, variation: Variation) -> pd.DataFrame:
    """Variance of a score and of a difference by source, and shares, with the columns of ``VarianceRow``."""
    sources, n = variation.sources, pool.n_units
    rows: list[VarianceRow] = []
    systems = (pool.baseline, pool.system)[2 - len(variation.alone) :]
    for system, run, own, pair in zip(systems, sources.runs, variation.alone, sources.pairs, strict=False):
        rows += _shares(f"score of one run of {system}", (run, own / n, pair / n))
    *sizes, _ = variation.components.shape
    for label, counts in zip(_differences(pool, variation.design), ([1] * len(sizes), sizes), strict=True):
        runs = sum(run / count for run, count in zip(sources.runs, counts, strict=True))
        pairs = sum(pair / count for pair, count in zip(sources.pairs, counts, strict=True))
        rows += _shares(label, (runs, sources.segments / n, pairs / n))
    return frame_of(rows, VarianceRow)


def _differences(pool: Runs, design: Design) -> tuple[str, str]:
    """What the difference of one run each and that of all of them are called."""
    n_baseline, n_system = pool.sizes
    return {
        "independent": (
            "difference of one run each",
            f"difference of the averages of {n_baseline} and {counted(n_system, 'run')}",
        ),
        "paired": ("difference of one pair of runs", f"average difference of {counted(n_system, 'pair')} of runs"),
        "fixed": (
            f"difference of one run from {pool.baseline}",
            f"difference of the average of {counted(n_system, 'run')} from {pool.baseline}",
        ),
    }[design]


def _shares(what: str, parts: Sequence[float]) -> list[VarianceRow]:
    total = sum(parts)
    named = zip((RUNS, SEGMENTS, PAIRS), parts, strict=True)
    return [VarianceRow(what, name, part, part / total if total else np.nan) for name, part in named]


def uncertainty_frame(pool: Pool, variation: Variation) -> pd.DataFrame:
    """How well the standard deviations are known: one row each, with the columns of ``UncertaintyRow``."""
    rows = []
    for name, deviation, df in _deviations(pool, variation):
        low, high = variance_factors(df, 0.95)
        rows.append(UncertaintyRow(name, deviation, df, deviation * low**0.5, deviation * high**0.5))
    return frame_of(rows, UncertaintyRow)


def _deviations(pool: Pool, variation: Variation) -> Iterator[tuple[str, float, float]]:
    """Name, standard deviation and degrees of freedom of what varies."""
    components = variation.components
    *sizes, n_units = components.shape
    names = {
        "independent": [f"{pool.baseline}, between runs", f"{pool.system}, between runs"],
        "paired": ["difference of a pair, between pairs"],
        "fixed": [f"{pool.system}, between runs"],
    }[variation.design]
    for name, part, n in zip(names, components.runs, sizes, strict=True):
        yield name, float(np.sqrt(part * n)), n - 1
    yield "difference, from the test set", float(np.sqrt(components.segments)), variation.sources.df_of(n_units)
