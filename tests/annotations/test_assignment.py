"""Outputs are drawn with the probabilities that are recorded, once, whoever asks."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from mteval.annotations import AnnotationStore, Campaign, Sampled, deal_tasks, merged
from mteval.annotations.assignment import COLD_START, UNIFORM, assigned, chances, draw
from mteval.values.asker import OPERATOR, Asker
from tests.annotations import saying
from tests.annotations.conftest import campaign as make_campaign

NAMES = [f"annotator {number}" for number in range(6)]
N_SHOWN = 3


def test_outputs_are_drawn_alike_until_each_has_a_few_scores() -> None:
    scores = [(COLD_START, 90.0), (COLD_START, 10.0), (COLD_START - 1, 50.0), (COLD_START, 50.0)]

    assert chances(scores, 2).tolist() == [0.5] * 4


def test_better_outputs_are_likelier_and_none_is_rare() -> None:
    means = [10.0, 50.0, 90.0, 40.0, 30.0, 20.0, 60.0]
    scores = [(COLD_START, mean) for mean in means]

    probabilities = chances(scores, 3)

    assert probabilities.sum() == pytest.approx(3)
    best_first = np.argsort(means)[::-1]
    by_rank = probabilities[best_first]
    assert by_rank[0] == pytest.approx(by_rank[1])
    assert (np.diff(by_rank[1:]) < 0).all()
    assert probabilities.max() <= 1
    assert probabilities.min() > UNIFORM * 3 / 7
    assert chances(scores, 7).tolist() == pytest.approx([1] * 7)


@pytest.mark.parametrize("known", [[0.5, 0.5, 1.0], [0.3, 0.9, 0.2, 0.6], [0.75] * 4, [1.0, 1.0]])
def test_the_recorded_probability_is_that_of_being_drawn(known: list[float]) -> None:
    n_draws = 20_000
    generator = np.random.default_rng(3)
    draws = [draw(np.array(known), generator) for _ in range(n_draws)]

    assert {len(set(outputs)) for outputs in draws} == {round(sum(known))}
    counts: Counter[int] = Counter()
    for outputs in draws:
        counts.update(outputs)
    for output, probability in enumerate(known):
        deviation = np.sqrt(n_draws * probability * (1 - probability))  # of a binomial count
        assert abs(counts[output] - n_draws * probability) <= 5 * deviation


def test_the_first_place_is_everybodys() -> None:
    n_draws = 6_000
    generator = np.random.default_rng(4)
    first_places: Counter[int] = Counter()
    for _ in range(n_draws):
        drawn = assigned([2, 5, 7], {}, 3, generator)
        first_output, _ = drawn[0]
        first_places[first_output] += 1

    assert set(first_places) == {2, 5, 7}
    deviation = np.sqrt(n_draws * 2 / 9)  # of a binomial count with a probability of 1/3
    for count in first_places.values():
        assert abs(count - 2_000) < 5 * deviation


def adaptive(store: AnnotationStore) -> Campaign:
    """Store six segments of five outputs, three of which are shown; the first two are the same on segment 0."""
    campaign = make_campaign("esa", n_outputs=5)
    first, second, *rest = campaign.outputs
    second = replace(second, hypotheses=(first.hypotheses[0], *second.hypotheses[1:]))
    plan = replace(campaign.plan, side_by_side=N_SHOWN, is_adaptive=True, is_merged=True)
    campaign = replace(campaign, outputs=(first, second, *rest), plan=plan)

    sample = [Sampled(segment, "random") for segment in range(6)]
    tasks = merged(campaign, deal_tasks(campaign, sample, NAMES))
    store.add(campaign, tasks, OPERATOR)
    return campaign


def test_outputs_are_drawn_once_and_the_better_ones_more_often(store: AnnotationStore) -> None:
    campaign = adaptive(store)

    for name in NAMES:
        asker = Asker(token=store.links(campaign.uid).annotators[name])
        for start in range(0, 18, N_SHOWN):
            segment = slice(start, start + N_SHOWN)
            ids = [task.id for task in store.tasks(campaign.uid, name)[segment]]
            store.assign(ids, asker)
            shown = store.tasks(campaign.uid, name)[segment]
            store.assign(ids, asker)  # a reload
            assert store.tasks(campaign.uid, name)[segment] == shown
            assert len({task.output for task in shown}) == N_SHOWN
            assert all(campaign.alike(task) for task in shown)
            for task in shown:
                saying.rate(store, task.id, score=20.0 * (task.output or 0), is_complete=True)

    tasks = store.tasks(campaign.uid)
    assert {task.output for task in tasks if task.segment == 0} <= {0, 2, 3, 4}
    probabilities = [task.probability or 0 for task in tasks]
    assert all(0 < probability <= 1 for probability in probabilities)
    assert len({round(probability, 3) for probability in probabilities}) > 2
