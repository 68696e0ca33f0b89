"""Campaigns are started, summed up, exported and imported on the page."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from mteval.annotations import (
    AnnotationStore,
    Control,
    Mark,
    Sampled,
    Task,
    deal_tasks,
    open_store,
    to_json,
    with_controls,
)
from mteval.values.asker import OPERATOR, Asker
from tests.annotations import saying
from tests.annotations.conftest import campaign


@pytest.fixture(autouse=True)
def _home_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MTEVAL_HOME", str(tmp_path))
    monkeypatch.delenv("MTEVAL_DATABASE", raising=False)


@pytest.fixture
def store() -> Iterator[AnnotationStore]:
    """The same database, seen from outside."""
    one = open_store()
    yield one
    one.close()


def widget(page, kind: str, label: str):
    (found,) = [one for one in getattr(page, kind) if one.label == label]
    return found


def show(app, view: str) -> None:
    app.page.session_state["annotate"] = view
    app.page.run()


def people(app, tab: str, question: str = "Systems") -> None:
    """Open a tab of the People page, and wait for its answers."""
    app.go("people")
    app.page.session_state["people-tab"] = tab
    app.page.session_state["people-question"] = question
    app.page.run()
    app.wait_for_work().page.run()
    assert not app.page.exception


@pytest.fixture
def started(app, store: AnnotationStore):
    """Starts a campaign with the form, and gives its tasks."""

    def start(way: str, *annotators: str) -> tuple[Task, ...]:
        app.drop_systems(base=3, new=3).compute().go("annotate")
        show(app, "start")
        app.page.radio[0].set_value(way).run()
        for label, size in (("Random", 8), ("Most improved", 2), ("Most declined", 0)):
            widget(app.page, "number_input", label).set_value(size)
        app.page.session_state["campaign-annotators"] = list(annotators)
        app.page.run()
        app.press("start-campaign")
        (listed,) = store.list_campaigns()
        return store.tasks(listed.uid)

    return start


def found_errors(files: dict[str, str]) -> str:
    """What comet-score writes of every output: its first word is a major error."""
    rows = {
        name: [
            {"mt": line, "COMET": 0.5, "errors": [{"start": 0, "end": len(line.split()[0]), "severity": "major"}]}
            for line in text.splitlines()
        ]
        for name, text in files.items()
        if "/" in name
    }
    return json.dumps(rows)


def test_error_spans_of_documents_are_found_beforehand_and_checked(app, store, files) -> None:
    texts = files(base=1, new=1)
    ids = "\n".join(str(place // 8) for place in range(40))
    app.drop(texts | {"documents.txt": ids, "x.json": found_errors(texts)}).direct("COMET", True)
    app.compute().go("annotate")
    show(app, "start")
    app.page.radio[0].set_value("esa").run()
    widget(app.page, "toggle", "Whole documents").set_value(True).run()
    widget(app.page, "number_input", "Random").set_value(10)
    widget(app.page, "number_input", "Attention checks").set_value(2)
    widget(app.page, "selectbox", "Pre-mark errors with").set_value("COMET (given)")
    widget(app.page, "text_area", "Instructions for annotators").set_value("Read **slowly**.")
    row = {"source": "Quelle", "output": "a <v>wrong</v> word", "severity": "major", "highest": 60.0}
    app.page.session_state["campaign-practice-esa"] = {"edited_rows": {0: row}, "added_rows": [], "deleted_rows": []}
    app.page.session_state["campaign-annotators"] = ["ann", "bob"]
    app.page.run()
    app.press("start-campaign")
    (listed,) = store.list_campaigns()
    campaign, tasks = store.campaign(listed.uid), store.tasks(listed.uid)
    assert campaign.controls[0] == Control("training", "Quelle", "a wrong word", 2, 7, "major", 0, 60)
    assert (campaign.instructions, campaign.plan.prefilled_by) == ("Read **slowly**.", "COMET (given)")
    assert listed.progress == {"ann": (0, 35), "bob": (0, 35)}  # two documents of eight, of two systems
    assert len({campaign.documents[task.segment] for task in tasks if task.control is None}) == 2
    assert [task.stratum for task in tasks].count("check") == 4
    judged = [task for task in tasks if task.control is None]
    assert {(mark.start, mark.severity, mark.origin) for task in judged for mark in task.marks} == {
        (0, "major", "COMET (given)")
    }
    for number, task in enumerate(tasks):
        is_found = task.stratum == "check" and task.annotator == "ann"
        score = 10 if is_found else 40 + number % 30 + 5 * (task.annotator == "bob")
        if task.control is not None and task.annotator == "ann":
            control = campaign.controls[task.control]
            saying.mark(store, task.id, Mark("hypothesis", control.start, control.end, "", "major"))
        elif task.annotator == "ann":
            saying.unmark(store, task.id)
        saying.rate(store, task.id, score=score, is_complete=True)
    people(app, "Collect")
    assert app.cells("Progress of each annotator") == [
        ["ann", "35 of 35", "0", "1 of 1 (100%)", "2 of 2 (100%)"],
        ["bob", "35 of 35", "0", "0 of 1 (0%)", "0 of 2 (0%)"],
    ]
    people(app, "Check")
    assert app.cells("Errors in finished outputs") == [
        ["ann", "COMET (given)", "32", "0", "0", "32", "0"],
        ["bob", "COMET (given)", "32", "32", "0", "0", "0"],
    ]
    assert [row[2] for row in app.cells("Rater")] == ["32", "32"]
    people(app, "Analyse")
    rows = app.cells("Mean standardised ESA score per segment; differences to")
    assert {row[0]: row[1] for row in rows} == {"base": "16", "new": "16"}


def test_annotators_practise_and_are_told_the_answer(open_app: Callable, store, started) -> None:
    started("errors", "ann", "bob")
    (listed,) = store.list_campaigns()
    practice = Control("training", "Quelle", "a wrong <b>word</b>", 2, 7, "major", explanation="It is *wrong*.")
    campaign, tasks = store.campaign(listed.uid), store.tasks(listed.uid)
    store.delete(listed.uid, asker=OPERATOR)
    store.add(
        *with_controls(replace(campaign, instructions="Mark <i>all</i>.", controls=(practice,)), tasks), asker=OPERATOR
    )
    app = open_app().open(annotator=store.links(listed.uid).annotators["ann"])
    assert "Mark <i>all</i>." in app.text
    assert [told.proto.expanded for told in app.page.expander] == [True]
    assert "Practice: you will see the answer" in app.text
    (first, *_) = store.tasks(listed.uid)
    assert [item["isFrozen"] for item in app.task["items"]] == [False]
    saying.complete(store, first.id)
    app.page.run()
    assert "Another answer was expected. “wrong” is wrong, a major error. It is *wrong*." in app.text
    assert [item["isFrozen"] for item in app.task["items"]] == [True]
    app.step_to(app.task["next"])
    assert "2 of 21 · " in app.text
    assert [told.proto.expanded for told in app.page.expander] == [False]  # it was read, and would be in the way
    other = open_app().open(annotator=store.links(listed.uid).annotators["bob"])
    (first, *_) = store.tasks(listed.uid, "bob")
    saying.mark(store, first.id, Mark("hypothesis", 2, 7, "Other", "major"))
    saying.complete(store, first.id)
    other.page.run()
    assert "As expected. “wrong” is wrong" in other.text


def test_of_two_outputs_for_practice_the_better_one_is_told(open_app: Callable, store) -> None:
    pairs = tuple(
        Control("training", "Quelle", f"worse {n}", intact=f"better {n}", explanation="See?") for n in range(3)
    )
    one = replace(campaign("preference"), controls=pairs)
    sample = [Sampled(segment, "random") for segment in range(3)]
    one, tasks = with_controls(one, deal_tasks(one, sample, ("ann",)))
    store.add(one, tasks, asker=OPERATOR)
    app = open_app().open(annotator=store.links(one.uid).annotators["ann"])
    for task in tasks[:3]:
        side = "right" if task.is_swapped else "left"
        assert "See?" not in app.text
        (item,) = app.task["items"]
        saying.prefer(store, int(item["id"]), item["choices"][0]["value"])
        app.page.run()
        told = "As expected." if side == "left" else "Another answer was expected."
        assert f"{told} The {side} output is better. See?" in app.text
        assert app.task["items"][0]["isFrozen"]
        app.step_to(app.task["next"])
    assert "4 of 6 · " in app.text
    assert {task.is_swapped for task in tasks[:3]} == {False, True}


def judge(store: AnnotationStore, tasks: tuple[Task, ...]) -> None:
    """The second output has a major error in every third segment, the first a minor one in every other."""
    for task in tasks:
        severity = ("minor", "major")[task.output or 0]
        if task.segment % (2 + (task.output or 0)) == 0:
            saying.mark(store, task.id, Mark("hypothesis", 0, 3, "Fluency/Grammar", severity))
        saying.complete(store, task.id)


def test_the_form_draws_the_median_runs_and_deals_out_the_sample(app, store, started) -> None:
    tasks = started("errors", "ann", "bob")
    (listed,) = store.list_campaigns()
    evaluation = app.evaluation
    summary = evaluation.summary[evaluation.summary["metric"] == "bleu"].set_index("system")
    campaign = store.campaign(listed.uid)
    assert [(o.system, o.run) for o in campaign.outputs] == [
        (key, summary.loc[key, "median_run"]) for key in ("base", "new")
    ]
    assert listed.progress == {"ann": (0, 20), "bob": (0, 20)}
    strata = {task.segment: task.stratum for task in tasks}
    assert sorted(strata.values()) == ["improvement"] * 2 + ["random"] * 8
    assert "with 10 segments" in app.text


def test_votes_are_told_once_the_campaign_is_closed(app, store) -> None:
    one = campaign("preference")
    sample = [Sampled(segment, "random") for segment in range(3)]
    tasks = deal_tasks(one, sample, ("ann", "bob"))
    app.drop_systems(base=1, new=1)
    store.add(one, tasks, asker=OPERATOR)
    app.open(coordinator=store.links(one.uid).coordinator).go("annotate")
    for task, answer in zip(store.tasks(one.uid, "ann"), ("first", "equal", "second"), strict=True):
        saying.prefer(store, task.id, answer)
    people(app, "Analyse")
    assert "System names stay hidden" in app.text
    people(app, "Collect")
    app.press("close-campaign-early")
    people(app, "Analyse")
    assert "1 vote for system 0, 1 for system 1, 1 for neither." in app.text


def test_informative_segments_have_known_probabilities_that_weigh_the_means(app, store) -> None:
    lines = [f"number {n} of the many long sentences that were written here" for n in range(40)]
    worse = [f"w{n} x{n}" if n > 20 else line for n, line in enumerate(lines)]
    texts = {"refs.txt": lines, "base/opt0.txt": lines, "new/opt0.txt": worse}
    app.drop({name: "\n".join(of) + "\n" for name, of in texts.items()}).compute().go("annotate")
    show(app, "start")
    app.page.session_state["campaign-annotators"] = ["ann"]
    widget(app.page, "toggle", "Informative segments").set_value(True)
    widget(app.page, "number_input", "Random").set_value(10)
    app.page.run()
    app.press("start-campaign")
    (listed,) = store.list_campaigns()
    campaign, tasks = store.campaign(listed.uid), store.tasks(listed.uid)
    chances = campaign.plan.probabilities
    assert (len(chances), round(sum(chances), 9), len(set(chances)) > 1) == (40, 10, True)
    judge(store, tasks)
    people(app, "Analyse")
    weights = {task.segment: 1 / chances[task.segment] for task in tasks}
    hit = sum(weight for segment, weight in weights.items() if segment % 2 == 0)
    assert mean_of(app.cells("Mean MQM"), "base") == pytest.approx(-hit / sum(weights.values()), abs=0.006)


def test_systems_are_compared_side_by_side_and_weighed_by_their_probability(app, store) -> None:
    lines = [f"number {n} of the many long sentences that were written here" for n in range(24)]
    texts = {
        f"s{at}/opt0.txt": [f"{line} {'very ' * at}" if n else line for n, line in enumerate(lines)] for at in range(5)
    }
    app.drop({name: "\n".join(of) + "\n" for name, of in ({"refs.txt": lines} | texts).items()}).compute().go(
        "annotate"
    )
    show(app, "start")
    app.page.radio[0].set_value("contrastive").run()
    widget(app.page, "number_input", "Outputs side by side").set_value(3).run()
    widget(app.page, "toggle", "Adaptive assignment").set_value(True)
    for label, size in (("Random", 24), ("Most improved", 0), ("Most declined", 0)):
        widget(app.page, "number_input", label).set_value(size)
    app.page.session_state["campaign-annotators"] = ["ann"]
    app.page.run()
    app.press("start-campaign")
    (listed,) = store.list_campaigns()
    plan = store.campaign(listed.uid).plan
    assert (listed.name, listed.way, listed.progress) == ("Contrastive ESA", "esa", {"ann": (0, 70)})  # one text once
    assert (plan.side_by_side, plan.is_adaptive, plan.is_merged) == (3, True, True)
    asker = Asker(token=store.links(listed.uid).annotators["ann"])
    for segment in range(24):
        shown = [task for task in store.tasks(listed.uid) if task.segment == segment]
        if shown[0].probability is None:
            store.assign([task.id for task in shown], asker)
        for task in (one for one in store.tasks(listed.uid) if one.segment == segment):
            saying.rate(store, task.id, score=90.0 - 10 * (task.output or 0), is_complete=True)
    people(app, "Analyse")
    rows = app.cells("Mean standardised ESA score per segment")
    assert [row[0] for row in rows] == [f"s{at}" for at in range(5)]
    assert "This test ignores the unequal probabilities" in app.text
    assert "Outputs were assigned by earlier scores" in app.text


def test_results_stand_beside_the_metrics_and_follow_the_content(app, open_app: Callable, store, started) -> None:
    judge(store, started("errors", "ann"))
    (listed,) = store.list_campaigns()
    other = open_app().open(coordinator=store.links(listed.uid).coordinator)
    other.go("annotate").go("load").drop_systems(base=3, new=3).compute().go("annotate")
    for one in (app, other):
        people(one, "Analyse")
        rows = one.cells("Mean MQM (minus error weights) per segment")
        assert [row[1] for row in rows] == ["8", "8"]
        assert 0 < float(rows[1][6]) <= 1  # of the worse one, to the better
        people(one, "Analyse", "Metrics")
        beside = one.cells("Mean difference per segment")
        assert [row[:2] for row in beside] == [[name, "8"] for name in ("BLEU", "chrF", "TER")]
    assert beside == app.cells("Mean difference per segment")


def test_a_campaign_goes_out_and_comes_back(app, store, started) -> None:
    judge(store, started("errors", "ann"))
    (listed,) = store.list_campaigns()
    campaign, tasks = store.campaign(listed.uid), store.tasks(listed.uid)
    store.delete(listed.uid, asker=OPERATOR)
    app.go("load").drop({"a.json": to_json(campaign, tasks)})
    assert "Added the campaign “Marked errors” with 20 judgements" in app.text
    (again,) = store.list_campaigns()
    said = {(task.segment, task.output): [mark.severity for mark in task.marks] for task in tasks}
    assert {(t.segment, t.output): [mark.severity for mark in t.marks] for t in store.tasks(again.uid)} == said
    app.drop({"a.json": to_json(campaign, tasks)})
    assert "is already in the database" in app.text
    app.drop({"b.json": to_json(campaign, tasks).replace("mteval-annotations-1", "mteval-annotations-9")})
    assert "'format' is 'mteval-annotations-9'" in app.text


def test_weights_may_change_while_people_work(app, store, started) -> None:
    judge(store, started("errors", "ann"))
    (listed,) = store.list_campaigns()
    people(app, "Analyse")
    before = app.cells("Mean MQM")
    grammar = [category.name for category in store.campaign(listed.uid).typology.categories].index("Fluency/Grammar")
    app.go("annotate")
    app.page.session_state[f"typology-{listed.uid}"] = {
        "edited_rows": {grammar: {"minor": 0.0, "major": 0.0}}, "added_rows": [], "deleted_rows": [],
    }  # fmt: skip
    app.page.run()
    app.press("keep-typology")
    assert store.campaign(listed.uid).typology.weight("Fluency/Grammar", "major") == 0
    people(app, "Analyse")
    after = app.cells("Mean MQM")
    assert [row[2] for row in before] != [row[2] for row in after] == ["0.00", "0.00"]


def mean_of(rows: list[list[str]], system: str) -> float:
    (mean,) = [row[2] for row in rows if row[0] == system]
    return float(mean.replace("−", "-"))


def test_what_people_said_becomes_a_metric_of_all_pages(app, store, started) -> None:
    tasks = started("errors", "ann")
    judge(store, tasks)
    people(app, "Analyse")
    before = app.cells("Mean MQM")
    people(app, "Report")
    app.press("people-keep")
    (metric,) = app.experiment.given
    assert (metric.key, metric.name, metric.higher_is_better) == ("mqm-marked-errors", "MQM (Marked errors)", True)
    app.settle()
    assert app.evaluation.settings.metrics[-1] == metric.key  # without a press: no text had to be scored
    app.page.session_state["primary"] = metric.key
    app.page.run()
    app.settle().go("scores")
    assert not app.page.exception
    assert metric.name in app.text
    assert "Test-set luck" in app.text
    app.go("significance")
    assert not app.page.exception
    comparisons = app.evaluation.comparisons
    rows = comparisons[(comparisons["metric"] == metric.key) & (comparisons["system"] == "new")]
    assert set(rows["procedure"]) >= {"ar-segment", "two-way"}
    assert "32 of 40 segments are skipped" in app.text
    assert float(rows["difference"].iloc[0]) == pytest.approx(
        mean_of(before, "new") - mean_of(before, "base"), abs=0.011
    )
    people(app, "Report")
    app.press("people-keep")  # a newer one takes the place of the first
    assert [one.key for one in app.experiment.given] == [metric.key]
    assert len(app.page.session_state["workspace"].judgements["test"]) == 1  # for the report
    app.press("people-remove")
    assert app.experiment.given == ()
    assert not app.page.session_state["workspace"].judgements


def test_a_database_that_cannot_be_opened_is_named(app, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x" * 5000)
    monkeypatch.setenv("MTEVAL_DATABASE", f"sqlite:///{tmp_path / 'file'}")
    app.go("annotate")
    assert "file is not a database" in app.text


def test_a_session_reaches_only_what_it_made_or_has_a_link_for(open_app: Callable, store, started) -> None:
    started("errors", "ann")
    (listed,) = store.list_campaigns()
    stranger = open_app().open().go("annotate")
    assert "No campaigns yet" in stranger.text
    people(stranger, "Collect")
    assert "Marked errors" not in stranger.text
    guest = open_app().open(coordinator=store.links(listed.uid).coordinator).go("annotate")
    assert "Marked errors on test" in guest.text
    assert "0 of 20 done" in guest.text
    guesser = open_app().open(coordinator="Marked errors").go("annotate")
    assert "This link no longer works" in guesser.text


def test_annotators_see_their_tasks_and_nothing_else(open_app: Callable, store, started) -> None:
    started("rating", "ann", "bob")
    (listed,) = store.list_campaigns()
    links = store.links(listed.uid)
    app = open_app().open(annotator=links.annotators["bob"])  # on whichever page
    page = app.page
    assert not page.exception
    assert app.task["token"] == links.annotators["bob"]
    (item,) = [one for one in app.task["items"] if not one.get("isContext")]
    assert item["values"] == {"adequacy": None, "fluency": None}
    assert not page.sidebar.children
    assert not page.selectbox
    (first, *_) = store.tasks(listed.uid, "bob")
    assert item["id"] == str(first.id)
    saying.rate(store, first.id, adequacy=30, fluency=40, is_complete=True)
    progress = {name: done for name, (done, _) in store.list_campaigns()[0].progress.items()}
    assert progress == {"ann": 0, "bob": 1}
    store.renew_link(listed.uid, "bob", OPERATOR)
    page.run()
    assert "This link no longer works" in app.text
    wrong = open_app().open(annotator=links.coordinator)
    assert "This is not an annotator's link" in wrong.text


def test_a_link_is_replaced(app, store, started) -> None:
    started("errors", "ann")
    (listed,) = store.list_campaigns()
    before = store.links(listed.uid)
    assert any(before.annotators["ann"] in one.value for one in app.page.code)
    app.press(f"renew-{listed.uid}-ann")
    after = store.links(listed.uid)
    assert after.coordinator == before.coordinator
    assert [after.annotators["ann"] in one.value for one in app.page.code] == [True, True, False]
    assert "0 of 20 texts" in app.page.code[1].value
    app.press(f"renew-{listed.uid}-")
    assert store.links(listed.uid).coordinator != before.coordinator
    assert "Marked errors on test" in app.text  # whoever asked for it keeps it
