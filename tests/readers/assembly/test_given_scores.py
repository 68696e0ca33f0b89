"""Scores of files on the runs and segments that are loaded: matched by name, missing where there are none."""

import json
from dataclasses import replace

import pytest

from mteval.readers.assembly.experiment import assemble
from mteval.readers.documents import Assembly, Edits, InputFile
from mteval.readers.formats.uploads import unpack
from mteval.readers.guesses.layout import guess
from mteval.report.package import given_tables
from mteval.values.given import GivenMetric
from mteval.values.judgements import ErrorSpan

LINES = [f"the cat number {i} sat on mat {i * 7 % 23}" for i in range(4)]
TEXT = "".join(f"{line}\n" for line in LINES)
SYSTEMS = {"refs.txt": TEXT, "base.opt0": TEXT.upper(), "base.opt1": TEXT.title(), "new.opt0": TEXT.swapcase()}
ALONE = {"refs.txt": TEXT, "A.txt": TEXT.upper(), "B.txt": TEXT.title()}
HIGHER = {"COMET": True}


def assembled(
    files: dict[str, str], directions: dict[str, bool] | None = None, reserved: tuple[str, ...] = ()
) -> Assembly:
    documents, problems = unpack([InputFile(name, text.encode()) for name, text in files.items()])
    assert [problem for problem in problems if problem.severity == "error"] == []
    return assemble(documents, Edits(guess(documents), HIGHER if directions is None else directions), None, reserved)


def given(assembly: Assembly) -> dict[tuple[str, str, str], tuple[float | None, ...]]:
    assert assembly.experiment is not None
    (metric,) = assembly.experiment.given
    return {(one.test_set, one.system, one.run): one.values for one in metric.scores}


def said(assembly: Assembly, severity: str) -> str:
    return "\n".join(problem.text for problem in assembly.problems if problem.severity == severity)


def lines(**scores: str) -> str:
    return "".join(f"{system}\t{score}\n" for system, listed in scores.items() for score in listed.split())


def test_single_run_systems_match_by_name_and_others_are_reported():
    assembly = assembled(ALONE | {"COMET.seg.score": lines(refB="1 1 1 1", B="1 2 None 4", A="5 6 7 8")})
    assert given(assembly) == {
        ("test", "A", "0"): (5.0, 6.0, 7.0, 8.0),
        ("test", "B", "0"): (1.0, 2.0, None, 4.0),
    }
    assert "COMET.seg.score: The list of scores 'COMET' names refB, not loaded on 'test'" in said(assembly, "note")
    assert said(assembly, "error") == said(assembly, "warning") == ""


def test_scores_without_direction_are_not_used():
    files = ALONE | {"COMET.seg.score": lines(A="1 2 3 4", B="1 2 3 4")}
    assembly = assembled(files, {})
    assert assembly.experiment is not None
    assert assembly.experiment.given == ()
    assert "'COMET' are ignored until you choose" in said(assembly, "warning")
    for is_higher in (True, False):
        experiment = assembled(files, {"COMET": is_higher}).experiment
        assert experiment is not None
        assert experiment.given[0].higher_is_better is is_higher


def test_loaded_systems_without_scores_are_reported():
    assembly = assembled(ALONE | {"COMET.seg.score": lines(A="1 2 3 4")})
    assert "'COMET' has no scores for B 0 on 'test'" in said(assembly, "warning")


def test_a_system_of_several_runs_needs_a_column_run():
    assembly = assembled(SYSTEMS | {"COMET.seg.score": lines(base="1 2 3 4", new="1 2 3 4")})
    assert "names 'base', which could be base 0 and base 1. Add a column run" in said(assembly, "error")
    assert list(given(assembly)) == [("test", "new", "0")]
    rows = [f"{system},{run},{i},{i}" for system, run in (("base", 1), ("base", 0), ("new", 0)) for i in range(1, 5)]
    assembly = assembled(SYSTEMS | {"COMET.csv": "\n".join(["system,run,segment,score", *rows])})
    assert given(assembly) == {
        ("test", *run): (1.0, 2.0, 3.0, 4.0) for run in (("base", "0"), ("base", "1"), ("new", "0"))
    }


