"""Judgements of campaigns go out to WMT's and Pearmut's formats and come back; WMT's ratings have their scores."""

import gzip
import json
from collections import Counter
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
    """A test set with one run of each system, whose outputs these are."""
    runs = tuple(Run(system, "0", hypotheses) for system, hypotheses in texts.items())
    n_segments = len(next(iter(texts.values())))
    return TestSet("test", (("reference",),) * n_segments, runs, source=("Quelle",) * n_segments)


def campaign_of(way: str, n_systems: int = 1, outputs: tuple[str, ...] = OUTPUTS) -> Campaign:
    """A campaign in which all systems have the same outputs."""
    shown = tuple(Output(system, "0", outputs) for system in "AB"[:n_systems])
    references = (("reference",),) * len(outputs)
    sources = ("Quelle",) * len(outputs)
    return Campaign("c" * 32, "x", way, "test", "d" * 32, shown, references=references, source=sources)


def judged_task(annotator: str, segment: int, marks: tuple[Mark, ...] = (), **ratings: float) -> Task:
    """A task that is done: the output of A with these marks and ratings."""
    return Task(annotator, segment, segment, "random", 0, is_complete=True, marks=marks, **ratings)


def judgements_in(name: str, text: str) -> tuple[Judgement, ...]:
    """The judgements in a file with this name and text."""
    return read_judgements([InputFile(name, text.encode())]).judgements


def test_exported_ratings_keep_their_weights() -> None:
    source_issue = Mark("source", 0, 3, "Source issue", "major")
    weighted = Mark("hypothesis", 0, 3, "Other", "minor", weight=2.5)
    major = Mark("hypothesis", 0, 1, "Other", "major")
    tasks = [
        judged_task("ann", 0, (source_issue, weighted)),
        judged_task("bob\tby", 1),
        replace(judged_task("ann", 1, (major,)), stratum="check", control=0),  # a known answer is no judgement
    ]

    files = rating_files(campaign_of("errors", 2), tasks)
    judgements: list[Judgement] = []
    for name, text in files.items():
        judgements += judgements_in(name, text)

    assert [(row.annotator, row.system, row.segment, row.value) for row in judgements] == [
        ("ann", "A", "1", -2.5),
        ("bob by", "A", "2", 0),
    ]
    assert [(error.category, error.severity, error.side) for error in judgements[0].errors] == [
        ("Source issue", "major", "source"),
        ("Other", "minor", "hypothesis"),
    ]


@pytest.mark.parametrize("way", ["esa", "rating"])
def test_judgements_survive_pearmuts_format(way: str) -> None:
    if way == "esa":
        marks = (Mark("hypothesis", 0, 3, "", "major"), Mark("source", 0, 2, "", "minor"))
        tasks = [judged_task("ann", 0, marks, score=70.0), judged_task("ann", 1, score=60.0)]
        expected_values = {("score", 70.0), ("score", 60.0)}
        expected_spans = [(0, 3, "major"), (0, 0, "minor")]
    else:
        tasks = [judged_task("ann", segment, adequacy=10.0, fluency=20.0) for segment in (0, 1)]
        expected_values = {("adequacy", 10.0), ("fluency", 20.0)}
        expected_spans = []

    files = pearmut_export(campaign_of(way), tasks)
    judgements = judgements_in("a.json", files["annotations.json"])

    assert set(files) == {"campaigns.json", "progress.json", "annotations.json"}
    ((_, by_annotator),) = json.loads(files["progress.json"]).items()
    assert list(by_annotator) == ["ann"]
    assert by_annotator["ann"]["progress"] == ["completed", "completed"]
    assert {(judgement.scale, judgement.value) for judgement in judgements} == expected_values
    assert [(error.start, error.end, error.severity) for error in judgements[0].errors] == expected_spans


def test_an_emoji_moves_no_mark_in_pearmuts_format() -> None:
    """In a browser, where an emoji counts twice, "A 😀 house".indexOf("house") is 5."""
    task = judged_task("ann", 0, (Mark("hypothesis", 4, 9, "", "major"),), score=70.0)

    files = pearmut_export(campaign_of("esa", outputs=("A 😀 house",)), [task])

    ((entry,),) = json.loads(files["annotations.json"]).values()
    (span,) = entry["annotation"][0]["A"]["error_spans"]
    assert (span["start_i"], span["end_i"]) == (5, 9)
    (judgement,) = judgements_in("a.json", files["annotations.json"])
    assert [(error.start, error.end) for error in judgement.errors] == [(4, 9)]


def test_appraises_spans_are_counted_in_the_text_that_is_loaded() -> None:
    text = "A 😀 house 👍"
    spans = [
        {"start_i": 5, "end_i": 9, "severity": "major"},  # house
        {"start_i": 11, "end_i": 12, "severity": "major"},  # the last emoji
        {"start_i": 20, "end_i": 25, "severity": "major"},  # nothing
    ]
    cell = json.dumps(spans).replace('"', '""')
    judgements = judgements_in("esa.csv", f'ann,A,1,TGT,eng,deu,87,d,False,"{cell}",1.5,2.5\n')

    loaded = replace(outputs_of(A=(text,)), documents=("d",))
    marked = marked_frame(judgements, loaded, Work())

    assert [*marked["words"]] == ["house", "👍", ""]


def official_scores(path: Path) -> dict[tuple[str, int], float]:
    """WMT's score of each system's segments, which it lists system by system, where it has one."""
    scores: dict[tuple[str, int], float] = {}
    n_segments: Counter[str] = Counter()
    with gzip.open(path, "rt") as lines:
        for line in lines:
            system, score = line.rstrip("\n").split("\t")
            if score != "None":
                scores[system, n_segments[system]] = float(score)
            n_segments[system] += 1
    return scores


@pytest.mark.real_data
@pytest.mark.parametrize("carried", [True, False])
def test_the_ratings_of_each_rater_have_the_official_scores(data_directory: Path, carried: bool) -> None:
    """18,829 outputs of WMT23 Chinese to English, by what the files say of each error and by the usual categories."""
    folder = data_directory / "data" / "wmt23-zh-en-ratings"
    official = official_scores(folder / "zh-en.mqm.seg.score.gz")

    ratings: dict[tuple[str, int], list[float]] = {}
    for path in sorted(folder.glob("*.seg.rating.gz")):
        for judgement in read_judgements([InputFile(path.name, path.read_bytes())]).judgements:
            errors = judgement.errors
            if not carried:
                errors = tuple(replace(error, score=None) for error in errors)
            output = (judgement.system, int(judgement.segment) - 1)
            ratings.setdefault(output, []).append(-sum(map(weight_of, errors)))

    assert len(ratings) == 18_829
    expected = [official[output] for output in ratings]
    np.testing.assert_allclose([np.mean(values) for values in ratings.values()], expected, atol=1e-9)
