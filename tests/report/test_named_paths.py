"""What the dashboard is started on is put into the library, once."""

from pathlib import Path

import pytest

from mteval.base.errors import InputError
from mteval.library import Library
from mteval.report.kept_experiment import Made, exported, opened
from mteval.report.merging import entry_of
from mteval.values.settings import Settings


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """A library without an entry."""
    return Library(tmp_path / "library", 1 << 30)


FILES = {"refs.txt": "a b\nc d\n", "base/1.txt": "a\nc\n", "new/1.txt": "a b\nc\n"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two systems of one run."""
    for name, text in FILES.items():
        path = tmp_path / "runs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "runs"


def test_a_folder_is_an_experiment_and_the_same_one_as_long_as_its_files_are_the_same(
    folder: Path, library: Library
) -> None:
    entry = entry_of([folder], library)
    kept = opened(library.content(entry.uid))
    assert [document.name for document in kept.workspace.documents] == [
        "runs/base/1.txt",
        "runs/new/1.txt",
        "runs/refs.txt",
    ]
    assert kept.experiment
    assert (entry.name, entry.owner) == ("base and new", "")
    assert entry_of([folder], library).uid == entry.uid
    (folder / "new" / "2.txt").write_text("a b\nc d\n")
    assert entry_of([folder], library).uid != entry.uid


def test_files_that_may_still_grow_are_left_for_later(folder: Path, library: Library) -> None:
    entry = entry_of([folder], library, left_to_grow=1000)
    assert opened(library.content(entry.uid)).workspace.documents == ()


def test_an_experiment_file_brings_its_files_settings_and_baseline(folder: Path, library: Library) -> None:
    kept = opened(library.content(entry_of([folder], library).uid))
    made = Made(kept.workspace.edits, Settings(("ter", "bleu"), seed=7), "new")
    described = folder.parent / "exported" / "experiment.toml"
    for name, content in exported(kept.workspace, made).items():
        path = described.parent / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    entry = entry_of([described], library)

    again = opened(library.content(entry.uid))
    assert (again.made.settings, again.made.baseline) == (made.settings, "new")
    assert again.experiment
    assert entry_of([described], library).uid == entry.uid
    described.write_text(described.read_text().replace("seed = 7", "seed = 8"))
    assert entry_of([described], library).uid != entry.uid


def test_missing_paths_are_errors(folder: Path, library: Library) -> None:
    with pytest.raises(InputError, match=r"nowhere.*No such file or folder"):
        entry_of([folder / "nowhere"], library)
    (folder / "experiment.toml").write_text("format = 1\n")
    with pytest.raises(InputError, match=r"experiment\.toml"):
        entry_of([folder / "experiment.toml"], library)
    assert library.listed() == ()
