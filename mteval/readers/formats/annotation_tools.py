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
from typing import Annotated, Any

from msgspec import Meta, Struct

from mteval.base.bounded_input import Finite, Name, bounded_json, decoded
from mteval.base.errors import InputError
from mteval.base.words import characters, counted, starts
from mteval.readers.documents import grouped
from mteval.readers.formats.score_tables import error_of, holds_number, score_of
from mteval.readers.formats.text import located, split_lines
from mteval.values.judgements import MQM, OMISSION, Judgement, RatedError, weight_of

SCALE = "score"
REMEDY = "Export the campaign again."


def is_appraise(text: str) -> bool:
    """Whether the first line is that of an Appraise export."""
    try:
        first = next(csv.reader(io.StringIO(text[: text.find("\n") + 1 or len(text)])), [])
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
    chosen: list[tuple[str, Judgement]] = []  # with the document, whose suffix tells its parts and copies apart
    n_control = n_whole = 0
    for line, cells in _rows(text, file):
        rest = list(cells[7:])
        document, whole = (rest.pop(0), rest.pop(0)) if rest[1].lower() in ("true", "false") else ("", "")
        if whole.lower() == "true":
            n_whole += 1
        elif cells[3] != "TGT":  # the others are quality control
            n_control += 1
        else:
            with located(file, line):
                chosen.append((document, _judgement(cells, document, rest)))
    notes = [f"Ignored: {counted(n_control, 'quality-control row')}."] if n_control else []
    notes += [f"Ignored: {counted(n_whole, 'row')} with scores of whole documents."] if n_whole else []
    judgements = list(_with_segments(chosen))
    if any(error.category not in ("", OMISSION) for one in judgements for error in one.errors):
        judgements = [replace(one, scale=MQM, value=0.0 - sum(map(weight_of, one.errors))) for one in judgements]
    return judgements, notes


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


def _judgement(cells: Sequence[str], document: str, rest: list[str]) -> Judgement:
    """Return the judgement of a translation, whose segment is the item number."""
    spans = rest.pop(0) if document and rest and not holds_number(rest[:1]) else ""
    started = next((cell for cell in rest if holds_number([cell])), "")
    score, errors = score_of(cells[6]), _spans(spans)
    if score is None:
        raise InputError("The row has no score. Expected a number in column 7.")
    annotator, system, item = cells[:3]
    name = document.partition("#")[0] or None
    return Judgement(annotator, system, item, SCALE, score, name, score_of(started), errors)


def _with_segments(chosen: Sequence[tuple[str, Judgement]]) -> Iterator[Judgement]:
    """Yield each judgement with its segment: the position in the document, from 1, else the item number."""
    items = grouped(((one.annotator, one.system, document), one.segment) for document, one in chosen)

    def number(item: str) -> tuple[int, str]:
        return (int(item), "") if item.isdecimal() and len(item) <= 18 else (0, item)  # digits

    order = {key: {item: n for n, item in enumerate(sorted({*found}, key=number), 1)} for key, found in items.items()}
    for document, one in chosen:
        place = order[one.annotator, one.system, document][one.segment]
        yield replace(one, segment=f"{one.document}:{place}") if document else one


def _spans(cell: str) -> tuple[RatedError, ...]:
    try:
        found = bounded_json(cell or "[]")
    except ValueError:
        found = None
    if not isinstance(found, list):
        raise InputError(f"The spans are {cell[:60]!r}. Expected a JSON list.")
    return tuple(replace(error, in_units=bool(error.end)) for error in map(error_of, map(_plain, found)))


def _plain(span: Any) -> Any:
    """Convert a span to the form of WMT's ratings: exclusive end, and its kind as one text."""
    if not isinstance(span, Mapping):
        return span
    start, end, kind = span.get("start_i"), span.get("end_i"), span.get("error_type")
    category = "/".join(map(str, kind)) if isinstance(kind, list) else kind
    if start == "missing":
        return {**span, "category": category or OMISSION}
    return {**span, "category": category, "start": start, "end": end + 1 if isinstance(end, int) else end}


KEYS = ("annotation", "user_id", "item_i")
ASIDE = ("welcome_", "random_", "goodbye_")  # beginnings of item numbers outside the campaign
SHOWN = 60
FEW = 64  # sliders and merged outputs: each says something of every other


class _Span(Struct):
    start_i: int
    end_i: int
    category: Any = None
    severity: Any = None


