"""Scores of files on the runs and segments that are loaded: matched by name, missing where there are none."""

import json
from collections.abc import Iterable
from dataclasses import replace

import pytest

from mteval.readers.assembly.experiment import assemble
from mteval.readers.documents import Assembly, Edits, InputFile
from mteval.readers.formats.score_tables import NO_SCORE
from mteval.readers.formats.uploads import unpack
from mteval.readers.guesses.layout import guess
from mteval.report.score_tables import given_tables
from mteval.values.judgements import ErrorSpan
from mteval.values.model import Experiment

LINES = [f"the cat number {number} sat on mat {number * 7 % 23}" for number in range(4)]
TEXT = "".join(f"{line}\n" for line in LINES)
SYSTEMS = {"refs.txt": TEXT, "base.opt0": TEXT.upper(), "base.opt1": TEXT.title(), "new.opt0": TEXT.swapcase()}
ALONE = {"refs.txt": TEXT, "A.txt": TEXT.upper(), "B.txt": TEXT.title()}
HIGHER = {"COMET": True}


def assembled(
    files: dict[str, str], directions: dict[str, bool] | None = None, reserved: tuple[str, ...] = ()
) -> Assembly:
    """What becomes of files; of COMET, higher is better unless other directions are given."""
    if directions is None:
        directions = HIGHER
    documents, problems = unpack([InputFile(name, text.encode()) for name, text in files.items()])
    assert [problem for problem in problems if problem.severity == "error"] == []
    return assemble(documents, Edits(guess(documents), directions), None, reserved)


def experiment_of(assembly: Assembly) -> Experiment:
    """The experiment, of which there is one."""
    assert assembly.experiment is not None
    return assembly.experiment


def given(assembly: Assembly) -> dict[tuple[str, str, str], tuple[float | None, ...]]:
    """The scores of the only metric, by test set, system and run."""
    (metric,) = experiment_of(assembly).given
    return {(scores.test_set, scores.system, scores.run): scores.values for scores in metric.scores}


def messages(assembly: Assembly, severity: str) -> str:
    """All problems of a severity, in one text."""
    return "\n".join(problem.text for problem in assembly.problems if problem.severity == severity)


def lines(**scores: str) -> str:
    """A file with a line for each score, of each system one after the other."""
    rows = []
    for system, values in scores.items():
        rows += [f"{system}\t{value}\n" for value in values.split()]
    return "".join(rows)


def comet(hypotheses: Iterable[str]) -> list[dict[str, object]]:
    """The records that ``comet-score`` writes of an output, with a score of 1 each."""
    return [{"mt": hypothesis, "COMET": 1} for hypothesis in hypotheses]


def test_single_run_systems_match_by_name_and_others_are_reported():
    scores = lines(refB="1 1 1 1", B="1 2 None 4", A="5 6 7 8")

    assembly = assembled(ALONE | {"COMET.seg.score": scores})

    assert given(assembly) == {
        ("test", "A", "0"): (5.0, 6.0, 7.0, 8.0),
        ("test", "B", "0"): (1.0, 2.0, None, 4.0),
    }
    assert "COMET.seg.score: The list of scores 'COMET' names refB, not loaded on 'test'" in messages(assembly, "note")
    assert messages(assembly, "error") == ""
    assert messages(assembly, "warning") == ""


def test_scores_without_direction_are_not_used():
    files = ALONE | {"COMET.seg.score": lines(A="1 2 3 4", B="1 2 3 4")}

    assembly = assembled(files, {})
    assert experiment_of(assembly).given == ()
    assert "'COMET' are ignored until you choose" in messages(assembly, "warning")

    for is_higher in (True, False):
        (metric,) = experiment_of(assembled(files, {"COMET": is_higher})).given
        assert metric.higher_is_better is is_higher


def test_loaded_systems_without_scores_are_reported():
    assembly = assembled(ALONE | {"COMET.seg.score": lines(A="1 2 3 4")})
    assert "'COMET' has no scores for B 0 on 'test'" in messages(assembly, "warning")