def test_runs_match_by_the_file_names_given_to_comet_score():
    scores = {name: [{"mt": "x", "COMET": value}] * 4 for value, name in enumerate(("out/base.opt1", "../new.opt0"))}
    assembly = assembled(SYSTEMS | {"x.json": json.dumps(scores)})
    assert given(assembly) == {("test", "base", "1"): (0.0,) * 4, ("test", "new", "0"): (1.0,) * 4}


def test_ambiguous_file_name_is_an_error_and_folders_resolve_it():
    files = {"refs.txt": TEXT, "x/base/opt0.txt": TEXT.upper(), "x/new/opt0.txt": TEXT.title()}
    scores = {"opt0.txt": [{"mt": "x", "COMET": 1}] * 4}
    assert "could be base 0 and new 0" in said(assembled(files | {"c.json": json.dumps(scores)}), "error")
    scores = {f"run/{name}/opt0.txt": [{"mt": "x", "COMET": 1}] * 4 for name in ("new", "base")}
    assert len(given(assembled(files | {"c.json": json.dumps(scores)}))) == 2


def test_table_may_lack_segments_and_counts_from_1():
    assembly = assembled(ALONE | {"COMET.csv": "system,segment,score\nA,4,0.5\nA,2,1\nB,1,2\n"})
    assert given(assembly) == {("test", "A", "0"): (None, 1.0, None, 0.5), ("test", "B", "0"): (2.0, None, None, None)}


@pytest.mark.parametrize("segment", ["0", "5", "x"])
def test_unknown_segment_is_reported(segment: str):
    assembly = assembled(ALONE | {"COMET.csv": f"system,segment,score\nA,1,0.5\nA,{segment},1\nB,1,2\n"})
    assert f"a score of 'A' for segment '{segment}', but test set 'test' has '1' to '4'" in said(assembly, "error")
    assert list(given(assembly)) == [("test", "B", "0")]


def test_segments_with_names_are_found_by_name():
    rows = [f"{system},{segment},{segment} said,{segment} is" for system in "AB" for segment in ("s9", "s1")]
    table = "\n".join(["system,segment,hypothesis,reference", *rows])
    scores = "system,segment,score\nA,s1,1\nB,s9,2\n"
    assembly = assembled({"all.csv": table, "COMET.csv": scores})
    assert given(assembly) == {("test", "A", "0"): (None, 1.0), ("test", "B", "0"): (2.0, None)}


def test_segments_without_reference_are_removed_from_scores():
    rows = [f"A,{i},out,{'ref' if i != 2 else ''}" for i in (1, 2, 3)]
    table = "\n".join(["system,segment,hypothesis,reference", *rows])
    for scores in ("A\t1\nA\t2\nA\t3\n", "A\t1\nA\t3\n"):
        assert given(assembled({"all.csv": table, "COMET.seg.score": scores})) == {("test", "A", "0"): (1.0, 3.0)}
    by_number = "system,segment,score\nA,3,3\nA,2,2\nA,1,1\n"
    assert given(assembled({"all.csv": table, "COMET.csv": by_number})) == {("test", "A", "0"): (1.0, 3.0)}


def test_wrong_number_of_scores_is_reported():
    assembly = assembled(ALONE | {"COMET.seg.score": lines(A="1 2 3", B="1 2 3")})
    assert "has 3 scores of 'A', but test set 'test' has 4 segments" in said(assembly, "error")
    assert assembly.experiment is not None
    assert assembly.experiment.given == ()


def test_files_of_one_name_are_one_metric_over_systems_and_test_sets():
    more = {"refs.dev.txt": TEXT, "A.dev.txt": TEXT.upper(), "B.dev.txt": TEXT.title()}
    ours = {name.replace(".txt", ".test.txt"): text for name, text in ALONE.items()}
    head = "system,test_set,segment,score\n"
    first, second = (f"{head}A,test,1,1\nA,dev,1,3\n", f"{head}B,test,1,2\n")
    found = given(assembled(ours | more | {"COMET.csv": first, "x/COMET.csv": second}))
    assert {place: values[0] for place, values in found.items()} == {
        ("test", "A", "0"): 1.0, ("test", "B", "0"): 2.0, ("dev", "A", "0"): 3.0,
    }  # fmt: skip


def test_second_score_of_an_output_is_reported():
    scores = lines(A="1 2 3 4", B="1 2 3 4")
    assembly = assembled(ALONE | {"COMET.seg.score": scores, "x/COMET.seg.score": scores})
    assert "has scores of system 'A', run '0', but so does 'COMET.seg.score'" in said(assembly, "error")
    assert len(given(assembly)) == 2


