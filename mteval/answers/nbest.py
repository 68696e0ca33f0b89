"""N-best lists: how good the decoder could have been, what longer lists would add, and one ranked list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from mteval import figures
from mteval.analysis.nbest import CHOICES, NbestSummary, ScoredList
from mteval.answers.section import Cell, Column, Row, Section, Table
from mteval.base.words import counted, counted_range
from mteval.metrics import METRICS
from mteval.values.model import TestSet

MOST_SHOWN = 100  # hypotheses of one list


def oracles(summary: NbestSummary, metrics: Sequence[str], name: str) -> Section:
    """Return how far the first hypotheses are from the best and worst of each list, by every metric.

    Parameters
    ----------
    name
        Of the file with the lists.
    """
    rows = []
    for key, spec in ((key, METRICS[key]) for key in metrics):
        scores = summary.oracles[summary.oracles["metric"] == key].set_index("choice")["score"]
        places = summary.lists.loc[summary.lists["metric"] == key, "place"]
        first, oracle, worst = (float(scores[choice]) for choice in CHOICES)
        rows.append(
            {
                "metric": spec.notation.heading(spec.name), "notation": spec.notation,
                "first": first, "oracle": oracle, "gain": oracle - first, "worst": worst,
                "share": float((places == 1).mean()), "place": float(places.median()),
            }
        )  # fmt: skip
    columns = (
        Column("metric", "Metric"),
        Column("first", "1-best", "number", "Corpus score of the decoder's choices."),
        Column("oracle", "Oracle", "number",
               "Corpus score of the hypotheses with the best segment scores by this metric."),
        Column("gain", "Oracle − 1-best", "difference"),
        Column("worst", "Worst", "number", "Corpus score of the hypotheses with the worst segment scores."),
        Column("share", "1-best is the oracle", "share",
               "Lists in which no hypothesis beats the first one by this metric.", digits=0),
        Column("place", "Median place", "number", "Median place of the oracle in the list (1 is the first).", digits=0),
    )  # fmt: skip
    sizes = summary.lists.groupby("segment")["size"].first().tolist()
    caption = f"{counted(len(sizes), 'list')} of {counted_range(sizes, 'hypothesis')} ({name})."
    return Section("oracles", "", table=Table(columns, pd.DataFrame(rows), caption))


def depth(summary: NbestSummary, metric: str) -> Section:
    """Return the corpus score of the best hypotheses by length of the lists."""
    spec, depths = METRICS[metric], summary.depths[summary.depths["metric"] == metric]
    how = depths, spec.name, spec.notation
    return Section(
        "depth", "", figure=lambda: figures.segments.depth_curve(*how), legend="Oracle score by list length."
    )


def places(summary: NbestSummary, metric: str) -> Section:
    """Return where in the lists the best hypotheses are."""
    of_metric = summary.lists.loc[summary.lists["metric"] == metric, "place"]
    legend = "Decoder's rank of the best hypothesis. Other colour: its own choice."
    return Section("places", "", figure=lambda: figures.segments.place_histogram(of_metric), legend=legend)


def beside(test_set: TestSet, segment: int) -> tuple[str, tuple[str, ...]]:
    """Return what to read the hypotheses of a segment against: its references, else its source."""
    if test_set.has_references:
        return "Reference", test_set.references[segment]
    return "Source", ("" if test_set.source is None else test_set.source[segment],)


def texts_beside(test_set: TestSet, segment: int) -> Iterator[tuple[str, str]]:
    """Yield the source and the references of a segment, with their labels; no reference that is empty."""
    if test_set.source is not None:
        yield "Source", test_set.source[segment]
    yield from (("Reference", text) for text in test_set.references[segment] if text)


def missed(summary: NbestSummary, metric: str, test_set: TestSet) -> Table:
    """Return the lists by what the decoder missed, most first."""
    ranked = summary.lists[summary.lists["metric"] == metric].sort_values("gain", ascending=False, kind="stable")
    name, _ = beside(test_set, 0)
    frame = pd.DataFrame(
        {
            "Segment": ranked["segment"] + 1, name: [beside(test_set, one)[1][0] for one in ranked["segment"]],
            "1-best": ranked["first"], "Oracle": ranked["oracle"], "Missed": ranked["gain"], "Place": ranked["place"],
        }
    )  # fmt: skip
    digits = METRICS[metric].notation.coarser.decimals
    scores = [Column(key, key, "number", digits=digits) for key in ("1-best", "Oracle", "Missed")]
    columns = (Column("Segment", "Segment", "count"), Column(name, name, "text"), *scores)
    return Table((*columns, Column("Place", "Place", "count")), frame)


def opened(found: ScoredList, metric: str) -> Section:
    """Return one segment's list, best first by the metric; the decoder's own choice is bold."""
    keys, entries = list(found.metrics), found.nbest.entries
    rows = [
        {
            "text": entries[place].hypothesis, "place": place + 1, "decoder": entries[place].total,
            **{key: float(found.metrics[key].scores[place]) for key in keys},
        }
        for place in found.metrics[metric].order[:MOST_SHOWN].tolist()
    ]  # fmt: skip

    def written(row: Row) -> Cell:
        return Cell(row["text"], is_best=row["place"] == 1)

    columns = [Column("text", "Hypothesis", "text", write=written), Column("place", "Place", "count")]
    columns.append(Column("decoder", "Decoder", "number", digits=2))
    columns += [Column(key, METRICS[key].name, "number", digits=METRICS[key].notation.coarser.decimals) for key in keys]
    caption = f"Best first by {METRICS[metric].name}. Bold: the decoder's choice. Place: rank in the decoder's list."
    if len(entries) > MOST_SHOWN:
        caption += f" First {MOST_SHOWN} of {len(entries):,}."
    return Section("list", "", table=Table(tuple(columns), pd.DataFrame(rows), caption))
