"""Campaigns and their judgements as files: mteval's JSON, WMT's MQM tables and ratings, and Pearmut's format.

mteval's JSON is lossless. WMT's table has one row per error, its span between ``<v>`` and ``</v>``; its ratings have
one line per output and rater. Pearmut's ``add-existing`` takes three files: campaign, progress and annotations. There a
document read in the output of one system is an entry. Spans are counted in UTF-16 units and have an inclusive end;
missing words are marked after the text.
"""

import dataclasses
import html
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle, groupby, islice
from typing import Any
from urllib.parse import quote_plus

from msgspec import Struct

from mteval.annotations.campaigns import Campaign, Control, Mark, Output, Plan, Task
from mteval.annotations.protocol import plain_form, wrong_campaign, wrong_task
from mteval.annotations.typology import Category, Typology
from mteval.base.bounded_input import Filled, bounded_json, decoded, shown
from mteval.base.errors import InputError, SettingsError
from mteval.base.words import inert, starts, units
from mteval.values.definitions import FIRST, changed_since
from mteval.values.judgements import Judgement, RatedError

HEAD = ("system", "doc", "docSegId", "globalSegId", "rater", "source", "target", "category", "severity", "metadata")
NO_ERROR = "No-error"
# Control characters and line ends, each as one space.
_FLAT = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029), " ")
_TEXTS = ("source", "target")
RATED = ("start", "end", "category", "severity", "score")  # in a rating; errors without a score have none


def mqm_table(rows: Iterable[Sequence[str]]) -> str:
    """Return the table. Each control character and line end becomes a space, so that spans keep their places.

    Names and comments that spreadsheets would take for a formula are quoted by ``'``, which ``read_mqm`` removes. Texts
    are not, since other programs read them.

    Parameters
    ----------
    rows
        One per error, or with the category ``NO_ERROR`` the statement that there is none; columns as in ``HEAD``.
    """
    lines = ["\t".join(HEAD)]
    for row in rows:
        flat = [cell.translate(_FLAT) for cell in row]
        cells = (cell if name in _TEXTS else inert(cell) for name, cell in zip(HEAD, flat, strict=True))
        lines.append("\t".join(cells))
    return "".join(f"{line}\n" for line in lines)


SCORE = "esa"  # the scale of the unnamed slider
PEARMUT_WAYS = {"rating": ("DA", ("adequacy", "fluency")), "errors": ("MQM", ()), "esa": ("ESA", (SCORE,))}
Entry = dict[str, Any]


def pearmut_files(name: str, judgements: Sequence[Judgement], sources: Mapping[str, str]) -> dict[str, str]:
    """Return the files by name.

    Parameters
    ----------
    name
        Campaign ID in Pearmut.
    judgements
        On the scale ``esa``, or on ``adequacy`` and ``fluency``, with the judged texts.
    sources
        Source of each segment.
    """
    entries: dict[str, list[Entry]] = {}
    documents = _grouped(judgements, lambda one: (one.annotator, one.document or one.segment, one.system))
    for (user, *_), of_document in documents:
        own = entries.setdefault(user, [])
        own.append(_entry(user, len(own), of_document, sources))
    scales = dict.fromkeys(one.scale for one in judgements)
    info = _info("ESA" if SCORE in scales else "DA", scales)
    data = {user: [entry["item"] for entry in own] for user, own in entries.items()}
    files = {
        "campaigns.json": [{"campaign_id": name, "info": info, "data": data}],
        "progress.json": {name: {user: _progress(name, user, len(own)) for user, own in entries.items()}},
        "annotations.json": {name: [entry for own in entries.values() for entry in own]},
    }
    return {file: json.dumps(content, ensure_ascii=False, indent=1) for file, content in files.items()}


