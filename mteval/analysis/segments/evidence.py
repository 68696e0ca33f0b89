"""Words and n-grams behind a difference: which of them one run matches more often, and which neither matches.

Matches are clipped per segment to the count in the best reference, as in BLEU. Unmatched words in a metric's alignments
are MultEval's report, here also for two runs at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import pandas as pd

from mteval.analysis.evaluation import Evaluation
from mteval.analysis.scoring import Scored
from mteval.analysis.segments.runs import run_texts
from mteval.analysis.work import Progress, Work
from mteval.base.arrays import IntArray
from mteval.metrics.explanation import Alignment, Aligns
from mteval.metrics.text.ngrams import Tokenize

ORDER = 4
EVIDENCE = ("ngram", "order", "baseline", "system", "difference", "references", "log_ratio")
UNMATCHED = ("word", "references", "missed_by_baseline", "missed_by_system", "missed_by_both", "baseline", "system")

Ngram = tuple[str, ...]


@dataclass(frozen=True)
class NgramCells:
    """Counts of n-grams of one order, one entry per segment and n-gram that occurs in it.

    Parameters
    ----------
    words
        The vocabulary.
    ngrams
        The n-grams as rows of word numbers, shape ``(n-grams, order)``.
    segment, ngram
        Of each entry, shape ``(entries,)``.
    references, baseline, system
        Count of the n-gram in the reference that has it most often, and in the two hypotheses.
    """

    words: tuple[str, ...]
    ngrams: IntArray
    segment: IntArray
    ngram: IntArray
    references: IntArray
    baseline: IntArray
    system: IntArray

    @cached_property
    def baseline_matches(self) -> IntArray:
        """Return the matches of the baseline, shape ``(entries,)``."""
        return np.minimum(self.baseline, self.references)

    @cached_property
    def system_matches(self) -> IntArray:
        """Return the matches of the system, shape ``(entries,)``."""
        return np.minimum(self.system, self.references)

    def total(self, counts: IntArray) -> IntArray:
        """Sum entries by n-gram, shape ``(n-grams,)``."""
        return np.bincount(self.ngram, weights=counts, minlength=len(self.ngrams)).astype(np.int64)

    def text(self, ngram: int) -> Ngram:
        """Return the words of an n-gram."""
        return tuple(self.words[number] for number in self.ngrams[ngram])

    def find(self, ngram: Ngram) -> int | None:
        """Return the number of an n-gram; None if it does not occur."""
        numbers = [self.words.index(word) if word in self.words else -1 for word in ngram]
        found = np.flatnonzero((self.ngrams == numbers).all(axis=1))
        return int(found[0]) if len(found) else None


def count_ngrams(
    tokenize: Tokenize, references: Sequence[Sequence[str]], baseline: Sequence[str], system: Sequence[str]
) -> tuple[NgramCells, ...]:
    """Count n-grams up to order four in two runs and the references of their segments."""
    flat = [text for of_segment in references for text in of_segment]
    cut = tokenize([*flat, *baseline, *system])
    number = {token: index for index, token in enumerate(dict.fromkeys(cut.tokens))}
    words, tokens = tuple(number), cut.in_numbers([number[token] for token in cut.tokens])
    counts = [len(of_segment) for of_segment in references]
    segments = np.concatenate([np.repeat(np.arange(len(counts)), counts), *[np.arange(len(counts))] * 2])
    sides = np.repeat([0, 1, 2], [len(flat), len(baseline), len(system)])
    cells = []
    numbers, places = tokens.items.astype(np.int64), np.arange(len(tokens.items))
    text_of = np.repeat(np.arange(len(sides)), tokens.lengths)
    for order in range(1, ORDER + 1):
        if order > 1:  # append a word to each n-gram of the order before
            longer = places + order - 1 < tokens.starts[text_of[places] + 1]
            numbers, places = numbers[longer], places[longer]
            numbers = numbers * len(words) + tokens.items[places + order - 1]
        _, first, numbers = np.unique(numbers, return_index=True, return_inverse=True)
        ngrams = tokens.items[places[first][:, None] + np.arange(order)].astype(np.int64)
        cells.append(_cells(words, ngrams, numbers, text_of[places], segments, sides))
    return tuple(cells)


def _cells(
    words: tuple[str, ...], ngrams: IntArray, numbers: IntArray, text_of: IntArray, segments: IntArray, sides: IntArray
) -> NgramCells:
    """Return entries for n-grams ``numbers`` that occur in the texts ``text_of``."""
    n_ngrams = max(len(ngrams), 1)
    in_text, counts = np.unique(text_of * n_ngrams + numbers, return_counts=True)
    text, ngram = np.divmod(in_text, n_ngrams)
    entry, place = np.unique(segments[text] * n_ngrams + ngram, return_inverse=True)
    by_side = np.zeros((3, len(entry)), dtype=np.int64)
    np.maximum.at(by_side, (sides[text], place), counts)  # the largest of several references
    segment, ngram = np.divmod(entry, n_ngrams)
    return NgramCells(words, ngrams, segment, ngram, *by_side)


def evidence_frame(cells: Sequence[NgramCells], most: int) -> pd.DataFrame:
    """Return n-grams that one run matches more often, the ``most`` with the largest ratios in each direction.

    ``baseline`` and ``system`` are match counts; ``log_ratio`` is ``log2((system + 1) / (baseline + 1))``, so that rare
    n-grams do not dominate. Gains of the system come first. Ties are ordered by matches, then by length.
    """
    frames = []
    for one in cells:
        columns = {"place": np.arange(len(one.ngrams)), "order": one.ngrams.shape[1]}
        matches = {"baseline": one.total(one.baseline_matches), "system": one.total(one.system_matches)}
        frames.append(pd.DataFrame({**columns, **matches, "references": one.total(one.references)}))
    frame = pd.concat(frames, ignore_index=True)
    frame["difference"] = frame["system"] - frame["baseline"]
    frame["log_ratio"] = np.log2((frame["system"] + 1) / (frame["baseline"] + 1))
    frame = frame[frame["difference"] != 0]
    frame = frame.assign(size=frame["baseline"] + frame["system"], ratio=frame["log_ratio"].abs())
    frame = frame.sort_values(["ratio", "size", "order"], ascending=False, kind="stable")
    by_order = {one.ngrams.shape[1]: one for one in cells}
    gains, losses = frame[frame["difference"] > 0], frame[frame["difference"] < 0]
    chosen = pd.concat([gains.head(most), losses.head(most)], ignore_index=True)
    chosen["ngram"] = [
        " ".join(by_order[order].text(place)) for order, place in zip(chosen["order"], chosen["place"], strict=True)
    ]
    return chosen[list(EVIDENCE)]


def unmatched_frame(words: NgramCells, most: int) -> pd.DataFrame:
    """Return words without an exact match: missed reference words and wrong hypothesis words.

    ``missed_by_both`` counts the misses of the better hypothesis per segment; ``baseline`` and ``system`` count
    occurrences without a match in any reference. Words missed most often by both come first.
    """
    left, right = words.baseline_matches, words.system_matches
    frame = pd.DataFrame(
        {
            "word": words.words,
            "references": words.total(words.references),
            "missed_by_baseline": words.total(words.references - left),
            "missed_by_system": words.total(words.references - right),
            "missed_by_both": words.total(words.references - np.maximum(left, right)),
            "baseline": words.total(words.baseline - left),
            "system": words.total(words.system - right),
        }
    )
    parts = [frame.nlargest(most, name, keep="first") for name in ("missed_by_both", "baseline", "system")]
    chosen = pd.concat(parts).loc[lambda rows: ~rows.index.duplicated()]
    chosen = chosen[(chosen[["missed_by_both", "baseline", "system"]] > 0).any(axis=1)]
    return chosen.sort_values("missed_by_both", ascending=False, kind="stable", ignore_index=True)


def segments_with(cells: Sequence[NgramCells], ngram: Ngram, where: str) -> IntArray:
    """Return the segments in which an n-gram of one to four words makes the difference, or is missed.

    ``where`` is ``differs`` (one run matches it more often) or ``missed`` (a reference has it more often than either
    run matches it, or a run has it more often than any reference).
    """
    if not 1 <= len(ngram) <= len(cells):
        return np.zeros(0, dtype=np.int64)
    of_order = cells[len(ngram) - 1]
    number = of_order.find(ngram)
    if number is None:
        return np.zeros(0, dtype=np.int64)
    here = of_order.ngram == number
    left, right = of_order.baseline_matches, of_order.system_matches
    if where == "differs":
        holds = left != right
    else:
        holds = (of_order.references > np.maximum(left, right)) | (of_order.baseline > left) | (of_order.system > right)
    found: IntArray = of_order.segment[here & holds]
    return found


SEGMENTS_A_CHUNK = 256


@dataclass(frozen=True)
class LeftOver:
    """How often each word of one run, and of the references aligned with it, has no match."""

    hypothesis: Counter[str]
    reference: Counter[str]


def left_over(scorer: Aligns, hypotheses: Sequence[str], name: str, work: Work) -> LeftOver:
    """Count the unmatched words of one run; ``name`` identifies it in the progress.

    Raises
    ------
    CancelledError
        If the work was cancelled.
    """
    total = LeftOver(Counter(), Counter())
    starts = range(0, len(hypotheses), SEGMENTS_A_CHUNK)
    for start, found in zip(starts, work.engine.map(partial(_left_over, scorer, hypotheses), starts), strict=True):
        total.hypothesis.update(found.hypothesis)
        total.reference.update(found.reference)
        work.report(Progress(f"Aligning the words of {name}", start, len(hypotheses)))
    return total


def of_medians(scored: Sequence[Scored], evaluation: Evaluation, work: Work) -> list[LeftOver]:
    """Count the unmatched words of each system's median run, by every metric that aligns words."""
    medians = {(row.test_set, row.metric, row.system): row.median_run for row in evaluation.summaries}
    found = []
    for one in scored:
        if not isinstance(one.scorer, Aligns):
            continue
        known: dict[tuple[str, ...], LeftOver] = {}  # runs may be copies
        for system in one.statistics:
            texts = run_texts(one, system, medians[one.test_set.name, one.metric.key, system])
            if texts not in known:
                known[texts] = left_over(one.scorer, texts, system, work)
            found.append(known[texts])
    return found


