"""List depth against oracle score, checked against choosing from lists that were cut by hand."""

import numpy as np
import pytest

from mteval.analysis.nbest import ListScorers, depths_up_to, summarize_lists
from mteval.analysis.scoring import Work
from mteval.metrics import resolve
from mteval.metrics.base import Metric, Scorer
from mteval.readers.formats.nbest import NbestEntry, NbestList
from mteval.values.model import TestSet
from mteval.values.settings import Settings

REFERENCES = ("the cat sat on the mat today", "a dog barked at night in the yard", "it rained all day long here")
METRICS = resolve(Settings(metrics=("bleu", "ter", "length")))


def lists(sizes: tuple[int, ...], seed: int = 1) -> list[NbestList]:
    """Lists of references with words left out at random."""
    generator = np.random.default_rng(seed)
    nbest_lists = []
    for segment, size in enumerate(sizes):
        words = REFERENCES[segment].split()
        entries = []
        for place in range(size):
            text = " ".join(word for word in words if generator.random() < 0.75)
            entries.append(NbestEntry(text, "", -place))
        nbest_lists.append(NbestList(segment, tuple(entries)))
    return nbest_lists


def scorers(metrics: tuple[Metric, ...] = METRICS) -> ListScorers:
    """Scorers of lists by these metrics on the references."""
    return ListScorers.of(metrics, TestSet("t", tuple((text,) for text in REFERENCES)))


def best_at(metric: Metric, scorer: Scorer, nbest_lists: list[NbestList], depth: int) -> float:
    """The corpus score of the best of the first hypotheses, by trying each; earlier ones win ties."""
    best_texts = []
    for nbest_list in nbest_lists:
        texts = [entry.hypothesis for entry in nbest_list.entries][:depth]
        scores = []
        for text in texts:
            statistics = scorer.statistics([nbest_list.segment], [text])
            scores.append(float(scorer.segment_score(statistics)[0]))
        best = max(scores) if metric.higher_is_better else min(scores)
        best_texts.append(texts[scores.index(best)])
    return float(scorer.score(scorer.statistics(range(len(nbest_lists)), best_texts).sum(axis=0)))


@pytest.mark.parametrize("sizes", [(5, 5, 5), (1, 12, 4), (12, 3, 1)])
def test_a_depth_has_the_score_of_lists_cut_there(sizes: tuple[int, ...]) -> None:
    """Each metric alone: with several, ties follow the metric before."""
    nbest_lists = lists(sizes)
    for metric in METRICS:
        alone = scorers((metric,))
        (scorer,) = alone.scorers
        depths = summarize_lists(nbest_lists, alone, 3, Work()).depths
        expected = [best_at(metric, scorer, nbest_lists, depth) for depth in depths["depth"]]
        assert depths["depth"].tolist() == list(depths_up_to(max(sizes)))
        assert depths["score"].tolist() == pytest.approx(expected, abs=1e-12)


def test_the_first_depth_is_the_decoder_and_the_last_the_oracle() -> None:
    summary = summarize_lists(lists((7, 9, 8)), scorers(), 3, Work())
    for metric, rows in summary.depths.groupby("metric"):
        oracles = summary.oracles[summary.oracles["metric"] == metric].set_index("choice")["score"]
        assert rows["score"].iloc[0] == pytest.approx(oracles["topbest"], abs=1e-12)
        assert rows["score"].iloc[-1] == pytest.approx(oracles["oracle"], abs=1e-12)


def test_the_gain_is_never_negative_and_zero_if_the_first_is_best() -> None:
    rows = summarize_lists(lists((7, 9, 8)), scorers(), 3, Work()).lists
    assert len(rows) == 9
    assert (rows["gain"] >= 0).all()
    assert (rows.loc[rows["place"] == 1, "gain"] == 0).all()
    assert rows["size"].tolist() == [7] * 3 + [9] * 3 + [8] * 3


def test_depths_are_few_and_end_with_the_longest_list() -> None:
    assert depths_up_to(1) == (1,)
    assert depths_up_to(12) == (1, 2, 3, 5, 7, 10, 12)
    assert depths_up_to(1000)[-3:] == (500, 700, 1000)
