"""Exports of annotation tools: scores of Appraise, and logs of Pearmut.

Appraise exports direct assessment (single, pairwise or by document), ESA and MQM without a header. The columns are
annotator, system, item, kind of item, source and target language, and score. With documents, two columns follow: the
document, and whether the score rates all of it. Further columns are optional: spans as JSON, notes on pairs, start and
end time, batch and item number. Spans are counted in UTF-16 units of a text that is not in the file, and their end is
inclusive; ``missing`` marks omitted words. If errors have a kind, the campaign is MQM and the score is that of the
errors.

With documents, Appraise restarts item numbers in every task, so one number means different segments. Segments are
therefore numbered within the document that an annotator read in the output of a system. Otherwise the item number
names the segment.

Pearmut logs one JSON line per submitted document, or all lines in one object. An entry has ``user_id``, ``item_i``, the
segments (``item``) and the answers about every model (``annotation``): a score, or named sliders. Spans are counted in
UTF-16 units (before 1.1.5 without line breaks), with an inclusive end; a span after the text marks missing words. A
later entry replaces an earlier one. A reset removes it, or without ``item_i`` all of the annotator. In a campaign of
mteval, items also say which segment and outputs they show, to whom, and how likely that was.
"""

import csv
import io
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Annotated, Any, NamedTuple

from msgspec import Meta, Struct

from mteval.base.bounded_input import Finite, Name, bounded_json, decoded
from mteval.base.errors import InputError
from mteval.base.words import characters, counted, starts
from mteval.readers.documents import grouped
from mteval.readers.formats.score_tables import error_of, holds_number, score_of
from mteval.readers.formats.text import located, split_lines
from mteval.values.judgements import MQM, OMISSION, Judgement, RatedError, weight_of

SCALE = "score"

# Appraise

REMEDY = "Export the campaign again."


def is_appraise(text: str) -> bool:
    """Whether the first line is that of an Appraise export."""
    end = text.find("\n") + 1 or len(text)
    try:
        first = next(csv.reader(io.StringIO(text[:end])), [])
    except csv.Error:
        return False
    return 9 <= len(first) <= 14 and first[3] in ("TGT", "BAD", "REF", "CHK")


def read_appraise(text: str, file: str) -> tuple[list[Judgement], list[str]]:
    """Return the judgements of translations, and notes about ignored rows.

    Raises
    ------
    InputError
        If a row has a wrong number of cells, or its score is not a number.
    """
    judged: list[tuple[str, Judgement]] = []  # with the document, whose suffix tells its parts and copies apart
    n_control = 0
    n_of_documents = 0
    for line, cells in _rows(text, file):
        further = list(cells[7:])
        document = ""
        is_of_whole_document = False
        if further[1].lower() in ("true", "false"):
            document = further.pop(0)
            is_of_whole_document = further.pop(0).lower() == "true"
        if is_of_whole_document:
            n_of_documents += 1
        elif cells[3] != "TGT":  # the others are quality control
            n_control += 1
        else:
            with located(file, line):
                judged.append((document, _judgement(cells, document, further)))
    notes = []
    if n_control:
        notes.append(f"Ignored: {counted(n_control, 'quality-control row')}.")
    if n_of_documents:
        notes.append(f"Ignored: {counted(n_of_documents, 'row')} with scores of whole documents.")

    judgements = list(_with_segments(judged))
    categories = {error.category for judgement in judgements for error in judgement.errors}
    if categories <= {"", OMISSION}:
        return judgements, notes
    # Errors have kinds, so this is MQM: the score is that of the errors.
    rated = []
    for judgement in judgements:
        value = 0.0 - sum(map(weight_of, judgement.errors))
        rated.append(replace(judgement, scale=MQM, value=value))
    return rated, notes


