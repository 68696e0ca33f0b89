"""What is loaded: files in, edits in, experiment out."""

import gzip
import io
import zipfile
from dataclasses import replace
from typing import Any

import pytest

from mteval.base.errors import InputError
from mteval.readers.documents import InputFile
from mteval.readers.workspace import ScoreTable, Workspace
from mteval.values.model import Experiment

WORD = "1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n"
JUDGEMENTS = "annotator,system,segment,document,order,scale,value\nann,new,1,,,esa,40\n"
SCORES = "system,run,score\nbase,0,1\nbase,0,2\nnew,0,3\nnew,0,4\n"
EXPERIMENT = """
format = 1
baseline = "new"
[settings]
metrics = ["bleu"]
[[test_sets]]
name = "mine"
role = "analysis"
references = ["refs.txt"]
[test_sets.systems]
new = {"7" = "new/opt0.txt"}
"""


def files(**texts: str) -> list[InputFile]:
    """Files whose names are written with ``__`` for ``/`` and with ``_txt`` for ``.txt``."""
    written = []
    for argument, text in texts.items():
        name = argument.replace("__", "/").replace("_txt", ".txt")
        written.append(InputFile(name, text.encode()))
    return written


@pytest.fixture
def loaded() -> Workspace:
    """A test set with two systems."""
    return Workspace().add(files(refs_txt="a b\nc d\n", base__opt0_txt="a b\nc\n", new__opt0_txt="a\nc d\n"))


def row(workspace: Workspace, file: str) -> int:
    """The row of a file in the table of slots."""
    return [slot.file for slot in workspace.slots].index(file)


def experiment_of(workspace: Workspace) -> Experiment:
    experiment = workspace.experiment()
    assert experiment is not None
    return experiment


def systems(workspace: Workspace) -> list[str]:
    return [system.key for system in experiment_of(workspace).systems]


def test_an_edited_cell_changes_the_experiment(loaded) -> None:
    edited = loaded.edit({row(loaded, "new/opt0.txt"): {"system": "better"}})

    assert systems(edited) == ["base", "better"]
    assert systems(loaded) == ["base", "new"]


def test_edits_count_from_where_the_table_started_so_that_taking_one_back_restores_the_guess(loaded) -> None:
    edited = loaded.edit({row(loaded, "new/opt0.txt"): {"included": False}})
    assert systems(edited) == ["base"]
    assert edited.edit({}, loaded.slots) == loaded


def test_edits_stay_when_files_are_added(loaded) -> None:
    edited = loaded.edit({row(loaded, "new/opt0.txt"): {"system": "better"}})

    with_third = edited.add(files(third__opt0_txt="x\ny\n"))

    assert systems(with_third) == ["base", "better", "third"]


def test_emptied_cells_are_none_and_a_test_set_always_has_a_name(loaded) -> None:
    index = row(loaded, "new/opt0.txt")

    edited = loaded.edit({index: {"system": "  ", "test_set": None}})

    assert edited.slots[index].system is None
    assert edited.slots[index].test_set == "test"


def test_only_editable_columns_change(loaded) -> None:
    assert loaded.edit({0: {"file": "other"}}) == loaded


def test_a_second_file_of_the_same_name_with_other_text_is_kept_under_a_name_of_its_own(loaded) -> None:
    workspace = loaded.add(files(base__opt0_txt="other\ntext\n"))

    names = [document.name for document in workspace.documents]
    assert names.count("base/opt0.txt") == 1
    assert "base/opt0.txt (2)" in names


def test_the_same_file_is_added_once(loaded) -> None:
    assert loaded.add(files(base__opt0_txt="a b\nc\n")) == loaded


def test_unknown_baseline_falls_back_to_the_guess(loaded) -> None:
    assert loaded.experiment("new").baseline == "new"
    assert loaded.experiment().baseline == "base"
    assert loaded.experiment("gone").baseline == "base"


def test_no_files_or_useless_files_make_no_experiment() -> None:
    assert Workspace().experiment() is None

    references_alone = Workspace().add(files(refs_txt="a\n"))
    assert references_alone.experiment() is None
    assert any("output" in problem.message for problem in references_alone.assembly.problems)


