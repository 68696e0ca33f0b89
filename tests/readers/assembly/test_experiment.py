"""From slots to an experiment: what fits is kept, what does not is named."""

import json
from collections.abc import Iterable
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from mteval.readers.assembly.experiment import assemble
from mteval.readers.checks import check
from mteval.readers.documents import FILE_ROLES, Assembly, Edits, InputFile, Slot
from mteval.readers.formats.uploads import unpack
from mteval.readers.guesses.layout import guess
from mteval.values.model import Experiment

REFERENCE = [
    f"the cat number {number} sat on mat {number * 7 % 23} near house {number * 5 % 19}" for number in range(40)
]
HYPOTHESES = [line.replace("sat on", "is at") for line in REFERENCE]


def text(lines: Iterable[str]) -> bytes:
    """The content of a file of lines."""
    return "".join(line + "\n" for line in lines).encode()


def assembled(files: dict[str, bytes], baseline: str | None = None) -> Assembly:
    """What becomes of files that can be read."""
    documents, problems = unpack([InputFile(name, content) for name, content in files.items()])
    assert [problem for problem in problems if problem.severity != "note"] == []
    return assemble(documents, Edits(guess(documents)), baseline)


def experiment_of(assembly: Assembly) -> Experiment:
    """The experiment, of which there is one."""
    assert assembly.experiment is not None
    return assembly.experiment


def messages(assembly: Assembly, severity: str = "error") -> list[str]:
    """The problems of a severity."""
    return [problem.text for problem in assembly.problems if problem.severity == severity]


GOOD = {"base.opt0": text(HYPOTHESES), "new.opt0": text(REFERENCE), "refs.txt": text(REFERENCE)}


def test_good_files_make_an_experiment_without_problems() -> None:
    assembly = assembled(GOOD | {"src.txt": text(HYPOTHESES), "docs.txt": text(["d"] * 40)})

    assert assembly.problems == ()
    (test_set,) = experiment_of(assembly).test_sets
    assert test_set.name == "test"
    assert test_set.role == "test"
    assert test_set.n_segments == 40
    assert [(run.system, run.key) for run in test_set.runs] == [("base", "0"), ("new", "0")]
    assert test_set.runs[0].hypotheses == tuple(HYPOTHESES)
    assert test_set.references == tuple((line,) for line in REFERENCE)
    assert test_set.source == tuple(HYPOTHESES)
    assert test_set.documents == ("d",) * 40


def test_file_with_a_missing_line_is_ignored_and_the_line_reported() -> None:
    without_line_18 = HYPOTHESES[:17] + HYPOTHESES[18:]

    assembly = assembled(GOOD | {"new.opt1": text(without_line_18)})

    assert messages(assembly) == [
        "new.opt1, line 18: System 'new', run '1' has 39 segments on test set 'test', but the references have 40."
        " Line 18 is the first that looks shifted. Fix the file or remove it."
    ]
    assert [len(system.runs) for system in experiment_of(assembly).systems] == [1, 1]


def test_file_that_ends_too_early_is_reported() -> None:
    (message,) = messages(assembled(GOOD | {"new.opt1": text(HYPOTHESES[:-1])}))
    assert "It seems to end too early" in message


def test_truncated_reference_does_not_reject_the_outputs() -> None:
    assembly = assembled({"ref0": text(REFERENCE[:20])} | GOOD)

    (message,) = messages(assembly)
    assert message.startswith("ref0: The reference has 20 segments")
    assert experiment_of(assembly).test_sets[0].n_segments == 40


def test_a_reference_that_fits_no_output_is_the_one_cause() -> None:
    (message,) = messages(assembled(GOOD | {"refs.txt": text([*REFERENCE, "one more"])}))
    assert message.startswith("refs.txt: The reference has 41 segments on test set 'test', but all 2 outputs have 40.")


def test_line_ends_of_another_kind_explain_a_wrong_number_of_segments() -> None:
    joined = text(HYPOTHESES[:10]) + "\r".join(HYPOTHESES[10:]).encode()
    (message,) = messages(assembled(GOOD | {"base.opt0": joined}))
    assert (
        "has 11 segments on test set 'test', but the references have 40. Line 11 has line ends of CR alone" in message
    )


def test_texts_that_are_numbers_are_outputs_beside_a_reference_of_numbers() -> None:
    numbers = {name: text(f"Page {number}.5" for number in range(40)) for name in ("A.txt", "B.txt", "refs.txt")}
    (test_set,) = experiment_of(assembled(numbers)).test_sets
    assert [run.system for run in test_set.runs] == ["A", "B"]


