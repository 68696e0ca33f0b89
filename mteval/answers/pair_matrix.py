"""All pairs of systems as a matrix of marks: one row and one numbered column per system."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial

import pandas as pd

from mteval.answers.section import Column, Row, Table, headed

MARKS = ((0.001, "+++"), (0.01, "++"), (0.05, "+"))  # p at most, from the smallest level
MARKED = "The row's system is better at 5% (+), 1% (++), 0.1% (+++)"

_Pair = tuple[str, str]  # the better and the worse system


def matrix_table(p_of: Mapping[_Pair, float], systems: Sequence[str], starred: Collection[_Pair] = ()) -> Table:
    """Return which systems are better than which, with a mark for the level that p reaches.

    Parameters
    ----------
    p_of
        That the first of two systems is better; pairs without a p-value have no mark.
    systems
        From best to worst.
    starred
        Pairs whose mark has a star.
    """
    number_of = {system: str(number) for number, system in enumerate(systems, start=1)}
    columns = [Column("number", ""), headed("system", "system", "word")]
    # The column of a system has its number as name; it holds p of the row's system over that of the column
    for system, number in number_of.items():
        write = partial(_mark, worse=system, number=number, starred=starred)
        columns.append(Column(number, number, "p", write=write))
    rows = []
    for better, number in number_of.items():
        row: dict[str, object] = {"number": number, "system": better}
        for worse, number_of_worse in number_of.items():
            row[number_of_worse] = p_of.get((better, worse), float("nan"))
        rows.append(row)
    return Table(tuple(columns), pd.DataFrame(rows), look="crossed")


def _mark(row: Row, worse: str, number: str, starred: Collection[_Pair]) -> str:
    """Return the mark of a pair: a dot for a system beside itself, nothing without a clear difference."""
    better = row["system"]
    if better == worse:
        return "·"
    for largest, mark in MARKS:
        if row[number] <= largest:
            return f"{mark}*" if (better, worse) in starred else mark
    return ""
