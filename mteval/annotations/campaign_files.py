"""Campaigns and their judgements as files: mteval's JSON, WMT's MQM tables and ratings, and Pearmut's format.

mteval's JSON is lossless. WMT's table has one row per error, its span between ``<v>`` and ``</v>``; its ratings have
one line per output and rater. Pearmut's ``add-existing`` takes three files: campaign, progress and annotations. There a
document read in the output of one system is an entry. Spans are counted in UTF-16 units and have an inclusive end;
missing words are marked after the text. Appraise takes batches of 100 items.
"""

import dataclasses
import html
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle, groupby, islice
from typing import Any, TypeVar
from urllib.parse import quote_plus

from msgspec import Struct

from mteval.annotations.campaigns import Campaign, Control, Mark, Output, Plan, Task
from mteval.annotations.protocol import plain_form, wrong_campaign, wrong_task
from mteval.annotations.typology import Category, Typology
from mteval.base.bounded_input import Filled, bounded_json, decoded, shown
from mteval.base.errors import InputError, SettingsError
from mteval.base.words import inert, starts, units
from mteval.values.definitions import FIRST, changed_since
from mteval.values.judgements import CAMPAIGN_FORMATS, Judgement, RatedError

# The columns of WMT's table of errors
MQM_COLUMNS = (
    "system",
    "doc",
    "docSegId",
    "globalSegId",
    "rater",
    "source",
    "target",
    "category",
    "severity",
    "metadata",
)
TEXT_COLUMNS = ("source", "target")
NO_ERROR = "No-error"
# Control characters and line ends, each as one space
_FLAT = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029), " ")

RATED = ("start", "end", "category", "severity", "score")  # in a rating; errors without a score have none

SCORE = "esa"  # the scale of the unnamed slider
# For each way of working, Pearmut's protocol and its sliders
PEARMUT_WAYS = {
    "rating": ("DA", ("adequacy", "fluency")),
    "errors": ("MQM", ()),
    "esa": ("ESA", (SCORE,)),
}
BATCH = 100  # items; Appraise skips batches of other sizes

FORMAT = f"{CAMPAIGN_FORMATS}1"
NO_CAMPAIGN = "Not a campaign exported by mteval"
REMEDY = "Choose a .json file that mteval exported."
CAMPAIGN_KINDS = (Campaign, Category, Control, Mark, Output, Plan, Task, Typology)  # in a campaign file

Entry = dict[str, Any]
Key = TypeVar("Key")


def mqm_table(rows: Iterable[Sequence[str]]) -> str:
    """Return the table. Each control character and line end becomes a space, so that spans keep their places.

    Names and comments that spreadsheets would take for a formula are quoted by ``'``, which ``read_mqm`` removes. Texts
    are not, since other programs read them.

    Parameters
    ----------
    rows
        One per error, or with the category ``NO_ERROR`` the statement that there is none; columns as in
        ``MQM_COLUMNS``.
    """
    lines = ["\t".join(MQM_COLUMNS)]
    for row in rows:
        cells = []
        for name, cell in zip(MQM_COLUMNS, row, strict=True):
            flat = cell.translate(_FLAT)
            if name not in TEXT_COLUMNS:
                flat = inert(flat)
            cells.append(flat)
        lines.append("\t".join(cells))
    return "".join(f"{line}\n" for line in lines)


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
    entries_of: dict[str, list[Entry]] = {}
    for (annotator, _, _), judgements_of_document in _grouped(judgements, _entry_key).items():
        entries = entries_of.setdefault(annotator, [])
        entries.append(_entry(annotator, len(entries), judgements_of_document, sources))

    scales = dict.fromkeys(judgement.scale for judgement in judgements)
    protocol = "ESA" if SCORE in scales else "DA"
    items_of = {}
    progress_of = {}
    all_entries = []
    for annotator, entries in entries_of.items():
        items_of[annotator] = [entry["item"] for entry in entries]
        progress_of[annotator] = _progress(name, annotator, len(entries))
        all_entries += entries
    files = {
        "campaigns.json": [{"campaign_id": name, "info": _info(protocol, scales), "data": items_of}],
        "progress.json": {name: progress_of},
        "annotations.json": {name: all_entries},
    }
    return {file: json.dumps(content, ensure_ascii=False, indent=1) for file, content in files.items()}


def _entry_key(judgement: Judgement) -> tuple[str, str, str]:
    """Return what judgements in one entry have in common: annotator, document (or segment without one) and system."""
    return judgement.annotator, judgement.document or judgement.segment, judgement.system


