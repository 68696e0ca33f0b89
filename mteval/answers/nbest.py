"""N-best lists: how good the decoder could have been, what longer lists would add, and one ranked list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from mteval import figures
from mteval.analysis.nbest import CHOICES, NbestSummary, ScoredList
from mteval.answers.section import Cell, Column, Row, Section, Table
from mteval.base.words import counted, counted_range
from mteval.metrics import METRICS
from mteval.values.model import TestSet

if TYPE_CHECKING:
    import plotly.graph_objects as go

MOST_SHOWN = 100  # hypotheses of one list
_ORACLES = (
    Column("metric", "Metric"),
    Column("first", "1-best", "number", "Corpus score of the decoder's choices."),
    Column(
        "oracle",
        "Oracle",
        "number",
        "Corpus score of the hypotheses with the best segment scores by this metric.",
    ),
    Column("gain", "Oracle − 1-best", "difference"),
    Column("worst", "Worst", "number", "Corpus score of the hypotheses with the worst segment scores."),
    Column(
        "share",
        "1-best is the oracle",
        "share",
        "Lists in which no hypothesis beats the first one by this metric.",
        digits=0,
    ),
    Column("place", "Median place", "number", "Median place of the oracle in the list (1 is the first).", digits=0),
)


def oracles(summary: NbestSummary, metrics: Sequence[str], name: str) -> Section:
    """Return how far the first hypotheses are from the best and worst of each list, by every metric.

    Parameters
    ----------
    name
        Of the file with the lists.
    """
    rows = []
    for metric in metrics:
        notation = METRICS[metric].notation
        scores = summary.oracles[summary.oracles["metric"] == metric].set_index("choice")["score"]
        first, oracle, worst = (float(scores[choice]) for choice in CHOICES)
        places_of_oracles = summary.lists.loc[summary.lists["metric"] == metric, "place"]
        rows.append(
            {
                "metric": notation.heading(METRICS[metric].name),
                "notation": notation,
                "first": first,
                "oracle": oracle,
                "gain": oracle - first,
                "worst": worst,
                "share": float((places_of_oracles == 1).mean()),
                "place": float(places_of_oracles.median()),
            }
        )
    sizes = summary.lists.groupby("segment")["size"].first().tolist()
    caption = f"{counted(len(sizes), 'list')} of {counted_range(sizes, 'hypothesis')} ({name})."
    return Section("oracles", "", table=Table(_ORACLES, pd.DataFrame(rows), caption))


def depth(summary: NbestSummary, metric: str) -> Section:
    """Return the corpus score of the best hypotheses by length of the lists."""
    spec = METRICS[metric]
    depths = summary.depths[summary.depths["metric"] == metric]

    def figure() -> go.Figure:
        return figures.segments.depth_curve(depths, spec.name, spec.notation)

    return Section("depth", "", figure=figure, legend="Oracle score by list length.")


def places(summary: NbestSummary, metric: str) -> Section:
    """Return where in the lists the best hypotheses are."""
    places_of_oracles = summary.lists.loc[summary.lists["metric"] == metric, "place"]

    def figure() -> go.Figure:
        return figures.segments.place_histogram(places_of_oracles)

    legend = "Decoder's rank of the best hypothesis. Other colour: its own choice."
    return Section("places", "", figure=figure, legend=legend)


def beside(test_set: TestSet, segment: int) -> tuple[str, tuple[str, ...]]:
    """Return what to read the hypotheses of a segment against: its references, else its source."""
    if test_set.has_references:
        return "Reference", test_set.references[segment]
    source = "" if test_set.source is None else test_set.source[segment]
    return "Source", (source,)


def texts_beside(test_set: TestSet, segment: int) -> Iterator[tuple[str, str]]:
    """Yield the source and the references of a segment, with their labels; no reference that is empty."""
    if test_set.source is not None:
        yield "Source", test_set.source[segment]
    for reference in test_set.references[segment]:
        if reference:
            yield "Reference", reference


def missed(summary: NbestSummary, metric: str, test_set: TestSet) -> Table:
    """Return the lists by what the decoder missed, most first."""
    lists = summary.lists[summary.lists["metric"] == metric].sort_values("gain", ascending=False, kind="stable")
    label, _ = beside(test_set, 0)
    texts = []  # of several references, the first
    for segment in lists["segment"]:
        _, texts_of_segment = beside(test_set, segment)
        texts.append(texts_of_segment[0])
    frame = pd.DataFrame(
        {
            "Segment": lists["segment"] + 1,
            label: texts,
            "1-best": lists["first"],
            "Oracle": lists["oracle"],
            "Missed": lists["gain"],
            "Place": lists["place"],
        }
    )
    digits = METRICS[metric].notation.coarser.decimals
    columns = (
        Column("Segment", "Segment", "count"),
        Column(label, label, "text"),
        Column("1-best", "1-best", "number", digits=digits),
        Column("Oracle", "Oracle", "number", digits=digits),
        Column("Missed", "Missed", "number", digits=digits),
        Column("Place", "Place", "count"),
    )
    return Table(columns, frame)


def opened(scored_list: ScoredList, metric: str) -> Section:
    """Return one segment's list, best first by the metric; the decoder's own choice is bold."""
    entries = scored_list.nbest.entries
    rows = []
    for place in scored_list.metrics[metric].order[:MOST_SHOWN].tolist():
        entry = entries[place]
        row = {"text": entry.hypothesis, "place": place + 1, "decoder": entry.total}
        for key, by_metric in scored_list.metrics.items():
            row[key] = float(by_metric.scores[place])
        rows.append(row)

    columns = [
        Column("text", "Hypothesis", "text", write=_hypothesis),
        Column("place", "Place", "count"),
        Column("decoder", "Decoder", "number", digits=2),
    ]
    for key in scored_list.metrics:
        spec = METRICS[key]
        columns.append(Column(key, spec.name, "number", digits=spec.notation.coarser.decimals))
    caption = f"Best first by {METRICS[metric].name}. Bold: the decoder's choice. Place: rank in the decoder's list."
    if len(entries) > MOST_SHOWN:
        caption += f" First {MOST_SHOWN} of {len(entries):,}."
    return Section("list", "", table=Table(tuple(columns), pd.DataFrame(rows), caption))


def _hypothesis(row: Row) -> Cell:
    """Return a hypothesis, in bold if it is the decoder's choice."""
    return Cell(row["text"], is_best=row["place"] == 1)
