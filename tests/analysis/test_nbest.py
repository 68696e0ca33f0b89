"""Best and worst of n-best lists: ties, oracles, threads."""

import math
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


def nbest_list(segment: int, *texts: str) -> NbestList:
    """A list of these hypotheses, whose scores by the model do not matter."""
    return NbestList(segment, tuple(NbestEntry(text, "", 0.0) for text in texts))


REFERENCES = TestSet("test", (("a b c d",), ("e f",)))
LISTS = (
    nbest_list(0, "a b c", "a b c d e", "a b c d", "d c b", "a b c"),
    nbest_list(1, "e", "f", "e f g"),
)


def scorers(*metrics: str, references: TestSet = REFERENCES) -> ListScorers:
    """Scorers by these metrics, in their order."""
    return ListScorers.of(resolve(Settings(metrics=metrics, convention="multeval")), references)


def copies_of_the_first_segment(n: int) -> TestSet:
    """A test set with the first segment's reference so many times."""
    return TestSet("test", (REFERENCES.references[0],) * n)


def test_the_best_is_first_by_the_direction_of_the_metric() -> None:
    first, second = score_lists(LISTS, scorers("ter", "length"), 2, Work())
    assert first.metrics["ter"].scores.tolist() == [25.0, 25.0, 0.0, 75.0, 25.0]
    assert first.metrics["ter"].order.tolist() == [2, 0, 1, 4, 3]
    assert first.metrics["ter"].ranks.tolist() == [1, 2, 0, 4, 3]
    assert second.metrics["length"].order[0] == 2


def test_ties_follow_the_order_of_the_metric_before() -> None:
    by_length, _ = score_lists(LISTS, scorers("length"), 2, Work())
    by_ter_and_length, _ = score_lists(LISTS, scorers("ter", "length"), 2, Work())
    assert by_length.metrics["length"].order.tolist() == [1, 2, 0, 3, 4]
    assert by_ter_and_length.metrics["length"].order.tolist() == [1, 2, 0, 4, 3]  # by TER 4 is better than 3


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
    lists = [NbestList(segment, LISTS[0].entries * 100) for segment in range(40)]
    ready = scorers("ter", references=copies_of_the_first_segment(40))
    reports: list[Progress] = []

    scored_lists = list(score_lists(lists, ready, 40, Work(Engine(workers), report=reports.append)))

    assert [scored.nbest for scored in scored_lists] == lists
    for scored in scored_lists:
        assert scored.metrics["ter"].scores.tolist() == [25.0, 25.0, 0.0, 75.0, 25.0] * 100
    lists_a_batch = math.ceil(HYPOTHESES_A_BATCH / 500)
    assert len(reports) == math.ceil(40 / lists_a_batch)
    assert reports[-1].fraction == 1.0


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter", "length"])
def test_scorers_can_be_sent_to_another_machine(metric: str) -> None:
    ready = scorers(metric)
    sent = pickle.loads(pickle.dumps(ready))
    scored, _ = score_lists(LISTS, ready, 2, Work())
    scored_by_sent, _ = score_lists(LISTS, sent, 2, Work())
    assert scored_by_sent.metrics[metric].scores.tolist() == scored.metrics[metric].scores.tolist()


def test_only_a_few_batches_are_read_ahead() -> None:
    segments_read: list[int] = []

    def lists() -> Iterator[NbestList]:
        for segment in range(200):
            segments_read.append(segment)
            yield NbestList(segment, LISTS[0].entries * 100)

    ready = scorers("length", references=copies_of_the_first_segment(200))
    first: ScoredList = next(score_lists(lists(), ready, 200, Work(Engine(1))))
    assert first.nbest.segment == 0
    assert len(segments_read) == math.ceil(HYPOTHESES_A_BATCH / 500)
