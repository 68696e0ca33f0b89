"""The guess of the layout from names."""

from collections.abc import Sequence
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mteval.readers.documents import FILE_ROLES, Document, FileRole, Slot, Stream
from mteval.readers.guesses.layout import guess
from mteval.readers.names import guess_baseline, natural_order

SystemAndRun = tuple[str | None, str | None]


def guessed(*names: str, lines: Sequence[str] = ("a b", "c d")) -> dict[str, Slot]:
    """The slot of each file; all have the same lines."""
    documents = [Document(name, "lines", (Stream("", tuple(lines)),)) for name in names]
    return {slot.file: slot for slot in guess(documents)}


def outputs(*names: str) -> list[SystemAndRun]:
    """System and run of each name, all being hypotheses."""
    slots = guessed(*names)
    assert {slot.role for slot in slots.values()} == {"hypothesis"}
    return [(slots[name].system, slots[name].run) for name in names]


def test_the_layout_of_multevals_example() -> None:
    slots = guessed(
        "hyps.lc.tok.en.baseline.opt0",
        "hyps.lc.tok.en.baseline.opt1",
        "hyps.lc.tok.en.baseline.opt2",
        "hyps.lc.tok.en.sys1.opt0",
        "hyps.lc.tok.en.sys1.opt1",
        "hyps.lc.tok.en.sys1.opt2",
        "refs.test2010.lc.tok.en.0",
    )

    *slots_of_outputs, slot_of_references = slots.values()
    assert [(slot.system, slot.run) for slot in slots_of_outputs] == [
        ("baseline", "0"),
        ("baseline", "1"),
        ("baseline", "2"),
        ("sys1", "0"),
        ("sys1", "1"),
        ("sys1", "2"),
    ]
    assert slot_of_references.role == "reference"
    assert {slot.test_set for slot in slots.values()} == {"test2010"}


def test_the_layout_of_wmt() -> None:
    slots = guessed(
        "wmt/refA.en.txt",
        "wmt/refB.en.txt",
        "wmt/source.he.txt",
        "wmt/documents.tsv",
        "wmt/scores/COMET-refA.seg.score",
        "wmt/system-outputs/GPT4-5shot.txt",
        "wmt/system-outputs/NLLB_Greedy.txt",
        "wmt/system-outputs/ONLINE-A.txt",
    )

    assert [slot.role for slot in slots.values()] == [
        "reference",
        "reference",
        "source",
        "documents",
        "scores",
        "hypothesis",
        "hypothesis",
        "hypothesis",
    ]
    slots_of_outputs = list(slots.values())[-3:]
    assert [slot.system for slot in slots_of_outputs] == ["GPT4-5shot", "NLLB_Greedy", "ONLINE-A"]
    assert {slot.run for slot in slots_of_outputs} == {"0"}
    assert {slot.test_set for slot in slots.values()} == {"test"}
    assert all(slot.included for slot in slots.values())


