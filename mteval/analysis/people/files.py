"""Start campaigns on loaded outputs, and export them to WMT's and Pearmut's formats."""

import uuid
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

from mteval.analysis.people.judgements import judgements_of_campaign, rated_errors
from mteval.annotations import Campaign, Output, Plan, Task, Typology
from mteval.annotations.campaign_files import NO_ERROR, mqm_table, pearmut_files, seg_rating
from mteval.annotations.campaigns import Way
from mteval.values.model import Run, TestSet


def campaign_on(
    test_set: TestSet, name: str, way: Way, runs: Sequence[Run], plan: Plan, typology: Typology
) -> Campaign:
    """Create a campaign about runs of a test set.

    Raises
    ------
    SettingsError
        If the campaign's settings are invalid.
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
    """Return the finished tasks of a campaign of marked errors as WMT's table."""
    counts: dict[str, Iterator[int]] = defaultdict(count)  # segment numbers within documents
    numbers = [next(counts[document]) for document in campaign.documents or [""] * len(campaign.references)]
    return mqm_table(
        line
        for task in tasks
        if task.is_complete and task.control is None
        for output in campaign.alike(task)
        for line in _lines(campaign, replace(task, output=output), numbers[task.segment])
    )


def _lines(campaign: Campaign, task: Task, number: int) -> Iterator[Sequence[str]]:
    """Yield one row per error, or one row that states that there is none."""
    output = campaign.outputs[task.output or 0]
    document = campaign.documents[task.segment] if campaign.documents else campaign.test_set
    where = output.system, document, str(number + 1), str(task.segment + 1), task.annotator
    texts = {"source": campaign.source_text(task.segment), "hypothesis": output.hypotheses[task.segment]}
    for one in task.marks:
        text = texts[one.side]
        marked = texts | {one.side: f"{text[: one.start]}<v>{text[one.start : one.end]}</v>{text[one.end :]}"}
        yield *where, *marked.values(), one.category or NO_ERROR, one.severity or NO_ERROR, one.comment
    if not task.marks:
        yield *where, *texts.values(), NO_ERROR, NO_ERROR, task.comment


def rating_files(campaign: Campaign, tasks: Sequence[Task]) -> dict[str, str]:
    """Return each annotator's errors in WMT's ``.seg.rating`` format, by anonymous file name."""
    done = [task for task in tasks if task.is_complete and task.control is None]
    names, files = _output_names(campaign), {}
    for number, annotator in enumerate(dict.fromkeys(task.annotator for task in done), start=1):
        said = [task for task in done if task.annotator == annotator]
        own = {(output, task.segment): task for task in said for output in campaign.alike(task)}
        places = [(index, segment) for index in range(len(names)) for segment in range(len(campaign.references))]
        found = (own.get(place) for place in places)
        errors = (None if task is None else rated_errors(campaign, task) for task in found)
        lines = ((names[at], annotator, one) for (at, _), one in zip(places, errors, strict=True))
        files[f"rater{number}.seg.rating"] = seg_rating(lines)
    return files


def pearmut_export(campaign: Campaign, tasks: Sequence[Task]) -> dict[str, str]:
    """Return the scored judgements in Pearmut's format, by file name."""
    names = _output_names(campaign)
    outputs = tuple(replace(output, system=name) for output, name in zip(campaign.outputs, names, strict=True))
    judgements = judgements_of_campaign(replace(campaign, outputs=outputs), tasks)
    sources = {str(place + 1): campaign.source_text(place) for place in range(len(campaign.references))}
    return pearmut_files(f"mteval-{campaign.uid[:8]}", judgements, sources)


def _output_names(campaign: Campaign) -> list[str]:
    """Return the system names of the outputs, with the run if a system has several."""
    names = [output.system for output in campaign.outputs]
    return [
        output.system if names.count(output.system) == 1 else f"{output.system} {output.run}"
        for output in campaign.outputs
    ]
