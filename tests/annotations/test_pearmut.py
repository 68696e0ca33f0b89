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
from tests.annotations.conftest import campaign, tasks_for
from tests.annotations.record_pearmut import AGAIN

WAYS = ("rating", "errors", "esa")
RECORDED = Path(__file__).parent / "recorded" / "pearmut.json"


def text_of(way: str) -> str:
    """A campaign of two annotators, one error of which is marked beforehand."""
    one = replace(campaign(way), instructions="Mark <b>all</b> errors.")
    tasks = tasks_for(one, "ann", "bob")
    first = replace(tasks[0], marks=(Mark("hypothesis", 0, 6, "", "major"),))
    return pearmut_campaign(one, (first, *tasks[1:]))


@pytest.mark.parametrize("way", WAYS)
def test_pearmut_accepted_this_very_file(way: str) -> None:
    answer = json.loads(RECORDED.read_text(encoding="utf-8"))["answers"][way]
    assert (answer["status"], answer["documents"]) == (0, [12, 12])
    assert answer["digest"] == hashlib.sha256(text_of(way).encode()).hexdigest(), "record anew: record_pearmut.py"


def test_errors_and_instructions_are_kept() -> None:
    content = json.loads(text_of("esa"))
    assert content["info"]["instructions"] == "Mark &lt;b&gt;all&lt;/b&gt; errors."
    ((first,), *_), _ = content["data"]
    ((spans,),) = [list(first["error_spans"].values())]
    assert [(one["start_i"], one["end_i"], one["severity"]) for one in spans] == [(0, 5, "major")]


def test_preferences_are_refused() -> None:
    with pytest.raises(SettingsError, match="does not know preferences"):
        pearmut_campaign(campaign("preference"), tasks_for(campaign("preference")))


PLANS = {  # one segment after the other with attention checks, whole documents, and side by side
    "rating": Plan(checks=2, is_merged=True, seed=7),
    "errors": Plan(by_document=True, is_merged=True),
    "esa": Plan(side_by_side=3, is_merged=True, probabilities=(0.5, 0.25, 1.0, 0.5, 0.5, 1.0)),
}
SOURCES = tuple(f"Quelle {place}{'!' if place % 3 == 0 else ''}" for place in range(6))
OUTPUTS = (
    Output("A", "0", tuple(f"😀 one\nhouse of {place} 👍" for place in range(6))),
    Output("B", "0", tuple(f"other {place}\n\nand a house" if place % 2 else f"nothing {place}" for place in range(6))),
    Output("7", "2", tuple(f"😀 one\nhouse of {place} 👍" if place < 3 else f"last {place}" for place in range(6))),
    Output("A", "1", tuple(f"a house, {place}" for place in range(6))),
)  # the first three segments of A and 7 are the same


def judged_campaign(way: str) -> tuple[Campaign, tuple[Task, ...]]:
    """A campaign of two annotators, whose first document has two identical outputs."""
    one = replace(campaign(way), outputs=OUTPUTS, source=SOURCES, plan=PLANS[way])
    sample = [Sampled(place, "random") for place in range(6)]
    tasks = deal_tasks(one, sample, ("ann", "bob"))
    return with_controls(one, merged(one, tasks))


def log_of(way: str) -> str:
    return RECORDED.with_name(f"pearmut.judged.{way}.json").read_text(encoding="utf-8")


def expected(way: str) -> list[tuple[object, ...]]:
    """What the annotators said, by the rule in ``record_pearmut.said``; after a reset, ann judged one page."""
    _, tasks = judged_campaign(way)
    of_ann = [task for task in tasks if task.annotator == "ann"]
    n_first = {"rating": 1, "errors": 3, "esa": 3}[way]
    rows: list[tuple[object, ...]] = []
    for task in [*of_ann[:n_first], *(task for task in tasks if task.annotator == "bob")]:
        if task.control is not None:
            continue
        text = OUTPUTS[task.output or 0].hypotheses[task.segment]
        place = text.find("house")
        spans = [(place, place + 5, "major")] * (place >= 0) + [(0, 0, "minor")] * ("!" in SOURCES[task.segment])
        score = sum(map(ord, text)) % 90 + AGAIN * (task.annotator == "ann")
        values = {
            "rating": {"adequacy": score, "fluency": score - 1},
            "errors": {"mqm": -5 * (place >= 0) - ("!" in SOURCES[task.segment])},
            "esa": {"score": score},
        }[way]
        alike = [each for each in OUTPUTS if each.hypotheses[task.segment] == text]
        for output in alike:
            for scale, value in values.items():
                about = task.annotator, output.system, output.run, str(task.segment + 1), "aaabbb"[task.segment]
                rows.append((*about, scale, value, text, spans if way != "rating" else []))
    return rows


@pytest.mark.parametrize("way", WAYS)
def test_what_pearmut_logged_comes_back_to_every_output(way: str) -> None:
    stored = json.loads(pearmut_campaign(*judged_campaign(way)))["data"]
    ((entries,),) = [json.loads(log_of(way)).values()]
    users = list(dict.fromkeys(entry["user_id"] for entry in entries))
    shown = [[entry["item"] for entry in entries if entry["user_id"] == user and "item" in entry] for user in users]
    assert [shown[0][:-1], shown[1]] == stored, "record anew: record_pearmut.py"
    found = read_judgements([InputFile("annotations.json", log_of(way).encode())])
    rows = [
        (
            *(one.annotator, one.system, one.run, one.segment, one.document, one.scale, one.value, one.hypothesis),
            [(error.start, error.end, error.severity) for error in one.errors],
        )
        for one in found.judgements
    ]
    assert sorted(rows) == sorted(expected(way))
    assert {one.annotator for one in found.judgements} == {"ann", "bob"}
    drawn = PLANS[way].probabilities
    for one in found.judgements:
        beside = 1.0 if int(one.segment) <= 3 else 0.75  # three of three different outputs, or of four
        assert one.probability == (drawn[int(one.segment) - 1] * beside if drawn else None)


def test_the_command_averages_what_pearmut_logged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "annotations.json"
    log.write_text(log_of("errors"), encoding="utf-8")
    table = tmp_path / "people.json"
    assert main(["people", "--judgements", str(log), "--show", "gold", "--json", str(table)]) == 0
    averages = json.loads(table.read_text(encoding="utf-8"))["averages"]
    found = {row["system"]: (row["n_segments"], row["unit"], row["n_units"], row["mean"]) for row in averages}
    # of A, both runs have a major error everywhere, of the others three; two sources lack words
    means = {"A": -(6 * 5 + 2) / 6, "B": -(3 * 5 + 2) / 6, "7": -(3 * 5 + 2) / 6}
    assert found == {name: (6, "document", 2, pytest.approx(mean)) for name, mean in means.items()}
    assert "2 annotators of 3 systems on 6 segments in 2 documents; scales: mqm" in capsys.readouterr().out


if __name__ == "__main__":
    for name in WAYS:
        (Path(sys.argv[1]) / f"{name}.json").write_text(text_of(name), encoding="utf-8")
        judged = pearmut_campaign(*judged_campaign(name))
        (Path(sys.argv[1]) / f"judged.{name}.json").write_text(judged, encoding="utf-8")
