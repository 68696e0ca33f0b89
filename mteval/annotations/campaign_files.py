"""Error annotations as WMT publishes them: a TSV with one row an error, its span between ``<v>`` and ``</v>``.

Judgements as Pearmut keeps them: three files for its ``add-existing``, with the campaign, progress and answers.

A document that an annotator read in the output of one system is an entry. Spans are counted in UTF-16 units without
line breaks, and end with their last one; what is missing in an output stands right after it.

Errors that raters marked, as WMT's metrics task files them.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote_plus

from mteval.base.characters import starts, units
from mteval.values.judgements import Judgement, RatedError

HEAD = ("system", "doc", "docSegId", "globalSegId", "rater", "source", "target", "category", "severity", "metadata")
NO_ERROR = "No-error"


@dataclass(frozen=True)
class MqmLine:
    """One error, or with an empty category the remark that there is none.

    Parameters
    ----------
    segment, document_segment
        Zero-based, in the test set and in the document.
    side, start, end
        Where the span is, ``hypothesis`` or ``source``, and its characters.
    """

    system: str
    document: str
    document_segment: int
    segment: int
    rater: str
    source: str
    target: str
    category: str = ""
    severity: str = ""
    side: str = ""
    start: int = 0
    end: int = 0
    comment: str = ""


def mqm_table(lines: Iterable[MqmLine]) -> str:
    """The table. Tabs and line breaks in texts become spaces, one for one, so that spans stay where they are."""
    rows = ["\t".join(HEAD)]
    for line in lines:
        source = _marked(line.source, line) if line.side == "source" else _flat(line.source)
        target = _marked(line.target, line) if line.side == "hypothesis" else _flat(line.target)
        cells = (
            _flat(line.system), _flat(line.document), str(line.document_segment + 1), str(line.segment + 1),
            _flat(line.rater), source, target, _flat(line.category) or NO_ERROR, _flat(line.severity) or NO_ERROR,
            _flat(line.comment),
        )  # fmt: skip
        rows.append("\t".join(cells))
    return "\n".join(rows) + "\n"


def _marked(text: str, line: MqmLine) -> str:
    flat = _flat(text)
    return f"{flat[: line.start]}<v>{flat[line.start : line.end]}</v>{flat[line.end :]}"


def _flat(text: str) -> str:
    return text.replace("\t", " ").replace("\n", " ").replace("\r", " ")


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


@dataclass(frozen=True)
class RatedLine:
    """One output and the errors that a rater marked in it; None where they did not read it."""

    system: str
    rater: str
    errors: tuple[RatedError, ...] | None


def seg_rating(lines: Iterable[RatedLine]) -> str:
    """A ``.seg.rating`` file: a system, None or the errors as JSON, and the rater a line, in the order of segments."""
    return "".join(
        f"{_seg_ratings_flat(line.system)}\t{'None' if line.errors is None else _errors(line.errors)}"
        f"\t{_seg_ratings_flat(line.rater)}\n"
        for line in lines
    )


def _errors(errors: Iterable[RatedError]) -> str:
    rows = [
        {
            "start": error.start,
            "end": error.end,
            "category": error.category,
            "severity": error.severity,
            **({} if error.score is None else {"score": error.score}),
            "is_source_error": error.side == "source",
        }
        for error in errors
    ]
    return json.dumps({"errors": rows})


def _seg_ratings_flat(text: str) -> str:
    return " ".join(text.split())