def test_parses_added_before_their_texts_match_unless_edited() -> None:
    names = ("refs.conllu", "base/opt0.conllu", "new/opt0.conllu")
    parses = Workspace().add([InputFile(name, WORD.encode()) for name in names])
    edited = parses.edit({row(parses, "new/opt0.conllu"): {"included": False}})

    with_texts = edited.add(files(refs_txt="a\n", base__opt0_txt="a\n", new__opt0_txt="a\n"))

    (test_set,) = experiment_of(with_texts).test_sets
    assert test_set.reference_parses == ((WORD + "\n",),)
    assert {run.system: run.parses for run in test_set.runs} == {"base": (WORD + "\n",), "new": None}


def test_scores_become_a_metric_once_directed_and_keep_it_when_renamed(loaded) -> None:
    with_scores = loaded.add([InputFile("Judge.csv", SCORES.encode())])
    assert with_scores.score_names == ("Judge",)
    assert experiment_of(with_scores).given == ()

    directed = with_scores.direct("Judge", False)
    renamed = directed.edit({row(directed, "Judge.csv"): {"name": "Mine"}})
    (metric,) = experiment_of(renamed).given
    assert metric.name == "Mine"
    assert not metric.higher_is_better

    assert experiment_of(directed.direct("Judge", None)).given == ()


def test_scores_must_not_have_a_reserved_key(loaded) -> None:
    directed = loaded.add([InputFile("Judge.csv", SCORES.encode())]).direct("Judge", True)
    assert [metric.key for metric in experiment_of(directed).given] == ["judge"]

    reserved = replace(directed, reserved=("judge",))
    assert "judge" not in [metric.key for metric in experiment_of(reserved).given]


def table(text: str = SCORES) -> ScoreTable:
    """Scores that a campaign computed."""
    return ScoreTable("people", "People", "test", True, text)


def test_computed_scores_are_files_and_newer_ones_replace_them(loaded) -> None:
    with_scores = loaded.add_snapshot("campaign", [table()], "test", JUDGEMENTS)
    assert with_scores.has_snapshot("campaign")
    (metric,) = experiment_of(with_scores).given
    assert metric.name == "People"
    assert [scores.values for scores in metric.scores] == [(1.0, 2.0), (3.0, 4.0)]

    newer = with_scores.add_snapshot("campaign", [table(SCORES.replace("4", "9"))], "test", JUDGEMENTS)
    (metric,) = experiment_of(newer).given
    assert [scores.values for scores in metric.scores] == [(1.0, 2.0), (3.0, 9.0)]
    assert len(newer.documents) == len(with_scores.documents)

    removed = newer.remove_snapshot("campaign")
    assert not removed.has_snapshot("campaign")
    assert removed.documents == loaded.documents


def test_own_judgements_are_outside_the_experiment_and_replaced_by_newer_ones(loaded) -> None:
    first = loaded.add_snapshot("campaign", [table()], "test", JUDGEMENTS)

    newer = first.add_snapshot("campaign", [], "test", JUDGEMENTS.replace("40", "60"))

    ((test_set, judgements_by_file),) = newer.judgements.items()
    assert test_set == "test"
    (judgements,) = judgements_by_file.values()
    assert [judgement.value for judgement in judgements] == [60.0]
    assert experiment_of(newer).systems == experiment_of(loaded).systems
    assert newer.remove_snapshot("campaign").judgements == {}
    with_another_file = newer.add([InputFile("more.txt", b"")])
    assert list(with_another_file.judgements.values()) == [judgements_by_file]


def test_loaded_experiment_has_only_files_in_use(loaded) -> None:
    edited = loaded.edit({row(loaded, "new/opt0.txt"): {"included": False}})

    in_use = edited.loaded(experiment_of(edited))

    assert {slot.file for slot in in_use.slots} == {"refs.txt", "base/opt0.txt"}


