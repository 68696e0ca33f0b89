"""Rank files between median runs that were chosen on another test set."""

from pathlib import Path

import pytest

from mteval.cli import main

COMMAND = ("eval", "--metrics", "length", "--boot-samples", "10", "--ar-shuffles", "10", "--quiet")
REFERENCES = {"test": ["a b c d", "e f g h"], "dev": ["a b c d"]}
OUTPUTS = {  # by system and run; lengths rank the runs: on test run 0 is the median, on dev run 2
    "test": {"one": ["a b|e f g", "a|e", "a b c d|e f g h"], "two": ["a b c|e f", "a|e", "a b c d|e f g h"]},
    "dev": {"one": ["a", "a b c d", "a b"], "two": ["a", "a b c d", "a b c"]},
}


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """Two systems with three runs each on a tuning set and a test set."""
    words = list(COMMAND)
    for test_set, references, system in (("test", "--refs", "--system"), ("dev", "--dev-refs", "--dev-system")):
        words += [references, _file(tmp_path / f"refs.{test_set}", REFERENCES[test_set])]
        for name, runs in OUTPUTS[test_set].items():
            words += [system, name]
            for number, run in enumerate(runs):
                words.append(_file(tmp_path / f"{name}.{test_set}{number}", run.split("|")))
    return [*words, "--rankDir", str(tmp_path / "rank")]


def _file(path: Path, lines: list[str]) -> str:
    """The path of a new file with these lines."""
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def rank_file(folder: Path) -> str:
    """The text of the rank file that was written."""
    (file,) = (folder / "rank").iterdir()
    return file.read_text(encoding="utf-8")


def test_the_median_of_the_tuning_set_is_read_on_the_test_set(words: list[str], tmp_path: Path) -> None:
    assert main(words) == 0
    assert "e f g\n" in rank_file(tmp_path)
    assert main([*words, "--rank-median", "dev"]) == 0
    assert "e f g h\n" in rank_file(tmp_path)
    assert "e f g\n" not in rank_file(tmp_path)


def test_an_unknown_test_set_and_a_missing_rank_directory_are_errors(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--rank-median", "tune"]) != 0
    assert "tune" in capsys.readouterr().err
    assert main([*words[:-2], "--rank-median", "dev"]) != 0
    assert "--rank-median needs --rankDir" in capsys.readouterr().err


def test_a_median_run_without_output_on_the_test_set_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "files"
    for test_set, n_runs in (("test", 2), ("dev", 3)):
        for name, runs in OUTPUTS[test_set].items():
            (folder / name).mkdir(parents=True, exist_ok=True)
            for number, run in enumerate(runs[:n_runs]):
                _file(folder / name / f"{test_set}.opt{number}.txt", run.split("|"))
        _file(folder / f"refs.{test_set}.txt", REFERENCES[test_set])
    words = [*COMMAND, "--files", str(folder), "--rankDir", str(tmp_path / "rank"), "--rank-median", "dev"]
    assert main(words) != 0
    assert "Length ('2' of 'one'" in capsys.readouterr().err
