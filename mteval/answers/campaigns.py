"""What people said in a campaign, summed up: progress, averages, preferences, errors, agreement; metrics beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import pandas as pd

from mteval.analysis.people.judgements import ASPECT_NAMES, ASPECT_NOTATION, MARKED, errors, judgements
from mteval.analysis.people.results import (
    DIFFERENCE,
    agreement_frame,
    controls_frame,
    correlation_frame,
    mean_frame,
    preferences,
    prefilled_frame,
    units_of,
)
from mteval.analysis.two_answers import TwoAnswers
from mteval.analysis.work import Work
from mteval.annotations import Campaign, Listed, Task
from mteval.annotations.campaigns import Way
from mteval.answers.section import Column, Row, Section, Table, noted, notes_by, p_column
from mteval.base.parallel import Engine
from mteval.base.words import counted, plural
from mteval.metrics.base import MetricSpec
from mteval.metrics.imported import imported_spec
from mteval.values.given import GivenMetric
from mteval.values.notation import DASH, level, p_equals, percent, signed
from mteval.values.run_words import RunWord
from mteval.values.settings import Settings

if TYPE_CHECKING:
    import plotly.graph_objects as go

KIND_NAMES = {"training": "Training as expected", "check": "Attention checks passed"}
_FOUND = (
    "the words that do not belong there are marked: of these words and those in the same marks at least half are both,"
    " and of the other words at most half as large a share is marked"
)
_LOWER = "lower than the same output without these words; it counts once both are rated, the latter above 0"
CHECKS: Mapping[Way, str] = {  # passed where
    "rating": f"its output, in which words do not belong, is rated in adequacy {_LOWER}",
    "errors": _FOUND,
    "esa": f"{_FOUND}; and the score is {_LOWER}",
    "preference": "the output without the words that do not belong there is preferred",
}
SCALES: Mapping[Way, str] = {
    "rating": "Ratings are in standard deviations of their annotator.",
    "esa": "Scores are in standard deviations of their annotator; the marked errors take no part in them.",
    "errors": "MQM is minus the weight of the errors: 0 is flawless.",
    "preference": "1 where an output was preferred, 0 where the other was, one half where they were equal.",
}
ONE_DOCUMENT = (
    "All that was read is of one document, which cannot say how others would do. Segments as units, in the settings,"
    " give intervals for this document alone."
)
ASPECT = Column("aspect", "What", write=lambda row: ASPECT_NAMES[row["aspect"]])
PREFILLED = (
    Column("annotator", "Annotator"), Column("origin", "Metric"), Column("n_found", "Found", "count"),
    Column("n_kept", "Kept", "count"), Column("n_changed", "Other severity", "count"),
    Column("n_rejected", "Taken back", "count"), Column("n_added", "Added by the annotator", "count"),
)  # fmt: skip
AGREEMENT = (
    ASPECT, Column("n_annotators", "Annotators", "count"), Column("n_units", "Judged by several", "count"),
    Column("alpha_raw", "Alpha, raw", "number"), Column("alpha_standardised", "Alpha, standardised", "number"),
)  # fmt: skip
BESIDE_METRICS = (
    Column("aspect", "People", write=lambda row: ASPECT_NAMES[row["aspect"]]), Column("name", "Metric"),
    Column("n_segments", "Segments", "count"),
    Column("human_difference", "People's difference", "difference",
           write=lambda row: ASPECT_NOTATION.difference(row["human_difference"])),
    Column("metric_difference", "Metric's difference", "difference"),
    Column("pearson", "Pearson", "number", write=lambda row: signed(row["pearson"], 2)),
    Column("kendall", "Kendall", "number", write=lambda row: signed(row["kendall"], 2)),
)  # fmt: skip
ANSWERS = (
    Column("metric", "Metric"), Column("system", "System"), Column("difference", "Difference", "difference"),
    p_column("p_first", "p, test-set luck"), p_column("p_both", "p, both kinds"),
    Column("low", "Interval, both kinds", "interval", fields=("low", "high")),
)  # fmt: skip


def progress_section(campaign: Campaign, listed: Listed, tasks: Sequence[Task]) -> Section:
    """Done and left of each annotator, and what they made of items with known answers."""
    found = controls_frame(campaign, tasks).to_dict("records")
    passed = {(row["annotator"], row["kind"]): _part(row["n_passed"], row["n_done"]) for row in found}
    kinds = [kind for kind in KIND_NAMES if kind in {row["kind"] for row in found}]
    rows = [
        (name, f"{done} of {total}", total - done, *(passed.get((name, kind), DASH) for kind in kinds))
        for name, (done, total) in listed.progress.items()
    ]
    columns = (
        Column("annotator", "Annotator"), Column("done", "Done", "count", write=itemgetter("done")),
        Column("left", "Left", "count"),
        *(Column(kind, KIND_NAMES[kind], "share", write=itemgetter(kind)) for kind in kinds),
    )  # fmt: skip
    frame = pd.DataFrame(rows, columns=[column.key for column in columns])
    check = f"A check is passed where {CHECKS[campaign.way]}." if "check" in kinds else ""
    table = Table(columns, frame, "Progress of each annotator")
    return Section("campaign-progress", "", table=table, notes=noted(check, is_wide=True))


def _part(n_passed: int, n_done: int) -> str:
    """How many were passed, and what share that is."""
    return f"{n_passed} of {n_done}" + (f" ({percent(n_passed / n_done, 0)})" if n_done else "")


def campaign_sections(
    campaign: Campaign, tasks: Sequence[Task], judged: pd.DataFrame, pair: tuple[int, int] | None, settings: Settings
) -> Iterator[Section]:
    """What people said, without what metrics say beside it.

    Parameters
    ----------
    judged
        The judgements to sum up, as ``judgements`` gives them.
    pair
        The two outputs whose difference is looked at: the second minus the first.
    """
    yield _averages(campaign, judged, pair, settings)
    if campaign.way in MARKED:
        yield _kinds(campaign, tasks, judged)
    prefilled = prefilled_frame(tasks)
    if not prefilled.empty:
        caption = "Errors in the outputs that each annotator is done with."
        title = "What people made of the metric's errors"
        yield Section("campaign-prefilled", title, table=Table(PREFILLED, prefilled, caption))
    agreement = agreement_frame(campaign, judgements(campaign, tasks, standardise=False))
    if agreement["n_units"].any():
        caption = (
            "Krippendorff's alpha over what at least two annotators judged: 1 is perfect, 0 is chance. Standardised,"
            " each annotator's severity and use of the scale are taken out."
        )
        yield Section("campaign-agreement", "Agreement", table=Table(AGREEMENT, agreement, caption))


def _averages(campaign: Campaign, judged: pd.DataFrame, pair: tuple[int, int] | None, settings: Settings) -> Section:
    """The mean of each output with its interval; of preferences the votes as well."""
    unit = "segment" if units_of(campaign, settings) is None else "document"
    frame = mean_frame(campaign, judged, pair, settings, Work(Engine(1)))
    systems = [output.system for output in campaign.outputs]

    def of(row: Row) -> str:
        is_difference = pair is not None and row["what"] == DIFFERENCE
        return f"{systems[pair[1]]} − {systems[pair[0]]}" if is_difference and pair is not None else str(row["what"])

    def interval(row: Row) -> str:
        write = ASPECT_NOTATION.interval if row["what"] == DIFFERENCE else ASPECT_NOTATION.range
        return write(row["low"], row["high"]) if row["n_units"] > 1 else DASH

    def mean(row: Row) -> str:
        return (ASPECT_NOTATION.difference if row["what"] == DIFFERENCE else ASPECT_NOTATION.number)(row["mean"])

    columns = (
        ASPECT, Column("what", "Of", write=of), Column("n_segments", "Segments", "count"),
        *([Column("n_units", "Documents", "count")] if unit == "document" else []),
        Column("mean", "Mean", "number", write=mean),
        Column("low", "Interval", "interval", fields=("low", "high"), write=interval),
    )  # fmt: skip
    caption = (
        f"Mean score a segment; {level(settings.confidence)} interval from"
        f" {counted(settings.n_bootstrap, 'bootstrap replicate')} of the {plural(unit)}. The annotators are taken as"
        " given."
    )
    is_one_document = unit == "document" and frame["n_units"].max() == 1
    votes = _votes(campaign, judged, unit, settings) if campaign.way == "preference" else ""
    return Section(
        "campaign-averages", "Averages", table=Table(columns, frame, caption),
        notes=(*noted(ONE_DOCUMENT if is_one_document else "", votes), *noted(SCALES[campaign.way], is_wide=True)),
    )  # fmt: skip


def _votes(campaign: Campaign, judged: pd.DataFrame, unit: str, settings: Settings) -> str:
    votes = preferences(judged, settings.confidence, units_of(campaign, settings))
    first, second = (output.system for output in campaign.outputs)
    return (
        f"{counted(votes.second, 'vote')} for {second}, {votes.first} for {first}, {votes.equal} for neither."
        f" {second} wins {counted(votes.units_second, unit)} and loses {votes.units_first}:"
        f" {percent(votes.share, 0)} of those with a winner ({level(settings.confidence)} interval"
        f" {percent(votes.low, 0)} to {percent(votes.high, 0)}; sign test {p_equals(votes.p_value)})."
    )


def _kinds(campaign: Campaign, tasks: Sequence[Task], judged: pd.DataFrame) -> Section:
    """Errors by category and severity in the outputs that are summed up."""
    title, found = "Kinds of errors", errors(campaign, tasks)
    found = found[found["segment"].isin(set(judged["segment"]))].replace({"category": {"": "Error"}})
    if found.empty:
        return Section("campaign-errors", title, ("No error was marked.",))
    systems = list(dict.fromkeys(output.system for output in campaign.outputs))
    per = {system: int((judged["system"] == system).sum()) for system in systems}
    by = [found["category"].rename("category"), found["severity"].rename("severity")]
    counts = pd.crosstab(by, found["system"]).reindex(columns=systems, fill_value=0)
    frame = counts.set_axis([f"system-{place}" for place, _ in enumerate(systems)], axis=1).reset_index()
    columns = (Column(f"system-{place}", system, "count") for place, system in enumerate(systems))
    table = Table(
        (Column("category", "Category"), Column("severity", "Severity"), *columns), frame,
        "Errors by category and severity",
    )  # fmt: skip
    as_table = Section("campaign-error-counts", "Counts", table=table, is_detail=True)
    return Section("campaign-errors", title, figure=partial(_bars, found, per), parts=(as_table,))


def _bars(found: pd.DataFrame, per: Mapping[str, int]) -> go.Figure:
    from mteval.figures.people import error_bars  # here, since not every command loads figures

    return error_bars(found, per)


def beside_metrics_section(pairs: pd.DataFrame, specs: Mapping[str, MetricSpec], systems: tuple[str, str]) -> Section:
    """People and metrics side by side, from a frame of differences segment by segment.

    Parameters
    ----------
    systems
        The one whose outputs are compared with, and the one of the outputs that may be better.
    """
    frame = correlation_frame(pairs)
    frame = frame.assign(**_named(frame["metric"], specs))
    caption = (
        f"Mean difference a segment, positive where {systems[1]} is better than {systems[0]}, and the correlation of"
        " the two over segments."
    )
    return Section("campaign-metrics", "People and metrics", table=Table(BESIDE_METRICS, frame, caption))


def _named(metrics: pd.Series[str], specs: Mapping[str, MetricSpec]) -> dict[str, pd.Series[Any]]:
    """Columns with what metrics are called and how their numbers are written."""
    return {
        "name": metrics.map({key: spec.name for key, spec in specs.items()}),
        "notation": metrics.map({key: spec.notation for key, spec in specs.items()}),
    }


def human_answers_section(
    metrics: Sequence[GivenMetric],
    answers: Sequence[TwoAnswers],
    means: pd.DataFrame,
    baseline: str,
    settings: Settings,
) -> Section:
    """Could luck explain the difference that people saw? Both p-values as for any metric, and the means behind them."""
    title = "Is the difference that people saw real?"
    if not answers:
        return Section("campaign-answers", title, (f"No score is given for both {baseline} and another system.",))
    specs = {metric.key: imported_spec(metric) for metric in metrics}
    rows = []
    for one in answers:
        both, spec = one.both, specs[one.both.metric]
        p_first, notation = one.test_set_luck.p_value, spec.notation
        rows.append((spec.name, one.both.system, both.difference, p_first, both.p_value, both.low, both.high, notation))
    names = ["metric", "system", "difference", "p_first", "p_both", "low", "high", "notation"]
    caption = f"Against {baseline}, {counted(settings.n_shuffles, 'shuffle')}, before a correction for several systems."
    compared = chain.from_iterable(answers)
    return Section(
        "campaign-answers", title, table=Table(ANSWERS, pd.DataFrame(rows, columns=names), caption),
        notes=notes_by([(one.system, one.note) for one in compared]),
        parts=(_means(metrics, specs, means, settings.runs),),
    )  # fmt: skip


def _means(
    metrics: Sequence[GivenMetric], specs: Mapping[str, MetricSpec], means: pd.DataFrame, runs: RunWord
) -> Section:
    """The mean of each run that was judged, and what it rests on."""
    given = {
        (metric.key, one.test_set, one.system, one.run): one.judgements or ()
        for metric in metrics
        for one in metric.scores
    }
    keys = means[["metric", "test_set", "system", "run"]].itertuples(index=False, name=None)
    counts = [given[key] for key in keys]
    frame = means.assign(
        **_named(means["metric"], specs),
        n_segments=[sum(count > 0 for count in one) for one in counts],
        n_judgements=[sum(one) for one in counts],
    )
    columns = (
        Column("name", "Metric"), Column("system", "System"), Column("run", runs.filled("{Run}")),
        Column("n_segments", "Segments", "count"), Column("n_judgements", "Judgements", "count"),
        Column("score", "Mean", "number"),
    )  # fmt: skip
    caption = f"Means of the {runs.nouns} over the random sample, as far as it was judged."
    return Section("campaign-means", "", table=Table(columns, frame, caption))