def test_outputs_in_different_orders_need_a_reference_that_names_segments() -> None:
    def table(column: str, lines: list[str], order: Iterable[int]) -> bytes:
        return text([f"segment\t{column}", *(f"s{number}\t{lines[number]}" for number in order)])

    backwards = range(39, -1, -1)
    outputs = {"A.tsv": table("hypothesis", HYPOTHESES, backwards), "B.tsv": table("hypothesis", REFERENCE, range(40))}
    (message,) = messages(assembled(outputs | {"refs.txt": text(REFERENCE)}))
    assert message.startswith(
        "refs.txt: The reference names no segments, and 'A.tsv' and 'B.tsv' have them in different"
    )
    named = assembled(outputs | {"refs.tsv": table("reference", REFERENCE, range(40))})
    assert messages(named) == []
    (test_set,) = experiment_of(named).test_sets
    assert test_set.runs_of("B")[0].hypotheses == tuple(texts[0] for texts in test_set.references)


def test_truncated_source_is_ignored() -> None:
    assembly = assembled(GOOD | {"src.txt": text(HYPOTHESES[:-2])})

    assert len(messages(assembly)) == 1
    assert experiment_of(assembly).test_sets[0].source is None


def test_two_files_for_one_slot_keep_the_first() -> None:
    documents, _ = unpack([InputFile(name, content) for name, content in GOOD.items()])
    slots = []
    for slot in guess(documents):
        if slot.role == "hypothesis":
            slot = replace(slot, system="base", run="0")
        slots.append(slot)

    assembly = assemble(documents, Edits(tuple(slots)))

    (message,) = messages(assembly)
    assert message.startswith("new.opt0: System 'base', run '0' on test set 'test' is already 'base.opt0'")
    assert experiment_of(assembly).test_sets[0].runs[0].hypotheses == tuple(HYPOTHESES)


def test_second_source_is_ignored_unless_identical() -> None:
    files = GOOD | {"src.txt": text(HYPOTHESES)}

    assert messages(assembled(files | {"source.txt": text(HYPOTHESES)})) == []

    (message,) = messages(assembled(files | {"source.txt": text(REFERENCE)}))
    assert message.startswith("source.txt: The source of test set 'test' is already 'src.txt'")


def test_several_references_are_kept_and_copies_count_once() -> None:
    assembly = assembled(GOOD | {"refB": text(HYPOTHESES), "refC": text(REFERENCE)})

    assert experiment_of(assembly).test_sets[0].references[0] == (REFERENCE[0], HYPOTHESES[0])
    (note,) = messages(assembly, "note")
    assert note.startswith("refC: The reference is identical to 'refs.txt'")


def test_test_set_without_reference_is_allowed_with_a_warning() -> None:
    assembly = assembled({"base.opt0": text(HYPOTHESES), "source": text(REFERENCE)})

    (test_set,) = experiment_of(assembly).test_sets
    assert test_set.n_segments == len(REFERENCE)
    assert not test_set.has_references
    assert "Test set 'test' has no reference" in messages(assembly, "warning")[0]


def test_without_references_the_source_sets_the_number_of_segments() -> None:
    files = {"base.opt0": text(HYPOTHESES), "new.opt0": text(HYPOTHESES[:-1]), "source": text(REFERENCE)}
    assembly = assembled(files)

    assert [system.key for system in experiment_of(assembly).systems] == ["base"]
    assert any(f"the source has {len(REFERENCE)}." in message for message in messages(assembly))


def test_without_references_and_source_most_outputs_set_it() -> None:
    files = {"base.opt0": text(HYPOTHESES), "new.opt0": text(HYPOTHESES), "odd.opt0": text(HYPOTHESES[:-1])}
    assembly = assembled(files)

    assert [system.key for system in experiment_of(assembly).systems] == ["base", "new"]
    assert any(f"most outputs have {len(REFERENCE)}." in message for message in messages(assembly))


def test_without_output_there_is_no_experiment() -> None:
    assembly = assembled({"refs": text(REFERENCE)})

    assert assembly.experiment is None
    assert any("at least one hypothesis file" in message for message in messages(assembly))
    assert assemble((), Edits()).experiment is None


