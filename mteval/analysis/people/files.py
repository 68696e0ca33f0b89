"""Import judgements of loaded outputs as campaigns, and export campaigns to WMT's and Pearmut's formats."""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from mteval.analysis.people.judgements import RATED, judgements_of_campaign, rated_errors
from mteval.analysis.people.marked_errors import Texts
from mteval.annotations import DEFAULT_TYPOLOGY, SEVERITIES, Campaign, Mark, Output, Plan, Task, Typology
from mteval.annotations.campaign_files import NO_ERROR, mqm_table, pearmut_files, seg_rating
from mteval.annotations.campaigns import Way
from mteval.base.errors import DataError
from mteval.readers.assembly.judgements import read_judgements
from mteval.readers.documents import InputFile
from mteval.readers.formats.judgement_tables import MqmRow
from mteval.values.judgements import MQM, Judgement, RatedError, in_characters
from mteval.values.model import Run, TestSet

SCALES: dict[Way, tuple[str, ...]] = {"rating": ("adequacy", "fluency"), "errors": (MQM,), "esa": ("esa", "score")}
_Task = tuple[str, int, int]  # annotator, output, segment


@dataclass(frozen=True)
class ReadBack:
    """A campaign made from a file, and how many of its rows match no loaded output."""

    campaign: Campaign
    tasks: tuple[Task, ...]
    n_rows: int
    n_left_out: int


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
        for line in _lines(campaign, task, numbers[task.segment])
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


def campaign_of_mqm(rows: Sequence[MqmRow], test_set: TestSet, name: str) -> ReadBack:
    """Create a campaign of marked errors from WMT's table; systems match by name, rows by target text.

    Raises
    ------
    DataError
        If no row matches the test set.
    """
    found = dict[str, Run]()  # per system, the run that matches most rows
    for system in dict.fromkeys(row.system for row in rows):
        own = [row for row in rows if row.system == system]
        counts = [(sum(_fits(row, run) for row in own), run) for run in test_set.runs_of(system)]
        n_fit, best = max(counts, key=lambda pair: pair[0], default=(0, None))
        if best is not None and n_fit:
            found[system] = best
    tasks: dict[_Task, list[MqmRow]] = {}
    for row in rows:
        run = found.get(row.system)
        if run is not None and _fits(row, run):
            tasks.setdefault((row.rater, list(found).index(row.system), row.segment), []).append(row)
    if not tasks:
        raise DataError(
            f"No row of '{name}' matches an output on test set '{test_set.name}'. Load the annotated outputs, with the"
            " system names of the table."
        )
    plan = Plan(random=len({segment for _, _, segment in tasks}))
    typology = DEFAULT_TYPOLOGY.extended(row.category for row in rows if row.is_error)
    campaign = campaign_on(test_set, name, "errors", tuple(found.values()), plan, typology)
    said = {place: [_judgement(campaign, place, of_task)] for place, of_task in tasks.items()}
    kept = sum(len(of_task) for of_task in tasks.values())
    return ReadBack(campaign, tuple(_campaign_tasks(campaign, said)), len(rows), len(rows) - kept)


def _fits(row: MqmRow, run: Run) -> bool:
    return row.segment < len(run.hypotheses) and run.hypotheses[row.segment].replace("\t", " ") == row.target


def _judgement(campaign: Campaign, place: _Task, rows: Sequence[MqmRow]) -> Judgement:
    """Return an annotator's judgement of an output.

    An error in a source that differs from the campaign's has no position.
    """
    annotator, output, segment = place
    source = campaign.source_text(segment)
    errors = (
        RatedError(row.category, row.severity)
        if row.side is None or row.start >= row.end or (row.side == "source" and row.source != source)
        else RatedError(row.category, row.severity, row.side, row.start, row.end)
        for row in rows
        if row.is_error
    )
    return Judgement(annotator, campaign.outputs[output].system, str(segment + 1), MQM, 0.0, errors=tuple(errors))


def read_judged(file: InputFile) -> tuple[Judgement, ...]:
    """Read the judgements of a file.

    Raises
    ------
    MtevalError
        If the file has no judgements or cannot be read.
    """
    return read_judgements([file]).judgements


