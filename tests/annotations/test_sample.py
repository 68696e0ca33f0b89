"""The sample speaks for the test set where it says so, and everybody gets their share."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest

from mteval.analysis.people.judgements import judgement_frame, judgements_of_campaign, n_judgements
from mteval.analysis.people.rater_agreement import rater_agreement_frame
from mteval.annotations import (
    Campaign,
    Plan,
    Sampled,
    Task,
    deal_tasks,
    draw_sample,
    merged,
    with_controls,
)
from mteval.base.errors import SettingsError
from tests.annotations.conftest import campaign as make_campaign
from tests.annotations.conftest import tasks_for

GAINS = np.array([5.0, -3.0, 0.0, np.nan, 2.0, -8.0, 1.0, 4.0])


def segments(sample: tuple[Sampled, ...], stratum: str) -> list[int]:
    """The segments of a stratum, in the order of the sample."""
    return [sampled.segment for sampled in sample if sampled.stratum == stratum]


def test_improvements_and_declines_are_the_largest_in_their_order() -> None:
    sample = draw_sample(GAINS, Plan(improvements=3, declines=5))

    assert segments(sample, "improvement") == [0, 7, 4]
    assert segments(sample, "decline") == [5, 1]


def test_no_segment_is_drawn_twice() -> None:
    improvements = [0, 7, 4, 6]  # of GAINS, the largest first
    declines = [5, 1]
    for seed in range(50):
        sample = draw_sample(GAINS, Plan(random=4, improvements=8, declines=8, seed=seed))

        counts = Counter(sampled.segment for sampled in sample)
        assert max(counts.values()) == 1
        rest = set(range(8)) - set(segments(sample, "random"))
        assert segments(sample, "improvement") == [segment for segment in improvements if segment in rest]
        assert segments(sample, "decline") == [segment for segment in declines if segment in rest]


def test_every_segment_is_as_likely_to_be_in_the_random_stratum() -> None:
    n_samples = 4_000
    drawn: Counter[int] = Counter()
    for seed in range(n_samples):
        sample = draw_sample(GAINS, Plan(random=2, improvements=3, declines=3, seed=seed))
        drawn.update(segments(sample, "random"))

    # Two of eight segments are drawn each time, so that each count is binomial with a probability of 0.25
    expected = 1_000
    deviation = np.sqrt(n_samples * 0.25 * 0.75)
    for segment in range(8):
        assert abs(drawn[segment] - expected) < 5 * deviation


def test_same_seed_gives_the_same_sample() -> None:
    gains = np.arange(200.0)
    sample = draw_sample(gains, Plan(random=20, seed=3))

    assert sample == draw_sample(gains, Plan(random=20, seed=3))
    assert sample != draw_sample(gains, Plan(random=20, seed=4))


def test_sample_larger_than_the_test_set_is_the_test_set() -> None:
    sample = draw_sample(GAINS, Plan(random=100))

    assert sorted(sampled.segment for sampled in sample) == list(range(8))


@pytest.mark.parametrize("plan", [Plan(), Plan(random=-1, improvements=3)])
def test_empty_sample_is_an_error(plan: Plan) -> None:
    with pytest.raises(SettingsError, match="sample sizes"):
        draw_sample(GAINS, plan)


SAMPLE = tuple(Sampled(segment, "random") for segment in range(20))


def planned(way: str, shared: int | None = None) -> Campaign:
    """A campaign of two outputs, of which annotators read some segments alone."""
    return replace(make_campaign(way), plan=Plan(shared=shared))


def tasks_of(annotator: str, tasks: tuple[Task, ...]) -> list[Task]:
    """The tasks of one annotator, in their order."""
    return [task for task in tasks if task.annotator == annotator]


def test_every_annotator_reads_all_outputs_in_an_own_order() -> None:
    tasks = deal_tasks(planned("errors"), SAMPLE, ["ann", "bob"])

    order_of_ann = [(task.segment, task.output) for task in tasks_of("ann", tasks)]
    order_of_bob = [(task.segment, task.output) for task in tasks_of("bob", tasks)]
    assert order_of_ann != order_of_bob
    every_output = list(product(range(20), range(2)))
    assert sorted(order_of_ann) == every_output
    assert sorted(order_of_bob) == every_output
    assert [task.position for task in tasks_of("bob", tasks)] == list(range(40))


def test_unshared_segments_are_assigned_once() -> None:
    tasks = deal_tasks(planned("preference", shared=5), SAMPLE, ["ann", "bob", "cay"])

    n_readers = Counter(task.segment for task in tasks)
    assert Counter(n_readers.values()) == {3: 5, 1: 15}
    assert Counter(task.annotator for task in tasks) == {"ann": 10, "bob": 10, "cay": 10}


def test_sides_of_a_preference_are_drawn_evenly() -> None:
    large_sample = tuple(Sampled(segment, "random") for segment in range(2_000))
    preferences = deal_tasks(planned("preference"), large_sample, ["ann"])
    ratings = deal_tasks(planned("rating"), SAMPLE, ["ann"])

    # The number of swapped pairs is binomial: its mean is 2,000 / 2, its variance 2,000 / 4
    n_swapped = sum(task.is_swapped for task in preferences)
    assert abs(n_swapped - 1_000) < 5 * np.sqrt(500)
    assert not any(task.is_swapped for task in ratings)


@pytest.mark.parametrize("names", [[], ["ann", "ann"], ["ann", " "], ["ann", "x" * 201]])
def test_annotator_names_must_be_unique_and_not_empty(names: list[str]) -> None:
    with pytest.raises(SettingsError, match="each once"):
        deal_tasks(planned("rating"), SAMPLE, names)


def same_texts(by_document: bool = False) -> Campaign:
    """Three outputs: the second repeats the first on segments 0 and 1 and in the whole second document."""
    campaign = make_campaign("esa", n_outputs=3)
    first, second, third = campaign.outputs
    again = replace(second, hypotheses=(*first.hypotheses[:2], second.hypotheses[2], *first.hypotheses[3:]))
    plan = replace(campaign.plan, is_merged=True, by_document=by_document)
    return replace(campaign, outputs=(first, again, third), plan=plan)


@pytest.mark.parametrize(("by_document", "once"), [(False, {0, 1, 3, 4, 5}), (True, {3, 4, 5})])
def test_outputs_with_the_same_text_are_judged_once_and_for_all(by_document: bool, once: set[int]) -> None:
    campaign = same_texts(by_document)
    sample = [Sampled(segment, "random") for segment in range(6)]

    tasks = merged(campaign, deal_tasks(campaign, sample, ["ann"]))

    n_tasks = dict.fromkeys(range(6), 3)
    n_tasks.update(dict.fromkeys(once, 2))
    assert Counter(task.segment for task in tasks) == n_tasks
    judged_outputs = []
    for task in tasks:
        judged_outputs += [(task.segment, output) for output in campaign.alike(task)]
    assert sorted(judged_outputs) == list(product(range(6), range(3)))

    scored = [replace(task, score=10.0 * (task.output or 0), is_complete=True) for task in tasks]
    judgements = judgements_of_campaign(campaign, scored)
    frame = judgement_frame(judgements)
    both = pd.concat([frame, frame.assign(annotator="bob")])
    assert n_judgements(both) == 2 * len(tasks)
    assert rater_agreement_frame(both, "esa")["n_outputs"].iloc[0] == len(tasks)
    value_of = {(judgement.system, judgement.segment): judgement.value for judgement in judgements}
    assert len(value_of) == 18
    assert value_of["system 1", "1"] == (0 if 0 in once else 10)
    assert value_of["system 1", "3"] == 10  # its own text


def test_old_campaigns_count_each_output_by_its_own_judgement() -> None:
    campaign = same_texts()
    campaign = replace(campaign, plan=replace(campaign.plan, is_merged=False))

    tasks = merged(campaign, tasks_for(campaign))

    assert len(tasks) == 18
    assert all(campaign.alike(task) == (task.output,) for task in tasks)


def tasks_beside(n_shown: int, is_adaptive: bool = False, checks: int = 0) -> tuple[Task, ...]:
    """The tasks of two annotators who read five outputs of six segments, so many side by side."""
    campaign = make_campaign("esa", n_outputs=5)
    plan = replace(campaign.plan, side_by_side=n_shown, is_adaptive=is_adaptive, is_merged=True, checks=checks)
    campaign = replace(campaign, plan=plan)
    sample = [Sampled(segment, "random") for segment in range(6)]
    dealt = merged(campaign, deal_tasks(campaign, sample, ["ann", "bob"]))
    _, tasks = with_controls(campaign, dealt)
    return tasks


def test_outputs_side_by_side_follow_each_other_with_their_probability() -> None:
    tasks = tasks_beside(3)

    for name in ("ann", "bob"):
        own = tasks_of(name, tasks)
        assert [task.position for task in own] == list(range(18))
        for start in range(0, 18, 3):
            shown = own[start : start + 3]
            assert len({task.segment for task in shown}) == 1
            assert len({task.output for task in shown}) == 3
    # Three of five outputs, all five, and a probability that only the scores will tell
    assert {task.probability for task in tasks} == {0.6}
    assert {task.probability for task in tasks_beside(5)} == {1.0}
    assert {task.probability for task in tasks_beside(3, is_adaptive=True)} == {None}


def test_an_attention_check_is_among_the_outputs_of_its_segment() -> None:
    tasks = tasks_beside(3, is_adaptive=True, checks=2)

    own = tasks_of("ann", tasks)
    order = [task.segment for task in own]
    segments_with_check = {task.segment for task in own if task.control is not None}
    assert len(segments_with_check) == 2
    assert set(order) == set(range(6))
    n_changes = sum(segment != following for segment, following in pairwise(order))
    assert n_changes == 5  # nothing is between the outputs of a segment
    for task in own:
        is_fixed = task.segment in segments_with_check and task.control is None
        assert task.probability == (0.6 if is_fixed else None)
