"""The table for the paper: its source, its preview, its caption, and a real LaTeX where one is installed."""

import html
import re
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import pandas as pd
import pytest

from mteval.answers.scores import COLUMNS, MARKED
from mteval.answers.section import Cell, Column, Section, Table, noted
from mteval.render.html import section_table
from mteval.render.latex import escape, latex_lines, tex_number
from mteval.report.multeval import HEADINGS
from mteval.report.paper_table import (
    DEFAULT_COLUMNS,
    FIXED_COLUMNS,
    LAYOUTS,
    Layout,
    caption,
    latex_document,
    latex_table,
    paper,
)
from mteval.values.notation import Notation
from mteval.values.settings import Design, Settings
from tests.latex import set_by_latex

NAN = float("nan")
PARTS = ("answers", "values", "analysis", "stats", "report")
SOURCES = list(chain.from_iterable(Path("mteval", part).rglob("*.py") for part in PARTS))
HOSTILE = "\\input{/etc/passwd} 50% of $x_1^2$ & #1 ~{} <a|b> \"q\" 'r' `s` --- ,, \n\n\x07 †‡−"
ESCAPED = re.compile(
    r"\\(?:textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar|textquotedbl|textasciigrave"
    r"|textquotesingle)\{\}|\\[&%$#_{}]|\$(?:\\dagger|\\ddagger|-)\$|(?<=[-,])\{\}"
)


# What a row has if nothing else is given.
UNKNOWN = dict.fromkeys(chain.from_iterable(column.read for column in COLUMNS.values()), NAN)
UNKNOWN |= {"first_rank": NAN, "last_rank": NAN, "group": NAN, "conclusion": "", "is_provisional": False}


def overview(system: str = "system 1", metric_name: str = "BLEU") -> pd.DataFrame:
    """A baseline, and a system that is better on these sentences but not for certain in other runs."""
    shared = {"metric": "bleu", "metric_name": metric_name, "notation": Notation("↑"), "n_runs": 3, "s_dev": NAN}
    baseline = {
        "system": "baseline",
        "mean": 18.45,
        "s_sel": 0.25,
        "s_opt": 0.06,
        "difference": NAN,
        "p_test_set": NAN,
        "p_run": NAN,
        "mark": "",
        "is_best": False,
    }
    better = {
        "system": system,
        "mean": 18.81,
        "s_sel": 0.3,
        "s_opt": NAN,
        "difference": 0.36,
        "p_test_set": 0.004,
        "p_run": 0.236,
        "mark": "†",
        "is_best": True,
    }
    return pd.DataFrame([UNKNOWN | shared | baseline, UNKNOWN | shared | better])


def a_caption(layout: Layout = "booktabs", design: Design = "independent", **changes: object) -> str:
    """The caption of a table of two or three runs, in which some words are changed."""
    words = {
        "columns": DEFAULT_COLUMNS,
        "coverage": "1,234 segments of a_b.",
        "baseline": "baseline",
        "exchanged": "segment",
        "n_compared": 2,
    }
    settings = Settings(n_bootstrap=2_000, seed=77, design=design)
    return caption(settings, [2, 3], layout=layout, **words | changes)


def test_hostile_text_is_escaped_for_latex() -> None:
    rest = ESCAPED.sub("", escape(HOSTILE))
    assert not set(rest) & set("\\{}$&#^_~%<>|\"'`†‡−\n\x07")
    assert "--" not in escape(HOSTILE)
    assert ",," not in escape(HOSTILE)


def test_plain_text_stays_as_it_is() -> None:
    assert escape("system 1 (é, 中): a-b, c.") == "system 1 (é, 中): a-b, c."


@pytest.mark.parametrize("layout", LAYOUTS)
def test_names_are_escaped_in_every_cell(layout: Layout) -> None:
    table = latex_table(overview("a_b & c", "50%"), "x", layout=layout)
    assert r"a\_b \& c & " in table
    assert "a_b & c" not in table
    metric = r"& 50\% $\uparrow$ \\" if layout == "systems" else r"\multirow{2}{*}{50\% $\uparrow$}"
    assert metric in table


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_preview_has_tooltips_without_fields_of_templates(layout: Layout) -> None:
    page = str(section_table(paper(overview(), layout, tuple(COLUMNS))))
    assert not re.findall(r"\{[A-Za-z_]+\}", page)


