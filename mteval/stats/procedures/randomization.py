"""Stratified approximate randomization over the test set, with the runs taken as given.

Each shuffle exchanges the systems' outputs on each unit with probability 1/2 and scores both sides.

References
----------
Noreen (1989); Riezler and Maxwell (2005), Figure 1; Clark et al. (2011), section 4.2.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import lcm

import numpy as np

from mteval.base.arrays import FloatArray, IntArray, StatArray
from mteval.base.words import counted
from mteval.stats.base import (
    UNDEFINED,
    Alternative,
    HasScore,
    How,
    PairedResult,
    Score,
    ScoresExchanges,
    is_less_extreme,
)
from mteval.stats.multiplicity import max_t_reach
from mteval.stats.procedures.spec import ProcedureSpec
from mteval.stats.resampling.draws import Draws, Pools
from mteval.stats.resampling.streams import Chunk, chunks_of, stream_of
from mteval.stats.resampling.subset_sums import SHUFFLES_A_CHUNK, SubsetSums
from mteval.stats.stats_kernels import exchange
from mteval.stats.units import unit_values
from mteval.values.notation import p_value as written_p

UNITS_A_BLOCK = 1 << 16
UNITS_WORTH_THREADS = 1 << 13  # with fewer, handing out chunks takes longer than they do
# The most between the lowest and the highest sum that an integer holds; differences are taken in 64 bits
MOST_IN_INT16 = (1 << 16) - 2
MOST_IN_INT32 = (1 << 32) - 2


@dataclass(frozen=True)
class PooledPair:
    """Two systems with statistics averaged over runs, so that numbers of runs may differ.

    Parameters
    ----------
    baseline, system
        ``scale`` times the mean over runs, shape ``(units, d)``, so that counts stay integers.
    """

    baseline: StatArray
    system: StatArray
    scale: int
    score: Score

    @classmethod
    def of(cls, baseline: StatArray, system: StatArray, score: Score) -> "PooledPair":
        """Average statistics of shape ``(runs, units, d)``."""
        scale = lcm(len(baseline), len(system))
        return cls(_pooled(baseline, scale), _pooled(system, scale), scale, score)

    @cached_property
    def sums(self) -> FloatArray:
        """Sums over all units of baseline and system, shape ``(2, d)``."""
        return np.stack([self.baseline.sum(axis=0), self.system.sum(axis=0)]).astype(np.float64)

    @property
    def difference(self) -> float:
        """``system - baseline`` of the averaged statistics, in score points."""
        baseline, system = self.score(self.sums / self.scale)
        return float(system - baseline)


def _pooled(runs: StatArray, scale: int) -> StatArray:
    """Return ``scale`` times the mean over runs; without a copy where it is the only run."""
    sums: StatArray = runs[0] if len(runs) == 1 else runs.sum(axis=0)
    return sums if scale == len(runs) else sums * (scale // len(runs))


def ar_segment(baseline: StatArray, system: StatArray, score: Score, how: How) -> PairedResult:
    """Exchange whole units: all runs of a unit together.

    Exchanges statistics averaged over runs, so numbers of runs may differ and their order does not matter. Assumes
    independent units that are exchangeable under the null hypothesis.

    Returns
    -------
    ``statistic`` is ``score(averaged sums of system) - score(averaged sums of baseline)``, ``null`` the same difference
    after each shuffle, ``p_value`` from ``1 / (n_resamples + 1)`` to 1. The interval inverts the test
    (``multiplicity.max_t_reach``): it excludes zero exactly when p is at or below the level. NaN if p cannot be that
    small.
    """
    return _exchange(PooledPair.of(baseline, system, score), how, how.unit_sizes)


@dataclass(frozen=True)
class ExchangeBeyond:
    """Whether a difference is beyond a bound, by exchanging whole units.

    Parameters
    ----------
    p_above, p_below
        One-sided p-values of a difference above the bound, and below it; NaN for an undefined score.
    spread
        Standard deviation of the shuffled differences.
    """

    p_above: float
    p_below: float
    spread: float


def exchange_beyond(baseline: StatArray, system: StatArray, score: Score, bound: float, how: How) -> ExchangeBeyond:
    """Test by ``ar_segment`` whether the difference is above a bound, and whether it is below.

    An exchange of a unit also turns the sign of the unit's share of the bound, so nothing is linearised. With a bound
    of zero this is ``ar_segment`` itself. ``how.alternative`` is not used: both sides come from the same shuffles.

    Parameters
    ----------
    baseline, system
        Statistics of shape ``(runs, units, d)``.
    bound
        Of the raw difference, ``system - baseline``, in score points.
    """
    n_units = baseline.shape[1]
    sizes = np.ones(n_units, dtype=np.int64) if how.unit_sizes is None else how.unit_sizes
    n_segments = int(sizes.sum())

    # The bound is part of the system's score: a further column has the segments of the units that it holds. So a
    # shuffled difference loses the bound times the share of the units that stay, and gains it for the exchanged ones
    system_sizes = np.broadcast_to(sizes[:, np.newaxis], (len(system), n_units, 1)).astype(system.dtype)
    baseline_sizes = np.zeros((len(baseline), n_units, 1), dtype=baseline.dtype)

    def score_less_bound(sums: FloatArray) -> FloatArray:
        return np.asarray(score(sums[..., :-1]) - bound * sums[..., -1] / n_segments)

    pair = PooledPair.of(
        np.concatenate([baseline, baseline_sizes], axis=-1),
        np.concatenate([system, system_sizes], axis=-1),
        score_less_bound,
    )
    observed = pair.difference
    if np.isnan(observed):
        return ExchangeBeyond(np.nan, np.nan, np.nan)
    null = _shuffled_differences(pair, how)
    return ExchangeBeyond(
        p_value(observed, null, "greater"),
        p_value(observed, null, "less"),
        float(np.nanstd(null)),
    )


def ar_output(baseline: StatArray, system: StatArray, score: Score, how: How) -> PairedResult:
    """Exchange single outputs: run i of one system with run i of the other, each independently.

    As in Clark et al. (2011) and MultEval. Counts each run as new evidence about the test set, so it is far too liberal
    with several runs; kept to reproduce published numbers. The result depends on the order of runs. Refused (p = NaN,
    with a note) if numbers of runs differ.

    Returns
    -------
    As ``ar_segment``, on statistics pooled over runs.
    """
    if len(baseline) != len(system):
        note = (
            f"Exchanging outputs pairs the {{runs}}, but the baseline has {len(baseline)} and the system"
            f" {len(system)}. Use segments as units instead."
        )
        return PairedResult(PooledPair.of(baseline, system, score).difference, note=note)
    n_runs, _, d = baseline.shape
    outputs = PooledPair(baseline.reshape(-1, d), system.reshape(-1, d), n_runs, score)
    return _exchange(outputs, how)


def output_p_values(baseline: StatArray, system: StatArray, score: Score, draws: Draws, how: How) -> FloatArray:
    """Return the ``ar_output`` p-value of each draw from pools ``(runs, segments, d)``, shape ``(draws,)``."""
    each_run_alone = [(place, [place]) for place in range(draws.n_runs)]
    return Pools.of(baseline, system, score, draws).p_values(each_run_alone, how)


def segment_p_values(baseline: StatArray, system: StatArray, score: Score, draws: Draws, how: How) -> FloatArray:
    """Return the ``ar_segment`` p-value of each draw from pools ``(runs, segments, d)``, shape ``(draws,)``."""
    all_runs_together = [(0, list(range(draws.n_runs)))]
    return Pools.of(baseline, system, score, draws).p_values(all_runs_together, how)


def _exchange(pair: PooledPair, how: How, sizes: IntArray | None = None) -> PairedResult:
    """Exchange the rows of the pair, each with probability 1/2."""
    observed = pair.difference
    if np.isnan(observed):
        return PairedResult(observed, note=UNDEFINED)
    null = _shuffled_differences(pair, how)
    p = p_value(observed, null, how.alternative)
    level = 1 - how.confidence
    n_units = int(np.count_nonzero((pair.baseline != pair.system).any(axis=1)))
    smallest = smallest_p_value(n_units, "two-sided") if n_units else 0.0
    if not n_units or smallest > level:
        return PairedResult(observed, p_value=p, null=null, note=_too_few_note(smallest, how), smallest_p=smallest)

    gains = _values_of_units(pair.system, pair, sizes) - _values_of_units(pair.baseline, pair, sizes)
    variance = float(gains.var())
    own_share = 0.0
    if variance > 0:
        own_share = variance / (variance + pair.difference**2)
    reach = float(max_t_reach([observed], [null], [own_share], level)[0])
    return PairedResult(
        observed,
        low=observed - reach,
        high=observed + reach,
        p_value=p,
        null=null,
        own_share=own_share,
        smallest_p=smallest,
    )


def _values_of_units(pooled: StatArray, pair: PooledPair, sizes: IntArray | None) -> FloatArray:
    """Return the contributions of units to a system's score, shape ``(units,)``."""
    if pair.scale != 1:
        pooled = pooled / pair.scale
    values: FloatArray = unit_values(pooled[np.newaxis], pair.score, sizes)[0]
    return values


