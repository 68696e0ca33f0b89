"""Test procedures on many simulated experiments at once: the same formulas as matrix products.

A procedure that has no such formula here is asked about one experiment after the other, which takes its time.

Everything has the axes ``simulations, runs, segments, d``. Shuffles and replicates are drawn once for each number of
runs and shared by all simulations, whose data differ; that saves most of the time. Sums are float32, exact for counts.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr, stdtr
from scipy.stats import wilcoxon

from benchmarks.mean_squares import mean_squares
from mteval.stats import PROCEDURES, ProcedureSpec
from mteval.stats.base import How
from mteval.stats.procedures.registry import usual

Array = npt.NDArray[np.float32]
Score = Callable[[Array], npt.NDArray[np.floating]]
TOLERANCE = 1e-6
MOST_DIVISIONS = 1_000


@dataclass(frozen=True)
class Draws:
    """Random shuffles and replicates for ``n`` runs of ``n_segments`` segments; ``n_draws`` of each kind."""

    n_baseline: int
    n_system: int
    n_segments: int
    n_draws: int
    seed: int

    def _generator(self, purpose: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, purpose, self.n_baseline, self.n_system])

    @cached_property
    def segments(self) -> Array:
        """Return which segments change sides, shape ``(segments, draws)``."""
        return self._generator(1).integers(0, 2, (self.n_segments, self.n_draws)).astype(np.float32)

    @cached_property
    def outputs(self) -> Array:
        """Return which outputs change sides, shape ``(runs * segments, draws)``."""
        size = (self.n_baseline * self.n_segments, self.n_draws)
        return self._generator(2).integers(0, 2, size).astype(np.float32)

    @cached_property
    def counts(self) -> Array:
        """How often each replicate has each segment, shape ``(segments, draws)``."""
        chances = np.full(self.n_segments, 1 / self.n_segments)
        return self._generator(3).multinomial(self.n_segments, chances, self.n_draws).T.astype(np.float32)

    @cached_property
    def run_counts(self) -> tuple[Array, Array]:
        """How often each replicate of the two-level bootstrap has each run, as shares, shapes ``(runs, draws)``."""
        generator = self._generator(4)

        def shares(n_runs: int) -> Array:
            counts = generator.multinomial(n_runs, np.full(n_runs, 1 / n_runs), self.n_draws)
            return counts.T.astype(np.float32) / n_runs

        return shares(self.n_baseline), shares(self.n_system)

    @cached_property
    def multeval(self) -> tuple[Array, Array]:
        """MultEval's two sides as weights of the outputs of both systems, shapes ``(2 * runs * segments, draws)``.

        Run r of the first side is the one that a random permutation of the segment's runs names, from either system by
        a coin; run r of the second side is the one that the *inverse* permutation names, from the other system.
        """
        n_runs = self.n_baseline
        generator = self._generator(5)
        shape = (self.n_draws, self.n_segments, n_runs)
        permutations = generator.random(shape).argsort(axis=2)
        inverse_permutations = permutations.argsort(axis=2)
        from_system = generator.integers(0, 2, shape).astype(np.float32)

        def weights_of(places: npt.NDArray[np.int64], from_system: Array) -> Array:
            """Return the weights of a side whose runs are the ones at some places, of the system or the baseline."""
            weights = np.zeros((2, n_runs, self.n_segments, self.n_draws), dtype=np.float32)
            for place_of_system, is_from in enumerate((1 - from_system, from_system)):
                by_run = np.zeros_like(is_from)
                np.put_along_axis(by_run, places, is_from, axis=2)
                weights[place_of_system] = by_run.transpose(2, 1, 0)
            return weights.reshape(-1, self.n_draws)

        first_side = weights_of(permutations, from_system)
        second_side = weights_of(inverse_permutations, 1 - from_system)
        return first_side, second_side

    @cached_property
    def divisions(self) -> npt.NDArray[np.int64]:
        """Return divisions of the runs: all of them, or random ones if there are many."""
        total = self.n_baseline + self.n_system
        if comb(total, self.n_system) <= MOST_DIVISIONS:
            return np.array(list(combinations(range(total), self.n_system)))
        drawn = self._generator(6).random((self.n_draws, total)).argsort(axis=1)
        return drawn[:, : self.n_system]


@dataclass(frozen=True)
class Batch:
    """Simulated experiments: ``baseline`` and ``system`` have shape ``(simulations, runs, segments, d)``."""

    baseline: Array
    system: Array
    score: Score
    is_mean: bool

    @cached_property
    def pooled(self) -> tuple[Array, Array]:
        """Averages over runs, shapes ``(simulations, segments, d)``."""
        return self.baseline.mean(axis=1), self.system.mean(axis=1)

    @cached_property
    def run_scores(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Scores of the runs, shapes ``(simulations, runs)``."""
        baseline = self.score(self.baseline.sum(axis=2))
        system = self.score(self.system.sum(axis=2))
        return baseline.astype(np.float64), system.astype(np.float64)

    @property
    def n_runs(self) -> tuple[int, int]:
        """Of either system."""
        return self.baseline.shape[1], self.system.shape[1]


