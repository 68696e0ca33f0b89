"""What people think of each system on average, whether luck explains a difference, and metrics beside two systems."""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING

import pandas as pd

from mteval import figures
from mteval.analysis.people.averages import Preferences
from mteval.analysis.people.judgements import ASPECT_NAMES, PREFERENCE, is_standardised
from mteval.answers.section import Column, Note, Row, Section, Table, headed, noted, p_column
from mteval.base.words import agreeing, counted, counted_range, listed, plural
from mteval.metrics.base import MetricSpec
from mteval.values.judgements import MQM
from mteval.values.notation import DASH, Notation, level, p_equals, percent, signed
from mteval.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import plotly.graph_objects as go

NAMES = {MQM: "MQM (minus error weights)", PREFERENCE: "preference (1 if preferred, 0.5 if equal)", "esa": "ESA score"}
AVERAGES_KEY = "averages-"  # and the scale
JUDGED = Notation("↑")  # of judgements, their means and differences, on whatever scale
EXPLAINED = (
    "Segments are averaged over annotators first; annotators are taken as given. Means have Student's t intervals over"
    " {units}. Differences are tested by approximate randomization over {units}; each CI inverts the test, unadjusted."
)
EXPLAINED_ASSIGNED = (
    "Outputs were assigned by earlier scores. Means are weighted by one over the recorded probabilities (Hájek);"
    " annotators are taken as given. Intervals and tests of differences use Student's t over {units}."
)
ONE_DOCUMENT = (
    "Only one document was judged. For intervals about this document alone, choose segments as units in the settings."
)
MEANS = (
    headed("system", "system", "word"),
    headed("n_segments", "segments", "count"),
    headed("mean", "mean", "number"),
    Column("low", "CI (mean)", "range", fields=("low", "high")),
    headed("difference", "difference", "difference"),
    Column("from", "CI", "interval", fields=("from", "to")),
    p_column("p_value"),
    p_column("p_adjusted", is_adjusted=True),
)
TITLE = "Differences assisted by metrics"
ASSISTED_EXPLAINED = (
    "The judged segments are corrected by how metrics differ between them and all segments (control variates, PPI++)."
    " Weights of metrics come from other units. CI and p (Student's t) are from the same variance over units."
)
ASSISTED = (
    headed("system", "system", "word"),
    headed("n_segments", "judged", "count"),
    headed("plain", "people alone", "difference"),
    headed("difference", "assisted", "difference"),
    Column("low", "CI", "interval", fields=("low", "high")),
    p_column("p_value"),
    p_column("p_adjusted", is_adjusted=True),
    headed("saved", "saved", "share", digits=0, help="Share of judgements that metrics save at the same precision."),
)


def averages_section(
    averages: pd.DataFrame,
    settings: Settings,
    standardise: bool | None = None,
    votes: Preferences | None = None,
    were_assigned: bool = False,
) -> Section:
    """Return the mean of each system and its difference to one of them, from a frame with the columns ``AVERAGES``.

    Parameters
    ----------
    standardise
        As in ``prepared``.
    votes
        If people chose between two outputs.
    were_assigned
        Whether outputs were assigned adaptively.
    """
    scale = str(averages["scale"].iloc[0])
    unit = str(averages["unit"].iloc[0])
    against = str(averages["against"].iloc[0])
    judgement = _judgement_name(scale, standardise)
    units = counted_range(averages["n_units"].tolist(), unit)
    caption = f"Mean {judgement} per segment; differences to {against}; {level(settings.confidence)} CI over {units}"

    notes: list[Note] = []
    if unit == "document" and averages["n_units"].max() == 1:
        notes += noted(ONE_DOCUMENT)
    notes += noted(*_missing_intervals(averages, against))
    explained = EXPLAINED_ASSIGNED if were_assigned else EXPLAINED
    notes += noted(explained.format(units=plural(unit)), is_wide=True)
    lead = []
    if votes is not None:
        lead.append(votes_sentence(votes, settings))
    return Section(
        f"{AVERAGES_KEY}{scale}",
        f"{_scale_name(scale)} of each system",
        tuple(lead),
        Table(MEANS, averages, caption, notation=JUDGED),
        notes=tuple(notes),
    )


def means_figure(averages: pd.DataFrame, standardise: bool | None = None) -> go.Figure:
    """Return a figure of the mean of each system with its interval; parameters as in ``averages_section``."""
    estimates = []
    for row in averages.to_dict("records"):
        text = f"{row['system']}: {JUDGED.number(row['mean'])}, {counted(row['n_segments'], 'segment')}"
        estimates.append(figures.people.Estimate(row["system"], "", row["mean"], row["low"], row["high"], text))
    scale = str(averages["scale"].iloc[0])
    # The caption of the table explains the name; a phone has no room for both
    name, _, _ = _judgement_name(scale, standardise).partition(" (")
    return figures.people.estimates(estimates, f"Mean {name}")


def _judgement_name(scale: str, standardise: bool | None) -> str:
    """Return what is averaged, in words."""
    name = NAMES.get(scale, scale)
    if is_standardised(scale, standardise):
        return f"standardised {name}"
    return name