def smallest_p_value(n_units: int, alternative: Alternative) -> float:
    """Return the smallest possible p when exchanging that many units, whatever the number of shuffles.

    One of ``2^n`` exchanges is the observed one; its mirror image counts too for two-sided tests.
    """
    if alternative == "two-sided":
        return 2.0 ** (1 - n_units)
    return 2.0**-n_units


def _too_few_note(smallest_p: float, how: How) -> str:
    """Return a note that p cannot reach the level; empty if it can."""
    unit = "segment" if how.unit_sizes is None else "document"
    return too_few_units(smallest_p, unit, 1 - how.confidence)


def units_needed(level: float) -> int:
    """Return the fewest units whose exchange can give a two-sided p at or below the level."""
    return int(np.ceil(1 - np.log2(level)))


def too_few_units(smallest_p: float, unit: str, level: float, n_tests: int = 1) -> str:
    """Return a note that p cannot reach the level over so many tests; empty if it can.

    Parameters
    ----------
    smallest_p
        As in ``PairedResult``, two-sided.
    """
    if smallest_p * n_tests <= level:
        return ""
    n_units = round(1 - np.log2(smallest_p))
    n_needed = units_needed(level / n_tests)
    smallest = written_p(min(1.0, smallest_p * n_tests))
    adjusted = " (adjusted)" if n_tests > 1 else ""
    remedy = ", or segments as units" if unit == "document" else ""
    return (
        f"The systems differ on only {counted(n_units, unit)}, so the smallest possible p{adjusted} is about"
        f" {smallest}. A verdict needs at least {counted(n_needed, unit)}{remedy}."
    )


