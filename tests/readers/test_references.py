"""References without outputs."""

from pathlib import Path

import pytest

from mteval.base.errors import DataError, InputError
from mteval.readers.named_files import read_references


def test_several_files_give_each_segment_several_references(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\ntwo\n", encoding="utf-8")
    (tmp_path / "b").write_text("eins\nzwei\n", encoding="utf-8")
    test_set = read_references([tmp_path / "a", tmp_path / "b"])
    assert test_set.references == (("one", "eins"), ("two", "zwei"))
    assert test_set.runs == ()


def test_a_source_gives_each_segment_its_own(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\ntwo\n", encoding="utf-8")
    (tmp_path / "s").write_text("uno\ndue\n", encoding="utf-8")
    test_set = read_references([tmp_path / "a"], tmp_path / "s")
    assert test_set.source == ("uno", "due")
    assert test_set.references == (("one",), ("two",))


def test_files_of_different_lengths_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\ntwo\n", encoding="utf-8")
    (tmp_path / "b").write_text("eins\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"b: 1 segment, but '.*a' has 2"):
        read_references([tmp_path / "a", tmp_path / "b"])
    with pytest.raises(InputError, match=r"b: 1 segment, but '.*a' has 2"):
        read_references([tmp_path / "a"], tmp_path / "b")


def test_source_may_come_without_references(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("uno\ndue\n", encoding="utf-8")
    test_set = read_references([], tmp_path / "s")
    assert test_set.source == ("uno", "due")
    assert test_set.references == ((), ())


def test_no_file_is_an_error() -> None:
    with pytest.raises(DataError, match=r"No reference.* --refs, or --source"):
        read_references([])