def test_reserved_metric_key_is_not_used():
    scores = lines(A="1 2 3 4", B="1 2 3 4")
    files = ALONE | {"BLEU.seg.score": scores, "x/bleu.seg.score": scores, "My (metric).seg.score": scores}
    assembly = assembled(files, {"BLEU": True, "bleu": True, "My (metric)": False}, ("bleu", "ter"))
    assert assembly.experiment is not None
    names: list[tuple[str, str]] = [(one.key, one.name) for one in assembly.experiment.given]
    assert names == [
        ("bleu-given", "BLEU (given)"),
        ("bleu-given-2", "bleu (given 2)"),
        ("my-metric", "My (metric)"),
    ]
    again = {f"{name}.seg.score": scores for _, name in names}  # under the names that they got they keep their keys
    assembly = assembled(ALONE | again, dict.fromkeys((name for _, name in names), True), ("bleu", "ter"))
    assert assembly.experiment is not None
    assert [(one.key, one.name) for one in assembly.experiment.given] == names


def test_bad_file_of_scores_affects_nothing_else():
    good = lines(A="1 2 3 4", B="1 2 3 4")
    assembly = assembled(ALONE | {"COMET.seg.score": good, "bad.seg.score": "A\tgood\n"}, HIGHER | {"bad": True})
    assert "bad.seg.score, line 1: The score is 'good'" in said(assembly, "error").replace(":1:", ", line 1:")
    assert len(given(assembly)) == 2


def test_scores_of_unknown_systems_report_both_names():
    assembly = assembled(ALONE | {"COMET.seg.score": lines(X="1 2 3 4", Y="1 2 3 4")})
    assert "names X and Y, but 'test' has A and B" in said(assembly, "error")


def test_scores_alone_need_a_system_from_the_table():
    files = ALONE | {"COMET.scores": "0.5\n1.5\nNone\n2.5\n"}
    assert "names no system" in said(assembled(files), "error")


def test_order_of_files_and_systems_has_no_effect():
    metrics: set[GivenMetric] = set()
    for systems in ("AB", "BA"):
        files = {"COMET.seg.score": "".join(f"{system}\t{ord(system)}\n" * 4 for system in systems)}
        experiment = assembled(ALONE | files).experiment
        assert experiment is not None
        metrics.add(experiment.given[0])
    assert len(metrics) == 1


def test_labels_are_a_column_of_the_test_set_under_the_name_of_their_file():
    assembly = assembled(ALONE | {"topic.labels": "a\nb\nb\na\n"})
    assert assembly.experiment is not None
    (test_set,) = assembly.experiment.test_sets
    assert test_set.side == {"topic": ("a", "b", "b", "a")}
    assert assembly.problems == ()


def test_labels_of_other_segments_are_reported():
    assembly = assembled(ALONE | {"topic.labels": "a\nb\nb\n"})
    assert "The list of labels 'topic' has 3 segments on test set 'test', but the references have 4" in said(
        assembly, "error"
    )
    assert assembly.experiment is not None
    assert assembly.experiment.test_sets[0].side == {}


def metricx(lines: list[str], start: float = 1.0) -> str:
    rows = [{"hypothesis": line, "source": "s", "prediction": start + i} for i, line in enumerate(lines)]
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_scores_beside_outputs_match_by_text():
    files = ALONE | {"x.jsonl": metricx(TEXT.title().splitlines()), "y.jsonl": metricx(TEXT.upper().splitlines(), 11)}
    assembly = assembled(files, {"MetricX": False})
    assert given(assembly) == {("test", "A", "0"): (11.0, 12.0, 13.0, 14.0), ("test", "B", "0"): (1.0, 2.0, 3.0, 4.0)}
    assert said(assembly, "error") == said(assembly, "warning") == ""


def test_runs_with_equal_outputs_have_equal_scores_or_a_file_each():
    files = {"refs.txt": TEXT, "base.opt0": TEXT.upper(), "base.opt1": TEXT.upper(), "new.opt0": TEXT.title()}
    one = files | {"x.jsonl": metricx(TEXT.upper().splitlines())}
    assert given(assembled(one, {"MetricX": False})).keys() == {("test", "base", "0"), ("test", "base", "1")}