def _shuffled_differences(pair: PooledPair, how: How) -> FloatArray:
    """Return the shuffled differences, shape ``(n_resamples,)``.

    Units are processed in blocks, which limits memory and keeps work items short. Nothing is drawn for systems with
    equal statistics on all units.
    """
    if np.array_equal(pair.baseline, pair.system):
        return np.full(how.n_resamples, pair.difference)
    n_units = len(pair.baseline)
    *blocks, last_block = [slice(start, start + UNITS_A_BLOCK) for start in range(0, n_units, UNITS_A_BLOCK)]
    chunks = chunks_of(how.n_resamples, SHUFFLES_A_CHUNK)
    streams = [stream_of(how.seeds, chunk) for chunk in chunks]

    def of_chunks(function: Callable[[Chunk], FloatArray]) -> Iterator[FloatArray]:
        if n_units < UNITS_WORTH_THREADS:
            return map(function, how.checked(chunks))
        return how.map_chunks(function, chunks)

    def changes_of(block: slice) -> SubsetSums:
        """Prepare the changes of the system's sums if units of a block are exchanged."""
        return SubsetSums.of(pair.baseline[block] - pair.system[block])

    def drawn(changes: SubsetSums, chunk: Chunk) -> FloatArray:
        return changes.draw(streams[chunk.index], SHUFFLES_A_CHUNK)

    # The system's sums after the exchanges of all blocks but the last, shape ``(d, shuffles)`` for each chunk
    total = pair.sums.sum(axis=0)[:, np.newaxis]
    sums_before = [pair.sums[1][:, np.newaxis]] * len(chunks)
    for block in blocks:
        changes = of_chunks(partial(drawn, changes_of(block)))
        sums_before = [before + change for before, change in zip(sums_before, changes, strict=True)]
    last_changes = changes_of(last_block)

    def differences(chunk: Chunk) -> FloatArray:
        # Sums of the system and, what is left of the total, of the baseline
        sides = np.empty((2, len(total), SHUFFLES_A_CHUNK))
        np.add(drawn(last_changes, chunk), sums_before[chunk.index], out=sides[0])
        np.subtract(total, sides[0], out=sides[1])
        if pair.scale != 1:
            sides *= 1 / pair.scale  # as in ``exchange``, whose results are equal
        system, baseline = pair.score(sides[:, :, : len(chunk)].transpose(0, 2, 1))
        return np.asarray(system - baseline)

    return np.concatenate(list(of_chunks(differences)))


