"""Words without a match, by hand and against MultEval's report from METEOR's alignments."""

import re

import pytest

from mteval.analysis.scoring import Work
from mteval.analysis.segments.runs import left_over
from mteval.metrics import METRICS
from mteval.metrics.explanation import Alignment, Match
from tests.extras import needs_meteor

REPORTED = 10  # words a line of MultEval's report


def aligned(reference, hypothesis, *spans):
    matches = tuple(Match(*span, "exact") for span in spans)
    return Alignment(0, tuple(reference.split()), tuple(hypothesis.split()), matches)


def test_matches_may_cover_several_words():
    one = aligned("a great many boats", "many boats", (0, 3, 0, 1), (3, 1, 1, 1))
    assert not one.unmatched_reference
    assert not one.unmatched_hypothesis
    assert dict(aligned("a b", "c d", (1, 1, 0, 1)).unmatched_hypothesis) == {"d": 1}


@needs_meteor
@pytest.mark.parametrize(("system", "run", "line"), [("baseline", 0, 0), ("sys1", 0, 1)])
def test_the_report_is_multevals(system, run, line, example, data_directory):
    text = (data_directory / "reference" / "multeval" / "unmatched-words.txt").read_text(encoding="utf-8")
    test_set = example.test_sets[0]
    scorer = METRICS["meteor"].configure("multeval", {}).prepare(test_set)
    found = left_over(scorer, test_set.runs_of(system)[run].hypotheses, system, Work())
    for kind in ("hypothesis", "reference"):
        counts = getattr(found, kind)
        lines = [one for one in text.split("\n") if f"unmatched {kind} words" in one]
        recorded = [(word, int(count)) for word, count in re.findall(r"(?:\[|, )(\S+) x (\d+)", lines[line])]
        assert len(recorded) == REPORTED
        assert [counts[word] for word, _ in recorded] == [count for _, count in recorded]
        assert sorted(counts.values(), reverse=True)[:REPORTED] == [count for _, count in recorded]