def test_a_folder_for_each_system_with_dev_and_test_inside() -> None:
    slots = guessed(
        "exp/base/opt0.txt", "exp/base/dev.seed7.txt", "exp/new/opt0.txt", "exp/refs.txt", "exp/refs.dev.txt"
    )

    *slots_of_outputs, test_references, dev_references = slots.values()
    assert {slot.role for slot in slots_of_outputs} == {"hypothesis"}
    assert [(slot.test_set, slot.system, slot.run) for slot in slots_of_outputs] == [
        ("test", "base", "0"),
        ("dev", "base", "7"),
        ("test", "new", "0"),
    ]
    assert (test_references.test_set, test_references.role) == ("test", "reference")
    assert (dev_references.test_set, dev_references.role) == ("dev", "reference")


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["hyps.lc.tok.en.baseline.opt0"], [("baseline", "0")]),
        (["base.seed.1.txt", "base.seed.12.txt", "bt.seed.1.txt"], [("base", "1"), ("base", "12"), ("bt", "1")]),
        (["run1/base.txt", "run2/base.txt", "run1/new.txt"], [("base", "1"), ("base", "2"), ("new", "1")]),
        (["sys1_run0.gz", "sys2_run0.gz"], [("sys1", "0"), ("sys2", "0")]),
        (["base/1.txt", "base/2.txt", "new/1.txt"], [("base", "1"), ("base", "2"), ("new", "1")]),
        (["base/s1/out.txt", "base/s2/out.txt", "new/s1/out.txt"], [("base", "1"), ("base", "2"), ("new", "1")]),
        (["r1/base.txt", "r2/base.txt", "r1/new.txt"], [("base", "1"), ("base", "2"), ("new", "1")]),
        (["s1/out.txt", "s2/out.txt"], [("s1", "0"), ("s2", "0")]),
        (["base.s1.hyp", "base.s2.hyp", "new.s1.hyp"], [("base", "1"), ("base", "2"), ("new", "1")]),
        (["hyp.s1.txt", "hyp.s2.txt"], [("s1", "0"), ("s2", "0")]),
        (["base/a.txt", "base/b.txt", "new/a.txt"], [("base", "a"), ("base", "b"), ("new", "a")]),
        (["A/out.txt", "B/out.txt"], [("A", "0"), ("B", "0")]),
        (["A/dev/hyp.txt", "B/dev/hyp.txt"], [("A", "0"), ("B", "0")]),
        (["exp_base_0", "exp_base_1", "exp_new_0"], [("base", "0"), ("base", "1"), ("new", "0")]),
        (["x.baseline.0", "x.baseline.1", "x.new.0"], [("baseline", "0"), ("baseline", "1"), ("new", "0")]),
        (["sys-1", "sys-2", "base-1", "base-2"], [("sys", "1"), ("sys", "2"), ("base", "1"), ("base", "2")]),
        (["llama-2.txt", "llama-3.txt", "gpt-4.txt"], [("llama-2", "0"), ("llama-3", "0"), ("gpt-4", "0")]),
        (["ONLINE-A.txt", "ONLINE-B.txt"], [("ONLINE-A", "0"), ("ONLINE-B", "0")]),
        (["opt0.txt", "opt1.txt"], [("system", "0"), ("system", "1")]),
        (["src/base/opt0.txt", "src/base/opt1.txt"], [("base", "0"), ("base", "1")]),
        (["a.zip/out/base.run0", "a.zip/out/new.run0"], [("base", "0"), ("new", "0")]),
        (["hyps.txt"], [("hyps", "0")]),
        # Files of one folder are systems if no other folder has the same, and those beside it are systems too.
        (["x/base.txt", "x/top.txt", "new.txt"], [("base", "0"), ("top", "0"), ("new", "0")]),
        (["x.zip/base.txt", "x.zip/top.txt", "new.txt"], [("base", "0"), ("top", "0"), ("new", "0")]),
        (["x/a/base.txt", "x/a/top.txt", "new.txt"], [("base", "0"), ("top", "0"), ("new", "0")]),
        (["x/base.txt", "x/top.txt", "y/new.txt"], [("base", "0"), ("top", "0"), ("y/new", "0")]),
        (["x/base.txt", "x/top.txt", "base.txt"], [("x/base", "0"), ("x/top", "0"), ("base", "0")]),
        (
            ["x/base.1.txt", "x/base.2.txt", "x/top.1.txt", "new.txt"],
            [("x/base", "1"), ("x/base", "2"), ("x/top", "1"), ("new", "0")],
        ),
        (["x/1.txt", "x/2.txt", "new.txt"], [("x", "1"), ("x", "2"), ("new", "0")]),
        (["base/out.txt", "new/a.txt", "new/b.txt"], [("base", "0"), ("new", "a"), ("new", "b")]),
        (
            ["A/base.0", "A/base.1", "A/top.0", "B/base.0"],
            [("A/base", "0"), ("A/base", "1"), ("A/top", "0"), ("B/base", "0")],
        ),
        # Numbers count runs from 0 or 1 without a gap; others are part of the system's name.
        (["big-0", "big-1"], [("big", "0"), ("big", "1")]),
        (["big-1", "big-2"], [("big", "1"), ("big", "2")]),
        (["big-2", "big-3"], [("big-2", "0"), ("big-3", "0")]),
        (["big-3", "big-4"], [("big-3", "0"), ("big-4", "0")]),
        (["big-1", "big-3"], [("big-1", "0"), ("big-3", "0")]),
    ],
)
def test_what_varies_between_names_is_system_and_run(names: list[str], expected: list[tuple[str, str]]) -> None:
    assert outputs(*names) == expected


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("refs.en", "reference"),
        ("ref0", "reference"),
        ("newstest2014-ref.en.sgm", "reference"),
        ("references/a.txt", "reference"),
        ("src.de", "source"),
        ("newstest2014-src.de.sgm", "source"),
        ("docs.txt", "documents"),
        ("base.nbest.gz", "nbest"),
        ("base.100best", "nbest"),
        ("he-en.mqm.sys.score", "other"),
        ("he-en.mqm.seg.score", "scores"),
        ("topics.labels", "labels"),
        ("README.md", "other"),
        ("hyps.ref-free.opt0", "hypothesis"),
        ("reform.txt", "hypothesis"),
    ],
)
def test_words_of_the_name_give_the_role(name: str, role: FileRole) -> None:
    assert guessed(name)[name].role == role


