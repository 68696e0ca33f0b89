"""WMT25's files are matched by document and paragraph; translation memories by unit."""

import json
from pathlib import Path
from statistics import mean

import pytest

from mteval.readers.documents import InputFile
from mteval.readers.formats.uploads import unpack
from mteval.readers.named_files import ScoreFiles, load_scores
from mteval.readers.workspace import load_told_apart


def lines(records: list[dict]) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records)


def scores(pair: str, domain: str, name: str, values: list[float]) -> dict:
    return {"language_pair": pair, "domain": domain, "document_id": name, "metric_scores": {"X": values}}


@pytest.fixture
def released(tmp_path: Path) -> Path:
    """Two systems whose files differ in order, pairs and prefixes, with the sources and references of one pair."""
    texts = {
        "A": [("en-de_#_news_#_n1", "eins\n\nzwei"), ("en-de_#_speech_#_vid_v1", "drei"), ("cs-de_#_news_#_n1", "x")],
        "B-1.5": [("en-de_#_speech_#_vid_v1", "3"), ("en-de_#_news_#_n1", "1\nund\n\n2")],
    }
    values = {
        "A": [scores("en-de", "speech", "v1", [3]), scores("en-de", "news", "n1", [1, 2])],
        "B-1.5": [scores("en-de", "news", "n1", [10, 20]), scores("en-de", "speech", "v1", [30])],
    }
    for name, documents in texts.items():
        rows = [{"hypothesis": text, "doc_id": doc} for doc, text in documents]
        (tmp_path / f"{name}.jsonl").write_text(lines(rows))
        (tmp_path / f"{name}.scores.jsonl").write_text(lines(values[name]))
    asked = [("en-de_#_news_#_n1", "one\n\ntwo", "Eins\n\nZwei"), ("en-de_#_speech_#_vid_v1", "three", "Drei")]
    rows = [{"doc_id": doc, "src_text": source, "refs": {"refA": {"ref": ref}}} for doc, source, ref in asked]
    (tmp_path / "wmt25-genmt.jsonl").write_text(lines(rows))
    return tmp_path


def test_texts_and_scores_meet_by_document_and_paragraph(released: Path) -> None:
    every = sorted(released.glob("*.jsonl"))
    (found, _) = load_told_apart(
        every, "A", ScoreFiles([path for path in every if ".scores" in path.name])
    ).experiment.test_sets
    assert found.name == "en-de"
    assert found.source == ("one", "two", "three")
    assert found.references == (("Eins",), ("Zwei",), ("Drei",))
    assert {run.system: run.hypotheses for run in found.runs} == {
        "A": ("eins", "zwei", "drei"), "B-1.5": ("1 und", "2", "3")
    }  # fmt: skip
    assert found.documents == ("n1", "n1", "v1")


def test_scores_of_one_name_in_several_files_are_one_metric(released: Path) -> None:
    loaded = load_scores(ScoreFiles(sorted(released.glob("*.scores.jsonl"))))
    ((test_set,), (metric,)) = loaded.experiment.test_sets, loaded.experiment.given
    assert metric.name == "X"
    assert {one.system: one.values for one in metric.scores} == {"A": (3, 1, 2), "B-1.5": (30, 10, 20)}
    assert test_set.documents == ("v1", "n1", "n1")


@pytest.mark.real_data
def test_published_files_have_the_averages_of_their_documents(data_directory: Path) -> None:
    folder = data_directory / "data" / "wmt25-extract"
    files = sorted(folder.glob("*.scores.jsonl"))
    experiment = load_told_apart(sorted(folder.glob("*.jsonl")), None, ScoreFiles(files)).experiment
    (pair,) = [one for one in experiment.test_sets if one.name == "en-uk_UA"]
    assert len(set(pair.documents or ())) == 40
    metrics = {one.name: one for one in experiment.given}
    for path in files:
        records = [json.loads(line) for line in path.read_text().splitlines()]
        for name, metric in metrics.items():
            wanted = [x for one in records if one["language_pair"] == pair.name for x in one["metric_scores"][name]]
            (own,) = [
                one for one in metric.scores if (one.test_set, one.system) == (pair.name, path.name.split(".")[0])
            ]
            assert mean(value for value in own.values if value is not None) == pytest.approx(mean(wanted))


MEMORY = """<?xml version="1.0"?><!DOCTYPE tmx{dtd}><tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="en"><seg>Press <bpt i="1">&lt;b></bpt>it<ept i="1">&lt;/b></ept> now.</seg></tuv>
<tuv xml:lang="de"><seg>Jetzt <hi>dr\u00fccken</hi>.</seg></tuv></tu></body></tmx>"""


def test_memory_has_a_source_and_texts_but_no_entities() -> None:
    text = MEMORY.format(dtd=' SYSTEM "tmx14.dtd"')
    ((document,), _) = unpack([InputFile("a.tmx", text.encode())])
    assert [(one.label, one.role, one.lines) for one in document.streams] == [
        ("en", "source", ("Press it now.",)), ("de", None, ("Jetzt dr\u00fccken.",))
    ]  # fmt: skip
    _, (problem,) = unpack([InputFile("a.tmx", MEMORY.format(dtd=' [<!ENTITY x "y">]').encode())])
    assert "entities" in problem.message
