"""The table for the paper on the command line: rows and columns that are chosen, and a real LaTeX where one is."""

import re
from pathlib import Path

import pytest

from mteval.cli import main
from tests.latex import set_by_latex

TEXTS = {
    "ref": "a b c d e\nf g h i j\n",
    "base": "a b c d x\nf g h i\n",
    "s1": "a b c d e\nf g h\n",
    "s2": "a b c\nf g\n",
}


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Options that name small files: a baseline and two systems, by two metrics."""
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    at = {name: str(tmp_path / name) for name in TEXTS}
    words = ["--refs", at["ref"], "--hyps-baseline", at["base"], "--hyps-sys1", at["s1"], "--hyps-sys2", at["s2"]]
    return [*words, "--metrics", "bleu", "TER", "--boot-samples", "10", "--ar-shuffles", "10"]


def rows_of(table: str) -> tuple[list[str], list[str]]:
    """Metrics and systems that a table shows, in its order."""
    return re.findall(r"\\multirow\{\d\}\{\*\}\{(\w+)", table), re.findall(r"^& ([\w ]+?) &", table, re.MULTILINE)


@pytest.mark.parametrize("layout", ["booktabs", "multeval"])
def test_the_table_has_the_metrics_and_systems_that_were_chosen(layout: str, files: list[str], tmp_path: Path) -> None:
    look = ["--latex-layout", layout, "--latex-metrics", "ter", "--latex-systems", "sys2", "baseline"]
    assert main(["eval", *files, "--latex", str(tmp_path / "t.tex"), *look]) == 0
    table = (tmp_path / "t.tex").read_text(encoding="utf-8")
    assert rows_of(table) == (["TER"], ["baseline", "system 2"])
    assert "BLEU" not in table  # nor in the signatures of the caption


def test_the_report_s_table_has_the_rows_and_columns_that_were_chosen(files: list[str], tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert main(["report", *files, "--to", str(first), "--only", "experiment", "latex", "--latex-systems", "sys1"]) == 0
    assert rows_of((first / "table.tex").read_text(encoding="utf-8")) == (["BLEU", "TER"], ["system 1"] * 2)
    look = ["--latex-metrics", "BLEU", "--latex-columns", "p_run", "average"]
    assert main(["report", str(first / "experiment.toml"), "--to", str(second), "--only", "latex", *look]) == 0
    table = (second / "table.tex").read_text(encoding="utf-8")
    assert rows_of(table) == (["BLEU"], ["baseline", "sys1", "sys2"])
    assert r"Metric & System & $p_{\text{run}}$ & Avg \\" in table


@pytest.mark.parametrize(
    ("look", "message"),
    [
        (["--latex-metrics", "chrf"], "--latex-metrics: unknown name 'chrf'. Found: bleu, ter."),
        (["--latex-systems", "sys3"], "unknown name 'sys3'. Found: baseline, sys1, sys2."),
        (["--latex-columns", "runs", "runs"], "twice in --latex-columns"),
        (
            ["--latex-columns", "runs", "--latex-layout", "multeval"],
            "no effect with --latex-layout multeval",
        ),
    ],
)
@pytest.mark.parametrize("command", ["eval", "report"])
def test_unknown_rows_and_columns_of_the_latex_table_are_refused_before_scoring(
    command: str, look: list[str], message: str, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = ["--latex", str(tmp_path / "t.tex")] if command == "eval" else ["--to", str(tmp_path / "out")]
    assert main([command, *files, *place, *look]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert {path.name for path in tmp_path.iterdir()} == set(TEXTS)


@pytest.mark.parametrize("option", ["--latex-columns", "--latex-metrics", "--latex-systems"])
def test_latex_options_without_a_table_are_an_error(
    option: str, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", *files, option, "runs"]) == 2
    assert f"{option} needs --latex FILE" in capsys.readouterr().err


@pytest.mark.parametrize("layout", ["booktabs", "multeval"])
def test_latex_compiles_the_example_document(layout: str, example_files: dict[str, list[Path]], tmp_path: Path) -> None:
    words = ["eval", "--refs", *map(str, example_files["refs"]), "--metrics", "bleu", "length", "--boot-samples", "10"]
    for option, key in (("--hyps-baseline", "baseline"), ("--hyps-sys1", "sys1")):
        words += [option, *map(str, example_files[key])]
    look = ["--latex", str(tmp_path / "t.tex"), "--fullLatexDoc", "true", "--latex-layout", layout]
    assert main([*words, "--ar-shuffles", "10", *look]) == 0
    made = set_by_latex((tmp_path / "t.tex").read_text(encoding="utf-8"), tmp_path)
    assert made.stat().st_size > 1_000
