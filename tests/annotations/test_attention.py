"""Items with known answers stand where they should, and what is wrong with a check is known."""

from dataclasses import replace

import pytest

from mteval.annotations import Campaign, Control, Plan, Sampled, Task, deal_tasks, prefilled, with_controls
from mteval.annotations.typology import word_spans
from mteval.base.errors import SettingsError
from tests.annotations.conftest import campaign

N_DOCUMENTS, LENGTH = 4, 5
TRAINING = Control("training", "Quelle", "a wrong word", 2, 7, "major", 10, 60, "Because.")


def read(way: str = "esa", checks: int = 3, by_document: bool = True, **changes: object) -> Campaign:
    """A campaign of four documents, whose outputs have words of their own in every segment."""
    n = N_DOCUMENTS * LENGTH
    outputs = tuple(
        replace(
            output,
            hypotheses=tuple(" ".join(f"{letter}{segment}w{word}" for word in range(12)) for segment in range(n)),
        )
        for letter, output in zip("xy", campaign().outputs, strict=True)
    )
    return replace(
        campaign(way),
        outputs=outputs,
        references=(("reference",),) * n,
        source=tuple(f"Quelle {segment}" for segment in range(n)),
        documents=tuple(f"d{segment // LENGTH}" for segment in range(n)),
        plan=Plan(random=n, checks=checks, by_document=by_document, seed=3),
        **changes,
    )


def dealt(one: Campaign, *annotators: str) -> tuple[Task, ...]:
    sample = [Sampled(segment, "random") for segment in range(len(one.references))]
    return deal_tasks(one, sample, annotators or ("ann", "bob"))


@pytest.mark.parametrize("way", ["rating", "errors", "esa", "preference"])
def test_every_annotator_is_trained_first_and_checked_among_the_rest(way: str) -> None:
    one, tasks = with_controls(read(way, controls=(TRAINING,)), dealt(read(way)))
    n_outputs = 1 if way == "preference" else 2
    for annotator in ("ann", "bob"):
        own = [task for task in tasks if task.annotator == annotator]
        assert [task.position for task in own] == list(range(1 + 3 + n_outputs * len(one.references)))
        assert [task.stratum for task in own].count("check") == 3
        assert own[0].stratum == "training"
        assert one.shown_output(own[0], 1) == TRAINING.hypothesis
        assert way == "preference" or not own[0].is_swapped
    assert one.controls[0] == TRAINING


def test_a_check_is_an_output_with_words_of_another_segment_in_its_middle() -> None:
    one, tasks = with_controls(read(), dealt(read()))
    checks = [task for task in tasks if task.control is not None]
    assert len(checks) == 6
    for task in checks:
        control = one.controls[task.control]
        output = one.outputs[task.output].hypotheses[task.segment]
        assert (control.intact, control.source) == (output, one.source_text(task.segment))
        assert one.shown_output(task) == control.hypothesis != output
        words, intact = control.hypothesis.split(), output.split()
        wrong = control.hypothesis[control.start : control.end].split()
        assert len(word_spans(output)) > len(wrong) > 0
        assert (words[0], words[-1], len(words)) == (intact[0], intact[-1], len(intact))
        assert all(word.partition("w")[0][1:] != str(task.segment) for word in wrong)


def test_intact_output_of_a_pair_comes_first_before_swapping() -> None:
    one, tasks = with_controls(read("preference"), dealt(read("preference")))
    (task, *_) = [task for task in tasks if task.control is not None]
    control = one.controls[task.control]
    assert (one.shown_output(task, 0), one.shown_output(task, 1)) == (control.intact, control.hypothesis)


def test_better_output_of_a_training_pair_is_shown_on_either_side() -> None:
    pairs = tuple(replace(TRAINING, intact=f"the better one {n}") for n in range(20))
    one, tasks = with_controls(read("preference", controls=pairs), dealt(read("preference")))
    practice = [task for task in tasks if task.stratum == "training"]
    assert {task.is_swapped for task in practice} == {False, True}
    assert [one.shown_output(task, 0) for task in practice[:20]] == [pair.intact for pair in pairs]


def test_documents_are_read_from_their_first_segment_to_their_last() -> None:
    one, tasks = with_controls(read(), dealt(read()))
    own = [task for task in tasks if task.annotator == "ann"]
    judged = [(one.documents[task.segment], task.output, task.segment) for task in own if task.control is None]
    pieces = [judged[start : start + LENGTH] for start in range(0, len(judged), LENGTH)]
    for piece in pieces:
        first = piece[0][2]
        assert piece == [(piece[0][0], piece[0][1], first + step) for step in range(LENGTH)]
    starts = [place for place, task in enumerate(own) if task.control is None and task.segment % LENGTH == 0]
    for start in starts:
        assert [task.control for task in own[start : start + LENGTH]] == [None] * LENGTH
    assert len(set(map(str, pieces))) == 2 * N_DOCUMENTS
    assert pieces != sorted(pieces)


def test_documents_are_assigned_whole() -> None:
    one = read(checks=0)
    one = replace(one, plan=replace(one.plan, shared=1))
    documents = {
        name: {one.documents[task.segment] for task in dealt(one) if task.annotator == name} for name in ("ann", "bob")
    }
    assert len(documents["ann"] & documents["bob"]) == 1
    assert documents["ann"] | documents["bob"] == {"d0", "d1", "d2", "d3"}


def test_marks_of_a_metric_move_with_their_words() -> None:
    one = read()

    def found(output: int, segment: int) -> list[tuple[int, int, str]]:
        spans = word_spans(one.outputs[output].hypotheses[segment])
        return [(*spans[0], "minor"), (*spans[-1], "major")]

    marked = prefilled(dealt(one), "xCOMET", found)
    assert {mark.origin for task in marked for mark in task.marks} == {"xCOMET"}
    controlled, tasks = with_controls(one, marked)
    for task in tasks:
        text = controlled.shown_output(task)
        if task.control is None:
            continue
        first, last = (text[mark.start : mark.end] for mark in task.marks)
        assert text.startswith(first)
        assert text.endswith(last)
        assert [mark.suggested for mark in task.marks] == ["minor", "major"]


def test_marks_in_the_replaced_part_are_removed() -> None:
    one = read()
    length = len(one.outputs[0].hypotheses[0])
    marked = prefilled(dealt(one), "xCOMET", lambda output, segment: [(0, length, "minor")])
    one, tasks = with_controls(one, marked)
    assert all(task.marks == () for task in tasks if task.control is not None)


def test_same_seed_gives_the_same_checks() -> None:
    assert with_controls(read(), dealt(read())) == with_controls(read(), dealt(read()))


def test_a_text_without_other_words_has_no_check() -> None:
    one = read()
    same = tuple(replace(output, hypotheses=("same",) * len(one.references)) for output in one.outputs)
    one, tasks = with_controls(replace(one, outputs=same), dealt(one))
    assert one.controls == ()
    assert len(tasks) == len(dealt(read()))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"hypothesis": " "}, "has no output"),
        ({"end": 99}, "characters 2 to 99, but the text has 12"),
        ({"low": 70}, "scores from 70 to 60"),
        ({"high": 101}, "scores from 10 to 101"),
    ],
)
def test_invalid_known_answer_is_an_error(changes: dict, words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        replace(TRAINING, **changes)