def p_values(batch: Batch, draws: Draws, contributions: Callable[[Array], Array]) -> Iterator[tuple[str, Array]]:
    """P-value of every simulation by every usual procedure that the numbers of runs allow, and by some of others.

    Parameters
    ----------
    contributions
        From statistics ``(simulations, runs, segments, d)`` to linearised contributions without the last axis.
    """
    done = set[str]()
    for key, p in _at_once(batch, draws, contributions):
        done.add(key)
        yield key, p
    for key in usual():
        if key not in done and _is_applicable(PROCEDURES[key], batch):
            yield key, _one_by_one(batch, PROCEDURES[key], draws)


def _is_applicable(spec: ProcedureSpec, batch: Batch) -> bool:
    """Return whether a procedure takes these numbers of runs, and this metric."""
    n_baseline, n_system = batch.n_runs
    if min(n_baseline, n_system) < spec.min_runs:
        return False
    if spec.pairs_runs and n_baseline != n_system:
        return False
    return batch.is_mean or not spec.needs_segment_mean


def _one_by_one(batch: Batch, spec: ProcedureSpec, draws: Draws) -> Array:
    """Return p-values by the procedure itself."""
    how = How(draws.n_draws, np.random.SeedSequence(draws.seed), "two-sided", 0.95)
    experiments = zip(batch.baseline.astype(np.float64), batch.system.astype(np.float64), strict=True)
    return np.array([spec.function(baseline, system, batch.score, how).p_value for baseline, system in experiments])


def _at_once(batch: Batch, draws: Draws, contributions: Callable[[Array], Array]) -> Iterator[tuple[str, Array]]:
    """Return p-values by the formulas below."""
    yield "ar-segment", exchanged(*batch.pooled, draws.segments, 1, batch.score)
    yield from _from_replicates(batch, draws)
    if batch.is_mean:
        yield from _on_segment_scores(batch)
    yield "two-level bootstrap", _two_level(batch, draws)
    n_baseline, n_system = batch.n_runs
    if n_baseline == n_system:
        # All outputs of a system in a row: shape (simulations, runs * segments, d).
        baseline = batch.baseline.reshape(len(batch.baseline), -1, batch.baseline.shape[3])
        system = batch.system.reshape(len(batch.system), -1, batch.system.shape[3])
        yield "ar-output", exchanged(baseline, system, draws.outputs, n_baseline, batch.score)
        yield "MultEval's shuffle", _multeval(baseline, system, draws, n_baseline, batch.score)
    if min(n_baseline, n_system) > 1:
        yield "run-permutation", _run_permutation(batch, draws)
        yield "welch", _welch(batch)
        yield "two-way", two_way(batch, contributions)


def _weighted(weights: Array, values: Array) -> Array:
    """Sums ``(draws, simulations, d)`` of values ``(simulations, rows, d)`` by weights ``(rows, draws)``."""
    n, rows, d = values.shape
    return (weights.T @ values.transpose(1, 0, 2).reshape(rows, n * d)).reshape(-1, n, d)


def _share(null: Array, observed: Array) -> Array:
    """Return the p-value: the share of draws at least as far from zero, the observed one being a draw too."""
    reached = np.abs(null) >= np.abs(observed) - TOLERANCE
    return (reached.sum(axis=0) + 1) / (len(null) + 1)


def exchanged(baseline: Array, system: Array, weights: Array, scale: int, score: Score) -> Array:
    """Approximate randomization of the rows of two systems."""
    system_sums = system.sum(axis=1)
    total = baseline.sum(axis=1) + system_sums
    exchanged_sums = _weighted(weights, baseline - system) + system_sums
    null = score(exchanged_sums / scale) - score((total - exchanged_sums) / scale)
    observed = score(system_sums / scale) - score((total - system_sums) / scale)
    return _share(null, observed)


def _multeval(baseline: Array, system: Array, draws: Draws, n_runs: int, score: Score) -> Array:
    """Return p-values by MultEval's shuffle."""
    outputs = np.concatenate([baseline, system], axis=1)
    first, second = (score(_weighted(weights, outputs) / n_runs) for weights in draws.multeval)
    observed = score(system.sum(axis=1) / n_runs) - score(baseline.sum(axis=1) / n_runs)
    larger = np.abs(first - second) > np.abs(observed) + TOLERANCE  # strictly, as MultEval counts
    return (larger.sum(axis=0) + 1) / (len(first) + 1)


