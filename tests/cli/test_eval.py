"""``mteval eval`` as its user types it: MultEval's options, table, result lines; JSON; errors in one line."""

import json
import math
import re
from pathlib import Path

import pytest

from mteval.cli import main

REFERENCE = "the cat sat on the mat .\na dog ran home .\nit rains in the city today .\n"
BASELINE = (
    "the cat sat at the mat .\na dog ran .\nit rains in a city .\n",
    "the cat sat on mat .\na dog goes home .\nit rains .\n",
)
SYSTEM = (
    "the cat sat on the mat .\na dog ran home .\nit rains in the city .\n",
    "a cat sat on the mat .\na dog ran home .\nit rains today .\n",
)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Small files of six segments by name, as paths; with fewer there is no verdict."""
    contents = {"refs": REFERENCE, "b0": BASELINE[0], "b1": BASELINE[1], "s0": SYSTEM[0], "s1": SYSTEM[1]}
    for name, content in contents.items():
        (tmp_path / name).write_text(2 * content, encoding="utf-8")
    return {name: str(tmp_path / name) for name in contents}


def eval_words(files: dict[str, str], *more: str) -> list[str]:
    baseline, system = [files["b0"], files["b1"]], [files["s0"], files["s1"]]
    return ["eval", "--refs", files["refs"], "--hyps-baseline", *baseline, "--hyps-sys1", *system, *more]


FAST = ("--metrics", "bleu", "ter", "length", "--boot-samples", "20", "--ar-shuffles", "50")


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        (("--design", "fixed"), "fixed"),
        (("--design", "paired"), "pairs"),
        (("--looks", "3", "5", "--run-word", "prompt"), "3 and 5 prompts"),
        ((), ""),
    ],
    ids=["fixed", "paired", "looks", "nothing"],
)
def test_the_note_below_the_table_names_the_design(
    declared: tuple[str, ...], words: str, files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(eval_words(files, *FAST, *declared)) == 0
    _, after = capsys.readouterr().out.split("The baseline, or no verdict.")
    assert words in after
    notes = [line for line in after.split("\n\n")[0].splitlines()[1:] if "provisional" not in line]
    assert len(notes) == bool(declared)


def test_the_example_prints_multeval_s_table_with_the_right_p_values(
    example_files: dict[str, list[Path]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["eval", "--refs", *map(str, example_files["refs"])]
    for option, key in (("--hyps-baseline", "baseline"), ("--hyps-sys1", "sys1"), ("--hyps-sys2", "sys2")):
        words += [option, *map(str, example_files[key])]
    assert main([*words, "--metrics", "BLEU", "ter", "length", "--json", str(tmp_path / "out.json")]) == 0
    out = capsys.readouterr().out.splitlines()
    assert re.split(r"\s{2,}", out[0]) == [
        "n=3", "BLEU (s_sel/s_opt/p/p_run)", "TER (s_sel/s_opt/p/p_run)", "Length (s_sel/s_opt/p/p_run)"
    ]  # fmt: skip
    rows = [re.split(r"\s{2,}", line) for line in out[1:4]]
    assert rows[0] == ["baseline", "18.5 (0.3/0.1/-/-)", "65.7 (0.4/0.2/-/-)", "107.5 (0.4/0.1/-/-)"]
    assert rows[1][:3] == ["system 1", "18.8 (0.3/0.3/0.011/0.226)", "64.8 (0.4/0.6/< 0.001/0.111)"]
    assert rows[2][1].startswith("18.5 (0.3/0.1/1.000/")
    document = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    frames = {"scores", "summary", "comparisons", "coverage", "verdicts", "intervals", "parts"}
    about = {"format_version", "definitions", "files", "findings", "settings", "signatures", "versions"}
    assert set(document) == {*frames, *about}
    assert {row["system"] for row in document["summary"]} == {"baseline", "sys1", "sys2"}
    assert {row["run"] for row in document["scores"]} == {"0", "1", "2"}
    assert {row["procedure"] for row in document["comparisons"]} == {"ar-segment", "two-way"}


def test_result_lines_go_to_standard_error(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(eval_words(files, *FAST)) == 0
    captured = capsys.readouterr()
    assert "RESULT" not in captured.out
    lines = captured.err.splitlines()
    assert all(
        re.fullmatch(r"RESULT: (baseline|system 1): (BLEU|TER|Length): [A-Z_a-z0-9 ]+: (\d+\.\d{6}|NaN)", line)
        for line in lines
    )
    for what in (
        "OptRun 1",
        "AVG",
        "MEDIAN",
        "STDDEV",
        "MEDIAN_IDX",
        "RESAMPLED_STDDEV_AVG",
        "P_VALUE",
        "P_VALUE_RUNS",
    ):
        assert any(f"system 1: TER: {what}: " in line for line in lines), what


def test_one_run_per_system_has_no_p_run(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    words = ["eval", "--refs", files["refs"], "--hyps-baseline", files["b0"], "--hyps-sys1", files["s0"], *FAST]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert re.search(r"system 1 .*/\*/[01]\.\d{3}/-\)", out)
    assert "single optimizer run" in out


def test_a_baseline_alone_has_no_p_values(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "--refs", files["refs"], "--hyps-baseline", files["b0"], files["b1"], *FAST]) == 0
    assert "/-/-)" in capsys.readouterr().out


def test_systems_may_have_different_numbers_of_runs(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "eval",
        "--refs",
        files["refs"],
        "--hyps-baseline",
        files["b0"],
        "--hyps-sys1",
        files["s0"],
        files["s1"],
        *FAST,
    ]
    assert main(words) == 0
    assert capsys.readouterr().out.startswith("n=1-2")


def test_the_same_seed_gives_the_same_numbers_for_any_number_of_threads(files: dict[str, str], tmp_path: Path) -> None:
    documents = []
    for threads in ("1", "2"):
        assert main(eval_words(files, *FAST, "--threads", threads, "--json", str(tmp_path / threads))) == 0
        documents.append(json.loads((tmp_path / threads).read_text(encoding="utf-8")))
    assert documents[0] == documents[1]


def test_undefined_numbers_are_null_in_json(files: dict[str, str], tmp_path: Path) -> None:
    words = ["eval", "--refs", files["refs"], "--hyps-baseline", files["b0"], "--hyps-sys1", files["s0"], *FAST]
    assert main([*words, "--json", str(tmp_path / "out")]) == 0
    document = json.loads((tmp_path / "out").read_text(encoding="utf-8"), parse_constant=lambda name: math.inf)
    assert {row["s_opt"] for row in document["summary"]} == {None}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (["--metrics", "blue"], "Unknown metric 'blue'. Nearest: bleu (BLEU)."),
        (["--bleu.max-order", "9"], "--bleu.maxOrder is 9; expected a whole number from 1 up to 6."),
        (["--boot-samples", "abc"], "invalid int value: 'abc'"),
        (["--boot-samples", "1"], "1 bootstrap replicate; at least 2"),
        (["--ar-shuffles", "0"], "0 shuffles; at least 1"),
        (["-b", "1"], "1 bootstrap replicate; at least 2"),
        (["-z", "5"], "unrecognized arguments: -z 5"),
        (["-H", "x"], "-H has no number, so each of its files would be a system. Use --hyps-sys1 FILE…"),
        (["--boot", "5"], "unrecognized arguments: --boot 5"),
        (["--hyps-sys3", "x"], "expected --hyps-sys1 to --hyps-sys2"),
        (["--json", "/no/such/directory/out.json"], "folder /no/such/directory does not exist"),
    ],
)
def test_bad_options_are_errors_with_a_reason(
    files: dict[str, str], change: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = main(eval_words(files, *FAST, *change))
    except SystemExit as end:
        status = end.code
    assert status == 2
    assert words in capsys.readouterr().err


def test_a_missing_file_is_one_clear_line(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "--refs", "no-such-file", "--hyps-baseline", files["b0"], *FAST]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "no-such-file" in error


def test_a_file_of_another_length_is_named_with_both_lengths(
    files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "short").write_text("one line\n", encoding="utf-8")
    assert main(["eval", "--refs", files["refs"], "--hyps-baseline", str(tmp_path / "short"), *FAST]) == 2
    error = capsys.readouterr().err
    assert "short" in error
    assert re.search(r"\b1\b.*\b6\b", error)


def test_human_scores_are_proposed_as_primary_metric_and_taken_by_an_option(
    files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = [f"{system}\t{-(segment % 3)}" for system in ("old", "new") for segment in range(6)]
    (tmp_path / "mqm.seg.score").write_text("\n".join(scores) + "\n", encoding="utf-8")
    without = ["eval", "--refs", files["refs"], "--system", "old", files["b0"], "--system", "new", files["s0"]]
    without += ["--metrics", "bleu", "--boot-samples", "20", "--ar-shuffles", "50"]
    words = [*without, "--scores-higher", str(tmp_path / "mqm.seg.score")]

    def primary(*more: str) -> tuple[str, str]:
        assert main([*words, *more, "--json", str(tmp_path / "out.json")]) == 0
        document = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
        return document["settings"]["metrics"][0], capsys.readouterr().err

    metric, told = primary()
    assert metric == "bleu"
    assert "people's judgements, proposed as primary metric. Let them decide with --primary people" in told
    metric, told = primary("--primary", "people")
    assert (metric, "proposed" in told) == ("mqm", False)
    metric, told = primary("--primary", "bleu")
    assert (metric, "proposed" in told) == ("bleu", False)
    assert main([*without, "--primary", "people"]) == 2
    assert "there are no human scores. Load them with --scores-higher FILE" in capsys.readouterr().err
