"""What is kept is what was loaded; an entry can be exported and dropped in again; what changed is said."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest

from mteval.analysis.evaluation import evaluate
from mteval.analysis.results import Results, reported_test_set
from mteval.analysis.scoring import Work
from mteval.answers.experiments import changes_section
from mteval.base.errors import DataError
from mteval.library import Content, Library
from mteval.readers.documents import InputFile
from mteval.readers.workspace import Workspace
from mteval.report.kept_experiment import (
    Made,
    Opened,
    card_from,
    content_of,
    exported,
    line_from,
    opened,
    usual_name,
)
from mteval.report.kept_numbers import numbers_of
from mteval.values.asker import OPERATOR
from mteval.values.definitions import DEFINITIONS, MEANINGS
from mteval.values.notation import DASH
from mteval.values.renamed import RENAMED
from mteval.values.settings import Settings

SETTINGS = Settings(("bleu", "length"), n_bootstrap=20, n_shuffles=50)
RECORDED = Settings(
    ("bleu", "length", "ter"), n_bootstrap=20, n_shuffles=50, options={"bleu": {"lowercase": True}}, seed=7
)
SENTENCE = "the quick brown fox jumps over the lazy dog while it rains on every roof"


def files(cut: int = 5, **further: str) -> dict[str, str]:
    """References, three runs of two systems, and files that are left out."""
    references = [" ".join(SENTENCE.split()[number % 5 :]) for number in range(12)]
    files = {"refs.txt": "\n".join(references) + "\n"}
    for system, every in {"base": 4, "new": cut}.items():
        for run in range(3):
            lines = [thinned(reference, every, place + run) for place, reference in enumerate(references)]
            files[f"{system}/opt{run}.txt"] = "\n".join(lines) + "\n"
    return files | further


def thinned(line: str, every: int, start: int) -> str:
    """A line without one word in so many."""
    return " ".join(word for place, word in enumerate(line.split()) if (place + start) % every)


def loaded(texts: Mapping[str, str]) -> Workspace:
    """The workspace into which files were dropped."""
    return Workspace().add([InputFile(name, text.encode()) for name, text in texts.items()])


def results_of(workspace: Workspace, settings: Settings = SETTINGS, baseline: str | None = None) -> Results:
    """What the experiment of a workspace gives."""
    experiment = workspace.experiment(baseline)
    assert experiment
    return Results(experiment, evaluate(experiment, settings, Work()), reported_test_set(experiment))


def kept(workspace: Workspace, settings: Settings = SETTINGS, baseline: str | None = None) -> Opened:
    """An entry of the library, opened again."""
    results = results_of(workspace, settings, baseline)
    return opened(content_of(workspace, Made(workspace.edits, settings, baseline), results))


def test_files_edits_settings_baseline_and_numbers_survive_saving(tmp_path: Path) -> None:
    workspace = loaded(files(notes="one\ntwo\n"))
    row = [slot.file for slot in workspace.slots].index("new/opt2.txt")
    workspace = workspace.edit({row: {"included": False}})
    results = results_of(workspace, baseline="new")
    library = Library(tmp_path, 1 << 30)
    listed = library.add(content_of(workspace, Made(workspace.edits, SETTINGS, "new"), results), "mine", OPERATOR)
    back = opened(library.content(listed.uid))
    assert (back.workspace, back.made.settings, back.made.baseline) == (workspace, SETTINGS, "new")
    assert back.results
    assert back.experiment
    assert back.experiment.digest == results.experiment.digest
    assert back.results.evaluation.scores.equals(results.evaluation.scores)


def test_numbers_beside_a_file_that_cannot_be_read_are_there_again_with_the_reason() -> None:
    workspace = loaded(files() | {"notes.dat": "\0"})
    back = kept(workspace)
    assert back.experiment
    assert back.results
    assert back.experiment.ledger == workspace.assembly.ledger
    assert [entry.file for entry in back.experiment.ledger.of("refused")] == ["notes.dat"]
    assert back.made == Made(workspace.edits, SETTINGS, None)


def test_what_makes_no_experiment_yet_is_kept_as_well(tmp_path: Path) -> None:
    workspace = loaded({name: text for name, text in files().items() if "refs" in name})
    content = content_of(workspace, Made(workspace.edits, None, None), None)
    back = opened(content)
    assert back.workspace == workspace
    assert (back.experiment, back.results) == (None, None)
    assert usual_name(None, 6) == "6 files"
    with pytest.raises(DataError, match="Outputs are missing"):
        exported(back.workspace, back.made)


def test_an_exported_entry_dropped_in_is_the_same_experiment() -> None:
    entry = kept(loaded(files()), baseline="new")
    exported_files = exported(entry.workspace, entry.made)
    again = Workspace().add([InputFile(name, content) for name, content in exported_files.items()])
    assert again.described
    assert again.described.settings == entry.made.settings
    experiment = again.experiment(again.described.baseline)
    assert experiment
    assert entry.experiment
    assert experiment.digest == entry.experiment.digest


def test_the_card_has_systems_runs_metric_and_verdict() -> None:
    workspace = loaded(files())
    made = Made(workspace.edits, SETTINGS, None)
    content = content_of(workspace, made, results_of(workspace), with_files=False)
    card = card_from(content.card)
    assert content.files is None
    assert (card.systems, card.n_runs, card.metric, card.n_segments) == (("base", "new"), (3, 3), "BLEU", 12)
    (concluded,) = card.concluded
    assert card.verdict == f"new {concluded.word}"
    assert line_from(content.card).endswith(card.verdict)
    assert "damaged" in line_from({})
    assert usual_name(workspace.experiment(), 7) == "base and new"


def test_of_many_systems_the_card_counts_the_verdicts() -> None:
    workspace = loaded(files())
    card = card_from(content_of(workspace, Made(workspace.edits, None, None), None).card)
    concluded = [
        {"system": "0", "conclusion": "BETTER", "is_provisional": False},
        {"system": "1", "conclusion": "BETTER", "is_provisional": False},
        {"system": "2", "conclusion": "NOT_SHOWN", "is_provisional": False},
    ]
    card_of_four = card_from({**vars(card), "systems": list("abcd"), "n_runs": [1] * 4, "concluded": concluded})
    assert card_of_four.verdict == "2 ▲ better · 1 ○ no clear difference"
    assert card.verdict == ""


def test_numbers_in_an_unknown_form_are_refused_with_a_reason() -> None:
    workspace = loaded(files())
    content = content_of(workspace, Made(workspace.edits, SETTINGS, None), None)
    with pytest.raises(DataError, match="cannot read the saved experiment"):
        opened(Content({**content.made, "later": 1}, content.card, content.files, b""))


def test_a_library_of_an_earlier_version_opens_with_nothing_lost_and_equal_numbers(tmp_path: Path) -> None:
    with ZipFile(Path(__file__).parents[1] / "library" / "recorded" / "0.2.0.zip") as recorded:
        recorded.extractall(tmp_path)
    library = Library(tmp_path / "library", 1 << 30)
    (listed,) = library.listed()
    assert (listed.name, listed.note, listed.is_pinned, listed.owner) == ("kept by mteval 0.2", "a note", True, "me")
    assert line_from(listed.card).startswith("3 systems · 1 to 4 runs each · 12 segments · BLEU · new ▲ better; one ◇ ")
    back = opened(library.content(listed.uid))
    assert back.made.settings == RECORDED
    assert (back.made.baseline, back.made.first_primary) == ("base", "bleu")
    assert back.workspace.edits.directions == {"MQM": True}
    assert back.results is None
    (problem,) = back.workspace.rejected
    assert "corrected for few runs" in problem.message
    evaluation = results_of(back.workspace, RECORDED, "base").evaluation
    kept = json.loads(library.content(listed.uid).numbers)
    now = json.loads(numbers_of(back.experiment, evaluation))
    for name in ("run_scores", "summaries", "replicated"):  # no definition of these has changed, but a run is a copy
        rows_kept = [row for row in kept[name] if row["system"] != "new"]
        rows_now = [row for row in now[name] if row["system"] != "new"]
        rows_now = json.loads(json.dumps(rows_now).replace("NaN", "null"))  # mteval 0.2 wrote null
        assert len(rows_now) == len(rows_kept)
        for row, row_kept in zip(rows_now, rows_kept, strict=True):
            assert [*row] == [RENAMED.get(column, column) for column in row_kept]
            for value, value_kept in zip(row.values(), row_kept.values(), strict=True):
                if isinstance(value, float):
                    value_kept = pytest.approx(value_kept, rel=1e-12)  # the last bits depend on the processor
                assert value == value_kept


LATER = dict(MEANINGS) | {DEFINITIONS + 1: "s_sel goes by documents."}


def test_numbers_by_earlier_definitions_are_ignored_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = loaded(files())
    content = content_of(workspace, Made(workspace.edits, SETTINGS, None), results_of(workspace))
    assert opened(content).results
    monkeypatch.setattr("mteval.values.definitions.MEANINGS", LATER)
    monkeypatch.setattr("mteval.values.definitions.DEFINITIONS", DEFINITIONS + 1)
    back = opened(content)
    assert (back.results, back.experiment) == (None, workspace.experiment())
    (problem,) = back.workspace.rejected
    assert problem.message.endswith("s_sel goes by documents.")


def test_changes_cover_files_settings_numbers_and_verdicts() -> None:
    before = kept(loaded(files(cut=4)))
    texts = files(cut=9)
    after = kept(loaded(texts | {"new/opt3.txt": texts["new/opt1.txt"]}), replace(SETTINGS, convention="multeval"))
    section = changes_section(before, after, ("one", "two"))
    tables = {part.table.caption: part.table for part in section.parts if part.table}
    assert list(tables) == ["Files", "Settings", "Averages and verdicts"]
    change_of_file = {name: (was, is_now) for name, was, is_now in tables["Files"].texts}
    assert change_of_file["new/opt3.txt"] == (DASH, "hypothesis new run 3 on test")
    assert change_of_file["new/opt0.txt"][1].startswith("other content: ")
    assert "base/opt0.txt" not in change_of_file
    change_of_setting = {name: (was, is_now) for name, was, is_now in tables["Settings"].texts}
    assert change_of_setting["convention"] == ("sacrebleu", "multeval")
    assert any(name.startswith("BLEU: ") for name in change_of_setting)
    scores = tables["Averages and verdicts"].frame.set_index(["metric", "system"])
    assert scores.loc[("BLEU", "new"), "after"] > scores.loc[("BLEU", "new"), "before"]
    assert scores.loc[("BLEU", "new"), "has_turned"]
    assert ("Length", "base") not in scores.index
    assert section.lead[0].startswith(("1 verdict changed; ", "2 verdicts changed; "))
    assert tables["Averages and verdicts"].n_words == 3  # numbers, and the verdicts after them, are set to the right


def test_nothing_changed_between_an_entry_and_itself() -> None:
    entry = kept(loaded(files()))
    section = changes_section(entry, entry, ("one", "two"))
    assert section.parts == ()
    assert section.lead == ("0 verdicts changed; 0 files and 0 settings differ; 4 of 4 averages are the same.",)
