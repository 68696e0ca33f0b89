"""The ledger: every input file exactly once, read, ignored or refused."""

import io
import json
import zipfile
from collections import Counter
from pathlib import Path

import pytest

from mteval.readers.documents import InputFile
from mteval.readers.folders import gathered
from mteval.readers.formats.uploads import unpack
from mteval.readers.workspace import Workspace
from mteval.values.ledger import Ledger

REFERENCE = b"the cat sat on the mat\na dog barked at night\n"
GOOD = {"ref.txt": REFERENCE, "base.0.txt": b"a cat sat\na dog\n", "new.0.txt": b"the cat\na dog barked\n"}


def zipped(files: dict[str, bytes]) -> bytes:
    """An archive of these files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def workspace_of(files: dict[str, bytes]) -> Workspace:
    """A workspace to which files were added."""
    return Workspace().add([InputFile(name, content) for name, content in files.items()])


def ledger_of(files: dict[str, bytes]) -> Ledger:
    """What became of files."""
    return workspace_of(files).assembly.ledger


def fates(ledger: Ledger) -> dict[str, str]:
    """What became of each file, of which there is one entry."""
    assert max(Counter(entry.file for entry in ledger).values()) == 1
    return {entry.file: entry.fate for entry in ledger}


def test_every_file_has_one_entry_with_its_role_form_and_extent() -> None:
    ledger = ledger_of(GOOD | {"table.csv": b"system,segment,hypothesis\nold,1,a\nold,2,b\nelse,1,c\nelse,2,d\n"})
    entry_of = {entry.file: entry for entry in ledger}
    assert list(entry_of) == ["base.0.txt", "new.0.txt", "ref.txt", "table.csv"]

    reference = entry_of["ref.txt"]
    assert reference.fate == "read"
    assert reference.roles == ("reference",)
    assert reference.format == "plain text"
    assert reference.rows == 2
    assert reference.segments == 2

    table = entry_of["table.csv"]
    assert table.roles == ("hypothesis",)
    assert table.format == "table"
    assert table.rows == 4
    assert table.segments == 2


def test_a_table_counts_its_own_rows_and_the_segments_of_all_test_sets() -> None:
    runs = [f"{system},{test_set},{run}" for system in "abc" for test_set in ("x", "y", "z") for run in range(5)]
    corpus_scores = "\n".join(("system,test_set,run,BLEU,chrF", *(f"{run},30.5,50.5" for run in runs)))
    segment_scores = "\n".join(("segment,Old,New", "1,0.5,0.6", "2,0.4,", "3,0.5,0.5"))
    ledger = ledger_of({"runs.csv": corpus_scores.encode(), "wide.csv": segment_scores.encode()})
    extents = {entry.file: (entry.rows, entry.segments) for entry in ledger}
    assert extents == {"runs.csv": (45, 3), "wide.csv": (3, 3)}


def test_members_of_an_archive_each_have_an_entry() -> None:
    clutter = {"__MACOSX/._ref.txt": b"\0\5", "__MACOSX/run/._base.0.txt": b"\0\5", "run/.DS_Store": b"\0"}
    ledger = ledger_of({"all.zip": zipped(GOOD | clutter | {"weights.bin": b"\0\1\2", "odd.dat": b"\0\1\2"})})
    assert fates(ledger) == {
        "all.zip/ref.txt": "read",
        "all.zip/base.0.txt": "read",
        "all.zip/new.0.txt": "read",
        "all.zip/__MACOSX/._ref.txt": "ignored",
        "all.zip/__MACOSX/run/._base.0.txt": "ignored",
        "all.zip/run/.DS_Store": "ignored",
        "all.zip/weights.bin": "ignored",
        "all.zip/odd.dat": "refused",
    }


def test_a_file_that_reading_refuses_stays_in_the_ledger_when_others_are_added() -> None:
    first = Workspace().add([InputFile("new.1.txt", b"\xff\xfe")])
    assert fates(first.assembly.ledger) == {"new.1.txt": "refused"}
    later = first.add([InputFile(name, content) for name, content in GOOD.items()])
    assert fates(later.assembly.ledger)["new.1.txt"] == "refused"
    mended = later.add([InputFile("new.1.txt", b"the cat\na dog\n")])
    assert fates(mended.assembly.ledger)["new.1.txt"] == "read"


def test_a_refused_file_stands_beside_the_verdict_and_an_ignored_one_does_not() -> None:
    files = GOOD | {"new.1.txt": b"one line\n", "new.2.txt": b"\xff\xfe", ".DS_Store": b"\0"}
    experiment = workspace_of(files).experiment()
    assert experiment is not None
    not_read = [finding for finding in experiment.noticed if finding.code == "not-read"]
    assert sorted(finding.files for finding in not_read) == [("new.1.txt",), ("new.2.txt",)]
    assert fates(experiment.ledger)["new.1.txt"] == "refused"


def test_hidden_folders_on_disk_are_counted(tmp_path: Path) -> None:
    for name, content in (GOOD | {".git/a": b"x", ".git/b/c": b"x", ".cache": b"x"}).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    ledger = gathered([tmp_path]).assembly.ledger
    assert [(entry.file, entry.count) for entry in ledger.of("ignored")] == [(".cache", 1), (".git", 2)]
    assert ledger.n_files == len(GOOD) + 3


def test_a_log_names_its_program_and_its_status() -> None:
    samples = []
    for number in range(3):
        sample = {"id": number, "epoch": 1, "input": "q", "target": "t", "output": {"completion": "a"}}
        samples.append(sample | {"scores": {"match": {"value": "C"}}})
    log = {
        "version": 2,
        "status": "error",
        "eval": {"model": "m", "task": "t", "run_id": "r", "created": "2026-01-01"},
        "samples": samples,
    }
    file = InputFile("log.json", json.dumps(log).encode())
    documents, _ = unpack([file])
    assert documents[0].program == "Inspect"
    experiment = Workspace().add([file]).direct("match", True).experiment()
    assert experiment is not None
    (warning,) = [finding.detail for finding in experiment.noticed if "status" in finding.detail]
    assert warning.startswith("log.json: Inspect ended with status 'error' after 3 samples.")


@pytest.mark.parametrize(
    ("name", "content"), [("figure.png", b"\x89PNG\0"), ("notes.md", b"text\n")], ids=["figure.png", "notes.md"]
)
def test_files_beside_an_experiment_file_are_ignored_by_name(
    name: str, content: bytes, experiment_folder: dict[str, bytes]
) -> None:
    ledger = ledger_of(experiment_folder | {f"saved/{name}": content})
    entry_of = {entry.file: entry for entry in ledger}
    assert entry_of[f"saved/{name}"].reason == "experiment.toml does not name it"
    assert entry_of["saved/experiment.toml"].reason == "read for roles and settings"
    assert entry_of["saved/ref.txt"].fate == "read"


@pytest.fixture
def experiment_folder() -> dict[str, bytes]:
    """An experiment file with the files that it names."""
    text = """
format = 1
baseline = "base"
[settings]
metrics = ["length"]
[[test_sets]]
name = "test"
references = ["ref.txt"]
role = "test"
[test_sets.systems.base]
0 = "base.0.txt"
[test_sets.systems.new]
0 = "new.0.txt"
"""
    return {"saved/experiment.toml": text.encode(), **{f"saved/{name}": content for name, content in GOOD.items()}}
