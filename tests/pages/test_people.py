"""Judgements of people on their page: recognised, compared with metrics and raters, their errors browsed."""

import json
import re
from collections.abc import Callable

import numpy as np
import pytest

from mteval.annotations import Mark, open_store
from mteval.cli import main
from mteval.readers.documents import InputFile
from mteval.readers.workspace import Workspace
from mteval.report.inputs import packed_inputs
from mteval.values.settings import Settings
from tests.annotations import saying
from tests.pages.conftest import App

SEGMENTS = 12


def ratings(rater: int, *, n_systems: int = 3) -> str:
    """WMT's ratings: the later systems have more errors, a rater marks a little more than the one before."""
    generator = np.random.default_rng(rater)
    lines = []
    for system in range(n_systems):
        for segment in range(SEGMENTS):
            errors = [
                {"start": 4 * n, "end": 4 * n + 3, "category": ("fluency/grammar", "accuracy/omission")[n % 2],
                 "severity": ("minor", "major")[n % 2]}
                for n in range(generator.integers(0, 2 + 2 * system))
            ]  # fmt: skip
            lines.append(f"{'ABC'[system]}\t{json.dumps({'errors': errors}) if segment else 'None'}")
    return "\n".join(lines) + "\n"


def settled(app: App) -> App:
    """Ask again until nothing is under way."""
    app.wait_for_work().page.run()
    assert not app.page.exception
    return app


def show(app: App, tab: str, question: str = "Systems") -> App:
    """Open a tab of the page, and a question of the analysis."""
    app.page.session_state["people-tab"] = tab
    app.page.session_state["people-question"] = question
    app.page.run()
    return settled(app)


@pytest.fixture
def rated(app: App) -> App:
    """Three raters of three systems, without outputs."""
    app.drop({f"zh-en.mqm.rater{n}.seg.rating": ratings(n) for n in (1, 2, 3)})
    return settled(app.go("people"))


def test_without_judgements_the_page_says_how_to_load_some(app: App) -> None:
    app.go("people")
    assert {"people-load", "people-start"} <= set(app.buttons)
    assert "No human judgements yet" in app.text
    assert not app.page.tabs  # each would say the same


def test_ratings_alone_answer_what_they_can(rated: App) -> None:
    assert "99 judgements by 3 annotators of 3 systems on 11 segments; scales: mqm." in rated.text
    assert re.search(r"People tell apart \d of 3 pairs at 5%", rated.text)
    assert len(rated.cells("Mean MQM (minus error weights) per segment; differences to A")) == 3
    show(rated, "Report")
    (words,) = rated.page.code
    assert "compare systems by mqm (Approximate randomization over segments, one-sided" in words.value
    show(rated, "Check")
    agreeing = re.findall(r"<tr><td[^>]*>(all raters|rater\d)<", rated.html)
    assert agreeing == ["all raters", *(f"rater{n}" for n in (1, 1, 2))]
    assert "3 raters, 11 segments judged for both systems" in rated.text
    show(rated, "Analyse", "Tests")
    assert "Load the judged outputs" in rated.text


def test_the_load_page_takes_ratings_for_judgements(app: App) -> None:
    app.drop({"zh-en.mqm.rater1.seg.rating": ratings(1), "documents.tsv": "news\td\n" * 11})
    assert [slot.role for slot in app.page.session_state["workspace"].slots] == ["documents", "judgements"]
    assert "Human judgements only" in app.text
    assert "has no output of a system" not in app.text  # the documents are those of the judgements


def test_errors_are_filtered_and_the_first_is_open(rated: App) -> None:
    show(rated, "Analyse", "Errors")
    workspace = rated.page.session_state["workspace"]
    n_errors = sum(len(one.errors) for files in workspace.judgements.values() for f in files.values() for one in f)
    assert f"{n_errors} of {n_errors} marked errors" in rated.text
    (severity,) = [one for one in rated.page.multiselect if one.label == "Severity"]
    severity.set_value(["major"])
    settled(rated)
    assert f"of {n_errors} marked errors" in rated.text
    assert f"{n_errors} of {n_errors}" not in rated.text
    assert "characters 5 to 7: accuracy/omission, major (rater" in rated.text


def test_one_annotator_is_no_panel_of_raters(app: App) -> None:
    app.drop({"zh-en.mqm.rater1.seg.rating": ratings(1)})
    show(app.go("people"), "Check")
    assert "only one annotator" in app.text


def test_nothing_that_was_uploaded_is_markup(app: App) -> None:
    evil = "<img src=x onerror=alert(1)>"
    head = "annotator\tsystem\tsegment\tscore\n"
    rows = "".join(
        f"{who}\t{system}\t{n}\t{n * (1 + (system == evil))}\n"
        for who in "ab"
        for system in (evil, "B")
        for n in range(1, 7)
    )
    app.drop({"judgements.tsv": head + rows})
    for tab in ("Analyse", "Check"):
        show(app.go("people"), tab)
        assert "<img" not in app.html
    assert evil in app.text


