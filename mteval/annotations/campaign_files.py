"""Error annotations as WMT publishes them: a TSV with one row an error, its span between ``<v>`` and ``</v>``.

Judgements as Pearmut keeps them: three files for its ``add-existing``, with the campaign, progress and answers.

A document that an annotator read in the output of one system is an entry. Spans are counted in UTF-16 units without
line breaks, and end with their last one; what is missing in an output stands right after it.

Errors that raters marked, as WMT's metrics task files them.

A campaign as JSON, with its texts and all that was said: nothing is lost on the way out and in.
"""

import dataclasses
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote_plus

from mteval.annotations.campaigns import (
    CONTROLS,
    PREFERENCES,
    SIDES,
    STRATA,
    WAYS,
    Campaign,
    Control,
    Mark,
    Output,
    Plan,
    Task,
)
from mteval.annotations.typology import SEVERITIES, Category, Typology
from mteval.base.bounded_input import LONGEST_NAME, Table, bounded_json
from mteval.base.characters import starts, units
from mteval.base.errors import InputError, SettingsError
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


FORMAT = "mteval-annotations-1"
REMEDY = "Choose a .json file that was exported here."
UID = re.compile("[0-9a-f]{32}")
LONGEST_DATE = 32  # characters
SHOWN = 40
T = TypeVar("T")


def to_json(campaign: Campaign, tasks: Iterable[Task]) -> str:
    """The campaign and what was said."""
    values = {field.name: getattr(campaign, field.name) for field in dataclasses.fields(campaign)}
    values |= {
        "outputs": [{**dataclasses.asdict(output), "digest": output.digest} for output in campaign.outputs],
        "plan": dataclasses.asdict(campaign.plan),
        "typology": campaign.typology.to_rows(),
        "controls": [dataclasses.asdict(control) for control in campaign.controls],
    }
    rows = [_without_ids(dataclasses.asdict(task)) for task in tasks]
    return json.dumps({"format": FORMAT, "campaign": values, "tasks": rows}, indent=1)


def from_json(text: str, file: str) -> tuple[Campaign, tuple[Task, ...]]:
    """What ``to_json`` wrote.

    Raises
    ------
    InputError
        Where the text is no such file.
    """
    try:
        top = Table({"file": bounded_json(text)}, file).table("file")
        top.text("format")
    except (ValueError, InputError) as error:
        why = error.message if isinstance(error, InputError) else str(error)
        raise InputError(f"The file is no campaign as this program writes it: {why} {REMEDY}", file) from error
    if top.text("format") != FORMAT:
        top.refuse("format", f"'{top.text('format')[:SHOWN]}'", f"'{FORMAT}'. {REMEDY}")
    try:
        campaign = _campaign_json_campaign(Table(top.table("campaign").values, file, "campaign"))
    except SettingsError as error:
        raise InputError(f"{error} {REMEDY}", file) from error
    tasks = tuple(_task(Table(one.values, file, f"tasks[{n}]")) for n, one in enumerate(top.tables("tasks"), start=1))
    _check(campaign, tasks, file)
    return campaign, tasks


def _check(campaign: Campaign, tasks: Iterable[Task], file: str) -> None:
    for task in tasks:
        if not _fits(campaign, task):
            raise InputError(
                f"What '{task.annotator}' said as number {task.position + 1} is about a segment, an output or a span"
                " that the campaign does not have, or is no judgement of this kind. Export the campaign again.",
                file,
            )


def _fits(campaign: Campaign, task: Task) -> bool:
    if (task.output or 0) >= len(campaign.outputs) or task.segment >= len(campaign.references):
        return False
    if (task.output is None) != (campaign.way == "preference"):
        return False
    if task.control is not None and task.control >= len(campaign.controls):
        return False
    ratings = [rating for rating in (task.adequacy, task.fluency, task.score) if rating is not None]
    if not all(0 <= rating <= 100 for rating in ratings):
        return False
    texts = {"source": campaign.shown_source(task), "hypothesis": campaign.shown_output(task)}
    marks = (*task.marks, *task.rejected)
    return all(mark.start < mark.end <= max(1, len(texts[mark.side])) for mark in marks)


def _without_ids(row: dict[str, Any]) -> dict[str, Any]:
    """Ids belong to a database."""
    for kind in ("marks", "rejected"):
        row[kind] = [{key: value for key, value in mark.items() if key != "id"} for mark in row[kind]]
    return {key: value for key, value in row.items() if key != "id"}


