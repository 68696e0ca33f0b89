"""One row per segment: scores of two runs, differences, components and lengths; which to show, and groups of them.

Texts of any script are split into pieces that can be counted and marked, and that join to the text. Segments are
filtered, and grouped into buckets by length, rarity, document or label.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from itertools import chain, groupby, pairwise
from operator import eq, itemgetter
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from mteval.analysis.scoring import Scored
from mteval.analysis.summary import marks_errors, spans_of
from mteval.base.arrays import BoolArray, ByteArray, FloatArray, IntArray
from mteval.base.distinct_words import code_points, starts_of
from mteval.base.errors import DataError
from mteval.metrics.explanation import CountsEdits
from mteval.stats.base import TOLERANCE
from mteval.values.model import Run, TestSet
from mteval.values.notation import significant

SIDES = ("baseline", "system")
MARKED = "errors"  # number of errors marked by a metric
LUCK_SHARE = 0.5  # of run pairs; up to there, a difference of two runs is their luck
LENGTH_EDGES = (10, 20, 30, 40, 60)
PARTS = 5  # of equal size, for values without natural bounds
MOST_LABELS = 12  # buckets; numbers with more distinct values are grouped into parts

MarkedText = tuple[tuple[str, bool], ...]  # a text in pieces, each marked or not
Yardstick = Literal["reference", "source", ""]
Stream = Literal["any", "source", "reference", "baseline", "system"]
Outputs = Literal["all", "different", "identical"]
Agreement = Literal["all", "better", "worse", "luck"]
Repeats = Literal["all", "repeated", "first"]

# Scripts without spaces between words are split into characters: kana, Han, Thai, Lao, Myanmar, Khmer.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
# Marks that belong to a letter: accents, Hebrew points, and joiners of letters
_COMBINING = "\u0300-\u036f\u0591-\u05c7\u200c\u200d"
_SPACE = r"\s"
_LETTER = rf"[\w{_COMBINING}]"
# White space, a character of such a script, a word of another, or any other character
_PIECE = re.compile(rf"{_SPACE}+|[{_UNSPACED}]|(?:(?![{_UNSPACED}]){_LETTER})+|.", re.DOTALL)

# Texts with neither such scripts nor marks are split three times as fast by a plain pattern
_SPECIAL = re.compile(rf"[{_UNSPACED}{_COMBINING}]")
_PLAIN_PIECE = re.compile(r"\s+|\w+|.", re.DOTALL)

# Kinds of characters
_ALONE = 0  # a piece by itself
_IN_WORD = 1
_IN_SPACE = 2
TEXTS_AT_ONCE = 1 << 11  # whose characters stay in the processor's cache


def pieces_of(text: str) -> tuple[str, ...]:
    """Split a text into words, punctuation marks and whitespace; into characters in scripts without spaces."""
    pattern = _PIECE if _SPECIAL.search(text) else _PLAIN_PIECE
    return tuple(pattern.findall(text))


def word_counts(texts: Sequence[str]) -> IntArray:
    """Return the number of pieces of each text that are not whitespace, shape ``(texts,)``."""
    counts = [np.zeros(0, dtype=np.int64)]
    for first in range(0, len(texts), TEXTS_AT_ONCE):
        codes, starts = code_points(texts[first : first + TEXTS_AT_ONCE])
        n_bits = int(codes.max(initial=0)).bit_length()
        kinds = _kinds_of_characters(n_bits).take(codes)  # takes half the time of an index
        is_in_word = kinds == _IN_WORD
        is_first = np.ones(len(codes), dtype=bool)  # of its word, or else of none
        is_first[1:] = ~is_in_word[:-1]
        is_first[starts[starts < len(codes)]] = True
        counted = np.flatnonzero((kinds == _ALONE) | (is_in_word & is_first))
        counts.append(np.diff(np.searchsorted(counted, starts)))
    return np.concatenate(counts)


@cache
def _kinds_of_characters(n_bits: int) -> ByteArray:
    """Return the kinds of code points with so many bits, as the pattern of pieces has them; all take 60 ms."""
    n_codes = min(1 << n_bits, sys.maxunicode + 1)
    characters = np.arange(n_codes).astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    kinds = np.full(len(characters), _ALONE, dtype=np.uint8)
    for pattern, kind in ((_SPACE, _IN_SPACE), (_LETTER, _IN_WORD), (f"[{_UNSPACED}]", _ALONE)):
        for run in re.finditer(f"{pattern}+", characters):
            kinds[run.start() : run.end()] = kind
    return kinds


def mark_differences(left: str, right: str) -> tuple[MarkedText, MarkedText]:
    """Mark the words of both texts that the other lacks at that place.

    Whitespace between two marked words is marked too.
    """
    left_pieces = pieces_of(left)
    right_pieces = pieces_of(right)
    is_same_left = [False] * len(left_pieces)
    is_same_right = [False] * len(right_pieces)
    matcher = SequenceMatcher(a=left_pieces, b=right_pieces, autojunk=False)
    for block in matcher.get_matching_blocks():
        is_same_left[block.a : block.a + block.size] = [True] * block.size
        is_same_right[block.b : block.b + block.size] = [True] * block.size
    return _marked(left_pieces, is_same_left), _marked(right_pieces, is_same_right)


def _marked(pieces: Sequence[str], is_same: Sequence[bool]) -> MarkedText:
    """Join neighbouring pieces; whitespace is marked if both neighbours are."""
    marks = [not same and not piece.isspace() for piece, same in zip(pieces, is_same, strict=True)]
    for index in range(1, len(pieces) - 1):
        if pieces[index].isspace():
            marks[index] = marks[index - 1] and marks[index + 1]
    joined = []
    for mark, neighbours in groupby(zip(pieces, marks, strict=True), key=itemgetter(1)):
        joined.append(("".join(piece for piece, _ in neighbours), mark))
    return tuple(joined)


def column(metric: str, value: str, part: str = "") -> str:
    """Return the name of a column: ``bleu.difference``, or ``bleu.p1.system`` for a component of the score."""
    return ".".join(filter(None, (metric, part, value)))


def segment_table(metrics: Sequence[Scored], differences: pd.DataFrame, baseline: Run, system: Run) -> pd.DataFrame:
    """Return the segments of one test set in corpus order.

    Parameters
    ----------
    metrics
        All on one test set.
    differences
        One row per metric and segment in corpus order, with columns ``baseline_score``, ``system_score``,
        ``difference`` and ``improvement``.
    baseline, system
        The compared runs.

    Returns
    -------
    Columns ``segment`` (zero-based), ``document`` (if known), ``reference_words`` (mean over references; otherwise
    ``source_words``, or neither), ``baseline_words``, ``system_words``, ``is_identical``, then those named by
    ``column``.
    """
    test_set = metrics[0].test_set
    columns: dict[str, object] = {"segment": np.arange(test_set.n_segments)}
    if test_set.documents is not None:
        columns["document"] = np.array(test_set.documents, dtype=object)
    if yardstick(test_set):
        columns[f"{yardstick(test_set)}_words"] = yardstick_words(test_set)
    columns["baseline_words"] = word_counts(baseline.hypotheses)
    columns["system_words"] = word_counts(system.hypotheses)
    columns["is_identical"] = np.array(list(map(eq, baseline.hypotheses, system.hypotheses)))

    for scored in metrics:
        key = scored.metric.key
        of_metric = differences[differences["metric"] == key]
        columns[column(key, "baseline")] = of_metric["baseline_score"].to_numpy()
        columns[column(key, "system")] = of_metric["system_score"].to_numpy()
        columns[column(key, "difference")] = of_metric["difference"].to_numpy()
        columns[column(key, "improvement")] = of_metric["improvement"].to_numpy()
    for scored in metrics:
        names = part_names(scored)
        for side, run in (("baseline", baseline), ("system", system)):
            for name, values in zip(names, _part_values(scored, run).T, strict=True):
                columns[column(scored.metric.key, side, name)] = values
    return pd.DataFrame(columns)


def yardstick(test_set: TestSet) -> Yardstick:
    """Return which text determines a segment's length and rarity: ``reference``, ``source``, or empty."""
    if test_set.has_references:
        return "reference"
    if test_set.source is not None:
        return "source"
    return ""