@pytest.fixture
def compared(app: App, files: Callable) -> App:
    """Outputs of three systems with judgements of them by one annotator; the more words are there, the better."""
    loaded = files(A=1, B=1, C=1)
    rows = ["annotator\tsystem\tsegment\tadequacy"]
    for system in "ABC":
        for number, line in enumerate(loaded[f"{system}/opt0.txt"].splitlines(), start=1):
            rows.append(f"ann\t{system}\t{number}\t{len(line.split())}")
    app.drop({**loaded, "judgements.tsv": "\n".join(rows) + "\n"})
    return settled(app.go("people"))


def test_tests_and_metrics_of_the_loaded_outputs_are_weighed_by_people(compared: App) -> None:
    assert "120 judgements by one annotator (or unnamed ones) of 3 systems on 40 segments" in compared.text
    show(compared, "Analyse", "Tests")
    rows = compared.cells("At 5%, of 3 pairs, segments as units, one-sided:")
    assert {row[0] for row in rows} == {"BLEU", "chrF", "TER"}
    show(compared, "Analyse", "Metrics")
    (title,) = [one.value.replace("\\", "") for one in compared.page.subheader]
    assert title == "Which metric agrees with people? 3 systems, 40 segments"
    assert compared.cells("All measures")


def test_the_report_says_that_judgements_are_loaded_and_packs_them(compared: App) -> None:
    compared.go("report").compute().press("decide-by-metric").settle()
    assert "Human judgements: 120 judgements by one annotator" in compared.text
    (words, *_) = [code.value for code in compared.page.code if "Appendix A" in code.value]
    assert "compare systems by adequacy (Approximate randomization over segments, one-sided" in words
    assert numbers_of_packed_judgements(compared) == [120]


def numbers_of_packed_judgements(app: App) -> list[int]:
    """How many judgements each file has in the experiment that is saved, once it is loaded again."""
    workspace: Workspace = app.page.session_state["workspace"]
    packed = packed_inputs(workspace.loaded(workspace.experiment()), Settings())
    again = Workspace().add([InputFile(name, content) for name, content in packed.items()])
    assert not again.rejected
    ((_, files),) = again.judgements.items()
    return [len(judgements) for judgements in files.values()]


def test_a_stored_answer_that_cannot_be_is_named_and_the_others_are_counted(
    app: App, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("MTEVAL_DATABASE", raising=False)
    app.drop_systems(base=1, new=1).compute().go("annotate")
    app.page.session_state["annotate"] = "start"
    app.page.run()
    app.page.radio[0].set_value("errors").run()
    app.page.session_state["campaign-annotators"] = ["ann", "bob"]
    app.page.run()
    app.press("start-campaign")
    store = open_store()
    (listed,) = store.list_campaigns()
    tasks = store.tasks(listed.uid)
    for task in tasks:
        saying.complete(store, task.id)
    saying.mark(store, tasks[0].id, Mark("hypothesis", 0, 1_000_000, "Other", "minor", origin="as it was"))
    n_random = sum(task.stratum == "random" for task in tasks)
    store.close()
    text = show(app.go("people"), "Report").text
    assert "1 stored answer is not allowed by the protocol, so is not counted or exported." in text
    item = f"Campaign '{listed.name}', judgement 1 of 'ann': an error is marked at characters 0 to 1,000,000"
    assert item in text
    assert f"{n_random - (tasks[0].stratum == 'random'):,} judgements by 2 annotators" in text
    assert main(["annotations", "check"]) == 2
    assert item in capsys.readouterr().out


def test_a_campaign_of_the_visitor_is_a_source(app: App, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MTEVAL_DATABASE", raising=False)
    app.drop_systems(base=1, new=1).compute().go("annotate")
    app.page.session_state["annotate"] = "start"
    app.page.run()
    app.page.radio[0].set_value("errors").run()
    app.page.session_state["campaign-annotators"] = ["ann", "bob"]
    app.page.run()
    app.press("start-campaign")
    store = open_store()
    (listed,) = store.list_campaigns()
    tasks = store.tasks(listed.uid)
    for task in tasks:
        if task.segment % 2:
            origin = "xCOMET" if task.annotator == "ann" else ""
            saying.mark(store, task.id, Mark("hypothesis", 0, 3, "Fluency/Grammar", "minor", origin=origin))
        saying.complete(store, task.id)
    store.close()
    show(app.go("people"), "Analyse", "Errors")
    (finders,) = [one for one in app.page.multiselect if one.label == "Found by"]
    assert finders.options == ["the annotator", "xCOMET"]
    tasks = tuple(task for task in tasks if task.stratum == "random")  # by default
    n_errors = sum(task.segment % 2 for task in tasks)
    assert f"{n_errors} of {n_errors} marked errors" in app.text
    finders.set_value(["the annotator"])
    assert f"{n_errors // 2} of {n_errors} marked errors" in settled(app).text
    assert "1 of 1 other annotator marked this place" in app.text
    assert "people-open-segment" in app.buttons
    done = app.page.session_state["workspace"].judgements
    show(app, "Report").press("people-keep")
    show(app, "Report").press("people-keep")
    ((_, files),) = app.page.session_state["workspace"].judgements.items()
    assert not done
    assert [len(judgements) for judgements in files.values()] == [len(tasks)]  # the second took the place of the first
    app.go("report")
    assert f"Human judgements: {len(tasks)} judgements by 2 annotators" in app.text
    assert numbers_of_packed_judgements(app) == [len(tasks)]