def test_a_system_of_several_runs_needs_a_column_run():
    without_runs = assembled(SYSTEMS | {"COMET.seg.score": lines(base="1 2 3 4", new="1 2 3 4")})
    assert "names 'base', which could be base 0 and base 1. Add a column run" in messages(without_runs, "error")
    assert list(given(without_runs)) == [("test", "new", "0")]

    rows = ["system,run,segment,score"]
    for run in ("base,1", "base,0", "new,0"):
        rows += [f"{run},{segment},{segment}" for segment in range(1, 5)]
    with_runs = assembled(SYSTEMS | {"COMET.csv": "\n".join(rows)})
    assert given(with_runs) == {
        ("test", "base", "0"): (1.0, 2.0, 3.0, 4.0),
        ("test", "base", "1"): (1.0, 2.0, 3.0, 4.0),
        ("test", "new", "0"): (1.0, 2.0, 3.0, 4.0),
    }


def test_runs_match_by_the_file_names_given_to_comet_score():
    scores = {
        "out/base.opt1": [{"mt": "x", "COMET": 0}] * 4,
        "../new.opt0": [{"mt": "x", "COMET": 1}] * 4,
    }

    assembly = assembled(SYSTEMS | {"x.json": json.dumps(scores)})

    assert given(assembly) == {("test", "base", "1"): (0.0,) * 4, ("test", "new", "0"): (1.0,) * 4}


def test_ambiguous_file_name_is_an_error_and_folders_resolve_it():
    files = {"refs.txt": TEXT, "x/base/opt0.txt": TEXT.upper(), "x/new/opt0.txt": TEXT.title()}
    four_scores = comet("xxxx")

    ambiguous = assembled(files | {"c.json": json.dumps({"opt0.txt": four_scores})})
    assert "could be base 0 and new 0" in messages(ambiguous, "error")

    in_folders = {"run/new/opt0.txt": four_scores, "run/base/opt0.txt": four_scores}
    resolved = assembled(files | {"c.json": json.dumps(in_folders)})
    assert len(given(resolved)) == 2


def test_table_may_lack_segments_and_counts_from_1():
    assembly = assembled(ALONE | {"COMET.csv": "system,segment,score\nA,4,0.5\nA,2,1\nB,1,2\n"})
    assert given(assembly) == {("test", "A", "0"): (None, 1.0, None, 0.5), ("test", "B", "0"): (2.0, None, None, None)}


@pytest.mark.parametrize("segment", ["0", "5", "x"])
def test_unknown_segment_is_reported(segment: str):
    assembly = assembled(ALONE | {"COMET.csv": f"system,segment,score\nA,1,0.5\nA,{segment},1\nB,1,2\n"})
    assert f"a score of 'A' for segment '{segment}', but test set 'test' has '1' to '4'" in messages(assembly, "error")
    assert list(given(assembly)) == [("test", "B", "0")]


def test_segment_0_is_reported_as_counting_from_0() -> None:
    rows = "".join(f"{system},{segment},0.5\n" for system in "AB" for segment in range(4))
    assembly = assembled(ALONE | {"COMET.csv": f"system,segment,score\n{rows}"})
    assert "Its segments seem to count from 0: add 1 to each number." in messages(assembly, "error")


def test_a_table_without_the_last_segment_alone_may_count_from_0() -> None:
    def reported(numbers: range, severity: str, column: str = "") -> str:
        rows = ""
        for system, texts in (("A", TEXT.upper()), ("B", TEXT.title())):
            for number in numbers:
                cell = f",{texts.splitlines()[number - 1]}" if column else ""
                rows += f"{system},{number},0.5{cell}\n"
        return messages(assembled(ALONE | {"COMET.csv": f"system,segment,score{column}\n{rows}"}), severity)

    counted = "They are read as counting from 1. If they count from 0, add 1 to each."
    largest = "has scores of segments up to number 3; test set 'test' has 4."
    assert f"{largest} {counted}" in reported(range(1, 4), "warning")
    assert counted in reported(range(1, 3), "note")  # a sample, which may lack the last segment by chance
    assert reported(range(1, 3), "warning") == ""
    assert counted not in reported(range(2, 5), "note") + reported(range(2, 5), "warning")
    assert counted not in reported(range(1, 4), "warning", ",hypothesis")  # the outputs beside the scores agree


def test_segments_with_names_are_found_by_name():
    table = (
        "system,segment,hypothesis,reference\n"
        "A,s9,s9 said,s9 is\n"
        "A,s1,s1 said,s1 is\n"
        "B,s9,s9 said,s9 is\n"
        "B,s1,s1 said,s1 is"
    )
    scores = "system,segment,score\nA,s1,1\nB,s9,2\n"

    assembly = assembled({"all.csv": table, "COMET.csv": scores})

    assert given(assembly) == {("test", "A", "0"): (None, 1.0), ("test", "B", "0"): (2.0, None)}


