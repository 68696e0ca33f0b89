"""Best and worst of n-best lists: ties, oracles, threads."""

import pickle
from collections.abc import Iterator

import pytest

from mteval.analysis.nbest import CHOICES, HYPOTHESES_A_BATCH, ListScorers, OracleScores, ScoredList, score_lists
from mteval.analysis.scoring import Progress, Work
from mteval.base.parallel import Engine
from mteval.metrics import resolve
from mteval.readers.formats.nbest import NbestEntry, NbestList
from mteval.values.model import TestSet
from mteval.values.settings import Settings

REFERENCES = TestSet("test", (("a b c d",), ("e f",)))
LISTS = (
    NbestList(0, tuple(NbestEntry(text, "", 0.0) for text in ("a b c", "a b c d e", "a b c d", "d c b", "a b c"))),
    NbestList(1, tuple(NbestEntry(text, "", 0.0) for text in ("e", "f", "e f g"))),
)


def scorers(*metrics: str) -> ListScorers:
    return ListScorers.of(resolve(Settings(metrics=metrics, convention="multeval")), REFERENCES)


def test_the_best_is_first_by_the_direction_of_the_metric() -> None:
    first, second = score_lists(LISTS, scorers("ter", "length"), 2, Work())
    assert first.metrics["ter"].scores.tolist() == [25.0, 25.0, 0.0, 75.0, 25.0]
    assert first.metrics["ter"].order.tolist() == [2, 0, 1, 4, 3]
    assert first.metrics["ter"].ranks.tolist() == [1, 2, 0, 4, 3]
    assert second.metrics["length"].order[0] == 2


def test_ties_follow_the_order_of_the_metric_before() -> None:
    (alone, _), (after, _) = (
        score_lists(LISTS, scorers(*names), 2, Work()) for names in (["length"], ["ter", "length"])
    )
    assert alone.metrics["length"].order.tolist() == [1, 2, 0, 3, 4]
    assert after.metrics["length"].order.tolist() == [1, 2, 0, 4, 3]  # by TER 4 is better than 3


def test_oracle_scores_are_corpus_scores_of_the_chosen_hypotheses() -> None:
    """Edits over reference words, by hand."""
    ready = scorers("ter")
    oracles = OracleScores(ready)
    for scored in score_lists(LISTS, ready, 2, Work()):
        oracles.add(scored)
    frame = oracles.frame()
    assert frame["choice"].tolist() == list(CHOICES)
    assert frame["score"].tolist() == pytest.approx([100 * 2 / 6, 100 * 1 / 6, 100 * 4 / 6])


@pytest.mark.parametrize("workers", [1, 3])
def test_lists_are_complete_and_in_order_for_any_number_of_threads(workers: int) -> None:
    many = [NbestList(segment, LISTS[0].entries * 100) for segment in range(40)]
    references = TestSet("test", (("a b c d",),) * 40)
    ready = ListScorers.of(resolve(Settings(metrics=("ter",), convention="multeval")), references)
    heard: list[Progress] = []
    scored_lists = list(score_lists(many, ready, 40, Work(Engine(workers), report=heard.append)))
    assert [scored.nbest for scored in scored_lists] == many
    assert all(scored.metrics["ter"].scores.tolist() == [25.0, 25.0, 0.0, 75.0, 25.0] * 100 for scored in scored_lists)
    assert len(heard) == -(-40 // -(-HYPOTHESES_A_BATCH // 500))
    assert heard[-1].fraction == 1.0


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter", "length"])
def test_scorers_can_be_sent_to_another_machine(metric: str) -> None:
    ready = scorers(metric)
    sent = pickle.loads(pickle.dumps(ready))
    (here, _), (there, _) = (score_lists(LISTS, one, 2, Work()) for one in (ready, sent))
    assert there.metrics[metric].scores.tolist() == here.metrics[metric].scores.tolist()


def test_only_a_few_batches_are_read_ahead() -> None:
    read: list[int] = []

    def lists() -> Iterator[NbestList]:
        for segment in range(200):
            read.append(segment)
            yield NbestList(segment, LISTS[0].entries * 100)

    ready = ListScorers.of(
        resolve(Settings(metrics=("length",), convention="multeval")), TestSet("test", (("a b c d",),) * 200)
    )
    first: ScoredList = next(score_lists(lists(), ready, 200, Work(Engine(1))))
    assert first.nbest.segment == 0
    assert len(read) == -(-HYPOTHESES_A_BATCH // 500)
