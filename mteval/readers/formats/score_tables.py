"""Tables of scores: rows (system, run, segment, score) to one stream a metric and test set.

Several metrics stand in rows, told apart by a column ``metric``, or in columns of their own.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mteval.base.bounded_input import bounded_json, decoded
from mteval.base.errors import InputError
from mteval.base.words import counted
from mteval.readers.documents import Document, ScoreColumn, Stream
from mteval.readers.formats.segment_scores import holds_number, score_of
from mteval.readers.formats.tables import SCORE_COLUMNS, SPANS, Row, holds_outputs, is_known
from mteval.values.judgements import SpanForm, Spans, spans_of

SCORE = "score"
JUDGEMENTS, DEVIATION = "judgements", "deviation"
MOST_DIGITS = 9  # of a number of judgements
Output = tuple[str | None, str | None]  # system and run
StreamName = tuple[str | None, str | None]  # test set and metric


class Score(NamedTuple):
    """A score with what else its row says of it, and the line of that."""

    value: float | None
    judgements: int
    spans: Spans | None
    deviation: float | None
    text: str | None
    line: int


@dataclass
class Cells:
    """The scores of one output by segment, while the rows are read."""

    scores: dict[str, Score] = field(default_factory=dict)
    has_segments: bool = True

    def column(self, output: Output) -> ScoreColumn:
        """What has been read."""
        listed = tuple(self.scores.values())
        deviations = tuple(score.deviation for score in listed)
        texts = tuple(score.text for score in listed if score.text is not None)
        return ScoreColumn(
            *output,
            tuple(score.value for score in listed),
            tuple(self.scores) if self.has_segments else None,
            tuple(score.judgements for score in listed) if any(score.judgements for score in listed) else None,
            tuple(score.spans for score in listed) if any(score.spans is not None for score in listed) else None,
            deviations if any(deviation is not None for deviation in deviations) else None,
            texts if len(texts) == len(listed) else None,
        )


def holds_scores(columns: Sequence[str]) -> bool:
    """Whether a header is that of a table of scores alone: scores, or systems with segments and further columns."""
    if holds_outputs(columns) or not {"system", "run", "segment"} & set(columns):
        return False
    return SCORE in columns or ({"system", "segment"} <= set(columns) and bool(_further(columns)))


def read_score_table(rows: Iterable[Row], file: str) -> Document:
    """The streams of a table of scores.

    Raises
    ------
    InputError
        Where no column has a number, a cell is no score, or an output has two scores of one segment.
    """
    listed = list(rows)
    columns = score_columns(listed)
    if not columns:
        further = ", ".join(_further(_columns(listed))) or "none"
        raise InputError(
            f"No column holds scores; there are, beside those with names: {further}. Expected a column score, or one"
            " for each metric.",
            file,
        )
    known = {*columns, *SCORE_COLUMNS, "system", "run", "segment", "test_set"}
    unread = [name for name in _columns(listed) if name not in known]
    notes = (f"Columns that are not read: {', '.join(unread)}.",) if unread else ()
    return Document(file, "table", score_streams(listed, file, columns), notes)


def score_columns(rows: Sequence[Row]) -> tuple[str, ...]:
    """The columns with scores: those whose name begins so, else all further ones in which a number stands."""
    columns = _columns(rows)
    named = tuple(name for name in columns if name.lower().startswith(SCORE))
    if named:
        return named
    return tuple(name for name in _further(columns) if holds_number(row.get(name) for _, row in rows))


def score_streams(rows: Iterable[Row], file: str, columns: Sequence[str]) -> tuple[Stream, ...]:
    """One stream for each test set and metric."""
    tables: dict[StreamName, dict[Output, Cells]] = {}
    line = None
    try:
        for line, row in rows:
            shared = [name for name in (SPANS, DEVIATION) if row.get(name)]
            if shared and len(columns) > 1:  # it is not said which of the metrics they are of
                raise InputError(
                    f"The row has {shared[0]} and scores in {counted(len(columns), 'column')} ({', '.join(columns)});"
                    " expected one column score, and a column metric where there are several metrics."
                )
            output = row.get("system") or None, row.get("run") or None
            for column in columns:
                text = row.get(column)
                if text is not None:  # named after the file where neither column nor row name the metric
                    name = " ".join(filter(None, (row.get("metric"), None if column == SCORE else column))) or None
                    outputs = tables.setdefault((row.get("test_set") or None, name), {})
                    _keep(outputs.setdefault(output, Cells()), row.get("segment"), _score(row, text, line), output)
    except InputError as error:
        raise error.at(file, line) from error
    has_test_sets = len({test_set for test_set, _ in tables}) > 1
    streams = []
    for (test_set, metric), outputs in tables.items():
        label = (metric or SCORE) if len(tables) > 1 else ""
        label = f"{test_set or 'no test set'}: {label}" if has_test_sets else label
        scores = tuple(cells.column(output) for output, cells in outputs.items())
        streams.append(Stream(label, (), "scores", test_set=test_set, name=metric, scores=scores))
    return tuple(streams)


def _columns(rows: Iterable[Row]) -> list[str]:
    return list(dict.fromkeys(name for _, row in rows for name in row))


def _further(columns: Iterable[str]) -> list[str]:
    return [name for name in columns if name and not is_known(name) and name not in SCORE_COLUMNS]


def _keep(cells: Cells, segment: str | None, score: Score, output: Output) -> None:
    if segment is None:
        cells.has_segments = False
        segment = f"row {len(cells.scores) + 1}"
    first = cells.scores.setdefault(segment, score).line
    if first != score.line:
        owner = ", ".join(f"{kind} '{name}'" for kind, name in zip(("system", "run"), output, strict=True) if name)
        raise InputError(
            f"A second score for segment '{segment}'{' of ' if owner else ''}{owner}; the first is in line {first}."
            " Give each output one score a segment, or tell metrics and runs apart by columns metric and run."
        )


def _score(row: Mapping[str, str | None], text: str, line: int) -> Score:
    value, deviation = score_of(text), row.get(DEVIATION)
    judgements = row.get(JUDGEMENTS) or "0"
    if not (judgements.isascii() and judgements.isdigit() and len(judgements) <= MOST_DIGITS):
        raise InputError(f"Judgements '{judgements}'; expected how many a score is the mean of, a whole number.")
    spans = _spans(row.get(SPANS))
    deviation_value = None if deviation is None else score_of(deviation)
    return Score(value, int(judgements), spans, deviation_value, row.get("hypothesis"), line)


def _spans(text: str | None) -> Spans | None:
    """The errors that a row marks; None where nothing is said of them."""
    try:
        return spans_of(decoded(bounded_json(text), list[SpanForm], None, SPANS), None, SPANS) if text else None
    except ValueError as error:
        raise InputError(
            f"The spans are no JSON ({error}); expected a list of objects with start, end and severity."
        ) from error
