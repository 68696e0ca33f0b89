"""Scores of segments: one per line (``None`` if missing), or tables with rows (system, run, segment, score).

WMT's metrics task writes lines ``system<TAB>score``, the lines of each system in segment order. A file about a single
output may contain only numbers. Marked errors come in the same order: a system, None or errors as JSON, and optionally
a rater. Tables with several metrics have a column ``metric`` or one column per metric.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from io import StringIO
from itertools import chain
from typing import Any, NamedTuple

from mteval.base.bounded_input import bounded_json, decoded
from mteval.base.errors import InputError
from mteval.base.words import counted
from mteval.readers.documents import Document, ScoreColumn, Stream
from mteval.readers.formats import tables
from mteval.readers.formats.tables import SCORE_COLUMNS, Row, holds_outputs, name_in_file, table_form, table_rows
from mteval.readers.formats.text import located, one_segment, spans_in_segment, split_lines
from mteval.values.judgements import MQM, Judgement, RatedError, Side, SpanForm, Spans, spans_of, weight_of

ERRORS_OR_COSTS = re.compile(
    r"^per$|(^|[^a-z])(h?ter|wer|cer|metricx|errors?|perplexity|loss|latency|cost|bits_per_byte)([^a-z]|$)",
    re.IGNORECASE,
)
QUALITY = re.compile(r"(^|[^a-z])(x?comet|bleurt|bleu|chrf|meteor|bertscore|accuracy|exact[-_ ]match)", re.IGNORECASE)
COUNTS_ERRORS = re.compile(r"(^|[^a-z])(h?ter|wer|cer|per|mqm|metricx|errors?)([^a-z]|$)", re.IGNORECASE)
MISSING = frozenset({"", "none", "nan", "na", "n/a", "null"})
SCORE_LINE = re.compile(r"\S+[\t ]+([-+]?[\d.]+(e[-+]?\d+)?|nan|none)", re.IGNORECASE)
NUMBER_LINE = re.compile(r"[-+]?(\d+\.\d*|\.\d+)(e[-+]?\d+)?|nan|none", re.IGNORECASE)
NO_SCORE = "It has no score: each is empty or None. Score the outputs again, or remove the file."
MOST_ABOVE_ZERO = 0.1  # the largest of negated errors, per size of the smallest; fixed in benchmarks/right_files.py
LINES_SEEN = 20
OTHER_NUMBER = re.compile(
    r"[-+]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?|[-+]?[0-9]{1,3}([. '\u00a0\u202f][0-9]{3})+(,[0-9]+)?"
    r"|[-+]?[0-9]+([.,][0-9]+)?\s*%"
)
THOUSANDS = re.compile(r"[-+]?[1-9][0-9]{0,2}(,[0-9]{3})+")
TRUTH = {"true": "1", "false": "0"}  # right and wrong answers
AVERAGES = frozenset({"average", "avg", "avg.", "mean", "total", "sum", "overall", "mittelwert", "summe", "gesamt"})


def is_named_segment_scores(name: str) -> bool:
    """Whether a file name follows WMT's convention."""
    return re.search(r"\.seg\.score(\.(gz|bz2|xz))?$", name, re.IGNORECASE) is not None


def is_named_system_scores(name: str) -> bool:
    """Whether a file name is that of WMT's files with one score per system."""
    return ".sys.score" in name.lower()


def is_higher_better(name: str, lines: Sequence[str | None]) -> bool | None:
    """Return whether higher scores of a file are better, or None if unknown.

    They are in ``.seg.score`` files of WMT's metrics task, where error counts are negated. Files named after an error
    count with a positive mean follow another convention.
    """
    if not is_named_segment_scores(name):
        return None
    scores = []
    for line in lines:
        if not line:
            continue
        score = number_in(line.rpartition("\t")[2].strip())
        if score is not None:
            scores.append(score)
    if not scores:
        return None
    if COUNTS_ERRORS.search(name) and sum(scores) > 0:
        return None
    return True


def known_direction(name: str, values: Iterable[float | None]) -> bool | None:
    """Return whether higher is better for a metric of that name, or None if the name does not tell.

    Errors and costs may be negated, so that higher is better. Errors are never below zero otherwise, costs may be.
    """
    present = [value for value in values if value is not None]
    if are_negated_errors(name, present):
        return True
    if ERRORS_OR_COSTS.search(name):
        is_positive = sum(present) > 0 and min(present) >= 0
        return False if is_positive else None
    return True if QUALITY.search(name) else None


