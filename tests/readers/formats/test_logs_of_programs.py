"""Logs that the programs themselves wrote (``logs/make_logs.py``) have the averages that these programs report."""

import io
import json
import struct
import sys
import zipfile
from collections import defaultdict
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from statistics import mean

import pyarrow
import pytest
from pyarrow import parquet

from mteval.cli import main
from mteval.readers.documents import InputFile, Limits
from mteval.readers.folders import load_told_apart
from mteval.readers.formats.uploads import unpack
from mteval.readers.named_files import ScoreFiles

LOGS = Path(__file__).parent / "logs"
FAST = ("--ar-shuffles", "50", "--boot-samples", "20")
Key = tuple[str, str, str]  # test set, system and metric
Averages = Mapping[Key, list[float]]  # of each run, in ascending order


def extracted(name: str, folder: Path) -> Path:
    """The folder of logs in an archive of the repository."""
    with zipfile.ZipFile(LOGS / f"{name}.zip") as archive:
        archive.extractall(folder / name)
    return folder / name


def averages(folder: Path) -> Averages:
    """The averages of the scores that are read from a folder of logs."""
    averages_of = defaultdict[Key, list[float]](list)
    for metric in load_told_apart([folder], None, ScoreFiles([folder])).experiment.given:
        for scores in metric.scores:
            known = [value for value in scores.values if value is not None]
            averages_of[scores.test_set, scores.system, metric.name].append(mean(known))
    return {key: sorted(values) for key, values in averages_of.items()}


def of_harness(folder: Path) -> Averages:
    """The averages in the files of results of lm-evaluation-harness."""
    averages_of = defaultdict[Key, list[float]](list)
    for path in folder.rglob("results_*.json"):
        for name, value in json.loads(path.read_text())["results"]["sums"].items():
            metric, _, mark = name.partition(",")
            if mark and not metric.endswith("_stderr"):
                averages_of["sums", path.parent.name, f"{metric} {mark}"].append(value)
    return averages_of


def of_unnamed_filters(folder: Path) -> Averages:
    """Results of versions that name filters in their summaries only, in the order of the samples' filters."""
    found: dict[tuple[str, str, str], list[float]] = {}
    for path in folder.rglob("results*.json"):
        results = json.loads(path.read_text())["results"]["sums"]
        for number, name in enumerate(("strict-match", "flexible-extract"), start=1):
            found["sums", path.parent.name, f"exact_match filter {number}"] = [results[f"exact_match,{name}"]]
    return found


def of_inspect(folder: Path) -> Averages:
    """Accuracies in the headers of the archives. Newer ones have Zstandard at the places that the table names."""
    averages_of = defaultdict[Key, list[float]](list)
    for path in folder.iterdir():
        with zipfile.ZipFile(path) as archive:
            entry = archive.getinfo("header.json")
            is_usual = entry.compress_type == zipfile.ZIP_DEFLATED
            header = archive.read(entry) if is_usual else b""
        if not is_usual:
            content = path.read_bytes()[entry.header_offset :]
            start = 30 + sum(struct.unpack("<HH", content[26:30]))
            packed = pyarrow.BufferReader(content[start : start + entry.compress_size])
            header = pyarrow.CompressedInputStream(packed, "zstd").read()
        log = json.loads(header)
        for score in log["results"]["scores"]:
            if "accuracy" in score["metrics"]:
                accuracy = score["metrics"]["accuracy"]["value"]
                averages_of[log["eval"]["task"], log["eval"]["model"], score["name"]].append(accuracy)
    return averages_of


