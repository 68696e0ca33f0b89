"""Text cut into pieces that can be marked and counted, in any script, such that the pieces joined are the text.

Words and n-grams behind a difference: which of them one run gets right more often, and which none does.

An n-gram is right as often as it stands in the hypothesis and in that reference which has it most often, segment by
segment, as in BLEU.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

import numpy as np
import pandas as pd

from mteval.base.arrays import IntArray
from mteval.metrics.text.ngrams import Sequences, Tokenize

# Scripts without spaces between words are cut into characters: kana, Han, Thai, Lao, Myanmar, Khmer.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_PIECE = re.compile(rf"\s+|[{_UNSPACED}]|(?:(?![{_UNSPACED}])[\w\u0300-\u036f\u0591-\u05c7\u200c\u200d])+|.", re.DOTALL)


@dataclass(frozen=True)
class MarkedText:
    """A text in pieces, each with whether it is to be marked."""

    pieces: tuple[tuple[str, bool], ...]

    @property
    def text(self) -> str:
        """The text itself."""
        return "".join(piece for piece, _ in self.pieces)


def pieces_of(text: str) -> tuple[str, ...]:
    """Words, punctuation marks and stretches of white space; characters where a script has no spaces."""
    return tuple(_PIECE.findall(text))


def count_words(text: str) -> int:
    """Number of pieces that are not white space."""
    return sum(1 for piece in pieces_of(text) if not piece.isspace())


def mark_differences(left: str, right: str) -> tuple[MarkedText, MarkedText]:
    """Both texts with the words marked that the other has not at that place.

    A stretch between two marked words is marked with them when it is white space.
    """
    left_pieces, right_pieces = pieces_of(left), pieces_of(right)
    matcher = SequenceMatcher(a=left_pieces, b=right_pieces, autojunk=False)
    is_same = [False] * len(left_pieces), [False] * len(right_pieces)
    for block in matcher.get_matching_blocks():
        is_same[0][block.a : block.a + block.size] = [True] * block.size
        is_same[1][block.b : block.b + block.size] = [True] * block.size
    return _marked(left_pieces, is_same[0]), _marked(right_pieces, is_same[1])


def _marked(pieces: Sequence[str], is_same: Sequence[bool]) -> MarkedText:
    """Neighbouring pieces of a kind joined; white space follows its neighbours where they agree, else is not marked."""
    marks = [not same and not piece.isspace() for piece, same in zip(pieces, is_same, strict=True)]
    for index in range(1, len(pieces) - 1):
        if pieces[index].isspace():
            marks[index] = marks[index - 1] and marks[index + 1]
    joined: list[tuple[str, bool]] = []
    for piece, mark in zip(pieces, marks, strict=True):
        if joined and joined[-1][1] == mark:
            joined[-1] = (joined[-1][0] + piece, mark)
        else:
            joined.append((piece, mark))
    return MarkedText(tuple(joined))


ORDER = 4
EVIDENCE = ("ngram", "order", "baseline", "system", "difference", "references", "log_ratio")
UNMATCHED = ("word", "references", "missed_by_baseline", "missed_by_system", "missed_by_both", "baseline", "system")

Ngram = tuple[str, ...]


@dataclass(frozen=True)
class NgramCells:
    """Counts of n-grams of one order, one entry for each segment and n-gram that stands in it.

    Parameters
    ----------
    words
        The words by number.
    ngrams
        The n-grams as rows of numbers of words, shape ``(n-grams, order)``.
    segment, ngram
        Of each entry, shape ``(entries,)``.
    references, baseline, system
        How often the n-gram stands in that reference which has it most often, and in the two hypotheses.
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
        """Matches of the baseline, shape ``(entries,)``."""
        return np.minimum(self.baseline, self.references)

    @cached_property
    def system_matches(self) -> IntArray:
        """Matches of the system, shape ``(entries,)``."""
        return np.minimum(self.system, self.references)

    def total(self, counts: IntArray) -> IntArray:
        """Sums of entries by n-gram, shape ``(n-grams,)``."""
        return np.bincount(self.ngram, weights=counts, minlength=len(self.ngrams)).astype(np.int64)

    def text(self, ngram: int) -> Ngram:
        """The words of an n-gram."""
        return tuple(self.words[number] for number in self.ngrams[ngram])

    def find(self, ngram: Ngram) -> int | None:
        """The number of an n-gram; None where it stands nowhere."""
        numbers = [self._numbers.get(word, -1) for word in ngram]
        found = np.flatnonzero((self.ngrams == numbers).all(axis=1))
        return int(found[0]) if len(found) else None

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}