def are_negated_errors(name: str, values: Iterable[float | None]) -> bool:
    """Whether a metric is named after an error count, and its values are below zero.

    Those of a learned metric may go a little above. Standardised values and differences lie on both sides.
    """
    present = [value for value in values if value is not None]
    if not present or COUNTS_ERRORS.search(name) is None:
        return False
    return min(present) < 0 and max(present) <= MOST_ABOVE_ZERO * -min(present)


def look_like_scores(lines: Sequence[str | None]) -> bool:
    """Whether the first lines are systems with scores, or decimal numbers."""
    first_lines = [line for line in lines[:LINES_SEEN] if line]
    if not first_lines:
        return False
    return all(map(SCORE_LINE.fullmatch, first_lines)) or all(map(NUMBER_LINE.fullmatch, first_lines))


def read_score_lines(lines: Sequence[str | None], file: str) -> tuple[ScoreColumn, ...]:
    """Return the scores of each system; a file of plain numbers has one system without a name.

    Raises
    ------
    InputError
        If a line is not a system and a score, if all scores are missing, or if systems have different numbers of lines.
    """
    texts = [line or "" for line in lines]
    names_systems = any("\t" in line for line in texts)
    if names_systems and not texts[-1].strip():
        del texts[-1]
    scores_of: dict[str, list[float | None]] = {}  # by system, which is empty if the file names none
    for number, line in enumerate(texts, start=1):
        system, _, text = line.rpartition("\t")
        if names_systems:
            is_expected = system != "" and "\t" not in system
            expected = "a system, a tab and a score (None if missing), or a table with a header"
        else:
            is_expected = text.strip().lower() in MISSING or number_in(text.strip()) is not None
            expected = "a score, or a system, a tab and a score (None if missing)"
        if not is_expected:
            raise InputError(f"The line is {cut(line)!r}. Expected {expected}.", file, number)
        with located(file, number):
            scores_of.setdefault(system, []).append(score_of(text))

    if all(score is None for scores in scores_of.values() for score in scores):
        raise InputError(NO_SCORE, file)
    usual, _ = Counter(map(len, scores_of.values())).most_common(1)[0]
    columns = []
    for system, scores in scores_of.items():
        if len(scores) != usual:
            message = f"System '{system}' has {counted(len(scores), 'score')}, but others have {usual}."
            raise InputError(f"{message} Give every system one line per segment (None if there is no score).", file)
        columns.append(ScoreColumn(system or None, None, tuple(scores)))
    return tuple(columns)


def score_of(text: str, column: str = "") -> float | None:
    """Return the score in a cell, or None if it is marked as missing.

    Parameters
    ----------
    column
        Name of the column in the file, for messages; empty for a file without columns.

    Raises
    ------
    InputError
        If it is not a number; without file and line.
    """
    plain = text.strip()
    if plain.lower() in MISSING:
        return None
    score = number_in(plain)
    if score is None:
        subject = f"'{column}'" if column and column != SCORE else "The score"
        remedy = "Expected a number, or None for no score."
        if tables.DECIMAL_COMMA.fullmatch(plain):
            remedy = f"Write a decimal point ({plain.replace(',', '.')}), or separate the columns with semicolons."
        raise InputError(f"{subject} is {cut(plain)!r}. {remedy}")
    return score


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


# Marked errors

RATING_LINE = re.compile(r'[^\t]+\t(None|\{"errors":.*\})(\t[^\t]*)?')
EXPECTED = 'a system, a tab and None or {"errors": […]}'


def looks_like_ratings(text: str) -> bool:
    """Whether the first line with a judgement is that of a ``.seg.rating`` file.

    Lines before it say None, as in a file of scores.
    """
    for line in StringIO(text, newline="\n"):
        match = RATING_LINE.fullmatch(line.rstrip("\r\n"))
        if match is None:
            return False
        if match[1] != "None":
            return True
    return False


def read_seg_ratings(text: str, file: str) -> Iterator[Judgement]:
    """Yield the judgement of each rater; segments are numbered from 1.

    Raises
    ------
    InputError
        If a line is invalid, or an error lacks its severity.
    """
    name_in_file = re.search(r"([^./\\]+)\.seg\.rating", file, re.IGNORECASE)
    usual_rater = name_in_file[1] if name_in_file else file
    n_segments = Counter[str]()  # of each system, so far
    for number, line in enumerate(split_lines(text), start=1):
        if not line:
            continue
        cells = line.split("\t")
        system = cells[0]
        if not system or not 2 <= len(cells) <= 3:
            raise InputError(f"The line has {counted(len(cells), 'cell')}. Expected {EXPECTED}.", file, number)
        n_segments[system] += 1
        if cells[1] == "None":
            continue
        with located(file, number):
            errors = _errors(cells[1])
        value = 0.0 - sum(map(weight_of, errors))
        if not math.isfinite(value):
            raise InputError("The scores of the errors are too large to add up.", file, number)
        rater = usual_rater
        if len(cells) == 3 and cells[2]:
            rater = cells[2]
        yield Judgement(rater, system, str(n_segments[system]), MQM, value, errors=errors)


