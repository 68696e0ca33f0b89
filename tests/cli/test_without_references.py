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
    found = ["--source", str(tmp_path / "src")]
    for system in ("base", "new"):
        found += ["--system", system]
        for run in "01":
            lines = [" ".join(generator.choice(words, 7)) for _ in range(N)]
            rows = [
                {"source": one, "hypothesis": line, "prediction": round(float(generator.random()) * 5, 4)}
                for one, line in zip(source, lines, strict=True)
            ]
            (tmp_path / f"{system}.{run}.txt").write_text("".join(f"{line}\n" for line in lines))
            (tmp_path / f"x{system}{run}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
            found.append(str(tmp_path / f"{system}.{run}.txt"))
    return found


def scores(tmp_path: Path) -> list[str]:
    return ["--scores-lower", *map(str, sorted(tmp_path.glob("x*.jsonl")))]


def mean_of(path: Path) -> float:
    return float(np.mean([json.loads(line)["prediction"] for line in path.read_text().splitlines()]))


def test_reference_free_scores_are_compared_and_other_metrics_skipped_with_a_reason(
    tmp_path: Path, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    assert main(["eval", *files, *scores(tmp_path), *FEW, "--json", str(out)]) == 0
    err = capsys.readouterr().err
    assert "Skipping BLEU: " in err
    found = json.loads(out.read_text())
    assert found["settings"]["metrics"] == ["metricx", "length"]
    averages = {(row["system"], row["run"]): row["score"] for row in found["scores"] if row["metric"] == "metricx"}
    assert averages == pytest.approx(
        {(system, run): mean_of(tmp_path / f"x{system}{run}.jsonl") for system in ("base", "new") for run in "01"}
    )
    assert all(row["p_value"] is not None for row in found["comparisons"] if row["metric"] == "metricx")


def test_length_is_in_percent_of_the_source(tmp_path: Path, files: list[str]) -> None:
    out = tmp_path / "out.json"
    assert main(["eval", *files, "--metrics", "length", *FEW, "--json", str(out)]) == 0
    found = json.loads(out.read_text())
    assert {row["score"] for row in found["scores"]} == {100 * 7 / 6}
    assert found["signatures"]["test"]["length"].startswith("nrefs:0|")


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


@pytest.mark.parametrize("command", ["compare", "replicate"])
def test_the_other_commands_work(command: str, tmp_path: Path, files: list[str]) -> None:
    more = ["--draws", "20", "--ar-shuffles", "50"] if command == "replicate" else ["--resamples", "99"]
    assert main([command, *files, *scores(tmp_path), "--metrics", "metricx", *more]) == 0


def test_nbest_lists_can_be_ranked_from_sources_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "list").write_text("0 ||| a cat ||| f=1 ||| -1\n1 ||| a dog ||| f=1 ||| -1\n")
    (tmp_path / "src").write_text("eine Katze\nein Hund\n")
    words = ["nbest", "--nbest", str(tmp_path / "list")]
    assert main([*words, "--source", str(tmp_path / "src")]) == 2
    said = capsys.readouterr().err
    assert "Skipping TER: " in said
    assert "No metric can rank" in said
    assert main([*words, "--source", str(tmp_path / "src"), "--metrics", "bleu"]) == 2
    assert "BLEU" in capsys.readouterr().err
    assert main([*words, "--metrics", "bleu"]) == 2
    assert "--refs" in capsys.readouterr().err


def test_a_report_without_references_is_computed_again_from_its_own_files(tmp_path: Path, files: list[str]) -> None:
    package, again = tmp_path / "report.zip", tmp_path / "again.json"
    assert main(["report", *files, *scores(tmp_path), *FEW, "--to", str(package)]) == 0
    with zipfile.ZipFile(package) as archive:
        archive.extractall(tmp_path / "there")
        numbers = json.loads(archive.read("numbers.json"))
    assert "references" not in (tmp_path / "there" / "experiment.toml").read_text().split("[test_sets.systems")[0]
    assert main(["run", str(tmp_path / "there" / "experiment.toml"), "--json", str(again)]) == 0
    assert json.loads(again.read_text())["scores"] == numbers["scores"]