def test_list_of_names_with_numbers_is_not_a_hypothesis() -> None:
    assert guessed("COMET", lines=["GPT4 0.5", "ONLINE-A\t-1.25e-3"])["COMET"].role == "scores"
    assert guessed("COMET", lines=["0.5", "None"])["COMET"].role == "scores"
    assert guessed("scores/notes", lines=["of one day"])["scores/notes"].role == "other"
    assert guessed("base", lines=["2 , 3", "yes 1"])["base"].role == "hypothesis"


def test_scores_and_labels_are_called_after_their_file_and_join_the_test_set_that_is_there() -> None:
    slots = guessed("refs.news.txt", "base.dev.txt", "refs.dev.txt", "x/COMET.dev.seg.score", "topic.dev.labels")

    scores = slots["x/COMET.dev.seg.score"]
    labels = slots["topic.dev.labels"]
    assert (scores.name, scores.test_set) == ("COMET.dev", "dev")
    assert (labels.name, labels.test_set) == ("topic.dev", "dev")


def test_streams_that_say_what_they_are_are_believed() -> None:
    keys = ("1",)
    table = Document(
        "refs.tsv",
        "table",
        (
            Stream("A, run 3", ("x",), "hypothesis", "A", "3", "dev", keys),
            Stream("reference", ("y",), "reference", None, None, "dev", keys),
        ),
    )
    assert guess([table]) == (
        Slot("refs.tsv", "hypothesis", "A", "3", "dev", "A, run 3"),
        Slot("refs.tsv", "reference", None, None, "dev", "reference"),
    )


def test_files_of_one_stem_do_not_collide() -> None:
    slots = guessed("a.txt", "a.txt (2)", "a.txt.gz", "b.txt")

    assert [(slot.system, slot.run) for slot in slots.values()] == [
        ("a", "0"),
        ("a", "0 (2)"),
        ("a", "0 (3)"),
        ("b", "0"),
    ]


def test_unnamed_files_join_the_one_test_set_that_lacks_them() -> None:
    beside_dev = guessed("base.txt", "refs.test.txt", "base.dev.txt", "refs.dev.txt")
    assert beside_dev["base.txt"].test_set == "test"

    only_dev = guessed("A.news.txt", "refs.dev.txt")
    assert {slot.test_set for slot in only_dev.values()} == {"dev"}


