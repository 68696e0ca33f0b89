"""One row a segment: every metric's score of two runs, the differences, the parts of the scores, lengths.

Texts are cut into pieces that can be counted and marked, in any script, such that the pieces joined are the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

import numpy as np
import pandas as pd

from mteval.analysis.error_spans import marks_errors, spans_of
from mteval.analysis.scoring import Scored
from mteval.base.arrays import FloatArray
from mteval.base.errors import DataError
from mteval.metrics.explanation import CountsEdits
from mteval.values.model import Run, TestSet

# Scripts without spaces between words are cut into characters: kana, Han, Thai, Lao, Myanmar, Khmer.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_PIECE = re.compile(rf"\s+|[{_UNSPACED}]|(?:(?![{_UNSPACED}])[\w\u0300-\u036f\u0591-\u05c7\u200c\u200d])+|.", re.DOTALL)


@dataclass(frozen=True)
class MarkedText:
    """A text in pieces, each with whether it is to be marked."""

    pieces: tuple[tuple[str, bool], ...]

    @property
    def text(self) -> str:
        """The text itself."""
        return "".join(piece for piece, _ in self.pieces)


def pieces_of(text: str) -> tuple[str, ...]:
    """Words, punctuation marks and stretches of white space; characters where a script has no spaces."""
    return tuple(_PIECE.findall(text))


def count_words(text: str) -> int:
    """Number of pieces that are not white space."""
    return sum(1 for piece in pieces_of(text) if not piece.isspace())


def mark_differences(left: str, right: str) -> tuple[MarkedText, MarkedText]:
    """Both texts with the words marked that the other has not at that place.

    A stretch between two marked words is marked with them when it is white space.
    """
    left_pieces, right_pieces = pieces_of(left), pieces_of(right)
    matcher = SequenceMatcher(a=left_pieces, b=right_pieces, autojunk=False)
    is_same = [False] * len(left_pieces), [False] * len(right_pieces)
    for block in matcher.get_matching_blocks():
        is_same[0][block.a : block.a + block.size] = [True] * block.size
        is_same[1][block.b : block.b + block.size] = [True] * block.size
    return _marked(left_pieces, is_same[0]), _marked(right_pieces, is_same[1])


def _marked(pieces: Sequence[str], is_same: Sequence[bool]) -> MarkedText:
    """Neighbouring pieces of a kind joined; white space follows its neighbours where they agree, else is not marked."""
    marks = [not same and not piece.isspace() for piece, same in zip(pieces, is_same, strict=True)]
    for index in range(1, len(pieces) - 1):
        if pieces[index].isspace():
            marks[index] = marks[index - 1] and marks[index + 1]
    joined: list[tuple[str, bool]] = []
    for piece, mark in zip(pieces, marks, strict=True):
        if joined and joined[-1][1] == mark:
            joined[-1] = (joined[-1][0] + piece, mark)
        else:
            joined.append((piece, mark))
    return MarkedText(tuple(joined))


SIDES = ("baseline", "system")
Yardstick = Literal["reference", "source", ""]
MARKED = "errors"  # how many a metric marks in an output
VALUES = (*SIDES, "difference", "improvement")


def column(metric: str, value: str, part: str = "") -> str:
    """Name of a column: ``bleu.difference``, or ``bleu.p1.system`` for a part of the score."""
    return ".".join(filter(None, (metric, part, value)))


def segment_table(
    scored_metrics: Sequence[Scored], differences: pd.DataFrame, baseline: Run, system: Run
) -> pd.DataFrame:
    """The segments of one test set in corpus order, from what was scored before.

    Parameters
    ----------
    scored
        All metrics on one test set.
    differences
        One row a metric and segment with columns ``baseline_score``, ``system_score``, ``difference`` and
        ``improvement``, segments in corpus order.
    baseline, system
        The runs that are compared.

    Returns
    -------
    Columns ``segment`` (zero-based), ``document`` (where known), ``reference_words`` (mean of the references; where
    there are none ``source_words``, or neither), ``baseline_words``, ``system_words``, ``is_identical``, then those
    that ``column`` names.
    """
    columns: dict[str, object] = _facts(scored_metrics[0].test_set, baseline, system)
    for scored in scored_metrics:
        of_metric = differences[differences["metric"] == scored.metric.key]
        for value, name in zip(VALUES, ("baseline_score", "system_score", "difference", "improvement"), strict=True):
            columns[column(scored.metric.key, value)] = of_metric[name].to_numpy()
    for scored in scored_metrics:
        columns |= _parts(scored, baseline, system)
    return pd.DataFrame(columns)


def _facts(test_set: TestSet, baseline: Run, system: Run) -> dict[str, object]:
    facts: dict[str, object] = {"segment": np.arange(test_set.n_segments)}
    if test_set.documents is not None:
        facts["document"] = np.array(test_set.documents, dtype=object)
    if yardstick(test_set):
        facts[f"{yardstick(test_set)}_words"] = yardstick_words(test_set)
    for side, run in zip(SIDES, (baseline, system), strict=True):
        facts[f"{side}_words"] = np.array([count_words(text) for text in run.hypotheses])
    facts["is_identical"] = np.array(
        [left == right for left, right in zip(baseline.hypotheses, system.hypotheses, strict=True)]
    )
    return facts


def yardstick(test_set: TestSet) -> Yardstick:
    """What says how long and how rare the words of a segment are: its references, else its source; empty of neither."""
    if test_set.has_references:
        return "reference"
    return "" if test_set.source is None else "source"


def yardstick_texts(test_set: TestSet) -> Sequence[Sequence[str]]:
    """The references of each segment, else its source; nothing of neither."""
    return test_set.references if test_set.has_references else [(text,) for text in test_set.source or ()]


def yardstick_words(test_set: TestSet) -> FloatArray:
    """Mean number of words of each segment's references, or of its source, shape ``(segments,)``."""
    return np.array([sum(map(count_words, texts)) / len(texts) for texts in yardstick_texts(test_set)], dtype=float)