def yardstick_texts(test_set: TestSet) -> Sequence[Sequence[str]]:
    """Return the references of each segment, otherwise its source; empty for neither."""
    if test_set.has_references:
        return test_set.references
    return [(text,) for text in test_set.source or ()]


def yardstick_words(test_set: TestSet) -> FloatArray:
    """Return the mean number of words of each segment's references or source, shape ``(segments,)``."""
    texts = yardstick_texts(test_set)
    n_words = word_counts(list(chain.from_iterable(texts)))
    starts = starts_of(map(len, texts))
    n_before = starts_of(n_words)  # in all texts before each
    return np.asarray(np.diff(n_before[starts]) / np.diff(starts))


def part_names(scored: Scored) -> tuple[str, ...]:
    """Return the names of a score's components: submetrics, edit kinds, or the number of marked errors."""
    if isinstance(scored.scorer, CountsEdits):
        return tuple(f"{kind}s" for kind in scored.scorer.edit_kinds)
    if marks_errors(scored):
        return (*scored.metric.submetric_names, MARKED)
    return tuple(scored.metric.submetric_names)


def is_count(scored: Scored, part: str) -> bool:
    """Return whether a component of a metric's score is a count."""
    return isinstance(scored.scorer, CountsEdits) or part == MARKED


def _part_values(scored: Scored, run: Run) -> FloatArray:
    """Return the components of a run's scores, shape ``(segments, parts)``."""
    if isinstance(scored.scorer, CountsEdits):
        return scored.scorer.edit_counts(range(len(run.hypotheses)), run.hypotheses).astype(float)
    parts = scored.scorer.submetrics(scored.statistics[run.system][run_index(scored, run.system, run.key)])
    if not marks_errors(scored):
        return parts
    counts = []
    for spans in spans_of(scored, run):
        if spans is None:
            counts.append(np.nan)
        else:
            counts.append(len(spans))
    return np.column_stack([parts, counts])


