"""Scores computed elsewhere on the command line: read with their direction, tested, reported and replayed."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from mteval.cli import main

N = 30
WORDS = np.array(["the", "a", "cat", "dog", "sat", "ran", "on", "under", "mat", "hat"])
OUTPUTS = ("base.opt0.txt", "base.opt1.txt", "new.opt0.txt", "new.opt1.txt")


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Options that name two systems of two runs each; files of scores stand beside theirs."""
    rng = np.random.default_rng(7)
    for name in ("refs", *OUTPUTS):
        lines = [" ".join(rng.choice(WORDS, 6)) + "\n" for _ in range(N)]
        (tmp_path / name).write_text("".join(lines))
    scores_of = {name: rng.random(N).round(6).tolist() for name in OUTPUTS}
    write_comet(tmp_path / "comet.json", scores_of)
    write_errors(tmp_path / "Errors.csv")
    means = {name: float(np.mean(scores)) for name, scores in scores_of.items()}
    (tmp_path / "means.json").write_text(json.dumps(means))

    refs, base0, base1, new0, new1 = [str(tmp_path / name) for name in ("refs", *OUTPUTS)]
    return ["--refs", refs, "--hyps-baseline", base0, base1, "--hyps-sys1", new0, new1]


def write_comet(path: Path, scores_of: dict[str, list[float]]) -> None:
    """Write scores of runs as COMET's program does."""
    rows_of = {}
    for name, scores in scores_of.items():
        rows_of[f"out/{name}"] = [{"src": "s", "mt": "m", "COMET": score} for score in scores]
    path.write_text(json.dumps(rows_of))


def write_errors(path: Path) -> None:
    """Write a table in which the new system has one error more in each segment, the fourth being without numbers."""
    rows = ["system,run,segment,score"]
    for system, n_further in (("baseline", 0), ("sys1", 1)):
        for run in (0, 1):
            for place in range(N):
                errors = "" if place == 3 else place % 7 + n_further
                rows.append(f"{system},{run},{place + 1},{errors}")
    path.write_text("\n".join(rows) + "\n")


FEW = ["--boot-samples", "50", "--ar-shuffles", "99"]


def numbers(path: Path) -> dict:
    """What was written."""
    return json.loads(path.read_text())


def rows_of(document: dict, frame: str, metric: str) -> list[dict]:
    """The rows of a metric in one of the frames that were written."""
    return [row for row in document[frame] if row["metric"] == metric]


def with_scores(tmp_path: Path, files: list[str]) -> list[str]:
    """The options with those that name the files of scores."""
    return [*files, "--scores-higher", str(tmp_path / "comet.json"), "--scores-lower", str(tmp_path / "Errors.csv")]


def test_given_scores_are_metrics_by_default_with_the_averages_of_their_files(
    tmp_path: Path, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    assert main(["eval", *with_scores(tmp_path, files), *FEW, "--json", str(out)]) == 0
    assert {"COMET", "Errors"} <= set(capsys.readouterr().out.split())

    document = numbers(out)
    comet_rows = rows_of(document, "scores", "comet-given")  # there is a metric called comet
    scores = {(row["system"], row["run"]): row["score"] for row in comet_rows}
    means = numbers(tmp_path / "means.json")
    for system, name in (("baseline", "base"), ("sys1", "new")):
        for run in ("0", "1"):
            assert scores[system, run] == pytest.approx(means[f"{name}.opt{run}.txt"], abs=1e-12)

    comparison = rows_of(document, "comparisons", "errors")[0]
    assert comparison["difference"] == pytest.approx(1.0)
    assert comparison["improvement"] == pytest.approx(-1.0)  # lower is better
    assert "1 of 30 segments is skipped" in comparison["note"]


def test_given_scores_can_be_chosen_and_an_unknown_metric_is_refused(
    tmp_path: Path, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    words = with_scores(tmp_path, files)
    assert main(["compare", *words, "--metrics", "Errors", "--resamples", "99", "--procedure", "ar-segment"]) == 0
    out = capsys.readouterr().out
    assert "Errors: system 1 against baseline" in out
    assert "COMET" not in out
    assert main(["replicate", *words, "--metrics", "errors", "--draws", "5", "--ar-shuffles", "20", "--runs", "1"]) == 0
    assert "Errors, baseline (2 runs)" in capsys.readouterr().out
    assert main(["eval", *words, "--metrics", "none"]) == 2
    assert "Unknown metric 'none'. Available: bleu" in capsys.readouterr().err


def test_systems_of_a_score_file_that_are_not_loaded_get_a_note(
    tmp_path: Path, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "X.csv").write_text("system,run,score\n" + "sys1,0,1\n" * N + "other,0,1\n" * N)
    assert main(["eval", *files, *FEW, "--metrics", "x", "--scores-higher", str(tmp_path / "X.csv")]) == 2
    errors = capsys.readouterr().err
    assert "other 0, not loaded on 'test'" in errors
    assert "baseline 0, baseline 1 and sys1 1" in errors


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
    assert main(["report", *with_scores(tmp_path, files), *FEW, "--to", str(out), *kinds]) == 0
    with zipfile.ZipFile(out) as archive:
        archive.extractall(tmp_path / "again")
    again = tmp_path / "again.json"
    assert main(["run", str(tmp_path / "again" / "experiment.toml"), "--json", str(again)]) == 0
    # Findings and the list of files name the files that were read.
    replayed = numbers(again) | {"findings": [], "files": []}
    reported = numbers(tmp_path / "again" / "numbers.json") | {"findings": [], "files": []}
    assert replayed == reported
    assert (tmp_path / "again" / "scores" / "errors.test.csv").is_file()
    capsys.readouterr()
