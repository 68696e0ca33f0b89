"""Hostile answers through every door: what is accepted can be exported and read again, what is refused loses nothing.

The doors are: the route that annotators post to, the store's own method, the reader of campaign files, new campaigns
with answers or with errors found by a metric, and edited categories. All of it on SQLite and on PostgreSQL.
"""

import itertools
import json
import math
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete
from sqlalchemy.engine import URL

from mteval.analysis.people.judgements import judgement_frame, judgements_of_campaign
from mteval.annotations import (
    AnnotationStore,
    Answer,
    Campaign,
    Category,
    Mark,
    SaidMark,
    Task,
    Typology,
    from_json,
    merged,
    prefilled,
    to_json,
)
from mteval.annotations.campaigns import MOST_MARKS, WAYS
from mteval.annotations.database import shared_store
from mteval.annotations.protocol import LONGEST_COMMENT, WrongAnswer
from mteval.annotations.schema import MarkRow, TaskRow, mark_row
from mteval.base.errors import MtevalError
from mteval.readers.formats.judgement_tables import read_judged_outputs
from mteval.render.frames import frame_csv
from mteval.values.asker import OPERATOR, Asker
from tests.annotations.conftest import N_SEGMENTS, campaign, tasks_for
from tests.ui.server.test_answers import post

NUMBERS = [
    math.nan, math.inf, -math.inf, -1, -1e300, 1e300, -0.0, 0, 0.1, 100, 100.000001, 101, 10**30, -(2**63), True,
    "50", [], {},
]  # fmt: skip
PLACES = [-1, 0, 1, 6, 8, 13, 14, 1_000_000, 10**9, 10**9 + 1, 2**63, 10**30, 1.5, "3", None, True, [0]]
TEXTS = [
    "", "\0", "a\0b", "\ud800", "\udfff x", "x" * 200, "x" * 201, "x" * LONGEST_COMMENT, "x" * (LONGEST_COMMENT + 1),
    "🙂" * LONGEST_COMMENT, "Other", "other", "Accuracy/Omission", "<script>", "\u2028\u202e", "'; DROP TABLE tasks",
    "=1+1", "\r\n\t", "\uffff", 5, None, [],
]  # fmt: skip
SEVERITIES = ["neutral", "minor", "major", "critical", "", "Major", "awful", "min\0or", None, 3]
SIDES = ["hypothesis", "source", "Left", "0", "", "hypothesis\0", None]
PREFERENCES = ["first", "second", "equal", "left", "", "first\0", 1]
WINDOWS = ["w", "w w 3", "x" * 40, "x" * 41, "w\0", "\ud800", "", 3]
COUNTS = [0, 1, 2, MOST_MARKS, MOST_MARKS + 1, 2 * MOST_MARKS]
FIELDS: dict[str, list[Any]] = {
    **dict.fromkeys(("adequacy", "fluency", "score", "seconds", "paused"), NUMBERS),
    "preference": PREFERENCES,
    "comment": TEXTS,
    "is_complete": [True, False, 1, "yes", None],
    "window": WINDOWS,
    "number": PLACES,
    "base": PLACES,
}
MARK_FIELDS: dict[str, list[Any]] = {
    "id": ["m", "1", "", "x" * 201, "\0", 3],
    "text": SIDES,
    "start": PLACES,
    "end": PLACES,
    "severity": SEVERITIES,
    "category": TEXTS,
    "comment": TEXTS,
    "is_rejected": [True, False, 1, None],
}
GOOD: dict[str, dict[str, Any]] = {
    "rating": {"adequacy": 61.5, "fluency": 7.0},
    "errors": {},
    "esa": {"score": 40.0},
    "preference": {"preference": "second"},
    "adaptive": {"score": 40.0},
}
CATEGORY_OF = {"errors": "Other"}
GOOD_MARK = {"text": "hypothesis", "start": 0, "end": 6, "severity": "minor", "comment": "why"}
SHORT_MARK = {"text": "hypothesis", "start": 0, "end": 6, "severity": "minor"}
KINDS = (*WAYS, "adaptive")


