"""What people judged: which systems they tell apart (Graham et al. 2014, Figure 7), whether other raters would, and
whether a judge may replace a person.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd

from mteval import figures
from mteval.analysis.people.agreement import LEVELS
from mteval.analysis.people.gold import GOLD_TESTS, RANK_SUM, Gold
from mteval.analysis.people.raters import RAW, SOURCES, rater_variance
from mteval.answers.section import Column, Row, Section, Table, columns, headed, noted, p_column
from mteval.base.words import agreeing, counted, counted_part, counted_range, plural
from mteval.values.notation import DASH, Notation, fixed, level, p_value, percent

if TYPE_CHECKING:
    import plotly.graph_objects as go

UNITS = {"segment": "segments", "document": "documents", "judgement": "judgements", "output": "outputs"}
MARKS = ((0.001, "+++"), (0.01, "++"), (0.05, "+"))
MATRIX = (Column("number", ""), headed("system", "system", "word"))
DEPENDENT = "Judgements of one document are not independent. Choose documents as units to account for that."

SELECTED = "This test ignores the unequal probabilities of being judged. The means and their differences are weighted."


def judged_extent(frame: pd.DataFrame) -> str:
    """Return how many judgements there are, by whom and of what, from a frame with one row per judgement."""
    n_documents, n_annotators = frame["document"].nunique(), frame["annotator"].nunique()
    inside = f" in {counted(n_documents, 'document')}" if n_documents else ""
    whose = "one annotator (or unnamed ones)" if n_annotators == 1 else counted(n_annotators, "annotator")
    return (
        f"{counted(len(frame), 'judgement')} by {whose} of {counted(frame['system'].nunique(), 'system')} on"
        f" {counted(frame['segment'].nunique(), 'segment')}{inside}; scales: {', '.join(frame['scale'].unique())}."
    )


def unknown_error_sentence(category: str, severity: str, count: int) -> str:
    """Return a warning that a kind of error is not one of WMT's, and the weight it gets."""
    times = agreeing(count, "once", counted(count, "time"))
    return (
        f"'{category}' ({severity}, {times}) is not a WMT error category; it gets the weight of its severity. To change"
        " that, give the errors scores in the file."
    )


def gold_section(gold: Gold, at: float, have_documents: bool = False) -> Section:
    """Return the pairs of systems that people tell apart at a level.

    Parameters
    ----------
    have_documents
        Whether the document of every judgement is known, so that documents could be the units.
    """
    conclusions, cells = gold.conclusions(at), gold.cells(at)
    scale, *others = [found["scale"].iloc[0] for found in (gold.first, gold.second) if found is not None]
    counts = gold.first[["n_one", "n_other"]].to_numpy()
    sizes = " to ".join(f"{size:,}" for size in dict.fromkeys((counts.min(), counts.max())))
    observed = gold.unit if gold.test == RANK_SUM else "segment"  # a procedure counts segments, whatever its units
    what = observed if sizes == "1" else UNITS.get(observed, observed)
    notes = (
        f"One-sided in either direction; {sizes} {what} per system. Systems from best to"
        f" worst by mean {scale}. p is not adjusted, as in the paper.",
        *(f"Ties by {scale} are broken by {other}." for other in others),
        SELECTED if gold.is_selected else "",
        DEPENDENT if have_documents and gold.unit == "judgement" else "",
        alone_sentence(conclusions, gold.systems),
    )

    def matrix() -> go.Figure:
        pairs = cells.assign(improvement=cells["difference"], p_adjusted=cells["p_value"], note="")
        return figures.significance.pair_matrix(
            pairs, gold.systems, JUDGED, lambda row: f"p {p_value(row['p_value'], 4)} by {row['scale']}"
        )

    title = f"Which systems people tell apart: {GOLD_TESTS[gold.test]}, units: {gold.unit}s"
    lead, parts = (told_apart(conclusions, at),), (_matrix(gold.cells(LEVELS[0]), gold.systems),)
    return Section("gold", title, lead, figure=matrix, notes=noted(*notes, is_wide=True), parts=parts)


