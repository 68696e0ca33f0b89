"""What would have no effect is refused, and what cannot be said is not said."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mteval.cli import main

LENGTH = ["--metrics", "length"]
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A reference and two outputs that differ, where the command starts."""
    texts = {"ref": "the cat sat\na dog barked\nit was late\n", "a": "the cat\na dog\nit was late\n"}
    texts |= {"b": "the cat sat\na dog\nit was\n", "c": "cat sat\na dog barked\nlate\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for name, system in (("kiwi", "old"), ("other", "new")):
        (tmp_path / f"{name}.seg.score").write_text(f"{system}\t0.1\n{system}\t0.4\n{system}\t0.2\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


FILES = ["--refs", "ref", "--system", "old", "a", "b", "--system", "new", "c", "a"]
ONE_RUN = ["--refs", "ref", "--system", "old", "a", "--system", "new", "c"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["compare", *FILES, "--all-pairs", "--margin", "0.5"], "only one of --all-pairs and --margin"),
        (["compare", *FILES, "--all-pairs", "--side", "worse"], "--side has no effect with --all-pairs"),
        (["compare", *FILES, "--margin", "1", "--procedure", "welch"], "--procedure has no effect with --margin"),
        (["compare", *FILES, "--margin", "1", "--correction", "none"], "--correction has no effect with --margin"),
        (["compare", *FILES, "--all-pairs", "--procedure", "welch", "two-way"], "--all-pairs needs exactly one"),
        (["compare", *FILES, "--procedure", "two-way", "--correction", "max-t"], "max-t does not work with two-way"),
        (["replicate", *FILES, "--power", "0.9"], "--power needs --target"),
        (["replicate", *FILES, "--looks", "3", "5"], "--looks needs --target"),
        (["eval", *FILES, "--spending", "late"], "--spending needs --looks"),
        (["eval", *FILES, "--latex-layout", "multeval"], "--latex-layout needs --latex"),
        (["compare", *FILES, "--csv", "-", "--json", "-"], "standard output (-)"),
        (
            ["compare", *FILES, "--design", "paired", "--procedure", "welch"],
            "Add a procedure (two-way-paired, two-way-paired-strict)",
        ),
        (["people", "--counts", "c", "--source", "ref"], "--source needs --judgements"),
        (["people", "--judgements", "c", "--source", "ref"], "--source needs --outputs"),
        (["report", *FILES, "--to", "x", "--only", "csv", "--latex-layout", "multeval"], "Add latex to --only"),
    ],
)
def test_options_without_effect_are_refused(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, *LENGTH]) == 2
    said = capsys.readouterr()
    assert (said.out, message in said.err) == ("", True)


def test_a_correction_uses_only_procedures_that_support_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *FILES, *LENGTH, "--correction", "max-t", "--resamples", "50"]) == 0
    out = capsys.readouterr().out
    assert "Two-way" not in out
    assert "Procedures without shared shuffles are omitted" in out


def test_single_runs_of_other_scores_are_not_called_equal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replicate", *ONE_RUN, *LENGTH, "--draws", "5", "--ar-shuffles", "20"]) == 0
    out = capsys.readouterr().out
    assert "score the same" not in out
    assert "only one run" in out
    assert "new" in out.splitlines()[-2] or "new" in out.splitlines()[-3]