def _left_over(scorer: Aligns, hypotheses: Sequence[str], start: int) -> LeftOver:
    """Count the unmatched words of one chunk of segments."""
    chunk = hypotheses[start : start + SEGMENTS_A_CHUNK]
    alignments = scorer.alignments(range(start, start + len(chunk)), chunk)
    return LeftOver(
        _total([one.unmatched_hypothesis for one in alignments]),
        _total([one.unmatched_reference for one in alignments]),
    )


@dataclass(frozen=True)
class UnmatchedWords:
    """Unmatched words of two runs, per segment.

    Parameters
    ----------
    references
        Words of the reference that the baseline was aligned with.
    missed_by_baseline, missed_by_system
        Reference words without a match.
    baseline, system
        Hypothesis words without a match.
    """

    references: tuple[Counter[str], ...]
    missed_by_baseline: tuple[Counter[str], ...]
    missed_by_system: tuple[Counter[str], ...]
    baseline: tuple[Counter[str], ...]
    system: tuple[Counter[str], ...]

    @classmethod
    def of(cls, baseline: Sequence[Alignment], system: Sequence[Alignment]) -> UnmatchedWords:
        """Build from one alignment per segment of each run."""
        return cls(
            tuple(Counter(one.reference_words) for one in baseline),
            tuple(one.unmatched_reference for one in baseline),
            tuple(one.unmatched_reference for one in system),
            tuple(one.unmatched_hypothesis for one in baseline),
            tuple(one.unmatched_hypothesis for one in system),
        )

    @property
    def missed_by_both(self) -> tuple[Counter[str], ...]:
        """Return the reference words that the better of the two misses."""
        return tuple(left & right for left, right in zip(self.missed_by_baseline, self.missed_by_system, strict=True))

    def frame(self, most: int) -> pd.DataFrame:
        """Return the ``most`` frequent words of each kind, with columns and order as in ``unmatched_frame``."""
        totals = {name: _total(getattr(self, name)) for name in UNMATCHED[1:]}
        frequent = [totals[name].most_common(most) for name in ("missed_by_both", "baseline", "system")]
        words = dict.fromkeys(word for kind in frequent for word, _ in kind)
        rows = [(word, *(totals[name][word] for name in UNMATCHED[1:])) for word in words]
        frame = pd.DataFrame(rows, columns=list(UNMATCHED))
        return frame.sort_values("missed_by_both", ascending=False, kind="stable", ignore_index=True)

    def segments_with(self, word: str) -> IntArray:
        """Return the segments in which both runs miss the word, or one has it without a match."""
        kinds = zip(self.missed_by_both, self.baseline, self.system, strict=True)
        return np.array([place for place, kind in enumerate(kinds) if any(word in one for one in kind)], dtype=np.int64)


def _total(counters: Sequence[Counter[str]]) -> Counter[str]:
    total = Counter[str]()
    for counter in counters:
        total.update(counter)
    return total
