"""Outputs are drawn with the probabilities that are recorded, once, whoever asks."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from mteval.annotations import AnnotationStore, Campaign, Sampled, deal_tasks, merged
from mteval.annotations.assignment import COLD_START, UNIFORM, assigned, chances, draw
from mteval.values.asker import OPERATOR, Asker
from tests.annotations import saying
from tests.annotations.conftest import campaign

NAMES = [f"annotator {number}" for number in range(6)]


def test_outputs_are_drawn_alike_until_each_has_a_few_scores() -> None:
    scores = [(COLD_START, 90.0), (COLD_START, 10.0), (COLD_START - 1, 50.0), (COLD_START, 50.0)]
    assert chances(scores, 2).tolist() == [0.5] * 4


def test_better_outputs_are_likelier_and_none_is_rare() -> None:
    means = [10.0, 50.0, 90.0, 40.0, 30.0, 20.0, 60.0]
    known = chances([(COLD_START, mean) for mean in means], 3)
    assert known.sum() == pytest.approx(3)
    by_rank = known[np.argsort([-mean for mean in means])]
    assert by_rank[0] == pytest.approx(by_rank[1])
    assert (np.diff(by_rank[1:]) < 0).all()
    assert known.max() <= 1
    assert known.min() > UNIFORM * 3 / 7
    assert chances([(COLD_START, mean) for mean in means], 7).tolist() == pytest.approx([1] * 7)


@pytest.mark.parametrize("known", [[0.5, 0.5, 1.0], [0.3, 0.9, 0.2, 0.6], [0.75] * 4, [1.0, 1.0]])
def test_the_recorded_probability_is_that_of_being_drawn(known: list[float]) -> None:
    generator, n = np.random.default_rng(3), 20_000
    drawn = [draw(np.array(known), generator) for _ in range(n)]
    assert {len(set(one)) for one in drawn} == {round(sum(known))}
    counts = Counter(output for one in drawn for output in one)
    for output, probability in enumerate(known):
        assert abs(counts[output] - n * probability) <= 5 * np.sqrt(n * probability * (1 - probability))


def test_the_first_place_is_everybodys() -> None:
    generator = np.random.default_rng(4)
    firsts = Counter(assigned([2, 5, 7], {}, 3, generator)[0][0] for _ in range(6_000))
    assert all(abs(count - 2_000) < 5 * np.sqrt(6_000 * 2 / 9) for count in firsts.values())
    assert set(firsts) == {2, 5, 7}


def adaptive(store: AnnotationStore) -> Campaign:
    """Six segments of five outputs, three of which are shown; the first two have the same text on segment 0."""
    one = campaign("esa", n_outputs=5)
    first, second, *others = one.outputs
    second = replace(second, hypotheses=(first.hypotheses[0], *second.hypotheses[1:]))
    plan = replace(one.plan, side_by_side=3, is_adaptive=True, is_merged=True)
    one = replace(one, outputs=(first, second, *others), plan=plan)
    sample = [Sampled(segment, "random") for segment in range(6)]
    store.add(one, merged(one, deal_tasks(one, sample, NAMES)), OPERATOR)
    return one


def test_outputs_are_drawn_once_and_the_better_ones_more_often(store: AnnotationStore) -> None:
    one = adaptive(store)
    for name in NAMES:
        asker = Asker(token=store.links(one.uid).annotators[name])
        for at in range(0, 18, 3):
            ids = [task.id for task in store.tasks(one.uid, name)[at : at + 3]]
            store.assign(ids, asker)
            shown = store.tasks(one.uid, name)[at : at + 3]
            store.assign(ids, asker)  # a reload
            assert store.tasks(one.uid, name)[at : at + 3] == shown
            assert len({task.output for task in shown}) == 3
            assert all(one.alike(task) for task in shown)
            for task in shown:
                saying.rate(store, task.id, score=20.0 * (task.output or 0), is_complete=True)
    tasks = store.tasks(one.uid)
    assert {task.output for task in tasks if task.segment == 0} <= {0, 2, 3, 4}
    known = [task.probability for task in tasks]
    assert all(0 < (probability or 0) <= 1 for probability in known)
    assert len({round(probability or 0, 3) for probability in known}) > 2
