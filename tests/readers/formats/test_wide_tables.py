"""Tables with a column per system, and corpus scores with a row per run, are scores and no outputs."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from mteval.readers.documents import InputFile
from mteval.readers.formats.uploads import unpack
from mteval.readers.named_files import ScoreFiles, load_scores

Scores = Mapping[tuple[str, str, str], tuple[float | None, ...]]  # by metric, system and run


def scores_in(folder: Path, name: str, text: str) -> Scores:
    """What is loaded from a file of scores."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    scores = {}
    for metric in load_scores(ScoreFiles([path])).experiment.given:
        for given in metric.scores:
            scores[metric.name, given.system, given.run] = given.values
    return scores


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("quality.csv", "segment,Old,New\n1,0.5,0.75\n2,0.25,1\n3,,0.5\n"),
        ("quality.tsv", "segment\tOld\tNew\n1\t0.5\t0.75\n2\t0.25\t1\n3\tnan\t0.5\n"),
        ("quality.csv", "Segment;Old;New\n1;0,5;0,75\n2;0,25;1\n3;;0,5\n"),
        ("quality.csv", "id,Old,New,comment\n1,0.5,0.75,good\n2,0.25,1,bad\n3,,0.5,odd\n"),
    ],
)
def test_columns_beside_segments_are_systems(tmp_path: Path, name: str, text: str) -> None:
    expected = {("quality", "Old", "0"): (0.5, 0.25, None), ("quality", "New", "0"): (0.75, 1.0, 0.5)}
    assert scores_in(tmp_path, name, text) == expected


def test_columns_with_names_of_metrics_are_metrics() -> None:
    (document,), _ = unpack([InputFile("a.csv", b"segment,BLEU,chrF2,COMET-22\n1,20,40,0.5\n2,30,50,0.75\n")])
    assert [stream.name for stream in document.streams] == ["BLEU", "chrF2", "COMET-22"]


def test_rows_of_systems_and_seeds_are_corpus_scores_of_runs(tmp_path: Path) -> None:
    text = "system,seed,BLEU,chrF\nA,1,20.5,50\nA,2,21,51\nB,1,22,52\nB,2,23.5,53\n"
    scores = scores_in(tmp_path, "all.csv", text)
    by_chrf = {}
    for (metric, system, run), values in scores.items():
        if metric.startswith("chrF"):
            by_chrf[system, run] = values
    assert by_chrf == {
        ("A", "1"): (50.0,),
        ("A", "2"): (51.0,),
        ("B", "1"): (52.0,),
        ("B", "2"): (53.0,),
    }
    assert len(scores) == 8


def test_rows_of_one_system_without_seeds_are_its_runs(tmp_path: Path) -> None:
    scores = scores_in(tmp_path, "all.csv", "System,quality\nA,20.5\nA,21\nB,22\n")
    assert scores == {
        ("quality", "A", "0"): (20.5,),
        ("quality", "A", "1"): (21.0,),
        ("quality", "B", "0"): (22.0,),
    }


def test_corpus_scores_say_what_can_be_tested() -> None:
    _, (problem,) = unpack([InputFile("all.csv", b"System,BLEU\nA,20.5\nB,22\n")])
    assert problem.severity == "note"
    assert "(Welch's test)" in problem.message


@pytest.mark.parametrize(
    "text",
    [
        "segment, he said , is here\nthe second , line , follows\n",
        "The system, they say, works\nA line, of text, follows\n",
        "id, ego, superego\none , two , three\nfour , five , six\n",
        "system,seed\nA,1\n",
    ],
)
def test_text_with_commas_stays_text(text: str) -> None:
    (document,), _ = unpack([InputFile("hyp.txt", text.encode())])
    assert document.format == "lines"


def test_weights_of_runs_are_not_taken_for_their_scores() -> None:
    table = b"system\trun\tdev_bleu\tLM\tPhrase\nbase\t0\t31.5\t0.2\t0.5\nbase\t1\t31.25\t0.3\t0.25\n"
    (document,), _ = unpack([InputFile("weights.tsv", table)])
    assert [stream.role for stream in document.streams] != ["scores"]


