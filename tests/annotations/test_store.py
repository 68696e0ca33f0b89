"""What was said is kept, whoever says it at the same time, and whatever dies; on SQLite and on PostgreSQL."""

import dataclasses
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.orm import Session

from mteval.annotations import (
    AnnotationStore,
    Answer,
    Category,
    Control,
    Mark,
    Output,
    SaidMark,
    Typology,
    prefilled,
    schema,
    with_controls,
)
from mteval.annotations.schema import keep_texts
from mteval.base.errors import DataError, MtevalError, SettingsError
from mteval.values.asker import OPERATOR
from tests.annotations import saying
from tests.annotations.conftest import NASTY, tasks_for
from tests.annotations.conftest import campaign as make_campaign

CLICK = """
import sys, time
from sqlalchemy.engine import make_url
from mteval.annotations import Mark, open_store
from tests.annotations import saying
store = open_store(make_url(sys.argv[1]))
task = store.tasks("c" * 32)[0].id
saying.rate(store, task, score=61)
saying.mark(store, task, Mark("hypothesis", 0, 6, "", "major"))
print("kept", flush=True)
time.sleep(60)
"""


def test_campaign_is_restored_with_its_texts(store: AnnotationStore) -> None:
    outputs = (Output("a\nb", "0", (NASTY,) * 6), Output("c", "1", ("",) * 6))
    campaign = dataclasses.replace(make_campaign(), outputs=outputs)

    store.add(campaign, tasks_for(campaign, "ann", "bob"), asker=OPERATOR)

    assert store.campaign(campaign.uid) == campaign
    (listed,) = store.list_campaigns()
    assert listed.progress == {"ann": (0, 12), "bob": (0, 12)}
    assert not listed.is_done


def test_campaign_without_source_and_documents_is_restored(store: AnnotationStore) -> None:
    campaign = dataclasses.replace(make_campaign("preference"), source=None, documents=None)

    store.add(campaign, tasks_for(campaign), asker=OPERATOR)

    assert store.campaign(campaign.uid) == campaign


def keep_texts_as_earlier(session: Session, texts: Sequence[Any] | None, digest: str | None = None) -> str | None:
    if digest is None and texts is not None:
        digest = schema._earlier_digest(texts)
    return keep_texts(session, texts, digest)


@pytest.mark.parametrize("is_earlier_version", [False, True])
@pytest.mark.parametrize("is_source_first", [False, True])
def test_texts_that_are_one_campaigns_source_and_anothers_references_stay_both(
    store: AnnotationStore, monkeypatch: pytest.MonkeyPatch, is_earlier_version: bool, is_source_first: bool
) -> None:
    campaign = make_campaign()
    assert campaign.source is not None
    german = campaign.source
    english = campaign.outputs[0].hypotheses
    there = dataclasses.replace(campaign, references=tuple((text,) for text in english))
    back = dataclasses.replace(campaign, uid="b" * 32, source=english, references=tuple((text,) for text in german))
    with monkeypatch.context() as patch:
        if is_earlier_version:  # which gave both forms one digest
            patch.setattr(schema, "keep_texts", keep_texts_as_earlier)
        for new in (there, back) if is_source_first else (back, there):
            store.add(new, tasks_for(new), asker=OPERATOR)
    assert store.campaign(there.uid) == there
    assert store.campaign(back.uid) == back
    assert store.check() == ()


def test_a_click_changes_only_its_own_value(store: AnnotationStore, opened: Callable[[], AnnotationStore]) -> None:
    campaign = make_campaign("rating")
    store.add(campaign, tasks_for(campaign), asker=OPERATOR)
    before = store.tasks(campaign.uid, "ann")
    clicked = before[3]
    second_server = opened()

    saying.rate(store, clicked.id, adequacy=12.5)
    saying.rate(second_server, clicked.id, fluency=0)
    saying.comment(store, clicked.id, NASTY.replace("\0", ""))

    after = second_server.tasks(campaign.uid, "ann")
    answered = after[3]
    assert (answered.adequacy, answered.fluency, answered.is_complete) == (12.5, 0.0, False)
    assert answered.comment == NASTY.replace("\0", "").replace("\ud800", "?")
    assert [task for task in after if task.position != 3] == [task for task in before if task.position != 3]

    saying.rate(store, clicked.id, adequacy=80, fluency=20, is_complete=True)
    assert store.tasks(campaign.uid)[3].is_complete
    assert store.list_campaigns()[0].progress == {"ann": (1, 12)}


