"""Scores as Appraise exports them, without a header: direct assessment, alone, in pairs or in documents; ESA; MQM.

Columns: annotator, system, item, kind of item, source and target language, score; of documents the document and
whether the score is of all of it; of spans these, as JSON; of pairs perhaps remarks; start and end of the work; perhaps
the batch and the item's number there. Spans are counted in UTF-16 units of a text that is not in the file, and end with
their last one; ``missing`` is the place of what is not there. Where errors have a kind, the campaign is one of MQM,
whose score is that of the errors.

With documents Appraise counts items anew in every task, so that the same number stands for different segments; segments
are therefore counted within the document that one annotator read in the output of one system. Without them an item is
called by its number.

Judgements as Pearmut logs them: a line of JSON for each document that an annotator sent, or all lines in one object.

An entry has ``user_id``, ``item_i``, the segments (``item``) and for each of these what was said of every model
(``annotation``): a score, or sliders with names. Spans are counted in UTF-16 units without line breaks, and end with
their last one; one that lies after the text stands for words that are missing. What is sent again takes the place of
what was sent before; a mark of a reset takes it away.
"""

import csv
import io
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from mteval.base.bounded_input import bounded_json
from mteval.base.characters import characters, starts
from mteval.base.errors import InputError
from mteval.base.words import counted
from mteval.readers.formats.segment_scores import error_of, holds_number, score_of
from mteval.readers.formats.text import split_lines
from mteval.values.judgements import MQM, OMISSION, Judgement, RatedError, weight_of

SHORTEST, LONGEST = 9, 14  # cells of a row
KINDS = ("TGT", "BAD", "REF", "CHK")
TRANSLATION = "TGT"  # the others are there to control the annotator
WHOLE = ("true", "false")
SCALE = "score"
MISSING = "missing"
REMEDY = "Export the campaign again."
LONGEST_NUMBER = 18  # digits
_Cells = tuple[int, list[str]]


@dataclass(frozen=True)
class _Row:
    """A row; ``document`` is empty where items are no parts of documents, ``spans`` where none are told."""

    line: int
    annotator: str
    system: str
    item: str
    kind: str
    score: str
    document: str
    is_whole: bool
    spans: str
    started: str


def is_appraise(text: str) -> bool:
    """Whether the first line is one of such an export."""
    try:
        first = next(csv.reader(io.StringIO(text[: text.find("\n") + 1 or len(text)])), [])
    except csv.Error:
        return False
    return SHORTEST <= len(first) <= LONGEST and first[3] in KINDS


def read_appraise(text: str, file: str) -> tuple[list[Judgement], list[str]]:
    """The judgements of translations, and remarks on the rows that are not among them.

    Raises
    ------
    InputError
        Where a row has another number of cells, or its score is no number.
    """
    rows = [_row(line, cells) for line, cells in _cells(text, file)]
    chosen = [row for row in rows if row.kind == TRANSLATION and not row.is_whole]
    n_whole = sum(row.is_whole for row in rows)
    n_control = len(rows) - len(chosen) - n_whole
    notes = [f"Left out: {counted(n_control, 'row')} of quality control."] if n_control else []
    notes += [f"Left out: {counted(n_whole, 'row')} that score whole documents."] if n_whole else []
    errors = [_spans(row, file) for row in chosen]
    is_mqm = any(error.category not in ("", OMISSION) for found in errors for error in found)
    segments = _segments(chosen)
    return [_judgement(*one, is_mqm, file) for one in zip(chosen, segments, errors, strict=True)], notes


def _cells(text: str, file: str) -> Iterator[_Cells]:
    reader = csv.reader(io.StringIO(text, newline=""))
    width = 0
    try:
        for cells in filter(None, reader):
            width = width or len(cells)
            if len(cells) != width:
                message = f"The row has {counted(len(cells), 'cell')}; those before it have {width}."
                raise InputError(f"{message} {REMEDY}", file, reader.line_num)
            yield reader.line_num, cells
    except csv.Error as error:
        raise InputError(f"The row is not valid CSV ({error}). {REMEDY}", file, reader.line_num) from error


