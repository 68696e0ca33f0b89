"""What people think of each system on average, whether luck explains a difference, and metrics beside two systems."""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING

import pandas as pd

from mteval import figures
from mteval.analysis.people.averages import Preferences
from mteval.analysis.people.judgements import ASPECT_NAMES, PREFERENCE, is_standardised
from mteval.answers.section import Column, Section, Table, columns, headed, noted, p_column
from mteval.base.words import counted, counted_range, listed, plural
from mteval.metrics.base import MetricSpec
from mteval.values.judgements import MQM
from mteval.values.notation import DASH, Notation, level, p_equals, percent, signed
from mteval.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import plotly.graph_objects as go

NAMES = {MQM: "MQM (minus error weights)", PREFERENCE: "preference (1 if preferred, 0.5 if equal)", "esa": "ESA score"}
JUDGED = Notation("↑")  # of judgements and their means, on whatever scale
EXPLAINED = (
    "Segments are averaged over annotators first; annotators are taken as given. Means have Student's t intervals over"
    " {units}. Differences have an approximate randomization test over {units}; each CI inverts it, unadjusted."
)
EXPLAINED_ASSIGNED = (
    "Outputs were assigned by earlier scores. Means are weighted by one over the recorded probabilities (Hájek);"
    " annotators are taken as given. Intervals and tests of differences are by Student's t over {units}."
)
ONE_DOCUMENT = (
    "Only one document was judged. For intervals about this document alone, choose segments as units in the settings."
)
MEANS = (
    headed("system", "system", "word"), headed("n_segments", "segments", "count"),
    headed("mean", "mean", "number"), Column("low", "CI (mean)", "range", fields=("low", "high")),
    headed("difference", "difference", "difference"), Column("from", "CI", "interval", fields=("from", "to")),
    p_column("p_value"), p_column("p_adjusted", is_adjusted=True),
)  # fmt: skip
TITLE = "Differences assisted by metrics"
ASSISTED_EXPLAINED = (
    "The judged segments are corrected by how metrics differ between them and all segments (control variates, PPI++)."
    " Weights of metrics come from other units. CI and p (Student's t) are from the same variance over units."
)
ASSISTED = (
    headed("system", "system", "word"), headed("n_segments", "judged", "count"),
    headed("plain", "people alone", "difference"), headed("difference", "assisted", "difference"),
    Column("low", "CI", "interval", fields=("low", "high")), p_column("p_value"),
    p_column("p_adjusted", is_adjusted=True),
    headed("saved", "saved", "share", digits=0, help="Share of judgements that metrics save at the same precision."),
)  # fmt: skip
BESIDE = (
    *columns(name="Metric"), *columns("count", n_segments="Segments"),
    Column("human_difference", "People's difference", "difference",
           write=lambda row: JUDGED.difference(row["human_difference"])),
    Column("metric_difference", "Metric's difference", "difference"),
    Column("pearson", "Pearson", "number", write=lambda row: _signed(row["pearson"])),
    Column("low", "CI (Pearson)", "interval", fields=("low", "high"),
           write=lambda row: DASH if row["low"] != row["low"] else f"{_signed(row['low'])} to {_signed(row['high'])}"),
    p_column("p_value", "p (Pearson)"),
)  # fmt: skip


def _signed(value: float) -> str:
    return DASH if value != value else signed(value, 2)


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
    scale, unit, against = (str(averages[name].iloc[0]) for name in ("scale", "unit", "against"))
    units = counted_range(averages["n_units"].tolist(), unit)
    what = f"{'standardised ' if is_standardised(scale, standardise) else ''}{NAMES.get(scale, scale)}"
    caption = f"Mean {what} per segment; differences to {against}; {level(settings.confidence)} CI over {units}"
    is_one = unit == "document" and averages["n_units"].max() == 1
    explained = (EXPLAINED_ASSIGNED if were_assigned else EXPLAINED).format(units=plural(unit))
    return Section(
        f"averages-{scale}", f"{ASPECT_NAMES.get(scale, scale.capitalize())} of each system",
        (votes_sentence(votes, settings),) if votes is not None else (),
        Table(MEANS, averages, caption, notation=JUDGED),
        notes=(*noted(ONE_DOCUMENT if is_one else ""), *noted(explained, is_wide=True)),
    )  # fmt: skip


def assisted_section(assisted: pd.DataFrame, metrics: Sequence[str], settings: Settings) -> Section:
    """Return differences assisted by metrics, and what that saves, from a frame with the columns ``ASSISTED``."""
    units = counted_range(assisted["n_units"].tolist(), str(assisted["unit"].iloc[0]))
    n, n_all = int(assisted["n_segments"].max()), int(assisted["n_all"].max())
    saved = round(float(assisted["saved"].mean()) * n)
    saving = (
        f"With {listed(list(metrics))} on all {counted(n_all, 'segment')}, about {counted(n - saved, 'judged segment')}"
        f" would be as precise as {n:,} without: {percent(assisted['saved'].mean(), 0)} fewer."
    )
    caption = f"Differences to {assisted['against'].iloc[0]}; {level(settings.confidence)} CI over {units}"
    return Section("assisted", TITLE, table=Table(ASSISTED, assisted, caption, notation=JUDGED),
                   notes=(*noted(saving), *noted(ASSISTED_EXPLAINED, is_wide=True)))  # fmt: skip


def votes_sentence(votes: Preferences, settings: Settings) -> str:
    """Return how people voted between two outputs, with the sign test and the interval that agrees with it."""
    won = votes.won + votes.lost
    text = (
        f"{counted(votes.votes[0], 'vote')} for {votes.winner}, {votes.votes[1]} for {votes.other},"
        f" {votes.votes[2]} for neither."
    )
    if not won:
        return text
    return (
        f"{text} {votes.winner} wins {counted(votes.won, votes.unit)} and loses {votes.lost}:"
        f" {percent(votes.won / won, 0)} of those with a winner ({level(settings.confidence)} CI"
        f" {percent(votes.low, 0)} to {percent(votes.high, 0)}; sign test {p_equals(votes.p_value)})."
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
    by = beside["metric"].map(specs.__getitem__)
    frame = beside.assign(name=by.map(attrgetter("name")), notation=by.map(attrgetter("notation")))
    where = f"{pair[1]} minus {pair[0]}; for metrics, positive means better"
    units = counted_range(beside["n_units"].tolist(), str(beside["unit"].iloc[0]))
    caption = f"Mean difference per segment ({where}), and correlation over segments"
    note = f"Interval and p of the correlation: jackknife over {units}, Student's t on Fisher's z; from six on."
    first = str(beside["metric"].iloc[0])
    return Section(
        "beside-metrics", "People and metrics, segment by segment", table=Table(BESIDE, frame, caption),
        figure=partial(_scatter, points[points["metric"] == first], specs[first], pair, scale),
        notes=noted(note, is_wide=True),
    )  # fmt: skip


def _scatter(points: pd.DataFrame, spec: MetricSpec, pair: tuple[str, str], scale: str) -> go.Figure:
    better = f"{pair[1]} better than {pair[0]}"
    color = figures.colors.system_colors(pair)[pair[1]]
    titles = f"{ASPECT_NAMES.get(scale, scale.capitalize())}: {better}", f"{spec.name}: {better}"
    return figures.people.difference_scatter(points, *titles, color, (JUDGED, spec.notation))
