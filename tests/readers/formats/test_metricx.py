"""What MetricX's predict.py writes: its input and a prediction an object, one a line, as ``json.dumps`` has it."""

import json

from mteval.readers.documents import Document, InputFile, ScoreColumn
from mteval.readers.formats.uploads import unpack


def predicted(*rows: dict[str, object]) -> Document:
    """The rows as the program writes them: its input with ``prediction`` behind it."""
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (document,), _ = unpack([InputFile("out/new.jsonl", text.encode())])
    return document


def roles(document: Document) -> list[str | None]:
    return [stream.role for stream in document.streams]


def test_outputs_stand_beside_their_scores_and_name_no_system():
    document = predicted(
        {"hypothesis": "a", "reference": "b", "source": "é", "prediction": 1.5},
        {"hypothesis": "c", "reference": "d", "source": "f", "prediction": 2.0},
    )
    assert set(roles(document)) == {"hypothesis", "reference", "source", "scores"}
    scores = document.streams[-1]
    assert (scores.name, scores.is_higher_better) == ("MetricX", False)
    assert scores.scores == (ScoreColumn(None, None, (1.5, 2.0), texts=("a", "c")),)
    assert document.notes == ()


def test_without_references_the_source_is_what_was_read():
    document = predicted({"source": "s", "hypothesis": "a", "reference": "", "prediction": 3.25})
    assert set(roles(document)) == {"hypothesis", "source", "scores"}


def test_names_of_systems_and_segments_in_its_input_are_kept():
    rows = [
        {
            "hypothesis": f"{system} {segment}",
            "source": "s",
            "system_id": system,
            "segment_id": segment,
            "prediction": 1.0,
        }
        for system in ("x", "y")
        for segment in (1, 2)
    ]
    scores = predicted(*rows).streams[-1].scores
    assert [(column.system, column.keys, column.texts) for column in scores] == [
        ("x", ("1", "2"), ("x 1", "x 2")),
        ("y", ("1", "2"), ("y 1", "y 2")),
    ]


def test_other_tables_with_predictions_are_not_metricx():
    (document,), _ = unpack([InputFile("a.jsonl", b'{"system": "A", "segment": 1, "prediction": 1}\n')])
    assert [stream.name for stream in document.streams] == [None]
    (document,), _ = unpack([InputFile("a.csv", b"system,segment,prediction\nA,1,1\n")])
    assert [stream.is_higher_better for stream in document.streams] == [None]