def _row(line: int, cells: Sequence[str]) -> _Row:
    rest = list(cells[7:])
    document, whole = (rest.pop(0), rest.pop(0)) if rest[1].lower() in WHOLE else ("", "")
    spans = rest.pop(0) if document and rest and not holds_number(rest[:1]) else ""
    started = next((cell for cell in rest if holds_number([cell])), "")
    annotator, system, item, kind = cells[:4]
    is_whole = whole.lower() == WHOLE[0]
    return _Row(line, annotator, system, item, kind, cells[6], document, is_whole, spans, started)


def _segments(rows: Sequence[_Row]) -> list[str]:
    """What each row's segment is called: by its place in its document, from 1, else by the number of the item."""
    items: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for row in rows:
        items[row.annotator, row.system, row.document].add(row.item)
    order = {key: {item: n for n, item in enumerate(sorted(found, key=_number), 1)} for key, found in items.items()}
    return [
        f"{_document(row)}:{order[row.annotator, row.system, row.document][row.item]}" if row.document else row.item
        for row in rows
    ]


def _document(row: _Row) -> str | None:
    """The name of the document, without what tells its parts and copies apart."""
    return row.document.partition("#")[0] or None


def _number(item: str) -> tuple[int, str]:
    return (int(item), "") if item.isdecimal() and len(item) <= LONGEST_NUMBER else (0, item)


def _judgement(row: _Row, segment: str, errors: tuple[RatedError, ...], is_mqm: bool, file: str) -> Judgement:
    value = score_of(row.score, file, row.line)
    if value is None:
        raise InputError("The row has no score; expected a number in its seventh cell.", file, row.line)
    scale, value = (MQM, 0.0 - sum(map(weight_of, errors))) if is_mqm else (SCALE, value)
    started = score_of(row.started, file, row.line)
    return Judgement(row.annotator, row.system, segment, scale, value, _document(row), started, errors)


def _spans(row: _Row, file: str) -> tuple[RatedError, ...]:
    if not row.spans:
        return ()
    try:
        found = bounded_json(row.spans)
    except ValueError:
        found = None
    if not isinstance(found, list):
        raise InputError(f"The spans are {row.spans[:60]!r}; expected a JSON list.", file, row.line)
    errors = (error_of(_plain(one), file, row.line) for one in found)
    return tuple(replace(error, in_units=bool(error.end)) for error in errors)


def _plain(span: Any) -> Any:
    """A span as WMT's ratings have it: its end after the last unit, the parts of its kind in one word."""
    if not isinstance(span, Mapping):
        return span
    start, end, kind = span.get("start_i"), span.get("end_i"), span.get("error_type")
    category = "/".join(map(str, kind)) if isinstance(kind, list) else kind
    if start == MISSING:
        return {**span, "category": category or OMISSION}
    return {**span, "category": category, "start": start, "end": end + 1 if isinstance(end, int) else end}


PEARMUT_SCALE = "score"
KEYS = ("annotation", "user_id", "item_i")
ASIDE = ("welcome_", "random_", "goodbye_")  # numbers of what is no part of the campaign proper
RESET = "__RESET__"
PEARMUT_REMEDY = "Download the annotations again."
HEAD = 1 << 16  # characters in which the first entry is looked for
SHOWN = 60
UNCOUNTED = "\n"  # in spans
_Entry = tuple[int, Mapping[str, Any]]


def is_pearmut(text: str) -> bool:
    """Whether it begins as such a log does."""
    head = text[:HEAD]
    return head.lstrip().startswith("{") and all(f'"{key}"' in head for key in KEYS)


def read_pearmut(text: str, file: str) -> tuple[list[Judgement], list[str]]:
    """The judgements of outputs, and remarks on what is not among them.

    A segment is called by its ``item_id``, its document by that of the document's first segment.

    Raises
    ------
    InputError
        Where an entry lacks something, or a score is no number.
    """
    last: dict[tuple[str, str], _Entry] = {}
    for number, entry in _entries(text, file):
        if any(key not in entry for key in KEYS):
            raise InputError(
                f"An entry lacks {', '.join(key for key in KEYS if key not in entry)}. {PEARMUT_REMEDY}", file, number
            )
        place = (str(entry["user_id"]), str(entry["item_i"]))
        last.pop(place, None)
        if entry["annotation"] != RESET:
            last[place] = number, entry
    own = {place: entry for place, entry in last.items() if not place[1].startswith(ASIDE)}
    found: list[Judgement | None] = []
    for order, (number, entry) in enumerate(own.values()):
        try:
            found += _said(entry, order, file, number)
        except (AttributeError, KeyError, TypeError) as error:
            raise InputError(
                f"An entry is not as Pearmut writes it ({error!r}). {PEARMUT_REMEDY}", file, number
            ) from error
    judgements = [judgement for judgement in found if judgement is not None]
    notes = [(len(last) - len(own), "document", "of practice or quality control")]
    notes += [(len(found) - len(judgements), "output", "whose answer is known, or without a score")]
    return judgements, [f"Left out: {counted(count, noun)} {what}." for count, noun, what in notes if count]