def campaign_of_judgements(judgements: Sequence[Judgement], test_set: TestSet, name: str) -> ReadBack:
    """Create a campaign from judgements; systems match by name, segments by name or text.

    Raises
    ------
    DataError
        If the scales do not suit a campaign, or no judgement belongs to a loaded output.
    """
    way = _way(judgements)
    texts = Texts.of(test_set)
    found = [(one, run, place) for one in judgements for run, place in [_read(texts, one)] if run is not None]
    if not found:
        raise DataError(
            f"No judgement in '{name}' matches an output on test set '{test_set.name}'. Load the judged outputs, with"
            " the system names of the file."
        )
    outputs = list(dict.fromkeys(run for _, run, _ in found))
    said: dict[_Task, list[Judgement]] = {}
    for one, run, place in found:
        said.setdefault((one.annotator, outputs.index(run), place), []).append(one)
    plan = Plan(random=len({place for _, _, place in said}))
    typology = DEFAULT_TYPOLOGY.extended(error.category for one in judgements for error in one.errors)
    campaign = campaign_on(test_set, name, way, outputs, plan, typology)
    return ReadBack(campaign, tuple(_campaign_tasks(campaign, said)), len(judgements), len(judgements) - len(found))


def _way(judgements: Iterable[Judgement]) -> Way:
    scales = {one.scale for one in judgements}
    for way, own in SCALES.items():
        if scales and scales <= set(own) and (way != "esa" or len(scales) == 1):
            return way
    raise DataError(
        f"A campaign cannot hold judgements on these scales: {', '.join(sorted(scales)) or 'none'}. It needs adequacy"
        " and fluency, MQM, or one score (esa). For other scales, load the file on the Load page and open People."
    )


def _read(texts: Texts, judgement: Judgement) -> tuple[Run | None, int]:
    """Return the judged run and segment; a segment with an unknown name is found by its text, if unique."""
    run = texts.judged_run(judgement)
    if run is not None or judgement.segment in texts.places or judgement.hypothesis is None:
        return run, texts.places.get(judgement.segment, 0)
    same = [
        (one, place)
        for one in texts.test_set.runs_of(judgement.system)
        for place, text in enumerate(one.hypotheses)
        if text == judgement.hypothesis
    ]
    return same[0] if len(same) == 1 else (None, 0)


def _campaign_tasks(campaign: Campaign, said: dict[_Task, list[Judgement]]) -> Iterator[Task]:
    numbers: dict[str, Iterator[int]] = defaultdict(count)
    for (annotator, output, segment), of_output in said.items():
        number = next(numbers[annotator])
        errors = next((one.errors for one in of_output if one.errors), ())
        errors = in_characters(errors, campaign.outputs[output].hypotheses[segment])
        marks = tuple(_campaign_mark(campaign, error, output, segment) for error in errors)
        ratings = dict[str, float]()  # the last of repeated ratings
        for one in of_output if campaign.way in RATED else ():
            if not 0 <= one.value <= 100:
                raise DataError(
                    f"'{one.annotator}' gave segment {one.segment} of '{one.system}' {one.value:g} on the scale"
                    f" {one.scale}. Scores must be from 0 to 100."
                )
            ratings[one.scale if one.scale in SCALES["rating"] else "score"] = one.value
        adequacy, fluency, score = (ratings.get(name) for name in ("adequacy", "fluency", "score"))
        task = Task(annotator, number, segment, "random", output, is_complete=True, marks=marks)
        yield replace(task, adequacy=adequacy, fluency=fluency, score=score)


def _campaign_mark(campaign: Campaign, error: RatedError, output: int, segment: int) -> Mark:
    """Return an error as a mark; one without a position covers the whole text."""
    source = campaign.source_text(segment)
    text = source if error.side == "source" else campaign.outputs[output].hypotheses[segment]
    start, end = (error.start, error.end) if error.start < error.end <= len(text) else (0, max(1, len(text)))
    severity = error.severity.lower() if error.severity.lower() in SEVERITIES else "neutral"
    return Mark(error.side, start, end, error.category, severity, weight=error.score)


def rating_files(campaign: Campaign, tasks: Sequence[Task]) -> dict[str, str]:
    """Return each annotator's errors in WMT's ``.seg.rating`` format, by anonymous file name."""
    done = [task for task in tasks if task.is_complete and task.control is None]
    names, files = _output_names(campaign), {}
    for number, annotator in enumerate(dict.fromkeys(task.annotator for task in done), start=1):
        own = {(task.output, task.segment): task for task in done if task.annotator == annotator}
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