def _matrix(cells: pd.DataFrame, systems: Sequence[str]) -> Section:
    """Return which systems are better than which: one row and one numbered column per system, marks for levels."""
    first = cells["scale"].iloc[0] if len(cells) else ""
    others = [scale for scale in cells["scale"].unique() if scale != first]
    numbers = {system: str(number) for number, system in enumerate(systems, start=1)}
    p_values = cells.pivot(index="better", columns="worse", values="p_value")
    scales = dict(zip(zip(cells["better"], cells["worse"], strict=True), cells["scale"], strict=True))

    def mark(row: Row, other: str) -> str:
        if row["system"] == other:
            return "·"
        found = next((mark for largest, mark in MARKS if row[numbers[other]] <= largest), "")
        return found and found + ("" if scales[row["system"], other] == first else "*")

    columns = (Column(numbers[one], numbers[one], "p", write=partial(mark, other=one)) for one in systems)
    frame = p_values.reindex(index=[*systems], columns=[*systems]).rename(columns=numbers)
    table = Table((*MATRIX, *columns), frame.assign(number=list(numbers.values()), system=list(systems)))
    legend = "The row's system is better at 5% (+), 1% (++), 0.1% (+++), unadjusted."
    notes = noted(legend, f"* by {others[0]}: no clear difference by {first} at 5%." if others else "")
    return Section("gold-pairs", "All pairs as a table", table=table, notes=notes, is_detail=True)


def told_apart(conclusions: Mapping[tuple[str, str], int], at: float) -> str:
    """Return how many pairs of systems people tell apart at a level."""
    n_apart = sum(sign != 0 for sign in conclusions.values())
    return f"People tell apart {counted_part(n_apart, len(conclusions), 'pair')} at {level(at)}."


def alone_sentence(conclusions: Mapping[tuple[str, str], int], systems: Sequence[str]) -> str:
    """Return the systems without a clear difference from any other; empty if there are none."""
    apart = {system for pair, sign in conclusions.items() if sign for system in pair}
    alone = [system for system in systems if system not in apart]
    which = f"{counted(len(alone), 'system')} without a clear difference from any other: {', '.join(alone)}."
    return which if alone else ""


JUDGED = Notation("↑")  # of differences between judgements, on whatever scale
MOST_DIFFERENCES = 12  # of which a figure shows where their variance comes from
TITLE = "Would other raters say so?"
ANSWERS: Mapping[str, str] = {"ruled out": "yes", "open": "no clear difference", "refused": "no result"}
EXPLAINED = (
    "For outputs that several raters judged. “p (segments)” takes these raters as fixed; “p (raters too)” as a sample."
    " Adjusted by Holm over the pairs shown."
)
NO_RATERS = "These judgements have only one annotator, or do not name them. At least two must judge the same outputs."
PAIRS = (
    headed("one", "system", "word"), headed("other", "against", "word"),
    headed("answer", "different?", "word", write=lambda row: _answer(row)),
    headed("difference", "difference", "difference"),
    Column("low", "CI", "interval", "Confidence interval of the difference.", ("low", "high")),
    p_column("p_segments", "p (segments)"), p_column("p_value", "p (raters too)"),
    p_column("p_adjusted", is_adjusted=True),
    headed("own_raters", "raters' share", "share", help="Share of the variance that comes from raters.",
           write=lambda row: _share(row)),
)  # fmt: skip
ALPHAS = (
    headed("one", "rater", "word", write=lambda row: row["one"] if row["other"] else "all raters"),
    headed("other", "and", "word"), headed("n_outputs", "outputs", digits=0), headed("alpha_raw", "alpha raw"),
    headed("alpha_standardised", "alpha standardised"), Column("pearson", "Pearson", "number"),
    headed("kappa", "kappa", help="Cohen's kappa on raw judgements in up to five bins of about equal size."),
)  # fmt: skip


