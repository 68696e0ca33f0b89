"""Tables of scores, and what comet-score writes: the scores of each output, and what cannot be read named by line."""

import json

import pytest

from mteval.readers.documents import Document, InputFile, Limits, Problem, ScoreColumn
from mteval.readers.formats.score_tables import NO_SCORE
from mteval.readers.formats.uploads import unpack
from mteval.values.judgements import ErrorSpan


def read(text: str, name: str = "COMET.tsv") -> Document:
    (document,), _ = unpack([InputFile(name, text.encode())])
    return document


def problem_of(text: str, name: str = "f", limits: Limits | None = None) -> Problem:
    documents, problems = unpack([InputFile(name, text.encode())], limits or Limits())
    assert documents == ()
    return problems[0]


def columns(document: Document) -> dict[tuple[str | None, str | None], list[ScoreColumn]]:
    return {(stream.test_set, stream.name): list(stream.scores) for stream in document.streams}


def test_rows_in_any_order_are_the_scores_of_outputs_by_segment():
    found = columns(read("system\tsegment\tscore\nB\t2\t0.25\nA\t1\t1e-3\nB\t1\tNone\nA\t2\t-4\n"))
    assert found == {
        (None, None): [
            ScoreColumn("B", None, (0.25, None), ("2", "1")),
            ScoreColumn("A", None, (0.001, -4.0), ("1", "2")),
        ]
    }


def test_a_table_without_any_score_is_refused() -> None:
    table = "system\tsegment\tscore\nA\t1\t\nA\t2\tNone\nB\t1\tNaN\n"
    assert problem_of(table).message == NO_SCORE


def test_columns_of_metrics_without_any_score_are_named_as_that() -> None:
    assert problem_of("system\tsegment\tCOMET\tTER\nA\t1\t\tNaN\nA\t2\tNone\t\n").message == NO_SCORE
    assert problem_of("system\tsegment\tremark\nA\t1\t\nA\t2\tgood\n").message.startswith("No column of scores.")


def test_a_column_that_tells_runs_apart_is_named_if_rows_have_equal_segments() -> None:
    rows = ""
    for run in (1, 2):
        for segment in range(1, 7):
            rows += f"A;{run};{segment};0,{run}{segment}\n"
    problem = problem_of(f"System;Lauf;Segment;COMET\n{rows}", "comet.csv")
    assert problem.message.startswith("Second score for segment '1' of system 'A'")
    assert problem.message.endswith("If column 'Lauf' names the runs, rename it to 'run'.")
    assert "rename" not in problem_of("system,segment,score\nA,1,2\nA,1,3\n").message


@pytest.mark.parametrize("missing", ["None", "NONE", "nan"])
def test_the_first_of_wmts_scores_may_be_missing(missing: str) -> None:
    stream = read(f"A\t{missing}\nA\t0.5\nB\t0.25\nB\t0.5\n", "COMET.seg.score").streams[0]
    assert stream.lines[0] == f"A\t{missing}"


@pytest.mark.parametrize("missing", ["", "None", "NaN", "nan", "NA", "null", " "])
def test_a_missing_score_may_be_written_in_many_ways(missing: str):
    (column,) = read(f"system,segment,score\nA,1,{missing}\nA,2,3\n").streams[0].scores
    assert column.values == (None, 3.0)


def test_human_scores_may_state_their_number_of_judgements():
    (column,) = read("system,segment,score,judgements\nA,1,-2,3\nA,2,,\n").streams[0].scores
    assert column == ScoreColumn("A", None, (-2.0, None), ("1", "2"), (3, 0))
    assert "'1.5'" in problem_of("system,segment,score,judgements\nA,1,-2,1.5\n").message


def test_columns_of_several_metrics_are_told_apart_and_keep_their_names():
    document = read("sys,seg_id,seed,COMET,MetricX-23,rater\nA,1,0,0.5,2,ann\nA,1,1,,3,bob\n")
    assert [stream.label for stream in document.streams] == ["COMET", "MetricX-23"]
    assert columns(document) == {
        (None, "COMET"): [ScoreColumn("A", "0", (0.5,), ("1",)), ScoreColumn("A", "1", (None,), ("1",))],
        (None, "MetricX-23"): [ScoreColumn("A", "0", (2.0,), ("1",)), ScoreColumn("A", "1", (3.0,), ("1",))],
    }
    assert document.notes == ("Columns ignored: rater.",)


