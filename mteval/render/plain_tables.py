"""Tables of words and written numbers as Markdown and LaTeX, and frames as text with tabs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pandas as pd

from mteval.report.paper_table import escape

_SPECIAL = str.maketrans({"|": r"\|", "<": "&lt;", "\\": r"\\", "*": r"\*", "_": r"\_", "`": r"\`", "[": r"\["})


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]], n_words: int) -> Iterator[str]:
    """Lines of a Markdown table; the first ``n_words`` columns are words, the others numbers, set to the right."""
    marks = ["---" if column < n_words else "---:" for column in range(len(head))]
    for cells in (head, marks, *rows):
        yield f"| {' | '.join(cells if cells is marks else [cell.translate(_SPECIAL) for cell in cells])} |"


def tex(head: Sequence[str], rows: Iterable[Sequence[str]], n_words: int) -> Iterator[str]:
    """Lines of a LaTeX table that needs the package booktabs."""
    yield rf"\begin{{tabular}}{{{'l' * n_words}{'r' * (len(head) - n_words)}}}"
    yield r"\toprule"
    yield rf"{' & '.join(map(escape, head))} \\"
    yield r"\midrule"
    for cells in rows:
        yield rf"{' & '.join(map(escape, cells))} \\"
    yield r"\bottomrule"
    yield r"\end{tabular}"


def frame_tsv(frame: pd.DataFrame) -> str:
    """Any frame of numbers and words, without its index; undefined values are empty."""
    return frame.to_csv(index=False, sep="\t", lineterminator="\n")