def test_test_set_without_reference_does_not_affect_others() -> None:
    assembly = assembled(GOOD | {"base.dev.opt0": text(HYPOTHESES)})
    test, dev = experiment_of(assembly).test_sets
    assert (test.name, test.has_references) == ("test", True)
    assert (dev.name, dev.has_references) == ("dev", False)
    assert "Test set 'dev' has no reference" in messages(assembly, "warning")[0]


def test_the_reported_test_set_comes_before_the_tuning_set() -> None:
    dev = {f"dev/{name}": content for name, content in GOOD.items()}

    first, second = experiment_of(assembled(dev | GOOD)).test_sets

    assert (first.name, first.role) == ("test", "test")
    assert (second.name, second.role) == ("dev", "dev")


def test_runs_are_sorted_by_number() -> None:
    outputs = {}
    for run in (10, 2, 0):
        outputs[f"base.opt{run}"] = text(f"{run} {line}" for line in HYPOTHESES)

    assembly = assembled(outputs | {"refs": text(REFERENCE)})

    assert experiment_of(assembly).systems[0].runs == ("0", "2", "10")


def test_the_baseline_is_the_one_given_else_guessed() -> None:
    with_given = assembled(GOOD, "new")
    with_guessed = assembled(GOOD, None)
    with_unknown = assembled(GOOD, "nobody")

    assert experiment_of(with_given).baseline == "new"
    assert experiment_of(with_guessed).baseline == "base"
    assert experiment_of(with_unknown).baseline == "base"
    assert messages(with_unknown) == ["The baseline 'nobody' has no output. Choose one of base, new."]


def test_files_outside_a_test_set_are_noted_or_kept() -> None:
    assembly = assembled(GOOD | {"COMET.sys.score": b"a\t0.5\n", "base.nbest": b"0 ||| a ||| b=1 ||| -1\n"})

    assert assembly.nbest == ("base.nbest",)
    assert messages(assembly) == []
    ignored = [(entry.file, entry.reason) for entry in assembly.ledger.of("ignored")]
    assert ignored == [("COMET.sys.score", "one score per system; tests need one per segment")]


def test_excluded_slots_have_no_effect() -> None:
    documents, _ = unpack([InputFile(name, content) for name, content in GOOD.items()])
    slots = [replace(slot, included=slot.system != "new") for slot in guess(documents)]

    assembly = assemble(documents, Edits(tuple(slots)))

    assert assembly.problems == ()
    assert [system.key for system in experiment_of(assembly).systems] == ["base"]


def test_domains_are_split_from_the_ids_of_documents() -> None:
    domains = ["news"] * 20 + ["talk"] * 20
    documents = ["d0"] * 10 + ["d1"] * 10 + ["d2"] * 10 + ["d3"] * 10
    lines = [f"{domain}\t{document}" for domain, document in zip(domains, documents, strict=True)]

    (test_set,) = experiment_of(assembled(GOOD | {"documents.tsv": text(lines)})).test_sets

    assert test_set.documents == tuple(documents)
    assert test_set.side["domain"] == tuple(domains)


def test_an_id_that_two_domains_use_keeps_its_domain() -> None:
    lines = ["news\td0", "news\td1"] * 10 + ["talk\td0", "talk\td1"] * 10

    (test_set,) = experiment_of(assembled(GOOD | {"documents.tsv": text(lines)})).test_sets

    assert test_set.documents == tuple(lines)


TABLE = """system,segment,hypothesis,reference,reference2
base,1,a,ra,
base,2,b,rb,sb
base,3,c,,
new,1,d,ra,
new,3,f,,
"""


def test_table_with_gaps_keeps_complete_parts() -> None:
    assembly = assembled({"t.csv": TABLE.encode()})

    assert messages(assembly) == [
        "t.csv: System 'new', run '0' has no line for segment '2' (1 in all). Add it, or exclude the file."
    ]
    assert messages(assembly, "warning") == [
        "Test set 'test': 1 of 3 segments has no reference (first: '3') and is ignored."
    ]
    (test_set,) = experiment_of(assembly).test_sets
    assert test_set.references == (("ra",), ("rb", "sb"))
    assert [run.hypotheses for run in test_set.runs] == [("a", "b")]


def test_a_table_without_any_reference_text_has_no_references() -> None:
    assembly = assembled({"t.csv": b"system,segment,hypothesis,reference\nA,1,x,\nA,2,y,\n"})

    assert experiment_of(assembly).test_sets[0].references == ((), ())
    assert "has no reference" in messages(assembly, "warning")[0]