def test_rows_of_several_metrics_and_test_sets_are_told_apart():
    rows = ["test_set\tmetric\tsystem\tsegment\tscore", "dev\tCOMET\tA\t1\t0.5", "test\tCOMET\tA\t1\t0.75"]
    document = read("\n".join([*rows, "test\tBLEURT\tA\t1\t0.25"]) + "\n")
    assert [stream.label for stream in document.streams] == ["dev: COMET", "test: COMET", "test: BLEURT"]
    values = {place: found[0].values for place, found in columns(document).items()}
    assert values == {("dev", "COMET"): (0.5,), ("test", "COMET"): (0.75,), ("test", "BLEURT"): (0.25,)}


def test_without_segments_the_rows_of_an_output_are_its_segments_in_order():
    (a, b) = read("system,score\nA,1\nB,3\nA,2\nB,nan\n").streams[0].scores
    assert (a, b) == (ScoreColumn("A", None, (1.0, 2.0)), ScoreColumn("B", None, (3.0, None)))


def test_json_lines_keep_all_digits():
    rows = [{"system": "A", "segment": 1, "score": 0.1 + 0.2}, {"system": "A", "segment": 2, "score": None}]
    (column,) = read("\n".join(map(json.dumps, rows)), "x.jsonl").streams[0].scores
    assert column == ScoreColumn("A", None, (0.1 + 0.2,), ("1",))


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("system\tsegment\tscore\nA\t1\t0.5\nA\t2\tgood\n", 3, "'good'. Expected a number, or None"),
        ("system\tsegment\tscore\nA\t1\tinf\n", 2, "'inf'"),
        (
            "system\tsegment\tscore\nA\t1\t1\nA\t1\t2\n",
            3,
            "econd score for segment '1' of system 'A' (the first is in",
        ),
        ("system\tsegment\tscore\nA\t1\n", 2, "2 cells, but the header has 3"),
        (
            "system\tsegment\tcomment\nA\t1\tfine\n",
            None,
            "Other columns: com",
        ),
        ("system,segment,score\n", None, "No column of scores"),
        ('{"system": "A", "segment": 1, "score": true}\n', 1, "'score' is a bool"),
        ('{"system": "A", "segment": 1, "score": 1}\n{"system"\n', 2, "ot valid JSON"),
    ],
)
def test_invalid_table_of_scores_is_an_error_with_its_line(text: str, line: int | None, words: str):
    problem = problem_of(text)
    assert words in problem.message
    assert (problem.file, problem.line) == ("f", line)


def test_prose_is_not_a_table():
    assert read("The system, the segment\nand more\n", "a.txt").format == "lines"
    assert read("system, what system\nand more\n", "a.txt").format == "lines"


COMET = {
    "base/opt0.txt": [
        {"src": "s", "mt": "a", "ref": "r", "COMET": 0.5},
        {"src": "t", "mt": "b", "ref": "r", "COMET": 0.25},
    ],
    "new/opt0.txt": [
        {"src": "s", "mt": "c", "COMET": 0.75},
        {"src": "t", "mt": "d", "COMET": float("nan")},
    ],
}


@pytest.mark.parametrize("indent", [None, 4])
def test_comet_score_json_has_scores_per_file(indent: int | None):
    document = read(json.dumps(COMET, indent=indent), "comet.json")
    assert (document.format, document.notes) == ("json", ())
    (stream,) = document.streams
    assert (stream.role, stream.name) == ("scores", "COMET")
    assert stream.scores == (
        ScoreColumn("base/opt0.txt", None, (0.5, 0.25), texts=("a", "b")),
        ScoreColumn("new/opt0.txt", None, (0.75, None), texts=("c", "d")),
    )