def _entry(annotator: str, number: int, judgements: Sequence[Judgement], sources: Mapping[str, str]) -> Entry:
    """Return the answers of an annotator about a document in the output of one system."""
    items = []
    answers = []
    for segment, judgements_of_segment in _grouped(judgements, lambda judgement: judgement.segment).items():
        first = judgements_of_segment[0]
        item = {
            "item_id": f"{first.document or ''}_#_{segment}",
            "src": sources[segment],
            "tgt": {first.system: first.hypothesis or ""},
        }
        items.append(item)
        answers.append({first.system: _answer(judgements_of_segment)})
    return {"annotation": answers, "actions": [], "item": items, "user_id": annotator, "item_i": number}


def _answer(judgements: Sequence[Judgement]) -> Entry:
    """Return the score, errors and sliders of one output, whose judgements are one per scale."""
    first = judgements[0]
    unit_starts = starts(first.hypothesis or "")
    values = {judgement.scale: judgement.value for judgement in judgements}
    answer: Entry = {
        "score": values.get(SCORE),
        "error_spans": [_span(error, unit_starts) for error in first.errors],
    }
    sliders = {scale.capitalize(): value for scale, value in values.items() if scale != SCORE}
    if sliders:
        answer["sliders"] = sliders
    return answer


def _span(error: RatedError | Mark, unit_starts: tuple[int, ...]) -> Entry:
    """Return an error span in UTF-16 units; missing words and errors in the source are marked after the text.

    Parameters
    ----------
    unit_starts
        The first unit of each character of the output, then the number of units.
    """
    if error.side == "source" or not error.end:  # errors without a position go there, too
        start = end = unit_starts[-1]
    else:
        start, end = units(unit_starts, error.start, error.end)
    return {"start_i": start, "end_i": end, "category": error.category or None, "severity": error.severity}


def _progress(name: str, annotator: str, n_entries: int) -> Entry:
    """Return a completed progress. Times are unknown."""
    return {
        "progress": ["completed"] * n_entries,
        "progress_welcome": [],
        "progress_goodbye": [],
        "time_start": None,
        "time_end": None,
        "time": 0,
        "url": f"annotate?campaign_id={quote_plus(name)}&user_id={quote_plus(annotator)}",
        "token_correct": "",
        "token_incorrect": "",
        "note": None,
    }


def _grouped(judgements: Iterable[Judgement], key_of: Callable[[Judgement], Key]) -> dict[Key, list[Judgement]]:
    """Group judgements by a key, in their order."""
    groups: dict[Key, list[Judgement]] = {}
    for judgement in judgements:
        groups.setdefault(key_of(judgement), []).append(judgement)
    return groups


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
    pages_of: dict[str, list[list[Entry]]] = {}
    # Tasks are in the order of judging, so the outputs of one page are adjacent
    for (annotator, _, _, _), page in groupby(tasks, partial(_page_key, campaign)):
        items = []
        for _, tasks_of_segment in groupby(page, lambda task: task.segment):
            items.append(_item(campaign, list(tasks_of_segment)))
        pages_of.setdefault(annotator, []).append(items)

    protocol, scales = PEARMUT_WAYS[campaign.way]
    if campaign.plan.side_by_side:
        protocol = "cESA"
    info = _info(protocol, scales)
    if campaign.instructions:
        info["instructions"] = html.escape(campaign.instructions)
    content = {"campaign_id": f"mteval-{campaign.uid[:8]}", "info": info, "data": list(pages_of.values())}
    return json.dumps(content, ensure_ascii=False, indent=1)


def _page_key(campaign: Campaign, task: Task) -> tuple[str, str | int, int | None, int | None]:
    """Return what tasks on one page have in common: annotator, document or segment, output, and control item."""
    piece: str | int = task.segment
    if campaign.plan.by_document and campaign.documents and task.control is None:
        piece = campaign.documents[task.segment]
    output = task.output
    if campaign.plan.side_by_side:
        output = None
    return task.annotator, piece, output, task.control


