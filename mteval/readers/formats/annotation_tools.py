"""What the tools of annotators export: scores of Appraise, judgements that Pearmut logs.

Appraise exports direct assessment (alone, in pairs or in documents), ESA and MQM without a header. Columns: annotator,
system, item, kind of item, source and target language, score; of documents the document and whether the score is of all
of it; of spans these, as JSON; of pairs perhaps remarks; start and end of the work; perhaps the batch and the item's
number there. Spans are counted in UTF-16 units of a text that is not in the file, and end with their last one;
``missing`` is the place of what is not there. Where errors have a kind, the campaign is one of MQM, whose score is that
of the errors.

With documents Appraise counts items anew in every task, so that the same number stands for different segments; segments
are therefore counted within the document that one annotator read in the output of one system. Without them an item is
called by its number.

Pearmut logs a line of JSON for each document that an annotator sent, or all lines in one object. An entry has
``user_id``, ``item_i``, the segments (``item``) and for each of these what was said of every model (``annotation``): a
score, or sliders with names. Spans are counted in UTF-16 units without line breaks, and end with their last one; one
that lies after the text stands for words that are missing. What is sent again takes the place of what was sent before;
a mark of a reset takes it away.
"""

import csv
import io
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from msgspec import Struct

from mteval.base.bounded_input import Finite, bounded_json, decoded
from mteval.base.characters import characters, starts
from mteval.base.errors import InputError
from mteval.base.words import counted
from mteval.readers.formats.score_tables import error_of, holds_number, score_of
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


@dataclass(frozen=True)
class _Row:
    """A row; ``document`` is empty where items are no parts of documents, of what is not read score and errors."""

    line: int
    annotator: str
    system: str
    item: str
    kind: str
    score: float | None
    document: str
    is_whole: bool
    errors: tuple[RatedError, ...]
    started: float | None

    @property
    def document_name(self) -> str | None:
        """The name of the document, without what tells its parts and copies apart."""
        return self.document.partition("#")[0] or None


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
    rows = list(_rows(text, file))
    chosen = [row for row in rows if row.kind == TRANSLATION and not row.is_whole]
    n_whole = sum(row.is_whole for row in rows)
    n_control = len(rows) - len(chosen) - n_whole
    notes = [f"Left out: {counted(n_control, 'row')} of quality control."] if n_control else []
    notes += [f"Left out: {counted(n_whole, 'row')} that score whole documents."] if n_whole else []
    is_mqm = any(error.category not in ("", OMISSION) for row in chosen for error in row.errors)
    judgements = []
    for row, segment in zip(chosen, _segments(chosen), strict=True):
        if row.score is None:
            raise InputError("The row has no score; expected a number in its seventh cell.", file, row.line)
        scale, value = (MQM, 0.0 - sum(map(weight_of, row.errors))) if is_mqm else (SCALE, row.score)
        about = row.annotator, row.system, segment, scale, value, row.document_name, row.started
        judgements.append(Judgement(*about, row.errors))
    return judgements, notes


def _rows(text: str, file: str) -> Iterator[_Row]:
    reader = csv.reader(io.StringIO(text, newline=""))
    width = 0
    try:
        for cells in filter(None, reader):
            width = width or len(cells)
            if len(cells) != width:
                message = f"The row has {counted(len(cells), 'cell')}; those before it have {width}."
                raise InputError(f"{message} {REMEDY}")
            yield _row(reader.line_num, cells)
    except InputError as error:
        raise error.at(file, reader.line_num) from error
    except csv.Error as error:
        raise InputError(f"The row is not valid CSV ({error}). {REMEDY}", file, reader.line_num) from error


def _row(line: int, cells: Sequence[str]) -> _Row:
    rest = list(cells[7:])
    document, whole = (rest.pop(0), rest.pop(0)) if rest[1].lower() in WHOLE else ("", "")
    spans = rest.pop(0) if document and rest and not holds_number(rest[:1]) else ""
    started = next((cell for cell in rest if holds_number([cell])), "")
    annotator, system, item, kind = cells[:4]
    is_read = kind == TRANSLATION and whole.lower() != WHOLE[0]
    return _Row(
        *(line, annotator, system, item, kind, score_of(cells[6]) if is_read else None, document),
        *(whole.lower() == WHOLE[0], _spans(spans) if is_read else (), score_of(started)),
    )


def _segments(rows: Sequence[_Row]) -> list[str]:
    """What each row's segment is called: by its place in its document, from 1, else by the number of the item."""
    items: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for row in rows:
        items[row.annotator, row.system, row.document].add(row.item)

    def number(item: str) -> tuple[int, str]:
        return (int(item), "") if item.isdecimal() and len(item) <= LONGEST_NUMBER else (0, item)

    order = {key: {item: n for n, item in enumerate(sorted(found, key=number), 1)} for key, found in items.items()}
    return [
        f"{row.document_name}:{order[row.annotator, row.system, row.document][row.item]}" if row.document else row.item
        for row in rows
    ]