def raters_sections(raters: pd.DataFrame, agreement: pd.DataFrame, n_annotators: int) -> Iterator[Section]:
    """Yield how far raters agree, and whether other raters would say the same, by form of judgement and unit.

    Parameters
    ----------
    raters, agreement
        With the columns ``RATERS`` and those of ``rater_agreement_frame``.
    """
    if n_annotators > 1:
        yield Section(
            "rater-agreement", "Do raters agree? Krippendorff's alpha on the outputs they share",
            table=Table(ALPHAS, agreement), notes=noted("1 is perfect, 0 is chance.", is_wide=True),
        )  # fmt: skip
    if raters["p_value"].isna().all():
        notes = " ".join(dict.fromkeys(note for note in raters["note"] if note))
        yield Section("raters", TITLE, (NO_RATERS,) if n_annotators < 2 else (), notes=noted(f"No result. {notes}"))
        return
    rows = raters[(raters["form"] == RAW) & (raters["unit"] == "segment") & raters["p_value"].notna()]
    largest = rows.sort_values("difference", ascending=False, kind="stable").head(MOST_DIFFERENCES)
    ones, variance = list(largest["one"]), rater_variance(largest)
    which = f"{ones[0]} minus each system" if len(set(ones)) == 1 else "each difference"
    most = f"; the {MOST_DIFFERENCES} largest" if len(rows) > MOST_DIFFERENCES else ""
    bars = f"Variance of {which} (raw judgements, segments as units{most}); s: standard error."
    by_table = [rows for _, rows in raters.groupby(["form", "unit"], sort=False)]
    shared = set.intersection(*(set(rows["note"]) for rows in by_table))  # said once, above
    drawn = variance, str(raters["scale"].iloc[0]), JUDGED
    yield Section(
        "raters", TITLE, legend=bars, notes=(*noted(EXPLAINED, is_wide=True), *noted(*sorted(shared))),
        figure=None if variance.empty else lambda: figures.planning.variance_bars(*drawn),
        parts=tuple(_pairs(rows, [note for note in rows["note"] if note not in shared]) for rows in by_table),
    )  # fmt: skip


def _pairs(rows: pd.DataFrame, notes: Iterable[str]) -> Section:
    """Return the pairs of systems of one form and unit."""
    form, unit = str(rows["form"].iloc[0]), str(rows["unit"].iloc[0])
    counts = {"n_raters": "rater", "n_segments": "segment", "n_left_out": "segment"}
    n_raters, n_segments, n_left_out = (counted_range(rows[name].tolist(), what) for name, what in counts.items())
    extent = (
        f"{form.capitalize()} judgements, {UNITS[unit]} as units: {n_raters}, {n_segments} judged for both systems;"
        f" {n_left_out} ignored"
        + ("; each rater judged each run, and p covers other runs as well" if (rows["n_runs"] > 1).all() else "")
    )
    same = [key for key in ("one", "other") if len(rows) > 1 and rows[key].nunique() == 1]
    said = {"one": "{} minus the system below", "other": "system minus {}"}
    extent += "".join(f"; {said[key].format(rows[key].iloc[0])}" for key in same)
    table = Table(tuple(column for column in PAIRS if column.key not in same), rows, extent, notation=JUDGED)
    return Section(f"raters-{form}-{unit}", "", table=table, notes=noted(*dict.fromkeys(notes)))


def _answer(row: Row) -> str:
    is_provisional = 2 in (row["n_raters"], row["n_runs"]) and row["answer"] != "refused"
    return ANSWERS[row["answer"]] + (", provisional" if is_provisional else "")


def _share(row: Row) -> str:
    """Return the share of the variance that comes from raters."""
    total = sum(row[name] for name in SOURCES)
    return f"{fixed(100 * row['own_raters'] / total, 0)}%" if total > 0 else DASH


