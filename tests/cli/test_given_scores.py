"""Scores computed elsewhere on the command line: read with their direction, tested, reported and replayed."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from mteval.cli import main

N = 30


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Words for two systems of two runs each, and files of scores beside them."""
    rng = np.random.default_rng(7)
    words = np.array(["the", "a", "cat", "dog", "sat", "ran", "on", "under", "mat", "hat"])
    names = ["refs", *(f"{system}.opt{run}.txt" for system in ("base", "new") for run in (0, 1))]
    for name in names:
        text = "".join(" ".join(rng.choice(words, 6)) + "\n" for _ in range(N))
        (tmp_path / name).write_text(text)
    scores = {name: rng.random(N).round(6).tolist() for name in names[1:]}
    comet = {f"out/{name}": [{"src": "s", "mt": "m", "COMET": score} for score in scores[name]] for name in scores}
    (tmp_path / "comet.json").write_text(json.dumps(comet))
    rows = [f"{system},{run},{i + 1},{'' if i == 3 else i % 7 + (system == 'sys1')}"
            for system in ("baseline", "sys1") for run in (0, 1) for i in range(N)]  # fmt: skip
    (tmp_path / "Errors.csv").write_text("\n".join(["system,run,segment,score", *rows]) + "\n")
    (tmp_path / "means.json").write_text(json.dumps({name: float(np.mean(scores[name])) for name in scores}))
    base, new = ([str(tmp_path / f"{system}.opt{run}.txt") for run in (0, 1)] for system in ("base", "new"))
    refs = ["--refs", str(tmp_path / "refs")]
    return [*refs, "--hyps-baseline", *base, "--hyps-sys1", *new]


FEW = ["--boot-samples", "50", "--ar-shuffles", "99"]


def numbers(path: Path) -> dict:
    """What was written."""
    return json.loads(path.read_text())


def rows_of(found: dict, frame: str, metric: str) -> list[dict]:
    return [row for row in found[frame] if row["metric"] == metric]


def run_scores(tmp_path: Path, files: list[str]) -> list[str]:
    return [*files, "--scores-higher", str(tmp_path / "comet.json"), "--scores-lower", str(tmp_path / "Errors.csv")]


def test_given_scores_are_metrics_by_default_with_the_averages_of_their_files(
    tmp_path: Path, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    assert main(["eval", *run_scores(tmp_path, files), *FEW, "--json", str(out)]) == 0
    found = numbers(out)
    assert {"COMET", "Errors"} <= set(capsys.readouterr().out.split())
    key = "comet-given"  # there is a metric called comet
    scores = {(row["system"], row["run"]): row["score"] for row in rows_of(found, "scores", key)}
    means = json.loads((tmp_path / "means.json").read_text())
    for system, name in (("baseline", "base"), ("sys1", "new")):
        for run in ("0", "1"):
            assert scores[system, run] == pytest.approx(means[f"{name}.opt{run}.txt"], abs=1e-12)
    (one, *_) = rows_of(found, "comparisons", "errors")
    assert one["difference"] == pytest.approx(1.0)
    assert one["improvement"] == pytest.approx(-1.0)  # lower is better
    assert "1 of 30 segments is skipped" in one["note"]


def test_given_scores_can_be_chosen_and_an_unknown_metric_is_refused(
    tmp_path: Path, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    words = run_scores(tmp_path, files)
    assert main(["compare", *words, "--metrics", "Errors", "--resamples", "99", "--procedure", "ar-segment"]) == 0
    out = capsys.readouterr().out
    assert "Errors: system 1 against baseline" in out
    assert "COMET" not in out
    assert main(["replicate", *words, "--metrics", "errors", "--draws", "5", "--ar-shuffles", "20", "--runs", "1"]) == 0
    assert "Errors, baseline (2 runs)" in capsys.readouterr().out
    assert main(["eval", *words, "--metrics", "none"]) == 2
    assert "invalid choice: 'none' (choose from bleu" in capsys.readouterr().err


def test_systems_of_a_score_file_that_are_not_loaded_get_a_note(
    tmp_path: Path, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "X.csv").write_text("system,run,score\n" + "sys1,0,1\n" * N + "other,0,1\n" * N)
    assert main(["eval", *files, *FEW, "--metrics", "x", "--scores-higher", str(tmp_path / "X.csv")]) == 2
    said = capsys.readouterr().err
    assert "other 0, not loaded on 'test'" in said
    assert "baseline 0, baseline 1 and sys1 1" in said


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("system,run,score\nsys1,0,1\n", "has 30 segments"),
        ("system,run,score\nsys1,0,good\n", "'good'"),
        ("a b\n" * N, "tab"),
    ],
)
def test_scores_of_another_length_are_an_error(
    tmp_path: Path, files: list[str], capsys: pytest.CaptureFixture[str], content: str, words: str
) -> None:
    (tmp_path / "X.scores").write_text(content)
    assert main(["eval", *files, "--scores-higher", str(tmp_path / "X.scores")]) == 2
    assert words in capsys.readouterr().err


def test_both_directions_for_one_metric_are_refused(
    tmp_path: Path, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "Errors.csv")
    assert main(["eval", *files, "--scores-higher", path, "--scores-lower", path]) == 2
    assert "both" in capsys.readouterr().err


def test_a_report_with_given_scores_runs_again_bit_for_bit(
    tmp_path: Path, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "report.zip"
    kinds = ["--only", "json", "experiment"]
    assert main(["report", *run_scores(tmp_path, files), *FEW, "--to", str(out), *kinds]) == 0
    with zipfile.ZipFile(out) as archive:
        archive.extractall(tmp_path / "again")
    again = tmp_path / "again.json"
    assert main(["run", str(tmp_path / "again" / "experiment.toml"), "--json", str(again)]) == 0
    found, expected = numbers(again), numbers(tmp_path / "again" / "numbers.json")
    assert found | {"findings": []} == expected | {"findings": []}  # which name files
    assert (tmp_path / "again" / "scores" / "errors.test.csv").is_file()
    capsys.readouterr()
