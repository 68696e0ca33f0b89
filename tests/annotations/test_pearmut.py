"""Campaigns to be judged in Pearmut: the files are those that the real ``pearmut add`` accepted."""

import hashlib
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from mteval.annotations import Mark
from mteval.annotations.campaign_files import pearmut_campaign
from mteval.base.errors import SettingsError
from tests.annotations.conftest import campaign, tasks_for

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


if __name__ == "__main__":
    for name in WAYS:
        (Path(sys.argv[1]) / f"{name}.json").write_text(text_of(name), encoding="utf-8")
