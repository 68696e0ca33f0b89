"""Experiments that stay, as a visitor meets them; every App is a visitor with a session of its own."""

import gc
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import streamlit as st
from streamlit.runtime.scriptrunner import StopException

from mteval.answers.planner import unplanned_sentence
from mteval.library import Library, Listed, configured_library
from mteval.library.blobs import Blobs
from mteval.library.started import ticket
from mteval.metrics import METRICS
from mteval.report.kept_numbers import numbers_of
from mteval.report.merging import entry_of
from mteval.ui.elements import as_label
from mteval.ui.session import evaluation, visitor
from mteval.ui.session.background import Job
from mteval.ui.session.evaluation import PLACE
from mteval.values.asker import OPERATOR, Asker
from mteval.values.run_words import RUN_WORDS
from mteval.values.settings import Settings


@pytest.fixture(autouse=True)
def _one_browser(_browsers: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """All sessions of a test are of one browser, which a server would know by its cookie."""
    monkeypatch.setattr(visitor, "browser", lambda: "browser one")


def only_entry() -> Listed:
    (listed,) = configured_library().listed()
    return listed


def link_of(app: Any) -> str:
    """The experiment that the address names."""
    named = app.page.query_params["experiment"]
    return named if isinstance(named, str) else named[0]


def test_what_was_loaded_and_computed_is_there_again_in_a_new_session(open_app: Callable, files: Callable) -> None:
    app = open_app(shuffles="200", replicates="100").drop(files(base=3, new=3)).choose("baseline", "new").compute()
    assert link_of(app) == only_entry().uid
    again = open_app(experiment=link_of(app))
    assert not again.page.exception
    assert again.page.selectbox(key="baseline").value == "new"
    assert again.page.number_input(key="shuffles").value == 200
    assert again.evaluation.scores.equals(app.evaluation.scores)
    assert again.evaluation.comparisons.equals(app.evaluation.comparisons)
    assert "start" not in again.buttons


def test_a_ticket_opens_the_experiment_once_and_leaves_the_address(
    open_app: Callable, files: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_app().drop(files(base=2, new=2))
    monkeypatch.setattr(visitor, "browser", lambda: "browser two")
    monkeypatch.setenv("MTEVAL_OPENED", only_entry().editor)
    first = ticket()
    assert open_app(ticket="another").experiment is None
    app = open_app(ticket=first)
    assert link_of(app) == only_entry().uid
    assert "ticket" not in app.page.query_params
    assert open_app(ticket=first).experiment is None


def test_the_secret_of_a_link_leaves_the_address_and_lets_this_browser_in(
    open_app: Callable, files: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_app().drop(files(base=2, new=2))
    entry = only_entry()
    monkeypatch.setattr(visitor, "browser", lambda: "browser two")
    assert "No experiment at this link" in open_app(experiment=entry.uid).text
    app = open_app(key=entry.editor)
    assert app.experiment
    assert dict(app.page.query_params) in ({"experiment": entry.uid}, {"experiment": [entry.uid]})
    assert open_app(experiment=entry.uid).experiment  # from now on
    configured_library().replace_link(entry.uid, Asker("browser one"), is_reader=False)
    assert "No experiment at this link" in open_app(experiment=entry.uid).text
    app.page.text_input(key=f"entry-name-{entry.uid}").set_value("taken").run()
    assert "may no longer change" in app.text
    assert only_entry().name != "taken"


def test_edits_stay_and_what_makes_no_experiment_stays_as_well(open_app: Callable, files: Callable) -> None:
    app = open_app().drop({name: text for name, text in files(base=2).items() if name != "refs.txt"})
    app.edit("base/opt1.txt", included=False)
    app.page.run()
    again = open_app(experiment=only_entry().uid)
    included = {slot.file: slot.included for slot in again.page.session_state["workspace"].slots}
    assert included == {"base/opt0.txt": True, "base/opt1.txt": False}


def know_bleu_alone(patch: pytest.MonkeyPatch) -> None:
    """As on a server that was started without the models and packages of before, so that it holds no experiment."""
    st.cache_resource.clear()
    for module in ("mteval.ui.setup.entry", "mteval.report.kept_numbers"):
        patch.setattr(f"{module}.catalog", lambda given: {"bleu": METRICS["bleu"]})


def test_numbers_by_a_metric_that_is_gone_are_kept_until_others_take_their_place(
    open_app: Callable, files: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored = open_app(shuffles="200", replicates="100").drop(files(base=2, new=2)).choose("metrics", ["bleu", "chrf"])
    scored.compute()
    entry = only_entry()
    kept = configured_library().content(entry.uid)
    with monkeypatch.context() as later:
        know_bleu_alone(later)
        app = open_app(experiment=entry.uid)
        assert "scored with 'chrf'" in app.text
        app.choose("seed", 7).go("scores")
        assert configured_library().content(entry.uid) == kept
    again = open_app(experiment=entry.uid)
    assert again.evaluation.scores.equals(scored.evaluation.scores)
    assert "which is not available here" not in again.text
    with monkeypatch.context() as later:
        know_bleu_alone(later)
        app = open_app(experiment=entry.uid).choose("metrics", ["bleu"]).compute()
    assert "which is not available here" not in app.text
    assert configured_library().content(entry.uid).numbers not in (b"", kept.numbers)


def test_the_link_for_readers_shows_everything_and_changes_nothing_that_is_kept(
    open_app: Callable, files: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_app(shuffles="200", replicates="100").drop(files(base=2, new=2)).compute()
    entry = only_entry()
    kept = configured_library().content(entry.uid)
    monkeypatch.setattr(visitor, "browser", lambda: "browser two")
    reader = open_app(key=entry.reader)
    assert "This link is read-only" in reader.text
    assert reader.evaluation
    assert "entry-delete" not in reader.buttons
    reader.choose("seed", 7).choose("baseline", "new").compute()
    assert link_of(reader) == entry.uid
    assert configured_library().content(entry.uid) == kept
    assert entry.editor not in str(reader.page.main) + str(reader.page.sidebar)
    reader.go("load").drop(
        {"new/opt9.txt": files(new=3)["new/opt2.txt"]}
    )  # other files are another experiment, the reader's own
    assert configured_library().content(entry.uid) == kept
    assert len(configured_library().listed()) == 2
    assert link_of(reader) != entry.uid


def test_a_link_to_nothing_says_so_and_offers_the_sample(open_app: Callable) -> None:
    app = open_app(experiment="x" * 22)
    assert "No experiment at this link" in app.text
    assert "sample" in app.buttons
    app.go("scores")
    assert "No experiment at this link" in app.text
    assert "sample" in app.buttons


def test_an_experiment_is_opened_in_a_click_renamed_pinned_and_deleted(open_app: Callable, files: Callable) -> None:
    open_app().drop(files(base=2, new=2))
    entry = only_entry()
    app = open_app()
    assert "2 systems · 2 runs each · 40 segments · nothing scored yet" in app.text
    app.press(f"open-{entry.uid}")
    assert link_of(app) == entry.uid
    assert app.experiment
    app.page.text_input(key=f"entry-name-{entry.uid}").set_value("![x](http://evil)").run()
    app.page.toggle(key=f"entry-pin-{entry.uid}").set_value(True).run()
    assert (only_entry().name, only_entry().is_pinned) == ("![x](http://evil)", True)
    other = open_app()
    assert [one.label for one in other.page.button if one.key == f"open-{entry.uid}"] == [as_label("![x](http://evil)")]
    app.press("entry-delete")
    assert configured_library().listed() == ()
    assert app.buttons == {"sample"}
    assert "experiment" not in app.page.query_params


def test_nothing_is_kept_of_what_is_loaded_with_the_switch_on(open_app: Callable, files: Callable) -> None:
    app = open_app()
    assert "Saved on this server" in app.text
    app.page.toggle(key="do-not-keep").set_value(True).run()
    assert "discards the files" in app.text
    app.drop(files(base=2, new=2))
    assert configured_library().listed() == ()
    assert "experiment" not in app.page.query_params
    assert app.experiment


def test_other_files_after_starting_over_are_another_experiment(open_app: Callable, files: Callable) -> None:
    app = open_app().drop(files(base=2, new=2)).press("start-over")
    app.drop(files(base=2, other=3))
    names = {listed.name for listed in configured_library().listed()}
    assert names == {"base and new", "base and other"}


def test_files_that_come_later_belong_to_the_same_experiment(open_app: Callable, files: Callable) -> None:
    app = open_app().drop(files(base=2, new=2))
    app.drop({"new/opt2.txt": files(new=3)["new/opt2.txt"]})
    assert len(configured_library().content(only_entry().uid).files or ()) == 6


def test_files_that_two_windows_add_are_all_kept_and_shown(open_app: Callable, files: Callable) -> None:
    texts = files(base=2, new=2)
    first = open_app().drop(texts)
    uid = only_entry().uid
    second = open_app(experiment=uid)
    first.drop({"new/opt2.txt": files(new=3)["new/opt2.txt"]})
    second.drop({"new/opt3.txt": files(new=4)["new/opt3.txt"], "new/opt2.txt": "another\n" * 40})
    names = {*texts, "new/opt2.txt", "new/opt3.txt"}
    kept = configured_library().content(uid).files or {}
    assert names < kept.keys()
    assert len(kept) == len(names) + 1  # the other file of the same name
    assert kept["new/opt2.txt"] == files(new=3)["new/opt2.txt"].encode()
    assert {slot.file for slot in second.page.session_state["workspace"].slots} == kept.keys()
    first.choose("seed", 9)
    assert configured_library().content(uid).made["settings"]["seed"] == 9
    assert {slot.file for slot in first.page.session_state["workspace"].slots} == kept.keys()


def test_settings_changed_in_two_windows_are_both_offered(open_app: Callable, files: Callable) -> None:
    first = open_app().drop(files(base=2, new=2))
    uid = only_entry().uid
    second = open_app(experiment=uid)
    third = open_app(experiment=uid)

    def saved() -> tuple[int, int, float]:
        settings = configured_library().content(uid).made["settings"]
        return settings["seed"], settings["n_shuffles"], settings["confidence"]

    first.choose("seed", 7).choose("shuffles", 300)
    second.choose("confidence", 0.9)
    assert saved() == (7, 300, 0.9)  # what only one of them changed is merged
    assert "Changed in another window" not in second.text
    assert second.page.number_input(key="seed").value == 7
    third.choose("seed", 8)
    assert "Changed in another window: seed." in third.text
    assert saved() == (7, 300, 0.9)
    assert third.page.number_input(key="seed").value == 8
    third.choose("shuffles", 400)
    assert saved() == (7, 400, 0.9)  # what is not in conflict goes on being saved
    third.press("conflict-ours")
    assert saved() == (8, 400, 0.9)
    assert "Changed in another window" not in third.text
    first.choose("seed", 9)
    first.press("conflict-theirs")
    assert first.page.number_input(key="seed").value == 8
    assert saved() == (8, 400, 0.9)


def test_an_earlier_state_is_restored(open_app: Callable, files: Callable) -> None:
    app = open_app().drop(files(base=2, new=2))
    uid = only_entry().uid
    before = configured_library().content(uid)
    app.drop({"new/opt2.txt": files(new=3)["new/opt2.txt"]})
    app.page.session_state["history"] = True
    app.page.run()
    assert "· you ·" in app.text
    number = configured_library().states(uid)[-1].number
    app.press(f"undo-{number}")
    assert configured_library().content(uid).files == before.files
    assert len(app.page.session_state["workspace"].documents) == len(before.files or {})


def test_a_visitor_sees_what_they_kept_and_what_was_nobodys_when_they_came_by_its_link(
    open_app: Callable, files: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_app().drop(files(base=2, new=2))
    listed = only_entry()
    content = configured_library().content(listed.uid)
    free = configured_library().add(content, "from the shell", OPERATOR)
    monkeypatch.setattr(visitor, "browser", lambda: "browser two")
    assert "open-" not in str(open_app().buttons)
    open_app(key=listed.editor)
    open_app(key=free.editor)
    keys = {one.key for one in open_app().page.button}
    assert f"open-{free.uid}" in keys
    assert f"open-{listed.uid}" not in keys  # it has an owner


def test_a_demo_keeps_nothing(open_app: Callable, files: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTEVAL_DEMO", "1")
    app = open_app().drop(files(base=2, new=2))
    assert app.experiment
    assert "Nothing is saved here" in app.text
    assert configured_library().listed() == ()


def test_runs_that_training_adds_to_the_watched_folder_are_offered_once_they_are_whole(
    open_app: Callable, files: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "runs"
    texts = files(base=3, new=3)
    late = texts.pop("new/opt2.txt")
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    entry = entry_of([folder], configured_library())
    monkeypatch.setenv("MTEVAL_WATCHED", f"{entry.uid} {folder}")
    app = open_app(key=entry.editor, shuffles="100", replicates="100").compute()
    assert "watched folder" not in app.text
    (folder / "new" / "opt2.txt").write_text(late)
    app.page.run()
    assert "still being written" in app.text
    app.page.run()
    assert "1 new file in the watched folder. With them new has 3 runs instead of 2. new: " in app.text
    assert "a true difference of" in app.text
    app.press("add-new-runs")
    assert "watched folder" not in app.text
    assert [len(system.runs) for system in app.experiment.systems] == [3, 3]
    assert len(configured_library().content(entry.uid).files or ()) == 7
    monkeypatch.setattr(visitor, "browser", lambda: "browser two")
    assert "watched folder" not in open_app(key=entry.reader).text  # a reader's page looks at no folder


def test_numbers_that_come_when_nobody_looks_are_kept(open_app: Callable, files: Callable) -> None:
    app = open_app(shuffles="100", replicates="100").drop(files(base=2, new=2))
    keeper = app.page.session_state["library-keeper"]
    other = open_app(shuffles="100", replicates="100").drop(files(base=2, new=2)).compute()
    results = other.page.session_state["library-entry"].state.results
    keeper.keep(results)
    again = open_app(experiment=link_of(app))
    assert again.evaluation.comparisons.equals(results.evaluation.comparisons)


def test_numbers_are_kept_of_a_visitor_who_left_while_a_change_was_saved(
    open_app: Callable, files: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app(shuffles="100", replicates="100").drop(files(base=2, new=2))
    other = open_app(shuffles="100", replicates="100").drop(files(base=2, new=2)).compute()
    results = other.page.session_state["library-entry"].state.results
    keeper, change = app.page.session_state["library-keeper"], Library.change

    def change_and_end(*args: Any) -> None:
        change(*args)
        raise StopException

    monkeypatch.setattr(Library, "change", change_and_end)
    app.choose("shuffles", 200)
    monkeypatch.setattr(Library, "change", change)
    keeper.keep(results)
    again = open_app(experiment=link_of(app))
    assert again.evaluation.comparisons.equals(results.evaluation.comparisons)


def test_work_under_way_is_found_by_a_page_that_is_loaded_anew(
    open_app: Callable, files: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app().drop(files(base=2, new=2))
    end = Event()
    job = Job("work", lambda cancelled, report: end.wait(60))
    evaluation._under_way()[link_of(app)] = job
    again = open_app(experiment=link_of(app))
    assert again.page.session_state["background"].jobs[PLACE] is job
    monkeypatch.setattr(visitor, "browser", lambda: "browser two")
    assert PLACE not in open_app(key=only_entry().reader).page.session_state["background"].jobs
    end.set()


def test_what_was_seen_with_fewer_runs_stays_seen(open_app: Callable, files: Callable) -> None:
    texts = files(base=3, new=3)
    late = {name: text for name, text in texts.items() if "opt2" in name}
    app = open_app(shuffles="100", replicates="100").drop({name: texts[name] for name in texts if name not in late})
    app.compute().go("load").drop(late).compute()
    said = unplanned_sentence((2,), RUN_WORDS[Settings().run_word])
    assert said in app.go("scores").text
    assert said in open_app(experiment=link_of(app)).go("scores").text


def test_two_experiments_are_compared_and_what_goes_next_is_named(
    open_app: Callable, files: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    for cut in (3, 2):
        open_app().drop(files(base=2, new=cut))
    uids = [listed.uid for listed in configured_library().listed()]
    app = open_app()
    app.page.session_state["library-compared"] = tuple(uids)
    monkeypatch.setenv("MTEVAL_LIBRARY_GIB", "0.0000001")
    app.page.run()
    assert "No numbers to compare; 1 file and 0 settings differ." in app.text
    assert app.cells("Files") == [["new/opt2.txt", "hypothesis new run 2 on test", "–"]]
    assert "The library is nearly full: base and new and base and new may be evicted" in app.text


def test_where_nothing_can_be_kept_the_pages_say_so_and_work(
    open_app: Callable, files: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("MTEVAL_HOME", str(tmp_path / "file" / "home"))
    app = open_app(shuffles="200", replicates="100").drop(files(base=2, new=2))
    assert "This experiment is not saved. Cannot use the library at" in app.text
    assert app.compute().evaluation
    app.go("annotate")
    assert not app.page.exception
    assert f"Cannot use the annotations at {tmp_path / 'file' / 'home' / 'annotations.sqlite'}" in app.text
    assert "Not a directory" in app.text


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How often a file or the numbers were read from the library, and a state was saved."""
    count = {"read": 0, "saved": 0}
    load, change = Blobs.load, Library.change

    def counted_load(*args: Any) -> bytes:
        count["read"] += 1
        return load(*args)

    def counted_change(*args: Any) -> int:
        count["saved"] += 1
        return change(*args)

    monkeypatch.setattr(Blobs, "load", counted_load)
    monkeypatch.setattr(Library, "change", counted_change)
    return count


def test_a_reload_reads_no_file_that_another_session_holds_and_saves_nothing(
    open_app: Callable, files: Callable, counted: dict[str, int]
) -> None:
    app = open_app(shuffles="100", replicates="100").drop(files(base=2, new=2)).compute()
    counted.update(read=0, saved=0)
    for _ in range(2):
        again = open_app(experiment=link_of(app))
        again.page.run()
        assert counted == {"read": 0, "saved": 0}
        assert again.evaluation.comparisons.equals(app.evaluation.comparisons)
        assert again.experiment.digest == app.experiment.digest


def test_what_a_session_holds_is_what_is_read_from_the_library(
    open_app: Callable, files: Callable, counted: dict[str, int]
) -> None:
    dropped = files(base=2, new=2) | {"notes.bin": b"\x00\x01", "new/short.txt": "one line\n"}
    app = open_app(shuffles="100", replicates="100").drop(dropped).compute()
    held = open_app(experiment=link_of(app))
    assert counted["read"] == 0
    st.cache_resource.clear()
    read = open_app(experiment=link_of(app))
    assert counted["read"] > 0
    assert read.page.session_state["workspace"] == held.page.session_state["workspace"]
    assert read.experiment.digest == held.experiment.digest
    assert numbers_of(read.experiment, read.evaluation) == numbers_of(held.experiment, held.evaluation)
    for page in ("load", "scores", "significance"):
        assert read.go(page).text == held.go(page).text


def test_a_reload_shows_what_was_saved_since(open_app: Callable, files: Callable, counted: dict[str, int]) -> None:
    app = open_app(shuffles="100", replicates="100").drop(files(base=2, new=2)).compute()
    first = open_app(experiment=link_of(app))
    first.choose("run-word", "prompt")
    counted.update(read=0)
    assert open_app(experiment=link_of(app)).page.selectbox(key="run-word").value == "prompt"
    assert counted["read"] == 0
    first.choose("baseline", "new").compute()
    again = open_app(experiment=link_of(app))
    assert counted["read"] == 0
    assert again.page.selectbox(key="baseline").value == "new"
    assert again.evaluation.comparisons.equals(first.evaluation.comparisons)


def test_what_no_session_holds_is_read_again(open_app: Callable, files: Callable, counted: dict[str, int]) -> None:
    app = open_app(shuffles="100", replicates="100").drop(files(base=2, new=2)).compute()
    uid = link_of(app)
    open_app(experiment=uid)
    del app
    gc.collect()
    counted.update(read=0)
    open_app(experiment=uid)
    assert counted["read"] == 6


def test_a_page_with_a_chosen_baseline_saves_once(open_app: Callable, files: Callable, counted: dict[str, int]) -> None:
    app = open_app(shuffles="100", replicates="100").drop(files(base=2, new=2)).choose("baseline", "new").compute()
    app.page.run()
    counted.update(saved=0)
    app.page.run()
    assert counted["saved"] == 0
    assert app.experiment is app.experiment
