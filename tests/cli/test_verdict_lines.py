"""What ``eval`` says of each system, and options that stand before the command."""

import csv
import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
import sacrebleu

from mteval.cli import main
from tests.conftest import ROOT

SAMPLE = ROOT / "sample_data"
REFERENCE = SAMPLE / "reference.test.txt"
FEW = ["--boot-samples", "20", "--ar-shuffles", "50", "--threads", "1"]


def command(n_runs: int) -> list[str]:
    """The words of a command on so many runs of each system of the sample."""
    words = ["eval", "--refs", str(REFERENCE), *FEW]
    for name in ("baseline", "reordering"):
        paths = [str(SAMPLE / name / f"test.opt0{run}.txt") for run in range(n_runs)]
        words += ["--system", name, *paths]
    return words


def test_every_system_gets_a_line_with_its_verdict_or_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command(3), "--metrics", "bleu,ter", "--confidence", "0.9", "--quiet"]) == 0
    printed = capsys.readouterr().out
    assert "reordering vs baseline: no clear difference. +" in printed
    assert "90% CI" in printed
    assert "Approximate randomization" not in printed  # footnotes

    assert main([*command(1), "--metrics", "bleu"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("Training luck unknown: one run per system. Three runs per system would show") == 1
    assert "reordering vs baseline: better. +" in printed
    assert "test-set luck only). Test-set luck: ruled out (p = 0.020). People elsewhere preferred the" in printed


def test_released_models_have_one_p_and_no_trainings(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command(6), "--metrics", "bleu"]) == 0
    assert "Test-set and training luck" in capsys.readouterr().out

    assert main([*command(6), "--metrics", "bleu", "--design", "released"]) == 0
    printed = capsys.readouterr().out
    (line,) = [line for line in printed.splitlines() if line.startswith("reordering vs baseline")]
    assert "these two models" in line
    assert line.count("p = ") == 1
    assert "one training" not in printed


def test_parts_of_bleu_are_those_of_sacrebleu(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    baseline_alone = command(1)[:-3]
    words = [*baseline_alone, "--metrics", "bleu", "--convention", "sacrebleu", "-v"]
    assert main([*words, "--csv", str(tmp_path / "scores.csv"), "--json", str(tmp_path / "numbers.json")]) == 0
    printed = capsys.readouterr().out
    lines = (SAMPLE / "baseline" / "test.opt00.txt").read_text(encoding="utf-8").splitlines()
    peer = sacrebleu.corpus_bleu(lines, [REFERENCE.read_text(encoding="utf-8").splitlines()])
    (row,) = csv.DictReader((tmp_path / "scores.csv").read_text(encoding="utf-8").splitlines())
    parts = [float(row[name]) for name in ("p1", "p2", "p3", "p4", "bp", "hyp_len", "ref_len")]
    assert parts == pytest.approx([*peer.precisions, peer.bp, peer.sys_len, peer.ref_len])
    assert f"hyp_len {peer.sys_len:,}" in printed
    numbers = json.loads((tmp_path / "numbers.json").read_text(encoding="utf-8"))
    (interval,) = numbers["intervals"]
    assert interval["mean"] == pytest.approx(peer.score)
    assert interval["low"] < interval["mean"] < interval["high"]
    assert numbers["format_version"] == 1


def test_json_and_options_before_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--quiet", *command(3), "--metrics", "length", "--format", "json"]) == 0
    (verdict,) = json.loads(capsys.readouterr().out)["verdicts"]
    assert verdict["verdict"] in ("higher", "lower")
    assert verdict["reason"] == ""
    with pytest.raises(SystemExit):
        main(["--foo", "eval"])
    assert "unrecognized arguments: --foo" in capsys.readouterr().err
    assert main(["eval", "--refs", str(REFERENCE), "--hyps-sys1", str(REFERENCE)]) == 2
    assert "--hyps-sys1 needs a baseline" in capsys.readouterr().err


@pytest.mark.parametrize("column", ["item", "id", "question_id", "segment"])
def test_score_tables_name_items_as_benchmarks_do(
    column: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"system,seed,{column},accuracy"]
    for system, run, item in product("AB", range(2), range(4)):
        rows.append(f"{system},{run},q{item},{item % 2}")
    (tmp_path / "t.csv").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    assert main(["eval", "--scores-higher", str(tmp_path / "t.csv"), *FEW]) == 0
    assert "accuracy" in capsys.readouterr().out


@pytest.mark.parametrize("source", ["test.he", "input.txt"])
def test_a_source_in_a_flat_folder_is_not_a_system(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("ref.en", "one.en", "two.en"):
        (tmp_path / name).write_text("the cat sat on the mat near the door\n" * 4, encoding="utf-8")
    (tmp_path / source).write_text("החתול ישב על השטיח ליד הדלת של הבית\n" * 4, encoding="utf-8")
    assert main(["eval", "--files", str(tmp_path), "--metrics", "length", "--format", "tsv", *FEW]) == 0
    _, *rows = capsys.readouterr().out.splitlines()
    assert {row.split("\t")[2] for row in rows} == {"one", "two"}


def test_completion_knows_the_options_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "argcomplete.py").write_text(
        "def autocomplete(parser):\n    import sys\n    commands = parser._subparsers._group_actions[0].choices\n"
        "    print(*commands['eval']._option_string_actions)\n    sys.exit()\n",
        encoding="utf-8",
    )
    request = {"_ARGCOMPLETE": "1", "COMP_LINE": "mteval eval --hyps-sys2 x --", "PYTHONPATH": str(tmp_path)}
    environment = {**os.environ, **request}
    words = [sys.executable, "-m", "mteval"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True, cwd=ROOT)
    assert {"--metrics", "--hyps-sys2", "--confidence"} <= set(done.stdout.split())