@pytest.mark.parametrize("command", [["eval", "--boot-samples", "5"], ["compare"], ["replicate", "--draws", "5"]])
def test_scores_of_different_systems_under_different_names_compare_nothing(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    scores = ["--scores-higher", "kiwi.seg.score", "other.seg.score", "--metrics", "kiwi", "other"]
    assert main([*command, *ONE_RUN, *scores]) == 2
    assert "no metric has scores for" in capsys.readouterr().err


def test_an_unknown_column_error_lists_the_columns_found(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = ["system\trun\tsegment\thypothesis", *(f"new\t0\t{number}\tthe cat" for number in (1, 2, 3))]
    (folder / "outputs.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (folder / "experiment.toml").write_text(
        'format = 1\nbaseline = "old"\n\n[settings]\nmetrics = ["length"]\n\n[[test_sets]]\nname = "test"\n'
        'role = "test"\nreferences = ["ref"]\n[test_sets.systems.old]\n0 = "a"\n[test_sets.systems.new]\n'
        '0 = {file = "outputs.tsv", part = "new 1"}\n',
        encoding="utf-8",
    )
    assert main(["run", "experiment.toml"]) == 2
    said = capsys.readouterr().err
    assert "No part 'new 1'" in said
    assert "Found: 'new, run 0'" in said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("words", [["eval", *ONE_RUN, *LENGTH, "--boot-samples", "5"], ["--help"], ["--version"]])
def test_a_full_device_gives_a_one_line_error(words: list[str]) -> None:
    command = [sys.executable, "-m", "mteval", *words]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=os.environ)
    assert done.returncode == 2
    assert done.stderr.endswith("standard output: No space left on device\n")


LITTLE_ROOM = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))  # as on a full disk, a file ends there
from mteval.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_a_file_that_cannot_be_written_completely_is_removed(folder: Path) -> None:
    words = ["eval", *ONE_RUN, *LENGTH, "--boot-samples", "5", "--json", "out.json"]
    command = [sys.executable, "-c", LITTLE_ROOM, *words]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert done.returncode == 2
    assert "out.json: File too large" in done.stderr
    assert not (folder / "out.json").exists()


def described(folder: Path) -> str:
    """An ``experiment.toml`` with two test sets."""
    systems = '[test_sets.systems.old]\n0 = "a"\n1 = "b"\n[test_sets.systems.new]\n0 = "c"\n1 = "a"\n'
    sets = [f'[[test_sets]]\nname = "{one}"\nrole = "test"\nreferences = ["ref"]\n{systems}' for one in ("one", "two")]
    text = 'format = 1\nbaseline = "old"\n[settings]\nmetrics = ["length"]\n' + "".join(sets)
    (folder / "experiment.toml").write_text(text, encoding="utf-8")
    return "experiment.toml"


def test_json_on_standard_output_is_printed_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "counts.csv").write_text("correct,n_pairs\n5,6\n", encoding="utf-8")
    for words in (["run", described(folder)], ["claim", described(folder)], ["people", "--counts", "counts.csv"]):
        printed = []
        for how in (["--json", "-"], ["--format", "json"], []):
            assert main([*words, *how, "--quiet"]) == 0
            printed.append(capsys.readouterr().out)
        assert json.loads(printed[0]) == json.loads(printed[1])
        assert printed[2].strip()[0] not in "{["


def test_an_experiment_is_computed_again_in_every_format(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    part_of = {
        "text": "\nTables and verdicts of each test set: --verbose.",  # below the grid of both test sets
        "tsv": "test_set\t",
        "latex": "\\begin{table}",
        "markdown": "| System | one | two | Average |",
    }
    for how, part in part_of.items():
        assert main(["run", described(folder), "--format", how]) == 0
        assert part in capsys.readouterr().out


def test_notes_of_the_page_are_printed_below_the_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "docs").write_text("d\nd\nd\n", encoding="utf-8")
    assert main(["eval", *FILES, *LENGTH, "--documents", "docs", "--boot-samples", "5"]) == 0
    out = capsys.readouterr().out
    assert "the smallest possible p is about 1.000" in out


def test_two_runs_per_system_are_marked_provisional(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("ref", "a", "b", "c"):  # six segments: with fewer there is no verdict
        (folder / name).write_text(2 * (folder / name).read_text(encoding="utf-8"), encoding="utf-8")
    assert main(["eval", *FILES, *LENGTH, "--boot-samples", "5", "--ar-shuffles", "20"]) == 0
    assert "provisional" in capsys.readouterr().out
    assert main(["eval", *ONE_RUN, *LENGTH, "--boot-samples", "5", "--ar-shuffles", "20"]) == 0
    assert "provisional" not in capsys.readouterr().out
