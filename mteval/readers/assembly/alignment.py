"""The segments of one stream in the order of its test set, by their keys where both have keys, else line by line.

Where a file lacks lines, or has too many, it is looked for where it goes out of step with the text that leads.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import numpy.typing as npt

from mteval.base.arrays import FloatArray
from mteval.base.words import counted
from mteval.readers.documents import FileRole, Problem, Severity, Slot, Stream

MOST_STEPS = 8  # lines dropped one here, one there; more than that are taken as one block
MOST_COMPARISONS = 200_000
STRANGERS = 500
CLEARER_THAN_CHANCE = 4.0  # standard errors
LENGTH_WEIGHT = 0.5


def first_shifted_line(lines: Sequence[str], reference: Sequence[str]) -> int | None:
    """The first line (from 1) at which a file of another length goes out of step with the reference.

    The best path is found on which the file falls behind (or gets ahead) only so far as the lengths differ; lines are
    compared by the words they share and by their lengths. None where even the best path fits no better than chance.
    """
    shorter, longer = (lines, reference) if len(lines) < len(reference) else (reference, lines)
    missing = len(longer) - len(shorter)
    if missing == 0 or not shorter:
        return None
    offsets = list(range(missing + 1)) if missing <= MOST_STEPS else [0, missing]
    if len(shorter) * len(offsets) > MOST_COMPARISONS:
        offsets = [0, missing]
    if len(shorter) * len(offsets) > MOST_COMPARISONS * 2:
        return None
    similarity = _similarities(shorter, longer, offsets)
    path = _best_path(similarity)
    half, step = len(longer) // 2, 1 + len(shorter) // STRANGERS  # strangers: lines half the text apart
    chance = _similarities(shorter[::step], [*longer[half:], *longer[:half]][::step], [0])[:, 0]
    fit = similarity[np.arange(len(shorter)), path]
    if fit.mean() - chance.mean() <= CLEARER_THAN_CHANCE * np.sqrt(fit.var() / len(fit) + chance.var() / len(chance)):
        return None
    shifted = np.flatnonzero(path)
    return int(shifted[0]) + 1 if len(shifted) else len(shorter) + 1


def _similarities(shorter: Sequence[str], longer: Sequence[str], offsets: Sequence[int]) -> FloatArray:
    """Shape ``(lines, offsets)``: how much line i of the shorter text looks like line i + offset of the longer."""
    words = cache(lambda line: (frozenset(line.lower().split()), len(line)))
    table = np.empty((len(shorter), len(offsets)))
    for i, line in enumerate(shorter):
        for j, offset in enumerate(offsets):
            table[i, j] = _similarity(words(line), words(longer[i + offset]))
    return table


def _similarity(a: tuple[frozenset[str], int], b: tuple[frozenset[str], int]) -> float:
    """Dice coefficient of the words, plus half the ratio of the lengths (all there is between two languages)."""
    total = len(a[0]) + len(b[0])
    overlap = 2 * len(a[0] & b[0]) / total if total else 1.0
    return overlap + LENGTH_WEIGHT * (min(a[1], b[1]) + 1) / (max(a[1], b[1]) + 1)


def _best_path(similarity: FloatArray) -> npt.NDArray[np.int64]:
    """Shape ``(lines,)``: column of each row of ``(lines, offsets)`` on the path of the largest sum, never falling."""
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
MOST_LOCATED = 5  # files of one test set in which the first shifted line is looked for; it takes a moment
NOUNS = {
    "reference": "The reference",
    "source": "The source",
    "documents": "The list of documents",
    "parses": "The parse",
}
LEADERS: Mapping[FileRole, tuple[str, str]] = {  # the text that says what the segments are, and it with a verb
    "reference": ("the reference", "the references have"),
    "source": ("the source", "the source has"),
    "hypothesis": ("the first output", "most outputs have"),
}
NAMED_NOUNS = {"labels": "The list of labels", "scores": "The list of scores"}


@dataclass(frozen=True)
class Assigned:
    """A slot with its stream."""

    slot: Slot
    stream: Stream

    @property
    def what(self) -> str:
        """Name of it in a message."""
        if self.slot.role == "hypothesis":
            return f"System '{self.slot.system}', run '{self.slot.run}'"
        if self.slot.role in NAMED_NOUNS:
            return f"{NAMED_NOUNS[self.slot.role]} '{self.slot.shown_name}'"
        return NOUNS[self.slot.role] + (f" '{self.slot.stream}'" if self.slot.stream else "")

    def problem(self, message: str, line: int | None = None, severity: Severity = "error") -> Problem:
        """A problem with this slot."""
        return Problem(f"{self.what} {message}", self.slot.file, line, severity)


@dataclass(frozen=True)
class Order:
    """The segments of a test set: the lines of the text that leads, and their keys where a format gives any.

    That is the first reference; where there are none, the source or an output. What does not fit is added to
    ``problems``.
    """

    test_set: str
    leading: Cells
    keys: tuple[str, ...] | None
    role: FileRole = "reference"  # of the text that leads
    problems: list[Problem] = field(default_factory=list)

    @classmethod
    def of(cls, test_set: str, leading: Assigned, others: Sequence[Assigned]) -> "Order":
        """The order of the text that leads; where that has no keys, of the first stream that has them."""
        streams = [leading.stream, *(item.stream for item in others)]
        keys = next((stream.keys for stream in streams if stream.keys is not None), None)
        lines = leading.stream.lines
        fitting = keys if keys is not None and len(keys) == len(lines) else None
        return cls(test_set, lines, fitting, leading.slot.role)

    def name(self, index: int) -> str:
        """How a segment is called in messages."""
        return _shown(self.keys[index]) if self.keys is not None else str(index + 1)

    def aligned(self, item: Assigned) -> Cells | None:
        """The lines in this order, or None where they do not fit."""
        stream = item.stream
        if self.keys is not None and stream.keys is not None and stream.keys != self.keys:
            return self._by_key(item, self.keys, stream.keys)
        if len(stream.lines) != len(self.leading):
            self.problems.append(self._wrong_length(item))
            return None
        return stream.lines

    def complete(self, item: Assigned) -> Row | None:
        """As above, where every segment must have a line."""
        lines = self.aligned(item)
        if lines is not None and None in lines:
            where = self.name(lines.index(None))
            self.problems.append(
                item.problem(
                    f"has nothing for segment '{where}' ({lines.count(None)} in all). Add it, or drop this slot."
                )
            )
            return None
        return None if lines is None else tuple(line for line in lines if line is not None)

    def _by_key(self, item: Assigned, wanted: tuple[str, ...], present: tuple[str, ...]) -> Cells | None:
        leader = LEADERS[self.role][0]
        indices = {key: index for index, key in enumerate(present)}
        lacking = next((key for key in wanted if key not in indices), None)
        surplus = next(iter(indices.keys() - set(wanted)), None)
        if lacking is None and surplus is None:
            return tuple(item.stream.lines[indices[key]] for key in wanted)
        message = f"has segment '{_shown(surplus or '')}', which {leader} lacks. Take it out, or drop this."
        if lacking is not None:
            message = f"lacks segment '{_shown(lacking)}' of {leader}. Add it, or drop this."
        self.problems.append(item.problem(message))
        return None

    def _wrong_length(self, item: Assigned) -> Problem:
        lines, leading = ([line or "" for line in column] for column in (item.stream.lines, self.leading))
        shifted = first_shifted_line(lines, leading) if len(self.problems) < MOST_LOCATED else None
        hint, place = "", None
        if shifted is not None and shifted <= len(lines):
            hint, place = f" Line {shifted} is the first that looks shifted.", shifted
        elif shifted is not None:
            hint = " It seems to end too early."
        message = f"has {counted(len(lines), 'segment')} on test set '{self.test_set}'; {LEADERS[self.role][1]}"
        return item.problem(f"{message} {len(leading)}.{hint} Mend the file, or drop it.", place)


def _shown(key: str) -> str:
    return " ".join(key.split("\t"))
