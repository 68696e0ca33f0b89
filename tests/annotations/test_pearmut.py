"""Campaigns to be judged in Pearmut: the real one accepted these files, and what it logged comes back."""

import hashlib
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from mteval.annotations import Campaign, Mark, Output, Plan, Sampled, Task, deal_tasks, merged, with_controls
from mteval.annotations.campaign_files import pearmut_campaign
from mteval.base.errors import SettingsError
from mteval.cli import main
from mteval.readers.assembly.judgements import read_judgements
from mteval.readers.documents import InputFile
from tests.annotations.conftest import campaign as make_campaign
from tests.annotations.conftest import tasks_for
from tests.annotations.record_pearmut import AGAIN

WAYS = ("rating", "errors", "esa")
RECORDED = Path(__file__).parent / "recorded" / "pearmut.json"


def text_of(way: str) -> str:
    """A campaign of two annotators, one error of which is marked beforehand."""
    campaign = replace(make_campaign(way), instructions="Mark <b>all</b> errors.")
    first, *rest = tasks_for(campaign, "ann", "bob")
    first = replace(first, marks=(Mark("hypothesis", 0, 6, "", "major"),))
    return pearmut_campaign(campaign, (first, *rest))


@pytest.mark.parametrize("way", WAYS)
def test_pearmut_accepted_this_very_file(way: str) -> None:
    answer = json.loads(RECORDED.read_text(encoding="utf-8"))["answers"][way]
    assert answer["status"] == 0
    assert answer["documents"] == [12, 12]
    assert answer["digest"] == hashlib.sha256(text_of(way).encode()).hexdigest(), "record anew: record_pearmut.py"


def test_errors_and_instructions_are_kept() -> None:
    content = json.loads(text_of("esa"))

    assert content["info"]["instructions"] == "Mark &lt;b&gt;all&lt;/b&gt; errors."
    pages_of_ann, _ = content["data"]
    (first_item,) = pages_of_ann[0]
    (spans,) = first_item["error_spans"].values()
    (span,) = spans
    assert (span["start_i"], span["end_i"], span["severity"]) == (0, 5, "major")


def test_preferences_are_refused() -> None:
    campaign = make_campaign("preference")

    with pytest.raises(SettingsError, match="does not know preferences"):
        pearmut_campaign(campaign, tasks_for(campaign))


PLANS = {  # one segment after the other with attention checks, whole documents, and side by side
    "rating": Plan(checks=2, is_merged=True, seed=7),
    "errors": Plan(by_document=True, is_merged=True),
    "esa": Plan(side_by_side=3, is_merged=True, probabilities=(0.5, 0.25, 1.0, 0.5, 0.5, 1.0)),
}
DOCUMENTS = "aaabbb"  # of each segment
# The words of a source that ends in "!" are missing from its outputs
SOURCES = ("Quelle 0!", "Quelle 1", "Quelle 2", "Quelle 3!", "Quelle 4", "Quelle 5")
# "house" is wrong. On the first three segments A and 7 are the same
FIRST_TEXTS = tuple(f"😀 one\nhouse of {segment} 👍" for segment in range(6))
OUTPUTS = (
    Output("A", "0", FIRST_TEXTS),
    Output(
        "B",
        "0",
        (
            "nothing 0",
            "other 1\n\nand a house",
            "nothing 2",
            "other 3\n\nand a house",
            "nothing 4",
            "other 5\n\nand a house",
        ),
    ),
    Output("7", "2", (*FIRST_TEXTS[:3], "last 3", "last 4", "last 5")),
    Output("A", "1", tuple(f"a house, {segment}" for segment in range(6))),
)


def judged_campaign(way: str) -> tuple[Campaign, tuple[Task, ...]]:
    """A campaign of two annotators, whose first document has two identical outputs."""
    campaign = replace(make_campaign(way), outputs=OUTPUTS, source=SOURCES, plan=PLANS[way])
    sample = [Sampled(segment, "random") for segment in range(6)]
    tasks = deal_tasks(campaign, sample, ("ann", "bob"))
    return with_controls(campaign, merged(campaign, tasks))


def log_of(way: str) -> str:
    """What the real Pearmut let download of the judged campaign."""
    return RECORDED.with_name(f"pearmut.judged.{way}.json").read_text(encoding="utf-8")


def judged_tasks(way: str) -> list[Task]:
    """The tasks that count: all of bob, and what ann judged after a reset, which is one page."""
    _, tasks = judged_campaign(way)
    of_ann = [task for task in tasks if task.annotator == "ann"]
    of_bob = [task for task in tasks if task.annotator == "bob"]
    n_first = {"rating": 1, "errors": 3, "esa": 3}[way]
    return [task for task in of_ann[:n_first] + of_bob if task.control is None]


