"""Scores of segments: one per line (``None`` if missing), or tables with rows (system, run, segment, score).

WMT's metrics task writes lines ``system<TAB>score``, the lines of each system in segment order. A file about a single
output may contain only numbers. Marked errors come in the same order: a system, None or errors as JSON, and optionally
a rater. Tables with several metrics have a column ``metric`` or one column per metric.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from io import StringIO
from typing import Any, NamedTuple

from mteval.base.bounded_input import bounded_json, decoded
from mteval.base.errors import InputError
from mteval.base.words import counted
from mteval.readers.documents import Document, ScoreColumn, Stream
from mteval.readers.formats import tables
from mteval.readers.formats.tables import SCORE_COLUMNS, Row, holds_outputs, table_form, table_rows
from mteval.readers.formats.text import located, split_lines
from mteval.values.judgements import MQM, Judgement, RatedError, Side, SpanForm, Spans, spans_of, weight_of

COUNTS_ERRORS = re.compile(r"(^|[^a-z])(h?ter|wer|cer|per|mqm|metricx|errors?)([^a-z]|$)", re.IGNORECASE)
MISSING = frozenset({"", "none", "nan", "na", "n/a", "null"})
SCORE_LINE = re.compile(r"\S+[\t ]+([-+]?[\d.]+(e[-+]?\d+)?|nan|none)", re.IGNORECASE)
NUMBER_LINE = re.compile(r"[-+]?(\d+\.\d*|\.\d+)(e[-+]?\d+)?|nan|none", re.IGNORECASE)
LINES_SEEN = 20


def is_named_segment_scores(name: str) -> bool:
    """Whether a file name follows WMT's convention."""
    return re.search(r"\.seg\.score(\.(gz|bz2|xz))?$", name, re.IGNORECASE) is not None


def is_higher_better(name: str, lines: Sequence[str | None]) -> bool | None:
    """Return whether higher scores of a file are better, or None if unknown.

    They are in ``.seg.score`` files of WMT's metrics task, where error counts are negated. Files named after an error
    count with a positive mean follow another convention.
    """
    if not is_named_segment_scores(name):
        return None
    scores = [number for line in lines if line and (number := number_in(line.rpartition("\t")[2].strip())) is not None]
    return None if not scores or (COUNTS_ERRORS.search(name) and sum(scores) > 0) else True


def look_like_scores(lines: Sequence[str | None]) -> bool:
    """Whether the first lines are systems with scores, or decimal numbers."""
    first = [line for line in lines[:LINES_SEEN] if line]
    return bool(first) and any(all(form.fullmatch(line) for line in first) for form in (SCORE_LINE, NUMBER_LINE))


def read_score_lines(lines: Sequence[str | None], file: str) -> tuple[ScoreColumn, ...]:
    """Return the scores of each system; a file of plain numbers has one system without a name.

    Raises
    ------
    InputError
        If a line is not a system and a score, or systems have different numbers of lines.
    """
    texts = [line or "" for line in lines]
    names_systems = any("\t" in line for line in texts)
    scores: dict[str, list[float | None]] = {}
    for number, line in enumerate(texts, start=1):
        system, _, text = line.rpartition("\t")
        is_score = text.strip().lower() in MISSING or number_in(text.strip()) is not None
        if not (system if names_systems else is_score):
            expected = f"{'' if names_systems else 'a score, or '}a system, a tab and a score (None if missing)"
            raise InputError(f"The line is {cut(line)!r}. Expected {expected}.", file, number)
        with located(file, number):
            scores.setdefault(system, []).append(score_of(text))
    ((usual, _),) = Counter(map(len, scores.values())).most_common(1) or ((0, 0),)
    for system, values in scores.items():
        if len(values) != usual:
            message = f"System '{system}' has {counted(len(values), 'score')}, but others have {usual}."
            raise InputError(f"{message} Give every system one line per segment (None if there is no score).", file)
    return tuple(ScoreColumn(system or None, None, tuple(values)) for system, values in scores.items())


def score_of(text: str) -> float | None:
    """Return the score in a cell, or None if it is marked as missing.

    Raises
    ------
    InputError
        If it is not a number; without file and line.
    """
    plain = text.strip()
    if plain.lower() in MISSING:
        return None
    if (value := number_in(plain)) is None:
        raise InputError(f"The score is {cut(plain)!r}. Expected a number, or None for no score.")
    return value


def holds_number(cells: Iterable[str | None]) -> bool:
    """Whether any cell is a finite number."""
    return any(cell is not None and number_in(cell.strip()) is not None for cell in cells)