def campaign_of(kind: str, uid: str) -> Campaign:
    """A campaign of a protocol; an adaptive one shows three of five outputs."""
    if kind != "adaptive":
        return campaign(kind, uid=uid, name=f"campaign of {kind}")
    esa_campaign = campaign("esa", uid=uid, name="adaptive campaign", n_outputs=5)
    plan = replace(esa_campaign.plan, side_by_side=3, is_adaptive=True, is_merged=True)
    return replace(esa_campaign, plan=plan)


def dealt(campaign: Campaign, *annotators: str) -> tuple[Task, ...]:
    """The tasks of annotators; in an adaptive campaign the outputs of a segment are merged into one."""
    tasks = tasks_for(campaign, *annotators)
    if campaign.plan.is_adaptive:
        return merged(campaign, tasks)
    return tasks


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Any) -> URL:
    """An empty database of either kind."""
    if request.param == "sqlite":
        return URL.create("sqlite", database=str(tmp_path / "annotations.sqlite"))
    new_database: URL = request.getfixturevalue("postgres").new_database()
    return new_database


@pytest.fixture
def store(url: URL, monkeypatch: pytest.MonkeyPatch) -> Iterator[AnnotationStore]:
    """The store of the server."""
    monkeypatch.setenv("MTEVAL_DATABASE", url.render_as_string(hide_password=False))
    server_store = shared_store()
    yield server_store
    server_store.close()


def begin(store: AnnotationStore, kind: str) -> str:
    """Add a campaign of a kind, in which bob has answered three items. Of an adaptive one, these are drawn, and the
    first three of ann.
    """
    uid = f"{KINDS.index(kind):032x}"
    new_campaign = campaign_of(kind, uid)
    store.add(new_campaign, dealt(new_campaign, "ann", "bob"), OPERATOR)
    if kind == "adaptive":
        for annotator in ("ann", "bob"):
            store.assign([task.id for task in store.tasks(uid, annotator)[:3]], OPERATOR)
    marks = []
    if kind in ("errors", "esa"):
        marks.append(GOOD_MARK)
    for task in store.tasks(uid, "bob")[:3]:
        answer = named(kind, {"is_complete": True, "marks": marks})
        assert store.answer(task.id, answer_of(answer), OPERATOR) == 1
    return uid


def named(kind: str, changes: dict[str, Any]) -> dict[str, Any]:
    """A good answer with changes, each mark named; a value that is None is left out."""
    values = {**GOOD[kind], **changes}
    category = CATEGORY_OF.get(kind, "")
    marks = []
    for number, mark in enumerate(values.get("marks", ())):
        marks.append({"category": category, **mark, "id": f"m{number}"})
    values["marks"] = marks
    return form(**{name: value for name, value in values.items() if value is not None})


def form(**values: Any) -> dict[str, Any]:
    """An answer as a page sends it."""
    return {"window": uuid4().hex, "number": 1, "base": 0, **values}


def answer_of(values: dict[str, Any]) -> Answer:
    """An answer for the store, whatever its values are."""
    marks = tuple(SaidMark(**mark) for mark in values.get("marks", ()))
    return Answer(**{**values, "marks": marks})


def tasks_without_ids(store: AnnotationStore, uid: str, annotator: str) -> list[Task]:
    """The tasks of an annotator with what was answered, as they can be compared."""
    return [replace(task, id=0) for task in store.tasks(uid, annotator)]


def plain(value: Any) -> Any:
    """A value as a database holds it: a text without zeros and halves of pairs."""
    if isinstance(value, str):
        return value.replace("\0", "").encode("utf-8", "replace").decode()
    return value


def as_in_a_file(task: Task) -> Task:
    """A task without what a database gives it."""
    marks = tuple(replace(mark, id=0) for mark in task.marks)
    rejected = tuple(replace(mark, id=0) for mark in task.rejected)
    return replace(task, id=0, revision=0, marks=marks, rejected=rejected)