def run_index(scored: Scored, system: str, run: str) -> int:
    """Return a run's index in the arrays of its system.

    Raises
    ------
    DataError
        If the system has no such run there.
    """
    keys = scored.run_keys(system)
    if run not in keys:
        known = ", ".join(keys) or "none"
        raise DataError(
            f"System '{system}' has no run '{run}' on test set '{scored.test_set.name}'. Runs found: {known}."
        )
    return keys.index(run)


def luck_of_two_runs(improvement: FloatArray, consistency: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Return the segments in which two runs differ by luck, shape ``(segments,)``.

    Parameters
    ----------
    improvement
        From one run to the other, shape ``(segments,)``.
    consistency
        From ``consistency_frame`` of their systems.

    Returns
    -------
    True if the two differ, and at most half of all pairs of runs differ in that direction.
    """
    n_alike = np.where(improvement > 0, consistency["better"], consistency["worse"])  # pairs with that direction
    differ = np.abs(improvement) > TOLERANCE  # False for NaN
    return np.asarray(differ & (n_alike <= LUCK_SHARE * consistency["pairs"].to_numpy()))


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
    bounded
        What is bounded instead of the improvement, shape ``(segments,)``.
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
    bounded: FloatArray | None = None


@dataclass(frozen=True)
class SegmentTexts:
    """The texts to search: for each stream one case-folded string per segment, references joined."""

    streams: dict[str, tuple[str, ...]]

    @classmethod
    def of(cls, test_set: TestSet, baseline: Sequence[str], system: Sequence[str]) -> SegmentTexts:
        """Collect the texts of two runs, their source and references."""
        texts_of: dict[str, Sequence[str]] = {}
        if test_set.source:
            texts_of["source"] = test_set.source
        if test_set.has_references:
            texts_of["reference"] = ["\n".join(texts) for texts in test_set.references]
        texts_of["baseline"] = baseline
        texts_of["system"] = system
        searched = {}
        for stream, texts in texts_of.items():
            if texts:
                searched[stream] = tuple(text.casefold() for text in texts)
        return cls(searched)

    def contain(self, wanted: str, stream: Stream) -> BoolArray:
        """Return whether each segment contains a text, in one stream or any; shape ``(segments,)``."""
        folded = wanted.casefold()
        streams: Iterable[str] = self.streams if stream == "any" else [stream]
        contains: BoolArray = np.zeros(len(self.streams["system"]), dtype=bool)
        for name in streams:
            if name in self.streams:
                contains |= np.array([folded in text for text in self.streams[name]], dtype=bool)
        return contains


def repeated(test_set: TestSet) -> tuple[BoolArray, BoolArray]:
    """Return which segments have the source, or references, of another, and which are the first of their kind."""
    texts = list(test_set.source or test_set.references)
    counts = Counter(texts)
    is_repeated = np.array([counts[text] > 1 for text in texts])
    first_place: dict[object, int] = {}
    for place, text in enumerate(texts):
        first_place.setdefault(text, place)
    is_first = np.array([first_place[text] == place for place, text in enumerate(texts)])
    return is_repeated, is_first


def matching(table: pd.DataFrame, consistency: pd.DataFrame, texts: SegmentTexts, wanted: SegmentFilter) -> BoolArray:
    """Return which segments meet all conditions, shape ``(segments,)``; undefined differences meet no bounds."""
    improvement = table[column(wanted.metric, "improvement")]
    bounded = improvement if wanted.bounded is None else pd.Series(wanted.bounded)
    holds = _within(bounded, wanted.least, wanted.most)
    for name in ("reference_words", "source_words"):
        if name in table:
            holds &= _within(table[name], wanted.shortest, wanted.longest)
    if wanted.documents:
        if "document" in table:
            holds &= table["document"].isin(wanted.documents).to_numpy()
        else:  # no segment is in a document that is known
            holds[:] = False
    if wanted.text:
        holds &= texts.contain(wanted.text, wanted.stream)
    if wanted.outputs != "all":
        holds &= table["is_identical"].to_numpy() == (wanted.outputs == "identical")
    if wanted.agreement == "luck":
        holds &= luck_of_two_runs(improvement.to_numpy(), consistency)
    elif wanted.agreement != "all":
        holds &= (consistency["kind"] == wanted.agreement).to_numpy()
    return holds


def _within(values: pd.Series[float], low: float | None, high: float | None) -> BoolArray:
    """Return which values are within bounds, inclusive; without a bound, NaN is within."""
    numbers = values.to_numpy()
    is_within = np.ones(len(numbers), dtype=bool)
    if low is not None:
        is_within &= numbers >= low
    if high is not None:
        is_within &= numbers <= high
    return is_within


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
    """Group segments by the number of words of their references or sources, shape ``(segments,)``."""
    names = []
    for low, high in pairwise((0, *LENGTH_EDGES)):
        names.append(f"{low}–{high - 1} words")
    names.append(f"{LENGTH_EDGES[-1]} words or more")
    return _without_empty(tuple(names), np.digitize(np.floor(words), LENGTH_EDGES))


def by_parts(values: FloatArray, unit: str = "") -> Partition:
    """Group segments into five parts of about equal size; ties stay together, NaN is in none.

    Parameters
    ----------
    values
        Of each segment, shape ``(segments,)``.
    unit
        Written behind the bounds in the names, e.g. ``words``.
    """
    known = values[~np.isnan(values)]
    edges = np.array([])
    if len(known):
        edges = np.unique(np.quantile(known, np.arange(1, PARTS) / PARTS))
    names = range_names([f"{significant(edge, 4)} {unit}".rstrip() for edge in edges])
    # An edge belongs to the part below it
    places = np.where(np.isnan(values), -1, np.searchsorted(edges, values, side="left"))
    return _without_empty(names, places)


def by_label(labels: Sequence[str]) -> Partition:
    """Group segments by label, in order of appearance; numbers with many values are grouped into parts.

    Segments with an empty label are in no bucket.
    """
    distinct = dict.fromkeys(label for label in labels if label.strip())
    if len(distinct) > MOST_LABELS:
        try:
            numbers = [float(label) if label.strip() else np.nan for label in labels]
        except ValueError:
            pass  # not all are numbers
        else:
            return by_parts(np.array(numbers, dtype=float))
    # A few values, or labels that are no numbers: one bucket for each
    bucket_of = {label: index for index, label in enumerate(distinct)}
    return Partition(tuple(distinct), np.array([bucket_of.get(label, -1) for label in labels], dtype=np.int64))


def rarity(test_set: TestSet) -> FloatArray:
    """Return the rarity of each segment's reference or source words in bits per word, shape ``(segments,)``.

    The mean of ``log2(N / count)`` over the words, with counts over all N words of these texts of the test set,
    ignoring case. NaN for a segment without words.
    """
    words_of_segments = []
    for texts in yardstick_texts(test_set):
        words = []
        for text in texts:
            words += [piece.casefold() for piece in pieces_of(text) if not piece.isspace()]
        words_of_segments.append(words)

    counts: Counter[str] = Counter()
    for words in words_of_segments:
        counts.update(words)
    total = counts.total()
    bits = {word: float(np.log2(total / count)) for word, count in counts.items()}

    means = []
    for words in words_of_segments:
        if words:
            means.append(float(np.mean([bits[word] for word in words])))
        else:
            means.append(np.nan)
    return np.array(means, dtype=float)


def range_names(bounds: Sequence[str]) -> tuple[str, ...]:
    """Return names of the parts of a range that some bounds divide."""
    if not bounds:
        return ("all",)
    inner = [f"{low} to {high}" for low, high in pairwise(bounds)]
    return (f"up to {bounds[0]}", *inner, f"above {bounds[-1]}")


def _without_empty(names: tuple[str, ...], places: npt.NDArray[np.int64]) -> Partition:
    """Return the buckets that have a segment."""
    kept = [index for index in range(len(names)) if (places == index).any()]
    new_place = np.full(len(names) + 1, -1, dtype=np.int64)  # place -1, for none, finds the last
    new_place[kept] = np.arange(len(kept))
    return Partition(tuple(names[index] for index in kept), new_place[places])