def test_errors_are_marked_and_removed(store: AnnotationStore) -> None:
    campaign = make_campaign()
    store.add(campaign, tasks_for(campaign), asker=OPERATOR)
    task = store.tasks(campaign.uid)[0].id
    typology = Typology((Category(NASTY[10:]), *campaign.typology.categories))
    store.set_typology(campaign.uid, typology, asker=OPERATOR)
    minor = Mark("hypothesis", 0, 6, NASTY[10:], "minor")
    major = Mark("source", 0, 6, "Accuracy/Omission", "major")

    for mark in (minor, major, minor):
        saying.mark(store, task, mark)
    marks = store.tasks(campaign.uid)[0].marks
    assert [dataclasses.replace(mark, id=0) for mark in marks] == [minor, major, minor]

    saying.unmark(store, task, number=marks[0].id)
    marks = store.tasks(campaign.uid)[0].marks
    assert [dataclasses.replace(mark, id=0) for mark in marks] == [major, minor]

    saying.unmark(store, task)
    assert store.tasks(campaign.uid)[0].marks == ()


def test_answers_can_be_changed(store: AnnotationStore) -> None:
    campaign = make_campaign("preference")
    store.add(campaign, tasks_for(campaign), asker=OPERATOR)
    task = store.tasks(campaign.uid)[0]
    for preference in ("first", "second", "equal"):
        saying.prefer(store, task.id, preference)
        assert store.tasks(campaign.uid)[0].preference == preference
    saying.complete(store, task.id, is_complete=False)
    assert store.list_campaigns()[0].progress == {"ann": (0, 6)}


@pytest.mark.parametrize(
    ("say", "words"),
    [
        (lambda store, task: saying.rate(store, task, adequacy=50.5), "'adequacy', which this campaign"),
        (lambda store, task: saying.rate(store, task, score=1), "'score', which this campaign"),
        (lambda store, task: saying.rate(store, task, fluency=float("nan")), "nan; expected a finite"),
        (lambda store, task: saying.rate(store, task, seconds=-1e300), "'seconds' is -1e\\+300"),
        (lambda store, task: saying.prefer(store, task, "left"), "first, second, equal"),
        (
            lambda store, task: saying.mark(store, task, Mark("hypothesis", 3, 3, "Other", "minor")),
            "at least one word",
        ),
        (
            lambda store, task: saying.mark(store, task, Mark("hypothesis", 0, 1, "Other", "awful")),
            "severity' is 'awful'",
        ),
    ],
)
def test_invalid_answer_is_an_error(store: AnnotationStore, say: Callable, words: str) -> None:
    campaign = make_campaign()
    store.add(campaign, tasks_for(campaign), asker=OPERATOR)
    before = store.tasks(campaign.uid)
    with pytest.raises(SettingsError, match=words):
        say(store, before[0].id)
    assert store.tasks(campaign.uid) == before


def test_an_annotators_name_is_kept_whole_or_refused(store: AnnotationStore) -> None:
    campaign = make_campaign()
    first = tasks_for(campaign, "x" * 200)[0]
    too_long = [dataclasses.replace(first, annotator="x" * 200 + end) for end in "ab"]

    with pytest.raises(SettingsError, match="expected a text of at most 200 characters"):
        store.add(campaign, too_long, asker=OPERATOR)
    store.add(campaign, [first], asker=OPERATOR)
    assert set(store.links(campaign.uid).annotators) == {"x" * 200}


def test_an_annotator_has_one_item_per_place(store: AnnotationStore) -> None:
    campaign = make_campaign()
    first = tasks_for(campaign)[0]
    with pytest.raises(SettingsError, match="judgement 1 of 'ann' appears 2 times"):
        store.add(campaign, [first, dataclasses.replace(first, annotator="a\0nn")], asker=OPERATOR)
    assert store.list_campaigns() == ()


def test_a_negative_zero_is_zero(store: AnnotationStore) -> None:
    campaign = make_campaign("esa")
    store.add(campaign, tasks_for(campaign), asker=OPERATOR)
    saying.rate(store, store.tasks(campaign.uid)[0].id, score=-0.0, seconds=-0.0, is_complete=True)
    assert store.tasks(campaign.uid)[0].score == 0
    assert store.check() == ()


