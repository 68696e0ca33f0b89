"""Judgements from campaigns, and the texts that a campaign is about."""

from collections.abc import Iterable, Iterator

from mteval.analysis.people.judgements import values_of, weight_of
from mteval.annotations import Campaign, Output, Task
from mteval.judgements import Judgement, RatedError
from mteval.model import Run, TestSet


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
