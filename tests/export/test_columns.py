"""Table 1 wherever it is shown: one entry a column, the same texts in the source for the paper and in its preview."""

import html
import re

import pandas as pd
import pytest
from markupsafe import escape

from mteval.answers.scores import (
    COLUMNS,
    DEFAULT_COLUMNS,
    FORMS,
    LAYOUTS,
    MARKS_HELP,
    MULTEVAL_COLUMNS,
    Cell,
    Layout,
    cell,
    columns_in,
    metric_heading,
)
from mteval.report.paper_table import caption, latex_preview, latex_table, tex_number
from mteval.report.score_tables import column_terms, overview_caption, overview_table
from mteval.values.notation import Notation
from mteval.values.settings import Settings
from mteval.values.verdict import Coverage

NAN = float("nan")
PLAIN = {r"\textbf": "", r"\boldmath": "", r"$^{\dagger}$": "†", r"$^{\ddagger}$": "‡", "{": "", "}": "", "$": ""}


def overview(**changes: object) -> pd.DataFrame:
    """A baseline and a system below zero, ahead by what rounds to nothing, p small."""
    shared = {"metric": "mqm", "metric_name": "MQM", "notation": Notation("↑"), "n_runs": 3, "median_run": "0"}
    base = {"system": "base", "mean": -23.97, "s_sel": 0.25, "s_dev": NAN, "s_test": NAN, "difference": NAN}
    base |= {"p_test_set": NAN, "p_both": NAN, "mark": "", "is_best": False, "run_scores": [-24.0, -23.94]}
    new = {"system": "new", "mean": -23.93, "s_sel": 0.25, "s_dev": NAN, "s_test": 0.05, "difference": 0.04}
    unranked = {"first_rank": NAN, "last_rank": NAN, "group": NAN}
    shared |= unranked
    new |= {"p_test_set": 0.004, "p_both": 0.005, "mark": "†", "is_best": True, "run_scores": [-23.9, -23.96]}
    return pd.DataFrame([shared | base | changes, shared | new | changes])


def in_source(layout: Layout, columns: tuple[str, ...], frame: pd.DataFrame) -> list[list[str]]:
    """The cells of the source as a reader of the paper sees them."""
    table = latex_table(frame, "x", layout=layout, columns=columns)
    if layout == "systems":
        body = table[table.index(r"\midrule") : table.index(r"\bottomrule")]
        return [[seen(text) for text in row.split(" & ")[1:]] for row in re.findall(r"(.* & .*) \\\\", body)]
    lines = [line for line in table.splitlines() if line[:2] == "& "]
    return [[seen(text) for text in line.removesuffix(r" \\").split(" & ")[1:]] for line in lines]


def seen(tex: str) -> str:
    """What TeX makes of a number: a dash, mathematics with a true minus, bold as it is marked here."""
    text = tex.replace("-", "−") if "$-" in tex else tex.replace("--", "–")
    bold = "*" if "bold" in tex or "textbf" in tex else ""
    for mark, plain in PLAIN.items():
        text = text.replace(mark, plain)
    return bold + text


def in_preview(layout: Layout, columns: tuple[str, ...], frame: pd.DataFrame) -> list[list[str]]:
    page = latex_preview(frame, columns, layout)
    rows = re.findall(r"<tr>(.*?)</tr>", page)[1:]
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row)[1:] for row in rows]
    bold = [[("*" if "<b>" in one else "") + re.sub(r"<[^>]*>", "", one) for one in row] for row in cells]
    return [[html.unescape(one) for one in row] for row in bold]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("notation", [Notation("↑"), Notation("↓", decimals=4), Notation("", unit="%")])
def test_the_preview_says_what_the_source_says(layout: Layout, notation: Notation) -> None:
    columns = columns_in(layout, tuple(COLUMNS))
    frame = overview(notation=notation)
    source, preview = in_source(layout, columns, frame), in_preview(layout, columns, frame)
    assert preview == [[text.lstrip() for text in row] for row in source]
    assert len(source) == 2


def test_multeval_s_layout_has_no_bold_no_marks_and_no_bounds() -> None:
    assert in_preview("multeval", MULTEVAL_COLUMNS, overview())[1] == ["−23.9", "0.3", "0.1", "0.00"]
    assert in_preview("booktabs", MULTEVAL_COLUMNS, overview())[1] == ["*−23.9†", "0.3", "0.1", "<0.01"]


@pytest.mark.parametrize(
    ("p", "booktabs", "multeval"),
    [(0.0, "<0.01", "0.00"), (0.0049, "<0.01", "0.00"), (0.005, "0.01", "0.01"), (0.125, "0.13", "0.13")],
)
def test_a_p_value_of_the_paper_has_two_digits_and_below_half_a_hundredth_a_bound(
    p: float, booktabs: str, multeval: str
) -> None:
    """Half of what the last digit stands for: no p-value rounds to 0.00 unless MultEval's layout is asked for."""
    row = next(overview(p_both=p, p_test_set=p).itertuples())
    assert cell(COLUMNS["p_both"], row, FORMS["booktabs"]).text == booktabs
    assert cell(COLUMNS["p_test_set"], row, FORMS["multeval"]).text == multeval


