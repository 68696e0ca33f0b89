"""Filter segments, and group them into buckets by length, rarity, document or label."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from mteval.analysis.segments.runs import luck_of_two_runs
from mteval.analysis.segments.table import column, pieces_of, yardstick_texts
from mteval.base.arrays import BoolArray, FloatArray
from mteval.values.model import TestSet
from mteval.values.notation import significant

Stream = Literal["any", "source", "reference", "baseline", "system"]
Outputs = Literal["all", "different", "identical"]
Agreement = Literal["all", "better", "worse", "luck"]


@dataclass(frozen=True)
class SegmentFilter:
    """Conditions on a segment, which must all hold; by default none.

    Parameters
    ----------
    metric
        Its improvement is bounded by ``least`` and ``most``, inclusive.
    shortest, longest
        Bounds of the mean number of reference words, or of source words without references.
    documents
        Document IDs; empty for all.
    text, stream
        What to find, ignoring case, and in which texts.
    outputs
        Whether the two runs have the same output.
    agreement
        ``better`` and ``worse`` are kinds of ``consistency_frame``; ``luck`` is found by ``luck_of_two_runs``.
    """

    metric: str
    least: float | None = None
    most: float | None = None
    shortest: float | None = None
    longest: float | None = None
    documents: tuple[str, ...] = ()
    text: str = ""
    stream: Stream = "any"
    outputs: Outputs = "all"
    agreement: Agreement = "all"


@dataclass(frozen=True)
class SegmentTexts:
    """The texts to search: for each stream one case-folded string per segment, references joined."""

    streams: dict[str, tuple[str, ...]]

    @classmethod
    def of(cls, test_set: TestSet, baseline: Sequence[str], system: Sequence[str]) -> "SegmentTexts":
        """Collect the texts of two runs, their source and references."""
        references = tuple(map("\n".join, test_set.references)) if test_set.has_references else ()
        streams = {"source": test_set.source or (), "reference": references, "baseline": baseline, "system": system}
        return cls({name: tuple(text.casefold() for text in texts) for name, texts in streams.items() if texts})

    def contain(self, wanted: str, stream: Stream) -> BoolArray:
        """Return whether each segment contains a text, in one stream or any."""
        folded = wanted.casefold()
        searched = self.streams.values() if stream == "any" else [self.streams.get(stream, ())]
        found = [np.array([folded in text for text in texts], dtype=bool) for texts in searched if texts]
        return np.asarray(np.logical_or.reduce([np.zeros(len(self.streams["system"]), dtype=bool), *found]))


Repeats = Literal["all", "repeated", "first"]


def repeated(test_set: TestSet) -> tuple[BoolArray, BoolArray]:
    """Return which segments have the source, or references, of another, and which are the first of their kind."""
    texts = list(test_set.source or test_set.references)
    counts = Counter(texts)
    first = {text: place for place, text in reversed(list(enumerate(texts)))}
    is_first = np.array([first[text] == place for place, text in enumerate(texts)])
    return np.array([counts[text] > 1 for text in texts]), is_first


def matching(table: pd.DataFrame, consistency: pd.DataFrame, texts: SegmentTexts, wanted: SegmentFilter) -> BoolArray:
    """Return which segments meet all conditions, shape ``(segments,)``; undefined differences meet no bounds."""
    holds = np.ones(len(table), dtype=bool)
    holds &= _within(table[column(wanted.metric, "improvement")], wanted.least, wanted.most)
    for name in {"reference_words", "source_words"} & set(table):
        holds &= _within(table[name], wanted.shortest, wanted.longest)
    if wanted.documents:
        holds &= table["document"].isin(wanted.documents).to_numpy() if "document" in table else False
    if wanted.text:
        holds &= texts.contain(wanted.text, wanted.stream)
    if wanted.outputs != "all":
        holds &= table["is_identical"].to_numpy() == (wanted.outputs == "identical")
    if wanted.agreement == "luck":
        holds &= luck_of_two_runs(table[column(wanted.metric, "improvement")].to_numpy(), consistency)
    elif wanted.agreement != "all":
        holds &= (consistency["kind"] == wanted.agreement).to_numpy()
    return holds


def _within(values: "pd.Series[float]", low: float | None, high: float | None) -> BoolArray:
    numbers = values.to_numpy()
    is_above, is_below = low is None or numbers >= low, high is None or numbers <= high
    return np.full(len(numbers), True) & is_above & is_below


LENGTH_EDGES = (10, 20, 30, 40, 60)
PARTS = 5  # of equal size, for values without natural bounds


@dataclass(frozen=True)
class Partition:
    """Segments by bucket.

    Parameters
    ----------
    names
        Bucket names, in display order.
    places
        Bucket index of each segment, -1 for none; shape ``(segments,)``.
    """

    names: tuple[str, ...]
    places: npt.NDArray[np.int64]


def by_length(words: FloatArray) -> Partition:
    """Group segments by the number of words of their references or sources."""
    starts = (0, *LENGTH_EDGES)
    names = [f"{low}–{high - 1} words" for low, high in zip(starts, LENGTH_EDGES, strict=False)]
    places = np.digitize(np.floor(words), LENGTH_EDGES)
    return _without_empty((*names, f"{LENGTH_EDGES[-1]} words or more"), places)


def by_parts(values: FloatArray, unit: str = "") -> Partition:
    """Group segments into five parts of about equal size; ties stay together, NaN is in none."""
    known = values[~np.isnan(values)]
    edges = np.unique(np.quantile(known, np.arange(1, PARTS) / PARTS)) if len(known) else np.array([])
    places = np.where(np.isnan(values), -1, np.searchsorted(edges, values, side="left"))
    return _without_empty(part_names([f"{significant(edge, 4)} {unit}".rstrip() for edge in edges]), places)


def by_label(labels: Sequence[str]) -> Partition:
    """Group segments by label, in order of appearance; numbers with many values are grouped into parts.

    Segments with an empty label are in no bucket.
    """
    distinct = dict.fromkeys(label for label in labels if label.strip())
    if len(distinct) > 12:  # numbers with more distinct values are grouped into parts
        try:
            numbers = np.array([float(label) if label.strip() else np.nan for label in labels], dtype=float)
        except ValueError:
            pass
        else:
            return by_parts(numbers)
    number = {label: index for index, label in enumerate(distinct)}
    return Partition(tuple(distinct), np.array([number.get(label, -1) for label in labels], dtype=np.int64))


def rarity(test_set: TestSet) -> FloatArray:
    """Return the rarity of each segment's reference or source words in bits per word, shape ``(segments,)``.

    The mean of ``log2(N / count)`` over the words, with counts over all N words of these texts of the test set,
    ignoring case. NaN for a segment without words.
    """
    words = [
        [piece.casefold() for text in texts for piece in pieces_of(text) if not piece.isspace()]
        for texts in yardstick_texts(test_set)
    ]
    counts = Counter(word for of_segment in words for word in of_segment)
    total = sum(counts.values())
    bits = {word: float(np.log2(total / count)) for word, count in counts.items()}
    means = [np.mean([bits[word] for word in of_segment]) if of_segment else np.nan for of_segment in words]
    return np.array(means, dtype=float)


def part_names(bounds: Sequence[str]) -> tuple[str, ...]:
    """Return names of the parts of a range that some bounds divide."""
    if not bounds:
        return ("all",)
    between = (f"{low} to {high}" for low, high in pairwise(bounds))
    return (f"up to {bounds[0]}", *between, f"above {bounds[-1]}")


def _without_empty(names: tuple[str, ...], places: npt.NDArray[np.int64]) -> Partition:
    kept = [index for index in range(len(names)) if (places == index).any()]
    moved = np.full(len(names) + 1, -1, dtype=np.int64)  # index -1 finds the last
    moved[kept] = np.arange(len(kept))
    return Partition(tuple(names[index] for index in kept), moved[places])
