"""The sources of variance of the runs that were observed, on which predictions and plans rest."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mteval.analysis.comparison import OfPair
from mteval.base.arrays import FloatArray
from mteval.stats.crossed_layout import Components
from mteval.stats.planning import Sources, variance_factors
from mteval.stats.runs import satterthwaite
from mteval.values.settings import Design

PLAN_CONFIDENCE = 0.8  # of the interval of each variance in a plan


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
    covariances
        Of the scores of the same runs on this and on other test sets, one per entry of ``sources.runs``: a second
        estimate of the variance between runs, without output noise. Empty if there is no other test set.
    """

    components: Components
    sources: Sources
    alone: tuple[float, ...]
    design: Design = "independent"
    covariances: tuple[float, ...] = ()

    @property
    def is_larger_elsewhere(self) -> bool:
        """Whether runs vary more by their covariance with other test sets than by this test set alone."""
        counts = self.components.shape[:-1]
        by_this_test_set = sum(np.divide(self.sources.runs, counts))
        return len(self.covariances) > 0 and sum(np.divide(self.covariances, counts)) > by_this_test_set

    @property
    def planned(self) -> Sources:
        """Sources of variance that plans use: with the larger of two estimates of the variance between runs."""
        if self.is_larger_elsewhere:
            return replace(self.sources, runs=self.covariances)
        return self.sources

    @property
    def is_noise(self) -> bool:
        """Whether runs vary no more than the noise of single outputs, as far as these runs tell."""
        return not self.sources.are_samples and not sum(self.planned.runs) > 0

    @property
    def bounds(self) -> tuple[Sources, Sources]:
        """Return sources with the variances that these runs and units leave possible: all low, and all high.

        Each variance has a chi-square interval of 80%; both together cover the runs needed about nine times in ten.
        The variance between runs is a mean square less output noise, and so is that of segments.
        """
        planned = self.planned
        *counts, n_units = self.components.shape
        if planned.are_samples:
            return planned, planned
        df_units = planned.df_of(n_units)
        df_pairs = sum(n - 1 for n in counts) * df_units
        df_runs = satterthwaite(self.components.runs, [n - 1 for n in counts])
        if not np.isfinite(df_runs):
            return planned, planned
        noise = sum(self.components.pairs)
        run_parts = np.divide(planned.runs, counts)
        mean_squares = float(sum(self.components.runs))
        if self.is_larger_elsewhere:
            mean_squares = float(run_parts.sum()) + noise
        # How the variance is divided between the systems; by their mean squares if all of it may be noise
        shares = run_parts if run_parts.sum() > 0 else np.asarray(self.components.runs)
        shares = shares / shares.sum()

        bounds = []
        noise_factors = variance_factors(df_pairs, PLAN_CONFIDENCE)
        for place in (0, 1):
            noise_there = noise * noise_factors[1 - place]
            runs = max(0.0, mean_squares * variance_factors(df_runs, PLAN_CONFIDENCE)[place] - noise_there)
            segments = self.components.segments * variance_factors(df_units, PLAN_CONFIDENCE)[place] - noise_there
            bounds.append(
                replace(
                    planned,
                    runs=tuple((runs * shares * counts).tolist()),
                    segments=max(0.0, segments) * n_units,
                )
            )
        return bounds[0], bounds[1]


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
