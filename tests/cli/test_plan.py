"""A frozen plan is met, or every deviation from it is listed; what was frozen is not overwritten."""

import json
from pathlib import Path

import pytest

from mteval.cli import main

LINES = [f"a sentence number {n} of the test set" for n in range(12)]
SETTINGS = ["--metrics", "chrf", "ter", "--ar-shuffles", "100", "--boot-samples", "20"]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("ref").write_text("\n".join(LINES) + "\n")
    for name, lost in (("old", "number"), ("new", "test")):
        for run in range(3):
            Path(f"{name}{run}").write_text("\n".join(line.replace(lost, str(run)) for line in LINES) + "\n")
    words = ["plan", "--refs", "ref", "--baseline", "old", "--systems", "new", "--runs", "3", "--target", "0.5"]
    assert main([*words, *SETTINGS, "--freeze", "plan.toml"]) == 0
    return tmp_path


def words_of(system: str = "new", *more: str) -> list[str]:
    runs = [f"{name}{run}" for name in ("old", "new") for run in range(3)]
    return ["eval", "--refs", "ref", "--system", "old", *runs[:3], "--system", system, *runs[3:], *more]


def test_what_is_as_planned_says_so(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words_of(), *SETTINGS, "--plan", "plan.toml"]) == 0
    assert "As planned" in capsys.readouterr().out
    assert main(["report", *words_of()[1:], *SETTINGS, "--plan", "plan.toml", "--to", "out", "--only", "methods"]) == 0
    assert "no deviation from the plan" in next(Path("out").rglob("methods.txt")).read_text()


def test_a_plan_given_with_an_equals_sign_is_no_experiment_file(files: Path) -> None:
    report = ["report", *words_of()[1:], *SETTINGS, "--plan=plan.toml", "--to", "out", "--only", "methods"]
    assert main(report) == 0
    assert "no deviation from the plan" in next(Path("out").rglob("methods.txt")).read_text()


def test_every_deviation_is_listed_also_in_json(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = Path("plan.toml").read_text()
    Path("plan.toml").write_text(text.replace("n_runs = 3", "n_runs = 5"))
    Path("ref").write_text("\n".join(reversed(LINES)) + "\n")
    more = ["--metrics", "ter", "chrf", "--seed", "4", "--strict", "--plan", "plan.toml", "--format", "json"]
    assert main([*words_of("other"), *SETTINGS[3:], *more]) == 0
    found = " ".join(json.loads(capsys.readouterr().out)["plan"]["deviations"])
    for piece in (
        "digest",
        "ter, chrf",
        "used 4",
        "used yes",
        "missing: new",
        "not planned: other",
        "planned 5",
        "references",
    ):
        assert piece in found


def test_a_frozen_plan_is_not_overwritten_and_other_files_are_no_plans(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["plan", "--refs", "ref", "--baseline", "old", "--systems", "new", "--runs", "3", "--freeze", "plan.toml"]
    assert main(words) == 2
    assert "not overwritten" in capsys.readouterr().err
    assert main([*words_of(), *SETTINGS, "--plan", "ref"]) == 2
    assert "ref" in capsys.readouterr().err
