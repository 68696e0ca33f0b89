"""Around a segment that is annotated, the page shows its own document and no other."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from mteval.annotations import Campaign, open_store
from mteval.values.asker import OPERATOR
from tests.annotations import saying
from tests.annotations.conftest import campaign, tasks_for


def reading_page(token: str) -> None:
    """What an annotator opens."""
    from mteval.annotations import open_store
    from mteval.ui.annotate.tasks import reading

    reading(open_store(), token)


def items_of(asked: Campaign, monkeypatch: pytest.MonkeyPatch, folder: Path) -> list[dict[str, Any]]:
    """What the first screen of a campaign's annotator has."""
    monkeypatch.setenv("MTEVAL_HOME", str(folder))
    monkeypatch.delenv("MTEVAL_DATABASE", raising=False)
    store = open_store()
    store.add(asked, tasks_for(asked), asker=OPERATOR)
    (token,) = store.links(asked.uid).annotators.values()
    page = AppTest.from_function(reading_page, args=(token,)).run()
    store.close()
    assert not page.exception
    (form,) = page.get("bidi_component")
    items: list[dict[str, Any]] = json.loads(form.proto.json)["items"]
    return items


@pytest.mark.parametrize(
    ("way", "by_document", "headings"),
    [
        ("esa", True, ["1 of 12", "2 of 12", "3 of 12"]),
        ("esa", False, [""]),
        ("preference", True, ["1 of 6", "2 of 6", "3 of 6"]),
    ],
)
def test_segments_of_a_document_are_numbered_and_one_alone_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, by_document: bool, headings: list[str]
) -> None:
    asked = campaign(way)
    asked = replace(asked, plan=replace(asked.plan, by_document=by_document))
    items = items_of(asked, monkeypatch, tmp_path)
    assert [item["heading"] for item in items if not item.get("isContext")] == headings


def test_outputs_side_by_side_have_one_source_and_numbers_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = campaign("esa")
    asked = replace(asked, plan=replace(asked.plan, side_by_side=2))
    items = items_of(asked, monkeypatch, tmp_path)
    assert [item["id"] for item in items if item.get("isRead")] == ["source"]
    judged = [item for item in items if not item.get("isContext")]
    assert [[text["label"] for text in item["texts"]] for item in judged] == [
        ["Output 1: mark errors"],
        ["Output 2: mark errors"],
    ]


@pytest.mark.parametrize(("segment", "expected"), [(2, [0, 1]), (3, [4, 5])])
def test_the_segments_around_are_of_the_same_document(
    tmp_path, monkeypatch: pytest.MonkeyPatch, segment: int, expected: list[int]
) -> None:
    monkeypatch.setenv("MTEVAL_HOME", str(tmp_path))
    monkeypatch.delenv("MTEVAL_DATABASE", raising=False)
    esa_campaign = campaign("esa", n_outputs=1)
    store = open_store()
    store.add(esa_campaign, tasks_for(esa_campaign), asker=OPERATOR)
    (token,) = store.links(esa_campaign.uid).annotators.values()
    for task in store.tasks(esa_campaign.uid):
        if task.segment != segment:  # the page opens the first that is not done
            saying.rate(store, task.id, score=50, is_complete=True)

    page = AppTest.from_function(reading_page, args=(token,)).run()

    assert not page.exception
    (form,) = page.get("bidi_component")
    segments_around = []
    for item in json.loads(form.proto.json)["items"]:
        if item.get("isContext"):
            for text in item["texts"]:
                segments_around += map(int, re.findall(r"Quelle (\d)", text["text"]))
    assert sorted(segments_around) == expected
    store.close()