def test_comet_score_json_before_version_1_names_no_file():
    rows = [{"src": "s", "mt": "a", "ref": "r", "predicted_score": score} for score in (0.5, -1)]
    (column,) = read(json.dumps(rows, indent=4), "x.json").streams[0].scores
    assert column == ScoreColumn(None, None, (0.5, -1.0), texts=("a", "a"))


def test_errors_that_a_model_marks_are_spans_and_outputs_without_any_have_none():
    error = {"text": "my food", "confidence": 0.4160953164100647, "severity": "minor", "start": 13, "end": 21}
    rows = [{"src": "s", "mt": "Can I receive my food", "COMET": 0.98, "errors": [error]}, {"mt": "b", "COMET": 1.0}]
    (column,) = read(json.dumps({"a.txt": rows}, indent=4), "x.json").streams[0].scores
    assert column.spans == ((ErrorSpan(13, 21, "minor", confidence=0.4160953164100647),), ())


def test_variance_of_comet_under_dropout_is_a_deviation():
    rows = [{"mt": "a", "COMET": 0.5, "variance": 0.0625}, {"mt": "b", "COMET": 0.25, "variance": 0.125}]
    (column,) = read(json.dumps({"a.txt": rows}, indent=4), "x.json").streams[0].scores
    assert column.deviations == (0.0625, 0.125)
    assert column.spans is None


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ({"start": 3, "end": 2, "severity": "minor"}, "'a.txt[1].errors[1].end' is 2; expected a whole number from 3"),
        ({"start": -1, "end": 2, "severity": "minor"}, "'a.txt[1].errors[1].start' is -1"),
        ({"start": 0, "end": 2.5, "severity": "minor"}, "'a.txt[1].errors[1].end' is 2.5; expected a whole number"),
        ({"start": 0, "end": 2}, "'a.txt[1].errors[1].severity' is missing"),
        ({"start": 0, "end": 2, "severity": 5}, "'a.txt[1].errors[1].severity' is 5; expected a text"),
        ({"start": 0, "end": 2, "severity": "minor", "confidence": "high"}, "'a.txt[1].errors[1].confidence'"),
        ("minor", "'a.txt[1].errors[1]' is 'minor'; expected a table"),
    ],
)
def test_invalid_span_is_an_error(error: object, words: str):
    rows = [{"mt": "abc", "COMET": 1.0, "errors": [error]}]
    assert words in problem_of(json.dumps({"a.txt": rows}), "x.json").message


def test_a_table_may_have_spans_and_deviations():
    span = json.dumps([{"start": 0, "end": 2, "severity": "Major", "category": "Style"}]).replace('"', '""')
    text = f'system,segment,score,deviation,spans\nA,1,0.5,0.25,"{span}"\nA,2,1,,[]\nA,3,1,,\n'
    (column,) = read(text).streams[0].scores
    assert column.spans == ((ErrorSpan(0, 2, "major", "Style"),), (), None)
    assert column.deviations == (0.25, None, None)
    record = {"system": "A", "segment": 1, "score": 1, "spans": [{"start": 0, "end": 2, "severity": "odd"}]}
    assert read(json.dumps(record) + "\n").streams[0].scores[0].spans == ((ErrorSpan(0, 2, "odd"),),)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('system,segment,score,spans\nA,1,1,"[{}]"\n', "'spans[1].start' is missing"),
        ("system,segment,score,spans\nA,1,1,[\n", "The spans are not valid JSON"),
        (
            "system,segment,COMET,BLEURT,spans\nA,1,1,2,[]\n",
            "The row has spans and scores in 2 columns (COMET, BLEURT)",
        ),
        ("system,segment,score,deviation\nA,1,1,much\n", "'much'"),
    ],
)
def test_invalid_spans_in_a_table_are_an_error_with_their_line(text: str, words: str):
    problem = problem_of(text)
    assert words in problem.message
    assert problem.line == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (json.dumps(COMET, indent=4)[:-60], "ot valid JSON"),
        (
            json.dumps({"a.txt": [{"mt": "a", "COMET": 1}, {"mt": "b"}]}),
            "Segment 2 of 'a.txt' has the COMET score",
        ),
        (json.dumps({"a.txt": [{"mt": "a", "COMET": "1"}]}), "Segment 1 of 'a.txt' has the COMET score '1'"),
        (json.dumps({"a.txt": [{"mt": "a", "COMET": 1}, 3]}), "Segment 2 of 'a.txt' has the COMET score"),
        ('{"a.txt": [{"mt": "a", "COMET": Infinity}]}', "'inf'"),
    ],
)
def test_damaged_comet_json_is_an_error(text: str, words: str):
    problem = problem_of(text, "comet.json")
    assert words in problem.message
    assert problem.file == "comet.json"


