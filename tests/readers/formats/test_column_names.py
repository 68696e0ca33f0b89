"""Messages about tables name the columns as the file does, not as mteval reads them."""

import json

import pytest

from mteval.base.errors import InputError
from mteval.readers.assembly.judgements import read_judgements
from mteval.readers.documents import InputFile
from mteval.readers.formats.uploads import unpack


def message_about(name: str, text: str) -> str:
    """The only problem of a file."""
    _, problems = unpack([InputFile(name, text.encode())])
    (problem,) = problems
    return problem.text


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "a.csv",
            "Model,Seed,Seg ID,Translation\nA,1,1\n",
            "3 cells, but the header has 4 (Model, Seed, Seg ID, Translation).",
        ),
        (
            "a.csv",
            "model,sys,segment,score\nA,B,1,2\n",
            "Columns 'model' and 'sys' are both read as 'system'. Rename one.",
        ),
        ("a.csv", "model,model,segment,score\nA,B,1,2\n", "Column 'model' appears twice in the header. Rename one."),
        ("a.csv", "model,seg_id,Prediction\nA,1,good\n", "'Prediction' is 'good'. Expected a number"),
        ("a.csv", "model;seg_id;Predicted Score\nA;1;gut\n", "'Predicted Score' is 'gut'. Expected a number"),
        ("a.csv", "model,seg_id,score\nA,1,good\n", "The score is 'good'. Expected a number"),
        ("a.csv", "model,seg_id,score,Judgements\nA,1,2,many\n", "'Judgements' is 'many'. Expected a whole number."),
        ("a.csv", "Model,BLEU\nA,20.5\n,22\n", "The row has no 'Model'. Fill it in, or remove the row."),
        ("a.jsonl", '{"model": "A", "seg_id": 1, "mt": 7}\n', "'mt' is a number. Expected a string."),
        (
            "a.jsonl",
            '{"model": "A", "sys": "B", "segment": 1, "mt": "x"}\n',
            "Keys 'model' and 'sys' are both read as 'system'. Rename one.",
        ),
    ],
)
def test_error_names_the_column_of_the_file(name: str, text: str, message: str) -> None:
    assert message in message_about(name, text)


def test_note_on_ignored_columns_names_them_as_the_file_does() -> None:
    rows = [{"Model": "A", "Seg": number, "Score": 0.5, "Doc ID": "d", "Rated By": "x"} for number in (1, 2)]
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    documents, problems = unpack([InputFile("a.jsonl", text.encode())])
    notes = [*(note for document in documents for note in document.notes), *(problem.message for problem in problems)]
    assert "Columns ignored: Doc ID, Rated By." in notes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Rater,Model,Seg ID,Adequacy\nann,A,,3\n", "The row has no Model or no Seg ID. Every row needs both."),
        ("Rater,Model,Seg ID,Adequacy\nann,A,1,good\n", "'Adequacy' is 'good'. Expected a number"),
        ("Rater,Model,Seg ID,Comment\nann,A,1,good\n", "Found: Rater, Model, Seg ID, Comment."),
    ],
)
def test_error_about_judgements_names_the_column_of_the_file(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read_judgements([InputFile("a.csv", text.encode())])
    assert message in str(error.value)


def test_missing_scale_is_named_as_it_was_asked_for() -> None:
    text = "Rater,Model,Seg ID,Adequacy\nann,A,1,3\n"
    with pytest.raises(InputError) as error:
        read_judgements([InputFile("a.csv", text.encode())], scales=["Fluency"])
    assert "No column named 'Fluency'. Found: Rater, Model, Seg ID, Adequacy." in str(error.value)
