"""Judgements from what is there besides their files: scores that people gave to outputs, and campaigns."""

from collections.abc import Iterable, Iterator

from mteval.analysis.people.judgements import values_of, weight_of
from mteval.annotations import Campaign, Output, Task
from mteval.given import GivenMetric
from mteval.judgements import MQM, Judgement, RatedError
from mteval.model import Run, TestSet

SCORE = "score"
OF_PEOPLE = frozenset({MQM, "human", "da", "da-sqm", "sqm", "esa", "adequacy", "fluency"})  # words of names


def is_of_people(given: GivenMetric) -> bool:
    """Whether given scores are said to be people's: by how many judgements they are made of, or by their name."""
    return any(one.judgements is not None for one in given.scores) or bool(_words(given.name) & OF_PEOPLE)


def _words(name: str) -> set[str]:
    plain = name.lower()
    return set(plain.replace("_", ".").replace(" ", ".").split(".")) | set(plain.replace("-", ".").split("."))


def judgements_of_scores(given: GivenMetric, test_set: str) -> tuple[Judgement, ...]:
    """Scores that were put together from judgements: as if one annotator had given them; higher is better."""
    scale, sign = MQM if MQM in _words(given.name) else SCORE, 1.0 if given.higher_is_better else -1.0
    return tuple(
        Judgement(given.name, one.system, str(number), scale, sign * value)
        for one in given.scores
        if one.test_set == test_set
        for number, value in enumerate(one.values, start=1)
        if value is not None
    )


def judgements_of_campaign(campaign: Campaign, tasks: Iterable[Task]) -> tuple[Judgement, ...]:
    """What was said of single outputs in the tasks that are done; a preference is none of one output.

    Items with known answers are no outputs.
    """
    return tuple(
        one
        for task in tasks
        if task.is_complete and task.control is None and task.output is not None
        for one in _said(campaign, task, campaign.outputs[task.output])
    )


def _said(campaign: Campaign, task: Task, output: Output) -> Iterator[Judgement]:
    document = None if campaign.documents is None else campaign.documents[task.segment]
    errors = rated_errors(campaign, task)
    for _, aspect, value in values_of(campaign, task):
        yield Judgement(
            task.annotator, output.system, str(task.segment + 1), aspect, value, document, float(task.position),
            errors, output.hypotheses[task.segment],
        )  # fmt: skip


def rated_errors(campaign: Campaign, task: Task) -> tuple[RatedError, ...]:
    """The errors that stand, with what each weighs and what found it."""
    return tuple(
        RatedError(
            mark.category, mark.severity, mark.side, mark.start, mark.end, weight_of(campaign, mark), mark.origin
        )
        for mark in task.marks
    )  # fmt: skip


def campaign_test_set(campaign: Campaign) -> TestSet:
    """The texts that a campaign is about, where the files that it was made from are not loaded."""
    runs = tuple(Run(output.system, output.run, output.hypotheses) for output in campaign.outputs)
    return TestSet(campaign.test_set, campaign.references, runs, source=campaign.source, documents=campaign.documents)
