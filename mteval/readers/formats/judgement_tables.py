"""Human judgements of outputs in any supported format, recognised by content.

Tables of judgements (TSV, CSV, JSON lines) have one row per output and annotator with a column per scale. They may
also have one row per scale, with its name in a column ``scale``. WMT's MQM tables have one row per error, its span
between ``<v>`` and ``</v>``.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from mteval.base.errors import InputError
from mteval.base.words import as_before_inert, counted
from mteval.readers.documents import Document, Stream
from mteval.readers.formats.annotation_tools import is_appraise, is_pearmut, read_appraise, read_pearmut
from mteval.readers.formats.score_tables import holds_number, looks_like_ratings, read_seg_ratings, score_of
from mteval.readers.formats.tables import Cells, Row, name_in_file, stem_of, table_form, table_rows
from mteval.readers.formats.text import located, one_segment, split_lines
from mteval.readers.formats.wmt_humeval import is_humeval, read_humeval
from mteval.values.judgements import MQM, Judgement, RatedError, Side, weight_of

JudgedOutputs = tuple[list[Judgement], list[str]]  # with notes about the file


def read_judged_outputs(text: str, file: str, scales: Sequence[str] = ()) -> JudgedOutputs | None:
    """Return the judgements of a file and its notes, or None if it is of another kind.

    Parameters
    ----------
    scales
        Columns of a table to read. Without any, those with usual names, else all that contain numbers.

    Raises
    ------
    InputError
        If something in it cannot be read.
    """
    if looks_like_ratings(text):
        return list(read_seg_ratings(text, file)), []
    if is_table_of_errors(text):
        return read_mqm(text, file), []
    if is_pearmut(text):
        return read_pearmut(text, file)
    if is_humeval(text):
        return read_humeval(text, file)
    form = table_form(text, _holds_judgements)
    if form is not None:
        return read_judgement_table(text, file, form, scales)
    if is_appraise(text):
        return read_appraise(text, file)
    return None


def judged_document(text: str, file: str) -> Document | None:
    """Read the judgements of an uploaded file; return None without annotators, since it may contain metric scores."""
    names_annotators = table_form(text, _has_annotators) is not None or is_table_of_errors(text)
    if not names_annotators and table_form(text, _holds_judgements) is not None:
        return None
    judged_outputs = read_judged_outputs(text, file)
    if judged_outputs is None:
        return None
    judgements, notes = judged_outputs
    stream = Stream("", (), "judgements", judgements=tuple(judgements))
    return Document(file, "judgements", (stream,), tuple(notes))


# MQM tables of WMT

NUMBER = re.compile("[0-9]{1,9}")
OPEN = "<v>"
CLOSE = "</v>"
NO_ERROR = "no-error"
# WMT renamed columns over the years.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "system": ("system",),
    "rater": ("rater",),
    "source": ("source",),
    "target": ("target",),
    "category": ("category",),
    "severity": ("severity",),
    "segment": ("globalSegId", "seg_id", "global_seg_id"),
}


def is_table_of_errors(text: str) -> bool:
    """Whether the first line is the header of an MQM table as WMT publishes them."""
    header = text.partition("\n")[0].rstrip("\r").split("\t")
    return {"category", "severity"} <= set(header)


def read_mqm(text: str, file: str) -> list[Judgement]:
    """Return one judgement per output and rater of an MQM table, with all its errors.

    Raises
    ------
    InputError
        If a column is missing, a row has a wrong number of cells, or a segment is not a number from 1.
    """
    header, *rows = [line.split("\t") for line in split_lines(text)]
    index_of = _mqm_columns(header, file)
    judgement_of: dict[tuple[str, str, int], Judgement] = {}
    for line, cells in enumerate(rows, start=2):
        if cells == [""]:  # an empty line, e.g. the last one
            continue
        if len(cells) != len(header):
            raise InputError(f"{counted(len(cells), 'cell')}, but the header has {len(header)}.", file, line)
        values = {name: cells[index] for name, index in index_of.items()}
        segment = 0
        if NUMBER.fullmatch(values["segment"]):
            segment = int(values["segment"])
        if segment < 1:
            raise InputError(f"The segment is '{values['segment'][:60]}'. Expected a number from 1.", file, line)

        target, span_in_target = marked_span(values["target"])
        _, span_in_source = marked_span(values["source"])
        side: Side = "hypothesis"
        if span_in_source and not span_in_target:
            side = "source"
        start, end = span_in_target or span_in_source or (0, 0)

        system = as_before_inert(values["system"])
        rater = as_before_inert(values["rater"])
        category = as_before_inert(values["category"])
        severity = as_before_inert(values["severity"])
        document = None
        if "document" in values:
            document = as_before_inert(values["document"])

        key = (rater, system, segment)
        if key not in judgement_of:
            judgement_of[key] = Judgement(rater, system, str(segment), MQM, 0.0, document, hypothesis=target)
        if NO_ERROR not in (severity.lower(), category.lower()):
            judgement = judgement_of[key]
            error = RatedError(category, severity, side, start, end)
            judgement_of[key] = replace(judgement, errors=(*judgement.errors, error))

    judgements = []
    for judgement in judgement_of.values():
        value = 0.0 - sum(map(weight_of, judgement.errors))
        judgements.append(replace(judgement, value=value))
    return judgements


def _mqm_columns(header: Sequence[str], file: str) -> dict[str, int]:
    """Return the index of each column under our name; documents may be missing."""
    index_of = {}
    if "doc" in header:
        index_of["document"] = header.index("doc")
    for column, names in COLUMNS.items():
        name = next((name for name in names if name in header), None)
        if name is None:
            expected = "system, doc, docSegId, globalSegId, rater, source, target, category, severity"
            message = f"No column named {' or '.join(names)}. Found: {', '.join(header)[:200]}. Expected: {expected}."
            raise InputError(message, file, 1)
        index_of[column] = header.index(name)
    return index_of


def marked_span(text: str) -> tuple[str, tuple[int, int] | None]:
    """Return the text without the marks, and the span between them, if any."""
    start = text.find(OPEN)
    end = text.find(CLOSE, start + len(OPEN))
    if start < 0 or end < 0:
        return text, None
    inside = text[start + len(OPEN) : end]
    unmarked = text[:start] + inside + text[end + len(CLOSE) :]
    return unmarked, (start, start + len(inside))


# Tables of judgements

SCORE = "score"
SYNONYMS = {
    "rater": "annotator",
    "judge": "annotator",
    "user": "annotator",
    "assessor": "annotator",
    "worker": "annotator",
    "annotator_id": "annotator",
    "login": "annotator",
    "aspect": "scale",
    "criterion": "scale",
    "dimension": "scale",
    "position": "order",
    "place": "order",
    "time": "order",
    "sid": "segment",
    "system_id": "system",
    "raw": SCORE,
}
KEYS = ("annotator", "system", "run", "segment", "document", "order", "scale", "probability", "automatic")
TRUTHS = {"0": False, "1": True, "0.0": False, "1.0": True, "false": False, "true": True}
USUAL_SCALES = frozenset({"adequacy", "fluency", SCORE, "rating", "value", "da", "sqm", "esa", "mqm"})
NO_SCALES = frozenset({"run", "test_set", "source", "hypothesis", "metric"})


def _holds_judgements(columns: Sequence[str]) -> bool:
    """Whether a header has system and segment."""
    return {"system", "segment"} <= set(map(_canonical, columns))


def _has_annotators(columns: Sequence[str]) -> bool:
    """Whether a header has annotators and a scale of human judgements."""
    names = set(map(_canonical, columns))
    return "annotator" in names and bool(names & {*USUAL_SCALES, "scale"})


def _canonical(column: str) -> str:
    """Return our name of a column."""
    plain = column.strip().lower().replace(" ", "_")
    return SYNONYMS.get(plain, plain)


def read_judgement_table(text: str, file: str, form: str, scales: Sequence[str] = ()) -> JudgedOutputs:
    """Return the judgements of a table, and notes about ignored columns.

    Parameters
    ----------
    scales
        Columns to read. Without any, those with usual names (adequacy, fluency, score …), else all that contain
        numbers. A table that names scales in its rows is read whole.

    Raises
    ------
    InputError
        If no column is a scale, a cell is not a number, or a row lacks its system or segment.
    """
    rows: list[Row] = []
    for line, row in table_rows(text, file, form):
        written = {_canonical(name): name_in_file(row, name) for name in row}
        rows.append((line, Cells({_canonical(name): cell for name, cell in row.items()}, written)))
    columns = list(dict.fromkeys(name for _, row in rows for name in row))
    value_columns = _value_columns(columns, rows, scales, file)

    judgements: list[Judgement] = []
    for line, row in rows:
        annotator = row.get("annotator") or stem_of(file)
        with located(file, line):
            judgements += _judgements_of_row(row, value_columns, annotator)

    notes = []
    unread = [name for name in columns if name and name not in KEYS and name not in value_columns]
    if unread:
        notes.append(f"Columns ignored: {', '.join(_names_in_file(rows, unread))}.")
    return judgements, notes


def _names_in_file(rows: Sequence[Row], columns: Sequence[str]) -> list[str]:
    """Return the names of columns in the file, for messages."""
    name_of: dict[str, str] = {}
    for _, row in rows:
        for column in row:
            name_of.setdefault(column, name_in_file(row, column))
    return [name_of[column] for column in columns]


def _value_columns(columns: Sequence[str], rows: Sequence[Row], scales: Sequence[str], file: str) -> list[str]:
    """Return the columns with values of judgements."""
    if "scale" in columns:
        # One row per scale: the values are in one column, whatever the scales are.
        for name in (SCORE, "value"):
            if name in columns:
                return [name]
        return _value_columns([name for name in columns if name != "scale"], rows, (), file)

    wanted = list(map(_canonical, scales))
    lacking = [name for name in wanted if name not in columns]
    if lacking:
        present = ", ".join(_names_in_file(rows, columns))
        raise InputError(f"No column named '{scales[wanted.index(lacking[0])]}'. Found: {present}.", file, 1)
    if wanted:
        return wanted
    candidates = [name for name in columns if name not in KEYS and name not in NO_SCALES]
    usual = [name for name in candidates if name in USUAL_SCALES]
    if usual:
        return usual
    if not rows:
        raise InputError(
            "The table has no judgements, only a head. Export it again when something was judged.", file, 1
        )
    with_numbers = [name for name in candidates if holds_number(row.get(name) for _, row in rows)]
    if not with_numbers:
        present = ", ".join(_names_in_file(rows, columns))
        message = f"No column of judgements. Found: {present}. Expected system, segment, annotator and one"
        raise InputError(f"{message} column per scale (adequacy, fluency, score …).", file, 1)
    return with_numbers


def _judgements_of_row(
    row: Mapping[str, str | None], value_columns: Sequence[str], annotator: str
) -> Iterator[Judgement]:
    """Yield one judgement per column that has a value in the row."""
    system = row.get("system")
    segment = row.get("segment")
    if not system or not segment:
        names = " or no ".join(name_in_file(row, name) for name in ("system", "segment"))
        raise InputError(f"The row has no {names}. Every row needs both.")
    output = row.get("hypothesis")
    order = score_of(row.get("order") or "", name_in_file(row, "order"))
    probability = score_of(row.get("probability") or "", name_in_file(row, "probability"))
    if probability is not None and not 0 < probability <= 1:
        raise InputError(f"The probability is {probability:g}. Expected a number above 0, at most 1.")
    automatic = (row.get("automatic") or "0").strip().lower()
    if automatic not in TRUTHS:
        raise InputError(f"Automatic is '{automatic[:60]}'. Expected 0 or 1.")
    for column in value_columns:
        value = score_of(row.get(column) or "", name_in_file(row, column))
        if value is None:
            continue
        yield Judgement(
            annotator,
            system,
            segment,
            scale=row.get("scale") or column,
            value=value,
            document=row.get("document") or None,
            order=order,
            hypothesis=None if output is None else one_segment(output),
            run=row.get("run") or "",
            probability=probability,
            is_automatic=TRUTHS[automatic],
        )