def sgml(kind: str, system: str, segments: dict[str, str]) -> bytes:
    """A file of segments, which are named by the letter of their document and their number in it."""
    body = ""
    for name, segment in segments.items():
        document, number = name
        body += f'<doc docid="{document}" sysid="{system}"><seg id="{number}">{segment}</seg></doc>'
    return f'<{kind} setid="news">{body}</{kind}>'.encode()


def test_segments_with_ids_are_aligned_by_id() -> None:
    files = {
        "ref.sgm": sgml("refset", "ref", {"a1": "one", "b1": "two"}),
        "x.sgm": sgml("tstset", "X", {"b1": "zwei", "a1": "eins"}),
    }
    assembly = assembled(files)

    assert assembly.problems == ()
    (test_set,) = experiment_of(assembly).test_sets
    assert test_set.name == "news"
    assert test_set.documents == ("a", "b")
    assert test_set.runs[0].hypotheses == ("eins", "zwei")


def test_unknown_segment_ids_are_reported() -> None:
    reference = {"ref.sgm": sgml("refset", "ref", {"a1": "one", "b1": "two"})}
    without_b = {"a1": "eins", "c1": "drei"}
    with_c = {"a1": "eins", "b1": "zwei", "c1": "drei"}

    (message,) = messages(assembled(reference | {"x.sgm": sgml("tstset", "X", without_b)}))
    assert message.startswith("x.sgm: System 'X', run '0' lacks segment 'b 1'")

    (message,) = messages(assembled(reference | {"x.sgm": sgml("tstset", "X", with_c)}))
    assert message.startswith("x.sgm: System 'X', run '0' has segment 'c 1', which the reference lacks")


def test_plain_outputs_go_with_references_in_sgml_line_by_line() -> None:
    assembly = assembled({"ref.sgm": sgml("refset", "ref", {"a1": "one", "b1": "two"}), "base.txt": b"eins\nzwei\n"})

    assert assembly.problems == ()
    assert experiment_of(assembly).test_sets[0].runs[0].hypotheses == ("eins", "zwei")


FILES = GOOD | {"t.csv": TABLE.encode()}
DOCUMENTS, _ = unpack([InputFile(name, content) for name, content in FILES.items()])
NAMES = st.sampled_from([None, "", "a", "b", "0"])
SLOTS = st.builds(
    Slot,
    file=st.sampled_from(["base.opt0", "new.opt0", "refs.txt", "t.csv", "gone"]),
    role=st.sampled_from(FILE_ROLES),
    test_set=st.sampled_from(["", "test", "dev"]),
    system=NAMES,
    run=NAMES,
    stream=st.sampled_from(["", "base, run 0", "new, run 0", "reference", "reference2", "gone"]),
    included=st.booleans(),
)


@given(st.lists(SLOTS, max_size=8), NAMES)
def test_no_edit_raises_and_every_loss_is_reported(slots: list[Slot], baseline: str | None) -> None:
    assembly = assemble(DOCUMENTS, Edits(tuple(slots)), baseline)

    n_included = sum(slot.included and slot.role == "hypothesis" for slot in slots)
    n_runs = 0
    if assembly.experiment is not None:
        n_runs = sum(len(test_set.runs) for test_set in assembly.experiment.test_sets)
    assert n_runs <= n_included
    assert n_runs == n_included or assembly.problems


def test_segments_without_reference_are_removed_from_every_column() -> None:
    table = [
        "segment,system,hypothesis,reference,document,source",
        "s1,A,one out,yes,d1,eins",
        "s2,A,two out,,d1,zwei",
        "s3,A,three out,no,d2,drei",
    ]
    genres = ["news", "talk", "news of d2"]

    assembly = assembled({"all.csv": text(table), "genre.labels.txt": text(genres)})

    (test_set,) = experiment_of(assembly).test_sets
    assert test_set.references == (("yes",), ("no",))
    assert test_set.runs[0].hypotheses == ("one out", "three out")
    assert test_set.source == ("eins", "drei")
    assert test_set.documents == ("d1", "d2")
    assert test_set.side == {"genre": ("news", "news of d2")}


def test_empty_lines_at_the_end_are_named_as_such() -> None:
    assembly = assembled(GOOD | {"new.opt1": text([*REFERENCE, "", " "])})
    (message,) = messages(assembly)
    assert message.endswith("but the references have 40. Its last 2 lines are empty. Remove them.")