def _errors(cell: str) -> tuple[RatedError, ...]:
    """Return the errors that the JSON in a cell lists."""
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
    weight = None if score is None else float(score)
    start = row.get("start")
    end = row.get("end")
    place = (0, 0)
    if isinstance(start, int) and isinstance(end, int) and 0 <= start < end:
        place = (start, end)
    side: Side = "source" if row.get("is_source_error") else "hypothesis"
    category = str(row.get("category") or "")
    return RatedError(category, str(row["severity"]), side, *place, weight)


# Tables

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


def read_table(text: str, file: str) -> Document | None:
    """Read a table of outputs, scores or both; return None if it is not one."""
    form = table_form(text, holds_outputs)
    if form is None:
        form = table_form(text, _holds_scores)
        if form is None:
            return None
        return _read_scores(list(table_rows(text, file, form)), file)

    rows = list(table_rows(text, file, form))
    columns: tuple[str, ...] = ()
    if any(SCORE in row for _, row in rows):
        columns = score_columns(rows)
    document = outputs_and_scores(rows, file, columns)
    if form == tables.JSON_LINES:
        keys = bounded_json(text.partition("\n")[0]).keys()
        if {"hypothesis", "prediction"} <= keys:
            return _with_scores_of_metricx(document)
    return document


def _with_scores_of_metricx(document: Document) -> Document:
    """Return the document with scores that count errors, and are named MetricX unless they have a name."""
    streams = []
    for stream in document.streams:
        if stream.role == "scores":
            streams.append(replace(stream, name=stream.name or "MetricX", is_higher_better=False))
        else:
            streams.append(stream)
    return replace(document, streams=tuple(streams))


def outputs_and_scores(rows: Sequence[Row], file: str, columns: Sequence[str]) -> Document:
    """Read a table of outputs with scores in some columns."""
    read_elsewhere = (*columns, *SCORE_COLUMNS) if columns else ()
    document = tables.read_output_table(rows, file, read_elsewhere)
    return replace(document, streams=document.streams + score_streams(rows, file, columns))


def _holds_scores(columns: Sequence[str]) -> bool:
    """Whether a header is that of a table of scores without outputs."""
    if holds_outputs(columns) or {"system", "run", "segment"}.isdisjoint(columns):
        return False
    if SCORE in columns:
        return True
    return {"system", "segment"} <= set(columns) and bool(_further(columns))


def _read_scores(rows: Sequence[Row], file: str) -> Document:
    """Read a table of scores.

    Raises
    ------
    InputError
        If no column has numbers, a cell is not a score, or an output has two scores for a segment.
    """
    columns = score_columns(rows)
    if not columns:
        columns = _columns_of_truth(rows)
        rows = [(line, _truth_as_numbers(row, columns)) for line, row in rows]
    if not columns:
        further = _further(_columns(rows))
        for name in further:
            refuse_other_numbers(name_in_file(rows[0][1], name), [row.get(name) or "" for _, row in rows], file)
        if further and _are_missing(rows, further):
            raise InputError(NO_SCORE, file)
        names = ", ".join(further) or "none"
        raise InputError(f"No column of scores. Other columns: {names}. Use 'score', or one per metric.", file)
    refuse_averages(rows, file)
    if _are_missing(rows, columns):
        raise InputError(NO_SCORE, file)
    known = {*columns, *SCORE_COLUMNS, "system", "run", "segment", "test_set", ""}
    unread = dict[str, None]()  # an ordered set
    for _, row in rows:
        unread.update(dict.fromkeys(name_in_file(row, name) for name in row if name not in known))
    notes = []
    if unread:
        notes.append(f"Columns ignored: {', '.join(unread)}.")
    return Document(file, "table", score_streams(rows, file, columns), tuple(notes), n_rows=len(rows))