def _item(campaign: Campaign, tasks: Sequence[Task]) -> Entry:
    """Return the item of one output, or of several side by side, which Pearmut logs as mteval needs it."""
    first = tasks[0]
    document = None
    if campaign.documents:
        document = campaign.documents[first.segment]
    targets: dict[str, str] = {}
    spans: dict[str, list[Entry]] = {}
    outputs: dict[str, list[tuple[str, str]]] = {}
    item: Entry = {
        "item_id": f"{document or campaign.test_set}_#_{first.segment + 1}",
        "src": campaign.shown_source(first),
        "tgt": targets,
        "error_spans": spans,
        "mteval": {
            "annotator": first.annotator,
            "segment": str(first.segment + 1),
            "document": document,
            "probability": campaign.probability(first),
            "outputs": outputs,
        },
    }
    for task in tasks:
        if task.control is None:
            name = _shown_name(campaign, task.output or 0)
        else:
            control = campaign.controls[task.control]
            name = control.kind
            slider = "score" if campaign.way == SCORE else "Adequacy"
            item["item_id"] = f"{name}_#_{task.position}"
            item["validation"] = {name: {slider: (control.low, control.high)}}
        text = campaign.shown_output(task)
        unit_starts = starts(text)
        alike = [campaign.outputs[output] for output in campaign.alike(task)]
        targets[name] = text
        spans[name] = [_span(mark, unit_starts) for mark in task.marks]
        outputs[name] = [(output.system, output.run) for output in alike]
    return item


def _shown_name(campaign: Campaign, output: int) -> str:
    """Return the name of an output: not digits alone, which Pearmut refuses."""
    return f"{campaign.outputs[output].system} · {campaign.outputs[output].run}"


def _info(protocol: str, scales: Collection[str]) -> Entry:
    """Return how a campaign is shown in Pearmut. ESA's slider has no name."""
    info: Entry = {"assignment": "task-based", "protocol": protocol, "shuffle": False}
    if SCORE not in scales:
        info["sliders"] = [{"name": scale.capitalize(), "min": 0, "max": 100, "step": 1} for scale in scales]
    return info


def appraise_batches(campaign: Campaign, tasks: Sequence[Task]) -> str:
    """Return a campaign to be judged in Appraise, as ``StartNewCampaign --batches-json`` takes it.

    Each annotator's tasks fill batches; the last one ends with repeats of their first tasks. Attention checks are bad
    references; practice and pairs of the same text are skipped. The task type is ``PairwiseDocument`` for preferences,
    else ``Document``.
    """
    make_item = _appraise_pair if campaign.way == "preference" else _appraise_item
    batches: list[Entry] = []
    for annotator in dict.fromkeys(task.annotator for task in tasks):
        own = []
        for task in tasks:
            if task.annotator == annotator and task.stratum != "training" and not task.is_automatic:
                own.append(task)
        for first in range(0, len(own), BATCH):
            # The tasks from here on, then all of the annotator's over and over, until the batch is full
            unread = own[first : first + BATCH]
            batch = islice(cycle((*unread, *own)), BATCH)
            items = []
            for number, task in enumerate(batch):
                items.append({"_item": number, **make_item(campaign, task, number)})
            batch_task = {
                "batchNo": len(batches) + 1,
                "batchSize": BATCH,
                "randomSeed": campaign.plan.seed,
                "requiredAnnotations": 1,
            }
            batches.append({"items": items, "task": batch_task})
    return json.dumps(batches, ensure_ascii=False, indent=1)


def _appraise_place(campaign: Campaign, task: Task, number: int) -> Entry:
    """Return where an item belongs, and whether it is a bad reference."""
    document = f"{campaign.test_set}#{task.segment + 1}"
    if campaign.documents:
        document = campaign.documents[task.segment]
    kind = "TGT" if task.control is None else "BAD"
    return {"documentID": document, "isCompleteDocument": False, "itemID": number + 1, "itemType": kind}


def _appraise_item(campaign: Campaign, task: Task, number: int) -> Entry:
    """Return the item of one output, with the errors marked beforehand."""
    text = campaign.shown_output(task)
    # Appraise strips the text, so its units count from the first character that is not a space.
    n_stripped = len(text) - len(text.lstrip())
    unit_starts = tuple(max(0, start - n_stripped) for start in starts(text))
    spans: list[Entry] = []
    for mark in task.marks:
        start: int | str = "missing"
        end: int | str = "missing"
        if mark.side != "source":
            start, end = units(unit_starts, mark.start, mark.end)
        spans.append({"start_i": start, "end_i": end, "severity": mark.severity})
    return {
        **_appraise_place(campaign, task, number),
        "sourceID": campaign.test_set,
        "sourceText": campaign.shown_source(task),
        "targetID": _shown_name(campaign, task.output or 0),
        "targetText": text,
        "mqm": spans,
    }


