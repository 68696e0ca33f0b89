"""From slots to an experiment: what fits is kept, what does not is named."""

from collections.abc import Iterable
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from mteval.readers.assembly.experiment import assemble
from mteval.readers.documents import FILE_ROLES, Assembly, Edits, InputFile, Slot
from mteval.readers.formats.uploads import unpack
from mteval.readers.guesses.layout import guess

REFERENCE = [f"the cat number {i} sat on mat {i * 7 % 23} near house {i * 5 % 19}" for i in range(40)]
HYPOTHESES = [line.replace("sat on", "is at") for line in REFERENCE]


def text(lines: Iterable[str]) -> bytes:
    return "".join(line + "\n" for line in lines).encode()


def assembled(files: dict[str, bytes], baseline: str | None = None) -> Assembly:
    documents, problems = unpack([InputFile(name, content) for name, content in files.items()])
    assert problems == ()
    return assemble(documents, Edits(guess(documents)), baseline)


def messages(assembly: Assembly, severity: str = "error") -> list[str]:
    return [problem.text for problem in assembly.problems if problem.severity == severity]


GOOD = {"base.opt0": text(HYPOTHESES), "new.opt0": text(REFERENCE), "refs.txt": text(REFERENCE)}


def test_good_files_make_an_experiment_without_problems() -> None:
    assembly = assembled(GOOD | {"src.txt": text(HYPOTHESES), "docs.txt": text(["d"] * 40)})
    assert assembly.problems == ()
    assert assembly.experiment is not None
    (test_set,) = assembly.experiment.test_sets
    assert (test_set.name, test_set.role, test_set.n_segments) == ("test", "test", 40)
    assert [(run.system, run.key) for run in test_set.runs] == [("base", "0"), ("new", "0")]
    assert test_set.runs[0].hypotheses == tuple(HYPOTHESES)
    assert test_set.references == tuple((line,) for line in REFERENCE)
    assert test_set.source == tuple(HYPOTHESES)
    assert test_set.documents == ("d",) * 40


def test_file_with_a_missing_line_is_ignored_and_the_line_reported() -> None:
    assembly = assembled(GOOD | {"new.opt1": text(HYPOTHESES[:17] + HYPOTHESES[18:])})
    assert messages(assembly) == [
        "new.opt1, line 18: System 'new', run '1' has 39 segments on test set 'test', but the references have 40."
        " Line 18 is the first that looks shifted. Fix the file or remove it."
    ]
    assert assembly.experiment is not None
    assert [len(system.runs) for system in assembly.experiment.systems] == [1, 1]


def test_file_that_ends_too_early_is_reported() -> None:
    (message,) = messages(assembled(GOOD | {"new.opt1": text(HYPOTHESES[:-1])}))
    assert "It seems to end too early" in message


def test_truncated_reference_does_not_reject_the_outputs() -> None:
    assembly = assembled({"ref0": text(REFERENCE[:20])} | GOOD)
    (message,) = messages(assembly)
    assert message.startswith("ref0: The reference has 20 segments")
    assert assembly.experiment is not None
    assert assembly.experiment.test_sets[0].n_segments == 40


def test_truncated_source_is_ignored() -> None:
    assembly = assembled(GOOD | {"src.txt": text(HYPOTHESES[:-2])})
    assert len(messages(assembly)) == 1
    assert assembly.experiment is not None
    assert assembly.experiment.test_sets[0].source is None


def test_two_files_for_one_slot_keep_the_first() -> None:
    documents, _ = unpack([InputFile(name, content) for name, content in GOOD.items()])
    slots = [replace(slot, system="base", run="0") if slot.role == "hypothesis" else slot for slot in guess(documents)]
    assembly = assemble(documents, Edits(tuple(slots)))
    (message,) = messages(assembly)
    assert message.startswith("new.opt0: System 'base', run '0' on test set 'test' is already 'base.opt0'")
    assert assembly.experiment is not None
    assert assembly.experiment.test_sets[0].runs[0].hypotheses == tuple(HYPOTHESES)


def test_second_source_is_ignored_unless_identical() -> None:
    first = {"src.txt": text(HYPOTHESES)}
    assert messages(assembled(GOOD | first | {"source.txt": text(HYPOTHESES)})) == []
    (message,) = messages(assembled(GOOD | first | {"source.txt": text(REFERENCE)}))
    assert message.startswith("source.txt: The source of test set 'test' is already 'src.txt'")


