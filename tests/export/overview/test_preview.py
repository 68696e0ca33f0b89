"""The preview of the table for the paper: the same cells as its LaTeX, and the limit below which p says nothing."""

import re

import pandas as pd
import pytest

from mteval.answers.scores import COLUMNS
from mteval.report.paper_table import latex_preview, latex_table
from mteval.values.notation import Notation
from tests.export.overview.test_latex import overview

TEX = ((r"\dagger", "†"), (r"\ddagger", "‡"), (r"\uparrow", "↑"), (r"\downarrow", "↓"), ("--", "–"))


def table() -> pd.DataFrame:
    """A metric that should rise and one that should fall, every column with numbers of its own."""
    rise, fall = overview(), overview("other", "TER")
    rise["s_dev"] = [0.11, 0.49]
    fall = fall.assign(
        metric="ter", notation=[Notation("↓")] * 2, mean=[65.7, 64.8], s_sel=[0.4, 0.62], s_dev=[0.9, 1.31]
    )
    fall = fall.assign(s_test=[0.2, 0.55], difference=[float("nan"), -0.84], mark=["", "‡"])
    fall["p_test_set"], fall["p_both"] = [float("nan"), 0.0151], [float("nan"), 0.0049]
    return pd.concat([rise, fall], ignore_index=True)


def cells_of_html(text: str) -> list[list[str]]:
    """Rows of a table, bold as asterisks, without the cells that name a metric for several rows."""
    rows = re.findall("<tr>(.*?)</tr>", text, re.S)[1:]
    marked = [re.sub("</?b>", "*", row) for row in rows]
    return [[re.sub("<[^>]*>", "", cell) for cell in re.findall("<td.*?</td>", row, re.S)] for row in marked]


def cells_of_tex(text: str) -> list[list[str]]:
    """The same of a LaTeX table."""
    rows = [line.removesuffix(r"\\").split("&")[1:] for line in text.splitlines() if line.startswith("& ")]
    plain = [[re.sub(r"\\textbf\{(.*?)\}", r"*\1*", cell) for cell in row] for row in rows]
    for tex, character in TEX:
        plain = [[cell.replace(tex, character) for cell in row] for row in plain]
    return [[re.sub(r"[${}^]", "", cell).strip() for cell in row] for row in plain]


def same_signs(rows: list[list[str]]) -> list[list[str]]:
    return [[cell.replace("−", "-").replace("&lt;", "<") for cell in row] for row in rows]


def test_every_cell_of_the_preview_is_the_one_of_the_latex_source() -> None:
    shown = same_signs(cells_of_html(latex_preview(table(), COLUMNS)))
    assert shown == same_signs(cells_of_tex(latex_table(table(), "x", columns=COLUMNS)))
    assert shown[1] == ["system 1", "3", "*18.8*†", "0.3", "0.5", "–", "+0.4", "<0.01", "0.24"]
    assert shown[3] == ["other", "3", "*64.8*‡", "0.6", "1.3", "0.6", "-0.8", "0.02", "<0.01"]


def test_the_metrics_of_the_preview_have_their_arrows() -> None:
    names = re.findall(r'<th scope="rowgroup"[^>]*>(.*?)</th>', latex_preview(table(), COLUMNS))
    assert names == ["BLEU ↑", "TER ↓"]


@pytest.mark.parametrize(
    ("p", "shown"),
    [(0.0001, "<0.01"), (0.00499, "<0.01"), (0.005, "0.01"), (0.0149, "0.01"), (0.015, "0.02"), (0.0451, "0.05")],
)
def test_p_has_a_bound_exactly_where_two_decimals_would_be_zero(p: float, shown: str) -> None:
    rows = overview()
    rows.loc[1, ["p_test_set", "p_both"]] = p
    for cells in (
        cells_of_html(latex_preview(rows, ("p_test_set", "p_both"))),
        cells_of_tex(latex_table(rows, "x", columns=("p_test_set", "p_both"))),
    ):
        assert same_signs(cells)[1][1:] == [shown, shown]
