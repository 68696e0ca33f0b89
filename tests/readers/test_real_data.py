"""Real folders, dropped as a browser hands them over."""

from collections import defaultdict
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


SYSTEMS = ("baseline", "sys1", "sys2")  # of MultEval's example, each with the runs 0, 1 and 2


def files_below(folder: Path) -> list[Path]:
    """All files of a folder, in the order of their paths."""
    return [path for path in sorted(folder.rglob("*")) if path.is_file()]


def input_files(paths: list[Path], root: Path) -> list[InputFile]:
    """Files under the names by which a browser hands them over."""
    return [InputFile(str(path.relative_to(root)), path.read_bytes()) for path in paths]


def dropped(folder: Path) -> tuple[tuple[Slot, ...], Assembly]:
    """What becomes of a folder whose files arrive as ``folder/sub/file``."""
    documents, problems = unpack(input_files(files_below(folder), folder.parent))
    assert problems == ()
    slots = guess(documents)
    return slots, assemble(documents, Edits(slots))


def test_multevals_example_is_three_systems_of_three_runs(data_directory: Path) -> None:
    _, assembly = dropped(data_directory / "data" / "multeval-example")

    assert assembly.problems == ()
    assert assembly.experiment is not None
    assert assembly.experiment.baseline == "baseline"
    assert [system.key for system in assembly.experiment.systems] == list(SYSTEMS)
    assert {system.runs for system in assembly.experiment.systems} == {("0", "1", "2")}
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
    outputs = {}
    for system in SYSTEMS:
        outputs[system] = [folder / f"hyps.lc.tok.en.{system}.opt{run}" for run in range(3)]

    named = load_paths([folder / "refs.test2010.lc.tok.en.0"], outputs, baseline="baseline").experiment
    _, assembly = dropped(folder)

    assert assembly.experiment is not None
    (test_set,) = assembly.experiment.test_sets
    assert test_set.name == "test2010"
    renamed = replace(test_set, name="test")
    assert named == replace(assembly.experiment, test_sets=(renamed,))


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
    (warning,) = [problem.message for problem in assembly.problems if problem.severity == "warning"]
    assert warning.startswith("The scores 'COMET-refA', 'MetricX-23-refA' and 'he-en.mqm' are ignored until you choose")
    assert [slot.file for slot in slots if slot.role == "other"] == ["wmt23-he-en/scores/he-en.mqm.sys.score"]


def texts_by_system(path: Path) -> dict[str, list[str]]:
    """The values of a file of scores as they are written, by their system."""
    texts_of: dict[str, list[str]] = defaultdict(list)
    for line in path.read_text().splitlines():
        system, text = line.split("\t")
        if text == "None":
            texts_of[system].append(text)
        else:
            texts_of[system].append(str(float(text)))
    return texts_of


def test_given_scores_of_wmt23_have_the_averages_that_their_files_have(data_directory: Path) -> None:
    folder = data_directory / "data" / "wmt23-he-en"
    slots, _ = dropped(folder)
    documents, _ = unpack(input_files(files_below(folder), folder.parent))
    names = ("COMET-refA", "MetricX-23-refA", "he-en.mqm")

    assembly = assemble(documents, Edits(slots, dict.fromkeys(names, True)))

    assert assembly.experiment is not None
    assert [metric.key for metric in assembly.experiment.given] == ["comet-refa", "metricx-23-refa", "he-en.mqm"]
    for metric, name in zip(assembly.experiment.given, names, strict=True):
        texts_of = texts_by_system(folder / "scores" / f"{name}.seg.score")
        assert len(metric.scores) == 12
        for scores in metric.scores:
            assert [str(value) for value in scores.values] == texts_of[scores.system]
    messages = [problem.message for problem in assembly.problems]
    assert sum("Scores of refB are not used: here, it is a reference" in message for message in messages) == 2
    assert not any("not loaded" in message for message in messages)


def test_wmt23_says_by_its_form_which_scores_are_better(data_directory: Path) -> None:
    folder = data_directory / "data"
    paths = files_below(folder / "wmt23-he-en") + files_below(folder / "wmt23-he-en-metrics")

    work = Workspace().add(input_files(paths, folder))

    assert set(work.edits.directions.values()) == {True}
    assert set(work.edits.directions) == set(work.score_names)
    assert len(work.score_names) == 9
    assert Workspace().add(input_files(paths[::-1], folder)) == work


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
    slots = guess(documents)
    assert [slot.role for slot in slots] == ["nbest"]
    assert assemble(documents, Edits(slots)).nbest == ("lists/example.gz",)
