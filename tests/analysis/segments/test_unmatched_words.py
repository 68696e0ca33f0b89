"""Words without a match, by hand and against MultEval's report from METEOR's alignments."""

import re

import pytest

from mteval.analysis.segments.evidence import UnmatchedWords
from mteval.metrics import METRICS
from mteval.metrics.explanation import Alignment, Match
from tests.extras import needs_meteor

REPORTED = 10  # words a line of MultEval's report


def aligned(reference, hypothesis, *spans):
    matches = tuple(Match(*span, "exact") for span in spans)
    return Alignment(0, tuple(reference.split()), tuple(hypothesis.split()), matches)


LEFT = (aligned("the cat the mat", "the cats", (0, 1, 0, 1), (1, 1, 1, 1)), aligned("so", "so so", (0, 1, 1, 1)))
RIGHT = (aligned("the cat the mat", "a mat", (3, 1, 1, 1)), aligned("so", ""))


def test_words_that_no_match_covers_are_counted_by_side():
    found = UnmatchedWords.of(LEFT, RIGHT)
    rows = found.frame(most=10).set_index("word")
    assert rows.loc["the"].tolist() == [2, 1, 2, 1, 0, 0]
    assert rows.loc["so"].tolist() == [1, 0, 1, 0, 1, 0]
    assert rows.loc["a"].tolist() == [0, 0, 0, 0, 0, 1]
    assert "mat" not in rows.index  # missed by one output only
    assert found.segments_with("so").tolist() == [1]
    assert found.segments_with("the").tolist() == [0]
    assert found.segments_with("unheard").tolist() == []


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
    alignments = scorer.alignments(range(test_set.n_segments), test_set.runs_of(system)[run].hypotheses)
    frame = UnmatchedWords.of(alignments, alignments).frame(most=50)
    for kind, name in (("hypothesis", "baseline"), ("reference", "missed_by_baseline")):
        lines = [one for one in text.split("\n") if f"unmatched {kind} words" in one]
        recorded = [(word, int(count)) for word, count in re.findall(r"(?:\[|, )(\S+) x (\d+)", lines[line])]
        assert len(recorded) == REPORTED
        counts = frame.set_index("word")[name]
        assert [counts[word] for word, _ in recorded] == [count for _, count in recorded]
        assert counts.nlargest(REPORTED).tolist() == [count for _, count in recorded]
