"""What people judged, and which systems they tell apart: the matrix of all pairs (Graham et al. 2014, Figure 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd

from mteval.analysis.people.agreement import LEVELS
from mteval.analysis.people.gold import GOLD_TESTS, Gold
from mteval.answers.section import Column, Row, Section, Table, headed, noted, said
from mteval.base.words import agreeing, counted, counted_part
from mteval.values.notation import Notation, p_value
from mteval.values.notation import level as written_level

if TYPE_CHECKING:
    import plotly.graph_objects as go

UNITS = {"segment": "segments", "document": "documents", "judgement": "judgements", "output": "outputs"}
MARKS = ((0.001, "+++"), (0.01, "++"), (0.05, "+"))
MATRIX = (Column("number", ""), headed("system", "system", "word"))
DEPENDENT = "Judgements of one document are not independent; documents as units take them as one."


def judged_extent(frame: pd.DataFrame) -> str:
    """How many judgements by whom of what, from a frame with a row a judgement."""
    n_documents, n_annotators = frame["document"].nunique(), frame["annotator"].nunique()
    inside = f" in {counted(n_documents, 'document')}" if n_documents else ""
    whose = "one annotator, or put together as one's," if n_annotators == 1 else counted(n_annotators, "annotator")
    return (
        f"{counted(len(frame), 'judgement')} by {whose} of {counted(frame['system'].nunique(), 'system')} on"
        f" {counted(frame['segment'].nunique(), 'segment')}{inside}; scales: {', '.join(frame['scale'].unique())}."
    )


def unknown_error_sentence(category: str, severity: str, count: int) -> str:
    """That a kind of error is none of WMT's, and what it weighs until somebody says otherwise."""
    times = agreeing(count, "once", counted(count, "time"))
    return (
        f"'{category}', {severity}, stands {times} and is none of WMT's errors; it has the weight of its severity. Give"
        " the errors scores in the file where that is wrong."
    )


def gold_section(gold: Gold, level: float, have_documents: bool = False) -> Section:
    """The pairs at a level; as a figure, in words, and as a table.

    Parameters
    ----------
    have_documents
        Whether the document of every judgement is known, so that documents could be the units.
    """
    conclusions, cells = gold.conclusions(level), gold.cells(level)
    scale, *others = [gold.first["scale"].iloc[0], *([] if gold.second is None else [gold.second["scale"].iloc[0]])]
    counts = gold.first[["n_one", "n_other"]].to_numpy()
    sizes = " to ".join(f"{size:,}" for size in dict.fromkeys((counts.min(), counts.max())))
    notes = (
        f"{GOLD_TESTS[gold.test]}, one-sided in either direction, {UNITS.get(gold.unit, gold.unit)} as units; {sizes}"
        f" for each system. Systems from best to worst by the mean {scale}. p-values are not adjusted for the number of"
        " pairs, as in the paper.",
        *(f"Where {scale} tells neither apart, {other} decides." for other in others),
        DEPENDENT if have_documents and gold.unit == "judgement" else "",
        alone_sentence(conclusions, gold.systems),
    )
    return Section(
        "gold",
        f"Which systems people tell apart: {GOLD_TESTS[gold.test]}, units: {gold.unit}s",
        said(told_apart(conclusions, level)),
        figure=partial(_figure, cells, gold.systems),
        notes=noted(*notes, is_wide=True),
        parts=(_matrix(gold.cells(LEVELS[0]), gold.systems),),
    )


def _figure(cells: pd.DataFrame, systems: Sequence[str]) -> go.Figure:
    from mteval.figures.significance import pair_matrix  # here, since not every command loads figures

    pairs = cells.assign(improvement=cells["difference"], p_adjusted=cells["p_value"], note="")
    return pair_matrix(pairs, systems, Notation("↑"), lambda row: f"p {p_value(row['p_value'], 4)} by {row['scale']}")


def _matrix(cells: pd.DataFrame, systems: Sequence[str]) -> Section:
    """Who is significantly better than whom: a row a system, a numbered column a system, marks for levels."""
    first = cells["scale"].iloc[0] if len(cells) else ""
    others = [scale for scale in cells["scale"].unique() if scale != first]
    numbers = {system: str(number) for number, system in enumerate(systems, start=1)}
    p_values = cells.pivot(index="better", columns="worse", values="p_value").reindex(
        index=list(systems), columns=list(systems)
    )
    scales = dict(zip(zip(cells["better"], cells["worse"], strict=True), cells["scale"], strict=True))

    def mark(row: Row, other: str) -> str:
        if row["system"] == other:
            return "·"
        found = next((mark for level, mark in MARKS if row[numbers[other]] <= level), "")
        return found and found + ("" if scales[row["system"], other] == first else "*")

    columns = (Column(numbers[one], numbers[one], "p", write=partial(mark, other=one)) for one in systems)
    frame = p_values.rename(columns=numbers).assign(number=list(numbers.values()), system=list(systems))
    legend = (
        "+ the system of the row is better at 5%, ++ at 1%, +++ at 0.1%; not adjusted for the number of pairs.",
        f"* by {others[0]}, since {first} tells neither apart at 5%." if others else "",
    )
    return Section(
        "gold-pairs", "All pairs as a table", table=Table((*MATRIX, *columns), frame), notes=noted(*legend),
        is_detail=True,
    )  # fmt: skip


def told_apart(conclusions: Mapping[tuple[str, str], int], at: float) -> str:
    """How many pairs of systems people tell apart at a level."""
    n_apart = sum(sign != 0 for sign in conclusions.values())
    return f"People tell apart {counted_part(n_apart, len(conclusions), 'pair')} at {written_level(at)}."


def alone_sentence(conclusions: Mapping[tuple[str, str], int], systems: Sequence[str]) -> str:
    """Which systems are told apart from no other; nothing where there is none."""
    apart = {system for pair, sign in conclusions.items() if sign for system in pair}
    alone = [system for system in systems if system not in apart]
    return f"{counted(len(alone), 'system')} told apart from no other: {', '.join(alone)}." if alone else ""