def count_ngrams(
    tokenize: Tokenize, references: Sequence[Sequence[str]], baseline: Sequence[str], system: Sequence[str]
) -> tuple[NgramCells, ...]:
    """Counts of all orders up to four, of two runs and the references of their segments."""
    flat = [text for of_segment in references for text in of_segment]
    words, tokens = _numbered(tokenize, [*flat, *baseline, *system])
    counts = [len(of_segment) for of_segment in references]
    segments = np.concatenate([np.repeat(np.arange(len(counts)), counts), *[np.arange(len(counts))] * 2])
    sides = np.repeat([0, 1, 2], [len(flat), len(baseline), len(system)])
    cells = []
    numbers, places = tokens.items.astype(np.int64), np.arange(len(tokens.items))
    text_of = np.repeat(np.arange(len(sides)), tokens.lengths)
    for order in range(1, ORDER + 1):
        if order > 1:  # an n-gram is the one before it and one more word
            longer = places + order - 1 < tokens.starts[text_of[places] + 1]
            numbers, places = numbers[longer], places[longer]
            numbers = numbers * len(words) + tokens.items[places + order - 1]
        _, first, numbers = np.unique(numbers, return_index=True, return_inverse=True)
        ngrams = tokens.items[places[first][:, None] + np.arange(order)].astype(np.int64)
        cells.append(_cells(words, ngrams, numbers, text_of[places], segments, sides))
    return tuple(cells)


def _numbered(tokenize: Tokenize, texts: Sequence[str]) -> tuple[tuple[str, ...], Sequences]:
    """The distinct tokens of the texts, and the texts in their numbers."""
    cut = tokenize(texts)
    distinct = dict.fromkeys(cut.tokens)
    number = {token: index for index, token in enumerate(distinct)}
    return tuple(distinct), cut.in_numbers([number[token] for token in cut.tokens])


def _cells(
    words: tuple[str, ...], ngrams: IntArray, numbers: IntArray, text_of: IntArray, segments: IntArray, sides: IntArray
) -> NgramCells:
    """Entries from n-grams ``numbers`` that stand in the texts ``text_of``."""
    n_ngrams = max(len(ngrams), 1)
    in_text, counts = np.unique(text_of * n_ngrams + numbers, return_counts=True)
    text, ngram = np.divmod(in_text, n_ngrams)
    entry, place = np.unique(segments[text] * n_ngrams + ngram, return_inverse=True)
    by_side = np.zeros((3, len(entry)), dtype=np.int64)
    np.maximum.at(by_side, (sides[text], place), counts)  # of several references the largest
    segment, ngram = np.divmod(entry, n_ngrams)
    return NgramCells(words, ngrams, segment, ngram, *by_side)


def evidence_frame(cells: Sequence[NgramCells], most: int) -> pd.DataFrame:
    """N-grams that one run matches more often than the other: the ``most`` with the largest ratios each way.

    ``baseline`` and ``system`` are match counts, ``log_ratio`` is ``log2((system + 1) / (baseline + 1))``: one match
    more is added to both, so that rare n-grams do not lead. Gains of the system come first; of equal ratios the one of
    more matches, then the longer one.
    """
    frame = pd.concat([_evidence(one) for one in cells], ignore_index=True)
    frame = frame[frame["difference"] != 0]
    frame["size"] = frame["baseline"] + frame["system"]
    gains = frame[frame["difference"] > 0].sort_values(
        ["log_ratio", "size", "order"], ascending=[False, False, False], kind="stable"
    )
    losses = frame[frame["difference"] < 0].sort_values(
        ["log_ratio", "size", "order"], ascending=[True, False, False], kind="stable"
    )
    by_order = {one.ngrams.shape[1]: one for one in cells}
    chosen = pd.concat([gains.head(most), losses.head(most)], ignore_index=True)
    chosen["ngram"] = [
        " ".join(by_order[order].text(place)) for order, place in zip(chosen["order"], chosen["place"], strict=True)
    ]
    return chosen[list(EVIDENCE)]


def _evidence(cells: NgramCells) -> pd.DataFrame:
    baseline, system = cells.total(cells.baseline_matches), cells.total(cells.system_matches)
    return pd.DataFrame(
        {
            "place": np.arange(len(cells.ngrams)),
            "order": cells.ngrams.shape[1],
            "baseline": baseline,
            "system": system,
            "difference": system - baseline,
            "references": cells.total(cells.references),
            "log_ratio": np.log2((system + 1) / (baseline + 1)),
        }
    )


def unmatched_frame(words: NgramCells, most: int) -> pd.DataFrame:
    """Words without an exact match: those of the references that are missed, those of the hypotheses that are wrong.

    ``missed_by_both`` counts what the better of the two misses in each segment; ``baseline`` and ``system`` how often a
    hypothesis has the word where no reference does. Those that are missed by both most often come first.
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
        },
        columns=list(UNMATCHED),
    )
    parts = [frame.nlargest(most, name, keep="first") for name in ("missed_by_both", "baseline", "system")]
    chosen = pd.concat(parts).loc[lambda rows: ~rows.index.duplicated()]
    chosen = chosen[(chosen[["missed_by_both", "baseline", "system"]] > 0).any(axis=1)]
    return chosen.sort_values("missed_by_both", ascending=False, kind="stable", ignore_index=True)


def segments_with(cells: Sequence[NgramCells], ngram: Ngram, where: str) -> IntArray:
    """Segments in which an n-gram of one to four words makes the difference, or in which it is missed.

    ``where`` is ``differs`` (one run matches it more often than the other) or ``missed`` (a reference has it more often
    than either run matches it, or a run has it more often than any reference).
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