def test_segments_without_reference_are_removed_from_scores():
    table = "system,segment,hypothesis,reference\nA,1,out,ref\nA,2,out,\nA,3,out,ref"
    of_every_segment = "A\t1\nA\t2\nA\t3\n"
    of_segments_with_reference = "A\t1\nA\t3\n"
    by_number = "system,segment,score\nA,3,3\nA,2,2\nA,1,1\n"
    expected = {("test", "A", "0"): (1.0, 3.0)}

    assert given(assembled({"all.csv": table, "COMET.seg.score": of_every_segment})) == expected
    assert given(assembled({"all.csv": table, "COMET.seg.score": of_segments_with_reference})) == expected
    assert given(assembled({"all.csv": table, "COMET.csv": by_number})) == expected


def test_wrong_number_of_scores_is_reported():
    assembly = assembled(ALONE | {"COMET.seg.score": lines(A="1 2 3", B="1 2 3")})
    assert "has 3 scores of 'A', but test set 'test' has 4 segments" in messages(assembly, "error")
    assert experiment_of(assembly).given == ()


def test_files_of_one_name_are_one_metric_over_systems_and_test_sets():
    files = {
        "refs.test.txt": TEXT,
        "A.test.txt": TEXT.upper(),
        "B.test.txt": TEXT.title(),
        "refs.dev.txt": TEXT,
        "A.dev.txt": TEXT.upper(),
        "B.dev.txt": TEXT.title(),
    }
    of_a = "system,test_set,segment,score\nA,test,1,1\nA,dev,1,3\n"
    of_b = "system,test_set,segment,score\nB,test,1,2\n"

    values_of = given(assembled(files | {"COMET.csv": of_a, "x/COMET.csv": of_b}))

    first_value_of = {place: values[0] for place, values in values_of.items()}
    assert first_value_of == {
        ("test", "A", "0"): 1.0,
        ("test", "B", "0"): 2.0,
        ("dev", "A", "0"): 3.0,
    }


def test_second_score_of_an_output_is_reported():
    scores = lines(A="1 2 3 4", B="1 2 3 4")
    assembly = assembled(ALONE | {"COMET.seg.score": scores, "x/COMET.seg.score": scores})
    assert "has scores of system 'A', run '0', but so does 'COMET.seg.score'" in messages(assembly, "error")
    assert len(given(assembly)) == 2


def test_reserved_metric_key_is_not_used():
    scores = lines(A="1 2 3 4", B="1 2 3 4")
    files = ALONE | {"BLEU.seg.score": scores, "x/bleu.seg.score": scores, "My (metric).seg.score": scores}
    directions = {"BLEU": True, "bleu": True, "My (metric)": False}
    expected = [
        ("bleu-given", "BLEU (given)"),
        ("bleu-given-2", "bleu (given 2)"),
        ("my-metric", "My (metric)"),
    ]

    experiment = experiment_of(assembled(files, directions, ("bleu", "ter")))
    assert [(metric.key, metric.name) for metric in experiment.given] == expected

    # Under the names that they got they keep their keys
    names = [name for _, name in expected]
    files_again = {f"{name}.seg.score": scores for name in names}
    experiment = experiment_of(assembled(ALONE | files_again, dict.fromkeys(names, True), ("bleu", "ter")))
    assert [(metric.key, metric.name) for metric in experiment.given] == expected


def test_bad_file_of_scores_affects_nothing_else():
    good = lines(A="1 2 3 4", B="1 2 3 4")
    files = ALONE | {"COMET.seg.score": good, "bad.seg.score": "A\tgood\n"}

    assembly = assembled(files, HIGHER | {"bad": True})

    assert "bad.seg.score, line 1: The score is 'good'" in messages(assembly, "error").replace(":1:", ", line 1:")
    assert len(given(assembly)) == 2


def test_a_file_without_any_score_is_no_metric():
    empty = lines(A="None None None None", B="None None None None")
    good = lines(A="1 2 3 4", B="1 2 3 4")
    files = ALONE | {"COMET.seg.score": good, "empty.seg.score": empty}

    assembly = assembled(files, HIGHER | {"empty": True})

    assert NO_SCORE in messages(assembly, "error")
    assert len(given(assembly)) == 2