@pytest.mark.parametrize("text", ['{"a": [{"mt": "b"}]}', '{"x": {"mt": 1}}', '["mt"]'])
def test_other_json_is_not_comet_scores(text: str):
    assert "one JSON document" in problem_of(text, "x.json").message


def test_a_line_of_a_table_may_not_be_longer_than_the_limit():
    row = "system\tsegment\tscore\nA\t1\t" + "0" * 200 + "\n"
    assert "the limit is 100" in problem_of(row, "f", Limits(line_bytes=100)).message


def test_a_column_without_a_name_is_ignored_without_a_word() -> None:
    as_pandas_writes_it = ",system,segment,{}\n0,A,1,50\n1,A,2,60\n"
    for column in ("score", "hypothesis"):
        assert read(as_pandas_writes_it.format(column), "x.csv").notes == ()
    judgements = ",annotator,system,segment,adequacy\n0,a,A,1,50\n1,a,A,2,60\n"
    assert read(judgements, "x.csv").notes == ()


@pytest.mark.parametrize("cells", [("45%", "7.5 %"), ("1,234.5", "10,000")])
def test_numbers_as_spreadsheets_show_them_are_named_as_the_reason(cells: tuple[str, str]) -> None:
    rows = "".join(f"A\t{segment}\t{cell}\n" for segment, cell in enumerate(cells, start=1))
    message = problem_of(f"system\tsegment\taccuracy\n{rows}").message
    assert message == f"'accuracy' is '{cells[0]}'. Write plain numbers, without % and separators of thousands."


def test_right_and_wrong_answers_are_scores_if_no_column_has_numbers() -> None:
    rows = [("A", 1, True), ("A", 2, None), ("B", 1, False), ("B", 2, True)]
    lines = [json.dumps({"model": model, "question_id": q, "correct": is_right}) for model, q, is_right in rows]
    table = "system;segment;correct\nA;1;TRUE\nA;2;\nB;1;FALSE\nB;2;True\n"
    for text, name in (("\n".join(lines), "answers.jsonl"), (table, "answers.csv")):
        streams = read(text, name).streams
        assert [(column.system, column.values) for column in streams[0].scores] == [("A", (1, None)), ("B", (0, 1))]
        assert streams[0].name == "correct"

    beside = "system,segment,COMET,flagged\nA,1,0.5,true\nA,2,0.75,false\n"  # what is flagged is no score
    document = read(beside, "scores.csv")
    assert [stream.name for stream in document.streams] == ["COMET"]
    assert document.notes == ("Columns ignored: flagged.",)


@pytest.mark.parametrize("cell", ["2.168,5", "1.234.567", "2 168,5", "2'168", "1,234.5", "45%"])
def test_separators_of_thousands_are_named_whatever_they_are(cell: str) -> None:
    problem = problem_of(f"system;segment;latency\nA;1;{cell}\nB;1;{cell}\n", "latency.csv")
    assert problem.message == f"'latency' is '{cell}'. Write plain numbers, without % and separators of thousands."


@pytest.mark.parametrize("cell", ["0,935", "0,93", "12,5"])
def test_decimal_commas_are_named_as_such(cell: str) -> None:
    problem = problem_of(f'system,segment,COMET\nA,1,"{cell}"\nB,1,"{cell}"\n', "s.csv")
    point = cell.replace(",", ".")
    assert (
        problem.message
        == f"'COMET' is '{cell}'. Write a decimal point ({point}), or separate the columns with semicolons."
    )
