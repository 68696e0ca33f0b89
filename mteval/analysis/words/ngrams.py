"""Words and n-grams, or n-grams of labels, that one system gets right more often, over all runs of two systems.

Tested are the n-grams that occur most often, whichever system has them. All share the shuffles of ``ar-segment``, whose
largest differences adjust p for test-set luck (max-T). p for both kinds of luck is from the procedure behind every
verdict, adjusted by Holm for all n-grams tested.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from mteval.analysis.comparison import Case, ask
from mteval.analysis.scoring import Progress, Work
from mteval.analysis.two_answers import questions
from mteval.analysis.words.groupings import Grouped
from mteval.analysis.words.texts import NOWHERE, WordTexts
from mteval.analysis.words.verdicts import NOTATION, GroupMetric, Measure, group_on
from mteval.base.arrays import FloatArray, IntArray
from mteval.metrics.text.ngrams import Sequences
from mteval.stats.multiplicity import holm, max_t_step_down
from mteval.stats.procedures.registry import answering
from mteval.stats.resampling.streams import chunks_of, seeds_for, seeds_of
from mteval.stats.resampling.subset_sums import SHUFFLES_A_CHUNK, UNITS_A_WORD
from mteval.values.model import TestSet
from mteval.values.settings import Settings
from mteval.values.verdict import answer_at, concluded

if TYPE_CHECKING:
    from scipy import sparse

LONGEST = 4
FEWEST = 3  # occurrences, below which no test could decide
MOST_TESTED = 1_000  # n-grams
NGRAMS = (
    "ngram",
    "order",
    "references",
    "baseline",
    "system",
    "baseline_total",
    "system_total",
    "log_ratio",
    "better",
    "worse",
    "pairs",
    "p_test_set",
    "p_run",
    "conclusion",
)


@dataclass(frozen=True, eq=False)
class Cells:
    """Counts of the tested n-grams of one order.

    Parameters
    ----------
    texts
        Texts as n-grams of words.
    names
        The tested n-grams.
    counts
        Matches, occurrences in each distinct output, and in its reference: sparse, shape ``(n-grams, outputs)`` each.
    """

    texts: WordTexts
    names: tuple[str, ...]
    order: int
    counts: tuple[sparse.csr_array, ...]

    @classmethod
    def of(
        cls, texts: WordTexts, names: tuple[str, ...], order: int, of_references: IntArray, of_outputs: IntArray | None
    ) -> Cells:
        """Count n-grams, given the number of each n-gram of the texts among those tested, -1 for others."""
        groups, is_matched = texts.groups(of_references, of_outputs)
        shape = (len(names), len(texts.segments))
        matches = _sparse(groups[is_matched], texts.output_of[is_matched], shape)
        occurrences = _sparse(groups, texts.output_of, shape)
        in_references = _sparse(of_references, texts.reference_of, (len(names), len(texts.references.lengths)))
        return cls(texts, names, order, (matches, occurrences, in_references[:, texts.chosen]))

    def of_ngram(self, ngram: int) -> dict[str, FloatArray]:
        """Return the counts of one n-gram, shape ``(runs, segments, 3)`` of each system."""
        columns = [counts[[ngram]].toarray()[0] for counts in self.counts]
        return self.texts.spread(np.stack(columns, axis=-1))


def _sparse(rows: IntArray, columns: IntArray, shape: tuple[int, int]) -> sparse.csr_array:
    """Count pairs of row and column; rows below zero are skipped."""
    from scipy.sparse import csr_array  # here, since few commands need it

    inside = rows >= 0
    ones = np.ones(np.count_nonzero(inside))
    return csr_array((ones, (rows[inside], columns[inside])), shape=shape)


@dataclass(frozen=True, eq=False)
class NgramEvidence:
    """N-grams with their answers.

    Parameters
    ----------
    frame
        Columns ``NGRAMS``; matches are means over runs, n-grams of which the system has more come first.
    n_tested, n_shuffles
        N-grams tested, and shuffles.
    """

    frame: pd.DataFrame
    n_tested: int
    n_shuffles: int


def ngram_evidence(
    test_set: TestSet,
    orders: Sequence[WordTexts],
    pair: tuple[str, str],
    measure: Measure,
    settings: Settings,
    work: Work,
    labels: Grouped | None = None,
    most: int = 50,
) -> NgramEvidence:
    """Return the n-grams with the largest smoothed ratios between two systems, in each direction.

    Parameters
    ----------
    orders
        Words and n-grams of the references and both systems, one entry per order.
    measure
        ``recall`` compares matches; ``precision`` also counts occurrences without a match.
    labels
        Labels of the words: n-grams of words count by those of their labels.
    most
        In each direction. N-grams for which test-set luck is ruled out are always included.
    """
    work.report(Progress("Counting n-grams", 0, 3))
    cells = _tested(orders, pair, measure, labels)
    totals = [_averages(of_order, test_set, pair, settings) for of_order in cells]
    sums = np.zeros((2, 0, 3))  # baseline and system, n-grams of all orders, counts
    if totals:
        sums = np.concatenate([of_order for of_order, _ in totals], axis=1)
    baseline, system = GroupMetric(measure).prepare(test_set).score(sums)
    differences = system - baseline

    work.report(Progress("Shuffling n-grams", 1, 3))
    n_shuffles = min(settings.n_shuffles, SHUFFLES_A_CHUNK)
    p_test_set = np.ones(len(differences))
    if len(differences):
        nulls = [_nulls(of_order, gains, measure, settings, n_shuffles) for of_order, gains in totals]
        p_test_set = max_t_step_down(differences, np.concatenate(nulls))

    # Matches, or precisions. One is added so that the logarithm is finite if there is none.
    smoothed = sums[..., 0] + 1
    if measure == "precision":
        smoothed = smoothed / (sums[..., 1] + 2)
    ratios = np.where(differences == 0, 0.0, np.log2(smoothed[1] / smoothed[0]))
    shown = _shown(ratios, p_test_set, settings.level, most)

    # The procedure behind every verdict takes longer, so it tests only what is shown
    cell_of_ngram = []
    for of_order in cells:
        for index in range(len(of_order.names)):
            cell_of_ngram.append((of_order, index))
    rows = []
    for n_done, ngram in enumerate(shown.tolist()):
        work.report(Progress("Testing n-grams", 1 + 2 * n_done / len(shown), 3))
        work.engine.check()
        of_order, index = cell_of_ngram[ngram]
        rows.append(_row(of_order, index, test_set, pair, measure, settings, work))
    frame = pd.DataFrame(rows, columns=["ngram", "order", "references", "better", "worse", "pairs", "p_run"])
    for side, name in enumerate(("baseline", "system")):
        frame[name] = sums[side, shown, 0]
        frame[f"{name}_total"] = sums[side, shown, 1]
    frame["log_ratio"] = ratios[shown]
    frame["p_test_set"] = p_test_set[shown]
    frame["p_run"] = _holm_among(frame["p_run"].to_numpy(dtype=np.float64), len(differences))
    frame["p_run"] = np.maximum(frame["p_run"], frame["p_test_set"])  # as in every verdict

    deciding = "p_run"
    if settings.design == "released":
        deciding = "p_test_set"
    conclusions = []
    for p, gain in zip(frame[deciding], differences[shown], strict=True):
        conclusions.append(concluded(answer_at(p, settings.level), gain, gain, NOTATION))
    frame["conclusion"] = pd.Series(conclusions, dtype=object)
    return NgramEvidence(frame[list(NGRAMS)], len(differences), n_shuffles)


def _holm_among(p_values: FloatArray, n_tested: int) -> FloatArray:
    """Adjust some p-values of a larger family by Holm; the others count as 1, which can only raise the result."""
    not_shown = np.ones(max(0, n_tested - len(p_values)))
    return holm(np.concatenate([p_values, not_shown]))[: len(p_values)]


def _shown(ratios: FloatArray, p_values: FloatArray, level: float, most: int) -> IntArray:
    """Return the largest ratios in each direction and all that are ruled out, from the largest gain to loss."""
    order = np.argsort(-ratios, kind="stable")
    gains = order[ratios[order] > 0][:most]
    losses = order[ratios[order] < 0][-most:]
    ruled_out = np.flatnonzero((p_values <= level) & (ratios != 0))
    shown = np.unique(np.concatenate([gains, losses, ruled_out]))
    return np.asarray(shown[np.argsort(-ratios[shown], kind="stable")])


def _tested(
    orders: Sequence[WordTexts], pair: tuple[str, str], measure: Measure, labels: Grouped | None
) -> tuple[Cells, ...]:
    """Return the n-grams that occur most often in references, or for precision in outputs."""
    counted_orders: Sequence[WordTexts] = orders
    if labels is not None:
        counted_orders = tuple(_label_texts(labels).ngrams(LONGEST))

    # How often each n-gram of each order occurs; 0 for rare ones
    frequencies = []
    for texts, counted_texts in zip(orders, counted_orders, strict=True):
        n_ngrams = len(counted_texts.spelled)
        if measure == "precision":
            items = counted_texts.outputs.items
            by_system = [np.bincount(items, texts.uses(system)[texts.output_of], n_ngrams) for system in pair]
            frequency = np.sum(by_system, axis=0)
        else:
            frequency = np.bincount(counted_texts.references.items, minlength=n_ngrams).astype(np.float64)
        frequencies.append(np.where(frequency >= FEWEST, frequency, 0))

    # The most frequent of all orders together
    all_frequencies = np.concatenate(frequencies)
    most_frequent = np.argsort(-all_frequencies, kind="stable")[:MOST_TESTED]
    is_tested = np.zeros(len(all_frequencies), dtype=bool)
    is_tested[most_frequent] = all_frequencies[most_frequent] > 0

    cells = []
    start = 0
    for order, (texts, counted_texts, frequency) in enumerate(zip(orders, counted_orders, frequencies, strict=True), 1):
        tested = np.flatnonzero(is_tested[start : start + len(frequency)])
        start += len(frequency)
        number = np.full(len(frequency) + 1, NOWHERE, dtype=np.int64)  # of each n-gram among those tested
        number[tested] = np.arange(len(tested))
        of_references = number[counted_texts.references.items]
        of_outputs = None
        if labels is None or labels.of_outputs is not None:
            of_outputs = number[counted_texts.outputs.items]
        names = tuple(counted_texts.name(ngram) for ngram in tested.tolist())
        cells.append(Cells.of(texts, names, order, of_references, of_outputs))
    return tuple(cells)


def _label_texts(labels: Grouped) -> WordTexts:
    """Return texts of labels in place of words; words without a label have one of their own, "–"."""
    texts = labels.texts
    unlabelled = len(labels.names)
    if labels.of_outputs is None:
        of_outputs = np.zeros_like(texts.outputs.items, dtype=np.int64)
    else:
        of_outputs = labels.of_outputs

    def relabelled(words: Sequences, group_of_word: IntArray) -> Sequences:
        items = np.where(group_of_word < 0, unlabelled, group_of_word).astype(np.int32)
        return words._replace(items=items)

    return replace(
        texts,
        words=(*labels.names, "–"),
        spelled=np.arange(unlabelled + 1)[:, np.newaxis],
        references=relabelled(texts.references, labels.of_references),
        outputs=relabelled(texts.outputs, of_outputs),
    )


def _averages(
    cells: Cells, test_set: TestSet, pair: tuple[str, str], settings: Settings
) -> tuple[FloatArray, list[sparse.csr_array]]:
    """Return counts averaged over runs.

    Returns
    -------
    sums
        Matches, occurrences in outputs, and in references, of baseline and system, shape ``(2, n-grams, 3)``.
    gains
        Baseline less system per unit, one sparse array ``(n-grams, units)`` per count.
    """
    unit_of_segment = np.arange(test_set.n_segments)
    if test_set.documents is not None and settings.exchange_unit != "segment":  # in the order of the procedures
        documents = np.array(test_set.documents, dtype=object)
        unit_of_segment = np.asarray(pd.factorize(documents)[0], dtype=np.int64)
    unit_of_output = unit_of_segment[cells.texts.segments]
    n_outputs = len(unit_of_output)
    shape = (n_outputs, int(unit_of_output.max()) + 1)

    # Each count ``(n-grams, outputs)`` times the share of runs with each output ``(outputs, units)``
    counts_of_sides = []
    for system in pair:
        weights = _sparse(np.arange(n_outputs), unit_of_output, shape)
        weights.data = weights.data * cells.texts.uses(system)
        counts_of_sides.append([(counts @ weights).tocsr() for counts in cells.counts])
    sums_of_sides = []
    for counts_of_side in counts_of_sides:
        sums_of_sides.append([counts.sum(axis=1) for counts in counts_of_side])
    sums = np.array(sums_of_sides)
    gains = [baseline - system for baseline, system in zip(*counts_of_sides, strict=True)]
    return sums.transpose(0, 2, 1), gains


def _nulls(
    sums: FloatArray, gains_of: Sequence[sparse.csr_array], measure: Measure, settings: Settings, n_shuffles: int
) -> FloatArray:
    """Return the shuffled differences of ``ar-segment``, shape ``(n-grams, n_shuffles)``."""
    score = GroupMetric(measure).prepare(TestSet("", ((),))).score
    shuffled = []
    for gains, total, own in zip(gains_of, sums.sum(axis=0).T, sums[1].T, strict=True):
        # What the system has after units changed sides, shape ``(n-grams, n_shuffles)``; the baseline has the rest
        system = own[:, np.newaxis] + gains @ _bits(settings, gains.shape[1], n_shuffles)
        shuffled.append(np.stack([total[:, np.newaxis] - system, system]))
    baseline, system = score(np.stack(shuffled, axis=-1))
    return np.asarray(system - baseline)


def _bits(settings: Settings, n_units: int, n_shuffles: int) -> Any:
    """Return whether each unit changes sides in each shuffle: the first stream of ``ar-segment``."""
    seeds = seeds_for(settings.seed, answering("test-set", "segment").key)
    first_chunk = chunks_of(n_shuffles, SHUFFLES_A_CHUNK)[0]
    n_words = -(-n_units // UNITS_A_WORD)  # rounded up
    words = np.random.SFC64(seeds_of(seeds, first_chunk)).random_raw(n_words * SHUFFLES_A_CHUNK)

    # One word has the bits of UNITS_A_WORD units in one shuffle, the lowest bit that of the first unit
    shifts = np.arange(UNITS_A_WORD, dtype=np.uint64)[:, np.newaxis]
    bits = (words.reshape(n_words, 1, SHUFFLES_A_CHUNK) >> shifts) & 1
    return bits.reshape(-1, SHUFFLES_A_CHUNK)[:n_units, :n_shuffles].astype(np.float64)


def _row(
    cells: Cells, ngram: int, test_set: TestSet, pair: tuple[str, str], measure: Measure, settings: Settings, work: Work
) -> tuple[object, ...]:
    """Return name, order, count, pairs of runs, and p for both kinds of luck, of one n-gram."""
    counts_of = cells.of_ngram(ngram)
    part = group_on(test_set, {system: counts_of[system] for system in pair}, measure)
    _, question_of_both = questions(part, settings)
    p_value = ask(Case(part, *pair, question_of_both), settings, work).result.p_value

    baseline_scores, system_scores = (part.run_scores[system] for system in pair)
    better = int((system_scores[:, np.newaxis] > baseline_scores).sum())
    worse = int((system_scores[:, np.newaxis] < baseline_scores).sum())
    n_pairs = len(baseline_scores) * len(system_scores)
    in_references = [counts[..., 2].sum(axis=1).mean() for counts in counts_of.values()]  # mean over runs
    references = round(float(np.mean(in_references)))
    return cells.names[ngram], cells.order, references, better, worse, n_pairs, p_value