def test_scores_of_unknown_systems_report_both_names():
    assembly = assembled(ALONE | {"COMET.seg.score": lines(X="1 2 3 4", Y="1 2 3 4")})
    assert "names X and Y, but 'test' has A and B" in messages(assembly, "error")


def test_scores_may_spell_a_system_in_other_case_unless_two_fit() -> None:
    scores = {"COMET.seg.score": lines(**{"a ": "1 2 3 4", "B": "5 6 7 8"})}
    assert len(given(assembled(ALONE | scores))) == 2
    with_both = ALONE | {"a.txt": TEXT.swapcase()}
    assert "names a, not loaded" in messages(assembled(with_both | scores), "note")


def test_the_account_of_files_says_which_system_a_name_in_other_case_is_read_as() -> None:
    files = ALONE | {"COMET.seg.score": lines(**{"a": "1 2 3 4", "B": "5 6 7 8"})}
    note = "The list of scores 'COMET' names 'a', read as 'A': only case or spaces differ."
    ledger = assembled(files).ledger
    assert [entry.notes for entry in ledger if entry.file == "COMET.seg.score"] == [(note,)]
    assert "read as" not in messages(assembled(ALONE | {"COMET.seg.score": lines(A="1 2 3 4", B="5 6 7 8")}), "note")


@pytest.mark.parametrize("name", ["base/26\t", "out/base/26\t", "base\t26"])
def test_scores_of_a_run_that_is_not_loaded_name_the_runs_and_not_the_system(name: str) -> None:
    rows = "".join(f"{name}\t{segment}\t0.5\n" for segment in range(1, 5))
    assembly = assembled(SYSTEMS | {"COMET.tsv": f"system\trun\tsegment\tscore\n{rows}"})
    message = messages(assembly, "error")
    assert "but 'test' has 2 runs of base (0 and 1). Load the outputs of these runs" in message
    assert "Use the same names" not in message


def test_scores_alone_need_a_system_from_the_table():
    files = ALONE | {"COMET.scores": "0.5\n1.5\nNone\n2.5\n"}
    assert "names no system" in messages(assembled(files), "error")


def test_scores_alone_that_are_all_missing_say_so_and_not_that_they_lack_a_system() -> None:
    assembly = assembled({"COMET.seg.score": lines(A="None None", B="None None")})
    assert messages(assembly, "error") == f"COMET.seg.score: {NO_SCORE}"


def test_order_of_files_and_systems_has_no_effect():
    of_a = "A\t65\n" * 4
    of_b = "B\t66\n" * 4

    (metric,) = experiment_of(assembled(ALONE | {"COMET.seg.score": of_a + of_b})).given
    (metric_of_other_order,) = experiment_of(assembled(ALONE | {"COMET.seg.score": of_b + of_a})).given

    assert metric == metric_of_other_order
    assert hash(metric) == hash(metric_of_other_order)


def test_labels_are_a_column_of_the_test_set_under_the_name_of_their_file():
    assembly = assembled(ALONE | {"topic.labels": "a\nb\nb\na\n"})
    (test_set,) = experiment_of(assembly).test_sets
    assert test_set.side == {"topic": ("a", "b", "b", "a")}
    assert assembly.problems == ()


def test_labels_of_other_segments_are_reported():
    assembly = assembled(ALONE | {"topic.labels": "a\nb\nb\n"})
    words = "The list of labels 'topic' has 3 segments on test set 'test', but the references have 4"
    assert words in messages(assembly, "error")
    assert experiment_of(assembly).test_sets[0].side == {}


def metricx(hypotheses: list[str], start: float = 1.0) -> str:
    """What MetricX writes of an output, with scores that count up from a number."""
    rows = []
    for number, hypothesis in enumerate(hypotheses):
        row = {"hypothesis": hypothesis, "source": "s", "prediction": start + number}
        rows.append(json.dumps(row) + "\n")
    return "".join(rows)


def test_scores_beside_outputs_match_by_text():
    of_a = metricx(TEXT.upper().splitlines(), 11)
    of_b = metricx(TEXT.title().splitlines())

    assembly = assembled(ALONE | {"x.jsonl": of_b, "y.jsonl": of_a}, {"MetricX": False})

    assert given(assembly) == {("test", "A", "0"): (11.0, 12.0, 13.0, 14.0), ("test", "B", "0"): (1.0, 2.0, 3.0, 4.0)}
    assert messages(assembly, "error") == ""
    assert messages(assembly, "warning") == ""


