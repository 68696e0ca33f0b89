"""Results of an annotation campaign: progress, averages, preferences, errors, agreement, and metrics beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

import pandas as pd

from mteval import figures
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
from mteval.answers.section import Column, Row, Section, Table, columns, noted, notes_by, p_column
from mteval.base.parallel import Engine
from mteval.base.words import counted, plural
from mteval.metrics.base import MetricSpec
from mteval.metrics.imported import imported_spec
from mteval.values.given import GivenMetric
from mteval.values.notation import DASH, level, p_equals, percent, signed
from mteval.values.run_words import RunWord
from mteval.values.settings import Settings

KIND_NAMES = {"training": "Training as expected", "check": "Attention checks passed"}
_FOUND = "marks and inserted words overlap by at least half, and other words are marked at most half as often"
_LOWER = "lower than the same output without these words"
CHECKS: Mapping[Way, str] = {  # passed if
    "rating": f"adequacy with inserted words is rated {_LOWER}",
    "errors": _FOUND,
    "esa": f"{_FOUND}; and the score is {_LOWER}",
    "preference": "the output without the inserted words is preferred",
}
SCALES: Mapping[Way, str] = {
    "rating": "Ratings are standardised by annotator.",
    "esa": "Scores are standardised by annotator and do not include the marked errors.",
    "errors": "MQM is minus the weight of the errors: 0 is flawless.",
    "preference": "1 if preferred, 0 if not, 0.5 if equal.",
}
ONE_DOCUMENT = (
    "Only one document was judged. For intervals about this document alone, choose segments as units in the settings."
)
ASPECT = Column("aspect", "What", write=lambda row: ASPECT_NAMES[row["aspect"]])
PREFILLED = (
    *columns(annotator="Annotator", origin="Metric"),
    *columns("count", n_found="Found", n_kept="Kept", n_changed="Other severity", n_rejected="Removed"),
    *columns("count", n_added="Added"),
)
AGREEMENT = (
    *(ASPECT, *columns("count", n_annotators="Annotators", n_units="Judged by several")),
    *columns("number", alpha_raw="Alpha, raw", alpha_standardised="Alpha, standardised"),
)
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
    *columns(metric="Metric", system="System"), Column("difference", "Difference", "difference"),
    p_column("p_first", "p (test set)"), p_column("p_both", "p (both)"),
    Column("low", "CI (both)", "interval", fields=("low", "high")),
)  # fmt: skip


def progress_section(campaign: Campaign, listed: Listed, tasks: Sequence[Task]) -> Section:
    """Return what each annotator has done, and the results of items with known answers."""
    found = controls_frame(campaign, tasks).to_dict("records")
    passed = {(row["annotator"], row["kind"]): _part(row["n_passed"], row["n_done"]) for row in found}
    kinds = [kind for kind in KIND_NAMES if kind in {row["kind"] for row in found}]
    rows = [
        (name, f"{done} of {total}", total - done, *(passed.get((name, kind), DASH) for kind in kinds))
        for name, (done, total) in listed.progress.items()
    ]
    shown = (
        *columns(annotator="Annotator"), Column("done", "Done", "count", write=itemgetter("done")),
        *columns("count", left="Left"),
        *(Column(kind, KIND_NAMES[kind], "share", write=itemgetter(kind)) for kind in kinds),
    )  # fmt: skip
    frame = pd.DataFrame(rows, columns=[column.key for column in shown])
    check = f"A check is passed if {CHECKS[campaign.way]}." if "check" in kinds else ""
    table = Table(shown, frame, "Progress of each annotator")
    return Section("campaign-progress", "", table=table, notes=noted(check, is_wide=True))


def _part(n_passed: int, n_done: int) -> str:
    """Return how many were passed, and the share."""
    return f"{n_passed} of {n_done}" + (f" ({percent(n_passed / n_done, 0)})" if n_done else "")


def campaign_sections(
    campaign: Campaign, tasks: Sequence[Task], judged: pd.DataFrame, pair: tuple[int, int] | None, settings: Settings
) -> Iterator[Section]:
    """Yield what people said, without the metrics.

    Parameters
    ----------
    judged
        From ``judgements``.
    pair
        The two outputs to compare: the second minus the first.
    """
    yield _averages(campaign, judged, pair, settings)
    if campaign.way in MARKED:
        yield _kinds(campaign, tasks, judged)
    prefilled = prefilled_frame(tasks)
    if not prefilled.empty:
        caption = "Errors in finished outputs"
        title = "Errors suggested by the metric"
        yield Section("campaign-prefilled", title, table=Table(PREFILLED, prefilled, caption))
    agreement = agreement_frame(campaign, judgements(campaign, tasks, standardise=False))
    if agreement["n_units"].any():
        caption = "Krippendorff's alpha (1 is perfect, 0 is chance); standardised by annotator in the last column"
        yield Section("campaign-agreement", "Agreement", table=Table(AGREEMENT, agreement, caption))


def _averages(campaign: Campaign, judged: pd.DataFrame, pair: tuple[int, int] | None, settings: Settings) -> Section:
    """Return the mean of each output with its interval; for preferences, the votes as well."""
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

    shown = (
        ASPECT, Column("what", "Of", write=of), *columns("count", n_segments="Segments"),
        *(columns("count", n_units="Documents") if unit == "document" else ()),
        Column("mean", "Mean", "number", write=mean),
        Column("low", "Interval", "interval", fields=("low", "high"), write=interval),
    )  # fmt: skip
    caption = (
        f"Mean score per segment; {level(settings.confidence)} CI over {plural(unit)}, annotators fixed (means:"
        " Student's t; difference: approximate randomization)"
    )
    is_one_document = unit == "document" and frame["n_units"].max() == 1
    votes = _votes(campaign, judged, unit, settings) if campaign.way == "preference" else ""
    return Section(
        "campaign-averages", "Averages", table=Table(shown, frame, caption),
        notes=(*noted(ONE_DOCUMENT if is_one_document else ""), *noted(SCALES[campaign.way], is_wide=True)),
        lead=(votes,) if votes else (),
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
    """Return errors by category and severity."""
    title, found = "Kinds of errors", errors(campaign, tasks)
    found = found[found["segment"].isin(set(judged["segment"]))].replace({"category": {"": "Error"}})
    if found.empty:
        return Section("campaign-errors", title, ("No errors were marked.",))
    systems = list(dict.fromkeys(output.system for output in campaign.outputs))
    per = {system: int((judged["system"] == system).sum()) for system in systems}
    by = [found["category"].rename("category"), found["severity"].rename("severity")]
    counts = pd.crosstab(by, found["system"]).reindex(columns=systems, fill_value=0)
    frame = counts.set_axis([f"system-{place}" for place, _ in enumerate(systems)], axis=1).reset_index()
    per_system = columns("count", **{f"system-{place}": system for place, system in enumerate(systems)})
    shown = (*columns(category="Category", severity="Severity"), *per_system)
    table = Table(shown, frame, "Errors by category and severity")
    as_table = Section("campaign-error-counts", "Counts", table=table, is_detail=True)
    return Section("campaign-errors", title, figure=lambda: figures.people.error_bars(found, per), parts=(as_table,))


def beside_metrics_section(pairs: pd.DataFrame, specs: Mapping[str, MetricSpec], systems: tuple[str, str]) -> Section:
    """Return people and metrics side by side, from a frame of differences segment by segment.

    Parameters
    ----------
    systems
        The baseline, and the system compared with it.
    """
    frame = correlation_frame(pairs)
    frame = frame.assign(**_named(frame["metric"], specs))
    undirected = [
        name for name, notation in zip(frame["name"], frame["notation"], strict=True) if not notation.direction
    ]
    where = f"positive: {systems[1]} is better than {systems[0]}"
    where += f"; by {', '.join(undirected)} higher" if len(undirected) else ""
    caption = f"Mean difference per segment ({where}), and correlation over segments"
    return Section("campaign-metrics", "People and metrics", table=Table(BESIDE_METRICS, frame, caption))


def _named(metrics: pd.Series[str], specs: Mapping[str, MetricSpec]) -> dict[str, pd.Series[Any]]:
    """Return columns with names and notations of metrics."""
    return {
        name: metrics.map({key: getattr(spec, name) for key, spec in specs.items()}) for name in ("name", "notation")
    }


def human_answers_section(
    metrics: Sequence[GivenMetric],
    answers: Sequence[TwoAnswers],
    means: pd.DataFrame,
    baseline: str,
    settings: Settings,
) -> Section:
    """Return whether luck could explain the difference that people saw, with the means behind it."""
    title = "Could luck explain the difference?"
    if not answers:
        return Section("campaign-answers", title, (f"No scores of both {baseline} and another system.",))
    specs = {metric.key: imported_spec(metric) for metric in metrics}
    rows = []
    for one in answers:
        both, spec = one.both, specs[one.both.metric]
        rows.append({
            "metric": spec.name, "system": one.both.system, "difference": both.difference,
            "p_first": one.test_set_luck.p_value, "p_both": both.p_value, "low": both.low, "high": both.high,
            "notation": spec.notation,
        })  # fmt: skip
    caption = f"Against {baseline}, {counted(settings.n_shuffles, 'shuffle')}, p unadjusted"
    compared = chain.from_iterable(answers)
    return Section(
        "campaign-answers", title, table=Table(ANSWERS, pd.DataFrame(rows), caption),
        notes=notes_by([(one.system, one.note) for one in compared]),
        parts=(_means(metrics, specs, means, settings.runs),),
    )  # fmt: skip


def _means(
    metrics: Sequence[GivenMetric], specs: Mapping[str, MetricSpec], means: pd.DataFrame, runs: RunWord
) -> Section:
    """Return the mean of each judged run, and its numbers of segments and judgements."""
    each = ((metric.key, one) for metric in metrics for one in metric.scores)
    given = {(key, one.test_set, one.system, one.run): one.judgements or () for key, one in each}
    keys = means[["metric", "test_set", "system", "run"]].itertuples(index=False, name=None)
    counts = [given[key] for key in keys]
    frame = means.assign(
        **_named(means["metric"], specs),
        n_segments=[sum(count > 0 for count in one) for one in counts],
        n_judgements=[sum(one) for one in counts],
    )
    shown = (
        *columns(name="Metric", system="System", run=runs.filled("{Run}")),
        *(*columns("count", n_segments="Segments", n_judgements="Judgements"), Column("score", "Mean", "number")),
    )
    caption = f"Means of the {runs.nouns} over the judged part of the random sample"
    return Section("campaign-means", "", table=Table(shown, frame, caption))
