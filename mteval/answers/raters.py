"""Whether other raters would say so, and how far raters agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd

from mteval.analysis.people.raters import RAW, rater_variance
from mteval.answers.gold import UNITS
from mteval.answers.section import Column, Row, Section, Table, headed, noted, p_column
from mteval.base.words import counted, counted_range
from mteval.values.notation import DASH, Notation, fixed

if TYPE_CHECKING:
    import plotly.graph_objects as go

JUDGED = Notation("↑")  # of differences between judgements, on whatever scale
MOST_DIFFERENCES = 12  # of which a figure shows where their variance comes from
TITLE = "Would other raters say so?"
ANSWERS: Mapping[str, str] = {
    "ruled out": "not explained by luck with segments and raters",
    "open": "cannot be ruled out",
    "refused": "no answer",
}
EXPLAINED = (
    "Asked of outputs that several raters all judged: could luck with the raters explain the difference? “p segments”"
    " takes these raters as given, “p raters too” takes them as drawn from others like them; the raters' share is of"
    " the variance. Three raters or more give an answer, two a provisional one, one none. Raw and standardised"
    " judgements are answered side by side; p-values are adjusted by Holm over the pairs of systems shown."
)
NO_RATERS = (
    "These judgements do not say who gave them, or one annotator gave them all: nobody can tell what other raters would"
    " say. It takes two who judged the same outputs for a provisional answer, three for one."
)
PAIRS = (
    headed("one", "system", "word"),
    headed("other", "against", "word"),
    headed("answer", "answer", "word", write=lambda row: _answer(row)),
    headed("difference", "difference", "difference"),
    headed("low", "interval", "interval", fields=("low", "high")),
    p_column("p_segments", "p segments"),
    p_column("p_value", "p raters too"),
    p_column("p_adjusted", is_adjusted=True, short="adjusted p"),
    headed("own_raters", "raters' share", "share", write=lambda row: _share(row)),
)
ALPHAS = (
    headed("one", "rater", "word", write=lambda row: row["one"] if row["other"] else "all raters"),
    headed("other", "and", "word"),
    headed("n_outputs", "outputs", digits=0),
    headed("alpha_raw", "alpha raw"),
    headed("alpha_standardised", "alpha standardised"),
    Column("pearson", "Pearson", "number"),
)


def raters_sections(raters: pd.DataFrame, agreement: pd.DataFrame, n_annotators: int) -> Iterator[Section]:
    """How far raters agree where there are several, and whether others would say the same, a part a form and unit.

    Parameters
    ----------
    raters, agreement
        With the columns ``RATERS`` and those of ``rater_agreement_frame``.
    """
    if n_annotators > 1:
        yield Section(
            "rater-agreement", "Do raters agree: Krippendorff's alpha on the outputs that they share",
            table=Table(ALPHAS, agreement), notes=noted("1 is perfect, 0 is chance.", is_wide=True),
        )  # fmt: skip
    if raters["p_value"].isna().all():
        notes = " ".join(dict.fromkeys(note for note in raters["note"] if note))
        yield Section("raters", TITLE, (NO_RATERS,) if n_annotators < 2 else (), notes=noted(f"No answer. {notes}"))
        return
    rows = raters[(raters["form"] == RAW) & (raters["unit"] == "segment") & raters["p_value"].notna()]
    largest = rows.sort_values("difference", ascending=False, kind="stable").head(MOST_DIFFERENCES)
    ones, variance = list(largest["one"]), rater_variance(largest)
    which = f"{ones[0]} less each of these systems" if len(set(ones)) == 1 else "each difference"
    bars = (
        f"Where the variance of {which} comes from, of raw judgements with segments as units: “raters” and “test set”"
        " are what these bring beyond chance, “raters × test set” is what more of either makes smaller; s is the"
        f" standard error. The {counted(len(ones), 'largest difference')} with an answer."
    )
    yield Section(
        "raters",
        TITLE,
        figure=None if variance.empty else partial(_figure, variance, str(raters["scale"].iloc[0])),
        legend=bars,
        notes=noted(EXPLAINED, is_wide=True),
        parts=tuple(_pairs(rows) for _, rows in raters.groupby(["form", "unit"], sort=False)),
    )


def _figure(variance: pd.DataFrame, scale: str) -> go.Figure:
    from mteval.figures.planning import variance_bars  # here, since not every command loads figures

    return variance_bars(variance, scale, JUDGED)


def _pairs(rows: pd.DataFrame) -> Section:
    """The pairs of systems of one form and unit, after what they rest on."""
    form, unit = str(rows["form"].iloc[0]), str(rows["unit"].iloc[0])
    n_raters, n_segments, n_left_out = (
        counted_range(rows[name].tolist(), what)
        for name, what in (("n_raters", "rater"), ("n_segments", "segment"), ("n_left_out", "segment"))
    )
    extent = (
        f"{form.capitalize()} judgements, {UNITS[unit]} as units: {n_raters} who judged the same {n_segments} of both;"
        f" {n_left_out} left out."
    )
    table = Table(PAIRS, rows, extent, notation=JUDGED)
    return Section(f"raters-{form}-{unit}", "", table=table, notes=noted(*dict.fromkeys(rows["note"])))


def _answer(row: Row) -> str:
    is_provisional = row["n_raters"] == 2 and row["answer"] != "refused"
    return ANSWERS[row["answer"]] + (", provisional" if is_provisional else "")


def _share(row: Row) -> str:
    """Of the variance how much raters have of their own."""
    total = row["own_raters"] + row["own_segments"] + row["together"]
    return f"{fixed(100 * row['own_raters'] / total, 0)}%" if total > 0 else DASH