def test_runs_with_equal_outputs_have_equal_scores_or_a_file_each():
    files = {"refs.txt": TEXT, "base.opt0": TEXT.upper(), "base.opt1": TEXT.upper(), "new.opt0": TEXT.title()}
    scores = {"x.jsonl": metricx(TEXT.upper().splitlines())}

    assembly = assembled(files | scores, {"MetricX": False})

    assert given(assembly).keys() == {("test", "base", "0"), ("test", "base", "1")}


def test_unknown_outputs_are_reported_with_the_closest_run():
    hypotheses = [*TEXT.upper().splitlines()[:3], "something else"]
    files = ALONE | {"x.jsonl": metricx(hypotheses)}
    documents, _ = unpack([InputFile(name, text.encode()) for name, text in files.items()])
    slots = [slot for slot in guess(documents) if slot.file != "x.jsonl" or slot.role == "scores"]

    assembly = assemble(documents, Edits(slots, {"MetricX": False}))

    assert "match no loaded run. Closest: 'A', run '0' (3 of 4 segments equal)" in messages(assembly, "error")


def test_the_users_choice_overrides_the_file_name():
    files = ALONE | {"B.jsonl": metricx(TEXT.upper().splitlines())}
    documents, _ = unpack([InputFile(name, text.encode()) for name, text in files.items()])
    slots = []
    for slot in guess(documents):
        if slot.role == "scores":
            slot = replace(slot, system="A")
        slots.append(slot)

    assembly = assemble(documents, Edits(slots, {"MetricX": False}))

    assert list(given(assembly)) == [("test", "A", "0")]


def test_scores_in_another_order_are_reported():
    backwards = comet(reversed(TEXT.upper().splitlines()))

    assembly = assembled(ALONE | {"x.json": json.dumps({"A.txt": backwards})})

    assert "in another order: its segment 1 is segment 4 of the output" in messages(assembly, "error")


def test_scores_of_other_texts_are_used_with_a_warning_without_their_errors():
    error = {"start": 0, "end": 3, "severity": "minor"}
    records = [record | {"errors": [error]} for record in comet(TEXT.upper().splitlines())]
    records[1]["mt"] = "THE DOG"

    assembly = assembled(ALONE | {"x.json": json.dumps({"A.txt": records})})

    assert "'A', run '0', in 1 of 4 segments. Segment 2: 'THE DOG'" in messages(assembly, "warning")
    first, second, third, fourth = experiment_of(assembly).given[0].scores[0].spans
    assert len(first) == 1
    assert second is None
    assert len(third) == 1
    assert len(fourth) == 1


def test_errors_are_counted_from_the_output_as_it_is_loaded():
    hypotheses = TEXT.upper().splitlines()
    indented = "".join(f"  {hypothesis}\n" for hypothesis in hypotheses)
    error = {"start": 4, "end": 7, "severity": "major", "confidence": 0.5}
    records = [record | {"errors": [error]} for record in comet(hypotheses)]
    files = {"refs.txt": TEXT, "A.txt": indented, "B.txt": TEXT.title()}

    experiment = experiment_of(assembled(files | {"x.json": json.dumps({"A.txt": records})}))

    (scores,) = experiment.given[0].scores
    assert scores.spans == ((ErrorSpan(6, 9, "major", confidence=0.5),),) * 4
    hypothesis = experiment.test_sets[0].runs_of("A")[0].hypotheses[0]
    assert hypothesis[6:9] == "CAT"


def test_errors_beyond_the_end_of_an_output_are_reported():
    span = '"[{""start"": 0, ""end"": 99, ""severity"": ""minor""}]"'
    table = f"system,segment,score,spans\nA,2,1,{span}\n"

    assembly = assembled(ALONE | {"COMET.csv": table})

    assert "marks characters 0 to 99 in segment 2 of 'A', run '0', which has" in messages(assembly, "error")