def of_inspect_of_2024(folder: Path) -> Averages:
    """Accuracies in the logs of 0.3.8; averages of its lists, which it does not report, by hand."""
    found: dict[tuple[str, str, str], list[float]] = {}
    for path in folder.glob("match/*.json"):
        log = json.loads(path.read_text())
        found["questions", log["eval"]["model"], "match"] = [log["results"]["metrics"]["accuracy"]["value"]]
    # "Paris", "5" and "blue": one right of three, and two as long as "Paris", "4" and "white"
    by_hand = {
        ("questions", "/small", "parts 1"): [1 / 3],
        ("questions", "/small", "parts 2"): [2 / 3],
        ("questions", "/large", "parts 1"): [1.0],
        ("questions", "/large", "parts 2"): [1.0],
    }
    return {**found, **by_hand}


def of_promptfoo(folder: Path) -> Averages:
    """The averages in promptfoo's files: of its own score, and of those with names."""
    averages_of = defaultdict[Key, list[float]](list)
    for path in folder.iterdir():
        for prompt in json.loads(path.read_text())["results"]["prompts"]:
            system = prompt["provider"]
            numbers = prompt["metrics"]
            n_tests = numbers["testPassCount"] + numbers["testFailCount"] + numbers["testErrorCount"]
            averages_of["test", system, "promptfoo"].append(numbers["score"] / n_tests)
            for metric, total in numbers["namedScores"].items():
                averages_of["test", system, metric].append(total / numbers["namedScoresCount"][metric])
    return averages_of


def as_logged(folder: Path) -> Averages:
    """What ``make_logs.py`` gave to W&B, as it stands in the summaries of the runs."""
    return {("test", "small", "answers"): [1 / 3, 2 / 3], ("test", "large", "answers"): [2 / 3, 1]}


def of_lighteval(folder: Path) -> Averages:
    """The averages of the scores in LightEval's tables."""
    averages_of = defaultdict[Key, list[float]](list)
    for path in folder.rglob("*.parquet"):
        scores = [row["em"] for row in parquet.read_table(path)["metric"].to_pylist()]
        averages_of["questions|0", f"org/{path.parent.parent.name}", "em"].append(mean(scores))
    return averages_of


@pytest.mark.parametrize(
    ("name", "reported"),
    [
        ("lm-eval-filters", of_harness),
        ("lm-eval-0.4.2", of_unnamed_filters),
        ("lm-eval-0.4.5", of_unnamed_filters),
        ("lm-eval-0.4.9", of_harness),
        ("inspect-tasks", of_inspect),
        ("inspect-0.3.50", of_inspect),
        ("inspect-0.3.8", of_inspect_of_2024),
        ("promptfoo-runs", of_promptfoo),
        ("wandb-folders", as_logged),
        ("lighteval", of_lighteval),
    ],
)
def test_runs_have_the_averages_that_the_program_reports(
    tmp_path: Path, name: str, reported: Callable[[Path], Averages]
) -> None:
    folder = extracted(name, tmp_path)
    averages_of = averages(folder)
    reported_averages_of = reported(folder)
    assert reported_averages_of
    for key, reported_averages in reported_averages_of.items():
        assert averages_of[key] == pytest.approx(sorted(reported_averages)), key


@pytest.mark.parametrize("name", ["inspect-tasks", "inspect-0.3.50"])
def test_eval_files_of_inspect_may_be_in_a_zip(tmp_path: Path, name: str) -> None:
    packed = averages(LOGS / f"{name}.zip")
    assert packed
    assert packed == averages(extracted(name, tmp_path))


def test_eval_files_in_a_zip_count_towards_the_limit_of_all_files() -> None:
    zipped_logs = InputFile("logs.zip", (LOGS / "inspect-tasks.zip").read_bytes())
    with zipfile.ZipFile(LOGS / "inspect-tasks.zip") as archive:
        packed_size = sum(info.file_size for info in archive.infolist())
    documents, problems = unpack([zipped_logs], Limits(total_bytes=packed_size + 1_000))
    assert documents == ()
    assert "the limit for all files together" in problems[0].message


def test_school_grades_are_numbers_with_a_note(tmp_path: Path) -> None:
    folder = extracted("inspect-tasks", tmp_path)
    assert averages(folder)["first", "mockllm/small", "grade"] == [pytest.approx(mean([0.75, 0.25, 0.25]))]
    files = [InputFile(path.name, path.read_bytes()) for path in folder.iterdir()]
    assert all("B ¾" in problem.message for problem in unpack(files)[1])