@dataclass(frozen=True)
class SharedShuffles:
    """``ar_segment`` between any two of several systems, from sums over random subsets that all pairs share.

    A shuffle exchanges the same units for all pairs, so the sums of each system over them serve all its pairs. They are
    exact for counts, so results equal those of ``ar_segment``.

    Parameters
    ----------
    pooled
        ``scale`` times the mean over runs of each system, shape ``(d, units)``.
    totals
        Its sums over all units, shape ``(systems, d)``.
    scores
        Their scores, shape ``(systems,)``.
    centers
        Half of the totals, shape ``(systems, d)``; zeros for statistics that are no integers.
    sums
        Those over the subsets less the centers, so that most fit 16 bits, which takes less time to read; shape
        ``(systems, chunks, d, shuffles of a chunk)``. The last chunk may have too many.
    """

    pooled: Sequence[StatArray]
    totals: FloatArray
    scores: FloatArray
    centers: FloatArray
    sums: StatArray
    scale: int
    scorer: HasScore
    how: How

    @classmethod
    def of(cls, systems: Sequence[StatArray], scorer: HasScore, how: How) -> "SharedShuffles":
        """Draw the subsets, given each system's statistics, ``(runs, units, d)``."""
        scale = lcm(*map(len, systems))
        pooled = [_pooled(runs, scale) for runs in systems]
        totals = np.stack([units.sum(axis=0) for units in pooled])
        centers = np.zeros_like(totals)
        dtype: type[np.number] = np.float64
        if totals.dtype.kind == "i":
            span = max(np.abs(units).sum(axis=0).max() for units in pooled)
            if span <= MOST_IN_INT16:
                dtype = np.int16
            elif span <= MOST_IN_INT32:
                dtype = np.int32
            centers = totals // 2

        chunks = chunks_of(how.n_resamples, SHUFFLES_A_CHUNK)
        n_systems, d = totals.shape
        sums = np.empty((n_systems, len(chunks), d, SHUFFLES_A_CHUNK), dtype=dtype)
        streams = np.stack([stream_of(how.seeds, chunk) for chunk in chunks])

        def add_subsets(system: int) -> None:
            # Systems share the subsets: each starts the streams anew. Tables are made once for all chunks
            units = pooled[system]
            streams_of_system = streams.copy()
            sums[system] = -centers[system][:, np.newaxis]
            for start in range(0, len(units), UNITS_A_BLOCK):
                subset_sums = SubsetSums.of(units[start : start + UNITS_A_BLOCK])
                for chunk in how.checked(chunks):
                    drawn = subset_sums.draw(streams_of_system[chunk.index], SHUFFLES_A_CHUNK)
                    sums[system, chunk.index] += drawn.astype(dtype)

        for _ in how.map_chunks(add_subsets, range(n_systems)):
            pass
        totals = totals.astype(np.float64)
        # Quicker to compare; those of single units fit what their sums fit
        pooled = [np.ascontiguousarray(units.T, dtype=dtype) for units in pooled]
        return cls(pooled, totals, scorer.score(totals / scale), centers.astype(np.float64), sums, scale, scorer, how)

    def results(self, baselines: Iterable[int], system: int) -> Iterator[PairedResult]:
        """Yield the results of ``ar_segment`` against several baselines, without their intervals."""
        for baseline in baselines:
            yield self._result(baseline, system)

    def _result(self, baseline: int, system: int) -> PairedResult:
        observed = float(self.scores[system] - self.scores[baseline])
        if np.isnan(observed):
            return PairedResult(observed, note=UNDEFINED)
        n_units = int(np.count_nonzero((self.pooled[baseline] != self.pooled[system]).any(axis=0)))
        smallest = 0.0
        if n_units:
            smallest = smallest_p_value(n_units, "two-sided")
            null = self._shuffled(baseline, system)
        else:
            null = np.full(self.how.n_resamples, observed)
        p = p_value(observed, null, self.how.alternative)
        return PairedResult(observed, p_value=p, null=null, note=_too_few_note(smallest, self.how), smallest_p=smallest)

    @cached_property
    def _scores_exchanges(self) -> ScoresExchanges | None:
        """The scorer, if it scores exchanges; asked once, since a protocol takes long to check."""
        return self.scorer if isinstance(self.scorer, ScoresExchanges) else None

    def _shuffled(self, baseline: int, system: int) -> FloatArray:
        """Return the shuffled differences of a pair."""
        of_both = self.totals[baseline] + self.totals[system]
        # With what the sums of the two over exchanged units lack
        of_system = self.totals[system] + self.centers[baseline] - self.centers[system]
        null = None
        if self._scores_exchanges is not None:
            null = self._scores_exchanges.exchanged_differences(
                self.sums[baseline], self.sums[system], of_system, of_both
            )
        if null is None:
            null = self._differences_by_chunk(self.sums[baseline], self.sums[system], of_system, of_both)
        return np.asarray(null.ravel()[: self.how.n_resamples])

    def _differences_by_chunk(
        self, baseline: StatArray, system: StatArray, of_system: FloatArray, of_both: FloatArray
    ) -> FloatArray:
        """Return score differences after exchanges, shape ``(chunks, shuffles)``, from scores of the sums."""
        n_chunks, d, n_shuffles = baseline.shape
        null = np.empty((n_chunks, n_shuffles))
        room = np.empty((2, d, n_shuffles))
        for chunk in range(n_chunks):
            exchange(baseline[chunk], system[chunk], of_system, of_both, float(self.scale), room)
            of_exchanged, of_others = self.scorer.score(room.transpose(0, 2, 1))
            np.subtract(of_exchanged, of_others, out=null[chunk])
        return null


