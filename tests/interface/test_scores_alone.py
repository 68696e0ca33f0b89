"""Scores of items without texts: from arrays, from a table, and what is said of them."""

import os
import socket
import time
import urllib.request
from pathlib import Path

import numpy as np
import pytest

import mteval
from mteval.cli import main
from tests.patience import OUTER_LIMIT

RNG = np.random.default_rng(5)
EASE = RNG.random(120)
SCORES = {name: (RNG.random((3, 120)) < EASE + more).astype(float) for name, more in (("old", 0.0), ("new", 0.15))}
FEW = mteval.Settings(n_bootstrap=20, n_shuffles=200)


@pytest.fixture(scope="module")
def compared() -> mteval.Comparison:
    return mteval.compare_scores(SCORES, "accuracy", settings=FEW)


def test_averages_and_differences_are_those_of_the_arrays(compared: mteval.Comparison) -> None:
    means = dict(zip(compared.summary["system"], compared.summary["mean"], strict=True))
    assert means == pytest.approx({name: runs.mean() for name, runs in SCORES.items()})
    (verdict,) = compared.verdicts
    assert verdict.difference == pytest.approx(SCORES["new"].mean() - SCORES["old"].mean())
    assert "accuracy" in str(compared)


def test_replication_and_planning_work_on_them(compared: mteval.Comparison) -> None:
    assert list(mteval.replicate(compared)["k"]) == [1, 2, 3]
    assert mteval.plan(compared, 0.1).runs is not None


def test_a_table_of_the_same_scores_gives_the_same_numbers(
    compared: mteval.Comparison, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        f"{name}\t{run}\t{item + 1}\t{value}"
        for name, runs in SCORES.items()
        for run, values in enumerate(runs)
        for item, value in enumerate(values)
    ]
    table = tmp_path / "accuracy.tsv"
    table.write_text("\n".join(["system\trun\tsegment\tscore", *rows]) + "\n", encoding="utf-8")
    words = ["eval", "--scores-higher", str(table), "--boot-samples", "20", "--ar-shuffles", "200"]
    assert main(words) == 0
    assert capsys.readouterr().out.strip() == str(compared).strip()
    assert main([*words, "--baseline", "new"]) == 0
    assert main([*words, "--baseline", "newer"]) == 2
    assert "newer" in capsys.readouterr().err


def test_what_is_saved_is_computed_again(compared: mteval.Comparison, tmp_path: Path) -> None:
    compared.save(tmp_path)
    assert str(mteval.load(tmp_path / "experiment.toml")) == str(compared)


def test_the_dashboard_starts_on_it(
    compared: mteval.Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MTEVAL_HOME", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = compared.open("--no-browser", f"--port={port}")
    try:
        deadline = time.monotonic() + OUTER_LIMIT
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1) as answer:
                    assert answer.status == 200
                break
            except OSError:
                assert server.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.2)
    finally:
        server.terminate()
        server.wait(OUTER_LIMIT)
    assert os.listdir(tmp_path)  # the experiment was kept


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        ({"a": [[1, 2]], "b": [[1, 2, 3]]}, "different numbers of items"),
        ({"a": [1, 2]}, r"shape \(2,\)\. Expected \(runs, items\)"),
        ({"a": [["x"]]}, "not an array of numbers"),
    ],
)
def test_arrays_of_the_wrong_shape_are_errors(systems: dict[str, list[object]], message: str) -> None:
    with pytest.raises(mteval.MtevalError, match=message):
        mteval.compare_scores(systems)