def test_closed_campaign_is_read_only_until_reopened(store: AnnotationStore) -> None:
    campaign = make_campaign("rating")
    store.add(campaign, tasks_for(campaign), asker=OPERATOR)
    task = store.tasks(campaign.uid)[0].id

    store.close_campaign(campaign.uid, asker=OPERATOR)
    assert store.list_campaigns()[0].is_done
    with pytest.raises(DataError, match="'reading' is closed"):
        saying.rate(store, task, adequacy=1)
    with pytest.raises(DataError, match="'reading' is closed"):
        saying.comment(store, task, "x")
    with pytest.raises(DataError, match="'reading' is closed"):
        saying.unmark(store, task)

    store.close_campaign(campaign.uid, is_closed=False, asker=OPERATOR)
    saying.rate(store, task, adequacy=1)
    assert store.tasks(campaign.uid)[0].adequacy == 1


def test_campaign_cannot_be_added_twice(store: AnnotationStore) -> None:
    campaign = make_campaign()
    store.add(campaign, tasks_for(campaign), asker=OPERATOR)
    with pytest.raises(DataError, match="already in the database"):
        store.add(campaign, (), asker=OPERATOR)


def test_deleting_keeps_texts_that_others_share(store: AnnotationStore, url: URL) -> None:
    kept = make_campaign(uid="1" * 32, name="kept", n_outputs=1)
    gone = make_campaign(uid="2" * 32, name="gone")
    for campaign in (kept, gone):
        store.add(campaign, tasks_for(campaign), asker=OPERATOR)
    task = store.tasks(gone.uid)[0].id
    saying.mark(store, task, Mark("hypothesis", 0, 1, "Other", "minor"))

    store.delete(gone.uid, asker=OPERATOR)
    assert [listed.name for listed in store.list_campaigns()] == ["kept"]
    assert store.campaign(kept.uid) == kept
    with pytest.raises(DataError, match="has been deleted"):
        saying.rate(store, task, adequacy=1)
    with pytest.raises(DataError, match="No campaign"):
        store.campaign(gone.uid)

    store.delete(kept.uid, asker=OPERATOR)
    with store.database.engine.connect() as connection:
        for table in ("contents", "campaigns", "outputs", "tasks", "marks"):
            assert connection.execute(text(f"SELECT count(*) FROM {table}")).scalar() == 0, table


def test_nothing_is_lost_when_many_annotate_at_once(
    store: AnnotationStore, opened: Callable[[], AnnotationStore]
) -> None:
    names = [f"annotator {number}" for number in range(16)]
    campaign = make_campaign("esa", n_outputs=1)
    tasks = prefilled(tasks_for(campaign, *names), "xCOMET", lambda output, segment: [(0, 6, "minor"), (7, 8, "major")])
    store.add(campaign, tasks, asker=OPERATOR)
    servers = [store, *(opened() for _ in range(4))]
    together = Barrier(len(names))

    def annotate(number: int) -> None:
        server = servers[number % len(servers)]
        together.wait()
        for task in server.tasks(campaign.uid, names[number]):
            rejected, regraded = task.marks
            saying.mark(server, task.id, Mark("hypothesis", 0, 1 + number % 12, "", "minor"))
            saying.unmark(server, task.id, number=rejected.id)
            saying.grade(server, task.id, regraded.id, "minor")
            saying.rate(server, task.id, score=number, is_complete=True)

    with ThreadPoolExecutor(len(names)) as pool:
        list(pool.map(annotate, range(len(names))))

    tasks = store.tasks(campaign.uid)
    assert len(tasks) == len(names) * 6
    for task in tasks:
        number = names.index(task.annotator)
        assert (task.score, task.is_complete) == (number, True)
        marks = [(mark.end, mark.severity, mark.origin, mark.suggested) for mark in task.marks]
        assert marks == [(8, "minor", "xCOMET", "major"), (1 + number % 12, "minor", "", "")]
        assert [(mark.end, mark.origin) for mark in task.rejected] == [(6, "xCOMET")]


