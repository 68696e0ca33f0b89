"""A text is read in one way: beside its scores as without, with line breaks, zero bytes and empty last lines."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mteval.base.errors import InputError
from mteval.readers.documents import InputFile
from mteval.readers.formats.judgement_tables import read_judged_outputs
from mteval.readers.formats.score_tables import read_score_lines
from mteval.readers.formats.text import one_segment, spans_in_segment
from mteval.readers.formats.uploads import unpack
from mteval.readers.workspace import Workspace
from mteval.values.judgements import ErrorSpan
from mteval.values.model import Experiment

ANSWERS = ["First step\nthen answer", "Second\r\nthen third", "a\rb", "plain"]
REFERENCES = ["First step then", "Second then", "a b", "plain"]


def experiment(files: dict[str, str]) -> Experiment:
    """The experiment of dropped files, on all of whose metrics higher is better."""
    workspace = Workspace().add([InputFile(name, text.encode()) for name, text in files.items()])
    for name in workspace.score_names:
        workspace = workspace.direct(name, True)
    loaded = workspace.experiment()
    assert loaded is not None, workspace.assembly.problems
    return loaded


def json_lines() -> str:
    rows = []
    for system in ("A", "B"):
        for number, (answer, reference) in enumerate(zip(ANSWERS, REFERENCES, strict=True), start=1):
            row = {"system": system, "segment": number, "hypothesis": answer, "reference": reference}
            spans = [{"start": len(answer) - 1, "end": len(answer), "severity": "minor"}]
            rows.append(json.dumps(row | {"score": number / 8, "spans": spans}))
    return "\n".join(rows) + "\n"


def inspect() -> dict[str, str]:
    files = {}
    for system in ("A", "B"):
        samples = []
        for number, (answer, reference) in enumerate(zip(ANSWERS, REFERENCES, strict=True)):
            sample = {"id": number, "epoch": 1, "input": "q", "target": reference, "output": {"completion": answer}}
            samples.append(sample | {"scores": {"match": {"value": number / 8}}})
        header = {"model": system, "task": "t", "run_id": "r", "created": "2026"}
        files[f"{system}.json"] = json.dumps({"version": 2, "status": "success", "eval": header, "samples": samples})
    return files


@pytest.mark.parametrize("files", [{"all.jsonl": json_lines()}, inspect()], ids=["json lines", "Inspect"])
def test_outputs_with_line_breaks_are_the_texts_of_their_own_scores(files: dict[str, str]) -> None:
    loaded = experiment(files)
    assert [finding.detail for finding in loaded.noticed if "differ" in finding.detail] == []
    (metric,) = loaded.given
    assert [len(scores.values) for scores in metric.scores] == [4, 4]


def test_errors_marked_in_outputs_with_line_breaks_keep_their_characters() -> None:
    loaded = experiment({"all.jsonl": json_lines()})
    (metric,) = loaded.given
    scores = metric.scores[0]
    hypotheses = loaded.test_sets[0].runs[0].hypotheses
    assert scores.spans is not None
    for answer, hypothesis, spans in zip(ANSWERS, hypotheses, scores.spans, strict=True):
        assert spans is not None
        (span,) = spans
        assert hypothesis[span.start : span.end] == answer[-1]


@given(st.text("ab \r\n", max_size=12), st.data())
def test_a_span_marks_the_same_characters_after_line_breaks_have_become_spaces(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    (span,) = spans_in_segment((ErrorSpan(start, end, "minor"),), text)
    cuts_a_line_end = any(text[place - 1 : place + 1] == "\r\n" for place in (start, end))
    if not cuts_a_line_end:
        assert one_segment(text)[span.start : span.end] == one_segment(text[start:end])


@pytest.mark.parametrize("place", [3, 12_000])
def test_a_zero_byte_is_refused_wherever_it_is(place: int) -> None:
    text = b"a line of text\n" * 1_000
    _, problems = unpack([InputFile("a.txt", text[:place] + b"\0" + text[place:])])
    (problem,) = problems
    assert f"zero byte at offset {place}" in problem.message


def test_an_empty_last_line_is_harmless_in_texts() -> None:
    files = {"ref.txt": "a b\nc d\n", "base.0.txt": "a\nc\n", "new.0.txt": "a b\nc\n", "docs.txt": "d\nd\n"}
    expected = experiment(files).test_sets
    for name in files:
        assert experiment(files | {name: files[name] + "\n"}).test_sets == expected, name


def test_a_segment_that_is_empty_in_every_text_stays() -> None:
    files = {"ref.txt": "a b\n\n", "base.0.txt": "a\n\n", "new.0.txt": "a b\n\n"}
    assert experiment(files).test_sets[0].n_segments == 2


MQM = "system\tdoc\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\nA\td\t1\tr\ts\t<v>t</v>\tStyle\tMinor\n"
RATINGS = 'A\t{"errors": [{"severity": "minor"}]}\nB\tNone\n'


@pytest.mark.parametrize("text", [MQM, RATINGS])
def test_an_empty_last_line_is_harmless_in_judgements(text: str) -> None:
    assert read_judged_outputs(f"{text}\n", "r.seg.rating") == read_judged_outputs(text, "r.seg.rating")


def test_an_empty_last_line_is_harmless_in_scores() -> None:
    assert read_score_lines(["A\t1", "A\t2", ""], "a") == read_score_lines(["A\t1", "A\t2"], "a")
    with pytest.raises(InputError):
        read_score_lines(["A\t1", "", "A\t2"], "a")
