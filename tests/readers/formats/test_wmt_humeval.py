"""WMT25's human evaluation: judgements with their texts, a segment per line."""

import json
from typing import Any

import pytest

from mteval.analysis.people.judgements import judgement_frame, prepared
from mteval.readers.assembly.judgements import read_judgements
from mteval.readers.documents import InputFile
from mteval.readers.formats.uploads import unpack
from mteval.readers.workspace import Workspace


def segment(pair: str, document: str, number: int, **scores: float) -> dict[str, Any]:
    judged = {
        system: {"human": value, "errors": [{"start_i": 0, "end_i": 2, "severity": "minor"}]}
        for system, value in scores.items()
    }
    texts = {system: f"\U0001d54f ist\nSatz {number} von {system}" for system in ("sysA", "sysB", "refA")}
    identifier = f"{pair}_#_news_#_{document}"
    return {"scores": judged, "src_text": f"sentence {number}", "tgt_text": texts, "doc_id": identifier}


ROWS = [
    segment("en-de_DE", "d0", 1, sysA=50.0, sysB=70.0, refA=90.0),
    segment("en-de_DE", "d0", 2, sysA=60.0, sysB=72.0, refA=95.0),
    segment("en-de_DE", "d1", 3, sysA=70.0, sysB=74.0),
    segment("en-de_DE", "d1", 4),
]
TEXT = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in ROWS)


def test_means_are_those_of_the_scores_in_the_file() -> None:
    judged = read_judgements([InputFile("humeval.jsonl", TEXT.encode())])
    means = prepared(judgement_frame(judged.judgements)).groupby("system")["value"].mean()
    assert dict(means) == pytest.approx({"sysA": 60.0, "sysB": 72.0, "refA": 92.5})
    assert {judgement.document for judgement in judged.judgements} == {"d0", "d1"}


def test_spans_count_characters_and_not_utf16_units() -> None:
    judgement = read_judgements([InputFile("humeval.jsonl", TEXT.encode())]).judgements[0]
    assert judgement.hypothesis == "\U0001d54f ist Satz 1 von sysA"
    assert (judgement.errors[0].start, judgement.errors[0].end) == (0, 2)  # two units are one character, then a space


def test_texts_are_an_experiment_beside_the_judgements() -> None:
    workspace = Workspace().add([InputFile("humeval.jsonl", TEXT.encode())])
    assert workspace.rejected == ()
    experiment = workspace.experiment()
    assert experiment is not None
    (test_set,) = experiment.test_sets
    assert {system.key for system in test_set.systems} == {"sysA", "sysB"}
    assert test_set.n_segments == 4
    assert test_set.source is not None
    assert [len(judgements) for judgements in workspace.judgements[test_set.name].values()] == [8]


def test_language_pairs_are_test_sets_with_their_own_judgements() -> None:
    rows = [*ROWS, segment("en-cs_CZ", "d0", 1, sysA=10.0, sysB=20.0)]
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    workspace = Workspace().add([InputFile("humeval.jsonl", text.encode())])
    n_judgements = {pair: len(*files.values()) for pair, files in workspace.judgements.items()}
    assert n_judgements == {"en-de_DE": 8, "en-cs_CZ": 2}
    judged = read_judgements([InputFile("humeval.jsonl", text.encode())])
    assert "2 language pairs" in judged.notes[0].message
    assert len({(judgement.system, judgement.segment) for judgement in judged.judgements}) == 10
    assert {judgement.segment for judgement in judged.judgements} == {"1", "2", "3", "5"}  # the fourth has no score


def test_damaged_line_is_named() -> None:
    documents, (problem,) = unpack([InputFile("humeval.jsonl", f'{TEXT}{{"scores": {{}}}}\n'.encode())])
    assert documents == ()
    assert problem.line == 5
    assert "human evaluation (KeyError: 'doc_id')" in problem.message


def test_empty_last_line_of_a_table_of_errors_is_harmless() -> None:
    header = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    row = "A\td\t1\t1\tr\ta\tb\tStyle\tMinor\n"
    for ending in ("\n", "\r\n", "\n\n"):
        judged = read_judgements([InputFile("mqm.tsv", f"{header}{row}{ending}".encode())])
        assert [judgement.value for judgement in judged.judgements] == [-1.0]


@pytest.mark.parametrize("damaged", ['"src_text": {"text": "eins zwei"}', '"src_text": ["eins zwei"]', '"src_text": 3'])
def test_a_source_that_is_no_text_is_named(damaged: str) -> None:
    record = json.loads(TEXT.splitlines()[0])
    record.update(json.loads(f"{{{damaged}}}"))
    documents, (problem,) = unpack([InputFile("humeval.jsonl", json.dumps(record).encode())])
    assert not documents
    assert "src_text is not a text" in problem.text