def zipped(contents: dict[str, str]) -> bytes:
    """An archive of files."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in contents.items():
            archive.writestr(name, text)
    return stream.getvalue()


def described(loaded: Workspace) -> Workspace:
    """The same files in an archive, with a file that describes them."""
    texts = {file.name: file.content.decode() for file in loaded.files}
    archive = zipped(texts | {"experiment.toml": EXPERIMENT})
    return Workspace().add([InputFile("all.zip", archive)])


def test_experiment_file_sets_roles_and_replaces_loaded_files(loaded) -> None:
    from_archive = described(loaded)
    assert from_archive.edits.is_described
    assert from_archive.described.baseline == "new"
    (test_set,) = experiment_of(from_archive).test_sets
    assert test_set.name == "mine"
    assert test_set.role == "analysis"
    assert test_set.runs[0].key == "7"

    added = loaded.add([InputFile("experiment.toml", EXPERIMENT.encode()), *loaded.files])
    assert [slot.role for slot in added.slots] == ["reference", "hypothesis"]


def test_unreadable_experiment_file_keeps_loaded_files(loaded) -> None:
    workspace = loaded.add([InputFile("experiment.toml", b"format = 3")])

    assert workspace == loaded
    assert "'format' is 3" in workspace.rejected[0].message


STATES = {
    "nothing": lambda loaded: Workspace(),
    "a guess": lambda loaded: loaded,
    "edited": lambda loaded: loaded.edit({0: {"system": "x"}, 1: {"included": False}, 2: {"role": "source"}}),
    "a name twice": lambda loaded: loaded.add(files(base__opt0_txt="other\ntext\n")),
    "edited, then more files": lambda loaded: loaded.edit({0: {"run": "9"}}).add(files(third__opt0_txt="x\ny\n")),
    "compressed": lambda loaded: loaded.add([InputFile("more/opt0.txt.gz", gzip.compress(b"x\ny\n"))]),
    "archive": lambda loaded: loaded.add([InputFile("a.zip", zipped({"more/opt0.txt": "x\ny\n", "s.csv": SCORES}))]),
    "line ends": lambda loaded: loaded.add([InputFile("more/opt0.txt", b"\xef\xbb\xbfx\r\ny")]),
    "lines within lines": lambda loaded: loaded.add([InputFile("more/opt0.txt", "x\u2028z\ny\x85\n".encode())]),
    "scores": lambda loaded: loaded.add([InputFile("Judge.csv", SCORES.encode())]).direct("Judge", False),
    "scores twice": lambda loaded: loaded.add([InputFile("J.csv", SCORES.encode())]).add(
        [InputFile("J.csv", SCORES.replace("4", "5").encode())]
    ),
    "scores made here": lambda loaded: loaded.add_snapshot("campaign", [table()], "test", JUDGEMENTS),
    "judgements made here": lambda loaded: loaded.add_snapshot("campaign", [], "test", JUDGEMENTS),
    "parses": lambda loaded: loaded.add([InputFile("refs.conllu", (WORD + "\n" + WORD).encode())]),
    "n-best list": lambda loaded: loaded.add([InputFile("my.nbest", b"0 ||| a ||| f=1 ||| -1\n")]),
    "described": described,
    "an unreadable file": lambda loaded: loaded.add([InputFile("bad.txt", b"\xff\xfe")]),
}


@pytest.mark.parametrize("state", STATES)
def test_workspace_is_restored_from_files_and_edits(loaded, state: str) -> None:
    workspace = STATES[state](loaded)

    restored = Workspace.of(workspace.files, workspace.edits)

    assert restored == workspace
    # Refused files are no part of it, so neither is the warning on them
    assert restored.assembly == replace(workspace, unread=()).assembly
    assert restored.files == workspace.files


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ({999: {"system": "x"}}, "no row 1000"),
        ({-1: {"system": "x"}}, "no row 0"),
        ({0: {"system": 5}}, "system"),
        ({0: {"role": ["hypothesis"]}}, "role"),
        ({0: {"role": "nothing"}}, "role"),
        ({0: {"included": "no"}}, "included"),
        ({0: {"run": {}}}, "run"),
    ],
)
def test_edits_of_other_rows_or_kinds_are_refused(loaded: Workspace, edits: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        loaded.edit(edits)
