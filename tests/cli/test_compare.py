"""``mteval compare``: every procedure from the command line."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mteval.answers.procedures import NOT_FIXED
from mteval.cli import main
from mteval.stats import PROCEDURES
from mteval.stats.procedures.registry import usual

WORDS = [f"word{place}" for place in range(12)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """References, documents, and three runs each of a baseline and two systems."""
    place = tmp_path_factory.mktemp("files")
    generator = np.random.default_rng(3)
    references = [list(generator.permutation(WORDS)) for _ in range(60)]
    (place / "ref").write_text("".join(" ".join(line) + "\n" for line in references))
    (place / "docs").write_text("".join(f"d{line // 6}\n" for line in range(60)))
    for system, loss in (("base", 0.2), ("one", 0.2), ("two", 0.35)):
        for run in range(3):
            lines = (" ".join(word for word in line if generator.random() > loss) for line in references)
            (place / f"{system}.{run}").write_text("".join(f"{line}\n" for line in lines))
    return place


@pytest.fixture
def compare(folder: Path, capsys: pytest.CaptureFixture[str]):
    """Runs the command on the files and gives what it printed."""

    def run(*words: str, n_runs: int = 3) -> str:
        files = {s: [str(folder / f"{s}.{run}") for run in range(n_runs)] for s in ("base", "one", "two")}
        command = ["compare", "--refs", str(folder / "ref"), "--hyps-baseline", *files["base"]]
        command += ["--hyps-sys1", *files["one"], "--hyps-sys2", *files["two"], "--resamples", "500", *words]
        assert main(command) == 0
        return capsys.readouterr().out

    return run


def rows_of(output: str, system: int) -> list[str]:
    """Lines of the table of one system, its head first."""
    lines = output.splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith(f"BLEU: system {system} against"))
    return lines[start + 1 : lines.index("", start)]


def test_without_a_choice_all_registered_procedures_are_listed(compare) -> None:
    output = compare()
    for system in (1, 2):
        head, *rows = rows_of(output, system)
        assert head.split()[:3] == ["procedure", "difference", "CI"]
        for row, key in zip(rows, usual(), strict=False):
            assert row.startswith(PROCEDURES[key].name)
    assert "Simultaneous 95% CI: max-T over shared shuffles or Bonferroni" in output
    assert "Family: 2 systems compared with the baseline by 1 metric, 2 comparisons. p adjusted by Holm." in output
    assert "at least one false positive in 10% of experiments" in output


@pytest.mark.parametrize("procedure", list(PROCEDURES))
def test_every_registered_procedure_can_be_named(compare, procedure: str) -> None:
    rows = rows_of(compare("--procedure", procedure), 1)
    assert rows[1].startswith(PROCEDURES[procedure].name)
    assert not any(row.startswith(spec.name) for row in rows[2:] for spec in PROCEDURES.values() if ":" not in row)


def test_known_documents_are_the_units_and_segment_results_are_shown_beside(compare, folder: Path) -> None:
    output = compare("--procedure", "ar-segment", "--documents", str(folder / "docs"))
    _, documents, segments = rows_of(output, 2)
    assert documents.startswith("Approximate randomization of documents ")
    assert segments.startswith("Approximate randomization of segments ")
    forced = rows_of(compare("--procedure", "ar-segment", "--documents", str(folder / "docs"), "--unit", "segment"), 2)
    assert forced[1].split() == segments.split()
    assert len(forced) == 2


def test_side_follows_the_direction_of_the_metric(compare, tmp_path: Path) -> None:
    p = {}
    for side in ("better", "worse"):
        compare("--procedure", "ar-segment", "--side", side, "--metrics", "bleu", "ter", "--csv", str(tmp_path / side))
        frame = pd.read_csv(tmp_path / side)
        p[side] = frame[frame["system"] == "sys2"].set_index("metric")["p_value"]
    assert (p["worse"] < 0.05).all()
    assert (p["better"] > 0.9).all()


def test_all_rows_are_written_with_full_precision(compare, tmp_path: Path) -> None:
    compare("--csv", str(tmp_path / "rows.csv"))
    frame = pd.read_csv(tmp_path / "rows.csv")
    assert len(frame) == 2 * len(usual())
    assert {"difference", "improvement", "low", "high", "p_value", "p_adjusted", "n_resamples"} <= set(frame.columns)
    enumerated = frame[frame["procedure"] == "run-permutation"]
    assert (enumerated["n_resamples"] == 20).all()  # divisions of six runs
    assert (frame.loc[frame["procedure"] == "ar-segment", "n_resamples"] == 500).all()


def test_all_pairs_are_listed_with_their_groups(compare, tmp_path: Path) -> None:
    output = compare("--all-pairs", "--correction", "max-t", "--csv", str(tmp_path / "pairs.csv"))
    assert "one-sided" in output
    assert "Different from all others: system 2" in output
    assert "all 3 pairs of 3 systems in both directions, 6 comparisons" in output
    assert len(pd.read_csv(tmp_path / "pairs.csv")) == 3


def test_procedures_over_runs_explain_why_one_run_is_not_enough(compare) -> None:
    assert "only one run" in compare("--procedure", "two-way", n_runs=1)
    output = compare("--all-pairs", "--procedure", "two-way", n_runs=1)
    assert "only one run" in output
    assert "all others" not in output


def test_the_design_selects_its_procedure(compare) -> None:
    assert "Two-way analysis of paired runs" in compare("--design", "paired")
    assert "Two-way analysis with a fixed baseline" in compare("--design", "fixed", "--procedure", "two-way-fixed")


def test_all_pairs_ignore_a_fixed_baseline_with_a_note(compare) -> None:
    assert NOT_FIXED in compare("--all-pairs", "--procedure", "two-way", "--design", "fixed")
    assert NOT_FIXED not in compare("--all-pairs", "--procedure", "ar-segment", "--design", "fixed")


@pytest.mark.parametrize(("correction", "name"), [("tukey", "Tukey"), ("scheffe", "Scheffé")])
def test_tukey_and_scheffe_adjust_all_pairs_of_procedures_with_standard_errors(
    compare, capsys, correction: str, name: str
) -> None:
    assert f"3 pairs of 3 systems. p adjusted by {name}, two-sided." in compare(
        "--all-pairs", "--procedure", "two-way", "--correction", correction
    )
    with pytest.raises(AssertionError):
        compare("--all-pairs", "--correction", correction)
    assert "with ar-segment: no standard errors" in capsys.readouterr().err
    with pytest.raises(AssertionError):
        compare("--correction", correction)
    assert "needs --all-pairs" in capsys.readouterr().err


def test_too_few_runs_to_halve_are_an_error(compare, capsys) -> None:
    with pytest.raises(AssertionError):
        compare("--own-runs")
    assert "at least 6 runs" in capsys.readouterr().err


def test_a_margin_tests_equivalence(compare) -> None:
    output = compare("--margin", "50")
    assert "p (adjusted, Holm over 2 claims) is at most 5%; the 90% CI is not adjusted" in output
    rows = [line for line in output.splitlines() if line.startswith("BLEU")]
    assert len(rows) == 4
    assert " both " in rows[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--margin", "0"], "not 0.0"),
        (["--unit", "document"], "has no document IDs"),
        (["--confidence", "1.5"], "confidence level is 1.5"),
    ],
)
def test_bad_input_is_one_line(folder: Path, capsys, words: list[str], message: str) -> None:
    files = [
        "--refs",
        str(folder / "ref"),
        "--hyps-baseline",
        str(folder / "base.0"),
        "--hyps-sys1",
        str(folder / "one.0"),
    ]
    assert main(["compare", *files, *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_a_baseline_alone_is_refused(folder: Path, capsys) -> None:
    assert main(["compare", "--refs", str(folder / "ref"), "--hyps-baseline", str(folder / "base.0")]) == 2
    assert "--hyps-sys1" in capsys.readouterr().err


@pytest.mark.real_data
def test_multevals_example_has_the_numbers_of_the_independent_program(example_files, capsys, tmp_path: Path) -> None:
    files = {key: [str(path) for path in paths] for key, paths in example_files.items()}
    command = [
        "compare",
        "--refs",
        *files["refs"],
        "--hyps-baseline",
        *files["baseline"],
        "--hyps-sys1",
        *files["sys1"],
    ]
    command += ["--procedure", "ar-output", "ar-segment", "run-permutation", "two-way", "--csv", str(tmp_path / "rows")]
    assert main(command) == 0
    rows = pd.read_csv(tmp_path / "rows").set_index("procedure")
    assert rows.loc["ar-output", "p_value"] < 0.001
    assert rows.loc["ar-segment", "p_value"] == pytest.approx(0.009, abs=0.004)
    assert rows.loc["run-permutation", "p_value"] == pytest.approx(0.30)
    assert rows.loc["two-way", ["p_value", "low", "high"]].tolist() == pytest.approx([0.23, -0.27, 0.84], abs=0.006)
