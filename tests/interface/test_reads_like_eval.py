"""What Python prints reads like ``mteval eval``, and its help fits a screen."""

import math
import pickle
import pydoc
from pathlib import Path

import pandas as pd
import pytest

import mteval
from mteval.cli import main

LINES_OF_A_SCREEN = 50
WIDTH_OF_A_SCREEN = 100
SCORES = {
    "old": [[0.1, 0.4, 0.2, 0.3], [0.2, 0.4, 0.2, 0.3], [0.1, 0.3, 0.2, 0.4]],
    "new": [[0.9, 0.8, 0.7, 0.9], [0.8, 0.8, 0.7, 0.8], [0.9, 0.9, 0.6, 0.9]],
    "other": [[0.1, 0.6, 0.2, 0.3], [0.2, 0.3, 0.2, 0.3], [0.1, 0.4, 0.2, 0.3]],
}


@pytest.fixture(scope="module")
def comparison() -> mteval.Comparison:
    return mteval.compare_scores(SCORES, "accuracy", n_shuffles=200, n_bootstrap=20)


def test_printed_verdicts_are_the_sentences_of_the_printed_comparison(comparison: mteval.Comparison) -> None:
    printed = str(comparison.verdicts).splitlines()
    assert [line.partition(":")[0] for line in printed[:2]] == ["new vs old", "other vs old"]
    assert set(printed) <= set(str(comparison).splitlines())


def test_verdicts_are_still_a_tuple_of_verdicts(comparison: mteval.Comparison) -> None:
    assert isinstance(comparison.verdicts, tuple)
    assert [verdict.system for verdict in comparison.verdicts] == ["new", "other"]
    copies = pickle.loads(pickle.dumps(comparison.verdicts))
    assert [verdict.system for verdict in copies] == ["new", "other"]


def test_printed_pairs_are_the_table_of_the_command_line(
    comparison: mteval.Comparison, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "scores.csv"
    rows = ["system,run,segment,accuracy"]
    for system, runs in SCORES.items():
        for run, values in enumerate(runs):
            rows += [f"{system},{run},{segment},{value}" for segment, value in enumerate(values, start=1)]
    table.write_text("\n".join(rows) + "\n", encoding="utf-8")
    words = ["compare", "--files", str(table), "--scores-higher", str(table), "--baseline", "old"]
    words += ["--all-pairs", "--procedure", "two-way", "--resamples", "200"]
    assert main([*words, "--threads", "1"]) == 0
    by_command = capsys.readouterr().out
    pairs = comparison.pairs("two-way")
    assert str(pairs).splitlines()[1].split() == ["system", "against", "improvement", "p", "p", "(adjusted)"]
    assert str(pairs) in by_command
    assert repr(pairs) == str(pairs)
    assert "p adjusted by Holm" in pairs._repr_html_()


def test_pairs_are_still_a_frame(comparison: mteval.Comparison) -> None:
    pairs = comparison.pairs()
    assert isinstance(pairs, pd.DataFrame)
    of_new = pairs[pairs["better"] == "new"]
    assert type(of_new) is pd.DataFrame, "without the sentences about all pairs"
    assert len(of_new) == 2
    assert "p_adjusted" in str(of_new)
    assert pickle.loads(pickle.dumps(pairs)).equals(pd.DataFrame(pairs))


@pytest.fixture(scope="module")
def on_two_test_sets() -> mteval.Comparison:
    """Systems with long names on five test sets, by two metrics."""
    references = [f"a{n} b{n} c{n} d{n} e{n}" for n in range(12)]
    systems = {}
    for name, n_right in {"baseline of last year": 2, "candidate of this year": 4, "another system": 3}.items():
        line_of = [" ".join([*line.split()[:n_right], *"vwxyz"[n_right:]]) for line in references]
        systems[name] = [line_of, [*line_of[:-1], "v w x y"], [*line_of[:-2], "v", "v w x y z"]]
    test_sets = {name: {"systems": systems, "references": references} for name in ("news", "talks", "chats", "law")}
    return mteval.compare(systems, references, ["length", "chrf"], test_sets=test_sets, n_shuffles=100, n_bootstrap=20)


def test_printed_verdicts_are_those_of_all_test_sets(on_two_test_sets: mteval.Comparison) -> None:
    printed = str(on_two_test_sets.verdicts)
    names = ("test", "news", "talks", "chats", "law")
    places = [printed.index(f"{name}:\n") for name in names]
    assert places == sorted(places)
    assert printed.count("candidate of this year vs baseline of last year: ") == len(names)
    for name in names:
        on_one = str(on_two_test_sets.on(name).verdicts)
        assert on_one in printed
        assert on_one.count("candidate of this year vs") == 1
    copied = pickle.loads(pickle.dumps(on_two_test_sets.on("law")))
    assert str(copied.verdicts) == str(on_two_test_sets.on("law").verdicts)


def test_the_printed_grid_has_all_columns_within_a_screen(on_two_test_sets: mteval.Comparison) -> None:
    grid = on_two_test_sets.grid()
    assert isinstance(grid, pd.DataFrame)
    assert len(grid) == 2 * 3 * 6  # metrics, systems, and test sets with their average
    printed = str(grid)
    assert "…" not in printed
    assert max(map(len, printed.splitlines())) <= WIDTH_OF_A_SCREEN
    for test_set in ("test", "news", "talks", "chats", "law", "Average"):
        assert test_set in printed
    assert {"Length on all test sets", "chrF on all test sets"} <= set(printed.splitlines())
    assert "<table" in grid._repr_html_()
    assert type(grid[grid["metric"] == "chrf"]) is pd.DataFrame
    assert str(on_two_test_sets).startswith("Length on all test sets")


def test_there_is_no_grid_of_one_test_set(comparison: mteval.Comparison) -> None:
    assert comparison.grid().empty
    assert str(comparison.grid()) == "There is no grid: test is the only test set."


def test_the_help_of_compare_fits_a_screen() -> None:
    lines = pydoc.plain(pydoc.render_doc(mteval.compare)).splitlines()
    n_lines = sum(max(1, math.ceil(len(line) / WIDTH_OF_A_SCREEN)) for line in lines)
    assert n_lines <= LINES_OF_A_SCREEN
