"""Real folders, dropped as a browser hands them over."""

from dataclasses import replace
from pathlib import Path

import pytest

from mteval.readers.appearance import suggest_convention
from mteval.readers.assembly.experiment import assemble
from mteval.readers.checks import check
from mteval.readers.documents import Assembly, Edits, InputFile, Slot
from mteval.readers.formats.uploads import unpack
from mteval.readers.guesses.layout import guess
from mteval.readers.named_files import load_paths
from mteval.readers.workspace import Workspace

pytestmark = pytest.mark.real_data


def dropped(folder: Path) -> tuple[tuple[Slot, ...], Assembly]:
    """What becomes of a folder whose files arrive as ``folder/sub/file``."""
    files = [
        InputFile(str(path.relative_to(folder.parent)), path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    ]
    documents, problems = unpack(files)
    assert problems == ()
    slots = guess(documents)
    return slots, assemble(documents, Edits(slots))


def test_multevals_example_is_three_systems_of_three_runs(data_directory: Path) -> None:
    _, assembly = dropped(data_directory / "data" / "multeval-example")
    assert assembly.problems == ()
    assert assembly.experiment is not None
    assert assembly.experiment.baseline == "baseline"
    assert [(system.key, system.runs) for system in assembly.experiment.systems] == [
        (name, ("0", "1", "2")) for name in ("baseline", "sys1", "sys2")
    ]
    (test_set,) = assembly.experiment.test_sets
    assert test_set.n_segments == 2489
    assert {len(row) for row in test_set.references} == {1}


def test_the_check_of_multevals_example_finds_the_copied_system_and_its_tokenization(data_directory: Path) -> None:
    _, assembly = dropped(data_directory / "data" / "multeval-example")
    assert assembly.experiment is not None
    findings = check(assembly.experiment, "sacrebleu")
    assert [finding.title for finding in findings] == ["Identical systems", "Text looks tokenized"]
    assert "baseline and sys2" in findings[0].detail
    assert suggest_convention(assembly.experiment).convention == "multeval"


def test_the_command_line_reads_the_same_as_the_drop(data_directory: Path) -> None:
    folder = data_directory / "data" / "multeval-example"
    systems = {
        name: [folder / f"hyps.lc.tok.en.{name}.opt{run}" for run in range(3)] for name in ("baseline", "sys1", "sys2")
    }
    read = load_paths([folder / "refs.test2010.lc.tok.en.0"], systems, baseline="baseline").experiment
    _, assembly = dropped(folder)
    assert assembly.experiment is not None
    (test_set,) = assembly.experiment.test_sets
    assert test_set.name == "test2010"
    assert read == replace(assembly.experiment, test_sets=(replace(test_set, name="test"),))


def test_wmt23_is_twelve_systems_with_two_references_source_and_documents(data_directory: Path) -> None:
    slots, assembly = dropped(data_directory / "data" / "wmt23-he-en")
    assert assembly.experiment is not None
    (test_set,) = assembly.experiment.test_sets
    assert len(test_set.systems) == 12
    assert {"GPT4-5shot", "NLLB_Greedy", "NLLB_MBR_BLEU", "ONLINE-A"} <= {system.key for system in test_set.systems}
    assert {system.runs for system in test_set.systems} == {("0",)}
    assert test_set.n_segments == 1910
    assert {len(row) for row in test_set.references} == {2}
    assert test_set.source is not None
    assert test_set.documents is not None
    assert test_set.documents[0] == "animals-10505867.news"
    assert test_set.side["domain"][0] == "news"
    assert suggest_convention(assembly.experiment).convention == "sacrebleu"
    assert [slot.name for slot in slots if slot.role == "scores"] == ["COMET-refA", "MetricX-23-refA", "he-en.mqm"]
    assert assembly.experiment.given == ()
    assert [problem.severity for problem in assembly.problems].count("warning") == 3  # nobody said which way is better
    assert [slot.file for slot in slots if slot.role == "other"] == ["wmt23-he-en/scores/he-en.mqm.sys.score"]


def test_given_scores_of_wmt23_have_the_averages_that_their_files_have(data_directory: Path) -> None:
    folder = data_directory / "data" / "wmt23-he-en"
    slots, _ = dropped(folder)
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    documents, _ = unpack([InputFile(str(path.relative_to(folder.parent)), path.read_bytes()) for path in files])
    directions = {"COMET-refA": True, "MetricX-23-refA": True, "he-en.mqm": True}
    assembly = assemble(documents, Edits(slots, directions))
    assert assembly.experiment is not None
    assert [metric.key for metric in assembly.experiment.given] == ["comet-refa", "metricx-23-refa", "he-en.mqm"]
    for metric, file in zip(assembly.experiment.given, ("COMET-refA", "MetricX-23-refA", "he-en.mqm"), strict=True):
        lines = (folder / "scores" / f"{file}.seg.score").read_text().splitlines()
        expected = {name: [text for line in lines for key, text in [line.split("\t")] if key == name] for name in
                    {line.split("\t")[0] for line in lines}}  # fmt: skip
        assert len(metric.scores) == 12
        for one in metric.scores:
            assert [str(value) for value in one.values] == [
                text if text == "None" else str(float(text)) for text in expected[one.system]
            ]
    remarks = [problem.message for problem in assembly.problems]
    assert sum("has scores of the reference refB" in message for message in remarks) == 2
    assert not any("not loaded" in message for message in remarks)


def test_wmt23_says_by_its_form_which_scores_are_better(data_directory: Path) -> None:
    folder = data_directory / "data"
    files = [path for name in ("wmt23-he-en", "wmt23-he-en-metrics") for path in (folder / name).rglob("*")]
    files = [path for path in files if path.is_file()]
    work = Workspace().add([InputFile(str(path.relative_to(folder)), path.read_bytes()) for path in files])
    assert set(work.edits.directions.values()) == {True}
    assert set(work.edits.directions) == set(work.score_names)
    assert len(work.score_names) == 9
    backwards = Workspace().add([InputFile(str(path.relative_to(folder)), path.read_bytes()) for path in files[::-1]])
    assert backwards == work


@pytest.mark.parametrize("place", [0, 1200, 2487])
def test_a_dropped_line_in_a_real_output_is_found(data_directory: Path, place: int) -> None:
    folder = data_directory / "data" / "multeval-example"
    lines = (folder / "hyps.lc.tok.en.sys1.opt0").read_bytes().split(b"\n")
    del lines[place]
    reference = (folder / "refs.test2010.lc.tok.en.0").read_bytes()
    documents, _ = unpack([InputFile("base", b"\n".join(lines)), InputFile("refs", reference)])
    (problem,) = assemble(documents, Edits(guess(documents))).problems
    assert problem.line == place + 1


def test_a_real_nbest_list_is_kept_apart(data_directory: Path) -> None:
    content = (data_directory / "reference" / "multeval" / "nbest" / "example.nbest.gz").read_bytes()
    documents, problems = unpack([InputFile("lists/example.gz", content)])
    assert problems == ()
    assert [slot.role for slot in guess(documents)] == ["nbest"]
    assert assemble(documents, Edits(guess(documents))).nbest == ("lists/example.gz",)
