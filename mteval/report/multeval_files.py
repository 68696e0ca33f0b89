"""MultEval's files of single segments: the rank files and the sentence-level scores.

MultEval's layouts for n-best lists: the scored list and the lines with corpus scores of the oracles.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from mteval.values.notation import Notation, half_up

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


_PLAIN_FROM, _PLAIN_BELOW = 1e-3, 1e7  # outside this range Java writes powers of ten


def java_double(value: float) -> str:
    """A number as Java's ``Double.toString`` writes it: the shortest digits that give the same number back."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or _PLAIN_FROM <= abs(value) < _PLAIN_BELOW:
        return repr(float(value))
    sign, digits, exponent = Decimal(repr(float(value))).normalize().as_tuple()
    first, rest = digits[0], "".join(map(str, digits[1:])) or "0"
    return f"{'-' if sign else ''}{first}.{rest}E{int(exponent) + len(digits) - 1}"


def nbest_line(
    segment: int,
    hypothesis: str,
    features: str,
    total: float,
    ranks: Mapping[str, int],
    scores: Mapping[str, float],
    submetrics: Iterable[tuple[str, float]],
) -> str:
    """One hypothesis of the scored list.

    Parameters
    ----------
    ranks
        By name of the order (``orig``, then the metrics), 0 for the first.
    scores, submetrics
        Sentence scores by name, and the parts of them all in order; two metrics may have parts of the same name.
    """
    fields = (
        str(segment),
        multeval_text(hypothesis),
        features,
        _java_float(total),
        " ".join(f"{name}Rank={rank}" for name, rank in ranks.items()),
        " ".join(f"{name}={java_double(value)}" for name, value in (*scores.items(), *submetrics)),
    )
    return " ||| ".join(fields)


def oracle_line(
    metric_name: str, choice: str, score: float, submetrics: Mapping[str, float], notation: Notation
) -> str:
    """``BLEU oracle score: 16.86 (bleu1p=0.85; …)``."""
    parts = "; ".join(f"{name}={half_up(value, 2, 'NaN')}" for name, value in submetrics.items())
    return f"{metric_name} {choice} score: {half_up(score, notation.decimals, 'NaN')} ({parts})"


def _java_float(value: float) -> str:
    """Six digits of the number as MultEval keeps it, in single precision."""
    with np.errstate(over="ignore"):
        single = float(np.float32(value))
    return f"{'-' if single < 0 else ''}Infinity" if math.isinf(single) else half_up(single, 6)