def _rows(text: str, file: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows with their lines."""
    reader = csv.reader(io.StringIO(text, newline=""))
    width = 0
    try:
        for cells in filter(None, reader):
            width = width or len(cells)
            if len(cells) != width:
                message = f"{counted(len(cells), 'cell')}, but earlier rows have {width}. {REMEDY}"
                raise InputError(message, file, reader.line_num)
            yield reader.line_num, cells
    except csv.Error as error:
        raise InputError(f"The row is not valid CSV ({error}). {REMEDY}", file, reader.line_num) from error


def _judgement(cells: Sequence[str], document: str, further: list[str]) -> Judgement:
    """Return the judgement of a translation, whose segment is the item number.

    ``further`` has the optional cells. Spans come first, in campaigns with documents only.
    """
    spans = ""
    if document and further and not holds_number(further[:1]):
        spans = further.pop(0)
    start_time = next((cell for cell in further if holds_number([cell])), "")
    score = score_of(cells[6])
    errors = _errors_of_appraise(spans)
    if score is None:
        raise InputError("The row has no score. Expected a number in column 7.")
    annotator, system, item = cells[:3]
    name = document.partition("#")[0] or None
    return Judgement(annotator, system, item, SCALE, score, name, score_of(start_time), errors)


def _with_segments(judged: Sequence[tuple[str, Judgement]]) -> Iterator[Judgement]:
    """Yield each judgement with its segment: the position in the document, from 1, else the item number."""
    pairs = []
    for document, judgement in judged:
        pairs.append(((judgement.annotator, judgement.system, document), judgement.segment))
    position_of: dict[tuple[str, str, str], dict[str, int]] = {}
    for task, items in grouped(pairs).items():
        in_order = sorted(set(items), key=_item_order)
        position_of[task] = {item: position for position, item in enumerate(in_order, start=1)}

    for document, judgement in judged:
        if document:
            position = position_of[judgement.annotator, judgement.system, document][judgement.segment]
            yield replace(judgement, segment=f"{judgement.document}:{position}")
        else:
            yield judgement


def _item_order(item: str) -> tuple[int, str]:
    """Sort items by number, equal numbers by their digits; names, and numbers too long to be one, come first."""
    is_number = item.isdecimal() and len(item) <= 18
    return (int(item) if is_number else 0, item)


def _errors_of_appraise(cell: str) -> tuple[RatedError, ...]:
    """Return the errors whose spans a cell lists; positions are UTF-16 units."""
    try:
        spans = bounded_json(cell or "[]")
    except ValueError:
        spans = None
    if not isinstance(spans, list):
        raise InputError(f"The spans are {cell[:60]!r}. Expected a JSON list.")
    return tuple(map(error_of_appraise, spans))


def error_of_appraise(span: Any) -> RatedError:
    """Return the error of a span as Appraise exports it; positions are UTF-16 units."""
    error = error_of(_as_in_ratings(span))
    return replace(error, in_units=bool(error.end))


def _as_in_ratings(span: Any) -> Any:
    """Convert a span to the form of WMT's ratings: exclusive end, and its kind as one text."""
    if not isinstance(span, Mapping):
        return span
    start = span.get("start_i")
    end = span.get("end_i")
    kind = span.get("error_type")
    category = "/".join(map(str, kind)) if isinstance(kind, list) else kind
    if start == "missing":
        return {**span, "category": category or OMISSION}
    exclusive_end = end + 1 if isinstance(end, int) else end
    return {**span, "category": category, "start": start, "end": exclusive_end}


# Pearmut

KEYS = ("annotation", "user_id", "item_i")
KEYS_OF_RESET = ("annotation", "user_id")
ASIDE = ("welcome_", "random_", "goodbye_")  # beginnings of item numbers outside the campaign
SHOWN = 60  # characters in a message
FEW = 64  # sliders and merged outputs: each says something of every other


class _Span(Struct):
    start_i: int
    end_i: int
    category: Any = None
    severity: Any = None


class _Answer(Struct):
    """Answers about the output of one model."""

    score: Finite | None = None
    sliders: Annotated[dict[str, Finite | None], Meta(max_length=FEW)] | None = None
    error_spans: list[_Span] | None = None


class _Origin(Struct):
    """What mteval wrote into an item: ``outputs`` are systems with their runs, by model."""

    annotator: Name
    segment: Name
    outputs: dict[str, Annotated[list[tuple[Name, Name]], Meta(max_length=FEW)]]
    document: Name | None = None
    probability: Annotated[float, Meta(gt=0, le=1, description="above 0, at most 1")] | None = None


class _Item(Struct):
    tgt: dict[str, Any] = {}
    item_id: Any = None
    src: Any = None
    validation: Any = None
    mteval: _Origin | None = None


class _Entry(Struct):
    user_id: Any
    item_i: Any
    item: list[_Item]
    annotation: list[dict[str, _Answer] | None]


class _Logged(NamedTuple):
    """An entry that was not read closely yet: its position among all, and its line."""

    position: int
    line: int
    entry: dict[str, Any]


def is_pearmut(text: str) -> bool:
    """Whether a text begins like a Pearmut log."""
    head = text[: 1 << 16]
    return head.lstrip().startswith("{") and all(f'"{key}"' in head for key in KEYS)


def read_pearmut(text: str, file: str) -> tuple[list[Judgement], list[str]]:
    """Return the judgements of outputs, and notes about what is ignored.

    ``item_id`` names the segment; that of the first segment names the document.

    Raises
    ------
    InputError
        If an entry is incomplete, or a score is not a number.
    """
    last_of: dict[str, dict[str, _Logged]] = defaultdict(dict)  # by annotator and item
    answers: list[Judgement | None] = []
    line = 1  # of the entry that an error is about
    try:
        for position, (line, entry) in enumerate(_entries(text)):
            is_reset = entry.get("annotation") == "__RESET__"
            required = KEYS_OF_RESET if is_reset else KEYS
            lacking = [key for key in required if key not in entry]
            if lacking:
                raise InputError(f"An entry has no {', '.join(lacking)}.")
            of_annotator = last_of[str(entry["user_id"])]
            item = str(entry.get("item_i"))
            if not is_reset:
                of_annotator[item] = _Logged(position, line, entry)
            elif "item_i" in entry:
                of_annotator.pop(item, None)
            else:
                of_annotator.clear()

        documents = [logged for of_annotator in last_of.values() for logged in of_annotator.values()]
        documents.sort(key=lambda logged: logged.position)
        of_campaign = [logged for logged in documents if not str(logged.entry["item_i"]).startswith(ASIDE)]
        for order, logged in enumerate(of_campaign):
            line = logged.line
            answers += _judgements_of_entry(decoded(logged.entry, _Entry, None), order)
    except InputError as error:
        raise InputError(f"{error.message} Download the annotations again.", file, line) from error

    judgements = [judgement for judgement in answers if judgement is not None]
    notes = []
    n_aside = len(documents) - len(of_campaign)
    if n_aside:
        notes.append(f"Ignored: {counted(n_aside, 'document')} for practice or quality control.")
    n_unused = len(answers) - len(judgements)
    if n_unused:
        notes.append(f"Ignored: {counted(n_unused, 'output')} with a known answer or without a score.")
    return judgements, notes


def _entries(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the entries with their lines (1 if all are in one object)."""
    lines = [(number, line) for number, line in enumerate(split_lines(text), start=1) if line.strip()]
    if len(lines) > 1 and lines[0][1].rstrip().endswith("}"):
        for number, line in lines:
            yield number, _object(line)
        return
    log = _object(text)
    if "annotation" in log:  # a single entry
        yield 1, log
        return
    for entries in log.values():
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise InputError(f"A campaign is {str(entries)[:SHOWN]!r}. Expected a list of entries.")
        for entry in entries:
            yield 1, entry


def _object(text: str) -> dict[str, Any]:
    """Return the JSON object in a text."""
    try:
        value = bounded_json(text)
    except ValueError as error:
        raise InputError(f"The entry is not valid JSON ({error}).") from error
    if not isinstance(value, dict):
        raise InputError(f"The entry is {text[:SHOWN]!r}. Expected an object.")
    return value


def _judgements_of_entry(entry: _Entry, order: int) -> Iterator[Judgement | None]:
    """Yield the judgements of the outputs; None for an output with a known answer or without a score.

    An output of several systems gives one judgement of each of them, on each scale.
    """
    if len(entry.item) != len(entry.annotation):
        raise InputError("An entry needs one answer per segment.")
    names = []
    for number, item in enumerate(entry.item, start=1):
        names.append(str(item.item_id or item.src or f"{entry.item_i}:{number}"))
    for item, name, answers in zip(entry.item, names, entry.annotation, strict=True):
        origin = item.mteval or _Origin(str(entry.user_id), name, {}, names[0])
        for model, answer in (answers or {}).items():
            if model not in item.tgt:
                raise InputError(f"An entry has an answer about '{model[:SHOWN]}', but no output of it.")
            text = str(item.tgt[model])
            errors = tuple(_errors_of_pearmut(answer.error_spans or (), text))
            score_on = {SCALE: answer.score}
            for slider, value in (answer.sliders or {}).items():
                score_on[slider.lower()] = value
            if item.mteval and answer.sliders == {}:  # only errors were asked for
                score_on[MQM] = 0.0 - sum(map(weight_of, errors))
            has_score = any(value is not None for value in score_on.values())
            if item.validation or not has_score:
                yield None
                continue
            outputs = origin.outputs.get(model, [(model, "")])
            for (scale, value), (place, (system, run)) in product(score_on.items(), enumerate(outputs)):
                if value is None:
                    continue
                yield Judgement(
                    origin.annotator,
                    system,
                    origin.segment,
                    scale,
                    value,
                    document=origin.document,
                    order=float(order),
                    errors=errors,
                    hypothesis=text,
                    run=run,
                    probability=origin.probability,
                    is_automatic=place > 0,
                )


def _errors_of_pearmut(spans: Sequence[_Span], text: str) -> Iterator[RatedError]:
    """Yield the marked errors, their places in characters; (0, 0) for missing words."""
    unit_starts = starts(text)
    for span in spans:
        if not 0 <= span.start_i <= span.end_i:
            raise InputError(f"A span goes from {span.start_i} to {span.end_i}. Expected two places in order.")
        category = span.category
        start = 0
        end = 0
        if span.start_i >= unit_starts[-1]:  # after the text: words are missing
            category = category or OMISSION
        else:
            start, end = characters(unit_starts, span.start_i, span.end_i)
        severity = str(span.severity or "neutral").lower()
        yield RatedError(str(category or ""), severity, "hypothesis", start, end)
