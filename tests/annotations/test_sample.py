"""The sample speaks for the test set where it says so, and everybody gets their share."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from mteval.annotations import Output, Plan, Sampled, deal_tasks, draw_sample, tied
from mteval.base.errors import SettingsError
from tests.annotations.conftest import campaign, tasks_for

GAINS = np.array([5.0, -3.0, 0.0, np.nan, 2.0, -8.0, 1.0, 4.0])


def segments(sample: tuple[Sampled, ...], stratum: str) -> list[int]:
    return [one.segment for one in sample if one.stratum == stratum]


def test_improvements_and_declines_are_the_largest_in_their_order() -> None:
    sample = draw_sample(GAINS, Plan(improvements=3, declines=5))
    assert segments(sample, "improvement") == [0, 7, 4]
    assert segments(sample, "decline") == [5, 1]


def test_no_segment_is_drawn_twice() -> None:
    for seed in range(50):
        sample = draw_sample(GAINS, Plan(random=4, improvements=8, declines=8, seed=seed))
        counts = Counter(one.segment for one in sample)
        assert max(counts.values()) == 1
        rest = set(range(8)) - set(segments(sample, "random"))
        assert segments(sample, "improvement") == [place for place in (0, 7, 4, 6) if place in rest]
        assert segments(sample, "decline") == [place for place in (5, 1) if place in rest]


def test_every_segment_is_as_likely_to_be_in_the_random_stratum() -> None:
    drawn = Counter(
        segment
        for seed in range(4_000)
        for segment in segments(draw_sample(GAINS, Plan(random=2, improvements=3, declines=3, seed=seed)), "random")
    )
    expected, spread = 1_000, np.sqrt(4_000 * 0.25 * 0.75)
    assert all(abs(drawn[segment] - expected) < 5 * spread for segment in range(8))


def test_same_seed_gives_the_same_sample() -> None:
    gains = np.arange(200.0)
    assert draw_sample(gains, Plan(random=20, seed=3)) == draw_sample(gains, Plan(random=20, seed=3))
    assert draw_sample(gains, Plan(random=20, seed=3)) != draw_sample(gains, Plan(random=20, seed=4))


def test_sample_larger_than_the_test_set_is_the_test_set() -> None:
    assert sorted(one.segment for one in draw_sample(GAINS, Plan(random=100))) == list(range(8))


@pytest.mark.parametrize("plan", [Plan(), Plan(random=-1, improvements=3)])
def test_empty_sample_is_an_error(plan: Plan) -> None:
    with pytest.raises(SettingsError, match="sample sizes"):
        draw_sample(GAINS, plan)


SAMPLE = tuple(Sampled(segment, "random") for segment in range(20))


def test_every_annotator_reads_all_outputs_in_an_own_order() -> None:
    tasks = deal_tasks(SAMPLE, ["ann", "bob"], "errors", 2, Plan())
    orders = {
        name: [(task.segment, task.output) for task in tasks if task.annotator == name] for name in ("ann", "bob")
    }
    assert orders["ann"] != orders["bob"]
    for order in orders.values():
        assert sorted(order) == [(segment, output) for segment in range(20) for output in range(2)]
    positions = [task.position for task in tasks if task.annotator == "bob"]
    assert positions == list(range(40))


def test_unshared_segments_are_assigned_once() -> None:
    tasks = deal_tasks(SAMPLE, ["ann", "bob", "cay"], "preference", 2, Plan(shared=5))
    readers = Counter(task.segment for task in tasks)
    assert Counter(readers.values()) == {3: 5, 1: 15}
    assert Counter(task.annotator for task in tasks) == {"ann": 10, "bob": 10, "cay": 10}


def test_sides_of_a_preference_are_drawn_evenly() -> None:
    many = tuple(Sampled(segment, "random") for segment in range(2_000))
    swapped = sum(task.is_swapped for task in deal_tasks(many, ["ann"], "preference", 2, Plan()))
    assert abs(swapped - 1_000) < 5 * np.sqrt(500)
    assert not any(task.is_swapped for task in deal_tasks(SAMPLE, ["ann"], "rating", 2, Plan()))


@pytest.mark.parametrize("names", [[], ["ann", "ann"], ["ann", " "]])
def test_annotator_names_must_be_unique_and_not_empty(names: list[str]) -> None:
    with pytest.raises(SettingsError, match="each once"):
        deal_tasks(SAMPLE, names, "rating", 1, Plan())


def test_two_identical_outputs_are_equal_without_anybody_reading_them() -> None:
    one = campaign("preference")
    first = one.outputs[0]
    other = Output("other", "0", ("another", *first.hypotheses[1:3], *("another",) * (len(first.hypotheses) - 3)))
    tasks = tied(replace(one, outputs=(first, other)), tasks_for(one, "ann"))
    assert {task.segment for task in tasks if task.preference == "equal" and task.is_complete} == {1, 2}
    assert {task.segment for task in tasks if task.preference is None} == {0, *range(3, len(first.hypotheses))}
