"""WMT25's files are matched by document and paragraph; translation memories by unit."""

import json
from pathlib import Path
from statistics import mean

import pytest

from mteval.readers.documents import InputFile
from mteval.readers.folders import load_told_apart
from mteval.readers.formats.uploads import unpack
from mteval.readers.named_files import ScoreFiles, load_scores


def lines(records: list[dict]) -> str:
    """The text of a file of JSON lines."""
    return "".join(f"{json.dumps(record)}\n" for record in records)


def scores(domain: str, name: str, values: list[float]) -> dict:
    """A line of a file of scores: those of a document's paragraphs."""
    return {"language_pair": "en-de", "domain": domain, "document_id": name, "metric_scores": {"X": values}}


@pytest.fixture
def released(tmp_path: Path) -> Path:
    """Two systems whose files differ in order, pairs and prefixes, with the sources and references of one pair."""
    news = "en-de_#_news_#_n1"
    speech = "en-de_#_speech_#_vid_v1"
    czech = "cs-de_#_news_#_n1"
    outputs_of = {
        "A": {news: "eins\n\nzwei", speech: "drei", czech: "x"},
        "B-1.5": {speech: "3", news: "1\nund\n\n2"},
    }
    for system, text_of in outputs_of.items():
        records = [{"hypothesis": text, "doc_id": document} for document, text in text_of.items()]
        (tmp_path / f"{system}.jsonl").write_text(lines(records))

    scores_of = {
        "A": [scores("speech", "v1", [3]), scores("news", "n1", [1, 2])],
        "B-1.5": [scores("news", "n1", [10, 20]), scores("speech", "v1", [30])],
    }
    for system, records in scores_of.items():
        (tmp_path / f"{system}.scores.jsonl").write_text(lines(records))

    sources = [
        {"doc_id": news, "src_text": "one\n\ntwo", "refs": {"refA": {"ref": "Eins\n\nZwei"}}},
        {"doc_id": speech, "src_text": "three", "refs": {"refA": {"ref": "Drei"}}},
    ]
    (tmp_path / "wmt25-genmt.jsonl").write_text(lines(sources))
    return tmp_path


def test_texts_and_scores_meet_by_document_and_paragraph(released: Path) -> None:
    paths = sorted(released.glob("*.jsonl"))
    paths_of_scores = [path for path in paths if ".scores" in path.name]

    experiment = load_told_apart(paths, "A", ScoreFiles(paths_of_scores)).experiment

    test_set, _ = experiment.test_sets
    assert test_set.name == "en-de"
    assert test_set.source == ("one", "two", "three")
    assert test_set.references == (("Eins",), ("Zwei",), ("Drei",))
    hypotheses_of = {run.system: run.hypotheses for run in test_set.runs}
    assert hypotheses_of == {"A": ("eins", "zwei", "drei"), "B-1.5": ("1 und", "2", "3")}
    assert test_set.documents == ("n1", "n1", "v1")


def test_scores_of_one_name_in_several_files_are_one_metric(released: Path) -> None:
    experiment = load_scores(ScoreFiles(sorted(released.glob("*.scores.jsonl")))).experiment

    (metric,) = experiment.given
    assert metric.name == "X"
    assert {scores.system: scores.values for scores in metric.scores} == {"A": (3, 1, 2), "B-1.5": (30, 10, 20)}
    (test_set,) = experiment.test_sets
    assert test_set.documents == ("v1", "n1", "n1")


@pytest.mark.real_data
def test_published_files_have_the_averages_of_their_documents(data_directory: Path) -> None:
    folder = data_directory / "data" / "wmt25-extract"
    files = sorted(folder.glob("*.scores.jsonl"))
    experiment = load_told_apart(sorted(folder.glob("*.jsonl")), None, ScoreFiles(files)).experiment
    (pair,) = [test_set for test_set in experiment.test_sets if test_set.name == "en-uk_UA"]
    assert len(set(pair.documents or ())) == 40

    for path in files:
        system = path.name.split(".")[0]
        records = [json.loads(line) for line in path.read_text().splitlines()]
        records_of_pair = [record for record in records if record["language_pair"] == pair.name]
        for metric in experiment.given:
            in_file = []
            for record in records_of_pair:
                in_file += record["metric_scores"][metric.name]
            (loaded,) = [scores for scores in metric.scores if scores.test_set == pair.name and scores.system == system]
            assert mean(value for value in loaded.values if value is not None) == pytest.approx(mean(in_file))


MEMORY = """<?xml version="1.0"?><!DOCTYPE tmx{dtd}><tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="en"><seg>Press <bpt i="1">&lt;b></bpt>it<ept i="1">&lt;/b></ept> now.</seg></tuv>
<tuv xml:lang="de"><seg>Jetzt <hi>dr\u00fccken</hi>.</seg></tuv></tu></body></tmx>"""


def test_memory_has_a_source_and_texts_but_no_entities() -> None:
    text = MEMORY.format(dtd=' SYSTEM "tmx14.dtd"')
    text_with_entity = MEMORY.format(dtd=' [<!ENTITY x "y">]')

    (document,), _ = unpack([InputFile("a.tmx", text.encode())])
    source, target = document.streams
    assert (source.label, source.role, source.lines) == ("en", "source", ("Press it now.",))
    assert (target.label, target.role, target.lines) == ("de", None, ("Jetzt dr\u00fccken.",))

    _, (problem,) = unpack([InputFile("a.tmx", text_with_entity.encode())])
    assert "entities" in problem.message