def _appraise_pair(campaign: Campaign, task: Task, number: int) -> Entry:
    """Return the item of two outputs, in the order in which they are shown."""
    outputs = (1, 0) if task.is_swapped else (0, 1)
    targets = []
    for place, output in enumerate(outputs):
        target = {
            "_itemAll": 2 * number + place,
            "_target": place,
            "targetID": _shown_name(campaign, output),
            "targetText": campaign.shown_output(task, output),
        }
        targets.append(target)
    return {
        **_appraise_place(campaign, task, number),
        "segmentID": campaign.test_set,
        "segmentText": campaign.shown_source(task),
        "targets": targets,
        "targetsSize": len(targets),
    }


def seg_rating(lines: Iterable[tuple[str, str, Iterable[RatedError] | None]]) -> str:
    """Return a ``.seg.rating`` file: one line per segment with the system, None or errors as JSON, and the rater.

    Parameters
    ----------
    lines
        System, rater and marked errors of each output; None instead of errors if the rater did not read it.
    """
    written = []
    for system, rater, errors in lines:
        rating = "None"
        if errors is not None:
            rating = json.dumps({"errors": [_rated(error) for error in errors]})
        written.append(f"{_flat_name(system)}\t{rating}\t{_flat_name(rater)}\n")
    return "".join(written)


def _flat_name(name: str) -> str:
    """Return a name with single spaces between its words."""
    return " ".join(name.translate(_FLAT).split())


def _rated(error: RatedError) -> Entry:
    """Return the fields of an error that have a value, and whether the error is in the source."""
    row: Entry = {}
    for name in RATED:
        value = getattr(error, name)
        if value is not None:
            row[name] = value
    row["is_source_error"] = error.side == "source"
    return row


class _File(Struct, forbid_unknown_fields=True):
    """The whole file. Its campaign is decoded once the format is known."""

    format: Filled
    campaign: dict[str, Any]
    tasks: tuple[Task, ...]


def to_json(campaign: Campaign, tasks: Iterable[Task]) -> str:
    """Return a campaign and its tasks as JSON."""
    values = dataclasses.asdict(campaign)
    values["typology"] = campaign.typology.to_rows()
    for row, output in zip(values["outputs"], campaign.outputs, strict=True):
        row["digest"] = output.digest
    rows = [dataclasses.asdict(task) for task in tasks]
    for task_row in rows:
        for row in (task_row, *task_row["marks"], *task_row["rejected"]):
            row.pop("id")  # IDs and revisions belong to a database
            row.pop("revision", None)
        for name in ("seconds", "paused", "probability"):  # of tasks that took no time yet, or of all outputs
            if task_row[name] is None:
                del task_row[name]
        if not task_row["is_automatic"]:
            del task_row["is_automatic"]
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
    file_format = form.get("format") if isinstance(form, dict) else form
    if file_format != FORMAT:
        raise InputError(f"{NO_CAMPAIGN}: 'format' is {shown(file_format)}, not '{FORMAT}'. {REMEDY}", file)
    content = decoded(form, _File, file)
    categories = decoded(content.campaign.get("typology"), tuple[Category, ...], file, "campaign.typology")
    # Files of earlier versions state no definitions
    values: dict[str, Any] = {"definitions": FIRST} | content.campaign
    del values["typology"]
    try:
        without_typology = decoded(values, Campaign, file, "campaign")
        campaign = replace(without_typology, typology=Typology(categories))
        changed_since(campaign.definitions, file)  # raises if they are newer
    except SettingsError as error:
        raise InputError(f"{error} {REMEDY}", file) from error
    tasks = tuple(_with_automatic(campaign, task) for task in content.tasks)
    _check(campaign, tasks, file)
    return campaign, tasks


def _with_automatic(campaign: Campaign, task: Task) -> Task:
    """Tell an answer that nobody gave, which files of earlier versions do not."""
    is_given = task.preference == "equal" and task.is_complete and task.updated_at == ""
    is_pair = task.output is None and task.control is None and task.segment < len(campaign.references)
    if is_given and is_pair and campaign.is_same_text(task.segment):
        return replace(task, is_automatic=True)
    return task


def _check(campaign: Campaign, tasks: Iterable[Task], file: str) -> None:
    """Raise an error if the campaign, or a judgement of it, could not have been exported."""
    wrong = wrong_campaign(campaign)
    if wrong:
        raise InputError(f"{wrong}. {REMEDY}", file)
    for task in tasks:
        wrong = wrong_task(campaign, task)
        if wrong:
            where = f"Judgement {task.position + 1} of '{task.annotator}' does not fit the campaign"
            raise InputError(f"{where}: {wrong}. Export the campaign again.", file)
