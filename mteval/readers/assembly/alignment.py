"""The segments of one stream in the order of its test set, by their keys where both have keys, else line by line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mteval.counts import counted
from mteval.readers.assembly.shift import first_shifted_line
from mteval.readers.documents import FileRole, Stream
from mteval.readers.problems import Problem, Severity
from mteval.readers.slots import Slot

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
        indices = {key: index for index, key in enumerate(present)}
        lacking = next((key for key in wanted if key not in indices), None)
        surplus = next(iter(indices.keys() - set(wanted)), None) if lacking is None else None
        if lacking is not None:
            self.problems.append(
                item.problem(f"lacks segment '{_shown(lacking)}' of {LEADERS[self.role][0]}. Add it, or drop this.")
            )
        elif surplus is not None:
            leader = LEADERS[self.role][0]
            message = f"has segment '{_shown(surplus)}', which {leader} lacks. Take it out, or drop this."
            self.problems.append(item.problem(message))
        else:
            return tuple(item.stream.lines[indices[key]] for key in wanted)
        return None

    def _wrong_length(self, item: Assigned) -> Problem:
        n_lines, n_segments = len(item.stream.lines), len(self.leading)
        shifted = self._first_shifted_line(item) if len(self.problems) < MOST_LOCATED else None
        hint = ""
        if shifted is not None:
            hint = (
                f" Line {shifted} is the first that looks shifted."
                if shifted <= n_lines
                else " It seems to end too early."
            )
        _, leaders_have = LEADERS[self.role]
        return item.problem(
            f"has {counted(n_lines, 'segment')} on test set '{self.test_set}'; {leaders_have} {n_segments}.{hint}"
            " Mend the file, or drop it.",
            shifted if shifted is not None and shifted <= n_lines else None,
        )

    def _first_shifted_line(self, item: Assigned) -> int | None:
        return first_shifted_line([line or "" for line in item.stream.lines], [line or "" for line in self.leading])


def _shown(key: str) -> str:
    return " ".join(key.split("\t"))
