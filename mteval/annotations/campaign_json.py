"""A campaign as JSON, with its texts and all that was said: nothing is lost on the way out and in."""

import dataclasses
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

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
from mteval.base.errors import InputError, SettingsError

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
        campaign = _campaign(Table(top.table("campaign").values, file, "campaign"))
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


def _campaign(values: Table) -> Campaign:
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