def pearmut_campaign(campaign: Campaign, tasks: Sequence[Task]) -> str:
    """Return a campaign to be judged in Pearmut, as ``pearmut add`` takes it: who judges what, in which order.

    A page shows what is read together: a segment or whole document, of one output or several side by side. Errors
    marked beforehand are kept; control items have their range of scores. Preferences are not known there.

    Raises
    ------
    SettingsError
        If people choose between two outputs.
    """
    if campaign.way not in PEARMUT_WAYS:
        raise SettingsError("Pearmut does not know preferences. Start a campaign of ratings, errors or ESA.")
    data: dict[str, list[list[Entry]]] = {}
    for (annotator, *_), page in groupby(tasks, partial(_page, campaign)):
        items = [_item(campaign, list(one)) for _, one in groupby(page, lambda task: task.segment)]
        data.setdefault(annotator, []).append(items)
    protocol, scales = PEARMUT_WAYS[campaign.way]
    info = _info("cESA" if campaign.plan.side_by_side else protocol, scales)
    if campaign.instructions:
        info["instructions"] = html.escape(campaign.instructions)
    content = {"campaign_id": f"mteval-{campaign.uid[:8]}", "info": info, "data": list(data.values())}
    return json.dumps(content, ensure_ascii=False, indent=1)


def _page(campaign: Campaign, task: Task) -> tuple[str, str | int, int | None, int | None]:
    """Return what tasks on one page have in common."""
    documents = campaign.documents if campaign.plan.by_document and task.control is None else None
    read = documents[task.segment] if documents else task.segment
    return task.annotator, read, None if campaign.plan.side_by_side else task.output, task.control


def _item(campaign: Campaign, beside: Sequence[Task]) -> Entry:
    """Return the item of outputs side by side, which Pearmut logs with all that mteval needs of it."""
    task, outputs = beside[0], campaign.outputs
    document = campaign.documents[task.segment] if campaign.documents else None
    about = {"annotator": task.annotator, "segment": str(task.segment + 1), "document": document}
    item: Entry = {
        "item_id": f"{document or campaign.test_set}_#_{task.segment + 1}", "src": campaign.shown_source(task),
        "tgt": {}, "error_spans": {},
        "mteval": {**about, "probability": campaign.probability(task), "outputs": {}},
    }  # fmt: skip
    for one in beside:
        control = None if one.control is None else campaign.controls[one.control]
        name = control.kind if control else _shown_name(campaign, one.output or 0)
        item["tgt"][name] = text = campaign.shown_output(one)
        item["error_spans"][name] = [_span(mark, starts(text)) for mark in one.marks]
        item["mteval"]["outputs"][name] = [(outputs[same].system, outputs[same].run) for same in campaign.alike(one)]
        if control:
            known = {"score" if campaign.way == SCORE else "Adequacy": (control.low, control.high)}
            item |= {"item_id": f"{name}_#_{one.position}", "validation": {name: known}}
    return item


BATCH = 100  # items; Appraise skips batches of other sizes


def appraise_batches(campaign: Campaign, tasks: Sequence[Task]) -> str:
    """Return a campaign to be judged in Appraise, as ``StartNewCampaign --batches-json`` takes it.

    Each annotator's tasks fill batches; the last one ends with repeats of their first tasks. Attention checks are bad
    references, and practice is skipped. The task type is ``PairwiseDocument`` for preferences, else ``Document``.
    """
    make = _appraise_pair if campaign.way == "preference" else _appraise_item
    batches: list[Entry] = []
    for annotator in dict.fromkeys(task.annotator for task in tasks):
        own = [task for task in tasks if task.annotator == annotator and task.stratum != "training"]
        for first in range(0, len(own), BATCH):
            batch = list(islice(cycle((*own[first : first + BATCH], *own)), BATCH))
            items = [{"_item": number, **make(campaign, task, number)} for number, task in enumerate(batch)]
            about = {"batchNo": len(batches) + 1, "batchSize": BATCH, "randomSeed": campaign.plan.seed}
            batches.append({"items": items, "task": {**about, "requiredAnnotations": 1}})
    return json.dumps(batches, ensure_ascii=False, indent=1)


def _appraise_place(campaign: Campaign, task: Task, number: int) -> Entry:
    document = campaign.documents[task.segment] if campaign.documents else f"{campaign.test_set}#{task.segment + 1}"
    kind = "TGT" if task.control is None else "BAD"
    return {"documentID": document, "isCompleteDocument": False, "itemID": number + 1, "itemType": kind}


