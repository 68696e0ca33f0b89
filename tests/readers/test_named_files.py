"""Files named on a command line."""

import bz2
import gzip
import tarfile
from pathlib import Path

import pytest

from mteval.base.errors import DataError, InputError, MtevalError
from mteval.readers.named_files import load_paths

LINES = [f"line {number} of a small text" for number in range(20)]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A folder of outputs and references of 20 lines, of which each has its name in every line; and of bad files."""
    text = "".join(line + "\n" for line in LINES)
    for name in ("ref0", "ref1", "a0", "a1", "b0"):
        (tmp_path / name).write_text(text.replace("small", name), encoding="utf-8")
    (tmp_path / "a2.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "b1.bz2").write_bytes(bz2.compress(text.encode()))
    (tmp_path / "short").write_text("".join(line + "\n" for line in LINES[1:]), encoding="utf-8")
    (tmp_path / "latin").write_bytes(b"caf\xe9\n")
    return tmp_path


def test_runs_are_numbered_in_the_order_of_their_files(directory: Path) -> None:
    references = [directory / "ref0", directory / "ref1"]
    systems = {
        "baseline": [directory / "a1", directory / "a0", directory / "a2.gz"],
        "sys1": [directory / "b1.bz2"],
    }

    experiment = load_paths(references, systems, baseline="baseline").experiment

    (test_set,) = experiment.test_sets
    assert [(run.system, run.key, run.hypotheses[0]) for run in test_set.runs] == [
        ("baseline", "0", "line 0 of a a1 text"),
        ("baseline", "1", "line 0 of a a0 text"),
        ("baseline", "2", "line 0 of a small text"),
        ("sys1", "0", "line 0 of a small text"),
    ]
    assert test_set.references[3] == ("line 3 of a ref0 text", "line 3 of a ref1 text")


def test_eleven_runs_keep_their_order(directory: Path) -> None:
    references = [directory / "ref0"]
    files = {"x": [directory / "a0"] * 11}

    with_copies = load_paths(references, files, baseline="x", keeps_copies=True).experiment
    without_copies = load_paths(references, files, baseline="x").experiment

    assert with_copies.systems[0].runs == ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10")
    assert without_copies.systems[0].runs == ("0",)
    assert len(without_copies.test_sets[0].copies) == 10


def test_one_file_may_serve_two_systems_and_as_reference(directory: Path) -> None:
    path = directory / "a0"
    more = [(directory / "b0", "source"), (directory / "ref0", "documents")]

    experiment = load_paths([path], {"x": [path], "y": [path]}, baseline="y", more=more).experiment

    assert experiment.baseline == "y"
    (test_set,) = experiment.test_sets
    assert {run.digest for run in test_set.runs} == {test_set.runs[0].digest}
    assert test_set.source == tuple(line.replace("small", "b0") for line in LINES)
    assert test_set.documents == tuple(line.replace("small", "ref0") for line in LINES)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing", "No such file"),
        (".", "is a folder"),
        ("latin", r"line 1: Byte 0xE9 at offset 3"),
        ("short", r"line 1: System 'x', run '1' has 19 segments .* Line 1 is the first that looks shifted"),
        ("nbest", "n-best list"),
        ("archive.tar", "is an archive"),
        ("table.tsv", "2 columns with role hypothesis"),
    ],
)
def test_bad_file_is_an_error(directory: Path, name: str, words: str) -> None:
    (directory / "nbest").write_text("0 ||| a ||| f=1 ||| -1\n", encoding="utf-8")
    with tarfile.open(directory / "archive.tar", "w") as archive:
        archive.add(directory / "a0", "a0")
    (directory / "table.tsv").write_text("system\thypothesis\nx\ta\ny\tb\n", encoding="utf-8")
    path = directory / name

    with pytest.raises(InputError, match=words) as caught:
        load_paths([directory / "ref0"], {"x": [directory / "a0", path]}, baseline="x")

    assert caught.value.file == str(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    ("refs", "systems", "words"),
    [
        (["ref0"], {"y": ["a0"]}, "baseline 'x' is not among the systems: y"),
        (["ref0"], {"x": []}, "System 'x' has no files"),
    ],
)
def test_missing_parts_are_errors(directory: Path, refs: list[str], systems: dict[str, list[str]], words: str) -> None:
    references = [directory / name for name in refs]
    outputs = {}
    for system, names in systems.items():
        outputs[system] = [directory / name for name in names]

    with pytest.raises(DataError, match=words):
        load_paths(references, outputs, baseline="x")
    assert issubclass(DataError, MtevalError)


def test_references_of_other_lengths_are_an_error(directory: Path) -> None:
    references = [directory / "ref0", directory / "short"]

    with pytest.raises(InputError, match="The reference has 19 segments"):
        load_paths(references, {"x": [directory / "a0"]}, baseline="x")


def test_a_table_or_sgml_file_gives_the_stream_of_its_role(directory: Path) -> None:
    body = "".join(f'<seg id="{number}">{line}</seg>' for number, line in enumerate(LINES))
    (directory / "ref.sgm").write_text(f'<refset><doc docid="d">{body}</doc></refset>', encoding="utf-8")

    experiment = load_paths([directory / "ref.sgm"], {"x": [directory / "a0"]}, baseline="x").experiment

    assert experiment.test_sets[0].references == tuple((line,) for line in LINES)
