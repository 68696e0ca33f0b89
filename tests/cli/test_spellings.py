"""One name in two Unicode spellings, as macOS and other systems write it, is one name at every door."""

from pathlib import Path
from unicodedata import normalize

import pytest

import mteval
from mteval.cli import main
from mteval.readers.documents import InputFile
from mteval.readers.workspace import Workspace

COMPOSED = normalize("NFC", "café")
DECOMPOSED = normalize("NFD", "café")
REFERENCE = ["the cat sat on the mat", "a dog barked at night"]
FEW = ["--boot-samples", "5", "--ar-shuffles", "50"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Runs of one system under both spellings, and a table of its scores under the other one."""
    monkeypatch.chdir(tmp_path)
    texts = {
        f"{COMPOSED}.run0.txt": "the cat sat\na dog barked\n",
        f"{DECOMPOSED}.run1.txt": "the cat on the mat\na dog at night\n",
        "new.run0.txt": "a cat sat\na dog\n",
        "new.run1.txt": "a cat\na dog barked\n",
        "ref.txt": "\n".join((*REFERENCE, "")),
    }
    rows = ["system\trun\tsegment\tscore"]
    for run in (0, 1):
        rows += [f"{DECOMPOSED}\t{run}\t{segment}\t0.{segment}" for segment in (1, 2)]
        rows += [f"new\t{run}\t{segment}\t0.{segment + 5}" for segment in (1, 2)]
    texts[f"{DECOMPOSED}.tsv"] = "\n".join((*rows, ""))
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def systems_in(workspace: Workspace) -> dict[str, tuple[str, ...]]:
    experiment = workspace.experiment()
    assert experiment is not None
    return {system.key: system.runs for system in experiment.systems}


def test_file_names_and_tables_name_one_system(folder: Path) -> None:
    files = [InputFile(path.name, path.read_bytes()) for path in folder.iterdir()]
    workspace = Workspace().add(files).direct(DECOMPOSED, True)
    assert systems_in(workspace) == {COMPOSED: ("0", "1"), "new": ("0", "1")}
    experiment = workspace.experiment(DECOMPOSED)
    assert experiment is not None
    assert experiment.baseline == COMPOSED
    (metric,) = experiment.given
    assert metric.name == COMPOSED
    assert [(scores.system, scores.run) for scores in metric.scores] == [
        (COMPOSED, "0"),
        (COMPOSED, "1"),
        ("new", "0"),
        ("new", "1"),
    ]


def test_a_name_typed_on_the_page_joins_the_system_it_is_spelled_like(folder: Path) -> None:
    workspace = Workspace().add([InputFile("ref.txt", b"a\nb\n"), InputFile(f"{COMPOSED}.run0.txt", b"a\nc\n")])
    workspace = workspace.add([InputFile("other.txt", b"a\nd\n")])
    row = next(place for place, slot in enumerate(workspace.slots) if slot.file == "other.txt")
    edited = workspace.edit({row: {"system": DECOMPOSED, "run": "1"}})
    assert systems_in(edited) == {COMPOSED: ("0", "1")}


def test_commands_know_a_system_by_either_spelling(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outputs = ["--system", DECOMPOSED, f"{COMPOSED}.run0.txt", "--system", "new", "new.run0.txt"]
    words = ["eval", "--refs", "ref.txt", *outputs, "--baseline", COMPOSED, "--metrics", "length", *FEW]
    assert main(words) == 0
    assert f"new vs {COMPOSED}: " in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["eval", "--refs", "ref.txt", *outputs, "--system", COMPOSED, f"{DECOMPOSED}.run1.txt"])
    assert "is given twice" in capsys.readouterr().err


def test_python_knows_a_system_by_either_spelling() -> None:
    systems = {COMPOSED: [["the cat", "a dog"]], "new": [REFERENCE]}
    scores = {f"{DECOMPOSED} score": {DECOMPOSED: [[1, 2]], "new": [[2, 3]]}}
    comparison = mteval.compare(
        systems,
        REFERENCE,
        "length",
        scores=scores,
        lower_is_better=[f"{COMPOSED} score"],
        baseline="new",
        n_bootstrap=5,
        n_shuffles=50,
    )
    assert comparison.test(system=DECOMPOSED).system == COMPOSED
    assert not comparison.experiment.given[0].higher_is_better