def refuse_other_numbers(name: str, cells: Sequence[str], file: str) -> None:
    """Raise InputError if all cells of a column are numbers in a form of spreadsheets, e.g. ``45%`` or ``1,234.5``."""
    plain = [cell.strip() for cell in cells if cell.strip()]
    is_decimal = any(not THOUSANDS.fullmatch(cell) for cell in plain)  # 0,5 or 12,34, not 12,345
    if plain and is_decimal and all(tables.DECIMAL_COMMA.fullmatch(cell) for cell in plain):
        remedy = f"Write a decimal point ({plain[0].replace(',', '.')}), or separate the columns with semicolons."
        raise InputError(f"'{name}' is '{plain[0]}'. {remedy}", file, 2)
    if all(OTHER_NUMBER.fullmatch(cell.strip()) for cell in cells):
        message = f"'{name}' is '{cells[0].strip()}'. Write plain numbers, without % and separators of thousands."
        raise InputError(message, file, 2)


def refuse_averages(rows: Sequence[Row], file: str) -> None:
    """Raise InputError at a row of averages, as spreadsheets have them below scores; it is no segment or system."""
    n_numbers = sum((row.get("segment") or "").isdecimal() for _, row in rows)
    for line, row in rows:
        segment = row.get("segment") or ""
        system = row.get("system") or ""
        is_of_segments = segment.lower() in AVERAGES and n_numbers > 0
        is_of_systems = system.lower() in AVERAGES and not segment
        if is_of_segments or is_of_systems:
            message = f"'{segment or system}' looks like a row of averages, not a {'segment' if segment else 'system'}."
            raise InputError(f"{message} Remove the row.", file, line)