def _appraise_item(campaign: Campaign, task: Task, number: int) -> Entry:
    text = campaign.shown_output(task)
    n_stripped = len(text) - len(text.lstrip())  # by Appraise
    counted = tuple(max(0, place - n_stripped) for place in starts(text))
    spans: list[Entry] = []
    for mark in task.marks:
        places: Iterable[object] = units(counted, mark.start, mark.end) if mark.side != "source" else ["missing"] * 2
        spans.append({**dict(zip(("start_i", "end_i"), places, strict=True)), "severity": mark.severity})
    return {
        **_appraise_place(campaign, task, number), "sourceID": campaign.test_set,
        "sourceText": campaign.shown_source(task), "targetID": _shown_name(campaign, task.output or 0),
        "targetText": text, "mqm": spans,
    }  # fmt: skip


def _appraise_pair(campaign: Campaign, task: Task, number: int) -> Entry:
    targets = [
        {
            "_itemAll": 2 * number + place, "_target": place, "targetID": _shown_name(campaign, output),
            "targetText": campaign.shown_output(task, output),
        }
        for place, output in enumerate((1, 0) if task.is_swapped else (0, 1))
    ]  # fmt: skip
    return {
        **_appraise_place(campaign, task, number), "segmentID": campaign.test_set,
        "segmentText": campaign.shown_source(task), "targets": targets, "targetsSize": len(targets),
    }  # fmt: skip


def _shown_name(campaign: Campaign, output: int) -> str:
    """Return the name of an output: not digits alone, which Pearmut refuses."""
    return f"{campaign.outputs[output].system} · {campaign.outputs[output].run}"


def _info(protocol: str, scales: Collection[str]) -> Entry:
    info: Entry = {"assignment": "task-based", "protocol": protocol, "shuffle": False}
    if SCORE not in scales:
        info["sliders"] = [{"name": scale.capitalize(), "min": 0, "max": 100, "step": 1} for scale in scales]
    return info


def _progress(name: str, user: str, n_entries: int) -> dict[str, Any]:
    """Return a completed progress. Times are unknown."""
    url = f"annotate?campaign_id={quote_plus(name)}&user_id={quote_plus(user)}"
    return {
        "progress": ["completed"] * n_entries, "progress_welcome": [], "progress_goodbye": [], "time_start": None,
        "time_end": None, "time": 0, "url": url, "token_correct": "", "token_incorrect": "", "note": None,
    }  # fmt: skip


def _entry(user: str, number: int, said: Sequence[Judgement], sources: Mapping[str, str]) -> Entry:
    """Return the answers of an annotator about a document in the output of one system."""
    items, answers = [], []
    for (segment,), of_one in _grouped(said, lambda one: (one.segment,)):
        system, document, text = of_one[0].system, of_one[0].document or "", of_one[0].hypothesis or ""
        items.append({"item_id": f"{document}_#_{segment}", "src": sources[segment], "tgt": {system: text}})
        answers.append({system: _answer(of_one)})
    return {"annotation": answers, "actions": [], "item": items, "user_id": user, "item_i": number}


def _answer(said: Sequence[Judgement]) -> dict[str, Any]:
    values = {one.scale: one.value for one in said}
    spans = [_span(error, starts(said[0].hypothesis or "")) for error in said[0].errors]
    sliders = {scale.capitalize(): value for scale, value in values.items() if scale != SCORE}
    return {"score": values.get(SCORE), "error_spans": spans, **({"sliders": sliders} if sliders else {})}


def _span(error: RatedError | Mark, counted: tuple[int, ...]) -> dict[str, Any]:
    is_missing = error.side == "source" or not error.end
    start, end = (counted[-1], counted[-1]) if is_missing else units(counted, error.start, error.end)
    return {"start_i": start, "end_i": end, "category": error.category or None, "severity": error.severity}


def _grouped(judgements: Iterable[Judgement], key: Any) -> list[tuple[tuple[str, ...], list[Judgement]]]:
    """Group judgements by a key, in their order."""
    found: dict[tuple[str, ...], list[Judgement]] = {}
    for one in judgements:
        found.setdefault(key(one), []).append(one)
    return list(found.items())


