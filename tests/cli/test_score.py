"""Scores that several machines write, one file each, are compared elsewhere with the numbers of a single process."""

import json
from pathlib import Path
from typing import Any

import pytest

from mteval.analysis.scoring import Scored, Work, score_experiment
from mteval.analysis.summary import marked_frame
from mteval.cli import main
from mteval.metrics import resolve
from mteval.readers.named_files import ScoreFiles, load_paths
from mteval.values.settings import Settings
from tests.metrics.neural.conftest import lines
from tests.test_documented_commands import ROOT, commands

TEXTS = {
    "src": "source.test.txt",
    "ref": "reference.test.txt",
    "base/opt0": "baseline/test.opt00.txt",
    "base/opt1": "baseline/test.opt02.txt",
    "new/opt0": "reordering/test.opt01.txt",
    "new/opt1": "reordering/test.opt03.txt",
}
SYSTEMS = {"base": ["base/opt0.txt", "base/opt1.txt"], "new": ["new/opt0.txt", "new/opt1.txt"]}
COMPARED = ["--source", "src.txt", "--refs", "ref.txt"]
COMPARED += ["--system", "base", *SYSTEMS["base"], "--system", "new", *SYSTEMS["new"]]
OF_ORIGIN = ("metric", "metric_name", "n_given")
FEW = ["--boot-samples", "50", "--ar-shuffles", "200"]
DOCUMENTED = [words for words in commands(ROOT / "docs" / "given-scores.md") if {"base.csv", "new.csv"} & set(words)]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outputs, references and sources in the working folder."""
    for name, sample in TEXTS.items():
        path = tmp_path / f"{name}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines(sample)) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def numbers(path: str, metric: str) -> dict[str, Any]:
    """All rows about one metric, but where its scores come from; components of scores do not travel."""
    frames = json.loads(Path(path).read_text(encoding="utf-8"))
    rows = {
        name: [{column: cell for column, cell in row.items() if column not in OF_ORIGIN} for row in rows]
        for name, frame in frames.items()
        if isinstance(frame, list)
        and name != "parts"
        and (rows := [row for row in frame if row.get("metric") == metric])
    }
    assert {"scores", "summary", "comparisons"} <= rows.keys()
    return rows


def test_files_of_two_machines_give_the_numbers_of_one_process(
    files: None, tiny_models: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model = str(tiny_models / "regression")
    monkeypatch.setenv("MTEVAL_CACHE", "together")
    asked = ["--metrics", "comet", "bleu", "--comet.checkpoint", model, "--json", "together.json"]
    assert main(["eval", *COMPARED, *FEW, *asked]) == 0
    on_base, on_new, comparing = DOCUMENTED
    for words in (on_base, on_new):
        capsys.readouterr()
        monkeypatch.setenv("MTEVAL_CACHE", f"machine of {words[-1]}")
        assert main([model if word.startswith("/models/") else word for word in words]) == 0
        told = capsys.readouterr().err
        assert "Signature of COMET: model:" in told
        assert f"--scores-higher {words[-1]}" in told
    monkeypatch.setenv("MTEVAL_CACHE", "where they are compared")
    assert main([*comparing, *FEW, "--json", "apart.json"]) == 0
    assert numbers("apart.json", "comet-given") == numbers("together.json", "comet")
    assert numbers("apart.json", "bleu") == numbers("together.json", "bleu")


@pytest.mark.parametrize(
    ("metrics", "words"),
    [
        (["bleu", "ter"], "cannot carry BLEU and TER"),
        (["old", "errors"], "Higher is better for old, lower for errors. Write one file for each direction."),
    ],
)
def test_what_a_file_of_segment_scores_cannot_carry_is_refused(
    metrics: list[str], words: str, files: None, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"{system},{run},{run / 7}" for system in SYSTEMS for run in (0, 1) for _ in lines("source.test.txt")]
    for name in ("old", "errors"):
        Path(f"{name}.csv").write_text("\n".join(["system,run,score", *rows]) + "\n", encoding="utf-8")
    given = ["--scores-higher", "old.csv", "--scores-lower", "errors.csv"]
    assert main(["score", *COMPARED, *given, "--metrics", *metrics, "--csv", "out.csv"]) == 2
    assert words in capsys.readouterr().err
    assert not Path("out.csv").exists()


def test_marked_errors_travel_with_the_scores(files: None, tiny_models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTEVAL_COMET", str(tiny_models / "xcomet"))
    assert main(["score", *COMPARED, "--metrics", "comet", "--csv", "both.csv"]) == 0
    (computed,) = scored("comet", ScoreFiles((), ()))
    (given,) = scored("comet-given", ScoreFiles((Path("both.csv"),), (), ("comet",)))
    marked = marked_frame(computed).drop(columns="metric")
    assert len(marked) > 10
    assert (
        marked_frame(given).drop(columns="metric").drop(columns="confidence").equals(marked.drop(columns="confidence"))
    )
    assert marked_frame(given)["confidence"].tolist() == pytest.approx(marked["confidence"].tolist(), abs=0)


def scored(metric: str, scores: ScoreFiles) -> tuple[Scored, ...]:
    """A metric of all systems, computed or given."""
    systems = {system: list(map(Path, outputs)) for system, outputs in SYSTEMS.items()}
    source = [(Path("src.txt"), "source")]
    experiment = load_paths([Path("ref.txt")], systems, baseline="base", more=source, scores=scores).experiment
    return score_experiment(experiment, resolve(Settings((metric,)), experiment.given), Work())
