"""``mteval check``, and what every command says about files that it does not read."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import get_args
from zipfile import ZipFile

import pytest

import mteval
from mteval.cli import main
from mteval.readers.assembly.ledger import FORMS
from mteval.readers.documents import Format

REFERENCE = "the cat sat on the mat\na dog barked at night\n"
TEXTS = {
    "ref.txt": REFERENCE,
    "base/run0.txt": "a cat sat\na dog\n",
    "base/run1.txt": "a cat\na dog barked\n",
    "base/run2.txt": "a cat sat\na dog barked\n",
    "new/run0.txt": "the cat sat\na dog barked\n",
    "new/run1.txt": "the cat on the mat\na dog at night\n",
    "new/run2.txt": "the cat sat on\na dog barked at\n",
}
FEW = ["--metrics", "length", "--boot-samples", "5", "--ar-shuffles", "50"]
Run = Callable[..., tuple[int, str, str]]


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in a folder, and returns status, output and what it says on stderr."""
    monkeypatch.chdir(tmp_path)

    def of(*words: str) -> tuple[int, str, str]:
        status = main(list(words))
        said = capsys.readouterr()
        return status, said.out, said.err

    return of


def log(system: str, n_samples: int = 2, status: str = "success") -> str:
    samples = []
    for number in range(n_samples):
        sample = {"id": number, "epoch": 1, "input": "q", "target": "t", "output": {"completion": f"{system}{number}"}}
        samples.append(sample | {"scores": {"match": {"value": number / 8}}})
    about = {"model": system, "task": "t", "run_id": "r", "created": "2026-01-01"}
    return json.dumps({"version": 2, "status": status, "eval": about, "samples": samples})


def test_check_lists_files_what_they_support_and_what_is_missing(run: Run, tmp_path: Path) -> None:
    written(tmp_path / "all", TEXTS | {"docs.txt": "a\nb\n", "readme.md": "Two systems.\n", ".git/config": "x\n"})
    status, out, _ = run("check", "all")
    assert status == 0
    assert out.startswith("10 files: 8 read, 2 ignored.\n")
    assert "Ignored .git: hidden.\n" in out
    assert "  test: 2 systems × 3 runs, 2 segments in 2 documents, 1 reference, no source\n" in out
    assert "  Test-set and training luck.\n" in out
    assert "  COMET needs a source.\n" in out


def test_check_fails_if_a_file_is_refused_and_writes_all_as_json(run: Run, tmp_path: Path) -> None:
    written(tmp_path / "all", TEXTS | {"new/run3.txt": "one line\n"})
    status, out, _ = run("check", "all", "--json", "-")
    assert status == 1
    found = json.loads(out)
    fates = {entry["file"]: entry["fate"] for entry in found["files"]}
    assert fates == dict.fromkeys(TEXTS, "read") | {"new/run3.txt": "refused"}
    assert found["supports"] == ["Test-set and training luck."]


def test_a_file_that_would_stop_a_command_is_an_error_of_check_too(run: Run, tmp_path: Path) -> None:
    rows = "system,run,segment,hypothesis\nbase,0,1,a\nbase,0,2,b\nnew,0,1,a\n"
    written(tmp_path / "all", {"out.csv": rows, "ref.txt": "a\nb\n"})
    stopped, _, err = run("eval", "--files", "all", *FEW)
    assert stopped == 2
    assert "has no line for segment '2'" in err
    status, out, _ = run("check", "all")
    assert status == 1
    assert "Commands stop until out.csv is corrected or removed." in out
    written(tmp_path / "other", TEXTS | {"torn.csv": "segment,hypothesis\n1\n"})  # left out, as eval leaves it out
    status, out, _ = run("check", "other")
    assert status == 1
    assert "Commands stop" not in out
    status, _, _ = run("eval", "--files", "other", *FEW)
    assert status == 0


def test_an_experiment_is_checked_with_the_files_beside_it(run: Run, tmp_path: Path) -> None:
    written(tmp_path / "all", TEXTS)
    assert run("report", "--files", "all", *FEW, "--to", "report", "--only", "experiment")[0] == 0
    status, out, _ = run("check", "report/experiment.toml")
    assert status == 0
    assert "  test: 2 systems × 3 runs, 2 segments, 1 reference, no source\n" in out
    assert "Ignored experiment.toml: read for roles and settings.\n" in out


