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
    """A campaign with three known answers: a check, an error of training and a flawless output of training."""
    return replace(campaign(way), controls=(CHECK, TRAINING, FLAWLESS))


def task(
    control: int | None, *spans: tuple[int, int], way: str = "esa", position: int = 0, **judgement: object
) -> Task:
    """A task that is done, on a known answer or on none, with minor errors at these spans."""
    marks = tuple(Mark("hypothesis", start, end, "", "minor") for start, end in spans)
    stratum = "random"
    if control is not None:
        stratum = ("check", "training", "training")[control]
    output = None if way == "preference" else 0
    return Task(
        "ann",
        position,
        0,
        stratum,
        output,
        is_complete=True,
        marks=marks,
        control=control,
        **judgement,
    )


@pytest.mark.parametrize(
    ("way", "judged", "passed"),
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
def test_the_known_answer_is_recognised(way: str, judged: Task, passed: bool | None) -> None:
    assert is_passed(asked(way), judged, [judged]) is passed


@pytest.mark.parametrize(("intact", "passed"), [(80.0, True), (40.0, False), (20.0, False), (None, None)])
def test_a_damaged_output_is_rated_lower_than_the_intact_one(intact: float | None, passed: bool | None) -> None:
    """A check without any mark fails, whatever the ratings are."""
    rated_check = task(0, adequacy=40.0)
    rated_intact = task(None, position=1, adequacy=intact)
    assert is_passed(asked("rating"), rated_check, [rated_check, rated_intact]) is passed

    scored_check = task(0, (7, 15), score=40.0)
    scored_intact = task(None, position=1, score=intact)
    without_marks = replace(scored_check, marks=())
    assert is_passed(asked("esa"), scored_check, [scored_check, scored_intact]) is passed
    assert is_passed(asked("esa"), without_marks, [scored_check, scored_intact]) is False


@pytest.mark.parametrize("strategy", ["all", "each", "none", "first half", "the words"])
@pytest.mark.parametrize("words", ["a b c d e f g h i j k l", "一二三四五六七八九十", "ab cd"])
def test_marking_everything_fails_the_check(strategy: str, words: str) -> None:
    """A quarter of the words, from the middle on, are wrong."""
    spans = word_spans(words)
    middle = len(spans) // 2
    n_wrong = max(1, len(spans) // 4)
    wrong = spans[middle : middle + n_wrong]
    start = wrong[0][0]
    end = wrong[-1][1]
    control = Control("check", "", words, start, end, intact="x")
    marked = {
        "all": [(0, len(words))],
        "each": spans,
        "none": [],
        "first half": [(0, spans[middle][1])],
        "the words": [(start, end)],
    }[strategy]

    with_check = replace(campaign("errors"), controls=(control,))

    assert is_passed(with_check, task(0, *marked), []) is (strategy == "the words")


@pytest.mark.parametrize(
    ("severity", "category", "passed"),
    [("major", "Other", True), ("minor", "Other", False), ("major", "Fluency/Grammar", False)],
)
def test_an_error_needs_its_known_severity_and_category(severity: str, category: str, passed: bool) -> None:
    known = replace(TRAINING, severity="major", category="Other")
    with_training = replace(campaign("errors"), controls=(CHECK, known))
    judged = replace(task(1), marks=(Mark("hypothesis", 2, 7, category, severity),))
    assert is_passed(with_training, judged, []) is passed


def test_passed_items_are_counted_by_annotator_and_kind() -> None:
    """Each row: how many items were shown, judged and passed."""
    intact = task(None, score=50)
    passed_check = task(0, (7, 15), score=20)
    of_ann = [passed_check, task(0), replace(task(0), is_complete=False), task(1, (2, 7), score=20), intact]
    of_bob = [replace(passed_check, annotator="bob"), replace(intact, annotator="bob")]

    frame = controls_frame(asked("esa"), [*of_ann, *of_bob])

    assert frame.to_numpy().tolist() == [
        ["ann", "training", 1, 1, 1],
        ["ann", "check", 3, 2, 1],
        ["bob", "check", 1, 1, 1],
    ]


def test_control_items_are_not_judgements() -> None:
    with_controls = asked("errors")
    tasks = [task(0, (7, 15)), task(1, (2, 7)), task(None, (0, 6))]
    assert len(judgements(with_controls, tasks)) == 1
    assert len(judgements_of_campaign(with_controls, tasks)) == 1
    assert mqm_text(with_controls, tasks).count("<v>") == 1


def test_changes_to_prefilled_errors_are_counted() -> None:
    """Of three suggested errors one was rejected, one left as it was and one changed; one was added."""
    suggested = Mark("hypothesis", 0, 6, "", "minor", origin="xCOMET", suggested="minor")
    with_rejected = replace(task(None, (7, 8)), rejected=(suggested,))
    with_changed = replace(task(None), marks=(suggested, replace(suggested, severity="major")))
    still_open = replace(with_rejected, is_complete=False)
    of_control = replace(with_rejected, control=0)

    frame = prefilled_frame([with_rejected, with_changed, still_open, of_control])

    assert frame.to_numpy().tolist() == [["ann", "xCOMET", 3, 1, 1, 1, 1]]
    scored = [replace(with_rejected, score=50.0), replace(with_changed, score=50.0)]
    origins = []
    for judgement in judgements_of_campaign(campaign("esa"), scored):
        origins += [error.origin for error in judgement.errors]
    assert origins == ["", "xCOMET", "xCOMET"]


def test_weights_in_the_file_override_those_of_the_campaign() -> None:
    """The second error has the campaign's weight of a major one, 5."""
    weighed = Mark("hypothesis", 0, 1, "Other", "major", weight=2.5)
    major = Mark("hypothesis", 0, 1, "Other", "major")
    judged = replace(task(None), marks=(weighed, major))
    assert judgements(campaign("errors"), [judged])["value"].tolist() == [-7.5]