def p_value(observed: float, null: FloatArray, alternative: Alternative) -> float:
    """Return ``(c + 1) / (R + 1)``: c of R draws are at least as extreme as observed, including ties.

    Draws with an undefined score count as extreme.
    """
    n_less = np.count_nonzero(is_less_extreme(null, observed, alternative))
    return float(len(null) - n_less + 1) / (len(null) + 1)


AR_SEGMENT = ProcedureSpec(
    key="ar-segment",
    name="Approximate randomization of {units}",
    summary=(
        "Exchanges the systems' outputs on random {units}, all {runs} of a {unit} together. Assumes independent"
        " {units}; takes the {runs} as given. Noreen (1989); Riezler and Maxwell (2005); Clark et al. (2011)."
    ),
    function=ar_segment,
    resamples="shuffles",
    null="signed",
    gives_answer=True,
    on_draws=segment_p_values,
    on_pairs=SharedShuffles.of,
)
AR_OUTPUT = ProcedureSpec(
    key="ar-output",
    name="Approximate randomization of outputs",
    summary=(
        "Exchanges each output on its own, {run} i of one system with {run} i of the other. Too liberal with several"
        " {runs}: it counts each {run} as new evidence about the test set. Kept to reproduce published numbers. Clark"
        " et al. (2011); MultEval."
    ),
    function=ar_output,
    units=("output", "document"),
    resamples="shuffles",
    null="signed",
    gives_answer=True,
    reproduces=True,
    on_draws=output_p_values,
)