@pytest.mark.parametrize(
    ("name", "text", "columns"),
    [
        ("a.csv", "Name,BLEU,chrF\nA,30.5,50\nB,34,56\n", "Name, BLEU, chrF"),
        ("a.csv", "Name;BLEU\nA;30,5\nB;34\n", "Name, BLEU"),
        ("a.tsv", "Name\tBLEU\nA\t30.5\nB\t\n", "Name, BLEU"),
        ("a.txt", "Name\tBLEU\nA\t30.5\nB\t34\n", "Name, BLEU"),
        ("a.csv", "segment,COMET\n1,0.5\n2,0.25\n", "segment, COMET"),
        ("a.txt", "score\n0.5\n0.25\n", "score"),
        ("a.jsonl", '{"Name": "A", "BLEU": 30.5}\n{"Name": "B", "BLEU": 34}\n', "Name, BLEU"),
    ],
)
def test_numbers_without_systems_are_refused_with_the_missing_column(name: str, text: str, columns: str) -> None:
    _, (problem,) = unpack([InputFile(name, text.encode())])
    assert problem.severity == "error"
    assert problem.message.startswith(f"Not scores yet: no column is named 'system'. Found: {columns}. Rename")
    assert ("a column 'segment' too" in problem.message) == ("segment" not in columns)


def test_a_second_score_without_systems_names_the_missing_column() -> None:
    rows = [f"{engine}\t{segment}\t0.5" for engine in "AB" for segment in (1, 2)]
    text = "\n".join(("engine\tsegment\tCOMET", *rows))
    _, (problem,) = unpack([InputFile("a.tsv", text.encode())])
    assert problem.line == 4
    assert "No column is named 'system'." in problem.message


@pytest.mark.parametrize(
    "text", ["word\tanother\none\t12\ntwo\tthree\n", "12\none\n", "Anna has\n3\n4\n", "a\t1\nb\t2\n"]
)
def test_texts_with_numbers_stay_text(text: str) -> None:
    (document,), problems = unpack([InputFile("a.txt", text.encode())])
    assert problems == ()
    assert document.format == "lines"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("segment,Old,New\n1,0.5,0.6\n2,0.5,0.7\nAverage,0.5,0.65\n", 4, "'Average' looks like a row of averages"),
        ("system,segment,score\nA,1,0.5\nA,2,0.6\nMean,,0.55\n", 4, "'Mean' looks like a row of averages"),
        ("system,run,BLEU\nA,0,30\nB,0,31\nAverage,,30.5\n", 4, "'Average' looks like a row of averages"),
        ("system,run,accuracy\nA,0,40%\nB,0,41.5 %\n", 2, "'accuracy' is '40%'. Write plain numbers"),
        ('system,run,BLEU\nA,0,"1,234.5"\nB,0,"1,235"\n', 2, "'BLEU' is '1,234.5'. Write plain numbers"),
        ("system\tsegment\tscore\nA\t1\t0,5\n", 2, "The score is '0,5'. Write a decimal point (0.5)"),
    ],
)
def test_numbers_as_spreadsheets_write_them_are_refused_with_the_reason(text: str, line: int, message: str) -> None:
    _, (problem,) = unpack([InputFile("a.csv" if "," in text.splitlines()[0] else "a.tsv", text.encode())])
    assert problem.line == line
    assert problem.message.startswith(message)


def test_empty_columns_at_the_end_change_nothing(tmp_path: Path) -> None:
    text = "segment,Old,New,,\n1,0.5,0.75,,\n2,0.25,1,,\n"
    expected = {("quality", "Old", "0"): (0.5, 0.25), ("quality", "New", "0"): (0.75, 1.0)}
    assert scores_in(tmp_path, "quality.csv", text) == expected
    (document,), _ = unpack([InputFile("a.csv", b"system,segment,score,,\nA,1,0.5,,\nB,1,0.6,,\n")])
    assert document.notes == ()


def test_a_second_row_of_a_run_names_the_columns_of_the_file() -> None:
    text = "model,seed,epoch,BLEU\nA,1,1,30\nA,1,2,31\nB,1,1,32\n"
    _, (problem,) = unpack([InputFile("a.csv", text.encode())])
    assert problem.line == 3
    assert (
        problem.message == "A second row of model 'A', seed '1' (the first is in line 2). Give each row its own seed."
    )


def test_scores_in_columns_separated_by_spaces_are_refused_and_not_read_as_text() -> None:
    text = "system segment score\nA 1 0.5\nA 2 0.25\n"
    _, (problem,) = unpack([InputFile("a.txt", text.encode())])
    assert problem.message == "The columns are separated by spaces. Separate them by tabs, or write CSV."


def test_byte_order_marks_where_tables_were_joined_are_no_part_of_names(tmp_path: Path) -> None:
    text = "system,segment,score\nA,1,0.5\nA,2,0.25\n\ufeffB,1,0.75\nB,2,1\n"
    assert scores_in(tmp_path, "a.csv", text) == {("a", "A", "0"): (0.5, 0.25), ("a", "B", "0"): (0.75, 1.0)}