def test_given_scores_round_trip_with_spans_and_deviations():
    span = '"[{""start"": 0, ""end"": 3, ""severity"": ""minor"", ""confidence"": 0.25}]"'
    table = f"system,segment,score,deviation,spans\nA,1,1,0.5,{span}\nA,2,1,,[]\nB,1,2,,\n"
    loaded = experiment_of(assembled(ALONE | {"COMET.csv": table}))

    ((place, text),) = given_tables(loaded.given).items()
    assert place == ("comet", "test")
    reloaded = experiment_of(assembled(ALONE | {"COMET.csv": text}))
    assert reloaded.given[0].scores[0] == loaded.given[0].scores[0]

    with_major = experiment_of(assembled(ALONE | {"COMET.csv": text.replace("minor", "major")}))
    assert reloaded.digest != with_major.digest


@pytest.mark.parametrize(("name", "is_higher"), [("TER", True), ("wer", True), ("error", True), ("COMET", False)])
def test_a_direction_that_contradicts_the_name_is_reported(name: str, is_higher: bool) -> None:
    files = ALONE | {"scores.csv": f"system,segment,{name}\n" + "".join(f"{s},{n},0.5\n" for s in "AB" for n in (1, 2))}
    wrong = assembled(files, {name: is_higher})
    assert wrong.experiment is not None
    (finding,) = [finding for finding in wrong.experiment.noticed if finding.code == "direction"]
    assert finding.metrics == (wrong.experiment.given[0].key,)
    right = assembled(files, {name: not is_higher})
    assert "direction" not in {finding.code for finding in right.experiment.noticed}


def test_negated_errors_may_be_higher_is_better() -> None:
    table = "system,segment,TER\n" + "".join(f"{s},{n},-0.5\n" for s in "AB" for n in (1, 2))
    assembly = assembled(ALONE | {"scores.csv": table}, {"TER": True})
    assert assembly.experiment is not None
    assert assembly.experiment.noticed == ()


def test_negated_errors_must_not_be_lower_is_better() -> None:
    values = {"A": (-0.5, -3.0), "B": (-1.5, 0.25)}  # a learned metric goes a little above zero
    rows = [f"{system},{n},{value}\n" for system in values for n, value in enumerate(values[system], start=1)]
    assembly = assembled(ALONE | {"scores.csv": "system,segment,MetricX-23\n" + "".join(rows)}, {"MetricX-23": False})
    assert "Higher is better on 'MetricX-23' according to its name and negative values" in messages(assembly, "warning")


@pytest.mark.parametrize("is_higher", [True, False])
def test_standardised_errors_are_not_taken_for_negated(is_higher: bool) -> None:
    """Of which the sum, zero but for rounding, tells nothing: here, it is below zero."""
    values = {"A": (-1.5, -0.5, 0.5, 1.4), "B": (1.5, 0.4, -0.4, -1.5)}
    rows = [f"{system},{n},{value}\n" for system in values for n, value in enumerate(values[system], start=1)]
    assembly = assembled(ALONE | {"scores.csv": "system,segment,WER\n" + "".join(rows)}, {"WER": is_higher})
    assert experiment_of(assembly).noticed == ()


def test_costs_below_zero_are_not_taken_for_negated() -> None:
    table = "system,segment,loss\n" + "".join(f"{s},{n},-0.5\n" for s in "AB" for n in (1, 2))
    assembly = assembled(ALONE | {"scores.csv": table}, {"loss": False})
    assert assembly.experiment is not None
    assert assembly.experiment.noticed == ()


def test_the_direction_of_a_metricx_file_cannot_be_reversed_unnoticed() -> None:
    rows = [{"hypothesis": line, "source": "s", "prediction": 1.5} for line in LINES]
    files = {"refs.txt": TEXT, "A.txt": TEXT, "A.jsonl": "".join(f"{json.dumps(row)}\n" for row in rows)}
    assembly = assembled(files, {"MetricX": True})
    assert "Lower is better on 'MetricX' according to its file" in messages(assembly, "warning")


def test_scores_beside_texts_are_those_of_the_file_even_if_another_has_the_same_texts():
    def table(*scores: float) -> str:
        rows = [f"{number},same {number},{score}\n" for number, score in enumerate(scores, start=1)]
        return "segment,hypothesis,score\n" + "".join(rows)

    files = {"old.csv": table(1, 2), "new.csv": table(3, 4), "ref.txt": "one\ntwo\n"}
    assembly = assembled(files, {"score": True})
    assert given(assembly) == {("test", "old", "0"): (1.0, 2.0), ("test", "new", "0"): (3.0, 4.0)}
