"""Judgements of campaigns go out to WMT's and Pearmut's formats and come back; WMT's ratings have their scores."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mteval.analysis.people.files import pearmut_export, rating_files
from mteval.analysis.people.marked_errors import marked_frame
from mteval.analysis.scoring import Work
from mteval.annotations import Campaign, Mark, Output, Task
from mteval.readers.assembly.judgements import read_judgements
from mteval.readers.documents import InputFile
from mteval.values.judgements import Judgement, weight_of
from mteval.values.model import Run, TestSet

OUTPUTS = ("A house.", "It is on fire.")


def outputs_of(**texts: tuple[str, ...]) -> TestSet:
    runs = tuple(Run(system, "0", hypotheses) for system, hypotheses in texts.items())
    n_segments = len(next(iter(texts.values())))
    return TestSet("test", (("reference",),) * n_segments, runs, source=("Quelle",) * n_segments)


def campaign_of(way: str, n_systems: int = 1, outputs: tuple[str, ...] = OUTPUTS) -> Campaign:
    shown = tuple(Output(system, "0", outputs) for system in "AB"[:n_systems])
    about = {"references": (("reference",),) * len(outputs), "source": ("Quelle",) * len(outputs)}
    return Campaign("c" * 32, "x", way, "test", "d" * 32, shown, **about)  # type: ignore[arg-type]


def judged_task(annotator: str, segment: int, marks: tuple[Mark, ...] = (), **said: float) -> Task:
    return Task(annotator, segment, segment, "random", 0, is_complete=True, marks=marks, **said)  # type: ignore[arg-type]


def judgements_in(name: str, text: str) -> tuple[Judgement, ...]:
    return read_judgements([InputFile(name, text.encode())]).judgements


def test_exported_ratings_keep_their_weights() -> None:
    marks = (Mark("source", 0, 3, "Source issue", "major"), Mark("hypothesis", 0, 3, "Other", "minor", weight=2.5))
    tasks = [judged_task("ann", 0, marks), judged_task("bob\tby", 1)]
    check = replace(judged_task("ann", 1, (Mark("hypothesis", 0, 1, "Other", "major"),)), stratum="check", control=0)
    files = rating_files(campaign_of("errors", 2), [*tasks, check])
    again = [one for name, text in files.items() for one in judgements_in(name, text)]
    assert [(one.annotator, one.system, one.segment, one.value) for one in again] == [
        ("ann", "A", "1", -2.5),
        ("bob by", "A", "2", 0),
    ]
    assert [(error.category, error.severity, error.side) for error in again[0].errors] == [
        ("Source issue", "major", "source"),
        ("Other", "minor", "hypothesis"),
    ]


@pytest.mark.parametrize("way", ["esa", "rating"])
def test_judgements_survive_pearmuts_format(way: str) -> None:
    marks = (Mark("hypothesis", 0, 3, "", "major"), Mark("source", 0, 2, "", "minor"))
    said = {"esa": ({"score": 70.0}, {"score": 60.0}), "rating": ({"adequacy": 10.0, "fluency": 20.0},) * 2}[way]
    tasks = [judged_task("ann", 0, marks if way == "esa" else (), **said[0]), judged_task("ann", 1, **said[1])]
    files = pearmut_export(campaign_of(way), tasks)
    assert set(files) == {"campaigns.json", "progress.json", "annotations.json"}
    ((_, by_annotator),) = json.loads(files["progress.json"]).items()
    assert {name: one["progress"] for name, one in by_annotator.items()} == {"ann": ["completed", "completed"]}
    again = judgements_in("a.json", files["annotations.json"])
    assert (
        {(one.scale, one.value) for one in again} == {(scale, value) for one in said for scale, value in one.items()}
        if way == "rating"
        else {("esa", 70.0), ("esa", 60.0)}
    )
    spans = [[(one.start, one.end, one.severity) for one in judged.errors] for judged in again]
    assert spans[0] == ([(0, 3, "major"), (0, 0, "minor")] if way == "esa" else [])


def test_an_emoji_moves_no_mark_in_pearmuts_format() -> None:
    text = "A 😀 house"
    files = pearmut_export(
        campaign_of("esa", outputs=(text,)),
        [judged_task("ann", 0, (Mark("hypothesis", 4, 9, "", "major"),), score=70.0)],
    )
    ((entry,),) = json.loads(files["annotations.json"]).values()
    (span,) = entry["annotation"][0]["A"]["error_spans"]
    assert (span["start_i"], span["end_i"]) == (5, 9)  # as "A 😀 house".indexOf("house") says in a browser
    (again,) = judgements_in("a.json", files["annotations.json"])
    assert [(error.start, error.end) for error in again.errors] == [(4, 9)]


def test_appraises_spans_are_counted_in_the_text_that_is_loaded() -> None:
    text = "A 😀 house 👍"
    spans = [(5, 9), (11, 12), (20, 25)]  # house, the last emoji, nothing
    cell = json.dumps([{"start_i": a, "end_i": b, "severity": "major"} for a, b in spans]).replace('"', '""')
    judged = judgements_in("esa.csv", f'ann,A,1,TGT,eng,deu,87,d,False,"{cell}",1.5,2.5\n')
    loaded = replace(outputs_of(A=(text,)), documents=("d",))
    marked = marked_frame(judged, loaded, Work())
    assert [*marked["words"]] == ["house", "👍", ""]


@pytest.mark.real_data
@pytest.mark.parametrize("carried", [True, False])
def test_the_ratings_of_each_rater_have_the_official_scores(data_directory: Path, carried: bool) -> None:
    """18,829 outputs of WMT23 Chinese to English, by what the files say of each error and by the usual categories."""
    folder = data_directory / "data" / "wmt23-zh-en-ratings"
    with gzip.open(folder / "zh-en.mqm.seg.score.gz", "rt") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    official: dict[str, list[str]] = {}
    for system, score in rows:
        official.setdefault(system, []).append(score)
    found: dict[tuple[str, int], list[float]] = {}
    for path in sorted(folder.glob("*.seg.rating.gz")):
        for one in read_judgements([InputFile(path.name, path.read_bytes())]).judgements:
            errors = [error if carried else replace(error, score=None) for error in one.errors]
            found.setdefault((one.system, int(one.segment) - 1), []).append(-sum(map(weight_of, errors)))
    scored = {
        (system, segment): float(score)
        for system, scores in official.items()
        for segment, score in enumerate(scores)
        if score != "None"
    }
    assert len(found) == 18_829
    expected = [scored[place] for place in found]
    np.testing.assert_allclose([np.mean(values) for values in found.values()], expected, atol=1e-9)
