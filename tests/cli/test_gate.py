"""``mteval gate``: exit status, files for CI servers, history."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from junitparser import Failure, JUnitXml, Skipped

import mteval
from benchmarks import gate_action
from mteval.cli import main
from mteval.library import configured_library
from tests.conftest import ROOT

N_SEGMENTS = 120
STATUS = {"new": 0, "bad": 1, "near": 3}  # of a candidate that may be 2 points worse


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """References, and runs of a baseline and of a better, a worse and a similar system, as texts and as scores."""
    place, generator = tmp_path_factory.mktemp("gate"), np.random.default_rng(5)
    words = [f"word{number}" for number in range(12)]
    references = [list(generator.permutation(words)) for _ in range(N_SEGMENTS)]
    (place / "ref").write_text("".join(" ".join(line) + "\n" for line in references))
    (place / "docs").write_text("".join(f"d{line // 6}\n" for line in range(N_SEGMENTS)))
    rows = ["system\trun\tsegment\tscore"]
    for system, loss in (("old", 0.2), ("new", 0.1), ("bad", 0.4), ("near", 0.2)):
        for run in range(3):
            own = loss + (0.01 * run if system in ("old", "near") else 0)
            kept = [[word for word in line if generator.random() > own] for line in references]
            (place / f"{system}.{run}").write_text("".join(" ".join(line) + "\n" for line in kept))
            rows += [f"{system}\t{run}\t{number}\t{100 * len(line) / 12}" for number, line in enumerate(kept, start=1)]
    (place / "kept.tsv").write_text("\n".join(rows) + "\n")
    return place


def words_for(folder: Path, candidate: str, *runs: int, old: int = 3) -> list[str]:
    """The command on texts."""
    files = {name: [str(folder / f"{name}.{run}") for run in numbers]
             for name, numbers in (("old", range(old)), (candidate, runs or range(3)))}  # fmt: skip
    return ["gate", "--refs", str(folder / "ref"), "--baseline", *files["old"], "--candidate", *files[candidate]]


@pytest.mark.parametrize(("candidate", "status"), STATUS.items())
def test_a_candidate_passes_fails_or_has_no_verdict_in_every_form(
    folder: Path, tmp_path: Path, candidate: str, status: int, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    (tmp_path / "summary.md").write_text("before\n")
    margin = ["--worse-by", "0.01" if candidate == "near" else "2", "--junit", str(tmp_path / "gate.xml")]
    asked = [*words_for(folder, candidate), "--metrics", "bleu", "ter", *margin, "--json", str(tmp_path / "gate.json")]
    assert main(asked) == status
    printed, numbers = capsys.readouterr().out, json.loads((tmp_path / "gate.json").read_text())
    assert numbers["format_version"] == 1
    assert numbers["status"] == status
    assert f"Gate: {numbers['outcome']}." in printed
    (suite,) = JUnitXml.fromfile(str(tmp_path / "gate.xml"))
    assert [case.name for case in suite] == ["BLEU", "TER"]
    kinds = {0: [], 1: [Failure], 3: [Skipped]}[status]
    assert all([type(one) for one in case.result] == kinds for case in suite)
    assert suite.tests == 2
    assert suite.failures + suite.skipped == 2 * bool(status)
    summary = (tmp_path / "summary.md").read_text()
    assert summary.startswith("before\n###")
    assert numbers["outcome"] in summary
    if status == 3:
        assert all("settle it" in case.result[0].message for case in suite)


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["--better-by", "1"], 0),
        (["--better-by", "90"], 1),
        ([], 0),  # better
        (["--metrics", "bleu", "chrf", "--better-by", "bleu=1", "--worse-by", "chrf=1"], 0),
        (["--metrics", "bleu", "chrf", "--better-by", "bleu=90", "chrf=1"], 1),
        (["--metrics", "bleu", "chrf", "--better-by", "bleu=90", "chrf=1", "--any"], 0),
        (["--strict", "--worse-by", "1", "--confidence", "0.99"], 0),
        (["--design", "released", "--worse-by", "1"], 0),
        (["--documents", "docs", "--worse-by", "1"], 0),
        (["--metrics", "length"], 2),
        (["--worse-by", "1", "--better-by", "1"], 2),
        (["--metrics", "bleu", "chrf", "--worse-by", "bleu=1"], 2),
        (["--worse-by", "ter=1"], 2),
        (["--worse-by", "much"], 2),
        (["--worse-by", "-1"], 2),
    ],
)
def test_margins_decide_by_metric(folder: Path, words: list[str], status: int, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    assert main([*words_for(folder, "new"), *words]) == status


@pytest.mark.parametrize("option", ["--worse-by", "--better-by"])
@pytest.mark.parametrize(
    "word", ["1e999", "inf", "nan", "-1", "-1e999", "much", "bleu=", "bleu=nan", "bleu=1e999", "="]
)
def test_a_margin_that_is_none_is_named_with_its_option(folder: Path, capsys, option: str, word: str) -> None:
    assert main([*words_for(folder, "new"), f"{option}={word}"]) == 2
    said = capsys.readouterr().err
    assert said == f"mteval: {option} is '{word}'; expected 0 or more points, such as 0.3, or of one metric bleu=0.3.\n"


def test_a_single_candidate_run_is_tested_against_three_or_more(folder: Path, capsys) -> None:
    assert main([*words_for(folder, "new", 0), "--worse-by", "1"]) == 0
    assert "single run is assumed to vary as the runs of" in capsys.readouterr().out
    for candidate in ("new", "bad"):
        assert main([*words_for(folder, candidate, 0, old=2), "--worse-by", "1"]) == 3
        assert "needs a baseline with at least 3 runs" in capsys.readouterr().out


def test_given_scores_name_the_systems(folder: Path, capsys) -> None:
    asked = ["gate", "--scores-higher", str(folder / "kept.tsv"), "--baseline", "old", "--worse-by", "1"]
    assert main(asked) == 2
    assert "bad, near, new" in capsys.readouterr().err
    assert [main([*asked, "--candidate", one]) for one in STATUS][:2] == [0, 1]


@pytest.mark.parametrize("place", ["history/", "release"])
def test_a_history_keeps_candidates_that_pass(folder: Path, tmp_path: Path, place: str, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MTEVAL_HOME", str(tmp_path / "home"))

    def n_runs() -> int:
        assert main(["gate", "--history", place, "--candidate", str(folder / "bad.1"), "--json", "gate.json",
                     "--worse-by", "2"]) == 1  # fmt: skip
        return json.loads(Path("gate.json").read_text())["gate"][0]["n_runs"][0]

    assert main([*words_for(folder, "near", 0), "--worse-by", "20", "--history", place]) == 0
    assert n_runs() == 4
    assert main(["gate", "--history", place, "--candidate", str(folder / "near.1"), "--worse-by", "20"]) == 0
    assert n_runs() == 5
    assert main(["gate", "--history", place, "--refs", str(folder / "ref"), "--candidate", "x"]) == 2
    assert len(configured_library().listed()) == (place == "release")


def test_a_history_is_not_written_over_an_output_that_was_read(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # The history keeps the baseline's old.0 as inputs/old.0, where the candidate's output is
    monkeypatch.chdir(tmp_path)
    Path("inputs").mkdir()
    candidate = Path("inputs/old.0")
    shutil.copy(folder / "near.0", candidate)
    words = [*words_for(folder, "near", 0)[:-1], str(candidate), "--worse-by", "20"]
    assert main([*words, "--history", "./"]) == 2
    assert "Cannot write inputs/old.0: this command reads it. Nothing was written." in capsys.readouterr().err
    assert candidate.read_bytes() == (folder / "near.0").read_bytes()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / candidate]
    # A file that the history has kept already may be its next candidate
    assert main([*words, "--history", "kept/"]) == 0
    assert main(["gate", "--history", "kept/", "--candidate", "kept/inputs/old.1", "--worse-by", "20"]) == 0


def test_language_pairs_decide_by_their_mean_or_each(folder: Path, tmp_path: Path, capsys) -> None:
    for pair, candidate in (("de-en", "new"), ("fr-en", "near")):
        (tmp_path / pair).mkdir()
        for name in ("ref", *(f"{one}.{run}" for one in ("old", candidate) for run in range(3))):
            shutil.copy(folder / name, tmp_path / pair / name)
        runs = "".join(
            f"[test_sets.systems.{one}]\n" + "".join(f'{run} = "{file}.{run}"\n' for run in range(3))
            for one, file in (("old", "old"), ("new", candidate))
        )
        sets = f'[[test_sets]]\nname = "{pair}"\nrole = "test"\nreferences = ["ref"]\n{runs}'
        described = f'format = 1\nbaseline = "old"\n[settings]\nmetrics = ["bleu", "chrf"]\n{sets}'
        (tmp_path / pair / "experiment.toml").write_text(described)
    asked = ["gate", *(str(tmp_path / pair / "experiment.toml") for pair in ("de-en", "fr-en")), "--runs", "separate"]
    assert main([*asked, "--better-by", "0.5"]) == 0
    assert "BLEU" in capsys.readouterr().out
    assert main([*asked, "--better-by", "0.5", "--each", "--junit", str(tmp_path / "gate.xml")]) == 3
    (suite,) = JUnitXml.fromfile(str(tmp_path / "gate.xml"))
    assert [case.name for case in suite] == ["BLEU on de-en", "BLEU on fr-en", "chrF on de-en", "chrF on fr-en"]
    assert main([*asked, "--strict"]) == 2


def test_warnings_about_the_data_are_in_every_file(folder: Path, tmp_path: Path, capsys) -> None:
    lines = (folder / "new.0").read_text().splitlines()
    (tmp_path / "half").write_text("".join(f"{line}\n" if place % 2 else "\n" for place, line in enumerate(lines)))
    names = {"--junit": "gate.xml", "--json": "gate.json", "--summary": "gate.md"}
    files = [word for option, name in names.items() for word in (option, str(tmp_path / name))]
    asked = words_for(folder, "new", 0)[:-1]
    assert main([*asked, str(tmp_path / "half"), "--worse-by", "1", *files]) == 1
    warning = "Empty hypotheses"
    assert all(warning in (tmp_path / name).read_text() for name in names.values())
    assert warning in capsys.readouterr().out


def test_python_and_pytest_give_the_answer_of_the_command(folder: Path, tmp_path: Path, capsys) -> None:
    runs = {name: [str(folder / f"{name}.{run}") for run in range(3)] for name in ("old", "new", "bad", "near")}
    found = mteval.compare({name: runs[name] for name in ("old", "new")}, str(folder / "ref"), "bleu", n_shuffles=100)
    gate = mteval.gate(found, worse_by={"bleu": 2})
    assert main([*words_for(folder, "new"), "--worse-by", "2", "--format", "json"]) == 0
    printed, asked = (json.loads(text)["gate"] for text in (capsys.readouterr().out, gate.to_json()))
    names = {"baseline": "old", "candidate": "new"}
    assert [one | names for one in printed] == asked
    (tmp_path / "test_release.py").write_text(
        f"import mteval, pytest\nRUNS = {runs!r}\n"
        "@pytest.mark.parametrize(('name', 'margin'), [('new', 2), ('bad', 2), ('near', 0.01)])\n"
        "def test_release(mteval_gate, name, margin):\n"
        f"    both = {{one: RUNS[one] for one in ('old', name)}}\n"
        f"    mteval_gate(mteval.compare(both, {str(folder / 'ref')!r}, 'bleu', n_shuffles=100), worse_by=margin)\n"
    )
    command = [sys.executable, "-m", "pytest", "-p", "mteval.interface.pytest_plugin", "-rs", str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    said = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert "1 failed, 1 passed, 1 skipped" in said.stdout
    assert "settle it" in said.stdout


@pytest.mark.parametrize(("candidate", "let_through", "status"), [
    ("new", "fail", 0), ("bad", "fail", 1), ("near", "fail", 3), ("near", "pass", 0),
])  # fmt: skip
def test_the_action_s_step_ends_as_the_gate_does(
    folder: Path, tmp_path: Path, candidate: str, let_through: str, status: int
) -> None:
    shim = tmp_path / "mteval"
    shim.write_text(f'#!/bin/sh\nexec {sys.executable} -m mteval "$@"\n')
    shim.chmod(0o755)
    *_, (_, script) = gate_action.steps()
    margin = "0.01" if candidate == "near" else "2"
    environment = os.environ | {
        "ARGUMENTS": f"--refs ref --baseline old.* --candidate {candidate}.* --worse-by {margin}", "JUNIT": "out.xml",
        "JSON": "out.json", "NO_VERDICT": let_through, "GITHUB_OUTPUT": str(tmp_path / "output"),
        "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT),
    }  # fmt: skip
    shutil.copytree(folder, tmp_path / "work")
    done = subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=tmp_path / "work", env=environment)
    assert done.returncode == status
    outcome = {"new": "pass", "bad": "fail", "near": "no verdict"}[candidate]
    assert (tmp_path / "output").read_text() == f"outcome={outcome}\n"
    assert (tmp_path / "work" / "out.xml").exists()