def test_a_log_that_ended_early_is_the_reason_for_its_missing_items(run: Run, tmp_path: Path) -> None:
    written(tmp_path / "logs", {"a.json": log("A", 8), "b.json": log("B", 3, "cancelled")})
    status, out, _ = run("check", "logs")
    assert status == 1
    assert "Inspect ended with status 'cancelled' after 3 samples." in out
    (tmp_path / "logs/b.json").unlink()
    status, _, err = run("eval", "--files", "logs", "--boot-samples", "5", "--ar-shuffles", "50")
    assert status == 2
    assert err.startswith("mteval: No metric. The scores 'match' are ignored until you choose")


def test_links_that_are_not_read_are_listed(run: Run, tmp_path: Path) -> None:
    written(tmp_path / "elsewhere", {"run0.txt": TEXTS["base/run0.txt"]})
    written(tmp_path / "all", {name: text for name, text in TEXTS.items() if not name.startswith("base/")})
    (tmp_path / "all/base").symlink_to("../elsewhere")
    (tmp_path / "all/gone.txt").symlink_to("nowhere.txt")
    (tmp_path / "all/loop").symlink_to(".")
    status, out, _ = run("check", "all")
    assert status == 1
    assert out.startswith("6 files: 4 read, 2 refused.\n")
    assert "Refused base: a link to the folder '../elsewhere', which is not followed. Name that folder too.\n" in out
    assert "Refused gone.txt: a link to 'nowhere.txt', which does not exist. Copy the file.\n" in out


def test_columns_of_references_are_mentioned(run: Run, tmp_path: Path) -> None:
    columns = "".join(f"{line}\t{line}\n" for line in REFERENCE.splitlines())
    written(tmp_path / "all", TEXTS | {"ref.txt": columns})
    _, out, _ = run("check", "all")
    assert "  Each line of ref.txt has 2 columns separated by tabs, which count as one text." in out


def test_eval_names_the_options_for_a_direction_in_the_words_of_check(run: Run, tmp_path: Path) -> None:
    written(tmp_path, {"runs.csv": "system,run,BLEU\nbase,0,20.5\nbase,1,21\nnew,0,22\nnew,1,22.5\n"})
    _, out, _ = run("check", "runs.csv")
    status, _, err = run("eval", "--files", "runs.csv", *FEW)
    assert status == 2
    assert err.startswith("mteval: The scores 'BLEU' are ignored until you choose whether higher or lower is better")
    assert err.removeprefix("mteval: ").strip() in out


def test_a_file_beside_a_folder_of_systems_leaves_them_systems(run: Run, tmp_path: Path) -> None:
    written(tmp_path, {"x/base.txt": "a cat\n", "x/top.txt": "the cat\n", "new.txt": "cat\n", "ref.txt": "the cat\n"})
    with ZipFile("x.zip", "w") as archive:
        for name in ("base.txt", "top.txt"):
            archive.write(tmp_path / "x" / name, name)
    for outputs in ("x", "x.zip"):
        status, out, _ = run("check", outputs, "new.txt", "ref.txt")
        assert status == 0
        assert "  test: 3 systems × 1 run, 1 segment, 1 reference, no source\n" in out


def test_runs_that_may_be_systems_are_asked_about_once(run: Run, tmp_path: Path) -> None:
    names = ("x/base.txt", "x/top.txt", "y/base.txt", "y/top.txt")
    written(tmp_path / "all", {name: f"the {name}\n" for name in names} | {"ref.txt": "the cat\n"})
    message = "Files base and top of folders x and y were read as runs of one system per folder."
    _, out, _ = run("check", "all")
    assert out.count(message) == 1
    _, out, _ = run("eval", "--files", "all", *FEW)
    assert out.count(message) == 1
    written(tmp_path / "numbered", TEXTS)
    _, out, _ = run("check", "numbered")
    assert "were read as runs" not in out


def test_each_test_set_supports_what_its_own_runs_allow(run: Run, tmp_path: Path) -> None:
    few = {f"{system}/dev.run0.txt": "a\nb\n" for system in ("base", "new")}
    named = {name.replace("run", "test.run"): text for name, text in TEXTS.items() if name != "ref.txt"}
    written(tmp_path / "all", named | few | {"ref.dev.txt": "a\nc\n", "ref.test.txt": REFERENCE})
    _, out, _ = run("check", "all", "--json", "-")
    found = json.loads(out)
    assert sorted(found["supports"]) == ["dev: test-set luck.", "test: test-set and training luck."]
    needed = "A final answer on training luck needs three runs per system. Fewer runs: base and new."
    assert needed in found["missing"]


