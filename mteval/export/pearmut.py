"""Judgements as Pearmut keeps them: three files for its ``add-existing``, with the campaign, progress and answers.

A document that an annotator read in the output of one system is an entry. Spans are counted in UTF-16 units without
line breaks, and end with their last one; what is missing in an output stands right after it.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote_plus

from mteval.judgements import Judgement, RatedError
from mteval.utf16 import starts, units

PROTOCOLS = {
    "esa": "ESA",
    "adequacy": "DA",
    "fluency": "DA",
}  # by scale; those that have no scores of their own are none
SCORE = "esa"  # the scale of the one slider that has no name
SLIDER = {"min": 0, "max": 100, "step": 1}
UNCOUNTED = "\n"  # in spans
Entry = dict[str, Any]


def pearmut_files(name: str, judgements: Sequence[Judgement], sources: Mapping[str, str]) -> dict[str, str]:
    """The files by their names.

    Parameters
    ----------
    name
        Identifies the campaign there.
    judgements
        On the scale ``esa``, or on ``adequacy`` and ``fluency``, with the texts that were judged.
    sources
        Source of each segment.
    """
    entries: dict[str, list[Entry]] = {}
    for place, of_document in _grouped(
        judgements, lambda one: (one.annotator, one.document or one.segment, one.system)
    ):
        own = entries.setdefault(place[0], [])
        own.append(_entry(place[0], len(own), of_document, sources))
    files = {
        "campaigns.json": [_campaign(name, judgements, entries)],
        "progress.json": {name: {user: _progress(name, user, len(own)) for user, own in entries.items()}},
        "annotations.json": {name: [entry for own in entries.values() for entry in own]},
    }
    return {file: json.dumps(content, ensure_ascii=False, indent=1) for file, content in files.items()}


def _campaign(name: str, judgements: Sequence[Judgement], entries: Mapping[str, Sequence[Entry]]) -> dict[str, Any]:
    scales = dict.fromkeys(one.scale for one in judgements)
    info: dict[str, Any] = {"assignment": "task-based", "protocol": PROTOCOLS[next(iter(scales))], "shuffle": False}
    if SCORE not in scales:
        info["sliders"] = [{"name": scale.capitalize(), **SLIDER} for scale in scales]
    data = {user: [entry["item"] for entry in own] for user, own in entries.items()}
    return {"campaign_id": name, "info": info, "data": data}


def _progress(name: str, user: str, n_entries: int) -> dict[str, Any]:
    """All done, in a time that nobody measured."""
    return {
        "progress": ["completed"] * n_entries,
        "progress_welcome": [],
        "progress_goodbye": [],
        "time_start": None,
        "time_end": None,
        "time": 0,
        "url": f"annotate?campaign_id={quote_plus(name)}&user_id={quote_plus(user)}",
        "token_correct": "",
        "token_incorrect": "",
        "note": None,
    }


def _entry(user: str, number: int, said: Sequence[Judgement], sources: Mapping[str, str]) -> Entry:
    """What an annotator said of a document in the output of one system."""
    segments = _grouped(said, lambda one: (one.segment,))
    items = [
        {
            "item_id": f"{of_one[0].document or ''}_#_{segment}",
            "src": sources[segment],
            "tgt": {of_one[0].system: of_one[0].hypothesis or ""},
        }
        for (segment,), of_one in segments
    ]
    answers = [{of_one[0].system: _answer(of_one)} for _, of_one in segments]
    return {"annotation": answers, "actions": [], "item": items, "user_id": user, "item_i": number}


def _answer(said: Sequence[Judgement]) -> dict[str, Any]:
    values = {one.scale: one.value for one in said}
    counted = starts(said[0].hypothesis or "", UNCOUNTED)
    spans = [_span(error, counted) for error in said[0].errors]
    sliders = {scale.capitalize(): value for scale, value in values.items() if scale != SCORE}
    return {"score": values.get(SCORE), "error_spans": spans, **({"sliders": sliders} if sliders else {})}


def _span(error: RatedError, counted: tuple[int, ...]) -> dict[str, Any]:
    is_missing = error.side == "source" or not error.end
    start, end = (counted[-1], counted[-1]) if is_missing else units(counted, error.start, error.end)
    return {"start_i": start, "end_i": end, "category": error.category or None, "severity": error.severity}


def _grouped(judgements: Iterable[Judgement], key: Any) -> list[tuple[tuple[str, ...], list[Judgement]]]:
    """Judgements by a key, in the order in which they were given."""
    found: dict[tuple[str, ...], list[Judgement]] = {}
    for one in judgements:
        found.setdefault(key(one), []).append(one)
    return list(found.items())
