"""One table in several forms: semicolons with decimal commas, a JSON array, comet-score's output."""

import json
from collections.abc import Mapping
from pathlib import Path
from statistics import mean

import pytest

from mteval.base.errors import InputError
from mteval.readers.documents import InputFile, Stream
from mteval.readers.formats.uploads import unpack
from mteval.readers.named_files import ScoreFiles, load_scores

SCORES: Mapping[str, tuple[float, ...]] = {
    "A": (0.5821, 0.7669, 0.4706, 1e-05, -0.25, 0.8101),
    "B": (0.6762, 0.6243, 0.7145, 0.5, 0.125, 0.9689),
}


def semicolons(decimal: str) -> str:
    rows = [f"{system};{number};{score}" for system in SCORES for number, score in enumerate(SCORES[system], start=1)]
    return "\n".join(["system;segment;score", *rows]).replace(".", decimal) + "\n"


def array(indent: int | None) -> str:
    rows = []
    for system, scores in SCORES.items():
        for number, score in enumerate(scores, start=1):
            rows.append({"system": system, "segment": number, "score": score})
    return json.dumps(rows, indent=indent)


def comet_output() -> str:
    """As comet-score 2.2 prints it."""
    rows = []
    for system, scores in SCORES.items():
        rows += [f"{system}.txt\tSegment {number}\tscore: {score:.4f}" for number, score in enumerate(scores)]
    rows += [f"{system}.txt\tscore: {mean(scores):.4f}" for system, scores in SCORES.items()]
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize(
    ("name", "text", "digits"),
    [
        ("m.csv", semicolons("."), 12),
        ("m.csv", semicolons(","), 12),
        ("m.json", array(1), 12),
        ("m.json", array(None), 12),
        ("m.out", comet_output(), 3),
    ],
    ids=["semicolons", "decimal commas", "indented array", "array on one line", "comet-score"],
)
def test_all_forms_have_the_same_scores(tmp_path: Path, name: str, text: str, digits: int) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    (metric,) = load_scores(ScoreFiles([path])).experiment.given
    found = {scores.system.removesuffix(".txt"): scores.values for scores in metric.scores}
    assert found == {system: pytest.approx(values, abs=10**-digits) for system, values in SCORES.items()}


def streams(name: str, text: str) -> tuple[Stream, ...]:
    (document,), _ = unpack([InputFile(name, text.encode())])
    return document.streams


def test_texts_in_a_table_with_semicolons_keep_their_commas() -> None:
    text = 'system;segment;hypothesis;reference\nA;1;1,5 kg;"1,5; not 2,5 kg"\nA;2;3,0;3,1\n'
    assert [stream.lines for stream in streams("a.csv", text)] == [("1,5 kg", "3,0"), ("1,5; not 2,5 kg", "3,1")]


def test_array_of_outputs_is_read_like_json_lines() -> None:
    rows = [{"system": "A", "segment": n, "hypothesis": f"h {n}", "reference": f"r {n}"} for n in range(1, 4)]
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    assert streams("a.json", json.dumps(rows, indent=2)) == streams("a.jsonl", lines)


def test_long_array_on_one_line_is_no_long_line() -> None:
    rows = [{"system": "A", "segment": n, "hypothesis": "word " * 40} for n in range(6_000)]
    text = json.dumps(rows)
    assert len(text) > 1 << 20
    assert len(streams("a.json", text)[0].lines) == 6_000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a.txt\tscore: 0.8123\nb.txt\tscore: 0.7\n", "Run it without --only_system"),
        ("a.txt\tSegment 0\tscore: 0.5\na.txt\tSegment 2\tscore: 0.5\n", "Segment 2 of 'a.txt' follows 1 segment"),
        ("a.txt\tSegment 0\tscore: 0.5\na.txt\tscore: 0.7\n", "have the mean 0.5000, but the file states 0.7"),
        ("a.txt\tSegment 0\tscore: high\n", "The score is 'high'"),
    ],
)
def test_incomplete_output_of_comet_score_is_refused(text: str, message: str) -> None:
    documents, (problem,) = unpack([InputFile("comet.out", text.encode())])
    assert documents == ()
    with pytest.raises(InputError, match=message):
        raise problem.as_error()


def test_a_prediction_that_is_a_text_is_an_output() -> None:
    records = [
        {"source": "ein Hund", "reference": "a dog", "prediction": "one dog"},
        {"reference": "a", "prediction": "b"},
    ]
    (as_json,), problems = unpack([InputFile("x.jsonl", "".join(f"{json.dumps(row)}\n" for row in records).encode())])
    assert problems == ()
    (as_csv,), problems = unpack([InputFile("x.csv", b"reference,prediction\na dog,one dog\na,b\n")])
    assert problems == ()
    for document in (as_json, as_csv):
        (output,) = [stream for stream in document.streams if stream.role == "hypothesis"]
        assert output.lines == ("one dog", "b")

    metricx = {"hypothesis": "a", "reference": "b", "prediction": 1.5}
    (document,), _ = unpack([InputFile("x.jsonl", f"{json.dumps(metricx)}\n".encode())])
    assert {stream.role for stream in document.streams} == {"hypothesis", "reference", "scores"}