def number_in(text: str) -> float | None:
    """Return the finite number in a text, or None."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def cut(text: str) -> str:
    """Shorten a text for a message."""
    return text if len(text) <= 60 else text[:59] + "…"


RATING_LINE = re.compile(r'[^\t]+\t(None|\{"errors":.*\})(\t[^\t]*)?')
EXPECTED = 'a system, a tab and None or {"errors": […]}'


def looks_like_ratings(text: str) -> bool:
    """Whether the first line with a judgement is that of a ``.seg.rating`` file.

    Lines before it say None, as in a file of scores.
    """
    lines = (RATING_LINE.fullmatch(line.rstrip("\r\n")) for line in StringIO(text, newline="\n"))
    return next((line is not None for line in lines if line is None or line[1] != "None"), False)


def read_seg_ratings(text: str, file: str) -> Iterator[Judgement]:
    """Yield the judgement of each rater; segments are numbered from 1.

    Raises
    ------
    InputError
        If a line is invalid, or an error lacks its severity.
    """
    named = re.search(r"([^./\\]+)\.seg\.rating", file, re.IGNORECASE)
    counts = Counter[str]()
    for number, line in enumerate(split_lines(text), start=1):
        system, *rest = line.split("\t")
        if not system or not 1 <= len(rest) <= 2:
            raise InputError(f"The line has {counted(1 + len(rest), 'cell')}. Expected {EXPECTED}.", file, number)
        counts[system] += 1
        if rest[0] != "None":
            with located(file, number):
                errors = _errors(rest[0])
            rater, value = "".join(rest[1:]) or (named[1] if named else file), 0.0 - sum(map(weight_of, errors))
            if not math.isfinite(value):
                raise InputError("The scores of the errors are too large to add up.", file, number)
            yield Judgement(rater, system, str(counts[system]), MQM, value, errors=errors)


def _errors(cell: str) -> tuple[RatedError, ...]:
    try:
        rows = bounded_json(cell)["errors"]
    except (ValueError, KeyError, TypeError):
        rows = None
    if not isinstance(rows, list):
        raise InputError(f"The rating is {cell[:60]!r}. Expected {EXPECTED}.")
    return tuple(map(error_of, rows))


def error_of(row: Mapping[str, Any]) -> RatedError:
    """Return a marked error from its JSON object; places that are not numbers are ignored.

    Raises
    ------
    InputError
        If it has no severity, or its score is not a number; without file and line.
    """
    if not isinstance(row, Mapping) or not row.get("severity"):
        raise InputError(f"An error is {str(row)[:80]}. Expected an object with a severity.")
    score = row.get("score")
    is_number = isinstance(score, int | float) and not isinstance(score, bool) and math.isfinite(score)
    if score is not None and not is_number:
        raise InputError(f"An error has the score {str(score)[:60]!r}. Expected a number.")
    start, end = row.get("start"), row.get("end")
    place = (start, end) if isinstance(start, int) and isinstance(end, int) and 0 <= start < end else (0, 0)
    side: Side = "source" if row.get("is_source_error") else "hypothesis"
    weight = None if score is None else float(score)
    return RatedError(str(row.get("category") or ""), str(row["severity"]), side, *place, weight)


SCORE, METRIC, JUDGEMENTS, DEVIATION, SPANS = SCORE_COLUMNS
Output = tuple[str | None, str | None]  # system and run


class Score(NamedTuple):
    """A score, what else its row states, and its line."""

    value: float | None
    judgements: int
    spans: Spans | None
    deviation: float | None
    text: str | None
    segment: str | None
    line: int


def _column(output: Output, scores: Iterable[Score]) -> ScoreColumn:
    """Return the scores of an output."""
    values, judgements, spans, deviations, texts, segments, _ = zip(*scores, strict=True)
    keys, words = (None if None in column else column for column in (segments, texts))
    marked, spread = (None if column.count(None) == len(column) else column for column in (spans, deviations))
    return ScoreColumn(*output, values, keys, judgements if any(judgements) else None, marked, spread, words)


def read_table(text: str, file: str) -> Document | None:
    """Read a table of outputs, scores or both; return None if it is not one."""
    if (form := table_form(text, holds_outputs)) is None:
        form = table_form(text, _holds_scores)
        return None if form is None else _read_scores(list(table_rows(text, file, form)), file)
    rows = list(table_rows(text, file, form))
    found = outputs_and_scores(rows, file, score_columns(rows) if any(SCORE in row for _, row in rows) else ())
    if form != tables.JSON_LINES or not {"hypothesis", "prediction"} <= bounded_json(text.partition("\n")[0]).keys():
        return found
    streams = (  # MetricX has these keys
        replace(one, name=one.name or "MetricX", is_higher_better=False) if one.role == "scores" else one
        for one in found.streams
    )
    return replace(found, streams=tuple(streams))


def outputs_and_scores(rows: Sequence[Row], file: str, columns: Sequence[str]) -> Document:
    """Read a table of outputs with scores in some columns."""
    document = tables.read_output_table(rows, file, (*columns, *SCORE_COLUMNS) if columns else ())
    return replace(document, streams=document.streams + score_streams(rows, file, columns))


def _holds_scores(columns: Sequence[str]) -> bool:
    """Whether a header is that of a table of scores without outputs."""
    if holds_outputs(columns) or not {"system", "run", "segment"} & set(columns):
        return False
    return SCORE in columns or ({"system", "segment"} <= set(columns) and bool(_further(columns)))


def _read_scores(rows: Sequence[Row], file: str) -> Document:
    """Read a table of scores.

    Raises
    ------
    InputError
        If no column has numbers, a cell is not a score, or an output has two scores for a segment.
    """
    if not (columns := score_columns(rows)):
        further = ", ".join(_further(_columns(rows))) or "none"
        raise InputError(f"No column of scores. Other columns: {further}. Use 'score', or one per metric.", file)
    known = {*columns, *SCORE_COLUMNS, "system", "run", "segment", "test_set"}
    unread = [name for name in _columns(rows) if name not in known]
    notes = (f"Columns ignored: {', '.join(unread)}.",) if unread else ()
    return Document(file, "table", score_streams(rows, file, columns), notes)


def score_columns(rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the columns whose name begins with "score", else all unknown ones that contain a number."""
    columns = _columns(rows)
    named = tuple(name for name in columns if name.lower().startswith(SCORE))
    return named or tuple(name for name in _further(columns) if holds_number(row.get(name) for _, row in rows))