def test_files_named_as_scores_must_have_some_and_of_a_folder_one_suffices(run: Run, tmp_path: Path) -> None:
    rows = "system,run,segment,grade\nbase,0,1,0.5\nnew,0,1,0.6\nbase,0,2,0.5\nnew,0,2,0.7\n"
    summary = json.dumps({"results": {}, "versions": {}})
    written(tmp_path / "all", {"with/s.csv": rows, "with/results.json": summary, "without/ref.txt": "a\nb\n"})
    status, _, _ = run("eval", "--files", "all/with", "--scores-higher", "all/with", *FEW[2:])
    assert status == 0
    status, _, err = run("eval", "--files", "all/without", "--scores-higher", "all/without", *FEW[2:])
    assert status == 2
    assert "all/without: No scores found. Expected a log of another program, or a table of scores" in err


def test_scores_without_a_direction_are_one_message(run: Run, tmp_path: Path) -> None:
    rows = "system,run,segment,grade,match\nbase,0,1,0.5,1\nnew,0,1,0.6,1\nbase,0,2,0.5,0\nnew,0,2,0.6,1\n"
    written(tmp_path / "all", {"scores.csv": rows})
    _, out, _ = run("check", "all")
    assert out.count("are ignored until you choose") == 1
    assert "The scores 'grade' and 'match' are ignored until you choose" in out


def test_given_scores_that_no_metric_names_are_reported(run: Run, tmp_path: Path) -> None:
    written(
        tmp_path,
        TEXTS | {"COMET.csv": "system,run,segment,score\nbase,0,1,0.5\nnew,0,1,0.6\nbase,0,2,0.5\nnew,0,2,0.6\n"},
    )
    systems = ["--refs", "ref.txt", "--system", "base", "base/run0.txt", "--system", "new", "new/run0.txt"]
    status, _, err = run("eval", *systems, "--scores-higher", "COMET.csv", *FEW)
    assert status == 0
    assert "The scores comet-given have no effect: they are not among the metrics" in err


@pytest.mark.parametrize("with_table", [True, False])
def test_files_that_trackers_write_beside_outputs_are_no_outputs(run: Run, tmp_path: Path, with_table: bool) -> None:
    table = {"columns": ["segment", "hypothesis", "reference", "score"], "data": [[1, "a", "a", 1.0], [2, "b", "c", 0]]}
    for system in ("base", "new"):
        place = f"{system}/wandb/run-20260101_000000-{system}1/files"
        files = {f"{place}/requirements.txt": "numpy==2\ntorch==2\n", f"{place}/output.log": "x\n"}
        files[f"{place}/wandb-summary.json"] = "{}"
        if with_table:
            files[f"{place}/media/table/out_0_0123456789abcdef0123.table.json"] = json.dumps(table)
        else:
            files[f"{place}/out.txt"] = "a cat\na dog\n"
            files["ref.txt"] = REFERENCE
        written(tmp_path / "runs", files)
    _, out, _ = run("check", "runs", "--json", "-")
    fates = {entry["file"]: entry["fate"] for entry in json.loads(out)["files"]}
    for file, fate in fates.items():
        assert fate == ("ignored" if file.endswith(("requirements.txt", ".log", "summary.json")) else "read"), file


def test_a_pattern_that_matches_no_file_is_named(run: Run) -> None:
    status, _, err = run("eval", "--files", "*.tmx", *FEW)
    assert status == 2
    assert "*.tmx: No such file" in err


def test_files_without_an_output_say_what_they_were_read_as(run: Run, tmp_path: Path) -> None:
    unit = '<tu><tuv xml:lang="en"><seg>a b</seg></tuv><tuv xml:lang="de"><seg>c d</seg></tuv></tu>'
    text = f'<?xml version="1.0"?><tmx version="1.4"><header srclang="en"/><body>{unit}</body></tmx>'
    written(tmp_path, {"memory.tmx": text})
    status, _, err = run("eval", "--files", "memory.tmx", *FEW)
    assert status == 2
    assert "No system output yet" in err
    assert "Read: memory.tmx (reference, source)." in err


@pytest.mark.parametrize("files", [{}, {"notes.txt": "a\nb\n"}, {"log.json": log("m", 0)}])
def test_a_folder_of_logs_without_a_score_is_refused_once(run: Run, tmp_path: Path, files: dict[str, str]) -> None:
    (tmp_path / "logs").mkdir()
    written(tmp_path / "logs", files)
    status, out, err = run("eval", "--logs", "logs")
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert "BLEU" not in err
    assert "The folder has no files" in err or "No scores found" in err or "has no answers" in err


def test_a_log_that_ended_early_stands_beside_the_verdict(run: Run, tmp_path: Path) -> None:
    written(tmp_path / "logs", {"a.json": log("a"), "b.json": log("b", status="error")})
    status, out, _ = run("eval", "--logs", "logs", *FEW[2:])
    assert status == 0
    assert "Inspect ended with status 'error' after 2 samples" in out


