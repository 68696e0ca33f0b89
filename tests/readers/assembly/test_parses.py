"""Parses in CoNLL-U: cut into segments, beside their texts, and named with file and line where they do not fit."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import tomli_w

from mteval.base.errors import DataError, InputError
from mteval.readers.assembly.experiment import assemble
from mteval.readers.documents import Edits, InputFile, Slot
from mteval.readers.experiment_file import describe, parse_experiment
from mteval.readers.formats.conllu import by_segment, read_conllu
from mteval.readers.formats.uploads import unpack
from mteval.readers.guesses.layout import guess
from mteval.readers.named_files import FileSet, load_paths
from mteval.readers.replays import slots_in_use
from mteval.values.settings import Settings

Parse = Callable[[str], str]
WORD = "1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n"


@pytest.fixture
def sentences(right_branching: Parse) -> Parse:
    """Parses one sentence a line."""
    return lambda text: "".join(right_branching(line) + "\n" for line in text.splitlines())


def dropped(files: dict[str, str]):
    """Documents, slots and what they amount to, of files that can be read."""
    documents, problems = unpack([InputFile(name, text.encode()) for name, text in files.items()])
    assert not problems
    slots = guess(documents)
    return documents, slots, assemble(documents, Edits(slots))


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (WORD + "2 b b X _ _ 1 dep _ _\n", 2, "has 1 column .* CoNLL-U has 10"),
        (WORD + WORD, 2, "number '1'; expected 2"),
        ("# text = a\n" + WORD.replace("\t0\t", "\t_\t"), 2, "head is '_'; expected the number of a word"),
        (WORD.replace("\t0\t", "\t-1\t"), 1, "head is '-1'"),
        (WORD + "\n" + WORD.replace("\t0\t", "\t2\t"), 3, "head of 'a' is 2, but the sentence has 1 word"),
        (WORD.replace("\t0\t", "\t1\t"), 1, "head of 'a' is the word itself"),
        (WORD.replace("1\ta\t", "1\t\t"), 1, "no form"),
        ("# nothing\n\n", None, "no sentence"),
    ],
)
def test_invalid_parse_is_an_error_with_its_line(text, line, words):
    with pytest.raises(InputError, match=words) as caught:
        read_conllu(text, "a.conllu")
    assert caught.value.file == "a.conllu"
    assert caught.value.line == line


def test_equal_numbers_of_sentences_and_segments_match_in_order():
    lines = ["# one", *(WORD + "\n" + WORD).split("\n")]
    assert by_segment(lines, 2, "f") == ("# one\n" + WORD + "\n", WORD + "\n")


def test_comments_assign_sentences_to_segments():
    text = "".join(f"# segment = {number}\n{WORD}\n" for number in (3, 1, 3))

    parses_of_four = by_segment(text.split("\n"), 4, "f")
    parses_of_three = by_segment(text.split("\n"), 3, "f")

    assert [parse.count("root") for parse in parses_of_four] == [1, 0, 2, 0]
    assert [parse.count("root") for parse in parses_of_three] == [1, 0, 2]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (WORD + "\n" + WORD, None, "2 sentences .* 3 segments. Put '# segment = N'"),
        ("# segment = 1\n" + WORD + "\n" + WORD, 4, "has no segment number"),
        ("# segment = 4\n" + WORD, 1, "names segment '4', but the text has segments 1 to 3"),
        ("# segment = one\n" + WORD, 1, "names segment 'one'"),
    ],
)
def test_sentences_without_segment_are_an_error(text, line, words):
    with pytest.raises(InputError, match=words) as caught:
        by_segment(text.split("\n"), 3, "f")
    assert caught.value.line == line


def test_parses_belong_to_the_texts_of_the_same_name(sentences):
    texts = {"refs.txt": "a b\nc", "newstest.base.1.txt": "a\nc", "newstest.base.2": "x\nc", "newstest.mine.1": "b\nc"}
    parses = {name.removesuffix(".txt") + ".conllu": sentences(text) for name, text in texts.items()}

    _, slots, assembly = dropped(texts | parses)

    assert {slot.role for slot in slots if slot.file.endswith(".conllu")} == {"parses"}
    assert not assembly.problems
    (test_set,) = assembly.experiment.test_sets
    assert test_set.reference_parses == ((sentences("a b"),), (sentences("c"),))
    assert {(run.system, run.key): run.parses for run in test_set.runs} == {
        ("base", "1"): (sentences("a"), sentences("c")),
        ("base", "2"): (sentences("x"), sentences("c")),
        ("mine", "1"): (sentences("b"), sentences("c")),
    }


@pytest.mark.parametrize(
    ("text", "parse"),
    [
        ("hyps/sys.a/opt0.txt", "parses/sys.a/opt0.conllu"),
        ("hyps.a.opt0", "parses.a.opt0.conllu"),
        ("a.opt0.txt", "a.opt0.txt.conllu"),
    ],
)
def test_parses_match_by_folder_and_telling_words(text, parse):
    if "sys.a" in text:
        text_without_parse = text.replace("sys.a", "sys.b")
    else:
        text_without_parse = text.replace("a", "b", 1)
    files = {"ref.txt": "a", "references.conllu": WORD, text: "a", text_without_parse: "a", parse: WORD}

    _, slots, assembly = dropped(files)

    slot_of = {slot.file: slot for slot in slots}
    assert slot_of[parse].system == slot_of[text].system
    assert slot_of[parse].run == slot_of[text].run
    assert slot_of["references.conllu"].system is None
    assert slot_of["references.conllu"].run == "1"
    with_parse, without_parse = assembly.experiment.test_sets[0].runs
    assert with_parse.parses is not None
    assert without_parse.parses is None


def assembled(files: dict[str, str], slots: Sequence[Slot]):
    """The only test set, and the errors and warnings."""
    documents, _ = unpack([InputFile(name, text.encode()) for name, text in files.items()])
    assembly = assemble(documents, Edits(slots))
    (test_set,) = assembly.experiment.test_sets
    return test_set, [problem.text for problem in assembly.problems if problem.severity != "note"]


TEXTS = {"r0": "a b\nc\n", "r1": "a\nd e\n", "h": "a\n\n"}
SLOTS = [Slot("r0", "reference"), Slot("r1", "reference"), Slot("h", "hypothesis", "s", "0")]


def parsed(name: str, **place: str) -> Slot:
    """A file of parses of a system's run or of a reference."""
    return Slot(name, "parses", **place)


