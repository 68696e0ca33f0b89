"""A campaign from judgements of outputs that are loaded, as other tools and WMT file them; and judgements as files."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from mteval.analysis.people.files import ReadBack, campaign_on
from mteval.analysis.people.judgement_origins import judgements_of_campaign, rated_errors
from mteval.analysis.people.judgements import RATED
from mteval.analysis.people.marked_errors import Texts
from mteval.annotations import DEFAULT_TYPOLOGY, SEVERITIES, Campaign, Mark, Plan, Task
from mteval.annotations.campaigns import Way
from mteval.errors import DataError
from mteval.export.pearmut import pearmut_files
from mteval.export.seg_ratings import RatedLine, seg_rating
from mteval.judgements import MQM, Judgement, RatedError, in_characters
from mteval.model import Run, TestSet
from mteval.readers import InputFile
from mteval.readers.assembly.judgements import read_judgements

SCALES: dict[Way, tuple[str, ...]] = {"rating": ("adequacy", "fluency"), "errors": (MQM,), "esa": ("esa", "score")}
_Task = tuple[str, int, int]  # annotator, output, segment


def read_judged(file: InputFile) -> tuple[Judgement, ...]:
    """The judgements of a file.

    Raises
    ------
    MtevalError
        Where it holds none, or cannot be read.
    """
    return read_judgements([file]).judgements


def campaign_of_judgements(judgements: Sequence[Judgement], test_set: TestSet, name: str) -> ReadBack:
    """A campaign in which they were said; systems are found by name, segments by their texts where these are told.

    Raises
    ------
    DataError
        Where the judgements are on other scales than campaigns have, or none is of an output that is loaded.
    """
    way = _way(judgements)
    texts = Texts.of(test_set)
    found = [(one, run, place) for one in judgements for run, place in [_read(texts, one)] if run is not None]
    if not found:
        raise DataError(
            f"No judgement of '{name}' is of an output on '{test_set.name}'. Load the outputs that were judged, under"
            " the names that the file has for their systems."
        )
    outputs = list(dict.fromkeys(run for _, run, _ in found))
    said: dict[_Task, list[Judgement]] = {}
    for one, run, place in found:
        said.setdefault((one.annotator, outputs.index(run), place), []).append(one)
    plan = Plan(random=len({place for _, _, place in said}))
    typology = DEFAULT_TYPOLOGY.extended(error.category for one in judgements for error in one.errors)
    campaign = campaign_on(test_set, name, way, outputs, plan, typology)
    return ReadBack(campaign, tuple(_tasks(campaign, said)), len(judgements), len(judgements) - len(found))


def _way(judgements: Iterable[Judgement]) -> Way:
    scales = {one.scale for one in judgements}
    for way, own in SCALES.items():
        if scales and scales <= set(own) and (way != "esa" or len(scales) == 1):
            return way
    raise DataError(
        f"The judgements are on the scales {', '.join(sorted(scales)) or 'none'}; campaigns have adequacy and fluency,"
        " MQM, or one score (esa). Drop the file on the Load page to look at it under People."
    )


def _read(texts: Texts, judgement: Judgement) -> tuple[Run | None, int]:
    """The run and segment that were judged; a segment whose name is not known is that of its text, where it is one."""
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


def _tasks(campaign: Campaign, said: dict[_Task, list[Judgement]]) -> Iterator[Task]:
    counts: dict[str, int] = {}
    for (annotator, output, segment), of_output in said.items():
        counts[annotator] = counts.get(annotator, -1) + 1
        errors = next((one.errors for one in of_output if one.errors), ())
        errors = in_characters(errors, campaign.outputs[output].hypotheses[segment])
        marks = tuple(_mark(campaign, error, output, segment) for error in errors)
        task = Task(annotator, counts[annotator], segment, "random", output, is_complete=True, marks=marks)
        yield _scored(task, of_output) if campaign.way in RATED else task


def _scored(task: Task, of_output: Sequence[Judgement]) -> Task:
    """The task with its ratings, the last where one was given again."""
    for one in of_output:
        if not 0 <= one.value <= 100:
            raise DataError(
                f"'{one.annotator}' gave segment {one.segment} of '{one.system}' {one.value:g} on the scale"
                f" {one.scale}; campaigns have scores from 0 to 100."
            )
    ratings = {one.scale if one.scale in SCALES["rating"] else "score": one.value for one in of_output}
    return replace(task, adequacy=ratings.get("adequacy"), fluency=ratings.get("fluency"), score=ratings.get("score"))


def _mark(campaign: Campaign, error: RatedError, output: int, segment: int) -> Mark:
    """An error; one without a place in its text is one of the whole."""
    source = campaign.source_text(segment)
    text = source if error.side == "source" else campaign.outputs[output].hypotheses[segment]
    start, end = (error.start, error.end) if error.start < error.end <= len(text) else (0, max(1, len(text)))
    severity = error.severity.lower() if error.severity.lower() in SEVERITIES else "neutral"
    return Mark(error.side, start, end, error.category, severity, weight=error.score)


def rating_files(campaign: Campaign, tasks: Sequence[Task]) -> dict[str, str]:
    """The errors that each annotator marked, as WMT's ``.seg.rating``, by names of files that hold no annotator's."""
    done = [task for task in tasks if task.is_complete and task.control is None]
    files = {}
    for number, annotator in enumerate(dict.fromkeys(task.annotator for task in done), start=1):
        own = {(task.output, task.segment): task for task in done if task.annotator == annotator}
        files[f"rater{number}.seg.rating"] = seg_rating(_rated_lines(campaign, annotator, own))
    return files


def pearmut_export(campaign: Campaign, tasks: Sequence[Task]) -> dict[str, str]:
    """What was said with scores, as Pearmut keeps it, by names of files."""
    names = _output_names(campaign)
    outputs = tuple(replace(output, system=name) for output, name in zip(campaign.outputs, names, strict=True))
    judgements = judgements_of_campaign(replace(campaign, outputs=outputs), tasks)
    sources = {str(place + 1): campaign.source_text(place) for place in range(len(campaign.references))}
    return pearmut_files(f"mteval-{campaign.uid[:8]}", judgements, sources)


def _output_names(campaign: Campaign) -> list[str]:
    """The systems of the outputs, with their runs where a system has several."""
    names = [output.system for output in campaign.outputs]
    return [
        output.system if names.count(output.system) == 1 else f"{output.system} {output.run}"
        for output in campaign.outputs
    ]


def _rated_lines(campaign: Campaign, annotator: str, own: Mapping[tuple[int | None, int], Task]) -> Iterator[RatedLine]:
    for index, system in enumerate(_output_names(campaign)):
        for segment in range(len(campaign.references)):
            task = own.get((index, segment))
            yield RatedLine(system, annotator, None if task is None else rated_errors(campaign, task))
