"""What ``fairseq-generate`` prints is source, target and hypothesis by number, whatever stands between them."""

import re

import pytest

from mteval.readers.assembly.experiment import assemble
from mteval.readers.documents import Document, Edits, InputFile, Problem
from mteval.readers.formats.uploads import unpack
from mteval.readers.guesses.layout import guess

LOG = "2026-01-05 10:00:00 | INFO | fairseq_cli.generate | loading model(s) from checkpoint_best.pt\n"
PRINTED = LOG + (
    "S-1\tein Hund\nT-1\ta dog\nH-1\t-0.51\ta d@@ og\nD-1\t-0.51\ta dog\nP-1\t-0.5 -0.6\n"
    "H-1\t-0.93\tone dog\nD-1\t-0.93\tone dog\nP-1\t-0.9 -0.9\n"
    "S-0\tdie Katze\nT-0\tthe cat\nH-0\t-1e-05\tthe c@@ at\nD-0\t-1e-05\tthe cat!\nP-0\t-0.1\n"
    "Generate test with beam=5: BLEU4 = 50.00, 80.0/60.0 (BP=1.000, ratio=1.000)\n"
)


def read(name: str, text: str) -> tuple[tuple[Document, ...], tuple[Problem, ...]]:
    """The documents of one file, and its problems."""
    return unpack([InputFile(name, text.encode())])


def test_sentences_stand_in_the_order_of_their_numbers_with_the_best_hypothesis() -> None:
    (document,), problems = read("generate-test.txt", PRINTED)

    (note,) = problems
    assert note.severity == "note"
    assert note.message == "1 further hypothesis ignored: the first of a sentence is the best."
    assert {stream.role: stream.lines for stream in document.streams} == {
        "source": ("die Katze", "ein Hund"),
        "reference": ("the cat", "a dog"),
        "hypothesis": ("the cat!", "a dog"),
    }


def test_versions_without_detokenized_lines_give_their_hypotheses() -> None:
    text = "".join(line for line in PRINTED.splitlines(keepends=True) if not line.startswith("D-"))

    (document,), _ = read("generate-test.txt", text)

    lines_of = {stream.role: stream.lines for stream in document.streams}
    assert lines_of["hypothesis"] == ("the c@@ at", "a d@@ og")


def test_an_output_of_each_seed_makes_an_experiment_whose_reference_is_read_once() -> None:
    files = []
    for name in ("base_seed1", "base_seed2", "deep_seed1", "deep_seed2"):
        text = re.sub(r"(?m)^([HD]-.*)$", rf"\1 {name}", PRINTED)  # each has outputs of its own
        files.append(InputFile(f"{name}/generate-test.txt", text.encode()))
    documents, _ = unpack(files)

    assembly = assemble(documents, Edits(guess(documents)))

    assert assembly.experiment is not None
    (test_set,) = assembly.experiment.test_sets
    assert test_set.references == (("the cat",), ("a dog",))
    runs = [(run.system, run.key) for run in test_set.runs]
    assert runs == [("base", "1"), ("base", "2"), ("deep", "1"), ("deep", "2")]


def test_concatenated_outputs_are_an_error() -> None:
    with_other_reference = PRINTED.replace("T-0\tthe cat", "T-0\ta cat")

    documents, (problem,) = read("gen.out", PRINTED + with_other_reference)

    assert documents == ()
    with pytest.raises(Exception, match=r"gen\.out, line 26: T-0 appears twice with different texts"):
        raise problem.as_error()


def test_sentence_without_hypothesis_is_reported() -> None:
    text = PRINTED.replace("H-0", "X-0").replace("D-0", "X-0")
    documents, _ = read("base.out", text)

    assembly = assemble(documents, Edits(guess(documents)))

    assert any("has no line for segment '0'" in problem.message for problem in assembly.problems)
