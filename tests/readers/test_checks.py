"""The check of the data and the suggested convention."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from operator import eq

import pytest

from mteval.readers import checks
from mteval.readers.appearance import appearance, suggest_convention
from mteval.readers.checks import check
from mteval.readers.documents import named
from mteval.values.findings import Finding
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Convention

PLAIN = [f"The cat number {number}, as we know, sat in house {number}." for number in range(40)]
TOKENIZED = [f"The cat number {number} , as we know , sat in house {number} ." for number in range(40)]
PIGS = [line.replace("cat", "pig") for line in PLAIN]
DOGS = [line.replace("cat", "dog") for line in PLAIN]
COWS = [line.replace("cat", "cow") for line in PLAIN]
HENS = [line.replace("cat", "hen") for line in PLAIN]
Outputs = dict[str, Sequence[Sequence[str]]]  # the runs of each system


def experiment(
    outputs: Outputs,
    references: Sequence[str] = PLAIN,
    source: Sequence[str] | None = None,
) -> Experiment:
    """An experiment on one test set, whose baseline is the first system."""
    runs = []
    for system, texts in outputs.items():
        for number, lines in enumerate(texts):
            runs.append(Run(system, str(number), tuple(lines)))
    test_set = TestSet("t", tuple((line,) for line in references), tuple(runs))
    if source is not None:
        test_set = replace(test_set, source=tuple(source))
    return Experiment((test_set,), next(iter(outputs)))


def findings_of(
    outputs: Outputs,
    references: Sequence[str] = PLAIN,
    source: Sequence[str] | None = None,
    convention: Convention = "sacrebleu",
) -> dict[str, Finding]:
    """The findings of the check, by their titles."""
    findings = check(experiment(outputs, references, source), convention)
    return {finding.title: finding for finding in findings}


CLEAN: Outputs = {"A": (PIGS, DOGS), "B": (COWS, HENS)}


def test_clean_data_have_no_findings() -> None:
    assert findings_of(CLEAN, source=[line.upper() for line in PLAIN]) == {}


def test_identical_systems_are_found_whatever_the_order_of_their_runs() -> None:
    findings = findings_of({"A": (PIGS, DOGS), "B": (DOGS, PIGS)})

    assert list(findings) == ["Identical systems"]
    assert "A and B" in findings["Identical systems"].detail


def test_identical_runs_of_a_system_are_found() -> None:
    findings = findings_of({"A": (PIGS, DOGS, PIGS), "B": (COWS, HENS)})

    assert list(findings) == ["Identical outputs"]
    assert "of 'A'" in findings["Identical outputs"].detail
    assert "Runs 0 and 2" in findings["Identical outputs"].detail


def scores_of_copies(values: Sequence[float]) -> Finding:
    """The finding about two runs without texts that have these scores; those of a third are others."""
    runs = [Run("A", str(number), ("",) * len(values)) for number in range(3)]
    test_set = TestSet("t", ((),) * len(values), tuple(runs))
    scores = [GivenScores("t", "A", "0", tuple(values)), GivenScores("t", "A", "1", tuple(values))]
    scores.append(GivenScores("t", "A", "2", tuple(values[::-1])))
    (finding, *_) = check(Experiment((test_set,), "A", (GivenMetric("m", "M", tuple(scores)),)), "sacrebleu")
    assert finding.title == "Identical scores"
    return finding


def test_equal_scores_are_a_warning_unless_chance_may_make_them_equal() -> None:
    half_right = [1.0, 0.0] * 10
    assert scores_of_copies(half_right).severity == "warning"
    assert scores_of_copies([0.1, 0.25, 0.3, 0.44]).severity == "warning"  # few segments, but many values

    mostly_right = [1.0] * 91 + [0.0] * 9  # another run may err on the same questions
    finding = scores_of_copies(mostly_right)
    assert finding.severity == "note"
    assert finding.detail.endswith("Different runs may agree by chance if few segments have unusual scores.")


def test_an_output_that_two_systems_share_is_found() -> None:
    findings = findings_of({"A": (PIGS, DOGS), "B": (COWS, PIGS)})

    assert list(findings) == ["Output shared by systems"]
    assert "A 0 and B 1" in findings["Output shared by systems"].detail


@pytest.mark.parametrize(("n_wrong", "severity"), [(9, "note"), (10, "warning")])
def test_equal_answers_of_systems_are_a_warning_only_if_many_are_wrong(n_wrong: int, severity: str) -> None:
    targets = ["yes"] * 40
    answers = ["no"] * n_wrong + ["yes"] * (40 - n_wrong)
    of_answers = experiment({"A": (answers,), "B": (answers,), "C": (["no"] * 40,)}, targets)
    (test_set,) = of_answers.test_sets
    with_targets = replace(of_answers, test_sets=(replace(test_set, has_targets=True),))
    (finding,) = [finding for finding in check(with_targets, "sacrebleu") if finding.code == "identical-systems"]
    assert finding.severity == severity


def test_empty_hypotheses_are_counted_and_the_first_named() -> None:
    gaps = [*PIGS[:7], "", " \t", *PIGS[9:]]

    findings = findings_of({"A": (gaps, DOGS), "B": (COWS, HENS)})

    assert list(findings) == ["Empty hypotheses"]
    assert "in 1 of 2 runs (most in run '0'): 2 of 40 (first: 8)" in findings["Empty hypotheses"].detail


def test_references_that_agree_nearly_everywhere_are_no_second_opinion() -> None:
    alike = ["another", *PLAIN[1:]]
    for second, is_found in ((alike, True), (HENS, False)):
        clean = experiment(CLEAN)
        test_set = replace(clean.test_sets[0], references=tuple(zip(PLAIN, second, strict=True)))
        details = [finding.detail for finding in check(replace(clean, test_sets=(test_set,)), "sacrebleu")]
        found = "References 1 and 2 on 't' agree in 90% of segments or more. Use independent ones."
        assert (found in details) == is_found


def test_empty_references_are_counted_and_the_first_named() -> None:
    with_gap = [*PLAIN[:4], "", *PLAIN[5:]]

    findings = findings_of(CLEAN, references=with_gap)

    assert list(findings) == ["Empty references"]
    assert "1 of 40 segments (first: 5)" in findings["Empty references"].detail


@pytest.mark.parametrize(("copied", "severity"), [(2, "note"), (20, "warning")])
def test_lines_that_copy_the_source_are_a_warning_where_they_are_many(copied: int, severity: str) -> None:
    source = [*PIGS[:copied], *(line.upper() for line in PLAIN[copied:])]

    findings = findings_of(CLEAN, source=source)

    assert list(findings) == ["Copies of the source"]
    assert findings["Copies of the source"].severity == severity
    assert f"{copied} of 40" in findings["Copies of the source"].detail


def test_short_copies_of_the_source_are_ignored() -> None:
    taxis = [f"Taxi {number}" for number in range(40)]
    cabs = [f"Cab {number}" for number in range(40)]

    findings = findings_of({"A": (taxis, cabs)}, references=taxis, source=taxis)

    assert "Copies of the source" not in findings


def tokenized(animal: str) -> list[str]:
    """The tokenized lines, of another animal."""
    return [line.replace("cat", animal) for line in TOKENIZED]


TOKENIZED_SYSTEMS: Outputs = {
    "A": (tokenized("pig"), tokenized("dog")),
    "B": (tokenized("cow"), tokenized("hen")),
}


def test_tokenized_text_is_a_finding_where_the_metric_tokenizes() -> None:
    assert list(findings_of(TOKENIZED_SYSTEMS, TOKENIZED)) == ["Text looks tokenized"]
    assert findings_of(TOKENIZED_SYSTEMS, TOKENIZED, convention="multeval") == {}


def test_running_text_is_a_finding_where_the_metric_does_not_tokenize() -> None:
    findings = findings_of(CLEAN, convention="multeval")
    assert list(findings) == ["Text looks detokenized"]
    assert "the references, A and B" in findings["Text looks detokenized"].detail


def test_outputs_tokenized_unlike_the_references_are_found() -> None:
    finding = findings_of(CLEAN, references=TOKENIZED)["References tokenized differently"]
    assert "not A and B" in finding.detail


def lowered(lines: Sequence[str]) -> list[str]:
    return [line.lower() for line in lines]


@pytest.mark.parametrize("lower_references", [True, False])
def test_mixed_case_against_lower_case_is_found_either_way_round(lower_references: bool) -> None:
    if lower_references:
        findings = findings_of(CLEAN, references=lowered(PLAIN))
    else:
        findings = findings_of({"A": (lowered(PIGS), lowered(DOGS)), "B": (lowered(COWS), lowered(HENS))})

    assert list(findings) == ["Case differs from the references"]


@pytest.mark.parametrize("at_once", [1, 7, 1_000])
def test_traces_of_the_pipeline_are_counted_whatever_the_number_of_lines_read_at_once(
    monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(checks, "LINES_AT_ONCE", at_once)
    escaped = list(DOGS)
    for place in (8, 9, 33):
        escaped[place] = escaped[place].replace(",", "&quot;")
    outputs = CLEAN | {"B": (COWS, escaped)}

    (finding,) = findings_of(outputs).values()
    assert "has escaped characters (&quot;) in 1 of 2 runs (most in run '1'): 3 of 40 (first: 9)." in finding.detail

    references = [*PLAIN[:-1], "He said &quot;no&quot;."]
    assert findings_of(outputs, references=references) == {}


def test_escaped_line_breaks_are_found_and_commands_of_latex_are_not() -> None:
    def found(inserted: str) -> list[str]:
        changed = [line.replace(" ", inserted, 1) if place < 5 else line for place, line in enumerate(COWS)]
        findings = findings_of(CLEAN | {"B": (changed, DOGS)}).values()
        return [finding.detail for finding in findings if "escaped characters" in finding.detail]

    (detail,) = found(r"\n")
    assert r"has escaped characters (\n) in 1 of 2 runs (most in run '0'): 5 of 40 (first: 1)." in detail
    assert found(r" \neq ") == []


def test_a_message_about_some_of_several_runs_counts_them() -> None:
    finding = findings_of({"A": (PLAIN, PLAIN, PIGS), "B": (COWS, HENS)})["Output equals a reference"]
    assert finding.detail.startswith("The output of runs 0 and 1 of system 'A' on 't' equals a reference")

    finding = findings_of({"A": (PIGS, PLAIN), "B": (COWS, HENS)})["Output equals a reference"]
    assert finding.detail.startswith("The output of run 1 of system 'A' on 't' equals a reference")


def test_the_nearest_of_all_pairs_of_runs_that_agree_is_named() -> None:
    runs = []
    for n_changed in (9, 3, 6, 1):
        changed_lines = [f"{line} Run {n_changed}." for line in PIGS[40 - n_changed :]]
        runs.append([*PIGS[: 40 - n_changed], *changed_lines])
    note = findings_of({"A": runs, "B": (COWS, HENS)})["Nearly identical outputs"]
    shares = {}
    for (first, first_texts), (second, second_texts) in combinations(enumerate(runs), 2):
        shares[first, second] = sum(map(eq, first_texts, second_texts)) / 40
    first, second = max(shares, key=lambda pair: shares[pair])
    assert f"{first} and {second} of 'A' on 't' ({shares[first, second]:.0%})" in note.detail


def test_one_run_per_system_is_a_warning() -> None:
    finding = findings_of({"A": (PIGS,), "B": (DOGS, COWS)})["Training luck unknown"]
    assert finding.detail.startswith("A has one run")
    assert "Three runs per system would show" in finding.detail
    assert "fixed" in finding.detail

    only_new_has_one = {"A": (PIGS, DOGS), "B": (COWS,)}
    both_have_one = {"A": (PIGS,), "B": (DOGS,)}
    alone = {"A": (PIGS,)}
    for outputs in (only_new_has_one, both_have_one, alone):
        assert "fixed" not in findings_of(outputs)["Training luck unknown"].detail


def test_warnings_come_before_notes() -> None:
    source = [PIGS[0], *(line.upper() for line in PLAIN[1:])]
    gaps = ["", *DOGS[1:]]

    findings = findings_of({"A": (PIGS,), "B": (gaps,)}, source=source)

    assert [finding.severity for finding in findings.values()] == ["warning", "note", "note"]


def test_the_convention_follows_the_looks_of_the_text() -> None:
    assert suggest_convention(experiment(CLEAN)).convention == "sacrebleu"
    assert suggest_convention(experiment(TOKENIZED_SYSTEMS, TOKENIZED)).convention == "multeval"

    for_mixed = suggest_convention(experiment(CLEAN, TOKENIZED))
    assert for_mixed.convention == "sacrebleu"
    assert "Only part" in for_mixed.reason

    for_bare = suggest_convention(experiment({"A": (["no punctuation"] * 9,)}, ["none here"] * 9))
    assert for_bare.convention == "sacrebleu"
    assert "Too little punctuation" in for_bare.reason


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
    assert named([]) == ""
    assert named(["a"]) == "a"
    assert named(["a", "b"]) == "a and b"
    assert named(["a", "b", "c"]) == "a, b and c"
    assert named(list("abcdefg")) == "a, b, c, d, e and 2 more"


@pytest.mark.parametrize(("n_shared", "is_found"), [(60, True), (50, False), (12, False)])
def test_a_system_that_shares_many_more_lines_with_a_reference_is_named(n_shared: int, is_found: bool) -> None:
    references = [f"The cat number {i}, as we know, sat in house {i}." for i in range(200)]
    shared = [line if number < n_shared else line.replace("cat", "pig") for number, line in enumerate(references)]
    other = [line if number < 3 else line.replace("cat", "dog") for number, line in enumerate(references)]
    findings = findings_of({"A": (other,), "B": (shared,)}, references)
    assert ("Lines shared with a reference" in findings) == is_found
    if is_found:
        finding = findings["Lines shared with a reference"]
        assert finding.systems == ("B",)
        assert "60 of 200 lines of 'B' on 't' equal a reference; the next system has 3." in finding.detail


def test_outputs_in_columns_are_reported_unless_the_references_have_them_too() -> None:
    in_columns = [f"{line}\t{line}" for line in PIGS]
    outputs: Outputs = {"A": (PIGS, in_columns), "B": (COWS, HENS)}
    finding = findings_of(outputs)["Columns in the outputs"]
    assert finding.systems == ("A",)
    assert finding.detail.startswith("Each line of run 1 of system 'A' on 't' has 2 columns separated by tabs, which")

    assert "Columns in the outputs" not in findings_of(outputs, [f"{line}\t{line}" for line in PLAIN])
    assert "Columns in the outputs" not in findings_of({"A": (PIGS, [in_columns[0], *DOGS[1:]]), "B": (COWS, HENS)})

    ending_in_tabs = [f"{line}\t" for line in PIGS]
    assert "Columns in the outputs" not in findings_of({"A": (PIGS, ending_in_tabs), "B": (COWS, HENS)})
    last_empty_once = [f"{PIGS[0]}\t", *in_columns[1:]]
    assert "Columns in the outputs" in findings_of({"A": (PIGS, last_empty_once), "B": (COWS, HENS)})


def test_equal_runs_are_a_note_if_other_runs_agree_nearly_as_often() -> None:
    yes = ["yes", "no"] * 4
    almost = [*yes[:-1], "yes"]
    finding = findings_of({"A": (yes, almost, yes), "B": (["no"] * 8,)}, ["yes"] * 8)["Identical outputs"]
    assert finding.severity == "note"
    assert "All count. Outputs that are so alike may be equal by chance." in finding.detail

    half = ["no"] * 4 + yes[4:]  # 6 of 8 segments, over 9 times as many segments
    assert findings_of({"A": (yes * 9, half * 9, yes * 9)}, ["yes"] * 72)["Identical outputs"].severity == "warning"


def test_runs_that_are_all_equal_are_a_note_if_few_answers_repeat_or_are_right() -> None:
    def severity(answers: list[str], references: list[str]) -> str:
        other = [f"{line} else" for line in references]
        return findings_of({"A": (answers,) * 3, "B": (other,)}, references)["Identical outputs"].severity

    # Of 10 pairs of answers 6 are equal, and 0.6 ** 5 is 0.078; of 10 answers 24 of 45 pairs, and (24 / 45) ** 10 0.002
    wrong = ["a b", "c d", "e f", "g h", "i j"]
    assert severity([*["yes"] * 4, "no"], wrong) == "note"
    assert severity([*["yes"] * 7, *["no"] * 3], wrong * 2) == "warning"

    # Eight of ten are right: 0.8 ** 2 ** 10 is 0.012; seven: 0.0008
    right = [f"answer {number}" for number in range(10)]
    assert severity([*right[:8], "x y", "z"], right) == "note"
    assert severity([*right[:7], "x y", "z", "u v w"], right) == "warning"

    assert severity(PIGS, COWS) == "warning", "whole sentences are rarely equal by chance"