HELM = [
    {
        "instance_id": key,
        "train_trial_index": trial,
        "stats": [{"name": {"name": "f1", "split": "test"}, "mean": value}],
    }
    for key, trial, value in (("id1", 0, 1.0), ("id1", 1, 0.5), ("id2", 0, 0.0))
]
SHARED = [
    {
        "evaluation_id": f"run{run}",
        "model_id": "org/m",
        "evaluation_name": "mmlu",
        "sample_id": f"s{item}",
        "interaction_type": "single_turn",
        "input": {"raw": "Q?", "reference": ["yes"]},
        "output": {"raw": ["no"]},
        "evaluation": {"score": float(item == run), "is_correct": item == run},
    }
    for run, item in product((0, 1), (0, 1, 2))
]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "runs/v1/mmlu:subject=law,model=org_m/per_instance_stats.json",
            json.dumps(HELM),
            {("mmlu:subject=law", "org_m", "f1"): [0.375]},  # trials are averaged within an instance
        ),
        (
            "a_samples.jsonl",
            "".join(f"{json.dumps(row)}\n" for row in SHARED),
            {("mmlu", "org/m", "evaluation"): [pytest.approx(1 / 3), pytest.approx(1 / 3)]},
        ),
    ],
    ids=["HELM", "Every Eval Ever"],
)
def test_published_formats_are_logs(tmp_path: Path, path: str, text: str, expected: Averages) -> None:
    file = tmp_path / "logs" / path
    file.parent.mkdir(parents=True)
    file.write_text(text)
    assert averages(tmp_path / "logs") == expected


def test_folder_of_logs_needs_one_option_and_outlives_an_unreadable_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = extracted("wandb-folders", tmp_path)
    (folder / "torn.table.json").write_text('{"columns": ["model"], "data": [')
    words = ["eval", "--logs", str(folder), *FAST, "--baseline", "small"]
    assert main(words) == 0
    printed = capsys.readouterr()
    assert "large vs small" in printed.out
    assert "torn.table.json" in printed.out + printed.err

    assert main([*words, "--logs-lower", "answers", "--json", str(tmp_path / "out.json")]) == 0
    assert json.loads((tmp_path / "out.json").read_text())["scores"]
    capsys.readouterr()

    assert main(["eval", "--logs", str(folder / "torn.table.json")]) != 0
    assert "torn.table.json" in capsys.readouterr().err
    assert main(["eval", "--logs", str(folder), "--logs-lower", "acc"]) != 0
    assert "Found: answers" in capsys.readouterr().err


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """Logs of all programs, of which HELM's have scores only."""
    folder = tmp_path / "mixed"
    for name in ("lm-eval-filters", "inspect-tasks", "wandb-folders", "lighteval"):
        extracted(name, folder)
    file = folder / "helm/v1/mmlu:subject=law,model=org_m/per_instance_stats.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(HELM))
    return folder


