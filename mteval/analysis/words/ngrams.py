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
NGRAMS = (
    "ngram", "order", "references", "baseline", "system", "baseline_total", "system_total", "log_ratio", "better",
    "worse", "pairs", "p_test_set", "p_both", "conclusion",
)  # fmt: skip


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
        shape = len(names), len(texts.segments)
        in_references = _sparse(of_references, texts.reference_of, (len(names), len(texts.references.lengths)))
        matches = _sparse(groups[is_matched], texts.output_of[is_matched], shape)
        occurrences = _sparse(groups, texts.output_of, shape)
        return cls(texts, names, order, (matches, occurrences, in_references[:, texts.chosen]))

    def of_one(self, ngram: int) -> dict[str, FloatArray]:
        """Return the counts of one n-gram, shape ``(runs, segments, 3)`` of each system."""
        return self.texts.spread(np.stack([one[[ngram]].toarray()[0] for one in self.counts], axis=-1))


def _sparse(rows: IntArray, columns: IntArray, shape: tuple[int, int]) -> sparse.csr_array:
    from scipy.sparse import csr_array  # here, since few commands need it

    inside = rows >= 0
    return csr_array((np.ones(np.count_nonzero(inside)), (rows[inside], columns[inside])), shape=shape)


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
    test_set: TestSet, orders: Sequence[WordTexts], pair: tuple[str, str], measure: Measure, settings: Settings,
    work: Work, labels: Grouped | None = None, most: int = 50,
) -> NgramEvidence:  # fmt: skip
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
    totals = [_averages(one, test_set, pair, settings) for one in cells]
    sums = np.concatenate([one for one, _ in totals], axis=1) if totals else np.zeros((2, 0, 3))
    baseline, system = GroupMetric(measure).prepare(test_set).score(sums)
    differences = system - baseline
    work.report(Progress("Shuffling n-grams", 1, 3))
    n_shuffles = min(settings.n_shuffles, SHUFFLES_A_CHUNK)
    p_test_set = np.ones(len(differences))
    if len(differences):
        nulls = np.concatenate([_nulls(*one, measure, settings, n_shuffles) for one in totals])
        p_test_set = max_t_step_down(differences, nulls)
    # Matches, or precisions, plus one so that the logarithm of none is finite
    smoothed = sums[..., 0] + 1
    if measure == "precision":
        smoothed = smoothed / (sums[..., 1] + 2)
    ratios = np.where(differences == 0, 0.0, np.log2(smoothed[1] / smoothed[0]))
    shown = _shown(ratios, p_test_set, settings.level, most)
    names = [(one, place) for one in cells for place in range(len(one.names))]
    rows = []
    for number, place in enumerate(shown.tolist()):
        work.report(Progress("Testing n-grams", 1 + 2 * number / len(shown), 3))
        work.engine.check()
        cell, group = names[place]
        rows.append(_row(cell, group, test_set, pair, measure, settings, work))
    frame = pd.DataFrame(rows, columns=["ngram", "order", "references", "better", "worse", "pairs", "p_both"])
    for side, name in enumerate(("baseline", "system")):
        frame[name], frame[f"{name}_total"] = sums[side, shown, 0], sums[side, shown, 1]
    frame["log_ratio"], frame["p_test_set"] = ratios[shown], p_test_set[shown]
    frame["p_both"] = _holm_among(frame["p_both"].to_numpy(dtype=np.float64), len(differences))
    frame["p_both"] = np.maximum(frame["p_both"], frame["p_test_set"])  # as in every verdict
    decided = zip(frame["p_test_set" if settings.design == "released" else "p_both"], differences[shown], strict=True)
    conclusions = [concluded(answer_at(p, settings.level), gain, gain, NOTATION) for p, gain in decided]
    frame["conclusion"] = pd.Series(conclusions, dtype=object)
    return NgramEvidence(frame[list(NGRAMS)], len(differences), n_shuffles)


def _holm_among(p_values: FloatArray, n_tested: int) -> FloatArray:
    """Adjust some p-values of a larger family by Holm; the others count as 1, which can only raise the result."""
    return holm(np.concatenate([p_values, np.ones(max(0, n_tested - len(p_values)))]))[: len(p_values)]


def _shown(ratios: FloatArray, p_values: FloatArray, level: float, most: int) -> IntArray:
    """Return the largest ratios in each direction and all that are ruled out, from the largest gain to loss."""
    order = np.argsort(-ratios, kind="stable")
    gains, losses = order[ratios[order] > 0][:most], order[ratios[order] < 0][-most:]
    chosen = np.unique(np.concatenate([gains, losses, np.flatnonzero((p_values <= level) & (ratios != 0))]))
    return np.asarray(chosen[np.argsort(-ratios[chosen], kind="stable")])