def test_logs_that_need_a_package_stop_before_anything_is_scored(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path / "logs", {"a.json": log("a"), "b.json": log("b")})
    (tmp_path / "logs" / "details.parquet").write_bytes(b"PAR1\0\0PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # as if it were not installed
    status, out, err = run("eval", "--logs", "logs", *FEW[2:])
    assert (status, out) == (2, "")
    assert "details.parquet: Parquet needs pyarrow." in err
    assert "Nothing was scored" in err


def test_a_torn_log_of_a_folder_is_counted_named_and_beside_the_verdict(run: Run, tmp_path: Path) -> None:
    files = {f"{system}.json": log(system) for system in "abcd"} | {"torn.json": log("e")[:-9], "none.json": "{}"}
    written(tmp_path / "logs", files)
    status, out, err = run("eval", "--logs", "logs", *FEW[2:])
    assert status == 0
    assert "mteval: 6 files: 4 read, 1 ignored, 1 refused.\n" in err
    assert "mteval: Refused torn.json: " in err
    assert "Not read. torn.json: " in out


def test_every_command_has_the_ledger_in_its_json(run: Run, tmp_path: Path) -> None:
    written(tmp_path / "all", TEXTS | {"readme.md": "x\n"})
    for words in (["eval"], ["compare"], ["gate", "--baseline", "base", "--candidate", "new"]):
        options = ["--metrics", "wer"]
        baseline = [] if words[0] == "gate" else ["--baseline", "base"]
        _, out, _ = run(*words, "--files", "all", *baseline, *options, "--format", "json")
        fates = {entry["file"]: entry["fate"] for entry in json.loads(out)["files"]}
        assert fates == dict.fromkeys(TEXTS, "read") | {"readme.md": "ignored"}, words


def test_one_metric_in_two_versions_is_not_comparable(run: Run, tmp_path: Path) -> None:
    rows = "system,run,segment,{metric}\n{system},0,1,0.5\n{system},0,2,0.6\n"
    written(tmp_path, {"a.csv": rows.format(metric="COMET-20", system="a")})
    written(tmp_path, {"b.csv": rows.format(metric="COMET-22", system="b")})
    status, _, err = run("eval", "--scores-higher", "a.csv", "b.csv", *FEW[2:])
    assert status == 2
    assert "Scores of two versions are not comparable" in err


def test_scores_of_references_in_many_files_are_one_message(run: Run, tmp_path: Path) -> None:
    rows = "system\trun\tsegment\tscore\n" + "".join(
        f"{system}\t0\t{n}\t0.5\n" for system in ("base", "new", "refA") for n in (1, 2)
    )
    names = [f"{metric}.tsv" for metric in ("one", "two", "three")]
    written(tmp_path, dict.fromkeys(names, rows) | {"refA.txt": REFERENCE} | TEXTS)
    systems = ["--refs", "refA.txt", "--system", "base", "base/run0.txt", "--system", "new", "new/run0.txt"]
    _, _, err = run("eval", *systems, "--scores-higher", *names, *FEW[2:], "--metrics", "one")
    assert (
        "one.tsv, two.tsv and three.tsv: Scores of refA are not used: here, it is a reference, not a system.\n" in err
    )


def test_python_has_the_ledger_of_a_folder_of_logs(tmp_path: Path) -> None:
    written(tmp_path, {"a.json": log("a"), "b.json": log("b"), "readme.md": "x\n"})
    files = mteval.compare_scores(tmp_path, n_shuffles=50, n_bootstrap=5).files
    assert dict(zip(files["file"], files["fate"], strict=True)) == {
        "a.json": "read",
        "b.json": "read",
        "readme.md": "ignored",
    }


def test_every_form_of_a_file_has_a_name_that_people_read() -> None:
    assert set(FORMS) == set(get_args(Format))


def test_documents_beside_scores_alone_are_in_the_ledger(run: Run, tmp_path: Path) -> None:
    rows = [f"{system},{segment},{segment % 3}" for system in ("a", "b") for segment in range(1, 9)]
    table = "\n".join(["system,segment,score", *rows]) + "\n"
    written(tmp_path, {"s.csv": table, "docs.txt": "d\n" * 4 + "e\n" * 4})
    _, out, _ = run("eval", "--scores-higher", "s.csv", "--documents", "docs.txt", "--json", "-", *FEW[2:])
    entries = {entry["file"]: (entry["fate"], entry["roles"]) for entry in json.loads(out)["files"]}
    assert entries == {"s.csv": ("read", ["scores"]), "docs.txt": ("read", ["documents"])}


def test_scores_named_after_their_test_sets_are_one_metric(run: Run, tmp_path: Path) -> None:
    for pair in ("de-en", "fr-en"):
        texts = {f"{pair}/{system}.txt": "a cat\na dog\n" for system in ("base", "new")}
        scores = "".join(f"{system}\t{value}\n" for system in ("base", "new") for value in (-1, -2))
        written(tmp_path / "all", texts | {f"{pair}/ref.txt": REFERENCE, f"{pair}/{pair}.mqm.seg.score": scores})
    _, out, _ = run("check", "all")
    assert out.count("scores mqm\n") == 2
    _, out, _ = run("check", "all/de-en")
    assert "scores de-en.mqm\n" in out or "scores 'de-en.mqm'" in out


def test_outputs_in_columns_are_named(run: Run, tmp_path: Path) -> None:
    columns = "".join(f"{line}\t{line}\t{line}\n" for line in REFERENCE.splitlines())
    _, out, _ = run("check", str(written(tmp_path, {"out.tsv": columns})))
    assert "Each line of system 'out.tsv' on 'test' has 3 columns separated by tabs, which count as one text." in out
    _, out, _ = run("check", str(written(tmp_path / "plain", TEXTS)))
    assert "columns" not in out


def test_runs_that_count_once_are_named(run: Run, tmp_path: Path) -> None:
    longer = {name: content * 4 for name, content in TEXTS.items()}  # chance makes no runs equal there
    _, out, _ = run("check", str(written(tmp_path, longer | {"new/run1.txt": longer["new/run0.txt"]})))
    assert "test: 2 systems with 2 to 3 runs" in out
    assert "Runs 0 and 1 of 'new' are identical on 'test'. They count as one run." in out


@pytest.mark.parametrize(("first", "agrees"), [("base", True), ("Base", False)])
def test_agreement_with_people_needs_two_systems_that_both_have(
    run: Run, tmp_path: Path, first: str, agrees: bool
) -> None:
    rows = "".join(f"{system}\t{segment}\tann\t{segment}0\n" for system in (first, "new") for segment in (1, 2))
    judged = {"judged.tsv": f"system\tsegment\tannotator\tscore\n{rows}"}
    written(tmp_path / "runs", TEXTS | judged)
    _, out, _ = run("check", "runs")
    lacking = f"Judged: {first} and new. With outputs or scores: base and new."
    assert ("Agreement with human judgements (mteval people)." in out) is agrees
    assert ("Comparison of systems by human judgements (mteval people)." in out) is not agrees
    assert (lacking in out) is not agrees

    written(tmp_path / "judged", judged)
    _, out, _ = run("check", "judged")
    assert "Comparison of systems by human judgements (mteval people)." in out
    assert "Agreement" not in out


def test_n_best_lists_alone_can_all_be_used(run: Run, tmp_path: Path) -> None:
    lists = "".join(f"{segment} ||| a cat ||| F0= -1 ||| -{rank}.5\n" for segment in (0, 1) for rank in (1, 2))
    written(tmp_path / "lists", {"base.nbest": lists, "ref.txt": REFERENCE})
    status, out, _ = run("check", "lists")
    assert status == 0
    assert "N-best lists only. Read them with 'mteval nbest'" in out
    status, _, err = run("eval", "--files", "lists", *FEW)
    assert status == 2
    assert "N-best lists only. Read them with 'mteval nbest'" in err


def test_eval_of_judgements_alone_names_the_command_that_reads_them(run: Run, tmp_path: Path) -> None:
    rows = "".join(f"{system}\t{segment}\tann\t{segment}0\n" for system in ("base", "new") for segment in (1, 2))
    written(tmp_path / "judged", {"judged.tsv": f"system\tsegment\tannotator\tscore\n{rows}"})
    status, _, err = run("eval", "--files", "judged", *FEW)
    assert status == 2
    assert "Human judgements only. Compare systems with 'mteval people'" in err


@pytest.mark.parametrize("name", ["ref.txt~", "plot.png"])
def test_a_file_that_is_never_read_is_named_with_its_reason(run: Run, tmp_path: Path, name: str) -> None:
    written(tmp_path, TEXTS | {name: "\0"})
    status, _, err = run("eval", "--refs", "ref.txt", "--system", "base", name, "--system", "new", "ref.txt", *FEW)
    assert status == 2
    assert f"{name}: Not read: " in err
    assert ". Name another file." in err
