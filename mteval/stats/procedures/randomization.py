"""Stratified approximate randomization: could the choice of sentences explain the difference?

Noreen (1989); Riezler and Maxwell (2005), Figure 1; Clark et al. (2011), section 4.2. If the two systems were the same,
exchanging their outputs for the same segment would change nothing but by chance. Each shuffle exchanges the outputs of
a random half of the units and scores what then stands on either side; the sides are exact complements.

The runs at hand are taken as given: neither test knows that another run of the same system could differ.
"""

from functools import partial

import numpy as np

from mteval.base.arrays import FloatArray, StatArray
from mteval.base.words import counted
from mteval.stats.base import UNDEFINED, Alternative, How, PairedResult, Score, is_less_extreme
from mteval.stats.procedures.spec import ProcedureSpec
from mteval.stats.resampling.draws import Draws, p_values_of_exchange
from mteval.stats.resampling.packing import PooledPair
from mteval.stats.resampling.streams import Chunk, chunks_of, stream_of
from mteval.stats.resampling.subset_sums import SHUFFLES_A_CHUNK, SubsetSums
from mteval.values.notation import p_value as written_p

UNITS_A_BLOCK = 1 << 16


def ar_segment(baseline: StatArray, system: StatArray, score: Score, how: How) -> PairedResult:
    """Exchange whole units: all runs of a unit change sides together.

    Per-unit statistics averaged over the runs are exchanged, so numbers of runs may differ, the order of the runs does
    not matter, and repeating every run equally changes nothing. Assumes that units are independent and, under the null
    hypothesis, exchangeable between the systems. Makes no interval.

    Returns
    -------
    ``statistic`` is ``score(averaged sums of system) - score(averaged sums of baseline)``, ``null`` the same difference
    after each shuffle, ``p_value`` from ``1 / (n_resamples + 1)`` to 1.
    """
    return _exchange(PooledPair.of(baseline, system, score), how)


def ar_output(baseline: StatArray, system: StatArray, score: Score, how: How) -> PairedResult:
    """Exchange single outputs: run i of one system against run i of the other, each on its own.

    As Clark et al. (2011) describe it and MultEval pairs it. It counts every run as fresh evidence about the test set,
    so with several runs it rejects far too often; kept because published numbers use it. Runs of the two systems are
    paired in the order given, which decides the number. Refused, with a note and p = NaN, where numbers of runs differ.
    Makes no interval.

    Returns
    -------
    As ``ar_segment``, on statistics pooled over runs.
    """
    if len(baseline) != len(system):
        note = (
            f"Exchanging single outputs pairs the {{runs}}, but the baseline has {len(baseline)} and the system"
            f" {len(system)}; exchange segments instead."
        )
        return PairedResult(PooledPair.of(baseline, system, score).difference, note=note)
    n_runs, _, d = baseline.shape
    outputs = PooledPair(baseline.reshape(-1, d), system.reshape(-1, d), n_runs, score)
    return _exchange(outputs, how)


def output_p_values(baseline: StatArray, system: StatArray, score: Score, draws: Draws, how: How) -> FloatArray:
    """P-value of each draw by ``ar_output``, shape ``(draws,)``; the pools have shape ``(runs, segments, d)``."""
    exchanges = [(place, [place]) for place in range(draws.n_runs)]
    return p_values_of_exchange(baseline, system, score, draws, exchanges, how)


def segment_p_values(baseline: StatArray, system: StatArray, score: Score, draws: Draws, how: How) -> FloatArray:
    """P-value of each draw by ``ar_segment``, shape ``(draws,)``; all runs of a unit change sides together."""
    return p_values_of_exchange(baseline, system, score, draws, [(0, list(range(draws.n_runs)))], how)


def _exchange(pair: PooledPair, how: How) -> PairedResult:
    """Exchange the rows of the pair, each with probability 1/2."""
    observed = pair.difference
    if np.isnan(observed):
        return PairedResult(observed, note=UNDEFINED)
    null = _shuffled_differences(pair, how)
    return PairedResult(
        observed, p_value=p_value(observed, null, how.alternative), null=null, note=_attainable(pair, how)
    )


def smallest_p_value(n_units: int, alternative: Alternative) -> float:
    """Smallest p that exchanging so many units can reach, however many shuffles there are.

    Of all ``2^n`` exchanges one is the observed; two-sided its mirror image counts too.
    """
    return 2.0 ** ((1 if alternative == "two-sided" else 0) - n_units)


