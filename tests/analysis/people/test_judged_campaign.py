"""Campaigns from judgements of other tools, and WMT's ratings out and in."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mteval.analysis.people.files import (
    campaign_of_judgements,
    campaign_of_mqm,
    pearmut_export,
    rating_files,
    read_judged,
)
from mteval.analysis.people.judgements import judgements
from mteval.analysis.people.marked_errors import marked_frame
from mteval.analysis.work import Work
from mteval.annotations import Mark, Task
from mteval.annotations.typology import unknown_categories
from mteval.base.errors import DataError
from mteval.readers.documents import InputFile
from mteval.readers.formats.judgement_tables import read_mqm
from mteval.values.judgements import Judgement, RatedError
from mteval.values.model import Run, TestSet

OUTPUTS = ("A house.", "It is on fire.")
PEARMUT = Path(__file__).parents[2] / "readers" / "formats" / "pearmut_export.jsonl"


def outputs_of(**texts: tuple[str, ...]) -> TestSet:
    runs = tuple(Run(system, "0", hypotheses) for system, hypotheses in texts.items())
    n_segments = len(next(iter(texts.values())))
    return TestSet("test", (("reference",),) * n_segments, runs, source=("Quelle",) * n_segments)


def unweighed(mark: Mark) -> Mark:
    return replace(mark, weight=None)


def said(scale: str, value: float, segment: str = "1", system: str = "A", **more: object) -> Judgement:
    return Judgement("ann", system, segment, scale, value, **more)  # type: ignore[arg-type]


def test_scores_and_spans_of_pearmut_become_a_campaign() -> None:
    """The segments of the log have names of their own; they are found by the outputs."""
    loaded = outputs_of(A=OUTPUTS, B=("One mouse.", "It burns."))
    read = campaign_of_judgements(read_judged(InputFile("x.jsonl", PEARMUT.read_bytes())), loaded, "log")
    assert (read.n_rows, read.n_left_out) == (8, 0)
    assert (read.campaign.way, [output.system for output in read.campaign.outputs]) == ("esa", ["A", "B"])
    scores = {(task.annotator, task.output, task.segment): task.score for task in read.tasks}
    assert scores == {
        (name, output, segment): 83.0 + 2 * segment + output
        for name in ("ann", "bob")
        for output in (0, 1)
        for segment in (0, 1)
    }
    (mark,) = read.tasks[0].marks
    assert (OUTPUTS[0][mark.start : mark.end], mark.severity) == ("house", "major")


def test_adequacy_and_fluency_make_one_task() -> None:
    read = campaign_of_judgements([said("adequacy", 40), said("fluency", 60)], outputs_of(A=OUTPUTS), "x")
    (task,) = read.tasks
    assert (task.adequacy, task.fluency, task.is_complete) == (40, 60, True)


def test_judgements_of_other_outputs_are_skipped_and_counted() -> None:
    judged = [
        said("esa", 40),
        said("esa", 40, system="Z"),
        said("esa", 40, segment="3"),
        said("esa", 5, hypothesis="x"),
    ]
    read = campaign_of_judgements(judged, outputs_of(A=OUTPUTS), "x")
    assert (read.n_rows, read.n_left_out, len(read.tasks)) == (4, 3, 1)


@pytest.mark.parametrize(
    ("judged", "words"),
    [
        ([said("esa", 40, system="Z")], "No judgement in 'x' .* 'test'"),
        ([said("esa", 400)], "gave segment 1 of 'A' 400 on the scale esa. Scores must be from 0 to 100"),
        ([said("courage", 4)], "these scales: courage"),
        ([said("esa", 4), said("score", 4)], "these scales: esa, score"),
    ],
)
def test_unsuitable_judgements_are_errors(judged: list[Judgement], words: str) -> None:
    with pytest.raises(DataError, match=words):
        campaign_of_judgements(judged, outputs_of(A=OUTPUTS), "x")


def test_exported_ratings_keep_their_weights() -> None:
    errors = (RatedError("Source issue", "Major", "source", 0, 3), RatedError("Other", "minor", score=2.5))
    judged = [said("mqm", -2.5, errors=errors), replace(said("mqm", 0, "2"), annotator="bob\tby")]
    read = campaign_of_judgements(judged, outputs_of(A=OUTPUTS, B=OUTPUTS), "x")
    check = Task(
        "ann", 5, 1, "check", 0, is_complete=True, marks=(Mark("hypothesis", 0, 1, "Other", "major"),), control=0
    )
    files = rating_files(read.campaign, [*read.tasks, check])
    again = [one for name, text in files.items() for one in read_judged(InputFile(name, text.encode()))]
    assert [(one.annotator, one.system, one.segment, one.value) for one in again] == [
        ("ann", "A", "1", -2.5),
        ("bob by", "A", "2", 0),
    ]
    assert [(error.category, error.severity, error.side) for error in again[0].errors] == [
        ("Source issue", "major", "source"),
        ("Other", "minor", "hypothesis"),
    ]


def test_unknown_categories_are_added_to_the_typology() -> None:
    assert unknown_categories(["Source issue", "other", "fluency/Grammar", "Tone", "Tone", " "]) == ("Tone",)
    read = campaign_of_judgements([said("mqm", -5, errors=(RatedError("Tone", "major"),))], outputs_of(A=OUTPUTS), "x")
    assert read.campaign.typology.names[-1] == "Tone"
    head = "system\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\n"
    rows = read_mqm(f"{head}A\t1\tann\tQuelle\tA house.\tTone\tmajor\n", "x.tsv")
    typology = campaign_of_mqm(rows, outputs_of(A=OUTPUTS), "x").campaign.typology
    assert (typology.names[-1], typology.weight("Tone", "major")) == ("Tone", 5)


SAID_ESA = [
    said("score", 70, errors=(RatedError("", "major", "hypothesis", 0, 3), RatedError("", "minor", "source", 0, 2))),
    said("score", 60, segment="2"),
]


@pytest.mark.parametrize("way", ["esa", "rating"])
def test_a_campaign_survives_pearmuts_format(way: str) -> None:
    ratings = [said(scale, 10 * n, segment=str(n)) for n in (1, 2) for scale in ("adequacy", "fluency")]
    loaded = outputs_of(A=OUTPUTS)
    read = campaign_of_judgements(SAID_ESA if way == "esa" else ratings, loaded, "x")
    files = pearmut_export(read.campaign, read.tasks)
    assert set(files) == {"campaigns.json", "progress.json", "annotations.json"}
    ((_, by_annotator),) = json.loads(files["progress.json"]).items()
    assert {name: one["progress"] for name, one in by_annotator.items()} == {"ann": ["completed", "completed"]}
    again = campaign_of_judgements(read_judged(InputFile("a.json", files["annotations.json"].encode())), loaded, "x")
    assert again.n_left_out == 0
    assert [(one.segment, one.adequacy, one.fluency, one.score) for one in again.tasks] == [
        (one.segment, one.adequacy, one.fluency, one.score) for one in read.tasks
    ]
    spans = [[(mark.start, mark.end, mark.severity) for mark in one.marks] for one in again.tasks]
    assert spans == ([[(0, 3, "major"), (0, len(OUTPUTS[0]), "minor")], []] if way == "esa" else [[], []])


def test_an_emoji_moves_no_mark_in_pearmuts_format() -> None:
    text = "A 😀 house"
    loaded = outputs_of(A=(text,))
    read = campaign_of_judgements([said("esa", 70, errors=(RatedError("", "major", "hypothesis", 4, 9),))], loaded, "x")
    files = pearmut_export(read.campaign, read.tasks)
    ((entry,),) = json.loads(files["annotations.json"]).values()
    (span,) = entry["annotation"][0]["A"]["error_spans"]
    assert (span["start_i"], span["end_i"]) == (5, 9)  # as "A 😀 house".indexOf("house") says in a browser
    again = campaign_of_judgements(read_judged(InputFile("a.json", files["annotations.json"].encode())), loaded, "x")
    assert [(mark.start, mark.end) for mark in again.tasks[0].marks] == [(4, 9)]


def test_appraises_spans_are_counted_in_the_text_that_is_loaded() -> None:
    text = "A 😀 house 👍"
    spans = [(5, 9), (11, 12), (20, 25)]  # house, the last emoji, nothing
    cell = json.dumps([{"start_i": a, "end_i": b, "severity": "major"} for a, b in spans]).replace('"', '""')
    judged = read_judged(InputFile("esa.csv", f'ann,A,1,TGT,eng,deu,87,d,False,"{cell}",1.5,2.5\n'.encode()))
    loaded = replace(outputs_of(A=(text,)), documents=("d",))
    marked = marked_frame(judged, loaded, Work())
    assert [*marked["words"]] == ["house", "👍", ""]
    (task,) = campaign_of_judgements(judged, loaded, "x").tasks
    assert [text[mark.start : mark.end] for mark in task.marks] == ["house", "👍", text]


@pytest.mark.real_data
@pytest.mark.parametrize("carried", [True, False])
def test_a_campaign_of_each_rater_has_the_official_scores(data_directory: Path, carried: bool) -> None:
    """18,829 outputs of WMT23 Chinese to English, by what the files say of each error and by the usual categories."""
    folder = data_directory / "data" / "wmt23-zh-en-ratings"
    with gzip.open(folder / "zh-en.mqm.seg.score.gz", "rt") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    official: dict[str, list[str]] = {}
    for system, score in rows:
        official.setdefault(system, []).append(score)
    loaded = outputs_of(**{system: ("x" * 5_000,) * len(scores) for system, scores in official.items()})
    found: dict[tuple[str, int], list[float]] = {}
    for path in sorted(folder.glob("*.seg.rating.gz")):
        read = campaign_of_judgements(read_judged(InputFile(path.name, path.read_bytes())), loaded, path.name)
        assert read.n_left_out == 0
        tasks = read.tasks if carried else [replace(one, marks=tuple(map(unweighed, one.marks))) for one in read.tasks]
        for row in judgements(read.campaign, tasks).to_dict("records"):
            found.setdefault((row["system"], row["segment"]), []).append(row["value"])
    scored = {
        (system, segment): float(score)
        for system, scores in official.items()
        for segment, score in enumerate(scores)
        if score != "None"
    }
    assert len(found) == 18_829
    expected = [scored[place] for place in found]
    np.testing.assert_allclose([np.mean(values) for values in found.values()], expected, atol=1e-9)