def seg_rating(lines: Iterable[tuple[str, str, Iterable[RatedError] | None]]) -> str:
    """Return a ``.seg.rating`` file: one line per segment with the system, None or errors as JSON, and the rater.

    Parameters
    ----------
    lines
        System, rater and marked errors of each output; None instead of errors if the rater did not read it.
    """
    return "".join(
        f"{_words(system)}\t{'None' if errors is None else _errors(errors)}\t{_words(rater)}\n"
        for system, rater, errors in lines
    )


def _words(name: str) -> str:
    return " ".join(name.translate(_FLAT).split())


def _errors(errors: Iterable[RatedError]) -> str:
    rows = [
        {name: value for name in RATED if (value := getattr(error, name)) is not None}
        | {"is_source_error": error.side == "source"}
        for error in errors
    ]
    return json.dumps({"errors": rows})


FORMAT = "mteval-annotations-1"
NO_CAMPAIGN = "Not a campaign exported by mteval"
REMEDY = "Choose a .json file that mteval exported."
CAMPAIGN_KINDS = (Campaign, Category, Control, Mark, Output, Plan, Task, Typology)  # in a campaign file


class _File(Struct, forbid_unknown_fields=True):
    """The whole file. Its campaign is decoded once the format is known."""

    format: Filled
    campaign: dict[str, Any]
    tasks: tuple[Task, ...]


def is_campaign(content: bytes) -> bool:
    """Return whether a file begins as one that ``to_json`` wrote, of whichever version."""
    return re.match(rb'\s*\{\s*"format":\s*"mteval-annotations-', content) is not None


def to_json(campaign: Campaign, tasks: Iterable[Task]) -> str:
    """Return a campaign and its tasks as JSON."""
    values = {**dataclasses.asdict(campaign), "typology": campaign.typology.to_rows()}
    for row, output in zip(values["outputs"], campaign.outputs, strict=True):
        row["digest"] = output.digest
    rows = [dataclasses.asdict(task) for task in tasks]
    for row in (one for task in rows for one in (task, *task["marks"], *task["rejected"])):
        row.pop("id")  # IDs and revisions belong to a database
        row.pop("revision", None)
        for name in ("seconds", "paused", "probability"):  # of tasks that took no time yet, or of all outputs
            if row.get(name, 0) is None:
                del row[name]
    return json.dumps(plain_form({"format": FORMAT, "campaign": values, "tasks": rows}), indent=1)


def from_json(text: str, file: str) -> tuple[Campaign, tuple[Task, ...]]:
    """Read what ``to_json`` wrote.

    Raises
    ------
    InputError
        If the text is not such a file, or a newer version wrote it.
    """
    try:
        form = bounded_json(text, is_strict=True)
    except ValueError as error:
        raise InputError(f"{NO_CAMPAIGN} ({error}). {REMEDY}", file) from error
    written = form.get("format") if isinstance(form, dict) else form
    if written != FORMAT:
        raise InputError(f"{NO_CAMPAIGN}: 'format' is {shown(written)}, not '{FORMAT}'. {REMEDY}", file)
    whole = decoded(form, _File, file)
    typology = decoded(whole.campaign.get("typology"), tuple[Category, ...], file, "campaign.typology")
    values: dict[str, Any] = {"definitions": FIRST} | whole.campaign
    del values["typology"]
    try:
        campaign = replace(decoded(values, Campaign, file, "campaign"), typology=Typology(typology))
        changed_since(campaign.definitions, file)
    except SettingsError as error:
        raise InputError(f"{error} {REMEDY}", file) from error
    _check(campaign, whole.tasks, file)
    return campaign, whole.tasks


def _check(campaign: Campaign, tasks: Iterable[Task], file: str) -> None:
    if wrong := wrong_campaign(campaign):
        raise InputError(f"{wrong}. {REMEDY}", file)
    for task in tasks:
        if wrong := wrong_task(campaign, task):
            where = f"Judgement {task.position + 1} of '{task.annotator}' does not fit the campaign"
            raise InputError(f"{where}: {wrong}. Export the campaign again.", file)
