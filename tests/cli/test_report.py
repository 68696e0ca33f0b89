"""``mteval report`` and ``mteval run``: files in, files out, and errors in one line."""

import argparse
import json
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from mteval.cli import main
from mteval.cli import metric_options as metrics
from mteval.cli.output_options import add_experiment_file

REFERENCE = "".join(f"the cat number {i} sat on the mat number {i + 1} today\n" for i in range(20))


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Options that name a reference and two systems of two runs."""
    (tmp_path / "ref.txt").write_text(REFERENCE)
    for name, (old, new) in {
        "b0": ("sat", "lay"),
        "b1": ("the", "a"),
        "s0": ("mat", "rug"),
        "s1": ("cat", "dog"),
    }.items():
        (tmp_path / f"{name}.txt").write_text(REFERENCE.replace(old, new))
    at = {name: str(tmp_path / f"{name}.txt") for name in ("ref", "b0", "b1", "s0", "s1")}
    words = ["--refs", at["ref"], "--hyps-baseline", at["b0"], at["b1"], "--hyps-sys1", at["s0"], at["s1"]]
    return [*words, "--metrics", "bleu", "ter", "--boot-samples", "20", "--ar-shuffles", "50", "--seed", "3"]


def numbers(path: Path) -> dict[str, object]:
    """What a JSON file holds, without its list of files, which are in another place when they are read again."""
    content: dict[str, object] = json.loads(path.read_text())
    return {name: value for name, value in content.items() if name != "files"}


def test_a_report_of_files_can_be_run_and_reported_again(files: list[str], tmp_path: Path) -> None:
    first, second = tmp_path / "new" / "first", tmp_path / "second"
    kinds = ["--only", "json", "latex", "methods", "experiment"]
    assert main(["report", *files, "--to", str(first), *kinds]) == 0
    assert {path.name for path in first.iterdir()} == {
        *("manifest.json", "experiment.toml", "inputs", "numbers.json", "table.tex", "methods.txt", "references.bib")
    }
    assert main(["run", str(first / "experiment.toml"), "--json", str(tmp_path / "again.json")]) == 0
    assert numbers(tmp_path / "again.json") == numbers(first / "numbers.json")
    assert main(["report", str(first / "experiment.toml"), "--to", str(second), *kinds]) == 0
    assert numbers(second / "numbers.json") == numbers(first / "numbers.json")
    assert (second / "inputs" / "ref.txt").read_text() == REFERENCE


def test_a_report_has_the_planned_looks_among_its_settings_and_in_its_methods(files: list[str], tmp_path: Path) -> None:
    words = ["report", *files, "--looks", "3", "5", "--to", str(tmp_path / "looks"), "--only", "html", "methods"]
    assert main(words) == 0
    page = (tmp_path / "looks" / "report.html").read_text(encoding="utf-8")
    assert "3, 5" in page
    assert "interim analyses at 3 and 5 runs per system" in page
    assert "planned at 3 and 5 runs, but there are 2. The answer waits for 3." in page
    methods = (tmp_path / "looks" / "methods.txt").read_text(encoding="utf-8")
    assert "planned at 3 and 5 runs" in methods


@pytest.fixture
def judged(tmp_path: Path) -> list[str]:
    """Options that name a reference and three systems of one run, and what two people said of them."""
    rows = ["annotator\tsystem\tsegment\tadequacy"]
    for place, (system, lost) in enumerate({"A": 3, "B": 2, "C": 1}.items()):
        lines = [" ".join(line.split()[lost if n % 4 else 0 :]) for n, line in enumerate(REFERENCE.splitlines())]
        (tmp_path / f"{system}.txt").write_text("\n".join(lines) + "\n")
        said = [(who, n, place * 9 + (7 * n + place * len(who)) % 11) for who in ("ann", "robert") for n in range(20)]
        rows += [f"{who}\t{system}\t{n + 1}\t{value}" for who, n, value in said]
    (tmp_path / "ref.txt").write_text(REFERENCE)
    (tmp_path / "judged.tsv").write_text("\n".join(rows) + "\n")
    named = [word for name in "ABC" for word in ("--system", name, str(tmp_path / f"{name}.txt"))]
    return ["--refs", str(tmp_path / "ref.txt"), *named, "--metrics", "bleu", "--seed", "3"]


def test_the_report_and_the_people_command_agree(
    judged: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    to, judgements = tmp_path / "to", str(tmp_path / "judged.tsv")
    kinds = ["--only", "html", "json", "csv", "methods", "experiment"]
    sizes = ["--boot-samples", "30", "--ar-shuffles", "60"]
    assert main(["report", *judged, *sizes, "--judgements", judgements, "--to", str(to), *kinds]) == 0
    outputs = [str(tmp_path / f"{name}.txt") for name in "ABC"]
    words = ["people", "--judgements", judgements, "--refs", str(tmp_path / "ref.txt"), "--outputs", *outputs]
    words += ["--metrics", "bleu", "--seed", "3", "--replicates", "30", "--resamples", "60"]
    assert main([*words, "--scales", "adequacy", "--json", str(tmp_path / "people.json")]) == 0
    expected, found = numbers(tmp_path / "people.json"), numbers(to / "people.json")
    names = ("gold", "claims", "accuracy", "against", "agreement", "raters", "rater_agreement", "choices")
    assert {name: found[name] for name in names} == {name: expected[name] for name in names}
    assert (to / "people" / "gold.csv").read_text().startswith("better,worse,scale")
    page = (to / "report.html").read_text()
    for heading in ("Which systems people tell apart", "Which metric agrees with people", "Would other raters say so?"):
        assert f"<h3>{heading}" in page
    assert "compare systems by adequacy" in (to / "methods.txt").read_text()
    assert main(["report", str(to / "experiment.toml"), "--to", str(tmp_path / "again"), "--only", "json"]) == 0
    assert numbers(tmp_path / "again" / "people.json") == found


def test_a_file_without_judgements_is_named(judged: list[str], tmp_path: Path, capsys) -> None:
    assert main(["report", *judged, "--judgements", str(tmp_path / "ref.txt"), "--to", str(tmp_path / "to")]) == 2
    assert "ref.txt: " in capsys.readouterr().err


def test_an_archive_is_written_where_the_name_says_so(files: list[str], tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    assert main(["report", *files, "--to", str(path), "--only", "html", "csv", "--fullLatexDoc"]) == 0
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        names = {"manifest.json", "report.html", "table.csv", "scores.csv", "summary.csv", "comparisons.csv"}
        names |= {"coverage.csv", "verdicts.csv", "intervals.csv", "parts.csv"}
        assert set(archive.namelist()) == names


def test_the_table_of_the_report_is_that_of_eval(files: list[str], tmp_path: Path) -> None:
    look = ["--latex-layout", "multeval", "--fullLatexDoc"]
    assert main(["eval", *files, "--latex", str(tmp_path / "eval.tex"), *look]) == 0
    assert main(["report", *files, "--to", str(tmp_path / "out"), "--only", "latex", *look]) == 0
    report = (tmp_path / "out" / "table.tex").read_text().replace("sacrebleu", "multeval")
    assert report == (tmp_path / "eval.tex").read_text()


@pytest.mark.parametrize("command", ["run", "report"])
def test_a_missing_experiment_gives_a_one_line_error(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--to", str(tmp_path / "out")] if command == "report" else []
    assert main([command, str(tmp_path / "experiment.toml"), *words]) == 2
    assert "experiment.toml" in capsys.readouterr().err


def test_settings_that_no_metric_allows_are_named_with_their_file(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["report", *files, "--to", str(tmp_path), "--only", "experiment"])
    path = tmp_path / "experiment.toml"
    text = path.read_text()
    path.write_text(text.replace('"bleu"', '"blue"').replace("mteval 0.1.0", "mteval 0.0.9"))
    assert main(["run", str(path)]) == 2
    assert f"{path}: 'settings': " in capsys.readouterr().err
    path.write_text(text.replace(text.splitlines()[4], 'made_with = "mteval 0.0.9"'))
    assert main(["run", str(path)]) == 0
    assert "mteval 0.0.9; this is mteval" in capsys.readouterr().err


def test_an_unknown_test_set_and_an_unwritable_path_are_errors(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["report", *files, "--to", str(tmp_path), "--only", "experiment"])
    experiment = str(tmp_path / "experiment.toml")
    assert main(["report", experiment, "--to", str(tmp_path / "x"), "--test-set", "dev"]) == 2
    assert "'dev'" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["report", experiment, "--only", "json", "--to", str(tmp_path / "no" / "x.zip")])
    assert "x.zip" in capsys.readouterr().err


def test_options_beside_an_experiment_file_are_refused_not_ignored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["report", str(tmp_path / "experiment.toml"), "--to", "x", "--seed", "4"])
    assert left.value.code == 2
    assert "--seed" in capsys.readouterr().err


def test_problems_of_metric_plugins_are_printed_with_an_experiment_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(metrics, "METRICS", SimpleNamespace(problems=("The metric 'width' is left out.",)))
    add_experiment_file(argparse.ArgumentParser())
    assert capsys.readouterr().err == "mteval: The metric 'width' is left out.\n"
