"""The grid in a paper: every number is that of the table on pages, and LaTeX sets it with hostile names."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mteval.analysis.evaluation import evaluate
from mteval.analysis.grid import AVERAGE, grid_frame
from mteval.analysis.results import Results, reported_test_set
from mteval.analysis.scoring import Work
from mteval.answers.grid import grid_section
from mteval.base.errors import DataError
from mteval.render.html import section_parts
from mteval.render.text import WIDTH, text_lines
from mteval.report.paper_table import LatexChoice, latex
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings
from tests.latex import set_by_latex

GRID = LatexChoice("grid", is_document=True)
HOSTILE = ("<b>a</b> & 50%", "x_1^2 {run} \\input{a}", f"{'long' * 20}", "'quoted' \"system\" #~")
SHAPES = {r"$\bigtriangleup$": "▲", r"$\bigtriangledown$": "▼", r"$\circ$": "○", r"$\diamond$": "◇"}
N_SEGMENTS = 30


def made(systems: tuple[str, ...], n_test_sets: int) -> Results:
    """Systems with two runs each, which gain and lose on test sets of a few segments."""
    generator = np.random.default_rng(11)
    scores = []
    test_sets = []
    for number in range(n_test_sets):
        runs = []
        for place, system in enumerate(systems):
            gain = place * generator.normal(0.6, 1.0)
            for run in "01":
                values = generator.normal(50 + gain, 1.5, N_SEGMENTS)
                scores.append(GivenScores(f"set {number}", system, run, tuple(values)))
                runs.append(Run(system, run, (f"{system}{run}",) * N_SEGMENTS))
        test_sets.append(TestSet(f"set {number}", (("r",),) * N_SEGMENTS, tuple(runs), role="test"))
    experiment = Experiment(tuple(test_sets), systems[0], (GivenMetric("m", "M", tuple(scores), True),))
    evaluation = evaluate(experiment, Settings(metrics=("m",), n_shuffles=200, n_bootstrap=20), Work())
    return Results(experiment, evaluation, reported_test_set(experiment))


def rows_of(document: str) -> list[list[str]]:
    """The cells of each row, without colours and bold."""
    rows = []
    for line in document.splitlines():
        if line.endswith(r" \\"):
            plain = re.sub(r"\\cellcolor\[HTML\]\{[0-9A-F]{6}\}", "", line.removesuffix(r" \\"))
            plain = re.sub(r"\\textbf\{(.*?)\}", r"\1", plain)
            for command, shape in SHAPES.items():
                plain = plain.replace(command, shape)
            rows.append(plain.split(" & "))
    return rows


@pytest.mark.parametrize("n_test_sets", [4, 12])
def test_every_number_in_the_paper_is_that_of_a_test_set_or_of_the_claim(n_test_sets: int) -> None:
    results = made(("a", "b", "c"), n_test_sets)
    frame = grid_frame(results.evaluation).set_index(["system", "test_set"])
    notation = results.spec("m").notation.coarser
    words = {"▲": "better", "▼": "worse", "○": "no clear difference", "◇": "no verdict"}

    head, *rows = rows_of(latex(results, GRID))

    is_turned = head[0] == "Test set"
    assert is_turned == (n_test_sets > 8)
    n_read = 0
    for name, *cells in rows:
        for heading, cell in zip(head[1:], cells, strict=True):
            system, test_set = (heading, name) if is_turned else (name, heading)
            row = frame.loc[(system, AVERAGE if test_set == "Average" else test_set)]
            *shape, score = cell.split(" ")
            assert score == notation.number(row["mean"])
            assert [words[mark] for mark in shape] == ([row["conclusion"]] if system != "a" else [])
            n_read += 1
    assert n_read == 3 * (n_test_sets + 1)


def test_many_test_sets_are_rows_with_the_largest_improvement_first_and_the_average_last() -> None:
    results = made(("a", "b", "c"), 12)
    _, *rows = rows_of(latex(results, GRID))
    names = [row[0] for row in rows]
    frame = grid_frame(results.evaluation)
    gains = frame.groupby("test_set")["difference"].mean().drop(AVERAGE)
    assert names == [*gains.sort_values(ascending=False).index, "Average"]


def test_better_is_green_and_worse_vermilion_and_the_larger_difference_is_darker() -> None:
    results = made(("a", "b", "c"), 12)
    cells = [cell for row in grid_section(results, "m").table.cells for cell in row]
    roles = {cell.role for cell in cells if cell.tint > 0}
    assert roles == {"good", "bad"}
    assert max(cell.tint for cell in cells) <= 1
    page = str(next(iter(section_parts(replace(grid_section(results, "m"), lead=(), title="")))))
    strong = re.findall(r'class="mt-tint-good" style="--mt-tint:(\d+)%"', page)
    assert max(map(int, strong)) > min(map(int, strong))


@pytest.mark.parametrize("n_test_sets", [3, 10])
def test_a_real_latex_sets_grids_with_hostile_names(n_test_sets: int, tmp_path: Path) -> None:
    set_by_latex(latex(made(HOSTILE, n_test_sets), GRID), tmp_path)


@pytest.mark.parametrize("n_test_sets", [3, 10])
def test_hostile_names_stay_text_on_pages(n_test_sets: int) -> None:
    page = "".join(map(str, section_parts(grid_section(made(HOSTILE, n_test_sets), "m"))))
    assert "<b>a</b>" not in page
    assert "&lt;b&gt;a&lt;/b&gt; &amp; 50%" in page


def test_a_wide_grid_is_printed_in_parts_that_fit_a_terminal() -> None:
    systems = (*(f"a system with the number {number}" for number in range(6)), f"{'long ' * 30}name")
    lines = list(text_lines([grid_section(made(systems, 10), "m")]))
    table = lines[2:]
    assert max(len(line) for line in table if line.startswith(("Test set", "set ", "Average"))) <= WIDTH
    assert any("long long long … long long name" in line for line in table)
    for system in systems[:6]:
        assert any(line.startswith("Test set") and system in line for line in table)


def test_a_grid_of_one_test_set_is_an_error() -> None:
    with pytest.raises(DataError, match="'grid' needs two systems on two or more test sets"):
        latex(made(("a", "b"), 1), GRID)


def test_the_grid_calls_systems_by_their_shown_names() -> None:
    results = replace(made(("a", "b"), 3), shown_names={"a": "old.txt", "b": "new.txt"})
    printed = "\n".join(text_lines([grid_section(results, "m")]))
    assert "new.txt vs old.txt" in printed
    assert re.search(r"^new\.txt ", printed, re.MULTILINE)