def assert_is_readable(store: AnnotationStore, uid: str) -> None:
    """Check that the export of a campaign is read again, with everything in it."""
    exported = store.campaign(uid)
    answers = store.answers(uid)
    assert answers.wrong == ()

    imported, tasks = from_json(to_json(exported, answers.tasks), "export.json")
    assert tasks == tuple(map(as_in_a_file, answers.tasks))
    assert to_json(imported, tasks) == to_json(exported, answers.tasks)


@st.composite
def hostile_forms(draw: st.DrawFn, kind: str) -> dict[str, Any]:
    """A good answer of a protocol, in which up to three values are hostile."""
    values: dict[str, Any] = {**GOOD[kind], "is_complete": draw(st.booleans())}
    good_mark = {**GOOD_MARK, "category": CATEGORY_OF.get(kind, "")}
    if kind not in ("rating", "preference") or draw(st.integers(0, 5)) == 0:
        n_marks = 1
        if draw(st.integers(0, 7)) == 0:
            n_marks = draw(st.sampled_from(COUNTS))
        values["marks"] = [{**good_mark, "id": f"m{number}"} for number in range(n_marks)]

    for _ in range(draw(st.integers(0, 3))):
        if values.get("marks") and draw(st.booleans()):
            name = draw(st.sampled_from(sorted(MARK_FIELDS)))
            values["marks"][0][name] = draw(st.sampled_from(MARK_FIELDS[name]))
        else:
            name = draw(st.sampled_from(sorted(FIELDS)))
            values[name] = draw(st.sampled_from(FIELDS[name]))
    return form(**values)


