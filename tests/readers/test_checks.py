"""The check of the data and the suggested convention."""

from collections.abc import Sequence

import pytest

from mteval.readers import checks
from mteval.readers.appearance import appearance, suggest_convention
from mteval.readers.checks import check
from mteval.readers.documents import named
from mteval.values.findings import Finding
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Convention

PLAIN = [f"The cat number {i}, as we know, sat in house {i}." for i in range(40)]
TOKENIZED = [f"The cat number {i} , as we know , sat in house {i} ." for i in range(40)]
OTHER = [line.replace("cat", "dog") for line in PLAIN]
THIRD = [line.replace("cat", "cow") for line in PLAIN]
FIRST = [line.replace("cat", "pig") for line in PLAIN]
FOURTH = [line.replace("cat", "hen") for line in PLAIN]


def experiment(
    outputs: dict[str, Sequence[Sequence[str]]],
    references: Sequence[str] = PLAIN,
    source: Sequence[str] | None = None,
) -> Experiment:
    runs = tuple(
        Run(system, str(key), tuple(lines)) for system, texts in outputs.items() for key, lines in enumerate(texts)
    )
    test_set = TestSet(
        "t",
        tuple((line,) for line in references),
        runs,
        source=None if source is None else tuple(source),
    )
    return Experiment((test_set,), next(iter(outputs)))


def found(
    outputs: dict[str, Sequence[Sequence[str]]],
    references: Sequence[str] = PLAIN,
    source: Sequence[str] | None = None,
    convention: Convention = "sacrebleu",
) -> dict[str, Finding]:
    return {finding.title: finding for finding in check(experiment(outputs, references, source), convention)}


CLEAN: dict[str, Sequence[Sequence[str]]] = {"A": (FIRST, OTHER), "B": (THIRD, FOURTH)}


def test_clean_data_have_no_findings() -> None:
    assert found(CLEAN, source=[line.upper() for line in PLAIN]) == {}


def test_identical_systems_are_found_whatever_the_order_of_their_runs() -> None:
    finding = found({"A": (FIRST, OTHER), "B": (OTHER, FIRST)})
    assert list(finding) == ["Identical systems"]
    assert "A and B" in finding["Identical systems"].detail


def test_identical_runs_of_a_system_are_found() -> None:
    finding = found({"A": (FIRST, OTHER, FIRST), "B": (THIRD, FOURTH)})
    assert list(finding) == ["Identical outputs"]
    assert "of 'A'" in finding["Identical outputs"].detail
    assert "Runs 0 and 2" in finding["Identical outputs"].detail


def test_an_output_that_two_systems_share_is_found() -> None:
    finding = found({"A": (FIRST, OTHER), "B": (THIRD, FIRST)})
    assert list(finding) == ["Output shared by systems"]
    assert "A 0 and B 1" in finding["Output shared by systems"].detail


def test_empty_hypotheses_are_counted_and_the_first_named() -> None:
    gaps = [*FIRST[:7], "", " \t", *FIRST[9:]]
    finding = found({"A": (gaps, OTHER), "B": (THIRD, FOURTH)})
    assert list(finding) == ["Empty hypotheses"]
    assert "in 1 of 2 runs (most in run '0'): 2 of 40 (first: 8)" in finding["Empty hypotheses"].detail


def test_empty_references_are_counted_and_the_first_named() -> None:
    finding = found(CLEAN, references=[*PLAIN[:4], "", *PLAIN[5:]])
    assert list(finding) == ["Empty references"]
    assert "1 of 40 segments (first: 5)" in finding["Empty references"].detail


@pytest.mark.parametrize(("copied", "severity"), [(2, "note"), (20, "warning")])
def test_lines_that_copy_the_source_are_a_warning_where_they_are_many(copied: int, severity: str) -> None:
    source = [*FIRST[:copied], *(line.upper() for line in PLAIN[copied:])]
    finding = found(CLEAN, source=source)
    assert list(finding) == ["Copies of the source"]
    assert finding["Copies of the source"].severity == severity
    assert f"{copied} of 40" in finding["Copies of the source"].detail


def test_short_copies_of_the_source_are_ignored() -> None:
    lines = [f"Taxi {i}" for i in range(40)]
    other = [f"Cab {i}" for i in range(40)]
    assert "Copies of the source" not in found({"A": (lines, other)}, references=lines, source=lines)


TOKENIZED_SYSTEMS: dict[str, Sequence[Sequence[str]]] = {
    "A": tuple([line.replace("cat", name) for line in TOKENIZED] for name in ("pig", "dog")),
    "B": ([line.replace("cat", "cow") for line in TOKENIZED], [line.replace("cat", "hen") for line in TOKENIZED]),
}


def test_tokenized_text_is_a_finding_where_the_metric_tokenizes() -> None:
    assert list(found(TOKENIZED_SYSTEMS, TOKENIZED)) == ["Text looks tokenized"]
    assert found(TOKENIZED_SYSTEMS, TOKENIZED, convention="multeval") == {}


