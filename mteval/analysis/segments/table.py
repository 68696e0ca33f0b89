"""Build one row per segment: scores of two runs, differences, components of the scores and lengths.

Texts of any script are split into pieces that can be counted and marked, and that join to the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import groupby
from operator import eq, itemgetter
from typing import Literal

import numpy as np
import pandas as pd

from mteval.analysis.scoring import Scored
from mteval.analysis.summary import marks_errors, spans_of
from mteval.base.arrays import FloatArray
from mteval.base.errors import DataError
from mteval.metrics.explanation import CountsEdits
from mteval.values.model import Run, TestSet

# Scripts without spaces between words are split into characters: kana, Han, Thai, Lao, Myanmar, Khmer.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_PIECE = re.compile(rf"\s+|[{_UNSPACED}]|(?:(?![{_UNSPACED}])[\w\u0300-\u036f\u0591-\u05c7\u200c\u200d])+|.", re.DOTALL)


MarkedText = tuple[tuple[str, bool], ...]  # a text in pieces, each marked or not


def pieces_of(text: str) -> tuple[str, ...]:
    """Split a text into words, punctuation marks and whitespace; into characters in scripts without spaces."""
    return tuple(_PIECE.findall(text))


def count_words(text: str) -> int:
    """Count the pieces that are not whitespace."""
    return sum(1 for piece in pieces_of(text) if not piece.isspace())


def mark_differences(left: str, right: str) -> tuple[MarkedText, MarkedText]:
    """Mark the words of both texts that the other lacks at that place.

    Whitespace between two marked words is marked too.
    """
    left_pieces, right_pieces = pieces_of(left), pieces_of(right)
    matcher = SequenceMatcher(a=left_pieces, b=right_pieces, autojunk=False)
    is_same = [False] * len(left_pieces), [False] * len(right_pieces)
    for block in matcher.get_matching_blocks():
        is_same[0][block.a : block.a + block.size] = [True] * block.size
        is_same[1][block.b : block.b + block.size] = [True] * block.size
    return _marked(left_pieces, is_same[0]), _marked(right_pieces, is_same[1])


def _marked(pieces: Sequence[str], is_same: Sequence[bool]) -> MarkedText:
    """Join neighbouring pieces; whitespace is marked if both neighbours are."""
    marks = [not same and not piece.isspace() for piece, same in zip(pieces, is_same, strict=True)]
    for index in range(1, len(pieces) - 1):
        if pieces[index].isspace():
            marks[index] = marks[index - 1] and marks[index + 1]
    alike = groupby(zip(pieces, marks, strict=True), key=itemgetter(1))
    return tuple(("".join(piece for piece, _ in some), mark) for mark, some in alike)


SIDES = ("baseline", "system")
Yardstick = Literal["reference", "source", ""]
MARKED = "errors"  # number of errors marked by a metric
VALUES = (*SIDES, "difference", "improvement")


def column(metric: str, value: str, part: str = "") -> str:
    """Return the name of a column: ``bleu.difference``, or ``bleu.p1.system`` for a component of the score."""
    return ".".join(filter(None, (metric, part, value)))


def segment_table(metrics: Sequence[Scored], differences: pd.DataFrame, baseline: Run, system: Run) -> pd.DataFrame:
    """Return the segments of one test set in corpus order.

    Parameters
    ----------
    metrics
        All on one test set.
    differences
        One row per metric and segment in corpus order, with columns ``baseline_score``, ``system_score``,
        ``difference`` and ``improvement``.
    baseline, system
        The compared runs.

    Returns
    -------
    Columns ``segment`` (zero-based), ``document`` (if known), ``reference_words`` (mean over references; otherwise
    ``source_words``, or neither), ``baseline_words``, ``system_words``, ``is_identical``, then those named by
    ``column``.
    """
    test_set, runs = metrics[0].test_set, dict(zip(SIDES, (baseline, system), strict=True))
    columns: dict[str, object] = {"segment": np.arange(test_set.n_segments)}
    if test_set.documents is not None:
        columns["document"] = np.array(test_set.documents, dtype=object)
    if yardstick(test_set):
        columns[f"{yardstick(test_set)}_words"] = yardstick_words(test_set)
    for side, run in runs.items():
        columns[f"{side}_words"] = np.array(list(map(count_words, run.hypotheses)))
    columns["is_identical"] = np.array(list(map(eq, baseline.hypotheses, system.hypotheses)))
    for scored in metrics:
        of_metric = differences[differences["metric"] == scored.metric.key]
        for value, name in zip(VALUES, ("baseline_score", "system_score", "difference", "improvement"), strict=True):
            columns[column(scored.metric.key, value)] = of_metric[name].to_numpy()
    for scored in metrics:
        for side, run in runs.items():
            for name, part in zip(part_names(scored), _part_values(scored, run).T, strict=True):
                columns[column(scored.metric.key, side, name)] = part
    return pd.DataFrame(columns)


def yardstick(test_set: TestSet) -> Yardstick:
    """Return which text determines a segment's length and rarity: ``reference``, ``source``, or empty."""
    if test_set.has_references:
        return "reference"
    return "" if test_set.source is None else "source"


def yardstick_texts(test_set: TestSet) -> Sequence[Sequence[str]]:
    """Return the references of each segment, otherwise its source; empty for neither."""
    return test_set.references if test_set.has_references else [(text,) for text in test_set.source or ()]


def yardstick_words(test_set: TestSet) -> FloatArray:
    """Return the mean number of words of each segment's references or source, shape ``(segments,)``."""
    return np.array([sum(map(count_words, texts)) / len(texts) for texts in yardstick_texts(test_set)], dtype=float)


def part_names(scored: Scored) -> tuple[str, ...]:
    """Return the names of a score's components: submetrics, edit kinds, or the number of marked errors."""
    if isinstance(scored.scorer, CountsEdits):
        return tuple(f"{kind}s" for kind in scored.scorer.edit_kinds)
    return (*scored.metric.submetric_names, *((MARKED,) if marks_errors(scored) else ()))


def is_count(scored: Scored, part: str) -> bool:
    """Return whether a component of a metric's score is a count."""
    return isinstance(scored.scorer, CountsEdits) or part == MARKED


def _part_values(scored: Scored, run: Run) -> FloatArray:
    """Return the components of a run's scores, shape ``(segments, parts)``."""
    if isinstance(scored.scorer, CountsEdits):
        return scored.scorer.edit_counts(range(len(run.hypotheses)), run.hypotheses).astype(float)
    parts = scored.scorer.submetrics(scored.statistics[run.system][run_index(scored, run.system, run.key)])
    if not marks_errors(scored):
        return parts
    counts = [np.nan if spans is None else len(spans) for spans in spans_of(scored, run)]
    return np.column_stack([parts, counts])


def run_index(scored: Scored, system: str, run: str) -> int:
    """Return a run's index in the arrays of its system.

    Raises
    ------
    DataError
        If the system has no such run there.
    """
    keys = scored.run_keys(system)
    if run not in keys:
        here, known = scored.test_set.name, ", ".join(keys) or "none"
        raise DataError(f"System '{system}' has no run '{run}' on test set '{here}'. Runs found: {known}.")
    return keys.index(run)
