"""METEOR's numbers are those that METEOR 1.5 and MultEval put out on real data."""

import re

import numpy as np
import pytest

from mteval.metrics.meteor import SPEC, Meteor
from mteval.metrics.meteor.data import LEVELS, MODULES
from mteval.values.model import TestSet
from tests.extras import needs_meteor

pytestmark = [pytest.mark.real_data, needs_meteor]


@pytest.fixture(scope="module")
def scored(case):
    recorded, task, level = case
    scorer = Meteor(task=task, normalization=LEVELS[level]).prepare(recorded.test_set)
    return recorded, scorer, scorer.statistics(range(len(recorded.hypotheses)), recorded.hypotheses)


def test_segment_statistics_equal_the_recorded_ones(scored):
    recorded, _, statistics = scored
    assert statistics.dtype == np.int64
    np.testing.assert_array_equal(statistics, recorded.statistics)


def test_segment_statistics_sum_to_the_corpus(scored):
    recorded, _, statistics = scored
    np.testing.assert_array_equal(statistics.sum(axis=0), recorded.total)


def test_scores_and_components_equal_the_recorded_ones(scored):
    recorded, scorer, statistics = scored
    total = statistics.sum(axis=0)
    np.testing.assert_allclose(scorer.segment_score(statistics), 100 * recorded.parts[:, 3], rtol=0, atol=1e-12)
    np.testing.assert_allclose(scorer.submetrics(statistics), recorded.parts[:, :3], rtol=0, atol=1e-12)
    np.testing.assert_allclose(scorer.score(total), 100 * recorded.total_parts[3], rtol=0, atol=1e-12)
    np.testing.assert_allclose(scorer.submetrics(total), recorded.total_parts[:3], rtol=0, atol=1e-12)


def test_segment_alignments_equal_the_recorded_ones(scored):
    recorded, scorer, _ = scored
    alignments = scorer.alignments(range(len(recorded.hypotheses)), recorded.hypotheses)
    for alignment, expected in zip(alignments, recorded.alignments, strict=True):
        words = (f"{a}:{b}-{c}:{d}/{MODULES.index(module)} " for a, b, c, d, module in alignment.matches)
        assert "".join(words) == expected


@pytest.fixture(scope="module")
def run_scores(data_directory):
    text = (data_directory / "reference" / "multeval" / "results.txt").read_text(encoding="utf-8")
    rows = re.findall(r"RESULT: (baseline|system 1): METEOR: OptRun (\d): ([0-9.]+)", text)
    return {(system.replace("system 1", "sys1"), run): float(score) for system, run, score in rows}


def test_run_scores_equal_multevals_output(example, run_scores):
    scorer = SPEC.configure("multeval", {}).prepare(TestSet("example", tuple(zip(example["references"]))))
    assert len(run_scores) == 6
    for (system, run), score in run_scores.items():
        hypotheses = example[f"{system}.opt{run}"]
        statistics = scorer.statistics(range(len(hypotheses)), hypotheses)
        assert scorer.score(statistics.sum(axis=0)) == pytest.approx(score, abs=1e-6)