def post_as_ann(store: AnnotationStore, uid: str, task: Task, answer: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Send an answer of the annotator ann; return the status, and what is said."""
    token = store.links(uid).annotators["ann"]
    return post({"token": token, "task": task.id, "answer": answer})


def by_post(store: AnnotationStore, uid: str, task: Task, values: dict[str, Any]) -> bool:
    """Send an answer; return whether it was accepted."""
    status, response = post_as_ann(store, uid, task, values)
    assert status in (200, 400, 409), response
    if status != 200:
        assert response["error"]
    return status == 200


def by_method(store: AnnotationStore, uid: str, task: Task, values: dict[str, Any]) -> bool:
    """Give an answer to the store; return whether it was accepted."""
    try:
        store.answer(task.id, answer_of(values), Asker(token=store.links(uid).annotators["ann"]))
    except MtevalError:
        return False
    return True


def assert_is_stored(task: Task, values: dict[str, Any]) -> None:
    """Check that a task has all values of an answer, and its marks but for those that were rejected."""
    for name in ("adequacy", "fluency", "score", "preference", "comment", "is_complete"):
        if values.get(name) is not None:
            assert getattr(task, name) == plain(values[name])

    mark_of_id = {mark["id"]: mark for mark in values.get("marks", ()) if not mark.get("is_rejected")}
    for stored_mark, mark in zip(task.marks, mark_of_id.values(), strict=True):
        assert stored_mark.side == plain(mark["text"])
        assert stored_mark.start == mark["start"]
        assert stored_mark.end == mark["end"]
        assert stored_mark.severity == plain(mark["severity"])
        assert stored_mark.category == plain(mark["category"])


@pytest.mark.parametrize("kind", KINDS)
def test_an_accepted_answer_is_exported_and_a_refused_one_changes_nothing(store: AnnotationStore, kind: str) -> None:
    uid = begin(store, kind)
    work_of_bob = tasks_without_ids(store, uid, "bob")
    outcomes: set[bool] = set()

    @given(data=st.data())
    @settings(max_examples=50, suppress_health_check=list(HealthCheck))
    def check(data: st.DataObject) -> None:
        door = data.draw(st.sampled_from([by_post, by_method]))
        place = data.draw(st.integers(0, N_SEGMENTS - 1))
        values = data.draw(hostile_forms(kind))
        tasks_before = store.tasks(uid, "ann")
        task_before = tasks_before[place]
        if isinstance(values["base"], int) and values["base"] == 0:
            values["base"] = task_before.revision

        is_accepted = door(store, uid, task_before, values)

        outcomes.add(is_accepted)
        tasks = store.tasks(uid, "ann")
        if tasks[place].revision == task_before.revision:  # it was refused, or a repeated delivery
            assert tasks == tasks_before
        else:
            assert is_accepted
            assert_is_stored(tasks[place], values)
        assert tasks_without_ids(store, uid, "bob") == work_of_bob

    check()
    assert_is_readable(store, uid)
    assert outcomes == {True, False}
    assert store.check() == ()


@pytest.mark.parametrize("kind", KINDS)
def test_a_campaign_with_hostile_answers_is_added_readable_or_not_at_all(store: AnnotationStore, kind: str) -> None:
    uid_of_neighbour = begin(store, kind)
    new_campaign = replace(campaign_of(kind, "f" * 32), name="added")
    first_task, *further_tasks = dealt(new_campaign, "ann", "bob")
    if kind == "adaptive":
        first_task = replace(first_task, probability=0.5)
    outcomes: set[tuple[str, bool]] = set()

    def values_of_task(values: dict[str, Any]) -> dict[str, Any]:
        """An answer as it is in a task."""
        marks = []
        for mark in values.get("marks", ()):
            mark_of_task = {name: value for name, value in mark.items() if name not in ("id", "is_rejected", "text")}
            marks.append({**mark_of_task, "side": mark["text"]})
        answered = {name: value for name, value in values.items() if name not in ("window", "number", "base")}
        return {**answered, "marks": marks}

    def from_file(values: dict[str, Any]) -> tuple[Campaign, tuple[Task, ...]]:
        content = json.loads(to_json(new_campaign, [first_task, *further_tasks]))
        content["tasks"][0] |= values_of_task(values)
        return from_json(json.dumps(content), "c.json")

    def from_values(values: dict[str, Any]) -> tuple[Campaign, tuple[Task, ...]]:
        changes = values_of_task(values)
        changes["marks"] = tuple(Mark(**mark) for mark in changes["marks"])
        return new_campaign, (replace(first_task, **changes), *further_tasks)

    @given(values=hostile_forms(kind), door=st.sampled_from([from_file, from_values]))
    @settings(max_examples=40, suppress_health_check=list(HealthCheck))
    def check(values: dict[str, Any], door: Callable[..., Any]) -> None:
        is_added = False
        with suppress(MtevalError):
            store.add(*door(values), OPERATOR)
            is_added = True
        outcomes.add((door.__name__, is_added))
        names = [listed.name for listed in store.list_campaigns()]
        assert ("added" in names) == is_added
        if is_added:
            assert_is_readable(store, new_campaign.uid)
            store.delete(new_campaign.uid, OPERATOR)

    check()
    assert len(outcomes) == 4, "either door lets some in and refuses some"
    assert_is_readable(store, uid_of_neighbour)


def test_errors_found_by_a_metric_fit_their_outputs_or_no_campaign_starts(store: AnnotationStore) -> None:
    new_campaign = campaign_of("esa", "f" * 32)
    first_task, *further_tasks = tasks_for(new_campaign, "ann")
    length_of_output = 13
    for n_spans, end in itertools.product(COUNTS, [6, 13, 14, 1_000_000]):
        spans = [(0, end, "minor")] * n_spans
        prefilled_tasks = prefilled([first_task], "xCOMET", lambda output, segment, spans=spans: spans)
        tasks = (*prefilled_tasks, *further_tasks)

        fits = n_spans == 0 or (end <= length_of_output and n_spans <= MOST_MARKS)
        if fits:
            store.add(new_campaign, tasks, OPERATOR)
            assert_is_readable(store, new_campaign.uid)
            store.delete(new_campaign.uid, OPERATOR)
        else:
            with pytest.raises(MtevalError, match="cannot be stored: in judgement 0 of 'ann'"):
                store.add(new_campaign, tasks, OPERATOR)
            assert store.list_campaigns() == ()


def test_categories_and_names_can_be_read_again_or_are_refused(store: AnnotationStore) -> None:
    uid = begin(store, "errors")
    names = [text for text in TEXTS if isinstance(text, str)]
    for name in names:
        with suppress(MtevalError):
            store.set_typology(uid, Typology((Category(name),)), OPERATOR)
        assert_is_readable(store, uid)

        outputs = tuple(replace(output, system=name) for output in campaign().outputs)
        for change in ({"name": name}, {"test_set": name}, {"instructions": name}, {"outputs": outputs}):
            with suppress(MtevalError):
                added = replace(campaign(uid="f" * 32, name="added"), **change)
                store.add(added, tasks_for(added, "ann"), OPERATOR)
                assert_is_readable(store, added.uid)
                store.delete(added.uid, OPERATOR)
    assert len(store.list_campaigns()) == 1


# What an earlier version stored: each is one valid POST of an annotator.
STORED: dict[str, tuple[str, dict[str, Any], str]] = {
    "a mark outside its text": ("esa", {"marks": [{**GOOD_MARK, "end": 1_000_000}]}, "0 to 1,000,000 of the output"),
    "an empty mark": ("esa", {"marks": [{**GOOD_MARK, "start": 6}]}, "6 to 6 of the output; mark at least one word"),
    "no rating": ("rating", {"adequacy": None, "is_complete": True}, "complete without 'adequacy'"),
    "no score": ("esa", {"score": None, "is_complete": True}, "complete without 'score'"),
    "no preference": ("preference", {"preference": None, "is_complete": True}, "complete without 'preference'"),
    "negative time": ("esa", {"seconds": -1e300}, "'seconds' is -1e+300; expected a number from 0"),
    "a rating among errors": ("errors", {"adequacy": 50.0}, "'adequacy', which this campaign ('errors')"),
    "a score among ratings": ("rating", {"score": 50.0}, "'score', which this campaign ('rating')"),
    "a preference among scores": ("esa", {"preference": "first"}, "'preference', which this campaign ('esa')"),
    "errors among preferences": ("preference", {"marks": [GOOD_MARK]}, "marked errors, which this campaign"),
    "too many marks": ("esa", {"marks": [GOOD_MARK] * 501}, "501 marked errors; the limit is 500"),
    "a long comment": ("esa", {"comment": "x" * 5_001}, "a comment has 5,001 characters; the limit is 5,000"),
    "an answer before its output is drawn": ("adaptive", {}, "answered before its output was drawn"),
}
# What could not be read again, but is refused only when it is said: a campaign's categories may change.
REFUSED = STORED | {
    "too many marks": ("esa", {"marks": [GOOD_MARK] * 501}, "'answer.marks' has 501 entries; expected a list of at"),
    "far too many marks": ("esa", {"marks": [SHORT_MARK] * 9_000}, "9,000 entries; expected a list of at most 500 mar"),
    "a zero in a comment": ("esa", {"comment": "a\0b"}, "a comment or category has the character U+0000"),
    "a zero in a mark's comment": ("esa", {"marks": [{**GOOD_MARK, "comment": "\0"}]}, "the character U+0000"),
    "a zero in a category": ("errors", {"marks": [{**GOOD_MARK, "category": "Ot\0her"}]}, "the character U+0000"),
    "an unknown category": ("errors", {"marks": [{**GOOD_MARK, "category": "Nonsense"}]}, "category 'Nonsense'"),
    "no category": ("errors", {"marks": [{**GOOD_MARK, "category": ""}]}, "category '' is not one"),
    "a category of another protocol": ("esa", {"marks": [{**GOOD_MARK, "category": "Other"}]}, "has no categories"),
    "a severity of another protocol": ("esa", {"marks": [{**GOOD_MARK, "severity": "critical"}]}, "minor, major"),
    "an unknown severity": ("errors", {"marks": [{**GOOD_MARK, "severity": "awful"}]}, "'awful'; expected one of"),
}


def test_what_a_protocol_does_not_allow_is_refused_with_a_reason(store: AnnotationStore) -> None:
    uids = {kind: begin(store, kind) for kind in KINDS}
    for case, (kind, changes, reason) in REFUSED.items():
        uid = uids[kind]
        tasks_before = store.tasks(uid)
        task = store.tasks(uid, "ann")[5]

        status, response = post_as_ann(store, uid, task, named(kind, changes))

        assert status == 400, case
        assert reason in response["error"], case
        assert store.tasks(uid) == tasks_before, case
    for uid in uids.values():
        assert_is_readable(store, uid)


def test_two_marks_with_one_id_are_refused(store: AnnotationStore) -> None:
    uid = begin(store, "esa")
    tasks_before = store.tasks(uid, "ann")
    task = tasks_before[5]
    reason_of_id = {
        "m": "two marked errors have the ID 'm'",
        "a\0b": "ASCII",
        "a b": "ASCII",
        "é": "ASCII",
    }

    for mark_id, reason in reason_of_id.items():
        answer = form(marks=[{**GOOD_MARK, "id": mark_id}] * 2)
        status, response = post_as_ann(store, uid, task, answer)
        assert status == 400, response
        assert reason in response["error"]

    answer = form(marks=[{**GOOD_MARK, "id": "m"}] * 2)
    with pytest.raises(MtevalError, match="two marked errors have the ID 'm'"):
        store.answer(task.id, answer_of(answer), OPERATOR)
    assert store.tasks(uid, "ann") == tasks_before


def test_an_answer_or_a_campaign_with_one_key_twice_is_refused(store: AnnotationStore) -> None:
    uid = begin(store, "esa")
    tasks_before = store.tasks(uid, "ann")
    token = store.links(uid).annotators["ann"]
    answer = form(score=40.0, is_complete=True)
    body = json.dumps({"token": token, "task": tasks_before[5].id, "answer": answer})

    status, response = post(body.replace('"score": 40.0', '"score": 90.0, "score": 40.0').encode())
    assert status == 400
    assert "the same key twice" in response["error"]
    assert store.tasks(uid, "ann") == tasks_before

    status, _ = post(body.encode())
    assert status == 200
    exported = to_json(store.campaign(uid), store.tasks(uid))
    with pytest.raises(MtevalError, match="the same key twice"):
        from_json(exported.replace('"score": 40.0', '"score": 90.0, "score": 40.0', 1), "c.json")


def test_far_too_many_marks_are_refused_before_any_is_read() -> None:
    for marks in ([SHORT_MARK] * 9_000, [None] * 9_000, ["x"] * 100_000):
        status, response = post({"token": "t", "task": 1, "answer": form(marks=marks)})

        assert status == 400
        assert f"'answer.marks' has {len(marks):,} entries" in response["error"]


@pytest.mark.parametrize("comment", ["\x1b[31m", "a\rb\nc", "\ufffe\uffff", "\u202e", "\x85\u2028", "=1+1", "⟨U+0000⟩"])
def test_odd_comments_are_exported_shown_safely_and_read_again(store: AnnotationStore, comment: str) -> None:
    uid = begin(store, "errors")
    task = store.tasks(uid, "ann")[0]
    mark = {**GOOD_MARK, "id": "m", "category": "Other", "comment": comment}

    status, _ = post_as_ann(store, uid, task, form(comment=comment, marks=[mark], is_complete=True))
    assert status == 200
    assert_is_readable(store, uid)

    stored_campaign = store.campaign(uid)
    tasks = store.tasks(uid, "ann")
    assert tasks[0].comment == comment
    assert tasks[0].marks[0].comment == comment
    exported = to_json(stored_campaign, tasks)
    assert exported.isascii()
    assert not re.search("[\0-\x09\x0b-\x1f\x7f]", exported)
    table = frame_csv(judgement_frame(judgements_of_campaign(stored_campaign, tasks)))
    assert not re.search("[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e\ufffe\uffff]", table)
    judgements, _ = read_judged_outputs(table, "j.csv") or ([], [])
    assert {judgement.annotator for judgement in judgements} == {"ann"}


def store_as_before(store: AnnotationStore, task: int, kind: str, changes: dict[str, Any]) -> None:
    """Store an answer without any check, as earlier versions did."""
    values = named(kind, changes)
    with store.database.writing() as session:
        row = session.get_one(TaskRow, task)
        for name in ("adequacy", "fluency", "score", "preference", "seconds", "paused"):
            setattr(row, name, None)
        session.execute(delete(MarkRow).where(MarkRow.task_id == task))
        for name in set(values) - {"window", "number", "base", "marks"}:
            setattr(row, name, values[name])
        for mark in values["marks"]:
            values_of_mark = {name: value for name, value in mark.items() if name not in ("id", "text")}
            session.add(mark_row(task, Mark(mark["text"], **values_of_mark)))


def test_a_wrong_answer_that_is_stored_is_named_and_all_others_are_exported(store: AnnotationStore) -> None:
    uids = {kind: begin(store, kind) for kind in KINDS}
    for case, (kind, changes, reason) in STORED.items():
        uid = uids[kind]
        name = store.campaign(uid).name
        work_of_bob = tasks_without_ids(store, uid, "bob")
        task = store.tasks(uid, "ann")[5]
        store_as_before(store, task.id, kind, changes)

        answers = store.answers(uid)
        (wrong,) = answers.wrong
        assert wrong.campaign == name, case
        assert wrong.annotator == "ann", case
        assert wrong.position == 5, case
        assert reason in wrong.reason, case
        assert store.check() == (str(wrong),), case
        assert f"'{name}', judgement 6 of 'ann': " in str(wrong), case
        _, tasks = from_json(to_json(store.campaign(uid), answers.tasks), "export.json")
        assert tasks_without_ids(store, uid, "bob") == work_of_bob, case
        assert tasks == tuple(map(as_in_a_file, answers.tasks)), case
        exported_task = next(task for task in tasks if task.annotator == "ann" and task.position == 5)
        assert not exported_task.is_complete, case

        if kind == "adaptive":
            store.assign([task.id for task in store.tasks(uid, "ann")[3:6]], OPERATOR)
        right_answer = named(kind, {"is_complete": True}) | {"base": task.revision}
        status, _ = post_as_ann(store, uid, task, right_answer)
        assert status == 200, case
        assert_is_readable(store, uid)
        assert store.check() == (), case
        assert store.tasks(uid, "ann")[5].is_complete, case


def test_as_many_errors_as_are_allowed_are_saved_again_and_again_quickly(store: AnnotationStore) -> None:
    uid = begin(store, "esa")
    task = store.tasks(uid, "ann")[0]
    marks = []
    for number in range(MOST_MARKS):
        start = number % 12
        marks.append({**GOOD_MARK, "start": start, "end": start + 1})

    began = time.process_time()
    for number in range(1, 6):
        marks[0] = {**marks[0], "comment": f"changed {number}"}
        answer = named("esa", {"marks": marks}) | {"window": "w", "number": number}
        status, _ = post_as_ann(store, uid, task, answer)
        assert status == 200
    seconds = (time.process_time() - began) / 5
    assert len(store.tasks(uid, "ann")[0].marks) == MOST_MARKS
    assert seconds < 2, f"{seconds:.2f} seconds of computation for an answer"


def test_a_wrong_answer_says_where_it_is() -> None:
    wrong = WrongAnswer("reading", "ann", 0, "it is complete without 'score'")
    assert str(wrong).startswith("Campaign 'reading', judgement 1 of 'ann': it is complete without 'score'.")