def table(order: Iterable[int], system: str = "", name: str = "id") -> bytes:
    """JSON lines with the outputs and references of segments in some order, with IDs."""
    rows = []
    for number in order:
        row = {name: f"n{number}", "hypothesis": HYPOTHESES[number], "reference": REFERENCE[number]}
        rows.append(json.dumps(row | ({"system": system} if system else {})))
    return text(rows)


def test_tables_with_equal_ids_in_another_order_are_an_error_unless_the_ids_name_segments() -> None:
    reverse = range(39, -1, -1)
    assert messages(assembled({"base.jsonl": table(range(40)), "new.jsonl": table(range(40))})) == []

    (message,) = messages(assembled({"base.jsonl": table(range(40)), "new.jsonl": table(reverse)}))
    assert message == (
        "new.jsonl: The rows are those of 'base.jsonl' in another order: row 1 has the ID 'n39', there 'n0'. Rename the"
        " column of IDs to 'segment', so that it matches the rows."
    )
    both = table(range(40), "base") + table(reverse, "new").replace(b'"reference"', b'"other"')
    (message,) = messages(assembled({"all.jsonl": both}))
    assert "The rows of system 'new', run '0', are those of system 'base', run '0', in another order" in message

    named = {"base.jsonl": table(range(40), name="segment"), "new.jsonl": table(reverse, name="segment")}
    (test_set,) = experiment_of(assembled(named)).test_sets
    assert [run.hypotheses for run in test_set.runs] == [tuple(HYPOTHESES)] * 2
    other_ids = {"base.jsonl": table(range(20)), "new.jsonl": table(range(20, 40))}
    assert messages(assembled(other_ids)) == []


def test_systems_spelled_otherwise_on_another_test_set_are_reported() -> None:
    files = {"newstest2020/ref.txt": text(REFERENCE), "newstest2021/ref.txt": text(REFERENCE)}
    outputs = {
        "newstest2020/Base.1.txt": text(HYPOTHESES),
        "newstest2020/new.1.txt": text(REFERENCE),
        "newstest2021/new.1.txt": text(HYPOTHESES),
    }
    (message,) = messages(assembled(files | outputs | {"newstest2021/base.1.txt": text(REFERENCE)}), "warning")
    assert message == (
        "Systems 'Base' and 'base' are on different test sets, so they are not compared. If they are one system, give"
        " them one name."
    )
    alike = outputs | {"newstest2021/Base.1.txt": text(REFERENCE)}
    assert messages(assembled(files | alike), "warning") == []
    assert messages(assembled(files | alike | {"newstest2021/base.1.txt": text(REFERENCE[::-1])}), "warning") == []


def test_equal_short_answers_all_count() -> None:
    """Three independent runs answer yes or no to eight questions: two of them agree in all, all agree in seven."""
    answers = {"opt0": "yes no yes no yes no yes no", "opt1": "yes no yes no yes no yes yes"}
    files = {"new.opt0": text(["no"] * 8), "refs.txt": text(["yes"] * 8)}
    for run, words in answers.items():
        files[f"base.{run}"] = text(words.split())
    files["base.opt2"] = files["base.opt0"]
    (test_set,) = experiment_of(assembled(files)).test_sets
    assert len(test_set.runs_of("base")) == 3
    assert test_set.copies == ()


def test_equal_runs_of_which_none_differs_count_once_and_are_a_note_if_they_may_be_equal_by_chance() -> None:
    def counted(answers: list[str]) -> tuple[int, str]:
        files = {f"base.opt{run}": text(answers) for run in range(3)} | {"new.opt0": text(["no"] * len(answers))}
        experiment = experiment_of(assembled(files | {"refs.txt": text(["perhaps"] * len(answers))}))
        (test_set,) = experiment.test_sets
        findings = check(experiment, "sacrebleu")
        (severity,) = [finding.severity for finding in findings if finding.code == "copied-runs"]
        (single,) = [finding.detail for finding in findings if finding.code == "single-runs"]
        assert "Equal runs of base count as one." in single, "commands print no notes, but this"
        assert {run.key for run in test_set.copies} == {"1", "2"}
        return len(test_set.runs_of("base")), severity

    assert counted(["yes", "yes", "yes", "yes", "no"]) == (1, "note")
    assert counted(HYPOTHESES) == (1, "warning")


def test_a_first_line_too_many_is_named() -> None:
    for first, hint in (("", "Its first line is empty."), ("hypothesis", "Its first line names a column.")):
        (message,) = messages(assembled(GOOD | {"new.opt0": text([first, *HYPOTHESES])}))
        assert message.endswith(f"but the references have 40. {hint} Remove it.")
