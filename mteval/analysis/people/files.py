"""Campaigns from files, and between campaigns and WMT's tables of errors."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from mteval.annotations import (
    DEFAULT_TYPOLOGY,
    SEVERITIES,
    Campaign,
    Category,
    Control,
    Mark,
    Output,
    Plan,
    Task,
    Typology,
    from_json,
)
from mteval.annotations.campaigns import Side, Way
from mteval.errors import DataError
from mteval.export.mqm import MqmLine, mqm_table
from mteval.model import Run, TestSet
from mteval.readers import InputFile
from mteval.readers.formats.mqm import MqmRow
from mteval.readers.formats.text import decode

CAMPAIGN_KINDS = (Campaign, Category, Control, Mark, Output, Plan, Task, Typology)  # what is in one that was read


@dataclass(frozen=True)
class ReadBack:
    """A campaign made from a table of errors, and how many of its rows fit no segment of the test set."""

    campaign: Campaign
    tasks: tuple[Task, ...]
    n_rows: int
    n_left_out: int


def read_campaign(file: InputFile) -> tuple[Campaign, tuple[Task, ...]]:
    """A campaign as it was exported, and what was said.

    Raises
    ------
    InputError
        Where the file is none.
    """
    return from_json(decode(file.content, file.name), file.name)


def campaign_on(
    test_set: TestSet, name: str, way: Way, runs: Sequence[Run], plan: Plan, typology: Typology
) -> Campaign:
    """A new campaign about runs of a test set.

    Raises
    ------
    SettingsError
        As ``Campaign`` does.
    """
    return Campaign(
        uid=uuid.uuid4().hex,
        name=name,
        way=way,
        test_set=test_set.name,
        test_set_digest=test_set.digest,
        outputs=tuple(Output(run.system, run.key, run.hypotheses) for run in runs),
        references=test_set.references,
        source=test_set.source,
        documents=test_set.documents,
        plan=plan,
        typology=typology,
    )


def mqm_text(campaign: Campaign, tasks: Sequence[Task]) -> str:
    """WMT's table of what is done in a campaign of marked errors."""
    numbers = _document_numbers(campaign)
    return mqm_table(
        line
        for task in tasks
        if task.is_complete and task.control is None
        for line in _lines(campaign, task, numbers[task.segment])
    )


def _document_numbers(campaign: Campaign) -> list[int]:
    """Place of each segment in its document."""
    seen: dict[str, int] = {}
    numbers = []
    for document in campaign.documents or campaign.references:
        key = document if isinstance(document, str) else ""
        numbers.append(seen.get(key, 0))
        seen[key] = numbers[-1] + 1
    return numbers


def _lines(campaign: Campaign, task: Task, number: int) -> list[MqmLine]:
    output = campaign.outputs[task.output or 0]
    where = (
        output.system,
        campaign.documents[task.segment] if campaign.documents else campaign.test_set,
        number,
        task.segment,
        task.annotator,
        campaign.source_text(task.segment),
        output.hypotheses[task.segment],
    )
    if not task.marks:
        return [MqmLine(*where, comment=task.comment)]
    return [
        MqmLine(*where, one.category, one.severity, one.side, one.start, one.end, one.comment) for one in task.marks
    ]


def campaign_of_mqm(rows: Sequence[MqmRow], test_set: TestSet, name: str) -> ReadBack:
    """A campaign of marked errors from WMT's table, its systems matched by name and its rows by their target text.

    Raises
    ------
    DataError
        Where no row fits the test set.
    """
    runs = {system: _best_run(rows, test_set, system) for system in dict.fromkeys(row.system for row in rows)}
    found = {system: run for system, run in runs.items() if run is not None}
    tasks: dict[tuple[str, int, int], list[MqmRow]] = {}
    for row in rows:
        run = found.get(row.system)
        if run is not None and _fits(row, run):
            tasks.setdefault((row.rater, list(found).index(row.system), row.segment), []).append(row)
    if not tasks:
        raise DataError(
            f"No row of '{name}' fits test set '{test_set.name}': neither systems nor target texts are the same. Load"
            " the outputs that were annotated, under the names of the table."
        )
    plan = Plan(random=len({segment for _, _, segment in tasks}))
    typology = DEFAULT_TYPOLOGY.extended(row.category for row in rows if row.is_error)
    campaign = campaign_on(test_set, name, "errors", tuple(found.values()), plan, typology)
    kept = sum(len(of_task) for of_task in tasks.values())
    return ReadBack(campaign, _tasks(campaign, tasks), len(rows), len(rows) - kept)


def _best_run(rows: Sequence[MqmRow], test_set: TestSet, system: str) -> Run | None:
    """The run of that system that most rows fit."""
    own = [row for row in rows if row.system == system]
    counts = [(sum(_fits(row, run) for row in own), run) for run in test_set.runs_of(system)]
    best = max(counts, key=lambda pair: pair[0], default=(0, None))
    return best[1] if best[0] else None


def _fits(row: MqmRow, run: Run) -> bool:
    return row.segment < len(run.hypotheses) and run.hypotheses[row.segment].replace("\t", " ") == row.target


def _tasks(campaign: Campaign, rows: dict[tuple[str, int, int], list[MqmRow]]) -> tuple[Task, ...]:
    counts: dict[str, int] = {}
    tasks = []
    for (rater, output, segment), of_task in rows.items():
        counts[rater] = counts.get(rater, -1) + 1
        marks = tuple(_mark(campaign, row, output) for row in of_task if row.is_error)
        tasks.append(Task(rater, counts[rater], segment, "random", output, is_complete=True, marks=marks))
    return tuple(tasks)


def _mark(campaign: Campaign, row: MqmRow, output: int) -> Mark:
    """An error; one without a span, or whose source is another text than the campaign's, is one of the whole output."""
    side: Side = "source" if row.side == "source" else "hypothesis"
    start, end = row.start, row.end
    is_elsewhere = side == "source" and campaign.source_text(row.segment) != row.source
    if row.side is None or is_elsewhere or start >= end:
        side, start, end = "hypothesis", 0, max(1, len(campaign.outputs[output].hypotheses[row.segment]))
    severity = row.severity.lower() if row.severity.lower() in SEVERITIES else "neutral"
    return Mark(side, start, end, row.category, severity)