@pytest.mark.parametrize(
    ("value", "tex"), [(0.04, "0.0"), (-0.04, "0.0"), (0.4, "$+0.4$"), (-23.87, "$-23.9$"), (NAN, "--")]
)
def test_a_difference_that_rounds_to_zero_has_no_sign_in_the_source(value: float, tex: str) -> None:
    row = next(overview(difference=value).itertuples())
    assert tex_number(cell(COLUMNS["difference"], row, FORMS["booktabs"])) == tex


def test_an_average_below_zero_is_mathematics_like_the_differences_bold_or_not() -> None:
    plain, best = overview().itertuples()
    assert tex_number(cell(COLUMNS["average"], plain, FORMS["booktabs"])) == "$-24.0$"
    assert tex_number(cell(COLUMNS["average"], best, FORMS["booktabs"])) == r"{\boldmath$-23.9$}$^{\dagger}$"
    assert tex_number(cell(COLUMNS["average"], plain, FORMS["multeval"])) == "$-24.0$"
    assert tex_number(Cell("∞")) == r"$\infty$"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_metric_between_0_and_1_is_nowhere_rounded_to_nothing(layout: Layout) -> None:
    frame = overview(notation=Notation("↑", decimals=4), mean=0.85425, s_sel=0.0033, s_test=0.0033, difference=0.00125)
    columns = columns_in(layout, tuple(COLUMNS))
    written = {text for row in in_preview(layout, columns, frame) for text in row}
    assert ("0.854" if layout == "systems" else "0.003") in written
    assert not written & {"0.0", "0.000"}
    page = overview_table(frame, {"base": "#000", "new": "#111"}, "x")
    assert page.count("<td>0.0033</td>") == 4
    assert page.count("<td>+0.0013</td>") == 2


def test_luck_is_called_by_its_name_on_pages_and_as_in_the_paper_in_the_paper() -> None:
    page = overview_table(overview(), {"base": "#000", "new": "#111"}, "x")
    heads = [re.sub(r"<br>", " ", head) for head in re.findall(r'<th scope="col"[^>]*>(.*?)</th>', page)]
    assert "s (test set)" in heads
    assert "s (training)" in heads
    assert "s_test" in COLUMNS["s_test"].help
    assert "s_dev" in COLUMNS["s_dev"].help
    assert "s_sel" in COLUMNS["s_sel"].help
    assert r"$s_{\text{test}}$" in latex_table(overview(), "x")


def test_a_column_without_a_number_is_left_out_where_that_is_allowed() -> None:
    colors = {"base": "#000", "new": "#111"}
    assert "tuning set" not in overview_table(overview(), colors, "x")
    assert "tuning set" in overview_table(overview(s_dev=0.2), colors, "x")
    assert "s (training)" in overview_table(overview(s_test=NAN), colors, "x")


def test_every_column_is_explained_on_the_page_and_in_the_caption_under_its_own_heading() -> None:
    terms = column_terms()
    for column in COLUMNS.values():
        assert f"<dt>{column.name}</dt><dd>{escape(column.help)}</dd>" in terms
    words = {"coverage": "1 segment of test.", "n_shuffles": 9, "baseline": "base", "exchanged": "segment"}
    text = caption(Settings(), [3], {"MQM": "x"}, columns=tuple(COLUMNS), **words)
    for column in COLUMNS.values():
        assert f" {column.paper.tex}: " in text
    assert not re.search(r"\{(heading|bootstrap|shuffles|units|exchanged|baseline|level)\}", text)


def test_marks_are_explained_where_systems_are_compared() -> None:
    coverage = {"MQM": [Coverage("news", "mqm", "base", 1234, 1234, 0, 0, 0)]}
    assert MARKS_HELP in overview_caption(coverage, "news", 2)
    assert "after the planned looks as well" in overview_caption(coverage, "news", 2, has_looks=True)
    assert overview_caption(coverage, "news", 1) == "1,234 segments of news. Best average in bold."


def test_an_arrow_stays_with_the_last_word_of_its_metric() -> None:
    assert metric_heading(Notation("↓"), "my TER") == "my TER\N{NO-BREAK SPACE}↓"
    assert metric_heading(Notation(""), "my length") == "my length"


def test_default_columns_are_among_all() -> None:
    assert set(DEFAULT_COLUMNS) | set(MULTEVAL_COLUMNS) <= set(COLUMNS)
    assert "s_dev" not in DEFAULT_COLUMNS