def test_several_references_are_kept_and_copies_count_once() -> None:
    assembly = assembled(GOOD | {"refB": text(HYPOTHESES), "refC": text(REFERENCE)})
    assert assembly.experiment is not None
    assert assembly.experiment.test_sets[0].references[0] == (REFERENCE[0], HYPOTHESES[0])
    (note,) = messages(assembly, "note")
    assert note.startswith("refC: The reference is identical to 'refs.txt'")


def test_test_set_without_reference_is_allowed_with_a_warning() -> None:
    assembly = assembled({"base.opt0": text(HYPOTHESES), "source": text(REFERENCE)})
    assert assembly.experiment is not None
    (test_set,) = assembly.experiment.test_sets
    assert (test_set.n_segments, test_set.has_references) == (len(REFERENCE), False)
    assert "Test set 'test' has no reference" in messages(assembly, "warning")[0]


def test_without_references_the_source_sets_the_number_of_segments() -> None:
    files = {"base.opt0": text(HYPOTHESES), "new.opt0": text(HYPOTHESES[:-1]), "source": text(REFERENCE)}
    assembly = assembled(files)
    assert assembly.experiment is not None
    assert [system.key for system in assembly.experiment.systems] == ["base"]
    assert any(f"the source has {len(REFERENCE)}." in message for message in messages(assembly))


def test_without_references_and_source_most_outputs_set_it() -> None:
    files = {"base.opt0": text(HYPOTHESES), "new.opt0": text(HYPOTHESES), "odd.opt0": text(HYPOTHESES[:-1])}
    assembly = assembled(files)
    assert assembly.experiment is not None
    assert [system.key for system in assembly.experiment.systems] == ["base", "new"]
    assert any(f"most outputs have {len(REFERENCE)}." in message for message in messages(assembly))


def test_without_output_there_is_no_experiment() -> None:
    assembly = assembled({"refs": text(REFERENCE)})
    assert assembly.experiment is None
    assert any("at least one hypothesis file" in message for message in messages(assembly))
    assert assemble((), Edits()).experiment is None


def test_test_set_without_reference_does_not_affect_others() -> None:
    assembly = assembled(GOOD | {"base.dev.opt0": text(HYPOTHESES)})
    assert assembly.experiment is not None
    assert [(one.name, one.has_references) for one in assembly.experiment.test_sets] == [("test", True), ("dev", False)]
    assert "Test set 'dev' has no reference" in messages(assembly, "warning")[0]


def test_the_reported_test_set_comes_before_the_tuning_set() -> None:
    dev = {f"dev/{name}": content for name, content in GOOD.items()}
    assembly = assembled(dev | GOOD)
    assert assembly.experiment is not None
    assert [(t.name, t.role) for t in assembly.experiment.test_sets] == [("test", "test"), ("dev", "dev")]


def test_runs_are_sorted_by_number() -> None:
    files = {f"base.opt{run}": text([f"{run} {line}" for line in HYPOTHESES]) for run in (10, 2, 0)}
    assembly = assembled(files | {"refs": text(REFERENCE)})
    assert assembly.experiment is not None
    assert assembly.experiment.systems[0].runs == ("0", "2", "10")


def test_the_baseline_is_the_one_given_else_guessed() -> None:
    given_one, guessed, wrong = (assembled(GOOD, name) for name in ("new", None, "nobody"))
    assert [a.experiment.baseline for a in (given_one, guessed, wrong) if a.experiment] == ["new", "base", "base"]
    assert messages(wrong) == ["The baseline 'nobody' has no output. Choose one of base, new."]


def test_files_outside_a_test_set_are_noted_or_kept() -> None:
    assembly = assembled(GOOD | {"COMET.sys.score": b"a\t0.5\n", "base.nbest": b"0 ||| a ||| b=1 ||| -1\n"})
    assert assembly.nbest == ("base.nbest",)
    assert messages(assembly) == []
    assert messages(assembly, "note") == ["COMET.sys.score: Ignored: not recognised as output or reference."]


def test_excluded_slots_have_no_effect() -> None:
    documents, _ = unpack([InputFile(name, content) for name, content in GOOD.items()])
    slots = [replace(slot, included=slot.system != "new") for slot in guess(documents)]
    assembly = assemble(documents, Edits(tuple(slots)))
    assert assembly.problems == ()
    assert assembly.experiment is not None
    assert [system.key for system in assembly.experiment.systems] == ["base"]


