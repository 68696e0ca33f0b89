"""Corpus scores of runs, without scores of segments, get the verdict of Welch's test, which covers training luck only.

The oracle is SciPy's ``ttest_ind`` with unequal variances.
"""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_ind

import mteval
from mteval.cli import main

SCORES = {"old": (27.1, 27.4, 26.9), "new": (28.3, 28.9, 28.1, 28.6), "same": (27.2, 26.8, 27.5)}
FEW = ["--boot-samples", "50", "--ar-shuffles", "99"]


@pytest.fixture(params=["with seeds", "without seeds"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A table with a row per run of the first two systems."""
    return write(tmp_path / "runs.csv", ("old", "new"), has_seeds=request.param == "with seeds")


def write(path: Path, systems: tuple[str, ...], *, has_seeds: bool = True, n_runs: int = 9) -> str:
    """Write the scores of systems, and return the path."""
    rows = ["system,seed,BLEU" if has_seeds else "System,BLEU"]
    for system in systems:
        for seed, score in enumerate(SCORES[system][:n_runs]):
            rows.append(f"{system},{seed},{score}" if has_seeds else f"{system},{score}")
    path.write_text("\n".join(rows) + "\n")
    return str(path)


def test_verdict_is_that_of_welch_s_test(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["eval", "--scores-higher", table, "--json", "-", *FEW])
    (verdict,) = json.loads(capsys.readouterr().out)["verdicts"]
    expected = ttest_ind(SCORES["new"], SCORES["old"], equal_var=False)
    interval = expected.confidence_interval(0.95)
    assert verdict["verdict"] == "better"
    assert verdict["p_run"] == pytest.approx(expected.pvalue)
    assert (verdict["low"], verdict["high"]) == (pytest.approx(interval.low), pytest.approx(interval.high))
    assert (verdict["p_test_set"], verdict["test_set_luck"], verdict["unit_both"]) == (None, "refused", "run")


def test_printed_verdict_says_which_luck_is_unknown(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["eval", "--scores-higher", table, *FEW])
    printed = capsys.readouterr().out
    assert "Test-set luck unknown: there is one score per run. Verdicts cover training luck only" in printed
    assert "new vs old: better." in printed
    assert "Training luck: ruled out (p =" in printed
    assert "only 1 segment" not in printed
    assert "Two-way" not in printed
    assert "proc:welch/run|" in printed


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_many_runs_with_one_score_each_are_not_halved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "runs.csv"
    rows = [f"{system},{run},{mean + run / 8}" for system, mean in (("old", 27), ("new", 28)) for run in range(8)]
    path.write_text("\n".join(("system,run,BLEU", *rows)))
    assert main(["eval", "--scores-higher", str(path), *FEW]) == 0
    printed = capsys.readouterr()
    assert "new vs old: better." in printed.out
    assert "RuntimeWarning" not in printed.err


def test_a_paper_s_table_names_welch_s_test(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["eval", "--scores-higher", table, "--format", "latex", *FEW])
    printed = capsys.readouterr().out
    assert r"$p_{\text{run}}$: Welch's test, runs." in printed
    assert "two-way" not in printed
    assert "test-set luck ruled out" not in printed


def test_p_is_adjusted_for_the_number_of_systems(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "runs.csv", ("old", "new", "same"))
    main(["eval", "--scores-higher", path, "--json", "-", "--baseline", "old", *FEW])
    verdicts = json.loads(capsys.readouterr().out)["verdicts"]
    p_values = [ttest_ind(SCORES[name], SCORES["old"], equal_var=False).pvalue for name in ("new", "same")]
    by_system = {verdict["system"]: verdict for verdict in verdicts}
    assert by_system["new"]["p_run_adjusted"] == pytest.approx(2 * p_values[0])
    assert by_system["same"]["p_run_adjusted"] == pytest.approx(p_values[1])
    assert by_system["same"]["verdict"] == "no clear difference"


def test_one_run_per_system_has_no_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "runs.csv", ("old", "new"), n_runs=1)
    main(["eval", "--scores-higher", path, *FEW])
    printed = capsys.readouterr().out
    assert "new vs old: no verdict." in printed
    assert "There is one score per run, not one per segment." in printed


def test_bootstraps_have_no_answer_for_one_score_per_run(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["compare", "--scores-higher", table, "--json", "-"])
    rows = json.loads(capsys.readouterr().out)["comparisons"]
    p_of = {row["procedure"]: row["p_value"] for row in rows}
    bootstraps = [key for key in p_of if "bootstrap" in key]
    assert len(bootstraps) == 3
    assert [p_of[key] for key in bootstraps] == [None] * 3
    assert p_of["welch"] == pytest.approx(ttest_ind(SCORES["new"], SCORES["old"], equal_var=False).pvalue)


def test_report_describes_welch_s_test_alone(table: str, tmp_path: Path) -> None:
    main(["report", "--scores-higher", table, "--to", str(tmp_path / "report"), *FEW])
    methods = (tmp_path / "report" / "methods.txt").read_text()
    assert "Welch's t-test (Welch, 1947) over the scores of runs" in methods
    assert not re.search("approximate randomization|two-way", methods)


def test_python_gives_the_same_test() -> None:
    scores = {name: [[value] for value in SCORES[name]] for name in ("old", "new")}
    test = mteval.compare_scores(scores, "accuracy").test()
    expected = ttest_ind(SCORES["new"], SCORES["old"], equal_var=False)
    assert test.procedure == "welch"
    assert (test.p_value, test.df) == (pytest.approx(expected.pvalue), pytest.approx(expected.df))
    assert test.statistic == pytest.approx(np.mean(SCORES["new"]) - np.mean(SCORES["old"]))