WORDS = st.sampled_from(
    [
        *("hyps", "refs", "ref", "src", "docs", "nbest", "score", "out", "txt", "gz", "en", "lc", "tok"),
        *("base", "baseline", "sys1", "opt0", "opt1", "seed7", "dev", "test", "0", "1", "run.2"),
    ]
)
NAMES = st.one_of(
    st.text(max_size=30),
    st.lists(WORDS, min_size=1, max_size=4).map(".".join),
    st.lists(WORDS, min_size=1, max_size=4).map("/".join),
    st.lists(WORDS, min_size=1, max_size=4).map("_".join),
)


@given(st.lists(NAMES, max_size=12, unique=True))
def test_guess_never_fails_or_repeats_a_slot(names: list[str]) -> None:
    slots = list(guessed(*names).values())

    assert [slot.file for slot in slots] == names
    places = [(slot.test_set, slot.system, slot.run) for slot in slots if slot.role == "hypothesis"]
    assert len(set(places)) == len(places)
    for slot in slots:
        assert slot.test_set
        assert (slot.role == "hypothesis") == bool(slot.system) == bool(slot.run)


@given(st.lists(NAMES, max_size=6, unique=True))
def test_the_guess_does_not_depend_on_the_order_of_distinct_layouts(names: list[str]) -> None:
    forward = guessed(*names)
    backward = guessed(*reversed(names))

    for name in names:
        assert forward[name].role == backward[name].role
        assert forward[name].system == backward[name].system


@pytest.mark.parametrize(
    ("systems", "expected"),
    [
        (["a", "baseline"], "baseline"),
        (["a", "Base"], "Base"),
        (["my-base", "base-big", "c"], "base-big"),
        (["database", "b"], "b"),
        (["b", "a"], "a"),
        (["sys10", "sys9"], "sys9"),
        ([], None),
    ],
)
def test_the_baseline_is_the_system_called_so_else_the_first(systems: list[str], expected: str | None) -> None:
    assert guess_baseline(systems) == expected


def test_runs_sort_by_their_numbers() -> None:
    runs = ["10", "9", "opt10", "opt2", "0 (2)", "0", "", "x"]

    assert sorted(runs, key=natural_order) == ["", "0", "0 (2)", "9", "10", "opt2", "opt10", "x"]


def test_names_sort_by_words_and_numbers_in_either_case() -> None:
    names = [
        "a/test.opt0",
        "a/test.opt10",
        "a/test2.opt0",
        "Base-big",
        "base/x",
        "GPT-4",
        "GPT-10",
        "mBART",
        "ONLINE-A",
    ]
    backwards = names[::-1]
    assert sorted(backwards, key=natural_order) == names


def test_the_list_of_roles_is_complete() -> None:
    assert get_args(FileRole) == FILE_ROLES


def test_a_system_id_that_all_files_share_gives_way_to_their_names() -> None:
    def output(name: str, system: str) -> Document:
        return Document(name, "sgml", (Stream(system, ("x",), "hypothesis", system, None, "t", ("1",)),))

    with_same_id = guess([output("base.sgm", "mysys"), output("new.sgm", "mysys")])
    assert [(slot.system, slot.run) for slot in with_same_id] == [("base", "0"), ("new", "0")]

    with_own_ids = guess([output("base.sgm", "A"), output("new.sgm", "B")])
    assert [slot.system for slot in with_own_ids] == ["A", "B"]

    runs = guess([output("a.run0.sgm", "A"), output("a.run1.sgm", "A")])
    assert [(slot.system, slot.run) for slot in runs] == [("A", "0"), ("A", "1")]


def test_tables_that_name_no_system_and_begin_alike_are_told_apart_by_their_whole_names() -> None:
    def systems_and_runs(*names: str) -> list[SystemAndRun]:
        """What is guessed of tables, each of which is called a run of what stands before the first dot."""
        documents = []
        for name in names:
            beginning, *_ = name.split(".")
            stream = Stream("out", ("a",), "hypothesis", beginning, "0")
            documents.append(Document(name, "table", (stream,)))
        return [(slot.system, slot.run) for slot in guess(documents)]

    assert systems_and_runs("base.opt0.jsonl", "base.opt1.jsonl", "new.opt0.jsonl", "new.opt1.jsonl") == [
        ("base", "0"),
        ("base", "1"),
        ("new", "0"),
        ("new", "1"),
    ]
    assert systems_and_runs("base.jsonl", "new.jsonl") == [("base", "0"), ("new", "0")]


