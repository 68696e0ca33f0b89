"""All exchanges of two systems scored in one call have the differences that chunks of them have."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from mteval.base.arrays import FloatArray, StatArray
from mteval.metrics import METRICS
from mteval.stats.base import How, ScoresExchanges
from mteval.stats.procedures import randomization
from mteval.stats.procedures.randomization import SharedShuffles, ar_segment
from mteval.stats.resampling.streams import seeds_for
from mteval.values.model import TestSet

REFERENCES = tuple((f"the cat number {place} sat on the mat of floor {place % 7} .",) for place in range(70))
HOW = How(6_000, seeds_for(1, "exchanges"), "greater", 0.95, lambda function, items: map(function, items))


@dataclass(frozen=True)
class ScoreAlone:
    """A scorer that only scores sums."""

    scorer: Any

    def score(self, statistics: StatArray) -> FloatArray:
        return np.asarray(self.scorer.score(statistics))


def systems_of(scorer: Any, n_segments: int, has_matches: bool, n_words: int = 12) -> list[StatArray]:
    """Statistics of three systems with two and three runs; without matches of all orders, their scores are smoothed.

    Outputs of so many words are shorter than the references, which have twelve.
    """
    systems = []
    for system, n_runs in enumerate((2, 3, 3)):
        runs = []
        for run in range(n_runs):
            outputs = []
            for place, (line,) in enumerate(REFERENCES[:n_segments]):
                verb = ("lay", "sat", "sits")[(place + run) % (3 - system % 2)]
                words = line.replace("sat", verb).split()
                outputs.append(" ".join(words[:n_words]))
            if not has_matches:
                outputs = [" ".join(output.split()[::-2]) for output in outputs]
            runs.append(scorer.statistics(range(n_segments), outputs))
        systems.append(np.stack(runs))
    return systems


@pytest.mark.parametrize("convention", ["sacrebleu", "multeval"])
@pytest.mark.parametrize(("has_matches", "n_words"), [(True, 12), (True, 10), (True, 7), (False, 12)])
def test_differences_in_one_call_are_those_of_chunks_and_of_one_pair(
    convention: Any, has_matches: bool, n_words: int
) -> None:
    scorer = METRICS["bleu"].configure(convention, {}).prepare(TestSet("test", REFERENCES))
    assert isinstance(scorer, ScoresExchanges)
    systems = systems_of(scorer, 70, has_matches, n_words)
    at_once = list(SharedShuffles.of(systems, scorer, HOW).results([0, 1], 2))
    in_chunks = list(SharedShuffles.of(systems, ScoreAlone(scorer), HOW).results([0, 1], 2))
    for baseline, result, other in zip(systems, at_once, in_chunks, strict=False):
        alone = ar_segment(baseline, systems[2], scorer.score, HOW)
        assert result.null is not None
        assert len(result.null) == HOW.n_resamples
        np.testing.assert_array_equal(other.null, alone.null)
        np.testing.assert_allclose(result.null, alone.null, rtol=0, atol=1e-12)
        assert result.p_value == other.p_value == alone.p_value


def test_differences_do_not_depend_on_the_bits_of_a_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    scorer = METRICS["bleu"].configure("sacrebleu", {}).prepare(TestSet("test", REFERENCES))
    systems = systems_of(scorer, 70, True)
    nulls = []
    types = []
    for limits in ({}, {"MOST_IN_INT16": 0}, {"MOST_IN_INT16": 0, "MOST_IN_INT32": 0}):
        for name, limit in limits.items():
            monkeypatch.setattr(randomization, name, limit)
        shuffles = SharedShuffles.of(systems, scorer, HOW)
        types.append(shuffles.sums.dtype)
        (result,) = shuffles.results([0], 2)
        nulls.append(result.null)
    assert types == [np.int16, np.int32, np.float64]
    np.testing.assert_array_equal(nulls[0], nulls[1])
    np.testing.assert_array_equal(nulls[0], nulls[2])
