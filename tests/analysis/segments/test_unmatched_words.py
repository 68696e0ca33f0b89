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
    """An alignment whose exact matches have these starts and lengths."""
    matches = tuple(Match(*span, "exact") for span in spans)
    return Alignment(0, tuple(reference.split()), tuple(hypothesis.split()), matches)


def test_matches_may_cover_several_words():
    complete = aligned("a great many boats", "many boats", (0, 3, 0, 1), (3, 1, 1, 1))
    assert not complete.unmatched_reference
    assert not complete.unmatched_hypothesis

    partial = aligned("a b", "c d", (1, 1, 0, 1))
    assert dict(partial.unmatched_hypothesis) == {"d": 1}


@needs_meteor
@pytest.mark.parametrize(("system", "run", "line"), [("baseline", 0, 0), ("sys1", 0, 1)])
def test_the_report_is_multevals(system, run, line, example, data_directory):
    """MultEval's line lists the most frequent words with their counts: ours are as frequent, and none is missing."""
    report = (data_directory / "reference" / "multeval" / "unmatched-words.txt").read_text(encoding="utf-8")
    test_set = example.test_sets[0]
    scorer = METRICS["meteor"].configure("multeval", {}).prepare(test_set)

    unmatched = left_over(scorer, test_set.runs_of(system)[run].hypotheses, system, Work())

    for kind, counts in (("hypothesis", unmatched.hypothesis), ("reference", unmatched.reference)):
        lines = [text for text in report.split("\n") if f"unmatched {kind} words" in text]
        words_and_counts = re.findall(r"(?:\[|, )(\S+) x (\d+)", lines[line])
        words = [word for word, _ in words_and_counts]
        recorded = [int(count) for _, count in words_and_counts]
        assert len(recorded) == REPORTED
        assert [counts[word] for word in words] == recorded
        assert sorted(counts.values(), reverse=True)[:REPORTED] == recorded
