"""Around a segment that is annotated, the page shows its own document and no other."""

import json
import re

import pytest
from streamlit.testing.v1 import AppTest

from mteval.annotations import open_store
from mteval.values.asker import OPERATOR
from tests.annotations import saying
from tests.annotations.conftest import campaign, tasks_for


def reading_page(token: str) -> None:
    """What an annotator opens."""
    from mteval.annotations import open_store
    from mteval.ui.annotate.tasks import reading

    reading(open_store(), token)


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
