"""Campaigns to be judged in Appraise: what its ``import_from_json`` reads, recorded: ``python -m`` this module."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from mteval.annotations import Control, Mark, Output, Sampled, deal_tasks, with_controls
from mteval.annotations.campaign_files import appraise_batches
from tests.annotations.conftest import campaign, tasks_for

RECORDED = Path(__file__).parent / "recorded"
WAYS = ("esa", "preference")
# The keys that EvalData/models/direct_assessment_document.py and pairwise_assessment_document.py of Appraise read.
PLACE = {"itemID", "itemType", "documentID", "isCompleteDocument"}
READ = {
    "esa": PLACE | {"sourceID", "sourceText", "targetID", "targetText", "mqm"},
    "preference": PLACE | {"segmentID", "segmentText", "targets"},
}


def text_of(way: str) -> str:
    """A campaign of two annotators with practice and a check, one output with errors marked beforehand."""
    one = replace(campaign(way), plan=replace(campaign(way).plan, checks=1))
    outputs = (replace(one.outputs[0], hypotheses=tuple(f" 🙂 {text}" for text in one.outputs[0].hypotheses)),)
    practice = Control("training", "Quelle", "a wrong word", 2, 7, intact="a word")
    one = replace(one, outputs=(*outputs, *one.outputs[1:]), controls=(practice,))
    marks = (Mark("hypothesis", 3, 9, "", "major"), Mark("source", 0, 6, "", "minor"))
    tasks = [replace(task, marks=marks if task.output == 0 else ()) for task in tasks_for(one, "ann", "bob")]
    return appraise_batches(*with_controls(one, tasks))


@pytest.mark.parametrize("way", WAYS)
def test_batches_are_those_recorded(way: str) -> None:
    assert text_of(way) + "\n" == RECORDED.joinpath(f"appraise.{way}.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("way", WAYS)
def test_each_batch_has_what_appraise_reads(way: str) -> None:
    batches = json.loads(text_of(way))
    assert [batch["task"]["batchNo"] for batch in batches] == [1, 2]  # one of each annotator
    for batch in batches:
        assert batch["task"]["requiredAnnotations"] == 1
        assert len(batch["items"]) == 100  # Appraise skips others
        for item in batch["items"]:
            assert READ[way] <= set(item)
            assert item["itemType"] in ("TGT", "BAD")
            assert all({"targetID", "targetText"} <= set(one) for one in item.get("targets", ()))
    own = batches[0]["items"]
    n = 7 if way == "preference" else 13  # with the check, without practice
    assert len({json.dumps(item | {"_item": 0, "itemID": 0, "targets": 0}) for item in own[:n]}) == n
    assert sum(item["itemType"] == "BAD" for item in own[:n]) == 1


def test_spans_are_counted_in_units_of_the_stripped_text_with_the_last_one_included() -> None:
    items = json.loads(text_of("esa"))[0]["items"]
    (item, *_) = [item for item in items if item["mqm"] and item["itemType"] == "TGT"]
    (span, missing) = item["mqm"]
    units = item["targetText"].strip().encode("utf-16-le")
    assert units[2 * span["start_i"] : 2 * span["end_i"] + 2].decode("utf-16-le") == "output"
    assert missing == {"start_i": "missing", "end_i": "missing", "severity": "minor"}


def test_many_tasks_fill_several_batches() -> None:
    texts = tuple(f"text {n}" for n in range(150))
    one = campaign("esa")
    one = replace(
        one, outputs=(Output("a", "0", texts),), references=((),) * 150, source=texts, documents=None
    )  # fmt: skip
    tasks = deal_tasks(one, [Sampled(n, "random") for n in range(150)], ["ann"])
    items = [item for batch in json.loads(appraise_batches(one, tasks)) for item in batch["items"]]
    assert len(items) == 200
    assert {item["sourceText"] for item in items} == set(texts)


if __name__ == "__main__":
    for name in WAYS:
        RECORDED.joinpath(f"appraise.{name}.json").write_text(text_of(name) + "\n", encoding="utf-8")
