"""BLEU in the convention of MultEval against what MultEval 0.5.1 recorded."""

import csv
import gzip
import re

import numpy as np
import pytest

from mteval.metrics import METRICS
from mteval.values.model import TestSet

RUNS = [f"{system}.opt{run}" for system in ("baseline", "sys1") for run in range(3)]


@pytest.fixture(scope="module")
def scorer(example):
    test_set = TestSet("example", tuple((line,) for line in example["references"]))
    return METRICS["bleu"].configure("multeval", {}).prepare(test_set)


@pytest.fixture(scope="module")
def statistics(example, scorer):
    """For each run the statistics of every segment and, last as in the recorded tables, of the corpus."""
    segments = {run: scorer.statistics(range(len(example[run])), example[run]) for run in RUNS}
    return {run: np.concatenate([rows, rows.sum(axis=0, keepdims=True)]) for run, rows in segments.items()}


@pytest.fixture(scope="module")
def recorded(data_directory):
    """For each run, segment by segment and last for the corpus: the score, its parts and the nine counts."""
    tables = {}
    for run in RUNS:
        path = data_directory / "reference" / "multeval" / "suffstats" / f"{run}.bleu.tsv.gz"
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            rows = list(csv.reader(lines, delimiter="\t"))[1:]
        counts = np.array([[int(count) for count in row[-1].split()] for row in rows])
        tables[run] = np.array([[float(cell) for cell in row[1:-1]] for row in rows]), counts
    return tables


@pytest.mark.parametrize("run", RUNS)
def test_statistics_of_every_segment_equal_the_recorded_ones(statistics, recorded, run):
    _, counts = recorded[run]
    ours = statistics[run]
    np.testing.assert_array_equal(ours[:, 6:10], counts[:, :4])
    np.testing.assert_array_equal(ours[:, 2:6], counts[:, 4:8])
    np.testing.assert_array_equal(ours[:, 1], counts[:, 8])
    np.testing.assert_array_equal(ours[:, 0], counts[:, 0])


@pytest.mark.parametrize("run", RUNS)
def test_segment_scores_and_parts_equal_the_recorded_ones(scorer, statistics, recorded, run):
    scores, _ = recorded[run]
    np.testing.assert_allclose(scorer.segment_score(statistics[run]), scores[:, 0], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(scorer.submetrics(statistics[run]), scores[:, 1:], rtol=1e-12, atol=1e-12)


def test_corpus_scores_equal_the_printed_ones_to_all_digits(data_directory, scorer, statistics):
    text = (data_directory / "reference" / "multeval" / "results.txt").read_text(encoding="utf-8")
    printed = re.findall(r"RESULT: (baseline|system 1): BLEU: OptRun (\d): (\S+)", text)
    assert len(printed) == len(RUNS)
    for system, run, score in printed:
        key = f"{system.replace('system 1', 'sys1')}.opt{run}"
        assert f"{scorer.score(statistics[key][-1]):.6f}" == score


def score_of(hypothesis: str, reference: str) -> float:
    scorer = METRICS["bleu"].configure("multeval", {}).prepare(TestSet("one", ((reference,),)))
    return float(scorer.segment_score(scorer.statistics([0], [hypothesis])[0]))


def test_an_order_without_ngrams_counts_as_matched():
    assert score_of("a b", "a b") == 100


def test_orders_without_match_count_a_half_then_a_quarter():
    # five tokens: precisions 2/5, then 1/2 of 1/4, 1/4 of 1/3, 1/8 of 1/2
    expected = 100 * (2 / 5 * 1 / 8 * 1 / 12 * 1 / 16) ** 0.25
    assert score_of("a x b y z", "a . b . .") == pytest.approx(expected, rel=1e-12)


def test_no_match_still_has_a_score_as_in_jbleu():
    assert score_of("v w x y", "a b c d") == pytest.approx(100 * (1 / 8 * 1 / 12 * 1 / 16 * 1 / 16) ** 0.25, rel=1e-12)


def test_an_empty_hypothesis_scores_nothing():
    assert score_of("", "a b c d") == 0


def test_an_empty_segment_has_no_tokens():
    scorer = METRICS["bleu"].configure("multeval", {}).prepare(TestSet("one", (("",),)))
    assert scorer.statistics([0], [" \t"])[0].tolist() == [0] * 10


def test_tokens_end_at_breaking_spaces_only_and_control_characters_are_trimmed():
    scorer = METRICS["bleu"].configure("multeval", {}).prepare(TestSet("one", (("a\u00a0b c",),)))
    statistics = scorer.statistics([0, 0, 0], ["\x01a\u00a0b\u2003c\x1f", "a b c", "a\u00a0b\x1cc"])
    assert statistics[:, 0].tolist() == [2, 3, 1]
    assert statistics[:, 2].tolist() == [2, 1, 0]
