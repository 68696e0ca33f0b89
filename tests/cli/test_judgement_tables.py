"""Tables of judgements among the files are proposed as primary metric, and are shown beside the others."""

import json
from pathlib import Path

import pytest

from mteval.cli import main

SEGMENTS = 12
RAISED = {"old": 0, "new": 20}  # what people give to each system


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two systems of a run with 12 segments, each judged by two annotators, who use their scale in their own way."""
    (tmp_path / "reference.txt").write_text("a b c d e f\n" * SEGMENTS, encoding="utf-8")
    rows = ["annotator,system,segment,adequacy"]
    for system in RAISED:
        (tmp_path / system).mkdir()
        lines = [f"a b c d e {system if n % 2 else 'f'}" for n in range(SEGMENTS)]
        (tmp_path / system / "run0.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        for annotator, start in (("ann", 10), ("bob", 50)):
            for segment in range(1, SEGMENTS + 1):
                value = start + RAISED[system] + segment * 7 % 5
                rows.append(f"{annotator},{system},{segment},{value}")
    (tmp_path / "people.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return tmp_path


def words(folder: Path, *more: str) -> list[str]:
    tests = ["--ar-shuffles", "99", "--boot-samples", "20", "--threads", "1"]
    return ["eval", "--files", str(folder), "--baseline", "old", *tests, *more]


def test_they_are_proposed_before_any_number(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words(folder)) == 0
    told = capsys.readouterr()
    assert "Adequacy (people): people's judgements, proposed as primary metric." in told.err
    assert "--primary people" in told.err


def test_people_decide_if_asked_and_stand_beside_the_metric_if_not(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words(folder, "--primary", "people", "--format", "json")) == 0
    told = capsys.readouterr()
    assert "proposed" not in told.err
    document = json.loads(told.out)
    assert document["settings"]["metrics"][0] == "human-adequacy"
    (verdict,) = [row for row in document["verdicts"] if row["metric"] == "human-adequacy"]
    assert verdict["verdict"] == "better"
    # Standardised by annotator: two equally large groups that are 20 apart are about two standard deviations apart
    assert verdict["difference"] == pytest.approx(2, abs=0.1)
    (covered,) = [row for row in document["coverage"] if row["metric"] == "human-adequacy" and row["system"] == "new"]
    assert covered["n_judgements"] == 2 * SEGMENTS

    assert main(words(folder, "--primary", "bleu", "--format", "json")) == 0
    metrics = json.loads(capsys.readouterr().out)["settings"]["metrics"]
    assert metrics[0] == "bleu"
    assert "human-adequacy" in metrics


def test_scores_by_people_in_a_file_of_their_own_are_enough(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = [f"{system}\t{raised + n}\n" for system, raised in RAISED.items() for n in range(SEGMENTS)]
    path = folder / "mqm.seg.score"
    path.write_text("".join(scores), encoding="utf-8")
    assert main(words(folder, "--scores-higher", str(path), "--primary", "people", "--format", "json")) == 0
    assert json.loads(capsys.readouterr().out)["settings"]["metrics"][0] == "mqm"
