"""A new campaign: the runs, the drawn segments, and who judges what; the page and the shell make it alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mteval.analysis.people.files import campaign_on
from mteval.analysis.scoring import Scored
from mteval.analysis.segments.runs import RunPair, segment_differences
from mteval.analysis.summary import marks_errors, spans_of
from mteval.annotations import (
    DEFAULT_TYPOLOGY,
    SEVERITIES,
    Campaign,
    Category,
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
from mteval.annotations.campaigns import CONTRASTIVE, FEWEST_BESIDE, MOST_BESIDE, WAYS, Way
from mteval.annotations.protocol import SEVERITIES_OF
from mteval.annotations.typology import weighed_as_wmt
from mteval.base.errors import InputError, SettingsError
from mteval.base.words import counted, listed
from mteval.readers.formats.judgement_tables import marked_span
from mteval.readers.formats.tables import named_table_form, table_form, table_rows
from mteval.readers.formats.text import located
from mteval.stats.informative import draw_informative, informativeness
from mteval.stats.runs import median_run
from mteval.values.model import Run, TestSet
from mteval.values.run_words import RunWord

LONGEST_QUOTE = 60  # characters of a text in an error
PROTOCOL_NAMES = {
    "rating": "Adequacy and fluency",
    "errors": "Marked errors",
    "esa": "Error spans and a score",
    "preference": "Blind preference",
    CONTRASTIVE: "Contrastive ESA",
}

# Columns of practice texts in a file; the first two are required
PRACTICE_COLUMNS = ("source", "output", "better", "category", "severity", "lowest", "highest", "explanation")
SCORE_COLUMNS = ("lowest", "highest")
# Columns of a table of categories; a category without a weight has WMT's
WEIGHT_COLUMNS = ("minor", "major", "critical")
CATEGORY_COLUMNS = ("category", *WEIGHT_COLUMNS)


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
    annotators: tuple[str, ...]
    plan: Plan
    way: Way = "esa"
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
    if form.finder is not None and (form.way != "esa" or form.plan.is_adaptive):
        raise SettingsError("Errors can be marked beforehand for ESA only, without adaptive assignment.")
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


def campaign_of_medians(
    form: Form,
    protocol: str,
    systems: Sequence[str],
    scored: Sequence[Scored],
    chosen_on: Scored,
    word: RunWord,
    mark_by: str = "",
) -> NewCampaign:
    """Return a campaign about the median run of each system, as the shell and Python make it.

    Parameters
    ----------
    form
        What somebody asks for; the protocol decides how outputs are judged.
    protocol
        A key of ``PROTOCOL_NAMES``.
    systems
        Systems to annotate.
    scored
        Metrics on the annotated test set; the first decides which segments are drawn.
    chosen_on
        The first metric on the test set on which median runs are chosen.
    mark_by
        Metric whose errors are marked beforehand; empty for none.

    Raises
    ------
    SettingsError
        If what is asked for is impossible, or leaves nothing to judge.
    """
    if protocol not in PROTOCOL_NAMES:
        raise SettingsError(f"Unknown protocol '{protocol}'. Choose one of {listed(list(PROTOCOL_NAMES))}.")
    way: Way = next((way for way in WAYS if way == protocol), "esa")
    if way != "errors" and form.typology != DEFAULT_TYPOLOGY:
        raise SettingsError("Only the protocol 'errors' has categories.")
    n_beside = form.plan.side_by_side
    if protocol == CONTRASTIVE:
        n_beside = n_beside or FEWEST_BESIDE
    elif n_beside or form.plan.is_adaptive:
        raise SettingsError(f"Outputs side by side and adaptive assignment need the protocol '{CONTRASTIVE}'.")
    plan = replace(
        form.plan,
        chosen_on=chosen_on.test_set.name,
        metric=chosen_on.metric.key,
        side_by_side=n_beside,
    )
    finder = None
    if mark_by:
        finder = finder_named(mark_by, scored)
    form = replace(form, name=form.name or PROTOCOL_NAMES[protocol], way=way, plan=plan, finder=finder)
    read_on = scored[0].test_set
    runs = [median_output(chosen_on, system, read_on, word) for system in systems]
    return new_campaign(form, read_on, runs, scored[0])


def refuse_unusable(way: Way, typology: Typology, practice: Iterable[Control]) -> None:
    """Raise SettingsError if a practice text lacks its better output, or has an unknown category or severity."""
    for control in practice:
        subject = f"Practice text “{control.hypothesis[:LONGEST_QUOTE]}”"
        if way == "preference" and not control.intact.strip():
            raise SettingsError(f"{subject} has no better output. Add one.")
        if control.category not in ("", *typology.names):
            category = control.category[:LONGEST_QUOTE]
            raise SettingsError(
                f"{subject} has the unknown category “{category}”. Expected one of {listed(typology.names)}."
            )
        severities = SEVERITIES_OF[way]
        if severities and control.severity not in ("", *severities):
            severity = control.severity[:LONGEST_QUOTE]
            raise SettingsError(
                f"{subject} has the unknown severity “{severity}”. Expected one of {listed(severities)}."
            )


def practice_text(row: Mapping[str, str | float | None]) -> Control:
    """Return a practice text from a row with the columns ``PRACTICE_COLUMNS``; empty cells may be missing.

    The error of the output is between ``<v>`` and ``</v>``. Of two outputs, the better one has no defect.
    """
    text, span = marked_span(str(row.get("output") or ""))
    start, end = span or (0, 0)
    lowest, highest = (row.get(column) for column in SCORE_COLUMNS)
    return Control(
        "training",
        hypothesis=text,
        start=start,
        end=end,
        low=_score(lowest, if_empty=0.0),
        high=_score(highest, if_empty=100.0),
        intact=str(row.get("better") or ""),
        source=str(row.get("source") or ""),
        severity=str(row.get("severity") or ""),
        explanation=str(row.get("explanation") or ""),
        category=str(row.get("category") or ""),
    )


def _score(cell: str | float | None, if_empty: float) -> float:
    """Return the number in a cell.

    Raises
    ------
    InputError
        If it is not a number.
    """
    if cell is None or cell == "":
        return if_empty
    try:
        return float(cell)
    except ValueError as error:
        raise InputError(f"A score is '{str(cell)[:LONGEST_QUOTE]}'. Expected a number from 0 to 100.") from error


def read_practice(text: str, file: str) -> tuple[Control, ...]:
    """Return the practice texts of a table (CSV, TSV or JSON lines) with the columns ``PRACTICE_COLUMNS``.

    Raises
    ------
    InputError
        If it has other columns, a score is not a number, or a text cannot be used.
    """
    form = table_form(text, {"source", "hypothesis"}.issubset)
    if form is None:
        raise InputError(f"No table with the columns source and output. Use {listed(PRACTICE_COLUMNS)}.", file)
    practice = []
    for line, cells in table_rows(text, file, form):
        with located(file, line):
            row: dict[str, str | float | None] = {}
            for column, cell in cells.items():
                name = "output" if column == "hypothesis" else column.lower()
                if name not in PRACTICE_COLUMNS:
                    raise InputError(f"Unknown column '{column}'. Expected {listed(PRACTICE_COLUMNS)}.")
                row[name] = cell
            try:
                practice.append(practice_text(row))
            except SettingsError as error:
                raise InputError(str(error)) from error
    return tuple(practice)


def category_of(row: Mapping[str, str | float | None]) -> Category:
    """Return a category from a row with the columns ``CATEGORY_COLUMNS``; weights may be missing.

    Raises
    ------
    InputError
        If a column is unknown, or a weight is not a number.
    """
    name = ""
    weights: dict[str, float] = {}
    for column, cell in row.items():
        is_empty = cell is None or cell == ""
        if column.lower() == "category":
            name = "" if is_empty else str(cell).strip()
        elif column.lower() not in WEIGHT_COLUMNS:
            raise InputError(f"Unknown column '{column}'. Expected {listed(CATEGORY_COLUMNS)}.")
        elif not is_empty:
            try:
                weights[column.lower()] = float(str(cell))
            except ValueError as error:
                quote = str(cell)[:LONGEST_QUOTE]
                raise InputError(f"A weight is '{quote}'. Expected a number from 0.") from error
    usual = weighed_as_wmt(name)
    return Category(
        name,
        minor=weights.get("minor", usual.minor),
        major=weights.get("major", usual.major),
        critical=weights.get("critical", usual.critical),
    )


def read_categories(text: str, file: str) -> Typology:
    """Return the categories of a table (CSV, TSV or JSON lines) with the columns ``CATEGORY_COLUMNS``.

    Raises
    ------
    InputError
        If it has other columns, a weight is not a number, or the categories cannot be used.
    """
    form = named_table_form(text, "category")
    if form is None:
        raise InputError(f"No table with the column category. Use {listed(CATEGORY_COLUMNS)}.", file)
    categories = []
    for line, cells in table_rows(text, file, form):
        with located(file, line):
            categories.append(category_of(cells))
    try:
        return Typology(tuple(categories))
    except SettingsError as error:
        raise InputError(str(error), file) from error


def finder_named(name: str, scored: Iterable[Scored]) -> Scored:
    """Return the metric of a key or name that marks errors.

    Raises
    ------
    SettingsError
        If there is none.
    """
    finders = [metric for metric in scored if marks_errors(metric)]
    for finder in finders:
        if name.lower() in (finder.metric.key.lower(), finder.metric.name.lower()):
            return finder
    known = listed([finder.metric.name for finder in finders])
    raise SettingsError(f"No metric '{name}' marks errors. Metrics that do: {known}. Give scores with marked errors.")


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