def _from_replicates(batch: Batch, draws: Draws) -> Iterator[tuple[str, Array]]:
    """Yield p-values by the three tests that take the same replicates of segments."""
    baseline, system = batch.pooled
    observed = batch.score(system.sum(axis=1)) - batch.score(baseline.sum(axis=1))
    replicates = batch.score(_weighted(draws.counts, system)) - batch.score(_weighted(draws.counts, baseline))
    yield "bootstrap-shift", _share(replicates - replicates.mean(axis=0), observed)
    absolute = np.abs(replicates)
    reached = absolute - absolute.mean(axis=0) >= np.abs(observed) - TOLERANCE
    yield "bootstrap-rm2005", (reached.sum(axis=0) + 1) / (len(replicates) + 1)
    yield "paired-bootstrap", _percentile(replicates)


def _percentile(replicates: Array) -> Array:
    """Return twice the smaller share of replicates on one side of zero."""
    beyond = np.minimum((replicates <= 0).sum(axis=0), (replicates >= 0).sum(axis=0)) + 1
    return np.minimum(1.0, 2 * beyond / (len(replicates) + 1))


def _on_segment_scores(batch: Batch) -> Iterator[tuple[str, Array]]:
    """Yield p-values by tests of segment scores."""
    baseline, system = batch.pooled
    gains = (system - baseline)[:, :, 0].astype(np.float64)
    n = gains.shape[1]
    better = (gains > 0).sum(axis=1)
    yield "sign", np.minimum(1.0, 2 * bdtr(np.minimum(better, n - better), n, 0.5))
    yield "wilcoxon", wilcoxon(gains, axis=1).pvalue
    t = gains.mean(axis=1) / (gains.std(axis=1, ddof=1) / np.sqrt(n))
    yield "paired-t", 2 * stdtr(n - 1, -np.abs(t))


def _two_level(batch: Batch, draws: Draws) -> Array:
    """Return the share of replicates beyond zero, with runs and segments drawn with replacement."""
    sides = []
    for runs, shares in zip((batch.baseline, batch.system), draws.run_counts, strict=True):
        total: Array | float = 0.0
        for run in range(runs.shape[1]):
            total = total + _weighted(draws.counts, runs[:, run]) * shares[run][:, np.newaxis, np.newaxis]
        sides.append(batch.score(np.asarray(total)))
    return _percentile(sides[1] - sides[0])


def _run_permutation(batch: Batch, draws: Draws) -> Array:
    """Return p-values by dividing the scores of all runs anew."""
    baseline, system = batch.run_scores
    n_baseline, n_system = batch.n_runs
    scores = np.concatenate([baseline, system], axis=1)
    is_system = np.zeros((len(draws.divisions), scores.shape[1]))  # a row per division
    np.put_along_axis(is_system, draws.divisions, 1.0, axis=1)
    sums = is_system @ scores.T
    null = sums / n_system - (scores.sum(axis=1) - sums) / n_baseline
    observed = system.mean(axis=1) - baseline.mean(axis=1)
    share = _share(null, observed)
    is_exact = comb(scores.shape[1], n_system) <= MOST_DIVISIONS
    if is_exact:
        # The observed division is among all of them, so it is not counted once more.
        return ((len(null) + 1) * share - 1) / len(null)
    return share


def _welch(batch: Batch) -> Array:
    """Return p-values by Welch's t-test of run scores."""
    baseline, system = batch.run_scores
    n_baseline, n_system = batch.n_runs
    of_baseline = baseline.var(axis=1, ddof=1) / n_baseline
    of_system = system.var(axis=1, ddof=1) / n_system
    variance = of_baseline + of_system
    df = variance**2 / (of_baseline**2 / (n_baseline - 1) + of_system**2 / (n_system - 1))
    difference = system.mean(axis=1) - baseline.mean(axis=1)
    return 2 * stdtr(df, -np.abs(difference) / np.sqrt(variance))


def two_way(batch: Batch, contributions: Callable[[Array], Array]) -> Array:
    """P-value of every simulation by the crossed layout of runs and segments."""
    baseline = contributions(batch.baseline).astype(np.float64)
    system = contributions(batch.system).astype(np.float64)
    baseline_scores, system_scores = batch.run_scores
    difference = system_scores.mean(axis=1) - baseline_scores.mean(axis=1)
    return mean_squares([baseline, system]).printed_p_values(difference)