JUDGE_TITLE = "May this judge replace a person?"
JUDGE_EXPLAINED = (
    "Rater by rater: the judge wins if it is as near to the other raters as this rater, less a margin of {epsilon}."
    " One-sided t-test over {units}, adjusted by Benjamini and Yekutieli (Calderon et al., 2025). The judge passes if"
    " it wins against half of the raters or more."
)
SCALE = "Metrics have their own scale, so their scores and those of each rater were standardised first."
JUDGES = (
    headed("judge", "judge", "word"),
    headed("winning_rate", "wins", "word", write=lambda row: f"{row['n_won']} of {row['n_raters']}"),
    headed("passes", "replaces?", "word", write=lambda row: "yes" if row["passes"] else "no clear answer"),
    headed("advantage", "advantage", "share", help="Mean share of outputs on which the judge is at least as near to the"
           " other raters as each rater in turn."),
    Column("low", "CI", "range", "Confidence interval of the advantage, over units.", ("low", "high"),
           write=lambda row: _range(row)),
    headed("n_outputs", "outputs", "count"),
    headed("n_askings", "asked alone", "word", help="How many single answers of a judge that was asked several times"
           " pass by themselves, with the lowest and highest winning rate.", write=lambda row: _alone(row)),
)  # fmt: skip
AGAINST = (
    *columns(judge="Judge", rater="Rater"), headed("n_outputs", "outputs", "count"),
    headed("share", "judge nearer", "share", help="Share of outputs on which the judge is at least as near."),
    headed("rater_share", "rater nearer", "share"),
    Column("low", "CI (difference)", "range", "The judge's share minus the rater's. It lies above minus the margin"
           " exactly when the unadjusted p is significant.", ("low", "high"), write=lambda row: _range(row)),
    p_column("p_value"), p_column("p_adjusted", is_adjusted=True),
    headed("wins", "judge wins?", "word", write=lambda row: "yes" if row["wins"] else "no"),
)  # fmt: skip


def _range(row: Row) -> str:
    return DASH if row["low"] != row["low"] else f"{percent(row['low'], 1)} to {percent(row['high'], 1)}"


def _alone(row: Row) -> str:
    n = row["n_askings"]
    if not n >= 2:  # NaN for metrics
        return DASH
    rates = f"{percent(row['lowest'], 0)} to {percent(row['highest'], 0)}"
    return f"{counted_part(int(row['n_passing']), int(n), 'asking')} ({rates})"


def judge_sections(judges: pd.DataFrame, against: pd.DataFrame, confidence: float) -> Iterator[Section]:
    """Yield whether judges may stand in for people, from the frames of ``judges_frames``."""
    tested = judges[judges["n_raters"] > 0]
    if tested.empty:
        note = "No rater shares 30 outputs with a judge and another rater, which the test needs."
        yield Section("judge", JUDGE_TITLE, notes=noted(note))
        return
    first, unit = tested.iloc[0], str(tested["unit"].iloc[0])
    lead = tuple(
        f"{row['judge']} {'may' if row['passes'] else 'is not proven to'} replace a rater: it wins against"
        f" {counted_part(row['n_won'], row['n_raters'], 'rater')} at a margin of {fixed(row['epsilon'], 2)}."
        for row in tested.to_dict("records")
    )
    explained = JUDGE_EXPLAINED.format(epsilon=fixed(first["epsilon"], 2), units=plural(unit))
    caption = f"Alternative annotator test; {level(confidence)} CI over {counted(int(tested['n_units'].max()), unit)}"
    has_metrics = bool(tested["n_askings"].isna().any())
    notes = noted(explained, SCALE if has_metrics else "", is_wide=True)
    of_raters = Table(AGAINST, against, f"Judge against each rater; {level(2 * confidence - 1)} CI")
    parts = (Section("judge-raters", "Each rater", is_detail=True, table=of_raters),)
    yield Section("judge", JUDGE_TITLE, lead[:3], Table(JUDGES, tested, caption), notes=notes, parts=parts)
