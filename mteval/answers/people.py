"""What people said of systems, and how metrics and tests compare with it, as text tables.

What stands beside answers about judgements, on pages and in reports: what was asked, of what, and what it says.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from mteval.base.words import counted, counted_part, counted_range
from mteval.render.text import Cells, aligned
from mteval.values.notation import DASH, fixed, level, p_value, significant
from mteval.values.notation import percent as notation_percent

Names = Mapping[str, str]
Row = Mapping[Hashable, Any]  # of a frame
MARKS = ((0.001, "+++"), (0.01, "++"), (0.05, "+"))
UNITS = {"segment": "segments", "document": "documents", "judgement": "judgements", "output": "outputs"}


WORDS = {"unit": "{} as units", "side": "{}"}  # of a test, beside its name


def percent(share: float) -> str:
    """``80.3``: a share in percent, as the paper writes it."""
    return fixed(100 * share, 1)


def gold_lines(cells: pd.DataFrame, systems: Sequence[str]) -> Iterator[str]:
    """Who is significantly better than whom: a row a system, a numbered column a system, marks for levels.

    Parameters
    ----------
    cells
        One row an ordered pair with ``better``, ``worse``, ``scale``, ``p_value``.
    systems
        From best to worst.
    """
    first = cells["scale"].iloc[0] if len(cells) else ""
    marks = {
        (row["better"], row["worse"]): _mark(row["p_value"]) + ("" if row["scale"] == first else "*")
        for row in cells.to_dict("records")
    }
    marks = {pair: "" if mark == "*" else mark for pair, mark in marks.items()}
    head = ("", "system", *(str(number) for number in range(1, len(systems) + 1)))
    rows = [
        (str(number), one, *("·" if one == other else marks.get((one, other), "") for other in systems))
        for number, one in enumerate(systems, start=1)
    ]
    yield from aligned(head, rows, 2)
    yield "+ the system of the row is better at 5%, ++ at 1%, +++ at 0.1%; not adjusted for the number of pairs."
    others = [scale for scale in cells["scale"].unique() if scale != first]
    if others:
        yield f"* by {others[0]}, since {first} tells neither apart at 5%."


def _mark(p: float) -> str:
    return next((mark for level, mark in MARKS if p <= level), "")


def accuracy_lines(accuracy: pd.DataFrame, metrics: Names, procedures: Names) -> Iterator[str]:
    """Graham et al.'s Table 1, a row a metric and test, levels below one another."""
    for _, rows in accuracy.groupby("level", sort=False):
        yield accuracy_extent(rows)
        yield from accuracy_cells(rows, metrics, procedures).lines
        yield from unanswered_lines(rows, metrics, procedures)
        yield ""


def accuracy_extent(rows: pd.DataFrame) -> str:
    """What the rows of one level cover."""
    answered = rows[rows["n_pairs"] > 0]
    n_pairs = counted_range(answered["n_pairs"].tolist(), "pair") if len(answered) else counted(0, "pair")
    same = [name for name in WORDS if answered[name].nunique() == 1]
    parts = [f"At {level(rows['level'].iloc[0])}", f"of {n_pairs}"]
    return ", ".join([*parts, *(WORDS[name].format(_word(answered[name].iloc[0])) for name in same)]) + ":"


def accuracy_cells(rows: pd.DataFrame, metrics: Names, procedures: Names) -> Cells:
    """The tests that had an answer at one level; what is the same for all stands in ``accuracy_extent``."""
    answered = rows[rows["n_pairs"] > 0]
    said = [name for name in WORDS if answered[name].nunique() > 1]
    head = ("metric", "test", *said, "right", "%", "interval", "missed", "unfounded", "reversed")
    cells = [
        (metrics[row["metric"]], procedures[row["procedure"]], *(_word(row[name]) for name in said),
         str(row["correct"]), percent(row["accuracy"]), _share_interval(row["low"], row["high"]),
         str(row["missed"]), str(row["unfounded"]), str(row["reversed"]))
        for row in answered.to_dict("records")
    ]  # fmt: skip
    return Cells(head, cells, 2 + len(said))


def unanswered_lines(rows: pd.DataFrame, metrics: Names, procedures: Names) -> Iterator[str]:
    """Why the other tests had none, once for all metrics that it holds for."""
    for (procedure, note), part in rows[rows["n_pairs"] == 0].groupby(["procedure", "note"], sort=False):
        keys = dict.fromkeys(part["metric"])
        by = "" if len(keys) == rows["metric"].nunique() else f", {', '.join(metrics[key] for key in keys)}"
        yield f"{procedures[str(procedure)]}{by}: {note}"


def counts_lines(counts: pd.DataFrame) -> Iterator[str]:
    """Published counts with shares and exact intervals."""
    words = [name for name in counts.columns if name not in ("correct", "n_pairs", "accuracy", "low", "high")]
    rows = [
        (*(str(row[name]) for name in words), str(row["correct"]), str(row["n_pairs"]), percent(row["accuracy"]),
         _share_interval(row["low"], row["high"]))
        for row in counts.to_dict("records")
    ]  # fmt: skip
    yield from aligned((*words, "right", "pairs", "%", "interval"), rows, len(words))


