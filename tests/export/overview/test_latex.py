"""LaTeX tables: MultEval's recorded one, hostile text, the caption, and a real LaTeX where one is installed."""

import re
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from mteval.answers.scores import COLUMNS, DEFAULT_COLUMNS, LAYOUTS, Layout
from mteval.report.paper_table import caption, escape, latex_document, latex_table
from mteval.values.notation import Notation
from mteval.values.settings import Design, Settings

NAN = float("nan")
HOSTILE = "\\input{/etc/passwd} 50% of $x_1^2$ & #1 ~{} <a|b> \"q\" 'r' `s` --- ,, \n\n\x07 †‡−"
ESCAPED = re.compile(
    r"\\(?:textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar|textquotedbl|textasciigrave"
    r"|textquotesingle)\{\}|\\[&%$#_{}]|\$(?:\\dagger|\\ddagger|-)\$|(?<=[-,])\{\}"
)


def overview(system: str = "system 1", metric_name: str = "BLEU") -> pd.DataFrame:
    shared = {"metric": "bleu", "metric_name": metric_name, "notation": Notation("↑"), "n_runs": 3, "s_dev": NAN}
    rows = [
        {**shared, "system": "baseline", "mean": 18.45, "s_sel": 0.25, "s_test": 0.06, "difference": NAN}
        | {"p_test_set": NAN, "p_both": NAN, "mark": "", "is_best": False},
        {**shared, "system": system, "mean": 18.81, "s_sel": 0.3, "s_test": NAN, "difference": 0.36}
        | {"p_test_set": 0.004, "p_both": 0.236, "mark": "†", "is_best": True},
    ]
    unranked = {"first_rank": NAN, "last_rank": NAN, "group": NAN}
    return pd.DataFrame([row | unranked for row in rows])


def a_caption(layout: Layout = "booktabs", design: Design = "independent", **changes: object) -> str:
    words = {
        "columns": DEFAULT_COLUMNS, "coverage": "1,234 segments of a_b.", "n_shuffles": 5_000, "baseline": "baseline",
        "exchanged": "segment",
    } | changes  # fmt: skip
    settings = Settings(n_bootstrap=2_000, seed=77, design=design)
    return caption(settings, [2, 3], {"BLEU": "nrefs:1|case:mixed|tok:a_b"}, layout=layout, **words)


def test_nothing_of_a_hostile_text_is_left_to_latex() -> None:
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
    assert (r"& 50\% $\uparrow$ \\" if layout == "systems" else r"\multirow{2}{*}{50\% $\uparrow$}") in table


def test_booktabs_has_marks_bold_signs_and_two_digits_of_p() -> None:
    lines = latex_table(overview(), "x").splitlines()
    assert r"& baseline & 3 & 18.5 & 0.3 & 0.1 & -- & -- & -- \\" in lines
    assert r"& system 1 & 3 & \textbf{18.8}$^{\dagger}$ & 0.3 & -- & $+0.4$ & $<$0.01 & 0.24 \\" in lines


def test_of_many_systems_there_is_a_row_each_and_a_column_a_metric() -> None:
    rows = pd.concat([overview(), overview(metric_name="TER").assign(metric="ter", mean=[60.0, 61.0], mark="")])
    lines = latex_table(rows, "x", layout="systems").splitlines()
    assert lines[2:-2] == [
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"System & BLEU $\uparrow$ & TER $\uparrow$ \\",
        r"\midrule",
        r"system 1 & \textbf{18.8}$^{\dagger}$ & \textbf{61.0} \\",
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
        r"system 1 & 1 & \textbf{18.8}$^{\dagger}$ \\",
        r"\midrule",
        r"baseline & 2--3 & 18.5 \\",
    ]


def test_columns_are_those_that_were_chosen() -> None:
    lines = latex_table(overview(), "x", columns=("p_both", "average")).splitlines()
    assert r"Metric & System & $p_{\text{both}}$ & Avg \\" in lines
    assert r"& system 1 & 0.24 & \textbf{18.8}$^{\dagger}$ \\" in lines


def test_the_layout_of_multeval_has_its_columns_whatever_is_chosen() -> None:
    lines = latex_table(overview(), "x", layout="multeval", columns=("runs",)).splitlines()
    assert r"& baseline & 18.5 & 0.3 & 0.1 & - \\" in lines
    assert r"& system 1 & 18.8 & 0.3 & - & 0.00 \\" in lines


def test_the_caption_states_what_a_reader_needs_to_repeat_the_numbers() -> None:
    words = a_caption()
    for needed in (
        "2 to 3 runs",
        r"1,234 segments of a\_b.",
        "2,000 bootstrap",
        "5,000 shuffles",
        "seed 77",
        "5\\% level",
        "Holm",
    ):
        assert needed in words
    assert r"BLEU \texttt{nrefs:1\textbar{}\allowbreak{}case:mixed\textbar{}\allowbreak{}tok:a\_b}" in words


def test_the_caption_explains_the_columns_that_are_there_and_no_others() -> None:
    words = a_caption(columns=("average", "p_both"))
    assert r"$p_{\text{both}}$" in words
    assert "bootstrap" not in words
    assert r"$p_{\text{test set}}$" not in words
    assert "dagger" in words
    assert "dagger" not in a_caption(columns=("s_sel", "p_both"))  # marks stand at the averages


def test_the_caption_says_how_runs_were_declared_where_it_counts() -> None:
    fixed = r"run\_7 is taken as a fixed system, as it was declared"
    for columns in (DEFAULT_COLUMNS, ("average",), ("s_sel", "p_both")):
        assert fixed in a_caption(design="fixed", baseline="run_7", columns=columns)
    assert fixed not in a_caption(design="fixed", baseline="run_7", columns=("s_sel", "s_test"))
    assert "as they were declared" in a_caption(design="paired")
    assert "declared" not in a_caption()


def test_the_caption_names_the_unit_that_was_exchanged() -> None:
    assert "by documents with all runs" in a_caption(exchanged="document")
    assert "choice of documents" in a_caption(exchanged="document")
    assert "averaged over runs: luck with the choice of segments." in a_caption(exchanged="document"), (
        "s_sel draws those"
    )
    assert "by single outputs" in a_caption(exchanged="output")


def test_the_caption_of_multeval_s_layout_uses_its_headings_and_has_no_marks() -> None:
    words = a_caption("multeval", columns=("average", "s_sel", "s_test", "p_test_set"))
    assert r"$s_{\text{Test}}$" in words
    assert "$p$-value" in words
    assert "dagger" not in words


def test_braces_and_dollars_are_balanced_in_every_document() -> None:
    for layout in LAYOUTS:
        table = latex_table(
            overview(HOSTILE), a_caption(layout, columns=tuple(COLUMNS), baseline=HOSTILE), layout=layout
        )
        plain = re.sub(r"\\[{}$]", "", latex_document(table, layout))
        assert plain.count("{") == plain.count("}")
        assert plain.count("$") % 2 == 0


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_real_latex_sets_the_document(layout: Layout, tmp_path: Path) -> None:
    program = shutil.which("pdflatex")
    if program is None:
        pytest.skip("pdflatex is not installed")
    table = latex_table(overview(HOSTILE), a_caption(layout, columns=tuple(COLUMNS), baseline=HOSTILE), layout=layout)
    (tmp_path / "table.tex").write_text(latex_document(table, layout), encoding="utf-8")
    command = [program, "-interaction=nonstopmode", "-halt-on-error", "table.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "table.pdf").stat().st_size > 1_000