def score_streams(rows: Iterable[Row], file: str, columns: Sequence[str]) -> tuple[Stream, ...]:
    """Return one stream per test set and metric."""
    found: dict[tuple[str | None, str | None], dict[Output, dict[str, Score]]] = {}
    for line, row in rows:
        shared = [name for name in (SPANS, DEVIATION) if row.get(name)]
        if shared and len(columns) > 1:  # it is unknown which metric they belong to
            message = f"The row has {shared[0]} and scores in {counted(len(columns), 'column')} ({', '.join(columns)})."
            message += " Use one column score, with a column metric if there are several metrics."
            raise InputError(message, file, line)
        output = row.get("system") or None, row.get("run") or None
        for column in columns:
            text = row.get(column)
            if text is not None:  # named after the file if neither column nor row names the metric
                name = " ".join(filter(None, (row.get(METRIC), None if column == SCORE else column))) or None
                outputs = found.setdefault((row.get("test_set") or None, name), {})
                with located(file, line):
                    _keep(outputs.setdefault(output, {}), _score(row, text, line), output)
    has_test_sets = len({test_set for test_set, _ in found}) > 1
    streams = []
    for (test_set, metric), outputs in found.items():
        label = (metric or SCORE) if len(found) > 1 else ""
        label = f"{test_set or 'no test set'}: {label}" if has_test_sets else label
        scores = tuple(_column(output, of_output.values()) for output, of_output in outputs.items())
        streams.append(Stream(label, (), "scores", test_set=test_set, name=metric, scores=scores))
    return tuple(streams)


def _columns(rows: Iterable[Row]) -> list[str]:
    return list(dict.fromkeys(name for _, row in rows for name in row))


def _further(columns: Iterable[str]) -> list[str]:
    return [name for name in columns if name and not tables.is_known(name)]


def _keep(scores: dict[str, Score], score: Score, output: Output) -> None:
    segment = f"row {len(scores) + 1}" if score.segment is None else score.segment
    first = scores.setdefault(segment, score).line
    if first != score.line:
        owner = ", ".join(f"{kind} '{name}'" for kind, name in zip(("system", "run"), output, strict=True) if name)
        where = f"segment '{segment}'{' of ' if owner else ''}{owner} (the first is in line {first})"
        remedy = "Give each output one score per segment, or add columns metric and run."
        raise InputError(f"Second score for {where}. {remedy}")


def _score(row: Mapping[str, str | None], text: str, line: int) -> Score:
    value, deviation = score_of(text), row.get(DEVIATION)
    judgements = row.get(JUDGEMENTS) or "0"
    if not (judgements.isascii() and judgements.isdigit() and len(judgements) <= 9):  # of a number of judgements
        raise InputError(f"The column judgements is '{judgements}'. Expected a whole number.")
    spans, number = _spans(row.get(SPANS)), None if deviation is None else score_of(deviation)
    return Score(value, int(judgements), spans, number, row.get("hypothesis"), row.get("segment"), line)


def _spans(text: str | None) -> Spans | None:
    """Return the errors marked in a row, or None."""
    try:
        return spans_of(decoded(bounded_json(text), list[SpanForm], None, SPANS), None, SPANS) if text else None
    except ValueError as error:
        expected = "a list of objects with start, end and severity"
        raise InputError(f"The spans are not valid JSON ({error}). Expected {expected}.") from error
