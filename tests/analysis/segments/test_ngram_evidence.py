"""Match counts of words and n-grams, against plain counting and against what MultEval recorded."""

import re
from collections import Counter

import numpy as np
import pytest

from mteval.analysis.segments.evidence import count_ngrams, evidence_frame, segments_with, unmatched_frame
from mteval.metrics import METRICS
from mteval.metrics.text.tokenizers import multeval_tokenizer
from mteval.values.model import TestSet

TOKENIZE = multeval_tokenizer()
REFERENCES = (("the cat sat on the mat", "a cat on a mat"), ("he said so",))
LEFT = ("the the the cat", "so said he so")
RIGHT = ("a cat sat on a mat", "he said nothing")


def plain_matches(order, hypotheses):
    """Clipped matches of every n-gram, counted one by one."""

    def ngrams(text):
        words = text.split()
        return Counter(tuple(words[i : i + order]) for i in range(len(words) - order + 1))

    total = Counter()
    for hypothesis, references in zip(hypotheses, REFERENCES, strict=True):
        best = Counter()
        for reference in references:
            best |= ngrams(reference)
        total += ngrams(hypothesis) & best
    return total


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_matches_agree_with_plain_counting(order):
    cells = count_ngrams(TOKENIZE, REFERENCES, LEFT, RIGHT)[order - 1]
    for matches, texts in ((cells.baseline_matches, LEFT), (cells.system_matches, RIGHT)):
        found = {cells.text(place): int(count) for place, count in enumerate(cells.total(matches)) if count}
        assert found == dict(plain_matches(order, texts))


@pytest.mark.parametrize("name", ["example", "sample"])
def test_matches_sum_to_those_of_bleu(name, request):
    experiment = request.getfixturevalue(name)
    test_set = experiment.test_sets[0]
    first, second = (run.hypotheses for run in test_set.runs_of(experiment.systems[1].key)[:2])
    cells = count_ngrams(TOKENIZE, test_set.references, first, second)
    scorer = METRICS["bleu"].configure("multeval", {}).prepare(TestSet("t", test_set.references))
    statistics = scorer.statistics(range(test_set.n_segments), first).sum(axis=0)
    assert [int(of_order.baseline_matches.sum()) for of_order in cells] == statistics[2:6].tolist()


def test_the_ratio_is_smoothed_and_gains_come_before_losses():
    frame = evidence_frame(count_ngrams(TOKENIZE, REFERENCES, LEFT, RIGHT), most=100)
    rows = frame.set_index("ngram")
    assert rows.loc["a", ["baseline", "system", "difference", "references"]].tolist() == [0, 2, 2, 2]
    assert rows.loc["a", "log_ratio"] == pytest.approx(np.log2(3))
    assert rows.loc["the", ["baseline", "system"]].tolist() == [2, 0]
    assert rows.loc["the", "log_ratio"] == pytest.approx(-np.log2(3))
    assert frame["ngram"].iloc[0] == "a"
    gains = (frame["difference"] > 0).tolist()
    assert gains == sorted(gains, reverse=True)
    assert "cat" not in rows.index  # matched once by both
    assert len(evidence_frame(count_ngrams(TOKENIZE, REFERENCES, LEFT, RIGHT), most=1)) == 2


def test_segments_of_an_ngram_are_those_where_it_makes_the_difference():
    cells = count_ngrams(TOKENIZE, REFERENCES, LEFT, RIGHT)
    assert segments_with(cells, ("the",), "differs").tolist() == [0]
    assert segments_with(cells, ("he", "said"), "differs").tolist() == [1]
    assert segments_with(cells, ("cat",), "differs").tolist() == []
    assert segments_with(cells, ("nothing",), "missed").tolist() == [1]
    assert segments_with(cells, ("so",), "missed").tolist() == [1]
    assert segments_with(cells, ("unheard", "of"), "missed").tolist() == []
    assert segments_with(cells, ("cat",), "missed").tolist() == [], "both match it as often as a reference has it"
    assert segments_with(cells, tuple("abcde"), "differs").tolist() == []


def test_unmatched_words_are_missed_by_outputs_or_too_many_in_them():
    rows = unmatched_frame(count_ngrams(TOKENIZE, REFERENCES, LEFT, RIGHT)[0], most=100).set_index("word")
    assert rows.loc["the", ["missed_by_baseline", "missed_by_system", "missed_by_both", "baseline"]].tolist() == [
        0, 2, 0, 1,
    ]  # fmt: skip
    assert rows.loc["nothing", ["references", "baseline", "system"]].tolist() == [0, 0, 1]
    assert not {"said", "mat"} & set(rows.index)  # the one has no error, the other is missed by one output only
    (only_b,) = unmatched_frame(count_ngrams(TOKENIZE, (("a b b",),), ("a",), ("b",))[0], most=100).to_dict("records")
    assert only_b == {
        "word": "b", "references": 2, "missed_by_baseline": 2, "missed_by_system": 1, "missed_by_both": 1,
        "baseline": 0, "system": 0,
    }  # fmt: skip


def test_unmatched_words_agree_with_multeval(example, data_directory):
    """METEOR matches commas and quotation marks only exactly; its median runs are the baseline's and system 1's."""
    lines = (data_directory / "reference" / "multeval" / "unmatched-words.txt").read_text(encoding="utf-8").split("\n")
    of_references = [dict(re.findall(r"(?:\[|, )(\S+) x (\d+)", line)) for line in lines if "reference words" in line]
    runs = example.test_sets[0]
    counts = [
        {
            word: unmatched_frame(count_ngrams(TOKENIZE, runs.references, run.hypotheses, run.hypotheses)[0], 300)
            .set_index("word")
            .loc[word, "missed_by_baseline"]
            for word in (",", '"')
        }
        for run in runs.runs_of("baseline") + runs.runs_of("sys1")
    ]
    for recorded in of_references:
        assert {word: int(recorded[word]) for word in (",", '"')} in counts


def test_empty_texts_have_no_ngrams():
    cells = count_ngrams(TOKENIZE, (("",),), ("",), ("",))
    assert evidence_frame(cells, 10).empty
    assert unmatched_frame(cells[0], 10).empty
