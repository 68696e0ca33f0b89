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
    annotations = open_store()
    yield annotations
    annotations.close()


def widget(page, kind: str, label: str):
    """The widget of a kind with a label."""
    (labelled,) = [widget for widget in getattr(page, kind) if widget.label == label]
    return labelled


def show(app, view: str) -> None:
    """Choose what the page is about: the list of campaigns, or a new one."""
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
    rows_of = {}
    for name, text in files.items():
        if "/" not in name:  # the references
            continue
        rows_of[name] = []
        for line in text.splitlines():
            first_word, *_ = line.split()
            error = {"start": 0, "end": len(first_word), "severity": "major"}
            rows_of[name].append({"mt": line, "COMET": 0.5, "errors": [error]})
    return json.dumps(rows_of)


def test_error_spans_of_documents_are_found_beforehand_and_checked(app, store, files) -> None:
    texts = files(base=1, new=1)
    documents = "\n".join(str(segment // 8) for segment in range(40))
    app.drop(texts | {"documents.txt": documents, "x.json": found_errors(texts)}).direct("COMET", True)
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
    campaign = store.campaign(listed.uid)
    tasks = store.tasks(listed.uid)
    assert campaign.controls[0] == Control("training", "Quelle", "a wrong word", 2, 7, "major", 0, 60)
    assert campaign.instructions == "Read **slowly**."
    assert campaign.plan.prefilled_by == "COMET (given)"
    assert listed.progress == {"ann": (0, 35), "bob": (0, 35)}  # two documents of eight, of two systems
    assert [task.stratum for task in tasks].count("check") == 4
    judged = [task for task in tasks if task.control is None]
    assert len({campaign.documents[task.segment] for task in judged}) == 2
    marks = [mark for task in judged for mark in task.marks]
    assert {(mark.start, mark.severity, mark.origin) for mark in marks} == {(0, "major", "COMET (given)")}

    # Ann finds the errors of the controls and rejects the metric's; Bob leaves everything as it is.
    for number, task in enumerate(tasks):
        if task.annotator == "bob":
            score = 45 + number % 30
        elif task.control is None:
            score = 40 + number % 30
            saying.unmark(store, task.id)
        else:
            score = 10 if task.stratum == "check" else 40 + number % 30
            control = campaign.controls[task.control]
            saying.mark(store, task.id, Mark("hypothesis", control.start, control.end, "", "major"))
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
    campaign = replace(store.campaign(listed.uid), instructions="Mark <i>all</i>.", controls=(practice,))
    campaign, tasks = with_controls(campaign, store.tasks(listed.uid))
    store.delete(listed.uid, asker=OPERATOR)
    store.add(campaign, tasks, asker=OPERATOR)

    app = open_app().open(annotator=store.links(listed.uid).annotators["ann"])
    assert "Mark <i>all</i>." in app.text
    assert [expander.proto.expanded for expander in app.page.expander] == [True]
    assert "Practice: you will see the answer" in app.text
    (first, *_) = store.tasks(listed.uid)
    assert [item["isFrozen"] for item in app.task["items"]] == [False]
    saying.complete(store, first.id)
    app.page.run()
    assert "Another answer was expected. “wrong” is wrong, a major error. It is *wrong*." in app.text
    assert [item["isFrozen"] for item in app.task["items"]] == [True]
    app.step_to(app.task["next"])
    assert "2 of 21 · " in app.text
    # The instructions were read, and would be in the way.
    assert [expander.proto.expanded for expander in app.page.expander] == [False]

    app_of_bob = open_app().open(annotator=store.links(listed.uid).annotators["bob"])
    (first, *_) = store.tasks(listed.uid, "bob")
    saying.mark(store, first.id, Mark("hypothesis", 2, 7, "Other", "major"))
    saying.complete(store, first.id)
    app_of_bob.page.run()
    assert "As expected. “wrong” is wrong" in app_of_bob.text


def test_of_two_outputs_for_practice_the_better_one_is_told(open_app: Callable, store) -> None:
    controls = tuple(
        Control("training", "Quelle", f"worse {number}", intact=f"better {number}", explanation="See?")
        for number in range(3)
    )
    preferences = replace(campaign("preference"), controls=controls)
    sample = [Sampled(segment, "random") for segment in range(3)]
    preferences, tasks = with_controls(preferences, deal_tasks(preferences, sample, ("ann",)))
    store.add(preferences, tasks, asker=OPERATOR)
    app = open_app().open(annotator=store.links(preferences.uid).annotators["ann"])
    for task in tasks[:3]:
        assert "See?" not in app.text
        (item,) = app.task["items"]
        left_choice = item["choices"][0]
        saying.prefer(store, int(item["id"]), left_choice["value"])
        app.page.run()
        if task.is_swapped:
            assert "Another answer was expected. The right output is better. See?" in app.text
        else:
            assert "As expected. The left output is better. See?" in app.text
        assert app.task["items"][0]["isFrozen"]
        app.step_to(app.task["next"])
    assert "4 of 6 · " in app.text
    assert {task.is_swapped for task in tasks[:3]} == {False, True}


def judge(store: AnnotationStore, tasks: tuple[Task, ...]) -> None:
    """The second output has a major error in every third segment, the first a minor one in every other."""
    for task in tasks:
        if task.output == 1:
            every, severity = 3, "major"
        else:
            every, severity = 2, "minor"
        if task.segment % every == 0:
            saying.mark(store, task.id, Mark("hypothesis", 0, 3, "Fluency/Grammar", severity))
        saying.complete(store, task.id)


def test_the_form_draws_the_median_runs_and_deals_out_the_sample(app, store, started) -> None:
    tasks = started("errors", "ann", "bob")
    (listed,) = store.list_campaigns()
    summary = app.evaluation.summary
    median_run_of = summary[summary["metric"] == "bleu"].set_index("system")["median_run"]
    outputs = store.campaign(listed.uid).outputs
    assert [output.system for output in outputs] == ["base", "new"]
    assert [output.run for output in outputs] == [median_run_of["base"], median_run_of["new"]]
    assert listed.progress == {"ann": (0, 20), "bob": (0, 20)}
    strata = {task.segment: task.stratum for task in tasks}
    assert sorted(strata.values()) == ["improvement"] * 2 + ["random"] * 8
    assert "with 10 segments" in app.text


@pytest.mark.parametrize(("way", "may_be_one"), [("rating", True), ("errors", True), ("preference", False)])
def test_one_system_may_be_judged_but_not_compared(app, way: str, may_be_one: bool) -> None:
    app.drop_systems(base=3, new=3).compute().go("annotate")
    show(app, "start")
    app.page.radio[0].set_value(way).run()
    (opponent,) = [widget for widget in app.page.selectbox if widget.label == "Compare with"]
    assert ("none" in opponent.options) == may_be_one
    assert "base" in opponent.options


def test_votes_are_told_once_the_campaign_is_closed(app, store) -> None:
    preferences = campaign("preference")
    sample = [Sampled(segment, "random") for segment in range(3)]
    tasks = deal_tasks(preferences, sample, ("ann", "bob"))
    app.drop_systems(base=1, new=1)
    store.add(preferences, tasks, asker=OPERATOR)
    app.open(coordinator=store.links(preferences.uid).coordinator).go("annotate")
    for task, answer in zip(store.tasks(preferences.uid, "ann"), ("first", "equal", "second"), strict=True):
        saying.prefer(store, task.id, answer)
    people(app, "Analyse")
    assert "System names stay hidden" in app.text
    people(app, "Collect")
    app.press("close-campaign-early")
    people(app, "Analyse")
    assert "1 vote for system 0, 1 for system 1, 1 for neither." in app.text


def long_sentences(n: int) -> list[str]:
    """Sentences that differ by their number."""
    return [f"number {number} of the many long sentences that were written here" for number in range(n)]


def as_text(lines: list[str]) -> str:
    """A file of these lines."""
    return "".join(f"{line}\n" for line in lines)


def test_informative_segments_have_known_probabilities_that_weigh_the_means(app, store) -> None:
    lines = long_sentences(40)
    worse_lines = lines[:21] + [f"w{number} x{number}" for number in range(21, 40)]
    texts = {"refs.txt": as_text(lines), "base/opt0.txt": as_text(lines), "new/opt0.txt": as_text(worse_lines)}
    app.drop(texts).compute().go("annotate")
    show(app, "start")
    app.page.session_state["campaign-annotators"] = ["ann"]
    widget(app.page, "toggle", "Informative segments").set_value(True)
    widget(app.page, "number_input", "Random").set_value(10)
    app.page.run()
    app.press("start-campaign")
    (listed,) = store.list_campaigns()
    tasks = store.tasks(listed.uid)
    probabilities = store.campaign(listed.uid).plan.probabilities
    assert len(probabilities) == 40
    assert round(sum(probabilities), 9) == 10
    assert len(set(probabilities)) > 1

    judge(store, tasks)
    people(app, "Analyse")
    # A minor error costs a point, and the first output has one in every other segment.
    weight_of = {task.segment: 1 / probabilities[task.segment] for task in tasks}
    weight_of_errors = sum(weight for segment, weight in weight_of.items() if segment % 2 == 0)
    expected = -weight_of_errors / sum(weight_of.values())
    assert mean_of(app.cells("Mean MQM"), "base") == pytest.approx(expected, abs=0.006)


def test_systems_are_compared_side_by_side_and_weighed_by_their_probability(app, store) -> None:
    references = long_sentences(24)
    texts = {"refs.txt": as_text(references)}
    for number in range(5):
        end = "very " * number
        lines = [f"{line} {end}" for line in references]
        lines[0] = references[0]
        texts[f"s{number}/opt0.txt"] = as_text(lines)
    app.drop(texts).compute().go("annotate")
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
    assert listed.name == "Contrastive ESA"
    assert listed.protocol == "contrastive"
    assert listed.progress == {"ann": (0, 70)}  # equal texts are read once
    assert plan.side_by_side == 3
    assert plan.is_adaptive
    assert plan.is_merged

    asker = Asker(token=store.links(listed.uid).annotators["ann"])
    for segment in range(24):
        tasks = [task for task in store.tasks(listed.uid) if task.segment == segment]
        if tasks[0].probability is None:
            store.assign([task.id for task in tasks], asker)
        # Those that were assigned instead may be others.
        tasks = [task for task in store.tasks(listed.uid) if task.segment == segment]
        for task in tasks:
            saying.rate(store, task.id, score=90.0 - 10 * (task.output or 0), is_complete=True)

    people(app, "Analyse")
    rows = app.cells("Mean standardised ESA score per segment")
    assert [row[0] for row in rows] == ["s0", "s1", "s2", "s3", "s4"]
    assert "This test ignores the unequal probabilities" in app.text
    assert "Outputs were assigned by earlier scores" in app.text


def test_results_stand_beside_the_metrics_and_follow_the_content(app, open_app: Callable, store, started) -> None:
    judge(store, started("errors", "ann"))
    (listed,) = store.list_campaigns()
    second_app = open_app().open(coordinator=store.links(listed.uid).coordinator)
    second_app.go("annotate").go("load").drop_systems(base=3, new=3).compute().go("annotate")
    for page in (app, second_app):
        people(page, "Analyse")
        rows = page.cells("Mean MQM (minus error weights) per segment")
        assert [row[1] for row in rows] == ["8", "8"]
        assert 0 < float(rows[1][6]) <= 1  # of the worse one, to the better
        people(page, "Analyse", "Metrics")
        rows = page.cells("Mean difference per segment")
        assert [row[:2] for row in rows] == [["BLEU", "8"], ["chrF", "8"], ["TER", "8"]]
    assert second_app.cells("Mean difference per segment") == app.cells("Mean difference per segment")


def test_a_campaign_goes_out_and_comes_back(app, store, started) -> None:
    judge(store, started("errors", "ann"))
    (listed,) = store.list_campaigns()
    tasks = store.tasks(listed.uid)
    exported = to_json(store.campaign(listed.uid), tasks)
    store.delete(listed.uid, asker=OPERATOR)

    app.go("load").drop({"a.json": exported})
    assert "Added the campaign “Marked errors” with 20 judgements" in app.text
    (imported,) = store.list_campaigns()
    assert severities(store.tasks(imported.uid)) == severities(tasks)

    app.drop({"a.json": exported})
    assert "is already in the database" in app.text
    app.drop({"b.json": exported.replace("mteval-annotations-1", "mteval-annotations-9")})
    assert "'format' is 'mteval-annotations-9'" in app.text


def severities(tasks: tuple[Task, ...]) -> dict[tuple[int, int | None], list[str]]:
    """How severe the marked errors are, by segment and output."""
    return {(task.segment, task.output): [mark.severity for mark in task.marks] for task in tasks}


def test_weights_may_change_while_people_work(app, store, started) -> None:
    judge(store, started("errors", "ann"))
    (listed,) = store.list_campaigns()
    people(app, "Analyse")
    means_before = [row[2] for row in app.cells("Mean MQM")]
    categories = [category.name for category in store.campaign(listed.uid).typology.categories]
    app.go("annotate")
    app.page.session_state[f"typology-{listed.uid}"] = {
        "edited_rows": {categories.index("Fluency/Grammar"): {"minor": 0.0, "major": 0.0}},
        "added_rows": [],
        "deleted_rows": [],
    }
    app.page.run()
    app.press("keep-typology")
    assert store.campaign(listed.uid).typology.weight("Fluency/Grammar", "major") == 0
    people(app, "Analyse")
    means_after = [row[2] for row in app.cells("Mean MQM")]
    assert means_after == ["0.00", "0.00"]
    assert means_before != means_after


def mean_of(rows: list[list[str]], system: str) -> float:
    """The mean that a table shows for a system."""
    (mean,) = [row[2] for row in rows if row[0] == system]
    return float(mean.replace("−", "-"))


def test_what_people_said_becomes_a_metric_of_all_pages(app, store, started) -> None:
    tasks = started("errors", "ann")
    judge(store, tasks)
    people(app, "Analyse")
    means = app.cells("Mean MQM")
    people(app, "Report")
    app.press("people-keep")
    (metric,) = app.experiment.given
    assert metric.key == "mqm-marked-errors"
    assert metric.name == "MQM (Marked errors)"
    assert metric.higher_is_better
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
    expected = mean_of(means, "new") - mean_of(means, "base")
    assert float(rows["difference"].iloc[0]) == pytest.approx(expected, abs=0.011)
    people(app, "Report")
    app.press("people-keep")  # a newer one takes the place of the first
    assert [given.key for given in app.experiment.given] == [metric.key]
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
    (item,) = [item for item in app.task["items"] if not item.get("isContext")]
    assert item["values"] == {"adequacy": None, "fluency": None}
    assert not page.sidebar.children
    assert not page.selectbox
    (first, *_) = store.tasks(listed.uid, "bob")
    assert item["id"] == str(first.id)
    saying.rate(store, first.id, adequacy=30, fluency=40, is_complete=True)
    (listed,) = store.list_campaigns()
    n_done_by = {annotator: n_done for annotator, (n_done, _) in listed.progress.items()}
    assert n_done_by == {"ann": 0, "bob": 1}
    store.renew_link(listed.uid, "bob", OPERATOR)
    page.run()
    assert "This link no longer works" in app.text
    wrong = open_app().open(annotator=links.coordinator)
    assert "This is not an annotator's link" in wrong.text


def test_a_link_is_replaced(app, store, started) -> None:
    started("errors", "ann")
    (listed,) = store.list_campaigns()
    links_before = store.links(listed.uid)
    assert any(links_before.annotators["ann"] in code.value for code in app.page.code)
    app.press(f"renew-{listed.uid}-ann")
    links = store.links(listed.uid)
    assert links.coordinator == links_before.coordinator
    assert [links.annotators["ann"] in code.value for code in app.page.code] == [True, True, False]
    assert "0 of 20 texts" in app.page.code[1].value
    app.press(f"renew-{listed.uid}-")
    assert store.links(listed.uid).coordinator != links_before.coordinator
    assert "Marked errors on test" in app.text  # whoever asked for it keeps it