def test_origin_of_a_metrics_mark_survives_changes(store: AnnotationStore) -> None:
    campaign = make_campaign("esa")
    tasks = prefilled(tasks_for(campaign), "xCOMET", lambda output, segment: [(0, 6, "minor")])
    store.add(campaign, tasks, asker=OPERATOR)
    task = store.tasks(campaign.uid)[0]
    (mark,) = task.marks

    saying.grade(store, task.id, mark.id, "major")
    assert store.tasks(campaign.uid)[0].marks == (dataclasses.replace(mark, severity="major"),)
    saying.unmark(store, task.id, number=mark.id)
    assert store.tasks(campaign.uid)[0].rejected == (dataclasses.replace(mark, severity="major"),)
    saying.grade(store, task.id, mark.id, "minor")

    restored, *untouched = store.tasks(campaign.uid)
    assert restored == dataclasses.replace(task, updated_at=restored.updated_at, revision=restored.revision)
    marks_of_untouched = [task.marks for task in untouched]
    assert marks_of_untouched == [(dataclasses.replace(mark, id=number),) for number in range(2, 13)]


def test_controls_and_instructions_are_restored(store: AnnotationStore) -> None:
    control = Control("training", "Quelle", "a wrong word", 2, 7, "major", 10.0, 60.5, NASTY, "better", "Other")
    instructions = "Mark what is wrong.\n<b>"
    campaign = dataclasses.replace(make_campaign("esa"), instructions=instructions, controls=(control,))

    store.add(*with_controls(campaign, tasks_for(campaign)), asker=OPERATOR)

    storable = NASTY.replace("\0", "").replace("\ud800", "?")
    restored_control = dataclasses.replace(control, explanation=storable)
    assert store.campaign(campaign.uid) == dataclasses.replace(campaign, controls=(restored_control,))
    first = store.tasks(campaign.uid)[0]
    assert (first.stratum, first.control) == ("training", 0)


def test_nothing_is_lost_when_one_annotator_works_in_several_windows(
    store: AnnotationStore, opened: Callable[[], AnnotationStore]
) -> None:
    campaign = make_campaign()
    store.add(campaign, tasks_for(campaign), asker=OPERATOR)
    task = store.tasks(campaign.uid)[0].id
    servers = [opened() for _ in range(4)]
    categories = campaign.typology.names[:4]  # one for each window

    def annotate(number: int) -> None:
        for place in range(10):
            mark = Mark("hypothesis", place, place + 1, categories[number], "minor")
            saying.mark(servers[number], task, mark)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(annotate, range(4)))

    marks = store.tasks(campaign.uid)[0].marks
    assert sorted((mark.category, mark.start) for mark in marks) == sorted(product(categories, range(10)))


def test_database_failure_is_an_error_and_changes_are_atomic(store: AnnotationStore, url: URL) -> None:
    campaign = make_campaign()
    store.add(campaign, tasks_for(campaign), asker=OPERATOR)
    before = store.tasks(campaign.uid)[0]
    mark = SaidMark("a", "hypothesis", 0, 1, "minor", "Other")

    with store.database.engine.begin() as connection:
        connection.execute(text("ALTER TABLE tasks RENAME COLUMN updated_at TO lost"))
    with pytest.raises(MtevalError, match=r"Cannot use the annotations at .*: .*updated_at"):
        store.answer(before.id, Answer("w", 1, 0, (mark,)), OPERATOR)
    with pytest.raises(MtevalError, match=r"Cannot use the annotations at .*: .*updated_at"):
        store.tasks(campaign.uid)
    with store.database.engine.begin() as connection:
        connection.execute(text("ALTER TABLE tasks RENAME COLUMN lost TO updated_at"))
    assert store.tasks(campaign.uid)[0] == before


def test_answers_survive_a_killed_process(
    store: AnnotationStore, opened: Callable[[], AnnotationStore], url: URL
) -> None:
    campaign = make_campaign("esa")
    store.add(campaign, tasks_for(campaign), asker=OPERATOR)
    command = [sys.executable, "-c", CLICK, url.render_as_string(hide_password=False)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "kept\n"
        os.kill(process.pid, signal.SIGKILL)

    task = opened().tasks(campaign.uid)[0]
    assert task.score == 61
    assert [(mark.end, mark.severity) for mark in task.marks] == [(6, "major")]
    saying.rate(store, task.id, score=5)
    assert store.tasks(campaign.uid)[0].score == 5
