"""Tables as files: as CSV with full precision, undefined values empty, and as aligned text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

_FOR_PEOPLE = ("metric_name", "notation", "run_scores")  # of an overview: what only tables for people need
_GAP = "  "


def overview_numbers(overview: pd.DataFrame) -> pd.DataFrame:
    """Clark et al.'s Table 1 for machines: one column a number, the run scores left out."""
    return overview.drop(columns=list(_FOR_PEOPLE))


def overview_csv(overview: pd.DataFrame) -> str:
    """The same as a file."""
    return frame_csv(overview_numbers(overview))


def frame_csv(frame: pd.DataFrame) -> str:
    """Any frame of numbers and words, without its index."""
    return frame.to_csv(index=False, lineterminator="\n")


def with_names(frame: pd.DataFrame, names: Mapping[str, str], *columns: str) -> pd.DataFrame:
    """A frame with systems as they are shown, in the columns named or else in those that usually hold systems."""
    wanted = columns or tuple(column for column in ("baseline", "system") if column in frame)
    return frame.assign(**{column: frame[column].map(lambda key: names.get(key, key)) for column in wanted})


def aligned(head: Sequence[str], rows: Iterable[Sequence[str]], n_words: int) -> Iterator[str]:
    """Lines of a text table; the first ``n_words`` columns are words, the others numbers, set to the right."""
    lines = [tuple(head), *(tuple(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = [
            cell.ljust(width) if column < n_words else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        yield _GAP.join(cells).rstrip()


@dataclass(frozen=True)
class Cells:
    """A table as it is written, for text and for pages; the first ``n_words`` columns are words."""

    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    n_words: int

    @property
    def lines(self) -> Iterator[str]:
        """As text."""
        return aligned(self.head, self.rows, self.n_words)