def test_unknown_outputs_are_reported_with_the_closest_run():
    lines = [*TEXT.upper().splitlines()[:3], "something else"]
    files = {"refs.txt": TEXT, "A.txt": TEXT.upper(), "B.txt": TEXT.title()}
    documents, _ = unpack(
        [InputFile(name, text.encode()) for name, text in (files | {"x.jsonl": metricx(lines)}).items()]
    )
    slots = [slot for slot in guess(documents) if slot.file != "x.jsonl" or slot.role == "scores"]
    assembly = assemble(documents, Edits(slots, {"MetricX": False}))
    assert "match no loaded run. Closest: 'A', run '0' (3 of 4 segments equal)" in said(assembly, "error")


def test_the_users_choice_overrides_the_file_name():
    files = ALONE | {"B.jsonl": metricx(TEXT.upper().splitlines())}
    documents, _ = unpack([InputFile(name, text.encode()) for name, text in files.items()])
    slots = [replace(slot, system="A") if slot.role == "scores" else slot for slot in guess(documents)]
    assembly = assemble(documents, Edits(slots, {"MetricX": False}))
    assert list(given(assembly)) == [("test", "A", "0")]


def test_scores_in_another_order_are_reported():
    turned = [{"mt": line, "COMET": 1} for line in reversed(TEXT.upper().splitlines())]
    assembly = assembled(ALONE | {"x.json": json.dumps({"A.txt": turned})})
    assert "in another order: its segment 1 is segment 4 of the output" in said(assembly, "error")


def test_scores_of_other_texts_are_used_with_a_warning_without_their_errors():
    error = {"start": 0, "end": 3, "severity": "minor"}
    rows = [{"mt": line, "COMET": 1, "errors": [error]} for line in TEXT.upper().splitlines()]
    rows[1]["mt"] = "THE DOG"
    assembly = assembled(ALONE | {"x.json": json.dumps({"A.txt": rows})})
    assert "'A', run '0', in 1 of 4 segments. Segment 2: 'THE DOG'" in said(assembly, "warning")
    assert assembly.experiment is not None
    spans = assembly.experiment.given[0].scores[0].spans
    assert spans is not None
    assert [None if one is None else len(one) for one in spans] == [1, None, 1, 1]


def test_errors_are_counted_from_the_output_as_it_is_loaded():
    files = {
        "refs.txt": TEXT,
        "A.txt": "".join(f"  {line}\n" for line in TEXT.upper().splitlines()),
        "B.txt": TEXT.title(),
    }
    error = {"start": 4, "end": 7, "severity": "major", "confidence": 0.5}
    rows = [{"mt": line, "COMET": 1, "errors": [error]} for line in TEXT.upper().splitlines()]
    assembly = assembled(files | {"x.json": json.dumps({"A.txt": rows})})
    assert assembly.experiment is not None
    (scores,) = assembly.experiment.given[0].scores
    assert scores.spans == ((ErrorSpan(6, 9, "major", confidence=0.5),),) * 4
    hypothesis = assembly.experiment.test_sets[0].runs_of("A")[0].hypotheses[0]
    assert hypothesis[6:9] == "CAT"


def test_errors_beyond_the_end_of_an_output_are_reported():
    span = '"[{""start"": 0, ""end"": 99, ""severity"": ""minor""}]"'
    table = f"system,segment,score,spans\nA,2,1,{span}\n"
    assert "marks characters 0 to 99 in segment 2 of 'A', run '0', which has" in said(
        assembled(ALONE | {"COMET.csv": table}), "error"
    )


def test_given_scores_round_trip_with_spans_and_deviations():
    span = '"[{""start"": 0, ""end"": 3, ""severity"": ""minor"", ""confidence"": 0.25}]"'
    table = f"system,segment,score,deviation,spans\nA,1,1,0.5,{span}\nA,2,1,,[]\nB,1,2,,\n"
    first = assembled(ALONE | {"COMET.csv": table}).experiment
    assert first is not None
    ((place, text),) = given_tables(first.given).items()
    assert place == ("comet", "test")
    second = assembled(ALONE | {"COMET.csv": text}).experiment
    assert second is not None
    assert second.given[0].scores[0] == first.given[0].scores[0]
    other = assembled(ALONE | {"COMET.csv": text.replace("minor", "major")}).experiment
    assert other is not None
    assert second.digest != other.digest
