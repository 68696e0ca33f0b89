"""The sample speaks for the test set where it says so, and everybody gets their share."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from mteval.analysis.people.judgements import judgements_of_campaign
from mteval.annotations import (
    Campaign,
    Output,
    Plan,
    Sampled,
    Task,
    deal_tasks,
    draw_sample,
    merged,
    with_controls,
)
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


def planned(way: str, shared: int | None = None) -> Campaign:
    """A campaign of two outputs, of which annotators read some segments alone."""
    return replace(campaign(way), plan=Plan(shared=shared))


def test_every_annotator_reads_all_outputs_in_an_own_order() -> None:
    tasks = deal_tasks(planned("errors"), SAMPLE, ["ann", "bob"])
    orders = {
        name: [(task.segment, task.output) for task in tasks if task.annotator == name] for name in ("ann", "bob")
    }
    assert orders["ann"] != orders["bob"]
    for order in orders.values():
        assert sorted(order) == [(segment, output) for segment in range(20) for output in range(2)]
    positions = [task.position for task in tasks if task.annotator == "bob"]
    assert positions == list(range(40))


def test_unshared_segments_are_assigned_once() -> None:
    tasks = deal_tasks(planned("preference", shared=5), SAMPLE, ["ann", "bob", "cay"])
    readers = Counter(task.segment for task in tasks)
    assert Counter(readers.values()) == {3: 5, 1: 15}
    assert Counter(task.annotator for task in tasks) == {"ann": 10, "bob": 10, "cay": 10}


def test_sides_of_a_preference_are_drawn_evenly() -> None:
    many = tuple(Sampled(segment, "random") for segment in range(2_000))
    swapped = sum(task.is_swapped for task in deal_tasks(planned("preference"), many, ["ann"]))
    assert abs(swapped - 1_000) < 5 * np.sqrt(500)
    assert not any(task.is_swapped for task in deal_tasks(planned("rating"), SAMPLE, ["ann"]))


@pytest.mark.parametrize("names", [[], ["ann", "ann"], ["ann", " "], ["ann", "x" * 201]])
def test_annotator_names_must_be_unique_and_not_empty(names: list[str]) -> None:
    with pytest.raises(SettingsError, match="each once"):
        deal_tasks(planned("rating"), SAMPLE, names)


def test_two_identical_outputs_are_equal_without_anybody_reading_them() -> None:
    one = campaign("preference")
    first = one.outputs[0]
    other = Output("other", "0", ("another", *first.hypotheses[1:3], *("another",) * (len(first.hypotheses) - 3)))
    tasks = merged(replace(one, outputs=(first, other)), tasks_for(one, "ann"))
    assert {task.segment for task in tasks if task.preference == "equal" and task.is_complete} == {1, 2}
    assert {task.segment for task in tasks if task.preference is None} == {0, *range(3, len(first.hypotheses))}


def same_texts(by_document: bool = False) -> Campaign:
    """Three outputs: the second repeats the first on segments 0 and 1 and in the whole second document."""
    one = campaign("esa", n_outputs=3)
    first, second, third = one.outputs
    again = replace(second, hypotheses=(*first.hypotheses[:2], second.hypotheses[2], *first.hypotheses[3:]))
    plan = replace(one.plan, is_merged=True, by_document=by_document)
    return replace(one, outputs=(first, again, third), plan=plan)


@pytest.mark.parametrize(("by_document", "once"), [(False, {0, 1, 3, 4, 5}), (True, {3, 4, 5})])
def test_outputs_with_the_same_text_are_judged_once_and_for_all(by_document: bool, once: set[int]) -> None:
    one = same_texts(by_document)
    sample = [Sampled(segment, "random") for segment in range(6)]
    tasks = merged(one, deal_tasks(one, sample, ["ann"]))
    judged = Counter(task.segment for task in tasks)
    assert judged == {segment: 2 if segment in once else 3 for segment in range(6)}
    about = sorted((task.segment, output) for task in tasks for output in one.alike(task))
    assert about == [(segment, output) for segment in range(6) for output in range(3)]
    said = [replace(task, score=10.0 * (task.output or 0), is_complete=True) for task in tasks]
    values = {(said.system, said.segment): said.value for said in judgements_of_campaign(one, said)}
    assert len(values) == 18
    assert values["system 1", "1"] == (10 if 0 not in once else 0)
    assert values["system 1", "3"] == 10  # its own text


def test_old_campaigns_count_each_output_by_its_own_judgement() -> None:
    one = same_texts()
    one = replace(one, plan=replace(one.plan, is_merged=False))
    tasks = merged(one, tasks_for(one))
    assert len(tasks) == 18
    assert all(one.alike(task) == (task.output,) for task in tasks)


def beside(n_shown: int, is_adaptive: bool = False, checks: int = 0) -> tuple[Campaign, tuple[Task, ...]]:
    """Five outputs of six segments, so many side by side."""
    one = campaign("esa", n_outputs=5)
    plan = replace(one.plan, side_by_side=n_shown, is_adaptive=is_adaptive, is_merged=True, checks=checks)
    one = replace(one, plan=plan)
    sample = [Sampled(segment, "random") for segment in range(6)]
    return with_controls(one, merged(one, deal_tasks(one, sample, ["ann", "bob"])))


def test_outputs_side_by_side_follow_each_other_with_their_probability() -> None:
    _, tasks = beside(3)
    for name in ("ann", "bob"):
        own = [task for task in tasks if task.annotator == name]
        assert [task.position for task in own] == list(range(18))
        assert all(len({task.segment for task in own[at : at + 3]}) == 1 for at in range(0, 18, 3))
        assert all(len({task.output for task in own[at : at + 3]}) == 3 for at in range(0, 18, 3))
    assert {task.probability for task in tasks} == {0.6}
    assert {task.probability for task in beside(5)[1]} == {1.0}
    assert {task.probability for task in beside(3, is_adaptive=True)[1]} == {None}


def test_an_attention_check_is_among_the_outputs_of_its_segment() -> None:
    _, tasks = beside(3, is_adaptive=True, checks=2)
    own = [task for task in tasks if task.annotator == "ann"]
    with_check = {task.segment for task in own if task.control is not None}
    assert len(with_check) == 2
    assert len({tuple(task.segment for task in own).index(segment) for segment in range(6)}) == 6
    changes = sum(one.segment != other.segment for one, other in pairwise(own))
    assert changes == 5  # nothing is between the outputs of a segment
    for task in own:
        fixed = task.segment in with_check and task.control is None
        assert task.probability == (0.6 if fixed else None)
