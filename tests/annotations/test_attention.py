"""Items with known answers stand where they should, and what is wrong with a check is known."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from mteval.annotations import Campaign, Control, Plan, Sampled, Task, deal_tasks, prefilled, with_controls
from mteval.annotations.typology import word_spans
from mteval.base.errors import SettingsError
from tests.annotations.conftest import campaign as make_campaign

N_DOCUMENTS = 4
LENGTH = 5  # segments of each document
N_SEGMENTS = N_DOCUMENTS * LENGTH
TRAINING = Control("training", "Quelle", "a wrong word", 2, 7, "major", 10, 60, "Because.")


def own_words(letter: str, segment: int) -> str:
    """Twelve words, each of which stands in no other segment."""
    return " ".join(f"{letter}{segment}w{number}" for number in range(12))


def read(way: str = "esa", checks: int = 3, by_document: bool = True, **changes: object) -> Campaign:
    """A campaign of four documents, whose outputs have words of their own in every segment."""
    outputs = []
    for letter, output in zip("xy", make_campaign().outputs, strict=True):
        hypotheses = tuple(own_words(letter, segment) for segment in range(N_SEGMENTS))
        outputs.append(replace(output, hypotheses=hypotheses))
    return replace(
        make_campaign(way),
        outputs=tuple(outputs),
        references=(("reference",),) * N_SEGMENTS,
        source=tuple(f"Quelle {segment}" for segment in range(N_SEGMENTS)),
        documents=tuple(f"d{segment // LENGTH}" for segment in range(N_SEGMENTS)),
        plan=Plan(random=N_SEGMENTS, checks=checks, by_document=by_document, seed=3),
        **changes,
    )


def dealt(campaign: Campaign) -> tuple[Task, ...]:
    """The tasks of two annotators who read everything."""
    sample = [Sampled(segment, "random") for segment in range(len(campaign.references))]
    return deal_tasks(campaign, sample, ("ann", "bob"))


def tasks_of(annotator: str, tasks: Iterable[Task]) -> list[Task]:
    """The tasks of one annotator, in their order."""
    return [task for task in tasks if task.annotator == annotator]


@pytest.mark.parametrize("way", ["rating", "errors", "esa", "preference"])
def test_every_annotator_is_trained_first_and_checked_among_the_rest(way: str) -> None:
    campaign, tasks = with_controls(read(way, controls=(TRAINING,)), dealt(read(way)))

    n_outputs = 1 if way == "preference" else 2
    n_tasks = 1 + 3 + n_outputs * len(campaign.references)  # one to practise, three checks
    for annotator in ("ann", "bob"):
        own = tasks_of(annotator, tasks)
        assert [task.position for task in own] == list(range(n_tasks))
        assert [task.stratum for task in own].count("check") == 3
        assert own[0].stratum == "training"
        assert campaign.shown_output(own[0], 1) == TRAINING.hypothesis
        assert way == "preference" or not own[0].is_swapped
    assert campaign.controls[0] == TRAINING


def test_a_check_is_an_output_with_words_of_another_segment_in_its_middle() -> None:
    campaign, tasks = with_controls(read(), dealt(read()))

    checks = [task for task in tasks if task.control is not None]
    assert len(checks) == 6
    for task in checks:
        control = campaign.controls[task.control]
        output = campaign.outputs[task.output].hypotheses[task.segment]
        assert control.intact == output
        assert control.source == campaign.source_text(task.segment)
        assert campaign.shown_output(task) == control.hypothesis != output

        words = control.hypothesis.split()
        intact_words = output.split()
        assert words[0] == intact_words[0]
        assert words[-1] == intact_words[-1]
        assert len(words) == len(intact_words)

        wrong_words = control.hypothesis[control.start : control.end].split()
        assert len(word_spans(output)) > len(wrong_words) > 0
        for word in wrong_words:
            segment_of_word = word.partition("w")[0][1:]  # "7" of "x7w3"
            assert segment_of_word != str(task.segment)


def test_intact_output_of_a_pair_comes_first_before_swapping() -> None:
    campaign, tasks = with_controls(read("preference"), dealt(read("preference")))

    task = next(task for task in tasks if task.control is not None)
    control = campaign.controls[task.control]
    assert campaign.shown_output(task, 0) == control.intact
    assert campaign.shown_output(task, 1) == control.hypothesis


def test_better_output_of_a_training_pair_is_shown_on_either_side() -> None:
    pairs = tuple(replace(TRAINING, intact=f"the better one {number}") for number in range(20))

    campaign, tasks = with_controls(read("preference", controls=pairs), dealt(read("preference")))

    practice = [task for task in tasks if task.stratum == "training"]
    assert {task.is_swapped for task in practice} == {False, True}
    assert [campaign.shown_output(task, 0) for task in practice[:20]] == [pair.intact for pair in pairs]


def test_documents_are_read_from_their_first_segment_to_their_last() -> None:
    campaign, tasks = with_controls(read(), dealt(read()))
    own = tasks_of("ann", tasks)

    without_checks = [task for task in own if task.control is None]
    judged = [(campaign.documents[task.segment], task.output, task.segment) for task in without_checks]
    pieces = [judged[start : start + LENGTH] for start in range(0, len(judged), LENGTH)]
    for piece in pieces:
        document, output, first_segment = piece[0]
        assert piece == [(document, output, first_segment + step) for step in range(LENGTH)]
    assert len(set(map(str, pieces))) == 2 * N_DOCUMENTS
    assert pieces != sorted(pieces)

    # No check stands inside a document
    for start, task in enumerate(own):
        is_first_of_document = task.control is None and task.segment % LENGTH == 0
        if is_first_of_document:
            assert [following.control for following in own[start : start + LENGTH]] == [None] * LENGTH


def test_documents_are_assigned_whole() -> None:
    campaign = read(checks=0)
    campaign = replace(campaign, plan=replace(campaign.plan, shared=1))

    tasks = dealt(campaign)

    documents_of_ann = {campaign.documents[task.segment] for task in tasks_of("ann", tasks)}
    documents_of_bob = {campaign.documents[task.segment] for task in tasks_of("bob", tasks)}
    assert len(documents_of_ann & documents_of_bob) == 1
    assert documents_of_ann | documents_of_bob == {"d0", "d1", "d2", "d3"}


def test_marks_of_a_metric_move_with_their_words() -> None:
    campaign = read()

    def first_and_last_word(output: int, segment: int) -> list[tuple[int, int, str]]:
        spans = word_spans(campaign.outputs[output].hypotheses[segment])
        return [(*spans[0], "minor"), (*spans[-1], "major")]

    marked = prefilled(dealt(campaign), "xCOMET", first_and_last_word)
    origins = set()
    for task in marked:
        origins.update(mark.origin for mark in task.marks)
    assert origins == {"xCOMET"}

    controlled, tasks = with_controls(campaign, marked)
    for task in tasks:
        if task.control is None:
            continue
        text = controlled.shown_output(task)
        first, last = task.marks
        assert text.startswith(text[first.start : first.end])
        assert text.endswith(text[last.start : last.end])
        assert [mark.suggested for mark in task.marks] == ["minor", "major"]


def test_marks_in_the_replaced_part_are_removed() -> None:
    campaign = read()
    length = len(campaign.outputs[0].hypotheses[0])
    marked = prefilled(dealt(campaign), "xCOMET", lambda output, segment: [(0, length, "minor")])

    _, tasks = with_controls(campaign, marked)

    checks = [task for task in tasks if task.control is not None]
    assert all(task.marks == () for task in checks)


def test_same_seed_gives_the_same_checks() -> None:
    assert with_controls(read(), dealt(read())) == with_controls(read(), dealt(read()))


def test_a_text_without_other_words_has_no_check() -> None:
    campaign = read()
    same_words = ("same",) * len(campaign.references)
    outputs = tuple(replace(output, hypotheses=same_words) for output in campaign.outputs)

    controlled, tasks = with_controls(replace(campaign, outputs=outputs), dealt(campaign))

    assert controlled.controls == ()
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
