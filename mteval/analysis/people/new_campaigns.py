"""A new campaign: the runs, the drawn segments, and who judges what; the page and the shell make it alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mteval.analysis.people.files import campaign_on
from mteval.analysis.scoring import Scored
from mteval.analysis.segments.runs import RunPair, segment_differences
from mteval.analysis.summary import spans_of
from mteval.annotations import (
    DEFAULT_TYPOLOGY,
    SEVERITIES,
    Campaign,
    Control,
    Plan,
    Sampled,
    Task,
    Typology,
    deal_tasks,
    draw_documents,
    draw_sample,
    merged,
    prefilled,
    with_controls,
)
from mteval.annotations.campaigns import FEWEST_BESIDE, MOST_BESIDE, Way
from mteval.base.errors import SettingsError
from mteval.base.words import counted, listed
from mteval.stats.informative import draw_informative, informativeness
from mteval.stats.runs import median_run
from mteval.values.model import Run, TestSet
from mteval.values.run_words import RunWord

LONGEST_QUOTE = 60  # characters of a text in an error
CONTRASTIVE = "contrastive"  # a protocol of its own for those who choose: ESA with outputs side by side
PROTOCOL_NAMES = {
    "rating": "Adequacy and fluency",
    "errors": "Marked errors",
    "esa": "Error spans and a score",
    "preference": "Blind preference",
    CONTRASTIVE: "Contrastive ESA",
}


def protocol_of(campaign: Campaign) -> str:
    """Return the protocol of a campaign, a key of ``PROTOCOL_NAMES``."""
    return CONTRASTIVE if campaign.plan.side_by_side else campaign.way


@dataclass(frozen=True)
class NewCampaign:
    """A campaign that was not stored yet: the drawn segments, the campaign and its tasks."""

    sample: tuple[Sampled, ...]
    campaign: Campaign
    tasks: tuple[Task, ...]

    @property
    def n_asked(self) -> int:
        """Number of judgements that annotators are asked for."""
        return sum(not task.is_automatic for task in self.tasks)

    @property
    def n_same(self) -> int:
        """Number of segments on which two compared outputs are the same text, so that nobody is asked."""
        return len({task.segment for task in self.tasks if task.is_automatic})


@dataclass(frozen=True)
class Form:
    """What somebody asks for.

    Parameters
    ----------
    plan
        How segments are drawn and assigned.
    is_informative
        Whether random segments are drawn more often if the metric tells the systems apart on them.
    practice
        Texts with known answers.
    finder
        Metric whose errors are marked beforehand; None for none.
    """

    name: str
    way: Way
    annotators: tuple[str, ...]
    plan: Plan
    is_informative: bool = False
    typology: Typology = DEFAULT_TYPOLOGY
    instructions: str = ""
    practice: tuple[Control, ...] = ()
    finder: Scored | None = None


def new_campaign(
    form: Form, read_on: TestSet, runs: Sequence[Run], scored: Scored | None, sample: Sequence[Sampled] = ()
) -> NewCampaign:
    """Draw the segments, unless they are given, and deal them to the annotators.

    Parameters
    ----------
    read_on
        The annotated test set.
    runs
        The annotated outputs on it.
    scored
        The metric that decides which segments are drawn, on that test set; None if segments are given.

    Raises
    ------
    SettingsError
        If what is asked for is impossible, or leaves nothing to judge.
    """
    refuse_unusable(form.way, form.typology, form.practice)
    plan = replace(form.plan, is_merged=True)
    if plan.side_by_side and not FEWEST_BESIDE <= plan.side_by_side <= min(len(runs), MOST_BESIDE):
        raise SettingsError(f"Choose at least {counted(FEWEST_BESIDE, 'system')} to compare side by side.")
    if form.finder is not None:
        plan = replace(plan, prefilled_by=form.finder.metric.name)
    drawn = tuple(sample)
    if scored is not None and not drawn:
        drawn, plan = sample_of(scored, runs, read_on, plan, form.is_informative)
    campaign = campaign_on(read_on, form.name, form.way, runs, plan, form.typology)
    tasks = merged(campaign, deal_tasks(campaign, drawn, form.annotators))
    if all(task.is_automatic for task in tasks):
        raise SettingsError("All drawn outputs are the same text in both systems. Choose others, or more segments.")
    if form.finder is not None:
        tasks = _prefilled(tasks, form.finder, runs)
    campaign = replace(campaign, instructions=form.instructions, controls=form.practice)
    return NewCampaign(drawn, *with_controls(campaign, tasks))


def refuse_unusable(way: Way, typology: Typology, practice: Iterable[Control]) -> None:
    """Raise SettingsError if a practice text lacks its better output or has an unknown category."""
    for control in practice:
        subject = f"Practice text “{control.hypothesis[:LONGEST_QUOTE]}”"
        if way == "preference" and not control.intact.strip():
            raise SettingsError(f"{subject} has no better output. Add one.")
        if control.category not in ("", *typology.names):
            category = control.category[:LONGEST_QUOTE]
            raise SettingsError(
                f"{subject} has the unknown category “{category}”. Expected one of {listed(typology.names)}."
            )


def _prefilled(tasks: Sequence[Task], finder: Scored, runs: Sequence[Run]) -> tuple[Task, ...]:
    """Return tasks with the errors that a metric found; severities unknown to people become neutral."""
    spans_of_output = [spans_of(finder, run) for run in runs]

    def errors_in(output: int, segment: int) -> Iterator[tuple[int, int, str]]:
        for span in spans_of_output[output][segment] or ():
            severity = span.severity if span.severity in SEVERITIES else "neutral"
            yield span.start, span.end, severity

    return prefilled(tasks, finder.metric.name, errors_in)


def median_output(scored: Scored, system: str, read_on: TestSet, runs: RunWord) -> Run:
    """Return a system's median run by a metric on one test set, with its output on the annotated one.

    Raises
    ------
    SettingsError
        If one of the test sets lacks it.
    """
    chosen_on = scored.test_set.name
    if system not in scored.statistics:
        raise SettingsError(f"System '{system}' has no output on '{chosen_on}'. Choose its median elsewhere.")
    key = scored.run_keys(system)[median_run(scored.run_scores[system])]
    for run in read_on.runs_of(system):
        if run.key == key:
            return run
    raise SettingsError(
        f"The median of '{system}' on '{chosen_on}' is {runs.noun} '{key}', which '{read_on.name}' lacks."
        " Choose the median on the annotated test set."
    )


def sample_of(
    scored: Scored, runs: Sequence[Run], read_on: TestSet, plan: Plan, is_informative: bool
) -> tuple[tuple[Sampled, ...], Plan]:
    """Draw documents, or segments: by what the metric says of all systems, or by their change between two outputs.

    Returns
    -------
    The drawn segments, and the plan with the probabilities of informative ones.
    """
    if plan.by_document and read_on.documents:
        return draw_documents(read_on.documents, plan), plan
    if is_informative:
        return _informative_sample(scored, plan, read_on.n_segments)
    improvement = np.full(read_on.n_segments, np.nan)
    if len(runs) == 2:
        pair = RunPair(runs[0].system, runs[0].key, runs[1].system, runs[1].key)
        improvement = segment_differences([scored], pair)["improvement"].to_numpy(float)
    return draw_sample(improvement, plan), plan


def _informative_sample(scored: Scored, plan: Plan, n_segments: int) -> tuple[tuple[Sampled, ...], Plan]:
    """Draw segments more often if the metric tells the systems apart there; nothing is drawn for its change."""
    # Axes: systems, segments; each score is the mean over the system's runs.
    scores = np.array(
        [scored.scorer.segment_score(statistics).mean(axis=0) for statistics in scored.statistics.values()]
    )
    size = min(plan.random, n_segments)
    if size < 1:
        raise SettingsError("No random segments requested. Enter 1 or more.")
    generator = np.random.default_rng([plan.seed, 0])
    drawn, probabilities = draw_informative(informativeness(scores), size, generator)
    plan = replace(plan, improvements=0, declines=0, probabilities=tuple(probabilities.tolist()))
    return tuple(Sampled(int(segment), "random") for segment in drawn), plan
