"""References in tab-separated columns of one file: an option splits them, and a warning names it.

The oracle is sacreBLEU with the columns as references.
"""

import json
from pathlib import Path

import pytest
import sacrebleu

from mteval.base.errors import InputError
from mteval.cli import main
from mteval.readers.documents import FILE_NAME, InputFile
from mteval.readers.workspace import Workspace

SECOND = ["It did not rain.", "We left the town early that day.", "The lamp fell down at night.", "Nobody saw the cat."]
FIRST = ["There was no rain.", "That day we left town early.", "At night the lamp fell.", "No one had seen the cat."]
OLD = ["No rain came at all.", "That day we left the town early.", "The lamp fell at night.", "No one saw the cat."]
NEW = ["There was no rain.", "We left the town early today.", "The lamp fell down at night.", "Nobody saw a cat."]
TABS = "".join(f"{first}\t{second}\n" for first, second in zip(FIRST, SECOND, strict=True))
FEW = ["--metrics", "bleu", "--boot-samples", "50", "--ar-shuffles", "99"]
WARNING = "2 columns separated by tabs, which count as one text"


@pytest.fixture
def systems(tmp_path: Path) -> list[str]:
    """Options that name two systems, in a folder with ``ref.tsv``."""
    (tmp_path / "ref.tsv").write_text(TABS)
    (tmp_path / "old.txt").write_text("\n".join(OLD) + "\n")
    (tmp_path / "new.txt").write_text("\n".join(NEW) + "\n")
    return ["--system", "old", str(tmp_path / "old.txt"), "--system", "new", str(tmp_path / "new.txt")]


def bleu_in(printed: str) -> dict[str, float]:
    """BLEU of each system in JSON."""
    return {row["system"]: row["score"] for row in json.loads(printed)["scores"]}


def expected(*references: list[str]) -> dict[str, float]:
    """BLEU of both systems as sacreBLEU computes it."""
    by_system = {"old": OLD, "new": NEW}
    return {
        name: pytest.approx(sacrebleu.corpus_bleu(texts, list(references)).score) for name, texts in by_system.items()
    }


def test_columns_are_references(systems: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["eval", "--refs", str(tmp_path / "ref.tsv"), "--num-refs", "2", *systems, *FEW, "--json", "-"])
    printed = capsys.readouterr()
    assert bleu_in(printed.out) == expected(FIRST, SECOND)
    assert WARNING not in printed.out + printed.err


def test_without_the_option_a_warning_names_it(
    systems: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["eval", "--refs", str(tmp_path / "ref.tsv"), *systems, *FEW, "--json", "-"])
    printed = capsys.readouterr()
    assert bleu_in(printed.out) == expected(TABS.splitlines())
    (finding,) = [finding for finding in json.loads(printed.out)["findings"] if finding["code"] == "reference-columns"]
    assert finding["severity"] == "warning"
    assert "use --num-refs 2" in finding["detail"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--num-refs", "3"], "ref.tsv, line 1: 2 columns separated by tabs; expected 3."),
        (["--num-refs", "0"], "--num-refs is 0; expected 1 or more."),
    ],
)
def test_other_numbers_are_a_one_line_error(
    systems: list[str], tmp_path: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", "--refs", str(tmp_path / "ref.tsv"), *options, *systems, *FEW]) == 2
    assert message in capsys.readouterr().err


def test_further_tabs_stay_in_the_last_reference(
    systems: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ref.tsv"
    path.write_text("".join(f"{line}\tx\n" for line in TABS.splitlines()))
    main(["eval", "--refs", str(path), "--num-refs", "2", *systems, *FEW, "--json", "-"])
    assert bleu_in(capsys.readouterr().out) == expected(FIRST, [f"{line}\tx" for line in SECOND])


def test_experiment_of_a_report_replays_the_columns(
    systems: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report"
    main(["report", "--refs", str(tmp_path / "ref.tsv"), "--num-refs", "2", *systems, *FEW, "--to", str(report)])
    capsys.readouterr()
    main(["run", str(report / FILE_NAME), "--json", "-"])
    assert bleu_in(capsys.readouterr().out) == expected(FIRST, SECOND)


def test_page_splits_a_file_and_keeps_it_split() -> None:
    files = [InputFile("ref.tsv", TABS.encode()), InputFile("old.txt", "\n".join(OLD).encode())]
    workspace = Workspace().add(files)
    assert workspace.references_in_columns == {"ref.tsv": 2}
    split = workspace.split_references("ref.tsv", 2)
    assert [slot.file for slot in split.slots if slot.role == "hypothesis"] == ["old.txt"]
    with pytest.raises(InputError, match=r"old.csv: This is not plain text, so it has no columns of references"):
        Workspace().add([InputFile("old.csv", b"segment,hypothesis\n1,a\n")]).split_references("old.csv", 2)
    for again in (
        split,
        Workspace.of(split.files, split.edits),
        split.add([InputFile("new.txt", "\n".join(NEW).encode())]),
    ):
        experiment = again.experiment()
        assert experiment is not None
        assert experiment.test_sets[0].references == tuple(zip(FIRST, SECOND, strict=True))
        assert again.references_in_columns == {}
    assert next(file.content for file in split.files if file.name == "ref.tsv") == TABS.encode()


def test_outputs_with_the_same_tabs_are_texts_with_tabs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("ref.tsv", "old.tsv", "new.tsv"):
        (tmp_path / name).write_text(TABS.replace("rain", name[:3]))
    old, new = (str(tmp_path / name) for name in ("old.tsv", "new.tsv"))
    main(["eval", "--refs", str(tmp_path / "ref.tsv"), "--system", "old", old, "--system", "new", new, *FEW])
    assert WARNING not in capsys.readouterr().out
