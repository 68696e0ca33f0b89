"""Scores of learned metrics as ``comet-score`` writes them: ``--to_json``, and what it prints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from mteval.base.bounded_input import Finite, Text, bounded_json, decoded
from mteval.base.errors import InputError
from mteval.readers.documents import DEFAULT_LIMITS, Document, ScoreColumn, Stream
from mteval.readers.formats.text import one_segment, refuse_columns, spans_in_segment
from mteval.values.judgements import SpanForm, spans_of

OPENINGS = ("{", "[")
METRIC = "COMET"
SCORE_KEYS = (METRIC, "predicted_score")
TEXT_KEY = "mt"
ERRORS_KEY = "errors"


class _Output(Struct):
    """Fields of an output that are read beside its score."""

    mt: Text
    errors: list[SpanForm] | None = None
    variance: Finite | None = None


def read_comet_json(text: str, file: str) -> Document | None:
    """Read the scores of each output file; return None if it is something else.

    Raises
    ------
    InputError
        If it is damaged, or an object has no score.
    """
    if not text.lstrip().startswith(OPENINGS) or f'"{TEXT_KEY}"' not in text[: 1 << 16]:
        return None
    content = _json_of_comet(text, file)
    # One list per output file, or a single list
    outputs_of_file = content if isinstance(content, dict) else {"": content}
    if not outputs_of_file or not all(_has_scores(outputs) for outputs in outputs_of_file.values()):
        return None
    refuse_columns(len(outputs_of_file), DEFAULT_LIMITS, file)
    marks_errors = False
    for outputs in outputs_of_file.values():
        if any(isinstance(output, dict) and ERRORS_KEY in output for output in outputs):
            marks_errors = True
    columns = []
    for name, outputs in outputs_of_file.items():
        columns.append(_score_column(name, outputs, file, marks_errors))
    return Document(file, "json", (Stream("", (), "scores", name=METRIC, scores=tuple(columns)),))


def _json_of_comet(text: str, file: str) -> Any:
    """Parse the JSON; return None for several values, i.e. JSON lines."""
    first_line = text.lstrip().partition("\n")[0].strip()
    try:
        return bounded_json(text)
    except ValueError as error:
        if first_line not in OPENINGS:
            return None
        raise InputError(f"Not valid JSON ({error}). Write it again with comet-score --to_json.", file) from error


def _has_scores(outputs: Any) -> bool:
    """Whether a list begins with an output and its score."""
    if not isinstance(outputs, list) or not outputs or not isinstance(outputs[0], dict):
        return False
    first = outputs[0]
    return TEXT_KEY in first and any(key in first for key in SCORE_KEYS)


def _score_column(name: str, items: Sequence[Any], file: str, marks_errors: bool) -> ScoreColumn:
    """Return the scores of one output file, with spans and deviations if present."""
    scores = tuple(_score(item, number, name, file) for number, item in enumerate(items, start=1))
    outputs = decoded(items, list[_Output], file, name)
    spans = None
    if marks_errors:
        numbered = enumerate(outputs, start=1)
        spans_of_output = []
        for number, output in numbered:
            marked = spans_of(output.errors or (), file, f"{name}[{number}].errors")
            spans_of_output.append(spans_in_segment(marked, output.mt))
        spans = tuple(spans_of_output)
    deviations = tuple(output.variance for output in outputs)
    has_deviations = any(deviation is not None for deviation in deviations)
    return ScoreColumn(
        system=name or None,
        run=None,
        values=scores,
        spans=spans,
        deviations=deviations if has_deviations else None,
        texts=tuple(one_segment(output.mt) for output in outputs),
    )


def _score(item: Any, number: int, name: str, file: str) -> float | None:
    """Return the score of an output; None if it is missing (``null`` or NaN)."""
    score: Any = "nothing"
    if isinstance(item, dict):
        score = next((item[key] for key in SCORE_KEYS if key in item), score)
    if score is None:
        return None
    if type(score) not in (int, float) or math.isinf(score):  # a bool is an int, but not a score
        where = f" of '{name}'" if name else ""
        raise InputError(
            f"Segment {number}{where} has the {METRIC} score {str(score)[:60]!r}. Expected a number.", file
        )
    return None if math.isnan(score) else float(score)
