"""Align the segments of a stream with its test set, by key if both have keys, else line by line.

If a file has too few or too many lines, find where it goes out of step with the leading text.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from mteval.base.arrays import FloatArray
from mteval.base.words import counted
from mteval.readers.documents import NAMED_ROLES, REALIGNABLE, FileRole, Problem, Severity, Slot, Stream

MOST_STEPS = 8  # scattered missing lines; more are treated as one block
MOST_COMPARISONS = 200_000
CLEARER_THAN_CHANCE = 4.0  # standard errors
LONGEST_WORDS = 20  # characters per word; longer ones are sentences without spaces
COMPARED, FEWEST_TO_COMPARE = 300, 20  # lines of files of equal length
FEWEST_FOR_A_HINT = 50  # lines; if they match no better after a shift, it is not looked at closely
MOST_ALIKE = 0.8  # mean similarity of unrelated lines; more alike tell nothing

Words = tuple[frozenset[str], int]  # of a line, and its number of characters


def first_shifted_line(lines: Sequence[str], reference: Sequence[str]) -> int | None:
    """Return the first line (from 1) at which a file of another length goes out of step with the reference.

    The best path lets the file fall behind (or get ahead) by the difference in length. Lines are compared by shared
    words and by length. Returns None if the best path fits no better than chance.
    """
    shorter, longer = (lines, reference) if len(lines) < len(reference) else (reference, lines)
    missing = len(longer) - len(shorter)
    if missing == 0 or not shorter:
        return None
    are_few = missing <= MOST_STEPS and len(shorter) * (missing + 1) <= MOST_COMPARISONS
    offsets = list(range(missing + 1)) if are_few else [0, missing]
    if len(shorter) > MOST_COMPARISONS:
        return None
    similarity = _similarities(shorter, longer, offsets)
    path = _best_path(similarity)
    half, step = len(longer) // 2, 1 + len(shorter) // 500  # unrelated lines: half the text apart
    chance = _similarities(shorter[::step], [*longer[half:], *longer[:half]][::step], [0])[:, 0]
    fit = similarity[np.arange(len(shorter)), path]
    if fit.mean() - chance.mean() <= CLEARER_THAN_CHANCE * np.sqrt(fit.var() / len(fit) + chance.var() / len(chance)):
        return None
    shifted = np.flatnonzero(path)
    return int(shifted[0]) + 1 if len(shifted) else len(shorter) + 1


def _similarities(shorter: Sequence[str], longer: Sequence[str], offsets: Sequence[int]) -> FloatArray:
    """Return how similar line i of the shorter text is to line i + offset of the longer, shape ``(lines, offsets)``."""
    words = cache(words_of)
    rows = ((words(line), [words(longer[i + offset]) for offset in offsets]) for i, line in enumerate(shorter))
    return np.array([[_similarity(line, other) for other in others] for line, others in rows])


def words_of(line: str) -> Words:
    """Return the words of a line, or pairs of characters if the script sets no spaces, and its length."""
    words = line.lower().split()
    if len(line) > LONGEST_WORDS * len(words):
        words = list(map("".join, pairwise("".join(words))))
    return frozenset(words), len(line)


def misplaced(lines: Sequence[str], reference: Sequence[str], words: Callable[[str], Words] = words_of) -> str:
    """Return how lines match the reference in another order, or that they match no better than chance; else nothing.

    Compares up to ``COMPARED`` lines with those at the same place, and at the places after a shift or reversal.
    ``words`` may remember what ``words_of`` returns.
    """
    n = len(lines)
    if n < FEWEST_TO_COMPARE:
        return ""
    seen = range(0, n, 1 + n // COMPARED)

    def fit(step: int = 0, some: Sequence[int] = seen, sign: int = 1) -> FloatArray:
        """Return the similarity of lines to the references ``step`` lines below; in reverse order if sign is -1."""
        pairs = ((i, step + sign * i) for i in some if lines[i].strip())
        return np.array([_similarity(words(lines[i]), words(reference[j])) for i, j in pairs if 0 <= j < n])

    def is_clearer(some: FloatArray, other: FloatArray) -> bool:
        if min(len(some), len(other)) < FEWEST_TO_COMPARE // 2:
            return False
        error = np.sqrt(some.var() / len(some) + other.var() / len(other))
        return bool(some.mean() - other.mean() > CLEARER_THAN_CHANCE * error)

    for some in (seen[::3], seen):  # most files are clear at a glance
        here, halves = fit(some=some), [[i for i in some if i < n // 2], [i for i in some if i >= n // 2]]
        chance = np.concatenate([fit(n // 2, halves[0]), fit(-(n // 2), halves[1])])
        if is_clearer(here, chance):
            break
    if len(here) < FEWEST_TO_COMPARE // 2 or chance.mean() > MOST_ALIKE:
        return ""
    shifts = [step for k in range(1, 6) for step in (k, -k)]
    if not is_clearer(here, chance):
        others = {"are in reverse order.": fit(n - 1, sign=-1)} | {_shifted(k): fit(k) for k in shifts}
        said, best = max(others.items(), key=lambda item: item[1].mean())
        return said if is_clearer(best, chance) else "match the references no better than unrelated lines."
    half = [i for i in range(n // 2, n) if not i % (1 + n // (2 * COMPARED))]  # a line lost or added on the way
    few = half[:: max(1, len(half) // FEWEST_FOR_A_HINT)]
    beside = fit(0, few)
    for k in shifts:
        below = fit(k, few)
        is_hinted = len(below) and len(beside) and below.mean() > beside.mean()
        if is_hinted and is_clearer(fit(k, half), fit(0, half)):
            return _shifted(k, " in the second half")
    return ""


def _shifted(step: int, where: str = "") -> str:
    side = "below" if step > 0 else "above"
    return f"are shifted by {counted(abs(step), 'line')}{where}: they match the references {side}."


def _similarity(a: Words, b: Words) -> float:
    """Return the Dice coefficient of the words plus half the ratio of the lengths (useful across languages)."""
    total = len(a[0]) + len(b[0])
    overlap = 2 * len(a[0] & b[0]) / total if total else 1.0
    return overlap + 0.5 * (min(a[1], b[1]) + 1) / (max(a[1], b[1]) + 1)


def _best_path(similarity: FloatArray) -> npt.NDArray[np.int64]:
    """Return the non-decreasing path with the largest sum through ``(lines, offsets)``, shape ``(lines,)``."""
    n, m = similarity.shape
    best = similarity[0].copy()
    origin = np.zeros((n, m), dtype=np.int64)
    for i in range(1, n):
        for j in range(m - 1, -1, -1):
            origin[i, j] = int(np.argmax(best[: j + 1]))
        best = best[origin[i]] + similarity[i]
    path = np.empty(n, dtype=np.int64)
    path[-1] = int(np.argmax(best))
    for i in range(n - 1, 0, -1):
        path[i - 1] = origin[i, path[i]]
    return path


Row = tuple[str, ...]
Cells = tuple[str | None, ...]
MOST_LOCATED = 5  # files per test set searched for the first shifted line, which is slow
NOUNS = {"reference": "reference", "source": "source", "documents": "list of documents", "parses": "parse"}
NOUNS |= {"labels": "list of labels", "scores": "list of scores"}
LEADERS: Mapping[FileRole, tuple[str, str]] = {  # name of the leading text, and the same with a verb
    "reference": ("the reference", "the references have"),
    "source": ("the source", "the source has"),
    "hypothesis": ("the first output", "most outputs have"),
}


@dataclass(frozen=True)
class Assigned:
    """A slot with its stream."""

    slot: Slot
    stream: Stream

    @property
    def what(self) -> str:
        """Name in a message."""
        if self.slot.role == "hypothesis":
            return f"System '{self.slot.system}', run '{self.slot.run}'"
        name = self.slot.shown_name if self.slot.role in NAMED_ROLES else self.slot.stream
        return f"The {NOUNS[self.slot.role]}" + (f" '{name}'" if name else "")

    def problem(
        self, message: str, line: int | None = None, severity: Severity = "error", code: str = "file"
    ) -> Problem:
        """Return a problem with this slot."""
        metric = self.slot.shown_name if self.slot.role == "scores" else ""
        return Problem(f"{self.what} {message}", self.slot.file, line, severity, code, metric)


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
    def of(cls, test_set: str, leading: Assigned, others: Sequence[Assigned], documents: Sequence[Assigned]) -> "Order":
        """Return the order of the leading text, with the first keys that fit it."""
        streams = [leading.stream, *(item.stream for item in others)]
        keys = next((stream.keys for stream in streams if stream.keys is not None), None)
        lines = leading.stream.lines
        fitting = keys if keys is not None and len(keys) == len(lines) else None
        has_documents = any(len(item.stream.lines) == len(lines) for item in documents)
        return cls(test_set, lines, fitting, leading.slot.role, has_documents)

    def name(self, index: int) -> str:
        """Return the name of a segment for messages."""
        return _shown(self.keys[index]) if self.keys is not None else str(index + 1)

    def aligned(self, item: Assigned) -> Cells | None:
        """Return the lines in this order, or None if they do not fit."""
        stream = item.stream
        if self.keys is not None and stream.keys is not None and stream.keys != self.keys:
            return self._by_key(item, self.keys, stream.keys)
        if len(stream.lines) != len(self.leading):
            self.problems.append(self._wrong_length(item))
            return None
        return stream.lines

    def complete(self, item: Assigned) -> Row | None:
        """Return the lines in this order, or None if they do not fit or a segment has none."""
        lines = self.aligned(item)
        if lines is not None and None in lines:
            where = self.name(lines.index(None))
            message = f"has no line for segment '{where}' ({lines.count(None)} in all). Add it, or exclude the file."
            self.problems.append(item.problem(message))
            return None
        return None if lines is None else tuple(line for line in lines if line is not None)

    def _by_key(self, item: Assigned, wanted: tuple[str, ...], present: tuple[str, ...]) -> Cells | None:
        leader = LEADERS[self.role][0]
        indices = {key: index for index, key in enumerate(present)}
        if lacking := [key for key in wanted if key not in indices]:
            found = f"lacks segment '{_shown(lacking[0])}' of {leader}. Add it"
        elif surplus := indices.keys() - set(wanted):
            found = f"has segment '{_shown(surplus.pop())}', which {leader} lacks. Remove it"
        else:
            return tuple(item.stream.lines[indices[key]] for key in wanted)
        self.problems.append(item.problem(f"{found}, or exclude the file."))
        return None

    def _wrong_length(self, item: Assigned) -> Problem:
        lines, leading = ([line or "" for line in column] for column in (item.stream.lines, self.leading))
        place = first_shifted_line(lines, leading) if len(self.problems) < MOST_LOCATED else None
        hint = "" if place is None else f" Line {place} is the first that looks shifted."
        if place is not None and place > len(lines):
            hint, place = " It seems to end too early.", None
        message = f"has {counted(len(lines), 'segment')} on test set '{self.test_set}', but {LEADERS[self.role][1]}"
        can_realign = self.has_documents and (item.slot.role, self.role) == ("hypothesis", "reference")
        code = REALIGNABLE if can_realign else "file"
        return item.problem(f"{message} {len(leading)}.{hint} Fix the file or remove it.", place, code=code)


def _shown(key: str) -> str:
    return " ".join(key.split("\t"))