class _Said(Struct):
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
    annotation: list[dict[str, _Said] | None]


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
    last: dict[str, dict[str, tuple[int, int, dict[str, Any]]]] = defaultdict(dict)  # by annotator and item
    found: list[Judgement | None] = []
    number = 1
    try:
        for place, (number, entry) in enumerate(_entries(text)):
            is_reset = entry.get("annotation") == "__RESET__"
            if lacking := [key for key in KEYS[: 2 if is_reset else 3] if key not in entry]:
                raise InputError(f"An entry has no {', '.join(lacking)}.")
            of_user, item = last[str(entry["user_id"])], str(entry.get("item_i"))
            if not is_reset:
                of_user[item] = place, number, entry
            elif "item_i" in entry:
                of_user.pop(item, None)
            else:
                of_user.clear()
        kept = sorted((one for of_user in last.values() for one in of_user.values()), key=lambda one: one[0])
        own = [one for one in kept if not str(one[2]["item_i"]).startswith(ASIDE)]
        for order, (_, line, entry) in enumerate(own):
            number = line
            found += _said(decoded(entry, _Entry, None), order)
    except InputError as error:
        raise InputError(f"{error.message} Download the annotations again.", file, number) from error
    judgements = [judgement for judgement in found if judgement is not None]
    notes = [(len(kept) - len(own), "document", "for practice or quality control")]
    notes += [(len(found) - len(judgements), "output", "with a known answer or without a score")]
    return judgements, [f"Ignored: {counted(count, noun)} {what}." for count, noun, what in notes if count]


def _entries(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the entries with their lines (1 if all are in one object)."""
    lines = [(number, line) for number, line in enumerate(split_lines(text), start=1) if line.strip()]
    if len(lines) > 1 and lines[0][1].rstrip().endswith("}"):
        yield from ((number, _object(line)) for number, line in lines)
        return
    whole = _object(text)
    for entries in [[whole]] if "annotation" in whole else whole.values():
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise InputError(f"A campaign is {str(entries)[:SHOWN]!r}. Expected a list of entries.")
        yield from ((1, entry) for entry in entries)


def _object(text: str) -> dict[str, Any]:
    try:
        value = bounded_json(text)
    except ValueError as error:
        raise InputError(f"The entry is not valid JSON ({error}).") from error
    if not isinstance(value, dict):
        raise InputError(f"The entry is {text[:SHOWN]!r}. Expected an object.")
    return value


def _said(entry: _Entry, order: int) -> Iterator[Judgement | None]:
    """Yield one judgement per model and segment; None if the answer is known or there is no score."""
    if len(entry.item) != len(entry.annotation):
        raise InputError("An entry needs one answer per segment.")
    names = [str(item.item_id or item.src or f"{entry.item_i}:{n}") for n, item in enumerate(entry.item, 1)]
    for item, name, answer in zip(entry.item, names, entry.annotation, strict=True):
        origin = item.mteval or _Origin(str(entry.user_id), name, {}, names[0])
        for model, said in (answer or {}).items():
            if model not in item.tgt:
                raise InputError(f"An entry has an answer about '{model[:SHOWN]}', but no output of it.")
            text = str(item.tgt[model])
            errors = tuple(_errors(said.error_spans or (), text))
            scores = {SCALE: said.score} | {slider.lower(): value for slider, value in (said.sliders or {}).items()}
            if item.mteval and said.sliders == {}:  # only errors were asked for
                scores[MQM] = 0.0 - sum(map(weight_of, errors))
            if item.validation or not any(score is not None for score in scores.values()):
                yield None
                continue
            for (scale, value), (system, run) in product(scores.items(), origin.outputs.get(model, [(model, "")])):
                if value is not None:
                    about = origin.annotator, system, origin.segment, scale, value, origin.document, float(order)
                    yield Judgement(*about, errors, text, run, origin.probability)


def _errors(spans: Sequence[_Span], text: str) -> Iterator[RatedError]:
    counted_units = starts(text)
    for span in spans:
        if not 0 <= span.start_i <= span.end_i:
            raise InputError(f"A span goes from {span.start_i} to {span.end_i}. Expected two places in order.")
        is_missing = span.start_i >= counted_units[-1]
        category = str(span.category or (OMISSION if is_missing else ""))
        place = (0, 0) if is_missing else characters(counted_units, span.start_i, span.end_i)
        yield RatedError(category, str(span.severity or "neutral").lower(), "hypothesis", *place)
