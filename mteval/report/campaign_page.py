"""A finished campaign as one HTML file to show: results, agreement, who judged how much, and every item with its marks.

Annotators are numbered, and their comments stay out, so that no name is in the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mteval.analysis.people.human_evaluation import HumanChoices, HumanEvaluation
from mteval.analysis.people.judgements import (
    ASPECT_NAMES,
    campaign_test_set,
    finished,
    judgement_frame,
    judgements_of_campaign,
    usual_scales,
    values_of,
)
from mteval.analysis.people.new_campaigns import PROTOCOL_NAMES
from mteval.analysis.people.raters import usual_baseline
from mteval.analysis.scoring import means_of_computation
from mteval.annotations import Campaign, Listed, Task
from mteval.answers.averages import AVERAGES_KEY, means_figure
from mteval.answers.errors import prefilled_sections, progress_section
from mteval.answers.gold import judged_extent
from mteval.answers.section import Section
from mteval.base.errors import DataError
from mteval.base.words import counted
from mteval.render.html import Markup, html_page, marked_text, section_parts, tag
from mteval.report.page import people_sections
from mteval.values.marked_text import Span
from mteval.values.settings import Settings

if TYPE_CHECKING:
    import plotly.graph_objects as go


def campaign_page(campaign: Campaign, tasks: Sequence[Task]) -> str:
    """Return the page, which opens offline and cannot be edited.

    Raises
    ------
    DataError
        If annotators are not done and the campaign is not closed, or nobody has answered.
    """
    asked = [task for task in tasks if not task.is_automatic]
    n_left = sum(not task.is_complete for task in asked)
    if n_left and not campaign.is_closed:
        left = f"{counted(n_left, 'judgement')} of {len(asked):,}"
        raise DataError(f"Campaign '{campaign.name}' is not finished: {left} are left. Close it first.")
    numbered = without_names(tasks)
    if not finished(numbered):
        raise DataError(f"Campaign '{campaign.name}' has no judgements to show.")
    people = _evaluation(campaign, numbered)
    progress = progress_section(campaign, _listed(campaign, numbered), numbered)
    sections = [_with_means(section) for section in people_sections(people)]
    sections += [replace(progress, title="Annotators"), *prefilled_sections(numbered)]
    chapters: list[tuple[str, Iterator[Markup | go.Figure]]] = []
    for section in sections:
        chapters.append((section.title, section_parts(section, has_title=False)))
    chapters.append(("Items", _items(campaign, numbered)))
    lead = f"{PROTOCOL_NAMES[campaign.protocol]} on {campaign.test_set}. {judged_extent(people.given)}"
    return html_page(campaign.name, lead, chapters)


def _with_means(section: Section) -> Section:
    """Return a section about the mean of each system with a figure of them; another one unchanged."""
    is_about_means = section.key.startswith(AVERAGES_KEY)
    if section.table is None or not is_about_means:
        return section
    return replace(section, figure=partial(means_figure, section.table.frame))


def without_names(tasks: Sequence[Task]) -> tuple[Task, ...]:
    """Return the tasks with numbers instead of annotators' names, and without comments."""
    names = dict.fromkeys(task.annotator for task in tasks)
    number_of = {name: f"Annotator {number}" for number, name in enumerate(names, start=1)}
    numbered = []
    for task in tasks:
        marks = tuple(replace(mark, comment="") for mark in task.marks)
        rejected = tuple(replace(mark, comment="") for mark in task.rejected)
        annotator = number_of[task.annotator]
        numbered.append(replace(task, annotator=annotator, comment="", marks=marks, rejected=rejected))
    return tuple(numbered)


def _evaluation(campaign: Campaign, tasks: Sequence[Task]) -> HumanEvaluation:
    """Return the answers about the judgements, of the random sample if there is one."""
    drawn = [task for task in tasks if task.stratum == "random"]
    if not finished(drawn):
        drawn = list(tasks)
    frame = judgement_frame(judgements_of_campaign(campaign, drawn))
    first, second = usual_scales(frame)
    scales = (first, second) if second else (first,)
    choices = HumanChoices(scales, baseline=usual_baseline(frame, first))
    settings = Settings()
    work = means_of_computation(settings.workers)
    return HumanEvaluation(frame, choices, campaign_test_set(campaign), tuple, settings, work)


