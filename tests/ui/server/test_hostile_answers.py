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
    one = campaign("esa", uid=uid, name="adaptive campaign", n_outputs=5)
    return replace(one, plan=replace(one.plan, side_by_side=3, is_adaptive=True, is_merged=True))


def dealt(one: Campaign, *annotators: str) -> tuple[Task, ...]:
    return merged(one, tasks_for(one, *annotators)) if one.plan.is_adaptive else tasks_for(one, *annotators)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Any) -> URL:
    if request.param == "sqlite":
        return URL.create("sqlite", database=str(tmp_path / "annotations.sqlite"))
    new: URL = request.getfixturevalue("postgres").new_database()
    return new


@pytest.fixture
def store(url: URL, monkeypatch: pytest.MonkeyPatch) -> Iterator[AnnotationStore]:
    """The store of the server."""
    monkeypatch.setenv("MTEVAL_DATABASE", url.render_as_string(hide_password=False))
    one = shared_store()
    yield one
    one.close()


def begin(store: AnnotationStore, kind: str) -> str:
    """Add a campaign of a kind, in which bob has answered three items. Of an adaptive one, these are drawn, and the
    first three of ann.
    """
    made = campaign_of(kind, f"{KINDS.index(kind):032x}")
    store.add(made, dealt(made, "ann", "bob"), OPERATOR)
    if kind == "adaptive":
        for annotator in ("ann", "bob"):
            store.assign([task.id for task in store.tasks(made.uid, annotator)[:3]], OPERATOR)
    for task in store.tasks(made.uid, "bob")[:3]:
        marks = [GOOD_MARK] if kind in ("errors", "esa") else []
        said = named(kind, {"is_complete": True, "marks": marks})
        assert store.answer(task.id, answer_of(said), OPERATOR) == 1
    return made.uid


def named(kind: str, changes: dict[str, Any]) -> dict[str, Any]:
    """A good answer with changes, each mark named."""
    said = {**GOOD[kind], **changes}
    category = CATEGORY_OF.get(kind, "")
    marks = enumerate(said.get("marks", ()))
    said["marks"] = [{"category": category, **mark, "id": f"m{number}"} for number, mark in marks]
    return form(**{name: value for name, value in said.items() if value is not None})


def form(**said: Any) -> dict[str, Any]:
    """An answer as a page sends it."""
    return {"window": uuid4().hex, "number": 1, "base": 0, **said}


def answer_of(said: dict[str, Any]) -> Answer:
    """An answer for the store, whatever its values are."""
    return Answer(**{**said, "marks": tuple(SaidMark(**mark) for mark in said.get("marks", ()))})


def said_of(store: AnnotationStore, uid: str, annotator: str) -> list[Task]:
    return [replace(task, id=0) for task in store.tasks(uid, annotator)]


def plain(value: Any) -> Any:
    """A text as a database holds it."""
    return value.replace("\0", "").encode("utf-8", "replace").decode() if isinstance(value, str) else value


def as_in_a_file(task: Task) -> Task:
    """A task without what a database gives it."""
    marks, rejected = ([replace(mark, id=0) for mark in some] for some in (task.marks, task.rejected))
    return replace(task, id=0, revision=0, marks=tuple(marks), rejected=tuple(rejected))


def is_readable(store: AnnotationStore, uid: str) -> None:
    """The export of a campaign is read again, with everything in it."""
    one, answers = store.campaign(uid), store.answers(uid)
    assert answers.wrong == ()
    again, tasks = from_json(to_json(one, answers.tasks), "export.json")
    assert tasks == tuple(map(as_in_a_file, answers.tasks))
    assert to_json(again, tasks) == to_json(one, answers.tasks)


@st.composite
def hostile_forms(draw: st.DrawFn, kind: str) -> dict[str, Any]:
    """A good answer of a protocol, in which up to three values are hostile."""
    said: dict[str, Any] = {**GOOD[kind], "is_complete": draw(st.booleans())}
    marks = [{"id": "m", **GOOD_MARK, "category": CATEGORY_OF.get(kind, "")}]
    if kind not in ("rating", "preference") or draw(st.integers(0, 5)) == 0:
        count = draw(st.sampled_from(COUNTS) if draw(st.integers(0, 7)) == 0 else st.just(1))
        said["marks"] = [{**marks[0], "id": f"m{number}"} for number in range(count)]
    for _ in range(draw(st.integers(0, 3))):
        if said.get("marks") and draw(st.booleans()):
            name = draw(st.sampled_from(sorted(MARK_FIELDS)))
            said["marks"][0] |= {name: draw(st.sampled_from(MARK_FIELDS[name]))}
        else:
            name = draw(st.sampled_from(sorted(FIELDS)))
            said[name] = draw(st.sampled_from(FIELDS[name]))
    return form(**said)