def part_names(scored: Scored) -> tuple[str, ...]:
    """What the parts of a metric's score are called: its submetrics, or the kinds of edits that it counts.

    The number of errors that a metric marks is one of them.
    """
    if isinstance(scored.scorer, CountsEdits):
        return tuple(f"{kind}s" for kind in scored.scorer.edit_kinds)
    return (*scored.metric.submetric_names, *((MARKED,) if marks_errors(scored) else ()))


def is_count(scored: Scored, part: str) -> bool:
    """Whether a part of a metric's score is a number of something."""
    return isinstance(scored.scorer, CountsEdits) or part == MARKED


def _parts(scored: Scored, baseline: Run, system: Run) -> Mapping[str, FloatArray]:
    """The parts of one metric's score on both sides."""
    parts: dict[str, FloatArray] = {}
    for side, run in zip(SIDES, (baseline, system), strict=True):
        for name, part in zip(part_names(scored), _part_values(scored, run).T, strict=True):
            parts[column(scored.metric.key, side, name)] = part
    return parts


def _part_values(scored: Scored, run: Run) -> FloatArray:
    """Shape ``(segments, parts)``."""
    if isinstance(scored.scorer, CountsEdits):
        return scored.scorer.edit_counts(range(len(run.hypotheses)), run.hypotheses).astype(float)
    parts = scored.scorer.submetrics(scored.statistics[run.system][run_index(scored, run.system, run.key)])
    if not marks_errors(scored):
        return parts
    counts = [np.nan if spans is None else len(spans) for spans in spans_of(scored, run)]
    return np.column_stack([parts, counts])


def run_index(scored: Scored, system: str, run: str) -> int:
    """Place of a run in the arrays of its system.

    Raises
    ------
    DataError
        Where the system has no such run there.
    """
    keys = scored.run_keys(system)
    if run not in keys:
        raise DataError(
            f"System '{system}' has no run '{run}' on test set '{scored.test_set.name}';"
            f" it has: {', '.join(keys) or 'none'}."
        )
    return keys.index(run)
