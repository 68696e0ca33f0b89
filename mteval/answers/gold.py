"""What people judged: which systems they tell apart (Graham et al. 2014, Figure 7), and whether other raters would."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import pandas as pd

from mteval import figures
from mteval.analysis.people.claims import LEVELS
from mteval.analysis.people.gold import GOLD_TESTS, Gold
from mteval.analysis.people.raters import RAW, rater_variance
from mteval.answers.section import Column, Row, Section, Table, headed, noted, p_column
from mteval.base.words import agreeing, counted, counted_part, counted_range
from mteval.values.notation import DASH, Notation, fixed
from mteval.values.notation import level as written_level

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
        (told_apart(conclusions, level),),
        figure=lambda: figures.people.gold_matrix(cells, gold.systems),
        notes=noted(*notes, is_wide=True),
        parts=(_matrix(gold.cells(LEVELS[0]), gold.systems),),
    )


def _matrix(cells: pd.DataFrame, systems: Sequence[str]) -> Section:
    """Who is significantly better than whom: a row a system, a numbered column a system, marks for levels."""
    first = cells["scale"].iloc[0] if len(cells) else ""
    others = [scale for scale in cells["scale"].unique() if scale != first]
    numbers = {system: str(number) for number, system in enumerate(systems, start=1)}
    order = pd.Index(systems)
    p_values = cells.pivot(index="better", columns="worse", values="p_value").reindex(index=order, columns=order)
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
    table = Table((*MATRIX, *columns), frame)
    return Section("gold-pairs", "All pairs as a table", table=table, notes=noted(*legend), is_detail=True)


def told_apart(conclusions: Mapping[tuple[str, str], int], at: float) -> str:
    """How many pairs of systems people tell apart at a level."""
    n_apart = sum(sign != 0 for sign in conclusions.values())
    return f"People tell apart {counted_part(n_apart, len(conclusions), 'pair')} at {written_level(at)}."


def alone_sentence(conclusions: Mapping[tuple[str, str], int], systems: Sequence[str]) -> str:
    """Which systems are told apart from no other; nothing where there is none."""
    apart = {system for pair, sign in conclusions.items() if sign for system in pair}
    alone = [system for system in systems if system not in apart]
    return f"{counted(len(alone), 'system')} told apart from no other: {', '.join(alone)}." if alone else ""


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
    headed("one", "system", "word"), headed("other", "against", "word"),
    headed("answer", "answer", "word", write=lambda row: _answer(row)),
    headed("difference", "difference", "difference"),
    headed("low", "interval", "interval", fields=("low", "high")),
    p_column("p_segments", "p segments"), p_column("p_value", "p raters too"),
    p_column("p_adjusted", is_adjusted=True, short="adjusted p"),
    headed("own_raters", "raters' share", "share", write=lambda row: _share(row)),
)  # fmt: skip
ALPHAS = (
    headed("one", "rater", "word", write=lambda row: row["one"] if row["other"] else "all raters"),
    headed("other", "and", "word"), headed("n_outputs", "outputs", digits=0), headed("alpha_raw", "alpha raw"),
    headed("alpha_standardised", "alpha standardised"), Column("pearson", "Pearson", "number"),
)  # fmt: skip


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
        figure=None if variance.empty else lambda: figures.people.rater_bars(variance, str(raters["scale"].iloc[0])),
        legend=bars,
        notes=noted(EXPLAINED, is_wide=True),
        parts=tuple(_pairs(rows) for _, rows in raters.groupby(["form", "unit"], sort=False)),
    )


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
