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
from mteval.readers.formats.tables import Row, stem_of, table_form, table_rows
from mteval.readers.formats.text import located, split_lines
from mteval.values.judgements import MQM, Judgement, RatedError, Side, weight_of

JudgedOutputs = tuple[list[Judgement], list[str]]  # with notes about the file
NUMBER = re.compile("[0-9]{1,9}")
OPEN, CLOSE = "<v>", "</v>"
NO_ERROR = "no-error"
# WMT renamed columns over the years.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    **{name: (name,) for name in ("system", "rater", "source", "target", "category", "severity")},
    "segment": ("globalSegId", "seg_id", "global_seg_id"),
}


def read_mqm(text: str, file: str) -> list[Judgement]:
    """Return one judgement per output and rater of an MQM table, with all its errors.

    Raises
    ------
    InputError
        If a column is missing, a row has a wrong number of cells, or a segment is not a number from 1.
    """
    head, *lines = (line.split("\t") for line in split_lines(text))
    indices = {"document": head.index("doc")} if "doc" in head else {}
    for name, names in COLUMNS.items():
        if not (found := [head.index(one) for one in names if one in head]):
            expected = "system, doc, docSegId, globalSegId, rater, source, target, category, severity"
            message = f"No column named {' or '.join(names)}. Found: {', '.join(head)[:200]}. Expected: {expected}."
            raise InputError(message, file, 1)
        indices[name] = found[0]
    judgements: dict[tuple[str, str, int], Judgement] = {}
    for number, cells in enumerate(lines, start=2):
        if len(cells) != len(head):
            raise InputError(f"{counted(len(cells), 'cell')}, but the header has {len(head)}.", file, number)
        values = {name: cells[index] for name, index in indices.items()}
        segment = int(values["segment"]) if NUMBER.fullmatch(values["segment"]) else 0
        if segment < 1:
            raise InputError(f"The segment is '{values['segment'][:60]}'. Expected a number from 1.", file, number)
        in_source = marked_span(values["source"])[1]
        target, in_target = marked_span(values["target"])
        system, rater, category, severity = (
            as_before_inert(values[name]) for name in ("system", "rater", "category", "severity")
        )
        document = values.get("document")
        document = None if document is None else as_before_inert(document)
        side: Side = "source" if in_source and not in_target else "hypothesis"
        error = RatedError(category, severity, side, *(in_target or in_source or (0, 0)))
        judged = Judgement(rater, system, str(segment), MQM, 0.0, document, hypothesis=target)
        one = judgements.setdefault((rater, system, segment), judged)
        if NO_ERROR not in (severity.lower(), category.lower()):
            judgements[rater, system, segment] = replace(one, errors=(*one.errors, error))
    return [replace(one, value=0.0 - sum(map(weight_of, one.errors))) for one in judgements.values()]


def marked_span(text: str) -> tuple[str, tuple[int, int] | None]:
    """Return the text without the marks, and the span between them, if any."""
    start = text.find(OPEN)
    end = text.find(CLOSE, start + len(OPEN))
    if start < 0 or end < 0:
        return text, None
    inside = text[start + len(OPEN) : end]
    return text[:start] + inside + text[end + len(CLOSE) :], (start, start + len(inside))


SCORE = "score"
SYNONYMS = {
    **dict.fromkeys(("rater", "judge", "user", "assessor", "worker", "annotator_id", "login"), "annotator"),
    **dict.fromkeys(("aspect", "criterion", "dimension"), "scale"),
    **dict.fromkeys(("position", "place", "time"), "order"),
    **{"sid": "segment", "system_id": "system", "raw": SCORE},
}
KEYS = ("annotator", "system", "run", "segment", "document", "order", "scale", "probability")
USUAL_SCALES = frozenset({"adequacy", "fluency", SCORE, "rating", "value", "da", "sqm", "esa", "mqm"})
NO_SCALES = frozenset({"run", "test_set", "source", "hypothesis", "metric"})


def _holds_judgements(columns: Sequence[str]) -> bool:
    """Whether a header has system and segment."""
    return {"system", "segment"} <= set(map(_named, columns))


