"""Corpus scores of runs on the pages: the verdict covers training luck alone, and every page says so or works."""

import pytest

SCORES = {"old": (27.1, 27.4, 26.9), "new": (28.3, 28.9, 28.1, 28.6)}
TABLE = "system,seed,BLEU\n" + "".join(
    f"{system},{seed},{score}\n" for system, scores in SCORES.items() for seed, score in enumerate(scores)
)


@pytest.fixture
def scored(app):
    """The app with the table, scored."""
    return app.open(baseline="old").drop({"runs.csv": TABLE}).direct("BLEU", True).compute()


@pytest.mark.parametrize("page", ["scores", "significance", "replication", "segments", "report"])
def test_every_page_shows_itself(scored, page: str) -> None:
    scored.go(page).settle()
    assert not scored.page.exception
    assert [message.value for message in scored.page.error] == []


def test_the_verdict_is_about_training_luck(scored) -> None:
    assert not scored.page.exception
    assert "Test-set luck unknown: there is one score per run." in scored.text
    assert "ruled out (p = 0.00" in scored.text
    assert "only 1 segment" not in scored.text
    assert "p_run" in "".join(scored.text.split("\xad"))
    assert "p (both)" not in scored.text
    scored.go("significance").settle()
    assert "Could new runs explain the difference?" in scored.text