def _campaign_json_campaign(values: Table) -> Campaign:
    values.allow([field.name for field in dataclasses.fields(Campaign)])
    if not UID.fullmatch(values.text("uid")):
        values.refuse("uid", f"'{values.text('uid')[:SHOWN]}'", "32 digits and letters from a to f")
    references = tuple(_references(values))
    if not references:
        values.refuse("references", "an empty list", "one list a segment")
    return Campaign(
        uid=values.text("uid"),
        name=values.name("name"),
        way=one_of(WAYS, values.text("way", WAYS)),
        test_set=values.name("test_set"),
        test_set_digest=values.words("test_set_digest", LONGEST_NAME),
        outputs=tuple(map(_output, values.tables("outputs"))),
        references=references,
        source=values.column("source") if values.is_given("source") else None,
        documents=values.column("documents") if values.is_given("documents") else None,
        plan=_plan(values.table("plan")),
        typology=Typology(tuple(map(_category, values.tables("typology")))),
        created_at=values.words("created_at", LONGEST_DATE),
        is_closed=values.flag("is_closed"),
        instructions=values.words("instructions") if "instructions" in values.values else "",
        controls=tuple(map(_control, _tables(values, "controls"))),
    )


def _tables(values: Table, name: str) -> Iterator[Table]:
    """Tables that earlier versions did not write."""
    return values.tables(name) if name in values.values else iter(())


def _control(values: Table) -> Control:
    values.allow([field.name for field in dataclasses.fields(Control)])
    texts = ("source", "hypothesis", "severity", "explanation", "intact", "category")
    given: dict[str, Any] = {name: values.words(name) for name in texts if name in values.values}
    given |= {name: values.place(name) for name in ("start", "end") if name in values.values}
    given |= {name: values.number(name) for name in ("low", "high") if name in values.values}
    return Control(one_of(CONTROLS, values.text("kind", CONTROLS)), **given)


def _references(values: Table) -> Iterator[tuple[str, ...]]:
    """The references of each segment; the first is read where there is no source."""
    entries = {str(number): row for number, row in enumerate(values.listed("references"), start=1)}
    rows = Table(entries, values.file, values.full_key("references"))
    for number in entries:
        texts = rows.column(number)
        if not texts and not values.is_given("source"):
            rows.refuse(number, "an empty list", "at least one reference, where there is no source")
        yield texts


def _output(values: Table) -> Output:
    """An output; what the file says of its digest is not looked at, since texts have the digest that they have."""
    values.allow(("system", "run", "digest", "hypotheses"))
    return Output(values.name("system"), values.name("run"), values.column("hypotheses"))


def _plan(values: Table) -> Plan:
    values.allow([field.name for field in dataclasses.fields(Plan)])
    texts, places = ("chosen_on", "metric", "prefilled_by"), ("random", "improvements", "declines", "shared", "checks")
    given: dict[str, Any] = {name: values.words(name, LONGEST_NAME) for name in texts if name in values.values}
    given |= {name: values.place(name) for name in places if values.is_given(name)}
    given |= {"seed": values.whole("seed")} if "seed" in values.values else {}
    given |= {"by_document": values.flag("by_document")} if "by_document" in values.values else {}
    return Plan(**given)


def _category(values: Table) -> Category:
    values.allow([field.name for field in dataclasses.fields(Category)])
    weights = {name: values.number(name) for name in ("minor", "major", "critical") if name in values.values}
    return Category(values.name("name"), **weights)


def _task(values: Table) -> Task:
    values.allow([field.name for field in dataclasses.fields(Task)])
    preference = values.text("preference", PREFERENCES) if values.is_given("preference") else None
    scales = ("adequacy", "fluency", "score")
    said: dict[str, Any] = {name: values.number(name) for name in scales if values.is_given(name)}
    said |= {name: values.flag(name) for name in ("is_swapped", "is_complete") if name in values.values}
    return Task(
        annotator=values.name("annotator"),
        position=values.place("position"),
        segment=values.place("segment"),
        stratum=one_of(STRATA, values.text("stratum", STRATA)),
        output=values.place("output") if values.is_given("output") else None,
        preference=None if preference is None else one_of(PREFERENCES, preference),
        updated_at=values.words("updated_at", LONGEST_DATE) if "updated_at" in values.values else "",
        marks=tuple(map(_mark, values.tables("marks"))),
        comment=values.words("comment") if "comment" in values.values else "",
        rejected=tuple(map(_mark, _tables(values, "rejected"))),
        control=values.place("control") if values.is_given("control") else None,
        **said,
    )


def _mark(values: Table) -> Mark:
    values.allow([field.name for field in dataclasses.fields(Mark)])
    return Mark(
        one_of(SIDES, values.text("side", SIDES)),
        values.place("start"),
        values.place("end"),
        values.words("category", LONGEST_NAME),
        values.text("severity", SEVERITIES),
        values.words("comment") if "comment" in values.values else "",
        weight=values.number("weight") if values.is_given("weight") else None,
        origin=values.words("origin", LONGEST_NAME) if "origin" in values.values else "",
        suggested=values.words("suggested", LONGEST_NAME) if "suggested" in values.values else "",
    )


def one_of(choices: Sequence[T], value: str) -> T:
    """The choice that a text names, which is known to be one of them."""
    return next(choice for choice in choices if choice == value)