def by_post(store: AnnotationStore, uid: str, task: Task, said: dict[str, Any]) -> bool:
    token = store.links(uid).annotators["ann"]
    status, told = post({"token": token, "task": task.id, "answer": said})
    assert status in (200, 400, 409), told
    assert (status == 200) or told["error"]
    return status == 200


def by_method(store: AnnotationStore, uid: str, task: Task, said: dict[str, Any]) -> bool:
    try:
        store.answer(task.id, answer_of(said), Asker(token=store.links(uid).annotators["ann"]))
    except MtevalError:
        return False
    return True


@pytest.mark.parametrize("kind", KINDS)
def test_an_accepted_answer_is_exported_and_a_refused_one_changes_nothing(store: AnnotationStore, kind: str) -> None:
    uid = begin(store, kind)
    work_of_bob = said_of(store, uid, "bob")
    outcomes: set[bool] = set()

    @given(data=st.data())
    @settings(max_examples=50, suppress_health_check=list(HealthCheck))
    def check(data: st.DataObject) -> None:
        door = data.draw(st.sampled_from([by_post, by_method]))
        place = data.draw(st.integers(0, N_SEGMENTS - 1))
        said = data.draw(hostile_forms(kind))
        before = store.tasks(uid, "ann")
        if isinstance(said["base"], int) and said["base"] == 0:
            said["base"] = before[place].revision
        is_accepted = door(store, uid, before[place], said)
        outcomes.add(is_accepted)
        after = store.tasks(uid, "ann")
        if after[place].revision == before[place].revision:  # it was refused, or a repeated delivery
            assert after == before
        else:
            assert is_accepted
            for name in ("adequacy", "fluency", "score", "preference", "comment", "is_complete"):
                assert said.get(name) is None or getattr(after[place], name) == plain(said[name])
            own = {mark["id"]: mark for mark in said.get("marks", ()) if not mark.get("is_rejected")}
            kept = [(mark.side, mark.start, mark.end, mark.severity, mark.category) for mark in after[place].marks]
            names = ("text", "start", "end", "severity", "category")
            assert kept == [tuple(plain(mark[name]) for name in names) for mark in own.values()]
        assert said_of(store, uid, "bob") == work_of_bob

    check()
    is_readable(store, uid)
    assert outcomes == {True, False}
    assert store.check() == ()


@pytest.mark.parametrize("kind", KINDS)
def test_a_campaign_with_hostile_answers_is_added_readable_or_not_at_all(store: AnnotationStore, kind: str) -> None:
    other = begin(store, kind)
    made = replace(campaign_of(kind, "f" * 32), name="added")
    first, *others = dealt(made, "ann", "bob")
    if kind == "adaptive":
        first = replace(first, probability=0.5)
    outcomes: set[tuple[str, bool]] = set()

    def task_of(said: dict[str, Any]) -> dict[str, Any]:
        """An answer as it is in a task."""
        values = {name: said[name] for name in said if name not in ("window", "number", "base", "marks")}
        marks = [
            {name: mark[name] for name in mark if name not in ("id", "is_rejected", "text")}
            for mark in said.get("marks", ())
        ]
        sides = [mark["text"] for mark in said.get("marks", ())]
        return {**values, "marks": [{**mark, "side": side} for mark, side in zip(marks, sides, strict=True)]}

    def from_file(said: dict[str, Any]) -> tuple[Campaign, tuple[Task, ...]]:
        content = json.loads(to_json(made, [first, *others]))
        content["tasks"][0] |= task_of(said)
        return from_json(json.dumps(content), "c.json")

    def from_values(said: dict[str, Any]) -> tuple[Campaign, tuple[Task, ...]]:
        values = task_of(said)
        values["marks"] = tuple(Mark(**mark) for mark in values["marks"])
        return made, (replace(first, **values), *others)

    @given(said=hostile_forms(kind), door=st.sampled_from([from_file, from_values]))
    @settings(max_examples=40, suppress_health_check=list(HealthCheck))
    def check(said: dict[str, Any], door: Callable[..., Any]) -> None:
        is_added = False
        with suppress(MtevalError):
            store.add(*door(said), OPERATOR)
            is_added = True
        outcomes.add((door.__name__, is_added))
        assert ("added" in [listed.name for listed in store.list_campaigns()]) == is_added
        if is_added:
            is_readable(store, made.uid)
            store.delete(made.uid, OPERATOR)

    check()
    assert len(outcomes) == 4
    is_readable(store, other)