def test_each_reference_has_its_parse_or_none_is_used(sentences):
    files = TEXTS | {"r0.conllu": sentences(TEXTS["r0"]), "r1.conllu": sentences(TEXTS["r1"])}
    of_second = parsed("r1.conllu", run="2")
    of_first = parsed("r0.conllu", run="1")

    test_set, problems = assembled(files, [*SLOTS, of_second, of_first])
    assert test_set.reference_parses == ((sentences("a b"), sentences("a")), (sentences("c"), sentences("d e")))
    (problem,) = problems
    assert "No parse of s 0" in problem

    test_set, problems = assembled(files, [*SLOTS, of_second])
    assert test_set.reference_parses is None
    assert any("r0 has no parse" in problem for problem in problems)


def test_parses_that_do_not_fit_are_reported_and_ignored(sentences):
    files = TEXTS | {"r0.conllu": sentences(TEXTS["r0"]), "r1.conllu": sentences(TEXTS["r1"])}
    slots = [*SLOTS, parsed("r0.conllu", run="1"), parsed("r1.conllu", run="2")]
    of_output = parsed("h.conllu", system="s", run="0")
    cases = {
        "system 't', run '0', which is not loaded": [parsed("h.conllu", system="t", run="0")],
        "of system 's', run '0' is already 'h.conllu'": [of_output, of_output],
        "1 sentence without": [of_output],
        "reference 3, which is not loaded": [parsed("h.conllu", run="3")],
    }
    for words, slots_of_parses in cases.items():
        _, problems = assembled(files | {"h.conllu": WORD}, slots + slots_of_parses)
        assert any(words in problem for problem in problems), words

    test_set, problems = assembled(files | {"h.conllu": "# segment = 2\n" + WORD}, [*slots, of_output])
    assert [bool(parse) for parse in test_set.runs[0].parses] == [False, True]
    assert problems == [
        "The parse of system 's', run '0' has no sentence for 1 non-empty segment of 'test' (first: 1)."
        " They count as having no dependencies."
    ]


