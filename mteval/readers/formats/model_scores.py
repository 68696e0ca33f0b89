"""What learned metrics write: ``comet-score --to_json`` and MetricX's lines."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mteval.base.bounded_input import Table, bounded_json
from mteval.base.errors import InputError
from mteval.readers.documents import DEFAULT_LIMITS, Document, ScoreColumn, Stream
from mteval.readers.formats.text import refuse_columns
from mteval.values.error_spans import Spans, spans_from_json

NAME = "COMET"
SCORES = (NAME, "predicted_score")
TEXT, ERRORS, DEVIATION = "mt", "errors", "variance"
HEAD = 1 << 16  # characters in which the first translation is looked for
OPENINGS = ("{", "[")


def read_comet_json(text: str, file: str) -> Document | None:
    """The scores of each file of outputs, or None where the text is something else.

    Raises
    ------
    InputError
        Where it is such a file and damaged, or an object has no score.
    """
    if not text.lstrip().startswith(OPENINGS) or f'"{TEXT}"' not in text[:HEAD]:
        return None
    whole = _parsed(text, file)
    lists = whole if isinstance(whole, dict) else {"": whole}
    if not lists or not all(map(_is_scored, lists.values())):
        return None
    refuse_columns(len(lists), DEFAULT_LIMITS, file)
    marks_errors = any(isinstance(item, dict) and ERRORS in item for items in lists.values() for item in items)
    scores = tuple(_column(name, items, file, marks_errors) for name, items in lists.items())
    return Document(file, "json", (Stream("", (), "scores", name=NAME, scores=scores),))


def _column(name: str, items: Sequence[Any], file: str, marks_errors: bool) -> ScoreColumn:
    """The scores of one file of outputs, with what else the model says of each."""
    values = tuple(_score(item, number, name, file) for number, item in enumerate(items, 1))
    tables = [Table(item, file, f"{name}[{number}]") for number, item in enumerate(items, 1)]
    has_deviations = any(table.is_given(DEVIATION) for table in tables)
    return ScoreColumn(
        name or None,
        None,
        values,
        spans=tuple(map(_spans, tables)) if marks_errors else None,
        deviations=tuple(map(_deviation, tables)) if has_deviations else None,
        texts=tuple(table.words(TEXT) for table in tables),
    )


def _spans(item: Table) -> Spans:
    return spans_from_json(item, ERRORS) if item.is_given(ERRORS) else ()


def _deviation(item: Table) -> float | None:
    return item.number(DEVIATION) if item.is_given(DEVIATION) else None


def _parsed(text: str, file: str) -> Any:
    """The JSON; None where it is more than one value, as JSON lines are."""
    first = text.lstrip().partition("\n")[0].strip()
    try:
        return bounded_json(text)
    except ValueError as error:
        if first not in OPENINGS:
            return None
        raise InputError(f"It is not valid JSON ({error}). Write it again by comet-score --to_json.", file) from error


def _is_scored(items: Any) -> bool:
    """Whether a value is a list of outputs, of which the first has a score."""
    first = items[0] if isinstance(items, list) and items else None
    return isinstance(first, dict) and TEXT in first and any(name in first for name in SCORES)


def _score(item: Any, number: int, name: str, file: str) -> float | None:
    score = next((item[key] for key in SCORES if key in item), "nothing") if isinstance(item, dict) else "nothing"
    if score is None:
        return None
    if isinstance(score, bool) or not isinstance(score, int | float) or math.isinf(score):
        where = f" of '{name}'" if name else ""
        raise InputError(
            f"Segment {number}{where} has {str(score)[:60]!r} as its score {NAME}; expected a number.", file
        )
    return None if math.isnan(score) else float(score)


METRICX_NAME = "MetricX"
KEYS = frozenset(("hypothesis", "prediction"))


def as_metricx(document: Document, text: str) -> Document:
    """The document with its scores called after MetricX, where the first line is such an object; else as it is."""
    if not _is_metricx(text):
        return document
    return replace(document, streams=tuple(map(_named, document.streams)))


def _is_metricx(text: str) -> bool:
    first = text.partition("\n")[0].strip()
    if not first.startswith("{"):
        return False
    try:
        record = bounded_json(first)
    except ValueError:
        return False
    return isinstance(record, dict) and record.keys() >= KEYS


def _named(stream: Stream) -> Stream:
    if stream.role != "scores":
        return stream
    return replace(stream, name=stream.name or METRICX_NAME, is_higher_better=False)
