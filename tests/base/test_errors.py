"""Errors are those that Python programs expect."""

import pickle
from pathlib import Path

import pytest
from tblib.pickling_support import pickle_exception  # type: ignore[import-untyped]

import mteval
from mteval.base.errors import DataError, MissingFileError, MtevalError, SettingsError


@pytest.mark.parametrize("kind", [DataError, SettingsError])
def test_errors_of_values_are_also_value_errors(kind: type[MtevalError]) -> None:
    assert issubclass(kind, ValueError)


def test_a_missing_file_is_also_a_file_not_found_error(tmp_path: Path) -> None:
    missing = tmp_path / "missing.txt"
    with pytest.raises(FileNotFoundError, match=r"missing\.txt: No such file\. Check the path") as raised:
        mteval.compare({"a": [missing], "b": [["x"]]}, ["x"])
    assert isinstance(raised.value, MtevalError)
    with pytest.raises(FileNotFoundError, match=r"Name an experiment\.toml"):
        mteval.load(missing)


def test_an_unknown_setting_is_also_a_value_error() -> None:
    with pytest.raises(ValueError, match="confidence"):
        mteval.Settings(confidence=2.0)


def test_a_missing_file_keeps_its_name_and_message_in_copies() -> None:
    error = MissingFileError("No such file.", "a.txt")
    for copy in (pickle.loads(pickle.dumps(error)), error.at("b.txt")):
        assert isinstance(copy, MissingFileError)
        assert str(copy) == "a.txt: No such file."
        assert copy.file == "a.txt"


def test_a_missing_file_comes_back_from_a_worker_of_a_cluster() -> None:
    error = MissingFileError("No such file.", "a.txt")
    make, arguments = pickle_exception(error)[:2]  # as Dask's workers send it
    copy = make(*arguments)
    assert str(copy) == "a.txt: No such file."
    assert copy.file == "a.txt"