def against_lines(against: pd.DataFrame, metrics: Names, procedures: Names, most: int = 10) -> Iterator[str]:
    """The tests that differ most from one another on the same pairs."""
    if not against.empty:
        yield against_extent(against)
        yield from against_cells(against, metrics, procedures, most).lines


def against_extent(against: pd.DataFrame) -> str:
    """How many tests were compared, and how many differ."""
    n_apart = int((against["p_value"] <= 0.05).sum())
    return (
        f"Of {counted(len(against), 'comparison')} of two tests, {n_apart:,} differ at 5% (McNemar, not adjusted);"
        " the smallest p:"
    )


def against_cells(against: pd.DataFrame, metrics: Names, procedures: Names, most: int = 10) -> Cells:
    """Those with the smallest p-values."""
    said = [name for name in WORDS if len({*against[f"{name}_one"], *against[f"{name}_other"]}) > 1]
    rows = [
        (_test(row, "one", metrics, procedures, said), _test(row, "other", metrics, procedures, said),
         str(row["only_one"]), str(row["only_other"]), p_value(row["p_value"]))
        for row in against.sort_values("p_value", kind="stable").head(most).to_dict("records")
    ]  # fmt: skip
    return Cells(("test", "against", "only first right", "only second right", "p"), rows, 2)


def _test(row: Row, end: str, metrics: Names, procedures: Names, said: Sequence[str]) -> str:
    """A test in words, among them those of ``WORDS`` that are to be said."""
    named = metrics[str(row[f"metric_{end}"])], procedures[str(row[f"procedure_{end}"])]
    return ", ".join([*named, *(_word(row[f"{name}_{end}"]) for name in said)])


def _word(value: Any) -> str:
    """A unit or a side as it is written."""
    return UNITS.get(str(value), str(value))


def agreement_lines(frame: pd.DataFrame, measures: Names, metrics: Names) -> Iterator[str]:
    """A block a measure: metrics from best to worst with intervals and clusters."""
    for measure, rows in frame.groupby("measure", sort=False):
        yield measures[str(measure)]
        yield from agreement_cells(rows, metrics).lines
        yield ""


def agreement_cells(rows: pd.DataFrame, metrics: Names) -> Cells:
    """The metrics by one measure."""
    with_threshold = bool(rows["threshold"].notna().any())
    head = ("metric", "value", "interval", "cluster", *(("tie up to",) if with_threshold else ()))
    cells = [
        (metrics[row["metric"]], fixed(row["value"], 3), _interval(row["low"], row["high"]), str(row["rank"]),
         *((significant(row["threshold"], 3),) if with_threshold else ()))
        for row in rows.to_dict("records")
    ]  # fmt: skip
    return Cells(head, cells, 1)


def measure_cells(frame: pd.DataFrame, measures: Names, metrics: Names) -> Cells:
    """Every metric by every measure, with its cluster in brackets."""
    said = {
        (row["metric"], row["measure"]): f"{fixed(row['value'], 3)} ({row['rank']})" for row in frame.to_dict("records")
    }
    keys = list(dict.fromkeys(frame["metric"]))
    rows = [(metrics[metric], *(said[metric, measure] for measure in measures)) for metric in keys]
    return Cells(("metric", *measures.values()), rows, 1)


def shares_cells(shares: pd.DataFrame, metrics: Names) -> Cells:
    """The share of people expected to agree with a metric's differences, and that found."""
    rows = [
        (metrics[row["metric"]], row["curve"], str(row["n_pairs"]), fixed(100 * row["expected"], 0),
         fixed(100 * row["observed"], 0))
        for row in shares.to_dict("records")
    ]  # fmt: skip
    return Cells(("metric", "curve", "pairs", "expected %", "here %"), rows, 2)


def _share_interval(low: float, high: float) -> str:
    return DASH if low != low else f"[{percent(low)}, {percent(high)}]"


def _interval(low: float, high: float) -> str:
    return DASH if low != low else f"[{fixed(low, 3)}, {fixed(high, 3)}]"