def _spans(cell: str) -> tuple[RatedError, ...]:
    try:
        found = bounded_json(cell or "[]")
    except ValueError:
        found = None
    if not isinstance(found, list):
        raise InputError(f"The spans are {cell[:60]!r}; expected a JSON list.")
    errors = (error_of(_plain(one)) for one in found)
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


KEYS = ("annotation", "user_id", "item_i")
ASIDE = ("welcome_", "random_", "goodbye_")  # numbers of what is no part of the campaign proper
RESET = "__RESET__"
AGAIN = "Download the annotations again."
HEAD = 1 << 16  # characters in which the first entry is looked for
SHOWN = 60
UNCOUNTED = "\n"  # in spans


class _Span(Struct):
    start_i: int
    end_i: int
    category: Any = None
    severity: Any = None


class _Said(Struct):
    """What was said of the output of one model."""

    score: Finite | None = None
    sliders: dict[str, Finite | None] | None = None
    error_spans: list[_Span] | None = None


class _Item(Struct):
    tgt: dict[str, Any] = {}
    item_id: Any = None
    src: Any = None
    validation: Any = None


class _Entry(Struct):
    user_id: Any
    item_i: Any
    item: list[_Item]
    annotation: list[dict[str, _Said] | None]


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
    last: dict[tuple[str, str], tuple[int, dict[str, Any]]] = {}
    found: list[Judgement | None] = []
    number = 1
    try:
        for number, entry in _entries(text):
            if lacking := [key for key in KEYS if key not in entry]:
                raise InputError(f"An entry lacks {', '.join(lacking)}.")
            place = (str(entry["user_id"]), str(entry["item_i"]))
            last.pop(place, None)
            if entry["annotation"] != RESET:
                last[place] = number, entry
        own = [entry for place, entry in last.items() if not place[1].startswith(ASIDE)]
        for order, (line, entry) in enumerate(own):
            number = line
            found += _said(decoded(entry, _Entry, None), order)
    except InputError as error:
        raise InputError(f"{error.message} {AGAIN}", file, number) from error
    judgements = [judgement for judgement in found if judgement is not None]
    notes = [(len(last) - len(own), "document", "of practice or quality control")]
    notes += [(len(found) - len(judgements), "output", "whose answer is known, or without a score")]
    return judgements, [f"Left out: {counted(count, noun)} {what}." for count, noun, what in notes if count]


def _entries(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The entries with the lines that they stand in, which is 1 for all where they are in one object."""
    lines = [(number, line) for number, line in enumerate(split_lines(text), start=1) if line.strip()]
    if len(lines) > 1 and lines[0][1].rstrip().endswith("}"):
        yield from ((number, _object(line)) for number, line in lines)
        return
    whole = _object(text)
    campaigns = [[whole]] if "annotation" in whole else whole.values()
    for entries in campaigns:
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise InputError(f"A campaign is {str(entries)[:SHOWN]!r}; expected a list of entries.")
        yield from ((1, entry) for entry in entries)


def _object(text: str) -> dict[str, Any]:
    try:
        value = bounded_json(text)
    except ValueError as error:
        raise InputError(f"The entry is no valid JSON ({error}).") from error
    if not isinstance(value, dict):
        raise InputError(f"The entry is {text[:SHOWN]!r}; expected an object.")
    return value


def _said(entry: _Entry, order: int) -> Iterator[Judgement | None]:
    """One a model and segment; None where the answer is known or no score was given."""
    if len(entry.item) != len(entry.annotation):
        raise InputError("An entry has no segments, or not an answer to each.")
    names = [str(item.item_id or item.src or f"{entry.item_i}:{n}") for n, item in enumerate(entry.item, 1)]
    for item, name, answer in zip(entry.item, names, entry.annotation, strict=True):
        for model, said in (answer or {}).items():
            scores = {SCALE: said.score} | {slider.lower(): value for slider, value in (said.sliders or {}).items()}
            if item.validation or not any(score is not None for score in scores.values()):
                yield None
                continue
            if model not in item.tgt:
                raise InputError(f"An entry has an answer about '{model[:SHOWN]}', and no output of it.")
            text = str(item.tgt[model])
            errors = tuple(_errors(said.error_spans or (), text))
            for scale, value in scores.items():
                if value is not None:
                    about = str(entry.user_id), model, name, scale, value, names[0], float(order)
                    yield Judgement(*about, errors, text)


def _errors(spans: Sequence[_Span], text: str) -> Iterator[RatedError]:
    counted_units = starts(text, UNCOUNTED)
    for span in spans:
        if not 0 <= span.start_i <= span.end_i:
            raise InputError(f"A span goes from {span.start_i} to {span.end_i}; expected two places.")
        is_missing = span.start_i >= counted_units[-1]
        category = str(span.category or (OMISSION if is_missing else ""))
        place = (0, 0) if is_missing else characters(counted_units, span.start_i, span.end_i)
        yield RatedError(category, str(span.severity or "neutral").lower(), "hypothesis", *place)