def _columns_of_truth(rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the columns without a meaning of their own whose cells are true or false, or missing."""
    of_truth = []
    for name in _further(_columns(rows)):
        cells = {(row.get(name) or "").strip().lower() for _, row in rows} - MISSING
        if cells and cells <= TRUTH.keys():
            of_truth.append(name)
    return tuple(of_truth)


def _truth_as_numbers(row: Mapping[str, str | None], columns: Iterable[str]) -> Mapping[str, str | None]:
    """Return a row whose answers in some columns are 1 if right, and 0 if wrong."""
    cells = dict(row)
    for name in columns:
        cell = (row.get(name) or "").strip()
        cells[name] = TRUTH.get(cell.lower(), cell)
    return tables.Cells(cells, {name: name_in_file(row, name) for name in cells})


def _are_missing(rows: Sequence[Row], columns: Iterable[str]) -> bool:
    """Return whether all cells of some columns are empty or stand for a missing score."""
    return all((row.get(name) or "").strip().lower() in MISSING for name in columns for _, row in rows)


def score_columns(rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the columns whose name begins with "score", else all unknown ones that contain a number."""
    columns = _columns(rows)
    named = tuple(name for name in columns if name.lower().startswith(SCORE))
    if named:
        return named
    return tuple(name for name in _further(columns) if holds_number(row.get(name) for _, row in rows))


def _columns(rows: Iterable[Row]) -> list[str]:
    """Return the columns of all rows, in the order in which they appear."""
    return list(dict.fromkeys(chain.from_iterable(row for _, row in rows)))


def _further(columns: Iterable[str]) -> list[str]:
    """Return the columns without a meaning of their own, which may be metrics."""
    return [name for name in columns if name and not tables.is_known(name)]


def score_streams(rows: Sequence[Row], file: str, columns: Sequence[str]) -> tuple[Stream, ...]:
    """Return one stream per test set and metric.

    Raises
    ------
    InputError
        If a cell is not a score, or an output has two scores for a segment.
    """
    # By test set and metric (None if not named), then by output, then by segment
    scores_of: dict[tuple[str | None, str | None], dict[Output, dict[str, Score]]] = {}
    for line, row in rows:
        unclear = [name for name in (SPANS, DEVIATION) if row.get(name)]
        if unclear and len(columns) > 1:  # it is unknown which metric they belong to
            message = f"The row has {name_in_file(row, unclear[0])} and scores in {counted(len(columns), 'column')}"
            message += f" ({', '.join(columns)})."
            message += " Use one column score, with a column metric if there are several metrics."
            raise InputError(message, file, line)
        output = (row.get("system") or None, row.get("run") or None)
        test_set = row.get("test_set") or None
        for column in columns:
            text = row.get(column)
            if text is None:
                continue
            of_metric = scores_of.setdefault((test_set, _metric_name(row, column)), {})
            of_output = of_metric.setdefault(output, {})
            with located(file, line):
                score = _score(row, text, line, name_in_file(row, column))
                first_line = _kept(of_output, score)
                if first_line != line:
                    raise _second_score(rows, output, score, first_line)

    has_test_sets = len({test_set for test_set, _ in scores_of}) > 1
    streams = []
    for (test_set, metric), of_metric in scores_of.items():
        label = ""
        if len(scores_of) > 1:
            label = metric or SCORE
        if has_test_sets:
            label = f"{test_set or 'no test set'}: {label}"
        outputs = tuple(_score_column(output, of_output.values()) for output, of_output in of_metric.items())
        streams.append(Stream(label, (), "scores", test_set=test_set, name=metric, scores=outputs))
    return tuple(streams)


def _metric_name(row: Mapping[str, str | None], column: str) -> str | None:
    """Return the metric of a score; None if neither the row nor the column names it, so that the file does."""
    names = [row.get(METRIC)]
    if column != SCORE:
        names.append(column)
    return " ".join(name for name in names if name) or None


def _kept(scores: dict[str, Score], score: Score) -> int:
    """Add a score to those of an output, by segment; return the line of the first one of its segment."""
    segment = f"row {len(scores) + 1}" if score.segment is None else score.segment
    return scores.setdefault(segment, score).line


def _second_score(rows: Sequence[Row], output: Output, score: Score, first_line: int) -> InputError:
    """Return the error about a second score of an output for a segment, without file and line."""
    system, run = output
    owners = []
    if system:
        owners.append(f"system '{system}'")
    if run:
        owners.append(f"run '{run}'")
    place = f"segment '{score.segment}'"
    if owners:
        place += f" of {', '.join(owners)}"
    place += f" (the first is in line {first_line})"
    runs = "" if run else _column_of_runs(rows)
    if not system:
        remedy = "No column is named 'system'. Rename the column that names the systems, or add one."
    elif runs:
        remedy = f"If column '{runs}' names the runs, rename it to 'run'."
    else:
        remedy = "Give each output one score per segment, or add columns metric and run."
    return InputError(f"Second score for {place}. {remedy}")


def _column_of_runs(rows: Sequence[Row]) -> str:
    """Return the name in the file of an unknown column that tells rows of one segment apart; empty if there is none."""
    for name in _further(_columns(rows)):
        values = {row.get(name) for _, row in rows}
        keys = set()
        for _, row in rows:
            keys.add((*(row.get(column) for column in ("test_set", METRIC, "system", "segment")), row.get(name)))
        if len(keys) == len(rows) and 2 * len(values) <= len(rows):
            return name_in_file(rows[0][1], name)
    return ""


def _score(row: Mapping[str, str | None], text: str, line: int, column: str) -> Score:
    """Return the score in a cell of a row, with what else the row states.

    Parameters
    ----------
    column
        Name of the column in the file.
    """
    value = score_of(text, column)
    judgements = row.get(JUDGEMENTS) or "0"
    if not (judgements.isascii() and judgements.isdigit() and len(judgements) <= 9):  # of a number of judgements
        raise InputError(f"'{name_in_file(row, JUDGEMENTS)}' is {cut(judgements)!r}. Expected a whole number.")
    spans = _spans(row.get(SPANS))
    output = row.get("hypothesis")
    if output is not None:
        if spans is not None:
            spans = spans_in_segment(spans, output)
        output = one_segment(output)
    deviation = row.get(DEVIATION)
    deviation_value = None
    if deviation is not None:
        deviation_value = score_of(deviation, name_in_file(row, DEVIATION))
    return Score(
        value,
        int(judgements),
        spans,
        deviation_value,
        output,
        row.get("segment"),
        line,
    )


def _spans(text: str | None) -> Spans | None:
    """Return the errors marked in a row, or None."""
    if not text:
        return None
    try:
        forms = decoded(bounded_json(text), list[SpanForm], None, SPANS)
        return spans_of(forms, None, SPANS)
    except InputError:
        raise
    except ValueError as error:
        expected = "a list of objects with start, end and severity"
        raise InputError(f"The spans are not valid JSON ({error}). Expected {expected}.") from error


def _score_column(output: Output, scores: Collection[Score]) -> ScoreColumn:
    """Return the scores of an output.

    Segments and texts are None unless every row has them; judgements, spans and deviations if no row has them.
    """
    system, run = output
    segments = [score.segment for score in scores if score.segment is not None]
    texts = [score.text for score in scores if score.text is not None]
    judgements = tuple(score.judgements for score in scores)
    spans = tuple(score.spans for score in scores)
    deviations = tuple(score.deviation for score in scores)
    return ScoreColumn(
        system,
        run,
        tuple(score.value for score in scores),
        keys=tuple(segments) if len(segments) == len(scores) else None,
        judgements=judgements if any(judgements) else None,
        spans=None if spans.count(None) == len(spans) else spans,
        deviations=None if deviations.count(None) == len(deviations) else deviations,
        texts=tuple(texts) if len(texts) == len(scores) else None,
    )