def test_domains_are_split_from_the_ids_of_documents() -> None:
    lines = [f"{'news' if i < 20 else 'talk'}\td{i // 10}" for i in range(40)]
    experiment = assembled(GOOD | {"documents.tsv": text(lines)}).experiment
    assert experiment is not None
    (test_set,) = experiment.test_sets
    assert test_set.documents == tuple(f"d{i // 10}" for i in range(40))
    assert test_set.side["domain"] == ("news",) * 20 + ("talk",) * 20


def test_an_id_that_two_domains_use_keeps_its_domain() -> None:
    lines = [f"{'news' if i < 20 else 'talk'}\td{i % 2}" for i in range(40)]
    experiment = assembled(GOOD | {"documents.tsv": text(lines)}).experiment
    assert experiment is not None
    assert experiment.test_sets[0].documents == tuple(lines)


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
    assert assembly.experiment is not None
    (test_set,) = assembly.experiment.test_sets
    assert test_set.references == (("ra",), ("rb", "sb"))
    assert [run.hypotheses for run in test_set.runs] == [("a", "b")]


def test_a_table_without_any_reference_text_has_no_references() -> None:
    assembly = assembled({"t.csv": b"system,segment,hypothesis,reference\nA,1,x,\nA,2,y,\n"})
    assert assembly.experiment is not None
    assert assembly.experiment.test_sets[0].references == ((), ())
    assert "has no reference" in messages(assembly, "warning")[0]


def sgml(kind: str, system: str, segments: dict[str, str]) -> bytes:
    body = "".join(
        f'<doc docid="{k[0]}" sysid="{system}"><seg id="{k[1]}">{v}</seg></doc>' for k, v in segments.items()
    )
    return f'<{kind} setid="news">{body}</{kind}>'.encode()


def test_segments_with_ids_are_aligned_by_id() -> None:
    files = {
        "ref.sgm": sgml("refset", "ref", {"a1": "one", "b1": "two"}),
        "x.sgm": sgml("tstset", "X", {"b1": "zwei", "a1": "eins"}),
    }
    assembly = assembled(files)
    assert assembly.problems == ()
    assert assembly.experiment is not None
    (test_set,) = assembly.experiment.test_sets
    assert (test_set.name, test_set.documents) == ("news", ("a", "b"))
    assert test_set.runs[0].hypotheses == ("eins", "zwei")


def test_unknown_segment_ids_are_reported() -> None:
    reference = {"ref.sgm": sgml("refset", "ref", {"a1": "one", "b1": "two"})}
    (lacks,) = messages(assembled(reference | {"x.sgm": sgml("tstset", "X", {"a1": "eins", "c1": "drei"})}))
    assert lacks.startswith("x.sgm: System 'X', run '0' lacks segment 'b 1'")
    surplus = {"a1": "eins", "b1": "zwei", "c1": "drei"}
    (has,) = messages(assembled(reference | {"x.sgm": sgml("tstset", "X", surplus)}))
    assert has.startswith("x.sgm: System 'X', run '0' has segment 'c 1', which the reference lacks")


def test_plain_outputs_go_with_references_in_sgml_line_by_line() -> None:
    assembly = assembled({"ref.sgm": sgml("refset", "ref", {"a1": "one", "b1": "two"}), "base.txt": b"eins\nzwei\n"})
    assert assembly.problems == ()
    assert assembly.experiment is not None
    assert assembly.experiment.test_sets[0].runs[0].hypotheses == ("eins", "zwei")


DOCUMENTS, _ = unpack([InputFile(name, content) for name, content in {**GOOD, "t.csv": TABLE.encode()}.items()])
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
    wanted = sum(slot.included and slot.role == "hypothesis" for slot in slots)
    runs = sum(len(test_set.runs) for test_set in assembly.experiment.test_sets) if assembly.experiment else 0
    assert runs <= wanted
    assert runs == wanted or assembly.problems


def test_segments_without_reference_are_removed_from_every_column() -> None:
    table = [
        "segment,system,hypothesis,reference,document,source",
        *("s1,A,one out,yes,d1,eins", "s2,A,two out,,d1,zwei", "s3,A,three out,no,d2,drei"),
    ]
    assembly = assembled({"all.csv": text(table), "genre.labels.txt": text(["news", "talk", "news of d2"])})
    assert assembly.experiment is not None
    (test_set,) = assembly.experiment.test_sets
    assert test_set.references == (("yes",), ("no",))
    assert test_set.runs[0].hypotheses == ("one out", "three out")
    assert (test_set.source, test_set.documents) == (("eins", "drei"), ("d1", "d2"))
    assert test_set.side == {"genre": ("news", "news of d2")}