def test_parses_of_removed_segments_are_removed(sentences):
    table = "system\tsegment\thypothesis\treference\nb\t1\tx\t\nb\t2\ty\tr\n"
    files = {"t.tsv": table, "b.conllu": sentences("x\ny")}
    documents, _ = unpack([InputFile(name, text.encode()) for name, text in files.items()])
    slots = [slot for slot in guess(documents) if slot.role != "parses"]
    of_output = parsed("b.conllu", system="b", run=slots[0].run or "0")

    assembly = assemble(documents, Edits((*slots, of_output)))

    (test_set,) = assembly.experiment.test_sets
    assert test_set.runs[0].hypotheses == ("y",)
    assert test_set.runs[0].parses == (sentences("y"),)


def test_a_described_experiment_with_parses_is_read_again(sentences):
    texts = {"refs.txt": "a b\nc", "base.1.txt": "a\nc", "mine.1.txt": "b\nc"}
    parses = {name.replace(".txt", ".conllu"): sentences(text) for name, text in texts.items()}
    documents, slots, assembly = dropped(texts | parses)

    used = list(slots_in_use(assembly.experiment, slots, assembly.problems))
    content = describe(assembly.experiment, used, Settings(metrics=("bleu", "dep-f")), lambda name: name)

    (described,) = content["test_sets"]
    assert described["reference_parses"] == ["refs.conllu"]
    assert described["parses"] == {"base": {"0": "base.1.conllu"}, "mine": {"0": "mine.1.conllu"}}
    parsed_file = parse_experiment(tomli_w.dumps(content), "experiment.toml")
    assembly_of_file = assemble(documents, parsed_file.edits, parsed_file.baseline)
    assert assembly_of_file.experiment.digest == assembly.experiment.digest


def test_files_on_a_command_line_are_matched_in_their_order(tmp_path: Path, sentences):
    for name, text in {"r": "a b\nc\n", "b0": "a\nc\n", "b1": "a\nd\n", "s0": "x\ny\n"}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / f"{name}.conllu").write_text(sentences(text))
    systems = {"baseline": [tmp_path / "b0", tmp_path / "b1"], "sys1": [tmp_path / "s0"]}
    parses = {
        "baseline": [tmp_path / "b0.conllu", tmp_path / "b1.conllu"],
        "sys1": [tmp_path / "s0.conllu"],
    }
    refs = [tmp_path / "r.conllu"]

    loaded = load_paths([tmp_path / "r"], systems, baseline="baseline", parses=FileSet(refs, parses))
    (test_set,) = loaded.experiment.test_sets
    assert [run.parses for run in test_set.runs] == [
        (sentences("a"), sentences("c")),
        (sentences("a"), sentences("d")),
        (sentences("x"), sentences("y")),
    ]

    fewer = FileSet(refs, {"baseline": [tmp_path / "b0.conllu"]})
    with pytest.raises(DataError, match="System 'baseline' has 2 files of text, but 1 of parses"):
        load_paths([tmp_path / "r"], systems, baseline="baseline", parses=fewer)
    with pytest.raises(InputError, match="Not CoNLL-U"):
        load_paths([tmp_path / "r"], systems, baseline="baseline", parses=FileSet([tmp_path / "r"]))