def _entries(text: str, file: str) -> Iterator[_Entry]:
    """The entries with the lines that they stand in, which is 1 for all where they are in one object."""
    lines = [(number, line) for number, line in enumerate(split_lines(text), start=1) if line.strip()]
    if len(lines) > 1 and lines[0][1].rstrip().endswith("}"):
        yield from ((number, _object(line, file, number)) for number, line in lines)
        return
    whole = _object(text, file, 1)
    campaigns = [[whole]] if "annotation" in whole else whole.values()
    for entries in campaigns:
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise InputError(
                f"A campaign is {str(entries)[:SHOWN]!r}; expected a list of entries. {PEARMUT_REMEDY}", file, 1
            )
        yield from ((1, entry) for entry in entries)


def _object(text: str, file: str, number: int) -> dict[str, Any]:
    try:
        value = bounded_json(text)
    except ValueError as error:
        raise InputError(f"The entry is no valid JSON ({error}). {PEARMUT_REMEDY}", file, number) from error
    if not isinstance(value, dict):
        raise InputError(f"The entry is {text[:SHOWN]!r}; expected an object. {PEARMUT_REMEDY}", file, number)
    return value


def _said(entry: Mapping[str, Any], order: int, file: str, number: int) -> Iterator[Judgement | None]:
    """One a model and segment; None where the answer is known or no score was given."""
    items, answers = entry.get("item"), entry["annotation"]
    if not _are_objects(items) or not isinstance(answers, list) or len(items) != len(answers):
        raise InputError(f"An entry has no segments, or not an answer to each. {PEARMUT_REMEDY}", file, number)
    names = [str(item.get("item_id") or item.get("src") or f"{entry['item_i']}:{n}") for n, item in enumerate(items, 1)]
    for item, name, answer in zip(items, names, answers, strict=True):
        for model, said in (answer or {}).items():
            given = {PEARMUT_SCALE: said.get("score")} | {
                name.lower(): at for name, at in (said.get("sliders") or {}).items()
            }
            scores = {scale: score for scale, score in given.items() if score is not None}
            if item.get("validation") or not scores:
                yield None
                continue
            text = str(item["tgt"][model])
            errors = tuple(_errors(said.get("error_spans") or (), text, file, number))
            for scale, score in scores.items():
                value = _score(score, file, number)
                yield Judgement(str(entry["user_id"]), model, name, scale, value, names[0], float(order), errors, text)


def _are_objects(items: object) -> TypeGuard[list[dict[str, Any]]]:
    return isinstance(items, list) and all(isinstance(item, dict) for item in items)


def _score(value: object, file: str, number: int) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"A score is {str(value)[:SHOWN]!r}; expected a number. {PEARMUT_REMEDY}", file, number)
    return float(value)


def _errors(spans: Sequence[Mapping[str, Any]], text: str, file: str, number: int) -> Iterator[RatedError]:
    counted_units = starts(text, UNCOUNTED)
    for span in spans:
        start, end, severity = span.get("start_i"), span.get("end_i"), span.get("severity")
        if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start <= end:
            raise InputError(
                f"A span goes from {start!r} to {end!r}; expected two places. {PEARMUT_REMEDY}", file, number
            )
        is_missing = start >= counted_units[-1]
        category = str(span.get("category") or (OMISSION if is_missing else ""))
        place = (0, 0) if is_missing else characters(counted_units, start, end)
        yield RatedError(category, str(severity or "neutral").lower(), "hypothesis", *place)