def _listed(campaign: Campaign, tasks: Sequence[Task]) -> Listed:
    """Return the campaign as in a list, with the progress of numbered annotators."""
    progress: dict[str, tuple[int, int]] = {}
    for task in tasks:
        n_done, n_asked = progress.get(task.annotator, (0, 0))
        if not task.is_automatic:
            n_done += task.is_complete
            n_asked += 1
        progress[task.annotator] = (n_done, n_asked)
    return Listed(
        campaign.uid,
        campaign.name,
        campaign.protocol,
        campaign.test_set,
        campaign.created_at,
        campaign.is_closed,
        progress,
    )


def _items(campaign: Campaign, tasks: Sequence[Task]) -> Iterator[Markup]:
    """Yield every judged output, or pair of outputs, with what each annotator said; in the order of the test set."""
    tasks_of: dict[tuple[int, int], list[Task]] = {}
    for task in finished(tasks):
        place = -1 if task.output is None else task.output
        tasks_of.setdefault((task.segment, place), []).append(task)
    for (segment, _), of_item in sorted(tasks_of.items(), key=lambda item: item[0]):
        first = of_item[0]
        title = f"Segment {segment + 1}"
        if campaign.documents:
            title += f", {campaign.documents[segment]}"
        text_name = "Source" if campaign.reads_source else "Reference"
        shown = [tag("dt", text_name)]
        shown.append(tag("dd", campaign.source_text(segment), dir="auto"))
        if first.output is None:
            shown += _pair(campaign, of_item)
        else:
            shown += _output(campaign, of_item)
        yield tag("h3", title)
        yield tag("dl", *shown, class_="mt-example")


def _pair(campaign: Campaign, tasks: Sequence[Task]) -> Iterator[Markup]:
    """Yield both outputs of a preference, and which one each annotator preferred."""
    names = [_name(campaign, index) for index in range(len(campaign.outputs))]
    for name, output in zip(names, campaign.outputs, strict=True):
        yield tag("dt", name)
        yield tag("dd", output.hypotheses[tasks[0].segment], dir="auto")
    answers = {"first": f"{names[0]} is better", "second": f"{names[1]} is better", "equal": "They are equal"}
    yield tag("dt", "Judgements")
    if all(task.is_automatic for task in tasks):
        yield tag("dd", "The same text, so nobody was asked.")
        return
    for task in tasks:
        yield tag("dd", f"{task.annotator}: {answers[str(task.preference)]}")


def _output(campaign: Campaign, tasks: Sequence[Task]) -> Iterator[Markup]:
    """Yield the output with the errors of all annotators, and what each of them said."""
    first = tasks[0]
    alike = " = ".join(_name(campaign, output) for output in campaign.alike(first))
    spans = []
    for task in tasks:
        for mark in task.marks:
            if mark.side == "hypothesis":
                kind = ", ".join(part for part in (mark.category, mark.severity) if part)
                spans.append(Span(mark.start, mark.end, mark.severity, f"{task.annotator}: {kind}"))
    yield tag("dt", alike)
    yield tag("dd", marked_text(campaign.shown_output(first), spans), dir="auto")
    yield tag("dt", "Judgements")
    for task in tasks:
        yield tag("dd", f"{task.annotator}: {'; '.join(_said(campaign, task))}")


def _said(campaign: Campaign, task: Task) -> Iterator[str]:
    """Yield the scores of a task and its marked errors."""
    value_of = {aspect: value for _, aspect, value in values_of(campaign, task)}
    for aspect, value in value_of.items():
        yield f"{ASPECT_NAMES[aspect]} {value:g}"
    texts = {"hypothesis": campaign.shown_output(task), "source": campaign.shown_source(task)}
    for mark in task.marks:
        words = texts[mark.side][mark.start : mark.end].strip()
        kind = ", ".join(part for part in (mark.category, mark.severity) if part)
        if words:
            yield f"“{words}” ({kind})"
        else:
            yield f"missing word ({kind})"


def _name(campaign: Campaign, output: int) -> str:
    """Return the system of an output, with its run if the system has several."""
    named = campaign.outputs[output]
    systems = [judged.system for judged in campaign.outputs]
    if systems.count(named.system) == 1:
        return named.system
    return f"{named.system} {named.run}"