def test_errors_found_by_a_metric_fit_their_outputs_or_no_campaign_starts(store: AnnotationStore) -> None:
    made = campaign_of("esa", "f" * 32)
    first, *others = tasks_for(made, "ann")
    for count, end in itertools.product(COUNTS, [6, 13, 14, 1_000_000]):
        spans = [(0, end, "minor")] * count
        tasks = (*prefilled([first], "xCOMET", lambda output, segment, found=spans: found), *others)
        if count and (end > 13 or count > MOST_MARKS):
            with pytest.raises(MtevalError, match="cannot be stored: in judgement 0 of 'ann'"):
                store.add(made, tasks, OPERATOR)
            assert store.list_campaigns() == ()
        else:
            store.add(made, tasks, OPERATOR)
            is_readable(store, made.uid)
            store.delete(made.uid, OPERATOR)


def test_categories_and_names_can_be_read_again_or_are_refused(store: AnnotationStore) -> None:
    uid = begin(store, "errors")
    for name in [text for text in TEXTS if isinstance(text, str)]:
        with suppress(MtevalError):
            store.set_typology(uid, Typology((Category(name),)), OPERATOR)
        is_readable(store, uid)
        for change in (
            {"name": name},
            {"test_set": name},
            {"instructions": name},
            {"outputs": tuple(replace(output, system=name) for output in campaign().outputs)},
        ):
            with suppress(MtevalError):
                added = replace(campaign(uid="f" * 32, name="added"), **change)
                store.add(added, tasks_for(added, "ann"), OPERATOR)
                is_readable(store, added.uid)
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
        before = store.tasks(uids[kind])
        task = store.tasks(uids[kind], "ann")[5]
        token = store.links(uids[kind]).annotators["ann"]
        status, told = post({"token": token, "task": task.id, "answer": named(kind, changes)})
        assert status == 400, case
        assert reason in told["error"], case
        assert store.tasks(uids[kind]) == before, case
    for uid in uids.values():
        is_readable(store, uid)


def test_two_marks_with_one_id_are_refused(store: AnnotationStore) -> None:
    uid = begin(store, "esa")
    before = store.tasks(uid, "ann")
    for name, reason in {
        "m": "two marked errors have the ID 'm'",
        "a\0b": "ASCII",
        "a b": "ASCII",
        "é": "ASCII",
    }.items():
        said = form(marks=[{**GOOD_MARK, "id": name}] * 2)
        status, told = post({"token": store.links(uid).annotators["ann"], "task": before[5].id, "answer": said})
        assert (status, reason in told["error"]) == (400, True), told
    with pytest.raises(MtevalError, match="two marked errors have the ID 'm'"):
        store.answer(before[5].id, answer_of(form(marks=[{**GOOD_MARK, "id": "m"}] * 2)), OPERATOR)
    assert store.tasks(uid, "ann") == before


def test_an_answer_or_a_campaign_with_one_key_twice_is_refused(store: AnnotationStore) -> None:
    uid = begin(store, "esa")
    before = store.tasks(uid, "ann")
    said = form(score=40.0, is_complete=True)
    body = json.dumps({"token": store.links(uid).annotators["ann"], "task": before[5].id, "answer": said})
    twice = body.replace('"score": 40.0', '"score": 90.0, "score": 40.0')
    status, told = post(twice.encode())
    assert (status, "the same key twice" in told["error"]) == (400, True)
    assert store.tasks(uid, "ann") == before
    assert post(body.encode())[0] == 200
    written = to_json(store.campaign(uid), store.tasks(uid))
    with pytest.raises(MtevalError, match="the same key twice"):
        from_json(written.replace('"score": 40.0', '"score": 90.0, "score": 40.0', 1), "c.json")


def test_far_too_many_marks_are_refused_before_any_is_read() -> None:
    for marks in ([SHORT_MARK] * 9_000, [None] * 9_000, ["x"] * 100_000):
        status, told = post({"token": "t", "task": 1, "answer": form(marks=marks)})
        assert (status, f"'answer.marks' has {len(marks):,} entries" in told["error"]) == (400, True)