def test_running_text_is_a_finding_where_the_metric_does_not_tokenize() -> None:
    finding = found(CLEAN, convention="multeval")
    assert list(finding) == ["Text looks detokenized"]
    assert "the references, A and B" in finding["Text looks detokenized"].detail


def test_outputs_tokenized_unlike_the_references_are_found() -> None:
    finding = found(CLEAN, references=TOKENIZED)["References tokenized differently"]
    assert "not A and B" in finding.detail


@pytest.mark.parametrize("lower_references", [True, False])
def test_mixed_case_against_lower_case_is_found_either_way_round(lower_references: bool) -> None:
    lowered = {system: [[line.lower() for line in lines] for lines in texts] for system, texts in CLEAN.items()}
    finding = found(CLEAN, references=[line.lower() for line in PLAIN]) if lower_references else found(lowered)
    assert list(finding) == ["Case differs from the references"]


@pytest.mark.parametrize("at_once", [1, 7, 1_000])
def test_traces_of_the_pipeline_are_counted_whatever_the_number_of_lines_read_at_once(
    monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(checks, "LINES_AT_ONCE", at_once)
    marked = [line.replace(",", "&quot;") if index in {8, 9, 33} else line for index, line in enumerate(OTHER)]
    (finding,) = found(CLEAN | {"B": (THIRD, marked)}).values()
    assert "has escaped characters (&quot;) in 1 of 2 runs (most in run '1'): 3 of 40 (first: 9)." in finding.detail
    assert found(CLEAN | {"B": (THIRD, marked)}, references=[*PLAIN[:-1], "He said &quot;no&quot;."]) == {}


def test_a_message_about_some_of_several_runs_counts_them() -> None:
    finding = found({"A": (PLAIN, PLAIN, FIRST), "B": (THIRD, FOURTH)})["Output equals a reference"]
    assert finding.detail.startswith("The output of runs 0 and 1 of system 'A' on 't' equals a reference")
    finding = found({"A": (FIRST, PLAIN), "B": (THIRD, FOURTH)})["Output equals a reference"]
    assert finding.detail.startswith("The output of run 1 of system 'A' on 't' equals a reference")


def test_one_run_per_system_is_a_warning() -> None:
    finding = found({"A": (FIRST,), "B": (OTHER, THIRD)})["Training luck unknown"]
    assert finding.detail.startswith("A has one run")
    assert "Three runs per system would show" in finding.detail
    assert "fixed" in finding.detail
    for single in ({"A": (FIRST, OTHER), "B": (THIRD,)}, {"A": (FIRST,), "B": (OTHER,)}, {"A": (FIRST,)}):
        assert "fixed" not in found(single)["Training luck unknown"].detail


def test_warnings_come_before_notes() -> None:
    source = [FIRST[0], *(line.upper() for line in PLAIN[1:])]
    gaps = ["", *OTHER[1:]]
    severities = [finding.severity for finding in found({"A": (FIRST,), "B": (gaps,)}, source=source).values()]
    assert severities == ["warning", "note", "note"]


def test_the_convention_follows_the_looks_of_the_text() -> None:
    assert suggest_convention(experiment(CLEAN)).convention == "sacrebleu"
    assert suggest_convention(experiment(TOKENIZED_SYSTEMS, TOKENIZED)).convention == "multeval"
    mixed = suggest_convention(experiment(CLEAN, TOKENIZED))
    assert (mixed.convention, "Only part" in mixed.reason) == ("sacrebleu", True)
    bare = suggest_convention(experiment({"A": (["no punctuation"] * 9,)}, ["none here"] * 9))
    assert (bare.convention, "Too little punctuation" in bare.reason) == ("sacrebleu", True)


@pytest.mark.parametrize(
    ("line", "tokenization", "casing"),
    [
        ("Qui est là ? Moi , dit-il .", "tokenized", "mixed"),
        ("Qui est là ? Moi, dit-il.", "detokenized", "mixed"),
        ("我们 知道 , 这 是 猫 。", "tokenized", "unclear"),
        ("我们知道，这是猫。", "detokenized", "unclear"),
        ("the cat sat", "unclear", "lowercased"),
        ("3.5 , 4.5", "tokenized", "unclear"),
    ],
)
def test_appearance_of_a_repeated_line(line: str, tokenization: str, casing: str) -> None:
    look = appearance([line] * 10)
    assert (look.tokenization, look.casing) == (tokenization, casing)


def test_too_few_lines_are_unclear() -> None:
    look = appearance(["One , two ."])
    assert (look.tokenization, look.casing) == ("unclear", "unclear")


def test_names_are_listed_as_in_a_sentence() -> None:
    assert [named(list(names)) for names in ("", "a", "ab", "abc", "abcdefg")] == [
        *("", "a", "a and b", "a, b and c", "a, b, c, d, e and 2 more"),
    ]