TESTS_EXPLAINED = (
    "A test concludes that one system is better, that the other is, or that they are not told apart; it is right where"
    " people conclude the same at the same level. Intervals are exact (Clopper and Pearson); pairs that share a system"
    " are not independent, which neither they nor McNemar's test know of, as in the paper."
)
SHARES_EXPLAINED = (
    "Pairs of systems in which people agree with a metric: expected by the size of its differences on the curve that"
    " Kocmi et al. (2024) fitted, and found here"
)
RATERS_EXPLAINED = (
    "Asked of outputs that several raters all judged: could luck with the raters explain the difference? “p segments”"
    " takes these raters as given, “p raters too” takes them as drawn from others like them; the raters' share is of"
    " the variance. “Yes” says that luck with segments and raters does not explain the difference, “open” that this"
    " cannot be ruled out. Three raters or more give an answer, two a provisional one, one none. Raw and standardised"
    " judgements are answered side by side; p-values are adjusted by Holm over the pairs of systems shown."
)
NO_RATERS = (
    "These judgements do not say who gave them, or one annotator gave them all: nobody can tell what other raters would"
    " say. It takes two who judged the same outputs for a provisional answer, three for one."
)
RATER_AGREEMENT = "Krippendorff's alpha on the outputs that raters share: 1 is perfect, 0 is chance"
EVERY_MEASURE = "Every measure; numbers of clusters in brackets"
MEANINGS: Mapping[str, str] = {  # of the measures of agreement
    "pairwise_accuracy": "Share of pairs of systems that metric and people order alike (Kocmi et al. 2021).",
    "soft_pairwise_accuracy": "One less the mean distance of the one-sided p-values of the paired permutation test on"
    " segments, by metric and by people (Thompson et al. 2024).",
    "system_pearson": "Linear correlation of system scores.",
    "system_kendall": "Rank correlation of system scores, corrected for ties.",
    "acc_eq": "Share of pairs of a segment's outputs that metric and people order alike or both tie, a metric's tie"
    " being a difference up to the threshold that makes most pairs right, averaged over segments (Deutsch et al."
    " 2023).",
    "segment_pearson": "Linear correlation over all outputs.",
    "segment_kendall": "Rank correlation over all outputs, corrected for ties.",
}
SHORT_MEASURES: Mapping[str, str] = {  # where all stand side by side
    "pairwise_accuracy": "pairwise",
    "soft_pairwise_accuracy": "soft",
    "system_pearson": "r systems",
    "system_kendall": "tau systems",
    "acc_eq": "tied",
    "segment_pearson": "r segments",
    "segment_kendall": "tau segments",
}


def told_apart(conclusions: Mapping[tuple[str, str], int], at: float) -> str:
    """How many pairs of systems people tell apart at a level."""
    n_apart = sum(sign != 0 for sign in conclusions.values())
    return f"People tell apart {counted_part(n_apart, len(conclusions), 'pair')} at {level(at)}."


def gold_extent(first: pd.DataFrame, second: pd.DataFrame | None, test: str, unit: str) -> Iterator[str]:
    """By which test on how much people tell systems apart, and which scale decides.

    Parameters
    ----------
    first, second
        Tests on the scale that decides and on the one that breaks its ties, with ``scale``, ``n_one`` and ``n_other``.
    test
        In words.
    unit
        What it takes as independent.
    """
    counts, scale = first[["n_one", "n_other"]].to_numpy(), first["scale"].iloc[0]
    sizes = f"{counts.min():,} to {counts.max():,}" if counts.min() < counts.max() else f"{counts.min():,}"
    yield (
        f"{test}, one-sided in either direction, {UNITS.get(unit, unit)} as units; {sizes} for each system. Systems"
        f" from best to worst by the mean {scale}. p-values are not adjusted for the number of pairs, as in the paper."
    )
    if second is not None:
        yield f"Where {scale} tells neither apart, {second['scale'].iloc[0]} decides."


def alone_sentence(conclusions: Mapping[tuple[str, str], int], systems: Sequence[str]) -> str:
    """Which systems are told apart from no other; nothing where there is none."""
    apart = {system for pair, sign in conclusions.items() if sign for system in pair}
    alone = [system for system in systems if system not in apart]
    return f"{counted(len(alone), 'system')} told apart from no other: {', '.join(alone)}." if alone else ""


def resolution_sentence(at: float, n_resamples: int) -> str:
    """That a level is out of reach of tests that resample so often; nothing where it is not."""
    smallest = 1 / (n_resamples + 1)
    if smallest <= at:
        return ""
    return (
        f"{counted(n_resamples, 'resample')} have no p-value below {notation_percent(smallest, 2)}: at {level(at)}"
        " tests that resample tell nothing apart, whatever the data."
    )


def rater_bars_sentence(ones: Sequence[str]) -> str:
    """What the bars of the raters' variance are of.

    Parameters
    ----------
    ones
        The systems that others were taken from.
    """
    which = f"{ones[0]} less each of these systems" if len(set(ones)) == 1 else "each difference"
    return (
        f"Where the variance of {which} comes from, of raw judgements with segments as units: “raters” and “test set”"
        " are what these bring beyond chance, “raters × test set” is what more of either makes smaller; s is the"
        f" standard error. The {counted(len(ones), 'largest difference')} with an answer."
    )


def agreement_sentence(n_replicates: int, n_units: int, unit: str) -> str:
    """What intervals and clusters of metrics rest on."""
    return (
        f"Intervals are of {counted(n_replicates, 'replicate')} of the {counted(n_units, unit)} that were judged and"
        " scored by all, people and metrics drawn together; the systems are taken as given. A new cluster begins with"
        " the first metric that differs significantly from one of the cluster before it, adjusted for the pairs of"
        " metrics by the largest difference of each replicate (Westfall and Young 1993)."
    )