def _attainable(pair: PooledPair, how: How) -> str:
    """That so few units of the test set cannot reach the level; empty where they can, or where none differs."""
    n_units = int(np.count_nonzero((pair.baseline != pair.system).any(axis=1)))
    smallest = smallest_p_value(n_units, how.alternative)
    if not n_units or smallest <= 1 - how.confidence:
        return ""
    differ = counted(n_units, "unit" if how.unit_sizes is None else "document")
    return f"An exchange of {differ} in which the systems differ cannot reach a p-value below {written_p(smallest)}."


def _shuffled_differences(pair: PooledPair, how: How) -> FloatArray:
    """Differences of the scores of the two sides, shape ``(n_resamples,)``.

    Many units are taken in blocks, all chunks for one block after the other: the tables of a block are no burden on
    memory, and each item of work is short, so that it can be stopped. Nothing is drawn for systems that are level in
    every unit, as copies are: no exchange changes anything.
    """
    gains = pair.baseline - pair.system  # what the system's side gains where a unit is exchanged
    if not gains.any():
        return np.full(how.n_resamples, pair.difference)
    *blocks, last = (gains[start : start + UNITS_A_BLOCK] for start in range(0, len(gains), UNITS_A_BLOCK))
    chunks = chunks_of(how.n_resamples, SHUFFLES_A_CHUNK)
    streams = [stream_of(how.seeds, chunk) for chunk in chunks]
    system = pair.sums[1][:, np.newaxis]
    kept, total = [system] * len(chunks), pair.sums.sum(axis=0)[:, np.newaxis]

    def drawn(sums: SubsetSums, chunk: Chunk) -> FloatArray:
        return sums.draw(streams[chunk.index], SHUFFLES_A_CHUNK)

    for block in blocks:
        more = how.map_chunks(partial(drawn, SubsetSums.of(block)), chunks)
        kept = [before + new for before, new in zip(kept, more, strict=True)]
    sums = SubsetSums.of(last)

    def differences(chunk: Chunk) -> FloatArray:
        sides = np.empty((2, len(total), SHUFFLES_A_CHUNK))
        np.add(drawn(sums, chunk), kept[chunk.index], out=sides[0])
        np.subtract(total, sides[0], out=sides[1])
        if pair.scale != 1:
            sides /= pair.scale
        system, baseline = pair.score(sides[:, :, : len(chunk)].transpose(0, 2, 1))
        return np.asarray(system - baseline)

    return np.concatenate(list(how.map_chunks(differences, chunks)))


def p_value(observed: float, null: FloatArray, alternative: Alternative) -> float:
    """``(c + 1) / (R + 1)``, c of the R draws being at least as extreme as the observed difference, ties included.

    The observed arrangement is one of those that the null hypothesis allows, hence the ones. A draw whose score is
    undefined counts as extreme, so that it cannot make a difference look better founded.
    """
    n_less = np.count_nonzero(is_less_extreme(null, observed, alternative))
    return float(len(null) - n_less + 1) / (len(null) + 1)


AR_SEGMENT = ProcedureSpec(
    key="ar-segment",
    name="Approximate randomization of segments",
    short_name="exchange of {units}",
    luck="test-set",
    summary=(
        "Exchanges the outputs of random segments between the systems, all {runs} of a segment together. Assumes"
        " independent segments; takes the {runs} as given. Noreen 1989; Riezler and Maxwell 2005; Clark et al. 2011."
    ),
    function=ar_segment,
    resamples="shuffles",
    null="signed",
    gives_answer=True,
    on_draws=segment_p_values,
)
AR_OUTPUT = ProcedureSpec(
    key="ar-output",
    name="Approximate randomization of outputs",
    short_name="exchange of outputs",
    luck="test-set",
    summary=(
        "Exchanges every output on its own, {run} i of one system with {run} i of the other, as published numbers do."
        " Counts each {run} as fresh evidence about the test set and so rejects too often with several {runs}. Clark et"
        " al. 2011; MultEval."
    ),
    function=ar_output,
    units=("output", "document"),
    resamples="shuffles",
    null="signed",
    gives_answer=True,
    reproduces=True,
    on_draws=output_p_values,
)
