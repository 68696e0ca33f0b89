"""Whether other raters would say so, and how far raters agree, as tables."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import pandas as pd

from mteval.answers.people import UNITS
from mteval.base.words import counted_range
from mteval.render.text import Cells
from mteval.values.notation import DASH, Notation, fixed, p_value

Row = Mapping[Hashable, Any]  # of a frame
_JUDGED = Notation("↑")  # of differences between judgements, on whatever scale
ANSWERS: Mapping[str, str] = {
    "ruled out": "not explained by luck with segments and raters",
    "open": "cannot be ruled out",
    "refused": "no answer",
}
SHORT: Mapping[str, str] = {"ruled out": "yes", "open": "open", "refused": "no answer"}


def rater_lines(raters: pd.DataFrame) -> Iterator[str]:
    """The third question, a block a form of the judgements and unit."""
    for _, rows in raters.groupby(["form", "unit"], sort=False):
        yield rater_extent(rows)
        yield from rater_cells(rows).lines
        yield from dict.fromkeys(note for note in rows["note"] if note)
        yield ""


def rater_extent(rows: pd.DataFrame) -> str:
    """What the rows of one form and unit rest on."""
    form, unit = str(rows["form"].iloc[0]), str(rows["unit"].iloc[0])
    return f"{form.capitalize()} judgements, {UNITS[unit]} as units: {_panel(rows)}"


def rater_cells(rows: pd.DataFrame, answers: Mapping[str, str] = ANSWERS) -> Cells:
    """The pairs of systems of one form and unit, with their answers in these words."""
    head = (
        "system", "against", "answer", "difference", "interval", "p segments", "p raters too", "adjusted p",
        "raters' share",
    )  # fmt: skip
    cells = [
        (row["one"], row["other"], _answer(row, answers), _JUDGED.difference(row["difference"]),
         _JUDGED.interval(row["low"], row["high"]), p_value(row["p_segments"]), p_value(row["p_value"]),
         p_value(row["p_adjusted"]), _share(row))
        for row in rows.to_dict("records")
    ]  # fmt: skip
    return Cells(head, cells, 3)


def _answer(row: Row, answers: Mapping[str, str]) -> str:
    is_provisional = row["n_raters"] == 2 and row["answer"] != "refused"
    return answers[row["answer"]] + (", provisional" if is_provisional else "")


def _panel(rows: pd.DataFrame) -> str:
    """How many raters and segments the answers rest on."""
    parts = [_range(rows[name], what) for name, what in (("n_raters", "rater"), ("n_segments", "segment"))]
    return f"{parts[0]} who judged the same {parts[1]} of both; {_range(rows['n_left_out'], 'segment')} left out."


def _range(numbers: pd.Series[int], what: str) -> str:
    return counted_range(numbers.tolist(), what)


def _share(row: Row) -> str:
    """Of the variance how much raters have of their own."""
    total = row["own_raters"] + row["own_segments"] + row["together"]
    return f"{fixed(100 * row['own_raters'] / total, 0)}%" if total > 0 else DASH


def rater_agreement_cells(agreement: pd.DataFrame) -> Cells:
    """Krippendorff's alpha raw and standardised."""
    rows = [
        (row["one"] if row["other"] else "all raters", row["other"], str(row["n_outputs"]), fixed(row["alpha_raw"], 2),
         fixed(row["alpha_standardised"], 2), fixed(row["pearson"], 2))
        for row in agreement.to_dict("records")
    ]  # fmt: skip
    return Cells(("rater", "and", "outputs", "alpha raw", "alpha standardised", "Pearson"), rows, 2)
