"""Files of a folder wait until they are whole."""

from pathlib import Path

from mteval.readers.disk import FolderGrowth, files_below


def test_files_are_named_as_in_a_dropped_folder_without_hidden_ones(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    for name in ("base/opt10.txt", "base/opt2.txt", ".git/config", "new/.part", "__pycache__/x.pyc"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x\n")
    assert list(files_below(folder)) == ["runs/base/opt2.txt", "runs/base/opt10.txt"]


def test_file_is_complete_once_it_stops_changing(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / "old.txt").write_text("a\n")
    (folder / "empty.txt").touch()
    growth = FolderGrowth(folder).look({"runs/old.txt"})
    (folder / "new.txt").write_text("a\n")
    growth = growth.look({"runs/old.txt"})
    assert (growth.whole, growth.growing) == ((), ("runs/empty.txt", "runs/new.txt"))
    with (folder / "new.txt").open("a") as file:
        file.write("b\n")
    growth = growth.look({"runs/old.txt"})
    assert growth.whole == ()
    growth = growth.look({"runs/old.txt"})
    assert (growth.whole, growth.growing) == (("runs/new.txt",), ("runs/empty.txt",))
    assert [(file.name, file.content) for file in growth.read()] == [("runs/new.txt", b"a\nb\n")]
    assert growth.look({"runs/old.txt", "runs/new.txt"}).whole == ()


def test_deleted_folder_has_nothing_new(tmp_path: Path) -> None:
    assert FolderGrowth(tmp_path / "gone").look(()).whole == ()
