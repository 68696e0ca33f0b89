"""``mteval campaigns``: whoever may read the database finds all links."""

from pathlib import Path

import pytest

from mteval.annotations import open_store
from mteval.cli import main
from mteval.values.asker import Asker
from tests.annotations import saying
from tests.annotations.conftest import campaign, tasks_for


def test_campaign_links_are_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MTEVAL_HOME", str(tmp_path))
    monkeypatch.delenv("MTEVAL_DATABASE", raising=False)
    assert main(["campaigns"]) == 0
    assert capsys.readouterr().out == "0 campaigns\n"
    store = open_store()
    one = campaign("rating")
    store.add(one, tasks_for(one, "ann"), Asker("browser of somebody"))
    saying.rate(store, store.tasks(one.uid)[0].id, adequacy=50, fluency=50, is_complete=True)
    links = store.links(one.uid)
    store.close()
    assert main(["campaigns", "--url", "https://lab.example/mteval/"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "1 campaign",
        "",
        "reading (rating on test, 2026-01-01)",
        f"  coordinators: https://lab.example/mteval/annotate?coordinator={links.coordinator}",
        f"  ann, 1 of 12 done: https://lab.example/mteval/annotate?annotator={links.annotators['ann']}",
    ]
