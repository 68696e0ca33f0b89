"""Scores whose texts are not at hand: segments without words, as many as the scores speak of, take their place."""

import re
from collections.abc import Iterable, Iterator, Sequence

from mteval.errors import InputError
from mteval.readers.assembly.alignment import Assigned
from mteval.readers.documents import FileRole, ScoreColumn, Stream
from mteval.readers.formats.segment_scores import read_score_lines
from mteval.readers.slots import DEFAULT_RUN, Slot

NO_TEXTS = "(no texts)"
PLACE = re.compile(r"[1-9][0-9]{0,8}")
FEWEST_FILLED = 0.5  # share of the places up to the largest number, where numbers of segments are places
_Output = tuple[str, str]  # system and run


def scores_of(stream: Stream, file: str) -> tuple[ScoreColumn, ...]:
    """The scores of each output that a stream has.

    Raises
    ------
    InputError
        Where its lines are no scores.
    """
    return stream.scores or read_score_lines(stream.lines, file)


def empty_texts(items: Sequence[Assigned]) -> Iterator[Assigned]:
    """For each test set of which there are scores a reference, and an output of each run, all without words.

    Scores that name no system, and what is no list of scores, bring nothing. Where items have names, these stand in
    the place of the source, where they can be looked for.
    """
    for test_set in dict.fromkeys(item.slot.test_set for item in items if item.slot.role == "scores"):
        here = [item for item in items if item.slot.test_set == test_set]
        columns = [named for item in here if item.slot.role == "scores" for named in _columns(item)]
        others = [item for item in here if item.slot.role in ("source", "documents")]
        keys = _keys([column for _, column in columns], others)
        if columns and keys:
            has_source = any(item.slot.role == "source" for item in others)
            yield from _texts(test_set, keys, dict.fromkeys(output for output, _ in columns), has_source)


def _columns(item: Assigned) -> Iterator[tuple[_Output, ScoreColumn]]:
    """The scores of the outputs that are named, with their names."""
    try:
        columns = scores_of(item.stream, item.slot.file)
    except InputError:  # told by whoever takes the scores over
        return
    for column in columns:
        system = column.system or item.slot.system
        if system:
            yield (system, column.run or item.slot.run or DEFAULT_RUN), column


def _keys(columns: Sequence[ScoreColumn], others: Iterable[Assigned]) -> tuple[str, ...]:
    """What the segments are called, in order: numbers that are places where most places are filled, else names."""
    keys = tuple(dict.fromkeys(key for column in columns for key in column.keys or ()))
    counts = [len(item.stream.lines) for item in others] + [len(column.values) for column in columns if not column.keys]
    places = [int(key) for key in keys if PLACE.fullmatch(key)]
    if len(places) < len(keys):
        return keys
    n_segments = max(counts or places, default=0)
    return keys if not counts and len(places) < FEWEST_FILLED * n_segments else _numbers(n_segments)


def _numbers(n_segments: int) -> tuple[str, ...]:
    return tuple(map(str, range(1, n_segments + 1)))


def _texts(test_set: str, keys: tuple[str, ...], outputs: Iterable[_Output], has_source: bool) -> Iterator[Assigned]:
    def filled(role: FileRole, lines: tuple[str, ...], system: str | None = None, run: str | None = None) -> Assigned:
        return Assigned(Slot(NO_TEXTS, role, system, run, test_set), Stream("", lines, keys=keys))

    blank = ("",) * len(keys)
    yield filled("reference", blank)
    yield from (filled("hypothesis", blank, *output) for output in outputs)
    if not has_source and keys != _numbers(len(keys)):
        yield filled("source", keys)
