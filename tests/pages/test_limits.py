"""What a session may take: in the demo the sample and small files, few metrics, some minutes, and nothing kept."""

import gzip

import pytest

from mteval.ui.session import visitor as limits
from mteval.ui.session.memory import MIB, share_of_session


@pytest.fixture
def _is_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTEVAL_DEMO", "1")


@pytest.mark.usefixtures("_is_demo")
def test_small_files_are_taken_and_larger_ones_refused_with_all_that_is_loaded(
    app, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.drop_systems(base=1, new=1)
    assert app.experiment is not None
    assert "Demo: the sample or at most 5 MB of files; 4 metrics at a time; 30 minutes left" in app.text
    monkeypatch.setenv("MTEVAL_SESSION_MB", "0.001")
    app.drop({"more.opt0.txt": "a line\n" * 200})
    assert "the demo takes 0.001 MB. Nothing was added" in app.text
    assert len(app.experiment.systems) == 2


@pytest.mark.usefixtures("_is_demo")
def test_what_grew_out_of_an_archive_counts(app, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTEVAL_SESSION_MB", "0.01")
    app.drop({"base.opt0.txt.gz": gzip.compress(b"word\n" * 5_000)})
    assert "Nothing was added" in app.text
    assert app.experiment is None


@pytest.mark.usefixtures("_is_demo")
def test_few_metrics_may_be_chosen_and_none_with_large_tables(app) -> None:
    app.open(primary="meteor", metrics="chrf")
    (primary,) = [one for one in app.page.selectbox if one.key == "primary"]
    assert not {"METEOR", "NIST", "COMET", "BERTScore"} & set(primary.options)
    assert primary.value == "bleu"
    assert len(limits.offered({key: key for key in ("bleu", "comet", "meteor", "mine")})) == 2


@pytest.mark.usefixtures("_is_demo")
def test_after_its_minutes_a_session_ends(app, monkeypatch: pytest.MonkeyPatch) -> None:
    app.open()
    monkeypatch.setenv("MTEVAL_SESSION_MINUTES", "1e-9")
    app.page.run()
    assert "The 0 minutes of this session of the demo are over" in app.text
    assert not app.page.main.get("file_uploader")


@pytest.mark.usefixtures("_is_demo")
def test_no_campaign_is_started(app) -> None:
    app.go("annotate")
    assert "The demo saves nothing" in app.text


def test_a_server_without_limits_says_nothing_of_them(app) -> None:
    app.open()
    assert "session here" not in app.text


def test_any_server_may_limit_the_files_of_a_session_and_its_minutes(app, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTEVAL_SESSION_MB", "0.01")
    monkeypatch.setenv("MTEVAL_SESSION_MINUTES", "90")
    app.drop_systems(base=1, new=1)
    assert "This session: at most 0.01 MB of files; 90 minutes left." in app.text
    app.drop({"more.opt0.txt": "a line\n" * 2_000})
    assert "a session here takes 0.01 MB. Nothing was added" in app.text
    assert len(app.experiment.systems) == 2
    assert app.page.session_state["background"].values.most_bytes == int(0.01 * MIB)
    monkeypatch.setenv("MTEVAL_SESSION_MINUTES", "1e-9")
    app.page.run()
    assert "of this session are over" in app.text


def test_what_a_session_remembers_is_as_large_as_its_files_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    assert share_of_session(512 * MIB) == 512 * MIB
    monkeypatch.setenv("MTEVAL_SESSION_MB", "20")
    assert share_of_session(512 * MIB) == 20 * MIB
