"""``mteval replicate`` as its user types it."""

import json
from pathlib import Path

import pytest

from mteval.cli import main

SAMPLE = Path(__file__).parents[2] / "sample_data"
FAST = ("--draws", "20", "--ar-shuffles", "300", "--convention", "sacrebleu")


def words(*more: str, n_runs: int = 30) -> list[str]:
    runs = {key: sorted(map(str, (SAMPLE / key).glob("test.opt??.txt")))[:n_runs] for key in ("baseline", "reordering")}
    files = ["--hyps-baseline", *runs["baseline"], "--hyps-sys1", *runs["reordering"]]
    return ["replicate", "--refs", str(SAMPLE / "reference.test.txt"), *files, *FAST, *more]


def test_all_tables_are_printed_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words("--target", "1", "--runs", "3", "--json", str(tmp_path / "out.json"))) == 0
    out = capsys.readouterr().out
    assert "BLEU, baseline (30 runs) and system 1 (30 runs), 300 segments: expected difference +0.90" in out
    assert "1.00 BLEU" in out
    first = next(line.split() for line in out.splitlines() if line.startswith("   1") and "900" in line)
    assert first == [
        "1",
        "0.69",
        "−0.45",
        "to",
        "+2.25",
        "9.6%",
        "4.1%",
        "to",
        "19.2%",
        "74.3%",
        "0.68",
        "94",
        "of",
        "900",
    ]
    assert "score of one run of system 1  " in out
    assert "sys1" not in out.partition("Warnings")[0], "but findings name the options of the files"
    document = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert set(document) == {
        "outlook", "frequencies", "published", "median", "variance", "uncertainty", "power", "plans", "settings",
        "definitions", "files", "findings", "format_version", "versions",
    }  # fmt: skip
    assert [row["n"] for row in document["published"] if row["procedure"] == "two-way"] == [1, 1, 1, 3]
    assert {row["compared"] for row in document["outlook"]} == {"system 1"}
    assert document["plans"][0]["runs"] is None
    assert document["outlook"][0]["pool_wrong_sign"] == pytest.approx(94 / 900)


def test_where_documents_are_units_they_are_counted_and_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words("--documents", str(SAMPLE / "documents.test.txt"), "--runs", "2", n_runs=3)) == 0
    out = capsys.readouterr().out
    assert "(3 runs), 24 documents: " in out
    assert "Approximate randomization of documents" in out
    assert "segments" not in out


def test_the_plan_is_for_the_level_that_the_tests_will_have(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A looser level takes fewer runs of the same system."""
    assert main(words("--target", "3", "--confidence", "0.9", "--json", str(tmp_path / "out.json"), n_runs=4)) == 0
    plan = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["plans"][0]
    assert plan["wish"]["level"] == pytest.approx(0.1)
    assert "90%" in capsys.readouterr().out


def test_one_run_per_system_says_why_there_is_no_plan(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words("--target", "1", n_runs=1)) == 0
    out = capsys.readouterr().out
    assert "The baseline has only one run" in out
    assert "Plan" not in out


def test_several_metrics_and_systems_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = ["--hyps-sys2", *sorted(map(str, (SAMPLE / "reordering").glob("test.opt2?.txt")))]
    assert main(words(*more, "--metrics", "ter", "length", "--json", str(tmp_path / "out"), n_runs=4)) == 0
    assert capsys.readouterr().out.count("expected difference") == 4
    rows = json.loads((tmp_path / "out").read_text(encoding="utf-8"))["median"]
    assert {(row["metric"], row["compared"]) for row in rows} == {
        (metric, system) for metric in ("ter", "length") for system in ("system 1", "system 2")
    }


def test_scores_between_0_and_1_are_not_rounded_to_zero(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Segments score 0.8 to 0.9, runs differ by thousandths and so do systems: two decimals would show nothing."""
    rows = [
        f"{system},{run},{segment + 1},{0.8 + segment % 100 / 1000 + run / 1000 + better}"
        for system, better in (("baseline", 0.0), ("sys1", 0.002))
        for run in range(3)
        for segment in range(300)
    ]
    (tmp_path / "Model.csv").write_text("\n".join(["system,run,segment,score", *rows]) + "\n", encoding="utf-8")
    scores = ["--scores-higher", str(tmp_path / "Model.csv"), "--metrics", "Model"]
    assert main(words(*scores, "--target", "0.002", "--most", "1", n_runs=3)) == 0
    out = capsys.readouterr().out
    assert "expected difference +0.0020" in out
    assert "a true difference of 0.0020 Model" in out
    assert "  0.0014  −0.0008 to +0.0048  " in out  # √2 thousandths, and 1.96 times as much to both sides
    assert not {"0.00", "+0.00", "0.0000", "+0.0000"} & set(out.split())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--runs", "5"], "5 runs: the baseline has 4"),
        (["--most", "9"], "Use 1 to 4"),
        (["--draws", "0"], "--draws is 0"),
        (["--target", "0"], "positive"),
        (["--target", "1", "--power", "2"], "not 2.0"),
    ],
)
def test_bad_numbers_are_one_clear_line(change: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words(*change, n_runs=4)) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_without_a_system_there_is_nothing_to_replicate(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([word for word in words(n_runs=1) if word != "--hyps-sys1"]) == 2
    assert "second system" in capsys.readouterr().err
