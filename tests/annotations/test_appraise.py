"""Campaigns to be judged in Appraise: what its ``import_from_json`` reads, recorded: ``python -m`` this module."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from mteval.annotations import Control, Mark, Output, Sampled, deal_tasks, with_controls
from mteval.annotations.campaign_files import appraise_batches
from tests.annotations.conftest import campaign as make_campaign
from tests.annotations.conftest import tasks_for

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
    campaign = make_campaign(way)
    first, *rest = campaign.outputs
    first = replace(first, hypotheses=tuple(f" 🙂 {text}" for text in first.hypotheses))
    practice = Control("training", "Quelle", "a wrong word", 2, 7, intact="a word")
    plan = replace(campaign.plan, checks=1)
    campaign = replace(campaign, plan=plan, outputs=(first, *rest), controls=(practice,))

    marks = (Mark("hypothesis", 3, 9, "", "major"), Mark("source", 0, 6, "", "minor"))
    tasks = []
    for task in tasks_for(campaign, "ann", "bob"):
        if task.output == 0:
            tasks.append(replace(task, marks=marks))
        else:
            tasks.append(replace(task, marks=()))
    return appraise_batches(*with_controls(campaign, tasks))


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
            for target in item.get("targets", ()):
                assert {"targetID", "targetText"} <= set(target)

    # What follows the items of an annotator repeats them
    n_items = 7 if way == "preference" else 13  # with the check, without practice
    own_items = batches[0]["items"][:n_items]
    unnumbered = {json.dumps(item | {"_item": 0, "itemID": 0, "targets": 0}) for item in own_items}
    assert len(unnumbered) == n_items
    assert sum(item["itemType"] == "BAD" for item in own_items) == 1


def test_spans_are_counted_in_units_of_the_stripped_text_with_the_last_one_included() -> None:
    items = json.loads(text_of("esa"))[0]["items"]
    item = next(item for item in items if item["mqm"] and item["itemType"] == "TGT")

    span, missing = item["mqm"]
    units = item["targetText"].strip().encode("utf-16-le")
    assert units[2 * span["start_i"] : 2 * span["end_i"] + 2].decode("utf-16-le") == "output"
    assert missing == {"start_i": "missing", "end_i": "missing", "severity": "minor"}


def test_many_tasks_fill_several_batches() -> None:
    texts = tuple(f"text {number}" for number in range(150))
    campaign = replace(
        make_campaign("esa"),
        outputs=(Output("a", "0", texts),),
        references=((),) * 150,
        source=texts,
        documents=None,
    )
    sample = [Sampled(segment, "random") for segment in range(150)]
    tasks = deal_tasks(campaign, sample, ["ann"])

    items = []
    for batch in json.loads(appraise_batches(campaign, tasks)):
        items += batch["items"]
    assert len(items) == 200
    assert {item["sourceText"] for item in items} == set(texts)


if __name__ == "__main__":
    for name in WAYS:
        RECORDED.joinpath(f"appraise.{name}.json").write_text(text_of(name) + "\n", encoding="utf-8")