def _missing_intervals(averages: pd.DataFrame, against: str) -> Iterator[str]:
    """Yield why a difference has no interval, each reason once with its systems."""
    others = averages[averages["system"] != against]
    lacking = others[others["from"].isna() & (others["note"] != "")]
    for reason, rows in lacking.groupby("note", sort=False):
        yield f"No interval of the difference for {listed(list(rows['system']))}. {reason}"


def _scale_name(scale: str) -> str:
    return ASPECT_NAMES.get(scale, scale.capitalize())


def assisted_section(assisted: pd.DataFrame, metrics: Sequence[str], settings: Settings) -> Section:
    """Return differences assisted by metrics, and what that saves, from a frame with the columns ``ASSISTED``."""
    n_judged = int(assisted["n_segments"].max())
    n_all = int(assisted["n_all"].max())
    share_saved = float(assisted["saved"].mean())
    n_needed = n_judged - round(share_saved * n_judged)
    saving = (
        f"With {listed(list(metrics))} on all {counted(n_all, 'segment')}, about {counted(n_needed, 'judged segment')}"
        f" would be as precise as {n_judged:,} without: {percent(share_saved, 0)} fewer."
    )
    units = counted_range(assisted["n_units"].tolist(), str(assisted["unit"].iloc[0]))
    caption = f"Differences to {assisted['against'].iloc[0]}; {level(settings.confidence)} CI over {units}"
    table = Table(ASSISTED, assisted, caption, notation=JUDGED)
    notes = (*noted(saving), *noted(ASSISTED_EXPLAINED, is_wide=True))
    return Section("assisted", TITLE, table=table, notes=notes)


def votes_sentence(votes: Preferences, settings: Settings) -> str:
    """Return how people voted between two outputs, with the sign test and the interval that agrees with it."""
    n_for_winner, n_for_other, n_for_neither = votes.votes
    text = (
        f"{counted(n_for_winner, 'vote')} for {votes.winner}, {n_for_other} for {votes.other}, {n_for_neither} for"
        " neither."
    )
    if votes.n_same:
        same = agreeing(votes.n_same, "counts as a tie", "count as ties")
        text += f" {counted(votes.n_same, 'pair')} of the same text {same}."
    n_decided = votes.won + votes.lost
    if not n_decided:
        return text
    return (
        f"{text} {votes.winner} wins {counted(votes.won, votes.unit)} and loses {votes.lost}:"
        f" {percent(votes.won / n_decided, 0)} of those with a winner ({level(settings.confidence)} CI"
        f" {percent(votes.low, 0)} to {percent(votes.high, 0)}; sign test {p_equals(votes.p_value)})."
    )


def _human_difference(row: Row) -> str:
    return JUDGED.difference(row["human_difference"])


def _pearson(row: Row) -> str:
    return signed(row["pearson"], 2)


def _pearson_interval(row: Row) -> str:
    is_known = row["low"] == row["low"]  # not NaN
    if not is_known:
        return DASH
    return f"{signed(row['low'], 2)} to {signed(row['high'], 2)}"


BESIDE = (
    Column("name", "Metric"),
    Column("n_segments", "Segments", "count"),
    Column("human_difference", "People's difference", "difference", write=_human_difference),
    Column("metric_difference", "Metric's difference", "difference"),
    Column("pearson", "Pearson", "number", write=_pearson),
    Column("low", "CI (Pearson)", "interval", fields=("low", "high"), write=_pearson_interval),
    p_column("p_value", "p (Pearson)"),
)


def beside_section(
    beside: pd.DataFrame, points: pd.DataFrame, specs: Mapping[str, MetricSpec], pair: tuple[str, str], scale: str
) -> Section:
    """Return two systems by people and by metrics, from the frames of ``beside_metrics``.

    Parameters
    ----------
    pair
        The system subtracted, and the other.
    """
    subtracted, system = pair
    specs_of_rows = beside["metric"].map(specs.__getitem__)
    frame = beside.assign(
        name=specs_of_rows.map(attrgetter("name")),
        notation=specs_of_rows.map(attrgetter("notation")),
    )
    caption = (
        f"Mean difference per segment ({system} minus {subtracted}; for metrics, positive means better), and"
        " correlation over segments"
    )
    units = counted_range(beside["n_units"].tolist(), str(beside["unit"].iloc[0]))
    note = (
        f"Interval and p of the correlation: jackknife over {units}, Student's t on Fisher's z. Six or more are needed."
    )

    metric = str(beside["metric"].iloc[0])
    points_of_metric = points[points["metric"] == metric]
    return Section(
        "beside-metrics",
        "People and metrics, segment by segment",
        table=Table(BESIDE, frame, caption),
        figure=partial(_scatter, points_of_metric, specs[metric], pair, scale),
        notes=noted(note, is_wide=True),
    )


def _scatter(points: pd.DataFrame, spec: MetricSpec, pair: tuple[str, str], scale: str) -> go.Figure:
    subtracted, system = pair
    better = f"{system} better than {subtracted}"
    color = figures.colors.system_colors(pair)[system]
    return figures.people.difference_scatter(
        points, f"{_scale_name(scale)}: {better}", f"{spec.name}: {better}", color, (JUDGED, spec.notation)
    )