def test_folders_with_references_of_their_own_are_test_sets() -> None:
    def test_sets(lines_of_references: dict[str, str]) -> dict[str, tuple[str, str | None, str | None]]:
        names = [f"{folder}/{name}.txt" for folder in lines_of_references for name in ("base", "ref", "top")]
        documents = []
        for name in names:
            folder, _, file = name.partition("/")
            line = lines_of_references[folder] if file == "ref.txt" else "a b"
            documents.append(Document(name, "lines", (Stream("", (line, "c d")),)))
        return {slot.file: (slot.test_set, slot.system, slot.run) for slot in guess(documents)}

    assert test_sets({"news": "a", "talks": "b"}) == {
        "news/base.txt": ("news", "base", "0"),
        "news/ref.txt": ("news", None, None),
        "news/top.txt": ("news", "top", "0"),
        "talks/base.txt": ("talks", "base", "0"),
        "talks/ref.txt": ("talks", None, None),
        "talks/top.txt": ("talks", "top", "0"),
    }
    copied = test_sets({"news": "a", "talks": "a"})  # each folder has a copy of one reference
    assert {test_set for test_set, _, _ in copied.values()} == {"test"}


@pytest.mark.parametrize(
    "name",
    [
        "log.txt",
        "run1/train-log.txt",
        "slurm-123_4.out",
        "slurm-9.err",
        "nohup.out",
        "job.sh.o4711",
        "stderr.txt",
        "train.err",
        "1/version",
    ],
)
def test_logs_of_jobs_beside_outputs_are_no_outputs(name: str) -> None:
    assert guessed("ref.txt", "base.1.txt", name)[name].role == "other"


@pytest.mark.parametrize("name", ["test.input.1", "input.txt", "newstest.input.tc.de"])
def test_an_input_between_dots_is_a_source(name: str) -> None:
    assert guessed("test.reference.1", "test.output.base.1", name)[name].role == "source"


def test_folders_of_inputs_and_words_with_input_are_no_sources() -> None:
    slots = guessed("ref.txt", "inputs/base.txt", "multi-input.txt")
    assert [slot.role for slot in slots.values()] == ["reference", "hypothesis", "hypothesis"]


@pytest.mark.parametrize("name", ["dialog.txt", "catalogs.txt", "old.out", "syslogic.txt"])
def test_names_that_only_contain_such_a_word_are_outputs(name: str) -> None:
    assert guessed("ref.txt", "base.1.txt", name)[name].role == "hypothesis"


@pytest.mark.parametrize(
    "line",
    [
        "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.3.1 = 23.2 55.1/29.3/17.2/10.4 (BP = 1.000)",
        "BLEU+case.mixed+numrefs.1+smooth.exp+tok.13a+version.1.5.1 = 23.2 55.1/29.3/17.2/10.4 (BP = 1.000)",
        "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.3.1 = 51.4",
        "%WER 12.34 [ 49 / 397, 9 ins, 10 del, 30 sub ]",
        "BLEU = 23.21, 55.1/29.3/17.2/10.4 (BP=1.000, ratio=1.01, hyp_len=100, ref_len=99)",
    ],
)
def test_scores_that_programs_print_are_no_outputs(line: str) -> None:
    documents = [
        Document(name, "lines", (Stream("", lines),)) for name, lines in (("a.txt", (line,)), ("b.txt", ("b",)))
    ]
    assert [slot.role for slot in guess(documents)] == ["other", "hypothesis"]


def test_the_best_hypothesis_is_an_output_and_several_are_an_n_best_list() -> None:
    slots = guessed("base.1best.txt", "new.1best.txt", "base.10best.txt", "base.nbest.txt")
    assert [slot.role for slot in slots.values()] == ["hypothesis", "hypothesis", "nbest", "nbest"]