@pytest.mark.parametrize("comment", ["\x1b[31m", "a\rb\nc", "\ufffe\uffff", "\u202e", "\x85\u2028", "=1+1", "⟨U+0000⟩"])
def test_odd_comments_are_exported_shown_safely_and_read_again(store: AnnotationStore, comment: str) -> None:
    uid = begin(store, "errors")
    tasks = store.tasks(uid, "ann")
    mark = {**GOOD_MARK, "id": "m", "category": "Other", "comment": comment}
    said = form(comment=comment, marks=[mark], is_complete=True)
    assert post({"token": store.links(uid).annotators["ann"], "task": tasks[0].id, "answer": said})[0] == 200
    is_readable(store, uid)
    made, answered = store.campaign(uid), store.tasks(uid, "ann")
    assert answered[0].comment == answered[0].marks[0].comment == comment
    written = to_json(made, answered)
    assert written.isascii()
    assert not re.search("[\0-\x09\x0b-\x1f\x7f]", written)
    table = frame_csv(judgement_frame(judgements_of_campaign(made, answered)))
    assert not re.search("[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e\ufffe\uffff]", table)
    judged, _ = read_judged_outputs(table, "j.csv") or ([], [])
    assert {judgement.annotator for judgement in judged} == {"ann"}


def store_as_before(store: AnnotationStore, task: int, kind: str, changes: dict[str, Any]) -> None:
    """Store an answer without any check, as earlier versions did."""
    said = named(kind, changes)
    with store.database.writing() as session:
        row = session.get_one(TaskRow, task)
        for name in ("adequacy", "fluency", "score", "preference", "seconds", "paused"):
            setattr(row, name, None)
        session.execute(delete(MarkRow).where(MarkRow.task_id == task))
        for name in set(said) - {"window", "number", "base", "marks"}:
            setattr(row, name, said[name])
        for mark in said["marks"]:
            values = {name: value for name, value in mark.items() if name not in ("id", "text")}
            session.add(mark_row(task, Mark(mark["text"], **values)))


def test_a_wrong_answer_that_is_stored_is_named_and_all_others_are_exported(store: AnnotationStore) -> None:
    uids = {kind: begin(store, kind) for kind in KINDS}
    for case, (kind, changes, reason) in STORED.items():
        uid = uids[kind]
        name = store.campaign(uid).name
        work_of_bob = said_of(store, uid, "bob")
        task = store.tasks(uid, "ann")[5]
        store_as_before(store, task.id, kind, changes)

        answers = store.answers(uid)
        (wrong,) = answers.wrong
        assert (wrong.campaign, wrong.annotator, wrong.position) == (name, "ann", 5), case
        assert reason in wrong.reason, case
        assert store.check() == (str(wrong),), case
        assert f"'{name}', judgement 6 of 'ann': " in str(wrong), case
        _, tasks = from_json(to_json(store.campaign(uid), answers.tasks), "export.json")
        assert said_of(store, uid, "bob") == work_of_bob, case
        assert tasks == tuple(map(as_in_a_file, answers.tasks)), case
        assert not next(one for one in tasks if (one.annotator, one.position) == ("ann", 5)).is_complete, case

        if kind == "adaptive":
            store.assign([one.id for one in store.tasks(uid, "ann")[3:6]], OPERATOR)
        token = store.links(uid).annotators["ann"]
        said = named(kind, {"is_complete": True}) | {"base": task.revision}
        assert post({"token": token, "task": task.id, "answer": said})[0] == 200, case
        is_readable(store, uid)
        assert store.check() == (), case
        assert store.tasks(uid, "ann")[5].is_complete, case


def test_as_many_errors_as_are_allowed_are_saved_again_and_again_quickly(store: AnnotationStore) -> None:
    uid = begin(store, "esa")
    task, token = store.tasks(uid, "ann")[0], store.links(uid).annotators["ann"]
    marks = [{**GOOD_MARK, "start": number % 12, "end": number % 12 + 1} for number in range(MOST_MARKS)]
    began = time.process_time()
    for number in range(1, 6):
        marks[0] = {**marks[0], "comment": f"changed {number}"}
        said = named("esa", {"marks": marks}) | {"window": "w", "number": number}
        assert post({"token": token, "task": task.id, "answer": said})[0] == 200
    seconds = (time.process_time() - began) / 5
    assert len(store.tasks(uid, "ann")[0].marks) == MOST_MARKS
    assert seconds < 2, f"{seconds:.2f} seconds of computation for an answer"


def test_a_wrong_answer_says_where_it_is() -> None:
    wrong = WrongAnswer("reading", "ann", 0, "it is complete without 'score'")
    assert str(wrong).startswith("Campaign 'reading', judgement 1 of 'ann': it is complete without 'score'.")
