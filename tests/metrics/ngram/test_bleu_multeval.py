"""BLEU in the convention of MultEval against what MultEval 0.5.1 recorded."""

import csv
import gzip
import re
from dataclasses import dataclass

import numpy as np
import pytest

from mteval.metrics import METRICS
from mteval.values.model import TestSet

RUNS = [f"{system}.opt{run}" for system in ("baseline", "sys1") for run in range(3)]


def scorer_of(*references):
    """Return BLEU for one reference a segment."""
    test_set = TestSet("segments", tuple((reference,) for reference in references))
    return METRICS["bleu"].configure("multeval", {}).prepare(test_set)


@dataclass(frozen=True)
class Recorded:
    """What MultEval recorded of a run, segment by segment and last for the corpus."""

    scores: np.ndarray  # the score and its parts, shape (segments + 1, parts + 1)
    counts: np.ndarray  # matches by order, totals by order, and the reference's length, shape (segments + 1, 9)


@pytest.fixture(scope="module")
def scorer(example):
    """BLEU for the references of the example."""
    return scorer_of(*example["references"])


@pytest.fixture(scope="module")
def statistics(example, scorer):
    """For each run the statistics of every segment and, last as in the recorded tables, of the corpus."""
    statistics_of_run = {}
    for run in RUNS:
        rows = scorer.statistics(range(len(example[run])), example[run])
        statistics_of_run[run] = np.concatenate([rows, rows.sum(axis=0, keepdims=True)])
    return statistics_of_run


@pytest.fixture(scope="module")
def recorded(data_directory):
    """What MultEval recorded of each run."""
    recorded_of_run = {}
    for run in RUNS:
        path = data_directory / "reference" / "multeval" / "suffstats" / f"{run}.bleu.tsv.gz"
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            _, *rows = csv.reader(lines, delimiter="\t")
        scores = np.array([row[1:-1] for row in rows], dtype=float)
        counts = np.array([row[-1].split() for row in rows], dtype=int)
        recorded_of_run[run] = Recorded(scores, counts)
    return recorded_of_run


@pytest.mark.parametrize("run", RUNS)
def test_statistics_of_every_segment_equal_the_recorded_ones(statistics, recorded, run):
    rows = statistics[run]
    counts = recorded[run].counts

    np.testing.assert_array_equal(rows[:, 6:10], counts[:, :4])
    np.testing.assert_array_equal(rows[:, 2:6], counts[:, 4:8])
    np.testing.assert_array_equal(rows[:, 1], counts[:, 8])
    np.testing.assert_array_equal(rows[:, 0], counts[:, 0])


@pytest.mark.parametrize("run", RUNS)
def test_segment_scores_and_parts_equal_the_recorded_ones(scorer, statistics, recorded, run):
    scores = scorer.segment_score(statistics[run])
    parts = scorer.submetrics(statistics[run])

    recorded_scores = recorded[run].scores
    np.testing.assert_allclose(scores, recorded_scores[:, 0], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(parts, recorded_scores[:, 1:], rtol=1e-12, atol=1e-12)


def test_corpus_scores_equal_the_printed_ones_to_all_digits(data_directory, scorer, statistics):
    text = (data_directory / "reference" / "multeval" / "results.txt").read_text(encoding="utf-8")
    printed = re.findall(r"RESULT: (baseline|system 1): BLEU: OptRun (\d): (\S+)", text)
    assert len(printed) == len(RUNS)

    for system, run, printed_score in printed:
        key = f"{system.replace('system 1', 'sys1')}.opt{run}"
        statistics_of_corpus = statistics[key][-1]
        assert f"{scorer.score(statistics_of_corpus):.6f}" == printed_score


def score_of(hypothesis: str, reference: str) -> float:
    """Return the score of one segment."""
    scorer = scorer_of(reference)
    return float(scorer.segment_score(scorer.statistics([0], [hypothesis])[0]))


def test_an_order_without_ngrams_counts_as_matched():
    assert score_of("a b", "a b") == 100


def test_orders_without_match_count_a_half_then_a_quarter():
    # five tokens: precisions 2/5, then 1/2 of 1/4, 1/4 of 1/3, 1/8 of 1/2
    expected = 100 * (2 / 5 * 1 / 8 * 1 / 12 * 1 / 16) ** 0.25
    assert score_of("a x b y z", "a . b . .") == pytest.approx(expected, rel=1e-12)


def test_no_match_still_has_a_score_as_in_jbleu():
    # four tokens: 1/2 of 1/4, 1/4 of 1/3, 1/8 of 1/2, 1/16 of 1
    expected = 100 * (1 / 8 * 1 / 12 * 1 / 16 * 1 / 16) ** 0.25
    assert score_of("v w x y", "a b c d") == pytest.approx(expected, rel=1e-12)


def test_an_empty_hypothesis_scores_nothing():
    assert score_of("", "a b c d") == 0


def test_an_empty_segment_has_no_tokens():
    assert scorer_of("").statistics([0], [" \t"])[0].tolist() == [0] * 10


def test_tokens_end_at_breaking_spaces_only_and_control_characters_are_trimmed():
    scorer = scorer_of("a\u00a0b c")

    statistics = scorer.statistics([0, 0, 0], ["\x01a\u00a0b\u2003c\x1f", "a b c", "a\u00a0b\x1cc"])

    n_tokens = statistics[:, 0]
    n_matches = statistics[:, 2]
    assert n_tokens.tolist() == [2, 3, 1]
    assert n_matches.tolist() == [2, 1, 0]