def _has_annotators(columns: Sequence[str]) -> bool:
    """Whether a header has annotators and a scale of human judgements."""
    names = set(map(_named, columns))
    return "annotator" in names and bool(names & {*USUAL_SCALES, "scale"})


def read_judgement_table(text: str, file: str, form: str, scales: Sequence[str] = ()) -> JudgedOutputs:
    """Return the judgements of a table, and notes about ignored columns.

    Parameters
    ----------
    scales
        Columns to read. Without any, those with usual names (adequacy, fluency, score …), else all that contain
        numbers.

    Raises
    ------
    InputError
        If no column is a scale, a cell is not a number, or a row lacks its system or segment.
    """
    read = table_rows(text, file, form)
    rows = [(line, {_named(name): cell for name, cell in row.items()}) for line, row in read]
    columns = list(dict.fromkeys(name for _, row in rows for name in row))
    chosen, found = _scales(columns, rows, scales, file), list[Judgement]()
    for line, row in rows:
        with located(file, line):
            found += _judgements(row, chosen, row.get("annotator") or stem_of(file))
    if scales and "scale" in columns:
        found = [one for one in found if one.scale in scales]
    unread = [name for name in columns if name not in KEYS and name not in chosen]
    return found, [f"Columns ignored: {', '.join(unread)}."] if unread else []


def _named(column: str) -> str:
    plain = column.strip().lower().replace(" ", "_")
    return SYNONYMS.get(plain, plain)


def _scales(columns: Sequence[str], rows: Sequence[Row], wanted: Sequence[str], file: str) -> list[str]:
    """Return the columns with judgements."""
    if "scale" in columns:
        values = [name for name in (SCORE, "value") if name in columns][:1]
        return values or _scales([name for name in columns if name != "scale"], rows, (), file)
    names = list(map(_named, wanted))
    if lacking := [name for name in names if name not in columns]:
        raise InputError(f"No column named '{lacking[0]}'. Found: {', '.join(columns)}.", file, 1)
    further = [name for name in columns if name not in KEYS and name not in NO_SCALES]
    usual = [name for name in further if name in USUAL_SCALES]
    if not (found := names or usual or [name for name in further if holds_number(row.get(name) for _, row in rows)]):
        message = f"No column of judgements. Found: {', '.join(columns)}. Expected system, segment, annotator and one"
        raise InputError(f"{message} column per scale (adequacy, fluency, score …).", file, 1)
    return found


def _judgements(row: Mapping[str, str | None], columns: Sequence[str], annotator: str) -> Iterator[Judgement]:
    system, segment = row.get("system"), row.get("segment")
    if not system or not segment:
        raise InputError("The row has no system or no segment. Every row needs both.")
    document, order, hypothesis = row.get("document") or None, score_of(row.get("order") or ""), row.get("hypothesis")
    probability = score_of(row.get("probability") or "")
    if probability is not None and not 0 < probability <= 1:
        raise InputError(f"The probability is {probability:g}. Expected a number above 0, at most 1.")
    for column in columns:
        scale, value = row.get("scale") or column, score_of(row.get(column) or "")
        if value is not None:
            about, run = (annotator, system, segment, scale, value, document, order), row.get("run") or ""
            yield Judgement(*about, (), hypothesis, run, probability)


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
    if (form := table_form(text, _holds_judgements)) is not None:
        return read_judgement_table(text, file, form, scales)
    return read_appraise(text, file) if is_appraise(text) else None


def judged_document(text: str, file: str) -> Document | None:
    """Read the judgements of an uploaded file; return None without annotators, since it may contain metric scores."""
    names_annotators = table_form(text, _has_annotators) is not None or is_table_of_errors(text)
    is_read = names_annotators or table_form(text, _holds_judgements) is None
    found = read_judged_outputs(text, file) if is_read else None
    if found is None:
        return None
    judgements, notes = found
    return Document(file, "judgements", (Stream("", (), "judgements", judgements=tuple(judgements)),), tuple(notes))


def is_table_of_errors(text: str) -> bool:
    """Whether the first line is the header of an MQM table as WMT publishes them."""
    return {"category", "severity"} <= set(text.partition("\n")[0].rstrip("\r").split("\t"))
