"""Judgements as Pearmut logs them: a line of JSON for each document that an annotator sent, or all lines in one object.

An entry has ``user_id``, ``item_i``, the segments (``item``) and for each of these what was said of every model
(``annotation``): a score, or sliders with names. Spans are counted in UTF-16 units without line breaks, and end with
their last one; one that lies after the text stands for words that are missing. What is sent again takes the place of
what was sent before; a mark of a reset takes it away.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeGuard

from mteval.base.bounded_input import bounded_json
from mteval.base.characters import characters, starts
from mteval.base.errors import InputError
from mteval.base.words import counted
from mteval.readers.formats.text import split_lines
from mteval.values.judgements import OMISSION, Judgement, RatedError

SCALE = "score"
KEYS = ("annotation", "user_id", "item_i")
ASIDE = ("welcome_", "random_", "goodbye_")  # numbers of what is no part of the campaign proper
RESET = "__RESET__"
REMEDY = "Download the annotations again."
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
                f"An entry lacks {', '.join(key for key in KEYS if key not in entry)}. {REMEDY}", file, number
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
            raise InputError(f"An entry is not as Pearmut writes it ({error!r}). {REMEDY}", file, number) from error
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
            raise InputError(f"A campaign is {str(entries)[:SHOWN]!r}; expected a list of entries. {REMEDY}", file, 1)
        yield from ((1, entry) for entry in entries)


def _object(text: str, file: str, number: int) -> dict[str, Any]:
    try:
        value = bounded_json(text)
    except ValueError as error:
        raise InputError(f"The entry is no valid JSON ({error}). {REMEDY}", file, number) from error
    if not isinstance(value, dict):
        raise InputError(f"The entry is {text[:SHOWN]!r}; expected an object. {REMEDY}", file, number)
    return value


def _said(entry: Mapping[str, Any], order: int, file: str, number: int) -> Iterator[Judgement | None]:
    """One a model and segment; None where the answer is known or no score was given."""
    items, answers = entry.get("item"), entry["annotation"]
    if not _are_objects(items) or not isinstance(answers, list) or len(items) != len(answers):
        raise InputError(f"An entry has no segments, or not an answer to each. {REMEDY}", file, number)
    names = [str(item.get("item_id") or item.get("src") or f"{entry['item_i']}:{n}") for n, item in enumerate(items, 1)]
    for item, name, answer in zip(items, names, answers, strict=True):
        for model, said in (answer or {}).items():
            given = {SCALE: said.get("score")} | {name.lower(): at for name, at in (said.get("sliders") or {}).items()}
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
        raise InputError(f"A score is {str(value)[:SHOWN]!r}; expected a number. {REMEDY}", file, number)
    return float(value)


def _errors(spans: Sequence[Mapping[str, Any]], text: str, file: str, number: int) -> Iterator[RatedError]:
    counted_units = starts(text, UNCOUNTED)
    for span in spans:
        start, end, severity = span.get("start_i"), span.get("end_i"), span.get("severity")
        if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start <= end:
            raise InputError(f"A span goes from {start!r} to {end!r}; expected two places. {REMEDY}", file, number)
        is_missing = start >= counted_units[-1]
        category = str(span.get("category") or (OMISSION if is_missing else ""))
        place = (0, 0) if is_missing else characters(counted_units, start, end)
        yield RatedError(category, str(severity or "neutral").lower(), "hypothesis", *place)
