"""What people said of systems, and how metrics and tests compare with it, as text tables."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from mteval.counts import counted, counted_range
from mteval.export.tables import Cells, aligned
from mteval.notation import DASH, fixed, level, p_value, significant

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
