"""Known answers are recognised, and what became of a metric's spans is counted."""

from dataclasses import replace

import pytest

from mteval.analysis.people.files import controls_frame, is_passed, mqm_text, prefilled_frame
from mteval.analysis.people.judgements import judgements, judgements_of_campaign
from mteval.annotations import Control, Mark, Task
from mteval.annotations.typology import word_spans
from tests.annotations.conftest import campaign

TEXT = "output 0 of 0"
CHECK = Control("check", "Quelle 0", "output elephant 0", 7, 15, intact=TEXT)
TRAINING = Control("training", "Quelle", "a wrong word", 2, 7, "minor", 10, 60)
FLAWLESS = Control("training", "Quelle", "right", low=90)


def asked(way: str):
    return replace(campaign(way), controls=(CHECK, TRAINING, FLAWLESS))


def task(control: int | None, *spans: tuple[int, int], way: str = "esa", position: int = 0, **said: object) -> Task:
    marks = tuple(Mark("hypothesis", start, end, "", "minor") for start, end in spans)
    kind = "random" if control is None else ("check", "training", "training")[control]
    output = None if way == "preference" else 0
    return Task("ann", position, 0, kind, output, is_complete=True, marks=marks, control=control, **said)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("way", "one", "passed"),
    [
        ("errors", task(0, (7, 15)), True),
        ("errors", task(0, (7, 17)), True),
        ("errors", task(0, (0, 17)), False),
        ("errors", task(0, (0, 6), (7, 15), (16, 17)), False),
        ("errors", task(0, (7, 15), (16, 17)), True),
        ("errors", task(0, (0, 7), (15, 17)), False),
        ("errors", task(0), False),
        ("esa", task(1, (2, 7), score=60), True),
        ("esa", task(1, (2, 7), score=61), False),
        ("esa", task(1, score=30), False),
        ("esa", task(2, score=90), True),
        ("esa", task(2, (0, 5), score=95), False),
        ("rating", task(1, adequacy=30), True),
        ("rating", task(1, adequacy=5), False),
        ("preference", task(0, way="preference", preference="first"), True),
        ("preference", task(0, way="preference", preference="equal"), False),
        ("esa", task(None, score=30), None),
        ("esa", replace(task(0, (7, 15)), is_complete=False), None),
    ],
)
def test_the_known_answer_is_recognised(way: str, one: Task, passed: bool | None) -> None:
    assert is_passed(asked(way), one, [one]) is passed


@pytest.mark.parametrize(("intact", "passed"), [(80.0, True), (40.0, False), (20.0, False), (None, None)])
def test_a_damaged_output_is_rated_lower_than_the_intact_one(intact: float | None, passed: bool | None) -> None:
    check, other = task(0, adequacy=40.0), task(None, position=1, adequacy=intact)
    assert is_passed(asked("rating"), check, [check, other]) is passed
    check, other = task(0, (7, 15), score=40.0), task(None, position=1, score=intact)
    assert is_passed(asked("esa"), check, [check, other]) is passed
    assert is_passed(asked("esa"), replace(check, marks=()), [check, other]) is False


@pytest.mark.parametrize("strategy", ["all", "each", "none", "first half", "the words"])
@pytest.mark.parametrize("words", ["a b c d e f g h i j k l", "一二三四五六七八九十", "ab cd"])
def test_marking_everything_fails_the_check(strategy: str, words: str) -> None:
    spans = word_spans(words)
    wrong = spans[len(spans) // 2 :][: max(1, len(spans) // 4)]
    control = Control("check", "", words, wrong[0][0], wrong[-1][1], intact="x")
    marked = {
        "all": [(0, len(words))],
        "each": spans,
        "none": [],
        "first half": [(0, spans[len(spans) // 2][1])],
        "the words": [(wrong[0][0], wrong[-1][1])],
    }[strategy]
    one = replace(campaign("errors"), controls=(control,))
    assert is_passed(one, task(0, *marked), []) is (strategy == "the words")


@pytest.mark.parametrize(
    ("severity", "category", "passed"),
    [("major", "Other", True), ("minor", "Other", False), ("major", "Fluency/Grammar", False)],
)
def test_an_error_needs_its_known_severity_and_category(severity: str, category: str, passed: bool) -> None:
    known = replace(TRAINING, severity="major", category="Other")
    one = replace(campaign("errors"), controls=(CHECK, known))
    assert is_passed(one, replace(task(1), marks=(Mark("hypothesis", 2, 7, category, severity),)), []) is passed


def test_passed_items_are_counted_by_annotator_and_kind() -> None:
    intact, rated = task(None, score=50), task(0, (7, 15), score=20)
    tasks = [rated, task(0), replace(task(0), is_complete=False), task(1, (2, 7), score=20), intact]
    of_bob = [replace(one, annotator="bob") for one in (rated, intact)]
    frame = controls_frame(asked("esa"), [*tasks, *of_bob])
    assert frame.to_numpy().tolist() == [
        ["ann", "training", 1, 1, 1],
        ["ann", "check", 3, 2, 1],
        ["bob", "check", 1, 1, 1],
    ]


def test_control_items_are_not_judgements() -> None:
    one = asked("errors")
    tasks = [task(0, (7, 15)), task(1, (2, 7)), task(None, (0, 6))]
    assert len(judgements(one, tasks)) == 1
    assert len(judgements_of_campaign(one, tasks)) == 1
    assert mqm_text(one, tasks).count("<v>") == 1


def test_changes_to_prefilled_errors_are_counted() -> None:
    found = Mark("hypothesis", 0, 6, "", "minor", origin="xCOMET", suggested="minor")
    said = replace(task(None, (7, 8)), rejected=(found,))
    kept = replace(task(None), marks=(found, replace(found, severity="major")))
    frame = prefilled_frame([said, kept, replace(said, is_complete=False), replace(said, control=0)])
    assert frame.to_numpy().tolist() == [["ann", "xCOMET", 3, 1, 1, 1, 1]]
    judged = judgements_of_campaign(campaign("esa"), [replace(one, score=50.0) for one in (said, kept)])
    assert [error.origin for one in judged for error in one.errors] == ["", "xCOMET", "xCOMET"]


def test_weights_in_the_file_override_those_of_the_campaign() -> None:
    weighed = replace(
        task(None),
        marks=(Mark("hypothesis", 0, 1, "Other", "major", weight=2.5), Mark("hypothesis", 0, 1, "Other", "major")),
    )
    assert judgements(campaign("errors"), [weighed])["value"].tolist() == [-7.5]
