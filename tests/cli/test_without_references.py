"""Systems without references on the command line: scored, tested, reported and replayed by what needs none."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from mteval.cli import main

N = 24
FEW = ["--boot-samples", "50", "--ar-shuffles", "99"]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Two systems of two runs with their source and MetricX's scores, a file for each run."""
    generator = np.random.default_rng(5)
    words = np.array(["the", "a", "cat", "dog", "sat", "ran", "on", "under", "mat", "hat"])
    source = [" ".join(generator.choice(words, 6)) for _ in range(N)]
    (tmp_path / "src").write_text("".join(f"{line}\n" for line in source))
    arguments = ["--source", str(tmp_path / "src")]
    for system in ("base", "new"):
        arguments += ["--system", system]
        for run in "01":
            outputs = [" ".join(generator.choice(words, 7)) for _ in range(N)]
            rows = []
            for segment, output in zip(source, outputs, strict=True):
                prediction = round(float(generator.random()) * 5, 4)
                rows.append({"source": segment, "hypothesis": output, "prediction": prediction})
            path = tmp_path / f"{system}.{run}.txt"
            path.write_text("".join(f"{output}\n" for output in outputs))
            (tmp_path / f"x{system}{run}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
            arguments.append(str(path))
    return arguments


def scores(tmp_path: Path) -> list[str]:
    """The option that names the files with MetricX's scores."""
    return ["--scores-lower", *map(str, sorted(tmp_path.glob("x*.jsonl")))]


def mean_of(path: Path) -> float:
    """The mean of the scores in a file."""
    return float(np.mean([json.loads(line)["prediction"] for line in path.read_text().splitlines()]))


def test_reference_free_scores_are_compared_and_other_metrics_skipped_with_a_reason(
    tmp_path: Path, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    assert main(["eval", *files, *scores(tmp_path), *FEW, "--json", str(out)]) == 0
    err = capsys.readouterr().err
    assert "Skipping BLEU: " in err
    numbers = json.loads(out.read_text())
    assert numbers["settings"]["metrics"] == ["metricx", "length"]
    rows = [row for row in numbers["scores"] if row["metric"] == "metricx"]
    averages = {(row["system"], row["run"]): row["score"] for row in rows}
    expected = {}
    for system in ("base", "new"):
        for run in "01":
            expected[system, run] = mean_of(tmp_path / f"x{system}{run}.jsonl")
    assert averages == pytest.approx(expected)
    assert all(row["p_value"] is not None for row in numbers["comparisons"] if row["metric"] == "metricx")


def test_length_is_in_percent_of_the_source(tmp_path: Path, files: list[str]) -> None:
    out = tmp_path / "out.json"
    assert main(["eval", *files, "--metrics", "length", *FEW, "--json", str(out)]) == 0
    numbers = json.loads(out.read_text())
    # Seven words for six, in every segment
    assert {row["score"] for row in numbers["scores"]} == {100 * 7 / 6}
    assert numbers["signatures"]["test"]["length"].startswith("nrefs:0|")


def test_a_metric_that_is_asked_for_by_name_and_needs_references_is_refused(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", *files, "--metrics", "bleu", *FEW]) == 2
    assert "BLEU" in capsys.readouterr().err


def test_without_references_sources_and_scores_there_is_nothing_to_compute(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", *files[2:], *FEW]) != 0
    assert "Length" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "amounts"),
    [("compare", ["--resamples", "99"]), ("replicate", ["--draws", "20", "--ar-shuffles", "50"])],
    ids=["compare", "replicate"],
)
def test_the_other_commands_work(command: str, amounts: list[str], tmp_path: Path, files: list[str]) -> None:
    assert main([command, *files, *scores(tmp_path), "--metrics", "metricx", *amounts]) == 0


def test_nbest_lists_can_be_ranked_from_sources_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "list").write_text("0 ||| a cat ||| f=1 ||| -1\n1 ||| a dog ||| f=1 ||| -1\n")
    (tmp_path / "src").write_text("eine Katze\nein Hund\n")
    words = ["nbest", "--nbest", str(tmp_path / "list")]
    assert main([*words, "--source", str(tmp_path / "src")]) == 2
    errors = capsys.readouterr().err
    assert "Skipping TER: " in errors
    assert "No metric can rank" in errors
    assert main([*words, "--source", str(tmp_path / "src"), "--metrics", "bleu"]) == 2
    assert "BLEU" in capsys.readouterr().err
    assert main([*words, "--metrics", "bleu"]) == 2
    assert "--refs" in capsys.readouterr().err


def test_a_report_without_references_is_computed_again_from_its_own_files(tmp_path: Path, files: list[str]) -> None:
    package = tmp_path / "report.zip"
    again = tmp_path / "again.json"
    assert main(["report", *files, *scores(tmp_path), *FEW, "--to", str(package)]) == 0
    with zipfile.ZipFile(package) as archive:
        archive.extractall(tmp_path / "there")
        numbers = json.loads(archive.read("numbers.json"))
    description = (tmp_path / "there" / "experiment.toml").read_text()
    before_systems = description.split("[test_sets.systems")[0]
    assert "references" not in before_systems
    assert main(["run", str(tmp_path / "there" / "experiment.toml"), "--json", str(again)]) == 0
    assert json.loads(again.read_text())["scores"] == numbers["scores"]
