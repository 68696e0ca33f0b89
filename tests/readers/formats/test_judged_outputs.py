"""Files of judgements among those that are dropped: known by their content, kept, and no part of the texts."""

import json

import pytest

from mteval.readers.apart import Apart
from mteval.readers.documents import InputFile
from mteval.readers.formats.uploads import unpack
from mteval.readers.workspace import Workspace

RATINGS = "A\t" + json.dumps({"errors": [{"start": 0, "end": 3, "category": "x", "severity": "minor"}]}) + "\nA\tNone\n"
TABLE = "rater\tsystem\tsegment\tadequacy\thypothesis\nann\tA\t1\t70\tthe cat\nbob\tA\t1\t80\tthe cat\n"
ERRORS = (
    "system\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\n"
    "A\t1\tann\tx\t<v>the</v> cat\tFluency/Grammar\tMinor\n"
)
APPRAISE = "ann,A,1,TGT,heb,eng,70,doc#1,False,1.0,2.0\n"
KINDS = {"zh.seg.rating": RATINGS, "judgements.tsv": TABLE, "errors.tsv": ERRORS, "campaign.csv": APPRAISE}


@pytest.mark.parametrize("name", KINDS)
def test_judgements_are_recognised_by_their_content(name: str) -> None:
    (document,), problems = unpack([InputFile(name, KINDS[name].encode())])
    assert document.format == "judgements"
    assert not [problem for problem in problems if problem.severity == "error"]
    assert document.streams[0].judgements[0].system == "A"


def test_the_judged_text_stays_with_the_judgement() -> None:
    for text in (TABLE, ERRORS):
        (document,), _ = unpack([InputFile("x.tsv", text.encode())])
        assert document.streams[0].judgements[0].hypothesis == "the cat"


@pytest.mark.parametrize(
    "text",
    [
        "system\tsegment\tscore\nA\t1\t0.5\n",  # of a metric, for all that is known
        "system\tsegment\trater\tCOMET\nA\t1\tann\t0.5\n",
        "one line\nanother\n",
    ],
)
def test_table_without_annotators_is_not_judgements(text: str) -> None:
    (document,), _ = unpack([InputFile("x.tsv", text.encode())])
    assert document.format != "judgements"


def test_judgements_pass_from_the_reading_process() -> None:
    (document,), problems = Apart().unpack([InputFile("zh.seg.rating", RATINGS.encode())])
    assert not problems
    assert document.streams[0].judgements[0].errors[0].severity == "minor"


def test_a_workspace_keeps_them_beside_the_experiment() -> None:
    texts = {"ref.txt": "the cat\nit rained\n", "A/opt0.txt": "the cat\nit rained\n", "B/opt0.txt": "a cat\nrain\n"}
    files = [InputFile(name, text.encode()) for name, text in {**texts, "zh.seg.rating": RATINGS}.items()]
    workspace = Workspace().add(files)
    assert [system.key for system in workspace.experiment().systems] == ["A", "B"]
    ((test_set, found),) = workspace.judgements.items()
    assert test_set == workspace.experiment().test_sets[0].name
    assert list(found) == ["zh.seg.rating"]
    assert Workspace.of(workspace.files, workspace.edits).judgements == workspace.judgements


def test_invalid_rating_is_an_error_with_its_line() -> None:
    documents, (problem,) = unpack([InputFile("zh.seg.rating", (RATINGS + "A\tnothing\n").encode())])
    assert not documents
    assert (problem.file, problem.line) == ("zh.seg.rating", 3)