def test_the_p_of_papers_is_the_adjusted_one_which_decides() -> None:
    rows = overview().assign(p_run_adjusted=0.48)
    assert any(" & 0.480 " in line for line in latex_table(rows, "x", columns=("p_run",)).splitlines())


def test_booktabs_has_marks_bold_signs_and_p_with_three_decimals() -> None:
    lines = latex_table(overview(), "x").splitlines()
    assert r"& baseline & 3 & 18.5 & 0.3 & 0.1 & -- & -- & -- \\" in lines
    assert r"& system 1 & 3 & \textbf{18.8}$^{\dagger}$ & 0.3 & -- & $+0.4$ & 0.004 & 0.236 \\" in lines


def test_many_systems_have_one_row_each_and_one_column_per_metric() -> None:
    bleu = overview().assign(conclusion=["", "better"])
    ter = overview(metric_name="TER").assign(metric="ter", mean=[60.0, 61.0], mark="", conclusion=["", "worse"])
    rows = pd.concat([bleu, ter])
    lines = latex_table(rows, "x", layout="systems").splitlines()
    assert lines[2:-2] == [
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"System & BLEU $\uparrow$ & TER $\uparrow$ \\",
        r"\midrule",
        r"system 1 & \textbf{18.8}$^{+}$ & \textbf{61.0}$^{-}$ \\",
        r"baseline & 18.5 & 60.0 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_ranks_and_rules_between_groups_are_those_of_the_first_metric() -> None:
    rows = overview().assign(first_rank=[2, 1], last_rank=[3, 1], group=[2, 1])
    lines = latex_table(rows, "x", layout="systems").splitlines()
    assert r"\begin{tabular}{lcr}" in lines
    assert lines[4:-4] == [
        r"System & Ranks & BLEU $\uparrow$ \\",
        r"\midrule",
        r"system 1 & 1 & \textbf{18.8} \\",
        r"\midrule",
        r"baseline & 2--3 & 18.5 \\",
    ]


def test_better_and_worse_have_marks_of_their_own_that_the_caption_explains() -> None:
    rows = overview().assign(conclusion=["", "better"])
    lower = overview(metric_name="Length").assign(metric="length", conclusion=["", "lower"])
    table = latex_table(pd.concat([rows, lower]), "x", layout="systems")
    assert r"\textbf{18.8}$^{+}$ & \textbf{18.8}$^{\downarrow}$" in table
    assert "dagger" not in table
    words = a_caption("systems", columns=FIXED_COLUMNS["systems"], concluded=("better", "lower"), luck="test-set luck")
    expected = r"Verdicts against baseline (test-set luck, provisional with two runs; 5\%, Holm):"
    assert rf"{expected} $^{{+}}$ better, $^{{\downarrow}}$ lower." in words
    assert "dagger" not in words
    none = a_caption("systems", columns=FIXED_COLUMNS["systems"], concluded=())
    assert "no clear difference." in none


def test_the_caption_explains_only_the_marks_of_the_table() -> None:
    assert r"$^{\dagger}$: test-set luck ruled out; $^{\ddagger}$: both, provisional" in a_caption()
    alone = a_caption(marks=["‡"])
    assert r"$^{\ddagger}$: test-set and training luck ruled out, provisional" in alone
    assert r"^{\dagger}" not in alone
    assert "dagger" not in a_caption(marks=[])


@pytest.mark.parametrize("layout", ["booktabs", "systems"])
def test_a_doubtful_score_is_marked_and_the_caption_says_why(layout: Layout, tmp_path: Path) -> None:
    rows = overview("a_b").assign(doubt=["", "§"], conclusion=["", "better"])
    why = "may be too good (lines of a_b may be in the references)"
    words = a_caption(layout, columns=FIXED_COLUMNS.get(layout, DEFAULT_COLUMNS), doubts=why)
    table = latex_table(rows, words, layout=layout)
    mark_of_verdict = "+" if layout == "systems" else r"\dagger"
    assert rf"\textbf{{18.8}}$^{{{mark_of_verdict}}}$$^{{\S}}$" in table
    assert r"$^{\S}$: may be too good (lines of a\_b may be in the references)." in table
    set_by_latex(latex_document(table, layout), tmp_path)


def test_the_caption_names_the_baseline_of_marks_if_no_column_does() -> None:
    assert "ruled out; $^{\\ddagger}$: both" not in a_caption("systems", columns=("average",))
    assert r"against run\_7, 5\%, Holm" in a_caption(columns=("average", "p_run"), baseline="run_7")


def test_columns_are_those_that_were_chosen() -> None:
    lines = latex_table(overview(), "x", columns=("p_run", "average")).splitlines()
    assert r"Metric & System & $p_{\text{run}}$ & Avg \\" in lines
    assert r"& system 1 & 0.236 & \textbf{18.8}$^{\dagger}$ \\" in lines


def test_the_layout_of_multeval_has_its_columns_whatever_is_chosen() -> None:
    lines = latex_table(overview(), "x", layout="multeval", columns=("runs",)).splitlines()
    assert r"& baseline & 18.5 & 0.3 & 0.1 & - \\" in lines
    assert r"& system 1 & 18.8 & 0.3 & - & 0.004 \\" in lines


def test_the_caption_is_short_and_has_no_signatures() -> None:
    for layout in LAYOUTS:
        words = a_caption(layout, columns=FIXED_COLUMNS.get(layout, DEFAULT_COLUMNS))
        assert len(words.split()) <= 60, layout
        for needed in ("2 to 3 runs", r"1,234 segments of a\_b."):
            assert needed in words
        assert "texttt" not in words
    assert r"5\%, Holm" in a_caption()
    assert "Holm" not in a_caption(n_compared=1)


def test_the_caption_explains_the_columns_that_are_there_and_no_others() -> None:
    words = a_caption(columns=("average", "p_run"))
    assert r"$p_{\text{run}}$" in words
    assert "bootstrap" not in words
    assert r"$p_{\text{test set}}$" not in words
    assert "dagger" in words
    assert "dagger" not in a_caption(columns=("s_sel", "p_run"))  # marks are at the averages


def test_the_caption_says_how_runs_were_declared_if_it_matters() -> None:
    fixed = r"run\_7 is treated as a fixed system"
    for columns in (DEFAULT_COLUMNS, ("average",), ("s_sel", "p_run")):
        assert fixed in a_caption(design="fixed", baseline="run_7", columns=columns)
    assert fixed not in a_caption(design="fixed", baseline="run_7", columns=("s_sel", "s_opt"))
    assert "in pairs" in a_caption(design="paired")
    assert "in pairs" not in a_caption()


@pytest.mark.parametrize("exchanged", ["document", "segment", "output"])
def test_the_caption_names_the_unit_that_was_exchanged(exchanged: str) -> None:
    assert f"approximate randomization, {exchanged}s." in a_caption(exchanged=exchanged)


def test_the_caption_of_multeval_s_layout_uses_its_headings_and_has_no_marks() -> None:
    words = a_caption("multeval", columns=("average", "s_sel", "s_opt", "p_test_set"))
    assert r"$s_{\text{Test}}$" in words
    assert "$p$-value" in words
    assert "dagger" not in words


def test_braces_and_dollars_are_balanced_in_every_document() -> None:
    for layout in LAYOUTS:
        words = a_caption(layout, columns=tuple(COLUMNS), baseline=HOSTILE)
        document = latex_document(latex_table(overview(HOSTILE), words, layout=layout), layout)
        unescaped = re.sub(r"\\[{}$]", "", document)
        assert unescaped.count("{") == unescaped.count("}")
        assert unescaped.count("$") % 2 == 0


# The characters of all words that mteval says, but those of ASCII.
CHARACTERS = set(chain.from_iterable(path.read_text(encoding="utf-8") for path in SOURCES))
SYMBOLS = "".join(sorted(character for character in CHARACTERS if not character.isascii()))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_real_latex_sets_the_table(layout: Layout, tmp_path: Path) -> None:
    name = HOSTILE + SYMBOLS
    table = latex_table(overview(name), a_caption(layout, columns=tuple(COLUMNS), baseline=name), layout=layout)
    set_by_latex(latex_document(table, layout), tmp_path)


def test_a_real_latex_sets_sections_with_all_symbols_of_words(tmp_path: Path) -> None:
    frame = pd.DataFrame({"system": [HOSTILE, SYMBOLS], "p": [0.04, 0.5]})
    columns = (Column("system", SYMBOLS), Column("p", "p", "p"))
    section = Section("one", f"{HOSTILE} {SYMBOLS}", table=Table(columns, frame), notes=noted(HOSTILE))
    tables = "\n".join(latex_lines([section]))
    head = "\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\usepackage{booktabs, textcomp}\n\\begin{document}\n"
    set_by_latex(f"{head}{tables}\n\\end{{document}}\n", tmp_path)


PLAIN = {
    r"\textbf": "",
    r"\boldmath": "",
    r"$^{\dagger}$": "†",
    r"$^{\ddagger}$": "‡",
    "$^{−}$": "−",  # its minus is a true one by then
    "{": "",
    "}": "",
    "$": "",
}


def preview(frame: pd.DataFrame, columns: Iterable[str], layout: Layout = "booktabs") -> str:
    """The table on the page."""
    return str(section_table(paper(frame, layout, tuple(columns))))


def small(**changes: object) -> pd.DataFrame:
    """A baseline and a system below zero, ahead by what rounds to nothing, p small."""
    shared = {
        "metric": "mqm",
        "metric_name": "MQM",
        "notation": Notation("↑"),
        "n_runs": 3,
        "median_run": "0",
        "first_rank": NAN,
        "last_rank": NAN,
        "group": NAN,
        "conclusion": "",
        "is_provisional": False,
    }
    base = {
        "system": "base",
        "mean": -23.97,
        "s_sel": 0.25,
        "s_dev": NAN,
        "s_opt": NAN,
        "difference": NAN,
        "p_test_set": NAN,
        "p_run": NAN,
        "mark": "",
        "is_best": False,
        "run_scores": [-24.0, -23.94],
    }
    new = {
        "system": "new",
        "mean": -23.93,
        "s_sel": 0.25,
        "s_dev": NAN,
        "s_opt": 0.05,
        "difference": 0.04,
        "p_test_set": 0.004,
        "p_run": 0.005,
        "mark": "†",
        "conclusion": "worse",
        "is_best": True,
        "run_scores": [-23.9, -23.96],
    }
    return pd.DataFrame([shared | base | changes, shared | new | changes])


def in_source(layout: Layout, columns: tuple[str, ...], frame: pd.DataFrame) -> list[list[str]]:
    """The cells of the source as a reader of the paper sees them."""
    table = latex_table(frame, "x", layout=layout, columns=columns)
    # The first cell of a row is the system in one layout; in the others it is empty, and the system comes next.
    if layout == "systems":
        body = table[table.index(r"\midrule") : table.index(r"\bottomrule")]
        lines = re.findall(r"(.* & .*) \\\\", body)
    else:
        lines = [line.removesuffix(r" \\").removeprefix("& ") for line in table.splitlines() if line.startswith("& ")]
    rows = []
    for line in lines:
        rows.append([seen(text) for text in line.split(" & ")[1:]])
    return rows


def seen(tex: str) -> str:
    """What TeX makes of a number: a dash, mathematics with a true minus, bold as it is marked here."""
    text = tex.replace("-", "−") if "$-" in tex else tex.replace("--", "–")
    bold = "*" if "bold" in tex or "textbf" in tex else ""
    for mark, plain in PLAIN.items():
        text = text.replace(mark, plain)
    return bold + text


def in_preview(layout: Layout, columns: tuple[str, ...], frame: pd.DataFrame) -> list[list[str]]:
    """The cells of the preview, without the names of systems; those in bold begin with an asterisk."""
    page = preview(frame, columns, layout)
    rows = []
    for row in re.findall(r"<tr>(.*?)</tr>", page)[1:]:
        cells = []
        for cell in re.findall(r"<td[^>]*>(.*?)</td>", row)[1:]:
            bold = "*" if "<b>" in cell else ""
            cells.append(bold + html.unescape(re.sub(r"<[^>]*>", "", cell)))
        rows.append(cells)
    return rows


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("notation", [Notation("↑"), Notation("↓", decimals=4), Notation("", unit="%")])
def test_the_preview_matches_the_source(layout: Layout, notation: Notation) -> None:
    columns = FIXED_COLUMNS.get(layout, tuple(COLUMNS))
    frame = small(notation=notation)
    source = in_source(layout, columns, frame)
    preview = in_preview(layout, columns, frame)
    assert len(source) == 2
    for shown_cells, cells in zip(preview, source, strict=True):
        assert shown_cells == [text.lstrip() for text in cells]


def test_multeval_s_layout_has_no_bold_and_no_marks() -> None:
    assert in_preview("multeval", tuple(HEADINGS), small())[1] == ["−23.9", "0.3", "0.1", "0.004"]
    assert in_preview("booktabs", tuple(HEADINGS), small())[1] == ["*−23.9†", "0.3", "0.1", "0.004"]


@pytest.mark.parametrize(
    ("p", "booktabs", "multeval"),
    [
        (0.0, "< 0.001", "< 0.001"),
        (0.0049, "0.005", "0.005"),
        (0.125, "0.125", "0.125"),
    ],
)
def test_a_p_value_of_the_paper_has_three_decimals_or_a_bound_in_every_layout(
    p: float, booktabs: str, multeval: str
) -> None:
    assert cell_of("p_run", "booktabs", p_run=p).text == booktabs
    assert cell_of("p_test_set", "multeval", p_test_set=p).text == multeval


def cell_of(key: str, layout: Layout, row: int = 0, **changes: object) -> Cell:
    """A cell of the preview, given the key of its column."""
    table = paper(small(**changes), layout)
    place = [column.key for column in table.columns].index(key)
    return list(table.cells)[row][place]


@pytest.mark.parametrize(
    ("value", "tex"), [(0.04, "0.0"), (-0.04, "0.0"), (0.4, "$+0.4$"), (-23.87, "$-23.9$"), (NAN, "--")]
)
def test_a_difference_that_rounds_to_zero_has_no_sign_in_the_source(value: float, tex: str) -> None:
    assert tex_number(cell_of("difference", "booktabs", difference=value)) == tex


def test_an_average_below_zero_is_mathematics_like_the_differences_bold_or_not() -> None:
    assert tex_number(cell_of(MARKED, "booktabs")) == "$-24.0$"
    assert tex_number(cell_of(MARKED, "booktabs", 1)) == r"{\boldmath$-23.9$}$^{\dagger}$"
    assert tex_number(cell_of(MARKED, "multeval")) == "$-24.0$"
    assert tex_number(Cell("∞")) == r"$\infty$"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_metrics_between_0_and_1_keep_their_digits(layout: Layout) -> None:
    frame = small(notation=Notation("↑", decimals=4), mean=0.85425, s_sel=0.0033, s_opt=0.0033, difference=0.00125)
    columns = FIXED_COLUMNS.get(layout, tuple(COLUMNS))
    written = set(chain.from_iterable(in_preview(layout, columns, frame)))
    kept = "0.854" if layout == "systems" else "0.003"
    assert kept in written
    assert not written & {"0.0", "0.000"}


def test_every_column_is_explained_in_the_caption_under_its_own_heading() -> None:
    text = a_caption(columns=tuple(COLUMNS))
    for column in COLUMNS.values():
        assert f" {column.tex}: " in text
        text = text.replace(column.tex, "")  # its braces are TeX, as in $p_{\text{run}}$
    assert not re.search(r"\{(heading|run|runs|bootstrap|shuffles|units|exchanged|baseline|level)\}", text)


def test_default_columns_are_among_all() -> None:
    assert set(DEFAULT_COLUMNS) | set(HEADINGS) <= set(COLUMNS)
    assert "s_dev" not in DEFAULT_COLUMNS


CHARACTER_OF = {r"\dagger": "†", r"\ddagger": "‡", r"\uparrow": "↑", r"\downarrow": "↓", "--": "–"}


def table() -> pd.DataFrame:
    """A metric that should rise and one that should fall, every column with numbers of its own."""
    rise = overview().assign(s_dev=[0.11, 0.49])
    fall = overview("other", "TER").assign(
        metric="ter",
        notation=[Notation("↓"), Notation("↓")],
        mean=[65.7, 64.8],
        s_sel=[0.4, 0.62],
        s_dev=[0.9, 1.31],
        s_opt=[0.2, 0.55],
        difference=[NAN, -0.84],
        mark=["", "‡"],
        p_test_set=[NAN, 0.0151],
        p_run=[NAN, 0.0049],
    )
    return pd.concat([rise, fall], ignore_index=True)


def cells_of_html(text: str) -> list[list[str]]:
    """Rows of a table, bold as asterisks, without the cells that name a metric for several rows."""
    rows = []
    for row in re.findall("<tr>(.*?)</tr>", text, re.S)[1:]:
        marked = re.sub("</?b>", "*", row)
        cells = re.findall("<td.*?</td>", marked, re.S)
        rows.append([with_plain_signs(re.sub("<[^>]*>", "", cell)) for cell in cells])
    return rows


def cells_of_tex(text: str) -> list[list[str]]:
    """The same of a LaTeX table."""
    rows = []
    for line in text.splitlines():
        if not line.startswith("& "):
            continue
        marked = re.sub(r"\\textbf\{(.*?)\}", r"*\1*", line.removesuffix(r"\\"))
        for tex, character in CHARACTER_OF.items():
            marked = marked.replace(tex, character)
        plain = re.sub(r"[${}^]", "", marked)
        rows.append([with_plain_signs(cell.strip()) for cell in plain.split("&")[1:]])
    return rows


def with_plain_signs(text: str) -> str:
    """The text of a cell with a hyphen for a minus."""
    return text.replace("−", "-").replace("&lt;", "<")


def test_every_cell_of_the_preview_is_the_one_of_the_latex_source() -> None:
    shown = cells_of_html(preview(table(), COLUMNS))
    assert shown == cells_of_tex(latex_table(table(), "x", columns=COLUMNS))
    assert shown[1] == ["system 1", "3", "*18.8*†", "0.3", "0.5", "–", "+0.4", "0.004", "0.236"]
    assert shown[3] == ["other", "3", "*64.8*‡", "0.6", "1.3", "0.6", "-0.8", "0.015", "0.005"]


def test_the_metrics_of_the_preview_have_their_arrows() -> None:
    names = re.findall(r'<th scope="rowgroup"[^>]*>(.*?)</th>', preview(table(), COLUMNS))
    assert names == ["BLEU\N{NO-BREAK SPACE}↑", "TER\N{NO-BREAK SPACE}↓"]


@pytest.mark.parametrize(
    ("p", "shown"),
    [(0.0001, "< 0.001"), (0.00499, "0.005"), (0.0151, "0.015"), (0.0502, "0.0502")],
)
def test_p_is_written_alike_in_preview_and_source(p: float, shown: str) -> None:
    columns = ("p_test_set", "p_run")
    frame = overview()
    frame.loc[1, list(columns)] = p
    _, cells_on_page = cells_of_html(preview(frame, columns))
    _, cells_in_tex = cells_of_tex(latex_table(frame, "x", columns=columns))
    assert cells_on_page[1:] == [shown, shown]
    assert cells_in_tex[1:] == [shown, shown]
