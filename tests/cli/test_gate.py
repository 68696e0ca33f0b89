"""``mteval gate``: exit status, files for CI servers, history."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from junitparser import Failure, JUnitXml, Skipped
from scipy import stats

import mteval
from benchmarks import gate_action
from mteval.cli import main
from mteval.library import configured_library
from tests.conftest import ROOT

N_SEGMENTS = 120
STATUS = {"new": 0, "bad": 1, "near": 3}  # of a candidate that may be 1 or 2 points worse


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """References, and runs of a baseline and of a better, a worse and a similar system, as texts and as scores."""
    folder = tmp_path_factory.mktemp("gate")
    generator = np.random.default_rng(5)
    words = [f"word{number}" for number in range(12)]
    references = [list(generator.permutation(words)) for _ in range(N_SEGMENTS)]
    (folder / "ref").write_text(text_of(references))
    (folder / "docs").write_text("".join(f"d{segment // 6}\n" for segment in range(N_SEGMENTS)))

    rows = ["system\trun\tsegment\tscore"]
    for system, loss in (("old", 0.2), ("new", 0.1), ("bad", 0.4), ("near", 0.2)):
        for run in range(3):
            # Of the two similar systems, later runs lose a little more.
            loss_of_run = loss + 0.01 * run if system in ("old", "near") else loss
            outputs = []
            for reference in references:
                outputs.append([word for word in reference if generator.random() > loss_of_run])
            (folder / f"{system}.{run}").write_text(text_of(outputs))
            for number, output in enumerate(outputs, start=1):
                rows.append(f"{system}\t{run}\t{number}\t{100 * len(output) / 12}")
    (folder / "kept.tsv").write_text("\n".join(rows) + "\n")
    return folder


def text_of(segments: list[list[str]]) -> str:
    """The text of a file with a line for each list of words."""
    return "".join(" ".join(words) + "\n" for words in segments)


def files_of(folder: Path, system: str, runs: Iterable[int] = range(3)) -> list[str]:
    """The files of some runs of a system."""
    return [str(folder / f"{system}.{run}") for run in runs]


def words_for(folder: Path, candidate: str, *runs: int, old: int = 3) -> list[str]:
    """The command on texts: some runs of the candidate, or all, and the first runs of the old system."""
    baseline_files = files_of(folder, "old", range(old))
    candidate_files = files_of(folder, candidate, runs or range(3))
    return ["gate", "--refs", str(folder / "ref"), "--baseline", *baseline_files, "--candidate", *candidate_files]


@pytest.mark.parametrize(("candidate", "status"), STATUS.items())
def test_a_candidate_passes_fails_or_has_no_verdict_in_every_form(
    folder: Path, tmp_path: Path, candidate: str, status: int, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    (tmp_path / "summary.md").write_text("before\n")
    junit = tmp_path / "gate.xml"
    json_file = tmp_path / "gate.json"
    margin = "0.01" if candidate == "near" else "2"
    options = ["--metrics", "bleu", "ter", "--worse-by", margin, "--junit", str(junit), "--json", str(json_file)]

    assert main([*words_for(folder, candidate), *options]) == status

    printed = capsys.readouterr().out
    numbers = json.loads(json_file.read_text())
    assert numbers["format_version"] == 1
    assert numbers["status"] == status
    assert f"Gate: {numbers['outcome']}." in printed
    (suite,) = JUnitXml.fromfile(str(junit))
    assert [case.name for case in suite] == ["BLEU", "TER"]
    kinds = {0: [], 1: [Failure], 3: [Skipped]}[status]
    for case in suite:
        assert [type(result) for result in case.result] == kinds
    assert suite.tests == 2
    assert suite.failures + suite.skipped == (0 if status == 0 else 2)
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
        (["--worse-by", "people:60%"], 0),
        (["--better-by", "people:80%"], 0),
        (["--metrics", "bleu", "ter", "--worse-by", "bleu=people:60%", "ter=1"], 0),
        (["--better-by", "people:90%"], 2),  # the curve of BLEU ends at 88%
        (["--better-by", "people:50%"], 2),
        (["--metrics", "ter", "--worse-by", "people:60%"], 2),
    ],
)
def test_margins_decide_by_metric(folder: Path, words: list[str], status: int, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    assert main([*words_for(folder, "new"), *words]) == status


@pytest.mark.parametrize("option", ["--worse-by", "--better-by"])
@pytest.mark.parametrize(
    "word",
    [
        "1e999",
        "inf",
        "nan",
        "-1",
        "-1e999",
        "much",
        "bleu=",
        "bleu=nan",
        "bleu=1e999",
        "=",
        "people:60",
        "people:",
        "people:-1%",
    ],
)
def test_a_margin_that_is_none_is_named_with_its_option(folder: Path, capsys, option: str, word: str) -> None:
    assert main([*words_for(folder, "new"), f"{option}={word}"]) == 2
    expected = f"{option} is '{word}'; expected 0 or more points, such as 0.3, of one metric bleu=0.3, or people:60%."
    assert capsys.readouterr().err == f"mteval: {expected}\n"


def test_a_margin_in_peoples_terms_is_the_difference_of_the_published_curve(folder: Path, capsys, tmp_path) -> None:
    report = tmp_path / "gate.json"
    assert main([*words_for(folder, "new"), "--worse-by", "people:60%", "--json", str(report)]) == 0
    out = capsys.readouterr().out
    assert "BLEU: pass, not worse by 0.776 points (people:60%): " in out  # mt-thresholds bleu 60 --delta
    (row,) = json.loads(report.read_text())["gate"]
    share = 100 * row["share_of_pairs"]
    assert f"People elsewhere preferred the better-scored system in {share:.0f}% of pairs of systems with" in out
    assert row["bound"] == pytest.approx(-0.7764, abs=1e-4)


def test_a_single_candidate_run_is_tested_against_three_or_more(folder: Path, capsys) -> None:
    assert main([*words_for(folder, "new", 0), "--worse-by", "1"]) == 0
    assert "single run is assumed to vary as the runs of" in capsys.readouterr().out
    for candidate in ("new", "bad"):
        assert main([*words_for(folder, candidate, 0, old=2), "--worse-by", "1"]) == 3
        assert "needs a baseline with at least 3 runs" in capsys.readouterr().out


def test_few_documents_are_named_with_what_they_can_hide(folder: Path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    assert main([*words_for(folder, "new"), "--documents", "docs", "--worse-by", "1"]) == 0
    assert re.search(r"With \d+ documents, a loss in a few of them can go unnoticed", capsys.readouterr().out)
    assert main([*words_for(folder, "new"), "--worse-by", "1"]) == 0
    assert "a loss in a few of them" not in capsys.readouterr().out


def test_given_scores_name_the_systems(folder: Path, capsys) -> None:
    command = ["gate", "--scores-higher", str(folder / "kept.tsv"), "--baseline", "old", "--worse-by", "1"]
    assert main(command) == 2
    assert "bad, near, new" in capsys.readouterr().err
    status_of = {candidate: main([*command, "--candidate", candidate]) for candidate in STATUS}
    assert status_of == STATUS


@pytest.mark.parametrize("place", ["history/", "release"])
def test_a_history_keeps_candidates_that_pass(folder: Path, tmp_path: Path, place: str, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MTEVAL_HOME", str(tmp_path / "home"))

    def n_runs_kept() -> int:
        """How many runs a candidate that fails is compared with."""
        words = ["--candidate", str(folder / "bad.1"), "--json", "gate.json", "--worse-by", "2"]
        assert main(["gate", "--history", place, *words]) == 1
        return json.loads(Path("gate.json").read_text())["gate"][0]["n_runs"][0]

    assert main([*words_for(folder, "near", 0), "--worse-by", "20", "--history", place]) == 0
    assert n_runs_kept() == 4
    assert main(["gate", "--history", place, "--candidate", str(folder / "near.1"), "--worse-by", "20"]) == 0
    assert n_runs_kept() == 5
    assert main(["gate", "--history", place, "--refs", str(folder / "ref"), "--candidate", "x"]) == 2
    n_in_library = 1 if place == "release" else 0
    assert len(configured_library().listed()) == n_in_library


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


def test_numbers_are_not_written_where_the_history_keeps_the_candidate(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*words_for(folder, "near", 0), "--worse-by", "20", "--history", "kept/"]) == 0
    files_before = set(Path("kept").rglob("*"))
    shutil.copytree("kept", "copy")
    candidate = ["--candidate", str(folder / "near.1"), "--worse-by", "20"]
    assert main(["gate", "--history", "copy/", *candidate]) == 0
    (new,) = (path for path in Path("copy").rglob("*") if Path("kept", path.relative_to("copy")) not in files_before)
    new = Path("kept", new.relative_to("copy"))
    capsys.readouterr()
    assert main(["gate", "--history", "kept/", *candidate, "--json", str(new)]) == 2
    assert f"Cannot write {new}: this command keeps another file there." in capsys.readouterr().err
    assert set(Path("kept").rglob("*")) == files_before


def described(folder: Path, place: Path, name: str, candidate: str, role: str = "test", more: str = "") -> str:
    """An experiment file of one test set beside its files."""
    place.mkdir()
    for file in ("ref", "docs", *(f"{system}.{run}" for system in ("old", candidate) for run in range(3))):
        shutil.copy(folder / file, place / file)
    runs = "".join(
        f"[test_sets.systems.{system}]\n" + "".join(f'{run} = "{file}.{run}"\n' for run in range(3))
        for system, file in (("old", "old"), ("new", candidate))
    )
    sets = f'[[test_sets]]\nname = "{name}"\nrole = "{role}"\nreferences = ["ref"]\n{more}{runs}'
    text = f'format = 1\nbaseline = "old"\n[settings]\nmetrics = ["bleu", "chrf"]\n{sets}'
    (place / "experiment.toml").write_text(text)
    return str(place / "experiment.toml")


def test_experiments_with_tuning_sets_alone_name_the_remedy(folder: Path, tmp_path: Path, capsys) -> None:
    files = [described(folder, tmp_path / pair, pair, "new", role="dev") for pair in ("de-en", "fr-en")]
    for asked in (["gate", *files], ["gate", files[0]]):
        assert main([*asked, "--runs", "separate"]) == 2
        said = capsys.readouterr().err
        assert said.endswith("mteval: All test sets have role dev. Name those to test with --test-sets.\n")
    assert main(["claim", *files, "--runs", "separate"]) == 2
    assert "A claim needs two or more test sets; found none." in capsys.readouterr().err
    assert main(["gate", *files, "--runs", "separate", "--test-sets", "de-en", "--better-by", "0.5"]) == 0


def test_a_mean_over_segments_and_documents_counts_both(folder: Path, tmp_path: Path, capsys) -> None:
    whole = described(folder, tmp_path / "de-en", "de-en", "near")
    in_documents = described(folder, tmp_path / "fr-en", "fr-en", "near", more='documents = "docs"\n')
    json_file = tmp_path / "gate.json"
    asked = ["--runs", "separate", "--worse-by", "2", "--json", str(json_file)]
    assert main(["gate", whole, in_documents, *asked]) == 3
    printed = " ".join(capsys.readouterr().out.split())
    assert "Units: 120 segments and 20 documents." in printed
    assert "140 units" in printed
    assert "documents instead" not in printed
    assert "140 documents" not in printed
    assert {(row["n_units"], row["unit"]) for row in json.loads(json_file.read_text())["gate"]} == {(140, "unit")}
    assert main(["gate", in_documents, *asked]) in (0, 3)
    printed = capsys.readouterr().out
    assert "20 documents" in printed
    assert "Units:" not in printed


def test_language_pairs_decide_by_their_mean_or_each(folder: Path, tmp_path: Path, capsys) -> None:
    pairs = [
        described(folder, tmp_path / "de-en", "de-en", candidate="new"),
        described(folder, tmp_path / "fr-en", "fr-en", candidate="near"),
    ]
    command = ["gate", *pairs, "--runs", "separate"]
    assert main([*command, "--better-by", "0.5"]) == 0
    assert "BLEU" in capsys.readouterr().out
    assert main([*command, "--better-by", "0.5", "--each", "--junit", str(tmp_path / "gate.xml")]) == 3
    (suite,) = JUnitXml.fromfile(str(tmp_path / "gate.xml"))
    assert [case.name for case in suite] == ["BLEU on de-en", "BLEU on fr-en", "chrF on de-en", "chrF on fr-en"]
    assert main([*command, "--strict"]) == 2


def test_warnings_about_the_data_are_in_every_file(folder: Path, tmp_path: Path, capsys) -> None:
    # Every second output is empty.
    lines = (folder / "new.0").read_text().splitlines()
    lines[::2] = [""] * len(lines[::2])
    half = tmp_path / "half"
    half.write_text("".join(f"{line}\n" for line in lines))
    files = {"--junit": tmp_path / "gate.xml", "--json": tmp_path / "gate.json", "--summary": tmp_path / "gate.md"}
    options = []
    for option, file in files.items():
        options += [option, str(file)]
    command_without_candidate = words_for(folder, "new", 0)[:-1]

    assert main([*command_without_candidate, str(half), "--worse-by", "1", *options]) == 1

    warning = "Empty hypotheses"
    for file in files.values():
        assert warning in file.read_text()
    assert warning in capsys.readouterr().out


def test_warnings_about_systems_that_are_not_tested_are_left_out(folder: Path, tmp_path: Path, capsys) -> None:
    shutil.copy(folder / "ref", tmp_path / "ref.txt")
    for system in ("old", "new", "bad"):
        for run in range(3):
            lines = (folder / f"{system}.{run}").read_text().splitlines()
            if system == "bad":
                lines[::2] = [""] * len(lines[::2])  # every second output is empty
            (tmp_path / f"{system}.{run}.txt").write_text("".join(f"{line}\n" for line in lines))
    command = ["gate", "--files", str(tmp_path), "--baseline", "old", "--worse-by", "2", "--candidate"]

    assert main([*command, "new"]) == 0
    assert "Empty hypotheses" not in capsys.readouterr().out
    assert main([*command, "bad"]) == 1
    assert "Empty hypotheses" in capsys.readouterr().out


def test_python_and_pytest_give_the_answer_of_the_command(folder: Path, tmp_path: Path, capsys) -> None:
    references = str(folder / "ref")
    runs = {system: files_of(folder, system) for system in ("old", "new", "bad", "near")}
    comparison = mteval.compare({"old": runs["old"], "new": runs["new"]}, references, "bleu")
    gate = mteval.gate(comparison, worse_by={"bleu": 2})
    assert main([*words_for(folder, "new"), "--worse-by", "2", "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)["gate"]
    # The command has files and no names of systems.
    names = {"baseline": "old", "candidate": "new"}
    assert [row | names for row in printed] == json.loads(gate.to_json())["gate"]

    (tmp_path / "test_release.py").write_text(
        f"import mteval, pytest\nRUNS = {runs!r}\n"
        "@pytest.mark.parametrize(('name', 'margin'), [('new', 2), ('bad', 2), ('near', 0.01)])\n"
        "def test_release(mteval_gate, name, margin):\n"
        "    pair = {'old': RUNS['old'], name: RUNS[name]}\n"
        f"    mteval_gate(mteval.compare(pair, {references!r}, 'bleu', n_shuffles=100), worse_by=margin)\n"
    )
    command = [sys.executable, "-m", "pytest", "-p", "mteval.interface.pytest_plugin", "-rs", str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    tested = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert "1 failed, 1 passed, 1 skipped" in tested.stdout
    assert "settle it" in tested.stdout


@pytest.mark.parametrize(
    ("candidate", "let_through", "status"),
    [
        ("new", "fail", 0),
        ("bad", "fail", 1),
        ("near", "fail", 3),
        ("near", "pass", 0),
    ],
)
def test_the_action_s_step_ends_as_the_gate_does(
    folder: Path, tmp_path: Path, candidate: str, let_through: str, status: int
) -> None:
    shim = tmp_path / "mteval"
    shim.write_text(f'#!/bin/sh\nexec {sys.executable} -m mteval "$@"\n')
    shim.chmod(0o755)
    *_, (_, script) = gate_action.steps()
    margin = "0.01" if candidate == "near" else "2"
    environment = os.environ | {
        "ARGUMENTS": f"--refs ref --baseline old.* --candidate {candidate}.* --worse-by {margin}",
        "JUNIT": "out.xml",
        "JSON": "out.json",
        "NO_VERDICT": let_through,
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    shutil.copytree(folder, tmp_path / "work")
    done = subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=tmp_path / "work", env=environment)
    assert done.returncode == status
    outcome = {"new": "pass", "bad": "fail", "near": "no verdict"}[candidate]
    assert (tmp_path / "output").read_text() == f"outcome={outcome}\n"
    assert (tmp_path / "work" / "out.xml").exists()


def test_one_score_per_run_is_tested_by_welch(tmp_path: Path, capsys) -> None:
    """The oracle is SciPy's Welch test on the scores less the margin."""
    scores = {"old": [30.1, 30.4, 29.9], "new": [32.0, 32.3, 31.8]}
    rows = ["system,seed,BLEU"]
    for system, runs in scores.items():
        rows += [f"{system},{seed},{score}" for seed, score in enumerate(runs)]
    table = tmp_path / "scores.csv"
    table.write_text("\n".join(rows) + "\n")
    asked = ["gate", "--scores-higher", str(table), "--baseline", "old", "--candidate", "new", "--format", "json"]

    assert main([*asked, "--better-by", "1.7"]) == 3
    (row,) = json.loads(capsys.readouterr().out)["gate"]
    beyond_margin = np.array(scores["new"]) - 1.7
    welch = stats.ttest_ind(beyond_margin, scores["old"], equal_var=False, alternative="greater")
    assert row["p_pass"] == pytest.approx(welch.pvalue)
    assert row["low"] == pytest.approx(welch.confidence_interval(0.95).low + 1.7)
    assert "Only training luck is tested" in row["note"]

    # As many further runs as suffice if the variances stay
    error = np.sqrt(np.var(scores["old"], ddof=1) * 2 / (3 + row["remedy_runs_each"]))
    assert stats.t.ppf(0.95, 2 * (2 + row["remedy_runs_each"])) * error <= 0.2
    fewer_error = np.sqrt(np.var(scores["old"], ddof=1) * 2 / (2 + row["remedy_runs_each"]))
    assert stats.t.ppf(0.95, 2 * (1 + row["remedy_runs_each"])) * fewer_error > 0.2

    table.write_text("\n".join(row for row in rows if not row.startswith(("new,1", "new,2"))) + "\n")
    assert main(asked) == 3
    assert "only one run" in json.loads(capsys.readouterr().out)["gate"][0]["note"]
