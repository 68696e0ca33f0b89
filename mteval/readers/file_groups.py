"""Many outputs at once: those whose path a pattern names, and the edits that take all of them for something else."""

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Literal

from mteval.readers.names import natural_order, shared_length
from mteval.readers.slots import DEFAULT_RUN, Slot, sample_name

Group = Literal["runs", "samples", "systems", "nothing"]
Row = dict[str, str | bool]
NUMBER = re.compile(r"\d+")
EDGES = "-_. /"


def outputs_named(slots: Sequence[Slot], pattern: str) -> tuple[int, ...]:
    """Rows of the outputs that have a pattern in their path, ``*`` for anything, in the natural order of the paths."""
    anywhere = f"*{pattern.strip().lower()}*"
    rows = [row for row, slot in enumerate(slots) if slot.role == "hypothesis"]
    found = [row for row in rows if fnmatchcase(_path(slots[row]).lower(), anywhere)]
    return tuple(sorted(found, key=lambda row: natural_order(_path(slots[row]))))


def shared_name(slots: Sequence[Slot], rows: Sequence[int]) -> str:
    """A name for the system that all of some outputs are of: what their systems, else their files, begin with."""
    if not rows:
        return ""
    systems = [str(slots[row].system) for row in rows]
    folders = [slots[row].file.split("/")[:-1] for row in rows]
    shared = systems[0][: shared_length(systems)].strip(EDGES), *folders[0][: shared_length(folders)][-1:]
    return next(filter(None, shared), "system")


def regrouped(slots: Sequence[Slot], rows: Sequence[int], group: Group, system: str) -> Mapping[int, Row]:
    """Edits, by row, that make outputs runs of one system, samples of its only run, systems of their own, or nothing.

    The run or sample is the last number that differs between all paths of a test set, else the place among them, from
    0.
    """
    if group == "nothing":
        return {row: {"included": False} for row in rows}
    if group == "systems":
        return {row: {"system": _alone(slots[row]), "run": DEFAULT_RUN, "included": True} for row in rows}
    edits: dict[int, Row] = {}
    for test_set in dict.fromkeys(slots[row].test_set for row in rows):
        of_test_set = [row for row in rows if slots[row].test_set == test_set]
        runs = _numbers([_path(slots[row]) for row in of_test_set])
        names = [sample_name(DEFAULT_RUN, run) for run in runs] if group == "samples" else runs
        edits |= {
            row: {"system": system, "run": run, "included": True} for row, run in zip(of_test_set, names, strict=True)
        }
    return edits


def _path(slot: Slot) -> str:
    """What tells an output from all others."""
    return f"{slot.file} {slot.stream}".strip()


def _alone(slot: Slot) -> str:
    """The name that an output has as a system of its own."""
    return f"{slot.system}.{slot.run}"


def _numbers(paths: Sequence[str]) -> Sequence[str]:
    for column in zip(*(reversed(NUMBER.findall(path)) for path in paths), strict=False):
        if len(set(column)) == len(paths):
            return column
    return [str(place) for place in range(len(paths))]