def _tested(
    orders: Sequence[WordTexts], pair: tuple[str, str], measure: Measure, labels: Grouped | None
) -> tuple[Cells, ...]:
    """Return the n-grams that occur most often in references, or for precision in outputs."""
    named = orders if labels is None else tuple(_label_texts(labels).ngrams(LONGEST))
    sizes = []
    for texts, groups in zip(orders, named, strict=True):
        counted = np.bincount(groups.references.items, minlength=len(groups.spelled)).astype(np.float64)
        if measure == "precision":
            uses, items = (texts.uses(system)[texts.output_of] for system in pair), groups.outputs.items
            counted = np.sum([np.bincount(items, weights, len(groups.spelled)) for weights in uses], axis=0)
        sizes.append(np.where(counted >= FEWEST, counted, 0))
    every = np.concatenate(sizes)
    kept = np.argsort(-every, kind="stable")[:1_000]
    is_kept = np.zeros(len(every), dtype=bool)
    is_kept[kept] = every[kept] > 0
    found, start = [], 0
    for order, (texts, groups, size) in enumerate(zip(orders, named, sizes, strict=True), start=1):
        here = np.flatnonzero(is_kept[start : start + len(size)])
        number = np.full(len(size) + 1, NOWHERE, dtype=np.int64)
        number[here] = np.arange(len(here))
        outputs = None if labels is not None and labels.of_outputs is None else number[groups.outputs.items]
        names = tuple(map(groups.name, here.tolist()))
        found.append(Cells.of(texts, names, order, number[groups.references.items], outputs))
        start += len(size)
    return tuple(found)


def _label_texts(labels: Grouped) -> WordTexts:
    """Return texts of labels in place of words."""
    texts, spelled = labels.texts, np.arange(len(labels.names) + 1)[:, np.newaxis]
    items = (labels.of_references, texts.outputs.items * 0 if labels.of_outputs is None else labels.of_outputs)
    of_references, of_outputs = (np.where(some < 0, len(labels.names), some).astype(np.int32) for some in items)
    return replace(
        texts, words=(*labels.names, "–"), spelled=spelled,
        references=texts.references._replace(items=of_references), outputs=texts.outputs._replace(items=of_outputs),
    )  # fmt: skip


def _averages(
    one: Cells, test_set: TestSet, pair: tuple[str, str], settings: Settings
) -> tuple[FloatArray, list[sparse.csr_array]]:
    """Return counts averaged over runs.

    Returns
    -------
    sums
        Matches, occurrences in outputs, and in references, of baseline and system, shape ``(2, n-grams, 3)``.
    gains
        Baseline less system per unit, one sparse array ``(n-grams, units)`` per count.
    """
    units = np.arange(test_set.n_segments)
    if test_set.documents is not None and settings.exchange_unit != "segment":  # in the order of the procedures
        units = np.asarray(pd.factorize(np.array(test_set.documents, dtype=object))[0], dtype=np.int64)
    units = units[one.texts.segments]
    shape = len(units), int(units.max()) + 1
    sides = []
    for system in pair:
        weights = _sparse(np.arange(len(units)), units, shape)
        weights.data = weights.data * one.texts.uses(system)
        sides.append([(counts @ weights).tocsr() for counts in one.counts])
    sums = np.array([[array.sum(axis=1) for array in side] for side in sides])
    return sums.transpose(0, 2, 1), [left - right for left, right in zip(*sides, strict=True)]


def _nulls(
    sums: FloatArray, gains_of: Sequence[sparse.csr_array], measure: Measure, settings: Settings, n_shuffles: int
) -> FloatArray:
    """Return the shuffled differences of ``ar-segment``, shape ``(n-grams, n_shuffles)``."""
    score = GroupMetric(measure).prepare(TestSet("", ((),))).score
    moved = []
    for gains, total, own in zip(gains_of, sums.sum(axis=0).T, sums[1].T, strict=True):
        system = own[:, np.newaxis] + gains @ _bits(settings, gains.shape[1], n_shuffles)
        moved.append(np.stack([total[:, np.newaxis] - system, system]))
    baseline, system = score(np.stack(moved, axis=-1))
    return np.asarray(system - baseline)


def _bits(settings: Settings, n_units: int, n_shuffles: int) -> Any:
    """Return whether each unit changes sides in each shuffle: the first stream of ``ar-segment``."""
    seeds = seeds_for(settings.seed, answering("test-set", "segment").key)
    chunk, *_ = chunks_of(n_shuffles, SHUFFLES_A_CHUNK)
    n_words = -(-n_units // UNITS_A_WORD)
    words = np.random.SFC64(seeds_of(seeds, chunk)).random_raw(n_words * SHUFFLES_A_CHUNK)
    words = words.reshape(n_words, 1, SHUFFLES_A_CHUNK) >> np.arange(UNITS_A_WORD, dtype=np.uint64)[:, np.newaxis]
    return (words & 1).reshape(-1, SHUFFLES_A_CHUNK)[:n_units, :n_shuffles].astype(np.float64)


def _row(
    cell: Cells, group: int, test_set: TestSet, pair: tuple[str, str], measure: Measure, settings: Settings, work: Work
) -> tuple[object, ...]:
    """Return name, order, count, pairs of runs, and p for both kinds of luck, of one n-gram."""
    counts = cell.of_one(group)
    part = group_on(test_set, {key: counts[key] for key in pair}, measure)
    _, both = questions(part, settings)
    p_value = ask(Case(part, *pair, both), settings, work).result.p_value
    left, right = (part.run_scores[key] for key in pair)
    better, worse = (int((right[:, np.newaxis] > left).sum()), int((right[:, np.newaxis] < left).sum()))
    references = round(float(np.mean([array[..., 2].sum(axis=1).mean() for array in counts.values()])))
    return cell.names[group], cell.order, references, better, worse, len(left) * len(right), p_value