def test_scores_without_outputs_load_beside_logs_with_outputs(mixed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = {}
    for folder in mixed.iterdir():
        expected.update(averages(folder))
    assert averages(mixed) == expected

    words = ["eval", "--logs", str(mixed), "--baseline", "small", *FAST, "--metrics", "bleu", "f1"]
    assert main(words) == 0
    of_helm = capsys.readouterr().out.partition("mmlu:subject=law")[2]
    assert "0.375" in of_helm
    assert "mpty" not in of_helm  # no warning about texts that nobody has


def test_gate_reads_the_test_sets_that_have_the_metric(mixed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["gate", "--logs", str(mixed), "--baseline", "small", "--candidate", "large", "--worse-by", "0.01"]
    assert main([*words, "--metrics", "answers"]) == 3
    assert "3 segments" in capsys.readouterr().out
    assert main([*words, "--metrics", "f1"]) == 2
    assert "f1 has no scores for small and large. Scored: org_m. Choose other metrics." in capsys.readouterr().err


@pytest.mark.parametrize("torn", ['{\n  "ver', '{"a": 1}\n{"a"', "[1,"])
def test_torn_json_of_unknown_form_is_named(tmp_path: Path, torn: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder = extracted("wandb-folders", tmp_path)
    (folder / "lost.json").write_text(torn)
    (folder / "config.json").write_text('{"whole": 1}\n{"lines": 2}\n')
    assert main(["eval", "--logs", str(folder), *FAST, "--baseline", "small"]) == 0
    printed = capsys.readouterr()
    assert "Not read. lost.json: Not valid JSON" in printed.out
    assert "mteval: Refused lost.json: Not valid JSON" in printed.err
    (line,) = [line for line in printed.err.splitlines() if "config.json" in line]
    assert line.endswith("not recognised as output or reference.")


def test_runs_with_other_names_on_each_test_set_count_as_other_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = ["test_set\tsystem\trun\tsegment\tscore"]
    for test_set, (place, system), run, item in product(("one", "two"), enumerate("ab"), range(3), range(12)):
        score = (item * (run + 2) + place) % 3 / 2
        rows.append(f"{test_set}\t{system}\t{test_set}{run}\t{item}\t{score}")
    table = tmp_path / "acc.tsv"
    table.write_text("\n".join(rows) + "\n")
    assert main(["eval", "--scores-higher", str(table), *FAST]) == 0
    assert "b vs a" in capsys.readouterr().out


@pytest.fixture
def rows() -> bytes:
    """A table of scores as Parquet."""
    sink = io.BytesIO()
    cells = [{"system": system, "segment": item, "score": item / 4} for system, item in product("ab", range(4))]
    parquet.write_table(pyarrow.Table.from_pylist(cells), sink)
    return sink.getvalue()


def test_parquet_table_is_read_like_its_rows(rows: bytes) -> None:
    ((document,), problems) = unpack([InputFile("acc.parquet", rows)])
    assert problems == ()
    assert [column.system for column in document.streams[0].scores] == ["a", "b"]
    assert document.streams[0].scores[0].values == (0, 0.25, 0.5, 0.75)


@pytest.mark.parametrize(
    ("limits", "cut", "message"),
    [
        (Limits(lines=5), slice(None), "8 rows; the limit is 5"),
        (Limits(file_bytes=10_000, columns=2), slice(None), "3 columns; the limit is 2"),
        (Limits(), slice(200), "cannot be read"),
    ],
)
def test_parquet_is_bounded_before_it_is_read(rows: bytes, limits: Limits, cut: slice, message: str) -> None:
    documents, (problem,) = unpack([InputFile("acc.parquet", rows[cut])], limits)
    assert documents == ()
    assert message in problem.message


def test_parquet_with_one_long_value_in_all_rows_is_refused_as_its_rows_are_read() -> None:
    sink = io.BytesIO()
    parquet.write_table(pyarrow.table({"system": ["a"] * 2_000, "hypothesis": ["x" * 2_000] * 2_000}), sink)
    assert len(sink.getvalue()) < 10_000
    _, (problem,) = unpack([InputFile("acc.parquet", sink.getvalue())], Limits(file_bytes=1_000_000))
    assert "bytes when unpacked; the limit is 1,000,000" in problem.message


def test_parquet_without_pyarrow_names_the_extra(rows: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    _, (problem,) = unpack([InputFile("acc.parquet", rows)])
    assert "'.[logs]'" in problem.message


def test_summaries_beside_logs_are_ignored_for_one_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(extracted("lm-eval-0.4.2", tmp_path))]) == 0
    reason = "This is a summary of lm-evaluation-harness, without scores of segments."
    assert f"Ignored large/results.json and small/results.json: {reason}\n" in capsys.readouterr().out
