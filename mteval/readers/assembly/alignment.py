"""Align the segments of a stream with its test set, by key if both have keys, else line by line.

If a file has too few or too many lines, find where it goes out of step with the leading text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

import numpy as np
import numpy.typing as npt

from mteval.base.arrays import BoolArray, FloatArray, IntArray
from mteval.base.distinct_words import code_points, python_spaces, starts_of
from mteval.base.word_kernels import HASH_BITS, count_shared, hash_words
from mteval.base.words import counted
from mteval.readers.documents import NAMED_ROLES, REALIGNABLE, FileRole, Problem, Severity, Slot, Stream
from mteval.readers.formats.text import names_a_column

MOST_STEPS = 8  # scattered missing lines; more are treated as one block
MOST_COMPARISONS = 200_000
CLEARER_THAN_CHANCE = 4.0  # standard errors
LONGEST_WORDS = 20  # characters per word; longer ones are sentences without spaces
LINES_AT_ONCE = 1 << 11  # whose words stay in the processor's second cache

# For files of equal length
COMPARED = 300  # lines
FEWEST_TO_COMPARE = 20  # lines
SHIFTS = (1, -1, 2, -2, 3, -3, 4, -4, 5, -5)  # lines
# A shifted part is noticed if its lines gain so much similarity together. Lines in place gain at most 0.5, in 213 real
# outputs and sets of references (benchmarks/shifted_lines.py).
LEAST_GAIN = 1.5
FIT_IN_PLACE = 0.1  # added to the similarity of a line at its own place
MOST_ALIKE = 0.8  # mean similarity of unrelated lines; more alike tell nothing

MOST_LOCATED = 5  # files per test set searched for the first shifted line, which is slow

NOUNS: Mapping[str, str] = {
    "reference": "reference",
    "source": "source",
    "documents": "list of documents",
    "parses": "parse",
    "labels": "list of labels",
    "scores": "list of scores",
}
LEADERS: Mapping[FileRole, tuple[str, str]] = {  # name of the leading text, and the same with a verb
    "reference": ("the reference", "the references have"),
    "source": ("the source", "the source has"),
    "hypothesis": ("the first output", "most outputs have"),
}

Row = tuple[str, ...]
Cells = tuple[str | None, ...]


@dataclass(frozen=True)
class WordLines:
    """Lines as sets of words. If a script sets no spaces, pairs of characters are words.

    Parameters
    ----------
    keys
        Hashes of the distinct words of all lines in turn, ascending within a line.
    starts
        Where the words of each line start in ``keys``, as ``starts_of``.
    n_characters
        Shape ``(lines,)``.
    is_filled
        Whether a line has more than white space, shape ``(lines,)``.
    """

    keys: IntArray
    starts: IntArray
    n_characters: IntArray
    is_filled: BoolArray

    @cached_property
    def n_words(self) -> IntArray:
        """Number of distinct words of each line, shape ``(lines,)``."""
        return np.diff(self.starts)

    @classmethod
    def of(cls, lines: Sequence[str]) -> WordLines:
        """Split lines into words."""
        keys = [np.empty(0, dtype=np.int64)]
        n_distinct = np.zeros(len(lines), dtype=np.int64)
        n_characters = np.fromiter(map(len, lines), np.int64, len(lines))
        is_filled = np.zeros(len(lines), dtype=bool)
        for start in range(0, len(lines), LINES_AT_ONCE):
            block = slice(start, start + LINES_AT_ONCE)
            lowered = [line.lower() for line in lines[block]]
            hashes, starts = hash_words(*code_points(lowered), python_spaces())
            n_words = np.diff(starts)
            is_filled[block] = n_words > 0
            has_spaces = n_words * LONGEST_WORDS >= n_characters[block]
            places = np.repeat(np.arange(len(lowered)), n_words)
            if not has_spaces.all():
                is_word = np.repeat(has_spaces, n_words)
                lines_of_pairs = np.flatnonzero(~has_spaces)
                pairs, n_pairs = _character_pairs([lowered[place] for place in lines_of_pairs.tolist()])
                places = np.concatenate([places[is_word], np.repeat(lines_of_pairs, n_pairs)])
                hashes = np.concatenate([hashes[is_word], pairs])

            # Distinct words of each line: line and word in one number; np.unique would take several times as long
            words = np.sort(places << HASH_BITS | hashes)
            is_first = np.ones(len(words), dtype=bool)
            is_first[1:] = words[1:] != words[:-1]
            distinct = words[is_first]
            keys.append(distinct & (1 << HASH_BITS) - 1)
            n_distinct[block] = np.bincount(distinct >> HASH_BITS, minlength=len(lowered))
        return cls(np.concatenate(keys), starts_of(n_distinct), n_characters, is_filled)


def _character_pairs(lines: Sequence[str]) -> tuple[IntArray, IntArray]:
    """Return the hashes of all pairs of neighbouring characters, without spaces, and the number of each line."""
    codes, starts = code_points(["".join(line.split()) for line in lines])
    is_first = np.ones(len(codes), dtype=bool)
    is_first[starts[1:][np.diff(starts) > 0] - 1] = False  # the last character of a line begins no pair
    first = np.flatnonzero(is_first)
    pairs = np.column_stack([codes[first], codes[first + 1]]).ravel()
    hashes, _ = hash_words(pairs, 2 * np.arange(len(first) + 1), python_spaces())
    return hashes, np.maximum(np.diff(starts) - 1, 0)


def similarities(lines: WordLines, references: WordLines, places: IntArray, others: IntArray) -> FloatArray:
    """Return how similar lines are to references: the Dice coefficient of the words plus half the ratio of the lengths.

    The lengths are useful across languages.

    Parameters
    ----------
    places, others
        Lines and the references to compare them with, each of shape ``(n,)``, like the result.
    """
    n_shared = np.empty(len(places), dtype=np.int64)
    count_shared(lines.keys, lines.starts, references.keys, references.starts, places, others, n_shared)
    n_words = lines.n_words[places]
    n_both = n_words + references.n_words[others]
    overlap = np.divide(2 * n_shared, n_both, out=np.ones(len(places)), where=n_both > 0)
    length = lines.n_characters[places]
    other_length = references.n_characters[others]
    ratio = 0.5 * (np.minimum(length, other_length) + 1) / (np.maximum(length, other_length) + 1)
    return np.asarray(overlap + ratio)


def _exceeds_chance(fit: FloatArray, chance: FloatArray) -> bool:
    """Whether similarities are clearly higher on average than those of unrelated lines."""
    error = np.sqrt(fit.var() / len(fit) + chance.var() / len(chance))
    return bool(fit.mean() - chance.mean() > CLEARER_THAN_CHANCE * error)


def first_shifted_line(lines: Sequence[str], reference: Sequence[str]) -> int | None:
    """Return the first line (from 1) at which a file of another length goes out of step with the reference.

    The best path lets the file fall behind (or get ahead) by the difference in length. Lines are compared by shared
    words and by length. Returns None if the best path fits no better than chance.
    """
    shorter, longer = sorted((reference, lines), key=len)
    n_lines = len(shorter)
    n_missing = len(longer) - n_lines
    if n_missing == 0 or n_lines == 0 or n_lines > MOST_COMPARISONS:
        return None
    offsets = [0, n_missing]
    if n_missing <= MOST_STEPS and n_lines * (n_missing + 1) <= MOST_COMPARISONS:
        offsets = list(range(n_missing + 1))
    shorter_words = WordLines.of(shorter)
    longer_words = WordLines.of(longer)
    # How similar line i of the shorter text is to line i + offset of the longer, shape (lines, offsets)
    places = np.arange(n_lines)
    columns = [similarities(shorter_words, longer_words, places, places + offset) for offset in offsets]
    similarity = np.column_stack(columns)
    path = _best_path(similarity)
    fit = similarity[places, path]

    # Lines half the text apart are unrelated
    half = len(longer) // 2
    compared = places[:: 1 + n_lines // 500]
    chance = similarities(shorter_words, longer_words, compared, (compared + half) % len(longer))
    if not _exceeds_chance(fit, chance):
        return None
    shifted = np.flatnonzero(path)
    if len(shifted) == 0:
        return n_lines + 1
    return int(shifted[0]) + 1


def _best_path(similarity: FloatArray) -> npt.NDArray[np.int64]:
    """Return the non-decreasing path with the largest sum through ``(lines, offsets)``, shape ``(lines,)``."""
    n_lines, n_offsets = similarity.shape
    best = similarity[0].copy()  # largest sum of a path that ends at each offset
    origin = np.zeros((n_lines, n_offsets), dtype=np.int64)  # offset of the line before on that path
    for i in range(1, n_lines):
        for j in range(n_offsets - 1, -1, -1):
            origin[i, j] = int(np.argmax(best[: j + 1]))
        best = best[origin[i]] + similarity[i]
    path = np.empty(n_lines, dtype=np.int64)
    path[-1] = int(np.argmax(best))
    for i in range(n_lines - 1, 0, -1):
        path[i - 1] = origin[i, path[i]]
    return path


def misplaced(lines: WordLines, references: WordLines) -> str:
    """Return how lines match the reference in another order, or that they match no better than chance; else nothing.

    Compares up to ``COMPARED`` lines with those at the same place, and at the places after a shift or reversal.
    """
    n = len(lines.n_words)
    if n < FEWEST_TO_COMPARE:
        return ""
    seen = np.arange(0, n, 1 + n // COMPARED)

    def fits(places: IntArray, others: IntArray) -> FloatArray:
        """Return the similarity of each line that is not empty to a reference, by their places."""
        is_compared = lines.is_filled[places] & (others >= 0) & (others < n)
        return similarities(lines, references, places[is_compared], others[is_compared])

    def fit(places: IntArray, shift: int = 0) -> FloatArray:
        """Return the similarity of lines to the references ``shift`` lines below."""
        return fits(places, places + shift)

    def is_clearer(similarity: FloatArray, chance: FloatArray) -> bool:
        if min(len(similarity), len(chance)) < FEWEST_TO_COMPARE // 2:
            return False
        return _exceeds_chance(similarity, chance)

    for places in (seen[::3], seen):  # most files are clear at a glance
        in_place = fit(places)
        is_first_half = places < n // 2
        chance = np.concatenate([fit(places[is_first_half], n // 2), fit(places[~is_first_half], -(n // 2))])
        is_in_order = is_clearer(in_place, chance)
        if is_in_order:
            break
    if len(in_place) < FEWEST_TO_COMPARE // 2 or chance.mean() > MOST_ALIKE:
        return ""

    if not is_in_order:
        orders = {"are in reverse order.": fits(seen, n - 1 - seen)}
        for shift in SHIFTS:
            orders[_shifted(shift)] = fit(seen, shift)
        best = max(orders, key=lambda order: orders[order].mean())
        if is_clearer(orders[best], chance):
            return best
        return "match the references no better than unrelated lines."

    # A line lost, added or moved on the way shifts only the lines after it, or those between.
    return _shifted_part(lines, references, float(in_place.mean() + chance.mean()) / 2)


def _shifted_part(lines: WordLines, references: WordLines, usual: float) -> str:
    """Return which consecutive lines match the references above or below them; empty if none clearly do.

    ``usual`` lies between the similarity of lines in place and that of unrelated ones. Lines above it fit in place, and
    are not compared further.
    """
    n = len(lines.n_words)
    in_place = similarities(lines, references, np.arange(n), np.arange(n))
    misfits = np.flatnonzero((in_place < usual) & lines.is_filled)

    # What each of these lines gains by each shift, shape ``(shifts, misfits)``
    others = misfits + np.array(SHIFTS)[:, np.newaxis]
    places = np.broadcast_to(misfits, others.shape)
    is_inside = (others >= 0) & (others < n)
    gains_of_misfits = np.full(others.shape, -FIT_IN_PLACE)
    shifted = similarities(lines, references, places[is_inside], others[is_inside])
    gains_of_misfits[is_inside] += shifted - in_place[places[is_inside]]

    largest_gain = LEAST_GAIN
    predicate = ""
    for shift, gains_by_shift in zip(SHIFTS, gains_of_misfits, strict=True):
        if gains_by_shift[gains_by_shift > 0].sum() <= largest_gain:
            continue  # too little, even if these lines were neighbours
        # The sum of gains over a shifted part is large, over a part in place negative
        gains = np.full(n, -FIT_IN_PLACE)
        gains[misfits] = gains_by_shift
        sums = np.concatenate([[0.0], np.cumsum(gains)])
        gain_until = sums - np.minimum.accumulate(sums)
        end = int(np.argmax(gain_until))
        if gain_until[end] > largest_gain:
            largest_gain = gain_until[end]
            start = int(np.argmin(sums[:end])) + 1
            predicate = _shifted(shift, _of_lines(start, end, n))
    return predicate


def _of_lines(start: int, end: int, n: int) -> str:
    """Return `` from line 151 on`` or `` from line 10 to 15``."""
    if n - end <= max(map(abs, SHIFTS)):  # the last lines of a shifted part have no partner
        return f" from line {start:,} on"
    return f" from line {start:,} to {end:,}"


def _shifted(shift: int, where: str = "") -> str:
    side = "below" if shift > 0 else "above"
    return f"are shifted by {counted(abs(shift), 'line')}{where}: they match the references {side}."


@dataclass(frozen=True)
class Assigned:
    """A slot with its stream."""

    slot: Slot
    stream: Stream

    @property
    def subject(self) -> str:
        """Name at the beginning of a message."""
        if self.slot.role == "hypothesis":
            return f"System '{self.slot.system}', run '{self.slot.run}'"
        subject = f"The {NOUNS[self.slot.role]}"
        name = self.slot.shown_name if self.slot.role in NAMED_ROLES else self.slot.stream
        if name:
            subject += f" '{name}'"
        return subject

    def problem(
        self, message: str, line: int | None = None, severity: Severity = "error", code: str = "file"
    ) -> Problem:
        """Return a problem with this slot."""
        metric = self.slot.shown_name if self.slot.role == "scores" else ""
        return Problem(f"{self.subject} {message}", self.slot.file, line, severity, code, metric)


@dataclass(frozen=True)
class Order:
    """The segments of a test set: the lines of the leading text, and keys if a format has them.

    The first reference leads; without references the source or an output does. Problems are collected in ``problems``.
    """

    test_set: str
    leading: Cells
    keys: tuple[str, ...] | None
    role: FileRole = "reference"  # of the leading text
    has_documents: bool = False
    problems: list[Problem] = field(default_factory=list)

    @classmethod
    def of(cls, test_set: str, leading: Assigned, others: Sequence[Assigned], documents: Sequence[Assigned]) -> Order:
        """Return the order of the leading text, with the first keys that fit it."""
        lines = leading.stream.lines
        if _has_empty_line_too_many(lines, [item.stream.lines for item in others]):
            lines = lines[:-1]
        keys_of_streams = [leading.stream.keys, *(item.stream.keys for item in others)]
        keys = next((keys for keys in keys_of_streams if keys is not None), None)
        if keys is not None and len(keys) != len(lines):
            keys = None
        has_documents = any(len(item.stream.lines) == len(lines) for item in documents)
        order = cls(test_set, lines, keys, leading.slot.role, has_documents)
        differing = next((item for item in others if _is_reordered(item.stream.keys, keys)), None)
        if keys is not None and leading.stream.keys is None and differing is not None:
            first = next(item for item in others if item.stream.keys == keys)
            message = f"names no segments, and '{first.slot.file}' and '{differing.slot.file}' have them in different"
            message += " orders. Add a column segment to it, or write these files in one order."
            order.problems.append(leading.problem(message))
        return order

    def name(self, index: int) -> str:
        """Return the name of a segment for messages."""
        if self.keys is None:
            return str(index + 1)
        return _shown_key(self.keys[index])

    def aligned(self, item: Assigned) -> Cells | None:
        """Return the lines in this order, or None if they do not fit."""
        stream = item.stream
        if self.keys is not None and stream.keys is not None and stream.keys != self.keys:
            return self._aligned_by_key(item, self.keys, stream.keys)
        lines = stream.lines
        if len(lines) == len(self.leading) + 1 and _ends_empty(lines):
            lines = lines[:-1]
        if len(lines) != len(self.leading):
            self.problems.append(self._wrong_length(item))
            return None
        return lines

    def complete(self, item: Assigned) -> Row | None:
        """Return the lines in this order, or None if they do not fit or a segment has none."""
        lines = self.aligned(item)
        if lines is None:
            return None
        n_missing = lines.count(None)
        if n_missing:
            where = self.name(lines.index(None))
            message = f"has no line for segment '{where}' ({n_missing} in all). Add it, or exclude the file."
            self.problems.append(item.problem(message))
            return None
        return cast(Row, lines)

    def _aligned_by_key(self, item: Assigned, wanted: tuple[str, ...], present: tuple[str, ...]) -> Cells | None:
        leader, _ = LEADERS[self.role]
        index_of = {key: index for index, key in enumerate(present)}
        lacking = [key for key in wanted if key not in index_of]
        surplus = index_of.keys() - set(wanted)
        if lacking:
            problem = f"lacks segment '{_shown_key(lacking[0])}' of {leader}. Add it"
        elif surplus:
            problem = f"has segment '{_shown_key(surplus.pop())}', which {leader} lacks. Remove it"
        else:
            return tuple(item.stream.lines[index_of[key]] for key in wanted)
        message = f"{problem}, or exclude the file."
        if item.stream.left_out:
            message = f"{message} {item.stream.left_out}"
        self.problems.append(item.problem(message))
        return None

    def _wrong_length(self, item: Assigned) -> Problem:
        """Return the problem of lines whose number differs from the leading text, with the place if it is clear."""
        lines = [line or "" for line in item.stream.lines]
        leading = [line or "" for line in self.leading]
        place = None
        hint = ""
        remedy = "Fix the file or remove it."
        if item.stream.left_out:
            hint = f" {item.stream.left_out}"
            remedy = "Remove these lines from the other texts, or the marks from the file."
        elif len(lines) > len(leading) and not any(line.strip() for line in lines[len(leading) :]):
            hint = f" Its last {counted(len(lines) - len(leading), 'line')} are empty."
            remedy = "Remove them."
        elif len(lines) == len(leading) + 1 and (not lines[0].strip() or names_a_column(lines[0])):
            hint = " Its first line names a column." if lines[0].strip() else " Its first line is empty."
            remedy = "Remove it."
        elif any("\r" in line for line in lines):
            number = next(number for number, line in enumerate(lines, start=1) if "\r" in line)
            hint = f" Line {number} has line ends of CR alone in it."
            remedy = "Convert them, e.g. with mac2unix or tr '\\r' '\\n'."
        elif len(self.problems) < MOST_LOCATED:
            place = first_shifted_line(lines, leading)
        if place is not None and place > len(lines):
            hint = " It seems to end too early."
            place = None
        elif place is not None:
            hint = f" Line {place} is the first that looks shifted."
        _, leaders_have = LEADERS[self.role]
        message = f"has {counted(len(lines), 'segment')} on test set '{self.test_set}', but {leaders_have}"
        message += f" {len(leading)}.{hint} {remedy}"
        is_output_beside_references = item.slot.role == "hypothesis" and self.role == "reference"
        code = REALIGNABLE if is_output_beside_references and self.has_documents else "file"
        return item.problem(message, place, code=code)


def _is_reordered(keys: tuple[str, ...] | None, others: tuple[str, ...] | None) -> bool:
    """Whether two lists of keys have the same keys in another order."""
    return keys is not None and others is not None and keys != others and set(keys) == set(others)


def _ends_empty(lines: Cells) -> bool:
    """Whether the last line is empty, as after a line end too many."""
    return bool(lines) and not (lines[-1] or "").strip()


def _has_empty_line_too_many(leading: Cells, others: Sequence[Cells]) -> bool:
    """Whether the leading text ends with an empty line that some text lacks and no text has a line for."""
    if not _ends_empty(leading):
        return False
    lacking = [lines for lines in others if len(lines) == len(leading) - 1]
    filled = [lines for lines in others if len(lines) == len(leading) and not _ends_empty(lines)]
    return bool(lacking) and not filled


def _shown_key(key: str) -> str:
    return " ".join(key.split("\t"))