def errors_in(text: str, source: str) -> list[tuple[int, int, str]]:
    """The errors that ``record_pearmut.said`` marks in an output."""
    errors = []
    start = text.find("house")
    if start >= 0:
        errors.append((start, start + 5, "major"))
    if "!" in source:
        errors.append((0, 0, "minor"))
    return errors


def values_of(way: str, text: str, annotator: str, errors: list[tuple[int, int, str]]) -> dict[str, int]:
    """The value on each scale, by the rule in ``record_pearmut.said``; ann judged the page again."""
    score = sum(map(ord, text)) % 90
    if annotator == "ann":
        score += AGAIN
    if way == "rating":
        return {"adequacy": score, "fluency": score - 1}
    if way == "esa":
        return {"score": score}
    penalties = {"major": 5, "minor": 1}
    return {"mqm": -sum(penalties[severity] for _, _, severity in errors)}


def expected(way: str) -> list[tuple[object, ...]]:
    """What the annotators said of each output, those with the same text included."""
    rows: list[tuple[object, ...]] = []
    for task in judged_tasks(way):
        text = OUTPUTS[task.output or 0].hypotheses[task.segment]
        errors = errors_in(text, SOURCES[task.segment])
        values = values_of(way, text, task.annotator, errors)
        if way == "rating":
            errors = []
        segment = str(task.segment + 1)
        document = DOCUMENTS[task.segment]
        for output in OUTPUTS:
            if output.hypotheses[task.segment] != text:
                continue
            for scale, value in values.items():
                judged = (task.annotator, output.system, output.run, segment, document)
                rows.append((*judged, scale, value, text, errors))
    return rows


@pytest.mark.parametrize("way", WAYS)
def test_what_pearmut_logged_comes_back_to_every_output(way: str) -> None:
    log = json.loads(log_of(way))
    (entries,) = log.values()
    shown: dict[str, list[object]] = {entry["user_id"]: [] for entry in entries}
    for entry in entries:
        if "item" in entry:
            shown[entry["user_id"]].append(entry["item"])
    of_ann, of_bob = shown.values()
    stored = json.loads(pearmut_campaign(*judged_campaign(way)))["data"]
    assert [of_ann[:-1], of_bob] == stored, "record anew: record_pearmut.py"  # ann judged one page again

    judgements = read_judgements([InputFile("annotations.json", log_of(way).encode())]).judgements

    rows = []
    for judgement in judgements:
        judged = (judgement.annotator, judgement.system, judgement.run, judgement.segment, judgement.document)
        errors = [(error.start, error.end, error.severity) for error in judgement.errors]
        rows.append((*judged, judgement.scale, judgement.value, judgement.hypothesis, errors))
    assert sorted(rows) == sorted(expected(way))
    assert {judgement.annotator for judgement in judgements} == {"ann", "bob"}
    probability_of_segment = PLANS[way].probabilities
    for judgement in judgements:
        if not probability_of_segment:
            assert judgement.probability is None
            continue
        segment = int(judgement.segment)
        probability_beside = 1.0 if segment <= 3 else 0.75  # three of three different outputs, or of four
        assert judgement.probability == probability_of_segment[segment - 1] * probability_beside


def test_the_command_averages_what_pearmut_logged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "annotations.json"
    log.write_text(log_of("errors"), encoding="utf-8")
    table = tmp_path / "people.json"

    assert main(["people", "--judgements", str(log), "--show", "gold", "--json", str(table)]) == 0
    averages = json.loads(table.read_text(encoding="utf-8"))["averages"]
    numbers_of = {row["system"]: (row["n_segments"], row["unit"], row["n_units"], row["mean"]) for row in averages}
    # of A, both runs have a major error everywhere, of the others three; two sources lack words
    means = {"A": -(6 * 5 + 2) / 6, "B": -(3 * 5 + 2) / 6, "7": -(3 * 5 + 2) / 6}
    assert numbers_of == {system: (6, "document", 2, pytest.approx(mean)) for system, mean in means.items()}
    assert "2 annotators of 3 systems on 6 segments in 2 documents; scales: mqm" in capsys.readouterr().out


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for name in WAYS:
        folder.joinpath(f"{name}.json").write_text(text_of(name), encoding="utf-8")
        to_judge = pearmut_campaign(*judged_campaign(name))
        folder.joinpath(f"judged.{name}.json").write_text(to_judge, encoding="utf-8")
