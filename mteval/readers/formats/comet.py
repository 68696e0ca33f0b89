"""Scores of learned metrics as ``comet-score`` writes them: ``--to_json``, and what it prints."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from mteval.base.bounded_input import Finite, Text, bounded_json, decoded
from mteval.base.errors import InputError
from mteval.base.words import counted
from mteval.readers.documents import DEFAULT_LIMITS, Document, ScoreColumn, Stream
from mteval.readers.formats.text import one_segment, refuse_columns, spans_in_segment, split_lines
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


# What comet-score prints

SEGMENT_LINE = re.compile(r"(?P<file>[^\t]+)\tSegment (?P<segment>[0-9]{1,9})\tscore: (?P<score>\S+)")
SYSTEM_LINE = re.compile(r"(?P<file>[^\t]+)\tscore: (?P<score>\S+)")
ROUNDED = 2e-4  # scores and means are printed with four digits


def read_comet_output(text: str, file: str) -> Document | None:
    """Read what ``comet-score`` prints: a line per segment, and the mean of each system; None if it is something else.

    Raises
    ------
    InputError
        If there are only means, segments are missing, or a mean is not that of the segments.
    """
    scores_of: dict[str, list[float | None]] = {}
    mean_of: dict[str, float | None] = {}
    n_others = 0
    for number, line in enumerate(split_lines(text), start=1):
        match = SEGMENT_LINE.fullmatch(line)
        if match is not None:
            scores = scores_of.setdefault(match["file"], [])
            if int(match["segment"]) != len(scores):
                message = (
                    f"Segment {match['segment']} of '{match['file'][:60]}' follows {counted(len(scores), 'segment')}."
                )
                raise InputError(f"{message} Use the whole output of one comet-score.", file, number)
            scores.append(_printed_score(match["score"], file, number))
            continue
        match = SYSTEM_LINE.fullmatch(line)
        if match is not None:
            mean_of[match["file"]] = _printed_score(match["score"], file, number)
        elif line.strip():
            n_others += 1
    if not scores_of and not mean_of:
        return None
    if not scores_of:
        message = "comet-score printed one score per system, but no segment scores. Run it without --only_system,"
        raise InputError(f"{message} or with --to_json.", file)
    refuse_columns(len(scores_of), DEFAULT_LIMITS, file)

    columns = []
    for name, scores in scores_of.items():
        _refuse_other_mean(name, scores, mean_of.get(name), file)
        columns.append(ScoreColumn(name, None, tuple(scores)))
    notes = ["comet-score prints four digits; --to_json has all."]
    if n_others:
        notes.append(f"{counted(n_others, 'line')} without a score: ignored.")
    return Document(file, "table", (Stream("", (), "scores", name=METRIC, scores=tuple(columns)),), tuple(notes))


def _printed_score(text: str, file: str, line: int) -> float | None:
    """Return a printed score; None for NaN."""
    try:
        score = float(text)
    except ValueError:
        score = math.inf
    if math.isinf(score):
        raise InputError(f"The score is '{text[:60]}'. Expected a number.", file, line)
    return None if math.isnan(score) else score


def _refuse_other_mean(name: str, scores: Sequence[float | None], mean: float | None, file: str) -> None:
    """Raise InputError if the mean of a system is not that of its segments, of which some may be missing."""
    known = [score for score in scores if score is not None]
    if mean is None or len(known) < len(scores):
        return
    mean_of_segments = sum(known) / len(known)
    if abs(mean_of_segments - mean) > ROUNDED:
        segments = f"{counted(len(known), 'segment')} of '{name[:60]}'"
        message = f"{segments} have the mean {mean_of_segments:.4f}, but the file states {mean:g}."
        raise InputError(f"{message} Lines are missing; run comet-score again.", file)
