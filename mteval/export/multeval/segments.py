"""MultEval's files of single segments: the rank files and the sentence-level scores."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from mteval.notation import Notation, half_up

_TRIMMED = "".join(map(chr, range(0x21)))  # what Java's String.trim cuts off
_PART_DIGITS = 2
_SPACES = re.compile(r"[ \t\n\x0b\f\r]+")


def multeval_text(text: str) -> str:
    """A segment as MultEval prints it: trimmed, with single spaces."""
    return _SPACES.sub(" ", text.strip(_TRIMMED))


def rank_file_name(number: int, label: str) -> str:
    """Name of a rank file. The baseline counts as 1 in it, so that system ``number`` 1 is called 2."""
    return f"sys{number + 1}.sortedby.{label}"


def sentence_file_name(number: int, run: int) -> str:
    """Name of a file of sentence-level scores; the baseline has ``number`` 0, the first run is 0; both count from 1."""
    return f"sys{number + 1}.opt{run + 1}"


def rank_lines(
    table: pd.DataFrame,
    labels: Mapping[str, str],
    notations: Mapping[str, Notation],
    baseline: Sequence[str],
    system: Sequence[str],
    references: Sequence[Sequence[str]],
) -> Iterator[str]:
    """Lines of a rank file.

    Parameters
    ----------
    table
        Segments in order, with columns ``segment``, ``metric``, ``baseline_score``, ``system_score``, ``difference``;
        rows of one segment stand together, that of the metric sorted by first.
    labels
        Names of the metrics in the file, by key.
    notations
        How the numbers of the metrics are written, by key.
    baseline, system, references
        Texts of all segments, in corpus order.
    """
    of_all: Iterator[Any] = table.itertuples()
    for segment, group in groupby(of_all, key=lambda row: int(row.segment)):
        rows = list(group)
        label = labels[rows[0].metric]
        changes = (_change(row, labels[row.metric], notations[row.metric].coarser.decimals) for row in rows)
        yield "\t".join([f"SENT {segment}", *changes])
        yield f"{label}-median-baseline: {multeval_text(baseline[segment])}"
        yield f"{label}-median-variant: {multeval_text(system[segment])}"
        for number, reference in enumerate(references[segment], start=1):
            yield f"ref{number}: {multeval_text(reference)}"
        yield ""


def _change(row: Any, label: str, digits: int) -> str:
    before, after, difference = (
        half_up(value, digits, "NaN") for value in (row.baseline_score, row.system_score, row.difference)
    )
    return f"{label}: {before} -> {after} = {difference}"


def sentence_lines(
    hypotheses: Sequence[str],
    scores: Mapping[str, npt.NDArray[np.float64]],
    notations: Mapping[str, Notation],
    submetrics: Sequence[tuple[str, npt.NDArray[np.float64]]],
) -> Iterator[str]:
    """Lines of a file of sentence-level scores.

    Parameters
    ----------
    hypotheses
        Of one run, in corpus order.
    scores, submetrics
        For each name in the file one number a segment, shape ``(segments,)``; two metrics may have parts of the same
        name.
    notations
        How the scores are written, by the same names.
    """
    score_columns = [(name, column.tolist(), notations[name].decimals) for name, column in scores.items()]
    part_columns = [(name, column.tolist(), _PART_DIGITS) for name, column in submetrics]
    for segment, hypothesis in enumerate(hypotheses):
        fields = (
            str(segment),
            multeval_text(hypothesis),
            _pairs(score_columns, segment),
            _pairs(part_columns, segment),
        )
        yield " ||| ".join(fields).rstrip(" ")


def _pairs(columns: Sequence[tuple[str, Sequence[float], int]], segment: int) -> str:
    return " ".join(f"{name}={half_up(column[segment], digits, 'NaN')}" for name, column, digits in columns)
